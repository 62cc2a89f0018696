"""Measuring: every measure of a clip by name, for the tests, and real trials as motions."""

from __future__ import annotations

import numpy as np

import made
from hoofbeat.body.clip import Clip
from hoofbeat.body.contacts import ground_velocity, stance_levels, stances_of
from hoofbeat.body.skeleton import LEGS, Leg, Skeleton
from hoofbeat.check.markers import HORSES
from hoofbeat.check.measure import Measure, Subject
from hoofbeat.check.measures import FAMILIES, intake
from hoofbeat.check.motion import Motion, motion_of
from hoofbeat.check.recognise import dominant, strides_named
from hoofbeat.gaits.footfall import strides_of
from hoofbeat.gaits.names import expected_gaits
from hoofbeat.maths import quat


def rows(clip: Clip, gait: str | None = None, line: np.ndarray | None = None) -> dict[str, Measure]:
    """Every measure of a clip by name, as the check takes them."""
    motion = motion_of(clip)
    unit = intake.unit_of(motion.hip)
    if unit != 1:
        motion = motion_of(made.enlarged(clip, unit))
    strides = strides_named(motion)
    expected = () if gait is None else expected_gaits(gait)
    shown = dominant(strides, expected) or next(iter(expected), None)
    subject = Subject(motion, strides, shown, expected, unit=unit, path=line)
    found = [row for family in FAMILIES for row in family.measures(subject)]
    assert len({row.name for row in found}) == len(found)
    return {row.name: row for row in found}


def failing(clip: Clip, gait: str | None = None) -> set[str]:
    return {name for name, row in rows(clip, gait).items() if row.passed is False}


def value(row: Measure) -> float:
    """The value of a measure that must have one."""
    assert row.value is not None, row
    return row.value


def trial(file, fps: float = 120.0, leg: float = 1.15) -> Motion:
    """A recorded trial: seven markers, x forward, y left, z up. The skeleton only says that it is a horse."""
    table = np.loadtxt(file, delimiter=",").reshape(-1, 7, 3)[..., [1, 2, 0]]
    withers, sacrum, toes = table[:, 1], table[:, 2], table[:, 3:]
    side = np.array([0.15, 0.0, 0.0])
    tops = np.stack([withers + side, withers - side, sacrum + side, sacrum - side], axis=1)
    horse = HORSES["three.js horse"]
    names = ["root", *dict.fromkeys(j for p in horse.values() for j in (p.joint, p.to) if j)]
    legs = [Leg(name, 0, 0, 0, -1, names.index(horse[name].joint)) for name in LEGS]
    skeleton = Skeleton(names, [-1] + [0] * (len(names) - 1), np.zeros((len(names), 3)), legs=legs)
    clip = Clip(skeleton, quat.identity((len(table), len(names))), sacrum, fps)
    lf, rf, lh, rh = stances_of(toes, fps, leg)
    found = strides_of((lf, rf, lh, rh))
    level, belt = stance_levels(toes, leg), ground_velocity(toes, fps, leg)
    return Motion(clip, toes, tops, level, belt, (lf, rf, lh, rh), found, leg, 1.1)
