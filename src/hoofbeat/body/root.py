"""Root: the ground-projected way of a clip, and its removal (in-place clips) and return."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import Clip
from hoofbeat.errors import ClipError
from hoofbeat.maths import quat

#: Names of the extras that carry the track of a recorded clip, and the track taken off an in-place one.
ROOT, YAW = "root", "yaw"
TRAVEL, TRAVEL_YAW = "travel", "travel_yaw"


@dataclass(frozen=True)
class Track:
    """The way over the ground: positions (T, 3) [m], world; yaw (T,) [rad], 0 = +Z, left positive."""

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


def in_place(clip: Clip) -> Clip:
    """The clip as seen from its root: it steps on the spot, facing +Z. Extras travel and travel_yaw keep
    what was taken off; a clip that is in place already stays as it is."""
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
    """The way back: an in-place clip carried along a track, by default the one that was taken off."""
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
