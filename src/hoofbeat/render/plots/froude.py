# matplotlib has no full stubs.
# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
"""Froude: the figures of Murphy, Carr and O'Neill 2010, drawn from our own predictions and runs (M10)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.errors import HoofbeatError, UnknownName
from hoofbeat.formats.adjusterfile import Adjuster
from hoofbeat.formats.planfile import Plan, read_plan
from hoofbeat.gaits.gait import family_of
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.methods.froude.method import FroudeMethod
from hoofbeat.methods.froude.model.inputs import HORSE_INPUTS, Inputs, read_inputs
from hoofbeat.methods.froude.model.piecewise import joined, mean_of, piecewise_of
from hoofbeat.methods.froude.model.similarity import (
    NATURAL_GAITS,
    PAPER_HIP,
    PRESETS,
    SYMMETRICAL,
    Prediction,
    predict,
)
from hoofbeat.methods.froude.model.stages import stages_between
from hoofbeat.records import COMMAND, SENSE, Steps
from hoofbeat.render.draw.theme import LIGHT
from hoofbeat.synthesis import synthesize

#: The plan of Table 3.
TABLE_3 = HORSE_INPUTS.with_name("table3.yaml")
#: Rows of footfall bars, from the top, and their places in LF, RF, LH, RH.
ROWS = (("FL", 0), ("HL", 2), ("HR", 3), ("FR", 1))
INK, FAINT, FORE, HIND = "#333333", "#bbbbbb", "#0072b2", "#d55e00"
ENDINGS = (".png", ".svg")
#: Segments of a piecewise curve in one line of a title.
SEGMENTS = 7
#: Steps a second of a trial, and seconds ridden before it begins.
RATE, SETTLING = 240, 6.0


class UnknownPlot(UnknownName):
    """A figure that cannot be drawn."""

    kind = "figure"


class PlotError(HoofbeatError):
    """matplotlib is missing, or the picture's ending is none of ENDINGS."""


def draw_plot(name: str, path: str | PathLike[str], hip: float | None = None) -> Path:
    """Write a figure as PNG or SVG; hip: height of the hip [m], the paper's if None."""
    if name not in FIGURES:
        raise UnknownPlot(name, FIGURES)
    if Path(fspath(path)).suffix.lower() not in ENDINGS:
        raise PlotError(f"{fspath(path)}: a figure is written as {' or '.join(ENDINGS)}")
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise PlotError("figures need matplotlib; install it with: pip install 'hoofbeat[plot]'") from None
    # Same bytes for the same figure: no date, fixed ids.
    with rc_context(
        {"svg.hashsalt": name, "font.size": 9.0, "axes.spines.top": False, "axes.spines.right": False}
    ):
        figure: Any = Figure(figsize=(7.2, 3.6), layout="constrained", dpi=130)
        FIGURES[name](figure, PAPER_HIP if hip is None else hip)
        figure.savefig(path, metadata={"Date": None} if fspath(path).lower().endswith("svg") else None)
    return Path(fspath(path))


def _ranges(hip: float) -> list[tuple[str, Prediction]]:
    """Each gait over its range of Table 1."""
    out: list[tuple[str, Prediction]] = []
    for gait in NATURAL_GAITS:
        low, high = PRESETS["paper"].borders[gait]
        out.append((gait, predict(np.linspace(max(low, 0.02), high, 120), gait, hip)))
    return out


def _velocity(figure: Any, hip: float) -> None:
    axes = figure.subplots()
    for gait, predicted in _ranges(hip):
        axes.plot(predicted.froude, predicted.speed, color=INK)
        kind = "symmetrical" if gait in SYMMETRICAL else "asymmetrical"
        axes.annotate(
            f"{gait}\n{kind}",
            (predicted.froude.mean(), predicted.speed.mean()),
            (0, -34),
            textcoords="offset points",
            ha="center",
        )
        axes.axvline(predicted.froude[-1], color=FAINT, lw=0.8, ls="--")
    axes.set(
        xlabel="Froude number",
        ylabel="velocity [m/s]",
        title=f"Velocity, hip height {hip:g} m",
        xlim=(0, 4.6),
        ylim=0,
    )


def _duties(figure: Any, hip: float) -> None:
    axes = figure.subplots()
    for n, (_, predicted) in enumerate(_ranges(hip)):
        axes.plot(predicted.froude, predicted.duty_fore, color=FORE, label=None if n else "forelimb")
        axes.plot(predicted.froude, predicted.duty_hind, color=HIND, label=None if n else "hindlimb")
    axes.set(
        xlabel="Froude number", ylabel="duty factor", title="Duty factors", xlim=(0, 4.6), ylim=(0.3, 1.0)
    )
    axes.legend(frameon=False)


def _lengths(figure: Any, hip: float) -> None:
    axes = figure.subplots()
    for _, predicted in _ranges(hip):
        axes.plot(predicted.froude, predicted.relative_stride, color=INK)
    axes.set(
        xlabel="Froude number",
        ylabel="stride length / hip height",
        title="Relative stride length",
        xlim=(0, 4.6),
        ylim=0,
    )


