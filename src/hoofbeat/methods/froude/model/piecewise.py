"""Piecewise curves (M3): one bone's acyclic motion as segments, each with a type, a position and a value.

    m 0 12.5  c 25 18.2  l 60 -4  h 80 -4  c 100 12.5

A segment runs from the point before it to its own position and value: `m` sets the first point, `l` is a
straight line, `c` a smooth curve, `h` holds the value before and steps to its own at its end. Positions
are stages, 100 to a standard cycle; values have the unit of the curve. A smooth point may have its slope
(for one stage) after a slash: `c 25 18.2/0.4`; without, the curve has the one that its neighbours
suggest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hoofbeat.methods.froude.model.fourier import CurveError, Wave

Floats = NDArray[np.float64]

MOVE, LINE, CURVE, HOLD = "m", "l", "c", "h"
KINDS = (MOVE, LINE, CURVE, HOLD)
#: Stages of a standard cycle.
STAGES = 100
#: Segments of one curve, and characters of its text.
MOST_SEGMENTS, MOST_CHARACTERS = 1000, 40_000
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?"
_SEGMENT = re.compile(rf"\s*([a-z])\s+({_NUMBER})\s+({_NUMBER})(?:/({_NUMBER}))?(?=\s|$)")


class CurveSegment(NamedTuple):
    """One segment: kind, position [stages], value, and slope [a stage] or None."""

    kind: str
    position: float
    value: float
    slope: float | None = None


@dataclass(frozen=True)
class Piecewise:
    """Segments in order of their positions, the first a move."""

    segments: tuple[CurveSegment, ...]

    def __post_init__(self) -> None:
        problem = _wrong(self.segments)
        if problem:
            raise CurveError(problem)

    def __str__(self) -> str:
        return "  ".join(_written(one) for one in self.segments)

    @property
    def start(self) -> float:
        """Position of the first point [stages]."""
        return self.segments[0].position

    @property
    def end(self) -> float:
        """Position of the last point [stages]."""
        return self.segments[-1].position

    def rounded(self, digits: int = 2) -> Piecewise:
        """The same curve with numbers of so many digits, for reading."""
        return Piecewise(
            tuple(
                CurveSegment(
                    kind, round(x, digits), round(y, digits), None if m is None else round(m, digits + 1)
                )
                for kind, x, y, m in self.segments
            )
        )

    def slopes(self) -> Floats:
        """Slopes (n,) [a stage] of the curve at its points: as given, else through the neighbours."""
        x = np.array([one.position for one in self.segments])
        y = np.array([one.value for one in self.segments])
        found = _through(x, y)
        given = [one.slope for one in self.segments]
        return np.array([f if t is None else t for f, t in zip(found, given, strict=True)])

    def at(self, stage: ArrayLike) -> Floats:
        """Values at stages (...), held at the ends."""
        x = np.array([one.position for one in self.segments])
        y = np.array([one.value for one in self.segments])
        kinds = np.array([KINDS.index(one.kind) for one in self.segments])
        m = self.slopes()
        given = np.clip(np.asarray(stage, np.float64), x[0], x[-1])
        if len(x) == 1:
            return np.full(given.shape, y[0])
        n = np.clip(np.searchsorted(x, given, side="right") - 1, 0, len(x) - 2)
        width = x[n + 1] - x[n]
        t = (given - x[n]) / width
        b = t * t * (3 - 2 * t)
        smooth = (1 - b) * y[n] + b * y[n + 1]
        smooth += width * (t * (1 - t) ** 2 * m[n] - t * t * (1 - t) * m[n + 1])
        line = (1 - t) * y[n] + t * y[n + 1]
        held = np.where(t < 1, y[n], y[n + 1])
        kind = kinds[n + 1]
        return np.where(kind == 2, smooth, np.where(kind == 1, line, held))


def parse_piecewise(text: str) -> Piecewise:
    """The curve that a text describes; CurveError names the column of what is wrong."""
    if len(text) > MOST_CHARACTERS:
        raise CurveError(f"{len(text)} characters, at most {MOST_CHARACTERS} are read")
    found: list[CurveSegment] = []
    at = 0
    while at < len(text.rstrip()):
        match = _SEGMENT.match(text, at)
        if match is None:
            raise CurveError(
                f"column {at + 1}: expected a segment such as 'c 25 18.2' or 'c 25 18.2/0.4', "
                f"given {text[at : at + 30].strip()!r}"
            )
        kind, position, value, slope = match.groups()
        if kind not in KINDS:
            raise CurveError(f"column {at + 1}: unknown kind {kind!r}; known: {', '.join(KINDS)}")
        if len(found) >= MOST_SEGMENTS:
            raise CurveError(f"column {at + 1}: more than {MOST_SEGMENTS} segments")
        found.append(
            CurveSegment(kind, float(position), float(value), None if slope is None else float(slope))
        )
        at = match.end()
    return Piecewise(tuple(found))


def piecewise_of(wave: Wave, points: int = 16, stages: float = STAGES) -> Piecewise:
    """A wave's cycle, spread over `stages`, as smooth segments between `points` + 1 points with its
    slopes."""
    if not 1 <= points <= MOST_SEGMENTS - 1:
        raise CurveError(f"points: expected 1 to {MOST_SEGMENTS - 1}, given {points}")
    t = np.arange(points + 1) / points
    values, slopes = wave.at(t), wave.slope(t) / stages
    rows = zip(stages * t, values, slopes, strict=True)
    return Piecewise(
        tuple(
            CurveSegment(MOVE if n == 0 else CURVE, float(x), float(y), float(m))
            for n, (x, y, m) in enumerate(rows)
        )
    )


def mean_of(first: Wave, second: Wave) -> Wave:
    """The mean of two waves: their parts, each at half its size."""
    parts = tuple((k, 0.5 * a, p) for wave in (first, second) for k, a, p in wave.parts)
    return Wave(0.5 * (first.mean + second.mean), parts)


def joined(before: Wave, after: Wave, stages: float = STAGES, points: int = 16) -> Piecewise:
    """The transition from one cycle to another (section 6.1, Figure 9): the mean of both cycles as a
    piecewise curve over `stages`, its ends moved to join what goes before and comes after, in value and
    slope.

    What the ends are moved by fades along the curve, so that nothing steps between its points. Slopes at the
    ends are those of cycles of STAGES stages.
    """
    mean = piecewise_of(mean_of(before, after), points, stages)
    x = np.array([one.position for one in mean.segments]) / stages
    value = 0.5 * float(before.at(0.0) - after.at(0.0))
    b = x * x * (3 - 2 * x)
    moved = np.array([one.value for one in mean.segments]) + value * (1 - 2 * b)
    slopes = mean.slopes() - value * 12 * x * (1 - x) / stages
    slopes[0], slopes[-1] = before.slope(0.0) / STAGES, after.slope(0.0) / STAGES
    return Piecewise(
        tuple(
            CurveSegment(one.kind, one.position, float(y), float(m))
            for one, y, m in zip(mean.segments, moved, slopes, strict=True)
        )
    )


def _through(x: Floats, y: Floats) -> Floats:
    """Slopes (n,) at points: of the parabola through each and its neighbours, of the line at the ends."""
    if len(x) < 2:
        return np.zeros(len(x))
    rise = np.diff(y) / np.diff(x)
    width = np.diff(x)
    inner = (rise[:-1] * width[1:] + rise[1:] * width[:-1]) / (width[:-1] + width[1:])
    return np.concatenate([rise[:1], inner, rise[-1:]])


def _wrong(segments: Sequence[CurveSegment]) -> str | None:
    if not segments or segments[0].kind != MOVE:
        return "a piecewise curve begins with a segment of kind m"
    if len(segments) > MOST_SEGMENTS:
        return f"{len(segments)} segments, at most {MOST_SEGMENTS} are allowed"
    numbers = [v for one in segments for v in (one.position, one.value, one.slope) if v is not None]
    if not all(abs(v) < 1e9 for v in numbers):
        return "positions, values and slopes must be finite and below a thousand million"
    for before, one in zip(segments, segments[1:], strict=False):
        if one.kind not in KINDS or one.kind == MOVE:
            return f"kinds after the first: l, c or h, given {one.kind!r}"
        if one.position - before.position < 1e-6:
            return f"positions must rise, given {one.position:g} after {before.position:g}"
    return None


def _written(one: CurveSegment) -> str:
    slope = "" if one.slope is None else f"/{_number(one.slope)}"
    return f"{one.kind} {_number(one.position)} {_number(one.value)}{slope}"


def _number(value: float) -> str:
    """The shortest text that reads back as the same number."""
    return repr(int(value)) if value == int(value) else repr(value)
