"""Piece: a closed bit of skin beside the coat, as a lock of hair or an eye."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.offline.body.shape.relax import unit_rows

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Piece:
    """points, normals (V, 3); faces (F, 3), outside; weights (V, J); shade (V,): 0 at the root, 1 at the tip;
    strand (V,): a number in [0, 1) of its own for each lock."""

    part: str
    points: Floats
    normals: Floats
    faces: NDArray[np.int64]
    weights: Floats
    shade: Floats
    strand: Floats


def joined_pieces(pieces: Sequence[Piece]) -> Piece:
    """Pieces of one part as one."""
    starts = np.cumsum([0, *(len(p.points) for p in pieces)])
    return Piece(
        pieces[0].part,
        np.concatenate([p.points for p in pieces]),
        np.concatenate([p.normals for p in pieces]),
        np.concatenate([p.faces + start for p, start in zip(pieces, starts, strict=False)]),
        np.concatenate([p.weights for p in pieces]),
        np.concatenate([p.shade for p in pieces]),
        np.concatenate([p.strand for p in pieces]),
    )


def swept(
    part: str,
    path: Floats,
    across: Floats,
    half: Floats,
    weights: Floats,
    strand: float,
    sides: int = 6,
) -> Piece:
    """A closed tube along a path (P, 3): across (P, 3) is its wide direction, half (P, 2) its half widths
    along that and across it [m], weights (P, J) of the path's points."""
    count = len(path)
    along = unit_rows(np.gradient(path, axis=0))
    wide = unit_rows(across - np.sum(across * along, axis=1, keepdims=True) * along)
    thick = np.cross(along, wide)
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = np.cos(angle)[:, None, None] * (wide * half[:, :1]) + np.sin(angle)[:, None, None] * (
        thick * half[:, 1:]
    )
    facing = np.cos(angle)[:, None, None] * (wide * half[:, 1:]) + np.sin(angle)[:, None, None] * (
        thick * half[:, :1]
    )
    points = (path + ring).transpose(1, 0, 2).reshape(-1, 3)  # (P * sides, 3)
    normals = facing.transpose(1, 0, 2).reshape(-1, 3)
    k, s = np.meshgrid(np.arange(count - 1), np.arange(sides), indexing="ij")
    a, b = (k * sides + s).ravel(), (k * sides + (s + 1) % sides).ravel()
    c, d = a + sides, b + sides
    first, last = count * sides, count * sides + 1
    fan = np.arange(sides)
    onward = (fan + 1) % sides
    base = (count - 1) * sides
    faces = np.concatenate(
        [
            np.stack([a, b, d], axis=1),
            np.stack([a, d, c], axis=1),
            np.stack([np.full(sides, first), onward, fan], axis=1),
            np.stack([np.full(sides, last), base + fan, base + onward], axis=1),
        ]
    )
    share = np.repeat(np.linspace(0.0, 1.0, count), sides)
    ends = np.stack([path[0] - 0.3 * half[0, 1] * along[0], path[-1] + 0.3 * half[-1, 1] * along[-1]])
    every = np.repeat(weights, sides, axis=0)
    return Piece(
        part,
        np.concatenate([points, ends]),
        unit_rows(np.concatenate([normals, -along[:1], along[-1:]])),
        faces,
        np.concatenate([every, weights[:1], weights[-1:]]),
        np.concatenate([share, [0.0, 1.0]]),
        np.full(len(points) + 2, strand),
    )


def ball(part: str, centre: Floats, radius: float, weights: Floats, rounds: int) -> Piece:
    """A ball as an octahedron divided `rounds` times; shade is 1 where it faces outward (+x) most."""
    points = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], float)
    faces = np.array(
        [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]], np.int64
    )
    for _ in range(rounds):
        points, faces = _divided(points, faces)
    return Piece(
        part,
        centre + radius * points,
        points,
        faces,
        np.tile(weights, (len(points), 1)),
        np.clip(points[:, 0], 0.0, 1.0),
        np.zeros(len(points)),
    )


def _divided(points: Floats, faces: NDArray[Any]) -> tuple[Floats, NDArray[np.int64]]:
    """Every face cut in four, the new points on the unit ball."""
    edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 3, 2), axis=2)
    pairs, index = np.unique(edges.reshape(-1, 2), axis=0, return_inverse=True)
    middle = len(points) + index.reshape(-1, 3)
    points = np.concatenate([points, unit_rows(points[pairs].mean(axis=1))])
    a, b, c = faces.T
    ab, bc, ca = middle.T
    quarters = [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
    return points, np.concatenate([np.stack(q, axis=1) for q in quarters]).astype(np.int64)
