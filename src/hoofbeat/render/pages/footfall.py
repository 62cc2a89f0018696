"""Footfall: Hildebrand's bars, a row for each leg (LH, LF, RF, RH from the top), filled while it is down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from hoofbeat.body.clip import Clip
from hoofbeat.body.root import ground_speed
from hoofbeat.body.skeleton import LEGS
from hoofbeat.errors import ClipError
from hoofbeat.render.draw.canvas import Canvas
from hoofbeat.render.draw.layout import UNIT_WIDTH, check_width
from hoofbeat.render.draw.scene import CONTACT, gait_labels, need_frames, stances
from hoofbeat.render.draw.theme import Colour, Theme, mix, theme_of
from hoofbeat.render.files import save_png, target_of

#: Rows from the top, as indices into LF, RF, LH, RH.
ROWS = (2, 0, 1, 3)
#: Steps between time ticks [s]; the smallest that leaves space is used.
TIME_STEPS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 600.0, 3600.0)
#: Heights in units: gait names above, one row, time axis below.
GAIT_LINE, ROW, AXIS = 15.0, 15.0, 16.0
#: Letters are not made smaller than this [px]; the axis then is higher than its units say.
LEAST_LETTERS = 9
#: Time range of the bars under a moving picture [s], and where in it the present is.
BARS_SECONDS, BARS_NOW = 3.0, 0.6


@dataclass(frozen=True)
class Strip:
    """Where bars are drawn: left, top and right [px], what time range [s], and the size of a unit [px].

    The legs' names stand left of the bars. A row is `row` units high; `names` is the height of the line of
    gait names above, in units.
    """

    left: float
    top: float
    right: float
    start: float
    stop: float
    unit: float
    row: float = ROW
    names: float = GAIT_LINE

    @property
    def rows_top(self) -> float:
        """Top of the first row [px]."""
        return self.top + self.names * self.unit

    @property
    def rows_bottom(self) -> float:
        """Bottom of the last row [px]."""
        return self.rows_top + 4 * self.row * self.unit

    @property
    def height(self) -> float:
        """Height [px] with gait names and time axis."""
        return strip_height(self.unit, self.row, self.names)

    def x(self, second: float) -> float:
        """Pixel of a time [s], unclipped."""
        share = (second - self.start) / max(self.stop - self.start, 1e-9)
        return self.left + share * (self.right - self.left)

    def clip_x(self, second: float) -> float:
        """Pixel of a time [s], kept inside the strip."""
        return min(max(self.x(second), self.left), self.right)


def strip_height(unit: float, row: float = ROW, names: float = GAIT_LINE) -> float:
    """Height [px] of a strip with its gait names and axis."""
    # Below the rows: 4 units of ticks, then letters with what hangs below their line.
    axis = max(AXIS * unit, 4 * unit + 1.25 * letters_of(unit))
    return (names + 4 * row) * unit + axis


def letters_of(unit: float) -> int:
    """Height [px] of a strip's letters."""
    return max(LEAST_LETTERS, round(11 * unit))


def range_about(now: float, seconds: float) -> tuple[float, float]:
    """First and last time [s] of the bars under a moving picture of so many seconds, at `now` [s].

    The range follows the present, and stops at both ends of the clip: a strip is always full.
    """
    span = min(BARS_SECONDS, seconds)
    start = min(max(now - BARS_NOW * span, 0.0), seconds - span)
    return start, start + span


@dataclass(frozen=True)
class Bars:
    """What a strip shows of a clip, in seconds: its length, stances of LF, RF, LH, RH and gaits."""

    seconds: float
    stances: tuple[tuple[tuple[float, float], ...], ...]
    gaits: tuple[tuple[float, float, str], ...]


def bars_of(clip: Clip, names: Sequence[str] = ()) -> Bars:
    """Read the bars out of a clip; `names` give words to a `gait` extra that holds indices.

    A frame lasts until the next one, so a stance ends one frame after its last contact.
    """
    labels = gait_labels(clip, names)
    starts = [i for i in range(len(labels)) if i == 0 or labels[i] != labels[i - 1]]
    gaits = zip(starts, [*starts[1:], len(labels)], strict=True)
    return Bars(
        clip.seconds,
        tuple(tuple((a / clip.fps, (b + 1) / clip.fps) for a, b in stances(clip, leg)) for leg in range(4)),
        tuple((a / clip.fps, b / clip.fps, labels[a]) for a, b in gaits),
    )


def accents_of(theme: Theme) -> tuple[Colour, ...]:
    """The colours of bars: of the legs, and pale as they are after the present."""
    return (*theme.legs, *(pale(theme, leg) for leg in range(4)))


def pale(theme: Theme, leg: int) -> Colour:
    """Colour of a leg's bar that is still to come."""
    return mix(theme.legs[leg], theme.row, 0.62)


