"""Gather: memory and plan become the network's inputs (kernel), as `features.rows_of` makes them of clips.

Inputs are held to the range of the network's data, with a margin: beyond it nobody knows what it does.
"""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.exact.circular import sincos
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.spring import damp
from hoofbeat.maths.types import Floats, Real, Row
from hoofbeat.methods.neural.network.layout import NOW, RATE, SAMPLES
from hoofbeat.methods.neural.state import (
    ACTION,
    DIRECTION,
    KEPT,
    POSITION,
    SPEED,
    VELOCITY,
    Memory,
    to_root,
)
from hoofbeat.methods.neural.tables import NetworkInputs

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
HALF_RATE = 0.5 * RATE
#: Frames of the samples behind the character, against now.
PAST = np.array(SAMPLES[:NOW], np.int64)
FRAME = np.float32(1 / RATE)
#: Half-life of the strain [s].
STRAIN = np.float32(0.2)


@kernel
def gather(inputs: NetworkInputs, memory: Memory, plan: Floats, x: Floats) -> None:
    """Fill x (N, n) from N memories and their plans (N, FUTURE, COLUMNS)."""
    pose = memory.pose
    for i in range(plan.shape[0]):
        core, row = memory.core[i], x[i]
        gather_past(inputs, core, row)
        gather_future(inputs, plan[i], row)
        column = inputs.pose
        for block in range(4):
            for j in range(pose.shape[2]):
                for axis in range(3):
                    row[column] = pose[i, block, j, axis]
                    column += 1
        core["strain"] = damp(core["strain"], _hold(inputs, row), STRAIN, FRAME)


@kernel
def gather_past(inputs: NetworkInputs, core: Row, row: Floats) -> None:
    """The path behind the character, in root space."""
    now = core["frame"]
    here = core["path"][now % KEPT]
    s, c = sincos(here[2])
    for k in range(NOW):
        n = now + PAST[k]
        there = core["path"][n % KEPT]
        x, z = to_root(s, c, there[0] - here[0], there[1] - here[1])
        row[inputs.position + 2 * k], row[inputs.position + 2 * k + 1] = np.float32(x), np.float32(z)
        sine, cosine = sincos(there[2] - here[2])
        row[inputs.direction + 2 * k], row[inputs.direction + 2 * k + 1] = (
            np.float32(sine),
            np.float32(cosine),
        )
        before, after = core["path"][(n - 1) % KEPT], core["path"][(n + 1) % KEPT]
        x, z = (after[0] - before[0]) * HALF_RATE, (after[1] - before[1]) * HALF_RATE
        x, z = to_root(s, c, x, z)
        row[inputs.velocity + 2 * k], row[inputs.velocity + 2 * k + 1] = np.float32(x), np.float32(z)
        row[inputs.speed + k] = core["speeds"][n % KEPT]
        mark_action(inputs, k, core["actions"][n % KEPT], row)


@kernel
def gather_future(inputs: NetworkInputs, plan: Floats, row: Floats) -> None:
    """The trajectory ahead, as planned (FUTURE, COLUMNS)."""
    for f in range(plan.shape[0]):
        k = NOW + f
        for axis in range(2):
            row[inputs.position + 2 * k + axis] = plan[f, POSITION + axis]
            row[inputs.direction + 2 * k + axis] = plan[f, DIRECTION + axis]
            row[inputs.velocity + 2 * k + axis] = plan[f, VELOCITY + axis]
        row[inputs.speed + k] = plan[f, SPEED]
        mark_action(inputs, k, int(plan[f, ACTION]), row)


@kernel(inline=True)
def mark_action(inputs: NetworkInputs, sample: int, action: int, row: Floats) -> None:
    """One-hot columns of the action at a sample."""
    for a in range(inputs.actions):
        row[inputs.action + sample * inputs.actions + a] = ONE if a == action else ZERO


@kernel
def _hold(inputs: NetworkInputs, row: Floats) -> Real:
    """Bring inputs into their range; returns which part of those of the pose was outside."""
    outside = 0
    for k in range(row.shape[0]):
        low, high = inputs.low[k], inputs.high[k]
        if row[k] < low or row[k] > high:
            row[k] = min(max(row[k], low), high)
            outside += 1 if k >= inputs.pose else 0
    return np.float32(outside) / np.float32(row.shape[0] - inputs.pose)
