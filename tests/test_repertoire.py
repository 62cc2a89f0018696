"""The repertoire: loops close, changes join loops, clips in place share their motion, files hold the skin."""

from __future__ import annotations

import json
import struct
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hoofbeat.body.clip import Clip, methods_of
from hoofbeat.body.mesh.shipped import dress_of
from hoofbeat.body.mesh.skin import skinned
from hoofbeat.body.root import TRAVEL, in_place, track_of
from hoofbeat.errors import ClipError, GltfError, UsdError
from hoofbeat.export import load_all, save, save_all
from hoofbeat.formats.bvh.reader import read_bvh
from hoofbeat.formats.gltf.writer.mesh import WHOLE, joints_and_weights
from hoofbeat.formats.gltf.writer.save import write_gltf
from hoofbeat.formats.usd.save import write_usd
from hoofbeat.maths import quat
from hoofbeat.offline.repertoire import (
    AUTHORED,
    CHANGES,
    IN_PLACE,
    LOOPS,
    RIDER,
    loops,
    repertoire,
    with_in_place,
)
from hoofbeat.synthesis import STAND

NAMES = [loop.name for loop in LOOPS]


@cache
def clips() -> dict[str, Clip]:
    return {clip.name: clip for clip in repertoire()}


def test_every_gait_idle_leaps_and_changes_are_there() -> None:
    found = clips()
    pairs = [f"{a}-to-{b}" for one in CHANGES for a, b in (one, one[::-1])]
    assert list(found) == ["idle", *NAMES, *pairs, "leap-left", "leap-right"]
    gaits = {str(gait) for name in NAMES for gait in found[name].extras["gait"]}
    assert gaits == {
        "walk",
        "amble",
        "trot",
        "rack",
        "canter-left",
        "canter-right",
        "gallop-left",
        "gallop-right",
    }
    assert len({clip.skeleton.names for clip in found.values()}) == 1


def test_every_clip_names_what_made_it(tmp_path: Path) -> None:
    found = with_in_place(list(clips().values()))
    for clip in found:
        assert methods_of(clip) == ((AUTHORED,) if clip.name.startswith("leap") else (RIDER,)), clip.name
    path = tmp_path / "horse.glb"
    write_gltf(found, path)
    assert {clip.name: methods_of(clip) for clip in load_all(path)} == {
        clip.name: methods_of(clip) for clip in found
    }


@pytest.mark.parametrize("name", ["idle", *NAMES])
def test_loops_close_without_a_seam(name: str) -> None:
    clip = clips()[name]
    assert loops(clip)
    still = in_place(clip)
    np.testing.assert_allclose(
        np.abs(np.sum(still.rotations[0] * still.rotations[-1], axis=-1)), 1, atol=1e-9
    )
    # What a player shows over the seam is no rougher than inside the stride.
    path = np.concatenate([still.positions[:-1], still.positions[:3]])
    bends = np.abs(np.diff(path, 2, axis=0)).max(axis=(1, 2))
    assert bends[-3:].max() <= 1.15 * bends[:-3].max()


@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.name)
def test_a_stride_goes_as_fast_as_it_should(loop: Any) -> None:
    clip = clips()[loop.name]
    way = track_of(clip)
    seconds = (len(clip) - 1) / clip.fps
    length = float(np.linalg.norm(np.diff(way.positions, axis=0), axis=1).sum())
    assert length / seconds == pytest.approx(loop.speed, rel=0.04)
    np.testing.assert_allclose(way.positions[0], 0, atol=1e-9)
    assert way.yaw[-1] / seconds == pytest.approx(loop.turn, abs=0.03 + 0.1 * abs(loop.turn))
    if not loop.turn:
        np.testing.assert_allclose(way.positions[-1, 0], 0, atol=1e-9)


@pytest.mark.parametrize(("before", "after"), [pair for a, b in CHANGES for pair in ((a, b), (b, a))])
def test_changes_join_what_they_change_between(before: str, after: str) -> None:
    change, found = in_place(clips()[f"{before}-to-{after}"]), clips()
    for row, name in ((0, before), (-1, after)):
        if name == STAND:
            continue
        other = in_place(found[name])
        np.testing.assert_allclose(change.positions[row], other.positions[0], atol=1e-6)
    # No jump inside either: no joint turns faster than the faster of the two gaits allows, and some more.
    turns = np.linalg.norm(np.diff(change.positions, axis=0), axis=-1).max()
    usual = max(
        np.linalg.norm(np.diff(in_place(found[name]).positions, axis=0), axis=-1).max()
        for name in (before, after)
        if name != STAND
    )
    assert turns < 1.5 * usual


