"""Cohort: whether a walk or trot could be that of one more real horse.

Ten Haflingers walked and trotted on a treadmill (Vienna Horse Data Collection). Their mean stride says how
head, withers, sacrum and hooves move: x forward and y left of the withers, z up, in withers heights, 100
points from the touchdown of the left hind, the mean over the stride subtracted. A clip's mean stride is set
beside it curve by curve: the RMS distance, the correlation, and the ratio of the amplitudes (standard
deviations). The same three numbers of every real horse against the mean of the other nine lie beside them.

Limits, set from the real horses alone and frozen in the reference file. Start: distance at most that of the
second-farthest horse; correlation at least 0.8, of hooves 0.9; amplitude 0.65 to 1.6 times. At each gait
the two horses that break most of these are set aside (walk 4 and 8, trot 8 and 9), and
each limit is widened as far as the other eight need: distance up to the farthest of them, correlation and
amplitude outward to the next 0.05. Left and right hooves share the wider limit. So eight of ten pass as
a whole when left out, and a motionless, a time-reversed or a quarter-stride-shifted marker fails. Not every
curve can tell: backward, a fore hoof's height and the sacrum's sway at walk, and head and sacrum along x at
trot, stay within limits, so that a marker counts as a whole. A real horse here is the mean of about eight
trials of ten seconds; a single trial keeps all limits in about one case of ten.

The test speaks of walk and trot near the recorded speeds only: from 5 % below the slowest real horse to
5 % above the fastest, over sqrt(g withers). Farther on strides are longer or shorter for no other reason
than speed: a hoof's travel goes with about the 0.6th power of it (Vienna: 0.87 m at 2.76 m/s of trot), and a
sixth more speed already uses up the limits of the hind hooves' distance.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.check.markers import MARKERS, MeanStride
from hoofbeat.check.measure import Family, Limit, Measure, Subject, judged
from hoofbeat.errors import UnknownGait
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.shipped import DATA

#: The shipped reference; its licence (CC BY-SA 4.0) and credit lie beside it.
REFERENCE = DATA / "vienna" / "vienna_reference.json"
GROUP = "real horses"
SOURCE = "ten horses of the Vienna Horse Data Collection"
#: The gaits that were recorded.
RECORDED = ("walk", "trot")
#: The axes that are compared. x of the withers is zero by definition; sideways only the sacrum says more
#: than how a horse is led.
AXES: Mapping[str, str] = MappingProxyType(
    {marker: {"withers": "z", "sacrum": "xyz"}.get(marker, "xz") for marker in MARKERS}
)
#: Comparable speeds: as far below the slowest and above the fastest real horse, times theirs, both over
#: sqrt(g withers). Strides lengthen with speed, so that farther on a hoof's path says only that.
NEAR_SPEED = (0.95, 1.05)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CurveDifference:
    """How a curve differs from another: RMS distance [withers heights], correlation, ratio of amplitudes."""

    distance: float
    correlation: float
    amplitude: float


@dataclass(frozen=True)
class Bounds:
    """Farthest distance, lowest correlation, smallest and largest amplitude that pass."""

    distance: float
    correlation: float
    amplitude: tuple[float, float]

    def share(self, found: CurveDifference) -> float:
        """How much of the limits is used, by the number that uses most: 0 the mean curve, 1 at a limit."""
        if not found.amplitude > 0:
            return math.inf
        grown = math.log(found.amplitude) / math.log(self.amplitude[found.amplitude > 1])
        unlike = (1 - found.correlation) / (1 - self.correlation)
        return max(found.distance / self.distance, unlike, grown)


@dataclass(frozen=True)
class CohortCurve:
    """One curve of the real horses: mean and spread (100,) of the horses; each against the others' mean."""

    mean: Floats
    spread: Floats
    horses: tuple[CurveDifference, ...]
    bounds: Bounds


@dataclass(frozen=True)
class Cohort:
    """The real horses at one gait. curves: by marker and axis; froude: v^2 / (g withers) and speed [m/s] of
    the trials, least, mean and most; set_aside: the horses (from 1) that the limits need not hold."""

    gait: str
    curves: Mapping[tuple[str, str], CohortCurve]
    set_aside: tuple[int, ...]
    froude: tuple[float, float, float]
    speed: tuple[float, float, float]


