"""Surface: the left half of a body as triangles, from its field by marching cubes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.offline.body.shape.field import Field, grid_distances

Floats = NDArray[np.float64]
#: Points of a block that are skipped together.
BLOCK = 6
#: How far inside of the grid's first plane a point may be and still lie on it [m].
PLANE = 1e-9


def axis_of(low: float, high: float, cuts: Sequence[float], steps: Sequence[float]) -> Floats:
    """Grid lines from low to high, a step of its own [m] in each stretch between the cuts."""
    ends = [low, *[c for c in cuts if low < c < high], high]
    chosen = [s for k, s in enumerate(steps) if k == 0 or low < cuts[k - 1] < high]
    parts = [
        np.linspace(a, b, max(2, round((b - a) / s) + 1))[:-1]
        for a, b, s in zip(ends, ends[1:], chosen, strict=False)
    ]
    return np.concatenate([*parts, [high]])


def half_surface(field: Field, axes: tuple[Floats, Floats, Floats]) -> tuple[Floats, NDArray[np.int64]]:
    """Points (V, 3) and triangles (F, 3), counter-clockwise outside, of x >= 0; open at x = 0."""
    from skimage.measure import marching_cubes

    values = np.empty(tuple(len(a) for a in axes))
    grid_distances(field.stations, field.lofts, field.moulds, axes, BLOCK, values)
    # A corner on the surface itself makes triangles without area.
    values[np.abs(values) < 1e-7] = 1e-7
    found: Any = marching_cubes(values, 0.0, allow_degenerate=False)
    index, faces = np.asarray(found[0], np.float64), np.asarray(found[1], np.int64)
    points = np.empty_like(index)
    for k, axis in enumerate(axes):
        points[:, k] = np.interp(index[:, k], np.arange(len(axis)), axis)
    points[np.abs(index[:, 0]) < 1e-6, 0] = 0.0
    return points, outward(points, faces, field)


def outward(points: Floats, faces: NDArray[np.int64], field: Field) -> NDArray[np.int64]:
    """The faces turned so that they are counter-clockwise seen from outside."""
    corners = points[faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    some = slice(0, len(faces), max(1, len(faces) // 500))
    along = np.sum(normal[some] * field.gradient(corners[some].mean(axis=1)), axis=1)
    return faces if np.sum(along) > 0 else faces[:, ::-1].copy()
