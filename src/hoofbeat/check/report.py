"""Report: what a check found, for people as text and for programs as plain data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from html import escape
from typing import Any

from hoofbeat.check.markers import MeanStride
from hoofbeat.check.measure import Measure
from hoofbeat.check.measures import GROUPS, LIMITS
from hoofbeat.check.measures.cohort import Comparison, CurveScore
from hoofbeat.check.motion import Motion
from hoofbeat.check.recognise import Stride
from hoofbeat.errors import UnknownName

#: Name and version of what `Report.to_dict` gives; docs/check.md describes it.
SCHEMA = "hoofbeat.report/1"
#: Words of a verdict: kept, broken, reported only, broken but not counted.
MARKS = {True: "pass", False: "FAIL", None: "-"}
IGNORED = "skip"
#: Most names of failing measures in a headline.
MOST_NAMES = 6


class UnknownMeasure(UnknownName):
    """A measure, or group of measures, that no report has."""

    kind = "measure"


@dataclass(frozen=True)
class Span:
    """A stretch of a clip in one state (one of state.STATES), from `start` to `stop` [s]."""

    state: str
    start: float
    stop: float


@dataclass(frozen=True)
class Report:
    """What was found in one clip.

    unit: metres for each unit of the clip as it was given (1 where it is in metres); hip: height of the hips
    above the ground [m]; legs_by: how the legs were found; gait: the one shown longest, or None; expected:
    the name that was asked for, or None; measures: in the order of their groups; comparison: beside the
    real horses, None where it does not apply; repeats: how often a clip of one cycle was gone round, and the
    strides are then those of all rounds; ignored: names that do not count. `motion` and `mean` (the
    mean stride of the gait, or None) are what a picture is drawn from.
    """

    name: str
    frames: int
    fps: float
    seconds: float
    unit: float
    hip: float
    legs_by: str
    gait: str | None
    expected: str | None
    states: tuple[Span, ...]
    strides: tuple[Stride, ...]
    measures: tuple[Measure, ...]
    comparison: Comparison | None = None
    repeats: int = 1
    ignored: tuple[str, ...] = ()
    motion: Motion | None = field(default=None, repr=False, compare=False)
    mean: MeanStride | None = field(default=None, repr=False, compare=False)

    @property
    def failing(self) -> tuple[Measure, ...]:
        """The measures that break their limits and are not ignored."""
        return tuple(m for m in self.measures if m.passed is False and m.name not in self.ignored)

    @property
    def failed(self) -> tuple[str, ...]:
        """Names of the measures that fail."""
        return tuple(m.name for m in self.failing)

    @property
    def passed(self) -> bool:
        """Whether no measure fails."""
        return not self.failing

    @property
    def judged(self) -> int:
        """How many measures were judged and count."""
        return sum(m.passed is not None and m.name not in self.ignored for m in self.measures)

    @property
    def shown(self) -> tuple[Stride, ...]:
        """The strides of the gait that is shown longest."""
        return tuple(s for s in self.strides if s.gait == self.gait)

    @property
    def speed(self) -> float | None:
        """Mean speed [m/s] of the strides of the gait, weighted by their time; None without any."""
        known = [s for s in self.shown if math.isfinite(s.speed)]
        time = math.fsum(s.duration for s in known)
        return math.fsum(s.speed * s.duration / time for s in known) if time > 0 else None

    @property
    def headline(self) -> str:
        """The report in one line."""
        return f"{self._doing()}; {self._verdict()}"

    def measure(self, name: str) -> Measure:
        """The measure of a name."""
        for one in self.measures:
            if one.name == name:
                return one
        raise UnknownMeasure(name, [m.name for m in self.measures])

    def ignoring(self, names: Sequence[str]) -> Report:
        """The report with some measures not counted.

        names: of measures or of whole groups, with * and ? for parts of a name ("phase-*"). One that fits
        nothing here and no measure that there is (measures.LIMITS) is UnknownMeasure.
        """
        found = set(self.ignored)
        known = {m.name: m.group for m in self.measures}
        for name in names:
            fits = {m for m, group in known.items() if fnmatchcase(m, name) or group == name}
            elsewhere = name in GROUPS or any(fnmatchcase(other, name) for other in LIMITS)
            if not fits and not elsewhere:
                raise UnknownMeasure(name, dict.fromkeys([*known, *LIMITS, *GROUPS]))
            found |= fits
        return replace(self, ignored=tuple(m for m in known if m in found))

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, text and finite numbers, as docs/check.md describes them."""
        return {
            "schema": SCHEMA,
            "name": self.name,
            "frames": self.frames,
            "fps": self.fps,
            "seconds": self.seconds,
            "repeats": self.repeats,
            "unit": self.unit,
            "hip": self.hip,
            "legs_by": self.legs_by,
            "gait": self.gait,
            "expected": self.expected,
            "speed": self.speed,
            "passed": self.passed,
            "failed": list(self.failed),
            "states": [{"state": s.state, "start": s.start, "stop": s.stop} for s in self.states],
            "strides": [_stride(s) for s in self.strides],
            "measures": [_measure(m, m.name in self.ignored) for m in self.measures],
            "comparison": None if self.comparison is None else _comparison(self.comparison),
        }

    def __str__(self) -> str:
        rows = [(mark_of(m, self), m.name, value_text(m), str(m.limit), m.detail) for m in self.measures]
        width = [max((len(row[k]) for row in rows), default=0) for k in range(4)]
        lines = [f"{self.name}: {self.headline}"]
        for group in GROUPS:
            chosen = [row for row, m in zip(rows, self.measures, strict=True) if m.group == group]
            lines += [group] if chosen else []
            for mark, name, value, limit, detail in chosen:
                cells = (mark.ljust(4), name.ljust(width[1]), value.rjust(width[2]), limit.ljust(width[3]))
                lines.append(f"  {'  '.join((*cells, detail))}".rstrip())
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Report {self.name!r}: {self.headline}>"

    def _repr_html_(self) -> str:
        """The report as a table, for notebooks."""
        rows = [f"<b>{escape(self.name)}</b>: {escape(self.headline)}", '<table style="text-align:left">']
        rows.append(_html_row("th", ("", "measure", "value", "limit", "detail")))
        for group in GROUPS:
            chosen = [m for m in self.measures if m.group == group]
            rows += [f'<tr><th colspan="5">{escape(group)}</th></tr>'] if chosen else []
            for m in chosen:
                mark = mark_of(m, self)
                cells = (mark, m.name, value_text(m), str(m.limit), m.detail)
                rows.append(_html_row("td", cells, "background:#f6d5cc" if mark == MARKS[False] else ""))
        return "\n".join([*rows, "</table>"])

    def _doing(self) -> str:
        """The gait with its strides, else the states, in words."""
        if self.gait is not None:
            count = len(self.shown)
            speed = "" if self.speed is None else f" at {self.speed:.2g} m/s"
            others = len(self.strides) - count
            rest = f" (and {others} other)" if others else ""
            return f"{self.gait}, {count} stride{'s' if count != 1 else ''}{speed}{rest}"
        seconds: dict[str, float] = {}
        for span in self.states:
            seconds[span.state] = seconds.get(span.state, 0.0) + span.stop - span.start
        most = sorted(seconds, key=lambda state: -seconds[state])
        return f"no stride of a gait; {', '.join(f'{state} {seconds[state]:.1f} s' for state in most)}"

    def _verdict(self) -> str:
        asked = "" if self.expected is None else f", asked for {self.expected}"
        if self.passed:
            return f"all {self.judged} measures pass{asked}"
        names = list(self.failed)
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        verb = "fails" if len(names) == 1 else "fail"
        listed = ", ".join(names[:MOST_NAMES]) + more
        return f"{len(names)} of {self.judged} measures {verb}{asked}: {listed}"


