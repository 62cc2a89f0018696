"""How a leg behaves over its own cycle: when it stands as a strut, when its hoof is flat.

`u` runs from 0 to 1 over the stance or over the swing. One description, used by the plan (arrays)
and by the step (scalars).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.curves import quintic
from hoofbeat.maths.jit import kernel

Scalar = Any

ONE = np.float32(1.0)
#: From this stride scale on the feet pass where the Action has them; below, they near the standing ones.
SETTLED = np.float32(0.5)
#: Where in the stance the heel begins to rise, and how much of the flat hoof is gone at lift-off.
BREAKOVER = np.float32(0.45)
ROLLED = np.float32(0.6)
#: Part of the swing in which the leg folds after lift-off, and straightens before touchdown.
FOLD = np.float32(0.5)
#: Part of the swing in which the hoof turns flat for landing.
LEVEL = np.float32(0.45)
#: Part of the swing, at each end, in which the toe reaches its least clearance.
CLEAR = np.float32(0.3)
#: Part of the swing in which the toe rises, and in which it comes down.
RISE, SINK = np.float32(0.45), np.float32(0.5)


@kernel(inline=True)
def flat_in_stance(u: Scalar) -> Any:
    """How flat the hoof lies: 1 until the heel rises, little at lift-off."""
    return ONE - ROLLED * quintic((u - BREAKOVER) / (ONE - BREAKOVER))


@kernel(inline=True)
def flat_in_swing(u: Scalar) -> Any:
    """Rolls on to the pose's own angle, then turns flat for the landing."""
    return (ONE - ROLLED) * (ONE - quintic(u / (ONE - LEVEL))) + quintic((u - (ONE - LEVEL)) / LEVEL)


@kernel(inline=True)
def strut_in_swing(u: Scalar) -> Any:
    """1 at both ends, where the leg carries; 0 between, where it folds as the pose says."""
    return ONE - quintic(u / FOLD) + quintic((u - (ONE - FOLD)) / FOLD)


@kernel(inline=True)
def lift_in_swing(u: Scalar) -> Any:
    """How much of the pose's own toe height is kept: 0 at both ends."""
    return quintic(u / RISE) * quintic((ONE - u) / SINK)


@kernel(inline=True)
def clear_in_swing(u: Scalar) -> Any:
    """How much of the least lift a toe has: up soon after it left, down shortly before it lands."""
    return quintic(u / CLEAR) * quintic((ONE - u) / CLEAR)
