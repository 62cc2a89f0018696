"""Strides: poses that a skin must bear, from the authored gaits and the leap."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import Skeleton
from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.gaits.leap import read_leap
from hoofbeat.maths import fk, quat
from hoofbeat.offline.author.__main__ import HORSE_STYLES
from hoofbeat.offline.author.cycle import leg_at, lowering
from hoofbeat.offline.author.leap import leap_clip
from hoofbeat.offline.author.limb import about_x
from hoofbeat.offline.author.load import bounce_of
from hoofbeat.offline.author.style import Style, read_styles
from hoofbeat.offline.author.trunk import SCAPULAE, scapula, trunk_pose
from hoofbeat.offline.body.mirror import other_side

Floats = NDArray[np.float64]
#: Cycles whose strides are taken, and poses of each; poses of the leap a second.
CYCLES = {"gallop-right-14": 10, "trot-4.2": 5, "walk-1.7": 4}
LEAP_RATE = 10.0


def stride(style: Style, skeleton: Skeleton, count: int) -> Floats:
    """Local rotations (count, J, 4) of one stride of a style."""
    phase = np.arange(count) / count
    bounce = bounce_of(style)
    rotations, _ = trunk_pose(style, skeleton, bounce, phase)
    lowered = lowering(style, skeleton, bounce)
    for leg, joints in enumerate(skeleton.legs):
        own = (phase - style.touchdown[leg]) % 1.0
        path, limb = leg_at(style, skeleton, bounce, leg, own, lowered)
        chain = (joints.top, joints.mid, joints.low, joints.pastern, joints.pastern + 1)
        turns = (limb.top, limb.mid, limb.low, limb.pastern, limb.hoof)
        for joint, turn in zip(chain, turns, strict=True):
            rotations[:, joint] = turn
        if leg < 2:
            rotations[:, skeleton.index(SCAPULAE[leg])] = about_x(scapula(style, path.ahead))
    return rotations


def bearing_poses() -> Floats:
    """Local rotations (T, J, 4) xyzw of the horse at its gaits and leaping, each also on the other lead."""
    skeleton = read_scene(THESIS_HORSE).skeleton
    styles = {style.name: style for style in read_styles(HORSE_STYLES)}
    parts = [stride(styles[name], skeleton, count) for name, count in CYCLES.items()]
    parts.append(np.asarray(leap_clip(read_leap(), skeleton, LEAP_RATE).rotations, np.float64))
    poses = np.concatenate(parts)
    mirrored = poses[:, other_side(skeleton)] * np.array([1.0, -1.0, -1.0, 1.0])
    return np.concatenate([poses, mirrored])


def bearing_matrices(skeleton: Skeleton, rotations: Floats) -> Floats:
    """Matrices (T, J, 3, 4) that carry the rest pose of a skeleton to poses (T, J, 4), root at the origin."""
    places, turns = fk.forward(skeleton.parents, skeleton.offsets, rotations, np.zeros((len(rotations), 3)))
    out = np.zeros((*places.shape, 4))
    out[..., :3] = quat.to_matrix(turns)
    out[..., 3] = places - np.einsum("tjab,jb->tja", out[..., :3], skeleton.rest_positions())
    return out
