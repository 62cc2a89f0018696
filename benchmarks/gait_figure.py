"""Stride length and duty of method `timewarp` over speed, beside published numbers, as one picture.

Speeds are those of the animals that were measured; nothing is scaled. Alexander and Jayes's power laws
take the Froude number of our horse, with its hip height.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image

from benchmarks.gait_numbers import numbers
from hoofbeat.formats.scenefile import read_scene
from hoofbeat.gaits.gait import GAITS
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.render.draw.canvas import Canvas
from hoofbeat.render.draw.theme import Colour, mix, theme_of

Curve = tuple[np.ndarray, np.ndarray]

WIDTH, HEIGHT = 1200, 1040
#: The two diagrams: left, right, tops and height [px].
LEFT, RIGHT, TOPS, TALL = 78.0, 1170.0, (60.0, 500.0), 360.0
SPEEDS = (0.0, 12.5)  # [m/s]
LENGTHS, DUTIES = (0.0, 6.0), (0.1, 0.75)
#: Gaits drawn, with the speeds [m/s] between which each is.
BANDS = {
    "walk": (0.8, 2.0),
    "amble": (2.0, 3.1),
    "trot": (2.6, 5.4),
    "rack": (4.0, 6.4),
    "canter-left": (4.6, 8.0),
    "gallop-right": (7.6, 12.0),
}
#: Alexander and Jayes 1983 as power laws of the Froude number, (factor, power): fore and hind duty, stride
#: length by hip height; of symmetrical gaits and of others.
SYMMETRICAL = ((0.52, -0.14), (0.51, -0.18), (2.4, 0.34))
ASYMMETRICAL = ((0.52, -0.28), (0.53, -0.28), (1.9, 0.40))
#: Means of the ten horses of Vienna on a treadmill: speed, stride length, duty fore and hind.
VIENNA = ((1.55, 1.577, 0.605, 0.611), (2.77, 1.815, 0.484, 0.461))
#: Witte, Hirst and Wilson 2006, Thoroughbreds at the gallop, at 9 and 17 m/s: length, duty fore and hind.
WITTE = ((9.0, 4.46, 0.265, 0.287), (17.0, 7.12, 0.184, 0.224))
#: Icelandic horses (Robilliard et al. 2007, as tabulated by the thesis): speed and time of the stride [s].
ICELANDIC = (
    ((1.5, 0.904), (3.0, 0.654)),
    ((3.5, 0.600), (5.5, 0.516)),
    ((5.5, 0.487), (8.0, 0.393)),
)
#: Wickler et al. 2002 at 5.0 m/s: trot and canter of Arabians and Hackneys, stride length [m].
WICKLER = ((5.0, 3.04), (5.0, 2.68))


@dataclass(frozen=True)
class Axes:
    """One diagram: where it is [px] and what its axes span."""

    top: float
    low: float
    high: float

    def at(self, speed: np.ndarray, value: np.ndarray) -> np.ndarray:
        """Pixels (N, 2)."""
        x = LEFT + (speed - SPEEDS[0]) / (SPEEDS[1] - SPEEDS[0]) * (RIGHT - LEFT)
        y = self.top + TALL * (1 - (value - self.low) / (self.high - self.low))
        return np.stack([x, y], axis=-1)


def hip_height() -> float:
    """Of the standing horse [m]."""
    skeleton = read_scene().skeleton
    rest = skeleton.rest_positions()
    return float(rest[skeleton.legs[2].top, 1] - rest[:, 1].min())


def draw_figure() -> Image.Image:
    """The whole picture."""
    theme = theme_of("light")
    page = Canvas(WIDTH, HEIGHT, theme.paper)
    colours = dict(zip(BANDS, _six(), strict=True))
    length, duty = Axes(TOPS[0], *LENGTHS), Axes(TOPS[1], *DUTIES)
    _frame(page, length, "stride length [m]", 1.0)
    _frame(page, duty, "duty, fore full, hind dashed", 0.1)
    _laws(page, length, duty)
    for gait, (low, high) in BANDS.items():
        speed = np.linspace(low, high, 7)
        found = [numbers(gait, round(float(v), 3)) for v in speed]
        page.line(length.at(speed, np.array([n.length for n in found])), colours[gait], 3.0)
        page.line(duty.at(speed, np.array([n.duty[0] for n in found])), colours[gait], 3.0)
        _dashed(page, duty.at(speed, np.array([n.duty[1] for n in found])), colours[gait], 2.2)
    _published(page, length, duty)
    _legend(page, colours)
    return page.finish()


def _six() -> list[Colour]:
    legs = theme_of("light").legs
    return [legs[0], legs[2], (0, 158, 115), (204, 121, 167), legs[3], legs[1]]


def _frame(page: Canvas, axes: Axes, title: str, step: float) -> None:
    theme = theme_of("light")
    for value in np.arange(np.ceil(axes.low / step) * step, axes.high + 1e-9, step):
        ends = axes.at(np.array(SPEEDS), np.array([value, value]))
        page.line(ends, theme.grid, 1.0)
        page.text(LEFT - 8, ends[0, 1] + 5, f"{value:g}", 15, theme.quiet, "rs")
    for speed in range(int(SPEEDS[1]) + 1):
        spot = axes.at(np.array([float(speed)] * 2), np.array([axes.low, axes.high]))
        page.line(spot, theme.grid, 1.0)
        page.text(spot[0, 0], spot[0, 1] + 20, f"{speed}", 15, theme.quiet, "ms")
    page.text(LEFT, axes.top - 12, title, 19, theme.text)
    page.text(RIGHT, axes.top + TALL + 36, "m/s", 15, theme.quiet, "rs")


def _laws(page: Canvas, length: Axes, duty: Axes) -> None:
    """Alexander and Jayes, in grey behind all else: symmetrical gaits up to a trot's end, then the others."""
    hip, grey = hip_height(), mix(theme_of("light").quiet, theme_of("light").paper, 0.35)
    for (fore, hind, stride), (low, high) in ((SYMMETRICAL, (0.8, 6.4)), (ASYMMETRICAL, (4.6, 12.0))):
        speed = np.linspace(low, high, 60)
        froude = speed**2 / (GRAVITY * hip)
        page.line(length.at(speed, hip * stride[0] * froude ** stride[1]), grey, 2.0)
        shares = [factor * froude**power for factor, power in (fore, hind)]
        inside = [share < DUTIES[1] for share in shares]
        page.line(duty.at(speed[inside[0]], shares[0][inside[0]]), grey, 2.0)
        _dashed(page, duty.at(speed[inside[1]], shares[1][inside[1]]), grey, 1.6)


