"""Skin: the triangles of an animal and the joints that they are bound to, and how they move with a pose.

The skins that ship are built by `python -m hoofbeat.offline.body` from the drawings in data/bodies.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hoofbeat.body.skeleton import LEGS, Leg, Skeleton
from hoofbeat.errors import FileError, HoofbeatError, SkeletonError, UnknownName
from hoofbeat.maths.fk import Tree
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_kernels import ONE, TWO, ZERO, mul, rotate
from hoofbeat.maths.types import Floats, Int, Ints, Quat, Vec3
from hoofbeat.maths.vec import ORIGIN, add, divide, dot, length, put, put_quat, quat, scale, sub, vec
from hoofbeat.shipped import DATA

#: Where the built skins lie, one file for each animal and level.
BODIES = DATA / "bodies"
LEVELS = ("low", "medium", "high")
#: The schema of a skin's file.
FORMAT, VERSION = "hoofbeat skin", 1
#: Weights are whole numbers of this in the file, so that they add up exactly.
WHOLE = 65535
#: Two skeletons whose bones differ by more than this part are not the same animal in two sizes.
SAME_SHAPE = 1e-3


class SkinError(FileError):
    """A file that is not a skin, or not one of this version."""


class UnknownAnimal(UnknownName):
    """An animal that no skin is shipped for."""

    kind = "animal"


class UnknownLevel(UnknownName):
    """A level of detail that there is not."""

    kind = "level"


class UnknownCoat(UnknownName):
    """A coat that this animal does not have."""

    kind = "coat"


class UnknownPart(UnknownName):
    """A part that this skin does not have."""

    kind = "part"


@dataclass(frozen=True, eq=False)
class Skin:
    """Triangles around a skeleton in its rest pose (`skeleton.rest_positions()`); arrays are read-only.

    vertices (V, 3) float32 [m]; normals (V, 3) float32, unit, outward; colours (V, 4) uint8 sRGB and alpha;
    triangles (F, 3) uint32, counter-clockwise seen from outside; joints (V, 4) uint16, nodes of the
    skeleton; weights (V, 4) float32, the largest first, their sum 1; parts (F,) uint8, an index into
    `part_names`; `coats` are the names that `load_skin` knows for this animal.
    """

    name: str
    level: str
    coat: str
    skeleton: Skeleton
    vertices: NDArray[np.float32]
    normals: NDArray[np.float32]
    colours: NDArray[np.uint8]
    triangles: NDArray[np.uint32]
    joints: NDArray[np.uint16]
    weights: NDArray[np.float32]
    parts: NDArray[np.uint8]
    part_names: tuple[str, ...]
    coats: tuple[str, ...]

    def __post_init__(self) -> None:
        points, faces = len(self.vertices), len(self.triangles)
        shapes = {
            "vertices": (points, 3),
            "normals": (points, 3),
            "colours": (points, 4),
            "joints": (points, 4),
            "weights": (points, 4),
            "triangles": (faces, 3),
            "parts": (faces,),
        }
        for key, shape in shapes.items():
            array = getattr(self, key)
            if array.shape != shape:
                raise HoofbeatError(f"skin: {key} must be {shape}, is {array.shape}")
            array.setflags(write=False)
        if faces and int(self.triangles.max()) >= points:
            raise HoofbeatError(f"skin: a triangle names vertex {self.triangles.max()} of {points}")
        if points and int(self.joints.max()) >= len(self.skeleton):
            raise HoofbeatError(
                f"skin: a vertex is bound to node {self.joints.max()} of {len(self.skeleton)}"
            )

    def __repr__(self) -> str:
        return f"Skin({self.name}, {self.level}, {self.coat}, {len(self.triangles)} triangles)"

    def faces_of(self, part: str) -> NDArray[np.uint32]:
        """The triangles (K, 3) of one part."""
        if part not in self.part_names:
            raise UnknownPart(part, self.part_names)
        return self.triangles[self.parts == self.part_names.index(part)]


def animals() -> tuple[str, ...]:
    """Names of the animals whose skins are shipped, the horse first."""
    found = {path.stem.rpartition("-")[0] for path in BODIES.glob("*.npz")}
    return tuple(sorted(found, key=lambda name: (name != "horse", name)))


def load_skin(animal: str = "horse", level: str = "medium", coat: str = "") -> Skin:
    """A shipped skin. level: low, medium or high; coat: one of the animal's, "" = its first."""
    if animal not in animals():
        raise UnknownAnimal(animal, animals())
    if level not in LEVELS:
        raise UnknownLevel(level, LEVELS)
    return read_skin(BODIES / f"{animal}-{level}.npz", coat)


