"""Loose joints of a glTF (feet for inverse kinematics) are hung where they belong; all else is as it was."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from gltf_making import Making, Oracle, puppet
from hoofbeat import Command, Horse, Recorder
from hoofbeat.body.clip import Clip
from hoofbeat.body.pose import world_of
from hoofbeat.errors import GltfError, GltfWarning
from hoofbeat.formats.gltf.accessor import Accessors
from hoofbeat.formats.gltf.container import parse_container
from hoofbeat.formats.gltf.reader.detached import find_reparenting
from hoofbeat.formats.gltf.reader.load import read_gltf, read_gltf_all, read_gltf_rest, read_gltf_skeleton
from hoofbeat.formats.gltf.reader.local import sample_local
from hoofbeat.formats.gltf.reader.nodes import read_nodes
from hoofbeat.formats.gltf.reader.reparent import Reparenting, reparented
from hoofbeat.formats.gltf.reader.rig import ReadRig, find_rig
from hoofbeat.formats.gltf.reader.track import Animations
from hoofbeat.formats.gltf.writer.save import format_glb, write_gltf

Floats = NDArray[np.float64]
LEGS = ("LF", "RF", "LH", "RH")
#: A key for every frame at this rate, so that nothing is interpolated.
FPS, KEYS = 20.0, 41
TIMES = np.arange(KEYS) / FPS


@dataclass
class Rigged:
    """A rig under construction: nodes by name, and tracks of one animation as world or local values."""

    nodes: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    tracks: dict[str, dict[tuple[int, str], Floats]] = field(
        default_factory=dict[str, dict[tuple[int, str], Floats]]
    )

    def add(self, name: str, parent: int, translation: Any = (0, 0, 0), **more: Any) -> int:
        self.nodes.append({"name": name, "translation": [float(v) for v in translation], **more})
        index = len(self.nodes) - 1
        if parent >= 0:
            self.nodes[parent].setdefault("children", []).append(index)
        return index

    def index(self, name: str) -> int:
        return next(i for i, node in enumerate(self.nodes) if node["name"] == name)

    def making(self) -> Making:
        joints = [i for i, node in enumerate(self.nodes) if node["name"] != "Armature"]
        making = Making(nodes=self.nodes, skins=[{"joints": joints}], scenes=[{"nodes": [0]}])
        for name, tracks in self.tracks.items():
            times = making.accessor(TIMES)
            making.animate(
                name,
                *((node, path, times, making.accessor(v), "LINEAR") for (node, path), v in tracks.items()),
            )
        return making

    def save(self, path: Path) -> Path:
        return self.making().save(path)

    def world(self, animation: str, name: str, point: Any = (0, 0, 0)) -> tuple[Floats, Rotation]:
        """Where a point of a node is at every key, and the node's rotation, by an oracle of its own."""
        oracle = Oracle(self.making().glb())
        number = list(self.tracks).index(animation)
        matrices = np.array([oracle.world(self.index(name), number, t) for t in TIMES])
        scale = np.linalg.norm(matrices[:, :3, 0], axis=1)[:, None, None]
        places = matrices[:, :3, :3] @ np.array(point, float) + matrices[:, :3, 3]
        return places, Rotation.from_matrix(matrices[:, :3, :3] / scale)

    def put(self, animation: str, name: str, places: Floats, turns: Rotation | None = None) -> None:
        """Animate a node so that it is at world places (K, 3), and turned so."""
        index = self.index(name)
        parent = next(i for i, node in enumerate(self.nodes) if index in node.get("children", ()))
        oracle, number = Oracle(self.making().glb()), list(self.tracks).index(animation)
        above = np.array([oracle.world(parent, number, t) for t in TIMES])
        local = np.linalg.solve(above, np.concatenate([places, np.ones((KEYS, 1))], axis=1)[..., None])
        self.tracks[animation][index, "translation"] = np.asarray(local[:, :3, 0], np.float64)
        if turns is not None:
            scale = np.linalg.norm(above[:, :3, 0], axis=1)[:, None, None]
            turn = Rotation.from_matrix(above[:, :3, :3] / scale).inv() * turns
            self.tracks[animation][index, "rotation"] = turn.as_quat()


