"""Bounds: a half body in poses, and how near they bring it to the limits of a good skin.

A survey looks at everything in every pose. Between two surveys only what is near its bounds is looked at,
which is little of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.offline.body.weights.segments import BoneSegment, flesh
from hoofbeat.offline.body.weights.strain import Found, LimbStrain, Surface, Watched, strain_kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Marks = NDArray[np.bool_]
#: Poses that are surveyed together.
TOGETHER = 32
#: An edge or face is watched from here on: parts of rest that it grew to, shrank to, is in view of.
LONG, SHORT, VIEW = 1.7, 0.55, 0.3
#: And a limb from here: part of its volume that it gained or lost.
LIMB = 0.08


@dataclass(frozen=True)
class Bearing:
    """A half body: points, normals (V, 3); edges (E, 2), faces (F, 3), the limbs' segments; allowed (V, J):
    joints that a vertex may be bound to; middle (V,): vertices that are their own mirror image; other (J,):
    the joint on the other side."""

    points: Floats
    normals: Floats
    edges: Ints
    faces: Ints
    segments: tuple[BoneSegment, ...]
    allowed: Marks
    middle: Marks
    other: Ints


@dataclass
class _Report:
    """Extremes over poses: longest and shortest edge, smallest view of a face, thinnest and fattest limb."""

    longest: float = 1.0
    shortest: float = 1.0
    smallest: float = 1.0
    thinnest: float = 1.0
    fattest: float = 1.0

    def add(self, edges: Floats, faces: Floats, limbs: Floats) -> None:
        """Take in what was found in some poses."""
        self.longest, self.shortest = max(self.longest, edges.max()), min(self.shortest, edges.min())
        self.smallest = min(self.smallest, faces.min())
        self.thinnest, self.fattest = min(self.thinnest, limbs.min()), max(self.fattest, limbs.max())


class Strain:
    """The strain of a bearing in poses, matrices (T, J, 3, 4), by the weights it is given."""

    def __init__(self, bearing: Bearing, matrices: Floats) -> None:
        self.bearing, self.matrices = bearing, np.ascontiguousarray(matrices)
        points, segments = bearing.points, bearing.segments
        lengths = np.linalg.norm(points[bearing.edges[:, 0]] - points[bearing.edges[:, 1]], axis=1)
        corners = points[bearing.faces]
        double = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        areas = np.linalg.norm(double, axis=1) + 1e-12
        self.at_rest = (bearing.edges, lengths, bearing.faces, areas)
        wedges = np.concatenate([segment.faces for segment in segments])
        roots = np.concatenate([segment.roots for segment in segments])
        owners = np.repeat(np.arange(len(segments)), [len(s.faces) for s in segments])
        bones = np.array([segment.bone for segment in segments])
        volumes = np.bincount(owners, flesh(points[wedges], roots), len(segments))
        self.limbs = LimbStrain(wedges, owners, roots, bones, volumes)
        self.watched = self._everything(0)

    def at(self, choice: Ints, weights: Floats) -> tuple[float, Floats]:
        """The strain where it is looked at and its derivative (V, C) by weights (V, C) of joints chosen."""
        total, slope, _, _, _ = self._run(self.matrices, self.watched, choice, weights)
        return total, slope

    def survey(self, choice: Ints, weights: Floats) -> _Report:
        """Look at everything in all poses, and from now on at what is near its bounds."""
        found: list[Watched] = []
        report = _Report()
        for first in range(0, len(self.matrices), TOGETHER):
            matrices = self.matrices[first : first + TOGETHER]
            count = len(matrices)
            _, _, ratios, views, parts = self._run(matrices, self._everything(count), choice, weights)
            edges, faces = ratios.reshape(count, -1), views.reshape(count, -1)
            report.add(edges, faces, parts)
            strained = (edges > LONG) | (edges < SHORT)
            found.append(self._near(strained, faces < VIEW, np.abs(parts - 1) > LIMB))
        self.watched = _together(found)
        return report

    def _everything(self, count: int) -> Watched:
        """All that there is, in so many poses."""
        bearing = self.bearing
        sizes = (len(bearing.points), len(bearing.edges), len(bearing.faces))
        lists = [(np.arange(count + 1) * size, np.tile(np.arange(size), count)) for size in sizes]
        return Watched(lists[0], lists[1], lists[2], np.ones((count, len(self.limbs.bones)), np.bool_))

    def _near(self, edges: Marks, faces: Marks, limbs: Marks) -> Watched:
        """The marked edges (T, E), faces (T, F) and limbs (T, S), and the points they need."""
        needed = np.zeros((len(edges), len(self.bearing.points)), np.bool_)
        for t in range(len(edges)):
            needed[t, self.bearing.edges[edges[t]]] = True
            needed[t, self.bearing.faces[faces[t]]] = True
            needed[t, self.limbs.wedges[limbs[t][self.limbs.owners]]] = True
        return Watched(_listed(needed), _listed(edges), _listed(faces), limbs)

    def _run(
        self, matrices: Floats, watched: Watched, choice: Ints, weights: Floats
    ) -> tuple[float, Floats, Floats, Floats, Floats]:
        bearing = self.bearing
        slope, parts = np.zeros_like(weights), np.ones((len(matrices), len(self.limbs.bones)))
        found = Found(np.ones(len(watched.edges[1])), np.ones(len(watched.faces[1])), parts)
        surface = Surface(bearing.points, bearing.normals, choice, *self.at_rest)
        total = strain_kernel(matrices, surface, weights, self.limbs, watched, slope, found)
        return float(total), slope, found.ratios, found.views, parts


def _listed(marks: Marks) -> tuple[Ints, Ints]:
    """Marks (T, N) as (start, index)."""
    start = np.concatenate([[0], np.cumsum(marks.sum(axis=1))])
    return start, np.nonzero(marks)[1]


def _together(found: list[Watched]) -> Watched:
    """Several of them one after the other."""

    def joined(lists: list[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
        long = np.concatenate([np.diff(start) for start, _ in lists])
        return np.concatenate([[0], np.cumsum(long)]), np.concatenate([index for _, index in lists])

    return Watched(
        joined([s.points for s in found]),
        joined([s.edges for s in found]),
        joined([s.faces for s in found]),
        np.concatenate([s.limbs for s in found]),
    )


def edges_of(faces: NDArray[Any]) -> Ints:
    """The edges (E, 2) of faces (F, 3), each once."""
    edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    return np.unique(edges.astype(np.int64), axis=0)