def read_skin(path: Path, coat: str = "") -> Skin:
    """The skin in a file, in one of its coats ("" = the first)."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            found: dict[str, Any] = {name: archive[name] for name in archive.files}
        return _skin(found, coat, path)
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile) as problem:
        raise SkinError(f"not a skin: {problem}", path) from None


def _skin(found: dict[str, Any], coat: str, path: Path) -> Skin:
    if str(found["format"]) != FORMAT or int(found["version"]) != VERSION:
        raise SkinError(f"expected {FORMAT} version {VERSION}; build it again", path)
    coats = tuple(str(name) for name in found["coats"])
    if coat and coat not in coats:
        raise UnknownCoat(coat, coats)
    rgb = found["colours"][coats.index(coat or coats[0])]
    colours = np.concatenate([rgb, np.full((len(rgb), 1), 255, np.uint8)], axis=1)
    normals = found["normals"].astype(np.float32)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    legs = [Leg(name, *(int(v) for v in row)) for name, row in zip(LEGS, found["legs"], strict=True)]
    # Triangles are kept as steps from the one before, which pack into half the space.
    triangles = np.cumsum(found["triangles"], axis=0, dtype=np.int64).astype(np.uint32)
    return Skin(
        name=str(found["name"]),
        level=str(found["level"]),
        coat=coat or coats[0],
        skeleton=Skeleton(
            [str(name) for name in found["names"]], found["parents"], found["offsets"], found["ends"], legs
        ),
        vertices=(found["vertices"] * float(found["unit"])).astype(np.float32),
        normals=normals,
        colours=colours,
        triangles=triangles,
        joints=found["joints"].astype(np.uint16),
        weights=(found["weights"] / np.float64(WHOLE)).astype(np.float32),
        parts=found["parts"],
        part_names=tuple(str(name) for name in found["part_names"]),
        coats=coats,
    )


def skin_arrays(skin: Skin, coats: dict[str, NDArray[np.uint8]], unit: float) -> dict[str, NDArray[Any]]:
    """The arrays of a skin's file: `coats` has colours (V, 3) by name; unit: the step of a place [m]."""
    skeleton = skin.skeleton
    parts = whole_parts(skin.weights)
    steps = np.diff(skin.triangles.astype(np.int64), axis=0, prepend=0)
    return {
        "format": np.array(FORMAT),
        "version": np.array(VERSION),
        "name": np.array(skin.name),
        "level": np.array(skin.level),
        "names": np.array(skeleton.names),
        "parents": skeleton.parents,
        "offsets": skeleton.offsets,
        "ends": skeleton.ends,
        "legs": np.array([(leg.top, leg.mid, leg.low, leg.pastern, leg.toe) for leg in skeleton.legs]),
        "unit": np.array(unit),
        "vertices": np.round(skin.vertices / unit).astype(np.int16),
        "normals": np.round(skin.normals * 127).astype(np.int8),
        "triangles": steps.astype(np.int32),
        "joints": skin.joints.astype(np.uint8),
        "weights": parts.astype(np.uint16),
        "parts": skin.parts,
        "part_names": np.array(skin.part_names),
        "coats": np.array(list(coats)),
        "colours": np.stack(list(coats.values())),
    }


def whole_parts(weights: NDArray[Any]) -> NDArray[np.int64]:
    """Weights (V, 4), the largest first, in whole parts of WHOLE that add up to it."""
    parts = np.round(weights.astype(np.float64) * WHOLE).astype(np.int64)
    parts[:, 0] += WHOLE - parts.sum(axis=1)
    return parts


