"""Report: figures and gates of a benchmark, as a table, as JSON, as Markdown; and changes since an
earlier run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from os import PathLike
from typing import Any, cast

from rich.console import Console
from rich.table import Table

from hoofbeat.errors import FileError
from hoofbeat.formats import files

#: A ratio worse by more than this part is flagged.
TOLERANCE = 0.10
MAX_BYTES = 1 << 20


@dataclass(frozen=True)
class Figure:
    """One measured number. `value` None: not measured here, and the note says why."""

    label: str
    value: float | None
    unit: str
    note: str = ""

    def text(self) -> str:
        """The number as people read it."""
        return "-" if self.value is None else f"{self.value:,.{_decimals(self.value)}f}"


@dataclass(frozen=True)
class Gate:
    """A promise about a figure: at least, or at most, the limit. `value` None counts as not tried."""

    label: str
    value: float | None
    limit: float
    at_least: bool
    unit: str = "x"

    @property
    def passed(self) -> bool | None:
        """True or False, None where it was not tried."""
        if self.value is None:
            return None
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def text(self) -> str:
        """The promise and what was found, in one line."""
        side = "at least" if self.at_least else "at most"
        return f"{self.label}: {Figure('', self.value, '').text()} {self.unit}, {side} {self.limit:g}"


@dataclass(frozen=True)
class Bench:
    """What one benchmark found."""

    name: str
    title: str
    figures: Sequence[Figure]
    gates: Sequence[Gate] = ()
    notes: Sequence[str] = field(default=())

    def figure(self, label: str) -> float:
        """The value of a figure; KeyError where it was not measured."""
        for one in self.figures:
            if one.label == label and one.value is not None:
                return one.value
        raise KeyError(label)

    def failed(self) -> list[Gate]:
        """Gates that were tried and do not hold."""
        return [gate for gate in self.gates if gate.passed is False]


Machine = Mapping[str, str]
Speed = Mapping[str, float]

#: Name and version of the JSON.
SCHEMA = "hoofbeat.bench/1"
#: Words for a gate's outcome.
OUTCOME = {True: "held", False: "BROKEN", None: "not tried"}


def as_json(benches: Sequence[Bench], machine: Machine, speed: Speed) -> str:
    """Everything, machine-readable: {"schema", "machine", "yardstick", "benchmarks"}; see docs/json.md."""
    entries: list[dict[str, Any]] = []
    for bench in benches:
        entry = asdict(bench)
        for gate, record in zip(bench.gates, entry["gates"], strict=True):
            record["passed"] = gate.passed
        entries.append(entry)
    found = {
        "schema": SCHEMA,
        "machine": dict(machine),
        "yardstick": dict(speed),
        "benchmarks": entries,
    }
    return json.dumps(found, indent=2) + "\n"


def as_markdown(benches: Sequence[Bench], machine: Machine, speed: Speed) -> str:
    """The same as tables for a page."""
    lines = [_machine_line(machine), "", _speed_line(speed), ""]
    for bench in benches:
        lines += [f"### {bench.title}", "", "| what | figure | unit | note |", "|---|---:|---|---|"]
        lines += [f"| {f.label} | {f.text()} | {f.unit} | {f.note} |" for f in bench.figures]
        lines += ["", *(f"- {OUTCOME[gate.passed]}: {gate.text()}" for gate in bench.gates)]
        lines += [f"- {note}" for note in bench.notes]
        lines.append("")
    return "\n".join(lines)


def show(benches: Sequence[Bench], machine: Machine, speed: Speed, console: Console) -> None:
    """Tables on a terminal."""
    console.print(_machine_line(machine), highlight=False)
    console.print(_speed_line(speed), highlight=False)
    for bench in benches:
        table = Table(title=bench.title, title_justify="left")
        table.add_column("what")
        table.add_column("figure", justify="right")
        table.add_column("unit")
        table.add_column("note", style="dim")
        for one in bench.figures:
            table.add_row(one.label, one.text(), one.unit, one.note)
        console.print(table)
        for gate in bench.gates:
            style = {True: "green", False: "bold red", None: "yellow"}[gate.passed]
            console.print(f"  {OUTCOME[gate.passed]}: {gate.text()}", style=style, highlight=False)
        for note in bench.notes:
            console.print(f"  {note}", style="dim", highlight=False)


def _decimals(value: float) -> int:
    size = abs(value)
    return 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3


def _machine_line(machine: Machine) -> str:
    packages = ", ".join(f"{k} {v}" for k, v in machine.items() if k not in ("processor", "cores", "system"))
    return f"{machine['processor']}, {machine['cores']} cores, {machine['system']}; {packages}"


def _speed_line(speed: Speed) -> str:
    parts = [
        f"{name} {speed[f'{key}_s'] * 1e3:.3f} ms ({speed[f'slower_{key}']:.2f} of the reference)"
        for name, key in (("Python", "python"), ("NumPy", "numpy"))
    ]
    return f"yardsticks: {', '.join(parts)}; noise {speed['noise']:.0%}"


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
