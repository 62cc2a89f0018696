"""Measures: how much feet skate, legs move and joints bend, by the same code for recordings and networks.

Tables 2 and 3 of Zhang et al. 2018. Nothing here depends on where in the world a motion is, nor how it faces.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hoofbeat.body.legs.chains import nodes_of
from hoofbeat.body.skeleton import Skeleton

#: A foot skates only below this height above where it stands [m] (the paper's H).
HEIGHT = 0.025
#: A foot's stance level is this percentile of its heights: low, yet above a few bad frames.
LEVEL = 5.0
#: Nearer to no turn than this the angle of a quaternion is lost in rounding.
TINY = 1e-12

Floats = NDArray[np.float64]


def levels_of(toes: ArrayLike) -> Floats:
    """Height (..., 4) [m] at which each of toes (..., T, 4, 3) [m] stands."""
    return np.percentile(np.asarray(toes)[..., 1], LEVEL, axis=-2)


def skating_of(toes: ArrayLike, levels: ArrayLike, height: float = HEIGHT) -> Floats:
    """How far each of toes (..., T, 4, 3) [m] skates from frame to frame (..., T - 1, 4) [cm].

    s = v (2 - 2^(h / H)), the exponent held to [0, 1]: all of v where a foot stands, nothing from H up. h is
    the mean of both frames above levels (..., 4) [m].
    """
    at = np.asarray(toes, np.float64)
    moved = at[..., 1:, :, :] - at[..., :-1, :, :]
    middle = 0.5 * (at[..., 1:, :, 1] + at[..., :-1, :, 1]) - np.asarray(levels)[..., None, :]
    return 100 * np.hypot(moved[..., 0], moved[..., 2]) * (2 - 2 ** np.clip(middle / height, 0, 1))


def leg_joints(skeleton: Skeleton) -> NDArray[np.int64]:
    """The joints (4, K) of each leg that turn a bone, from shoulder or hip down."""
    return np.array([nodes_of(leg)[:-1] for leg in skeleton.legs])


def motion_of_legs(rotations: ArrayLike, joints: ArrayLike) -> Floats:
    """How far the legs' joints (4, K) turn from frame to frame, mean of each leg (..., T - 1, 4) [degrees].

    rotations (..., T, J, 4) xyzw, local.
    """
    turns = np.asarray(rotations, np.float64)[..., np.asarray(joints), :]  # (..., T, 4, K, 4)
    return np.degrees(angles_between(turns[..., 1:, :, :, :], turns[..., :-1, :, :, :]).mean(axis=-1))


def angles_between(a: NDArray[Any], b: NDArray[Any]) -> Floats:
    """Angles (...,) [rad] in [0, pi] between rotations (..., 4) xyzw."""
    # From the chord: the cosine alone is blind to small angles.
    near = np.minimum(np.linalg.norm(a - b, axis=-1), np.linalg.norm(a + b, axis=-1))
    return np.where(near < TINY, 0.0, 4 * np.arcsin(np.clip(near / 2, 0, 1)))
