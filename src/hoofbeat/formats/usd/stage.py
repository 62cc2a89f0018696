"""USD stage: the prims of a file, built in memory.

    /Horse                 Xform, the default prim; with several clips, variant set "clip" chooses one
    /Horse/Root            Xform, the path over the ground: translate and rotateY in time samples
    /Horse/Root/Body       SkelRoot: Skeleton, Skin or Bones (a skinned mesh), Clips (SkelAnimations)
    /Horse/Look            Material of the skin or the bones

A joint's place in the world is Root times its place in the skeleton. Root is double and the pose below
it float, so an animal far from the origin moves as smoothly as one beside it.
"""

from __future__ import annotations

import hashlib
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import METHOD, Clip, methods_of
from hoofbeat.body.mesh.skin import Skin
from hoofbeat.body.root import Track, in_place, track_of
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.formats.usd.mesh import body_mesh, extent, reach_of, shifts, vectors
from hoofbeat.formats.usd.names import joint_paths, prim_names, readable, written_joints
from hoofbeat.maths import quat

HORSE, ROOT, BODY = "/Horse", "/Horse/Root", "/Horse/Root/Body"
SKELETON, CLIPS = f"{BODY}/Skeleton", f"{BODY}/Clips"
#: The variant set that chooses among several clips.
CLIP_SET = "clip"
#: Under this key of custom data the methods that made the motion stand, {"method": names}: in the layer
#: those of all clips, in an animation its own.
OURS = "hoofbeat"
#: The bones' half width, and more: the box of the body reaches this far [m] beyond its joints. A skin reaches
#: as far as its farthest vertex from any joint.
MARGIN = 0.1


@dataclass(frozen=True)
class _Rig:
    """What every clip of a file shares: written nodes, their tokens, and their prims."""

    pxr: Any
    stage: Any
    joints: list[int]
    tokens: list[str]
    skeleton: Any
    translate: Any
    turn: Any


def build_stage(pxr: Any, clips: list[Clip], still: bool, skin: Skin | None = None) -> Any:
    """A Usd.Stage in memory; `still` leaves the path over the ground out; skin: the body (None = bones). It
    owns its root layer."""
    fps = clips[0].fps
    stage = _new_stage(pxr, fps, max((len(clip) - 1) * fps / clip.fps for clip in clips))
    _name_methods(stage, clips)
    rig = _rig(pxr, stage, clips[0].skeleton, skin, moving=not still)
    chooser = None
    if len(clips) > 1:
        chooser = stage.GetPrimAtPath(HORSE).GetVariantSets().AddVariantSet(CLIP_SET)
    names = prim_names([clip.name for clip in clips])
    corners: list[NDArray[np.float64]] = []
    written: dict[bytes, str] = {}  # animations by their content: a clip and the same in place share one
    for clip, name in zip(clips, names, strict=True):
        local = in_place(clip)
        times = np.arange(len(clip)) * (fps / clip.fps)
        methods = ", ".join(methods_of(clip))
        content = hashlib.sha256(
            local.rotations.tobytes() + local.origins.tobytes() + times.tobytes() + methods.encode()
        ).digest()
        if content not in written:
            written[content] = f"{CLIPS}/{name}"
            corners += [local.positions.min(axis=(0, 1)), local.positions.max(axis=(0, 1))]
            _animation(rig, written[content], local, times, methods)
        with _variant(chooser, name):
            targets = [pxr.Sdf.Path(written[content])]
            pxr.UsdSkel.BindingAPI(rig.skeleton).CreateAnimationSourceRel().SetTargets(targets)
            if not still:
                # A clip that was in place before it came here has no path to write.
                _write_path(rig, None if local is clip else track_of(clip), times)
    if chooser is not None:
        chooser.SetVariantSelection(names[0])
    box = extent(pxr, np.array(corners), MARGIN if skin is None else reach_of(skin))
    pxr.UsdSkel.Root(stage.GetPrimAtPath(BODY)).CreateExtentAttr(box)
    return stage


def _new_stage(pxr: Any, fps: float, end: float) -> Any:
    stage = pxr.Usd.Stage.CreateInMemory(".usda")
    pxr.UsdGeom.SetStageUpAxis(stage, pxr.UsdGeom.Tokens.y)
    pxr.UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetTimeCodesPerSecond(fps)
    stage.SetFramesPerSecond(fps)
    stage.SetStartTimeCode(0.0)
    stage.SetEndTimeCode(end)
    stage.GetRootLayer().customLayerData = {"creator": "hoofbeat"}
    horse = pxr.UsdGeom.Xform.Define(stage, HORSE).GetPrim()
    pxr.Usd.ModelAPI(horse).SetKind(pxr.Kind.Tokens.component)
    stage.SetDefaultPrim(horse)
    return stage


