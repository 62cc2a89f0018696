"""Props: frames in which an animal is borne by something other than the floor (boxes, steps).

Where no toe is near the floor, an animal falls with gravity or stands on something. A jump is a fall from
its clip-off to its landing; anything else, with the steps up and down, is on a prop.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.stances import runs
from hoofbeat.check.motion import Motion
from hoofbeat.maths.physics import GRAVITY

#: Toes above this are off the floor [m]; a hind foot that stands above it stands on something.
FLOOR = 0.12
#: Shorter times off the floor are the flights of a gait [s].
SHORTEST = 0.1
#: Less than this part of gravity is no fall: a body in flight has all of it, its nodes' mean a little less.
FALLING = 0.5

#: A step up to a prop or down from it lasts at most this [s], unless all feet are on the floor sooner.
STEP = 0.5

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def flights_of(motion: Motion) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """First frame and end of every time off the floor: the falls, and those borne by something."""
    height = motion.toes[..., 1] - float(motion.level.min())
    weight = motion.positions[..., 1].mean(axis=1)
    falls: list[tuple[int, int]] = []
    borne: list[tuple[int, int]] = []
    for start, stop in runs(height.min(axis=1) > FLOOR):
        if stop - start >= SHORTEST * motion.fps:
            falling = _fall(weight[start:stop], motion.fps) > FALLING * GRAVITY
            (falls if falling else borne).append((start, stop))
    return falls, borne


def on_props(motion: Motion) -> Bools:
    """Frames (T,) on something: borne, and the steps up and down."""
    height = motion.toes[..., 1] - float(motion.level.min())
    grounded = np.all(height < FLOOR / 2, axis=1)
    out = np.zeros(len(motion), bool)
    reach = round(STEP * motion.fps)
    for start, stop in flights_of(motion)[1]:
        first, last = max(start - reach, 0), min(stop + reach, len(out))
        before, after = np.flatnonzero(grounded[first:start]), np.flatnonzero(grounded[stop:last])
        first = first + int(before[-1]) if len(before) else first
        out[first : stop + int(after[0]) if len(after) else last] = True
    return out


def _fall(height: Floats, fps: float) -> float:
    """How fast a height (T,) [m] falls, in m/s², over its whole time."""
    return -2.0 * float(np.polyfit(np.arange(len(height)) / fps, height, 2)[0])
