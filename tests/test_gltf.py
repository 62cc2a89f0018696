"""glTF in and out: round trips, an independent oracle, and every way of laying out the same motion."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from gltf_making import MOVES, TIMES, TURNS, Making, Oracle, puppet, unpack_glb
from hoofbeat import Command, Horse, Recorder
from hoofbeat.body import root
from hoofbeat.body.clip import Clip
from hoofbeat.body.pose import world_of
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import GltfError, GltfWarning
from hoofbeat.formats.gltf.reader.load import (
    parse_gltf,
    read_gltf,
    read_gltf_all,
    read_gltf_rest,
    read_gltf_skeleton,
)
from hoofbeat.formats.gltf.writer import save as gltf_write
from hoofbeat.formats.gltf.writer.save import format_glb, write_gltf


@pytest.fixture(scope="module")
def ride() -> Clip:
    """Six seconds from a stand into a turning trot, away from the origin."""
    horse = Horse(seed=3)
    recorder = Recorder(horse.skeleton)
    for k in range(360):
        recorder.add(horse.step(Command(speed=k / 90, turn=0.5 if k > 120 else 0.0), 1 / 60))
    return recorder.clip("ride")


def oracle_error(clip: Clip, oracle: Oracle, animation: int = 0, every: int = 7, start: float = 0.0) -> float:
    """Farthest distance between a clip's joints and the oracle's nodes of the same names."""
    nodes = [oracle.index(name) for name in clip.skeleton.names]
    found = [
        oracle.world(node, animation, start + t / clip.fps)[:3, 3] - clip.positions[t, j]
        for t in range(0, len(clip), every)
        for j, node in enumerate(nodes)
    ]
    return float(np.abs(found).max())


def same_motion(a: Clip, b: Clip, within: float) -> None:
    assert a.skeleton.names == b.skeleton.names
    assert a.skeleton.parents.tolist() == b.skeleton.parents.tolist()
    assert a.skeleton.ends.tolist() == b.skeleton.ends.tolist()
    assert a.fps == b.fps
    np.testing.assert_allclose(a.skeleton.offsets, b.skeleton.offsets, rtol=0, atol=within)
    np.testing.assert_allclose(a.positions, b.positions, rtol=0, atol=within)


# What we write


def test_out_in_out_is_the_same_motion(ride: Clip, tmp_path: Path) -> None:
    first = read_gltf(write_gltf(ride, tmp_path / "a.glb"))
    again = read_gltf(write_gltf(first, tmp_path / "b.glb"))
    same_motion(ride, first, 1e-5)
    same_motion(first, again, 1e-6)
    assert first.name == again.name == "ride"


def test_the_track_contacts_and_gaits_come_back(ride: Clip) -> None:
    found = parse_gltf(format_glb(ride))
    np.testing.assert_allclose(found.extras["root"], ride.extras["root"], atol=1e-5)
    np.testing.assert_allclose(found.extras["yaw"], ride.extras["yaw"], atol=1e-6)
    assert found.contacts is not None and ride.contacts is not None
    assert (found.contacts == (ride.contacts > 0.5)).all()
    assert 0 < found.contacts.mean() < 1
    assert found.extras["gait"].tolist() == ride.extras["gait"].tolist()


def test_what_we_write_is_what_the_oracle_reads(ride: Clip) -> None:
    data = format_glb(ride)
    assert oracle_error(ride, Oracle(data), every=97) < 1e-5


def test_node_tree_and_skin(ride: Clip) -> None:
    doc, _ = unpack_glb(format_glb(ride))
    nodes = doc["nodes"]
    assert [nodes[j]["name"] for j in doc["skins"][0]["joints"]] == list(ride.skeleton.joints)
    assert len(doc["skins"][0]["joints"]) == 49
    assert nodes[0]["name"] == "Root" and nodes[0]["children"] == [1]
    assert nodes[1]["name"] == ride.skeleton.names[0]
    assert doc["scenes"][0]["nodes"] == [0, len(nodes) - 1]
    assert doc["asset"]["generator"].startswith("hoofbeat")


def test_bind_pose_is_the_rest_pose(ride: Clip) -> None:
    """Joint times inverse bind matrix is the identity while nothing plays, so the mesh is undeformed."""
    oracle = Oracle(format_glb(ride))
    oracle.doc["animations"].append({"channels": [], "samplers": []})
    skin = oracle.doc["skins"][0]
    inverses = oracle.values(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
    for joint, inverse in zip(skin["joints"], inverses, strict=True):
        np.testing.assert_allclose(oracle.world(joint, -1, 0.0) @ inverse, np.eye(4), atol=1e-6)


def test_the_body_surrounds_the_bones(ride: Clip) -> None:
    """Skinned by hand at one frame, the mesh reaches as far as the joints do, and no farther than a bit."""
    oracle = Oracle(format_glb(ride))
    attributes = oracle.doc["meshes"][0]["primitives"][0]["attributes"]
    points = oracle.values(attributes["POSITION"])
    carriers = oracle.values(attributes["JOINTS_0"])[:, 0].astype(int)
    assert (oracle.values(attributes["WEIGHTS_0"]) == [1, 0, 0, 0]).all()
    lengths = np.linalg.norm(oracle.values(attributes["NORMAL"]), axis=1)
    np.testing.assert_allclose(lengths, 1, atol=1e-6)
    skin = oracle.doc["skins"][0]
    inverses = oracle.values(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
    frame = 300
    matrices = np.array(
        [oracle.world(j, 0, frame / 60) @ m for j, m in zip(skin["joints"], inverses, strict=True)]
    )
    ones = np.ones((len(points), 1))
    skinned = np.einsum("vij,vj->vi", matrices[carriers], np.hstack([points, ones]))[:, :3]
    joints = ride.positions[frame]
    assert np.abs(skinned.min(axis=0) - joints.min(axis=0)).max() < 0.1
    assert np.abs(skinned.max(axis=0) - joints.max(axis=0)).max() < 0.1


def test_neighbouring_keys_lie_in_one_half_space(ride: Clip) -> None:
    """Programs that interpolate component by component would otherwise show a jump."""
    flipped = np.array(ride.rotations)
    flipped[1::2] *= -1
    oracle = Oracle(format_glb(Clip(ride.skeleton, flipped, ride.origins, 60.0)))
    found = oracle.doc["animations"][0]
    for channel in found["channels"]:
        if channel["target"]["path"] == "rotation":
            keys = oracle.values(found["samplers"][channel["sampler"]]["output"])
            assert (np.sum(keys[1:] * keys[:-1], axis=1) > 0).all()


def test_in_place(ride: Clip) -> None:
    data = format_glb(ride, in_place=True)
    assert all(c["target"]["node"] != 0 for c in unpack_glb(data)[0]["animations"][0]["channels"])
    found = parse_gltf(data)
    same_motion(root.in_place(ride), found, 1e-5)
    assert "root" not in found.extras
    assert format_glb(root.in_place(ride)) == data  # a clip that is in place already has no way to write


def test_root_motion_is_split(ride: Clip) -> None:
    """Root carries the track, and the root joint stays within a stride of it."""
    oracle = Oracle(format_glb(ride))
    track = root.track_of(ride)
    for frame in (0, 100, 359):
        matrix = oracle.world(0, 0, frame / 60)
        np.testing.assert_allclose(matrix[:3, 3], track.positions[frame], atol=1e-5)
        turned = Rotation.from_rotvec([0, track.yaw[frame], 0]).as_matrix()
        np.testing.assert_allclose(matrix[:3, :3], turned, atol=1e-6)
    last = oracle.doc["animations"][0]
    output = next(
        last["samplers"][c["sampler"]]["output"]
        for c in last["channels"]
        if c["target"] == {"node": 1, "path": "translation"}
    )
    assert np.linalg.norm(track.positions[-1]) > 5
    assert np.linalg.norm(oracle.values(output)[:, [0, 2]], axis=1).max() < 1.5


def test_many_clips_in_one_file(ride: Clip, tmp_path: Path) -> None:
    slow = Clip(ride.skeleton, ride.rotations[:90], ride.origins[:90], 30.0, name="slow")
    still = Clip(ride.skeleton, ride.rotations[:1], ride.origins[:1], 60.0, name="ride")
    path = write_gltf([ride, slow, still], tmp_path / "many.glb")
    found = read_gltf_all(path)
    assert [clip.name for clip in found] == ["ride", "slow", "ride_2"]
    for wanted, clip in zip((ride, slow, still), found, strict=True):
        same_motion(wanted, clip, 1e-5)
    assert len({id(clip.skeleton) for clip in found}) == 1
    same_motion(read_gltf(path, clip="slow"), slow, 1e-5)
    same_motion(read_gltf(path, clip=2), still, 1e-5)


def test_another_skeleton_is_refused(ride: Clip, tmp_path: Path) -> None:
    other = Clip(ride.skeleton.scaled(1.1), ride.rotations, ride.origins, 60.0, name="big")
    with pytest.raises(GltfError, match="'big' has another skeleton than 'ride'"):
        write_gltf([ride, other], tmp_path / "two.glb")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("embed", [True, False])
def test_gltf_text_is_the_same_motion(ride: Clip, tmp_path: Path, embed: bool) -> None:
    path = write_gltf(ride, tmp_path / "my ride é.gltf", embed=embed)
    assert json.loads(path.read_text(encoding="utf-8"))["asset"]["version"] == "2.0"
    same_motion(ride, read_gltf(path), 1e-5)
    assert len(list(tmp_path.iterdir())) == (1 if embed else 2)


def test_a_new_bin_replaces_the_old_one(ride: Clip, tmp_path: Path) -> None:
    path = tmp_path / "ride.gltf"
    (tmp_path / "ride-other.bin").write_bytes(b"mine")
    write_gltf(ride, path, embed=False)
    short = Clip(ride.skeleton, ride.rotations[:9], ride.origins[:9], 60.0)
    write_gltf(short, path, embed=False)
    write_gltf(short, path, embed=False)
    assert len(list(tmp_path.iterdir())) == 3
    same_motion(short, read_gltf(path), 1e-5)


def test_an_interrupted_pair_leaves_the_old_one_whole(
    ride: Clip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The .bin is written, then the power fails: the old .gltf still finds its old numbers."""
    path = write_gltf(ride, tmp_path / "ride.gltf", embed=False)
    real, calls = Path.replace, []

    def replace(self: Path, target: Path) -> Path:
        calls.append(target)
        if target.suffix == ".gltf":
            raise OSError("power cut")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(GltfError, match="power cut"):
        write_gltf(root.in_place(ride), path, embed=False)
    assert len(calls) == 2
    monkeypatch.undo()
    same_motion(ride, read_gltf(path), 1e-5)


