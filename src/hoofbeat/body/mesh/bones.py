"""Bone mesh: an octahedron for every bone, so that a file without a skin still shows the animal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import Skeleton

#: The widest place of a bone: how far along it, how wide for its length, and the bounds of its half
#: width as parts of the skeleton's longest bone.
WAIST, SLENDER = 0.15, 0.14
THIN, THICK = 0.03, 0.08
#: A bone shorter than this part of the longest one has no direction to draw.
SHORTEST = 1e-4

# Corners: 0 head, 1 to 4 around the waist, 5 tail. Counter-clockwise seen from outside.
_FACES = np.array([[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 1, 4], [5, 1, 2], [5, 2, 3], [5, 3, 4], [5, 4, 1]])


@dataclass(frozen=True)
class BoneMesh:
    """Flat-shaded triangles around the bones in the rest pose (all rotations zero, root at the origin).

    points (V, 3) float32 [m]; normals (V, 3) float32, unit; nodes (V,) int64, the node of the skeleton
    that the point is bound to, with full weight: never a childless end site. Points come in threes, a
    triangle each, counter-clockwise seen from outside, so `triangles` (V / 3, 3) int64 just counts.
    """

    points: NDArray[np.float32]
    normals: NDArray[np.float32]
    nodes: NDArray[np.int64]

    @property
    def triangles(self) -> NDArray[np.int64]:
        """Point indices of the triangles, (V / 3, 3)."""
        return np.arange(len(self.points)).reshape(-1, 3)


def bone_mesh(skeleton: Skeleton) -> BoneMesh:
    """An octahedron from every node to each child that is not in the same place; 24 points a bone.

    A skeleton without a bone to draw gets one small octahedron about its root, 0.1 m long.
    """
    rest = skeleton.rest_positions()
    lengths = np.linalg.norm(skeleton.offsets[1:], axis=1)
    longest = float(lengths.max(initial=0.0))
    tails = 1 + np.flatnonzero(lengths > SHORTEST * longest)
    heads = skeleton.parents[tails]
    starts, stops = rest[heads], rest[tails]
    if not len(tails):
        longest, heads = 0.1, np.zeros(1, np.int64)
        starts, stops = rest[:1], rest[:1] + np.array([0.0, longest, 0.0])
    corners = _octahedra(starts, stops, longest)  # (bones, 6, 3)
    faces = corners[:, _FACES]  # (bones, 8, 3, 3)
    normals = np.cross(faces[:, :, 1] - faces[:, :, 0], faces[:, :, 2] - faces[:, :, 0])
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    return BoneMesh(
        faces.reshape(-1, 3).astype(np.float32),
        np.repeat(normals.reshape(-1, 3), 3, axis=0).astype(np.float32),
        np.repeat(heads, _FACES.size),
    )


def _octahedra(
    starts: NDArray[np.float64], stops: NDArray[np.float64], longest: float
) -> NDArray[np.float64]:
    """Corners (bones, 6, 3) of octahedra from starts to stops, (bones, 3) each."""
    along = stops - starts
    length = np.linalg.norm(along, axis=1, keepdims=True)
    # Any axis that is not along the bone will do; the one it leans to least is safest.
    aside = np.eye(3)[np.argmin(np.abs(along), axis=1)]
    first = np.cross(along, aside)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    second = np.cross(along / length, first)
    width = np.clip(SLENDER * length, THIN * longest, THICK * longest)
    middle = starts + WAIST * along
    ring = [middle + width * side for side in (first, second, -first, -second)]
    return np.stack([starts, *ring, stops], axis=1)
