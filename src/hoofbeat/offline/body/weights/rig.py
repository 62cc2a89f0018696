"""Rig: the weights of all levels of a body, fitted on the coarse ones, transferred
to the finer ones, then refined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.mesh.skin import LEVELS
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.maths import quat
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Floats as Array
from hoofbeat.maths.types import Ints
from hoofbeat.offline.body.shape.field import Field
from hoofbeat.offline.body.shape.mirror import other_side
from hoofbeat.offline.body.shape.relax import normals_of, unit_rows
from hoofbeat.offline.body.weights.bounds import Bearing, edges_of
from hoofbeat.offline.body.weights.fit import Start, fitted
from hoofbeat.offline.body.weights.initial import bound, smoothed_weights
from hoofbeat.offline.body.weights.poses import bearing_matrices, bearing_poses
from hoofbeat.offline.body.weights.refine import Effort, refined
from hoofbeat.offline.body.weights.segments import bone_segments

Floats = NDArray[np.float64]
#: Rounds of smoothing the lofts' weights and of fitting at each level: finer skins need more of the first
#: for the same width, and begin with what the coarser ones have found.
SMOOTHING = {"low": 2, "medium": 6, "high": 16}
FITTING = {"low": 100, "medium": 14, "high": 0}
#: How long each is refined.
EASING = {
    "low": Effort(60, (5, 4, 6), 0.004),
    "medium": Effort(60, (5, 4, 6), 0.004),
    "high": Effort(60, (3, 3, 8), 0.003),
}
#: Poses that the weights are fitted to; they are refined in all.
POSES = 24
#: One frame of the rides in so many is such a pose.
EVERY = 6
#: Share of the weights smoothed far with which refinement begins: it says which other joints may be used.
HINT = 1e-4
#: A vertex whose joint has more than this, also after smoothing, is in the middle of a bone.
CORE = 0.97
#: Distance along the skin from the middle within which the weights of both sides are mixed [m].
WIDE = 0.08
#: Rounds of smoothing weights that were read off, and the cosine within which faces have the same direction.
EVENING, SAME = 1, 0.6
#: Thickest part that is braced [m], and steps in which its far side is looked for.
THICK, STEPS = 0.14, 24
#: Triangles near a point that are tried.
TRIED = 20


@dataclass(frozen=True)
class Half:
    """The left half of a body at one level: points (V, 3), faces (F, 3), normals (V, 3)."""

    points: Floats
    faces: NDArray[Any]
    normals: Floats

    @property
    def middle(self) -> NDArray[np.bool_]:
        """Vertices (V,) on the plane x = 0."""
        return self.points[:, 0] == 0.0


def rigged(field: Field, skeleton: Skeleton, halves: dict[str, Half]) -> dict[str, Floats]:
    """Weights (V, J) of the halves by level."""
    poses = bearing_poses(EVERY)
    every = bearing_matrices(skeleton, poses)
    some = np.ascontiguousarray(every[spread_poses(poses, skeleton, POSES)])
    other = other_side(skeleton)
    out: dict[str, Floats] = {}
    before: tuple[Half, Floats] | None = None
    for level in LEVELS:
        half, rounds = halves[level], SMOOTHING[level]
        share = across(half)
        own = _even(bound(field, half.points), share, other)
        wide = smoothed_weights(own, half.faces, 8 * rounds)
        if before is None:
            weights = _even(smoothed_weights(own, half.faces, rounds), share, other)
        else:
            coarse, found = before
            weights = smoothed_weights(_transferred(coarse, found, half), half.faces, EVENING)
        if FITTING[level]:
            core = smoothed_weights(own, half.faces, 2 * rounds).max(axis=1) > CORE
            braces = braces_of(field, half)
            start = Start(half.points, half.faces, braces, weights, wide, core, half.middle)
            weights = fitted(start, some, FITTING[level])
        weights = _even(weights, share, other) + HINT * wide
        bearing = bearing_of(half, skeleton, share)
        weights = np.where(bearing.allowed, weights, 0.0)
        out[level] = refined(bearing, weights / weights.sum(axis=1, keepdims=True), every, EASING[level])
        before = half, out[level]
    return out


def bearing_of(half: Half, skeleton: Skeleton, share: Floats) -> Bearing:
    """The half as it bears poses; share: see `across`."""
    names, other = skeleton.names, other_side(skeleton)
    right = np.array(["Right" in name for name in names])
    # Far from the middle no joint of the other side has weight, in it none far down a leg.
    far = share[:, None] >= 1.0
    low = np.zeros(len(skeleton), np.bool_)
    for leg in skeleton.legs:
        low[leg.mid : leg.toe + 1] = True
    return Bearing(
        half.points,
        half.normals,
        edges_of(half.faces),
        half.faces.astype(np.int64),
        tuple(bone_segments(skeleton, half.points, half.faces)),
        ~(right & far) & ~(low & half.middle[:, None]),
        half.middle,
        other,
    )


def spread_poses(poses: Floats, skeleton: Skeleton, count: int) -> NDArray[np.int64]:
    """Indices of poses (T, J, 4), those first that differ most from rest and from each other.

    The left side and the middle count: the right one is a mirror image.
    """
    names = skeleton.names
    kept = [j for j, name in enumerate(names) if "Right" not in name and "Tail" not in name]
    turns = quat.log(poses[:, kept]).reshape(len(poses), -1)
    away = np.linalg.norm(turns, axis=1)
    out: list[int] = []
    for _ in range(min(count, len(poses))):
        out.append(int(np.argmax(away)))
        away = np.minimum(away, np.linalg.norm(turns - turns[out[-1]], axis=1))
    return np.array(out)


def braces_of(field: Field, half: Half) -> NDArray[np.int64]:
    """Pairs (B, 2) of vertices that face each other across a thin part: they keep a limb from collapsing."""
    from scipy.spatial import KDTree

    inside, depth = np.ones(len(half.points), np.bool_), np.zeros(len(half.points))
    for reach in np.linspace(0.01, THICK, STEPS):
        left = inside & (field.distance(half.points - reach * half.normals) > 0)
        depth[left] = reach
        inside &= ~left
    far = half.points - depth[:, None] * half.normals
    some = np.flatnonzero((depth > 0) & (far[:, 0] > 0))
    away, nearest = KDTree(half.points).query(far[some])
    found = np.asarray(nearest, np.int64)
    facing = np.sum(half.normals[some] * half.normals[found], axis=1)
    good = (away < 0.03) & (facing < -0.2)
    return np.stack([some[good], found[good]], axis=1)


def across(half: Half) -> Floats:
    """0 for vertices (V,) in the middle, 1 from where the distance to it along the skin is WIDE [m]."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    edges = np.concatenate([half.faces[:, [0, 1]], half.faces[:, [1, 2]], half.faces[:, [2, 0]]])
    long = np.linalg.norm(half.points[edges[:, 0]] - half.points[edges[:, 1]], axis=1)
    size = len(half.points)
    # Both directions of an inner edge are there, in two faces, and would be added up: each keeps its own
    # entry.
    pairs, first = np.unique(edges, axis=0, return_index=True)
    graph = coo_array((long[first], (pairs[:, 0], pairs[:, 1])), shape=(size, size)).tocsr()
    away = dijkstra(graph, False, np.flatnonzero(half.middle), min_only=True, limit=2 * WIDE)
    return np.clip(away / WIDE, 0.0, 1.0)