def _html_row(kind: str, cells: Sequence[str], style: str = "") -> str:
    # Text and ground go together, so that a failing row can be read on a dark page too.
    opening = f'<tr style="{style};color:#222">' if style else "<tr>"
    return opening + "".join(f"<{kind}>{escape(cell)}</{kind}>" for cell in cells) + "</tr>"


def mark_of(measure: Measure, report: Report) -> str:
    """A verdict in a word."""
    if measure.passed is False and measure.name in report.ignored:
        return IGNORED
    return MARKS[measure.passed]


def value_text(measure: Measure) -> str:
    """A measure's value with its unit, in three digits, or as many as whole numbers need."""
    if measure.value is None:
        return "-"
    size = abs(measure.value)
    if size >= 1000:
        number = f"{measure.value:.0f}"
    else:  # adding 0 removes the sign of a zero
        number = f"{measure.value if size >= 0.1 else round(measure.value, 3) + 0.0:.3g}"
    return f"{number} {measure.unit}".rstrip()


def strain(measure: Measure) -> float:
    """How much of its limit a measure uses: up to 1 inside, more outside, -1 where nothing is judged."""
    value, low, high = measure.value, measure.limit.low, measure.limit.high
    if value is None or measure.passed is None:
        return -1.0
    if high is not None and low:
        half = 0.5 * (high - low)
        used = abs(value - 0.5 * (low + high)) / half if half > 0 else math.inf
    elif high is not None:
        used = value / high if high > 0 else math.inf
    elif low is not None and 0 < low < 1:  # a share or a correlation, 1 at best
        used = (1.0 - value) / (1.0 - low)
    else:
        used = low / value if low and value > 0 else math.inf
    if measure.passed:
        return min(max(used, 0.0), 1.0) if math.isfinite(used) else 0.0
    return max(used, math.nextafter(1.0, 2.0))  # rounding never says otherwise than the verdict