def _name_methods(stage: Any, clips: list[Clip]) -> None:
    """The methods of all clips, each once, in the layer's own data; nothing where none is known."""
    names = ", ".join(dict.fromkeys(name for clip in clips for name in methods_of(clip)))
    if names:
        layer = stage.GetRootLayer()
        layer.customLayerData = {**layer.customLayerData, OURS: {METHOD: names}}


def _variant(chooser: Any, name: str) -> AbstractContextManager[Any]:
    """Where the opinions of one clip go: into its variant, or beside all others where there is one clip."""
    if chooser is None:
        return nullcontext()
    chooser.AddVariant(name)
    chooser.SetVariantSelection(name)
    return chooser.GetVariantEditContext()


def _rig(pxr: Any, stage: Any, skeleton: Skeleton, skin: Skin | None, moving: bool) -> _Rig:
    root_path = pxr.UsdGeom.Xform.Define(stage, ROOT)
    pxr.UsdSkel.Root.Define(stage, BODY)
    joints = written_joints(skeleton)
    tokens = joint_paths(skeleton, joints)
    # The rest pose stands on the ground, so that it stands there without its animation.
    lift = np.array([0.0, -skeleton.rest_positions()[:, 1].min(), 0.0])
    made = pxr.UsdSkel.Skeleton.Define(stage, SKELETON)
    made.CreateJointsAttr(tokens)
    made.CreateJointNamesAttr([readable(skeleton.names[j]) for j in joints])
    offsets = np.where(np.arange(len(joints))[:, None] == 0, lift, skeleton.offsets[joints])
    made.CreateRestTransformsAttr(shifts(pxr, offsets))
    made.CreateBindTransformsAttr(shifts(pxr, skeleton.rest_positions()[joints] + lift))
    pxr.UsdSkel.BindingAPI.Apply(made.GetPrim())
    body_mesh(pxr, stage, BODY, (skeleton, skin), joints, lift)
    pxr.UsdGeom.Scope.Define(stage, CLIPS)
    if not moving:
        return _Rig(pxr, stage, joints, tokens, made, None, None)
    double = pxr.UsdGeom.XformOp.PrecisionDouble
    return _Rig(
        pxr, stage, joints, tokens, made, root_path.AddTranslateOp(double), root_path.AddRotateYOp(double)
    )


def _animation(rig: _Rig, path: str, local: Clip, times: NDArray[Any], methods: str) -> None:
    """One SkelAnimation: all three of translations, rotations and scales must be there to count. methods:
    the names of those that made it."""
    made = rig.pxr.UsdSkel.Animation.Define(rig.stage, path)
    if methods:
        made.GetPrim().SetCustomDataByKey(OURS, {METHOD: methods})
    made.CreateJointsAttr(rig.tokens)
    made.CreateScalesAttr([(1.0, 1.0, 1.0)] * len(rig.joints))
    places = np.repeat(local.skeleton.offsets[rig.joints].astype(np.float32)[None], len(local), axis=0)
    places[:, 0] = local.origins
    turns = quat.continuous(quat.normalize(local.rotations[:, rig.joints])).astype(np.float32)
    translations, rotations = made.CreateTranslationsAttr(), made.CreateRotationsAttr()
    for time, shift, turn in zip(times.tolist(), places, turns, strict=True):
        translations.Set(vectors(rig.pxr, shift), time)
        rotations.Set(rig.pxr.Vt.QuatfArray.FromNumpy(turn), time)  # memory order x y z w, as ours


def _write_path(rig: _Rig, track: Track | None, times: NDArray[Any]) -> None:
    """Time samples of the Root above the body; `track` None: it stays at the origin."""
    if track is None:
        rig.translate.Set((0.0, 0.0, 0.0))
        rig.turn.Set(0.0)
        return
    degrees = np.degrees(np.unwrap(track.yaw))
    for time, place, angle in zip(times.tolist(), track.positions.tolist(), degrees.tolist(), strict=True):
        rig.translate.Set(tuple(place), time)
        rig.turn.Set(angle, time)
