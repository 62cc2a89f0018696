"""USD: what USD's own library reads back is the motion that was written, and its validators are content."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hoofbeat import Clip, Command, Horse, Recorder, Skeleton
from hoofbeat.body.clip import METHOD
from hoofbeat.body.mesh.bones import bone_mesh
from hoofbeat.body.pose import world_of
from hoofbeat.body.root import Track, in_place, with_motion
from hoofbeat.errors import UsdError
from hoofbeat.formats.usd import save as usd
from hoofbeat.formats.usd.names import MAX_LETTERS, joint_paths, prim_names, written_joints
from hoofbeat.formats.usd.save import write_usd
from hoofbeat.maths import quat

Usd = pytest.importorskip("pxr.Usd", reason="usd-core is not installed: pip install 'hoofbeat[usd]'")
UsdGeom, UsdSkel = pytest.importorskip("pxr.UsdGeom"), pytest.importorskip("pxr.UsdSkel")
Sdf = pytest.importorskip("pxr.Sdf")

ENDINGS = (".usda", ".usdc")


def ridden(name: str, speed: float, turn: float, frames: int, fps: float = 60.0) -> Clip:
    horse = Horse(seed=1)
    recorder = Recorder(horse.skeleton, fps=fps)
    for _ in range(frames):
        recorder.add(horse.step(Command(speed=speed, turn=turn), 1 / fps))
    return recorder.clip(name)


@pytest.fixture(scope="module")
def trot() -> Clip:
    return ridden("trot", 3.5, 0.7, 40)


@pytest.fixture(scope="module")
def rides(trot: Clip) -> list[Clip]:
    return [trot, ridden("walk on", 1.4, 0.0, 30, fps=25.0), ridden("trot", 4.0, -0.5, 20)]


def skeleton_of(stage: Any) -> Any:
    return UsdSkel.Skeleton(next(prim for prim in stage.Traverse() if prim.IsA(UsdSkel.Skeleton)))


def world_transforms(stage: Any, times: np.ndarray) -> np.ndarray:
    """Joints in the world as USD computes them, (times, joints, 4, 4), rows multiplied."""
    query = UsdSkel.Cache().GetSkelQuery(skeleton_of(stage))
    return np.array([query.ComputeJointWorldTransforms(UsdGeom.XformCache(time)) for time in times])


def positions(path: Path, clip: Clip, rate: float | None = None, variant: str = "") -> np.ndarray:
    stage = Usd.Stage.Open(str(path))
    if variant:
        stage.GetDefaultPrim().GetVariantSet("clip").SetVariantSelection(variant)
    return world_transforms(stage, np.arange(len(clip)) * (rate or clip.fps) / clip.fps)[:, :, 3, :3]


def ours(clip: Clip) -> np.ndarray:
    return clip.positions[:, written_joints(clip.skeleton)]


@pytest.mark.parametrize("ending", ENDINGS)
def test_joints_are_where_we_put_them(trot: Clip, tmp_path: Path, ending: str) -> None:
    path = write_usd(trot, tmp_path / f"a{ending}")
    found = positions(path, trot)
    assert found.shape == (40, 49, 3)
    assert np.abs(found - ours(trot)).max() < 1e-6


@pytest.mark.parametrize("ending", ENDINGS)
def test_in_place(trot: Clip, tmp_path: Path, ending: str) -> None:
    path = write_usd(trot, tmp_path / f"a{ending}", in_place=True)
    assert np.abs(positions(path, trot) - ours(in_place(trot))).max() < 1e-6
    stage = Usd.Stage.Open(str(path))
    root = UsdGeom.Xformable(stage.GetPrimAtPath("/Horse/Root"))
    assert root.GetOrderedXformOps() == [] and not root.TransformMightBeTimeVarying()


def test_stage_and_clips_name_their_methods(trot: Clip, tmp_path: Path) -> None:
    def made_by(name: str, *methods: str) -> Clip:
        names = np.repeat(methods, len(trot) // max(len(methods), 1))
        extras = {**trot.extras, METHOD: names} if methods else dict(trot.extras)
        return Clip(trot.skeleton, trot.rotations, trot.origins, trot.fps, None, name, extras)

    clips = [
        made_by("a", "timewarp"),
        made_by("b", "actions"),
        made_by("c", "timewarp", "froude"),
        made_by("d"),
    ]
    stage = Usd.Stage.Open(str(write_usd(clips, tmp_path / "a.usda")))
    assert stage.GetRootLayer().customLayerData == {
        "creator": "hoofbeat",
        "hoofbeat": {"method": "timewarp, actions, froude"},
    }
    # The motion is the same, but clips of different methods share no animation.
    animations = {name: stage.GetPrimAtPath(f"/Horse/Root/Body/Clips/{name}") for name in "abcd"}
    found = {name: prim.GetCustomDataByKey("hoofbeat") for name, prim in animations.items()}
    assert found == {
        "a": {"method": "timewarp"},
        "b": {"method": "actions"},
        "c": {"method": "timewarp, froude"},
        "d": None,
    }
    plain = Usd.Stage.Open(str(write_usd(made_by("d"), tmp_path / "b.usda")))
    assert plain.GetRootLayer().customLayerData == {"creator": "hoofbeat"}


def test_a_clip_that_was_in_place_stays_there(trot: Clip, rides: list[Clip], tmp_path: Path) -> None:
    made = in_place(trot)
    origins = made.origins + [0.3, 0.0, -0.2]  # beside its root, so that a way read off the pelvis would show
    spot = Clip(made.skeleton, made.rotations, origins, made.fps, name="trot", extras=dict(made.extras))
    assert np.abs(positions(write_usd(spot, tmp_path / "a.usda"), spot) - ours(spot)).max() < 1e-6
    path = write_usd([rides[1], spot], tmp_path / "b.usda")
    assert np.abs(positions(path, spot, 25.0, "trot") - ours(spot)).max() < 1e-6


def test_the_path_is_on_the_root_in_double(trot: Clip, tmp_path: Path) -> None:
    """A kilometre away the pose below the root is the same numbers, and joints are still exact."""
    track = Track(trot.extras["root"] + [1e6, 0.0, -3e5], trot.extras["yaw"] + 40.0)
    far = with_motion(in_place(trot), track)
    path = write_usd(far, tmp_path / "a.usda")
    assert np.abs(positions(path, far) - ours(far)).max() < 1e-6
    stage, near = Usd.Stage.Open(str(path)), Usd.Stage.Open(str(write_usd(trot, tmp_path / "b.usda")))
    for time in (0, 17, 39):
        poses = [_animation(s, "trot").GetTranslationsAttr().Get(time) for s in (stage, near)]
        assert np.abs(np.array(poses[0]) - np.array(poses[1])).max() < 1e-5


def _animation(stage: Any, name: str) -> Any:
    return UsdSkel.Animation(stage.GetPrimAtPath(f"/Horse/Root/Body/Clips/{name}"))


def test_several_clips_are_variants(rides: list[Clip], tmp_path: Path) -> None:
    path = write_usd(rides, tmp_path / "a.usda")
    stage = Usd.Stage.Open(str(path))
    chooser = stage.GetDefaultPrim().GetVariantSet("clip")
    assert chooser.GetVariantSelection() == "trot"
    names = ["trot", "walk_on", "trot_2"]
    assert sorted(chooser.GetVariantNames()) == sorted(names)
    clips = stage.GetPrimAtPath("/Horse/Root/Body/Clips").GetChildren()
    assert [prim.GetName() for prim in clips] == names
    for clip, name in zip(rides, names, strict=True):
        assert np.abs(positions(path, clip, 60.0, name) - ours(clip)).max() < 1e-6
    # 30 frames at 25 a second end 29 / 25 s after the first, counted in sixtieths.
    assert stage.GetEndTimeCode() == pytest.approx(29 / 25 * 60)


def test_in_place_variants(rides: list[Clip], tmp_path: Path) -> None:
    path = write_usd(rides, tmp_path / "a.usdc", in_place=True)
    for clip, name in zip(rides, ("trot", "walk_on", "trot_2"), strict=True):
        assert np.abs(positions(path, clip, 60.0, name) - ours(in_place(clip))).max() < 1e-6


def complaints(stage: Any) -> list[str]:
    """Of all of USD's validators, warnings too."""
    validation = pytest.importorskip("pxr.UsdValidation")
    validators = validation.ValidationRegistry().GetOrLoadAllValidators()
    assert len(validators) >= 20
    found = validation.ValidationContext(validators).Validate(stage)
    return [f"{one.GetName()}: {one.GetMessage()}" for one in found]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("still", [False, True])
