"""Gather: memory and plan become the network's inputs (kernel), as `features.rows_of` makes them of takes.

Inputs are held to the range of the network's data, with a margin: beyond it nobody knows what it does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.spring import damp
from hoofbeat.methods.neural.network import layout as names
from hoofbeat.methods.neural.network.card import Card
from hoofbeat.methods.neural.network.layout import NOW, RATE, SAMPLES
from hoofbeat.methods.neural.rows import ACTION, FACING, KEPT, PACE, PLACE, SPEED

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
HALF_RATE = 0.5 * RATE
COUNT = len(SAMPLES)
TICK = np.float32(1 / RATE)
#: Inputs may leave the range of the data by this part of it.
MARGIN = 0.15
#: Half-life of the strain [s].
STRAIN = np.float32(0.2)
#: Blocks in the order in which the kernel takes them.
ORDER = (
    names.POSITION,
    names.DIRECTION,
    names.VELOCITY,
    names.SPEED,
    names.ACTION,
    names.JOINT,
    names.AHEAD,
    names.UP,
    names.JOINT_VELOCITY,
)


def columns_of(card: Card) -> NDArray[np.int64]:
    """First column of each block of ORDER."""
    starts = card.layout.inputs.starts
    return np.array([starts[name] for name in ORDER])


def ranges_of(card: Card) -> NDArray[np.float32]:
    """Least and most (2, n) of every input column, margin included."""
    room = MARGIN * (card.high - card.low)
    ranges = np.stack([card.low - room, card.high + room]).astype(np.float32)
    # Positions and directions of the present are 0 and 1 by definition, actions 0 or 1 even where never seen.
    inputs = card.layout.inputs
    for name, low, high in ((names.DIRECTION, -1.0, 1.0), (names.ACTION, 0.0, 1.0)):
        ranges[0, inputs.part(name)] = np.minimum(ranges[0, inputs.part(name)], low)
        ranges[1, inputs.part(name)] = np.maximum(ranges[1, inputs.part(name)], high)
    return ranges


@kernel
def gather(columns: Any, ranges: Any, core: Any, pose: Any, plan: Any, x: Any) -> None:
    """Fill x (N, n) from core (N,), pose (N, 4, C, 3) and plan (N, FUTURE, PLAN).

    columns, ranges: see `columns_of`, `ranges_of`.
    """
    for i in range(core.shape[0]):
        c, row = core[i], x[i]
        past(columns, c, row)
        ahead(columns, plan[i], row)
        count = pose.shape[2]
        for block in range(4):
            start = columns[5 + block]
            for j in range(count):
                for axis in range(3):
                    row[start + 3 * j + axis] = pose[i, block, j, axis]
        c["strain"] = damp(c["strain"], hold(ranges, row, columns[5]), STRAIN, TICK)


@kernel
def past(columns: Any, core: Any, row: Any) -> None:
    """The way behind the character, as seen from its root."""
    now = core["ticks"]
    actions = (columns[5] - columns[4]) // COUNT
    here = core["way"][now % KEPT]
    s, c = np.sin(here[2]), np.cos(here[2])
    for k in range(NOW):
        n = now + SAMPLES[k]
        there = core["way"][n % KEPT]
        x, z = there[0] - here[0], there[1] - here[1]
        row[columns[0] + 2 * k] = np.float32(c * x - s * z)
        row[columns[0] + 2 * k + 1] = np.float32(s * x + c * z)
        turned = there[2] - here[2]
        row[columns[1] + 2 * k] = np.float32(np.sin(turned))
        row[columns[1] + 2 * k + 1] = np.float32(np.cos(turned))
        before, after = core["way"][(n - 1) % KEPT], core["way"][(n + 1) % KEPT]
        x, z = (after[0] - before[0]) * HALF_RATE, (after[1] - before[1]) * HALF_RATE
        row[columns[2] + 2 * k] = np.float32(c * x - s * z)
        row[columns[2] + 2 * k + 1] = np.float32(s * x + c * z)
        row[columns[3] + k] = core["speeds"][n % KEPT]
        for a in range(actions):
            row[columns[4] + k * actions + a] = ONE if a == core["acts"][n % KEPT] else ZERO


@kernel
def ahead(columns: Any, plan: Any, row: Any) -> None:
    """The way before it, as planned (FUTURE, PLAN)."""
    actions = (columns[5] - columns[4]) // COUNT
    for f in range(plan.shape[0]):
        k = NOW + f
        for axis in range(2):
            row[columns[0] + 2 * k + axis] = plan[f, PLACE + axis]
            row[columns[1] + 2 * k + axis] = plan[f, FACING + axis]
            row[columns[2] + 2 * k + axis] = plan[f, PACE + axis]
        row[columns[3] + k] = plan[f, SPEED]
        act = int(plan[f, ACTION])
        for a in range(actions):
            row[columns[4] + k * actions + a] = ONE if a == act else ZERO


@kernel
def hold(ranges: Any, row: Any, pose: Any) -> Any:
    """Bring inputs into their range; returns which part of those from column `pose` on was outside."""
    outside = 0
    for k in range(row.shape[0]):
        low, high = ranges[0, k], ranges[1, k]
        if row[k] < low or row[k] > high:
            row[k] = min(max(row[k], low), high)
            outside += 1 if k >= pose else 0
    return np.float32(outside) / np.float32(row.shape[0] - pose)
