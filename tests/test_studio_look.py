"""The page's colours: words can be read in light and dark, and legs told apart by every eye."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
TOKENS = (ROOT / "web" / "src" / "style" / "tokens.css").read_text()
#: What stands on what: words, and the least contrast that WCAG AA asks of them.
WORDS = [
    ("text", "paper"),
    ("text", "raised"),
    ("text", "sunken"),
    ("quiet", "paper"),
    ("quiet", "raised"),
    ("quiet", "sunken"),
    ("on-ink", "ink"),
    ("alarm", "paper"),
    ("text", "alarm-soft"),
]
#: Marks that carry meaning: the focus ring and the legs, of which the lightest is told by its place as well.
MARKS = [("focus", "paper"), ("focus", "raised"), ("alarm", "raised"), ("lf", "sunken"), ("rf", "sunken")]
#: What is left of linear red, green and blue to eyes without one kind of cones (Machado and others, 2009).
EYES = {
    "all cones": np.eye(3),
    "no red cones": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no green cones": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "no blue cones": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
#: Two colours nearer than this in CIE Lab are hard to tell apart in small areas.
APART = 15.0


def colours(look: str) -> dict[str, NDArray[np.float64]]:
    """The page's named colours as linear red, green and blue (3,)."""
    head = ":root {" if look == "light" else ':root[data-look="dark"] {'
    block = TOKENS.partition(head)[2].partition("}")[0]
    found: dict[str, NDArray[np.float64]] = {}
    for name, value in re.findall(r"--([\w-]+): #([0-9a-f]{6});", block):
        c = np.array([int(value[k : k + 2], 16) for k in (0, 2, 4)]) / 255
        found[name] = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return found


def brightness(colour: NDArray[np.float64]) -> float:
    """Relative luminance as WCAG has it."""
    return float(colour @ [0.2126, 0.7152, 0.0722])


def contrast(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Of two colours, 1 to 21."""
    low, high = sorted((brightness(a), brightness(b)))
    return (high + 0.05) / (low + 0.05)


def lab(colour: NDArray[np.float64]) -> NDArray[np.float64]:
    """CIE Lab under D65."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    t = to_xyz @ np.clip(colour, 0, 1) / np.array([0.9505, 1.0, 1.089])
    f = np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("look", ["light", "dark"])
def test_words_and_marks_stand_out(look: str) -> None:
    named = colours(look)
    weak = {pair: contrast(named[pair[0]], named[pair[1]]) for pair in WORDS}
    assert {pair: ratio for pair, ratio in weak.items() if ratio < 4.5} == {}
    faint = {pair: contrast(named[pair[0]], named[pair[1]]) for pair in MARKS}
    assert {pair: ratio for pair, ratio in faint.items() if ratio < 3} == {}


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("eye", EYES)
def test_legs_are_distinguished_by_every_eye(look: str, eye: str) -> None:
    named, seen = colours(look), np.asarray(EYES[eye])
    places = {leg: lab(seen @ named[leg]) for leg in ("lf", "rf", "lh", "rh")}
    near = {
        (a, b): float(np.linalg.norm(places[a] - places[b]))
        for a, b in combinations(places, 2)
        if np.linalg.norm(places[a] - places[b]) < APART
    }
    assert near == {}
