"""Overlay: what a film says over its pictures: gait and speed on top, footfall bars at the bottom."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from hoofbeat.render.draw.canvas import Canvas
from hoofbeat.render.draw.scene import DrawnScene
from hoofbeat.render.draw.theme import Colour, font, mix
from hoofbeat.render.pages.footfall import (
    Bars,
    Strip,
    accents_of,
    bars_of,
    paint_bars,
    range_about,
    strip_height,
)

#: One unit of strokes and letters is a pixel in a film of this height.
UNIT_HEIGHT = 560.0
#: Letters and strokes of a small film are not made smaller than this unit [px].
LEAST_UNIT = 0.58
#: Width of the bars in units, at most this part of the film, room around them in units, and how much of
#: the picture they hide.
WIDTH, MOST, MARGIN, COVER = 330.0, 0.72, 14.0, 0.80


class Overlay:
    """Words and bars over the frames of a scene, for pictures of `size` (width, height)."""

    def __init__(self, scene: DrawnScene, size: tuple[int, int], slow: float = 1.0) -> None:
        self._scene, self._size, self._slow = scene, size, slow
        self._unit = max(size[1] / UNIT_HEIGHT, LEAST_UNIT)
        self._bars: Bars | None = None
        if scene.contacts is not None:
            self._bars = bars_of(scene.clip, scene.look.gait_names)

    @property
    def floor(self) -> float:
        """The part of the picture's height, from below, that is kept free: the bars are in a corner, so the
        animal may come down beside them unless they are as wide as the picture."""
        if self._bars is None:
            return 0.03
        high = (strip_height(self._unit) + MARGIN * self._unit) / self._size[1]
        wide = min(WIDTH * self._unit / self._size[0], MOST)
        return 0.03 + high * min(max(wide - 0.25, 0.0) / (MOST - 0.25), 1.0)

    def accents(self, pixels: NDArray[np.uint8]) -> tuple[Colour, ...]:
        """The colours of the bars over a picture (height, width, 4) that nothing was written on."""
        corner = pixels[-round(strip_height(self._unit)) :, : round(WIDTH * self._unit), :3]
        red, green, blue = (int(value) for value in np.median(corner.reshape(-1, 3), axis=0))
        return tuple(mix(c, (red, green, blue), 1 - COVER) for c in accents_of(self._scene.look.theme))

    def lay(self, pixels: NDArray[np.uint8], i: int) -> None:
        """Write over picture i, (height, width, 4)."""
        unit, scene = self._unit, self._scene
        theme = scene.look.theme
        left, base = round((MARGIN + 4) * unit), round(34 * unit)
        name = scene.gait[i] or scene.clip.name
        _write(pixels, left, base, name, round(25 * unit), theme.text)
        words = f"{scene.speed[i]:.1f} m/s"
        if self._slow != 1.0:
            words += f"    {self._slow:.3g}x slow" if self._slow > 1 else f"    {1 / self._slow:.3g}x fast"
        _write(pixels, left, base + round(21 * unit), words, round(15 * unit), theme.quiet)
        if self._bars is not None:
            self._lay_bars(pixels, self._bars, i)

    def _lay_bars(self, pixels: NDArray[np.uint8], bars: Bars, i: int) -> None:
        unit, theme = self._unit, self._scene.look.theme
        width = round(min(WIDTH * unit, MOST * self._size[0]))
        height = round(strip_height(unit) + 8 * unit)
        left = round(MARGIN * unit)
        top = self._size[1] - left - height
        now = float(self._scene.seconds[i])
        canvas = Canvas(width, height, theme.paper, factor=2)
        strip = Strip(32 * unit, 5 * unit, width - 20 * unit, *range_about(now, bars.seconds), unit)
        paint_bars(canvas, bars, strip, theme, now)
        drawn = np.asarray(canvas.finish(fine=False), np.uint16)
        under = pixels[top : top + height, left : left + width, :3]
        share = round(256 * COVER)
        under[:] = (drawn * share + under.astype(np.uint16) * (256 - share)) >> 8


def _write(pixels: NDArray[np.uint8], x: int, y: int, words: str, size: int, colour: Colour) -> None:
    """Words with their left end and baseline at x, y; what would stand outside is cut off."""
    ink, drop = _ink(words, size)
    top = max(y - drop, 0)
    under = pixels[top : top + ink.shape[0], x : x + ink.shape[1], :3]
    cover = ink[: under.shape[0], : under.shape[1], None].astype(np.uint16)
    under[:] = (np.array(colour, np.uint16) * cover + under * (255 - cover)) // 255


@lru_cache(maxsize=256)
def _ink(words: str, size: int) -> tuple[NDArray[np.uint8], int]:
    """Letters as cover (height, width) in 0..255, and how far their baseline is below the top."""
    face = font(max(size, 9))
    box = face.getbbox(words, anchor="ls")
    width, height, drop = int(box[2]) + 2, int(box[3] - box[1]) + 2, int(-box[1]) + 1
    image = Image.new("L", (max(width, 1), max(height, 1)))
    ImageDraw.Draw(image).text((0, drop), words, fill=255, font=face, anchor="ls")
    return np.asarray(image), drop
