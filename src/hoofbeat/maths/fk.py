"""Forward kinematics: local rotations and bone offsets to positions.

Parents come before children (the Skeleton guarantees it), so one pass over the joints is enough.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_kernels import mul, rotate
from hoofbeat.maths.types import Floats, Int, Ints
from hoofbeat.maths.vec import add, put, put_quat, quat, vec


class Tree(NamedTuple):
    """A skeleton for kernels: parents (J,) int, -1 = the root; offsets (J, 3) [m] in the parent's space."""

    parents: Ints
    offsets: Floats


class Pose(NamedTuple):
    """Nodes placed in one space: positions (J, 3) [m] and turns (J, 4) xyzw of their own axes."""

    positions: Floats
    turns: Floats


@kernel
def fk_kernel(
    parents: Ints, offsets: Floats, rotations: Floats, origins: Floats, positions: Floats, turns: Floats
) -> None:
    """Batch FK; see `forward`. All arrays one floating dtype; positions and turns are written in place."""
    for t in range(rotations.shape[0]):
        local, placed, turned = rotations[t], positions[t], turns[t]
        for j in range(rotations.shape[1]):
            p = parents[j]
            if p < 0:
                put_quat(turned, j, quat(local, j))
                put(placed, j, vec(origins, t))
            else:
                above = quat(turned, p)
                put_quat(turned, j, mul(above, quat(local, j)))
                put(placed, j, add(vec(placed, p), rotate(above, vec(offsets, j))))


@kernel
def chain(tree: Tree, rotations: Floats, first: Int, last: Int, pose: Pose) -> None:
    """Forward kinematics of nodes first..last, whose parents are placed already; rotations (J, 4) local."""
    # Taken out of their tuples once: each time counts a reference, atomically.
    parents, offsets, positions, turns = tree.parents, tree.offsets, pose.positions, pose.turns
    for j in range(first, last + 1):
        p = parents[j]
        above = quat(turns, p)
        put(positions, j, add(vec(positions, p), rotate(above, vec(offsets, j))))
        put_quat(turns, j, mul(above, quat(rotations, j)))


def forward(parents: Ints, offsets: Floats, rotations: Floats, origins: Floats) -> tuple[Floats, Floats]:
    """World positions (T, J, 3) and world rotations (T, J, 4) xyzw.

    parents (J,) int, -1 for the root; offsets (J, 3) [m] in the parent's space; rotations
    (T, J, 4) local xyzw, unit; origins (T, 3) [m], where the root joint is (its offset is not added).
    """
    dtype = rotations.dtype if rotations.dtype in (np.float32, np.float64) else np.dtype(np.float64)
    rotations = np.ascontiguousarray(rotations, dtype)
    positions = np.empty((*rotations.shape[:2], 3), dtype)
    world = np.empty_like(rotations)
    fk_kernel(
        np.ascontiguousarray(parents, np.int64),
        np.ascontiguousarray(offsets, dtype),
        rotations,
        np.ascontiguousarray(origins, dtype),
        positions,
        world,
    )
    return positions, world