def _frequencies(figure: Any, hip: float) -> None:
    axes = figure.subplots()
    for _, predicted in _ranges(hip):
        axes.plot(predicted.froude, predicted.frequency, color=INK)
    axes.set(
        xlabel="Froude number",
        ylabel="strides a second",
        title=f"Stride frequency, hip height {hip:g} m",
        xlim=(0, 4.6),
        ylim=0,
    )


def _sinusoids(figure: Any, hip: float) -> None:
    del hip
    wave = read_inputs().bases["walk"].fore["elbow"]
    t = np.linspace(0, 1, 300)
    left, right = figure.subplots(1, 2, sharex=True)
    for k, amplitude, phase in wave.parts:
        left.plot(100 * t, amplitude * np.sin(2 * np.pi * (k * t + phase)), label=f"{k} a cycle")
    left.set(xlabel="stage", ylabel="elbow [deg]", title="sinusoids")
    left.legend(frameon=False, fontsize=7)
    right.plot(100 * t, wave.at(t), color=INK)
    right.axhline(wave.mean, color=FAINT, lw=0.8)
    right.set(xlabel="stage", title="their sum: the elbow at walk")


def _piecewise(figure: Any, hip: float) -> None:
    del hip
    wave = read_inputs().bases["walk"].fore["elbow"]
    curve = piecewise_of(wave, 12).rounded(1)
    axes = figure.subplots()
    stage = np.linspace(0, 100, 400)
    axes.plot(stage, curve.at(stage), color=INK)
    axes.plot(stage, wave.at(stage / 100), color=FORE, lw=0.8, ls="--")
    axes.plot(
        [one.position for one in curve.segments], [one.value for one in curve.segments], "o", color=HIND, ms=4
    )
    axes.set(xlabel="stage", ylabel="elbow [deg]")
    # One line of all segments is wider than the page.
    parts = str(curve).split("  ")
    lines = ["   ".join(parts[k : k + SEGMENTS]) for k in range(0, len(parts), SEGMENTS)]
    axes.set_title("\n".join(lines), fontsize=7.0, loc="left")


def _join(figure: Any, hip: float) -> None:
    del hip
    bases = read_inputs().bases
    before, after = bases["walk"].hind["hip"], bases["trot"].hind["hip"]
    stages = stages_between("walk", "trot")["HL"]
    axes = figure.subplots()
    stage = np.linspace(-100, 0, 200)
    axes.plot(stage, before.at(stage / 100), color=FORE, label="walk")
    stage = np.linspace(0, stages, 200)
    axes.plot(stage, mean_of(before, after).at(stage / stages), color=FAINT, ls="--", label="mean of both")
    axes.plot(stage, joined(before, after, stages).at(stage), color=INK, label=f"transition, {stages} stages")
    stage = np.linspace(stages, stages + 100, 200)
    axes.plot(stage, after.at((stage - stages) / 100), color=HIND, label="trot")
    axes.set(xlabel="stage", ylabel="left hip [deg]", title="A piecewise curve joins two cycles")
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))


@dataclass(frozen=True)
class Footfalls:
    """Contacts (T, 4) of a run at strides (T,), counted by the left fore, and gait names (T,)."""

    strides: NDArray[np.float64]
    contacts: NDArray[np.bool_]
    gaits: list[str]


def footfalls(plan: str | PathLike[str] = TABLE_3) -> Footfalls:
    """The run of a plan, as Figure 11 shows it."""
    clip = synthesize(read_plan(plan))
    phase = np.asarray(clip.extras["phase"])[:, 0].astype(float)
    wraps = np.concatenate([[0], np.cumsum(np.diff(phase) < -0.5)])
    contacts = clip.contacts
    if contacts is None:
        raise HoofbeatError("the run has no contacts")
    return Footfalls(wraps + phase, np.asarray(contacts) > 0.5, [str(name) for name in clip.extras["gait"]])


def _bars(figure: Any, hip: float) -> None:
    del hip
    falls = footfalls()
    figure.set_size_inches(9.0, 5.4)
    last = int(np.ceil(falls.strides[-1]))
    lines = 4
    each = int(np.ceil(last / lines))
    for line, axes in enumerate(figure.subplots(lines, 1)):
        _bar_line(axes, falls, line * each, each)
    figure.suptitle("Footfalls of the run of Table 3, a standard cycle between two lines", fontsize=10)