def _even(weights: Floats, share: Floats, other: NDArray[np.int64]) -> Floats:
    """Weights that pass into those of the other side across the middle; share: see `across`."""
    own = (1 + share[:, None]) / 2
    return own * weights + (1 - own) * weights[:, other]


def _transferred(coarse: Half, weights: Floats, fine: Half) -> Floats:
    """Weights of a coarse level at the vertices of a finer one, read off triangles that face the same
    direction.

    In a fold the nearest triangle is often one of the other wall, which is bound to another joint.
    """
    from scipy.spatial import KDTree

    corners = coarse.points[coarse.faces]
    facing = unit_rows(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    _, near = KDTree(corners.mean(axis=1)).query(fine.points, k=min(TRIED, len(corners)))
    same = np.einsum("vkx,vx->vk", facing[near], fine.normals)
    best = np.take_along_axis(near, np.argmax(same, axis=1)[:, None], axis=1)
    near = np.where(same > SAME, near, best)
    out = np.zeros((len(fine.points), weights.shape[1]))
    faces = np.ascontiguousarray(coarse.faces, np.int64)
    read_off(coarse.points, faces, weights, fine.points, near, out)
    return out


def half_of(field: Field, points: Floats, faces: NDArray[Any]) -> Half:
    """A half with the normals of its field."""
    return Half(points, faces, normals_of(field, points))


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
