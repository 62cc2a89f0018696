"""Fit: skin weights for which real poses stretch the skin least.

The weights that lofts give are a beginning. Over poses of real strides each vertex has a place where its
neighbours, turned as rigidly as they can be, would like it to be (Sorkine and Alexa's local step); the
weights are moved toward it within the simplex, and the next round begins. Linear blending stays what it
is, so every file and game engine that has it shows the same. Vertices in the middle of a bone hold on to
their weights, or all would end on one bone, which stretches nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_kernels import mul, rotate
from hoofbeat.maths.types import Flags, Int, Ints, Vec3
from hoofbeat.maths.types import Floats as Array
from hoofbeat.maths.vec import add, between_rows, cross, dot, length, put, put_quat, quat, scale, sub, vec

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
    edges = np.concatenate(sides).astype(np.int64)
    edges = np.unique(np.concatenate([edges, edges[:, ::-1]]), axis=0)
    start = np.searchsorted(edges[:, 0], np.arange(count + 1))
    return Ring(start, np.ascontiguousarray(edges[:, 1]))


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
    task = Task(points, Neighbours(ring.start, ring.index), choice, hold, start.still, moved)
    fit_kernel(task, weights, turns, rounds)
    out = np.zeros_like(start.weights)
    np.put_along_axis(out, choice, weights, axis=1)
    return out


class Neighbours(NamedTuple):
    """Those of point v are points[start[v]:start[v + 1]]."""

    start: Ints
    points: Ints


class Task(NamedTuple):
    """What a fit works on: points (V, 3) [m], their neighbours, choice (V, C): joints that each may choose,
    hold (V,): how strongly each holds on to its weights, still (V,): those that keep them, moved
    (T, V, C, 3): where each joint alone would have each point."""

    points: Array
    ring: Neighbours
    choice: Ints
    hold: Array
    still: Flags
    moved: Array


class Pull(NamedTuple):
    """Of one point: gram (C, C), what the poses ask, mean (C,), what the neighbours ask; w, slope (C,)."""

    gram: Array
    mean: Array
    w: Array
    slope: Array


@kernel
def candidate_places(points: Array, choice: Ints, matrices: Array, out: Array) -> None:
    """Where each vertex would be if it were bound to one joint alone, (T, V, C, 3)."""
    for t in range(len(matrices)):
        for v in range(len(points)):
            for c in range(choice.shape[1]):
                m = matrices[t, choice[v, c]]
                for x in range(3):
                    out[t, v, c, x] = dot(vec(m, x), vec(points, v)) + m[x, 3]


@kernel
def nearest_turn(a: Array, turns: Array, v: Int, rounds: int) -> None:
    """Move turns[v] toward the rotation nearest to the matrix a (3, 3) (Mueller et al. 2016)."""
    for _ in range(rounds):
        q = quat(turns, v)
        turning, near = (0.0, 0.0, 0.0), 0.0
        for k in range(3):
            axis = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
            column, wanted = rotate(q, axis), (a[0, k], a[1, k], a[2, k])
            turning = add(turning, cross(column, wanted))
            near += dot(column, wanted)
        turning = scale(turning, 1.0 / (abs(near) + 1e-9))
        angle = length(turning)
        if angle < 1e-6:
            break
        x, y, z = scale(turning, np.sin(0.5 * angle) / angle)
        x, y, z, w = mul((x, y, z, np.cos(0.5 * angle)), q)
        size = np.sqrt(x * x + y * y + z * z + w * w)
        put_quat(turns, v, (x / size, y / size, z / size, w / size))


@kernel
def to_simplex(w: Array) -> None:
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
def blend_place(w: Array, moved: Array) -> Vec3:
    """Where weights (C,) put a point, of moved (C, 3)."""
    place = (0.0, 0.0, 0.0)
    for c in range(len(w)):
        place = add(place, scale(vec(moved, c), w[c]))
    return place


@kernel
def blend_places(weights: Array, moved: Array, out: Array) -> None:
    """Where the weights put every vertex in every pose."""
    for t in range(len(moved)):
        for v in range(len(weights)):
            put(out[t], v, blend_place(weights[v], moved[t, v]))


@kernel
def local_turns(points: Array, ring: Neighbours, places: Array, turns: Array, rounds: int) -> None:
    """The rotation of every vertex' neighbourhood in every pose; short edges count as much as long ones."""
    a = np.zeros((3, 3))
    for t in range(len(places)):
        for v in range(len(points)):
            a[:] = 0.0
            for n in range(ring.start[v], ring.start[v + 1]):
                u = ring.points[n]
                edge = between_rows(points, v, u)
                share = 1.0 / (dot(edge, edge) + 1e-8)
                for x in range(3):
                    d = share * (places[t, u, x] - places[t, v, x])
                    put(a, x, add(vec(a, x), scale(edge, d)))
            nearest_turn(a, turns[t], v, rounds)


