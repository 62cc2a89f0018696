"""glTF loose joints: feet for inverse kinematics and the like, and the nodes that they move with.

Such a joint is a child of the root and is moved by its translation, which the bones of a clip cannot do.
Often it keeps its place against another joint, as a foot does against the lower leg that reaches for it; made
a child of that joint it moves as in the file. This is decided once for a file, from all of its animations, so
that its clips share one tree.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hoofbeat.errors import GltfError
from hoofbeat.formats.gltf.reader.local import Local, sample_local
from hoofbeat.formats.gltf.reader.nodes import Nodes
from hoofbeat.formats.gltf.reader.reparent import Reparenting, frames_of, reparent, reparented
from hoofbeat.formats.gltf.reader.rig import ReadRig
from hoofbeat.formats.gltf.reader.track import Animations
from hoofbeat.maths import quat

Floats = NDArray[np.float64]

#: A joint that strays less than this from its mean place, as part of the mean bone, is not loose. (Straying
#: is root mean square, and bones are those that keep their length.)
LOOSE = 0.02
#: It is reparented where it strays at most this part of what it strays now, ...
STEADIER = 0.15
#: ... at most this part of the bone, or of the mean one where that is longer, ...
STEADY = 0.1
#: ... where the bone is at most so many times the longest there is, ...
REACH = 1.5
#: ... and to nothing that is itself loose by more than this part of what the joint strays.
ANCHORED = 0.5
#: Nodes are equally good where they differ by less than this part of the mean bone.
TIE = 1e-3
#: Loose joints looked at, and how often: one may keep its place against another that was reparented before
#: it.
MAX_LOOSE, ROUNDS = 64, 3
#: Animations looked at and frames of each; nodes times animations; joints times nodes times frames.
MAX_ANIMATIONS, MAX_FRAMES, MAX_SAMPLED, MAX_COMPARED = 32, 32, 2**13, 2**22


def find_reparenting(
    nodes: Nodes, rig: ReadRig, paths: set[tuple[int, str]], animations: Animations
) -> Reparenting:
    """The rig with its loose joints made children of the nodes that they move with, as far as there are such.

    paths: what the animations move. An animation that is broken is passed over: it fails where it is asked
    for.
    """
    if not _may_be_loose(rig, {node for node, path in paths if path == "translation"}):
        return reparent(rig, {})
    most = min(max(MAX_SAMPLED // len(rig.nodes), 1), MAX_ANIMATIONS, len(animations.items))
    numbers = np.linspace(0, len(animations.items) - 1, most).astype(np.int64)
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is not steady
        found = [_sampled(nodes, rig, animations, number) for number in numbers.tolist()]
        samples = [local for local in found if local is not None]
        return _reparented(rig, samples) if samples else reparent(rig, {})


def _may_be_loose(rig: ReadRig, moved: set[int]) -> bool:
    """Whether nodes are moved so that a joint could be lost: in many files none, and they cost no more."""
    trunk = rig.trunk()
    siblings = [j for j, parent in enumerate(rig.parents) if parent in trunk[:-1] and j not in trunk]
    displaced = any(node in moved for j, node in enumerate(rig.nodes) if j not in trunk)
    return displaced or (bool(siblings) and any(rig.nodes[j] in moved for j in trunk[1:]))


def _sampled(nodes: Nodes, rig: ReadRig, animations: Animations, number: int) -> Local | None:
    """A few frames of one animation, or None where it is broken."""
    try:
        animation = animations.animation(number)
        start, stop = animation.span(set(rig.nodes))
        at = np.linspace(start, stop, MAX_FRAMES if stop > start else 1)
        return sample_local(nodes, rig, animation, at)[0]
    except GltfError:
        return None


def _reparented(rig: ReadRig, samples: list[Local]) -> Reparenting:
    """The rig with what is loose in these samples reparented, round by round."""
    reparenting = reparent(rig, {})
    for _ in range(ROUNDS):
        more = _Search(reparenting.rig, [reparented(local, reparenting) for local in samples]).new_parents()
        if not more:
            break
        order = reparenting.order
        new_parents = reparenting.new_parents | {order[j]: order[parent] for j, parent in more.items()}
        reparenting = reparent(rig, dict(sorted(new_parents.items())))
    return reparenting


class _Search:
    """Which joints are loose, and what each moves with. F frames of all animations, J nodes."""

    def __init__(self, rig: ReadRig, samples: list[Local]) -> None:
        self.rig = rig
        frames = [_frames(local) for local in samples]
        # In root space: places in the file, places as a clip would have them, and turns.
        self.places = np.concatenate([places for places, _, _ in frames])  # (F, J, 3)
        self.clip_places = np.concatenate([clip_places for _, clip_places, _ in frames])  # (F, J, 3)
        self.turns = np.concatenate([turns for _, _, turns in frames])  # (F, J, 4)
        lengths = np.linalg.norm(self.places[:, 1:] - self.places[:, rig.parents[1:]], axis=2)  # (F, J - 1)
        bones, strays = lengths.mean(axis=0), lengths.std(axis=0)
        kept = bones[strays <= LOOSE * bones].tolist()
        self.mean_bone, self.longest = float(np.mean(kept or [0.0])), max(kept, default=0.0)
        self.loose = self._loose({j for local in samples for j in _lost(local)})
        # What moves along with the body is no parent for a joint, nor is the tip of a bone.
        self.barred = np.array(rig.ends)
        self.barred[[j for local in samples for j in local.trunk[:-1]]] = True

    def new_parents(self) -> dict[int, int]:
        """New parents by joint."""
        found: dict[int, int] = {}
        for j, (strays, away) in self._candidates().items():
            if (parent := self._best(j, strays, away, found)) is not None:
                found[j] = parent
        return found

    def _loose(self, lost: set[int]) -> dict[int, float]:
        """How far each loose joint strays against its parent, the loosest first."""
        below = self.rig.sizes()
        trunk = self.rig.trunk()
        found: dict[int, float] = {}
        for j in sorted(lost - set(trunk)):
            # A joint with half of the nodes below it is the body, and no foot.
            if not self.rig.ends[j] and 2 * below[j] <= len(below):
                strays = float(self._against(j, [self.rig.parents[j]], slice(None))[0][0])
                if strays > LOOSE * self.mean_bone:
                    found[j] = strays
        return {j: found[j] for j in sorted(found, key=found.__getitem__, reverse=True)}

    def _against(self, j: int, nodes: list[int] | slice, frames: slice) -> tuple[Floats, Floats]:
        """How far joint j strays (N,) from its mean place against each of the nodes, and how far it is."""
        turns, clip_places = self.turns[frames, nodes], self.clip_places[frames, nodes]
        away = quat.rotate(quat.inverse(turns), self.places[frames, j, None] - clip_places)  # (F, N, 3)
        mean = away.mean(axis=0)
        strays = np.sqrt(((away - mean) ** 2).sum(axis=2).mean(axis=0))
        return strays, np.linalg.norm(mean, axis=1)

    def _candidates(self) -> dict[int, tuple[Floats, Floats]]:
        """How far a loose joint strays against each node, inf where that is too far, and the bone."""
        most = list(self.loose.items())[:MAX_LOOSE]
        count = len(self.places) * len(self.rig.nodes) * len(most)
        frames = slice(None, None, max(1, -(-count // MAX_COMPARED)))
        found: dict[int, tuple[Floats, Floats]] = {}
        for j, now in most:
            strays, away = self._against(j, slice(None), frames)
            bone = np.maximum(away, self.mean_bone)
            good = (strays <= STEADIER * now) & (strays <= STEADY * bone) & (away <= REACH * self.longest)
            good &= ~self.barred
            if good.any():
                found[j] = np.where(good, strays, np.inf), away
        return found

    def _best(self, j: int, strays: Floats, away: Floats, found: dict[int, int]) -> int | None:
        """The steadiest node that is not below joint j, nor lost itself; the end of a chain if equal."""
        parents = [found.get(node, parent) for node, parent in enumerate(self.rig.parents)]
        order, _ = self.rig.reparented(found)
        barred = np.zeros(len(parents), bool)
        for node in order:
            # This bars the joint itself, too, and with it all that is below it.
            lost = node not in found and self.loose.get(node, 0.0) > ANCHORED * self.loose[j]
            barred[node] = lost or (node > 0 and barred[parents[node]])
        strays = np.where(barred, np.inf, strays)
        best = float(strays.min())
        if best == np.inf:
            return None
        inner = {parent for node, parent in enumerate(parents) if not self.rig.ends[node]}
        equal = np.flatnonzero(strays <= best + TIE * self.mean_bone).tolist()
        return min(equal, key=lambda node: (node in inner, float(away[node]), node))


def _frames(local: Local) -> tuple[Floats, Floats, Floats]:
    """Places of all nodes (T, J, 3) in the file, places as a clip would have them, and turns (T, J, 4)."""
    shape = local.rotations.shape[:2]
    found = frames_of(local, range(shape[1]))
    places, turns = np.empty((*shape, 3)), np.empty((*shape, 4))
    for j, (place, turn) in found.items():
        places[:, j], turns[:, j] = place, turn
    # The root follows the body, and the trunk above the body moves along.
    clip_places, shift = places.copy(), np.zeros((1, 3))
    for j in reversed(local.trunk):
        clip_places[:, j] += shift
        if j and j in local.tracks:
            step = quat.rotate(turns[:, local.rig.parents[j]], local.tracks[j] - local.rests[j])
            shift = shift + local.units[j] * step
    return places, clip_places, turns


def _lost(local: Local) -> set[int]:
    """Joints that a clip would not have where they are: what moves by itself, and what moves along."""
    upper = local.trunk[:-1]
    siblings = {j for j, parent in enumerate(local.rig.parents) if parent in upper}
    return (set(local.tracks) | siblings) - set(local.trunk)
