"""USD stage: the prims of a file, built in memory.

    /Horse                 Xform, the default prim; with several clips, variant set "clip" chooses one
    /Horse/Root            Xform, the way over the ground: translate and rotateY in time samples
    /Horse/Root/Body       SkelRoot: Skeleton, Bones (a skinned mesh), Clips (a SkelAnimation each)
    /Horse/Look            Material of the bones

A joint's place in the world is Root times its place in the skeleton. Root is double and the pose below
it float, so an animal far from the origin moves as smoothly as one beside it.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.bonemesh import bone_mesh
from hoofbeat.body.clip import Clip
from hoofbeat.body.root import Track, in_place, track_of
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.formats.usd_names import joint_paths, prim_names, readable, written_joints
from hoofbeat.maths import quat

HORSE, ROOT, BODY = "/Horse", "/Horse/Root", "/Horse/Root/Body"
SKELETON, BONES, CLIPS = f"{BODY}/Skeleton", f"{BODY}/Bones", f"{BODY}/Clips"
LOOK = "/Horse/Look"
#: The variant set that chooses among several clips.
CLIP_SET = "clip"
#: Colour of the bones, linear RGB.
COLOUR = (0.55, 0.42, 0.30)
#: The bones' half width, and more: the box of the body reaches this far [m] beyond its joints.
MARGIN = 0.1


@dataclass(frozen=True)
class _Rig:
    """What every clip of a file shares: written nodes, their tokens, and the prims they hang on."""

    pxr: Any
    stage: Any
    joints: list[int]
    tokens: list[str]
    skeleton: Any
    translate: Any
    turn: Any


def build_stage(pxr: Any, clips: list[Clip], still: bool) -> Any:
    """A Usd.Stage in memory; `still` leaves the way over the ground out. It owns its root layer."""
    fps = clips[0].fps
    stage = _new_stage(pxr, fps, max((len(clip) - 1) * fps / clip.fps for clip in clips))
    rig = _rig(pxr, stage, clips[0].skeleton, moving=not still)
    chooser = None
    if len(clips) > 1:
        chooser = stage.GetPrimAtPath(HORSE).GetVariantSets().AddVariantSet(CLIP_SET)
    names = prim_names([clip.name for clip in clips])
    corners: list[NDArray[np.float64]] = []
    for clip, name in zip(clips, names, strict=True):
        local = in_place(clip)
        corners += [local.positions.min(axis=(0, 1)), local.positions.max(axis=(0, 1))]
        times = np.arange(len(clip)) * (fps / clip.fps)
        _animation(rig, f"{CLIPS}/{name}", local, times)
        with _variant(chooser, name):
            targets = [pxr.Sdf.Path(f"{CLIPS}/{name}")]
            pxr.UsdSkel.BindingAPI(rig.skeleton).CreateAnimationSourceRel().SetTargets(targets)
            if not still:
                # A clip that was in place before it came here has no way to write.
                _way(rig, None if local is clip else track_of(clip), times)
    if chooser is not None:
        chooser.SetVariantSelection(names[0])
    box = _extent(pxr, np.array(corners), MARGIN)
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


def _variant(chooser: Any, name: str) -> AbstractContextManager[Any]:
    """Where the opinions of one clip go: into its variant, or beside all others where there is one clip."""
    if chooser is None:
        return nullcontext()
    chooser.AddVariant(name)
    chooser.SetVariantSelection(name)
    return chooser.GetVariantEditContext()


def _rig(pxr: Any, stage: Any, skeleton: Skeleton, moving: bool) -> _Rig:
    way = pxr.UsdGeom.Xform.Define(stage, ROOT)
    pxr.UsdSkel.Root.Define(stage, BODY)
    joints = written_joints(skeleton)
    tokens = joint_paths(skeleton, joints)
    # The rest pose stands on the ground, so that it can be seen there without its animation.
    lift = np.array([0.0, -skeleton.rest_positions()[:, 1].min(), 0.0])
    made = pxr.UsdSkel.Skeleton.Define(stage, SKELETON)
    made.CreateJointsAttr(tokens)
    made.CreateJointNamesAttr([readable(skeleton.names[j]) for j in joints])
    offsets = np.where(np.arange(len(joints))[:, None] == 0, lift, skeleton.offsets[joints])
    made.CreateRestTransformsAttr(_shifts(pxr, offsets))
    made.CreateBindTransformsAttr(_shifts(pxr, skeleton.rest_positions()[joints] + lift))
    pxr.UsdSkel.BindingAPI.Apply(made.GetPrim())
    _bones(pxr, stage, skeleton, joints, lift)
    pxr.UsdGeom.Scope.Define(stage, CLIPS)
    if not moving:
        return _Rig(pxr, stage, joints, tokens, made, None, None)
    double = pxr.UsdGeom.XformOp.PrecisionDouble
    return _Rig(pxr, stage, joints, tokens, made, way.AddTranslateOp(double), way.AddRotateYOp(double))


def _bones(pxr: Any, stage: Any, skeleton: Skeleton, joints: list[int], lift: NDArray[np.float64]) -> None:
    """The octahedra of `bone_mesh`, each wholly on the joint at its head."""
    bones = bone_mesh(skeleton)
    points = bones.points + lift
    mesh = pxr.UsdGeom.Mesh.Define(stage, BONES)
    mesh.CreatePointsAttr(_vectors(pxr, points))
    mesh.CreateNormalsAttr(_vectors(pxr, bones.normals))
    mesh.SetNormalsInterpolation(pxr.UsdGeom.Tokens.vertex)
    mesh.CreateFaceVertexCountsAttr([3] * len(bones.triangles))
    mesh.CreateFaceVertexIndicesAttr(bones.triangles.ravel().tolist())
    mesh.CreateSubdivisionSchemeAttr(pxr.UsdGeom.Tokens.none)
    mesh.CreateExtentAttr(_extent(pxr, points))
    _paint(pxr, stage, mesh)
    skin = pxr.UsdSkel.BindingAPI.Apply(mesh.GetPrim())
    skin.CreateSkeletonRel().SetTargets([pxr.Sdf.Path(SKELETON)])
    skin.CreateGeomBindTransformAttr(_shifts(pxr, np.zeros((1, 3)))[0])
    places = np.searchsorted(joints, bones.nodes)
    skin.CreateJointIndicesPrimvar(False, 1).Set(places.tolist())
    skin.CreateJointWeightsPrimvar(False, 1).Set([1.0] * len(points))


def _paint(pxr: Any, stage: Any, mesh: Any) -> None:
    """The colour twice: viewers show displayColor, other programs only a material."""
    mesh.CreateDisplayColorAttr([COLOUR])
    look = pxr.UsdShade.Material.Define(stage, LOOK)
    surface = pxr.UsdShade.Shader.Define(stage, f"{LOOK}/Surface")
    surface.CreateIdAttr("UsdPreviewSurface")
    surface.CreateInput("diffuseColor", pxr.Sdf.ValueTypeNames.Color3f).Set(COLOUR)
    surface.CreateInput("roughness", pxr.Sdf.ValueTypeNames.Float).Set(0.9)
    look.CreateSurfaceOutput().ConnectToSource(surface.ConnectableAPI(), "surface")
    pxr.UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).Bind(look)


def _animation(rig: _Rig, path: str, local: Clip, times: NDArray[Any]) -> None:
    """One SkelAnimation: all three of translations, rotations and scales must be there to count."""
    made = rig.pxr.UsdSkel.Animation.Define(rig.stage, path)
    made.CreateJointsAttr(rig.tokens)
    made.CreateScalesAttr([(1.0, 1.0, 1.0)] * len(rig.joints))
    shifts = np.repeat(local.skeleton.offsets[rig.joints].astype(np.float32)[None], len(local), axis=0)
    shifts[:, 0] = local.origins
    turns = quat.continuous(quat.normalize(local.rotations[:, rig.joints])).astype(np.float32)
    translations, rotations = made.CreateTranslationsAttr(), made.CreateRotationsAttr()
    for time, shift, turn in zip(times.tolist(), shifts, turns, strict=True):
        translations.Set(_vectors(rig.pxr, shift), time)
        rotations.Set(rig.pxr.Vt.QuatfArray.FromNumpy(turn), time)  # memory order x y z w, as ours


def _way(rig: _Rig, track: Track | None, times: NDArray[Any]) -> None:
    """Time samples of the Root above the body; `track` None: it stays at the origin."""
    if track is None:
        rig.translate.Set((0.0, 0.0, 0.0))
        rig.turn.Set(0.0)
        return
    degrees = np.degrees(np.unwrap(track.yaw))
    for time, place, angle in zip(times.tolist(), track.positions.tolist(), degrees.tolist(), strict=True):
        rig.translate.Set(tuple(place), time)
        rig.turn.Set(angle, time)


def _vectors(pxr: Any, values: NDArray[Any]) -> Any:
    return pxr.Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(values, np.float32))


def _shifts(pxr: Any, offsets: NDArray[np.float64]) -> Any:
    """Matrices that move by offsets (n, 3); USD multiplies rows, so the shift stands in the last one."""
    matrices = np.tile(np.eye(4), (len(offsets), 1, 1))
    matrices[:, 3, :3] = offsets
    return pxr.Vt.Matrix4dArray.FromNumpy(matrices)


def _extent(pxr: Any, points: NDArray[Any], margin: float = 0.0) -> Any:
    return _vectors(pxr, np.stack([points.min(axis=0) - margin, points.max(axis=0) + margin]))
