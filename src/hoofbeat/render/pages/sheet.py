"""Sheet: a contact sheet, numbered poses of a clip in a grid with its footfall bars below;
and one pose as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from hoofbeat.body.clip import Clip
from hoofbeat.body.contacts import with_contacts
from hoofbeat.render.draw.camera import Ground, panels_of
from hoofbeat.render.draw.canvas import Canvas
from hoofbeat.render.draw.layout import LEAST_UNIT, SheetLayout, check_frames, layout_of
from hoofbeat.render.draw.scene import DrawnScene, Dress, Look, need_frames, scene_of
from hoofbeat.render.draw.theme import PictureError, Theme, theme_of
from hoofbeat.render.files import png_bytes, save_png, target_of
from hoofbeat.render.pages.footfall import GAIT_LINE, Strip, bars_of, paint_bars, strip_height

#: Width of a cell [px] for each view, where none is asked for.
CELL = {"side": 400, "front": 240, "rear": 240, "both": 520, "top": 400}
#: Poses in a notebook's picture, in two rows, and the width of each [px].
NOTEBOOK_POSES, NOTEBOOK_CELL = 8, 220
#: Most poses on a sheet, and most pixels of a whole sheet.
MOST_POSES, MOST_PIXELS = 400, 100_000_000
#: Space between cells and around them [px].
GAP = 12
#: Space for the title [px].
TITLE = 46
#: Height above the bars in units: a line of gait names, and below it the numbers of the poses.
NAMES = GAIT_LINE + 16.0


def contact_sheet(
    clip: Clip,
    path: str | PathLike[str],
    frames: int | Sequence[int] = 8,
    view: str = "side",
    columns: int | None = None,
    *,
    cell: int | None = None,
    theme: str | Theme = "light",
    hull: bool = True,
    ground: Ground | None = None,
    gait_names: Sequence[str] = (),
    dress: Dress | None = None,
) -> Path:
    """Draw poses of a clip on one page (PNG) and return its path.

    frames: how many, spread evenly over the clip, or which (frame numbers, negative from the end).
    view: "side", "front", "both" or "top". columns: default 4 or fewer. cell: width of a pose [px].
    ground: height [m] over world x, z [m], flat at 0 when None. gait_names: words for a clip whose
    `gait` extra holds indices. hull: whether the pale body is drawn; dress:
    what paints the animal instead, such as a skin (`hoofbeat.render.picture`).
    """
    target_of(path, (".png",))
    panels_of(view)
    need_frames(clip)
    look = Look(theme_of(theme), hull, ground, tuple(gait_names), dress)
    picked = _pick(frames, len(clip))
    if columns is not None and not 1 <= columns <= MOST_POSES:
        raise PictureError(f"columns must be 1 to {MOST_POSES}, given {columns}")
    scene = scene_of(clip, picked.astype(np.float64), look)
    layout = layout_of(scene, view, CELL[view] if cell is None else cell, least_unit=LEAST_UNIT)
    return save_png(_page(scene, layout, min(columns or 4, len(picked))), path)


def notebook_png(clip: Clip) -> bytes:
    """A clip's picture for notebooks, as PNG: a contact sheet with footfall bars.

    Contacts that the clip does not say are found from its toes, where its legs are named.
    """
    need_frames(clip)
    if clip.contacts is None and len(clip.skeleton.legs) == 4:
        clip = with_contacts(clip)
    scene = scene_of(clip, _pick(NOTEBOOK_POSES, len(clip)).astype(np.float64), Look())
    layout = layout_of(scene, "side", NOTEBOOK_CELL, least_unit=LEAST_UNIT)
    return png_bytes(_page(scene, layout, min(NOTEBOOK_POSES // 2, len(scene))))


def _pick(frames: int | Sequence[int], count: int) -> NDArray[np.int64]:
    """Frame numbers to draw; evenly spread ones leave out the end, where a cycle would begin again."""
    if isinstance(frames, int | np.integer):
        if not 1 <= frames <= MOST_POSES:
            raise PictureError(f"a sheet has 1 to {MOST_POSES} poses, asked for {frames}")
        number = min(int(frames), count)
        return np.arange(number) * count // number
    chosen = check_frames(frames, count)
    if not 1 <= len(chosen) <= MOST_POSES:
        raise PictureError(f"a sheet has 1 to {MOST_POSES} poses, asked for {len(chosen)}")
    return chosen


def _page(scene: DrawnScene, layout: SheetLayout, columns: int) -> Image.Image:
    """Title, grid of cells, and the bars of the whole clip."""
    theme, clip = scene.look.theme, scene.clip
    rows, cell = -(-len(scene) // columns), layout.width
    width = columns * cell + (columns + 1) * GAP
    unit = max(min(width / 1100.0, 1.6), LEAST_UNIT)
    bars = scene.contacts is not None
    grid_bottom = TITLE + rows * (layout.height + GAP)
    height = grid_bottom + (round(strip_height(unit, names=NAMES) + 16 * unit) if bars else 0)
    if width * height > MOST_PIXELS:
        raise PictureError(
            f"a sheet of {width} by {height} pixels is over {MOST_PIXELS}; use fewer poses or smaller cells"
        )
    page = Canvas(width, height, theme.paper, factor=2)
    page.text(GAP, 30, _title(clip), 17 if width > 500 else 12, theme.text)
    if bars:
        right = width - GAP - 14 * unit
        strip = Strip(48 * unit, grid_bottom + 2 * unit, right, 0.0, clip.seconds, unit, names=NAMES)
        paint_bars(page, bars_of(clip, scene.look.gait_names), strip, theme)
        _paint_numbers(page, scene, strip)
    image = page.finish()
    for i in range(len(scene)):
        spot = (GAP + i % columns * (cell + GAP), TITLE + i // columns * (layout.height + GAP))
        image.paste(_cell(scene, layout, i), spot)
    return image


def _paint_numbers(page: Canvas, scene: DrawnScene, strip: Strip) -> None:
    """A line through the bars at each pose, with its number where it fits."""
    theme, unit = scene.look.theme, strip.unit
    for i, second in enumerate(scene.seconds):
        x = strip.x(float(second))
        page.line([(x, strip.rows_top - 2 * unit), (x, strip.rows_bottom)], theme.text, unit)
        if (strip.right - strip.left) / len(scene) > 20 * unit:
            page.ellipse(x, strip.rows_top - 7 * unit, 7 * unit, 7 * unit, theme.text)
            size = max(8, round(10 * unit))
            page.text(x, strip.rows_top - 7 * unit, f"{i + 1}", size, theme.paper, "mm")


def _cell(scene: DrawnScene, layout: SheetLayout, m: int) -> Image.Image:
    theme, unit, width = scene.look.theme, layout.unit, layout.width
    canvas = Canvas(width, layout.height, theme.paper)
    layout.paint(canvas, m)
    size = max(10, round(13 * unit))
    canvas.text(6 * unit, 6 * unit, f"{m + 1}", size + 4, theme.text, "la")
    words = f"{scene.seconds[m]:.2f} s   {scene.speed[m]:.1f} m/s"
    if scene.gait[m]:
        words = f"{scene.gait[m]}   {words}"
    canvas.text(width - 6 * unit, 7 * unit, words, size, theme.quiet, "ra")
    return canvas.finish()


def _title(clip: Clip) -> str:
    return f"{clip.name}   {clip.seconds:.2f} s, {len(clip)} frames at {clip.fps:g} a second"


def draw_pose(
    clip: Clip,
    frame: int = 0,
    view: str = "side",
    width: int = 640,
    *,
    theme: str | Theme = "light",
    hull: bool = True,
    ground: Ground | None = None,
) -> Image.Image:
    """Frame number `frame` (negative from the end) of a clip as a Pillow picture (RGB), `width` pixels wide.

    view: "side", "front", "both" or "top"; hull: whether the pale body is drawn; ground: height [m] over
    world x, z [m], flat at 0 when None. Nothing is written.
    """
    panels_of(view)
    need_frames(clip)
    moment = check_frames([frame], len(clip)).astype(np.float64)
    scene = scene_of(clip, moment, Look(theme_of(theme), hull, ground))
    layout = layout_of(scene, view, width)
    canvas = Canvas(layout.width, layout.height, scene.look.theme.paper)
    layout.paint(canvas, 0)
    return canvas.finish()
