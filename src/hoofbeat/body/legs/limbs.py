"""Limbs: branches of a skeleton that come in twos, with bones of the same lengths, and those that stand.

Spine, neck and tail have no twin; legs, arms, wings and ears do. Nothing here has a unit: all limits are
parts of a length of the animal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.legs.chains import LEAST_NODES, ancestors
from hoofbeat.body.skeleton import Skeleton

#: Bones of twins differ by this part of their sum at most.
TWIN = 0.12
#: A foot's level is this percentile of its heights. A leg comes within the second of the ground [its length].
LEVEL_PERCENTILE, REACH = 10.0, 0.3
#: Limbs shorter than this part of the longest (ears, jaws, fingers) are no legs.
LEAST_LENGTH = 0.4
#: Ends of two limbs that stay this near to each other are one leg twice (control bones) [its length].
SAME = 0.1
#: The end of a limb is low among the ends that are at least this part of the longest path down; ends that
#: differ by less than the second part of it are equally low.
LEAST_PATH, LEVEL = 0.6, 0.01
#: A last bone shorter than this part of the limb that points up is a tuft, not the end.
TUFT = 0.15
#: An end this far below the first joint is stood on [the limb's length].
UPRIGHT = 0.6
#: The poses that stand: a foot this far below its limb's first joint, as percentile of the clip.
STANDING = 85.0
#: A foot that is a child of another joint is at most this far from the leg above it [the leg's own length].
LOOSE = 2.0
#: So many chains are named in a message.
SHOWN = 8

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Limb:
    """Nodes from the first joint of a limb to its end, and the bones between them.

    `lengths` as in the skeleton; `level` is the height at which the end stands.
    """

    nodes: tuple[int, ...]
    lengths: tuple[float, ...]
    level: float

    @property
    def length(self) -> float:
        """Bones from the first joint to the end."""
        return sum(self.lengths)


def limbs_below(skeleton: Skeleton, places: Floats) -> list[Limb]:
    """Every limb, first ones down from the root, of positions (S, J, 3); branches inside one do not count."""
    children: list[list[int]] = [[] for _ in skeleton.names]
    for node in range(1, len(skeleton)):
        children[int(skeleton.parents[node])].append(node)
    bones = np.linalg.norm(skeleton.offsets, axis=1)
    level = np.percentile(places[:, :, 1], LEVEL_PERCENTILE, axis=0)  # (J,)
    found: list[Limb] = []
    trunk = [0]
    while trunk:
        own = [child for child in children[trunk.pop()] if children[child]]
        branches = {child: _branch(child, children, bones, level) for child in own if len(own) > 1}
        twins = {child for child in branches if _has_twin(child, branches, bones)}
        found += [_without_tuft(branches[child], places) for child in sorted(twins)]
        trunk += [child for child in own if child not in twins]
    return found


def standing(skeleton: Skeleton, limbs: list[Limb], places: Floats) -> list[Limb]:
    """The limbs that come down to the ground, each leg once; legs without feet get the feet below them."""
    limbs = [limb for limb in limbs if limb.length > 0 and len(limb.nodes) > 1]
    limbs = [limb for limb in _with_loose_feet(skeleton, limbs, places) if len(limb.nodes) >= LEAST_NODES]
    longest = max((limb.length for limb in limbs), default=0.0)
    limbs = [limb for limb in limbs if limb.length >= LEAST_LENGTH * longest]
    ground = min((limb.level for limb in limbs), default=0.0)
    return _once_each([limb for limb in limbs if limb.level - ground <= REACH * limb.length], places)


def outside(skeleton: Skeleton, limbs: list[Limb]) -> NDArray[np.bool_]:
    """The nodes (J,) that are in none of the limbs and below none."""
    inside = np.zeros(len(skeleton), bool)
    inside[[node for limb in limbs for node in limb.nodes]] = True
    for node in range(1, len(skeleton)):
        inside[node] |= inside[skeleton.parents[node]]
    return ~inside


def standing_poses(chain: Sequence[int], places: Floats) -> NDArray[np.bool_]:
    """The poses (S,) in which a chain is stood on: lying and sitting animals fold their legs."""
    tall = places[:, chain[0], 1] - places[:, chain[-1], 1]
    return tall >= np.percentile(tall, STANDING)


def difference(one: Sequence[float], two: Sequence[float]) -> float:
    """How much two rows of bone lengths differ, as part of their sum."""
    size = max(len(one), len(two))
    first, second = (np.pad(np.array(row), (0, size - len(row))) for row in (one, two))
    total = float(first.sum() + second.sum())
    return float(np.abs(first - second).sum()) / total if total > 0 else 1.0


def describe(skeleton: Skeleton, limbs: Sequence[Limb]) -> str:
    """Chains for a message: the limbs where there are any, else the chain from the root to every end."""
    chains = [(limb.nodes[0], limb.nodes[-1]) for limb in limbs]
    if not chains:
        inner = set(skeleton.parents.tolist())
        chains = [(0, node) for node in range(len(skeleton)) if node not in inner]
    lines = [f"{skeleton.names[first]} to {skeleton.names[last]}" for first, last in chains[:SHOWN]]
    more = f" and {len(chains) - SHOWN} more" if len(chains) > SHOWN else ""
    return ", ".join(lines) + more


def _branch(first: int, children: list[list[int]], bones: Floats, level: Floats) -> Limb:
    """The path from a node down to its end: the longest to one of the lowest ends."""
    down, above = {first: 0.0}, {first: -1}
    ends: list[int] = []
    ahead = [first]
    while ahead:
        node = ahead.pop()
        ahead += children[node]
        ends += [] if children[node] else [node]
        for child in children[node]:
            down[child], above[child] = down[node] + float(bones[child]), node
    longest = max(down[end] for end in ends)
    far = [end for end in ends if down[end] >= LEAST_PATH * longest]
    lowest = min(float(level[end]) for end in far) + LEVEL * longest
    line = [max((end for end in far if level[end] <= lowest), key=lambda end: (down[end], -end))]
    while above[line[-1]] >= 0:
        line.append(above[line[-1]])
    line.reverse()
    return Limb(tuple(line), tuple(float(bones[node]) for node in line[1:]), float(level[line[-1]]))


def _has_twin(child: int, branches: dict[int, Limb], bones: Floats) -> bool:
    own = (float(bones[child]), *branches[child].lengths)
    others = [(float(bones[other]), *limb.lengths) for other, limb in branches.items() if other != child]
    return any(difference(own, other) < TWIN for other in others)


def _without_tuft(limb: Limb, places: Floats) -> Limb:
    """The limb without a short last bone that points up where it stands: hair, a spur, a control."""
    nodes, lengths = limb.nodes, limb.lengths
    height = places[standing_poses(nodes, places)][:, list(nodes), 1].mean(axis=0)  # (N,)
    if height[0] - height[-1] < UPRIGHT * limb.length:
        return limb  # it lies, and up is unknown
    while len(nodes) > LEAST_NODES and lengths[-1] < TUFT * limb.length:
        if height[len(nodes) - 1] <= height[len(nodes) - 2]:
            break
        nodes, lengths = nodes[:-1], lengths[:-1]
    return Limb(nodes, lengths, float(np.percentile(places[:, nodes[-1], 1], LEVEL_PERCENTILE)))


def _once_each(limbs: list[Limb], places: Floats) -> list[Limb]:
    """Without limbs that end where a longer one ends: the same leg a second time, as rigs have it."""
    kept: list[Limb] = []
    for limb in sorted(limbs, key=lambda one: (-len(one.nodes), one.nodes)):
        gaps = [np.linalg.norm(places[:, limb.nodes[-1]] - places[:, o.nodes[-1]], axis=1) for o in kept]
        if all(float(gap.max()) > SAME * limb.length for gap in gaps):
            kept.append(limb)
    return kept


def _with_loose_feet(skeleton: Skeleton, limbs: list[Limb], places: Floats) -> list[Limb]:
    """Limbs that end in the air, lengthened by the foot below them that is a child of the trunk instead.

    Rigs whose legs are moved by their feet (inverse kinematics) are often exported so. A foot belongs to
    the limb whose end is nearest, and so the controls beside the feet of a whole leg belong to none.
    """
    level = np.percentile(places[:, :, 1], LEVEL_PERCENTILE, axis=0)
    free = outside(skeleton, limbs)
    free[skeleton.parents[1:]] = False  # ends only
    ends = [limb.nodes[-1] for limb in limbs]
    ground = float(level[[*np.flatnonzero(free).tolist(), *ends]].min(initial=np.inf))
    size = max((limb.length for limb in limbs), default=0.0)
    loose = np.flatnonzero(free & (level - ground <= REACH * size))
    if not ends or not len(loose):
        return limbs
    gap = np.linalg.norm(places[:, ends, None] - places[:, None, loose], axis=3).mean(axis=0)  # (L, F)
    found: list[Limb] = []
    for row, limb in enumerate(limbs):
        column = int(np.argmin(gap[row]))
        foot, away = int(loose[column]), float(gap[row, column])
        in_air = limb.level - ground > REACH * limb.length and level[foot] < limb.level
        if in_air and away < LOOSE * limb.length and int(np.argmin(gap[:, column])) == row:
            limb = Limb((*limb.nodes, foot), (*limb.lengths, away), float(level[foot]))
        found.append(limb)
    return found


def trunk_of(skeleton: Skeleton, limbs: Sequence[Limb]) -> set[int]:
    """The nodes that the limbs begin at, the root included."""
    return {node for limb in limbs for node in ancestors(skeleton, limb.nodes[0])[1:]}