@pytest.mark.parametrize("count", [1, 3])
def test_validators_are_content(
    rides: list[Clip], tmp_path: Path, ending: str, still: bool, count: int
) -> None:
    path = write_usd(rides[:count], tmp_path / f"a{ending}", in_place=still)
    stage = Usd.Stage.Open(str(path))
    assert complaints(stage) == []
    chooser = stage.GetDefaultPrim().GetVariantSet("clip")
    for name in chooser.GetVariantNames():
        chooser.SetVariantSelection(name)
        assert complaints(stage) == []


def test_validators_find_faults(trot: Clip, tmp_path: Path) -> None:
    stage = Usd.Stage.Open(str(write_usd(trot, tmp_path / "a.usda")))
    stage.ClearMetadata("upAxis")
    skin = stage.GetPrimAtPath("/Horse/Root/Body/Bones")
    skin.RemoveAPI(UsdSkel.BindingAPI)
    assert len(complaints(stage)) >= 2


def test_stage_facts(trot: Clip, tmp_path: Path) -> None:
    stage = Usd.Stage.Open(str(write_usd(trot, tmp_path / "a.usda")))
    assert UsdGeom.GetStageUpAxis(stage) == "Y" and UsdGeom.GetStageMetersPerUnit(stage) == 1
    assert (stage.GetTimeCodesPerSecond(), stage.GetFramesPerSecond()) == (60, 60)
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0, 39)
    made = skeleton_of(stage)
    assert list(made.GetJointNamesAttr().Get()) == list(trot.skeleton.joints)
    query = UsdSkel.Cache().GetSkelQuery(made)
    assert query.HasBindPose() and query.HasRestPose()
    bind = np.array(made.GetBindTransformsAttr().Get())
    rest = np.array(query.ComputeJointSkelTransforms(0.0, True))  # True: at rest
    assert np.allclose(bind, rest, atol=1e-9)
    animation = _animation(stage, "trot")
    assert animation.GetRotationsAttr().GetTypeName() == "quatf[]"
    assert animation.GetTranslationsAttr().GetTypeName() == "float3[]"
    assert animation.GetRotationsAttr().GetTimeSamples() == list(range(40))
    box = np.array(UsdGeom.Boundable(stage.GetPrimAtPath("/Horse/Root/Body")).GetExtentAttr().Get())
    inside = in_place(trot).positions
    assert (box[0] <= inside).all() and (inside <= box[1]).all()


