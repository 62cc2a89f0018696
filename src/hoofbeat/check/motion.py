"""Motion: a clip as the measures need it: feet on their ground, stances timed between frames, strides."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import Clip
from hoofbeat.body.contacts import displacement, ground_velocity, leg_length, stance_levels, stances_of
from hoofbeat.body.stances import frames_down
from hoofbeat.errors import ClipError
from hoofbeat.gaits.footfall import Strides, strides_of
from hoofbeat.maths.physics import GRAVITY

#: Fewest frames in which anything moves.
FEWEST = 4
#: Headings and speeds are smoothed over this time [sqrt(L / g)], less than half a stride.
SMOOTH = 1.0
#: A hip higher than this part of its leg's length is that of an animal on its feet.
UPRIGHT = 0.7
#: Hips of an animal that never stands in the clip, as a part of the leg's length.
STANDING = 0.9

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Motion:
    """T frames of an animal with four named legs, LF, RF, LH, RH; metres, seconds, world space, Y up.

    level (4,): height at which each foot stands; ground (T, 2): velocity of the ground along x and z, zero
    unless the clip runs on the spot; stances: touchdown and lift-off (M, 2) of each leg [s], between
    frames, -inf and inf where the clip cuts one off; leg: length of a hind leg's bones; hip: height of
    the hips above the ground while the animal is on its feet.
    """

    clip: Clip
    toes: Floats  # (T, 4, 3)
    tops: Floats  # (T, 4, 3), shoulders and hips
    level: Floats  # (4,)
    ground: Floats  # (T, 2)
    stances: tuple[Floats, Floats, Floats, Floats]
    strides: Strides
    leg: float
    hip: float

    def __len__(self) -> int:
        return len(self.toes)

    @property
    def fps(self) -> float:
        """Frames a second."""
        return self.clip.fps

    @property
    def positions(self) -> Floats:
        """World positions (T, J, 3) of all nodes."""
        return self.clip.positions

    @cached_property
    def times(self) -> Floats:
        """Time (T,) of every frame [s]."""
        return np.arange(len(self)) / self.fps

    @cached_property
    def height(self) -> Floats:
        """Height (T, 4) of the toes above where they stand."""
        return self.toes[..., 1] - self.level

    @cached_property
    def contacts(self) -> Bools:
        """Which feet are down (T, 4)."""
        return frames_down(self.stances, len(self), self.fps)

    @cached_property
    def displacement(self) -> Floats:
        """How far (T, 2) the ground has moved under the animal since the first frame, along x and z."""
        return displacement(self.ground, self.fps)

    @cached_property
    def footing(self) -> Floats:
        """Toes (T, 4, 2) along x and z relative to the ground: a planted foot keeps its place."""
        return self.toes[..., [0, 2]] - self.displacement[:, None]

    @cached_property
    def path(self) -> Floats:
        """The path (T, 2) of the body over the ground, along x and z: mean of shoulders and hips."""
        return self.tops[..., [0, 2]].mean(axis=1) - self.displacement

    @cached_property
    def heading(self) -> Floats:
        """Yaw (T,) [rad] of the line from hips to shoulders, smoothed; 0 = +Z, left positive."""
        ahead = self.tops[:, :2].mean(axis=1) - self.tops[:, 2:].mean(axis=1)
        return smoothed(np.unwrap(np.arctan2(ahead[:, 0], ahead[:, 2])), self.window)

    @cached_property
    def forward(self) -> Floats:
        """Unit vectors (T, 2) of the heading along x and z."""
        return np.stack([np.sin(self.heading), np.cos(self.heading)], axis=1)

    @cached_property
    def velocity(self) -> Floats:
        """Velocity (T, 2) of the body over the ground, smoothed."""
        return smoothed(np.gradient(self.path, axis=0) * self.fps, self.window)

    @cached_property
    def speed(self) -> Floats:
        """Speed (T,) of the body over the ground along its heading, smoothed; backward is negative."""
        return (self.velocity * self.forward).sum(axis=1)

    @property
    def window(self) -> int:
        """Frames over which headings and speeds are smoothed, odd."""
        return 2 * max(1, round(0.5 * SMOOTH * math.sqrt(self.leg / GRAVITY) * self.fps)) + 1

    @property
    def pace(self) -> float:
        """The speed sqrt(g L) [m/s] that speeds of animals of this size are compared with."""
        return math.sqrt(GRAVITY * self.leg)

    def frames(self, start: float, stop: float) -> slice:
        """The frames from one time [s] to another, at least one."""
        end = len(self) - 1
        first = math.ceil(min(max(start * self.fps, 0.0), end) - 1e-9)
        last = math.floor(min(max(stop * self.fps, 0.0), end) + 1e-9)
        return slice(first, max(last, first) + 1)


def motion_of(clip: Clip) -> Motion:
    """The motion of a clip whose skeleton has its legs named, in metres."""
    if len(clip.skeleton.legs) != 4:
        raise ClipError(f"clip {clip.name!r} has no named legs")
    if len(clip) < FEWEST:
        raise ClipError(f"clip {clip.name!r} has {len(clip)} frames; a movement needs {FEWEST} or more")
    toes = clip.positions[:, [leg.toe for leg in clip.skeleton.legs]]
    tops = clip.positions[:, [leg.top for leg in clip.skeleton.legs]]
    leg = leg_length(clip.skeleton)
    ground = ground_velocity(toes, clip.fps, leg)
    level = stance_levels(toes, leg)
    lf, rf, lh, rh = stances_of(toes, clip.fps, leg)
    stances = (lf, rf, lh, rh)
    hip = _hip_height(tops, level, leg)
    return Motion(clip, toes, tops, level, ground, stances, strides_of(stances), leg, hip)


def smoothed(values: Floats, window: int) -> Floats:
    """Moving mean of values (T, ...) over an odd number of frames, fewer at the ends, centred."""
    half = window // 2
    count = len(values)
    total = np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])
    index = np.arange(count)
    # Equal numbers on both sides, so that a straight line stays one up to its ends.
    reach = np.minimum(half, np.minimum(index, count - 1 - index))
    width = (2 * reach + 1).reshape(-1, *[1] * (values.ndim - 1))
    return (total[index + reach + 1] - total[index - reach]) / width


def _hip_height(tops: Floats, level: Floats, leg: float) -> float:
    height = tops[:, 2:, 1].mean(axis=1) - level[2:].mean()
    # Higher than its leg is long a hip is only in a jump or on a box.
    upright = height[(height > UPRIGHT * leg) & (height < leg)]
    return float(np.median(upright)) if len(upright) else STANDING * leg
