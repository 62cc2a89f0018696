"""Segments: the flesh of a limb between two joints, and how much of it there is in a pose.

It is what lies between a bone and the skin that is nearest to it. Around a cannon that is all that the skin
encloses. A thigh or an upper arm is no closed tube, it is one with the trunk; between bone and skin it has a
volume all the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import Skeleton

Floats = NDArray[np.float64]
#: Segments of a leg from the top down, and where on its bone a segment begins and ends: the joints
#: themselves, which must fold, are left out.
SEGMENTS = ("upper", "lower", "cannon", "foot")
BETWEEN = (0.25, 0.75)
#: Bones shorter than this are none [m].
SHORTEST = 1e-3


@dataclass(frozen=True)
class BoneSegment:
    """name: leg and segment; bone: the joint that moves the bone; faces (K, 3) of its skin; roots (K, 3, 3)
    [m]: for every corner its place on the bone at rest."""

    name: str
    bone: int
    faces: NDArray[np.int64]
    roots: Floats


def bone_segments(skeleton: Skeleton, points: Floats, faces: NDArray[Any]) -> list[BoneSegment]:
    """The limb segments of a skin of points (V, 3) [m] at rest and faces (F, 3), those that have faces."""
    rest, parents = skeleton.rest_positions(), np.asarray(skeleton.parents)
    bound_joints = [
        j
        for j, p in enumerate(parents)
        if p >= 0 and np.linalg.norm(rest[j] - rest[p]) > SHORTEST and "Tail" not in skeleton.names[j]
    ]
    middle = points[faces].mean(axis=1)
    near = np.argmin([_away(middle, rest[parents[j]], rest[j]) for j in bound_joints], axis=0)
    nearest_joint = parents[np.array(bound_joints)][near]
    out: list[BoneSegment] = []
    for leg in skeleton.legs:
        chain = (leg.top, leg.mid, leg.low, leg.pastern, leg.toe)
        for name, upper, lower in zip(SEGMENTS, chain, chain[1:], strict=False):
            along = rest[lower] - rest[upper]
            share = (middle - rest[upper]) @ along / (along @ along)
            # Between pastern and toe lies the joint of the hoof: its bones are one segment.
            own = np.isin(nearest_joint, np.arange(upper, lower))
            part = faces[own & (BETWEEN[0] < share) & (share < BETWEEN[1])].astype(np.int64)
            place = np.clip((points[part] - rest[upper]) @ along / (along @ along), 0.0, 1.0)
            if len(part):
                out.append(
                    BoneSegment(f"{leg.name} {name}", upper, part, rest[upper] + place[..., None] * along)
                )
    return out


def flesh(corners: Floats, roots: Floats) -> Floats:
    """Volumes (K,) [m3] between faces, corners (K, 3, 3), and their places on a bone (K, 3, 3).

    Each is the wedge that the lines from the bone to the face fill; the corners' places lie on one line.
    """
    out = (corners - roots).mean(axis=1)
    base = roots[:, 1:] - roots[:, :1]
    side = corners[:, 1:] - corners[:, :1] - base
    facing = 0.5 * (np.cross(base[:, 0], side[:, 1]) + np.cross(side[:, 0], base[:, 1]))
    facing += np.cross(side[:, 0], side[:, 1]) / 3
    return 0.5 * np.sum(out * facing, axis=1)


def _away(points: Floats, a: Floats, b: Floats) -> Floats:
    """Distance (K,) of points to the line from a to b."""
    along = b - a
    share = np.clip((points - a) @ along / (along @ along), 0.0, 1.0)
    return np.linalg.norm(points - a - share[:, None] * along, axis=1)
