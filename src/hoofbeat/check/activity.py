"""State: what the animal does in each frame: idle, move, sit, lie, on its hind legs, jump.

Limits are parts of the leg's length L, of sqrt(g L) and of sqrt(L / g), so that they hold for any size.
Fitted to the authors' labels of 25 recordings of a dog (Zhang et al. 2018), see docs/check.md.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.stances import runs
from hoofbeat.check.motion import Motion, smoothed
from hoofbeat.maths.physics import GRAVITY

#: Every state; the codes of `states_of` count from 0.
STATES = ("idle", "move", "sit", "lie", "hind-legs", "jump")
IDLE, MOVE, SIT, LIE, HIND_LEGS, JUMP = range(6)

#: Hips below this are down; shoulders then say whether it sits or lies [L].
HIPS_DOWN, SHOULDERS_DOWN = 0.49, 0.5
#: Slope of the trunk from which an animal with its hips up is on its hind legs [rad].
RISEN = math.radians(35.0)
#: It moves where all its nodes together are faster than this on average [sqrt(g L)] ...
MOVING = 0.13
#: ... over this time [sqrt(L / g)].
MOVING_TIME = 4.7
#: A jump keeps all feet off the ground for the first time [sqrt(L / g)] and lifts the hips by the second [L].
JUMP_TIME, JUMP_RISE = 0.8, 0.15

Codes = NDArray[np.int64]


def states_of(motion: Motion) -> Codes:
    """Code (T,) of the state of every frame, an index into STATES."""
    floor = float(motion.level.min())
    height = (motion.tops[..., 1] - floor) / motion.leg  # (T, 4) [L]
    shoulders, hips = height[:, :2].mean(axis=1), height[:, 2:].mean(axis=1)
    codes = np.where(activity(motion), MOVE, IDLE)
    trunk = motion.tops[:, :2].mean(axis=1) - motion.tops[:, 2:].mean(axis=1)
    slope = np.arctan2(trunk[:, 1], np.hypot(trunk[:, 0], trunk[:, 2]))
    codes[(slope > RISEN) & (hips >= HIPS_DOWN)] = HIND_LEGS
    low = hips < HIPS_DOWN
    codes[low] = np.where(shoulders[low] < SHOULDERS_DOWN, LIE, SIT)
    for start, stop in jumps_of(motion):
        codes[start:stop] = JUMP
    return codes


def jumps_of(motion: Motion) -> list[tuple[int, int]]:
    """First frame and end of every jump."""
    shortest = JUMP_TIME * math.sqrt(motion.leg / GRAVITY) * motion.fps
    hips = motion.tops[:, 2:, 1].mean(axis=1) - float(motion.level.min())
    aloft = motion.contacts.sum(axis=1) == 0
    return [
        (start, stop)
        for start, stop in runs(aloft)
        if stop - start >= shortest and hips[start:stop].max() > motion.hip + JUMP_RISE * motion.leg
    ]


def activity(motion: Motion) -> NDArray[np.bool_]:
    """Whether the animal moves (T,), on its feet or not."""
    velocity = np.gradient(motion.positions, axis=0) * motion.fps
    velocity[..., [0, 2]] -= motion.ground[:, None]
    speed = np.sqrt((velocity * velocity).sum(axis=2)).mean(axis=1)
    half = round(0.5 * MOVING_TIME * math.sqrt(motion.leg / GRAVITY) * motion.fps)
    return smoothed(speed, 2 * half + 1) > MOVING * motion.pace