def test_the_bones_follow_their_joints(trot: Clip, tmp_path: Path) -> None:
    stage = Usd.Stage.Open(str(write_usd(trot, tmp_path / "a.usda")))
    cache = UsdSkel.Cache()
    body = UsdSkel.Root(stage.GetPrimAtPath("/Horse/Root/Body"))
    cache.Populate(body, Usd.PrimDefaultPredicate)
    skin = cache.GetSkinningQuery(stage.GetPrimAtPath("/Horse/Root/Body/Bones"))
    query = cache.GetSkelQuery(skeleton_of(stage))
    mesh = bone_mesh(trot.skeleton)
    rest = trot.skeleton.rest_positions()
    local = in_place(trot)
    places, turns = world_of(local.skeleton, local.rotations, local.origins)
    for time in (0, 25):
        points = UsdGeom.Mesh(skin.GetPrim()).GetPointsAttr().Get()
        assert skin.ComputeSkinnedPoints(query.ComputeSkinningTransforms(time), points, time)
        arms = mesh.points - rest[mesh.nodes]
        wanted = places[time, mesh.nodes] + quat.rotate(turns[time, mesh.nodes], arms)
        assert np.abs(np.array(points) - wanted).max() < 1e-5


def test_text_and_binary_say_the_same(rides: list[Clip], tmp_path: Path) -> None:
    texts = [
        Sdf.Layer.FindOrOpen(str(write_usd(rides, tmp_path / f"a{ending}"))).ExportToString()
        for ending in ENDINGS
    ]
    assert texts[0] == texts[1]
    assert texts[0] == (tmp_path / "a.usda").read_text()
    assert str(tmp_path) not in texts[0] and "Root/Body/Skeleton" in texts[0]


def test_the_same_clips_give_the_same_bytes(rides: list[Clip], tmp_path: Path) -> None:
    for ending in ENDINGS:
        twice = [write_usd(rides, tmp_path / f"{name}{ending}").read_bytes() for name in "ab"]
        assert twice[0] == twice[1]


@st.composite
def clips(draw: st.DrawFn) -> Clip:
    count = draw(st.integers(1, 8))
    parents = [-1] + [draw(st.integers(0, j - 1)) for j in range(1, count)]
    ends = [draw(st.booleans()) for _ in range(count)]
    names = draw(st.lists(st.text(max_size=6), min_size=count, max_size=count, unique=True))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    skeleton = Skeleton(names, parents, random.normal(size=(count, 3)), ends)
    frames = draw(st.integers(1, 4))
    turns = quat.normalize(random.normal(size=(frames, count, 4)))
    turns[:, np.array(ends)] = quat.identity()
    fps = draw(st.sampled_from([1.0, 23.976, 60.0, 120.0]))
    return Clip(skeleton, turns, random.normal(size=(frames, 3)) * 50, fps, name=draw(st.text(max_size=5)))