def test_binary_whatever_the_ending(ride: Clip, tmp_path: Path) -> None:
    assert write_gltf(ride, tmp_path / "a.model", binary=True).read_bytes()[:4] == b"glTF"
    assert write_gltf(ride, tmp_path / "b.glb", binary=False).read_bytes()[:1] == b"{"
    with pytest.raises(GltfError, match=r"'.model'; glTF is written as .glb or .gltf"):
        write_gltf(ride, tmp_path / "c.model")


def test_still_tracks_are_thinned(ride: Clip) -> None:
    """A clip that stands still costs next to nothing and still lasts as long."""
    rotations, origins = np.repeat(ride.rotations[:1], 3600, 0), np.repeat(ride.origins[:1], 3600, 0)
    still = Clip(ride.skeleton, rotations, origins, 60.0)
    data = format_glb(still, mesh=False)
    assert len(data) < 40_000
    same_motion(still, parse_gltf(data), 1e-5)


def test_a_clip_without_frames_or_no_clip(ride: Clip) -> None:
    empty = Clip(ride.skeleton, np.zeros((0, 55, 4)), np.zeros((0, 3)), 60.0)
    with pytest.raises(GltfError, match="no frames"):
        format_glb(empty)
    with pytest.raises(GltfError, match="no clip was given"):
        format_glb([])