def waves(seed: int, size: float, mean: Any = (0, 0, 0)) -> Floats:
    """Smooth, periodic values (K, 3) about a mean."""
    rng = np.random.default_rng(seed)
    angle = 2 * np.pi * (TIMES[:, None] / TIMES[-1] + rng.uniform(size=3))
    return np.array(mean) + size * np.sin(angle)


def turned(seed: int, size: float) -> Floats:
    return Rotation.from_rotvec(waves(seed, size)).as_quat()


def horse(spine: int = 12, animations: tuple[str, ...] = ("walk",)) -> Rigged:
    """Feet that hang from the root and go where the lower legs reach; the body moves and turns.

    A scaled and turned armature, a root that turns, and scaled joints stand in the way.
    """
    rig = Rigged()
    quarter = [float(v) for v in Rotation.from_euler("x", -90, degrees=True).as_quat()]
    armature = rig.add("Armature", -1, (1, 2, 3), rotation=quarter, scale=[0.5] * 3)
    root = rig.add("root", armature, (0, 0, 1))
    for leg in LEGS:
        rig.add(f"{leg}_foot", root)
    body = rig.add("body", root, (0, 2, 0), scale=[1.25] * 3)
    for k in range(spine):
        rig.add(f"spine{k}", body, (0, 0.5, 0.25 * k - 1))
    for k, leg in enumerate(LEGS):
        upper = rig.add(f"{leg}_upper", body, (1 - 2 * (k % 2), 0, 2 - 4 * (k // 2)), scale=[0.8] * 3)
        rig.add(f"{leg}_lower", upper, (0, -1, 0))
    for number, name in enumerate(animations):
        tracks = rig.tracks[name] = {}
        tracks[root, "rotation"] = turned(10 * number, 0.2)
        tracks[body, "translation"] = waves(10 * number + 1, 0.2, (0, 2, 0))
        tracks[body, "rotation"] = turned(10 * number + 2, 0.1)
        for k, leg in enumerate(LEGS):
            tracks[rig.index(f"{leg}_upper"), "rotation"] = turned(10 * number + 20 + k, 0.4)
            tracks[rig.index(f"{leg}_lower"), "rotation"] = turned(10 * number + 30 + k, 0.4)
        put_feet(rig, name, 10 * number + 40)
    return rig


def put_feet(rig: Rigged, name: str, seed: int = 40) -> None:
    """The feet where the lower legs end, turning by themselves."""
    for k, leg in enumerate(LEGS):
        places, turn = rig.world(name, f"{leg}_lower", (0, -1, 0))
        rig.put(name, f"{leg}_foot", places, turn * Rotation.from_quat(turned(seed + k, 0.5)))


def error(rig: Rigged, clip: Clip, nodes: list[str] | None = None) -> tuple[float, float]:
    """Farthest that joints of a clip are from the oracle's, and most that their axes differ."""
    oracle, number = Oracle(rig.making().glb()), list(rig.tracks).index(clip.name)
    _, turns = world_of(clip.skeleton, clip.rotations, clip.origins)
    places, axes = [0.0], [0.0]
    for name in nodes or clip.skeleton.names:
        j = clip.skeleton.index(name)
        for t in range(0, len(clip), 5):
            matrix = oracle.world(oracle.index(name), number, t / FPS)
            wanted = matrix[:3, :3] / np.linalg.norm(matrix[:3, 0])
            places.append(float(np.abs(matrix[:3, 3] - clip.positions[t, j]).max()))
            axes.append(float(np.abs(wanted - Rotation.from_quat(turns[t, j]).as_matrix()).max()))
    return max(places), max(axes)


def told(call: Any, *args: Any, **more: Any) -> tuple[Any, list[str]]:
    """What a call returns, and its warnings without the path."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call(*args, **more)
    assert all(warning.category is GltfWarning for warning in caught)
    return found, [str(warning.message).split(": ", 1)[1] for warning in caught]


def parent_of(clip: Clip, name: str) -> str:
    return clip.skeleton.names[clip.skeleton.parents[clip.skeleton.index(name)]]


def below_the_root(clip: Clip) -> list[str]:
    return [name for name in clip.skeleton.names if name != "root"]


@pytest.mark.parametrize("travel", [0.0, 9.0])
@pytest.mark.parametrize("spine", [12, 1])
def test_feet_are_reparented_to_the_legs_that_reach_for_them(
    tmp_path: Path, spine: int, travel: float
) -> None:
    """Also where the body carries too little to be the trunk before its feet are on it."""
    rig = horse(spine)
    rig.tracks["walk"][rig.index("body"), "translation"] += travel * TIMES[:, None] * [0, 0, 1]
    put_feet(rig, "walk")
    clip, told_of = told(read_gltf, rig.save(tmp_path / "a.glb"), fps=FPS)
    assert [parent_of(clip, f"{leg}_foot") for leg in LEGS] == [f"{leg}_lower" for leg in LEGS]
    assert len(clip.skeleton) == len(rig.nodes) - 1
    places, axes = error(rig, clip, below_the_root(clip))
    assert places < 1e-5 and axes < 1e-5
    names = [", ".join(f"{leg}_{part}" for leg in LEGS) for part in ("foot", "lower")]
    assert told_of == [f"{names[0]} move with {names[1]}: reparented there; their place there is kept"]


@pytest.mark.parametrize("spine", [24, 12])
def test_a_joint_that_is_still_while_the_body_turns_about_it(tmp_path: Path, spine: int) -> None:
    """It has no track: it is the root, which follows the body, that would carry it along.

    With the shorter spine it does so only after the feet are on the body.
    """
    rig = horse(spine)
    walk, body = rig.tracks["walk"], rig.index("body")
    stands, arm = np.array([0.5, 0.25, 1.0]), np.array([0.0, -1.0, 0.5])
    rig.add("still", rig.index("root"), stands)
    walk[body, "rotation"] = turned(3, 0.5)
    walk[body, "translation"] = stands - Rotation.from_quat(walk[body, "rotation"]).apply(arm)
    put_feet(rig, "walk")
    clip, told_of = told(read_gltf, rig.save(tmp_path / "a.glb"), fps=FPS)
    assert parent_of(clip, "still") == "body" or parent_of(clip, "still").startswith("spine")
    assert error(rig, clip, below_the_root(clip))[0] < 1e-5
    walk[body, "translation"] = waves(1, 0.2, (0, 2, 0))
    put_feet(rig, "walk")
    clip, told_of = told(read_gltf, rig.save(tmp_path / "b.glb"), fps=FPS)
    assert parent_of(clip, "still") == "root"
    assert told_of[0] == "walk: the root follows body, so still move along (root='body' omits them)"


def test_one_tree_for_all_animations(tmp_path: Path) -> None:
    rig = horse(animations=("walk", "trot"))
    stretched, _ = rig.world("trot", "LF_lower", (0, -1, 0))
    away = stretched - rig.world("trot", "LF_lower")[0]
    longer = 1 + 0.1 * np.sin(2 * np.pi * TIMES / TIMES[-1])[:, None]
    rig.put("trot", "LF_foot", stretched + (longer - 1) * away)
    path = rig.save(tmp_path / "a.glb")
    found, told_of = told(read_gltf_all, path, fps=FPS)
    assert len({id(clip.skeleton) for clip in found}) == 1
    assert len(told_of) == 1 and told_of[0].endswith("kept to 0.05 m (trot)")  # a tenth of half a metre
    assert told(read_gltf_all, path, fps=FPS, scale=0.01)[1][0].endswith("kept to 0.0005 m (trot)")
    assert error(rig, found[0], below_the_root(found[0]))[0] < 1e-3
    places, axes = error(rig, found[1], below_the_root(found[1]))
    assert 0.02 < places < 0.051 and axes < 1e-5
    for name in ("walk", "trot"):
        clip, _ = told(read_gltf, path, clip=name, fps=FPS)
        assert clip.skeleton.names == found[0].skeleton.names
        assert clip.skeleton.parents.tolist() == found[0].skeleton.parents.tolist()
    for read in (read_gltf_rest, read_gltf_skeleton):
        rest, _ = told(read, path)
        skeleton = rest.skeleton if isinstance(rest, Clip) else rest
        assert skeleton.parents.tolist() == found[0].skeleton.parents.tolist()
    rest, _ = told(read_gltf_rest, path)
    rig.tracks = {rest.name: {}}
    assert error(rig, rest)[0] < 1e-6


def test_scale_and_axes_reach_what_is_reparented(tmp_path: Path) -> None:
    path = horse().save(tmp_path / "a.glb")
    (plain, _), (small, _) = (
        told(read_gltf, path, fps=FPS),
        told(read_gltf, path, fps=FPS, scale=0.01, up="z"),
    )
    j = plain.skeleton.index("LH_foot")
    np.testing.assert_allclose(
        small.positions[:, j], plain.positions[:, j][:, [0, 2, 1]] * [0.01, 0.01, -0.01]
    )


def test_what_was_reparented_comes_back(tmp_path: Path) -> None:
    found, _ = told(read_gltf_all, horse(animations=("walk", "trot")).save(tmp_path / "a.glb"), fps=FPS)
    again, told_of = told(read_gltf_all, write_gltf(found, tmp_path / "b.glb"))
    assert told_of == []
    for clip, other in zip(found, again, strict=True):
        assert clip.skeleton.names == other.skeleton.names
        assert clip.skeleton.parents.tolist() == other.skeleton.parents.tolist()
        np.testing.assert_allclose(clip.positions, other.positions, atol=1e-5)


@pytest.mark.parametrize("turns", [True, False])
def test_what_is_below_the_foot_goes_with_it(tmp_path: Path, turns: bool) -> None:
    """Also what does not turn, against which the foot keeps its place exactly."""
    rig = horse()
    toe = rig.add("toe", rig.index("RF_foot"), (0, 0, 0.2))
    rig.add("toe_tip", toe, (0, 0, 0.1))
    rig.tracks["walk"][toe, "rotation"] = turned(77, 0.3 * turns)
    clip, _ = told(read_gltf, rig.save(tmp_path / "a.glb"), fps=FPS)
    assert parent_of(clip, "toe") == "RF_foot" and parent_of(clip, "toe_tip") == "toe"
    assert error(rig, clip, below_the_root(clip))[0] < 1e-5


@pytest.mark.parametrize("first", ["aa_toe", "zz_toe"])
def test_a_toe_that_keeps_its_place_against_a_foot_only(tmp_path: Path, first: str) -> None:
    """Both are loose, and the foot turns against the leg, so that the toe finds its place after the foot."""
    rig = horse()
    root = rig.index("root")
    rig.add(first, root)
    if first == "aa_toe":  # before the feet
        rig.nodes[root]["children"].insert(0, rig.nodes[root]["children"].pop())
    places, turn = rig.world("walk", "RF_foot", (0, 0, 0.8))
    rig.put("walk", first, places, turn)
    clip, _ = told(read_gltf, rig.save(tmp_path / "a.glb"), fps=FPS)
    assert parent_of(clip, "RF_foot") == "RF_lower"
    assert parent_of(clip, first) == "RF_foot"
    assert error(rig, clip, below_the_root(clip))[0] < 1e-5


def test_the_end_of_the_chain_where_several_are_as_steady(tmp_path: Path) -> None:
    """A knee that never bends: the foot is as steady against the upper leg."""
    rig = horse()
    del rig.tracks["walk"][rig.index("LH_lower"), "rotation"]
    places, turn = rig.world("walk", "LH_lower", (0, -1, 0))
    rig.put("walk", "LH_foot", places, turn)
    clip, _ = told(read_gltf, rig.save(tmp_path / "a.glb"), fps=FPS)
    assert parent_of(clip, "LH_foot") == "LH_lower"


@pytest.mark.parametrize(
    ("strays", "travel", "moved"), [(0.02, 0.0, True), (0.08, 0.0, False), (0.08, 9.0, False)]
)
def test_a_joint_must_be_steady(tmp_path: Path, strays: float, travel: float, moved: bool) -> None:
    """Against what it strays by now, and against a bone of half a metre, however far it travels."""
    rig = horse()
    rig.tracks["walk"][rig.index("body"), "translation"] += travel * TIMES[:, None] * [0, 0, 1]
    put_feet(rig, "walk")
    places, _ = rig.world("walk", "LF_lower", (0, -1, 0))
    rig.put("walk", "LF_foot", places + waves(99, strays))
    clip, told_of = told(read_gltf, rig.save(tmp_path / "a.glb"), fps=FPS)
    assert parent_of(clip, "LF_foot") == ("LF_lower" if moved else "root")
    lost = "walk: LF_foot move against their parents; their mean place is kept"
    assert (lost in told_of) is not moved
    assert error(rig, clip, below_the_root(clip))[1] < 1e-5
    assert error(rig, clip, ["RH_foot", "RH_lower", "body"])[0] < 1e-5


@pytest.mark.parametrize(("far", "moved"), [(2.0, True), (30.0, False)])
def test_bones_are_no_longer_than_those_of_the_animal(tmp_path: Path, far: float, moved: bool) -> None:
    rig = horse()
    rig.put("walk", "LF_foot", rig.world("walk", "LF_lower", (0, -far, 0))[0])
    clip, _ = told(read_gltf, rig.save(tmp_path / "a.glb"), fps=FPS)
    assert (parent_of(clip, "LF_foot") == "LF_lower") is moved


def test_two_that_are_lost_together_stay_where_they_are(tmp_path: Path) -> None:
    """Each is steady against the other; hung on it neither would be where it should."""
    rig = horse()
    way = waves(55, 0.8, (0, 1, 6))
    for name, shift in (("left", 0.0), ("right", 0.5)):
        rig.add(name, rig.index("root"))
        rig.put("walk", name, way + [shift, 0, 0], Rotation.identity(KEYS))
    clip, told_of = told(read_gltf, rig.save(tmp_path / "a.glb"), fps=FPS)
    assert parent_of(clip, "left") == parent_of(clip, "right") == "root"
    assert "walk: left, right move against their parents; their mean place is kept" in told_of


@pytest.mark.parametrize(
    ("turns", "strays", "parent"), [(0.01, 0.0, "body"), (0.3, 0.0, "nods"), (0.3, 0.02, "body")]
)
def test_what_moves_little_is_not_reparented(
    tmp_path: Path, turns: float, strays: float, parent: str
) -> None:
    """Joints that slide a little keep their parents, even where they move with another exactly."""
    rig = horse()
    nods = rig.add("nods", rig.index("body"), (0, 0.25, 0))
    rig.tracks["walk"][nods, "rotation"] = turned(8, turns)
    for name, far in (("spine1", 0.5), ("spine2", 0.75)):
        rig.put("walk", name, rig.world("walk", "nods", (0, far, 0))[0] + waves(7, strays))
    clip, told_of = told(read_gltf, rig.save(tmp_path / "a.glb"), fps=FPS)
    assert parent_of(clip, "spine1") == parent_of(clip, "spine2") == parent
    lost = "walk: spine1, spine2 move against their parents; their mean place is kept"
    assert (told_of[0] == lost) is (parent == "body")


@pytest.mark.parametrize("animated", [False, True])
def test_legs_without_size_do_no_harm(tmp_path: Path, animated: bool) -> None:
    """A scale of 0 hides a part of a model, in an animation or at rest only."""
    rig = horse()
    hidden = rig.index("LF_upper")
    if animated:
        rig.tracks["walk"][hidden, "scale"] = np.zeros((KEYS, 3))
    else:
        rig.tracks["walk"][hidden, "scale"] = np.ones((KEYS, 3)) * 0.8
        rig.nodes[hidden]["scale"] = [0.0] * 3
    path = rig.save(tmp_path / "a.glb")
    for read in (read_gltf, read_gltf_rest):
        clip, _ = told(read, path)
        assert np.isfinite(clip.positions).all()
        assert parent_of(clip, "RF_foot") == "RF_lower"


def test_nothing_is_reparented_to_what_moves_along(tmp_path: Path) -> None:
    """The root follows the body: what goes beside it in the same way is not at rest against the root."""
    rig = horse(24)
    walk, body = rig.tracks["walk"], rig.index("body")
    del walk[rig.index("root"), "rotation"]
    rig.add("beside", rig.index("root"), (3, 0, 0))
    walk[rig.index("beside"), "translation"] = walk[body, "translation"] + [3, 0, 0]
    clip, told_of = told(read_gltf, rig.save(tmp_path / "a.glb"), fps=FPS)
    assert parent_of(clip, "beside") == "root"
    assert (
        "move with LF_lower, RF_lower, LH_lower, RH_lower: reparented there; their place there is kept"
        in told_of[-1]
    )


def test_a_broken_animation_does_not_spoil_the_others(tmp_path: Path) -> None:
    making = horse(animations=("walk", "trot")).making()
    making.doc["animations"][1]["samplers"][0]["output"] = making.accessor([[0, 0, 0, 0.0]] * KEYS)
    path = making.save(tmp_path / "a.glb")
    clip, _ = told(read_gltf, path, clip="walk", fps=FPS)
    assert parent_of(clip, "LF_foot") == "LF_lower"
    with pytest.raises(GltfError, match="length 0"):
        read_gltf(path, clip="trot")


@st.composite
def rigs(draw: st.DrawFn) -> Rigged:
    """Any small tree whose joints turn and, some of them, move; some move with another joint."""
    count = draw(st.integers(2, 9))
    rig = Rigged()
    rig.add("j0", -1)
    for j in range(1, count):
        rig.add(
            f"j{j}",
            draw(st.integers(0, j - 1)),
            waves(j, 1.0)[0],
            scale=[draw(st.sampled_from([1.0, 2.0]))] * 3,
        )
    tracks = rig.tracks["a"] = {}
    seed = draw(st.integers(0, 1000))
    for j in range(count):
        if draw(st.booleans()):
            tracks[j, "rotation"] = turned(seed + j, draw(st.sampled_from([0.1, 1.0, 3.0])))
        if draw(st.booleans()):
            tracks[j, "translation"] = waves(seed + j, draw(st.sampled_from([1e-4, 0.1, 2.0])))
    for j in draw(st.lists(st.integers(1, count - 1), max_size=3)):
        other = f"j{draw(st.integers(0, count - 1))}"
        rig.put("a", f"j{j}", rig.world("a", other, (0.3, 0.4, 0))[0])
    return rig


@given(rigs())
def test_every_joint_keeps_its_rotation_in_the_world(
    tmp_path_factory: pytest.TempPathFactory, rig: Rigged
) -> None:
    path = rig.save(tmp_path_factory.mktemp("any") / "a.glb")
    clip, _ = told(read_gltf, path, fps=FPS)
    assert sorted(clip.skeleton.names) == sorted(node["name"] for node in rig.nodes)
    joints = [name for name in clip.skeleton.names if not clip.skeleton.ends[clip.skeleton.index(name)]]
    assert error(rig, clip, joints)[1] < 1e-4


@given(st.data())
def test_a_rig_may_be_reparented_to_any_other_tree(data: st.DataObject) -> None:
    count = data.draw(st.integers(2, 12))
    parents = [-1, *(data.draw(st.integers(0, j - 1)) for j in range(1, count))]
    rank = data.draw(st.permutations(range(1, count)))
    wanted = dict(zip(rank, (0, *rank), strict=False))  # a chain in any order, of which some links are taken
    new_parents: dict[int, int] = {}
    for j in data.draw(st.lists(st.sampled_from(rank), unique=True)):
        line = [wanted[j]]
        while line[-1] > 0:
            line.append(new_parents.get(line[-1], parents[line[-1]]))
        if j not in line:
            new_parents[j] = wanted[j]
    names = [f"j{j}" for j in range(count)]
    rig = ReadRig(list(range(100, 100 + count)), parents, [False] * count, names, [])
    order, found = rig.reparented(new_parents)
    assert sorted(order) == list(range(count))
    assert found.names == [names[j] for j in order] and found.nodes == [100 + j for j in order]
    assert all(-1 <= parent < j for j, parent in enumerate(found.parents))
    for j, node in enumerate(order[1:], 1):
        assert order[found.parents[j]] == new_parents.get(node, parents[node])
    assert rig.reparented({})[0] == list(range(count)) or parents != sorted(parents)


def hanging_of(data: bytes) -> tuple[Reparenting, float]:
    """What is hung in a file, and how long it took to find [s]."""
    file = parse_container(data, "a.glb")
    nodes = read_nodes(file.root)
    animations = Animations(file.root, Accessors(file), len(nodes.items))
    paths = animations.paths()
    rig = find_rig(file.root, nodes, {node for node, _ in paths})
    start = time.perf_counter()
    return find_reparenting(nodes, rig, paths, animations), time.perf_counter() - start


def test_files_without_loose_joints_are_read_as_they_are() -> None:
    """The rig is the very same object, and the motion on it: nothing is worked out anew."""
    rider = Horse(seed=2)
    recorder = Recorder(rider.skeleton)
    for _ in range(30):
        recorder.add(rider.step(Command(speed=2.0, turn=0.3), 1 / 60))
    still = puppet()
    del still.doc["animations"]
    for data in (format_glb(recorder.clip("ride")), puppet().glb(), still.glb()):
        reparenting, _ = hanging_of(data)
        assert reparenting.rig is reparenting.file and not reparenting.new_parents
        nodes = read_nodes(parse_container(data, "a.glb").root)
        local, _ = sample_local(nodes, reparenting.file, None, np.zeros(1))
        assert reparented(local, reparenting) is local


@pytest.mark.parametrize("deep", [False, True])
def test_the_search_is_bounded(deep: bool) -> None:
    """The largest skeleton, all of it loose, and many animations."""
    count = 4000
    making = Making(nodes=[{"name": "root", "children": []}])
    nodes = making.doc["nodes"]
    for j in range(1, count):
        nodes.append({"name": f"j{j}", "translation": [0.0, 1e-3 * j, 0.0]})
        nodes[j - 1 if deep else 0].setdefault("children", []).append(j)
    making.doc["skins"] = [{"joints": list(range(count))}]
    times = making.accessor([0.0, 1.0])
    moves = [making.accessor(np.random.default_rng(k).normal(size=(2, 3))) for k in range(20)]
    for name in "abc":
        making.animate(name, *((j, "translation", times, moves[j % 20], "LINEAR") for j in range(1, count)))
    new_parents, took = hanging_of(making.glb())
    assert not new_parents.new_parents and took < 20


@pytest.mark.filterwarnings("error")
def test_immense_numbers_block_nothing() -> None:
    making = Making(
        nodes=[{"name": "root", "children": [1, 2]}, {"name": "a"}, {"name": "b", "scale": [1e6] * 3}]
    )
    making.doc["nodes"] += [{"name": f"c{k}", "children": [k + 4], "scale": [1e6] * 3} for k in range(80)]
    making.doc["nodes"].append({"name": "end", "translation": [1.0, 0, 0]})
    making.doc["nodes"][2]["children"] = [3]
    far = making.accessor([[1e12, 0, 0], [-1e12, 1e12, 0]])
    times = making.accessor([0.0, 1.0])
    making.animate("a", *((j, "translation", times, far, "LINEAR") for j in (1, 2, 3, 60, 83)))
    assert not hanging_of(making.glb())[0].new_parents


@pytest.mark.data
def test_the_feet_of_the_horse_of_three_js(data_dir: Path, tmp_path: Path) -> None:
    path = data_dir / "gltf" / "threejs-horse" / "Horse.gltf"
    found, told_of = told(read_gltf_all, path)
    assert told_of[-1].startswith("FrontFoot.R, BackFoot.R, FrontFoot.L, BackFoot.L move with FrontLowLeg.R")
    oracle = Oracle(path.read_bytes(), path.parent)
    for number, clip in enumerate(found):
        for end, bone in (("Front", 1.6), ("Back", 2.17)):
            for side in "LR":
                foot = clip.skeleton.index(f"{end}Foot.{side}")
                assert parent_of(clip, f"{end}Foot.{side}") == f"{end}LowLeg.{side}"
                np.testing.assert_allclose(clip.skeleton.offsets[foot], [0, bone, 0], atol=0.02)
                wanted = [
                    oracle.world(oracle.index(f"{end}Foot.{side}"), number, t / 60)[:3, 3]
                    for t in range(0, len(clip), 7)
                ]
                off = np.linalg.norm(np.array(wanted) - clip.positions[::7, foot], axis=1)
                # What is left is the sliding of the shoulders, which a clip cannot hold.
                limit = {"Jump": 0.35, "WalkSlow": 0.2, "Walk": 0.1}.get(clip.name, 0.03)
                assert off.mean() < limit
                if clip.name in ("Walk", "WalkSlow"):
                    moved = np.ptp(clip.positions[:, foot], axis=0)
                    assert moved[2] > 2 and moved[1] > 0.3  # it steps
    idle, _ = told(read_gltf, path, clip="Idle")
    body = [name for name in idle.skeleton.names if name != "root"]
    for name in body:
        wanted = oracle.world(oracle.index(name), 4, 2.0)[:3, 3]
        np.testing.assert_allclose(idle.positions[120, idle.skeleton.index(name)], wanted, atol=1e-3)
    again, _ = told(read_gltf_all, write_gltf(found, tmp_path / "again.glb"))
    for clip, other in zip(found, again, strict=True):
        assert clip.skeleton.names == other.skeleton.names
        np.testing.assert_allclose(clip.positions, other.positions, atol=1e-4)


@pytest.mark.data
def test_the_fox_has_no_loose_joint(data_dir: Path) -> None:
    reparenting, _ = hanging_of((data_dir / "gltf" / "Fox.glb").read_bytes())
    assert reparenting.rig is reparenting.file
