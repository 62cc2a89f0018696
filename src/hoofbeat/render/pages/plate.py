"""Plate: one stride in numbered poses before a squared backdrop, in the manner of a Muybridge plate.

Lateral views stand in rows on top, the same moments from the front and from the rear below, and the
footfalls at the bottom. Moments are equally spaced in time; the squares are 5 cm, heavier every
half metre, and belong to the world: they pass behind the animal as it goes.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
from PIL import Image

from hoofbeat.body.clip import Clip
from hoofbeat.errors import ClipError
from hoofbeat.gaits.footfall import strides
from hoofbeat.render.draw.animal import paint_animal
from hoofbeat.render.draw.canvas import Canvas
from hoofbeat.render.draw.panel import MARGIN as PICTURE_MARGIN
from hoofbeat.render.draw.panel import Extent, Panel, extent_of, travelled_of
from hoofbeat.render.draw.scene import DrawnScene, Dress, Look, need_frames, scene_of
from hoofbeat.render.draw.shot import Shot, shot_of
from hoofbeat.render.draw.theme import Colour, PictureError, Theme, mix, theme_of
from hoofbeat.render.files import save_png, target_of
from hoofbeat.render.pages.footfall import Bars, Strip, bars_of, paint_bars, strip_height

#: Poses a plate may have: columns of the lateral rows, and of the rows from front and rear.
COLUMNS = {6: (3, 6), 8: (4, 8), 12: (6, 12), 24: (8, 12)}
#: Widths [px] a plate may have.
WIDTHS = (1200, 6000)
#: The squares of the backdrop [m], and every how many a line is heavier.
SQUARE, HEAVY = 0.05, 10
#: Lengths in parts of a 3000 px wide plate: margin, gap between poses, title, caption below a
#: pose, label above a view.
MARGIN, GAP, TITLE, CAPTION, LABEL = 70.0, 10.0, 172.0, 34.0, 40.0
#: Room above and beside the animal and ground below it, in parts of its length from hip to shoulder.
AIR, FLOOR = 0.09, 0.13
#: How bright the threads are, fine and heavy, between the backdrop and the paper, and how thick [px].
THREADS = ((0.45, 0.8), (1.0, 1.8))
#: What a view is called on the plate.
NAMES = {"side": "lateral", "front": "front", "rear": "rear"}


@dataclass(frozen=True)
class PlateStride:
    """One stride of a clip: start and duration [s], distance of the root joint [m], and the gait's name."""

    start: float
    duration: float
    length: float
    gait: str

    @property
    def speed(self) -> float:
        """Mean speed over the ground [m/s]."""
        return self.length / self.duration


