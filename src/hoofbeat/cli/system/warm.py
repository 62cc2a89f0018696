"""hoofbeat warm: compile ahead what the other commands need."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from hoofbeat.cli.console import emit, say, working
from hoofbeat.cli.reports import WarmReport


def warm(
    as_json: Annotated[bool, typer.Option("--json", help="Print a report as JSON.")] = False,
) -> None:
    """Compile the kernels of this installation, so that nobody waits at the first use.

    hoofbeat warm
    """
    start = time.perf_counter()
    with working("compiling"):
        # Imports of the library stand inside commands, see hoofbeat/cli/__init__.py.
        from hoofbeat.formats.planfile import Plan, Segment
        from hoofbeat.maths.jit.cache import cache_folder
        from hoofbeat.synthesis import synthesize
        from hoofbeat.warm import warm as warm_methods

        warm_methods()
        # Files and pictures use the kernels of forward kinematics.
        _ = synthesize(Plan((Segment(0.1, gait="walk"),))).positions
    folder = cache_folder()
    seconds = time.perf_counter() - start
    if as_json:
        emit(WarmReport(seconds, None if folder is None else str(folder)))
    else:
        say(f"kernels ready after {seconds:.1f} s" + (f", kept in {folder}" if folder else ", not kept"))
