"""Forward kinematics: local rotations and bone offsets to positions.

Parents come before children (the Skeleton guarantees it), so one pass over the joints is enough.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_loose import mul, rotate

Floats = NDArray[Any]


@kernel
def fk_kernel(
    parents: Any, offsets: Any, rotations: Any, origins: Any, positions: Any, globals_: Any
) -> None:
    """Batch FK; see `forward`. All arrays one floating dtype; outputs are written in place."""
    for t in range(rotations.shape[0]):
        for j in range(rotations.shape[1]):
            p = parents[j]
            qx, qy, qz, qw = rotations[t, j, 0], rotations[t, j, 1], rotations[t, j, 2], rotations[t, j, 3]
            if p < 0:
                globals_[t, j, 0], globals_[t, j, 1], globals_[t, j, 2], globals_[t, j, 3] = qx, qy, qz, qw
                positions[t, j, 0], positions[t, j, 1] = origins[t, 0], origins[t, 1]
                positions[t, j, 2] = origins[t, 2]
            else:
                gx, gy, gz, gw = globals_[t, p, 0], globals_[t, p, 1], globals_[t, p, 2], globals_[t, p, 3]
                rx, ry, rz, rw = mul(gx, gy, gz, gw, qx, qy, qz, qw)
                globals_[t, j, 0], globals_[t, j, 1], globals_[t, j, 2], globals_[t, j, 3] = rx, ry, rz, rw
                ox, oy, oz = rotate(gx, gy, gz, gw, offsets[j, 0], offsets[j, 1], offsets[j, 2])
                positions[t, j, 0] = positions[t, p, 0] + ox
                positions[t, j, 1] = positions[t, p, 1] + oy
                positions[t, j, 2] = positions[t, p, 2] + oz


@kernel
def chain(
    parents: Any, offsets: Any, rotations: Any, first: Any, last: Any, positions: Any, turns: Any
) -> None:
    """Forward kinematics of the nodes first..last in character space; parents are done before."""
    for j in range(first, last + 1):
        p = parents[j]
        gx, gy, gz, gw = turns[p, 0], turns[p, 1], turns[p, 2], turns[p, 3]
        x, y, z = rotate(gx, gy, gz, gw, offsets[j, 0], offsets[j, 1], offsets[j, 2])
        positions[j, 0] = positions[p, 0] + x
        positions[j, 1] = positions[p, 1] + y
        positions[j, 2] = positions[p, 2] + z
        turns[j, 0], turns[j, 1], turns[j, 2], turns[j, 3] = mul(
            gx, gy, gz, gw, rotations[j, 0], rotations[j, 1], rotations[j, 2], rotations[j, 3]
        )


def forward(parents: Floats, offsets: Floats, rotations: Floats, origins: Floats) -> tuple[Floats, Floats]:
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
