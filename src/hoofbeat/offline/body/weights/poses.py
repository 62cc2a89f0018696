"""Rides: the poses a skin is fitted to and judged by: every gait that `timewarp` has, turns, the leap."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import Skeleton
from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.gaits.leap import read_leap
from hoofbeat.horse import Herd
from hoofbeat.maths import fk, quat
from hoofbeat.offline.author.leap import leap_clip
from hoofbeat.offline.body.shape.mirror import other_side
from hoofbeat.records import Command

Floats = NDArray[np.float64]
#: Gaits of the horses that ride together, their speeds [m/s] and turns [rad/s].
RIDES = (
    ("walk", 1.2, 0.0),
    ("walk", 1.8, 0.0),
    ("amble", 2.6, 0.0),
    ("trot", 3.0, 0.0),
    ("trot", 4.4, 0.0),
    ("rack", 5.2, 0.0),
    ("canter-left", 5.5, 0.0),
    ("canter-left", 7.0, 0.0),
    ("gallop-right", 9.0, 0.0),
    ("gallop-right", 14.0, 0.0),
    ("walk", 1.5, 0.7),
    ("trot", 3.5, 0.5),
    ("canter-left", 6.0, 0.4),
)
#: Time to get there, time that is looked at, its step [s].
SETTLE, LOOK, STEP = 5.0, 1.2, 1 / 60
#: Poses of the leap a second.
LEAP_RATE = 30.0


def ridden_poses(every: int = 4) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Positions (T, J, 3) [m] and local rotations (T, J, 4), the root's in the world, by ride.

    every: one frame in so many is used.
    """
    herd = Herd(len(RIDES), method="timewarp", seed=1)
    command = Command(
        speed=np.array([speed for _, speed, _ in RIDES]),
        turn=np.array([turn for _, _, turn in RIDES]),
        gait=[gait for gait, _, _ in RIDES],
    )
    for _ in range(round(SETTLE / STEP)):
        herd.advance(command, STEP)
    places: list[NDArray[np.float64]] = []
    turns: list[NDArray[np.float64]] = []
    for k in range(round(LOOK / STEP)):
        frame = herd.step(command, STEP)
        if k % every == 0:
            rotations = frame.rotations.astype(np.float64)
            rotations[:, 0] = quat.mul(frame.root.rotation, rotations[:, 0])
            # About the root, so that float32 keeps its grip on a horse that has gone far.
            places.append(frame.positions - frame.positions[:, :1])
            turns.append(rotations)
    every_place, every_turn = np.stack(places, axis=1), np.stack(turns, axis=1)
    out = {
        f"{gait} {speed:g}{', turning' if turn else ''}": (every_place[n], every_turn[n])
        for n, (gait, speed, turn) in enumerate(RIDES)
    }
    clip = leap_clip(read_leap(), read_scene(THESIS_HORSE).skeleton, LEAP_RATE)
    out["leap"] = (
        np.asarray(clip.positions, np.float64) - np.asarray(clip.positions, np.float64)[:, :1],
        np.asarray(clip.rotations, np.float64),
    )
    return out


def bearing_poses(every: int = 4) -> Floats:
    """Local rotations (T, J, 4) xyzw of all rides, the root at rest, each also mirrored."""
    skeleton = read_scene(THESIS_HORSE).skeleton
    # A frame's rotations are float32: as float64 they are not quite one long.
    poses = quat.normalize(np.concatenate([rotations for _, rotations in ridden_poses(every).values()]))
    poses[:, 0] = quat.identity(())
    mirrored = poses[:, other_side(skeleton)] * np.array([1.0, -1.0, -1.0, 1.0])
    return np.concatenate([poses, mirrored])


def bearing_matrices(skeleton: Skeleton, rotations: Floats) -> Floats:
    """Matrices (T, J, 3, 4) that move the rest pose of a skeleton to poses (T, J, 4), root at the origin."""
    places, turns = fk.forward(skeleton.parents, skeleton.offsets, rotations, np.zeros((len(rotations), 3)))
    out = np.zeros((*places.shape, 4))
    out[..., :3] = quat.to_matrix(turns)
    out[..., 3] = places - np.einsum("tjab,jb->tja", out[..., :3], skeleton.rest_positions())
    return out