@settings(max_examples=40)
@given(clip=clips(), still=st.booleans())
def test_any_skeleton(clip: Clip, still: bool, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = write_usd(clip, tmp_path_factory.mktemp("any") / "a.usda", in_place=still)
    wanted = ours(in_place(clip) if still else clip)
    assert np.abs(positions(path, clip) - wanted).max() < 1e-4
    assert complaints(Usd.Stage.Open(str(path))) == []
    path.unlink()


@given(st.lists(st.text(max_size=8), max_size=12))
def test_names_are_identifiers_and_differ(names: list[str]) -> None:
    made = prim_names(names)
    assert len(set(made)) == len(names)
    assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) for name in made)
    assert prim_names(made) == made


def test_joint_paths() -> None:
    skeleton = Skeleton(
        ["hip", "left knee", "left_knee", "tip", "3"], [-1, 0, 0, 1, 2], np.ones((5, 3)), [0, 0, 0, 1, 0]
    )
    joints = written_joints(skeleton)
    assert joints == [0, 1, 2, 4]
    assert joint_paths(skeleton, joints) == ["hip", "hip/left_knee", "hip/left_knee_2", "hip/left_knee_2/_3"]


def test_odd_names_are_kept_as_far_as_they_can_be(tmp_path: Path) -> None:
    names = ["a\0b", "\ud800", '"\\\n', "馬", "plain"]
    clip = still_clip(Skeleton(names, [-1, 0, 1, 2, 3], np.ones((5, 3))), name="\ud800")
    for ending in ENDINGS:
        stage = Usd.Stage.Open(str(write_usd(clip, tmp_path / f"a{ending}")))
        assert list(skeleton_of(stage).GetJointNamesAttr().Get()) == ["a_b", "?", '"\\\n', "馬", "plain"]


def still_clip(skeleton: Skeleton, frames: int = 2, **options: Any) -> Clip:
    origins = options.pop("origins", np.zeros((frames, 3)))
    return Clip(skeleton, quat.identity((frames, len(skeleton))), origins, 60.0, **options)


def chain(count: int, length: float = 1.0) -> Skeleton:
    return Skeleton([f"joint{j}" for j in range(count)], range(-1, count - 1), np.full((count, 3), length))


@pytest.mark.parametrize(
    ("given", "name", "words"),
    [
        ([], "a.usda", "at least one"),
        (still_clip(chain(2)), "a.usd", r"\.usda or \.usdc"),
        (still_clip(chain(2)), "a", r"\.usda or \.usdc"),
        (still_clip(chain(2), 0), "a.usda", "no frames"),
        ([still_clip(chain(2)), still_clip(chain(3))], "a.usda", "another skeleton"),
        ([still_clip(chain(2)), still_clip(chain(2, 1.1))], "a.usda", "another skeleton"),
        (still_clip(chain(2), origins=np.full((2, 3), 1e10)), "a.usda", "beyond 1e"),
        (still_clip(chain(2, 1e30)), "a.usda", "beyond 1e"),
        (still_clip(chain(4096)), "a.usda", f"{MAX_LETTERS} are allowed"),
        (still_clip(chain(2)), "nowhere/a.usda", "does not exist"),
    ],
)
def test_what_cannot_be_written_is_named(given: Any, name: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(UsdError, match=words) as caught:
        write_usd(given, tmp_path / name)
    assert caught.value.path == str(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_too_many_poses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(usd, "MAX_POSES", 5)
    with pytest.raises(UsdError, match="split the clip"):
        write_usd(still_clip(chain(2), 3), tmp_path / "a.usda")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_failed_write_leaves_the_old_file(
    ending: str, trot: Clip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"a{ending}"
    path.write_bytes(b"old")

    def refuse(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("os.fsync", refuse)
    with pytest.raises(UsdError, match="disk is full"):
        write_usd(trot, path)
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_a_failed_binary_form_is_named(trot: Clip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "absent"))
    with pytest.raises(UsdError, match="absent"):
        write_usd(trot, tmp_path / "a.usdc")
    assert list(tmp_path.iterdir()) == []


def test_without_the_package(trot: Clip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "pxr"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UsdError, match=r"pip install hoofbeat\[usd\]"):
        write_usd(trot, tmp_path / "a.usda")
    assert list(tmp_path.iterdir()) == []
