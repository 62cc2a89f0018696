"""hoofbeat plot: figures of the papers, drawn from our own runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hoofbeat.cli.console import say, working

#: Figures and what they show.
FIGURES = {
    "fig2": "velocity against Froude number, with gaits",
    "fig3": "duty factors against Froude number",
    "fig4": "relative stride length against Froude number",
    "fig5": "stride frequency against Froude number",
    "fig7": "a bone's cycle as a sum of sinusoids",
    "fig8": "the same as a piecewise curve",
    "fig9": "a piecewise curve that joins two cycles",
    "fig11": "footfalls of a run through all gaits and transitions",
    "fig12": "rotation of the right humerus in that run",
}


def complete_figure(incomplete: str) -> list[str]:
    """Names of figures that begin so."""
    return [name for name in FIGURES if name.startswith(incomplete)]


def plot(
    name: Annotated[
        str,
        typer.Argument(
            metavar="FIGURE", autocompletion=complete_figure, help=f"One of {', '.join(FIGURES)}."
        ),
    ],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Picture to write: .png or .svg.")] = None,
    hip: Annotated[float | None, typer.Option(help="Height of the hip in m; the paper's by default.")] = None,
) -> None:
    """Draw a figure of the paper on dynamic similarity as PNG or SVG (needs matplotlib: pip install
    'hoofbeat\\[plot]').

    hoofbeat plot fig11 -o fig11.svg
    """
    from hoofbeat.render.plots.froude import draw_plot

    path = out or Path(f"{name}.png")
    with working(f"drawing {path.name}"):
        draw_plot(name, path, hip)
    say(str(path))
