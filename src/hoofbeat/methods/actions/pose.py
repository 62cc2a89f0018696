"""Pose: the angles of an Action, blended, and the local rotations that they give (kernels)."""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.curves import wrap
from hoofbeat.maths.exact.circular import sincos
from hoofbeat.maths.expressions.machine import run_program
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_kernels import mul
from hoofbeat.maths.types import Floats, Int, Ints
from hoofbeat.maths.vec import put_quat
from hoofbeat.methods.actions.stride import Playing
from hoofbeat.methods.actions.tables import Poses

ZERO = np.float32(0.0)
HALF = np.float32(0.5)


@kernel
def add_pose(poses: Poses, one: Playing, seed: Int, stack: Floats, angles: Floats) -> None:
    """Add an Action's angles [rad] by its weight to angles (J, 3); stack: scratch of `run_program`."""
    for n in range(poses.active.shape[0]):
        j = poses.active[n]
        for axis in range(3):
            angles[j, axis] += one.weight * poses.base[one.action, j, axis]
    code, cycle = poses.code, one.cycle
    phase = np.float32(wrap(cycle))
    for p in range(poses.first[one.action], poses.first[one.action + 1]):
        slot = poses.slots[p]
        value = run_program(code, slot["start"], slot["stop"], phase, cycle, seed, stack, ZERO)
        angles[slot["joint"], slot["axis"]] += one.weight * (slot["low"] + value * slot["span"])


@kernel
def write_pose(active: Ints, angles: Floats, rotations: Floats) -> None:
    """Local rotations (J, 4) of the active joints from angles (J, 3) [rad], intrinsic x y z.

    The angles are set to zero again.
    """
    for n in range(active.shape[0]):
        j = active[n]
        s, c = sincos(HALF * angles[j, 0])
        turn = (s, ZERO, ZERO, c)
        if angles[j, 1] != ZERO or angles[j, 2] != ZERO:
            s, c = sincos(HALF * angles[j, 1])
            turn = mul(turn, (ZERO, s, ZERO, c))
            s, c = sincos(HALF * angles[j, 2])
            turn = mul(turn, (ZERO, ZERO, s, c))
        put_quat(rotations, j, turn)
        angles[j, 0] = angles[j, 1] = angles[j, 2] = ZERO
