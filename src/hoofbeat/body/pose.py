"""Pose: forward kinematics of a skeleton and its inverse."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from hoofbeat.body.skeleton import Skeleton
from hoofbeat.maths import fk, quat
from hoofbeat.maths.types import Floats


def positions_of(skeleton: Skeleton, rotations: ArrayLike, origins: ArrayLike) -> Floats:
    """World positions (T, J, 3) [m] of local rotations (T, J, 4) xyzw and root positions (T, 3) [m]."""
    return world_of(skeleton, rotations, origins)[0]


def world_of(skeleton: Skeleton, rotations: ArrayLike, origins: ArrayLike) -> tuple[Floats, Floats]:
    """World positions (T, J, 3) and world rotations (T, J, 4) xyzw of a stack of poses."""
    return fk.forward(skeleton.parents, skeleton.offsets, np.asarray(rotations), np.asarray(origins))


def local_of(skeleton: Skeleton, world_rotations: ArrayLike) -> Floats:
    """Local rotations (T, J, 4) of world rotations (T, J, 4): the inverse of `world_of`."""
    world = np.asarray(world_rotations)
    local = np.array(world)
    for j in range(1, len(skeleton)):
        local[:, j] = quat.mul(quat.inverse(world[:, skeleton.parents[j]]), world[:, j])
    return quat.normalize(local)
