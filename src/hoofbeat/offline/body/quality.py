"""Quality: what bending does to a skin: faces that turn over, edges that stretch, limbs that lose volume."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skin import Skin, skinned

Floats = NDArray[np.float64]
#: Parts whose triangles are hair: they may stretch.
HAIR = ("mane", "tail")
#: Segments of a leg from the top down, and where on its bone a segment begins and ends: the joints
#: themselves, which must fold, are left out.
SEGMENTS = ("upper", "lower", "cannon", "foot")
BETWEEN = (0.25, 0.75)
#: How far from its bone a face may be, in lengths of that bone.
REACH = 1.2


@dataclass(frozen=True)
class Quality:
    """Measures over poses (T,): inverted (T,) faces; stretch and shrink (T,): the largest and smallest length
    of an edge as a part of its length at rest; volumes (T, S): of the limbs' `segments`, as parts of rest."""

    inverted: NDArray[np.int64]
    stretch: Floats
    shrink: Floats
    volumes: Floats
    segments: tuple[str, ...]


def measured(skin: Skin, positions: Any, rotations: Any) -> Quality:
    """Quality of a skin in poses (T, J, 3) [m] and (T, J, 4) xyzw local; hair is left out."""
    hair = [skin.part_names.index(name) for name in HAIR]
    faces = skin.triangles[~np.isin(skin.parts, hair)].astype(np.int64)
    moved, normals = skinned(skin, skin.skeleton, positions, rotations)
    rest = skin.vertices.astype(np.float64)
    edges = np.unique(np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    length = np.linalg.norm(rest[edges[:, 0]] - rest[edges[:, 1]], axis=1)
    segments = _segments(skin, faces)
    whole = np.array([_volume(rest, part, caps) for part, caps in segments.values()])
    count = len(moved)
    out = Quality(
        np.zeros(count, np.int64),
        np.zeros(count),
        np.zeros(count),
        np.zeros((count, len(segments))),
        tuple(segments),
    )
    for t in range(count):
        points = moved[t].astype(np.float64)
        out.inverted[t] = int(turned_over(points, normals[t], faces).sum())
        ratio = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1) / length
        out.stretch[t], out.shrink[t] = ratio.max(), ratio.min()
        out.volumes[t] = [_volume(points, part, caps) for part, caps in segments.values()] / whole
    return out


def turned_over(points: Floats, normals: Any, faces: NDArray[Any]) -> NDArray[np.bool_]:
    """Which faces (F,) look against the mean of their corners' normals."""
    a, b, c = (points[faces[:, k]] for k in range(3))
    return np.sum(np.cross(b - a, c - a) * normals[faces].sum(axis=1), axis=1) < 0


def _segments(skin: Skin, faces: NDArray[np.int64]) -> dict[str, tuple[NDArray[Any], NDArray[Any]]]:
    """Faces and caps of every limb segment, the part between two joints without the joints themselves.

    The open ends are closed by fans from the middle of each rim: a cap row is (rim, from, to).
    """
    skeleton, middle = skin.skeleton, skin.vertices[faces].astype(np.float64).mean(axis=1)
    rest = skeleton.rest_positions()
    out: dict[str, tuple[NDArray[Any], NDArray[Any]]] = {}
    for leg in skeleton.legs:
        chain = (leg.top, leg.mid, leg.low, leg.pastern, leg.toe)
        under = _carried(skin, skeleton.names, leg.top)[faces].mean(axis=1) > 0.4
        for name, upper, lower in zip(SEGMENTS, chain, chain[1:], strict=False):
            along = rest[lower] - rest[upper]
            share = (middle - rest[upper]) @ along / (along @ along)
            # The other leg of the pair lies across; what hangs on this leg is told by its weights.
            chosen = under & (BETWEEN[0] < share) & (share < BETWEEN[1])
            near = np.linalg.norm(np.cross(middle - rest[upper], along), axis=1) / np.linalg.norm(along)
            part = faces[chosen & (near < REACH * np.linalg.norm(along))]
            out[f"{leg.name} {name}"] = (part, _rims(part))
    return out


def _carried(skin: Skin, names: tuple[str, ...], top: int) -> Floats:
    """Share (V,) of every vertex that the joints of one leg carry."""
    under = np.zeros(len(names), np.bool_)
    under[top] = True
    for j in range(top + 1, len(names)):
        under[j] = under[skin.skeleton.parents[j]]
    return (skin.weights * under[skin.joints.astype(np.int64)]).sum(axis=1).astype(np.float64)


def _rims(faces: NDArray[np.int64]) -> NDArray[np.int64]:
    """Open edges of faces as rows (rim, to, from), turned so that they close it."""
    ways = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    present = {(int(a), int(b)) for a, b in ways}
    loose = [(b, a) for a, b in present if (b, a) not in present]
    rim = {a: a for pair in loose for a in pair}

    def top(a: int) -> int:
        while rim[a] != a:
            a = rim[a]
        return a

    for a, b in loose:
        rim[top(a)] = top(b)
    return np.array(sorted((top(a), a, b) for a, b in loose), np.int64).reshape(-1, 3)


def _volume(points: Floats, faces: NDArray[Any], caps: NDArray[Any]) -> float:
    """Volume [m3] within faces and the fans that close them."""
    a, b, c = (points[faces[:, k]] for k in range(3))
    total = float(np.sum(a * np.cross(b, c)))
    for rim in np.unique(caps[:, 0]):
        rows = caps[caps[:, 0] == rim]
        middle = points[np.unique(rows[:, 1:])].mean(axis=0)
        total += float(np.sum(middle * np.cross(points[rows[:, 1]], points[rows[:, 2]])))
    return total / 6
