"""Carry: values at the vertices of a coarse skin, read off at the vertices of a finer one."""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Floats as Array
from hoofbeat.maths.types import Ints

#: Triangles near a point that are tried.
TRIED = 20


@kernel
def nearest_place(points: Array, a: int, b: int, c: int, p: Array, best: Array) -> float:
    """Squared distance of p to a triangle; best (3,) gets the shares of the corners at the nearest place."""
    least = 1e30
    # Inside of the plane, or on one of the three sides: the nearest of all.
    ux = points[b] - points[a]
    vx = points[c] - points[a]
    wx = p - points[a]
    uu, uv, vv = (ux * ux).sum(), (ux * vx).sum(), (vx * vx).sum()
    wu, wv = (wx * ux).sum(), (wx * vx).sum()
    det = uu * vv - uv * uv
    if det > 1e-20:
        s, t = (vv * wu - uv * wv) / det, (uu * wv - uv * wu) / det
        if s >= 0 and t >= 0 and s + t <= 1:
            off = wx - s * ux - t * vx
            best[0], best[1], best[2] = 1 - s - t, s, t
            return (off * off).sum()
    for k in range(3):
        i, j = (a, b) if k == 0 else ((b, c) if k == 1 else (c, a))
        side = points[j] - points[i]
        t = ((p - points[i]) * side).sum() / ((side * side).sum() + 1e-20)
        t = min(max(t, 0.0), 1.0)
        off = p - points[i] - t * side
        away = (off * off).sum()
        if away < least:
            least = away
            best[:] = 0.0
            best[k], best[(k + 1) % 3] = 1 - t, t
    return least


@kernel
def read_off(points: Array, faces: Ints, values: Array, fine: Array, near: Ints, out: Array) -> None:
    """Mixed values of the nearest triangle for every fine point, written to `out`."""
    shares, best = np.zeros(3), np.zeros(3)
    for n in range(len(fine)):
        least, face = 1e30, 0
        for k in range(near.shape[1]):
            f = near[n, k]
            away = nearest_place(points, faces[f, 0], faces[f, 1], faces[f, 2], fine[n], shares)
            if away < least:
                least, face = away, f
                best[:] = shares
        for c in range(3):
            for j in range(values.shape[1]):
                out[n, j] += best[c] * values[faces[face, c], j]
