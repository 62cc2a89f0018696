"""Loop: a clip of one cycle, as game files hold them, repeated so that strides are whole.

A clip is a loop where its last pose is its first one again, or where one more frame would be: in root space,
since what it travels in a cycle it travels again in the next.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import Clip
from hoofbeat.body.root import Track, track_of
from hoofbeat.maths import quat

#: A last pose this near to the first, in steps from frame to frame, is the first one again.
SAME = 0.3
#: Where one more frame closes the loop, that step differs by at most this part from its neighbours.
NEXT = 0.6
#: Fewest frames of a cycle.
FEWEST = 6
#: Most frames of the repeated clip.
MOST = 100_000

Floats = NDArray[np.float64]
_UP = np.array([0.0, 1.0, 0.0])


def cycle_of(clip: Clip) -> int | None:
    """Frames of the cycle that a clip with named legs holds once, or None where it is no loop."""
    if len(clip) < FEWEST:
        return None
    track = track_of(clip)
    ends = [0, 1, len(clip) - 2, len(clip) - 1]
    local = quat.rotate(
        quat.inverse(track.rotations[ends])[:, None], clip.positions[ends] - track.positions[ends][:, None]
    )
    first, second, before, last = local  # (J, 3) each, about the root
    step = 0.5 * (_size(second - first) + _size(last - before))
    if not step > 0:
        return None
    if _size(last - first) < SAME * step:
        return len(clip) - 1
    over = (first - last) - 0.5 * ((second - first) + (last - before))
    return len(clip) if _size(over) < NEXT * step and _size(first - last) < 2 * step else None


def repeated_clip(clip: Clip, cycle: int, times: int) -> Clip:
    """The cycle, a clip's first frames, repeated so many times; each begins where the last one ended."""
    times = max(1, min(times, MOST // cycle))
    track = track_of(clip)
    turn, travel = _advance(track, cycle)
    turns = turn * np.repeat(np.arange(times), cycle)  # (N,)
    start = np.zeros((times, 3))
    for k in range(1, times):
        start[k] = travel + quat.rotate(quat.from_axis_angle(_UP, np.array(turn)), start[k - 1])
    rotations = np.tile(clip.rotations[:cycle], (times, 1, 1))
    origins = np.tile(clip.origins[:cycle], (times, 1))
    about = quat.from_axis_angle(_UP, turns)  # (N, 4)
    rotations[:, 0] = quat.mul(about, rotations[:, 0])
    origins = quat.rotate(about, origins) + np.repeat(start, cycle, axis=0)
    return Clip(clip.skeleton, rotations, origins, clip.fps, None, clip.name)


def _advance(track: Track, cycle: int) -> tuple[float, Floats]:
    """Turn [rad] and travel (3,) [m] of the root from the beginning of a cycle to that of the next."""
    yaw, at = track.yaw, track.positions
    end_yaw, end = float(yaw[cycle - 1]), at[cycle - 1]
    if cycle < len(yaw):
        end_yaw, end = float(yaw[cycle]), at[cycle]
    else:  # one more frame, like its neighbours
        end_yaw += 0.5 * float(yaw[1] - yaw[0] + yaw[-1] - yaw[-2])
        about = quat.from_axis_angle(_UP, np.array(end_yaw - float(yaw[0])))
        end = end + 0.5 * (quat.rotate(about, at[1] - at[0]) + at[-1] - at[-2])
    turn = end_yaw - float(yaw[0])
    return turn, end - quat.rotate(quat.from_axis_angle(_UP, np.array(turn)), at[0])


def _size(steps: Floats) -> float:
    """Mean length of vectors (J, 3)."""
    return float(np.sqrt((steps * steps).sum(axis=-1)).mean())