def test_changes_end_at_the_speed_of_the_loop() -> None:
    for a, b in CHANGES:
        for before, after in ((a, b), (b, a)):
            if STAND in (before, after):
                continue
            change = clips()[f"{before}-to-{after}"]
            loop = next(loop for loop in LOOPS if loop.name == after)
            assert float(change.extras["speed"][-1]) == pytest.approx(loop.speed, rel=0.06)


def test_the_idle_horse_moves_its_neck_and_stands_still() -> None:
    clip = clips()["idle"]
    toes = [leg.toe for leg in clip.skeleton.legs]
    spread = np.ptp(clip.positions, axis=0)
    assert spread[toes].max() < 1e-9
    assert 0.01 < spread[clip.skeleton.index("Head_end")].max() < 0.3


def test_clips_in_place_follow_theirs() -> None:
    both = with_in_place(list(clips().values()))
    names = [clip.name for clip in both]
    assert "idle" in names and f"idle{IN_PLACE}" not in names
    assert names.count(f"trot{IN_PLACE}") == 1 and len(both) == 2 * len(clips()) - 1
    still = both[names.index(f"trot{IN_PLACE}")]
    assert TRAVEL in still.extras and np.ptp(still.origins[:, 2]) < 0.2


def test_rates_are_held_to_what_makes_sense() -> None:
    with pytest.raises(ClipError, match="10 to 240"):
        repertoire(fps=1)


# ---- files ---------------------------------------------------------------------------------------------


def document(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    (length,) = struct.unpack_from("<I", data, 12)
    return json.loads(data[20 : 20 + length])


@cache
def few() -> list[Clip]:
    return with_in_place([clips()[name] for name in ("idle", "walk", "gallop-left")])


def test_a_file_of_all_is_small_and_comes_back(tmp_path: Path) -> None:
    path = save_all(with_in_place(list(clips().values())), tmp_path / "horse.glb", coat="grey")[0]
    assert path.stat().st_size < 5e6
    back = load_all(path)
    assert [clip.name for clip in back] == [clip.name for clip in with_in_place(list(clips().values()))]
    walk = next(clip for clip in back if clip.name == "walk")
    np.testing.assert_allclose(walk.positions, clips()["walk"].positions, atol=1e-4)
    still = next(clip for clip in back if clip.name == f"walk{IN_PLACE}")
    np.testing.assert_allclose(still.positions, in_place(clips()["walk"]).positions, atol=1e-4)
    assert document(path)["materials"][0]["name"] == "horse-grey"


def test_a_clip_in_place_costs_next_to_nothing(tmp_path: Path) -> None:
    plain = [clip for clip in few() if not clip.name.endswith(IN_PLACE)]
    with_both = save_all(few(), tmp_path / "both.glb")[0].stat().st_size
    alone = save_all(plain, tmp_path / "alone.glb")[0].stat().st_size
    assert with_both - alone < 30_000


def test_the_skin_in_a_glb_is_ours(tmp_path: Path) -> None:
    """Skinning the file's own arrays by its own matrices gives our skin's vertices."""
    clip = clips()["gallop-left"]
    path = save(clip, tmp_path / "a.glb", level="low")
    doc, data = document(path), path.read_bytes()
    start = 28 + struct.unpack_from("<I", data, 12)[0]
    kinds = {5121: "<u1", 5123: "<u2", 5126: "<f4"}
    sizes = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}

    def values(index: int) -> np.ndarray:
        accessor = doc["accessors"][index]
        view = doc["bufferViews"][accessor["bufferView"]]
        at = start + view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        count = accessor["count"] * sizes[accessor["type"]]
        found = np.frombuffer(data, kinds[accessor["componentType"]], count, at).astype(float)
        if accessor.get("normalized"):
            found /= np.iinfo(kinds[accessor["componentType"]][1:]).max
        return found.reshape(accessor["count"], -1)

    shape = doc["meshes"][0]["primitives"][0]
    points, weights = (values(shape["attributes"][key]) for key in ("POSITION", "WEIGHTS_0"))
    nodes = values(shape["attributes"]["JOINTS_0"]).astype(int)
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-9)
    joints = [node - 1 for node in doc["skins"][0]["joints"]]
    inverse = values(doc["skins"][0]["inverseBindMatrices"]).reshape(-1, 4, 4)[:, 3, :3]
    frame = 7
    turns = quat.identity((len(clip.skeleton),))
    for j, parent in enumerate(clip.skeleton.parents):
        own = clip.rotations[frame, j]
        turns[j] = own if parent < 0 else quat.mul(turns[parent], own)
    seen = np.zeros_like(points)
    for k in range(4):
        local = points + inverse[nodes[:, k]]
        at = np.array(joints)[nodes[:, k]]
        seen += weights[:, k : k + 1] * (quat.rotate(turns[at], local) + clip.positions[frame, at])
    skin = dress_of(clip.skeleton, "low")
    assert skin is not None
    ours, _ = skinned(skin, clip.skeleton, clip.positions[frame], clip.rotations[frame])
    assert np.abs(seen - ours).max() < 1e-4
    assert doc["accessors"][shape["indices"]]["count"] == skin.triangles.size


