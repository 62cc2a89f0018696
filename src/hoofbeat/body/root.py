"""Root: the path of a clip over the ground and the speed along it; the path removed and restored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import Clip
from hoofbeat.errors import ClipError
from hoofbeat.maths import quat

#: Names of the extras that carry the track of a recorded clip, and the track removed from an in-place one.
ROOT, YAW = "root", "yaw"
TRAVEL, TRAVEL_YAW = "travel", "travel_yaw"
#: Name of the extra that holds a recorded speed, and over how long one is measured along a path [s].
SPEED, SPEED_SECONDS = "speed", 0.4


@dataclass(frozen=True)
class Track:
    """The path over the ground: positions (T, 3) [m], world; yaw (T,) [rad], 0 = +Z, left positive."""

    positions: NDArray[np.float64]
    yaw: NDArray[np.float64]

    @property
    def rotations(self) -> NDArray[np.float64]:
        """World from character space, (T, 4) xyzw."""
        return quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), self.yaw)


def track_of(clip: Clip) -> Track:
    """The recorded track where the clip has one (extras root, yaw), else one read off the pelvis.

    Without a record the root lies below the root joint at height 0, and the heading is that from the
    hips to the shoulders, or of the root joint's own +Z where no legs are named.
    """
    if ROOT in clip.extras and YAW in clip.extras:
        return Track(np.array(clip.extras[ROOT], float), np.array(clip.extras[YAW], float))
    positions = clip.origins * np.array([1.0, 0.0, 1.0])
    ahead = quat.rotate(clip.rotations[:, 0], np.array([0.0, 0.0, 1.0]))
    if len(clip.skeleton.legs) == 4:
        tops = clip.positions[:, [leg.top for leg in clip.skeleton.legs]]
        ahead = tops[:, :2].mean(axis=1) - tops[:, 2:].mean(axis=1)
    return Track(positions, np.unwrap(np.arctan2(ahead[:, 0], ahead[:, 2])))


def ground_speed(clip: Clip) -> NDArray[np.float64]:
    """Speed over the ground (T,) [m/s]: the one that was recorded (extra `speed`), else that of the root.

    The one definition for pictures, facts and statistics. What `check` measures is another quantity: the
    forward part of the body's velocity over the ground that its feet show, also of a clip on the spot.
    """
    given = clip.extras.get(SPEED)
    if given is not None and given.ndim == 1 and np.issubdtype(given.dtype, np.number):
        return np.nan_to_num(given.astype(np.float64))
    path = clip.extras[TRAVEL] if TRAVEL in clip.extras else clip.origins
    return path_speed(path[:, [0, 2]], clip.fps)


def path_speed(path: NDArray[np.float64], fps: float) -> NDArray[np.float64]:
    """Speed (T,) [m/s] along a path (T, 2) [m] over the ground, over SPEED_SECONDS about each frame.

    The window is shifted inwards at the ends so that it stays whole.
    """
    count = len(path)
    if count < 2:
        return np.zeros(count)
    span = min(max(round(SPEED_SECONDS * fps), 1), count - 1)
    first = np.clip(np.arange(count) - span // 2, 0, count - 1 - span)
    step = path[first + span] - path[first]
    return np.hypot(step[:, 0], step[:, 1]) * fps / span


def in_place(clip: Clip) -> Clip:
    """The clip in root space: it steps on the spot, facing +Z. Extras travel and travel_yaw keep
    what was removed; a clip that is in place already stays as it is."""
    if TRAVEL in clip.extras:
        return clip
    track = track_of(clip)
    back = quat.inverse(track.rotations)
    rotations = np.array(clip.rotations)
    rotations[:, 0] = quat.mul(back, rotations[:, 0])
    origins = quat.rotate(back, clip.origins - track.positions)
    extras = {k: v for k, v in clip.extras.items() if k not in (ROOT, YAW)}
    extras |= {TRAVEL: track.positions, TRAVEL_YAW: track.yaw}
    return Clip(clip.skeleton, rotations, origins, clip.fps, clip.contacts, clip.name, extras)


def with_motion(clip: Clip, track: Track | None = None) -> Clip:
    """The inverse: an in-place clip moved along a track, by default the one that was removed."""
    if track is None:
        if TRAVEL not in clip.extras:
            raise ClipError("this clip keeps no travel; give a track")
        track = Track(np.array(clip.extras[TRAVEL], float), np.array(clip.extras[TRAVEL_YAW], float))
    if len(track.yaw) != len(clip):
        raise ClipError(f"a track of {len(clip)} frames is needed, given {len(track.yaw)}")
    turn = track.rotations
    rotations = np.array(clip.rotations)
    rotations[:, 0] = quat.mul(turn, rotations[:, 0])
    origins = quat.rotate(turn, clip.origins) + track.positions
    extras = {k: v for k, v in clip.extras.items() if k not in (TRAVEL, TRAVEL_YAW)}
    extras |= {ROOT: track.positions, YAW: track.yaw}
    return Clip(clip.skeleton, rotations, origins, clip.fps, clip.contacts, clip.name, extras)
