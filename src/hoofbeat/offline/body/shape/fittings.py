"""Fittings: hair and eyes of a body."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import Skeleton
from hoofbeat.formats.yamlfile import Mapping
from hoofbeat.offline.body.shape.fields import Shape
from hoofbeat.offline.body.shape.hair import draped, hanging
from hoofbeat.offline.body.shape.piece import Piece, ball, joined_pieces

Floats = NDArray[np.float64]
#: Rounds of dividing an eye.
EYE = {"low": 1, "medium": 2, "high": 3}


def pieces_of(top: Mapping, skeleton: Skeleton, shape: Shape, level: str) -> list[Piece]:
    """Hair and eyes at one level, a piece for each part."""
    out: list[Piece] = []
    manes = top.mappings("manes") if top.values.get("manes") else []
    hair = [lock for entry in manes for lock in draped(entry, shape, level)]
    if hair:
        out.append(joined_pieces(hair))
    tail, eye = top.values.get("tail"), top.values.get("eye")
    if isinstance(tail, Mapping):
        out.append(joined_pieces(hanging(tail, skeleton, shape, level)))
    if isinstance(eye, Mapping):
        head = np.zeros(len(skeleton))
        head[skeleton.index("Head")] = 1.0
        at, radius = eye_of(eye, shape)
        left = ball("eye", at, radius, head, EYE[level])
        flip = np.array([-1.0, 1.0, 1.0])
        places = (left.points * flip, left.normals * flip, left.faces[:, ::-1])
        out.append(joined_pieces([left, Piece("eye", *places, left.weights, left.shade, left.strand)]))
    return out


def eye_of(eye: Mapping, shape: Shape) -> tuple[Floats, float]:
    """Centre (3,) and radius of the left eye [m]."""
    at = np.array([eye.numbers("at", 3)])
    return shape.moved(at)[0], eye.get("radius", float) * shape.size(at)


def lids(top: Mapping, shape: Shape, points: Floats) -> Floats:
    """1 where points (V, 3) are at the rim of an eye, 0 away from it."""
    eye = top.values.get("eye")
    if not isinstance(eye, Mapping):
        return np.zeros(len(points))
    at, radius = eye_of(eye, shape)
    away = np.linalg.norm(np.abs(points) * [1, 0, 0] + points * [0, 1, 1] - at, axis=1)
    return np.clip(2.6 - 1.6 * away / radius, 0.0, 1.0)