@dataclass(frozen=True)
class _Row:
    """The cells of one view: its name, how many stand side by side, and the pixels of one cell."""

    shot: Shot
    columns: int
    panel: Panel

    @property
    def rows(self) -> int:
        return -(-len(self.shot.scene) // self.columns)


def stride_plate(
    clip: Clip,
    path: str | PathLike[str],
    poses: int = 12,
    *,
    width: int = 3000,
    theme: str | Theme = "light",
    hull: bool = True,
    stride: int | None = None,
    dress: Dress | None = None,
) -> Path:
    """Draw one stride of a clip as a plate (PNG) and return its path.

    poses: 6, 8, 12 or 24, equally spaced in time from one touchdown of the left hind to the next.
    width [px]; hull: whether the pale body is drawn; dress: what paints the animal instead, such as a skin
    (`hoofbeat.render.picture`); stride: which one, negative from the end (None = the middle one).
    The clip needs named legs, contacts and a whole stride; a high frame rate (120 and more) places the
    moments well.
    """
    check_plate(path, poses, width, theme)
    chosen = stride_of(clip, stride)
    moments = (chosen.start + np.arange(poses) * chosen.duration / poses) * clip.fps
    scene = scene_of(clip, np.clip(moments, 0, len(clip) - 1.0), Look(theme_of(theme), hull, dress=dress))
    return save_png(_page(scene, chosen, int(width)), path)


def check_plate(path: str | PathLike[str], poses: int, width: int, theme: str | Theme) -> None:
    """Refuse what `stride_plate` would, before there is a clip."""
    target_of(path, (".png",))
    theme_of(theme)
    if poses not in COLUMNS:
        raise PictureError(f"a plate has {', '.join(map(str, COLUMNS))} poses, asked for {poses}")
    if not (WIDTHS[0] <= width <= WIDTHS[1] and width == int(width)):
        raise PictureError(f"width must be {WIDTHS[0]} to {WIDTHS[1]} whole pixels, given {width}")


def stride_of(clip: Clip, number: int | None = None) -> PlateStride:
    """A stride of a clip, from one touchdown of the left hind to the next; None = the middle one."""
    need_frames(clip)
    if clip.contacts is None or not clip.skeleton.legs:
        missing = "contacts" if clip.contacts is None else "named legs"
        raise ClipError(f"clip {clip.name!r} has no {missing}; a plate shows a stride of four legs")
    found = strides(clip.contacts, clip.fps)
    if not len(found):
        raise ClipError(f"clip {clip.name!r} holds no whole stride: the left hind lands less than twice")
    k = len(found) // 2 if number is None else number
    if not -len(found) <= k < len(found):
        raise PictureError(f"stride {k} is not in this clip: it has strides 0 to {len(found) - 1}")
    # From the first frame on the ground to the next such frame, where the bars begin too.
    ends = np.ceil(np.array([found.start[k], found.start[k] + found.duration[k]]) * clip.fps)
    start, duration = float(ends[0]) / clip.fps, float(ends[1] - ends[0]) / clip.fps
    frames = np.arange(len(clip))
    travel = [np.diff(np.interp(ends, frames, clip.origins[:, axis]))[0] for axis in (0, 2)]
    gaits = clip.extras.get("gait")
    gait = clip.name if gaits is None else str(gaits[round(float(ends.mean()))])
    return PlateStride(start, duration, float(np.hypot(*travel)), gait)


def _page(scene: DrawnScene, stride: PlateStride, width: int) -> Image.Image:
    unit, theme = width / 3000.0, scene.look.theme
    side, ends = COLUMNS[len(scene)]
    lateral = _row(scene, "side", side, width, unit)
    most = lateral.panel.scale
    rows = [lateral, *(_row(scene, view, ends, width, unit, most) for view in ("front", "rear"))]
    tops, y = [], TITLE * unit
    for row in rows:
        y += LABEL * unit
        tops.append(y)
        y += row.rows * (row.panel.height + (CAPTION + GAP) * unit)
    y += LABEL / 2 * unit
    bars_unit = 1.9 * unit
    height = round(y + strip_height(bars_unit) + 1.1 * MARGIN * unit)
    page = Canvas(width, height, theme.paper, factor=2)
    _paint_title(page, scene, stride, unit)
    strip = Strip((MARGIN + 66) * unit, y, width - (MARGIN + 6) * unit, 0.0, stride.duration, bars_unit)
    _paint_bars(page, scene, stride, strip)
    for row, top in zip(rows, tops, strict=True):
        _paint_captions(page, row, top, unit)
    image = page.finish()
    for row, top in zip(rows, tops, strict=True):
        for m in range(len(scene)):
            image.paste(_cell(row, m), _spot(row, m, top, unit))
    return image


def _row(scene: DrawnScene, view: str, columns: int, width: int, unit: float, most: float = np.inf) -> _Row:
    """The cells of a view: as wide as the page allows, as high as the animal needs; at most `most` px/m."""
    space = width - 2 * MARGIN * unit - (columns - 1) * GAP * unit
    cell = int(space / columns)
    extent = _extent(scene, view)
    scale = min(cell / (extent.right - extent.left), most)
    height = round((extent.top + FLOOR * scene.figure.size) * scale)
    centre_x = cell / 2 - (extent.left + extent.right) / 2 * scale
    # Strokes and letters of the animal follow the cell, not the page.
    panel = Panel(view, 0.0, 0.0, cell, height, scale, centre_x, extent.top * scale, scale / 230.0)
    return _Row(shot_of(scene, view), columns, panel)


def _extent(scene: DrawnScene, view: str) -> Extent:
    """What a cell shows: the animal at every moment and little around it; symmetrical from front and rear."""
    whole = extent_of(scene, view)
    pad = scene.figure.size * (PICTURE_MARGIN - AIR)
    left, right = whole.left + pad, whole.right - pad
    return Extent(left, right, whole.bottom, whole.top - pad)


def _spot(row: _Row, m: int, top: float, unit: float) -> tuple[int, int]:
    """Pixel of the upper left corner of pose m."""
    column, line = m % row.columns, m // row.columns
    x = MARGIN * unit + column * (row.panel.width + GAP * unit)
    return round(x), round(top + line * (row.panel.height + (CAPTION + GAP) * unit))


def _cell(row: _Row, m: int) -> Image.Image:
    panel, theme = row.panel, row.shot.scene.look.theme
    canvas = Canvas(round(panel.width), round(panel.height), _backdrop(theme))
    _paint_squares(canvas, row.shot.scene, m, panel, theme)
    canvas.rectangle(0, panel.centre_y, panel.width, panel.height, theme.ground)
    canvas.line([(0, panel.centre_y), (panel.width, panel.centre_y)], theme.line, 1.2)
    paint_animal(canvas, row.shot, m, panel)
    return canvas.finish()


def _backdrop(theme: Theme) -> Colour:
    return mix(theme.paper, theme.line, 0.26)


def _paint_squares(canvas: Canvas, scene: DrawnScene, m: int, panel: Panel, theme: Theme) -> None:
    """Lines every 5 cm, every tenth heavier, in both directions, at rest in the world."""
    travelled = travelled_of(scene, m, panel.view)
    first = int(np.ceil((-panel.centre_x / panel.scale + travelled) / SQUARE))
    last = int(np.floor(((panel.width - panel.centre_x) / panel.scale + travelled) / SQUARE))
    rows = range(1, int(panel.centre_y / panel.scale / SQUARE) + 1)
    for heavy, (share, thick) in zip((False, True), THREADS, strict=True):
        colour = mix(_backdrop(theme), theme.paper, share)
        for i in (i for i in range(first, last + 1) if (i % HEAVY == 0) == heavy):
            x = panel.centre_x + (i * SQUARE - travelled) * panel.scale
            canvas.line([(x, 0), (x, panel.centre_y)], colour, thick)
        for i in (i for i in rows if (i % HEAVY == 0) == heavy):
            y = panel.centre_y - i * SQUARE * panel.scale
            canvas.line([(0, y), (panel.width, y)], colour, thick)


def _paint_title(page: Canvas, scene: DrawnScene, stride: PlateStride, unit: float) -> None:
    theme, left = scene.look.theme, MARGIN * unit
    page.text(left, 98 * unit, stride.gait.upper(), round(64 * unit), theme.text)
    words = (
        f"{stride.speed:.2f} m/s",
        f"stride {stride.length:.2f} m in {stride.duration:.3f} s",
        f"{len(scene)} poses, {1000 * stride.duration / len(scene):.1f} ms apart",
    )
    page.text(left, 148 * unit, "     ".join(words), round(30 * unit), theme.text)
    note = "one stride, from touchdown to touchdown of the left hind     squares of 5 cm, heavier every 50 cm"
    page.text(page.width - left, 148 * unit, note, round(24 * unit), theme.quiet, "rs")


def _paint_captions(page: Canvas, row: _Row, top: float, unit: float) -> None:
    """The view's name, and below each pose its number and how much of the stride has gone by."""
    theme, count = row.shot.scene.look.theme, len(row.shot.scene)
    page.text(MARGIN * unit, top - 9 * unit, NAMES[row.panel.view], round(22 * unit), theme.quiet)
    for m in range(count):
        x, y = _spot(row, m, top, unit)
        base = y + row.panel.height + 25 * unit
        page.text(x + 2 * unit, base, f"{m + 1}", round(25 * unit), theme.text)
        right = x + row.panel.width - 2 * unit
        page.text(right, base, f"{m / count:.3f}", round(21 * unit), theme.quiet, "rs")


def _paint_bars(page: Canvas, scene: DrawnScene, stride: PlateStride, strip: Strip) -> None:
    """The footfalls of the stride, with a line for each pose."""
    whole, theme, unit = bars_of(scene.clip), scene.look.theme, strip.unit
    shifted = tuple(tuple((a - stride.start, b - stride.start) for a, b in leg) for leg in whole.stances)
    paint_bars(page, Bars(stride.duration, shifted, ()), strip, theme)
    for m in range(len(scene)):
        x = strip.x(m * stride.duration / len(scene))
        page.line([(x, strip.rows_top - 2 * unit), (x, strip.rows_bottom)], theme.text, 0.7 * unit)
        page.ellipse(x, strip.rows_top - 8 * unit, 7 * unit, 7 * unit, theme.text)
        page.text(x, strip.rows_top - 8 * unit, f"{m + 1}", round(9.5 * unit), theme.paper, "mm")
