"""Ground: whether feet that stand stay where they are: speed, skating, slide, depth and height.

In a clip that runs on the spot the ground moves under the feet; how fast is read off all standing feet
over about a stride, so that one foot that slides is not mistaken for it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.contacts import displacement
from hoofbeat.body.skeleton import LEGS
from hoofbeat.check.limits import DOG, DOG_HIP, HORSE_HIP, REPORTED, VIENNA
from hoofbeat.check.measure import Family, Limit, Measure, Subject, judged
from hoofbeat.check.measures.footfall import mean_speed, strides_of_gait
from hoofbeat.check.measures.joints import known_horse, sole_known
from hoofbeat.check.midstance import Midstances, midstances_of
from hoofbeat.check.motion import Motion, smoothed
from hoofbeat.check.recognise import SLOWEST, Stride

GROUP = "ground"
#: Slide, depth and height are those that this part of the stances keeps [%].
PERCENTILE = 90.0

#: Slide, depth and height of a standing hoof [hip heights]: 10, 5 and 6.7 mm. In six Vienna trials two hooves
#: that stand at the same time keep their distance within 5 mm (95 % of the stances), one hoof stands at the
#: same height every time within 2 mm, and rises by up to 5.5 mm.
HOOF_SLIDE, HOOF_DEPTH, HOOF_RISE = 0.009, 0.0045, 0.006
#: The same of a paw, whose last node rolls with it, and of any foot whose sole is not known: 18 straight and
#: steady stretches of the dog have up to 0.034, 0.014 and 0.05.
PAW_SLIDE, PAW_DEPTH, PAW_RISE = 0.045, 0.02, 0.055
#: Speed of standing feet against that of the body [%]: hooves on a belt (six Vienna trials) up to 5.1, paws
#: that roll (18 stretches of the dog) up to 7.0.
HOOF_SPEED, PAW_SPEED = 6.0, 8.0
#: Height below which a foot counts as skating [hip heights]: 2.5 cm of the dog.
SKATING_HEIGHT = 0.025 / DOG_HIP
#: Most skating of a horse and of a dog of the size above [cm in 1/60 s over h / DOG_HIP]: six Vienna trials
#: have 0.25 to 0.48, for hooves swing low; 18 stretches of the dog 0.12 to 0.35, its walk 0.20. Speeds grow
#: with the root of the size, so that the limit falls with it.
HOOF_SKATING, PAW_SKATING = 0.55, 0.45
_HOOF = f"standing hooves of {VIENNA}, as parts of the hip height"
#: Every measure of the family with its limit.
LIMITS: Mapping[str, Limit] = MappingProxyType(
    {
        "speed": Limit(None, None, REPORTED),
        "speed-error": Limit(None, HOOF_SPEED, f"hooves on the belt, {VIENNA}: up to 5.1 %"),
        "skating": Limit(None, HOOF_SKATING, f"hooves of {VIENNA}: 0.25 to 0.48"),
        "slide": Limit(None, HOOF_SLIDE, _HOOF),
        "penetration": Limit(None, HOOF_DEPTH, _HOOF),
        "hover": Limit(None, HOOF_RISE, _HOOF),
    }
)

Floats = NDArray[np.float64]


def measures(subject: Subject) -> list[Measure]:
    """Speed and its error, skating, and slide, penetration and hover of standing feet.

    Where the height of the floor is not given it is 0 for the 49-joint horse, whose toes lie on the sole;
    else it is where the higher foot of a pair stands, each pair for itself, since toe joints of other
    skeletons lie above the sole by a height that no file states.
    """
    motion, strides, gait, floor = subject.motion, subject.strides, subject.gait, subject.floor
    midstances = midstances_of(motion, strides)
    hoof = known_horse(motion.clip.skeleton) is not None
    footing = _footing(motion, midstances)
    if floor is None and sole_known(motion.clip.skeleton):
        floor = 0.0
    return [
        *_speed(motion, strides, gait, midstances, footing),
        _skating(motion, footing, hoof),
        _slide(motion, midstances, footing, hoof),
        *_heights(motion, midstances, floor, hoof),
    ]


def foot_limit(name: str, hip: float, hoof: bool) -> Limit:
    """Most slide, penetration or hover of a standing foot [mm], hips at `hip` [m]."""
    paw = {"slide": PAW_SLIDE, "penetration": PAW_DEPTH, "hover": PAW_RISE}[name]
    part = LIMITS[name].high if hoof else paw
    source = LIMITS[name].source if hoof else f"{DOG}, as parts of the hip height"
    return Limit(None, 1000 * hip * (part or 0.0), source)


def speed_limit(hoof: bool) -> Limit:
    """Most that the speed of standing feet may differ from the body's [%]."""
    return LIMITS["speed-error"] if hoof else Limit(None, PAW_SPEED, f"{DOG}: up to 7 %")


def skating_limit(hip: float, hoof: bool) -> Limit:
    """Most skating of an animal with hips at `hip` [m] [cm in 1/60 s over h / DOG_HIP]."""
    if hoof:
        return Limit(None, HOOF_SKATING * math.sqrt(HORSE_HIP / hip), LIMITS["skating"].source)
    source = f"{DOG}, measured alike: walk 0.20 (Zhang et al., Table 2: 0.21)"
    return Limit(None, PAW_SKATING * math.sqrt(DOG_HIP / hip), source)


