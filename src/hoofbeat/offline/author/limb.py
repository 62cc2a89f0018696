"""Limb: the joints of a leg that bring its toe where it should be.

The hoof is held as asked; the carpus folds in a given share with the elbow, the hock as the stifle does
(reciprocal apparatus). One angle is left, found from the distance, and the shoulder or hip turns the leg
to its place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.legs.anatomy import leg_table
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.maths import quat
from hoofbeat.offline.author.hooves import HoofPath

Floats = NDArray[np.float64]

#: A swinging leg approaches its full length smoothly over this distance [m].
SOFT = 0.004
#: Halvings of the range of the angle that is sought: to a millionth of a degree.
HALVINGS = 40
X = np.array([1.0, 0.0, 0.0])


@dataclass(frozen=True)
class AuthoredLimb:
    """Local rotations (K, 4) from the top joint down to the hoof; flexion (K,) of mid and low [rad]; toe
    (K, 3) where it really is; miss (K,) [m], by how much the leg was too short for what was asked."""

    top: Floats
    mid: Floats
    low: Floats
    pastern: Floats
    hoof: Floats
    mid_flexion: Floats
    low_flexion: Floats
    toe: Floats
    miss: Floats


class LegBones:
    """One leg of a skeleton: its bones at rest [m] and the range of its angle [rad]."""

    def __init__(self, skeleton: Skeleton, leg: int) -> None:
        row, rest = leg_table(skeleton)[leg], skeleton.rest_positions()
        joints = skeleton.legs[leg]
        hoof = joints.pastern + 1
        self.fore = leg < 2
        self.to_mid, self.to_low, self.to_end = (
            np.asarray(row[key], np.float64) for key in ("to_mid", "to_low", "to_end")
        )
        self.to_hoof, self.to_toe = rest[hoof] - rest[joints.pastern], rest[joints.toe] - rest[hoof]
        self.bend_mid, self.bend_low = float(row["bend_mid"]), float(row["bend_low"])
        self.least, self.most = (float(v) for v in row["mid_range"])

    def end(self, flexion: Floats, share: Floats) -> Floats:
        """Where the fetlock is (K, 3), relative to the top joint."""
        mid, low = about_x(self.bend_mid * flexion), about_x(self.bend_low * share * flexion)
        lower = self.to_low + quat.rotate(low, np.broadcast_to(self.to_end, (len(flexion), 3)))
        return self.to_mid + quat.rotate(mid, lower)

    def reach(self) -> float:
        """Length of the loaded leg, as straight as it goes."""
        share = np.array([0.0 if self.fore else 1.0])
        return float(np.linalg.norm(self.end(np.array([self.least]), share)))

    def fetlock(self, path: HoofPath, toe: Floats) -> tuple[Floats, Floats, Floats]:
        """Place (K, 3) of the fetlock and how pastern and hoof are held (K, 4), for a toe (K, 3)."""
        hoof, pastern = about_x(path.pitch), about_x(path.pitch - path.sink)
        return toe - quat.rotate(hoof, self.to_toe) - quat.rotate(pastern, self.to_hoof), pastern, hoof


def about_x(angle: Floats) -> Floats:
    """Rotations (K, 4) about the lateral axis."""
    return quat.from_axis_angle(X, angle)


def solve(bones: LegBones, path: HoofPath, share: Floats, top: Floats, frame: Floats) -> AuthoredLimb:
    """The leg whose top joint is at top (K, 3), in a parent held as frame (K, 4), both character space.

    share (K,): flexion of the low joint for each unit of the mid one's.
    """
    end, pastern, hoof = bones.fetlock(path, path.toe)
    away = quat.rotate(quat.inverse(frame), end - top)
    asked = np.linalg.norm(away, axis=1)
    longest = np.linalg.norm(bones.end(np.full(len(asked), bones.least), share), axis=1)
    short = longest - asked
    softened = longest - SOFT * np.logaddexp(0.0, short / SOFT)
    distance = np.where(path.down, asked, softened)
    low, high = np.full(len(asked), bones.least), np.full(len(asked), bones.most)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        far = np.linalg.norm(bones.end(middle, share), axis=1) > distance
        low, high = np.where(far, middle, low), np.where(far, high, middle)
    flexion = 0.5 * (low + high)
    found = bones.end(flexion, share)
    turn = quat.between(found, away)
    mid, lower = about_x(bones.bend_mid * flexion), about_x(bones.bend_low * share * flexion)
    held = quat.mul(quat.mul(frame, turn), quat.mul(mid, lower))
    reached = top + quat.rotate(quat.mul(frame, turn), found)
    return AuthoredLimb(
        turn,
        mid,
        lower,
        quat.mul(quat.inverse(held), pastern),
        quat.mul(quat.inverse(pastern), hoof),
        flexion,
        share * flexion,
        path.toe + (reached - end),
        asked - np.linalg.norm(found, axis=1),
    )
