"""Baseline: the ratios of an earlier run, and which of them have become worse."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, cast

from hoofbeat.errors import FileError
from hoofbeat.formats import files
from hoofbeat.offline.bench.report import Bench

#: A ratio worse by more than this part is flagged.
TOLERANCE = 0.10
MAX_BYTES = 1 << 20


class BaselineError(FileError):
    """A baseline that is not the JSON of an earlier run."""


@dataclass(frozen=True)
class _Change:
    """A gate's ratio then and now; `worse` is the part by which it lost (negative: gained)."""

    label: str
    before: float
    now: float
    worse: float

    @property
    def flagged(self) -> bool:
        """Whether it lost more than noise may explain."""
        return self.worse > TOLERANCE

    def text(self) -> str:
        """One line."""
        word = "worse" if self.worse > 0 else "better"
        return f"{self.label}: {self.before:.3g} before, {self.now:.3g} now, {abs(self.worse):.0%} {word}"


def read_baseline(path: str | PathLike[str]) -> dict[str, float]:
    """Ratios by the label of their gate, from the JSON that `hoofbeat bench` wrote."""
    data = files.read_bytes(path, MAX_BYTES, BaselineError)
    try:
        found: Any = json.loads(data)
        entries = [gate for bench in found["benchmarks"] for gate in bench["gates"]]
        values = {str(gate["label"]): gate["value"] for gate in entries}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BaselineError("not the JSON of a run; write one with hoofbeat bench -o FILE", path) from None
    numbers = {k: float(v) for k, v in values.items() if isinstance(v, int | float)}
    if any(not 0 < value < 1e300 for value in numbers.values()):
        raise BaselineError("a ratio must be a number above 0", path)
    return numbers


def compared(benches: Sequence[Bench], before: dict[str, float]) -> list[_Change]:
    """How every gate that both runs have has changed."""
    changes: list[_Change] = []
    for gate in (gate for bench in benches for gate in bench.gates):
        if gate.value is not None and gate.label in before:
            then, now = before[gate.label], cast("float", gate.value)
            worse = then / now - 1 if gate.at_least else now / then - 1
            changes.append(_Change(gate.label, then, now, worse))
    return changes
