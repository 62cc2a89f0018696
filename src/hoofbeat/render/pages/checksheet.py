"""Check sheet: one page about a checked clip: footfalls, poses of a stride, hoof paths, heights, measures."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
from PIL import Image

from hoofbeat.check.motion import Motion
from hoofbeat.check.report import Report, mark_of, strain, value_text, worst_first
from hoofbeat.render.draw.canvas import Canvas
from hoofbeat.render.draw.scene import DrawnScene
from hoofbeat.render.draw.shot import shot_of
from hoofbeat.render.draw.theme import PictureError, Theme, font, theme_of
from hoofbeat.render.files import save_png, target_of
from hoofbeat.render.pages.checkcycle import beside, cycle_drawing
from hoofbeat.render.pages.checkgraph import BAND, Box, paint_height, paint_paths, paint_times
from hoofbeat.render.pages.checkposes import POSES, middle_stride, panel_of, pose_picture, stride_poses
from hoofbeat.render.pages.footfall import Bars, Strip, paint_bars, strip_height

#: Widths [px] a sheet may have.
WIDTHS = (1000, 6000)
#: All lengths below are in units, of which a page is so many wide.
WIDE = 2000.0
MARGIN, GUTTER, HEADING = 64.0, 48.0, 40.0
#: Where the title ends, and where the table of measures begins.
TITLE, TABLE = 206.0, 1176.0
#: Room for a heading of the poses and for the words below them.
POSES_HEAD, POSES_FOOT = 76.0, 80.0
#: Heights of hoof paths and of the graphs of heights, and the gap between them.
PATHS, GRAPH, GAP = 300.0, 330.0, 24.0
#: Footfall bars: size of their own unit, height of one in it; most strides, and the time [s] without any.
BARS, BAR, MOST_STRIDES, SECONDS = 1.7, 14.0, 8, 8.0
#: Height of a row of the table, of its letters, and how far from its left the columns stand: verdict, name,
#: right end of the value, limit; length of a gauge.
ROW, LETTERS = 37.0, 20.0
VERDICT, NAME, VALUE, LIMIT, GAUGE = 10.0, 72.0, 494.0, 512.0, 86.0


@dataclass(frozen=True)
class _Sheet:
    """A page while it is drawn; lengths are given to it in units."""

    page: Canvas
    report: Report
    motion: Motion
    unit: float
    theme: Theme

    def text(
        self, x: float, y: float, words: str, size: float, quiet: bool = False, anchor: str = "ls"
    ) -> None:
        colour = self.theme.quiet if quiet else self.theme.text
        self.page.text(x * self.unit, y * self.unit, words, round(size * self.unit), colour, anchor)

    def heading(self, left: float, base: float, right: float, words: str, note: str = "") -> None:
        """A heading and, at its right end, a quiet note."""
        self.text(left, base, words, 24)
        self.text(right, base, note, 18, quiet=True, anchor="rs")

    def box(self, left: float, top: float, right: float, bottom: float) -> Box:
        u = self.unit
        return Box(left * u, top * u, right * u, bottom * u, u)

    def fitting(self, words: str, size: float, space: float) -> str:
        """The words, cut with an ellipsis where they would not fit."""
        letters, most = font(round(size * self.unit)), space * self.unit
        if letters.getlength(words) <= most:
            return words
        while words and letters.getlength(words + "…") > most:
            words = words[:-1]
        return words.rstrip(" ,;") + "…"


def check_sheet(
    report: Report, path: str | PathLike[str], *, width: int = 2000, theme: str | Theme = "light"
) -> Path:
    """Draw a report as one page (PNG) and return its path; `width` [px]."""
    check_picture(path, width)
    if report.motion is None:
        raise PictureError("this report keeps no motion; draw the one that check() returned")
    return save_png(_drawn(report, report.motion, int(width), theme_of(theme)), path)


def check_picture(path: str | PathLike[str], width: int = 2000) -> None:
    """Refuse what `check_sheet` would, before there is a report."""
    target_of(path, (".png",))
    if not (WIDTHS[0] <= width <= WIDTHS[1] and width == int(width)):
        raise PictureError(f"width must be {WIDTHS[0]} to {WIDTHS[1]} whole pixels, given {width}")


def _drawn(report: Report, motion: Motion, width: int, theme: Theme) -> Image.Image:
    unit = width / WIDE
    scene = stride_poses(report, motion, theme)
    cell = (width - 2 * MARGIN * unit) / POSES
    panel = panel_of(scene, cell)
    bars = TITLE + HEADING
    poses = bars + strip_height(BARS, BAR) + POSES_HEAD
    graphs = poses + panel.height / unit + POSES_FOOT
    bottom = graphs + 2 * HEADING + PATHS + GRAPH + GAP
    page = Canvas(width, round((bottom + 0.8 * MARGIN) * unit), theme.paper, factor=2)
    sheet = _Sheet(page, report, motion, unit, theme)
    _paint_title(sheet)
    _paint_bars(sheet, bars)
    _paint_captions(sheet, scene, poses, poses + panel.height / unit)
    _paint_graphs(sheet, graphs)
    _paint_table(sheet, graphs, bottom)
    image = page.finish()
    shot = shot_of(scene, "side")
    for m in range(len(scene)):
        spot = round(MARGIN * unit + m * cell), round(poses * unit)
        image.paste(pose_picture(shot, m, panel), spot)
    return image


def _paint_title(sheet: _Sheet) -> None:
    report, theme, unit = sheet.report, sheet.theme, sheet.unit
    right, wide = WIDE - MARGIN, 132.0
    badge, words = (theme.legs[0], "PASS") if report.passed else (theme.legs[1], "FAIL")
    box = sheet.box(right - wide, 44, right, 100)
    sheet.page.rectangle(box.left, box.top, box.right, box.bottom, badge)
    sheet.page.text((right - wide / 2) * unit, 72 * unit, words, round(32 * unit), theme.paper, "mm")
    sheet.text(MARGIN, 92, sheet.fitting(report.name, 48, right - wide - MARGIN - 40), 48)
    sheet.text(MARGIN, 140, sheet.fitting(report.headline, 26, right - MARGIN), 26)
    facts = [
        f"{report.frames} frames at {report.fps:g} a second",
        f"loop, gone round {report.repeats} times" if report.repeats > 1 else "",
        "metres" if report.unit == 1 else f"read as {report.unit:.4g} m a unit",
        f"hips {report.hip:.2f} m high",
        f"legs by {report.legs_by}",
    ]
    sheet.text(MARGIN, 176, "     ".join(word for word in facts if word), 21, quiet=True)


def _paint_bars(sheet: _Sheet, top: float) -> None:
    """When each foot is down, the gait above, and a line where a stride begins."""
    strides, motion, unit = sheet.report.strides, sheet.motion, sheet.unit
    note = "foot on the ground" if strides else "foot on the ground; no whole stride of the left hind"
    sheet.heading(MARGIN, top - 22, WIDE - MARGIN, "Footfalls", note)
    start, stop = _window(sheet)
    left, right = (MARGIN + 56) * unit, (WIDE - MARGIN) * unit
    strip = Strip(left, (top - 10) * unit, right, start, stop, BARS * unit, BAR)
    last = (len(motion) - 1) / motion.fps
    stances = tuple(
        tuple((max(a, 0.0), min(b, last)) for a, b in leg.tolist() if b > 0 and a < last)
        for leg in motion.stances
    )
    gaits: list[tuple[float, float, str]] = []
    for stride in strides:
        if gaits and gaits[-1][2] == stride.gait and abs(gaits[-1][1] - stride.start) < 1e-9:
            gaits[-1] = (gaits[-1][0], stride.stop, stride.gait)
        else:
            gaits.append((stride.start, stride.stop, stride.gait))
    paint_bars(sheet.page, Bars(last, stances, tuple(gaits)), strip, sheet.theme)
    for second in {time for stride in strides for time in (stride.start, stride.stop)}:
        if start <= second <= stop:
            x = strip.x(second)
            sheet.page.line([(x, strip.rows_top), (x, strip.rows_bottom)], sheet.theme.text, 1.2 * unit)


def _window(sheet: _Sheet) -> tuple[float, float]:
    """Times [s] between which bars are shown: some strides about the one whose poses are drawn."""
    last = (len(sheet.motion) - 1) / sheet.motion.fps
    stride = middle_stride(sheet.report)
    if stride is None:
        return 0.0, min(last, SECONDS)
    reach = 0.5 * MOST_STRIDES * stride.duration
    start = max(0.0, min(stride.start + 0.5 * stride.duration - reach, last - 2 * reach))
    return start, min(start + 2 * reach, last)


def _paint_captions(sheet: _Sheet, scene: DrawnScene, top: float, bottom: float) -> None:
    """Above the poses what they are, below each how much of the stride, or of the clip, has gone by."""
    stride = middle_stride(sheet.report)
    if stride is None:
        words, note = "The clip", f"{POSES} poses in {sheet.motion.clip.seconds:.2f} s"
    else:
        length = abs(stride.speed) * stride.duration
        words, note = "One stride", f"from touchdown to touchdown of the left hind: {stride.duration:.3f} s"
        note += f", {length:.2f} m"
    sheet.heading(MARGIN, top - 20, WIDE - MARGIN, words, note)
    cell = (WIDE - 2 * MARGIN) / POSES
    for m in range(len(scene)):
        gone = f"{100 * m / POSES:.3g} %" if stride else f"{scene.seconds[m]:.2f} s"
        sheet.text(MARGIN + (m + 0.5) * cell, bottom + 10, gone, 18, quiet=True, anchor="ma")


def _paint_graphs(sheet: _Sheet, top: float) -> None:
    """Hoof paths above, the heights of withers and croup side by side below."""
    cycle, real, right = cycle_drawing(sheet.report), beside(sheet.report), TABLE - GUTTER
    paths = sheet.box(MARGIN, top + HEADING, right, top + HEADING + PATHS)
    below = top + 2 * HEADING + PATHS + GAP
    if cycle is None:
        _paint_times(sheet, top, below)
        return
    times = paint_paths(sheet.page, cycle, real, paths, sheet.theme)
    note = f"heights {times} times lengths" if times > 1 else "heights and lengths at one scale"
    note += ", dashed: real horses" if real else ""
    sheet.heading(MARGIN, top + 18, right, "Paths of the feet, from the side", note)
    indent, middle = 34.0, (MARGIN + right) / 2
    for column, (left, end) in enumerate(((MARGIN, middle - GUTTER / 4), (middle + GUTTER / 4, right))):
        note = f"grey: real horses, {BAND:g} sd" if real and column else ""
        sheet.heading(left + indent, below - 16, end, f"Height of the {cycle.names[column]}, cm", note)
        paint_height(
            sheet.page, cycle, column, real, sheet.box(left + indent, below, end, below + GRAPH), sheet.theme
        )


def _paint_times(sheet: _Sheet, top: float, below: float) -> None:
    """Without a stride: heights of the feet, and of shoulders and hips, over the time of the bars."""
    motion, theme = sheet.motion, sheet.theme
    part = motion.frames(*_window(sheet))
    tops = motion.tops[part, :, 1] - float(motion.level.min())
    trunk = np.stack([tops[:, :2].mean(axis=1), tops[:, 2:].mean(axis=1)], axis=1)
    left, right = MARGIN + 46, TABLE - GUTTER
    for base, high, words, note, curves, colours in (
        (
            top + HEADING,
            PATHS,
            "Heights of the feet, cm",
            "no stride of a gait",
            motion.height[part],
            theme.legs,
        ),
        (below, GRAPH, "Heights of shoulders and hips, cm", "hips pale", trunk, (theme.text, theme.faint)),
    ):
        sheet.heading(MARGIN, base - 18, right, words, note)
        box = sheet.box(left, base, right, base + high)
        paint_times(sheet.page, motion.times[part], np.maximum(curves, 0.0), colours, box, theme)


def _paint_table(sheet: _Sheet, top: float, bottom: float) -> None:
    """The measures that use most of their limits: verdict, name, value, limit, and a gauge."""
    report, theme, unit, right = sheet.report, sheet.theme, sheet.unit, WIDE - MARGIN
    ordered = [m for m in worst_first(report.measures) if m.passed is not None]
    space = int((bottom - top - HEADING - 34) // ROW)
    kept = sum(m.passed is True for m in ordered)
    note = f"{len(report.failing)} fail, {kept} pass" if report.failing else f"all {kept} pass"
    sheet.heading(TABLE, top + 18, right, "Measures, the worst first", note)
    for n, one in enumerate(ordered[:space]):
        base, passes = top + HEADING + (n + 0.5) * ROW, one.passed is True
        if n % 2 == 0:
            box = sheet.box(TABLE, base - ROW / 2, right, base + ROW / 2)
            sheet.page.rectangle(box.left, box.top, box.right, box.bottom, theme.row)
        colour = theme.quiet if passes else theme.legs[1]
        spot = (TABLE + VERDICT) * unit, base * unit
        sheet.page.text(*spot, mark_of(one, report), round(LETTERS * unit), colour, "lm")
        name = sheet.fitting(one.name, LETTERS, VALUE - NAME - 206)
        sheet.text(TABLE + NAME, base, name, LETTERS, anchor="lm")
        value = sheet.fitting(value_text(one), LETTERS, 204)
        sheet.text(TABLE + VALUE, base, value, LETTERS, quiet=passes, anchor="rm")
        sheet.text(TABLE + LIMIT, base, str(one.limit), LETTERS, quiet=True, anchor="lm")
        _paint_gauge(sheet, strain(one), right - GAUGE - 10, base)
    if len(ordered) > space:
        sheet.text(TABLE + NAME, bottom - 12, f"and {len(ordered) - space} more", LETTERS, quiet=True)


def _paint_gauge(sheet: _Sheet, used: float, left: float, base: float) -> None:
    """A bar that is at the limit halfway, and goes on beyond it in the colour of a failure."""
    theme, unit, limit = sheet.theme, sheet.unit, left + GAUGE / 2
    box = sheet.box(left, base - 5, left + GAUGE, base + 5)
    end = (left + GAUGE / 2 * min(used, 2.0)) * unit
    sheet.page.rectangle(box.left, box.top, box.right, box.bottom, theme.grid)
    sheet.page.rectangle(box.left, box.top, end, box.bottom, theme.legs[1] if used > 1 else theme.legs[0])
    mark = [(limit * unit, box.top - 4 * unit), (limit * unit, box.bottom + 4 * unit)]
    sheet.page.line(mark, theme.text, 1.6 * unit)