@kernel
def rigid_goal(points: Array, ring: Neighbours, places: Array, turns: Array, v: Int) -> Vec3:
    """Where its neighbours would like a vertex to be in a pose: places (V, 3), turns (V, 4)."""
    total_place, total = (0.0, 0.0, 0.0), 0.0
    for n in range(ring.start[v], ring.start[v + 1]):
        u = ring.points[n]
        edge = between_rows(points, u, v)
        share = 1.0 / (dot(edge, edge) + 1e-8)
        # Edges that suffer most in this pose count more, or many small errors would outvote a fold.
        now = between_rows(places, u, v)
        strain = np.log(dot(now, now) * share + 1e-3)
        share *= 1.0 + FOCUS * strain * strain
        turned = add(rotate(quat(turns, u), edge), rotate(quat(turns, v), edge))
        total_place = add(total_place, scale(add(vec(places, u), scale(turned, 0.5)), share))
        total += share
    return total_place[0] / total, total_place[1] / total, total_place[2] / total


@kernel
def pose_gram(task: Task, places: Array, turns: Array, v: Int, gram: Array) -> float:
    """What the poses ask of the weights of point v, gram (C, C); returns its trace."""
    many = len(gram)
    gram[:] = 0.0
    for t in range(len(places)):
        goal = rigid_goal(task.points, task.ring, places[t], turns[t], v)
        for c in range(many):
            off = sub(vec(task.moved[t, v], c), goal)
            for d in range(c + 1):
                gram[c, d] += dot(off, sub(vec(task.moved[t, v], d), goal))
    size = 0.0
    for c in range(many):
        for d in range(c):
            gram[d, c] = gram[c, d]
        size += gram[c, c]
    return size + 1e-9


@kernel
def neighbour_mean(task: Task, weights: Array, first: Array, v: Int, mean: Array) -> None:
    """Mean weights (C,) of the neighbours of point v, for the joints that it may choose; first (V, C)."""
    many = len(mean)
    mean[:] = 0.0
    for n in range(task.ring.start[v], task.ring.start[v + 1]):
        u = task.ring.points[n]
        for c in range(many):
            for d in range(many):
                if task.choice[u, d] == task.choice[v, c]:
                    mean[c] += weights[u, d]
    total = mean.sum()
    for c in range(many):
        mean[c] = mean[c] / total if total > 0 else first[v, c]


@kernel
def descend(pull: Pull, first: Array, size: float, hold: float) -> None:
    """Move w (C,) towards the least strain within the simplex; first (C,): weights to hold on to."""
    many = len(pull.w)
    # Pulls are measured against the poses' own, so that one number fits trunk and toe.
    smooth, keep = SMOOTH * size, hold * size
    step = 1.0 / (size + smooth + keep)
    for _ in range(12):
        for c in range(many):
            pull.slope[c] = smooth * (pull.w[c] - pull.mean[c]) + keep * (pull.w[c] - first[c])
            for d in range(many):
                pull.slope[c] += pull.gram[c, d] * pull.w[d]
        for c in range(many):
            pull.w[c] -= step * pull.slope[c]
        to_simplex(pull.w)


@kernel
def fit_kernel(task: Task, weights: Array, turns: Array, rounds: int) -> None:
    """Rounds of turning neighbourhoods and moving weights; `weights` (V, C) are changed in place."""
    count, many, poses = len(task.points), weights.shape[1], len(task.moved)
    first = weights.copy()
    places = np.zeros((poses, count, 3))
    pull = Pull(np.zeros((many, many)), np.zeros(many), np.zeros(many), np.zeros(many))
    for k in range(rounds):
        blend_places(weights, task.moved, places)
        local_turns(task.points, task.ring, places, turns, 12 if k == 0 else 3)
        for v in range(count):
            if task.still[v]:
                continue
            size = pose_gram(task, places, turns, v, pull.gram)
            neighbour_mean(task, weights, first, v, pull.mean)
            pull.w[:] = weights[v]
            descend(pull, first[v], size, task.hold[v])
            weights[v] = pull.w
            for t in range(poses):
                put(places[t], v, blend_place(pull.w, task.moved[t, v]))
