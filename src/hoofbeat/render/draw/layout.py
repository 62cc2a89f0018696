"""Layout: how the panels of a view share a picture, all at one scale and on one ground line."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.render.draw.animal import paint_pose
from hoofbeat.render.draw.camera import panels_of
from hoofbeat.render.draw.canvas import Canvas
from hoofbeat.render.draw.panel import Extent, Panel, extent_of
from hoofbeat.render.draw.scene import DrawnScene
from hoofbeat.render.draw.shot import Shot, shot_of
from hoofbeat.render.draw.theme import PictureError

#: Widths [px] a picture may have.
SMALLEST, WIDEST = 64, 4096
#: Height of the panels in parts of the width, at most and at least.
TALLEST, FLATTEST = 0.68, 0.2
#: Room below the ground line for discs, prints, ticks and depths, in units.
BELOW = 46.0
#: One unit of strokes and letters is a pixel in a picture of this width.
UNIT_WIDTH = 640.0
#: Letters and strokes of a small picture are not made smaller than this unit [px].
LEAST_UNIT = 0.7


@dataclass(frozen=True)
class SheetLayout:
    """Panels of a picture, their shots, and the width and height [px] of all together."""

    panels: tuple[Panel, ...]
    shots: tuple[Shot, ...]
    width: int
    height: int
    unit: float

    def paint(self, canvas: Canvas, m: int) -> None:
        """Draw moment m in every panel."""
        for panel, shot in zip(self.panels, self.shots, strict=True):
            paint_pose(canvas, shot, m, panel)
        theme = self.shots[0].scene.look.theme
        for panel in self.panels[1:]:
            canvas.rectangle(panel.x - 2, panel.y, panel.x + 2, panel.y + panel.height, theme.paper)


def layout_of(
    scene: DrawnScene, view: str, width: int, top: float = 0.0, least_unit: float = 0.0
) -> SheetLayout:
    """Fit the views into `width` pixels, from `top` pixels down.

    A tall animal gets space at its sides, a long path space above. `least_unit` keeps letters and strokes
    legible in a small picture.
    """
    width = check_width(width)
    names = panels_of(view)
    extents = [extent_of(scene, name) for name in names]
    unit = max(width / UNIT_WIDTH, least_unit)
    span = sum(e.right - e.left for e in extents)
    high, low = max(e.top for e in extents), min(e.bottom for e in extents)
    below = 0.0 if view == "top" else BELOW * unit
    scale = min(width / span, max(TALLEST * width - below, 1.0) / (high - low))
    height = max((high - low) * scale + below, FLATTEST * width)
    panels: list[Panel] = []
    x = 0.0
    for i, (name, extent) in enumerate(zip(names, extents, strict=True)):
        share = width * (extent.right - extent.left) / span
        panel_width = width - x if i == len(names) - 1 else float(round(share))
        centre_x = x + panel_width / 2 - (extent.left + extent.right) / 2 * scale
        centre_y = top + _centre_y(extent, high, low, scale, height, below)
        panels.append(Panel(name, x, top, panel_width, round(height), scale, centre_x, centre_y, unit))
        x += panel_width
    return SheetLayout(
        tuple(panels), tuple(shot_of(scene, name) for name in names), width, round(height), unit
    )


def check_width(width: int) -> int:
    """A width [px] that can be drawn; anything else is refused."""
    if not (SMALLEST <= width <= WIDEST and width == int(width)):
        raise PictureError(f"width must be a whole number of {SMALLEST} to {WIDEST} pixels, given {width}")
    return int(width)


def check_frames(frames: Iterable[int], count: int) -> NDArray[np.int64]:
    """Frame numbers of a clip with `count` frames, negative ones counted from the end."""
    try:
        chosen = [operator.index(i) for i in frames]
    except TypeError:
        raise PictureError(f"frames must be whole numbers, given {frames!r}") from None
    wrong = [i for i in chosen if not -count <= i < count]
    if wrong:
        raise PictureError(f"frame {wrong[0]} is not in this clip: it has frames 0 to {count - 1}")
    return np.array(chosen, np.int64) % count


def _centre_y(extent: Extent, high: float, low: float, scale: float, height: float, below: float) -> float:
    """Pixels from the panel's top down to the camera's centre: ground near the bottom, or the middle."""
    if below == 0.0:
        return height / 2 + (extent.top + extent.bottom) / 2 * scale
    return height - below + low * scale if (high - low) * scale + below < height else high * scale
