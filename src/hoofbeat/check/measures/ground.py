"""Ground: whether feet that stand stay where they are: speed, skating, slide, depth and height.

In a clip that runs on the spot the ground moves under the feet; how fast is read off all standing feet
over about a stride, so that one foot that slides is not mistaken for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.contacts import carried
from hoofbeat.body.skeleton import LEGS
from hoofbeat.check.limits import DOG_HIP, LIMITS, SKATING_HEIGHT, foot_limit, skating_limit, speed_limit
from hoofbeat.check.measure import Measure, judged
from hoofbeat.check.measures.footfall import mean_speed, strides_of_gait
from hoofbeat.check.measures.joints import known_horse, sole_known
from hoofbeat.check.midstance import Cores, cores_of
from hoofbeat.check.motion import Motion, smoothed
from hoofbeat.check.recognise import SLOWEST, Stride

GROUP = "ground"
#: Slide, depth and height are those that this part of the stances keeps [%].
PERCENTILE = 90.0

Floats = NDArray[np.float64]


def measures(
    motion: Motion, strides: Sequence[Stride], gait: str | None, floor: float | None = None
) -> list[Measure]:
    """Speed and its error, skating, and slide, penetration and hover of standing feet.

    floor: height of the ground [m]. Not given it is 0 for the 49-joint horse, whose toes lie on the sole;
    else it is where the higher foot of a pair stands, fore and hind apart, since toe joints of other
    skeletons lie above the sole by a height that nobody tells.
    """
    cores = cores_of(motion, strides)
    hoof = known_horse(motion.clip.skeleton) is not None
    footing = _footing(motion, cores)
    if floor is None and sole_known(motion.clip.skeleton):
        floor = 0.0
    return [
        *_speed(motion, strides, gait, cores, footing),
        _skating(motion, footing, hoof),
        _slide(motion, cores, footing, hoof),
        *_heights(motion, cores, floor, hoof),
    ]


def _footing(motion: Motion, cores: Cores) -> Floats:
    """Toes (T, 4, 2) seen from the ground, its speed set right where the clip runs on the spot."""
    if not motion.ground.any() or not len(cores):
        return motion.footing
    velocity = np.gradient(motion.footing, axis=0) * motion.fps  # (T, 4, 2)
    standing = np.zeros((len(motion), 4, 1))
    standing[cores.frame, cores.foot] = 1.0
    window = 2 * motion.window + 1
    total = smoothed((velocity * standing).sum(axis=1), window)  # (T, 2)
    number = smoothed(standing.sum(axis=1), window)
    left = np.divide(total, number, out=np.zeros_like(total), where=number > 1e-9)
    return motion.footing - carried(left, motion.fps)[:, None]


def _speed(
    motion: Motion, strides: Sequence[Stride], gait: str | None, cores: Cores, footing: Floats
) -> list[Measure]:
    chosen = strides_of_gait(strides, gait)
    speed = mean_speed(chosen) if chosen else None
    limit = speed_limit(known_horse(motion.clip.skeleton) is not None)
    rows = [judged("speed", GROUP, speed, "m/s", LIMITS["speed"], "" if chosen else "no stride of a gait")]
    moves = np.abs(motion.speed[cores.first + cores.count // 2]) > SLOWEST * motion.pace
    if speed is None or not moves.any():
        return [*rows, judged("speed-error", GROUP, None, "%", limit, "it does not travel")]
    last = cores.first + cores.count - 1
    middle = (cores.first + last) // 2
    forward = motion.forward[middle]
    slid = ((footing[last, cores.leg] - footing[cores.first, cores.leg]) * forward).sum(axis=1)
    way = ((motion.path[last] - motion.path[cores.first]) * forward).sum(axis=1)
    errors = np.zeros(4)
    for leg in range(4):
        mine = moves & (cores.leg == leg)
        if mine.any():
            errors[leg] = 100 * abs(slid[mine].sum()) / max(abs(way[mine].sum()), 1e-9)
    worst = int(np.argmax(errors))
    told = f"{LEGS[worst]}" if errors[worst] > 0 else ""
    value, split = float(errors[worst]), 100 * _split(motion)
    if split > value:
        value, told = split, "the root travels at another speed than the feet"
    return [*rows, judged("speed-error", GROUP, value, "%", limit, told)]


def _split(motion: Motion) -> float:
    """Part of the speed that a root travels while the ground passes too; 0 where one of them does all."""
    ground = motion.ground.mean(axis=0)
    way = motion.path + motion.carried
    root = (way[-1] - way[0]) / (len(motion) - 1) * motion.fps
    both = float(np.hypot(*(root - ground)))
    least = min(float(np.hypot(*root)), float(np.hypot(*ground)))
    return least / both if both > SLOWEST * motion.pace else 0.0


def _skating(motion: Motion, footing: Floats, hoof: bool) -> Measure:
    """The measure of Zhang et al. 2018 at the toes: horizontal speed, less the higher the foot is."""
    scale = motion.hip / DOG_HIP
    steps = np.diff(footing, axis=0)
    step = np.hypot(steps[..., 0], steps[..., 1])  # (T - 1, 4)
    height = motion.height / (SKATING_HEIGHT * motion.hip)
    weight = 2.0 - np.exp2(np.clip(0.5 * (height[1:] + height[:-1]), 0.0, 1.0))
    each = (step * weight).mean(axis=0) * 100 * motion.fps / 60 / scale
    told = f"hind legs {each[2:].mean():.2f}; most {LEGS[int(np.argmax(each))]}"
    return judged("skating", GROUP, float(each.mean()), "cm/frame", skating_limit(motion.hip, hoof), told)


def _slide(motion: Motion, cores: Cores, footing: Floats, hoof: bool) -> Measure:
    limit = foot_limit("slide", motion.hip, hoof)
    if not len(cores):
        return judged("slide", GROUP, None, "mm", limit, "no stance")
    at = cores.rows(footing)  # (N, 2)
    gone = at - np.repeat(at[cores.offset], cores.count, axis=0)
    way = 1000 * cores.highest(np.hypot(gone[:, 0], gone[:, 1]))  # (M,)
    return judged("slide", GROUP, _most(way), "mm", limit, _where(motion, cores, way))


def _heights(motion: Motion, cores: Cores, floor: float | None, hoof: bool) -> list[Measure]:
    limits = {name: foot_limit(name, motion.hip, hoof) for name in ("penetration", "hover")}
    if not len(cores):
        return [judged(name, GROUP, None, "mm", limit, "no stance") for name, limit in limits.items()]
    height = cores.rows(motion.toes[..., 1])
    low, high = cores.lowest(height), cores.highest(height)
    base = _floors(cores, low) if floor is None else np.full(4, floor)
    known = "" if floor is not None else " (beside its partner)"
    rows: list[Measure] = []
    for name, away in (("penetration", base[cores.leg] - low), ("hover", high - base[cores.leg])):
        away = 1000 * np.maximum(away, 0.0)
        told = _where(motion, cores, away) + known
        rows.append(judged(name, GROUP, _most(away), "mm", limits[name], told))
    return rows


def _floors(cores: Cores, low: Floats) -> Floats:
    """Where the higher foot of each pair usually stands (4,) [m]."""
    usual = np.full(4, -math.inf)
    for leg in range(4):
        if (cores.leg == leg).any():
            usual[leg] = float(np.median(low[cores.leg == leg]))
    pair = usual.reshape(2, 2).max(axis=1)
    return np.repeat(np.where(np.isfinite(pair), pair, 0.0), 2)


def _most(values: Floats) -> float:
    return float(np.percentile(values, PERCENTILE))


def _where(motion: Motion, cores: Cores, values: Floats) -> str:
    worst = int(np.argmax(values))
    return f"most {values[worst]:.1f} mm, {LEGS[cores.leg[worst]]} at {cores.first[worst] / motion.fps:.2f} s"
