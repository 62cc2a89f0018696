"""Coat: the colour of every vertex, from where on the animal it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import Skeleton
from hoofbeat.formats.yamlfile import Mapping
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.noise import unit as chance
from hoofbeat.maths.types import Floats as Array

Floats = NDArray[np.float64]
#: Keys of a coat: colours, then numbers.
COLOURS = ("body", "top", "under", "legs", "muzzle", "mane", "tail", "hoof", "eye", "white")
NUMBERS = ("legs_to", "dapples", "patches", "blaze", "socks", "mottle", "ears")


@dataclass(frozen=True)
class Place:
    """What a coat may know of vertices (V,): where they are, how they face, which joints they are bound to.

    points, normals (V, 3); weights (V, J); light (V,): 1 = open to the sky, 0 = hidden.
    """

    points: Floats
    normals: Floats
    weights: Floats
    light: Floats
    skeleton: Skeleton

    def weight_on(self, *words: str) -> Floats:
        """Weight (V,) of each vertex on joints with one of these words in their names."""
        chosen = [j for j, name in enumerate(self.skeleton.names) if any(word in name for word in words)]
        return self.weights[:, chosen].sum(axis=1)


def step(low: float, high: float, values: Floats) -> Floats:
    """0 below low, 1 above high, smooth between; the reverse where high is below low."""
    t = np.clip((values - low) / (high - low), 0.0, 1.0)
    return t * t * (3 - 2 * t)


def smooth_noise(points: Floats, size: float, seed: int) -> Floats:
    """Noise (V,) in [0, 1] whose waves are about `size` [m] long."""
    out = np.zeros(len(points))
    noise_kernel(points / size, seed, out)
    return out


def spots(points: Floats, size: float, seed: int) -> Floats:
    """Round spots (V,): 1 in the middle of each, 0 at its rim; one in each cube of `size` [m]."""
    out = np.full(len(points), 9.0)
    spot_kernel(points / size, seed, out)
    return 1 - step(0.25, 0.55, out)


@kernel
def at_cell(seed: int, x: float, y: float, z: float) -> float:
    """A number in [0, 1) of the cell at whole x, y, z."""
    return chance(seed, np.int64(x) * 7919 + np.int64(y), np.int64(z))


@kernel
def noise_kernel(points: Array, seed: int, out: Array) -> None:
    """Numbers of the cells' corners, mixed smoothly; points (V, 3) in cells."""
    for n in range(len(points)):
        x, y, z = np.floor(points[n, 0]), np.floor(points[n, 1]), np.floor(points[n, 2])
        a, b, c = points[n, 0] - x, points[n, 1] - y, points[n, 2] - z
        a, b, c = a * a * (3 - 2 * a), b * b * (3 - 2 * b), c * c * (3 - 2 * c)
        for i in range(2):
            for j in range(2):
                for k in range(2):
                    share = (a if i else 1 - a) * (b if j else 1 - b) * (c if k else 1 - c)
                    out[n] += share * at_cell(seed, x + i, y + j, z + k)


@kernel
def spot_kernel(points: Array, seed: int, out: Array) -> None:
    """Distance to the nearest spot, one in each cell; points (V, 3) in cells."""
    for n in range(len(points)):
        for i in range(-1, 2):
            for j in range(-1, 2):
                for k in range(-1, 2):
                    x, y = np.floor(points[n, 0]) + i, np.floor(points[n, 1]) + j
                    z = np.floor(points[n, 2]) + k
                    dx = x + 0.2 + 0.6 * at_cell(seed, x, y, z) - points[n, 0]
                    dy = y + 0.2 + 0.6 * at_cell(seed + 1, x, y, z) - points[n, 1]
                    dz = z + 0.2 + 0.6 * at_cell(seed + 2, x, y, z) - points[n, 2]
                    out[n] = min(out[n], np.sqrt(dx * dx + dy * dy + dz * dz))


