"""Console: what people and programs see: progress, notes and errors on stderr, reports on stdout."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Protocol

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text


class Update(Protocol):
    """Tells a bar how much of how much is done, and, where given, what it is called now."""

    def __call__(self, done: int, total: int, words: str | None = None) -> None:
        """Move the bar."""
        ...


def complain(words: str) -> None:
    """One red line on stderr."""
    _stderr().print(Text.assemble(("error: ", "bold red"), (words, "red")), soft_wrap=True)


def note(words: str) -> None:
    """One yellow line on stderr: nothing failed, but something is worth knowing."""
    _stderr().print(Text.assemble(("note: ", "bold yellow"), words), soft_wrap=True)


def say(words: str) -> None:
    """A line of a report on stdout."""
    typer.echo(words)


def emit(report: Any) -> None:
    """A report (a dataclass of cli/reports.py) as one line of JSON on stdout, as docs/json.md has it."""
    facts = _plain(dataclasses.asdict(report))
    ordered = {"schema": facts.pop("schema"), **facts}
    typer.echo(json.dumps(ordered, ensure_ascii=False, allow_nan=False))


@contextmanager
def working(words: str) -> Generator[Update]:
    """A bar on stderr while the block runs, where stderr is a terminal; yields update(done, total, words).

    Until the first update the bar only shows that something goes on.
    """
    console = _stderr()
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(words, total=None)

        def update(done: int, total: int, words: str | None = None) -> None:
            progress.update(task, completed=done, total=total, description=words)

        yield update


def _stderr() -> Console:
    return Console(stderr=True, highlight=False)


def _plain(value: Any) -> Any:
    """JSON has no NaN or infinity: they become null. Numbers are rounded to a millionth."""
    if isinstance(value, float):
        return round(value, 6) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value
