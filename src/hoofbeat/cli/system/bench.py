"""hoofbeat bench: time this package and its peers, and compare with an earlier run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hoofbeat.cli.console import complain, say, working

#: Columns where the output is no terminal.
WIDTH = 110


def bench(
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            help="Only fk, bvh, engine, timewarp, neural, check, film, evolution, start, studio; repeatable.",
        ),
    ] = None,
    network: Annotated[
        list[Path] | None,
        typer.Option(help="Network file to time in place of the shipped one; one of each precision."),
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the run as JSON here.")] = None,
    markdown: Annotated[Path | None, typer.Option("--markdown", help="Write tables for a page here.")] = None,
    compare: Annotated[
        Path | None,
        typer.Option("--compare", help="JSON of an earlier run; flags what is worse by 10 %."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the run as JSON.")] = False,
) -> None:
    """Time the engine, its kinematics and its files beside other libraries.

    hoofbeat bench --only fk
    """
    # Imports of the library stand inside commands, see hoofbeat/cli/__init__.py.
    import sys

    from rich.console import Console

    from hoofbeat.formats.files import write_bytes
    from hoofbeat.offline.bench import report
    from hoofbeat.offline.bench.suite import run_suite

    before = None if compare is None else report.read_baseline(compare)
    with working("timing") as update:
        found = run_suite(only or (), update, network or ())
    text = report.as_json(found.benches, found.machine, found.speed)
    if output is not None:
        write_bytes(output, text.encode())
    if markdown is not None:
        page = report.as_markdown(found.benches, found.machine, found.speed)
        write_bytes(markdown, page.encode())
    if as_json:
        say(text.rstrip())
    else:
        console = Console(width=None if sys.stdout.isatty() else WIDTH)
        report.show(found.benches, found.machine, found.speed, console)
    changes = [] if before is None else report.compared(found.benches, before)
    for change in changes:
        if change.flagged:
            complain(change.text())
        elif not as_json:
            say(f"  {change.text()}")
    for gate in found.broken():
        complain(f"gate broken: {gate.text()}")
    if found.broken() or any(change.flagged for change in changes):
        raise typer.Exit(1)
