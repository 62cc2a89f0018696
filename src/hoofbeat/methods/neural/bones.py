"""Bones: how what a network tells of some nodes becomes rotations of all joints.

Between a told node and the next told one above it, the joints share the turn evenly. An end site does not
turn by itself: its turn is that of the joint it ends. All other nodes keep the standing pose.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.labelled import Rig
from hoofbeat.body.legs.bends import bent_nodes
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_loose import about, facing, mul, normalize, part_turn, rotate
from hoofbeat.methods.neural.network.card import Card
from hoofbeat.methods.neural.rows import BEND, LINK

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
TWO = np.float32(2.0)
TINY = np.float32(1e-9)
#: The most that a joint turns in a frame [rad], and one of a leg: a fast horse's fetlock needs 0.75.
MOST_TURN, MOST_LEG_TURN = 0.3, 0.9


def links_of(rig: Rig) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Links (L,) of LINK, those nearer the root first, and the list of nodes that share."""
    skeleton, carried = rig.skeleton, rig.carried.tolist()
    rows: list[tuple[int, int, int, int]] = []
    shared: list[int] = []
    for node in sorted(carried):
        chain: list[int] = []
        up = node
        # Where paths part between told nodes, what the first has set stays as it is.
        while up >= 0 and up not in shared:
            if not skeleton.ends[up]:
                chain.append(up)
            up = int(skeleton.parents[up])
        if chain:
            rows.append((carried.index(node), up, len(shared), len(chain)))
            shared += chain[::-1]
    return np.array(rows, LINK), np.array(shared, np.int64)


@kernel
def turn_bones(links: Any, shared: Any, pose: Any, turns: Any, rotations: Any) -> None:
    """Local rotations (J, 4) of linked nodes from a pose (4, C, 3); turns (J, 4): as seen from the root."""
    for n in range(links.shape[0]):
        link = links[n]
        j, p, count = link["carried"], link["above"], link["count"]
        x, y, z, w = facing(
            pose[1, j, 0], pose[1, j, 1], pose[1, j, 2], pose[2, j, 0], pose[2, j, 1], pose[2, j, 2]
        )
        gx, gy, gz, gw = ZERO, ZERO, ZERO, ONE
        if p >= 0:
            gx, gy, gz, gw = turns[p, 0], turns[p, 1], turns[p, 2], turns[p, 3]
            # Unit length is set right at every node: down a chain its error would double.
            x, y, z, w = mul(-gx, -gy, -gz, gw, x, y, z, w)
            x, y, z, w = normalize(x, y, z, w)
        if count > 1:
            x, y, z, w = part_turn(x, y, z, w, ONE / np.float32(count))
        for k in range(link["first"], link["first"] + count):
            node = shared[k]
            rotations[node, 0], rotations[node, 1], rotations[node, 2], rotations[node, 3] = x, y, z, w
            gx, gy, gz, gw = mul(gx, gy, gz, gw, x, y, z, w)
            gx, gy, gz, gw = normalize(gx, gy, gz, gw)
            turns[node, 0], turns[node, 1], turns[node, 2], turns[node, 3] = gx, gy, gz, gw


def fastest_of(rig: Rig) -> NDArray[np.float32]:
    """The most (J,) that each joint turns in a frame [rad]."""
    most = np.full(len(rig.skeleton), MOST_TURN, np.float32)
    for leg in rig.skeleton.legs:
        node = leg.toe
        while node != leg.top:
            most[node] = MOST_LEG_TURN
            node = int(rig.skeleton.parents[node])
        most[node] = MOST_LEG_TURN
    return most


@kernel
def ease_turns(fastest: Any, before: Any, now: Any) -> None:
    """Let no joint turn faster than any real one; before, now (J, 4) local, of which `now` is changed.

    Recordings have joints that flip about their own bone from one frame to the next, and networks learn it;
    they also leap from one pose to another where no recording shows the way between. See `fastest_of`.
    """
    for j in range(now.shape[0]):
        ax, ay, az, aw = before[j, 0], before[j, 1], before[j, 2], before[j, 3]
        x, y, z, w = mul(-ax, -ay, -az, aw, now[j, 0], now[j, 1], now[j, 2], now[j, 3])
        angle = TWO * np.arctan2(np.sqrt(x * x + y * y + z * z), abs(w))
        if angle > fastest[j]:
            x, y, z, w = part_turn(x, y, z, w, fastest[j] / angle)
            x, y, z, w = mul(ax, ay, az, aw, x, y, z, w)
            now[j, 0], now[j, 1], now[j, 2], now[j, 3] = normalize(x, y, z, w)


def bends_held(card: Card, room: float) -> NDArray[Any]:
    """What `hold_bends` takes: rows of BEND, each with room [rad] beyond what was seen."""
    nodes = bent_nodes(card.rig.skeleton)
    rows = np.zeros(len(nodes), BEND)
    rows["node"], rows["joint"] = nodes, card.rig.skeleton.parents[nodes]
    rows["least"] = np.maximum(card.bends[:, 0] - room, 0)
    rows["most"] = np.minimum(card.bends[:, 1] + room, np.pi)
    return rows


@kernel
def hold_bends(bends: Any, offsets: Any, rotations: Any) -> None:
    """Turn joints of the legs back that are bent more or less than any real one's; rotations (J, 4) local.

    bends: see `bends_held`; offsets (J, 3) of the nodes. A joint turns in the plane of its two bones.
    """
    for n in range(bends.shape[0]):
        row = bends[n]
        j, p = row["node"], row["joint"]
        x, y, z, w = rotations[p, 0], rotations[p, 1], rotations[p, 2], rotations[p, 3]
        bx, by, bz = rotate(x, y, z, w, offsets[j, 0], offsets[j, 1], offsets[j, 2])
        ax, ay, az = offsets[p, 0], offsets[p, 1], offsets[p, 2]
        nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
        sine = np.sqrt(nx * nx + ny * ny + nz * nz)
        bend = np.arctan2(sine, ax * bx + ay * by + az * bz)
        back = min(max(bend, row["least"]), row["most"]) - bend
        # Bones in line have no plane; they are bent too little at most by what nobody sees.
        if back != ZERO and sine > TINY:
            tx, ty, tz, tw = about(nx / sine, ny / sine, nz / sine, back)
            x, y, z, w = mul(tx, ty, tz, tw, x, y, z, w)
            rotations[p, 0], rotations[p, 1], rotations[p, 2], rotations[p, 3] = normalize(x, y, z, w)