def _bar_line(axes: Any, falls: Footfalls, first: int, count: int) -> None:
    for row, (_, leg) in enumerate(ROWS):
        down = np.concatenate([[False], falls.contacts[:, leg], [False]])
        edges = np.flatnonzero(np.diff(down.astype(int)))
        starts, ends = edges[::2], np.minimum(edges[1::2], len(falls.strides) - 1)
        spans = [
            (falls.strides[a], falls.strides[b] - falls.strides[a]) for a, b in zip(starts, ends, strict=True)
        ]
        axes.broken_barh(
            spans, (-row - 0.32, 0.64), color=tuple(value / 255 for value in LIGHT.legs[leg]), lw=0
        )
    for n in range(first, first + count + 1):
        axes.axvline(n, color=FAINT, lw=0.8)
    middles = first + np.arange(count) + 0.5
    for x in middles[middles < falls.strides[-1]]:
        name = falls.gaits[int(np.searchsorted(falls.strides, x))]
        axes.text(x, 0.55, family_of(name), ha="center", fontsize=6.5, color=INK)
    axes.set(
        xlim=(first, first + count),
        ylim=(-3.5, 1.1),
        yticks=[0, -1, -2, -3],
        yticklabels=[name for name, _ in ROWS],
    )
    axes.tick_params(bottom=False, labelbottom=False, left=False)
    axes.spines[["left", "bottom"]].set_visible(False)


@dataclass(frozen=True)
class Trial:
    """A joint's angle as the method gives it, before any leg is solved, over a run (Figure 12).

    strides (T,) by the left fore; time (T,) [s]; angle (T,) [rad] about the lateral axis; changes: where
    gaits are shown to change and to what.
    """

    strides: NDArray[np.float64]
    time: NDArray[np.float64]
    angle: NDArray[np.float64]
    changes: tuple[tuple[int, str], ...]


def one_base(inputs: Inputs, gait: str = "trot") -> Inputs:
    """The inputs with one gait's base cycle, and its adjuster, for all gaits: what changes is the
    adjuster's. Ranges end where the paper's gallop does: an adjuster is not made for ten times its speed."""
    base, adjuster = inputs.bases[gait], inputs.adjusters[gait]
    fastest = max(high for _, high in inputs.presets["paper"].borders.values())
    adjusters = {
        name: Adjuster(name, (own.froude[0], min(own.froude[1], fastest)), adjuster.expressions)
        for name, own in inputs.adjusters.items()
    }
    return replace(
        inputs,
        bases=MappingProxyType({name: base for name in inputs.bases}),
        adjusters=MappingProxyType(adjusters),
    )


def run_trial(inputs: Inputs, plan: Plan, leg: str, joint: str) -> Trial:
    """Ride a plan's Froude numbers by cycles of the left fore; leg: LF to RH, joint: "top", "mid" or
    "low"."""
    method = FroudeMethod(inputs, "paper")
    skeleton = method.skeleton
    node = getattr(next(one for one in skeleton.legs if one.name == leg), joint)
    state = np.zeros(1, method.state_dtype)
    method.init(state, np.zeros(1, np.int64), 0)
    command, sense, out = np.zeros(1, COMMAND), np.zeros(1, SENSE), Steps.empty(1, len(skeleton))
    command["gait"] = command["action"] = -1
    strides: list[float] = []
    angle: list[float] = []
    changes: list[tuple[int, str]] = []
    done = -SETTLING * RATE
    until = 0.0
    for segment in plan.segments:
        command["speed"] = np.sqrt((segment.froude or 0.0) * GRAVITY * method.tables.hip)
        until += segment.length
        while done < 0 or float(state["strides"][0]) < until:
            method.step(state, command, sense, 1 / RATE, out)
            done += 1
            if done < 0:
                continue
            if done == 0:
                state["strides"] = 0.0
            name = method.gaits[int(out.rows["gait"][0])]
            if not changes or changes[-1][1] != name:
                changes.append((len(angle), name))
            x, w = out.rotations[0, node, 0], out.rotations[0, node, 3]
            strides.append(float(state["strides"][0]))
            angle.append(2 * float(np.arctan2(x, w)))
    return Trial(np.array(strides), np.arange(len(angle)) / RATE, np.array(angle), tuple(changes))


def _humerus(figure: Any, hip: float) -> None:
    del hip
    trial: Trial = run_trial(one_base(read_inputs()), read_plan(TABLE_3), "RF", "top")
    top, low = figure.subplots(2, 1)
    figure.set_size_inches(9.0, 4.6)
    top.plot(trial.strides, np.degrees(trial.angle), color=INK, lw=0.9)
    walk = trial.time[np.searchsorted(trial.strides, 1.0)]
    low.plot(trial.time / walk, np.degrees(trial.angle), color=INK, lw=0.9)
    for edge, name in trial.changes:
        top.axvline(trial.strides[edge], color=FAINT, lw=0.8)
        low.axvline(trial.time[edge] / walk, color=FAINT, lw=0.8)
        top.text(trial.strides[edge] + 0.05, top.get_ylim()[1], family_of(name), fontsize=7, va="top")
    top.set(
        xlabel="standard gait cycles",
        ylabel="humerus [deg]",
        title="Right humerus in the run of Table 3, one base cycle for all gaits",
    )
    low.set(xlabel="time [walk cycles]", ylabel="humerus [deg]")


#: Every figure that can be drawn.
FIGURES: dict[str, Callable[[Any, float], None]] = {
    "fig2": _velocity,
    "fig3": _duties,
    "fig4": _lengths,
    "fig5": _frequencies,
    "fig7": _sinusoids,
    "fig8": _piecewise,
    "fig9": _join,
    "fig11": _bars,
    "fig12": _humerus,
}
