"""Load: how the ground bears the weight, and how the trunk therefore rises, falls and pitches.

Each foot bears a load that grows and falls over its stance; all of them together bear the weight, mean
over the stride. What is over or under the weight moves the body up or down, and what lies ahead of or
behind the centre of mass pitches it: nothing of the trunk's bounce is drawn by hand. With two humps a
stance at the walk and one at the trot this gives the paths of withers and sacrum of real horses (docs/
gaits.md), and flights that obey gravity at every gait.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.maths.physics import GRAVITY

Floats = NDArray[np.float64]
Pair = tuple[float, float]
Four = tuple[float, float, float, float]

#: Where the forelegs and the hind legs bear the trunk, ahead of the root joint [m].
FORE_AT, HIND_AT = 0.66, -0.40
#: Points of the stride at which loads are summed: their waves are found by Fourier analysis.
POINTS = 480


@dataclass(frozen=True)
class Load:
    """How feet bear. Pairs are fore, hind; four are LF, RF, LH, RH.

    fore_share: part of the weight on the forelegs; gyration: radius of gyration of the trunk in pitch [m];
    dip: 0 = one hump a stance, 0.3 and more = two; skew: positive = most of it early; weight: shares within
    their pair.
    """

    fore_share: float = 0.58
    gyration: float = 0.75
    dip: Pair = (0.0, 0.0)
    skew: Pair = (0.0, 0.0)
    weight: Four = (1.0, 1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Bounce:
    """Of the trunk, at POINTS of the stride: height of the root joint about its mean [m], pitch, fore up
    [rad]; loads (POINTS, 4) as parts of the weight."""

    height: Floats
    pitch: Floats
    loads: Floats


def bounce_under(load: Load, touchdown: Sequence[float], duty: Sequence[float], stride: float) -> Bounce:
    """The trunk's bounce where feet LF, RF, LH, RH land at touchdown (4,) and stand for duty (4,) of a
    stride of
    `stride` [s]."""
    loads = loads_of(load, touchdown, duty)
    fore, hind = loads[:, :2].sum(axis=1), loads[:, 2:].sum(axis=1)
    centre = load.fore_share * FORE_AT + (1 - load.fore_share) * HIND_AT
    rise = _twice_integrated(GRAVITY * (fore + hind - 1), stride)
    moment = GRAVITY * (fore * (FORE_AT - centre) + hind * (HIND_AT - centre))
    pitch = _twice_integrated(moment, stride) / load.gyration**2
    return Bounce(rise - centre * pitch, pitch, loads)


def loads_of(load: Load, touchdown: Sequence[float], duty: Sequence[float]) -> Floats:
    """Loads (POINTS, 4) of the feet over the stride, as parts of the weight."""
    phase = np.arange(POINTS) / POINTS
    out = np.zeros((POINTS, 4))
    for leg, (lands, stands) in enumerate(zip(touchdown, duty, strict=True)):
        u = ((phase - lands) % 1) / stands
        dip, skew = load.dip[leg // 2], load.skew[leg // 2]
        hump = np.sin(np.pi * u) + dip * np.sin(3 * np.pi * u) + skew * np.sin(2 * np.pi * u)
        out[:, leg] = np.where(u < 1, hump, 0)
        out[:, leg] *= load.weight[leg] / out[:, leg].mean()
    for pair, share in ((slice(0, 2), load.fore_share), (slice(2, 4), 1 - load.fore_share)):
        out[:, pair] *= share / out[:, pair].sum(axis=1).mean()
    return out


def _twice_integrated(acceleration: Floats, period: float) -> Floats:
    """The periodic motion of mean 0 that has this acceleration, without its mean."""
    waves = np.fft.rfft(acceleration)
    rate = 2 * np.pi * np.arange(len(waves)) / period
    waves[0] = 0
    waves[1:] /= -(rate[1:] ** 2)
    return np.fft.irfft(waves, len(acceleration))
