"""Easing: weights that keep a skin within its bounds, and what limbs have of flesh."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from hoofbeat.body.skeleton import Skeleton
from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.offline.body.weights.bounds import Bearing, Strain, edges_of
from hoofbeat.offline.body.weights.refine import Effort, refined
from hoofbeat.offline.body.weights.segments import BoneSegment, bone_segments, flesh

Floats = NDArray[np.float64]
#: The tube that is bent: rings, points of each, radius, half length [m].
RINGS, SIDES, RADIUS, HALF = 21, 10, 0.05, 0.3


@cache
def horse() -> Skeleton:
    return read_scene(THESIS_HORSE).skeleton


def tube() -> tuple[Floats, NDArray[np.int64]]:
    """Points and faces of an open tube along y with its middle at the origin."""
    height, angle = np.meshgrid(
        np.linspace(-HALF, HALF, RINGS), 2 * np.pi * np.arange(SIDES) / SIDES, indexing="ij"
    )
    points = np.stack([RADIUS * np.sin(angle), height, RADIUS * np.cos(angle)], axis=-1).reshape(-1, 3)
    k, s = np.meshgrid(np.arange(RINGS - 1), np.arange(SIDES), indexing="ij")
    a, b = (k * SIDES + s).ravel(), (k * SIDES + (s + 1) % SIDES).ravel()
    faces = np.concatenate([np.stack([a, b, b + SIDES], axis=1), np.stack([a, b + SIDES, a + SIDES], axis=1)])
    return points, faces


def limb(points: Floats, faces: NDArray[np.int64], first: float, last: float, bone: int) -> BoneSegment:
    """The part of the tube between two heights, on the y axis as its bone."""
    middle = points[faces].mean(axis=1)[:, 1]
    part = faces[(first < middle) & (middle < last)]
    return BoneSegment("limb", bone, part, points[part] * np.array([0.0, 1.0, 0.0]))


def bent(degrees: float) -> Floats:
    """Matrices (2, 3, 3, 4): joint 1 turns about x at the origin, forth and back; joint 2 by half of it."""
    out = np.tile(np.eye(3, 4), (2, 3, 1, 1))
    for t, way in enumerate((1, -1)):
        for j, part in ((1, 1.0), (2, 0.5)):
            c, s = np.cos(way * part * np.radians(degrees)), np.sin(way * part * np.radians(degrees))
            out[t, j, :, :3] = [[1, 0, 0], [0, c, -s], [0, s, c]]
    return out


def bearing() -> Bearing:
    points, faces = tube()
    middle = np.zeros(len(points), np.bool_)
    return Bearing(
        points,
        points * np.array([1.0, 0.0, 1.0]) / RADIUS,
        edges_of(faces),
        faces,
        (limb(points, faces, -0.2, -0.08, 0), limb(points, faces, 0.08, 0.2, 1)),
        np.ones((len(points), 3), np.bool_),
        middle,
        np.arange(3),
    )


def hard() -> Floats:
    """Weights that change over from joint 0 to joint 1 within one edge."""
    points, _ = tube()
    upper = (points[:, 1] > 0.001).astype(np.float64)
    return np.stack([1 - upper, upper, np.zeros(len(points))], axis=1) * 0.98 + [0.005, 0.005, 0.01]


def test_flesh_of_a_tube_is_what_it_encloses() -> None:
    points, faces = tube()
    part = limb(points, faces, -1, 1, 0)
    prism = 0.5 * SIDES * np.sin(2 * np.pi / SIDES) * RADIUS**2 * 2 * HALF
    assert flesh(points[part.faces], part.roots).sum() == pytest.approx(prism)
    thin = points * np.array([0.5, 1.0, 1.0])
    assert flesh(thin[part.faces], part.roots).sum() == pytest.approx(0.5 * prism)
    # Skin that slides along its bone, or around it, encloses as much as before.
    slid = points + np.array([0.0, 0.02, 0.0])
    assert flesh(slid[part.faces], part.roots).sum() == pytest.approx(prism)


def test_limbs_are_where_their_bones_are() -> None:
    points, faces = tube()
    legs = horse().legs
    rest = horse().rest_positions()
    at = 0.5 * (rest[legs[0].low] + rest[legs[0].pastern])
    found = bone_segments(horse(), points * np.array([0.5, 0.3, 0.5]) + at, faces)
    assert [segment.name for segment in found] == ["LF cannon"]
    assert found[0].bone == legs[0].low


@pytest.mark.kernels
def test_the_slope_is_the_strains_own() -> None:
    """Against differences, of edges and volumes; faces take their normals as they are."""
    body, weights = bearing(), hard()
    body = Bearing(*(getattr(body, name) for name in body.__dataclass_fields__))
    strain = Strain(body, bent(110))
    choice = np.tile(np.arange(3), (len(weights), 1))
    strain.survey(choice, weights)
    strain.watched.faces[0][:] = 0
    total, slope = strain.at(choice, weights)
    assert total > 0.1
    # Weights move along the directions that keep their sum.
    step = 1e-6 * np.random.default_rng(1).normal(size=weights.shape)
    step -= step.mean(axis=1, keepdims=True)
    ahead, behind = strain.at(choice, weights + step)[0], strain.at(choice, weights - step)[0]
    assert np.sum(slope * step) == pytest.approx((ahead - behind) / 2, rel=1e-3)


@pytest.mark.kernels
def test_refined_weights_keep_the_bounds_and_are_shares() -> None:
    body, weights = bearing(), hard()
    before = Strain(body, bent(100)).survey(np.tile(np.arange(3), (len(weights), 1)), weights)
    assert before.longest > 2.2 and before.smallest < 0
    found = refined(body, weights, bent(100), Effort(60, (2, 2, 4), 0.01))
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-9)
    assert found.min() >= 0
    after = Strain(body, bent(100)).survey(np.tile(np.arange(3), (len(weights), 1)), found)
    assert after.longest < 2.2 and after.shortest > 0.35 and after.smallest > 0
    assert after.thinnest > 0.85 and after.fattest < 1.15


@pytest.mark.kernels
def test_the_middle_follows_both_sides_alike() -> None:
    points, _ = tube()
    body = bearing()
    middle = np.abs(points[:, 0]) < 1e-9
    swapped = Bearing(
        body.points, body.normals, body.edges, body.faces, body.segments,
        body.allowed, middle, np.array([1, 0, 2]),
    )  # fmt: skip
    found = refined(swapped, hard(), bent(60), Effort(5, (1, 1, 1), 0.01))
    np.testing.assert_allclose(found[middle, 0], found[middle, 1], atol=1e-12)
