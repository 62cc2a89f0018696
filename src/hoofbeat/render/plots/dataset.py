# matplotlib has no full stubs.
# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
"""Datasetplot: what a network learns from, as Table 1 and Figure 5 of Zhang et al. 2018 show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.errors import HoofbeatError

OURS, THEIRS = "#0072b2", "#bbbbbb"
#: Colours of gaits, that the colour-blind can distinguish (Okabe and Ito).
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#f0e442", "#000000", "#999999")
ENDINGS = (".png", ".svg")
#: Columns of the distributions of speed.
COLUMNS = 40
#: What is never faster than this stands [m/s].
STANDING = 0.2


class DatasetPlotError(HoofbeatError):
    """matplotlib is missing, or the picture's ending is none of ENDINGS."""


def draw(
    path: str | PathLike[str],
    shares: Sequence[tuple[str, float, float | None]],
    gaits: Mapping[str, NDArray[np.float64]],
) -> Path:
    """Write the picture as PNG or SVG; shares: action, its percent and the paper's; gaits: speeds [m/s]."""
    if Path(fspath(path)).suffix.lower() not in ENDINGS:
        raise DatasetPlotError(f"{fspath(path)}: a figure is written as {' or '.join(ENDINGS)}")
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise DatasetPlotError(
            "figures need matplotlib; install it with: pip install 'hoofbeat[plot]'"
        ) from None
    # Same bytes for the same figure: no date, fixed ids.
    with rc_context(
        {"svg.hashsalt": "dataset", "font.size": 9.0, "axes.spines.top": False, "axes.spines.right": False}
    ):
        figure: Any = Figure(figsize=(9.0, 3.6), layout="constrained", dpi=130)
        left, right = figure.subplots(1, 2)
        _actions(left, shares)
        _speeds(right, gaits)
        figure.savefig(path, metadata={"Date": None} if fspath(path).lower().endswith("svg") else None)
    return Path(fspath(path))


def _actions(axes: Any, shares: Sequence[tuple[str, float, float | None]]) -> None:
    """Table 1, as bars."""
    places = np.arange(len(shares))[::-1]
    known = [
        (place, theirs) for place, (_, _, theirs) in zip(places, shares, strict=True) if theirs is not None
    ]
    height = 0.38 if known else 0.7
    axes.barh(
        places + (0.2 if known else 0.0), [ours for _, ours, _ in shares], height, color=OURS, label="here"
    )
    if known:
        axes.barh([p - 0.2 for p, _ in known], [v for _, v in known], height, color=THEIRS, label="paper")
        axes.legend(frameon=False)
    axes.set(yticks=places, yticklabels=[name for name, _, _ in shares])
    axes.set(xlabel="part of the frames [%]", title="Actions (Table 1)")


def _speeds(axes: Any, gaits: Mapping[str, NDArray[np.float64]]) -> None:
    """Figure 5: how fast each gait is gone."""
    # What stands has no speed to show.
    shown = {name: speeds for name, speeds in gaits.items() if len(speeds) and speeds.max() > STANDING}
    top = max((float(speeds.max()) for speeds in shown.values()), default=1.0)
    edges = np.linspace(0.0, max(top, 0.1), COLUMNS + 1)
    for k, (name, speeds) in enumerate(shown.items()):
        count = np.histogram(speeds, edges)[0] / len(speeds)
        axes.stairs(100 * count, edges, color=COLOURS[k % len(COLOURS)], label=name, lw=1.4)
    if shown:
        axes.legend(frameon=False, fontsize=7)
    axes.set(
        xlabel="speed [m/s]",
        ylabel="part of the gait [%]",
        title="Speeds of gaits (Figure 5)",
        xlim=0,
        ylim=0,
    )
