"""Handover: one horse replaces another under the rider, in the middle of a stride.

The new horse is ridden ahead, unseen, to the speed and gait of the old one, for a whole stride of which
every moment is kept. At the change the one is chosen whose legs are most like the old horse's; it is moved
to the old one's place and heading, and what still differs in the pose dies away from where it was and as it
moved (inertialisation). Nothing of this is for herds of more than one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import Skeleton
from hoofbeat.gaits.gait import LEADS
from hoofbeat.horse import Herd, Snapshot
from hoofbeat.maths import fk, quat
from hoofbeat.maths.spring import fade
from hoofbeat.records import Command, Frame

#: Steps with which the new horse is ridden ahead [s], and how long at most.
DT, MOST = 1 / 60, 8.0
#: The moments that are kept last this long [s]: more than a stride of a walk.
KEPT = 1.4
#: Slower than this [m/s] it stands, and nothing is ridden ahead.
STANDING = 0.05
#: The speed is reached when it is off by no more than this part.
REACHED = 0.02
#: Half-lives of the difference of poses and of the difference of sizes [s].
POSE, SIZE = 0.1, 0.25
#: A difference below this [rad, m] is over.
OVER = 1e-4


@dataclass(frozen=True)
class Moment:
    """One moment of the new horse ridden ahead."""

    snapshot: Snapshot
    frame: Frame


def corresponding_gait(gait: str, known: tuple[str, ...]) -> str | None:
    """The gait of this name in another method: the same, or the same on the other or on no lead, or None."""
    base = gait.partition("-")[0]
    for name in (gait, LEADS.get(gait, gait), base):
        if name in known:
            return name
    return next((name for name in known if name.partition("-")[0] == base), None)


def ride_ahead(herd: Herd, frame: Frame, turn: float) -> list[Moment]:
    """Bring a standing herd of one to the speed and gait of `frame` and keep its moments from there.

    turn: the old horse's [rad/s]. The gait is left to the speed where none of the new method's corresponds.
    """
    speed = float(frame.speed)
    if speed < STANDING:
        return [Moment(herd.snapshot(), herd.alone())]
    command = Command(speed=speed, turn=turn, gait=corresponding_gait(str(frame.gait), herd.gaits))
    wanted = float(herd.held(command)["speed"][0])
    steady = 0
    for _ in range(round(MOST / DT)):
        herd.advance(command, DT)
        steady += 1
        if abs(float(herd.frame().speed[0]) - wanted) > REACHED * wanted:
            steady = 0
        if steady > KEPT / DT:
            break
    moments: list[Moment] = []
    for _ in range(round(KEPT / DT)):
        herd.advance(command, DT)
        moments.append(Moment(herd.snapshot(), herd.alone()))
    return moments


def take_over(herd: Herd, moments: list[Moment], frame: Frame) -> tuple[Frame, Frame]:
    """Put the new horse where the old one is, at the moment whose legs are most like its; returns its frame
    there and the one before, which is still at the place where it was ridden ahead."""
    # The first moment has none before it: its horse would seem to stand still within its stride.
    able = range(min(1, len(moments) - 1), len(moments))
    best = min(able, key=lambda k: _leg_difference(moments[k].frame, frame))
    herd.restore(moments[best].snapshot)
    position, q = frame.root.position, frame.root.rotation
    herd.move_to([[position[0], position[2]]], [2 * math.atan2(float(q[1]), float(q[3]))])
    return herd.alone(), moments[max(best - 1, 0)].frame


def _leg_difference(a: Frame, b: Frame) -> float:
    """How different the legs of two frames are: phases on the circle, contacts, flight."""
    turns = np.abs((a.phase - b.phase + 0.5) % 1.0 - 0.5).sum()
    return float(turns + 0.2 * np.abs(a.contacts - b.contacts).sum() + (bool(a.airborne) != bool(b.airborne)))


class Blend:
    """What is left of the old pose, dying away on top of the new one.

    Local rotations keep their difference as a turn (J, 3) about an axis, the root joint its difference of
    place over the root (3,), size the logarithm of the ratio of heights; each with its rate.
    """

    def __init__(self, old: Frame, old_before: Frame, new: Frame, new_before: Frame, ratio: float) -> None:
        now = _differences(old, new, ratio)
        self._pose, self._pose_rate = now, (now - _differences(old_before, new_before, ratio)) / DT
        self._size, self._size_rate = np.array([math.log(ratio)]), np.zeros(1)

    @property
    def ratio(self) -> float:
        """Size now over that of the new horse."""
        return math.exp(self._size[0])

    @property
    def finished(self) -> bool:
        """Whether nothing visible is left."""
        return bool(np.abs(self._pose).max() < OVER and abs(self._size[0]) < OVER)

    def step(self, dt: float) -> None:
        """Let time pass [s]."""
        fade(self._pose, self._pose_rate, POSE, float(dt))
        fade(self._size, self._size_rate, SIZE, float(dt))

    def apply(self, frame: Frame, skeleton: Skeleton) -> Frame:
        """The new horse's frame with what is left of the old one."""
        turns, shift = self._pose[:-3].reshape(-1, 3), self._pose[-3:]
        rotations = quat.mul(quat.exp(turns), frame.rotations.astype(np.float64))
        heading = frame.root.rotation
        whole = rotations.copy()
        whole[0] = quat.mul(heading, rotations[0])
        origin = quat.rotate(heading, _root_joint(frame) + shift)
        relative, _ = fk.forward(skeleton.parents, skeleton.offsets, whole[None], origin[None])
        positions = frame.root.position + self.ratio * relative[0]
        return replace(frame, rotations=rotations.astype(np.float32), positions=positions)


def _differences(old: Frame, new: Frame, ratio: float) -> NDArray[np.float64]:
    """Turns (J, 3) that bring the new rotations to the old by the shorter rotation, and the root joint's
    place (3,)."""
    a, b = old.rotations.astype(np.float64), new.rotations.astype(np.float64)
    turns = quat.log(quat.mul(a, quat.inverse(b)))
    return np.concatenate([turns.ravel(), _root_joint(old) / ratio - _root_joint(new)])


def _root_joint(frame: Frame) -> NDArray[np.float64]:
    """Where the root joint is over the root (3,) [m], character space."""
    return quat.rotate(quat.inverse(frame.root.rotation), frame.positions[0] - frame.root.position)
