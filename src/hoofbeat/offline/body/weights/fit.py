"""Fit: skin weights for which real poses stretch the skin least.

The weights that lofts give are a beginning. Over poses of real strides each vertex has a place where its
neighbours, turned as rigidly as they can be, would like it to be (Sorkine and Alexa's local step); the
weights are moved toward it within the simplex, and the next round begins. Linear blending stays what it
is, so every file and game engine that has it shows the same. Vertices in the middle of a bone hold on to
their weights, or all would end on one bone, which stretches nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.maths.jit import kernel

Floats = NDArray[np.float64]
#: Joints that a vertex may choose from.
CHOICE = 6
#: Pull of the neighbours' weights and of the first weights, as parts of the pull of the poses.
SMOOTH, HOLD = 0.02, 0.01
#: How much more an edge counts that is stretched or shrunk.
FOCUS = 3.0
#: How strongly a vertex in the middle of a bone holds on to its weights.
CORE_HOLD = 5.0


@dataclass(frozen=True)
class Ring:
    """Neighbours of every vertex: those of v are index[start[v]:start[v + 1]]."""

    start: NDArray[np.int64]
    index: NDArray[np.int64]


def ring_of(faces: NDArray[Any], count: int, braces: NDArray[Any]) -> Ring:
    """The neighbours of `count` vertices along faces (F, 3) and across braces (B, 2)."""
    sides = [faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]], braces]
    ways = np.concatenate(sides).astype(np.int64)
    ways = np.unique(np.concatenate([ways, ways[:, ::-1]]), axis=0)
    start = np.searchsorted(ways[:, 0], np.arange(count + 1))
    return Ring(start, np.ascontiguousarray(ways[:, 1]))


@dataclass(frozen=True)
class Start:
    """What a fit begins with: vertices (V, 3) [m] and faces (F, 3) of a half body; braces (B, 2), pairs of
    vertices on two sides of a thin part; weights (V, J) to begin with and to hold on to; wide (V, J), the
    same smoothed far, which says what other joints a vertex may choose; core (V,), vertices in the
    middle of a bone; still (V,), vertices that keep their weights."""

    points: Floats
    faces: NDArray[Any]
    braces: NDArray[Any]
    weights: Floats
    wide: Floats
    core: NDArray[np.bool_]
    still: NDArray[np.bool_]


def fitted(start: Start, matrices: Floats, rounds: int) -> Floats:
    """Weights (V, J) that suit poses; matrices (T, J, 3, 4) lead from rest to each."""
    points = np.ascontiguousarray(start.points, np.float64)
    ring = ring_of(start.faces, len(points), start.braces)
    choice = np.argsort(-(start.weights + 1e-2 * start.wide), axis=1, kind="stable")[:, :CHOICE]
    weights = np.take_along_axis(start.weights, choice, axis=1)
    weights /= weights.sum(axis=1, keepdims=True)
    hold = np.where(start.core, CORE_HOLD, HOLD)
    moved = np.zeros((len(matrices), len(points), CHOICE, 3))
    candidate_places(points, choice, matrices, moved)
    turns = np.zeros((len(matrices), len(points), 4))
    turns[..., 3] = 1.0
    fit_kernel(points, ring.start, ring.index, choice, weights, hold, start.still, moved, turns, rounds)
    out = np.zeros_like(start.weights)
    np.put_along_axis(out, choice, weights, axis=1)
    return out


@kernel
def candidate_places(points: Any, choice: Any, matrices: Any, out: Any) -> None:
    """Where each vertex would be if one joint alone carried it, (T, V, C, 3)."""
    for t in range(len(matrices)):
        for v in range(len(points)):
            for c in range(choice.shape[1]):
                m = matrices[t, choice[v, c]]
                for x in range(3):
                    out[t, v, c, x] = (
                        m[x, 0] * points[v, 0] + m[x, 1] * points[v, 1] + m[x, 2] * points[v, 2] + m[x, 3]
                    )


@kernel
def turn_by(q: Any, x: float, y: float, z: float) -> Any:
    """A vector turned by a unit quaternion xyzw."""
    tx = 2 * (q[1] * z - q[2] * y)
    ty = 2 * (q[2] * x - q[0] * z)
    tz = 2 * (q[0] * y - q[1] * x)
    return (
        x + q[3] * tx + q[1] * tz - q[2] * ty,
        y + q[3] * ty + q[2] * tx - q[0] * tz,
        z + q[3] * tz + q[0] * ty - q[1] * tx,
    )


@kernel
def nearest_turn(a: Any, q: Any, rounds: int) -> None:
    """Move q toward the rotation nearest to the matrix a (3, 3) (Mueller et al. 2016); q is changed."""
    for _ in range(rounds):
        c0 = turn_by(q, 1.0, 0.0, 0.0)
        c1 = turn_by(q, 0.0, 1.0, 0.0)
        c2 = turn_by(q, 0.0, 0.0, 1.0)
        wx = wy = wz = dot = 0.0
        for k in range(3):
            c = c0 if k == 0 else (c1 if k == 1 else c2)
            bx, by, bz = a[0, k], a[1, k], a[2, k]
            wx += c[1] * bz - c[2] * by
            wy += c[2] * bx - c[0] * bz
            wz += c[0] * by - c[1] * bx
            dot += c[0] * bx + c[1] * by + c[2] * bz
        scale = 1.0 / (abs(dot) + 1e-9)
        wx, wy, wz = wx * scale, wy * scale, wz * scale
        angle = np.sqrt(wx * wx + wy * wy + wz * wz)
        if angle < 1e-6:
            break
        s = np.sin(0.5 * angle) / angle
        rx, ry, rz, rw = wx * s, wy * s, wz * s, np.cos(0.5 * angle)
        x = rw * q[0] + rx * q[3] + ry * q[2] - rz * q[1]
        y = rw * q[1] - rx * q[2] + ry * q[3] + rz * q[0]
        z = rw * q[2] + rx * q[1] - ry * q[0] + rz * q[3]
        w = rw * q[3] - rx * q[0] - ry * q[1] - rz * q[2]
        length = np.sqrt(x * x + y * y + z * z + w * w)
        q[0], q[1], q[2], q[3] = x / length, y / length, z / length, w / length


@kernel
def to_simplex(w: Any) -> None:
    """The nearest weights that are not negative and add up to one (in place)."""
    count = len(w)
    order = np.sort(w)[::-1]
    total, shift = 0.0, 0.0
    for k in range(count):
        total += order[k]
        level = (total - 1.0) / (k + 1)
        if order[k] - level > 0.0:
            shift = level
    for k in range(count):
        w[k] = max(w[k] - shift, 0.0)


@kernel
def blend_places(weights: Any, moved: Any, out: Any) -> None:
    """Where the weights put every vertex in every pose."""
    for t in range(len(moved)):
        for v in range(len(weights)):
            for x in range(3):
                total = 0.0
                for c in range(weights.shape[1]):
                    total += weights[v, c] * moved[t, v, c, x]
                out[t, v, x] = total


@kernel
def local_turns(points: Any, start: Any, index: Any, places: Any, turns: Any, rounds: int) -> None:
    """The rotation of every vertex' neighbourhood in every pose; short edges count as much as long ones."""
    a = np.zeros((3, 3))
    for t in range(len(places)):
        for v in range(len(points)):
            a[:] = 0.0
            for n in range(start[v], start[v + 1]):
                u = index[n]
                ex, ey, ez = (
                    points[u, 0] - points[v, 0],
                    points[u, 1] - points[v, 1],
                    points[u, 2] - points[v, 2],
                )
                share = 1.0 / (ex * ex + ey * ey + ez * ez + 1e-8)
                for x in range(3):
                    d = share * (places[t, u, x] - places[t, v, x])
                    a[x, 0] += d * ex
                    a[x, 1] += d * ey
                    a[x, 2] += d * ez
            nearest_turn(a, turns[t, v], rounds)


