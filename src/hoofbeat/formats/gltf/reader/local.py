"""glTF local transforms: sampled nodes of a rig against their parents, and what is above the root."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hoofbeat.formats.gltf.reader.nodes import Nodes
from hoofbeat.formats.gltf.reader.rig import ReadRig
from hoofbeat.formats.gltf.reader.track import Animation
from hoofbeat.maths import quat

Floats = NDArray[np.float64]
Transforms = dict[int, tuple[Floats, Floats]]

#: A bone's translation or a scale may differ by this part before it counts as changed.
TOLERANCE = 1e-4
#: An animated translation this near to the rest pose, as part of the bone, is the rest pose.
SAME = 1e-5


@dataclass
class _Base:
    """World transform of the space the root joint is in: origin (T, 3) and turn (T or 1, 4), in file units.

    ancestors: world transform (T, 3), (T, 4) of each node above the root that is animated. scaling: what was
    lost of scales, of these nodes and of the joints, one sentence each.
    """

    origin: Floats
    turn: Floats
    ancestors: Transforms
    scaling: list[str]


@dataclass
class Local:
    """Joints against their parents. rotations (T, J, 4) xyzw; units (J,): lengths in the world of one unit
    of their translations.

    Translations: rests and fixed, (3,) each, at rest and in the animation; where they change, tracks (T, 3)
    by joint. trunk: from the root down to the joint that the root follows.
    new_places: joints with another parent than in the file, and their place (T, 3) against it.
    """

    rig: ReadRig
    rotations: Floats
    units: Floats
    rests: list[Floats]
    fixed: list[Floats]
    tracks: dict[int, Floats]
    mean_bone: float
    new_places: dict[int, Floats] = field(default_factory=dict[int, Floats])

    def __post_init__(self) -> None:
        self.trunk = self.rig.trunk()
        while len(self.trunk) > 1 and self.trunk[-1] not in self.tracks:
            self.trunk.pop()

    def complaints(self) -> list[str]:
        """Joints whose translation is lost, and those that move along with a trunk they are not part of."""
        names, found = self.rig.names, list[str]()
        if lost := [names[j] for j in self.tracks if j not in self.trunk]:
            found.append(f"{listed_names(lost)} move against their parents; their mean place is kept")
        upper, body = set(self.trunk[:-1]), names[self.trunk[-1]]
        beside = [names[j] for j, p in enumerate(self.rig.parents) if p in upper and j not in self.trunk]
        if beside:
            cure = f"(root={body!r} omits them)"
            found.append(f"the root follows {body}, so {listed_names(beside)} move along {cure}")
        return found


def sample_local(nodes: Nodes, rig: ReadRig, animation: Animation | None, at: Floats) -> tuple[Local, _Base]:
    """The rig at times `at` (T,) [s]; without an animation, its rest pose at each of them."""
    rests = [nodes.rest(index) for index in rig.nodes]
    scaling = _Scaling(nodes, animation, at)
    base, size = _base(nodes, rig, animation, at, scaling)
    rotations = np.empty((len(at), len(rests), 4))
    for j, (index, rest) in enumerate(zip(rig.nodes, rests, strict=True)):
        track = animation.sample(index, "rotation", at) if animation else None
        rotations[:, j] = rest.rotation if track is None else track
    places = [rest.translation for rest in rests]
    fixed, tracks, mean_bone = _translations(rig, places, animation, at)
    units = _units(rig, size, scaling)
    base.scaling += scaling.complaints()
    return Local(rig, rotations, units, places, fixed, tracks, mean_bone), base


def _translations(
    rig: ReadRig, rests: list[Floats], animation: Animation | None, at: Floats
) -> tuple[list[Floats], dict[int, Floats], float]:
    """Translations of nodes relative to their parents, as a constant and, where it matters, a track."""
    bones = [float(np.linalg.norm(rest)) for rest in rests[1:]]
    mean_bone = float(np.mean(bones)) if bones else 1.0
    tracks: dict[int, Floats] = {}
    fixed = list(rests)
    trunk = rig.trunk()
    for j, index in enumerate(rig.nodes):
        track = animation.sample(index, "translation", at) if animation else None
        bone = max(float(np.linalg.norm(rests[j])), mean_bone)
        if track is None or (j and np.abs(track - rests[j]).max() <= SAME * bone):
            continue
        fixed[j] = track.mean(axis=0)
        if j in trunk or np.abs(track - fixed[j]).max() > TOLERANCE * bone:
            tracks[j] = track
    return fixed, tracks, mean_bone


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
            found.append(f"the scale of {listed_names(self._changing)} changes; its mean is used")
        if self._uneven:
            found.append(
                f"the scale of {listed_names(self._uneven)} differs by axis; its geometric mean is used"
            )
        return found


def _base(
    nodes: Nodes, rig: ReadRig, animation: Animation | None, at: Floats, scaling: _Scaling
) -> tuple[_Base, float]:
    """The space the root is in, and its scale.

    While nothing moves, T is 1, so that long chains of static nodes cost little.
    """
    position, turn, size = np.zeros((1, 3)), quat.identity((1,)), 1.0
    ancestors: Transforms = {}
    for index in rig.above:
        rest = nodes.rest(index)
        move = animation.sample(index, "translation", at) if animation else None
        rotation = animation.sample(index, "rotation", at) if animation else None
        position = position + size * quat.rotate(turn, rest.translation if move is None else move)
        turn = quat.mul(turn, rest.rotation if rotation is None else rotation)
        size *= scaling.factor(index)
        if move is not None or rotation is not None:
            ancestors[index] = np.broadcast_to(position, (len(at), 3)), np.broadcast_to(turn, (len(at), 4))
    return _Base(np.broadcast_to(position, (len(at), 3)), turn, ancestors, []), size


def _units(rig: ReadRig, size: float, scaling: _Scaling) -> Floats:
    """Length in the world of one unit of the space each node is in; a leaf's own scale moves nothing."""
    sizes = np.full(len(rig.nodes), size)
    inner = set(rig.parents)
    for j, index in enumerate(rig.nodes):
        above = sizes[rig.parents[j]] if j else size
        sizes[j] = above * (scaling.factor(index) if j in inner else 1.0)
    return np.array([size, *sizes[rig.parents[1:]]])


def listed_names(names: list[str]) -> str:
    """Names in a sentence, the first four where there are many."""
    more = f" and {len(names) - 4} more" if len(names) > 5 else ""
    return ", ".join(names[: 4 if more else 5]) + more
