"""Report: figures and gates of a benchmark, as a table, as JSON, as Markdown."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table


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
        way = "at least" if self.at_least else "at most"
        return f"{self.label}: {Figure('', self.value, '').text()} {self.unit}, {way} {self.limit:g}"


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