def _published(page: Canvas, length: Axes, duty: Axes) -> None:
    theme = theme_of("light")
    for speed, metres, fore, hind in VIENNA:
        _mark(page, length, speed, metres, theme.text, "disc")
        _mark(page, duty, speed, fore, theme.text, "disc")
        _mark(page, duty, speed, hind, theme.text, "ring")
    speed = np.array([WITTE[0][0], SPEEDS[1]])
    for axes, column in ((length, 1), (duty, 2), (duty, 3)):
        ends = np.array([WITTE[0][column], WITTE[1][column]])
        value = np.interp(speed, [WITTE[0][0], WITTE[1][0]], ends)
        if column < 3:
            page.line(axes.at(speed, value), theme.text, 2.0)
        else:
            _dots(page, axes.at(speed, value), theme.text, 2.0)
    for gait in ICELANDIC:
        speed, time = (np.array(column) for column in zip(*gait, strict=True))
        _dots(page, length.at(speed, speed * time), theme.text, 2.4)
    for speed_at, metres in WICKLER:
        _mark(page, length, speed_at, metres, theme.text, "square")


def _mark(page: Canvas, axes: Axes, speed: float, value: float, colour: Colour, kind: str) -> None:
    x, y = axes.at(np.array(speed), np.array(value))
    if kind == "disc":
        page.ellipse(x, y, 6, 6, colour)
    elif kind == "ring":
        page.ring(x, y, 6, 6, colour, 2)
    else:
        page.rectangle(x - 5, y - 5, x + 5, y + 5, colour)


def _dashed(page: Canvas, points: np.ndarray, colour: Colour, width: float, dash: float = 9.0) -> None:
    """A polyline (N, 2) in dashes of so many pixels."""
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    for start in np.arange(0.0, along[-1], 1.7 * dash):
        ends = np.array([start, min(start + dash, along[-1])])
        page.line(np.stack([np.interp(ends, along, points[:, k]) for k in (0, 1)], axis=1), colour, width)


def _dots(page: Canvas, points: np.ndarray, colour: Colour, width: float) -> None:
    _dashed(page, points, colour, width, 4.0)


def _legend(page: Canvas, colours: dict[str, Colour]) -> None:
    theme, y = theme_of("light"), TOPS[1] + TALL + 72
    for n, (gait, colour) in enumerate(colours.items()):
        x = LEFT + n * 180
        page.line([(x, y - 5), (x + 34, y - 5)], colour, 4.0)
        page.text(x + 42, y, GAITS[gait].name, 16, theme.text)
    words = (
        "grey: Alexander and Jayes's power laws at our hip height, symmetrical and asymmetrical gaits",
        "discs: ten horses of Vienna (duty: disc fore, ring hind)     squares: Wickler et al.",
        "black from 9 m/s: Witte et al., Thoroughbreds (dotted: hind)     dotted: Icelandic horses",
    )
    for n, line in enumerate(words):
        page.text(LEFT, y + 30 + 24 * n, line, 15, theme.quiet)
