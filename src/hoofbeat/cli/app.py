"""App: the command line's frame: its commands, what an error looks like, and exit codes.

0: done. 1: a check failed, or a fault of hoofbeat itself (with a traceback). 2: something given is
wrong; one line on stderr says what. 130: interrupted. A new command is one entry of COMMANDS.
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Callable
from typing import Annotated, Any, NoReturn, cast

import typer
from typer.core import TyperGroup

from hoofbeat import __version__
from hoofbeat.cli.console import complain, note
from hoofbeat.cli.motion.check import check
from hoofbeat.cli.motion.files import convert, info
from hoofbeat.cli.motion.plate import plate
from hoofbeat.cli.motion.synth import synth
from hoofbeat.cli.research.dataset import dataset
from hoofbeat.cli.research.evaluate import evaluate
from hoofbeat.cli.research.evolve import evolve
from hoofbeat.cli.research.froude import froude
from hoofbeat.cli.research.plot import plot
from hoofbeat.cli.research.train import train
from hoofbeat.cli.system.bench import bench
from hoofbeat.cli.system.core import core
from hoofbeat.cli.system.studio import studio
from hoofbeat.cli.system.warm import warm
from hoofbeat.errors import HoofbeatError

#: Every command, in the order of the help.
COMMANDS: tuple[Callable[..., None], ...] = (
    studio,
    synth,
    plate,
    check,
    info,
    convert,
    froude,
    plot,
    evolve,
    dataset,
    train,
    evaluate,
    bench,
    warm,
)
#: Exit codes that are not 0.
WRONG, INTERRUPTED = 2, 130
#: The error of a command line that cannot be understood; typer does not export it.
UsageError = cast("type[Exception]", typer.BadParameter.__base__)


class Group(TyperGroup):
    """Runs a command; an error made on purpose becomes one line and exit code 2, as does a wrong option."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Read the options that stand before the command."""
        try:
            return super().make_context(*args, **kwargs)
        except UsageError as problem:
            _refuse(problem)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", UserWarning)
                warnings.showwarning = _show_warning
                return super().invoke(ctx)
        except UsageError as problem:
            _refuse(problem)
        except HoofbeatError as problem:
            if ctx.params.get("debug") or os.environ.get("HOOFBEAT_DEBUG"):
                raise
            complain(str(problem))
            raise typer.Exit(WRONG) from None
        except MemoryError:
            complain("the memory is not enough for this; use a shorter clip or a smaller picture")
            raise typer.Exit(WRONG) from None
        except KeyboardInterrupt:
            complain("interrupted; files that were not finished are as they were")
            raise typer.Exit(INTERRUPTED) from None


def _refuse(problem: Any) -> NoReturn:
    """One line about a command line that cannot be understood, and where its help is."""
    if type(problem).__name__ == "NoArgsIsHelpError":
        raise problem
    words = " ".join(str(problem.format_message()).split())
    words += "" if words.endswith((".", "?")) else "."
    place = "hoofbeat" if problem.ctx is None else problem.ctx.command_path
    complain(f"{words} See {place} --help")
    raise typer.Exit(WRONG) from None


def _show_warning(message: Warning | str, *_: Any) -> None:
    note(str(message))


app = typer.Typer(
    name="hoofbeat",
    cls=Group,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"hoofbeat {__version__}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error (or set HOOFBEAT_DEBUG=1).")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    """Horses that walk, trot and gallop: from a plan to files, without writing Python."""
    del debug, version  # Group and _version read them


for _command in COMMANDS:
    app.command()(_command)
app.add_typer(core)


def main() -> None:
    """Run the command line on the arguments of this process."""
    # A report that cannot be encoded by an old terminal is shown with marks instead of failing.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    app()
