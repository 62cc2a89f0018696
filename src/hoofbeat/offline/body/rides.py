"""Rides: the poses a skin is judged by: every gait as `timewarp` rides it, and the leap."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.gaits.leap import read_leap
from hoofbeat.horse import Herd
from hoofbeat.maths import quat
from hoofbeat.offline.author.leap import leap_clip
from hoofbeat.records import Command

#: Speeds of the horses that ride together [m/s], and the gaits that are pinned for them.
RIDES = (
    ("walk", 1.2),
    ("walk", 1.8),
    ("amble", 2.6),
    ("trot", 3.0),
    ("trot", 4.4),
    ("rack", 5.2),
    ("canter-left", 5.5),
    ("canter-left", 7.0),
    ("gallop-right", 9.0),
    ("gallop-right", 14.0),
)
#: Time to get there, time that is looked at, its step [s].
SETTLE, LOOK, STEP = 5.0, 1.2, 1 / 60
#: Poses of the leap a second.
LEAP_RATE = 30.0


def ridden(every: int = 4) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Positions (T, J, 3) [m] and local rotations (T, J, 4), the root's in the world, by ride.

    every: one frame in so many is taken.
    """
    herd = Herd(len(RIDES), method="timewarp", seed=1)
    command = Command(speed=np.array([speed for _, speed in RIDES]), gait=[gait for gait, _ in RIDES])
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
    out = {f"{gait} {speed:g}": (every_place[n], every_turn[n]) for n, (gait, speed) in enumerate(RIDES)}
    clip = leap_clip(read_leap(), read_scene(THESIS_HORSE).skeleton, LEAP_RATE)
    out["leap"] = (
        np.asarray(clip.positions, np.float64) - np.asarray(clip.positions, np.float64)[:, :1],
        np.asarray(clip.rotations, np.float64),
    )
    return out
