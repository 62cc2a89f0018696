"""State: one character's memory, and how the kernels see that of a herd.

time ->  frames of 1/60 s, made by the network
         ... n-2  n-1   n          path: where the root was, frame n at n % KEPT
                    |---|          shown: a moment between the last two
                        |--- ...   foreseen: the trajectory ahead, as the network has it
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Floats, Real, Rows
from hoofbeat.methods.neural.network.layout import FUTURE, SAMPLES

#: Frames of the path that are kept: the farthest sample, its neighbour and the present, as a power of two.
KEPT = 64
assert KEPT >= 2 - SAMPLES[0]

#: Columns of a sample of the trajectory ahead: position (2), direction (2), velocity (2) in root space,
#: wanted speed, action; and how many those are.
POSITION, DIRECTION, VELOCITY, SPEED, ACTION, COLUMNS = 0, 2, 4, 6, 7, 8

#: What is the same for every animal. `path` is counted from the character's own start [m, rad].
CORE = np.dtype(
    [
        ("clock", "f8"),  # its own time [frames]
        ("frame", "i8"),  # frames that the network made
        ("path", "f8", (KEPT, 3)),  # root: x, z, heading
        ("speeds", "f4", KEPT),  # that were wanted [m/s]
        ("actions", "i1", KEPT),
        ("foreseen", "f4", (FUTURE, 6)),  # trajectory, as the network foresees it; see POSITION
        ("shown", "f8", 3),  # root that was last shown
        ("wanted_speed", "f8"),  # smoothed [m/s]
        ("turn", "f8"),  # turning rate, smoothed [rad/s]
        ("wanted_heading", "f8"),  # on its own path [rad]
        ("speed_trim", "f8"),  # part by which more speed is asked for than wanted
        ("speed", "f8"),  # real speed, smoothed [m/s]
        ("gait", "i4"),  # that is wanted
        ("made_gait", "i4"),  # that the feet make
        ("action", "i4"),  # at the present
        ("next_action", "i4"),
        ("time_left", "f8"),  # until the next action is at the present [s]
        ("asked_for", "f8"),  # time since an action was first asked for [s]
        ("rest", "f8"),  # 1 = it is to stay where it is
        ("drift", "f8", 3),  # its sideways, forward [m/s] and turning rate [rad/s] while at rest, smoothed
        ("toe", "f4", (4, 3)),  # root space, last frame [m]
        ("weight", "f4", 4),  # how much each foot stands, in [0, 1]
        ("down", "i1", 4),
        ("footprint", "f8", (4, 2)),  # where each landed, on its own path [m]
        ("may_land", "i8", 4),  # frame from which it may stand again
        ("landed", "i8", 4),  # frame of its last touchdown
        ("stride", "f8", 4),  # length of its last stride [frames]
        ("phase", "f4"),  # that a PFNN is given
        ("strain", "f4"),  # part of the pose that was out of range of late, in [0, 1]
        ("restarts", "i4"),  # how often it was set up again
    ],
    align=True,
)


def state_dtype(nodes: int, modelled: int) -> np.dtype[Any]:
    """One character's memory: CORE, the pose (4, M, 3) of the modelled nodes as the network gave it
    (position, ahead, up, velocity), and the local rotations (2, J, 4) and root joint (2, 3) of the last two
    frames."""
    return np.dtype(
        [
            ("core", CORE),
            ("pose", "f4", (4, modelled, 3)),
            ("rotations", "f4", (2, nodes, 4)),
            ("root_joint", "f4", (2, 3)),
        ],
        align=True,
    )


class Memory(NamedTuple):
    """The states of N characters, part by part; see `state_dtype`."""

    core: Rows
    pose: Floats
    rotations: Floats
    root_joint: Floats


def memory_of(state: NDArray[Any]) -> Memory:
    """Views of the parts of states (N,)."""
    return Memory(state["core"], state["pose"], state["rotations"], state["root_joint"])


@kernel(inline=True)
def to_root(sine: Real, cosine: Real, x: Real, z: Real) -> tuple[Real, Real]:
    """A horizontal vector of the path's space in root space; sine, cosine: of the heading."""
    return cosine * x - sine * z, sine * x + cosine * z


@kernel(inline=True)
def on_path(root: Floats, sine: Real, cosine: Real, x: Real, z: Real) -> tuple[Real, Real]:
    """Where a point (x, z) of root space is on the path [m], for a root x, z, heading."""
    return root[0] + cosine * x + sine * z, root[1] - sine * x + cosine * z
