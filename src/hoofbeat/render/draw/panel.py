"""Panel: one view's rectangle in a picture, its scale, and the ground with its squared backdrop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.render.draw.camera import heights
from hoofbeat.render.draw.canvas import Canvas
from hoofbeat.render.draw.scene import DrawnScene
from hoofbeat.render.draw.theme import PictureError, mix

#: Room around the animal, in parts of its size.
MARGIN = 0.14
#: Steps between ticks [m]; the smallest that leaves space is used.
TICKS = (0.1, 0.5, 1.0, 5.0, 10.0, 50.0, 100.0, 500.0, 1000.0)
#: A larger animal or path than this [m] is a file in other units.
LARGEST = 10_000.0
#: The least margin [m], so that a skeleton without any size has a window too.
SMALLEST = 0.01


@dataclass(frozen=True)
class Panel:
    """Pixels of one view: its rectangle, pixels a metre, and where the camera's centre lies in it."""

    view: str
    x: float
    y: float
    width: float
    height: float
    scale: float
    centre_x: float
    centre_y: float
    unit: float

    def pixels(self, flat: NDArray[np.float64]) -> NDArray[np.float64]:
        """Points (..., 2+) [m] right and up of the centre as pixels (..., 2)."""
        return np.stack(
            [self.centre_x + flat[..., 0] * self.scale, self.centre_y - flat[..., 1] * self.scale], axis=-1
        )


@dataclass(frozen=True)
class Extent:
    """What a view must show [m] about the camera's centre."""

    left: float
    right: float
    bottom: float
    top: float


def extent_of(scene: DrawnScene, view: str) -> Extent:
    """The rectangle that holds the animal at every moment of the scene, with a margin."""
    flat = scene.track.project(scene.positions, view)
    low, high = flat.min(axis=(0, 1)), flat.max(axis=(0, 1))
    if scene.look.hull and len(scene.hull.radius):
        balls = scene.track.project(scene.balls, view)
        reach = scene.hull.radius[:, None]
        low = np.minimum(low, (balls - reach).min(axis=(0, 1)))
        high = np.maximum(high, (balls + reach).max(axis=(0, 1)))
    pad = max(MARGIN * scene.figure.size, SMALLEST)
    if float((high - low).max()) > LARGEST:
        raise PictureError(
            f"the animal or its path is {float((high - low).max()):.0f} m large, at most {LARGEST:.0f} m can "
            "be drawn; is the file in centimetres? Scale it to metres"
        )
    if view == "top":
        return Extent(low[0] - pad, high[0] + pad, low[1] - 2 * pad, high[1] + 2 * pad)
    half = max(-low[0], high[0], 0.35 * scene.figure.size) + pad
    left, right = (-half, half) if view in ("front", "rear") else (low[0] - pad, high[0] + pad)
    return Extent(left, right, min(low[1], 0.0), max(high[1], 0.2 * scene.figure.size) + pad)


def paint_ground(canvas: Canvas, scene: DrawnScene, m: int, panel: Panel) -> None:
    """The backdrop of moment m: squares that stay with the world, the ground, and ticks in metres."""
    if panel.view == "top":
        _paint_floor(canvas, scene, m, panel)
        return
    theme = scene.look.theme
    right, bottom = panel.x + panel.width, panel.y + panel.height
    _paint_squares(canvas, scene, m, panel)
    xs = np.linspace(panel.x, right, 2 if scene.look.ground is None else 65)
    profile = _profile(scene, m, panel, xs)
    canvas.polygon([*profile.tolist(), (right, bottom), (panel.x, bottom)], theme.ground)
    _paint_ticks(canvas, scene, m, panel)
    canvas.line(profile, theme.line, 1.5 * panel.unit)


