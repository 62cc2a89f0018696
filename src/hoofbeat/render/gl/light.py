"""Light: the lamps and surfaces of the studio, light and dark. Lamps are linear, in parts of white; surfaces
are as they are shown (sRGB in 0..1)."""

from __future__ import annotations

from dataclasses import dataclass

from hoofbeat.errors import UnknownName

Three = tuple[float, float, float]


class UnknownLight(UnknownName):
    """A light that does not exist."""

    kind = "theme"


@dataclass(frozen=True)
class Light:
    """Lamps (key, fill, sky, earth, rim: colour; key_from, fill_from: towards the lamp in the axes right of
    the picture, up, towards the viewer), gloss of the coat, surfaces (ground, backdrop, zenith, lines of
    the squares), and how much the animal's contact and cast shadow and both kinds of lines show."""

    name: str
    key: Three
    fill: Three
    sky: Three
    earth: Three
    rim: Three
    gloss: float
    ground: Three
    backdrop: Three
    zenith: Three
    line: Three
    shadow: tuple[float, float]
    squares: tuple[float, float]
    key_from: Three = (-0.45, 0.95, 0.62)
    fill_from: Three = (0.85, 0.25, 0.45)


LIGHTS = {
    light.name: light
    for light in (
        Light(
            name="light",
            key=(1.95, 1.87, 1.74),
            fill=(0.19, 0.21, 0.25),
            sky=(0.50, 0.54, 0.60),
            earth=(0.25, 0.235, 0.22),
            rim=(0.34, 0.36, 0.40),
            gloss=1.0,
            ground=(0.868, 0.860, 0.846),
            backdrop=(0.905, 0.902, 0.896),
            zenith=(0.81, 0.82, 0.835),
            line=(0.68, 0.672, 0.664),
            shadow=(0.72, 0.36),
            squares=(0.30, 0.55),
        ),
        Light(
            name="dark",
            key=(1.9, 1.8, 1.66),
            fill=(0.12, 0.15, 0.22),
            sky=(0.26, 0.30, 0.38),
            earth=(0.07, 0.07, 0.075),
            rim=(0.60, 0.66, 0.78),
            gloss=1.2,
            ground=(0.247, 0.250, 0.260),
            backdrop=(0.190, 0.196, 0.212),
            zenith=(0.10, 0.106, 0.12),
            line=(0.45, 0.455, 0.47),
            shadow=(0.65, 0.5),
            squares=(0.5, 0.8),
        ),
    )
}


def light_of(name: str) -> Light:
    """The light of that name; an unknown one lists them."""
    if name not in LIGHTS:
        raise UnknownLight(name, LIGHTS)
    return LIGHTS[name]
