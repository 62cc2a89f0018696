"""The builder of bodies: fields, decimation, mirror, weights, proportions and its files."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("skimage", reason="the extra `body` is not installed")

from hoofbeat.body.mesh.skin import BODIES
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import UnknownJoint
from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.offline.body.__main__ import main
from hoofbeat.offline.body.build import axis_of, half_surface
from hoofbeat.offline.body.drawing import DrawingError, lofts_of, read_drawing
from hoofbeat.offline.body.proportions import proportions_of
from hoofbeat.offline.body.shape.decimate import decimate
from hoofbeat.offline.body.shape.field import Field
from hoofbeat.offline.body.shape.loft import Loft, field_of
from hoofbeat.offline.body.shape.mirror import other_side, whole
from hoofbeat.offline.body.shape.relax import normals_of, project, relaxed
from hoofbeat.offline.body.weights.fit import Start, fitted
from hoofbeat.offline.body.weights.initial import bound, smoothed_weights, strongest
from hoofbeat.offline.body.weights.poses import bearing_matrices, bearing_poses
from hoofbeat.offline.body.weights.rig import _transferred, half_of

Floats = NDArray[np.float64]


@cache
def horse() -> Skeleton:
    return read_scene(THESIS_HORSE).skeleton


def tube(radius: float = 0.3, half_length: float = 0.5, blend: float = 0.02) -> Loft:
    """A straight round tube along z with round ends, carried by two joints in turn."""
    bones = np.zeros((3, len(horse())))
    bones[0, 0] = bones[2, 1] = 1.0
    bones[1, :2] = 0.5
    return Loft(
        name="tube",
        part="coat",
        centre=np.array([[0.0, 0, -half_length], [0, 0, 0], [0, 0, half_length]]),
        u=np.tile([0.0, 1, 0], (3, 1)),
        v=np.tile([1.0, 0, 0], (3, 1)),
        half=np.full((3, 4), radius),
        shape=np.tile([0.0, 2.0, blend], (3, 1)),
        bones=bones,
        caps=np.full(2, radius),
        carve=False,
    )


@cache
def field() -> Field:
    return field_of([tube()])


@cache
def half() -> tuple[Floats, NDArray[np.int64]]:
    axes = (axis_of(0, 0.4, [], [0.04]), axis_of(-0.4, 0.4, [], [0.04]), axis_of(-0.9, 0.9, [], [0.04]))
    return half_surface(field(), axes)


def capsule_distance(points: Floats) -> Floats:
    along = np.clip(points[:, 2], -0.5, 0.5)
    return np.linalg.norm(points - np.stack([0 * along, 0 * along, along], axis=1), axis=1) - 0.3


def edges_of(faces: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    ways = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    return np.unique(ways, axis=0, return_counts=True)


# --- field and surface


def test_a_round_tube_is_a_capsule() -> None:
    points = np.random.default_rng(1).uniform(-0.8, 0.8, (400, 3))
    near = np.abs(capsule_distance(points)) < 0.15
    np.testing.assert_allclose(field().distance(points[near]), capsule_distance(points[near]), atol=1e-9)
    slope = np.linalg.norm(field().gradient(points[near]), axis=1)
    np.testing.assert_allclose(slope, 1, atol=0.02)


def test_a_union_only_adds_and_a_hollow_only_takes() -> None:
    points = np.random.default_rng(2).uniform(-0.6, 0.6, (500, 3))
    one, other = tube(), replace(tube(0.2), centre=tube().centre[:, [0, 2, 1]], u=tube().u[:, [0, 2, 1]])
    both, less = field_of([one, other]), field_of([one, replace(other, carve=True)])
    first = field_of([one]).distance(points)
    assert (both.distance(points) <= first + 1e-9).all()
    assert (less.distance(points) >= first - 1e-9).all()


def test_grid_lines_have_the_steps_asked_for() -> None:
    lines = axis_of(0.0, 1.0, [0.4], [0.1, 0.05])
    assert lines[0] == 0 and lines[-1] == 1 and 0.4 in lines
    assert np.diff(lines).max() < 0.11 and np.diff(lines[lines >= 0.4]).max() < 0.06


def test_the_surface_lies_on_the_field_and_its_rim_in_the_plane() -> None:
    points, faces = half()
    assert np.abs(field().distance(project(field(), points))).max() < 1e-6
    edges, times = edges_of(faces)
    assert set(times.tolist()) == {1, 2}
    np.testing.assert_array_equal(points[edges[times == 1], 0], 0)
    slid = relaxed(field(), points, faces, 2)
    np.testing.assert_array_equal(slid[points[:, 0] == 0, 0], 0)


# Rounding decides which of equal edges goes first: at 100 to 160 triangles 0.029 to 0.036 were seen.
@pytest.mark.parametrize(("target", "off"), [(300, 0.03), (120, 0.04)])
def test_fewer_triangles_the_same_surface(target: int, off: float) -> None:
    points, faces = half()
    left, kept = decimate(points, faces, target, np.ones(len(points)), normals_of(field(), points))
    assert len(kept) <= target + 1
    edges, times = edges_of(kept)
    assert set(times.tolist()) == {1, 2}
    np.testing.assert_array_equal(left[edges[times == 1], 0], 0)
    assert len(left) - len(edges) + len(kept) == 1  # a disc
    assert np.abs(field().distance(left)).max() < off
    normal = np.cross(left[kept[:, 1]] - left[kept[:, 0]], left[kept[:, 2]] - left[kept[:, 0]])
    assert (np.sum(normal * field().gradient(left[kept].mean(axis=1)), axis=1) > 0).all()


def test_two_halves_make_a_closed_whole() -> None:
    points, faces = half()
    both, every, twin = whole(points, faces)
    assert (edges_of(every)[1] == 2).all()
    np.testing.assert_array_equal(both[twin] * [-1, 1, 1], both)
    np.testing.assert_array_equal(twin[twin], np.arange(len(both)))


def test_other_side_twice_is_this_side() -> None:
    other = other_side(horse())
    np.testing.assert_array_equal(other[other], np.arange(len(horse())))
    assert horse().names[other[horse().index("FemurLeft")]] == "FemurRight"


# --- weights


def test_bound_weights_follow_the_loft() -> None:
    points = np.array([[0.3, 0, -0.5], [0.3, 0, 0], [0.3, 0, 0.5]])
    found = bound(field(), points)
    np.testing.assert_allclose(found[:, :2], [[1, 0], [0.5, 0.5], [0, 1]], atol=1e-6)
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_smoothing_keeps_shares_and_flattens() -> None:
    points, faces = half()
    before = bound(field(), points)
    after = smoothed_weights(before, faces, 5)
    np.testing.assert_allclose(after.sum(axis=1), 1)
    assert after.max() <= before.max() + 1e-12
    joints, shares = strongest(after)
    assert joints.shape == shares.shape == (len(points), 4)
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-6)


def test_transferred_values_are_those_of_the_place() -> None:
    """A linear function of the place is carried exactly to points of the same triangles."""
    points, faces = half()
    values = points @ np.array([[1.0, 2], [3, -1], [0.5, 1]])
    inside = points[faces].mean(axis=1)
    found = _transferred(half_of(field(), points, faces), values, half_of(field(), inside, faces))
    np.testing.assert_allclose(found, values[faces].mean(axis=1), atol=1e-9)


def bending(degrees: float) -> Floats:
    """Matrices (1, J, 3, 4) of a pose in which joint 1 turns about x at the origin."""
    out = np.tile(np.eye(3, 4), (1, len(horse()), 1, 1))
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    out[0, 1, :, :3] = [[1, 0, 0], [0, c, -s], [0, s, c]]
    return out


def strain(points: Floats, faces: NDArray[np.int64], weights: Floats, matrices: Floats) -> float:
    moved = np.einsum("vj,jxy,vy->vx", weights, matrices[0, :, :, :3], points)
    edges = edges_of(faces)[0]
    long = np.linalg.norm(moved[edges[:, 0]] - moved[edges[:, 1]], axis=1)
    short = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)
    return float(np.square(np.log(long / short + 1e-3)).mean())


def test_fitted_weights_strain_less_and_stay_shares() -> None:
    points, faces = half()
    weights = np.zeros((len(points), len(horse())))
    weights[:, 1] = points[:, 2] > 0
    weights[:, 0] = 1 - weights[:, 1]
    core, still = np.abs(points[:, 2]) > 0.5, np.zeros(len(points), np.bool_)
    start = Start(
        points, faces, np.zeros((0, 2), np.int64), weights, smoothed_weights(weights, faces, 40), core, still
    )
    found = fitted(start, bending(70), 60)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-9)
    assert found.min() >= 0
    assert strain(points, faces, found, bending(70)) < 0.5 * strain(points, faces, weights, bending(70))
    # A vertex that is to keep still keeps its weights.
    kept = fitted(replace(start, still=~still), bending(70), 5)
    np.testing.assert_allclose(kept, weights)


def test_poses_bring_the_joints_where_they_belong() -> None:
    poses = bearing_poses(24)[:3]
    matrices = bearing_matrices(horse(), poses)
    rest = horse().rest_positions()
    moved = np.einsum("tjxy,jy->tjx", matrices[..., :3], rest) + matrices[..., 3]
    lengths = np.linalg.norm(moved[:, 1:] - moved[:, horse().parents[1:]], axis=2)
    np.testing.assert_allclose(
        lengths, np.tile(np.linalg.norm(horse().offsets[1:], axis=1), (3, 1)), atol=1e-9
    )


# --- drawings


def test_the_horse_keeps_its_own_proportions() -> None:
    top = read_drawing(BODIES / "horse.yaml")
    skeleton, proportions = proportions_of(top, horse())
    assert skeleton is horse()
    for loft in lofts_of(top, horse()):
        moved = proportions.loft(loft)
        np.testing.assert_allclose(moved.centre, loft.centre, atol=1e-12)
        np.testing.assert_allclose(moved.half, loft.half, atol=1e-12)


def test_a_drawing_takes_over_its_base() -> None:
    base, dog = read_drawing(BODIES / "horse.yaml"), read_drawing(BODIES / "dog.yaml")
    names = [entry.values["name"] for entry in dog.mappings("lofts")]
    assert names == [entry.values["name"] for entry in base.mappings("lofts")]
    muscles = {entry.values["name"] for entry in dog.mappings("muscles")}
    assert "nose" in muscles and "jowl" not in muscles
    skeleton, _ = proportions_of(dog, horse())
    assert skeleton.names == horse().names
    assert not np.allclose(skeleton.offsets, horse().offsets)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("nme: a\n", "unknown key 'nme'"),
        ("name: a\nlofts: []\n", "lofts: expected"),
        ("name: a\nlofts:\n  - {name: b, rows: [[1, 2]]}\nmuscles: []\n", "a row has 8 values"),
    ],
)
def test_a_wrong_drawing_says_where(tmp_path: Path, text: str, wrong: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text)
    with pytest.raises(DrawingError, match=wrong):
        lofts_of(read_drawing(path), horse())


def test_a_drawing_with_an_unknown_joint(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    row = "[0, 1, 0, -1, 0, 0.1, 0.1, Femur]"
    path.write_text(f"name: a\nlofts:\n  - {{name: b, rows: [{row}, {row}]}}\n")
    with pytest.raises(UnknownJoint, match="FemurLeft"):
        lofts_of(read_drawing(path), horse())


@pytest.mark.slow
def test_the_same_drawing_gives_the_same_bytes(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        assert main([str(BODIES / "horse.yaml"), "-o", str(tmp_path / folder)]) == 0
    files = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert len(files) == 3
    for name in files:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