def _profile(scene: DrawnScene, m: int, panel: Panel, xs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The ground line in pixels (N, 2) along the camera's plane."""
    along = (xs - panel.centre_x) / panel.scale
    axis = scene.track.axes(panel.view)[m, 0]
    points = scene.track.centre[m] + along[:, None] * axis
    up = heights(scene.look.ground, points) - scene.track.centre[m, 1]
    return panel.pixels(np.stack([along, up], axis=-1))


def travelled_of(scene: DrawnScene, m: int, view: str) -> float:
    """How far the camera has come to the right of the picture [m], what the ticks of moment m count."""
    forward, left = (float(value) for value in scene.track.travel[m])
    return {"side": forward, "rear": -left}.get(view, left)


def tick_step(scale: float, space: float) -> float:
    """The smallest tick step [m] that leaves `space` pixels, at `scale` pixels a metre."""
    return next((step for step in TICKS if step * scale >= space), TICKS[-1])


def _marks(panel: Panel, travelled: float, step: float) -> list[tuple[int, float]]:
    """Tick numbers (in steps) and their pixels inside the panel."""
    first = int(np.ceil(((panel.x - panel.centre_x) / panel.scale + travelled) / step - 1e-9))
    last = int(np.floor(((panel.x + panel.width - panel.centre_x) / panel.scale + travelled) / step + 1e-9))
    return [(i, panel.centre_x + (i * step - travelled) * panel.scale) for i in range(first, last + 1)]


def _paint_squares(canvas: Canvas, scene: DrawnScene, m: int, panel: Panel) -> None:
    grid = scene.look.theme.grid
    step = tick_step(panel.scale, 34 * panel.unit)
    travelled = travelled_of(scene, m, panel.view)
    for i, x in _marks(panel, travelled, step):
        canvas.line([(x, panel.y), (x, panel.y + panel.height)], grid, _weight(i, panel))
    rows = int((panel.centre_y - panel.y) / (step * panel.scale))
    for i in range(1, rows + 1):
        y = panel.centre_y - i * step * panel.scale
        canvas.line([(panel.x, y), (panel.x + panel.width, y)], grid, _weight(i, panel))
        if i % 2 == 0 and panel.view == "side" and y > panel.y + 36 * panel.unit:
            spot = (panel.x + 5 * panel.unit, y - 3 * panel.unit)  # height above the camera's ground
            canvas.text(*spot, f"{i * step:g} m", _small(panel), scene.look.theme.quiet)


def _paint_ticks(canvas: Canvas, scene: DrawnScene, m: int, panel: Panel) -> None:
    """Metre ticks below the ground, every fifth one longer; they scroll as the animal goes on."""
    theme = scene.look.theme
    step = tick_step(panel.scale, 44 * panel.unit)
    if panel.scale < 400 * panel.unit:  # whole metres, unless the animal is small
        step = max(step, 1.0)
    travelled = travelled_of(scene, m, panel.view)
    base = panel.y + panel.height - _small(panel) - 6 * panel.unit
    for i, x in _marks(panel, travelled, step):
        major = i % 5 == 0
        colour = theme.line if major else theme.quiet
        canvas.line([(x, base - (7 if major else 4) * panel.unit), (x, base)], colour, panel.unit)
        inside = panel.x + 12 * panel.unit < x < panel.x + panel.width - 12 * panel.unit
        if inside:
            colour = theme.text if major else mix(theme.quiet, theme.ground, 0.35)
            words = f"{i * step:g} m" if major else f"{i * step:g}"
            canvas.text(x, base + 2 * panel.unit, words, _small(panel), colour, "ma")


def _paint_floor(canvas: Canvas, scene: DrawnScene, m: int, panel: Panel) -> None:
    """The ground from above: squares that pass by below the animal."""
    theme = scene.look.theme
    right, bottom = panel.x + panel.width, panel.y + panel.height
    canvas.rectangle(panel.x, panel.y, right, bottom, theme.ground)
    line = mix(theme.ground, theme.line, 0.22)
    step = tick_step(panel.scale, 34 * panel.unit)
    forward, left = (float(v) for v in scene.track.travel[m])
    for i, x in _marks(panel, forward, step):
        canvas.line([(x, panel.y), (x, bottom)], line, _weight(i, panel))
        if i % 2 == 0:
            spot = (x + 3 * panel.unit, bottom - 4 * panel.unit)
            canvas.text(*spot, f"{i * step:g} m", _small(panel), theme.quiet)
    first = int(np.ceil((left - (bottom - panel.centre_y) / panel.scale) / step))
    last = int(np.floor((left + (panel.centre_y - panel.y) / panel.scale) / step))
    for i in range(first, last + 1):
        y = panel.centre_y - (i * step - left) * panel.scale
        canvas.line([(panel.x, y), (right, y)], line, _weight(i, panel))


def _weight(i: int, panel: Panel) -> float:
    """Every second line of the squares is heavier."""
    return (2.0 if i % 2 == 0 else 1.0) * panel.unit


def _small(panel: Panel) -> int:
    return max(9, round(11 * panel.unit))
