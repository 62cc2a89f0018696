"""glTF body: the mesh of a skeleton in a file, its skin or, where there is none, its bones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.mesh.bones import bone_mesh
from hoofbeat.body.mesh.skin import Skin
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.formats.gltf.writer.buffer import INDICES, VERTICES, Buffer

Floats = NDArray[np.float64]

#: Colour of the bones, linear RGBA.
BONE = (0.55, 0.42, 0.30, 1.0)
#: Roughness of bones and of a groomed coat.
ROUGH_BONE, ROUGH_COAT = 0.9, 0.68
#: Numbers in [0, 1] are written as whole parts of this.
WHOLE = 65535


def bones_body(buffer: Buffer, skeleton: Skeleton, root_at: Floats, joints: list[int]) -> dict[str, Any]:
    """Mesh and material of octahedral bones, each tied to one joint."""
    bones = bone_mesh(skeleton)
    joint_indices = np.zeros((len(bones.points), 4), _index_type(joints))
    joint_indices[:, 0] = np.searchsorted(joints, bones.nodes)
    weights = np.zeros((len(bones.points), 4), "<u1")
    weights[:, 0] = 255
    attributes = {
        "POSITION": buffer.add((bones.points + root_at).astype("<f4"), VERTICES, bounds=True),
        "NORMAL": buffer.add(bones.normals.astype("<f4"), VERTICES),
        "JOINTS_0": buffer.add(joint_indices, VERTICES),
        "WEIGHTS_0": buffer.add(weights, VERTICES, unit=True),
    }
    surface = {"baseColorFactor": list(BONE), "metallicFactor": 0.0, "roughnessFactor": ROUGH_BONE}
    return {
        "meshes": [{"name": "Bones", "primitives": [{"attributes": attributes, "material": 0}]}],
        "materials": [{"name": "Bone", "pbrMetallicRoughness": surface}],
    }


def skin_body(buffer: Buffer, skin: Skin, root_at: Floats, joints: list[int]) -> dict[str, Any]:
    """Mesh and material of a skin; its colours are on the vertices."""
    nodes, weights = joints_and_weights(skin, joints)
    colours = np.round(linear(skin.colours) * WHOLE).astype("<u2")
    attributes = {
        "POSITION": buffer.add((skin.vertices + root_at).astype("<f4"), VERTICES, bounds=True),
        "NORMAL": buffer.add(skin.normals.astype("<f4"), VERTICES),
        "COLOR_0": buffer.add(colours, VERTICES, unit=True),
        "JOINTS_0": buffer.add(nodes.astype(_index_type(joints)), VERTICES),
        "WEIGHTS_0": buffer.add(weights.astype("<u2"), VERTICES, unit=True),
    }
    faces = skin.triangles.reshape(-1, 1).astype("<u2" if len(skin.vertices) <= WHOLE else "<u4")
    shape = {"attributes": attributes, "indices": buffer.add(faces, INDICES), "material": 0}
    surface = {"metallicFactor": 0.0, "roughnessFactor": ROUGH_COAT}
    return {
        "meshes": [{"name": f"{skin.name}-{skin.level}", "primitives": [shape]}],
        "materials": [{"name": f"{skin.name}-{skin.coat}", "pbrMetallicRoughness": surface}],
    }


def joints_and_weights(skin: Skin, joints: list[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of each vertex (V, 4) the places in `joints` and the weights in whole parts of WHOLE, their sum WHOLE.

    A tip that is no joint is as its parent: it does not turn. Weights of 0 name the first joint.
    """
    place = {node: i for i, node in enumerate(joints)}
    parents = skin.skeleton.parents
    table = np.array([place.get(node, place.get(int(parents[node]), 0)) for node in range(len(parents))])
    weights = np.round(skin.weights.astype(np.float64) * WHOLE).astype(np.int64)
    weights[:, 0] += WHOLE - weights.sum(axis=1)
    nodes = np.where(weights > 0, table[skin.joints.astype(np.int64)], 0)
    return _merged(nodes, weights)


def _merged(
    nodes: NDArray[np.int64], weights: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """No joint twice at a vertex, which glTF forbids: the later of two gives its weight to the first."""
    for later in range(1, nodes.shape[1]):
        for first in range(later):
            same = (nodes[:, later] == nodes[:, first]) & (weights[:, later] > 0)
            weights[same, first] += weights[same, later]
            weights[same, later] = 0
            nodes[same, later] = 0
    return nodes, weights


def linear(colours: NDArray[np.uint8]) -> Floats:
    """sRGB bytes (V, 4) as linear light in [0, 1]; alpha as it is."""
    found = colours / 255.0
    rgb = found[:, :3]
    found[:, :3] = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return found


def _index_type(joints: list[int]) -> str:
    return "<u1" if len(joints) <= 256 else "<u2"