def _footing(motion: Motion, midstances: Midstances) -> Floats:
    """Toes (T, 4, 2) relative to the ground, its speed corrected where the clip runs on the spot."""
    if not motion.ground.any() or not len(midstances):
        return motion.footing
    velocity = np.gradient(motion.footing, axis=0) * motion.fps  # (T, 4, 2)
    standing = np.zeros((len(motion), 4, 1))
    standing[midstances.frame, midstances.foot] = 1.0
    window = 2 * motion.window + 1
    total = smoothed((velocity * standing).sum(axis=1), window)  # (T, 2)
    number = smoothed(standing.sum(axis=1), window)
    left = np.divide(total, number, out=np.zeros_like(total), where=number > 1e-9)
    return motion.footing - displacement(left, motion.fps)[:, None]


def _speed(
    motion: Motion, strides: Sequence[Stride], gait: str | None, midstances: Midstances, footing: Floats
) -> list[Measure]:
    chosen = strides_of_gait(strides, gait)
    speed = mean_speed(chosen) if chosen else None
    limit = speed_limit(known_horse(motion.clip.skeleton) is not None)
    rows = [judged("speed", GROUP, speed, "m/s", LIMITS["speed"], "" if chosen else "no stride of a gait")]
    moves = np.abs(motion.speed[midstances.first + midstances.count // 2]) > SLOWEST * motion.pace
    if speed is None or not moves.any():
        return [*rows, judged("speed-error", GROUP, None, "%", limit, "it does not travel")]
    last = midstances.first + midstances.count - 1
    middle = (midstances.first + last) // 2
    forward = motion.forward[middle]
    slid = ((footing[last, midstances.leg] - footing[midstances.first, midstances.leg]) * forward).sum(axis=1)
    travel = ((motion.path[last] - motion.path[midstances.first]) * forward).sum(axis=1)
    errors = np.zeros(4)
    for leg in range(4):
        mine = moves & (midstances.leg == leg)
        if mine.any():
            errors[leg] = 100 * abs(slid[mine].sum()) / max(abs(travel[mine].sum()), 1e-9)
    worst = int(np.argmax(errors))
    detail = f"{LEGS[worst]}" if errors[worst] > 0 else ""
    value, split = float(errors[worst]), 100 * _split(motion)
    if split > value:
        value, detail = split, "the root travels at another speed than the feet"
    return [*rows, judged("speed-error", GROUP, value, "%", limit, detail)]


def _split(motion: Motion) -> float:
    """Part of the speed that a root travels while the ground moves too; 0 where only one of them moves."""
    ground = motion.ground.mean(axis=0)
    travel = motion.path + motion.displacement
    root = (travel[-1] - travel[0]) / (len(motion) - 1) * motion.fps
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
    detail = f"hind legs {each[2:].mean():.2f}; most {LEGS[int(np.argmax(each))]}"
    return judged("skating", GROUP, float(each.mean()), "cm/frame", skating_limit(motion.hip, hoof), detail)


def _slide(motion: Motion, midstances: Midstances, footing: Floats, hoof: bool) -> Measure:
    limit = foot_limit("slide", motion.hip, hoof)
    if not len(midstances):
        return judged("slide", GROUP, None, "mm", limit, "no stance")
    at = midstances.rows(footing)  # (N, 2)
    gone = at - np.repeat(at[midstances.offset], midstances.count, axis=0)
    travel = 1000 * midstances.highest(np.hypot(gone[:, 0], gone[:, 1]))  # (M,)
    return judged("slide", GROUP, _most(travel), "mm", limit, _where(motion, midstances, travel))


def _heights(motion: Motion, midstances: Midstances, floor: float | None, hoof: bool) -> list[Measure]:
    limits = {name: foot_limit(name, motion.hip, hoof) for name in ("penetration", "hover")}
    if not len(midstances):
        return [judged(name, GROUP, None, "mm", limit, "no stance") for name, limit in limits.items()]
    height = midstances.rows(motion.toes[..., 1])
    low, high = midstances.lowest(height), midstances.highest(height)
    base = _floors(midstances, low) if floor is None else np.full(4, floor)
    known = "" if floor is not None else " (beside its partner)"
    rows: list[Measure] = []
    for name, away in (("penetration", base[midstances.leg] - low), ("hover", high - base[midstances.leg])):
        away = 1000 * np.maximum(away, 0.0)
        detail = _where(motion, midstances, away) + known
        rows.append(judged(name, GROUP, _most(away), "mm", limits[name], detail))
    return rows


def _floors(midstances: Midstances, low: Floats) -> Floats:
    """Where the higher foot of each pair usually stands (4,) [m]."""
    usual = np.full(4, -math.inf)
    for leg in range(4):
        if (midstances.leg == leg).any():
            usual[leg] = float(np.median(low[midstances.leg == leg]))
    pair = usual.reshape(2, 2).max(axis=1)
    return np.repeat(np.where(np.isfinite(pair), pair, 0.0), 2)


def _most(values: Floats) -> float:
    return float(np.percentile(values, PERCENTILE))


def _where(motion: Motion, midstances: Midstances, values: Floats) -> str:
    worst = int(np.argmax(values))
    leg, seconds = LEGS[midstances.leg[worst]], midstances.first[worst] / motion.fps
    return f"most {values[worst]:.1f} mm, {leg} at {seconds:.2f} s"


FAMILY = Family(30, GROUP, LIMITS, measures)
