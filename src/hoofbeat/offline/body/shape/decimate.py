"""Decimate: fewer triangles by collapsing edges, the cheapest first (Garland and Heckbert's quadrics).

Written here because the packages for it neither keep a border in its plane while thinning it, which the
mirrored half of a body needs, nor mark finer and coarser regions. A collapse is refused where it would
fold a face, pinch the surface or leave the border. A little of the squared length is added to the cost, so
that flat places keep well-shaped triangles, which bend better.
"""

from __future__ import annotations

import heapq
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Flags, Floats, Int, Ints, Vec3
from hoofbeat.maths.vec import add, between_rows, cross, put, vec, vec_of

#: Share of the squared edge length in the cost; of the border's own planes.
ROUND, BORDER = 6e-3, 0.05
#: A face may turn by no more than the angle of this cosine in one collapse.
TURN = 0.2
#: Nor away from the true surface by more than this one's.
FACING = 0.75
#: Roundest faces have 1; a collapse that makes a face flatter than this is refused, less in each pass.
FLATTEST = (0.2, 0.15, 0.12, 0.1, 0.08, 0.06, 0.04, 0.02)


def decimate(
    points: Floats, faces: NDArray[Any], target: int, fine: Floats, normals: Floats
) -> tuple[Floats, NDArray[Any]]:
    """Points (V, 3) and faces (F, 3) with about `target` faces left.

    fine (V,): how much an error weighs at a point, 1 = ordinary; normals (V, 3) of the true surface, which
    no face may turn away from. Points with x = 0 on the open border stay on that plane.
    """
    positions, left = np.array(points, np.float64), np.array(faces, np.int64)
    weight, facing = np.array(fine, np.float64), np.array(normals, np.float64)
    for flattest in FLATTEST:
        border = _border(left, len(positions))
        kept = left[collapse(positions, left, weight, facing, border, target, flattest)]
        used, index = np.unique(kept, return_inverse=True)
        positions, weight, facing = positions[used], weight[used], facing[used]
        left = index.reshape(-1, 3)
        if len(left) <= target:
            break
    return positions, left


