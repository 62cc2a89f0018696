"""Skins: closed, symmetric, read-only, carried by their joints, and sound in every gait and the leap."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hoofbeat.body.mesh.skin import (
    BODIES,
    LEVELS,
    Skin,
    SkinError,
    UnknownAnimal,
    UnknownCoat,
    UnknownLevel,
    UnknownPart,
    animals,
    load_skin,
    read_skin,
    skinned,
)
from hoofbeat.body.pose import positions_of, world_of
from hoofbeat.errors import HoofbeatError, SkeletonError
from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.maths import quat
from hoofbeat.offline.body.weights.poses import ridden_poses
from hoofbeat.offline.body.weights.quality import HAIR, measured_skin, turned_over
from hoofbeat.offline.body.weights.segments import bone_segments, flesh

COATS = ("bay", "grey", "chestnut", "black", "pinto")
ALL = [(animal, level) for animal in ("horse", "foal", "dog", "fox", "cat", "elephant") for level in LEVELS]
#: How far the weights of all but one in a hundred neighbours may differ, by level: edges grow shorter.
SMOOTH = {"low": 0.55, "medium": 0.3, "high": 0.2}
#: Triangles of a level, at most and at least.
COUNTS = {"low": (2000, 4500), "medium": (7000, 13000), "high": (22000, 37000)}


@cache
def skin(animal: str = "horse", level: str = "low") -> Skin:
    return load_skin(animal, level)


def coat_faces(one: Skin) -> NDArray[np.int64]:
    chosen = [one.part_names.index(name) for name in ("coat", "hoof")]
    return one.triangles[np.isin(one.parts, chosen)].astype(np.int64)


def ways_of(faces: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])


# --- what is shipped


def test_every_animal_is_there() -> None:
    assert set(animals()) == {animal for animal, _ in ALL}
    assert animals()[0] == "horse"
    assert load_skin().coats == COATS and load_skin().level == "medium" and load_skin().coat == "bay"


@pytest.mark.parametrize(("animal", "level"), ALL)
def test_sizes(animal: str, level: str) -> None:
    low, high = COUNTS[level]
    assert low <= len(skin(animal, level).triangles) <= high


def test_files_are_small() -> None:
    sizes = [path.stat().st_size for path in BODIES.glob("*.npz")]
    assert max(sizes) < 1_000_000 and sum(sizes) < 4_000_000


def test_the_horse_stands_on_the_horses_skeleton() -> None:
    shipped, own = skin().skeleton, read_scene(THESIS_HORSE).skeleton
    assert shipped.names == own.names
    np.testing.assert_array_equal(shipped.offsets, own.offsets)
    assert shipped.legs == own.legs


def test_arrays_are_read_only() -> None:
    one = skin()
    for name in ("vertices", "normals", "colours", "triangles", "joints", "weights", "parts"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(one, name)[0] = 0


def test_unknown_names_say_what_there_is() -> None:
    with pytest.raises(UnknownAnimal, match="horse"):
        load_skin("hrose")
    with pytest.raises(UnknownLevel, match="did you mean 'medium'"):
        load_skin("horse", "medum")
    with pytest.raises(UnknownCoat, match="chestnut"):
        load_skin("horse", "low", "purple")
    with pytest.raises(UnknownPart, match="mane"):
        skin().faces_of("saddle")


def test_another_file_is_no_skin(tmp_path: Path) -> None:
    for name, data in (("a.npz", b"no zip"), ("b.npz", b"")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(SkinError, match="not a skin"):
            read_skin(tmp_path / name)
    np.savez(tmp_path / "c.npz", format=np.array("other"), version=np.array(1))
    with pytest.raises(SkinError, match="expected hoofbeat skin"):
        read_skin(tmp_path / "c.npz")
    with pytest.raises(SkinError):
        read_skin(tmp_path / "missing.npz")


def test_coats_differ_only_in_colour() -> None:
    first, *others = (load_skin("horse", "low", coat) for coat in COATS)
    for other in others:
        np.testing.assert_array_equal(first.vertices, other.vertices)
        assert np.abs(first.colours.astype(int) - other.colours).mean() > 3


# --- the mesh


@pytest.mark.parametrize(("animal", "level"), ALL)
def test_every_part_is_closed(animal: str, level: str) -> None:
    """Each edge has one face on either side, which runs along it the other way."""
    ways = ways_of(skin(animal, level).triangles.astype(np.int64))
    keys = ways[:, 0] * len(skin(animal, level).vertices) + ways[:, 1]
    back = ways[:, 1] * len(skin(animal, level).vertices) + ways[:, 0]
    assert len(np.unique(keys)) == len(keys)
    assert np.array_equal(np.sort(keys), np.sort(back))


@pytest.mark.parametrize(("animal", "level"), ALL)
def test_no_face_is_turned_over(animal: str, level: str) -> None:
    one = skin(animal, level)
    faces = coat_faces(one)
    # The tip of an ear has fewer faces at the low level than it has sides.
    assert turned_over(one.vertices.astype(np.float64), one.normals, faces).sum() <= (level == "low")
    np.testing.assert_allclose(np.linalg.norm(one.normals, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize(("animal", "level"), ALL)
def test_outside_is_outside(animal: str, level: str) -> None:
    one = skin(animal, level)
    corners = one.vertices.astype(np.float64)[one.triangles.astype(np.int64)]
    assert np.sum(corners[:, 0] * np.cross(corners[:, 1], corners[:, 2])) > 0


@pytest.mark.parametrize(("animal", "level"), ALL)
def test_left_is_right_mirrored(animal: str, level: str) -> None:
    one = skin(animal, level)
    used = np.unique(coat_faces(one))
    points = one.vertices[used]
    flipped = points * np.array([-1, 1, 1], np.float32)
    order, other = np.lexsort(points.T), np.lexsort(flipped.T)
    np.testing.assert_array_equal(points[order], flipped[other] + np.float32(0))
    names = one.skeleton.names
    swap = [name.replace("Left", "#").replace("Right", "Left").replace("#", "Right") for name in names]
    to = np.array([names.index(name) for name in swap])
    dense, mirror = (np.zeros((len(used), len(names))) for _ in range(2))
    for k in range(4):
        np.add.at(dense, (np.arange(len(used)), one.joints[used, k].astype(int)), one.weights[used, k])
        np.add.at(mirror, (np.arange(len(used)), to[one.joints[used, k].astype(int)]), one.weights[used, k])
    # Ties for the last of four joints may fall either way.
    assert np.abs(dense[order] - mirror[other]).max() < 0.12


@pytest.mark.parametrize(("animal", "level"), ALL)
def test_weights_are_shares_and_smooth(animal: str, level: str) -> None:
    one = skin(animal, level)
    np.testing.assert_allclose(one.weights.sum(axis=1), 1, atol=1e-6)
    assert one.weights.min() >= 0 and (np.diff(one.weights, axis=1) <= 1e-4).all()
    dense = np.zeros((len(one.vertices), len(one.skeleton)))
    for k in range(4):
        np.add.at(dense, (np.arange(len(dense)), one.joints[:, k].astype(int)), one.weights[:, k])
    ways = np.unique(np.sort(ways_of(coat_faces(one)), axis=1), axis=0)
    jump = np.abs(dense[ways[:, 0]] - dense[ways[:, 1]]).sum(axis=1) / 2
    assert jump.max() < 0.85 and np.quantile(jump, 0.99) < SMOOTH[level]


# --- skinning


@st.composite
def a_turn(draw: st.DrawFn) -> NDArray[np.float64]:
    parts = draw(st.lists(st.floats(-1, 1), min_size=4, max_size=4))
    return quat.normalize(np.array(parts) + np.array([0, 0, 0, 1e-3]))


def rest_pose(one: Skin) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return one.skeleton.rest_positions(), quat.identity((len(one.skeleton),))


def test_the_rest_pose_is_the_skin() -> None:
    one = skin()
    vertices, normals = skinned(one, one.skeleton, *rest_pose(one))
    np.testing.assert_allclose(vertices, one.vertices, atol=1e-6)
    np.testing.assert_allclose(normals, one.normals, atol=1e-5)


@settings(max_examples=10, deadline=None)
@given(a_turn(), st.lists(st.floats(-1e4, 1e4), min_size=3, max_size=3))
def test_a_turned_animal_is_the_skin_turned(turn: NDArray[np.float64], place: list[float]) -> None:
    one = skin()
    rotations = quat.identity((1, len(one.skeleton)))
    rotations[0, 0] = turn
    positions = positions_of(one.skeleton, rotations, np.array([place]))
    vertices, _ = skinned(one, one.skeleton, positions, rotations)
    wanted = quat.rotate(turn, one.vertices.astype(np.float64)) + np.array(place)
    assert np.abs(vertices[0] - wanted).max() < 2e-3  # float32 at ten kilometres


def bent(one: Skin, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    turns = np.random.default_rng(seed).normal(0, 0.3, (3, len(one.skeleton), 3))
    rotations = quat.exp(turns)
    return positions_of(one.skeleton, rotations, np.zeros((3, 3))), rotations


@pytest.mark.kernels
def test_it_is_linear_blending() -> None:
    """Against the formula, with the world rotations of `world_of`."""
    one = skin()
    positions, rotations = bent(one, 1)
    vertices, _ = skinned(one, one.skeleton, positions, rotations)
    places, turns = world_of(one.skeleton, rotations, np.zeros((3, 3)))
    rest = one.skeleton.rest_positions()
    some = np.arange(0, len(one.vertices), 37)
    for v in some:
        wanted = sum(
            one.weights[v, k] * (quat.rotate(turns[:, j], one.vertices[v] - rest[j]) + places[:, j])
            for k, j in enumerate(one.joints[v].astype(int))
        )
        np.testing.assert_allclose(vertices[:, v], wanted, atol=1e-5)


def test_a_larger_skeleton_has_a_larger_skin() -> None:
    one = skin()
    positions, rotations = bent(one, 2)
    small, _ = skinned(one, one.skeleton, positions, rotations)
    large, _ = skinned(one, one.skeleton.scaled(1.5), 1.5 * positions, rotations)
    np.testing.assert_allclose(large, 1.5 * small, atol=2e-5)


def test_a_skin_refuses_another_skeleton() -> None:
    horse, dog = skin(), skin("dog")
    with pytest.raises(SkeletonError, match="proportions"):
        skinned(horse, dog.skeleton, *rest_pose(dog))
    with pytest.raises(HoofbeatError, match="poses must be"):
        skinned(horse, horse.skeleton, np.zeros((2, 5, 3)), np.zeros((2, 5, 4)))


# --- in motion


@cache
def rides() -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    return ridden_poses(every=6)


def test_measures_see_damage() -> None:
    """A pose that folds the carpus onto itself is worse in every measure than standing."""
    one = skin("horse", "medium")
    rotations = quat.identity((2, len(one.skeleton)))
    rotations[1, one.skeleton.index("CannonLeft")] = quat.from_axis_angle([1.0, 0, 0], 3.0)
    found = measured_skin(one, positions_of(one.skeleton, rotations, np.zeros((2, 3))), rotations)
    assert found.inverted[0] == 0 and found.inverted[1] > 0
    np.testing.assert_allclose([found.stretch[0], found.shrink[0]], 1, atol=1e-3)
    assert found.shrink[1] < 0.35
    np.testing.assert_allclose(found.volumes[0], 1, atol=1e-4)


@pytest.mark.parametrize("level", LEVELS)
def test_gaits_turns_and_leap_keep_the_skin_within_its_bounds(level: str) -> None:
    """No face turns over, no edge is torn or crushed, no limb swells or withers."""
    one = skin("horse", level)
    for name, (positions, rotations) in rides().items():
        found = measured_skin(one, positions, rotations)
        assert found.inverted.max() == 0, name
        assert found.stretch.max() <= 2.2 and found.shrink.min() >= 0.35, name
        assert found.volumes.min() >= 0.85 and found.volumes.max() <= 1.15, name


def test_a_withered_limb_is_seen() -> None:
    """A gaskin that loses a third of its width fails the measure."""
    one = skin("horse", "medium")
    leg = one.skeleton.legs[2]
    rest = one.skeleton.rest_positions()
    along = rest[leg.low] - rest[leg.mid]
    share = (one.vertices - rest[leg.mid]) @ along / (along @ along)
    on_bone = rest[leg.mid] + share[:, None] * along
    thin = (share > 0) & (share < 1) & (np.linalg.norm(one.vertices - on_bone, axis=1) < 0.2)
    vertices = np.where(thin[:, None], on_bone + (one.vertices - on_bone) * 0.66, one.vertices)
    segments = bone_segments(one.skeleton, one.vertices.astype(np.float64), coat_faces(one))
    lower = next(segment for segment in segments if segment.name == "LH lower")
    whole = flesh(one.vertices.astype(np.float64)[lower.faces], lower.roots).sum()
    assert flesh(vertices[lower.faces], lower.roots).sum() < 0.6 * whole


def test_hair_is_named() -> None:
    assert set(HAIR) < set(skin().part_names)
