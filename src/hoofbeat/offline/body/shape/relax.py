"""Relax: points slide along the surface until the triangles are round, and return to it exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Flags, Ints
from hoofbeat.maths.types import Floats as Array
from hoofbeat.offline.body.shape.field import Field

Floats = NDArray[np.float64]


def unit_rows(vectors: Floats) -> Floats:
    """Vectors (K, 3) made one long."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def normals_of(field: Field, points: Floats) -> Floats:
    """Outward normals (K, 3) of the surface at points; on the plane x = 0 they lie in it."""
    slope = field.gradient(points)
    slope[points[:, 0] == 0.0, 0] = 0.0
    # On the ridge of a crease the slopes of both sides may cancel; up is as good as any.
    slope[np.linalg.norm(slope, axis=1) < 1e-6] = (0.0, 1.0, 0.0)
    return unit_rows(slope)


def project(field: Field, points: Floats, rounds: int = 2, furthest: float = 0.01) -> Floats:
    """Points (K, 3) moved onto the surface along its gradient, those with x = 0 within that plane."""
    out = np.array(points)
    for _ in range(rounds):
        slope = field.gradient(out)
        slope[out[:, 0] == 0.0, 0] = 0.0
        # The field is no true distance everywhere: divide by the square of its slope, in bounds.
        scale = field.distance(out) / np.maximum(np.sum(slope * slope, axis=1), 0.2)
        step = np.clip(scale, -furthest, furthest)[:, None] * slope
        moved = out - step
        out = np.where((out[:, :1] > 0) & (moved[:, :1] <= 0), out, moved)
    return out


def relaxed(field: Field, points: Floats, faces: NDArray[Any], rounds: int, amount: float = 0.5) -> Floats:
    """Points (V, 3) of an open half body after some rounds of sliding; the border stays in x = 0."""
    out = np.array(points)
    index = np.ascontiguousarray(faces, np.int64)
    flat = points[:, 0] == 0.0
    for _ in range(rounds):
        means = np.zeros_like(out)
        ring_means(out, index, flat, means)
        normal = normals_of(field, out)
        step = amount * (means - out)
        step -= np.sum(step * normal, axis=1, keepdims=True) * normal
        step[flat, 0] = 0.0
        moved = out + step
        moved[~flat, 0] = np.maximum(moved[~flat, 0], 1e-4)
        out = project(field, moved, 1)
    return out


@kernel
def ring_means(points: Array, faces: Ints, flat: Flags, out: Array) -> None:
    """Mean of the neighbours of every point, those of the border among themselves."""
    count = np.zeros(len(points))
    for f in range(len(faces)):
        for k in range(3):
            a, b = faces[f, k], faces[f, (k + 1) % 3]
            for s, t in ((a, b), (b, a)):
                if flat[s] and not flat[t]:
                    continue
                for x in range(3):
                    out[s, x] += points[t, x]
                count[s] += 1.0
    for n in range(len(points)):
        for x in range(3):
            out[n, x] = out[n, x] / count[n] if count[n] > 0 else points[n, x]
