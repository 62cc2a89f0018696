"""Feet: what every method writes of a leg into its STEP row (kernels)."""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.curves import smoothstep
from hoofbeat.maths.exact.circular import sincos
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Bool, Int, Real, Row

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
#: From here on a phase rounds to 1 in float32.
NEARLY_ONE = np.float64(0.99999997)


@kernel(inline=True)
def write_toe(out: Row, leg: Int, x: Real, z: Real, ahead: Real, angle: Real) -> None:
    """Place of a toe in character space, its height left out.

    (x, z) is where it stands under a body that has come over it, to the left and ahead [m]; the body still
    goes `ahead` [m] and turns by `angle` [rad] until then. A turning body comes round to its feet: what lies
    ahead of the middle lies to the inside.
    """
    s, c = sincos(angle)
    out["foot"][leg, 0] = np.float32(c * x + s * z + ahead * 0.5 * angle)
    out["foot"][leg, 2] = np.float32(c * z - s * x + ahead)


@kernel(inline=True)
def write_contact(out: Row, leg: Int, down: Bool, airborne: Bool) -> None:
    """Whether a foot is on the ground."""
    out["contact"][leg] = ONE if down and not airborne else ZERO


@kernel(inline=True)
def write_phase(out: Row, leg: Int, phase: Real) -> None:
    """A leg's own time, float64 in [0, 1)."""
    out["phase"][leg] = np.float32(phase) if phase < NEARLY_ONE else ZERO


@kernel(inline=True)
def strut_in_swing(swing: Real, unlocks: Real) -> np.float32:
    """How straight a swinging leg is, as a strut 1, folded 0; it goes from one to the other over the part
    `unlocks` of the swing at each end. swing: part of the swing that is over, float64."""
    edge = min(swing, 1.0 - swing) / unlocks
    return np.float32(1.0 - smoothstep(edge)) if edge < 1.0 else ZERO
