"""Measure: one number read off a clip, the limit it must keep, and where that limit comes from."""

from __future__ import annotations

import math
from dataclasses import dataclass

#: The groups of a report, in its order.
GROUPS = (
    "clip",
    "footfall",
    "ground",
    "joints",
    "smoothness",
    "symmetry",
    "similarity",
    "real horses",
    "path",
)


@dataclass(frozen=True)
class Limit:
    """A measure keeps its limit from `low` to `high`, both included; None leaves a side open.

    With both sides open a measure is only told. source: who measured or derived it, in a few words.
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

    name: unique in a report, words joined by hyphens; group: one of GROUPS; value: None where the clip
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
