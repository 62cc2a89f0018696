"""Tables of checks for a terminal: every measure of one clip, or one line for each of many."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hoofbeat.check.measures import GROUPS
from hoofbeat.check.report import IGNORED, Report, failure_text, mark_of, value_text, worst_first

#: Columns where the output is no terminal.
WIDTH = 120
#: Words say what passes; colours only help, and differ in brightness and in blue against orange.
STYLES = {"pass": "blue", "FAIL": "bold red", "-": "dim", IGNORED: "yellow"}


def show_report(report: Report, path: str) -> None:
    """One clip: a line of words, then every measure in its group."""
    console = _console()
    verdict = "pass" if report.passed else "FAIL"
    console.print(Text.assemble((verdict, STYLES[verdict]), f"  {path}: {report.name}"), soft_wrap=True)
    console.print(Text(f"      {report.headline}"), soft_wrap=True)
    console.print(Text(f"      {facts(report)}", "dim"), soft_wrap=True)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    for name in ("", "", "measure"):
        table.add_column(name, no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("limit", no_wrap=True)
    table.add_column("where the limit comes from", no_wrap=True, overflow="ellipsis", ratio=1)
    for group in GROUPS:
        rows = [one for one in report.measures if one.group == group and one.value is not None]
        for n, one in enumerate(rows):
            mark = mark_of(one, report)
            value = Text(value_text(one), "bold" if mark == "FAIL" else "")
            cells = (one.name, value, str(one.limit), Text(one.limit.source, "dim"))
            last = n == len(rows) - 1
            table.add_row(Text("" if n else group, "dim"), Text(mark, STYLES[mark]), *cells, end_section=last)
    console.print(table)
    for one in worst_first(report.failing):
        console.print(Text.assemble(("FAIL  ", STYLES["FAIL"]), failure_text(one)))
    for why, names in unmeasured(report).items():
        console.print(Text(f"not measured ({why}): {', '.join(names)}", "dim"))


def show_summary(rows: Sequence[tuple[Path, Report]]) -> None:
    """Many clips: a line each, and what fails."""
    alone = Counter(path.name for path in {path for path, _ in rows})
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("", "file", "clip", "gait"):
        table.add_column(name, overflow="fold")
    for name in ("strides", "m/s", "judged", "fail"):
        table.add_column(name, justify="right")
    table.add_column("what fails")
    for path, report in rows:
        mark = "pass" if report.passed else "FAIL"
        speed = "" if report.speed is None else f"{report.speed:.2f}"
        counts = (str(len(report.shown)), speed, str(report.judged), str(len(report.failed)))
        style = STYLES[mark]
        table.add_row(
            Text(mark, style),
            path.name if alone[path.name] == 1 else str(path),
            report.name,
            report.gait or "-",
            *counts,
            ", ".join(report.failed),
        )
    _console().print(table)


def facts(report: Report) -> str:
    """How the clip was read, in one line."""
    words = [f"{report.frames} frames at {report.fps:g} a second"]
    if report.repeats > 1:
        words.append(f"a loop, gone round {report.repeats} times")
    if report.unit != 1:
        words.append(f"read as {report.unit:.4g} m a unit")
    return "; ".join([*words, f"hips {report.hip:.2f} m high", f"legs by {report.legs_by}"])


def unmeasured(report: Report) -> dict[str, list[str]]:
    """Names of the measures that could not be made, by the reason why."""
    found: dict[str, list[str]] = {}
    for one in report.measures:
        if one.value is None:
            found.setdefault(one.detail or "not known", []).append(one.name)
    return found


def _console() -> Console:
    return Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
