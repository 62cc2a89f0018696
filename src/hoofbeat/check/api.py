"""The check itself: legs, unit, strides and gait of a clip are found, and everything is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from hoofbeat.body.clip import Clip
from hoofbeat.body.legs.find import legs_of, parse_legs
from hoofbeat.body.skeleton import Leg
from hoofbeat.check.activity import STATES, states_of
from hoofbeat.check.loop import cycle_of, repeated_clip
from hoofbeat.check.markers import MeanStride, marker_stride
from hoofbeat.check.measure import Subject
from hoofbeat.check.measures import FAMILIES, cohort, intake
from hoofbeat.check.motion import Motion, motion_of
from hoofbeat.check.recognise import Stride, dominant, strides_named
from hoofbeat.check.report import Report, Span, failure_text
from hoofbeat.errors import ClipError
from hoofbeat.gaits.names import NO_GAIT, expected_gaits

#: A clip of one cycle is gone round so many times, so that strides which run into the next round are whole.
ROUNDS = 4
#: A clip that closes on itself and has fewer strides than this is gone round.
FEW = 2
#: A clip shows a gait that lasts this part of its time, or the second part of the time of all its strides
#: in so many strides: an animal that lies and shifts its feet shows none.
PART, MOST, ENOUGH = 0.1, 0.5, 3


def check(
    clip: Clip,
    gait: str | None = None,
    *,
    legs: str | None = None,
    path: ArrayLike | None = None,
    floor: float | None = None,
) -> Report:
    """Measure a clip of any quadruped, Y up, and say what breaks its limit.

    gait: the one that must be shown, a name of gaits.names.NAMES, an alias such as "pace", or "canter" and
    "gallop" without a lead; None judges the clip by the gait that it shows longest. legs: toes or whole legs
    by joint names, as "LF=paw_l,RF=paw_r,LH=foot_l,RH=foot_r", where they are not found. path: (K, 2) [m], x
    and z of the path that was to be kept. floor: height of the ground [m]; None = the level on which the
    feet stand. A clip that is not in metres is measured as if it were, and only `size` says so.
    """
    if not isinstance(clip, Clip):  # pyright: ignore[reportUnnecessaryIsInstance]
        read = f"; read the file first: hb.check(hb.load({clip!r}))" if isinstance(clip, str | Path) else ""
        raise ClipError(f"expected a Clip, given {type(clip).__name__}{read:.200}")
    expected = () if gait is None else expected_gaits(gait)
    if floor is not None and not np.isfinite(floor):
        raise ClipError(f"floor must be a finite height in metres, given {floor}")
    prepared = _prepare(clip, legs)
    motion, strides = prepared.motion, strides_named(prepared.motion)
    shown = _shown(strides, len(motion) / motion.fps)
    against = (dominant(strides, expected) or expected[0]) if expected else shown
    judging = None if against in NO_GAIT else against
    mean = _mean(motion, [stride for stride in strides if stride.gait == shown])
    subject = Subject(motion, strides, judging, expected, shown, mean, prepared.unit, floor, path)
    rows = [row for family in FAMILIES for row in family.measures(subject)]
    return Report(
        name=clip.name,
        frames=len(clip),
        fps=clip.fps,
        seconds=clip.seconds,
        unit=prepared.unit,
        hip=motion.hip,
        legs_by=prepared.legs_by,
        gait=shown,
        expected=gait,
        states=_spans(motion),
        strides=strides,
        measures=tuple(rows),
        comparison=cohort.comparison_of(subject),
        repeats=prepared.repeats,
        motion=motion,
        mean=mean,
    )


def assert_gait(clip: Clip, gait: str, ignore: Sequence[str] = ()) -> None:
    """For tests: raise AssertionError with every measure that fails, its value, limit and source.

    ignore: names of measures or of whole groups that do not count; * stands for parts of a name.
    """
    report = check(clip, gait).ignoring(ignore)
    if not report.passed:
        lines = [f"{report.name}: {report.headline}", *(failure_text(one) for one in report.failing)]
        raise AssertionError("\n  ".join(lines))


def in_metres(clip: Clip, legs: str | None = None) -> tuple[Clip, float]:
    """A clip whose unit is not known, brought to metres by the height of its hips, and metres a unit.

    For files that cannot say what unit they are in; `check` assumes metres and fails `size`.
    """
    named, _ = _legged(clip, legs)
    unit = intake.unit_of(motion_of(named).hip)
    return (clip, 1.0) if unit == 1 else (scaled(clip, unit), unit)


def scaled(clip: Clip, factor: float) -> Clip:
    """The clip with every bone and path `factor` times as long; contacts are kept, other extras are not."""
    skeleton = clip.skeleton.scaled(factor)
    return Clip(skeleton, clip.rotations, clip.origins * factor, clip.fps, clip.contacts, clip.name)


@dataclass(frozen=True)
class _Prepared:
    """A clip as it is measured: its motion in metres; metres a unit; how legs were found; rounds."""

    motion: Motion
    unit: float
    legs_by: str
    repeats: int


def _prepare(clip: Clip, legs: str | None) -> _Prepared:
    named, legs_by = _legged(clip, legs)
    motion = motion_of(named)
    unit = intake.unit_of(motion.hip)
    if unit != 1:
        named = scaled(named, unit)
        motion = motion_of(named)
    repeats = 1
    if len(motion.strides) < FEW:
        cycle = cycle_of(named)
        if cycle is not None:
            repeats, motion = ROUNDS, motion_of(repeated_clip(named, cycle, ROUNDS))
    return _Prepared(motion, unit, legs_by, repeats)


def _legged(clip: Clip, legs: str | None) -> tuple[Clip, str]:
    """The clip with its legs named, and how they were found."""
    found: tuple[Leg, ...]
    found, by = legs_of(clip) if legs is None else (parse_legs(legs, clip.skeleton), "given")
    skeleton = clip.skeleton.with_legs(found)
    return Clip(skeleton, clip.rotations, clip.origins, clip.fps, clip.contacts, clip.name), by


def _shown(strides: Sequence[Stride], seconds: float) -> str | None:
    """The gait that a clip shows longest, if it shows one."""
    gait = dominant(strides)
    times = [stride.duration for stride in strides if stride.gait == gait]
    whole = sum(stride.duration for stride in strides)
    mostly = len(times) >= ENOUGH and sum(times) >= MOST * whole
    return gait if mostly or sum(times) >= PART * seconds else None


def _mean(motion: Motion, strides: Sequence[Stride]) -> MeanStride | None:
    """The mean stride, or None where no stride is whole."""
    if not strides:
        return None
    return marker_stride(motion, [s.start for s in strides], [s.duration for s in strides])


def _spans(motion: Motion) -> tuple[Span, ...]:
    """Stretches of one state."""
    codes = states_of(motion)
    edges = [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist(), len(codes)]
    return tuple(
        Span(STATES[codes[a]], a / motion.fps, b / motion.fps)
        for a, b in zip(edges[:-1], edges[1:], strict=True)
    )