def worst_first(measures: Sequence[Measure]) -> list[Measure]:
    """Measures by how much of their limits they use, the worst first."""
    return sorted(measures, key=lambda m: -strain(m))


def failure_text(measure: Measure) -> str:
    """A failing measure in one line: value, limit, its source, and where."""
    where = f" ({measure.detail})" if measure.detail else ""
    limit = f"limit {measure.limit}"
    return f"{measure.name}: {value_text(measure)}, {limit}, {measure.limit.source}{where}"


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


def _stride(stride: Stride) -> dict[str, Any]:
    return {
        "start": stride.start,
        "duration": stride.duration,
        "gait": stride.gait,
        "speed": _finite(stride.speed),
        "touchdown": [_finite(v) for v in stride.touchdown],
        "duty": [_finite(v) for v in stride.duty],
    }


def _measure(measure: Measure, ignored: bool) -> dict[str, Any]:
    return {
        "name": measure.name,
        "group": measure.group,
        "value": _finite(measure.value),
        "unit": measure.unit,
        "low": _finite(measure.limit.low),
        "high": _finite(measure.limit.high),
        "source": measure.limit.source,
        "passed": measure.passed,
        "ignored": ignored,
        "detail": measure.detail,
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    return {
        "gait": comparison.gait,
        "passed": comparison.passed,
        "reason": comparison.reason,
        "places": dict(comparison.places),
        "missing": dict(comparison.missing),
        "curves": [_curve(score) for score in comparison.curves],
    }


def _curve(score: CurveScore) -> dict[str, Any]:
    found, bounds = score.found, score.bounds
    return {
        "marker": score.marker,
        "axis": score.axis,
        "distance": _finite(found.distance),
        "correlation": _finite(found.correlation),
        "amplitude": _finite(found.amplitude),
        "most_distance": bounds.distance,
        "least_correlation": bounds.correlation,
        "amplitudes": list(bounds.amplitude),
        "nearer": score.nearer,
        "passed": score.passed,
    }