def paint_bars(canvas: Canvas, bars: Bars, strip: Strip, theme: Theme, now: float | None = None) -> None:
    """Rows, bars, gait names and time axis; bars later than `now` [s] are pale, with a line at `now`."""
    unit = strip.unit
    first, last = strip.clip_x(0.0), strip.clip_x(bars.seconds)
    for i, leg in enumerate(ROWS):
        y = strip.rows_top + i * strip.row * unit
        canvas.rectangle(first, y + unit, last, y + (strip.row - 1) * unit, theme.row)
        middle = y + strip.row * unit / 2
        canvas.text(strip.left - 8 * unit, middle, LEGS[leg], letters_of(strip.unit), theme.text, "rm")
        for start, stop in bars.stances[leg]:
            if stop > strip.start and start < strip.stop:
                split = stop if now is None else min(max(now, start), stop)
                top, bottom = y + 2 * unit, y + (strip.row - 2) * unit
                canvas.rectangle(strip.clip_x(start), top, strip.clip_x(split), bottom, theme.legs[leg])
                canvas.rectangle(strip.clip_x(split), top, strip.clip_x(stop), bottom, pale(theme, leg))
    _paint_axis(canvas, bars, strip, theme)
    _paint_gaits(canvas, bars, strip, theme)
    if now is not None:
        x, top = strip.x(now), strip.rows_top - 2 * unit
        canvas.line([(x, top - unit), (x, strip.rows_bottom + 2 * unit)], theme.text, 1.5 * unit)
        canvas.polygon([(x - 4 * unit, top - 5 * unit), (x + 4 * unit, top - 5 * unit), (x, top)], theme.text)


def _paint_axis(canvas: Canvas, bars: Bars, strip: Strip, theme: Theme) -> None:
    rate = (strip.right - strip.left) / max(strip.stop - strip.start, 1e-9)
    step = next((s for s in TIME_STEPS if s * rate >= 46 * strip.unit), TIME_STEPS[-1])
    size = letters_of(strip.unit)
    first = int(np.ceil(max(strip.start, 0.0) / step - 1e-9))
    last = int(np.floor(min(strip.stop, bars.seconds) / step + 1e-9))
    for i in range(first, last + 1):
        x = strip.x(i * step)
        foot = strip.rows_bottom + 3 * strip.unit
        canvas.line([(x, strip.rows_bottom), (x, foot)], theme.quiet, strip.unit)
        canvas.text(x, foot + strip.unit, f"{i * step:g} s", size, theme.quiet, "ma")


def _paint_gaits(canvas: Canvas, bars: Bars, strip: Strip, theme: Theme) -> None:
    """Names where a gait begins, or at the left edge for the one already begun; none where they would
    touch."""
    y, size = strip.top + (GAIT_LINE - 4) * strip.unit, letters_of(strip.unit)
    for start, stop, words in bars.gaits:
        left, right = strip.clip_x(start), strip.clip_x(stop)
        if not words or right - left < 0.62 * size * len(words):
            continue
        begins = start > 0 and left > strip.left
        if begins:
            canvas.line([(left, y - size), (left, strip.rows_bottom)], theme.quiet, strip.unit)
        canvas.text(left + (4 * strip.unit if begins else 0), y, words, size, theme.text)


def footfall_picture(
    clip: Clip,
    path: str | PathLike[str],
    width: int = 960,
    *,
    theme: str | Theme = "light",
    gait_names: Sequence[str] = (),
) -> Path:
    """Draw the footfall diagram of a whole clip (PNG): bars, share of time down, gait and speed [m/s].

    `width` [px]; `gait_names` give words to a clip whose `gait` extra holds indices. Returns the path.
    """
    target_of(path, (".png",))
    need_frames(clip)
    width = check_width(width)
    if clip.contacts is None or not clip.skeleton.legs:
        missing = "contacts" if clip.contacts is None else "named legs"
        raise ClipError(f"clip {clip.name!r} has no {missing}; footfall bars need the contacts of four legs")
    look, unit = theme_of(theme), max(width / (1.5 * UNIT_WIDTH), 0.5)
    strip = Strip(44 * unit, 40 * unit, width - 58 * unit, 0.0, clip.seconds, unit, row=24.0)
    graph_top = strip.top + strip.height + 10 * unit
    height = round(graph_top + 66 * unit)
    canvas = Canvas(width, height, look.paper)
    canvas.text(14 * unit, 28 * unit, clip.name, max(11, round(17 * unit)), look.text)
    canvas.text(width - 14 * unit, 28 * unit, "hoof on the ground", letters_of(strip.unit), look.quiet, "rs")
    paint_bars(canvas, bars_of(clip, gait_names), strip, look)
    for i, leg in enumerate(ROWS):
        y = strip.rows_top + (i + 0.5) * strip.row * unit
        share = float((clip.contacts[:, leg] > CONTACT).mean())
        canvas.text(
            strip.right + 8 * unit, y, f"{100 * share:.0f} %", letters_of(strip.unit), look.text, "lm"
        )
    _paint_speed(canvas, clip, strip, look, graph_top, 46 * unit)
    return save_png(canvas.finish(), path)


def _paint_speed(canvas: Canvas, clip: Clip, strip: Strip, theme: Theme, top: float, height: float) -> None:
    """Speed over time as a line on a scale that begins at zero."""
    values = ground_speed(clip)
    most = max(float(np.max(values)), 1e-3)
    picked = np.unique(np.linspace(0, len(values) - 1, min(len(values), 2000)).astype(np.int64))
    xs = np.array([strip.x(float(i) / clip.fps) for i in picked])
    ys = top + height * (1 - values[picked] / (1.1 * most))
    canvas.rectangle(strip.left, top, strip.right, top + height, theme.row)
    if len(picked) > 1:
        canvas.line(np.stack([xs, ys], axis=1), theme.text, 1.6 * strip.unit)
    size = letters_of(strip.unit)
    canvas.text(strip.left - 8 * strip.unit, top + height / 2, "m/s", size, theme.text, "rm")
    peak = top + height * (1 - 1 / 1.1)
    canvas.text(strip.right + 8 * strip.unit, peak, f"{most:.1f}", size, theme.text, "lm")
    canvas.text(strip.right + 8 * strip.unit, top + height, "0", size, theme.quiet, "lm")
