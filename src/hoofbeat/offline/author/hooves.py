"""Hooves: where each toe is over the stride and how the hoof is held.

A stance toe goes straight back at the speed of the ground. A swinging one leaves and arrives at that
speed, so that it neither drags nor hits; over the ground it covers one stride, and how much of it after
which part of the swing is its `way`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import Skeleton
from hoofbeat.offline.author.style import Style

Floats = NDArray[np.float64]

#: Part of the swing at which the hoof begins to level for its landing.
LEVELS = 0.92


@dataclass(frozen=True)
class HoofPath:
    """One hoof over phases (K,) of its own stride, 0 = it lands.

    down (K,); toe (K, 3) [m] character space; way (K,) in [0, 1] of the swing, 0 in the stance; pitch
    (K,) heel up, sink (K,) of the fetlock below standing [rad]; bent (K,) in [0, 1]: how much the carpus
    has its part in the fold; ahead (K,): the toe before the middle of its stance, in half stances.
    """

    down: NDArray[np.bool_]
    toe: Floats
    way: Floats
    pitch: Floats
    sink: Floats
    bent: Floats
    ahead: Floats


def hoof_path(style: Style, skeleton: Skeleton, leg: int, own: Floats) -> HoofPath:
    """The path of a hoof at times `own` (K,) in [0, 1) since it landed."""
    duty = float(style.duty[leg // 2])
    down = own < duty
    u = np.where(down, own / duty, 0.0)
    s = np.where(down, 0.0, (own - duty) / (1 - duty))
    stride = style.speed * style.stride
    length = stride * duty
    top = skeleton.rest_positions()[skeleton.legs[leg].top]
    middle = float(top[2]) + style.of("reach", leg)
    way = np.where(down, 0.0, _way(s, style.of("early", leg), style.of("late", leg)))
    toe = np.zeros((len(own), 3))
    toe[:, 0] = np.sign(top[0]) * style.of("track", leg)
    lift = style.of("lift", leg) * hump(s, style.of("lift_rise", leg), style.of("lift_fall", leg))
    toe[:, 1] = lift + style.of("late_lift", leg) * hump(s, style.of("late_rise", leg), 2.0)
    swung = -0.5 * length - (stride - length) * s + stride * way
    toe[:, 2] = middle + np.where(down, length * (0.5 - u), swung)
    return HoofPath(
        down,
        toe,
        way,
        _pitch(style, leg, own, duty),
        _sink(style, leg, down, u, s),
        np.where(down, 0.0, hump(s, 1.2, 1.6)),
        (toe[:, 2] - middle) / (0.5 * length),
    )


def smooth_curve(t: Floats) -> Floats:
    """From 0 to 1 with level ends."""
    t = np.clip(t, 0.0, 1.0)
    return t * t * (3 - 2 * t)


def hump(s: Floats, rise: float, fall: float) -> Floats:
    """0 at both ends of s in [0, 1], 1 at its top; steeper where the exponent is smaller."""
    s = np.clip(s, 0.0, 1.0)
    top = rise / (rise + fall)
    return s**rise * (1 - s) ** fall / (top**rise * (1 - top) ** fall)


def _way(s: Floats, early: float, late: float) -> Floats:
    s = s + early * s * (1 - s) ** 2 - late * s * s * (1 - s)
    return s * s * (3 - 2 * s)


def _pitch(style: Style, leg: int, own: Floats, duty: float) -> Floats:
    """The heel rises before the toe leaves, the hoof folds, opens heel first, and lands level."""
    begins = style.of("breakover", leg) * duty
    folded = duty + style.of("hoof_fold_at", leg) * (1 - duty)
    levels = duty + LEVELS * (1 - duty)
    fold, land = np.radians(style.of("hoof_fold", leg)), np.radians(style.of("hoof_land", leg))
    up = fold * smooth_curve((own - begins) / (folded - begins))
    open_ = (fold - land) * smooth_curve((own - folded) / (levels - folded))
    return up - open_ - land * smooth_curve((own - levels) / (1 - levels))


def _sink(style: Style, leg: int, down: NDArray[np.bool_], u: Floats, s: Floats) -> Floats:
    deep, long = np.radians(style.of("sink", leg)), np.radians(style.of("extend", leg))
    loaded = -long + (deep + long) * np.sin(np.pi * np.clip(u, 0, 1)) ** 2
    return np.where(down, loaded, -long * (1 - hump(s, 2.0, 2.0)))