@kernel
def wished(points: Any, start: Any, index: Any, places: Any, turns: Any, t: int, v: int) -> Any:
    """Where its neighbours would like a vertex to be in a pose: (x, y, z)."""
    sx = sy = sz = total = 0.0
    for n in range(start[v], start[v + 1]):
        u = index[n]
        ex, ey, ez = points[v, 0] - points[u, 0], points[v, 1] - points[u, 1], points[v, 2] - points[u, 2]
        share = 1.0 / (ex * ex + ey * ey + ez * ez + 1e-8)
        # Edges that suffer most in this pose count more, or many small errors would outvote a fold.
        dx, dy, dz = (
            places[t, v, 0] - places[t, u, 0],
            places[t, v, 1] - places[t, u, 1],
            places[t, v, 2] - places[t, u, 2],
        )
        strain = np.log((dx * dx + dy * dy + dz * dz) * share + 1e-3)
        share *= 1.0 + FOCUS * strain * strain
        ax, ay, az = turn_by(turns[t, u], ex, ey, ez)
        bx, by, bz = turn_by(turns[t, v], ex, ey, ez)
        sx += share * (places[t, u, 0] + 0.5 * (ax + bx))
        sy += share * (places[t, u, 1] + 0.5 * (ay + by))
        sz += share * (places[t, u, 2] + 0.5 * (az + bz))
        total += share
    return sx / total, sy / total, sz / total


