"""Graphs of a checked clip: hoof paths from the side, and the trunk's height over a stride."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import LEGS
from hoofbeat.render.draw.canvas import Canvas
from hoofbeat.render.draw.theme import Colour, Theme, mix
from hoofbeat.render.pages.checkcycle import POINTS, Beside, CycleDrawing
from hoofbeat.render.pages.footfall import ROWS

#: Heights of hoof paths are drawn this many times as high as lengths, the first that fits.
LIFTS = (4, 3, 2, 1)
#: How wide the band of the real horses is, in standard deviations between them.
BAND = 2.0
#: Steps between lines of a scale; the smallest that leaves space is used.
STEPS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Box:
    """A rectangle of a page [px], and the size of its unit [px]."""

    left: float
    top: float
    right: float
    bottom: float
    unit: float

    @property
    def width(self) -> float:
        """Width [px]."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Height [px]."""
        return self.bottom - self.top

    def letters(self, size: float) -> int:
        """Letters of `size` units [px]."""
        return max(8, round(size * self.unit))


def paint_paths(canvas: Canvas, cycle: CycleDrawing, real: Beside | None, box: Box, theme: Theme) -> int:
    """Paths of the four feet from the side, forward to the right; thick where the foot is down.

    Returns how many times as high as lengths the heights are drawn.
    """
    canvas.rectangle(box.left, box.top, box.right, box.bottom, theme.row)
    path = cycle.path
    low, high = path[..., 0].min(), path[..., 0].max()
    lift = max(float(cycle.feet[..., 1].max()), 1e-6)
    span = max(float(high - low), 1e-6)
    space, wide = 0.7 * box.height, 0.94 * box.width / span
    times = next((k for k in LIFTS if k * lift * wide <= space), LIFTS[-1])
    scale = min(wide, space / (times * lift))
    ground = box.bottom - 36 * box.unit
    middle = (box.left + box.right) / 2 - (low + high) / 2 * scale

    def pixels(points: Floats) -> Floats:
        return np.stack([middle + points[..., 0] * scale, ground - times * points[..., 1] * scale], axis=-1)

    _paint_grid(canvas, box, theme, middle, scale, ground)
    if real is not None:
        for k, leg in enumerate(LEGS):
            _dashed(canvas, pixels(_real_path(path[:, k], real, leg)), theme.quiet, 1.6 * box.unit)
    for k in range(4):
        pale = mix(theme.legs[k], theme.row, 0.72)
        for one in cycle.feet[:, :, k]:
            canvas.line(pixels(one), pale, 1.2 * box.unit)
    for k in (2, 0, 3, 1):
        points = pixels(path[:, k])
        canvas.line(points, theme.legs[k], 2.2 * box.unit)
        down = _down(cycle.stance[k])
        for start, stop in down:
            canvas.line(points[start : stop + 1], theme.legs[k], 7 * box.unit)
    for left, right in ((0, 1), (2, 3)):
        _paint_names(canvas, [pixels(path[:, k]) for k in (left, right)], (left, right), box, theme)
    return times


