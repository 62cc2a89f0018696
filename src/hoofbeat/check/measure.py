"""Measure: one number read off a clip, the limit it must keep, and where that limit comes from; and families
of measures, which a module of `check.measures` each registers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from hoofbeat.check.markers import MeanStride
from hoofbeat.check.motion import Motion
from hoofbeat.check.recognise import Stride


@dataclass(frozen=True)
class Limit:
    """A measure keeps its limit from `low` to `high`, both included; None leaves a side open.

    With both sides open a measure is only reported. source: who measured or derived it, in a few words.
    """

    low: float | None
    high: float | None
    source: str

    @property
    def open(self) -> bool:
        """Whether it judges nothing."""
        return self.low is None and self.high is None

    def keeps(self, value: float) -> bool:
        """Whether a value lies inside; NaN does not."""
        if not math.isfinite(value):
            return False
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def __str__(self) -> str:
        if self.low is None:
            return "" if self.high is None else f"<= {self.high:.4g}"
        return f">= {self.low:.4g}" if self.high is None else f"{self.low:.4g} to {self.high:.4g}"


@dataclass(frozen=True)
class Measure:
    """One line of a report.

    name: unique in a report, words joined by hyphens; group: that of its family; value: None where the clip
    does not let it be measured; passed: None where there is nothing to judge; detail: where the worst of
    it is, or why it could not be measured.
    """

    name: str
    group: str
    value: float | None
    unit: str
    limit: Limit
    passed: bool | None
    detail: str = ""


def judged(name: str, group: str, value: float | None, unit: str, limit: Limit, detail: str = "") -> Measure:
    """A measure with its verdict: passed inside the limit, None where value or limit is missing."""
    if value is not None and not math.isfinite(value):
        value = None
    passed = None if value is None or limit.open else limit.keeps(value)
    return Measure(name, group, value, unit, limit, passed, detail)


@dataclass(frozen=True, eq=False)
class Subject:
    """What is measured: a motion and its strides, and what is asked of them.

    gait: the one to compare with, of gaits.names.NAMES, None where there is none; expected: the gaits that
    were asked for, any of them; where none was, every stride that shows a gait counts for `gait`. shown: the
    gait that the clip shows longest, and mean: the mean of its strides. unit: metres for each unit of the
    file where the clip was brought to metres by a guess. floor: height of the ground [m], None = not given.
    path: (K, 2) [m], x and z of the path that was to be kept.
    """

    motion: Motion
    strides: Sequence[Stride] = ()
    gait: str | None = None
    expected: Sequence[str] = ()
    shown: str | None = None
    mean: MeanStride | None = None
    unit: float = 1.0
    floor: float | None = None
    path: ArrayLike | None = None


@dataclass(frozen=True)
class Family:
    """Measures that belong together, as the name FAMILY in each file of `check.measures` says.

    place: reports show families by it, the least first; group: their heading; limits: every measure by name,
    with its limit and where it comes from; limits that depend on the gait, the foot or the speed are open
    here; measures: reads them off a subject.
    """

    place: int
    group: str
    limits: Mapping[str, Limit]
    measures: Callable[[Subject], list[Measure]]
