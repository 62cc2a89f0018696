"""State: what method `actions` remembers of one character."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hoofbeat.maths.expressions.machine import MAX_STACK
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.noise import hash32
from hoofbeat.maths.types import Floats, Int, Ints, Rows
from hoofbeat.methods.shared.flight import FLIGHT_STATE

#: One character's memory.
STATE = np.dtype(
    [
        ("seed", "i8"),
        ("action", "i4"),
        ("next", "i4"),  # the Action blended in, -1 = none
        ("cycle", "f8"),  # cycles of `action` since the start, unwrapped
        ("next_cycle", "f8"),
        ("blend", "f8"),  # time since the blend began [s]
        ("blend_time", "f8"),  # how long it lasts [s]
        ("speed", "f8"),  # speed now [m/s]
        ("turn", "f8"),  # turning rate now [rad/s]
        ("duration", "f8"),  # cycle time now [s]
        ("flight", FLIGHT_STATE),
        ("contact", "i1", 4),
        ("squared", "i4"),  # bits of the feet set down since the horse slowed to a halt
    ],
    align=True,
)


class Scratch(NamedTuple):
    """Memory of one call, float32: stack (MAX_STACK,) of the expressions; angles (J, 3) [rad], 0 between
    uses."""

    stack: Floats
    angles: Floats


def new_scratch(nodes: int) -> Scratch:
    """Memory for one call, for an animal of so many nodes."""
    return Scratch(np.empty(MAX_STACK, np.float32), np.zeros((nodes, 3), np.float32))


@kernel
def init_actions(states: Rows, ids: Ints, seed: Int) -> None:
    """Stand, each character with its own stream of noise. The rows (N,) are zero before."""
    for i in range(states.shape[0]):
        state = states[i]
        state["seed"] = np.int64(hash32(seed, ids[i], 0))
        state["next"] = -1
        state["duration"] = 1.0
        state["flight"]["flight_time"] = 1.0
        state["blend_time"] = 1.0
        for leg in range(4):
            state["contact"][leg] = 1