def test_limits_of_a_file(ride: Clip, monkeypatch: pytest.MonkeyPatch) -> None:
    times = (np.arange(gltf_write.MAX_FRAMES) / 9.7).astype(np.float32)
    assert (np.diff(times) > 0).all()
    far = Clip(ride.skeleton, ride.rotations[:1], [[2e9, 0, 0]], 60.0)
    with pytest.raises(GltfError, match="beyond 1e.09 m"):
        format_glb(far)
    monkeypatch.setattr(gltf_write, "MAX_FRAMES", 359)
    with pytest.raises(GltfError, match="'ride' has 360 frames, 359 can be written"):
        format_glb(ride)
    monkeypatch.undo()
    monkeypatch.setattr(gltf_write, "MAX_DATA", 1000)
    with pytest.raises(GltfError, match="do not fit one file"):
        format_glb(ride)


def test_names_stay_unique_beside_root_and_body() -> None:
    skeleton = Skeleton(["Root", "Body", "a b", "a\tb"], [-1, 0, 0, 0], np.eye(4)[:, :3])
    clip = Clip(skeleton, np.tile([0.0, 0, 0, 1], (2, 4, 1)), np.zeros((2, 3)), 10.0)
    names = [node["name"] for node in unpack_glb(format_glb(clip))[0]["nodes"]]
    assert names == ["Root_2", "Root", "Body", "a b", "a_b", "Body_2"]
    found = parse_gltf(format_glb(clip))
    assert found.skeleton.names == ("Root", "Body", "a b", "a_b")


