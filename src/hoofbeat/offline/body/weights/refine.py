"""Ease: weights moved until poses keep a skin within its bounds.

No face may turn over, no edge grow or shrink too much, no limb swell or wither (`strain.py`). The weights go
down the slope of what is beyond the bounds, as shares of at most four joints, and hold on to what they were
where nothing is. Between rounds all poses are surveyed; within one only what is near its bounds is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Floats as Array
from hoofbeat.offline.body.weights.bounds import Bearing, Strain
from hoofbeat.offline.body.weights.fit import to_simplex
from hoofbeat.offline.body.weights.initial import MOST

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
#: Joints that a vertex may choose from before it keeps MOST.
CHOICE = 6
#: Pull back to the first weights, and of the neighbours that have moved less.
HOLD, SMOOTH = 0.1, 3.0
#: The latter while mending; size of the last step beside the first.
MENDING, LAST = 0.15, 0.1
#: Push that drives out the weights that have to go.
DRIVE = 0.05
#: Means over steps of the slope and of its square; a slope that counts as none.
FIRST, SECOND, NONE = 0.9, 0.99, 1e-2


@dataclass(frozen=True)
class Effort:
    """How long is worked: steps of a round; rounds with CHOICE joints, with MOST, and of mending; size of a
    step."""

    steps: int
    rounds: tuple[int, int, int]
    size: float


def refined(bearing: Bearing, weights: Floats, matrices: Floats, effort: Effort) -> Floats:
    """Weights (V, J) with which poses, matrices (T, J, 3, 4), do no harm.

    First with a strong pull of the neighbours, so that the skin stays smooth where it folds; what is still
    beyond the bounds then is mended from there with a weak one.
    """
    work = _Work(bearing, weights, matrices)
    work.choose(weights, CHOICE)
    wide, few, mend = effort.rounds
    for k in range(wide):
        work.strain.survey(work.choice, work.weights)
        work.descend(effort.steps, (effort.size, effort.size), DRIVE * k / wide)
    work.choose(work.dense(), MOST)
    finer = LAST ** (1 / few)
    for k in range(few):
        work.strain.survey(work.choice, work.weights)
        work.descend(effort.steps, (effort.size * finer**k, effort.size * finer ** (k + 1)), 0.0)
    work.first, work.smooth = work.dense(), MENDING
    finer = LAST ** (1 / mend)
    for k in range(mend):
        work.strain.survey(work.choice, work.weights)
        work.descend(effort.steps, (0.5 * effort.size * finer**k, 0.5 * effort.size * finer ** (k + 1)), 0.0)
    return work.dense()


class _Work:
    """Weights during the refinement."""

    def __init__(self, bearing: Bearing, first: Floats, matrices: Floats) -> None:
        from scipy.sparse import coo_array

        self.bearing, self.first, self.strain = bearing, first, Strain(bearing, matrices)
        self.smooth = SMOOTH
        ends, size = bearing.edges, len(first)
        edges = np.concatenate([ends, ends[:, ::-1]])
        self.beside = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(size, size)).tocsr()
        self.degree = np.bincount(edges[:, 0], minlength=size)[:, None]

    def choose(self, weights: Floats, count: int) -> None:
        """Let every vertex keep its strongest joints, those of the middle in pairs."""
        bearing = self.bearing
        score = np.where(bearing.allowed, weights, -1.0)
        self.choice = np.argsort(-score, axis=1, kind="stable")[:, :count]
        for v in np.flatnonzero(bearing.middle):
            self.choice[v] = _paired(score[v] + score[v, bearing.other], bearing.other, count)
        self.weights = np.take_along_axis(weights, self.choice, axis=1)
        self.weights /= self.weights.sum(axis=1, keepdims=True)
        self.free = np.take_along_axis(bearing.allowed, self.choice, axis=1)

    def dense(self) -> Floats:
        """The weights (V, J)."""
        out = np.zeros_like(self.first)
        np.put_along_axis(out, self.choice, self.weights, axis=1)
        return out

    def descend(self, steps: int, sizes: tuple[float, float], drive: float) -> None:
        """Steps down the slope, of sizes from the first to the last; drive: see DRIVE."""
        mean, square = np.zeros_like(self.weights), np.zeros((len(self.weights), 1))
        for k in range(1, steps + 1):
            slope = self._slope(drive)
            mean = FIRST * mean + (1 - FIRST) * slope
            square = SECOND * square + (1 - SECOND) * np.sum(slope * slope, axis=1, keepdims=True)
            size = sizes[0] * (sizes[1] / sizes[0]) ** (k / steps)
            step = mean / (1 - FIRST**k) / (np.sqrt(square / (1 - SECOND**k)) + NONE)
            self.weights = np.where(self.free, self.weights - size * step, -9.0)
            simplices(self.weights)
            self._pair()

    def _slope(self, drive: float) -> Floats:
        """Derivative (V, C) of strain, hold and drive, along which weights keep their sum."""
        _, slope = self.strain.at(self.choice, self.weights)
        away = self.dense() - self.first
        pull = HOLD * away + self.smooth * (self.degree * away - self.beside @ away)
        slope = slope + np.take_along_axis(pull, self.choice, axis=1)
        if drive:
            rank = np.argsort(np.argsort(-self.weights, axis=1, kind="stable"), axis=1, kind="stable")
            slope = slope + drive * (rank >= MOST)
        return slope - slope.mean(axis=1, keepdims=True)

    def _pair(self) -> None:
        """Give joints of both sides the same weight at the vertices of the middle."""
        at = np.flatnonzero(self.bearing.middle)
        full = np.zeros((len(at), self.first.shape[1]))
        np.put_along_axis(full, self.choice[at], self.weights[at], axis=1)
        full = 0.5 * (full + full[:, self.bearing.other])
        self.weights[at] = np.take_along_axis(full, self.choice[at], axis=1)


def _paired(score: Floats, other: Ints, count: int) -> list[int]:
    """The joints with the highest score (J,), a joint of one side only together with its twin."""
    out: list[int] = []
    for j in np.argsort(-score, kind="stable"):
        new = [int(j)] if other[j] == j else [int(j), int(other[j])]
        if j not in out and len(out) + len(new) <= count:
            out += new
    return out


@kernel
def simplices(weights: Array) -> None:
    """The nearest shares to every row (V, C), in place."""
    for v in range(len(weights)):
        to_simplex(weights[v])
