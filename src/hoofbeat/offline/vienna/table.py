"""Vienna table: the real horses left out one by one, and which faults their limits detect, as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.check.measures.cohort import (
    AXES,
    RECORDED,
    Cohort,
    CohortCurve,
    CurveDifference,
    difference_of,
    parsed,
)

Floats = NDArray[np.float64]
#: The text of a cell, whether its limit is kept, and the text of the limit.
Cell = Callable[[CurveDifference, CohortCurve], tuple[str, bool, str]]

#: Wrong motions of a marker, each made from a right curve (100,), t = 0 at the touchdown of the left hind.
FAULTS: Mapping[str, Callable[[Floats], Floats]] = MappingProxyType(
    {
        "motionless": np.zeros_like,
        "time-reversed": lambda curve: np.roll(curve[::-1], 1),
        "quarter stride late": lambda curve: np.roll(curve, len(curve) // 4),
        "quarter stride early": lambda curve: np.roll(curve, -(len(curve) // 4)),
    }
)


def detected(real: Cohort, fault: str) -> dict[tuple[str, str], bool]:
    """Whether each mean curve, made wrong, breaks its limits."""
    make = FAULTS[fault]
    return {
        curve: row.bounds.share(difference_of(make(row.mean), row.mean)) > 1
        for curve, row in real.curves.items()
    }


def passing(real: Cohort) -> list[int]:
    """The horses (from 1) that keep every limit when they are left out."""
    count = len(next(iter(real.curves.values())).horses)
    return [
        h + 1
        for h in range(count)
        if all(row.bounds.share(row.horses[h]) <= 1 for row in real.curves.values())
    ]


def tables(document: Mapping[str, Any]) -> str:
    """Markdown of a reference document: for each gait the horses left out one by one, then the faults."""
    parts: list[str] = []
    for gait in RECORDED:
        real = parsed(document, gait)
        part = document["gaits"][gait]
        slow, mean, fast = real.speed
        kept = passing(real)
        parts.append(
            f"### {gait.capitalize()}: {part['horses']} horses, {part['trials']} trials, "
            f"{slow:.2f} to {fast:.2f} (mean {mean:.2f}) m/s\n\n"
            f"{len(kept)} of {part['horses']} pass as a whole when left out: {', '.join(map(str, kept))}. "
            "Bold: outside the limit."
        )
        parts.append(_table(real, "distance [0.001 withers heights]", _distance))
        parts.append(_table(real, "correlation", _correlation))
        parts.append(_table(real, "amplitude", _amplitude))
        parts.append(_faults(real))
    return "\n\n".join(parts) + "\n"


def _distance(found: CurveDifference, real: CohortCurve) -> tuple[str, bool, str]:
    limit = real.bounds.distance
    return f"{1000 * found.distance:.1f}", found.distance <= limit, f"{1000 * limit:.1f}"


def _correlation(found: CurveDifference, real: CohortCurve) -> tuple[str, bool, str]:
    limit = real.bounds.correlation
    return f"{found.correlation:.2f}", found.correlation >= limit, f"{limit:.2f}"


def _amplitude(found: CurveDifference, real: CohortCurve) -> tuple[str, bool, str]:
    low, high = real.bounds.amplitude
    return f"{found.amplitude:.2f}", low <= found.amplitude <= high, f"{low:.2f} to {high:.2f}"


def _table(real: Cohort, title: str, cell: Cell) -> str:
    count = len(next(iter(real.curves.values())).horses)
    rows = []
    for (marker, axis), row in real.curves.items():
        cells = [cell(horse, row) for horse in row.horses]
        marked = [text if kept else f"**{text}**" for text, kept, _ in cells]
        rows.append([f"{marker} {axis}", *marked, cells[0][2]])
    return _markdown([title, *(str(h + 1) for h in range(count)), "limit"], rows)


def _faults(real: Cohort) -> str:
    """Which axes detect each fault of a marker."""
    found = {fault: detected(real, fault) for fault in FAULTS}
    rows = [
        [marker, *(", ".join(a for a in axes if found[fault][marker, a]) or "**none**" for fault in FAULTS)]
        for marker, axes in AXES.items()
    ]
    return _markdown(["a wrong marker is found by", *FAULTS], rows)


def _markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---", *["---:" for _ in head[1:]]], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
