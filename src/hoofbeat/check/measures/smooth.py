"""Smooth: whether joints and body move without jumps, against the motion's own usual level.

Differences are computed over a time that grows with the animal, 1/60 s for a horse (or one frame where frames
are rarer), so that frame rates agree. A joint's level is a high percentile of its own differences in a
stretch of several strides; a peak that stands out many times above it is a pop, in a walk and in a gallop.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import Skeleton
from hoofbeat.check.limits import DOG
from hoofbeat.check.measure import Family, Limit, Measure, Subject, judged
from hoofbeat.check.motion import Motion
from hoofbeat.maths.physics import GRAVITY

GROUP = "smoothness"
#: Most of a peak against the usual ones of the same joint near it, and the same of the root's speed: 33 of 42
#: whole recordings of the dog stay below either; in most others bones flip by 20 to 150 degrees in a frame.
PEAK = 8.0
ROOT_PEAK = 6.0
_STEADY = f"42 {DOG}: steady parts stay below"
#: Every measure of the family with its limit.
LIMITS: Mapping[str, Limit] = MappingProxyType(
    {
        "angular-acceleration": Limit(None, PEAK, _STEADY),
        "jerk": Limit(None, PEAK, _STEADY),
        "root-speed-steps": Limit(None, ROOT_PEAK, _STEADY),
    }
)
#: Time over which differences are computed [sqrt(L / g)]: 1/60 s and, for the root's speed, 1/30 s of a
#: horse.
STEP, ROOT_STEP = 0.048, 0.096
#: Stretches in which levels are found [sqrt(L / g)], and the percentile that is one.
STRETCH, LEVEL = 12.0, 95.0
#: Least levels: turning [rad g / L], path [L (g / L)^1.5] and speed [sqrt(g L)] below which nothing moves.
STILL_TURN, STILL_PATH, STILL_SPEED = 5.3, 23.0, 0.0235
#: Parts of an animal that flick as they like.
FREE = frozenset("tail ear ears jaw eye lid eyelid tongue mane hair whisker nose mouth lip cheek".split())

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

Floats = NDArray[np.float64]


def measures(subject: Subject) -> list[Measure]:
    """Peaks of angular acceleration, of jerk, and of steps in the root's speed."""
    motion = subject.motion
    return [_turning(motion), _jerk(motion), _root(motion)]


def _turning(motion: Motion) -> Measure:
    """Second differences of the joints' rotations."""
    joints = _bound(motion.clip.skeleton) & ~motion.clip.skeleton.ends
    turns = _aligned(motion.clip.rotations[:, joints])
    step = _frames(motion, STEP)
    if len(turns) < 2 * step + 2:
        return _too_short("angular-acceleration")
    middle = turns[step:-step]
    bend = turns[2 * step :] + turns[: -2 * step]
    # Of q'' only what is across q turns the joint; twice, for q is half the angle.
    bend -= np.einsum("tjk,tjk->tj", bend, middle)[..., None] * middle
    size = 2 * np.sqrt(np.einsum("tjk,tjk->tj", bend, bend))
    still = STILL_TURN * GRAVITY / motion.leg * (step / motion.fps) ** 2
    return _peak("angular-acceleration", motion, size, still, np.flatnonzero(joints), step)


def _jerk(motion: Motion) -> Measure:
    """Third differences of the nodes' positions."""
    nodes = _bound(motion.clip.skeleton)
    at = motion.positions[:, nodes]
    step = _frames(motion, STEP)
    if len(at) < 3 * step + 2:
        return _too_short("jerk")
    change = at[3 * step :] - at[: -3 * step] - 3 * (at[2 * step : -step] - at[step : -2 * step])
    size = np.sqrt(np.einsum("tjk,tjk->tj", change, change))
    still = STILL_PATH * motion.leg * (math.sqrt(GRAVITY / motion.leg) * step / motion.fps) ** 3
    return _peak("jerk", motion, size, still, np.flatnonzero(nodes), step)


def _root(motion: Motion) -> Measure:
    """Steps in the root's speed along its heading, beyond how it speeds up just before and after."""
    at = motion.clip.origins[:, [0, 2]] - motion.displacement
    step = _frames(motion, ROOT_STEP)
    if len(at) < 4 * step + 2:
        return _too_short("root-speed-steps")
    gain = (at[2 * step :] - 2 * at[step:-step] + at[: -2 * step]) * motion.fps / step  # [m/s]
    beyond = gain[step:-step] - 0.5 * (gain[: -2 * step] + gain[2 * step :])
    size = np.abs((beyond * motion.forward[2 * step : -2 * step]).sum(axis=1))[:, None]
    return _peak("root-speed-steps", motion, size, STILL_SPEED * motion.pace, None, 2 * step)


def _peak(
    name: str, motion: Motion, size: Floats, still: float, nodes: NDArray[np.int64] | None, shift: int
) -> Measure:
    """The highest of sizes (M, K) over their level; shift: frames before the first row."""
    stretch = STRETCH * math.sqrt(motion.leg / GRAVITY) * motion.fps
    parts = np.array_split(np.arange(len(size)), min(len(size), max(1, round(len(size) / stretch))))
    level = np.stack([np.percentile(size[part], LEVEL, axis=0) for part in parts])  # (P, K)
    near = np.maximum(level, still)
    near[1:] = np.maximum(near[1:], level[:-1])
    near[:-1] = np.maximum(near[:-1], level[1:])
    best, row, node = 0.0, 0, 0
    for part, usual in zip(parts, near, strict=True):
        share = size[part] / usual
        k = int(np.argmax(share))
        if share.flat[k] > best:
            best, row, node = float(share.flat[k]), int(part[k // share.shape[1]]), k % share.shape[1]
    who = "" if nodes is None else f"{motion.clip.skeleton.names[nodes[node]]} "
    detail = f"{who}at {(row + shift) / motion.fps:.2f} s"
    return judged(name, GROUP, best, "times its level", LIMITS[name], detail)


def _too_short(name: str) -> Measure:
    return judged(name, GROUP, None, "times its level", LIMITS[name], "the clip is too short")


def _frames(motion: Motion, time: float) -> int:
    """Frames in a time [sqrt(L / g)], at least one."""
    return max(1, round(time * math.sqrt(motion.leg / GRAVITY) * motion.fps))


def _aligned(turns: Floats) -> Floats:
    """Quaternions (T, J, 4) with their signs chosen such that neighbours are near."""
    near = np.einsum("tjk,tjk->tj", turns[1:], turns[:-1])
    if (near >= 0).all():
        return turns
    signs = np.cumprod(np.where(near < 0, -1.0, 1.0), axis=0)
    return np.concatenate([turns[:1], turns[1:] * signs[..., None]])


def _bound(skeleton: Skeleton) -> NDArray[np.bool_]:
    """Which nodes (J,) belong to trunk, neck, head and legs."""
    words = [[word.lower() for word in _PARTS.findall(name)] for name in skeleton.names]
    free = np.array([not FREE.isdisjoint(some) for some in words])
    for node in range(1, len(skeleton)):
        free[node] |= free[skeleton.parents[node]]
    return ~free


FAMILY = Family(50, GROUP, LIMITS, measures)