def test_a_minute_takes_less_than_half_a_second(ride: Clip, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    turns = Rotation.from_rotvec(np.cumsum(rng.normal(0, 0.02, (3600 * 55, 3)), axis=0)).as_quat()
    rotations = turns.reshape(3600, 55, 4)
    minute = Clip(ride.skeleton, rotations, rng.normal(0, 1, (3600, 3)), 60.0)
    took: list[float] = []
    for _ in range(3):
        start = time.perf_counter()
        write_gltf(minute, tmp_path / "minute.glb")
        took.append(time.perf_counter() - start)
    assert min(took) < 0.5


@st.composite
def clips(draw: st.DrawFn) -> Clip:
    """Any small tree, turning wildly; ends are leaves."""
    count = draw(st.integers(1, 7))
    parents = [-1, *(draw(st.integers(0, j - 1)) for j in range(1, count))]
    ends = [j > 0 and j not in parents and draw(st.booleans()) for j in range(count)]
    number = st.floats(-3, 3, width=32)
    offsets = draw(st.lists(st.tuples(number, number, number), min_size=count, max_size=count))
    frames = draw(st.integers(1, 5))
    seed = draw(st.integers(0, 1000))
    rng = np.random.default_rng(seed)
    rotations = rng.normal(size=(frames, count, 4))
    rotations[:, ends] = [0, 0, 0, 1]
    rotations /= np.linalg.norm(rotations, axis=2, keepdims=True)
    skeleton = Skeleton([f"j{j}" for j in range(count)], parents, offsets, ends)
    fps = draw(st.sampled_from([1.0, 23.976, 30.0, 60.0, 120.0]))
    return Clip(skeleton, rotations, rng.normal(0, 20, (frames, 3)), fps)


@given(clips(), st.booleans(), st.booleans())
def test_any_clip_comes_back(clip: Clip, stay: bool, mesh: bool) -> None:
    data = format_glb(clip, in_place=stay, mesh=mesh)
    same_motion(root.in_place(clip) if stay else clip, parse_gltf(data), 1e-4)


# What others write


@pytest.mark.parametrize("form", ["glb", "gltf"])
def test_puppet_equals_the_oracle(form: str) -> None:
    data = puppet().glb() if form == "glb" else puppet().gltf()
    clip = parse_gltf(data)
    assert clip.skeleton.names == ("Hips", "Knee", "Foot", "Knee_tip")
    assert clip.skeleton.ends.tolist() == [False, False, False, True]
    assert clip.fps == 60.0 and len(clip) == 61
    assert oracle_error(clip, Oracle(data)) < 1e-6


def test_other_frame_rates_are_the_same_motion(tmp_path: Path) -> None:
    path = puppet().save(tmp_path / "p.glb")
    for fps in (7.0, 24.0, 59.94, 240.0):
        clip = read_gltf(path, fps=fps)
        assert clip.fps == fps
        assert oracle_error(clip, Oracle(path.read_bytes())) < 1e-6


def varied(make: Callable[[Making], None]) -> Making:
    """The puppet with its animation replaced."""
    making = puppet()
    making.doc["animations"] = []
    make(making)
    return making


def test_step_keys() -> None:
    def make(making: Making) -> None:
        times = making.accessor(TIMES)
        making.animate("a", (1, "rotation", times, making.accessor(TURNS), "STEP"))

    data = varied(make).glb()
    clip = parse_gltf(data)
    assert oracle_error(clip, Oracle(data), every=1) < 1e-6
    assert len(np.unique(clip.rotations[:, 0].round(6), axis=0)) == 3


def test_cubic_keys() -> None:
    rng = np.random.default_rng(4)

    def make(making: Making) -> None:
        times = making.accessor(TIMES)
        moves = np.stack([rng.normal(size=(3, 3)), MOVES, rng.normal(size=(3, 3))], axis=1).reshape(9, 3)
        turns = np.stack([rng.normal(size=(3, 4)), TURNS, rng.normal(size=(3, 4))], axis=1).reshape(9, 4)
        making.animate(
            "a",
            (1, "translation", times, making.accessor(moves), "CUBICSPLINE"),
            (2, "rotation", times, making.accessor(turns), "CUBICSPLINE"),
        )

    data = varied(make).glb()
    clip = parse_gltf(data)
    assert oracle_error(clip, Oracle(data), every=1) < 1e-6
    np.testing.assert_allclose(clip.origins[30], MOVES[1], atol=1e-6)  # it passes through its keys


@pytest.mark.parametrize("code", ["i1", "u1", "i2", "u2"])
def test_normalised_integers(code: str) -> None:
    largest = np.iinfo(code).max
    turns = np.abs(TURNS) if code[0] == "u" else TURNS
    rounded = np.rint(turns * largest)

    def make(making: Making) -> None:
        output = making.accessor(rounded, code, normalized=True)
        making.animate("a", (2, "rotation", making.accessor(TIMES), output, "LINEAR"))

    data = varied(make).glb()
    assert oracle_error(parse_gltf(data), Oracle(data)) < 1e-6


def test_strided_and_sparse_accessors() -> None:
    def make(making: Making) -> None:
        times = making.accessor(TIMES, stride=12)
        making.animate(
            "a",
            (1, "translation", times, making.sparse(MOVES), "LINEAR"),
            (2, "rotation", times, making.accessor(TURNS, stride=28), "LINEAR"),
        )

    plain = varied(
        lambda m: m.animate(
            "a",
            (1, "translation", t := m.accessor(TIMES), m.accessor(MOVES), "LINEAR"),
            (2, "rotation", t, m.accessor(TURNS), "LINEAR"),
        )
    )
    np.testing.assert_array_equal(parse_gltf(varied(make).glb()).positions, parse_gltf(plain.glb()).positions)


def test_sparse_rows_go_where_they_belong() -> None:
    moves = [[0, 0, 0], [1, 2, 3], [0, 0, 0]]
    data = varied(
        lambda m: m.animate("a", (1, "translation", m.accessor(TIMES), m.sparse(moves), "LINEAR"))
    ).glb()
    np.testing.assert_allclose(parse_gltf(data).origins[[0, 30, 60]], moves, atol=1e-6)


def test_external_buffer(tmp_path: Path) -> None:
    making = puppet()
    path = making.save(tmp_path / "p.gltf")
    same_motion(read_gltf(path), parse_gltf(making.glb()), 0)
    (tmp_path / "parts").mkdir()
    (tmp_path / "p.bin").rename(tmp_path / "parts" / "a b.bin")
    path.write_text(json.dumps(making.json("parts/a%20b.bin")))
    same_motion(read_gltf(path), parse_gltf(making.glb()), 0)


def test_armature_in_centimetres_and_z_up() -> None:
    """As Blender and FBX converters leave it: an armature turned by a quarter, a hundredth in size."""
    half = float(np.sqrt(0.5))
    armature = {
        "rotation": [-half, 0.0, 0.0, half],
        "scale": [0.01, 0.01, 0.01],
        "translation": [1.0, 2.0, 3.0],
    }
    data = puppet(nodes={0: armature}).glb()
    clip = parse_gltf(data)
    assert oracle_error(clip, Oracle(data)) < 1e-7
    assert np.linalg.norm(clip.skeleton.offsets[2]) == pytest.approx(0.005)


def test_a_scene_node_above_the_armature() -> None:
    making = puppet(
        nodes={0: {"scale": [0.5] * 3, "translation": [1.0, 2.0, 3.0], "rotation": [0, 0.6, 0, 0.8]}}
    )
    making.doc["nodes"].append(
        {"name": "Scene", "children": [0], "scale": [3] * 3, "rotation": [0.8, 0, 0, 0.6]}
    )
    assert oracle_error(parse_gltf(making.glb()), Oracle(making.glb())) < 1e-6


def test_armature_as_a_matrix() -> None:
    turn = Rotation.from_euler("xyz", [20, 30, 40], degrees=True).as_matrix() * 2.5
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = turn, [1, 2, 3]
    data = puppet(nodes={0: {"matrix": matrix.T.ravel().tolist()}}).glb()
    assert oracle_error(parse_gltf(data), Oracle(data)) < 1e-6


def test_animated_armature() -> None:
    def make(making: Making) -> None:
        times = making.accessor(TIMES)
        making.animate(
            "a",
            (0, "translation", times, making.accessor(MOVES * 5), "LINEAR"),
            (0, "rotation", times, making.accessor(TURNS), "LINEAR"),
            (1, "rotation", times, making.accessor(TURNS[::-1]), "LINEAR"),
        )

    data = varied(make).glb()
    assert oracle_error(parse_gltf(data), Oracle(data)) < 1e-6


def test_scaled_joints() -> None:
    data = puppet(
        nodes={1: {"scale": [2, 2, 2]}, 2: {"scale": [0.5, 0.5, 0.5]}, 3: {"scale": [9, 1, 1]}}
    ).glb()
    assert oracle_error(parse_gltf(data), Oracle(data)) < 1e-6


def test_uneven_and_changing_scales_warn() -> None:
    with pytest.warns(GltfWarning, match="scale of Knee differs by axis; its geometric mean"):
        parse_gltf(puppet(nodes={2: {"scale": [1, 2, 1]}}).glb())

    def make(making: Making) -> None:
        scales = making.accessor([[1, 1, 1], [2, 2, 2], [3, 3, 3]])
        making.animate("a", (2, "scale", making.accessor(TIMES), scales, "LINEAR"))

    with pytest.warns(GltfWarning, match="scale of Knee changes"):
        clip = parse_gltf(varied(make).glb())
    assert np.linalg.norm(clip.skeleton.offsets[2]) == pytest.approx(1.0)


@pytest.mark.parametrize("node", [0, 1])
def test_mirrored_joints_are_refused(node: int) -> None:
    with pytest.raises(GltfError, match=rf"nodes\[{node}\].scale: .* is mirrored"):
        parse_gltf(puppet(nodes={node: {"scale": [-1, 1, 1]}}).glb())
    mirror = [-1.0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    with pytest.raises(GltfError, match="mirrored"):
        parse_gltf(puppet(nodes={0: {"matrix": mirror}}).glb())


def test_unnamed_and_repeated_names() -> None:
    making = puppet(nodes={2: {"name": ""}, 3: {"name": "Hips"}, 4: {"name": "Hips"}})
    del making.doc["nodes"][1]["name"]
    assert parse_gltf(making.glb()).skeleton.names == ("node_1", "node_2", "Hips", "Hips_2")


def test_z_up_files() -> None:
    """A file whose world is Z up and looks along -Y, against the same file put upright by its armature."""
    half = float(np.sqrt(0.5))
    upright = puppet(nodes={0: {"rotation": [-half, 0.0, 0.0, half]}})
    wanted, data = parse_gltf(upright.glb()), puppet().glb()
    path_axes = {"up": "z"}, {"up": "z", "forward": "-y"}, {"up": "+Z", "forward": "-Y"}
    for axes in path_axes:
        np.testing.assert_allclose(_read(data, **axes).positions, wanted.positions, atol=1e-9)


@pytest.mark.parametrize(("up", "forward"), [("y", "-z"), ("y", "x"), ("-x", "y"), ("z", "x")])
def test_axes_go_where_they_should(up: str, forward: str) -> None:
    plain, turned = parse_gltf(puppet().glb()), _read(puppet().glb(), up=up, forward=forward)

    def axis(text: str) -> Any:
        return np.eye(3)["xyz".index(text[-1])] * (-1 if text[0] == "-" else 1)

    left = np.cross(axis(up), axis(forward))
    wanted = np.stack(
        [plain.positions @ left, plain.positions @ axis(up), plain.positions @ axis(forward)], 2
    )
    np.testing.assert_allclose(turned.positions, wanted, atol=1e-9)


def _read(data: bytes, **how: Any) -> Clip:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.glb").write_bytes(data)
        return read_gltf(Path(folder) / "a.glb", **how)


def test_wrong_options() -> None:
    data = puppet().glb()
    for how, message in (
        ({"up": "y", "forward": "-y"}, "lie along one axis"),
        ({"up": "north"}, "an axis is x, y or z"),
        ({"up": ""}, "an axis is x, y or z"),
        ({"scale": -1.0}, "scale must be a positive number"),
        ({"scale": "big"}, "scale must be a positive number"),
        ({"fps": 0.0}, "fps must be in"),
        ({"fps": float("nan")}, "fps must be in"),
        ({"clip": "bent"}, "unknown animation 'bent'; did you mean 'bend'. Known: bend"),
        ({"clip": 1}, "no animation number 1; the file has 1"),
        ({"skin": "x"}, "unknown skin 'x' Known: skin_0"),
        ({"root": "Knees"}, "unknown root 'Knees'; did you mean 'Knee'"),
    ):
        with pytest.raises(GltfError, match=message):
            _read(data, **how)


def test_scale() -> None:
    metres, plain = _read(puppet().glb(), scale=0.01), parse_gltf(puppet().glb())
    np.testing.assert_allclose(metres.positions, plain.positions * 0.01)
    np.testing.assert_allclose(metres.skeleton.offsets, plain.skeleton.offsets * 0.01)
    for unit in (1.0, 100.0, 1000.0):  # the puppet three times its size, 3 m tall
        making = puppet(nodes={0: {"scale": [3 * unit] * 3}})
        found = _read(making.glb(), scale="auto")
        np.testing.assert_allclose(found.positions, 3 * plain.positions, rtol=1e-9, atol=1e-12)


def test_the_largest_skin_or_the_one_named() -> None:
    making = puppet(skins=[{"name": "toe", "joints": [3]}, {"name": "all", "joints": [1, 2, 3]}])
    assert len(parse_gltf(making.glb()).skeleton) == 4
    assert _read(making.glb(), skin="toe").skeleton.names == ("Foot",)


def test_without_a_skin_the_animated_nodes_are_the_skeleton() -> None:
    making = puppet()
    del making.doc["skins"]
    clip = parse_gltf(making.glb())
    assert clip.skeleton.names == ("Hips", "Knee", "Foot", "Knee_tip")
    assert clip.skeleton.ends.tolist() == [False, False, True, True]
    assert oracle_error(clip, Oracle(making.glb())) < 1e-6
    making.doc["animations"][0]["channels"][2]["target"]["node"] = 3  # what turns is no end site
    assert parse_gltf(making.glb()).skeleton.ends.tolist() == [False, False, False, True]


def test_without_animations_the_rest_pose_is_one_frame(tmp_path: Path) -> None:
    making = puppet()
    del making.doc["animations"]
    path = making.save(tmp_path / "still.glb")
    clip = read_gltf(path)
    assert len(clip) == 1 and clip.name == "still"
    assert read_gltf_all(path) == []
    oracle = Oracle(making.glb())
    oracle.doc["animations"] = [{"channels": []}]
    assert oracle_error(clip, oracle) < 1e-9
    same_motion(clip, read_gltf_rest(path), 0)
    assert read_gltf_skeleton(path).names == clip.skeleton.names


def test_keys_that_begin_late() -> None:
    """The clip begins with the first key: nobody wants the frames before it."""

    def make(making: Making) -> None:
        making.animate(
            "a", (1, "rotation", making.accessor([4.0, 4.5, 5.0]), making.accessor(TURNS), "LINEAR")
        )

    data = varied(make).glb()
    clip = parse_gltf(data)
    assert len(clip) == 61
    assert oracle_error(clip, Oracle(data), start=4.0) < 1e-5


def test_the_body_joint_may_be_below_the_root() -> None:
    """Root, then a body joint that moves: the origin follows, and body and limbs are exact."""
    nodes: list[dict[str, Any]] = [
        {"name": "root", "children": [1]},
        {"name": "turn", "children": [2], "rotation": [0.6, 0, 0, 0.8], "translation": [0, 0.5, 0]},
        {"name": "body", "children": list(range(3, 15)), "translation": [0, 1, 0]},
        *({"name": f"limb{k}", "translation": [k, 0, 1]} for k in range(12)),
    ]
    making = Making(nodes=nodes, skins=[{"joints": list(range(15))}])
    times = making.accessor(TIMES)
    making.animate(
        "a",
        (2, "translation", times, making.accessor(MOVES), "LINEAR"),
        (2, "rotation", times, making.accessor(TURNS), "LINEAR"),
    )
    clip, oracle = parse_gltf(making.glb()), Oracle(making.glb())
    for name in ("body", "limb0", "limb11"):
        matrix = oracle.world(oracle.index(name), 0, 0.25)
        np.testing.assert_allclose(clip.positions[15, clip.skeleton.index(name)], matrix[:3, 3], atol=1e-6)
    making.doc["nodes"].append({"name": "ik", "translation": [1, 0, 0]})
    making.doc["nodes"][0]["children"].append(15)
    making.doc["skins"][0]["joints"].append(15)
    with pytest.warns(GltfWarning, match="root follows body, so ik move along .root='body' omits them"):
        parse_gltf(making.glb())
    assert oracle_error(_read(making.glb(), root="body"), oracle) < 1e-6


def test_stretching_joints_warn_and_keep_their_mean() -> None:
    def make(making: Making) -> None:
        moves = [[0, -0.5, 0], [0, -0.7, 0], [0, -0.9, 0]]
        making.animate("a", (3, "translation", making.accessor(TIMES), making.accessor(moves), "LINEAR"))

    with pytest.warns(GltfWarning, match="a: Foot move against their parents"):
        clip = parse_gltf(varied(make).glb())
    np.testing.assert_allclose(clip.skeleton.offsets[2], [0, -0.7, 0], atol=1e-6)


def test_constant_translations_replace_the_rest_pose() -> None:
    def make(making: Making) -> None:
        moves = making.accessor([[0, -0.75, 0.0]] * 3)
        making.animate("a", (3, "translation", making.accessor(TIMES), moves, "LINEAR"))

    clip = parse_gltf(varied(make).glb())
    np.testing.assert_allclose(clip.skeleton.offsets[2], [0, -0.75, 0], atol=1e-6)


def test_bones_that_differ_between_animations(tmp_path: Path) -> None:
    making = puppet()
    for length in (0.5, 1.0):
        moves = making.accessor([[0, -length, 0.0]] * 3)
        making.animate("a", (3, "translation", making.accessor(TIMES), moves, "LINEAR"))
    del making.doc["animations"][0]
    path = making.save(tmp_path / "a.glb")
    assert read_gltf(path, clip="a_2").skeleton.offsets[2, 1] == -1
    with pytest.warns(GltfWarning, match="the bones to Foot differ between animations"):
        found = read_gltf_all(path)
    assert [clip.skeleton.offsets[2, 1] for clip in found] == [-0.75, -0.75]
    write_gltf(found, tmp_path / "b.glb")


def test_unneeded_extensions_are_passed_over() -> None:
    extra = {
        "extensionsUsed": ["KHR_lights_punctual", "EXT_something"],
        "extensions": {"KHR_lights_punctual": {"lights": []}},
        "extensionsRequired": ["KHR_materials_unlit"],
        "cameras": [{"type": "perspective"}],
    }
    making = puppet(**extra)
    pointer: dict[str, Any] = {"sampler": 0, "target": {"path": "pointer", "extensions": {}}}
    morph: dict[str, Any] = {"sampler": 0, "target": {"node": 0, "path": "weights"}}
    making.doc["animations"][0]["channels"] += [pointer, morph]
    same_motion(parse_gltf(making.glb()), parse_gltf(puppet().glb()), 0)


def test_notes_of_others_do_no_harm() -> None:
    plain = parse_gltf(puppet().glb())
    for note in (
        None,
        [],
        "x",
        {"hoofbeat": 3},
        {"hoofbeat": {"fps": "fast"}},
        {"hoofbeat": {"fps": 60, "frames": -1}},
        {"hoofbeat": {"fps": 60, "frames": 61, "contacts": {"LF": [[3, 1]]}, "gait": [["trot", 0]]}},
        {"hoofbeat": {"fps": 60, "frames": 61, "contacts": [1], "gait": {"a": 1}}},
    ):
        making = puppet()
        making.doc["animations"][0]["extras"] = note
        making.doc["nodes"][1]["extras"] = {"hoofbeat_offset": ["a", 1, 2], "hoofbeat_role": []}
        found = parse_gltf(making.glb())
        same_motion(found, plain, 0)
        assert found.contacts is None and not found.extras


# Files nobody here made


@pytest.mark.data
def test_the_fox(data_dir: Path, tmp_path: Path) -> None:
    path = data_dir / "gltf" / "Fox.glb"
    oracle = Oracle(path.read_bytes())
    found = read_gltf_all(path, fps=24.0)
    assert [clip.name for clip in found] == ["Survey", "Walk", "Run"]
    assert [len(clip.skeleton) for clip in found] == [24, 24, 24]
    body = [j for j, name in enumerate(found[0].skeleton.names) if name not in ("_rootJoint", "b_Root_00")]
    for number, clip in enumerate(found):
        for t in range(0, len(clip), 9):
            for j in body:
                node = oracle.index(clip.skeleton.names[j])
                wanted = oracle.world(node, number, t / 24)[:3, 3]
                assert np.abs(clip.positions[t, j] - wanted).max() < 1e-4  # of a file unit, a centimetre
    metres = read_gltf(path, clip="Walk", fps=24.0, scale="auto")
    np.testing.assert_allclose(metres.positions, found[1].positions * 0.01)
    again = read_gltf_all(write_gltf(found, tmp_path / "fox.glb"))
    for clip, other in zip(found, again, strict=True):
        same_motion(clip, other, 1e-3)


@pytest.mark.data
def test_the_horse_of_three_js(data_dir: Path, tmp_path: Path) -> None:
    path = data_dir / "gltf" / "threejs-horse" / "Horse.gltf"
    oracle = Oracle(path.read_bytes(), path.parent)
    with warnings.catch_warnings():
        warnings.simplefilter("error", GltfWarning)
        idle = read_gltf(path, clip="Idle", root="Body")
    assert len(idle.skeleton) == 23
    assert oracle_error(idle, oracle, 4, every=50) < 1e-4
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = read_gltf_all(path)
    told = [str(warning.message) for warning in caught]
    assert any(
        "Jump: FrontLeg.R, BackLeg.R" in text and "move against their parents" in text for text in told
    )
    assert any("differ between animations; their mean is used" in text for text in told)
    assert len(read_gltf_all(write_gltf(found, tmp_path / "again.glb"))) == 5
    assert [clip.name for clip in found] == ["Jump", "WalkSlow", "Death", "Walk", "Idle"]
    for number, clip in enumerate(found):
        assert len(clip.skeleton) == 28
        _, turns = world_of(clip.skeleton, clip.rotations, clip.origins)
        body = clip.skeleton.index("Body")
        for t in range(0, len(clip), 41):
            place = oracle.world(oracle.index("Body"), number, t / 60)[:3, 3]
            assert np.abs(clip.positions[t, body] - place).max() < 1e-4
            for j, name in enumerate(clip.skeleton.names):
                wanted = oracle.world(oracle.index(name), number, t / 60)[:3, :3]
                found_turn = Rotation.from_quat(turns[t, j]).as_matrix()
                assert np.abs(wanted - found_turn).max() < 1e-3  # the file's scales differ from 1 by rounding
