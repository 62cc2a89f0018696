"""Similarity: what the Froude number predicts for animals of any size (M1), and where gaits change.

Animals that move at the same Froude number Fr = v²/(g h), h the height of the hip, move alike: equal
phases, equal duty factors, equal stride lengths in hip heights (Alexander and Jayes 1983). The laws and the
preset `paper` are those of Murphy, Carr and O'Neill 2010, Tables 1 and 2. Real horses trot from Fr 0.35
(Griffin, Kram, Wickler and Hoyt 2004) and canter from about 5.0 m/s, Fr 2.0 at a hip of 1.27 m (Wickler,
Hoyt, Cogger and McGuire 2002): preset `natural`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hoofbeat.errors import HoofbeatError, UnknownGait, UnknownName
from hoofbeat.maths.physics import GRAVITY

Floats = NDArray[np.float64]
Four = tuple[float, float, float, float]

#: Hip height of the horse that the paper's Figures 2 and 5 are drawn for [m].
PAPER_HIP = 1.24524
#: The four gaits of the method, slow to fast; the first two are symmetrical.
NATURAL_GAITS = ("walk", "trot", "canter", "gallop")
SYMMETRICAL = ("walk", "trot")
#: Hips from a shrew's to a dinosaur's [m], and gravities from an asteroid's to Jupiter's twice over [m/s²].
HIPS, GRAVITIES = (0.005, 20.0), (0.01, 60.0)
#: No animal is known above this: a cheetah's 30 m/s at a hip of 0.8 m is 115.
MOST_FROUDE = 200.0
#: A stance takes the foot no farther than this under the body [hip heights]. Where the laws ask for more,
#: strides are shorter and quicker, as those of real horses are.
LONGEST_STANCE = 1.0


class UnknownPreset(UnknownName):
    """A preset of gait borders that does not exist."""

    kind = "preset"


class SimilarityError(HoofbeatError):
    """A speed, Froude number, hip height or gravity that is no number or out of range."""


@dataclass(frozen=True)
class Law:
    """y = a Fr^b."""

    a: float
    b: float

    def at(self, froude: ArrayLike) -> Floats:
        """Values at Froude numbers, which are greater than 0."""
        return self.a * np.asarray(froude, np.float64) ** self.b


@dataclass(frozen=True)
class Laws:
    """Duty factors of fore and hind limbs, and stride length in hip heights."""

    fore: Law
    hind: Law
    stride: Law


#: Table 2.
LAWS: Mapping[str, Laws] = MappingProxyType(
    {
        "symmetrical": Laws(Law(0.52, -0.14), Law(0.51, -0.18), Law(2.4, 0.34)),
        "asymmetrical": Laws(Law(0.52, -0.28), Law(0.53, -0.28), Law(1.9, 0.40)),
    }
)


@dataclass(frozen=True)
class Preset:
    """Where gaits change, and how feet follow each other.

    borders: of each gait the least and most Froude number; hysteresis: a border is crossed this part
    beyond it; reference: which leg's cycle a transition leaves alone, REFERENCES; touchdown: of each gait
    when LF, RF, LH, RH land, in [0, 1) of the stride after the left hind.
    """

    name: str
    borders: Mapping[str, tuple[float, float]]
    hysteresis: float
    touchdown: Mapping[str, Four]
    reference: str = "least"

    def gait(self, froude: float, now: str | None = None) -> str:
        """The gait at a Froude number; with hysteresis where `now` is the gait that is ridden."""
        if now is not None:
            low, high = self.borders[checked_gait(now)]
            if low * (1 - self.hysteresis) <= froude <= high * (1 + self.hysteresis):
                return now
        for name, (_, high) in self.borders.items():
            if froude <= high:
                return name
        return NATURAL_GAITS[-1]


def _after_hind(fl: float, hl: float, hr: float, fr: float) -> Four:
    """Percent of the cycle after the left fore, as the paper has it, as parts after the left hind."""
    lf, rf, lh, rh = (round((value - hl) / 100 % 1.0, 9) for value in (fl, fr, hl, hr))
    return (lf, rf, lh, rh)


#: Which leg's cycle a transition leaves as long as it is: the left fore's, as in the paper, or none: then all
#: cycles are changed so that the greatest change is least.
REFERENCES = ("left-fore", "least")
#: Phases of FL, HL, HR, FR in percent of the cycle that give the paper's Table 4 (M8).
PAPER_PHASES: Mapping[str, tuple[int, int, int, int]] = MappingProxyType(
    {"walk": (0, 70, 20, 51), "trot": (0, 50, 1, 50), "canter": (0, 75, 45, 81), "gallop": (0, 45, 55, 11)}
)

PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "natural": Preset(
            "natural",
            MappingProxyType(
                {"walk": (0.0, 0.35), "trot": (0.35, 2.0), "canter": (2.0, 5.9), "gallop": (5.9, 24.0)}
            ),
            0.08,
            MappingProxyType(
                {
                    "walk": (0.25, 0.75, 0.0, 0.5),
                    "trot": (0.49, 0.99, 0.0, 0.5),
                    "canter": (0.24, 0.05, 0.0, 0.69),
                    "gallop": (0.36, 0.55, 0.0, 0.14),
                }
            ),
        ),
        "paper": Preset(
            "paper",
            MappingProxyType(
                {"walk": (0.0, 1.5), "trot": (1.51, 2.5), "canter": (2.51, 3.5), "gallop": (3.51, 4.5)}
            ),
            0.0,
            MappingProxyType({gait: _after_hind(*phases) for gait, phases in PAPER_PHASES.items()}),
            "left-fore",
        ),
    }
)


@dataclass(frozen=True)
class Prediction:
    """What an animal does at Froude numbers, arrays of one shape.

    froude; speed [m/s]; duty_fore and duty_hind, at most 1; relative_stride [hip heights]; stride [m];
    frequency [strides/s]; stance_fore and stance_hind [hip heights]: how far a foot goes under the body.
    """

    froude: Floats
    speed: Floats
    duty_fore: Floats
    duty_hind: Floats
    relative_stride: Floats
    stride: Floats
    frequency: Floats
    stance_fore: Floats
    stance_hind: Floats


def froude_of(speed: ArrayLike, hip: float, gravity: float = GRAVITY) -> Floats:
    """Fr = v²/(g h) (Eq. 1) of speeds [m/s] for a hip height [m]."""
    v = _checked("speed", speed, 0.0, math.inf)
    return v * v / (_one("gravity", gravity, *GRAVITIES) * _one("hip height", hip, *HIPS))


def speed_of(froude: ArrayLike, hip: float, gravity: float = GRAVITY) -> Floats:
    """Speed [m/s] at Froude numbers for a hip height [m]."""
    fr = _checked("Froude number", froude, 0.0, MOST_FROUDE)
    return np.sqrt(fr * (_one("gravity", gravity, *GRAVITIES) * _one("hip height", hip, *HIPS)))


def predict(
    froude: ArrayLike,
    gait: str,
    hip: float = PAPER_HIP,
    gravity: float = GRAVITY,
    laws: Mapping[str, Laws] = LAWS,
) -> Prediction:
    """What the laws say of a gait (its symmetry matters, Table 2) at Froude numbers above 0."""
    fr = _checked("Froude number", froude, 1e-9, MOST_FROUDE)
    own = laws[symmetry(gait)]
    speed = speed_of(fr, hip, gravity)
    fore, hind = np.minimum(own.fore.at(fr), 1.0), np.minimum(own.hind.at(fr), 1.0)
    relative = own.stride.at(fr)
    stride = relative * hip
    return Prediction(
        fr, speed, fore, hind, relative, stride, speed / stride, relative * fore, relative * hind
    )


def symmetry(gait: str) -> str:
    """The laws that a gait keeps: "symmetrical" or "asymmetrical"."""
    return "symmetrical" if checked_gait(gait) in SYMMETRICAL else "asymmetrical"


def checked_gait(gait: str) -> str:
    """One of the four natural gaits, the lead left out; anything else is an UnknownGait."""
    name = gait.removesuffix("-left").removesuffix("-right")
    if name not in NATURAL_GAITS:
        raise UnknownGait(gait, NATURAL_GAITS)
    return name


def preset_named(name: str) -> Preset:
    """A preset by name."""
    if name not in PRESETS:
        raise UnknownPreset(name, PRESETS)
    return PRESETS[name]


def _checked(what: str, given: ArrayLike, low: float, high: float) -> Floats:
    try:
        values = np.asarray(given, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise SimilarityError(f"{what}: expected a number, given {given!r:.60}") from None
    if not (np.isfinite(values).all() and (values >= low).all() and (values <= high).all()):
        raise SimilarityError(f"{what} must be {low:g} to {high:g}, given {given!r:.60}")
    return values


def _one(what: str, given: float, low: float, high: float) -> float:
    return float(_checked(what, given, low, high))