@dataclass(frozen=True)
class CurveScore:
    """One curve of a clip: its difference, the limits, and how many real horses lie nearer the mean."""

    marker: str
    axis: str
    found: CurveDifference
    bounds: Bounds
    nearer: int

    @property
    def share(self) -> float:
        """How much of the limits is used; at most 1 passes."""
        return self.bounds.share(self.found)

    @property
    def passed(self) -> bool:
        """Whether all three numbers keep their limits."""
        return self.share <= 1.0


@dataclass(frozen=True)
class Comparison:
    """A clip beside the real horses.

    passed: None where it cannot be judged, and `reason` says why; places: for every marker found, and
    "all" of them, between which real horses the clip lies, in words; missing: markers not found.
    """

    gait: str
    curves: tuple[CurveScore, ...]
    places: Mapping[str, str]
    missing: Mapping[str, str]
    passed: bool | None
    reason: str


@cache
def cohort_of(gait: str) -> Cohort:
    """The real horses at "walk" or "trot"."""
    if gait not in RECORDED:
        raise UnknownGait(gait, RECORDED)
    return parsed(json.loads(REFERENCE.read_text(encoding="utf-8")), gait)


def parsed(document: Mapping[str, Any], gait: str) -> Cohort:
    """One gait of a reference file that was read."""
    part = document["gaits"][gait]
    curves: dict[tuple[str, str], CohortCurve] = {}
    for marker, axes in AXES.items():
        for axis in axes:
            row = part["curves"][marker][axis]
            horses = zip(row["distance"], row["correlation"], row["amplitude"], strict=True)
            mean, spread = (np.array(row[key], np.float64) for key in ("mean", "spread"))
            for array in (mean, spread):
                array.setflags(write=False)
            low, high = row["limits"]["amplitude"]
            bounds = Bounds(row["limits"]["distance"], row["limits"]["correlation"], (low, high))
            curves[marker, axis] = CohortCurve(
                mean, spread, tuple(CurveDifference(*h) for h in horses), bounds
            )
    froude, speed = (tuple(part[key]) for key in ("froude", "speed_mps"))
    return Cohort(gait, MappingProxyType(curves), tuple(part["set_aside"]), froude, speed)


def difference_of(curve: Floats, other: Floats) -> CurveDifference:
    """How a curve (100,) differs from another, their means subtracted; a motionless one has no
    correlation."""
    a, b = curve - curve.mean(), other - other.mean()
    spread, against = float(a.std()), float(b.std())
    # Rounding leaves a still curve a little spread.
    still = spread <= 1e-9 or against <= 1e-9
    correlation = 0.0 if still else float((a * b).mean()) / (spread * against)
    ratio = 0.0 if still else spread / against
    return CurveDifference(float(np.sqrt(((a - b) ** 2).mean())), correlation, ratio)


def compare(stride: MeanStride, gait: str) -> Comparison:
    """A mean stride beside the real horses at "walk" or "trot"; other gaits were not recorded."""
    missing = dict(stride.missing)
    if gait not in RECORDED or "withers" in missing:
        none = f"no real horse was recorded at a {gait}"
        reason = none if gait not in RECORDED else f"withers: {missing['withers']}"
        return Comparison(gait, (), MappingProxyType({}), MappingProxyType(missing), None, reason)
    real = cohort_of(gait)
    scores: list[CurveScore] = []
    for (marker, axis), other in real.curves.items():
        if marker not in missing:
            curve = stride.curves[:, MARKERS.index(marker), "xyz".index(axis)]
            found = difference_of(curve, other.mean)
            nearer = sum(horse.distance < found.distance for horse in other.horses)
            scores.append(CurveScore(marker, axis, found, other.bounds, nearer))
    places = {m: _place([s for s in scores if s.marker == m], real) for m in MARKERS if m not in missing}
    places["all"] = _place(scores, real)
    reason = _not_comparable(stride, real)
    passed = None if reason else all(score.passed for score in scores)
    return Comparison(
        gait, tuple(scores), MappingProxyType(places), MappingProxyType(missing), passed, reason
    )


def _not_comparable(stride: MeanStride, real: Cohort) -> str:
    """Why a clip cannot be judged, or "" where it can."""
    if stride.horse is None:
        return "the skeleton is not known as a horse's; the numbers are reported, not judged"
    low, high = NEAR_SPEED[0] ** 2 * real.froude[0], NEAR_SPEED[1] ** 2 * real.froude[2]
    froude = stride.speed**2 / (GRAVITY * stride.withers)
    if low <= froude <= high:
        return ""
    slow, fast = (math.sqrt(limit * GRAVITY * stride.withers) for limit in (low, high))
    return (
        f"{stride.speed:.2f} m/s is not comparable: at withers of {stride.withers:.2f} m the real horses' "
        f"{real.gait} speaks for {slow:.2f} to {fast:.2f} m/s"
    )


