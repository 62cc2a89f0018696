"""Trunk: the joints that bear the legs, as placement needs them: the chain to each leg, the neck, and where
feet stand.

Read from the tree and a standing pose, never from joint names. The rest pose stands where an animal was made
by hand; that of recordings often does not (all bones along one axis): then a standing one is given.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hoofbeat.body.legs.chains import ancestors
from hoofbeat.body.pose import world_of
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import SkeletonError
from hoofbeat.maths import quat
from hoofbeat.maths.types import Floats, Rows

#: The most joints between the root and a leg, and of a neck. Longer ones keep those nearest the end.
MOST_JOINTS = 24
#: A tip of the body is a head where it lies this far before the shoulders [part of the distance from hips to
#: them].
AHEAD = 0.1
#: How far a joint may yield so that legs reach [deg]: of the back, of the loins (the first behind the
#: root, which bend most in a horse), and of a shoulder blade. A pelvis is one bone and does not.
BACK, LOINS, BLADE = 4.0, 8.0, 9.0

#: The trunk of one animal.
TRUNK = np.dtype(
    [
        ("home", "f4", (4, 2)),  # toes standing, x and z from the root [m], LF RF LH RH
        ("chain", "i4", (4, MOST_JOINTS)),  # nodes below the root down to the top of each leg, that included
        ("chain_count", "i4", 4),
        ("limits", "f4", (4, MOST_JOINTS, 2)),  # of each: its share of a turn, and its most [rad]
        ("neck", "i4", MOST_JOINTS),  # nodes that bear the head, the first nearest to the trunk
        ("neck_left", "f4", (MOST_JOINTS, 3)),  # of each: the animal's left in the space of its parent
        ("neck_count", "i4"),
    ],
    align=True,
)


@dataclass(frozen=True, eq=False)
class Upright:
    """An animal that stands, in root space: positions (J, 3) [m]; turns (J, 4) xyzw of all nodes; feet
    (4, 3) [m], where its toes are to be."""

    positions: Floats
    turns: Floats
    feet: Floats

    @staticmethod
    def of(skeleton: Skeleton, rotations: ArrayLike | None = None, feet: ArrayLike | None = None) -> Upright:
        """Of local rotations (J, 4), None = the rest pose; feet: as above, None = where the pose has them."""
        local = quat.identity((len(skeleton),)) if rotations is None else np.asarray(rotations, np.float64)
        positions, turns = (each[0] for each in world_of(skeleton, local[None], np.zeros((1, 3))))
        toes = positions[[leg.toe for leg in skeleton.legs]] if feet is None else np.asarray(feet)
        return Upright(positions, turns, toes)


def trunk_table(skeleton: Skeleton, stand: Upright | None = None) -> Rows:
    """The trunk of a skeleton with four named legs, (1,) of TRUNK, read-only; stand None = the rest pose."""
    if len(skeleton.legs) != 4:
        raise SkeletonError("a trunk has four legs; name them with Skeleton.with_legs(find_legs(...))")
    table = np.zeros(1, TRUNK)
    stand = Upright.of(skeleton) if stand is None else stand
    row = table[0]
    row["home"] = stand.feet[:, [0, 2]]
    for k, leg in enumerate(skeleton.legs):
        line = ancestors(skeleton, leg.top)[:-1][::-1][-MOST_JOINTS:]
        row["chain"][k, : len(line)], row["chain_count"][k] = line, len(line)
        row["limits"][k, : len(line)] = _limits(skeleton, k, line)
    neck = neck_of(skeleton, stand)[:MOST_JOINTS]
    row["neck"][: len(neck)], row["neck_count"] = neck, len(neck)
    if neck:
        above = stand.turns[skeleton.parents[neck]]
        row["neck_left"][: len(neck)] = quat.rotate(quat.inverse(above), np.array([1.0, 0.0, 0.0]))
    table.setflags(write=False)
    return table


def _limits(skeleton: Skeleton, k: int, line: list[int]) -> NDArray[np.float64]:
    """How much each joint of the chain to leg k gives (n, 2): the turns are shared evenly, the top stays."""
    twin = set(ancestors(skeleton, skeleton.legs[k ^ 1].top))
    found = np.zeros((len(line), 2))
    turning = [node for node in line[:-1] if k < 2 or node in twin]
    for n, node in enumerate(line[:-1]):
        if node in turning:
            most = BACK if k < 2 else LOINS
            found[n] = 1 / (1 + turning.index(node)), np.radians(most if node in twin else BLADE)
    return found


def neck_of(skeleton: Skeleton, stand: Upright | None = None) -> list[int]:
    """Joints from the trunk to the head, the head included; [] where nothing lies before the shoulders.

    The head is the tip, on no leg, that lies farthest forward standing; stand None = the rest pose.
    """
    rest, legs = (Upright.of(skeleton) if stand is None else stand).positions, skeleton.legs
    lines = [ancestors(skeleton, leg.toe) for leg in legs]
    bearing = {node for line in lines for node in line}
    inner = {*bearing, *skeleton.parents.tolist()}
    tips = [node for node in range(len(skeleton)) if node not in inner]
    shoulder = sum(rest[leg.top][2] for leg in legs[:2]) / 2
    hip = sum(rest[leg.top][2] for leg in legs[2:]) / 2
    least = shoulder + AHEAD * (shoulder - hip)
    heads = [tip for tip in tips if rest[tip][2] > least]
    if not heads:
        return []
    head = max(heads, key=lambda tip: rest[tip][2])
    free = [node for node in ancestors(skeleton, head) if node not in bearing]
    return [node for node in free[::-1] if not skeleton.ends[node] and node != head]


def bent_by_ground(table: Rows) -> NDArray[np.int64]:
    """Every joint that uneven ground may turn: the root, what bears the legs, the neck."""
    row = table[0]
    found = {0, *row["neck"][: row["neck_count"]].tolist()}
    for k in range(4):
        found.update(row["chain"][k, : row["chain_count"][k] - 1].tolist())
    return np.array(sorted(found), np.int64)
