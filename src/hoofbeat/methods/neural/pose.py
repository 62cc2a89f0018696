"""Pose: what a network gives of some nodes becomes rotations of all joints (kernels).

Between a modelled node and the next one above it, the joints share the rotation evenly. An end site does not
turn by itself: its rotation is that of the joint it ends. All other nodes keep the standing pose.
"""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.exact.circular import arctan2
from hoofbeat.maths.fk import Pose, Tree, chain
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_kernels import (
    about,
    facing,
    inverse_mul,
    mul,
    normalize,
    part_turn,
    rotate,
)
from hoofbeat.maths.types import Floats, Rows
from hoofbeat.maths.vec import cross, divide, dot, length, put_quat, quat, vec
from hoofbeat.methods.neural.tables import NetworkBody

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
TWO = np.float32(2.0)
TINY = np.float32(1e-9)


@kernel
def share_rotations(body: NetworkBody, pose: Floats, turns: Floats, rotations: Floats) -> None:
    """Local rotations (J, 4) of linked nodes from a pose (4, M, 3); turns (J, 4): in root space."""
    ahead, up = pose[1], pose[2]
    for n in range(body.links.shape[0]):
        link = body.links[n]
        j, p, count = link["modelled"], link["above"], link["count"]
        # Components, not tuples, live on through the loop: LLVM contracts a tuple's otherwise (by 1 ulp).
        x, y, z, w = facing(vec(ahead, j), vec(up, j))
        gx, gy, gz, gw = ZERO, ZERO, ZERO, ONE
        if p >= 0:
            gx, gy, gz, gw = quat(turns, p)
            x, y, z, w = inverse_mul((gx, gy, gz, gw), (x, y, z, w))
            # Unit length is set right at every node: down a chain its error would double.
            x, y, z, w = normalize((x, y, z, w))
        if count > 1:
            x, y, z, w = part_turn((x, y, z, w), ONE / np.float32(count))
        for k in range(link["first"], link["first"] + count):
            node = body.shared[k]
            rotations[node, 0], rotations[node, 1], rotations[node, 2], rotations[node, 3] = x, y, z, w
            gx, gy, gz, gw = mul((gx, gy, gz, gw), (x, y, z, w))
            gx, gy, gz, gw = normalize((gx, gy, gz, gw))
            turns[node, 0], turns[node, 1], turns[node, 2], turns[node, 3] = gx, gy, gz, gw


@kernel
def limit_rates(fastest: Floats, before: Floats, now: Floats) -> None:
    """Let no joint turn faster than any real one; before, now (J, 4) local, of which `now` is changed.

    Recordings have joints that flip about their own bone from one frame to the next, and networks learn it;
    they also leap from one pose to another where no recording has the poses between. fastest: see `Body`.
    """
    for j in range(now.shape[0]):
        start = quat(before, j)
        turn = inverse_mul(start, quat(now, j))
        angle = TWO * arctan2(length((turn[0], turn[1], turn[2])), abs(turn[3]))
        if angle > fastest[j]:
            put_quat(now, j, normalize(mul(start, part_turn(turn, fastest[j] / angle))))


@kernel
def limit_bends(bends: Rows, offsets: Floats, rotations: Floats) -> None:
    """Turn joints of the legs back that are bent more or less than any real one's; rotations (J, 4) local.

    bends (B,) of BEND; offsets (J, 3) of the nodes. A joint turns in the plane of its two bones.
    """
    for n in range(bends.shape[0]):
        row = bends[n]
        j, p = row["node"], row["joint"]
        turn, above = quat(rotations, p), vec(offsets, p)
        below = rotate(turn, vec(offsets, j))
        normal = cross(above, below)
        sine = length(normal)
        bend = arctan2(sine, dot(above, below))
        back = min(max(bend, row["least"]), row["most"]) - bend
        # Bones in line have no plane; they are bent too little at most by what nobody sees.
        if back != ZERO and sine > TINY:
            put_quat(rotations, p, normalize(mul(about(divide(normal, sine), back), turn)))


@kernel
def place_bones(
    body: NetworkBody, root_joint: Floats, rotations: Floats, positions: Floats, turns: Floats
) -> None:
    """Forward kinematics in root space: rotations (J, 4) local to positions (J, 3) and turns (J, 4)."""
    for axis in range(3):
        positions[0, axis] = root_joint[axis]
    put_quat(turns, 0, quat(rotations, 0))
    tree = Tree(body.parents, body.offsets)
    chain(tree, rotations, 1, body.parents.shape[0] - 1, Pose(positions, turns))