def test_levels_bones_and_skeletons_without_a_skin(tmp_path: Path) -> None:
    clip = clips()["walk"]
    sizes = [save(clip, tmp_path / f"{level}.glb", level=level).stat().st_size for level in
             ("bones", "low", "medium", "high")]  # fmt: skip
    assert sizes == sorted(sizes)
    assert document(tmp_path / "bones.glb")["meshes"][0]["name"] == "Bones"
    hand = read_bvh(Path(__file__).parent / "corpus" / "hand.bvh")
    assert document(save(hand, tmp_path / "hand.glb"))["meshes"][0]["name"] == "Bones"
    with pytest.raises(ClipError, match="no coat"):
        save(hand, tmp_path / "hand.glb", coat="grey")
    with pytest.raises(ClipError, match="cannot be wished of .bvh"):
        save(clip, tmp_path / "a.bvh", coat="grey")
    skin = dress_of(clip.skeleton)
    for write, error in ((write_gltf, GltfError), (write_usd, UsdError)):
        ending = ".glb" if write is write_gltf else ".usda"
        with pytest.raises(error):
            write(hand, tmp_path / f"no{ending}", skin=skin)
        pony = Clip(clip.skeleton.scaled(0.7), clip.rotations, clip.origins, 60.0)
        with pytest.raises(error, match="dress_of"):
            write(pony, tmp_path / f"no{ending}", skin=skin)


def test_weights_name_a_joint_once_and_add_up() -> None:
    skin = dress_of(clips()["walk"].skeleton, "medium")
    assert skin is not None
    joints = [j for j in range(len(skin.skeleton)) if not skin.skeleton.ends[j]]
    nodes, weights = joints_and_weights(skin, joints)
    assert (weights.sum(axis=1) == WHOLE).all() and weights.min() >= 0
    for k in range(4):
        for other in range(k):
            assert not (
                (nodes[:, k] == nodes[:, other]) & (weights[:, k] > 0) & (weights[:, other] > 0)
            ).any()


def test_usd_shares_the_motion_of_clips_in_place(tmp_path: Path) -> None:
    usd, skel = (pytest.importorskip(f"pxr.{name}") for name in ("Usd", "UsdSkel"))
    path = save_all(few(), tmp_path / "horse.usda", level="low", coat="black")[0]
    stage = usd.Stage.Open(str(path))
    chooser = stage.GetDefaultPrim().GetVariantSet("clip")
    assert set(chooser.GetVariantNames()) == {clip.name.replace("-", "_") for clip in few()}
    moving = [prim for prim in stage.Traverse() if prim.IsA(skel.Animation)]
    assert len(moving) == 3
    points = stage.GetPrimAtPath("/Horse/Root/Body/Skin").GetAttribute("points").Get()
    skin = dress_of(few()[0].skeleton, "low")
    assert skin is not None and len(points) == len(skin.vertices)