def painted(coat: Mapping, place: Place, parts: dict[str, Any]) -> NDArray[np.uint8]:
    """Colours (V, 3) sRGB of a coat; parts has (V,) hoof, mane, tail, eye, shade, strand."""
    colour = {key: np.array(coat.numbers(key, 3, (120.0, 90.0, 60.0))) for key in COLOURS}
    number = {key: coat.get(key, float, 0.0) for key in NUMBERS}
    points, facing = place.points, place.normals
    rest = place.skeleton.rest_positions()
    out = np.tile(colour["body"], (len(points), 1))

    def mix(share: Floats, name: str) -> None:
        out[:] = out + np.clip(share, 0.0, 1.0)[:, None] * (colour[name] - out)

    trunk = 1 - place.weight_on("Head")
    mix(0.8 * step(0.1, 0.9, facing[:, 1]) * trunk, "top")
    mix(0.9 * step(-0.2, -0.95, facing[:, 1]), "under")
    rough = smooth_noise(points, 0.09, 5) - 0.5
    out *= (1 + number["mottle"] * rough)[:, None]
    if number["dapples"] > 0:
        body = 1 - place.weight_on("Head", "Cannon", "Phalanges", "MTarsus", "Hoof", "Cervical0")
        mix(number["dapples"] * spots(points, 0.075, 11) * step(0.2, 0.8, body), "white")
    height = _leg_height(place, rest)
    mix(step(number["legs_to"] + 0.12, number["legs_to"] - 0.12, height + 0.12 * rough), "legs")
    snout = _along_head(place, rest)
    mix(step(0.62, 1.02, snout + 0.1 * rough), "muzzle")
    mix(number["ears"] * step(0.06, 0.14, points[:, 1] - rest[place.skeleton.index("Head"), 1]), "legs")
    if number["patches"] > 0:
        wave = smooth_noise(points * [0.8, 1.0, 1.0], 0.42, 23) + 0.25 * smooth_noise(points, 0.13, 31)
        patch = step(-0.012, 0.012, wave - (1.02 - 0.8 * number["patches"]))
        low = step(0.42, 0.34, height)
        mix(np.maximum(patch * (1 - place.weight_on("Head")), low), "white")
    if number["socks"] > 0:
        mix(step(number["socks"] + 0.015, number["socks"] - 0.015, height + 0.05 * rough), "white")
    front = step(0.3, 0.75, facing[:, 1] * 0.7 + facing[:, 2] * 0.7)
    width = number["blaze"] * (1 + 0.4 * rough)
    stripe = step(1.15, 0.7, np.abs(points[:, 0]) / np.maximum(width, 1e-6)) * front * (number["blaze"] > 0)
    mix(stripe * place.weight_on("Head") * step(0.02, 0.1, snout) * step(1.0, 0.9, snout), "white")
    dark = np.maximum(0.8 * parts["hollow"], 0.75 * parts["lid"])
    out *= (1 - 0.75 * dark)[:, None]
    _hair_and_horn(out, colour, parts)
    out *= (0.62 + 0.38 * np.maximum(place.light, parts["eye"]))[:, None]
    return np.clip(np.round(out), 0, 255).astype(np.uint8)


def _hair_and_horn(out: Floats, colour: dict[str, Floats], parts: dict[str, Any]) -> None:
    """Hooves, hair and eyes over the coat."""
    for name in ("hoof", "mane", "tail", "eye"):
        mask = np.asarray(parts[name])[:, None]
        tone = np.tile(colour[name], (len(out), 1))
        if name in ("mane", "tail"):
            tone = tone * (0.8 + 0.45 * parts["strand"] + 0.15 * parts["shade"])[:, None]
        if name == "eye":
            tone = tone * np.where(parts["shade"] > 0.93, 0.25, 1.0)[:, None]
        out[:] = np.where(mask > 0.5, tone, out)


def _leg_height(place: Place, rest: Floats) -> Floats:
    """Height (V,) as a part of the elbow's or stifle's own; 9 where no leg is near."""
    legs = place.skeleton.legs
    ground = min(float(rest[leg.toe, 1]) for leg in legs)
    fore, hind = rest[legs[0].mid, 1] - ground, rest[legs[2].mid, 1] - ground
    on_fore = place.weight_on("Radius", "Cannon", "ForePhalanges", "EFFore", "Humerus")
    on_hind = place.weight_on("Tibia", "MTarsus", "EFRear", "Phalanges", "Femur") - place.weight_on(
        "ForePhal"
    )
    above = place.points[:, 1] - ground
    total = on_fore + on_hind
    mixed = (on_fore * above / fore + on_hind * above / hind) / np.maximum(total, 1e-6)
    return np.where(total > 0.4, mixed, 9.0)


def _along_head(place: Place, rest: Floats) -> Floats:
    """How far (V,) along the head a vertex is, 0 at its joint and 1 at the end; -1 elsewhere."""
    start, stop = rest[place.skeleton.index("Head")], rest[place.skeleton.index("Head_end")]
    along = (place.points - start) @ (stop - start) / ((stop - start) @ (stop - start))
    return np.where(place.weight_on("Head") > 0.5, along, -1.0)


def colours_of(coats: Mapping, place: Place, parts: dict[str, Any]) -> dict[str, NDArray[np.uint8]]:
    """Colours (V, 3) of every coat of a drawing, by name."""
    out: dict[str, NDArray[np.uint8]] = {}
    for name, coat in coats.values.items():
        entry = cast(Mapping, coat)
        entry.finish((*COLOURS, *NUMBERS))
        out[name] = painted(entry, place, parts)
    return out
