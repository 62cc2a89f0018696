"""Fittings: hair and eyes of a body. Mane, forelock and tail are locks that lie on the body and hang."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import Skeleton
from hoofbeat.formats.yamlfile import Mapping
from hoofbeat.maths.noise import unit as chance
from hoofbeat.offline.body.shape.field import Field
from hoofbeat.offline.body.shape.fields import Shape
from hoofbeat.offline.body.shape.piece import Piece, ball, joined_pieces, swept
from hoofbeat.offline.body.shape.relax import normals_of, unit_rows
from hoofbeat.offline.body.weights.initial import bound

Floats = NDArray[np.float64]
#: Rounds of dividing an eye.
EYE = {"low": 1, "medium": 2, "high": 3}
#: Points along a lock and sides of it, for each level; how many of the drawn locks are made.
POINTS = {"low": 4, "medium": 6, "high": 9}
SIDES = {"low": 3, "medium": 4, "high": 6}
SHARE = {"low": 0.5, "medium": 0.75, "high": 1.0}


def pieces_of(top: Mapping, skeleton: Skeleton, shape: Shape, level: str) -> list[Piece]:
    """Hair and eyes at one level, a piece for each part."""
    out: list[Piece] = []
    manes = top.mappings("manes") if top.values.get("manes") else []
    hair = [lock for entry in manes for lock in draped(entry, shape, level)]
    if hair:
        out.append(joined_pieces(hair))
    tail, eye = top.values.get("tail"), top.values.get("eye")
    if isinstance(tail, Mapping):
        out.append(joined_pieces(tail_locks(tail, skeleton, shape, level)))
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


def locks_of(entry: Mapping, level: str) -> int:
    """How many locks a level has, fewer and wider ones the coarser it is."""
    return max(3, round(entry.get("locks", int) * SHARE[level]))


def along_line(line: Floats, share: Floats) -> Floats:
    """Points (K, 3) at shares of the length of a line (P, 3)."""
    steps = np.linalg.norm(np.diff(line, axis=0), axis=1)
    at = np.concatenate([[0.0], np.cumsum(steps)]) / steps.sum()
    return np.stack([np.interp(share, at, line[:, k]) for k in range(3)], axis=1)


def draped(entry: Mapping, shape: Shape, level: str) -> list[Piece]:
    """Locks whose roots stand along a line and which slide down the body to one side.

    line: points (x, y, z) of the roots; toward: where hair wants to fall; length, width, thick [m], the
    first at the line's beginning, the second at its end; lift [m]: how high it lies on the skin.
    """
    line = np.array([[float(v) for v in row] for row in cast("list[list[Any]]", entry.values["line"])])
    field, size = shape.field, shape.size(line)
    line = shape.moved(line)
    count = locks_of(entry, level)
    seed = entry.get("seed", int, 1)
    random = np.array([[chance(seed, k, c) for c in range(4)] for k in range(count)])
    share = (np.arange(count) + 0.5 + 0.5 * (random[:, 0] - 0.5)) / count
    roots = along_line(line, share)
    ends = {key: np.array(entry.numbers(key, 2)) * size for key in ("length", "width", "thick")}
    toward = np.array(entry.numbers("toward", 3))
    out: list[Piece] = []
    steps = POINTS[level]
    for k in range(count):
        sizes = {key: a + (b - a) * share[k] for key, (a, b) in ends.items()}
        length = sizes["length"] * (0.75 + 0.45 * random[k, 1])
        direction = toward + np.array([0.0, 0.0, 0.5 * (random[k, 2] - 0.5)])
        path = _slide(field, roots[k], direction, length, steps, entry.get("lift", float, 0.008))
        normal = normals_of(field, path)
        across = np.cross(unit_rows(np.gradient(path, axis=0)), normal)
        taper = _taper(steps)
        wide = sizes["width"] / SHARE[level] * (0.8 + 0.5 * random[k, 3])
        half = np.stack([wide * taper, sizes["thick"] * np.sqrt(taper)], axis=1)
        weights = bound(field, path)
        # The tip follows the root more than the skin below it: hair hangs from where it grows.
        fade = np.linspace(0.0, 0.6, steps)[:, None]
        weights = (1 - fade) * weights + fade * weights[:1]
        out.append(swept("mane", path, across, half, weights, float(random[k, 0]), SIDES[level]))
    return out


def _taper(count: int) -> Floats:
    """Width of a lock along it: full soon after the root, a point at the tip."""
    t = np.linspace(0.0, 1.0, count)
    return np.clip(0.8 + 1.6 * t, 0.0, 1.0) * (1.0 - t**2.2) + 0.04


def _slide(field: Field, root: Floats, direction: Floats, length: float, count: int, lift: float) -> Floats:
    """A path (count, 3) from the root over the skin in a direction."""
    fine = 4 * count
    step = length / fine
    path = [root]
    place = root[None]
    for _ in range(fine):
        normal = field.gradient(place, 2e-3)
        normal /= np.linalg.norm(normal) + 1e-9
        tangent = direction - (direction @ normal[0]) * normal[0]
        tangent /= np.linalg.norm(tangent) + 1e-9
        place = place + step * tangent
        # Hair rests on the skin but does not stick to it: it may hang free, never sink in.
        deep = lift - field.distance(place)
        place = place + np.maximum(deep, 0.3 * deep)[:, None] * normal
        path.append(place[0])
    return along_line(np.array(path), np.linspace(0.0, 1.0, count))


def tail_locks(entry: Mapping, skeleton: Skeleton, shape: Shape, level: str) -> list[Piece]:
    """The tail: locks around the chain of its joints, longer than the bones.

    joints: from the dock on; beyond [m]: how far hair hangs below the last; radius: of the whole bundle
    along it; width, thick [m] of a lock.
    """
    names = [str(name) for name in cast("list[Any]", entry.values["joints"])]
    joints = [skeleton.index(name) for name in names]
    chain = skeleton.rest_positions()[joints] + np.array(entry.numbers("offset", 3, (0.0, 0.0, 0.0)))
    last = chain[-1] + np.array(entry.numbers("beyond", 3))
    line = _rounded(np.concatenate([chain, last[None]]))
    size = float(np.cbrt(np.prod(shape.proportions.flesh[joints[0]])))
    radii = size * np.array([float(v) for v in cast("list[Any]", entry.values["radius"])])
    count, steps = locks_of(entry, level), 2 * POINTS[level]
    seed = entry.get("seed", int, 2)
    core = _strand(entry, skeleton, joints, line, radii, (0.0, 0.0, 0.0, 0.97), steps, level, True)
    out = [core]
    for k in range(count):
        random = [float(chance(seed, k, c)) for c in range(3)]
        angle = 2 * np.pi * (k + 0.6 * random[0]) / count
        place = (np.cos(angle), np.sin(angle), random[1], 0.8 + 0.2 * random[2])
        out.append(_strand(entry, skeleton, joints, line, radii, place, steps, level, False))
    return out


def _rounded(chain: Floats) -> Floats:
    """A chain (P, 3) as a smooth line through its points."""
    from scipy.interpolate import PchipInterpolator

    at = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(chain, axis=0), axis=1))])
    return cast(Floats, PchipInterpolator(at, chain)(np.linspace(0.0, at[-1], 60)))


def _strand(
    entry: Mapping,
    skeleton: Skeleton,
    joints: list[int],
    line: Floats,
    radii: Floats,
    place: tuple[float, float, float, float],
    steps: int,
    level: str,
    core: bool,
) -> Piece:
    """One lock of the tail; place: cosine and sine of where it stands, its own number, its length."""
    cosine, sine, own, length = place
    share = np.linspace(entry.get("begin", float, 0.0), length, steps)
    middle = along_line(line, share)
    along = unit_rows(np.gradient(middle, axis=0))
    side = np.tile([1.0, 0.0, 0.0], (steps, 1))
    back = np.cross(side, along)
    radius = np.interp(share, np.linspace(0.0, 1.0, len(radii)), radii)[:, None]
    outward = cosine * side + sine * back
    path = middle + 0.72 * radius * outward * (0.75 + 0.5 * own)
    t = np.linspace(0.0, 1.0, steps)
    taper = np.clip(0.4 + 2.0 * t, 0.0, 1.0) * (1.0 - t**3) + 0.03
    if core:
        half = np.stack([0.8 * radius[:, 0] * taper, 0.8 * radius[:, 0] * taper], axis=1)
        across = side
    else:
        wide = entry.get("width", float) / SHARE[level]
        half = np.stack([wide * taper, entry.get("thick", float) * taper], axis=1)
        across = np.cross(along, outward)
    weights = _chain_weights(skeleton, joints, middle, line[0])
    return swept("tail", path, across, half, weights, own, max(4, SIDES[level]))


def _chain_weights(skeleton: Skeleton, joints: list[int], points: Floats, start: Floats) -> Floats:
    """Weights (K, J) of points along a chain: each between two joints is bound to both in turn."""
    rest = skeleton.rest_positions()[joints]
    steps = np.linalg.norm(np.diff(rest, axis=0), axis=1)
    at = np.concatenate([[0.0], np.cumsum(steps)])
    gone = np.cumsum(np.linalg.norm(np.diff(points, axis=0, prepend=start[None]), axis=1))
    # The bone after a joint is bound to it: it has full weight in the middle of that bone.
    middles = np.concatenate([at[:-1] + steps / 2, [at[-1] + steps[-1]]])
    out = np.zeros((len(points), len(skeleton)))
    for k, joint in enumerate(joints):
        rise = np.zeros(len(joints))
        rise[k] = 1.0
        out[:, joint] += np.interp(gone, middles, rise)
    return out