def paint_height(
    canvas: Canvas, cycle: CycleDrawing, column: int, real: Beside | None, box: Box, theme: Theme
) -> None:
    """Height of withers (column 0) or croup (1) about its mean over the stride, stances of the feet below."""
    bars = 34 * box.unit
    graph = Box(box.left, box.top, box.right, box.bottom - bars, box.unit)
    canvas.rectangle(graph.left, graph.top, graph.right, graph.bottom, theme.row)
    each = cycle.trunk[..., column]
    mean = each.mean(axis=0)
    each = each - each.mean(axis=1, keepdims=True)
    marker = ("withers", "sacrum")[column]
    middle = spread = None
    if real is not None:
        middle, spread = real.mean(marker, "z"), BAND * real.spread(marker, "z")
    most = max(float(np.abs(each).max()), 1e-3)
    if middle is not None and spread is not None:
        most = max(most, float((np.abs(middle) + spread).max()))
    scale = 0.44 * graph.height / most
    zero = (graph.top + graph.bottom) / 2
    xs = np.linspace(graph.left, graph.right, POINTS)
    _paint_scale(canvas, graph, theme, zero, scale)
    if middle is not None and spread is not None:
        top, bottom = zero - (middle + spread) * scale, zero - (middle - spread) * scale
        outline = np.concatenate([np.stack([xs, top], 1), np.stack([xs, bottom], 1)[::-1]])
        canvas.polygon(outline, mix(theme.quiet, theme.row, 0.62))
        _dashed(canvas, np.stack([xs, zero - middle * scale], 1), theme.quiet, 1.6 * box.unit)
    for one in each:
        canvas.line(np.stack([xs, zero - one * scale], 1), mix(theme.text, theme.row, 0.75), 1.2 * box.unit)
    curve = mean - mean.mean()
    canvas.line(np.stack([xs, zero - curve * scale], 1), theme.text, 3.2 * box.unit)
    under = Box(box.left, graph.bottom + 5 * box.unit, box.right, box.bottom, box.unit)
    _paint_stances(canvas, cycle, under, theme)


def paint_times(
    canvas: Canvas, seconds: Floats, curves: Floats, colours: Sequence[Colour], box: Box, theme: Theme
) -> None:
    """Heights (T, K) [m] over time (T,) [s], from the ground up; for a clip without strides."""
    canvas.rectangle(box.left, box.top, box.right, box.bottom, theme.row)
    foot = box.bottom - 30 * box.unit
    most = max(float(curves.max()), 1e-3)
    scale = 0.92 * (foot - box.top) / most
    step = _step(scale, 44 * box.unit)
    for i in range(int((foot - box.top) / scale / step) + 1):
        y = foot - i * step * scale
        canvas.line([(box.left, y), (box.right, y)], theme.grid if i else theme.line, 1.2 * box.unit)
        canvas.text(box.left - 8 * box.unit, y, f"{100 * i * step:.3g}", box.letters(17), theme.quiet, "rm")
    start, stop = float(seconds[0]), max(float(seconds[-1]), float(seconds[0]) + 1e-6)
    xs = box.left + (seconds - start) / (stop - start) * box.width
    step = _step(box.width / (stop - start), 80 * box.unit)
    for i in range(math.ceil(start / step), math.floor(stop / step) + 1):
        x = box.left + (i * step - start) / (stop - start) * box.width
        if x < box.right - 24 * box.unit:
            canvas.text(x, foot + 6 * box.unit, f"{i * step:.3g} s", box.letters(17), theme.quiet, "ma")
    for k, colour in enumerate(colours):
        canvas.line(np.stack([xs, foot - curves[:, k] * scale], axis=1), colour, 2.4 * box.unit)


def _real_path(path: Floats, real: Beside, leg: str) -> Floats:
    """The real horses' mean path (P, 2), about the place of this one and on the same ground."""
    x, z = real.mean(leg, "x"), real.mean(leg, "z")
    return np.stack([x + path[:-1, 0].mean(), z - z.min()], axis=1)


def _down(stance: Floats) -> list[tuple[int, int]]:
    """Points from touchdown to lift-off, one or two runs, since a stance may go past the end of a stride."""
    touchdown, duty = stance
    if not (math.isfinite(touchdown) and math.isfinite(duty)):
        return []
    last = POINTS - 1
    start, stop = round(touchdown * last), round((touchdown + min(duty, 1.0)) * last)
    return [(start, stop)] if stop <= last else [(start, last), (0, stop - last)]


