"""Canvas: a Pillow picture drawn several times too large, then shrunk, so that edges are smooth.

All coordinates are pixels of the finished picture, as floats, with the origin at the top left.
Text waits until after the shrinking: it is sharper at its own size.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image, ImageDraw

from hoofbeat.render.draw.theme import Colour, font

#: Corners of each rounded end of a capsule.
ARC = 15


class Canvas:
    """One picture of `width` by `height` pixels on a plain colour, drawn `factor` times as large."""

    def __init__(self, width: int, height: int, paper: Colour, factor: int = 3) -> None:
        self.width, self.height, self.factor = width, height, factor
        self._image = Image.new("RGB", (width * factor, height * factor), paper)
        self._draw = ImageDraw.Draw(self._image)
        self._texts: list[tuple[float, float, str, int, Colour, str]] = []

    def polygon(self, points: ArrayLike, colour: Colour) -> None:
        """Fill a polygon (N, 2)."""
        self._draw.polygon((np.asarray(points) * self.factor).ravel().tolist(), fill=colour)

    def rectangle(self, left: float, top: float, right: float, bottom: float, colour: Colour) -> None:
        """Fill a rectangle; nothing where it has no area."""
        if right > left and bottom > top:
            self.polygon([(left, top), (right, top), (right, bottom), (left, bottom)], colour)

    def line(self, points: ArrayLike, colour: Colour, width: float = 1.0) -> None:
        """Stroke a polyline (N, 2)."""
        thick = max(1, round(width * self.factor))
        path: Any = (np.asarray(points, np.float64) * self.factor).ravel().tolist()
        self._draw.line(path, fill=colour, width=thick, joint="curve")

    def ellipse(self, x: float, y: float, rx: float, ry: float, colour: Colour) -> None:
        """Fill an ellipse about (x, y)."""
        f = self.factor
        self._draw.ellipse(((x - rx) * f, (y - ry) * f, (x + rx) * f, (y + ry) * f), fill=colour)

    def ring(self, x: float, y: float, rx: float, ry: float, colour: Colour, width: float) -> None:
        """Stroke an ellipse about (x, y)."""
        f = self.factor
        box = ((x - rx) * f, (y - ry) * f, (x + rx) * f, (y + ry) * f)
        self._draw.ellipse(box, outline=colour, width=max(1, round(width * f)))

    def paste(self, image: Image.Image, left: int, top: int) -> None:
        """Lay an RGBA picture over this one; it is as large as it will be drawn, its corner so too."""
        self._image.paste(image, (left, top), image)

    def text(self, x: float, y: float, words: str, size: int, colour: Colour, anchor: str = "ls") -> None:
        """Write words at (x, y) when the picture is finished; `anchor` is Pillow's (ls = left, baseline)."""
        self._texts.append((x, y, words, size, colour, anchor))

    def finish(self, fine: bool = True) -> Image.Image:
        """The picture at its own size, with its text; `fine` shrinks with Lanczos, ten times as slowly."""
        image = self._image
        if self.factor > 1 and fine:
            image = image.resize((self.width, self.height), Image.Resampling.LANCZOS)
        elif self.factor > 1:
            image = image.reduce(self.factor)
        draw = ImageDraw.Draw(image)
        for x, y, words, points, colour, anchor in self._texts:
            draw.text((round(x), round(y)), words, fill=colour, font=font(points), anchor=anchor)
        return image


def capsules(
    a: NDArray[np.float64], b: NDArray[np.float64], ra: NDArray[np.float64], rb: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Outlines (N, 2 * ARC, 2) of two discs about a and b (N, 2), radii ra and rb (N,), and what is between.

    Where one disc holds the other, the outline is the larger disc.
    """
    step = b - a
    length = np.hypot(step[:, 0], step[:, 1])
    heading = np.arctan2(step[:, 1], step[:, 0])
    # The common tangents touch both discs at this angle from the axis.
    open_angle = np.arccos(np.clip((ra - rb) / np.maximum(length, 1e-12), -1.0, 1.0))
    share = np.linspace(-1.0, 1.0, ARC)
    at_b = heading[:, None] + open_angle[:, None] * share
    at_a = heading[:, None] + np.pi + (np.pi - open_angle)[:, None] * share
    arc_b = b[:, None] + rb[:, None, None] * np.stack([np.cos(at_b), np.sin(at_b)], axis=-1)
    arc_a = a[:, None] + ra[:, None, None] * np.stack([np.cos(at_a), np.sin(at_a)], axis=-1)
    return np.concatenate([arc_b, arc_a], axis=1)


def outline_of(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Convex outline of a few points (N, 2), counter-clockwise in x, y (Andrew's monotone chain)."""
    rows = sorted(map(tuple, points.tolist()))
    halves: list[list[tuple[float, ...]]] = []
    for ordered in (rows, rows[::-1]):
        half: list[tuple[float, ...]] = []
        for p in ordered:
            while len(half) > 1 and _turn(half[-2], half[-1], p) <= 0:
                half.pop()
            half.append(p)
        halves.append(half[:-1] or half)
    return np.array(halves[0] + halves[1])


def _turn(a: tuple[float, ...], b: tuple[float, ...], c: tuple[float, ...]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
