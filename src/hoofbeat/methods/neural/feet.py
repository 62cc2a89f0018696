"""Feet: which of them stand, seen from how low and how slow the toes of a network's poses are (kernels).

The limits are those of `body.contacts`, as parts of the leg's length L and of sqrt(g L). A foot comes to
stand gradually, so that nothing jumps when it is held; one whose pose slides from where it landed is let go.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.body.contacts import HEIGHT, SPEED, SURE_HEIGHT, SURE_SPEED
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.methods.neural.network.layout import RATE
from hoofbeat.methods.neural.rows import KEPT

#: A foot stands from the first weight on if it had the second a frame before, as a swinging one may be slow
#: for a moment; it is let go at the third.
STANDS, COMES, LEAVES = 0.97, 0.75, 0.6
#: A foot may slip by this part of the animal's speed, besides.
SLIPS = 0.12
#: The pose of a foot that stands may slide so far [leg lengths]; then it steps, for so many frames at least.
SLIDE, STEP = 0.12, 6
#: Frames of a stride at least and at most: others are not counted.
SHORTEST, LONGEST = 12, 120


@kernel(inline=True)
def eased(x: Any) -> Any:
    """A smooth step from 0 to 1."""
    x = min(max(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


@kernel
def feel_ground(core: Any, toes: Any, length: Any, levels: Any) -> None:
    """Weight and contact of each foot for the frame just made; toes (4, 3) [m] as seen from its root.

    length: of a leg [m]; levels (4,): heights of the toes of the standing animal [m].
    """
    ticks = core["ticks"]
    here, before = core["way"][ticks % KEPT], core["way"][(ticks - 1) % KEPT]
    s, c = np.sin(here[2]), np.cos(here[2])
    sb, cb = np.sin(before[2]), np.cos(before[2])
    pace = np.sqrt(GRAVITY * length)
    # A fast animal's feet slip a little more where nothing holds them.
    most = SPEED + SLIPS * core["speed"] / pace
    for leg in range(4):
        x, z = np.float64(toes[leg, 0]), np.float64(toes[leg, 2])
        wx, wz = here[0] + c * x + s * z, here[1] - s * x + c * z
        x, z = np.float64(core["toe"][leg, 0]), np.float64(core["toe"][leg, 2])
        bx, bz = before[0] + cb * x + sb * z, before[1] - sb * x + cb * z
        speed = np.hypot(wx - bx, wz - bz) * RATE / pace
        high = (np.float64(toes[leg, 1]) - levels[leg]) / length
        low = eased((HEIGHT - high) / (HEIGHT - SURE_HEIGHT))
        weight = low * eased((most - speed) / (most * (1.0 - SURE_SPEED / SPEED)))
        comes = core["weight"][leg] >= COMES
        core["weight"][leg] = np.float32(weight)
        for axis in range(3):
            core["toe"][leg, axis] = toes[leg, axis]
        if core["down"][leg]:
            slid = np.hypot(wx - core["stood"][leg, 0], wz - core["stood"][leg, 1]) > SLIDE * length
            if slid:
                core["again"][leg] = ticks + STEP
            if slid or weight <= LEAVES:
                core["down"][leg] = 0
        elif comes and weight >= STANDS and ticks >= core["again"][leg]:
            land(core, leg, wx, wz)


@kernel
def land(core: Any, leg: Any, x: Any, z: Any) -> None:
    """A foot comes to stand at a place on the character's own way."""
    core["down"][leg] = 1
    core["stood"][leg, 0], core["stood"][leg, 1] = x, z
    took = core["ticks"] - core["landed"][leg]
    if SHORTEST <= took <= LONGEST:
        core["stride"][leg] = took
    core["landed"][leg] = core["ticks"]


@kernel
def own_time(core: Any, leg: Any) -> Any:
    """How much of its stride a leg has behind it, in [0, 1), by the length of its last one."""
    part = (core["clock"] - core["landed"][leg]) / core["stride"][leg]
    return np.float32(min(max(part, 0.0), 0.999))
