"""glTF motion: one animation of a rig as joint rotations, bone offsets and the way of the root.

A clip's bones keep their length, and only its root moves; a glTF may move and scale every node. What
cannot be kept is held at its mean, and the complaints say so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.errors import GltfError
from hoofbeat.formats.gltf_nodes import Nodes, Rest
from hoofbeat.formats.gltf_rig import Rig
from hoofbeat.formats.gltf_track import Animation
from hoofbeat.maths import quat

Floats = NDArray[np.float64]

#: A bone's translation or a scale may differ by this part before it counts as changed.
TOLERANCE = 1e-4
#: An animated translation this near to the rest pose, as part of the bone, is the rest pose.
SAME = 1e-5


@dataclass
class Motion:
    """Sampled motion. rotations (T, J, 4) xyzw local, the root's in the world; origins (T, 3); offsets
    (J, 3), all lengths in file units. ways: world transform (T, 3), (T, 4) of each node above the root
    that is animated. complaints: what was lost, one sentence each."""

    rotations: Floats
    origins: Floats
    offsets: Floats
    ways: dict[int, tuple[Floats, Floats]]
    complaints: list[str]


@np.errstate(over="ignore", invalid="ignore")  # what overflows fails the check of `checked`
def sample_motion(nodes: Nodes, rig: Rig, animation: Animation | None, at: Floats) -> Motion:
    """The rig at times `at` (T,) [s]; without an animation, its rest pose at each of them."""
    rests = [nodes.rest(index) for index in rig.nodes]
    scaling = _Scaling(nodes, animation, at)
    origin, turn, size, ways = _base(nodes, rig, animation, at, scaling)
    rotations = np.empty((len(at), len(rests), 4))
    for j, (index, rest) in enumerate(zip(rig.nodes, rests, strict=True)):
        track = animation.sample(index, "rotation", at) if animation else None
        rotations[:, j] = rest.rotation if track is None else track
    motion = Motion(rotations, origin, np.empty((len(rests), 3)), ways, [])
    moves = _Moves(rig, rests, animation, at)
    _place(motion, rig, moves, _sizes(rig, size, scaling), turn)
    rotations[:, 0] = quat.normalize(quat.mul(turn, rotations[:, 0]))
    rotations[:, rig.ends] = quat.identity()
    motion.complaints += scaling.complaints() + moves.complaints()
    return motion


class _Scaling:
    """Scales of nodes as one number each; what is not one number is noted."""

    def __init__(self, nodes: Nodes, animation: Animation | None, at: Floats) -> None:
        self.nodes, self.animation, self.at = nodes, animation, at
        self._uneven: list[str] = []
        self._changing: list[str] = []

    def factor(self, index: int) -> float:
        rest = self.nodes.rest(index).scale
        track = self.animation.sample(index, "scale", self.at) if self.animation else None
        scale = np.atleast_2d(rest if track is None else track)
        if (scale < 0).any():
            message = f"{self.nodes.label(index)} is mirrored (negative scale), which joints cannot be"
            raise self.nodes.items[index].fail(f"{message}; apply transforms before the export", "scale")
        mean = scale.mean(axis=0)
        if np.ptp(scale, axis=0).max() > TOLERANCE * max(mean.max(), TOLERANCE):
            self._changing.append(self.nodes.label(index))
        elif np.ptp(mean) > TOLERANCE * mean.max():
            self._uneven.append(self.nodes.label(index))
        return float(np.cbrt(mean.prod()))

    def complaints(self) -> list[str]:
        """Nodes whose scale is not one number."""
        found: list[str] = []
        if self._changing:
            found.append(f"the scale of {listed(self._changing)} changes; its mean is taken")
        if self._uneven:
            found.append(f"the scale of {listed(self._uneven)} differs by axis; its geometric mean is taken")
        return found


def _base(
    nodes: Nodes, rig: Rig, animation: Animation | None, at: Floats, scaling: _Scaling
) -> tuple[Floats, Floats, float, dict[int, tuple[Floats, Floats]]]:
    """World transform of the space the root is in: position (T, 3), rotation (T, 4), scale; and ways.

    While nothing moves, T is 1, so that long chains of static nodes cost little.
    """
    position, turn, size = np.zeros((1, 3)), quat.identity((1,)), 1.0
    ways: dict[int, tuple[Floats, Floats]] = {}
    for index in rig.above:
        rest = nodes.rest(index)
        move = animation.sample(index, "translation", at) if animation else None
        rotation = animation.sample(index, "rotation", at) if animation else None
        position = position + size * quat.rotate(turn, rest.translation if move is None else move)
        turn = quat.mul(turn, rest.rotation if rotation is None else rotation)
        size *= scaling.factor(index)
        if move is not None or rotation is not None:
            ways[index] = np.broadcast_to(position, (len(at), 3)), np.broadcast_to(turn, (len(at), 4))
    return np.broadcast_to(position, (len(at), 3)), turn, size, ways


def _sizes(rig: Rig, size: float, scaling: _Scaling) -> Floats:
    """Length of one unit of each node's space in the world; a leaf's own scale moves nothing."""
    sizes = np.full(len(rig.nodes), size)
    inner = set(rig.parents)
    for j, index in enumerate(rig.nodes):
        above = sizes[rig.parents[j]] if j else size
        sizes[j] = above * (scaling.factor(index) if j in inner else 1.0)
    return np.concatenate([sizes, [size]])  # the last one is the root's parent, index -1


class _Moves:
    """Translations of nodes relative to their parents, as a constant and, where it matters, a track."""

    def __init__(self, rig: Rig, rests: list[Rest], animation: Animation | None, at: Floats) -> None:
        self.rests, self.rig = rests, rig
        bones = [float(np.linalg.norm(rest.translation)) for rest in rests[1:]]
        mean_bone = float(np.mean(bones)) if bones else 1.0
        self.tracks: dict[int, Floats] = {}
        self.fixed = [rest.translation for rest in rests]
        self.trunk = rig.trunk()
        for j, index in enumerate(rig.nodes):
            track = animation.sample(index, "translation", at) if animation else None
            bone = max(float(np.linalg.norm(rests[j].translation)), mean_bone)
            if track is None or (j and np.abs(track - rests[j].translation).max() <= SAME * bone):
                continue
            self.fixed[j] = track.mean(axis=0)
            if j in self.trunk or np.abs(track - self.fixed[j]).max() > TOLERANCE * bone:
                self.tracks[j] = track
        while len(self.trunk) > 1 and self.trunk[-1] not in self.tracks:
            self.trunk.pop()

    def complaints(self) -> list[str]:
        """Joints whose translation is lost, and those that move along with a trunk they are not part of."""
        names, found = self.rig.names, list[str]()
        if lost := [names[j] for j in self.tracks if j not in self.trunk]:
            found.append(f"{listed(lost)} move against their parents; their mean place is kept")
        upper, body = set(self.trunk[:-1]), names[self.trunk[-1]]
        beside = [names[j] for j, p in enumerate(self.rig.parents) if p in upper and j not in self.trunk]
        if beside:
            cure = f"(root={body!r} omits them)"
            found.append(f"the root follows {body}, so {listed(beside)} move along {cure}")
        return found


def _place(motion: Motion, rig: Rig, moves: _Moves, sizes: Floats, base: Floats) -> None:
    """Offsets and the way of the root; `motion.origins` comes in as that of the root's parent."""
    for j, parent in enumerate(rig.parents):
        follows = j in moves.trunk and j in moves.tracks
        motion.offsets[j] = sizes[parent] * (moves.rests[j].translation if follows else moves.fixed[j])
    # Each trunk node's own move is added to the root's way, so that all below it is where it should be.
    turn = base
    for j in moves.trunk:
        rest = moves.rests[j].translation
        move = moves.tracks.get(j)
        if j == 0:
            step = np.broadcast_to(rest, (1, 3)) if move is None else move
        else:
            step = None if move is None else move - rest
        if step is not None:
            motion.origins = motion.origins + sizes[rig.parents[j]] * quat.rotate(turn, step)
        turn = quat.mul(turn, motion.rotations[:, j])


def checked(motion: Motion, limit: float, path: str) -> None:
    """Positions must be finite and within `limit` of the origin."""
    for what, values in (("root", motion.origins), ("offset of a joint", motion.offsets)):
        if not np.abs(values).max() <= limit:  # also where NaN
            raise GltfError(f"the {what} is beyond {limit:g} m; check the file and scale", path)


def listed(names: list[str]) -> str:
    """Names in a sentence, the first four where there are many."""
    more = f" and {len(names) - 4} more" if len(names) > 5 else ""
    return ", ".join(names[: 4 if more else 5]) + more