def _paint_stances(canvas: Canvas, cycle: CycleDrawing, box: Box, theme: Theme) -> None:
    """Four thin bars, LH, LF, RF, RH from the top."""
    row = box.height / 4
    for line, k in enumerate(ROWS):
        y = box.top + line * row
        canvas.rectangle(box.left, y + 0.2 * row, box.right, y + 0.9 * row, theme.row)
        for start, stop in _down(cycle.stance[k]):
            left, right = (box.left + i / (POINTS - 1) * box.width for i in (start, stop))
            canvas.rectangle(left, y + 0.2 * row, right, y + 0.9 * row, theme.legs[k])


def _paint_grid(canvas: Canvas, box: Box, theme: Theme, middle: float, scale: float, ground: float) -> None:
    """Lines across at every step of length, and the ground."""
    step = _step(scale, 90 * box.unit)
    first = math.ceil((box.left - middle) / scale / step)
    last = math.floor((box.right - middle) / scale / step)
    for i in range(first, last + 1):
        x = middle + i * step * scale
        canvas.line([(x, box.top), (x, ground)], theme.grid, 1.2 * box.unit)
        words = "0" if i == 0 else f"{i * step:+.3g}"
        if box.left + 30 * box.unit < x < box.right - 70 * box.unit:
            canvas.text(x, ground + 8 * box.unit, words, box.letters(17), theme.quiet, "ma")
    canvas.text(box.right - 12 * box.unit, ground + 8 * box.unit, "m", box.letters(17), theme.quiet, "ra")
    canvas.line([(box.left, ground), (box.right, ground)], theme.line, 1.4 * box.unit)


def _paint_scale(canvas: Canvas, box: Box, theme: Theme, zero: float, scale: float) -> None:
    """Lines at every step of height, named in centimetres, and quarters of the stride."""
    for quarter in (0.25, 0.5, 0.75):
        x = box.left + quarter * box.width
        canvas.line([(x, box.top), (x, box.bottom)], theme.grid, 1.2 * box.unit)
    step = _step(scale, 44 * box.unit)
    count = int((zero - box.top) / scale / step)
    for i in range(-count, count + 1):
        y = zero - i * step * scale
        canvas.line([(box.left, y), (box.right, y)], theme.grid, 1.2 * box.unit)
        if box.top + 8 * box.unit < y < box.bottom - 8 * box.unit:
            words = "0" if i == 0 else f"{100 * i * step:+.3g}"
            canvas.text(box.left - 8 * box.unit, y, words, box.letters(17), theme.quiet, "rm")


def _paint_names(
    canvas: Canvas, paths: Sequence[Floats], legs: tuple[int, int], box: Box, theme: Theme
) -> None:
    """The names of a pair of legs at the top of their paths, the one farther back on the left."""
    tops = [path[int(np.argmin(path[:, 1]))] for path in paths]
    order = sorted((0, 1), key=lambda k: float(tops[k][0]))
    shift = max(0.0, 52 * box.unit - abs(float(tops[0][0] - tops[1][0]))) / 2
    for k, aside in zip(order, (-shift, shift), strict=True):
        x = float(tops[k][0]) + aside
        y = max(float(tops[k][1]) - 12 * box.unit, box.top + 26 * box.unit)
        # A patch below the letters keeps them clear of the curves.
        canvas.rectangle(x - 17 * box.unit, y - 18 * box.unit, x + 17 * box.unit, y + 3 * box.unit, theme.row)
        canvas.text(x, y, LEGS[legs[k]], box.letters(20), theme.legs[legs[k]], "ms")


def _step(scale: float, space: float) -> float:
    return next((step for step in STEPS if step * scale >= space), STEPS[-1])


def _dashed(canvas: Canvas, points: Floats, colour: Colour, width: float) -> None:
    """A polyline (N, 2) in dashes of one length."""
    steps = np.hypot(*np.diff(points, axis=0).T)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    dash = 7 * width
    for start in np.arange(0.0, float(along[-1]), 1.7 * dash):
        at = np.linspace(start, min(start + dash, float(along[-1])), 5)
        canvas.line(np.stack([np.interp(at, along, points[:, k]) for k in (0, 1)], axis=1), colour, width)
