"""Midstance: the middle parts of stances, in which a foot bears the animal, as one flat table for all feet.

Where the animal shows a gait only the stances of its strides count: an animal that sits, lies or turns on
the spot moves its feet as it likes. A long stance is cut into pieces, so that one who stands may sway.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.check.motion import UPRIGHT, Motion
from hoofbeat.check.recognise import Stride
from hoofbeat.gaits.names import NO_GAIT
from hoofbeat.maths.physics import GRAVITY

#: Middle part of a stance in which a foot bears the animal and neither lands nor rolls off.
MIDDLE = 0.6
#: Fewest frames of a midstance.
FEWEST = 2
#: Longest piece of a stance [sqrt(L / g)]: 1 s for a horse, longer than any stance of its gaits.
LONGEST = 3.0

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Midstances:
    """M midstances, leg by leg, and their N frames one after the other.

    leg (M,): 0 to 3 for LF, RF, LH, RH; first (M,) and count (M,): their frames; frame (N,) and foot (N,):
    frame and leg of every row; offset (M,): where each midstance begins among the rows.
    """

    leg: Ints
    first: Ints
    count: Ints
    frame: Ints
    foot: Ints
    offset: Ints

    def __len__(self) -> int:
        return len(self.leg)

    def rows(self, values: Floats) -> Floats:
        """Values (T, 4, ...) of frames and feet, row by row (N, ...)."""
        return values[self.frame, self.foot]

    def lowest(self, rows: Floats) -> Floats:
        """Least (M,) of rows (N,) in each midstance."""
        return np.minimum.reduceat(rows, self.offset)

    def highest(self, rows: Floats) -> Floats:
        """Greatest (M,) of rows (N,) in each midstance."""
        return np.maximum.reduceat(rows, self.offset)

    def mean(self, rows: Floats) -> Floats:
        """Mean (M,) of rows (N,) in each midstance."""
        return np.add.reduceat(rows, self.offset) / self.count


def midstances_of(motion: Motion, strides: Sequence[Stride] = ()) -> Midstances:
    """The midstances in strides that show a gait; where there are none, of all stances on which
    the animal is on its feet.

    They hold two frames or more; stances that the clip cuts off count as far as they are in it.
    """
    gaits = [s for s in strides if s.gait not in NO_GAIT]
    if gaits:
        start, stop = np.array([s.start for s in gaits]), np.array([s.stop for s in gaits])
        found = _table(motion, [_within(spans, start, stop) for spans in _stances(motion)])
        if len(found):
            return found
    hips = motion.tops[:, 2:, 1].mean(axis=1) - motion.level[2:].mean()
    return _table(motion, _stances(motion), hips > UPRIGHT * motion.leg)


def _stances(motion: Motion) -> list[Floats]:
    """Stances (M, 2) [s] of each leg as far as the clip shows them."""
    last = (len(motion) - 1) / motion.fps
    return [np.clip(found, 0.0, last) for found in motion.stances]


def _within(spans: Floats, start: Floats, stop: Floats) -> Floats:
    """The stances whose middle lies in one of some strides."""
    middle = spans.mean(axis=1)
    n = np.searchsorted(start, middle, side="right") - 1
    return spans[(n >= 0) & (middle < stop[np.maximum(n, 0)])]


def _table(motion: Motion, stances: Sequence[Floats], upright: NDArray[np.bool_] | None = None) -> Midstances:
    """The midstances of stances (M, 2) [s] of each leg; upright (T,): where their middles must be."""
    longest = LONGEST * math.sqrt(motion.leg / GRAVITY)
    parts: list[tuple[Ints, Ints]] = []
    for spans in stances:
        edge = 0.5 * (1.0 - MIDDLE) * (spans[:, 1] - spans[:, 0])
        begin, end = _pieces(spans[:, 0] + edge, spans[:, 1] - edge, longest)
        first = np.ceil(begin * motion.fps - 1e-9).astype(np.int64)
        stop = np.floor(end * motion.fps + 1e-9).astype(np.int64) + 1
        good = stop - first >= FEWEST
        if upright is not None:
            good &= upright[np.minimum((first + stop) // 2, len(upright) - 1)]
        parts.append((first[good], stop[good]))
    leg = np.repeat(np.arange(4), [len(first) for first, _ in parts])
    first = np.concatenate([first for first, _ in parts])
    count = np.concatenate([stop for _, stop in parts]) - first
    offset = np.cumsum(count) - count
    frame = np.arange(int(count.sum())) + np.repeat(first - offset, count)
    return Midstances(leg, first, count, frame, np.repeat(leg, count), offset)


def _pieces(begin: Floats, end: Floats, longest: float) -> tuple[Floats, Floats]:
    """Spans of time cut into equal pieces that are not longer than one."""
    number = np.maximum(1, np.ceil((end - begin) / longest - 1e-9)).astype(np.int64)
    size = np.repeat((end - begin) / number, number)
    nth = np.arange(int(number.sum())) - np.repeat(np.cumsum(number) - number, number)
    start = np.repeat(begin, number) + nth * size
    return start, start + size
