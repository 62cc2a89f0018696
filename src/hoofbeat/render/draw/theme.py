"""Theme: the colours, strokes and fonts that every picture shares."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from PIL import ImageFont

from hoofbeat.errors import HoofbeatError, UnknownName

Colour = tuple[int, int, int]


class PictureError(HoofbeatError):
    """A picture asked for with a size, rate or frame that cannot be drawn."""


class UnknownTheme(UnknownName):
    """A theme that does not exist."""

    kind = "theme"


@dataclass(frozen=True)
class Theme:
    """Colours (red, green, blue in 0..255) of one look.

    `legs` are LF, RF, LH, RH: hue marks the side (blue left, orange right), lightness fore and
    hind, so that the four can be distinguished with every common kind of colour blindness. `flesh` fills the
    hull; `ink` draws near strokes, `faint` the far ones; `alarm` marks a toe below the ground.
    """

    name: str
    paper: Colour
    ground: Colour
    line: Colour
    grid: Colour
    text: Colour
    quiet: Colour
    ink: Colour
    faint: Colour
    joint: Colour
    flesh: Colour
    flesh_far: Colour
    edge: Colour
    edge_far: Colour
    row: Colour
    alarm: Colour
    legs: tuple[Colour, Colour, Colour, Colour]


# The leg colours are Okabe and Ito's colour-blind-safe blue, vermilion, sky blue and orange; on the
# dark ground the two deep ones are lifted so that all four keep a contrast of at least 3 : 1.
LIGHT = Theme(
    name="light",
    paper=(250, 249, 246),
    ground=(236, 232, 224),
    line=(128, 119, 106),
    grid=(226, 223, 216),
    text=(38, 40, 44),
    quiet=(120, 116, 110),
    ink=(42, 39, 38),
    faint=(150, 142, 134),
    joint=(250, 249, 246),
    flesh=(220, 203, 184),
    flesh_far=(236, 227, 216),
    edge=(174, 150, 126),
    edge_far=(207, 194, 179),
    row=(240, 237, 231),
    alarm=(208, 0, 60),
    legs=((0, 114, 178), (213, 94, 0), (86, 180, 233), (230, 159, 0)),
)
DARK = Theme(
    name="dark",
    paper=(24, 26, 30),
    ground=(37, 38, 41),
    line=(128, 124, 116),
    grid=(42, 44, 49),
    text=(236, 233, 226),
    quiet=(150, 147, 141),
    ink=(240, 234, 224),
    faint=(128, 122, 116),
    joint=(38, 33, 30),
    flesh=(96, 79, 66),
    flesh_far=(56, 49, 44),
    edge=(146, 122, 102),
    edge_far=(84, 73, 64),
    row=(34, 36, 41),
    alarm=(255, 64, 110),
    legs=((60, 150, 216), (232, 112, 28), (128, 206, 250), (244, 184, 60)),
)

THEMES = {theme.name: theme for theme in (LIGHT, DARK)}


def theme_of(theme: str | Theme) -> Theme:
    """The theme of that name (a Theme is passed through); an unknown name lists the themes."""
    if isinstance(theme, Theme):
        return theme
    if theme not in THEMES:
        raise UnknownTheme(theme, THEMES)
    return THEMES[theme]


@cache
def font(size: int) -> Any:
    """Pillow's own scalable font at `size` pixels: no font file, the same on every machine."""
    return ImageFont.load_default(size=size)


def mix(a: Colour, b: Colour, share: float) -> Colour:
    """The blend of two colours: `share` of b."""
    red, green, blue = (round(x + (y - x) * share) for x, y in zip(a, b, strict=True))
    return red, green, blue