def skinned(
    skin: Skin, skeleton: Skeleton, positions: ArrayLike, rotations: ArrayLike
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Vertices (T, V, 3) [m] and unit normals (T, V, 3) of poses, world, by linear blending.

    positions (T, J, 3) [m] world; rotations (T, J, 4) xyzw local, the root's in the world, as in a Clip.
    One pose, (J, 3) and (J, 4), gives (V, 3). The skeleton is the skin's own, in any size.
    """
    places = np.asarray(positions, np.float64)
    turns = np.ascontiguousarray(rotations, np.float32)
    single = places.ndim == 2
    if single:
        places, turns = places[None], turns[None]
    size = size_beside(skin.skeleton, skeleton)
    if places.shape[1:] != (len(skeleton), 3) or turns.shape != (*places.shape[:2], 4):
        raise HoofbeatError(
            f"poses must be (T, {len(skeleton)}, 3) and (T, {len(skeleton)}, 4), given {places.shape} and "
            f"{turns.shape}"
        )
    # Float32 is too coarse far from the origin: the kernel works about the root, and the root comes last.
    roots = places[:, :1].copy()
    vertices = np.empty((len(places), len(skin.vertices), 3), np.float32)
    normals = np.empty_like(vertices)
    blend_kernel(
        Tree(skeleton.parents, (skin.skeleton.rest_positions() * size).astype(np.float32)),
        np.ascontiguousarray(places - roots, np.float32),
        turns,
        Points(skin.vertices * np.float32(size), skin.normals, skin.joints, skin.weights),
        JointMatrices(
            np.empty((len(skeleton), 4), np.float32), np.empty((len(skeleton), 3, 4), np.float32)
        ),
        vertices,
        normals,
    )
    vertices = (vertices + roots).astype(np.float32)
    return (vertices[0], normals[0]) if single else (vertices, normals)


def size_beside(own: Skeleton, given: Skeleton) -> float:
    """How many times as long the bones of the given skeleton are; the two must be the same otherwise."""
    if own.names != given.names or not np.array_equal(own.parents, given.parents):
        raise SkeletonError("this skin belongs to another skeleton: the joints differ")
    size = float(np.linalg.norm(given.offsets) / np.linalg.norm(own.offsets))
    if np.abs(given.offsets - size * own.offsets).max() > SAME_SHAPE * size * np.abs(own.offsets).max():
        raise SkeletonError("this skin belongs to a skeleton of other proportions; only the size may differ")
    return size


#: Added to the length of a normal, so that none is divided by 0.
TINY = np.float32(1e-12)


class Points(NamedTuple):
    """A skin for kernels: vertices [m] and normals (V, 3) float32 at rest, joints and weights (V, 4)."""

    vertices: Floats
    normals: Floats
    joints: Ints
    weights: Floats


class JointMatrices(NamedTuple):
    """Scratch of one pose, float32: turns (J, 4) of the joints in root space, and matrices (J, 3, 4)."""

    turns: Floats
    matrices: Floats


@kernel
def joint_matrix(turn: Quat, rest: Vec3, position: Vec3, out: Floats) -> None:
    """What moves points at rest with a joint, out (3, 4); rest and position of the joint [m]."""
    x, y, z, w = turn
    out[0, 0], out[0, 1], out[0, 2] = (
        ONE - TWO * (y * y + z * z),
        TWO * (x * y - z * w),
        TWO * (x * z + y * w),
    )
    out[1, 0], out[1, 1], out[1, 2] = (
        TWO * (x * y + z * w),
        ONE - TWO * (x * x + z * z),
        TWO * (y * z - x * w),
    )
    out[2, 0], out[2, 1], out[2, 2] = (
        TWO * (x * z - y * w),
        TWO * (y * z + x * w),
        ONE - TWO * (x * x + y * y),
    )
    out[0, 3], out[1, 3], out[2, 3] = sub(position, rotate(turn, rest))


@kernel
def blend_point(points: Points, v: Int, matrices: Floats) -> tuple[Vec3, Vec3]:
    """Vertex v and its unit normal as its joints' matrices (J, 3, 4) move them."""
    point, normal = vec(points.vertices, v), vec(points.normals, v)
    place, side = ORIGIN, ORIGIN
    for k in range(4):
        share = points.weights[v, k]
        if share > ZERO:
            m = matrices[points.joints[v, k]]
            x, y, z = vec(m, 0), vec(m, 1), vec(m, 2)
            moved = (dot(x, point) + m[0, 3], dot(y, point) + m[1, 3], dot(z, point) + m[2, 3])
            place = add(place, scale(moved, share))
            side = add(side, scale((dot(x, normal), dot(y, normal), dot(z, normal)), share))
    return place, divide(side, length(side) + TINY)


@kernel
def blend_kernel(
    tree: Tree,
    positions: Floats,
    rotations: Floats,
    points: Points,
    scratch: JointMatrices,
    out: Floats,
    out_normals: Floats,
) -> None:
    """Linear blend skinning; see `skinned`. All floats are float32; outputs are written in place.

    tree: parents, and rest positions in place of offsets; positions (T, J, 3), rotations (T, J, 4) local.
    """
    count, turns, matrices = len(tree.parents), scratch.turns, scratch.matrices
    for t in range(len(positions)):
        for j in range(count):
            turn, p = quat(rotations[t], j), tree.parents[j]
            if p >= 0:
                turn = mul(quat(turns, p), turn)
            put_quat(turns, j, turn)
            joint_matrix(turn, vec(tree.offsets, j), vec(positions[t], j), matrices[j])
        for v in range(len(points.vertices)):
            place, normal = blend_point(points, v, matrices)
            put(out[t], v, place)
            put(out_normals[t], v, normal)