def _border(faces: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
    edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    key, times = np.unique(edges[:, 0] * count + edges[:, 1], return_counts=True)
    out = np.zeros(count, np.bool_)
    single = key[times == 1]
    out[single // count] = True
    out[single % count] = True
    return out


class Mesh(NamedTuple):
    """A surface while it is collapsed: points, facing (V, 3), faces (F, 3), alive (F,), border (V,).

    The corners at point v are listed: head[v], then following[corner], to tail[v]; face = corner // 3.
    """

    points: Floats
    facing: Floats
    faces: Ints
    alive: Flags
    border: Flags
    head: Ints
    tail: Ints
    following: Ints


@kernel(inline=True)
def corner_normal(p: Floats, a: Int, b: Int, c: Int) -> Vec3:
    """Cross product of two sides of a face."""
    return cross(between_rows(p, a, b), between_rows(p, a, c))


@kernel
def add_plane(q: Floats, normal: Vec3, d: float, w: float) -> None:
    """Add the squared distance to a plane, w times, to a quadric (10,)."""
    nx, ny, nz = normal
    q[0] += w * nx * nx
    q[1] += w * nx * ny
    q[2] += w * nx * nz
    q[3] += w * nx * d
    q[4] += w * ny * ny
    q[5] += w * ny * nz
    q[6] += w * ny * d
    q[7] += w * nz * nz
    q[8] += w * nz * d
    q[9] += w * d * d


@kernel
def quadric_at(q: Floats, point: Vec3) -> float:
    """Value of a quadric at a point."""
    x, y, z = point
    return (
        q[0] * x * x
        + 2 * q[1] * x * y
        + 2 * q[2] * x * z
        + 2 * q[3] * x
        + q[4] * y * y
        + 2 * q[5] * y * z
        + 2 * q[6] * y
        + q[7] * z * z
        + 2 * q[8] * z
        + q[9]
    )


@kernel
def best_place(q: Floats, p: Floats, a: Int, b: Int, border: Flags, out: Floats) -> float:
    """Where the edge a-b should collapse to, written to out (3,), and what it costs."""
    length = (p[a, 0] - p[b, 0]) ** 2 + (p[a, 1] - p[b, 1]) ** 2 + (p[a, 2] - p[b, 2]) ** 2
    mid = np.empty(3)
    for k in range(3):
        mid[k] = 0.5 * (p[a, k] + p[b, k])
    if border[a] != border[b]:
        keep = a if border[a] else b
        for k in range(3):
            out[k] = p[keep, k]
        return quadric_at(q, vec_of(out)) + ROUND * length * (q[0] + q[4] + q[7])
    # The minimum near the middle: a little of the identity keeps it where the quadric says nothing.
    damp = 1e-2 * (q[0] + q[4] + q[7]) + 1e-12
    a00, a11, a22 = q[0] + damp, q[4] + damp, q[7] + damp
    a01, a02, a12 = q[1], q[2], q[5]
    b0, b1, b2 = damp * mid[0] - q[3], damp * mid[1] - q[6], damp * mid[2] - q[8]
    c00, c01, c02 = a11 * a22 - a12 * a12, a02 * a12 - a01 * a22, a01 * a12 - a02 * a11
    det = a00 * c00 + a01 * c01 + a02 * c02
    for k in range(3):
        out[k] = mid[k]
    if abs(det) > 1e-30:
        c11, c12, c22 = a00 * a22 - a02 * a02, a01 * a02 - a00 * a12, a00 * a11 - a01 * a01
        x = (c00 * b0 + c01 * b1 + c02 * b2) / det
        y = (c01 * b0 + c11 * b1 + c12 * b2) / det
        z = (c02 * b0 + c12 * b1 + c22 * b2) / det
        if (x - mid[0]) ** 2 + (y - mid[1]) ** 2 + (z - mid[2]) ** 2 < length:
            out[0], out[1], out[2] = x, y, z
    if border[a]:
        out[0] = 0.0
    return quadric_at(q, vec_of(out)) + ROUND * length * (q[0] + q[4] + q[7])


@kernel
def spoils(mesh: Mesh, face: Int, a: Int, place: Floats, flattest: float) -> bool:
    """True when moving a to `place` would turn or flatten one of its faces."""
    p, facing = mesh.points, mesh.facing
    i, j, k = mesh.faces[face, 0], mesh.faces[face, 1], mesh.faces[face, 2]
    before = vec(p, a)
    ox, oy, oz = corner_normal(p, i, j, k)
    put(p, a, vec_of(place))
    nx, ny, nz = corner_normal(p, i, j, k)
    longest = 0.0
    for s, t in ((i, j), (j, k), (k, i)):
        longest = max(longest, (p[s, 0] - p[t, 0]) ** 2 + (p[s, 1] - p[t, 1]) ** 2 + (p[s, 2] - p[t, 2]) ** 2)
    put(p, a, before)
    old, new = np.sqrt(ox * ox + oy * oy + oz * oz), np.sqrt(nx * nx + ny * ny + nz * nz)
    tx, ty, tz = add(add(vec(facing, i), vec(facing, j)), vec(facing, k))
    true = np.sqrt(tx * tx + ty * ty + tz * tz)
    turned = ox * nx + oy * ny + oz * nz < TURN * old * new
    away = tx * nx + ty * ny + tz * nz < FACING * true * new
    return turned or away or 1.1547 * new < flattest * longest


@kernel
def folds(mesh: Mesh, a: Int, b: Int, place: Floats, flattest: float) -> bool:
    """True when moving a to `place` would turn or flatten a face of a that b is not in."""
    c = mesh.head[a]
    while c >= 0:
        f = c // 3
        c = mesh.following[c]
        i, j, k = mesh.faces[f, 0], mesh.faces[f, 1], mesh.faces[f, 2]
        if mesh.alive[f] and i != b and j != b and k != b and spoils(mesh, f, a, place, flattest):
            return True
    return False


@kernel
def mark_ring(mesh: Mesh, a: Int, stamp: Ints, value: Int) -> None:
    """Write `value` at every neighbour of a."""
    c = mesh.head[a]
    while c >= 0:
        f = c // 3
        if mesh.alive[f]:
            for k in range(3):
                stamp[mesh.faces[f, k]] = value
        c = mesh.following[c]


@kernel
def shared(mesh: Mesh, a: Int, b: Int, stamp: Ints, value: Int) -> tuple[int, int]:
    """Neighbours that a and b have in common, and faces on the edge between them."""
    mark_ring(mesh, a, stamp, value)
    stamp[a] = -1
    stamp[b] = -1
    common, edge = 0, 0
    c = mesh.head[b]
    while c >= 0:
        f = c // 3
        if mesh.alive[f]:
            touches = False
            for k in range(3):
                w = mesh.faces[f, k]
                if w == a:
                    touches = True
                if stamp[w] == value:
                    common += 1
                    stamp[w] = -1
            if touches:
                edge += 1
        c = mesh.following[c]
    return common, edge


@kernel
def add_border(
    mesh: Mesh, v: Int, w: Int, normal: Vec3, weights: tuple[float, float], quadrics: Floats
) -> None:
    """A plane through the border edge v-w, across its face: the outline keeps its shape."""
    points = mesh.points
    mx, my, mz = cross(between_rows(points, v, w), normal)
    length = np.sqrt(mx * mx + my * my + mz * mz) + 1e-20
    mx, my, mz = mx / length, my / length, mz / length
    e = -(mx * points[v, 0] + my * points[v, 1] + mz * points[v, 2])
    add_plane(quadrics[v], (mx, my, mz), e, weights[0])
    add_plane(quadrics[w], (mx, my, mz), e, weights[1])


@kernel
def fill_quadrics(mesh: Mesh, fine: Floats, quadrics: Floats) -> None:
    """Quadrics (V, 10) of all points, and the lists of corners."""
    points, faces, border = mesh.points, mesh.faces, mesh.border
    for f in range(len(faces)):
        nx, ny, nz = corner_normal(points, faces[f, 0], faces[f, 1], faces[f, 2])
        area = np.sqrt(nx * nx + ny * ny + nz * nz) + 1e-20
        nx, ny, nz = nx / area, ny / area, nz / area
        v = faces[f, 0]
        d = -(nx * points[v, 0] + ny * points[v, 1] + nz * points[v, 2])
        for k in range(3):
            v = faces[f, k]
            add_plane(quadrics[v], (nx, ny, nz), d, area * fine[v])
            c = 3 * f + k
            if mesh.head[v] < 0:
                mesh.head[v] = c
            else:
                mesh.following[mesh.tail[v]] = c
            mesh.tail[v] = c
            w = faces[f, (k + 1) % 3]
            if border[v] and border[w] and points[v, 0] == 0.0 and points[w, 0] == 0.0:
                weights = (BORDER * area * fine[v], BORDER * area * fine[w])
                add_border(mesh, v, w, (nx, ny, nz), weights, quadrics)


@kernel
def may_collapse(mesh: Mesh, a: Int, b: Int, stamp: Ints, value: Int) -> bool:
    """Whether the surface stays one when the edge a-b collapses."""
    common, edge = shared(mesh, a, b, stamp, value)
    on_border = mesh.border[a] and mesh.border[b]
    return edge != 0 and common == edge and edge == (1 if on_border else 2)


@kernel
def merge(mesh: Mesh, a: Int, b: Int, place: Floats) -> int:
    """Let a take over the faces of b at `place`; returns how many faces are gone."""
    facing = mesh.facing
    mesh.border[a] = mesh.border[a] or mesh.border[b]
    put(mesh.points, a, vec_of(place))
    for k in range(3):
        facing[a, k] = facing[a, k] + facing[b, k]
    length = np.sqrt(facing[a, 0] ** 2 + facing[a, 1] ** 2 + facing[a, 2] ** 2) + 1e-12
    for k in range(3):
        facing[a, k] /= length
    gone = 0
    c = mesh.head[b]
    while c >= 0:
        f = c // 3
        if mesh.alive[f]:
            if mesh.faces[f, 0] == a or mesh.faces[f, 1] == a or mesh.faces[f, 2] == a:
                mesh.alive[f] = False
                gone += 1
            else:
                mesh.faces[f, c % 3] = a
        c = mesh.following[c]
    mesh.following[mesh.tail[a]] = mesh.head[b]
    mesh.tail[a] = mesh.tail[b]
    return gone


@kernel
def collapse(
    points: Floats, faces: Ints, fine: Floats, facing: Floats, border: Flags, target: int, flattest: float
) -> Flags:
    """Collapse edges in place until `target` faces are left; which faces those are, (F,) bool."""
    count, size = len(points), len(faces)
    alive = np.ones(size, np.bool_)
    head, tail, following = np.full(count, -1), np.full(count, -1), np.full(3 * size, -1)
    mesh = Mesh(points, facing, faces, alive, border, head, tail, following)
    quadrics = np.zeros((count, 10))
    fill_quadrics(mesh, fine, quadrics)
    version = np.zeros(count, np.int64)
    stamp = np.full(count, -1)
    place = np.empty(3)
    both = np.empty(10)
    heap: Any = [(0.0, 0, 0, 0, 0)]
    heap.pop()
    for f in range(size):
        for k in range(3):
            a, b = faces[f, k], faces[f, (k + 1) % 3]
            if a < b or border[a] and border[b]:
                both[:] = quadrics[a] + quadrics[b]
                cost = best_place(both, points, a, b, border, place)
                heap.append((cost, a, b, 0, 0))
    heapq.heapify(heap)
    left, tick = size, 0
    while left > target and len(heap) > 0:
        cost, a, b, va, vb = heapq.heappop(heap)
        if version[a] != va or version[b] != vb:
            continue
        tick += 1
        if not may_collapse(mesh, a, b, stamp, count + tick):
            continue
        both[:] = quadrics[a] + quadrics[b]
        best_place(both, points, a, b, border, place)
        if folds(mesh, a, b, place, flattest) or folds(mesh, b, a, place, flattest):
            continue
        quadrics[a] = both
        left -= merge(mesh, a, b, place)
        version[a] += 1
        version[b] = -1
        tick += 1
        c = head[a]
        while c >= 0:
            f = c // 3
            if alive[f]:
                for k in range(3):
                    w = faces[f, k]
                    if w != a and stamp[w] != count + tick:
                        stamp[w] = count + tick
                        both[:] = quadrics[a] + quadrics[w]
                        new = best_place(both, points, a, w, border, place)
                        heapq.heappush(heap, (new, a, w, version[a], version[w]))
            c = following[c]
    return alive
