# matplotlib has no full stubs.
# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
"""Figures of networks: Figures 6, 8 and 9 of Zhang et al. 2018 for networks of ours, and Table 2 as bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from hoofbeat.errors import HoofbeatError

#: Colours that the colour-blind can distinguish (Okabe and Ito).
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#f0e442", "#000000")
FAINT = "#bbbbbb"
ENDINGS = (".png", ".svg")


class NeuralPlotError(HoofbeatError):
    """matplotlib is missing, or the picture's ending is none of ENDINGS."""


def draw_losses(path: str | PathLike[str], runs: Mapping[str, Mapping[str, Sequence[float]]]) -> Path:
    """Figure 6: losses of training runs by name, "train" full and "test" dashed, an epoch a value."""

    def fill(figure: Any) -> None:
        axes = figure.subplots()
        for k, (name, run) in enumerate(runs.items()):
            colour = COLOURS[k % len(COLOURS)]
            for key, style in (("train", "-"), ("test", "--")):
                curve = run[key]
                label = name if key == "train" else None
                axes.semilogy(np.arange(1, len(curve) + 1), curve, style, color=colour, lw=1.2, label=label)
        axes.legend(frameon=False, fontsize=7)
        axes.set(xlabel="epoch", ylabel="mean squared error", title="Loss, dashed on test clips (Figure 6)")

    return _drawn(path, (7.2, 3.6), fill)


def draw_gates(path: str | PathLike[str], modes: Sequence[Mapping[str, Any]], fps: float) -> Path:
    """Figure 9: how much each expert counts; modes: "mode", "curves" (T, K), and what it really was: "shows",
    "speed" [m/s]."""

    def fill(figure: Any) -> None:
        grid = figure.subplots(2, -(-len(modes) // 2), sharey=True, squeeze=False)
        for axes, one in zip(grid.ravel(), modes, strict=False):
            curves = np.array(one["curves"])
            for k in range(curves.shape[1]):
                colour = COLOURS[k % len(COLOURS)]
                axes.plot(np.arange(len(curves)) / fps, curves[:, k], color=colour, lw=1.2, label=f"{k + 1}")
            axes.set(title=f"{one['mode']} ({one['shows']}, {one['speed']:.1f} m/s)", ylim=(0, 1), xlabel="s")
        grid[0, 0].set_ylabel("coefficient")
        figure.legend(
            *grid[0, 0].get_legend_handles_labels(), loc="outside right", frameon=False, title="expert"
        )

    return _drawn(path, (9.0, 4.2), fill)


def draw_paths(
    path: str | PathLike[str],
    paths: Mapping[str, Any],
    gone: Mapping[str, Sequence[tuple[str, Sequence[Sequence[float]]]]],
) -> Path:
    """Figure 8: paths (M, 2) by name, and where animals went on each: label and places (T, 2)."""

    def fill(figure: Any) -> None:
        grid = figure.subplots(1, len(paths), squeeze=False)[0]
        for axes, (name, points) in zip(grid, paths.items(), strict=True):
            loop = np.concatenate([np.asarray(points), np.asarray(points)[:1]])
            axes.plot(loop[:, 0], loop[:, 1], color=FAINT, lw=4)
            for k, (label, places) in enumerate(gone.get(name, ())):
                at = np.array(places)
                axes.plot(at[:, 0], at[:, 1], color=COLOURS[k % len(COLOURS)], lw=0.9, label=label)
            axes.set(title=name, aspect="equal", xlabel="m")
        figure.legend(*grid[0].get_legend_handles_labels(), loc="outside right", frameon=False)

    return _drawn(path, (10.0, 3.0), fill)


def draw_bars(
    path: str | PathLike[str],
    unit: str,
    groups: Sequence[str],
    bars: Mapping[str, Sequence[tuple[float, float]]],
) -> Path:
    """Bars by name: a height and its spread for each group."""

    def fill(figure: Any) -> None:
        axes = figure.subplots()
        width = 0.8 / max(len(bars), 1)
        for k, (name, values) in enumerate(bars.items()):
            heights, spreads = np.array(values, np.float64).T
            at = np.arange(len(groups)) + (k - (len(bars) - 1) / 2) * width
            colour = FAINT if name == "recordings" else COLOURS[(k - 1) % len(COLOURS)]
            axes.bar(at, heights, width, yerr=spreads, color=colour, label=name, error_kw={"lw": 0.8})
        axes.set(xticks=np.arange(len(groups)), xticklabels=groups, ylabel=unit)
        figure.legend(loc="outside right", frameon=False)

    return _drawn(path, (8.4, 3.2), fill)


def _drawn(path: str | PathLike[str], size: tuple[float, float], fill: Callable[[Any], None]) -> Path:
    """Write one figure as PNG or SVG."""
    if Path(fspath(path)).suffix.lower() not in ENDINGS:
        raise NeuralPlotError(f"{fspath(path)}: a figure is written as {' or '.join(ENDINGS)}")
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise NeuralPlotError(
            "figures need matplotlib; install it with: pip install 'hoofbeat[plot]'"
        ) from None
    # Same bytes for the same figure: no date, fixed ids.
    with rc_context(
        {"svg.hashsalt": "neural", "font.size": 9.0, "axes.spines.top": False, "axes.spines.right": False}
    ):
        figure: Any = Figure(figsize=size, layout="constrained", dpi=110)
        fill(figure)
        figure.savefig(path, metadata={"Date": None} if fspath(path).lower().endswith("svg") else None)
    return Path(fspath(path))
