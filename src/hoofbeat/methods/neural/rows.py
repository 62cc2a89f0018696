"""The rows that the kernels of `neural` share: one character's memory, its plan, how bones hang together."""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.methods.neural.network.layout import FUTURE, SAMPLES

#: Frames of the way that are kept: the farthest sample, its neighbour and the present, as a power of two.
KEPT = 64
assert KEPT >= 2 - SAMPLES[0]

#: Numbers of a sample of the way ahead: position (2), direction (2), velocity (2) as seen from the root,
#: wanted speed, action.
PLACE, FACING, PACE, SPEED, ACTION, PLAN = 0, 2, 4, 6, 7, 8

#: What is the same for every animal. `way` is the character's own count of where it went [m, rad], 0 at its
#: start; frame n stands at n % KEPT.
CORE = np.dtype(
    [
        ("clock", "f8"),  # its own time [frames]
        ("ticks", "i8"),  # frames that the network made
        ("way", "f8", (KEPT, 3)),  # root: x, z, heading
        ("speeds", "f4", KEPT),  # that were wanted [m/s]
        ("acts", "i1", KEPT),  # actions
        ("future", "f4", (FUTURE, 6)),  # of the way, as the network foresees it; see PLACE, FACING, PACE
        ("shown", "f8", 3),  # root that was last shown
        ("wanted", "f8"),  # speed, smoothed [m/s]
        ("turn", "f8"),  # turning rate, smoothed [rad/s]
        ("aim", "f8"),  # heading that is wanted, on its own way [rad]
        ("trim", "f8"),  # part by which more speed is asked for than wanted
        ("speed", "f8"),  # real speed, smoothed [m/s]
        ("gait", "i4"),  # that is wanted
        ("act", "i4"),  # action now
        ("coming", "i4"),  # action that comes
        ("left", "f8"),  # time until it is there [s]
        ("asked", "f8"),  # time since an action was first asked for [s]
        ("rest", "f8"),  # 1 = it is to stay where it is
        ("drift", "f8", 3),  # what it goes aside, ahead [m/s] and turns [rad/s] while it is to stay, smoothed
        ("toe", "f4", (4, 3)),  # as seen from the root, last frame [m]
        ("weight", "f4", 4),  # how much each foot stands, in [0, 1]
        ("down", "i1", 4),
        ("stood", "f8", (4, 2)),  # where each landed, on its own way [m]
        ("again", "i8", 4),  # frame from which it may stand again
        ("landed", "i8", 4),  # frame of its last touchdown
        ("stride", "f8", 4),  # frames of its last stride
        ("phase", "f4"),  # that a PFNN is given
        ("strain", "f4"),  # how much of the pose was out of range of late, in [0, 1]
        ("restarts", "i4"),  # how often it was set up again
    ],
    align=True,
)

#: A told node, and the nodes above it that share its turn.
LINK = np.dtype(
    [
        ("carried", "i4"),  # its place among the told nodes
        ("above", "i4"),  # the node that those hang from, -1 = the root's space
        ("first", "i4"),  # of the nodes that share, in a list
        ("count", "i4"),
    ],
    align=True,
)

#: The bend of a leg at a joint, between the bone to a node and the one above, and its range [rad].
BEND = np.dtype([("node", "i4"), ("joint", "i4"), ("least", "f4"), ("most", "f4")], align=True)


def state_dtype(nodes: int, carried: int) -> np.dtype[Any]:
    """One character's memory: CORE, the pose (4, C, 3) as the network told it (position, ahead, up, velocity)
    and the local rotations (2, J, 4) and root joint (2, 3) of the last two frames."""
    return np.dtype(
        [
            ("core", CORE),
            ("pose", "f4", (4, carried, 3)),
            ("turns", "f4", (2, nodes, 4)),
            ("origin", "f4", (2, 3)),
        ],
        align=True,
    )
