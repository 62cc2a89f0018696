"""Footfall: when feet land and leave, read from contacts, and the contacts that a gait plans.

A contact is sampled at its frame's time; between two frames a foot lands or leaves where the contact
crosses one half, so that contacts of 0 and 1 put it halfway.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hoofbeat.body.skeleton import LEGS
from hoofbeat.errors import ClipError
from hoofbeat.gaits.gait import Gait

#: A foot is down where its contact is above this.
DOWN = 0.5
#: A foot may land this much outside the stride of the left hind and still belong to it [strides].
SLACK = 0.15
#: The leg that strides are counted by.
LH = LEGS.index("LH")

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Strides:
    """S strides, each from one touchdown of the left hind to the next; legs LF, RF, LH, RH.

    start (S,) and duration (S,) [s]; touchdown (S, 4), after the left hind, in [0, 1) of the stride, NaN
    where a foot did not land; duty (S, 4), the part of the stride it then stood, NaN where not known.
    """

    start: Floats
    duration: Floats
    touchdown: Floats
    duty: Floats

    def __len__(self) -> int:
        return len(self.start)

    def mean_touchdown(self) -> Floats:
        """Mean touchdown (4,) in [0, 1), on the circle; NaN for a leg that never landed."""
        return mean_phase(self.touchdown)

    def mean_duty(self) -> Floats:
        """Mean duty (4,); NaN for a leg of which none is known."""
        known = np.isfinite(self.duty)
        count = known.sum(axis=0)
        total = np.where(known, self.duty, 0.0).sum(axis=0)
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def mean_phase(phases: Floats) -> Floats:
    """Mean (K,) in [0, 1) of phases (S, K), on the circle; NaN for a column that holds none."""
    known = np.isfinite(phases)
    turn = np.exp(2j * math.pi * np.where(known, phases, 0.0)) * known
    # Twice, because a tiny negative number modulo 1 is 1.
    mean = np.angle(turn.sum(axis=0)) / (2 * math.pi) % 1.0 % 1.0
    return np.where(known.any(axis=0), mean, np.nan)


def intervals(contacts: ArrayLike, fps: float) -> Floats:
    """Touchdown and lift-off (M, 2) [s] of every stance in contacts (T,) in [0, 1].

    A stance that has begun before the first frame begins at -inf, one that lasts beyond the last ends at inf.
    """
    values = _checked(contacts, fps, 1)
    down = values > DOWN
    if not down.any():
        return np.zeros((0, 2))
    after = np.flatnonzero(down[1:] != down[:-1]) + 1
    before = after - 1
    part = (DOWN - values[before]) / (values[after] - values[before])
    times = (before + part) / fps
    times = np.concatenate([[-np.inf] if down[0] else [], times, [np.inf] if down[-1] else []])
    return times.reshape(-1, 2)


def flights(contacts: ArrayLike, fps: float) -> Floats:
    """Take-off and landing (M, 2) [s] of every time that all feet are up in contacts (T, 4).

    One that is cut by the first or last frame begins at -inf or ends at inf.
    """
    values = _checked(contacts, fps, 2)
    return intervals(1.0 - values.max(axis=1, initial=0.0), fps)


def strides(contacts: ArrayLike, fps: float) -> Strides:
    """The strides in contacts (T, 4) in [0, 1] of LF, RF, LH, RH; none if LH lands less than twice."""
    values = _checked(contacts, fps, 2)
    return strides_of([intervals(values[:, leg], fps) for leg in range(4)])


def strides_of(stances: Sequence[Floats]) -> Strides:
    """The strides in the stances (M, 2) [s], touchdown and lift-off, of LF, RF, LH, RH."""
    landings = stances[LH][:, 0]
    landings = landings[np.isfinite(landings)]
    start, duration = landings[:-1], np.diff(landings)
    touchdown = np.full((len(start), 4), np.nan)
    duty = np.full((len(start), 4), np.nan)
    for n, (begin, length) in enumerate(zip(start, duration, strict=True)):
        for leg in range(4):
            touchdown[n, leg], duty[n, leg] = _landing(stances[leg], begin, length)
    return Strides(start, duration, touchdown, duty)


def planned(gait: Gait, cycles: ArrayLike, duty: float | None = None) -> Floats:
    """Contacts (K, 4) of a gait at times (K,) [strides since a touchdown of the left hind].

    duty: part of the stride that every foot stands; None is the middle of the gait's range.
    """
    share = sum(gait.duty) / 2 if duty is None else duty
    phase = (np.asarray(cycles, np.float64)[:, None] - np.asarray(gait.touchdown)) % 1.0
    return (phase < share).astype(np.float64)


def _landing(stances: Floats, begin: float, length: float) -> tuple[float, float]:
    """Phase and duty of the stance that belongs to a stride: one that starts in it, else the nearest."""
    after = int(np.searchsorted(stances[:, 0], begin))
    near = (stances[max(after - 1, 0) : after + 1] - begin) / length  # (0 to 2, 2)
    if not len(near):
        return math.nan, math.nan
    outside = np.maximum(np.maximum(-near[:, 0], near[:, 0] - 1.0), 0.0)
    phase, liftoff = near[int(np.argmin(outside))]
    if outside.min() > SLACK:
        return math.nan, math.nan
    # Twice, because a tiny negative number modulo 1 is 1.
    return float(phase) % 1.0 % 1.0, float(liftoff - phase) if math.isfinite(liftoff) else math.nan


def _checked(contacts: ArrayLike, fps: float, dimensions: int) -> Floats:
    values = np.asarray(contacts, np.float64)
    wanted = "(T,)" if dimensions == 1 else "(T, 4)"
    if values.ndim != dimensions or values.shape[1:] != (4,) * (dimensions - 1):
        raise ClipError(f"contacts must be {wanted} here, given {values.shape}")
    if not np.isfinite(values).all():
        raise ClipError("contacts contain NaN or infinity")
    if not (math.isfinite(fps) and fps > 0):
        raise ClipError(f"fps must be a positive number, given {fps}")
    return values
