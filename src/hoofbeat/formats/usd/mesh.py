"""USD body: the mesh of a skeleton, its skin or, where there is none, its bones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.mesh.bones import bone_mesh
from hoofbeat.body.mesh.skin import Skin
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.formats.gltf.writer.mesh import BONE, ROUGH_BONE, ROUGH_COAT, WHOLE, joints_and_weights, linear

LOOK = "/Horse/Look"


def body_mesh(
    pxr: Any,
    stage: Any,
    parent: str,
    animal: tuple[Skeleton, Skin | None],
    joints: list[int],
    lift: NDArray[np.float64],
) -> None:
    """A Mesh below `parent`, bound to the Skeleton there; `lift` [m] brings the rest pose onto the ground."""
    skeleton, skin = animal
    if skin is None:
        bones = bone_mesh(skeleton)
        mesh = _mesh(pxr, stage, f"{parent}/Bones", (bones.points + lift, bones.normals, bones.triangles))
        mesh.CreateDisplayColorAttr([BONE[:3]])
        _paint(pxr, stage, mesh, ROUGH_BONE, BONE[:3])
        nodes, weights = np.searchsorted(joints, bones.nodes)[:, None], np.ones((len(bones.points), 1))
    else:
        mesh = _mesh(pxr, stage, f"{parent}/Skin", (skin.vertices + lift, skin.normals, skin.triangles))
        colours = mesh.CreateDisplayColorPrimvar(pxr.UsdGeom.Tokens.vertex)
        colours.Set(vectors(pxr, linear(skin.colours)[:, :3]))
        _paint(pxr, stage, mesh, ROUGH_COAT, None)
        nodes, parts = joints_and_weights(skin, joints)
        weights = parts / WHOLE
    binding = pxr.UsdSkel.BindingAPI.Apply(mesh.GetPrim())
    binding.CreateSkeletonRel().SetTargets([pxr.Sdf.Path(f"{parent}/Skeleton")])
    binding.CreateGeomBindTransformAttr(shifts(pxr, np.zeros((1, 3)))[0])
    count = nodes.shape[1]
    binding.CreateJointIndicesPrimvar(False, count).Set(nodes.ravel().tolist())
    binding.CreateJointWeightsPrimvar(False, count).Set(weights.ravel().tolist())


def reach_of(skin: Skin) -> float:
    """The farthest [m] that a vertex is from a joint that it is bound to; in no pose is it farther."""
    rest = skin.skeleton.rest_positions()[skin.joints.astype(np.int64)]  # (V, 4, 3)
    away = np.linalg.norm(skin.vertices[:, None] - rest, axis=-1)
    return float((away * (skin.weights > 0)).max())


def vectors(pxr: Any, values: NDArray[Any]) -> Any:
    """Rows of three as USD has them."""
    return pxr.Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(values, np.float32))


def shifts(pxr: Any, offsets: NDArray[np.float64]) -> Any:
    """Matrices that move by offsets (n, 3); USD multiplies rows, so the shift stands in the last one."""
    matrices = np.tile(np.eye(4), (len(offsets), 1, 1))
    matrices[:, 3, :3] = offsets
    return pxr.Vt.Matrix4dArray.FromNumpy(matrices)


def extent(pxr: Any, points: NDArray[Any], margin: float = 0.0) -> Any:
    """The box around points (n, 3), wider by a margin [m] on every side."""
    return vectors(pxr, np.stack([points.min(axis=0) - margin, points.max(axis=0) + margin]))


def _mesh(pxr: Any, stage: Any, path: str, shape: tuple[Any, Any, Any]) -> Any:
    points, normals, triangles = shape
    mesh = pxr.UsdGeom.Mesh.Define(stage, path)
    mesh.CreatePointsAttr(vectors(pxr, points))
    mesh.CreateNormalsAttr(vectors(pxr, normals))
    mesh.SetNormalsInterpolation(pxr.UsdGeom.Tokens.vertex)
    mesh.CreateFaceVertexCountsAttr([3] * len(triangles))
    mesh.CreateFaceVertexIndicesAttr(triangles.ravel().tolist())
    mesh.CreateSubdivisionSchemeAttr(pxr.UsdGeom.Tokens.none)
    mesh.CreateExtentAttr(extent(pxr, points))
    return mesh


def _paint(pxr: Any, stage: Any, mesh: Any, rough: float, colour: tuple[float, ...] | None) -> None:
    """The colour twice: viewers show displayColor, other programs only a material. None: the material has
    it from the vertices."""
    types = pxr.Sdf.ValueTypeNames
    look = pxr.UsdShade.Material.Define(stage, LOOK)
    surface = pxr.UsdShade.Shader.Define(stage, f"{LOOK}/Surface")
    surface.CreateIdAttr("UsdPreviewSurface")
    diffuse = surface.CreateInput("diffuseColor", types.Color3f)
    if colour is not None:
        diffuse.Set(tuple(colour))
    else:
        reader = pxr.UsdShade.Shader.Define(stage, f"{LOOK}/Colours")
        reader.CreateIdAttr("UsdPrimvarReader_float3")
        reader.CreateInput("varname", types.String).Set("displayColor")
        diffuse.ConnectToSource(reader.CreateOutput("result", types.Float3))
    surface.CreateInput("roughness", types.Float).Set(rough)
    look.CreateSurfaceOutput().ConnectToSource(surface.ConnectableAPI(), "surface")
    pxr.UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).Bind(look)
