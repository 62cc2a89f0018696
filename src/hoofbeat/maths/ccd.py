"""Cyclic coordinate descent: joints of a chain turn one after the other until its end is where it should be.

Each joint in turn, from the end to the base, makes the least turn that points the end at the target; a few
rounds bring it there. Bones keep their lengths because only rotations change. A joint may take a part of
each turn (its weight), and may go only so far from the rotation it came with (its limit).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hoofbeat.maths.exact.circular import arctan2
from hoofbeat.maths.fk import Pose, Tree
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_kernels import IDENTITY, about, between, inverse_mul, mul, normalize, rotate
from hoofbeat.maths.types import Floats, Int, Ints, Quat, Real, Vec3
from hoofbeat.maths.vec import add, length, put, put_quat, quat, scale, sub, vec, vec_of

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
TWO = np.float32(2.0)
#: An end this near to its target has arrived [m].
ARRIVED = np.float32(1e-4)
#: Below this the sine of half an angle counts as none.
STILL = np.float32(1e-7)


class Chain(NamedTuple):
    """Joints that reach together: nodes (K,), each below the one before; the last, the end, does not turn.

    size: how many of the nodes are the chain; limits (K, 2) float32: of each joint the share of a turn that
    it takes, in [0, 1], and how far it may go from where it started [rad]; start (J, 4): local rotations
    that the limits are measured from.
    """

    nodes: Ints
    size: int
    limits: Floats
    start: Floats


@kernel(inline=True)
def limited_turn(q: Quat, part: Real, most: Real) -> Quat:
    """A part in [0, 1] of a turn, along the shorter way and at most `most` [rad] of it."""
    sign = ONE if q[3] >= ZERO else -ONE
    size = length((q[0], q[1], q[2]))
    angle = min(TWO * arctan2(size, q[3] * sign) * part, most)
    return about(scale((q[0], q[1], q[2]), sign / size if size > STILL else ZERO), angle)


@kernel
def place_chain(chain: Chain, first: Int, tree: Tree, rotations: Floats, pose: Pose) -> None:
    """Forward kinematics of the nodes of a chain from number `first` on; what it hangs from is placed."""
    nodes, parents, offsets = chain.nodes, tree.parents, tree.offsets
    positions, turns = pose.positions, pose.turns
    for n in range(first, chain.size):
        j = nodes[n]
        p = parents[j]
        above = IDENTITY
        if p >= 0:
            above = quat(turns, p)
            put(positions, j, add(vec(positions, p), rotate(above, vec(offsets, j))))
        put_quat(turns, j, mul(above, quat(rotations, j)))


@kernel
def turn_joint(chain: Chain, n: Int, tree: Tree, rotations: Floats, pose: Pose, target: Vec3) -> None:
    """Turn joint number n of a chain so that its end points at the target, as far as it may."""
    nodes, limits, positions, turns = chain.nodes, chain.limits, pose.positions, pose.turns
    j, tip = nodes[n], nodes[chain.size - 1]
    here = vec(positions, j)
    turn = between(sub(vec(positions, tip), here), sub(target, here))
    turn = limited_turn(turn, limits[n, 0], TWO * TWO)
    # Into the parent's space: what the joint's own rotation becomes.
    turn = mul(turn, quat(turns, j))
    p = tree.parents[j]
    if p >= 0:
        turn = inverse_mul(quat(turns, p), turn)
    # How far that is from where it started, held to its limit.
    start = quat(chain.start, j)
    turn = mul(start, limited_turn(inverse_mul(start, turn), ONE, limits[n, 1]))
    put_quat(rotations, j, normalize(turn))


@kernel
def reach_by_turns(
    chain: Chain, tree: Tree, rotations: Floats, pose: Pose, target: Floats, rounds: Int
) -> Real:
    """Bring the end of a chain to target (3,) by turning its joints; returns by how much it misses [m].

    rotations (J, 4) local xyzw are read and written; of the pose, what the first node hangs from is given and
    the chain is written, all float32 and in the space of the target. Nothing is allocated.
    """
    place_chain(chain, 0, tree, rotations, pose)
    tip = chain.nodes[chain.size - 1]
    miss = ZERO
    for again in range(rounds + 1):
        miss = length(sub(vec_of(target), vec(pose.positions, tip)))
        if miss < ARRIVED or again == rounds:
            break
        for n in range(chain.size - 2, -1, -1):
            turn_joint(chain, n, tree, rotations, pose, vec_of(target))
            place_chain(chain, n, tree, rotations, pose)
    return miss
