"""Pattern: how far four legs are from the footfalls of a gait (kernels). Times are parts of a stride."""

from __future__ import annotations

from hoofbeat.maths.curves import phase_difference
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Floats, Real


@kernel
def farthest(offset: Floats, touchdown: Floats, shift: Real) -> Real:
    """The longest move of a leg from offset (4,) to touchdown (4,) + shift, in [0, 0.5]."""
    most = 0.0
    for leg in range(4):
        most = max(most, abs(phase_difference(touchdown[leg] + shift, offset[leg])))
    return most


@kernel
def common_shift(offset: Floats, touchdown: Floats) -> Real:
    """The shift for which the longest move from offset (4,) to touchdown (4,) + shift is least."""
    best, least = 0.0, 2.0
    for a in range(4):
        for b in range(4):
            # Halfway between two legs, on either side of the circle.
            first = offset[a] - touchdown[a]
            gap = phase_difference(offset[b] - touchdown[b], first)
            for side in range(2):
                shift = first + 0.5 * gap + 0.5 * side
                most = farthest(offset, touchdown, shift)
                if most < least - 1e-12:
                    best, least = shift, most
    return best