def _place(scores: Sequence[CurveScore], real: Cohort) -> str:
    """Between which real horses these curves lie, by the mean square of distances over their limits."""
    count = len(next(iter(real.curves.values())).horses)

    def away(distances: Sequence[float]) -> float:
        return math.fsum((d / s.bounds.distance) ** 2 for d, s in zip(distances, scores, strict=True))

    own = away([s.found.distance for s in scores])
    others = sorted(
        (away([real.curves[s.marker, s.axis].horses[h].distance for s in scores]), h + 1)
        for h in range(count)
    )
    nearer = [horse for value, horse in others if value < own]
    farther = [horse for value, horse in others if value >= own]
    detail = f"farther from the mean than {len(nearer)} of {count} real horses"
    if nearer and farther:
        return f"{detail}, between horse {nearer[-1]} and horse {farther[0]}"
    return f"{detail}, next to horse {nearer[-1] if nearer else farther[0]}"


def comparison_of(subject: Subject) -> Comparison | None:
    """The clip beside the real horses; None where it shows no gait that was recorded."""
    if subject.mean is None or subject.shown not in RECORDED:
        return None
    return compare(subject.mean, subject.shown)


def measures(subject: Subject) -> list[Measure]:
    """A measure a marker, or one that says why the real horses do not speak for this clip."""
    comparison = comparison_of(subject)
    if comparison is None:
        return []
    return _why_not(comparison) if comparison.passed is None else summary(comparison)


def _why_not(comparison: Comparison) -> list[Measure]:
    return [Measure(f"{comparison.gait}-real-horses", GROUP, None, "", _REPORTED, None, comparison.reason)]


def every_curve(comparison: Comparison) -> list[Measure]:
    """Three measures a curve (distance, correlation, amplitude), or one that says why there are none."""
    if not comparison.curves:
        return _why_not(comparison)
    rows: list[Measure] = []
    for score in comparison.curves:
        bounds, found = score.bounds, score.found
        low, high = bounds.amplitude
        detail = comparison.reason or f"farther than {score.nearer} of 10 real horses"
        for name, value, unit, least, most in (
            ("distance", found.distance, "withers heights", None, bounds.distance),
            ("correlation", found.correlation, "", bounds.correlation, None),
            ("amplitude", found.amplitude, "times", low, high),
        ):
            limit = Limit(least, most, SOURCE)
            row = judged(
                f"{comparison.gait}-{score.marker}-{score.axis}-{name}", GROUP, value, unit, limit, detail
            )
            rows.append(row if comparison.passed is not None else _unjudged(row))
    return rows + _not_found(comparison)


def summary(comparison: Comparison) -> list[Measure]:
    """One measure a marker: how much of its limits it uses at most, 1 being all; detail names the curve."""
    if not comparison.curves:
        return _why_not(comparison)
    rows: list[Measure] = []
    for marker in MARKERS:
        scores = [score for score in comparison.curves if score.marker == marker]
        if scores:
            worst = max(scores, key=lambda score: score.share)
            f = worst.found
            detail = (
                f"worst along {worst.axis}: distance {f.distance:.4f}, correlation {f.correlation:.2f}, "
                f"amplitude {f.amplitude:.2f}; {comparison.places[marker]}"
            )
            value = min(worst.share, 99.0)
            row = judged(f"{comparison.gait}-{marker}", GROUP, value, "of limits", _SHARE, detail)
            rows.append(row if comparison.passed is not None else _unjudged(row, comparison.reason))
    return rows + _not_found(comparison)


def _not_found(comparison: Comparison) -> list[Measure]:
    return [
        Measure(f"{comparison.gait}-{marker}", GROUP, None, "", _REPORTED, None, reason)
        for marker, reason in comparison.missing.items()
    ]


def _unjudged(row: Measure, reason: str = "") -> Measure:
    detail = f"{reason}; {row.detail}" if reason else row.detail
    return Measure(row.name, row.group, row.value, row.unit, row.limit, None, detail)


_REPORTED = Limit(None, None, SOURCE)
_SHARE = Limit(None, 1.0, SOURCE)

#: No limit by name: there is a measure for each gait and marker, that says how much of theirs is used.
FAMILY = Family(80, GROUP, MappingProxyType({}), measures)
