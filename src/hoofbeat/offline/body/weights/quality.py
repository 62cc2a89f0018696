"""Quality: what bending does to a skin: faces that turn over, edges that stretch, limbs that lose volume."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.mesh.skin import Skin, skinned
from hoofbeat.body.pose import world_of
from hoofbeat.maths import quat
from hoofbeat.offline.body.weights.segments import bone_segments, flesh

Floats = NDArray[np.float64]
#: Parts whose triangles are hair: they may stretch.
HAIR = ("mane", "tail")


@dataclass(frozen=True)
class Quality:
    """Measures over poses (T,): inverted (T,) faces; stretch and shrink (T,): the largest and smallest length
    of an edge as a part of its length at rest; volumes (T, S): of the limbs' `segments`, as parts of rest."""

    inverted: NDArray[np.int64]
    stretch: Floats
    shrink: Floats
    volumes: Floats
    segments: tuple[str, ...]


def measured_skin(skin: Skin, positions: Any, rotations: Any) -> Quality:
    """Quality of a skin in poses (T, J, 3) [m] and (T, J, 4) xyzw local; hair is left out."""
    hair = [skin.part_names.index(name) for name in HAIR]
    faces = skin.triangles[~np.isin(skin.parts, hair)].astype(np.int64)
    moved, normals = skinned(skin, skin.skeleton, positions, rotations)
    rest = skin.vertices.astype(np.float64)
    edges = np.unique(np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    length = np.linalg.norm(rest[edges[:, 0]] - rest[edges[:, 1]], axis=1)
    segments = bone_segments(skin.skeleton, rest, faces)
    _, turns = world_of(skin.skeleton, np.asarray(rotations, np.float64), np.zeros((len(moved), 3)))
    bones = skin.skeleton.rest_positions()
    count = len(moved)
    out = Quality(
        np.zeros(count, np.int64),
        np.zeros(count),
        np.zeros(count),
        np.zeros((count, len(segments))),
        tuple(segment.name for segment in segments),
    )
    for t in range(count):
        points = moved[t].astype(np.float64)
        out.inverted[t] = int(turned_over(points, normals[t], faces).sum())
        ratio = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1) / length
        out.stretch[t], out.shrink[t] = ratio.max(), ratio.min()
        for k, segment in enumerate(segments):
            j = segment.bone
            there = quat.rotate(turns[t, j], segment.roots - bones[j]) + positions[t, j]
            whole = flesh(rest[segment.faces], segment.roots).sum()
            out.volumes[t, k] = flesh(points[segment.faces], there).sum() / whole
    return out


def turned_over(points: Floats, normals: Any, faces: NDArray[Any]) -> NDArray[np.bool_]:
    """Which faces (F,) look against the mean of their corners' normals."""
    a, b, c = (points[faces[:, k]] for k in range(3))
    return np.sum(np.cross(b - a, c - a) * normals[faces].sum(axis=1), axis=1) < 0
