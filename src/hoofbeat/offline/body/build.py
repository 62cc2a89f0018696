"""Build: a drawing and a skeleton become skins at every level of detail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.mesh.skin import LEVELS, WHOLE, Skin, whole_parts
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.formats.yamlfile import Mapping
from hoofbeat.offline.body.drawing import lofts_of, with_moulds
from hoofbeat.offline.body.proportions import proportions_of
from hoofbeat.offline.body.shape.coat import Place, colours_of
from hoofbeat.offline.body.shape.decimate import decimate
from hoofbeat.offline.body.shape.field import Field, grid_distances
from hoofbeat.offline.body.shape.fields import Shape
from hoofbeat.offline.body.shape.fittings import lids, pieces_of
from hoofbeat.offline.body.shape.loft import field_of
from hoofbeat.offline.body.shape.mirror import other_side, whole
from hoofbeat.offline.body.shape.piece import Piece, joined_pieces
from hoofbeat.offline.body.shape.relax import normals_of, project, relaxed, unit_rows
from hoofbeat.offline.body.weights.initial import strongest
from hoofbeat.offline.body.weights.rig import Half, half_of, rigged

Floats = NDArray[np.float64]
#: Parts of a skin, in the order of their index.
PARTS = ("coat", "hoof", "mane", "tail", "eye")
#: Triangles of each level, hair and eyes with them.
TRIANGLES = {"low": 3200, "medium": 10000, "high": 30000}
#: A vertex that is nearer than this to where it was is where it was [m].
SAME = 2e-4
#: How far around a point the light is looked for [m].
OPEN = (0.03, 0.07, 0.14)
#: Points of a block that are skipped together.
BLOCK = 6
#: How far inside of the grid's first plane a point may be and still lie on it [m].
PLANE = 1e-9


@dataclass(frozen=True)
class Built:
    """A skin in its first coat, and the colours (V, 3) of all coats by name."""

    skin: Skin
    coats: dict[str, NDArray[np.uint8]]


def built(top: Mapping, horse: Skeleton, before: dict[str, Skin] | None = None) -> Iterator[Built]:
    """The skins of a drawing on the horse's skeleton, or on the one it makes of that; the finest first.

    before: skins of the same drawing by level, whose weights are kept; where the drawing has changed since,
    or there are none, weights are fitted, in minutes.
    """
    skeleton, proportions = proportions_of(top, horse)
    drawn = lofts_of(top, horse)
    lofts = [proportions.loft(loft) for loft in drawn]
    raw = field_of(drawn)
    field = with_moulds(field_of(lofts), raw, top, proportions)
    horn = field_of([loft for loft in lofts if loft.part == "hoof"])
    hollow = field_of([replace(loft, carve=False) for loft in lofts if loft.carve])
    shape = Shape(field, horn, hollow, raw, proportions)
    points, faces = half_surface(field, _axes(top, field))
    points = relaxed(field, points, faces, 2)
    pieces = {level: pieces_of(top, skeleton, shape, level) for level in LEVELS}
    halves: dict[str, Half] = {}
    for level in reversed(LEVELS):
        rest = TRIANGLES[level] - sum(len(piece.faces) for piece in pieces[level])
        points, faces = _thinned(shape, points, faces, rest // 2)
        halves[level] = agreeing(half_of(field, points, faces))
    found = _kept(halves, before or {}, scale_of(top)) or rigged(field, skeleton, halves)
    weights = {level: _settled(each) for level, each in found.items()}
    for level in reversed(LEVELS):
        yield _skin(top, skeleton, shape, halves[level], weights[level], level, pieces[level])


def scale_of(top: Mapping) -> float:
    """How many times as large as drawn the animal is."""
    entry = top.values.get("skeleton")
    return entry.get("scale", float, 1.0) if isinstance(entry, Mapping) else 1.0


def _kept(halves: dict[str, Half], before: dict[str, Skin], scale: float) -> dict[str, Floats]:
    """Weights (V, J) of halves by level, from skins with the same triangles at the same places; else none."""
    out: dict[str, Floats] = {}
    for level, half in halves.items():
        skin, count = before.get(level), len(half.points)
        if skin is None or len(skin.vertices) < count:
            return {}
        same = np.array_equal(skin.triangles[: len(half.faces)], half.faces)
        if not same or np.abs(skin.vertices[:count] - scale * half.points).max() > scale * SAME:
            return {}
        out[level] = np.zeros((count, len(skin.skeleton)))
        for k in range(skin.joints.shape[1]):
            np.add.at(out[level], (np.arange(count), skin.joints[:count, k]), skin.weights[:count, k])
    return out


def _settled(weights: Floats) -> Floats:
    """Weights (V, J) as a file holds them, so that those fitted and those kept from a file are the same."""
    joints, shares = strongest(weights)
    out = np.zeros_like(weights)
    np.add.at(out, (np.arange(len(out))[:, None], joints), whole_parts(shares) / WHOLE)
    return out


def agreeing(half: Half) -> Half:
    """The half with normals that no face looks against; at tips too thin for a level they are the faces."""
    normals = np.array(half.normals)
    a, b, c = (half.points[half.faces[:, k]] for k in range(3))
    facing = np.cross(b - a, c - a)
    for _ in range(4):
        wrong = np.sum(facing * normals[half.faces].sum(axis=1), axis=1) <= 0
        if not wrong.any():
            break
        own = np.zeros_like(normals)
        for k in range(3):
            np.add.at(own, half.faces[:, k], facing)
        # In the middle both sides have a part in it.
        own[half.middle, 0] = 0.0
        at = np.unique(half.faces[wrong])
        normals[at] = unit_rows(own[at])
    return replace(half, normals=normals)


def _axes(top: Mapping, field: Field) -> tuple[Floats, Floats, Floats]:
    """Grid lines, finer where the drawing asks for it."""
    grid = cast(Mapping, top.values["grid"])
    widest = np.max([field.stations[k] for k in ("out", "into")], axis=0)
    reach = np.maximum(widest, np.maximum(field.stations["up"], field.stations["down"]))[:, None] + 0.04
    low = (field.stations["centre"] - reach).min(axis=0)
    high = (field.stations["centre"] + reach).max(axis=0)
    low[0] = 0.0
    out: list[Floats] = []
    for k, key in enumerate("xyz"):
        numbers = cast("list[float]", grid.values[key])
        cuts = len(numbers) // 2
        out.append(axis_of(low[k], high[k], numbers[:cuts], numbers[cuts:]))
    return out[0], out[1], out[2]


def _thinned(shape: Shape, points: Floats, faces: NDArray[Any], target: int) -> tuple[Floats, NDArray[Any]]:
    """Fewer triangles, round ones, on the surface; thin places stay finer."""
    field = shape.field
    fine = 1 / (0.02 + _thickness(field, points)) ** 1.2
    out, left = decimate(points, faces, target, fine / fine.min(), normals_of(field, points))
    # The rim of a hoof is sharp: sliding would gnaw at it.
    sharp = shape.horn.distance(out) < 0.006
    moved = relaxed(field, out, left, 3)
    moved[sharp] = out[sharp]
    return project(field, moved), left


def _thickness(field: Field, points: Floats) -> Floats:
    """Half thickness (V,) [m] of the body below each point, up to 0.1."""
    inward = normals_of(field, points)
    depths = (0.01, 0.02, 0.035, 0.05, 0.07, 0.1)
    found = [-field.distance(points - d * inward) for d in depths]
    return np.maximum(np.max(found, axis=0), 0.004)


def _near(field: Field, points: Floats) -> Floats:
    """1 where points (V, 3) lie on the wall of a hollow, 0 beyond a few millimetres."""
    return (
        np.clip(1.5 - field.distance(points) / 0.004, 0.0, 1.0) if len(field.lofts) else np.zeros(len(points))
    )


def light_at(field: Field, points: Floats, normals: Floats) -> Floats:
    """How open (V,) points are: 1 = nothing near, 0 = in a deep fold."""
    out = np.ones(len(points))
    for reach in OPEN:
        free = field.distance(points + reach * normals) / reach
        out -= (1 - np.clip(free, 0.0, 1.0)) / len(OPEN)
    return np.clip(1.15 * out, 0.0, 1.0)


def _skin(
    top: Mapping,
    skeleton: Skeleton,
    shape: Shape,
    half: Half,
    left: Floats,
    level: str,
    fittings: list[Piece],
) -> Built:
    """One level: the coat, mirrored, with weights; then hair and eyes; then colours."""
    field = shape.field
    points, faces, twin = whole(half.points, half.faces)
    right = twin[len(half.points) :]
    weights = np.concatenate([left, left[right][:, other_side(skeleton)]])
    normals = np.concatenate([half.normals, half.normals[right] * np.array([-1.0, 1.0, 1.0])])
    hoof = shape.horn.distance(points) < 0.004
    part = np.where(hoof[faces].all(axis=1), PARTS.index("hoof"), 0).astype(np.uint8)
    coat = Piece("coat", points, normals, faces, weights, np.zeros(len(points)), np.zeros(len(points)))
    pieces = [coat, *fittings]
    every = joined_pieces(pieces)
    counts = [len(piece.points) for piece in pieces]
    parts = np.concatenate([part, *(np.full(len(p.faces), PARTS.index(p.part)) for p in pieces[1:])])
    masks: dict[str, Any] = {name: np.zeros(len(every.points)) for name in PARTS}
    masks["hoof"][: len(points)] = hoof
    start = counts[0]
    for piece, count in zip(pieces[1:], counts[1:], strict=True):
        masks[piece.part][start : start + count] = 1.0
        start += count
    masks |= {"shade": every.shade, "strand": every.strand, "hollow": _near(shape.hollow, every.points)}
    masks["lid"] = lids(top, shape, every.points)
    light = light_at(field, every.points, every.normals)
    light[len(points) :] = np.maximum(light[len(points) :], 0.75)
    place = Place(every.points, every.normals, every.weights, light, skeleton)
    coats = colours_of(cast(Mapping, top.values["coats"]), place, masks)
    joints, shares = strongest(every.weights)
    first = next(iter(coats))
    scale = scale_of(top)
    skin = Skin(
        name=top.get("name", str),
        level=level,
        coat=first,
        skeleton=skeleton if scale == 1.0 else skeleton.scaled(scale),
        vertices=(every.points * scale).astype(np.float32),
        normals=every.normals.astype(np.float32),
        colours=np.concatenate([coats[first], np.full((len(light), 1), 255, np.uint8)], axis=1),
        triangles=every.faces.astype(np.uint32),
        joints=joints,
        weights=shares,
        parts=parts.astype(np.uint8),
        part_names=PARTS,
        coats=tuple(coats),
    )
    return Built(skin, coats)


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
    """The faces turned so that they are counter-clockwise from outside."""
    corners = points[faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    some = slice(0, len(faces), max(1, len(faces) // 500))
    along = np.sum(normal[some] * field.gradient(corners[some].mean(axis=1)), axis=1)
    return faces if np.sum(along) > 0 else faces[:, ::-1].copy()
