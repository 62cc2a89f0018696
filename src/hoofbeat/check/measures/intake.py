"""Intake: whether a clip came in right: its unit, left and right, the direction of time, its frame rate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from hoofbeat.check.measure import Family, Limit, Measure, Subject, judged
from hoofbeat.check.motion import Motion
from hoofbeat.check.recognise import SLOWEST, Stride
from hoofbeat.gaits.names import NO_GAIT

GROUP = "clip"
#: Every measure of the family with its limit.
LIMITS: Mapping[str, Limit] = MappingProxyType(
    {
        "size": Limit(0.03, 3.5, "hips of a mouse and of an elephant"),
        "sides": Limit(0.7, None, "by definition; an animal that lies may have them crossed"),
        "direction": Limit(0.9, None, "a gait goes forward; real horses and dogs 0.98 and more"),
        "frames-per-stance": Limit(3.0, None, "three frames distinguish a still foot from a moving one"),
    }
)
#: Metres in the units that files are written in, and factors by which a scale is commonly missed.
UNITS = {"cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048, "100 m": 100.0, "km": 1000.0, "10 m": 10.0}
#: Units that are guessed before any other.
COMMON = ("cm", "mm")
#: Hips of most animals that are animated [m]: a cat 0.25, a horse 1.1; none but mice and elephants beyond
#: the range. The unit that comes nearest is guessed.
USUAL_HIP, USUAL = 0.6, (0.05, 3.0)


def unit_of(hip: float) -> float:
    """Metres for each unit of a file whose animal has its hips at `hip` units; 1 where that can be metres."""
    if LIMITS["size"].keeps(hip) or not hip > 0:
        return 1.0
    for units in (COMMON, UNITS):
        fits = [UNITS[unit] for unit in units if USUAL[0] <= hip * UNITS[unit] <= USUAL[1]]
        if fits:
            return min(fits, key=lambda factor: abs(math.log(hip * factor / USUAL_HIP)))
    return 1.0


def measures(subject: Subject) -> list[Measure]:
    """Size, that of the file, sides, direction and frames in a stance."""
    motion = subject.motion
    return [
        _size(motion, subject.unit),
        _sides(motion),
        _direction(motion),
        _frames(motion, subject.strides),
    ]


def _size(motion: Motion, unit: float) -> Measure:
    hip = motion.hip / unit
    guess = unit_of(hip)
    name = next((word for word, factor in UNITS.items() if factor == guess), "")
    detail = f"hips at {hip:.3g}; measured as if in {name}: {hip * guess:.2f} m" if name else ""
    return judged("size", GROUP, hip, "m", LIMITS["size"], detail)


def _sides(motion: Motion) -> Measure:
    """Feet with the shoulders and hips of their legs, since feet alone may cross."""
    left = np.stack([np.cos(motion.heading), -np.sin(motion.heading)], axis=1)  # (T, 2) along x and z
    reach = motion.toes[..., [0, 2]] + motion.tops[..., [0, 2]]  # (T, 4, 2)
    between = ((reach[:, ::2] - reach[:, 1::2]) * left[:, None]).sum(axis=(1, 2))  # (T,) both pairs
    share = float((between > 0).mean())
    detail = "" if LIMITS["sides"].keeps(share) else "feet named left lie on the right: mirrored or misnamed"
    return judged("sides", GROUP, share, "of frames", LIMITS["sides"], detail)


def _direction(motion: Motion) -> Measure:
    speed = motion.speed
    limit = LIMITS["direction"]
    if abs(float(speed.mean())) < SLOWEST * motion.pace:
        return judged("direction", GROUP, None, "of the path", limit, "it does not travel")
    share = float(np.maximum(speed, 0.0).sum() / np.abs(speed).sum())
    detail = "" if limit.keeps(share) else "it goes backward: reversed in time, or turned about"
    return judged("direction", GROUP, share, "of the path", limit, detail)


def _frames(motion: Motion, strides: Sequence[Stride]) -> Measure:
    limit = LIMITS["frames-per-stance"]
    moving = [stride for stride in strides if stride.gait not in NO_GAIT]
    seconds = np.array([stride.duty for stride in moving]) * np.array([[s.duration] for s in moving])
    known = seconds[np.isfinite(seconds)] if moving else np.zeros(0)
    if not len(known):
        return judged("frames-per-stance", GROUP, None, "frames", limit, "no whole stance of a gait")
    value = float(known.mean()) * motion.fps
    detail = "" if limit.keeps(value) else f"at {motion.fps:g} fps stances are too short to be seen"
    return judged("frames-per-stance", GROUP, value, "frames", limit, detail)


FAMILY = Family(10, GROUP, LIMITS, measures)
