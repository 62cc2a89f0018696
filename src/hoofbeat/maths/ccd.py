"""Cyclic coordinate descent: joints of a chain turn one after the other until its end is where it should be.

Each joint in turn, from the end to the base, makes the least turn that points the end at the target; a few
rounds bring it there. Bones keep their lengths because only rotations change. A joint may take a part of
each turn (its weight), and may go only so far from the rotation it came with (its limit).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_loose import about, between, mul, normalize, rotate

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
TWO = np.float32(2.0)
#: An end this near to its target has arrived [m].
ARRIVED = np.float32(1e-4)
#: Below this the sine of half an angle counts as none.
STILL = np.float32(1e-7)


@kernel(inline=True)
def part_of_turn(x: Any, y: Any, z: Any, w: Any, part: Any, most: Any) -> Any:
    """A part in [0, 1] of the turn xyzw, along the shorter way and at most `most` [rad] of it."""
    sign = ONE if w >= ZERO else -ONE
    size = np.sqrt(x * x + y * y + z * z)
    angle = min(TWO * np.arctan2(size, w * sign) * part, most)
    scale = sign / size if size > STILL else ZERO
    return about(x * scale, y * scale, z * scale, angle)


@kernel
def along(
    nodes: Any, first: Any, count: Any, parents: Any, offsets: Any, rotations: Any, positions: Any, turns: Any
) -> None:
    """Forward kinematics of nodes[first:count], a chain whose base hangs from what is known already."""
    for n in range(first, count):
        j = nodes[n]
        p = parents[j]
        gx, gy, gz, gw = ZERO, ZERO, ZERO, ONE
        if p >= 0:
            gx, gy, gz, gw = turns[p, 0], turns[p, 1], turns[p, 2], turns[p, 3]
            x, y, z = rotate(gx, gy, gz, gw, offsets[j, 0], offsets[j, 1], offsets[j, 2])
            positions[j, 0] = positions[p, 0] + x
            positions[j, 1] = positions[p, 1] + y
            positions[j, 2] = positions[p, 2] + z
        turns[j, 0], turns[j, 1], turns[j, 2], turns[j, 3] = mul(
            gx, gy, gz, gw, rotations[j, 0], rotations[j, 1], rotations[j, 2], rotations[j, 3]
        )


@kernel
def turn_joint(
    j: Any, tip: Any, weight: Any, most: Any, parents: Any, rotations: Any, start: Any, pose: Any, target: Any
) -> None:
    """Turn one joint by `weight` of what points the tip at the target, at most `most` [rad] from `start`."""
    positions, turns = pose
    ax, ay, az = positions[j, 0], positions[j, 1], positions[j, 2]
    x, y, z, w = between(
        positions[tip, 0] - ax,
        positions[tip, 1] - ay,
        positions[tip, 2] - az,
        target[0] - ax,
        target[1] - ay,
        target[2] - az,
    )
    x, y, z, w = part_of_turn(x, y, z, w, weight, TWO * TWO)
    # Into the parent's space: what the joint's own rotation becomes.
    x, y, z, w = mul(x, y, z, w, turns[j, 0], turns[j, 1], turns[j, 2], turns[j, 3])
    p = parents[j]
    if p >= 0:
        x, y, z, w = mul(-turns[p, 0], -turns[p, 1], -turns[p, 2], turns[p, 3], x, y, z, w)
    # How far that is from where it started, held to its limit.
    sx, sy, sz, sw = start[j, 0], start[j, 1], start[j, 2], start[j, 3]
    x, y, z, w = mul(-sx, -sy, -sz, sw, x, y, z, w)
    x, y, z, w = part_of_turn(x, y, z, w, ONE, most)
    x, y, z, w = mul(sx, sy, sz, sw, x, y, z, w)
    rotations[j, 0], rotations[j, 1], rotations[j, 2], rotations[j, 3] = normalize(x, y, z, w)


@kernel
def reach_by_turns(
    nodes: Any,
    count: Any,
    limits: Any,
    parents: Any,
    offsets: Any,
    rotations: Any,
    start: Any,
    pose: Any,
    target: Any,
    rounds: Any,
) -> Any:
    """Bring the end of a chain to target (3,) by turning its joints; returns by how much it misses [m].

    nodes (K,), of which the first `count` are the chain: each hangs from the one before, the last is the end
    and does not turn. limits (K, 2) float32: weight in [0, 1] and most turn [rad] from `start` of each.
    rotations (J, 4) local xyzw are read and written; start (J, 4): where the limits are measured from; pose:
    positions (J, 3) and turns (J, 4), of which the parent of nodes[0] is given and the chain is written, all
    float32 and in the space of the target. Nothing is allocated.
    """
    positions, turns = pose
    along(nodes, 0, count, parents, offsets, rotations, positions, turns)
    tip = nodes[count - 1]
    miss = ZERO
    for again in range(rounds + 1):
        dx, dy = target[0] - positions[tip, 0], target[1] - positions[tip, 1]
        dz = target[2] - positions[tip, 2]
        miss = np.sqrt(dx * dx + dy * dy + dz * dz)
        if miss < ARRIVED or again == rounds:
            break
        for n in range(count - 2, -1, -1):
            turn_joint(nodes[n], tip, limits[n, 0], limits[n, 1], parents, rotations, start, pose, target)
            along(nodes, n, count, parents, offsets, rotations, positions, turns)
    return miss