@kernel
def fit_kernel(
    points: Any,
    start: Any,
    index: Any,
    choice: Any,
    weights: Any,
    hold: Any,
    still: Any,
    moved: Any,
    turns: Any,
    rounds: int,
) -> None:
    """Rounds of turning neighbourhoods and moving weights; `weights` (V, C) are changed in place."""
    count, many, poses = len(points), weights.shape[1], len(moved)
    first = weights.copy()
    places = np.zeros((poses, count, 3))
    gram = np.zeros((many, many))
    aim = np.zeros(many)
    w = np.zeros(many)
    slope = np.zeros(many)
    mean = np.zeros(many)
    for k in range(rounds):
        blend_places(weights, moved, places)
        local_turns(points, start, index, places, turns, 12 if k == 0 else 3)
        for v in range(count):
            if still[v]:
                continue
            gram[:] = 0.0
            aim[:] = 0.0
            for t in range(poses):
                gx, gy, gz = wished(points, start, index, places, turns, t, v)
                for c in range(many):
                    cx, cy, cz = moved[t, v, c, 0] - gx, moved[t, v, c, 1] - gy, moved[t, v, c, 2] - gz
                    for d in range(c + 1):
                        gram[c, d] += (
                            cx * (moved[t, v, d, 0] - gx)
                            + cy * (moved[t, v, d, 1] - gy)
                            + cz * (moved[t, v, d, 2] - gz)
                        )
            size = 0.0
            for c in range(many):
                for d in range(c):
                    gram[d, c] = gram[c, d]
                size += gram[c, c]
            size = size + 1e-9
            # Pulls are measured against the poses' own, so that one number fits trunk and toe.
            mean[:] = 0.0
            for n in range(start[v], start[v + 1]):
                u = index[n]
                for c in range(many):
                    for d in range(many):
                        if choice[u, d] == choice[v, c]:
                            mean[c] += weights[u, d]
            total = mean.sum()
            for c in range(many):
                mean[c] = mean[c] / total if total > 0 else first[v, c]
                w[c] = weights[v, c]
            smooth, keep = SMOOTH * size, hold[v] * size
            step = 1.0 / (size + smooth + keep)
            for _ in range(12):
                for c in range(many):
                    slope[c] = smooth * (w[c] - mean[c]) + keep * (w[c] - first[v, c])
                    for d in range(many):
                        slope[c] += gram[c, d] * w[d]
                for c in range(many):
                    w[c] -= step * slope[c]
                to_simplex(w)
            for c in range(many):
                weights[v, c] = w[c]
            for t in range(poses):
                for x in range(3):
                    value = 0.0
                    for c in range(many):
                        value += w[c] * moved[t, v, c, x]
                    places[t, v, x] = value
