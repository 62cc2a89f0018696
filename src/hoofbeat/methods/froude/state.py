"""State: one character's memory, and the scratch memory of one call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Floats, Int, Ints, Rows
from hoofbeat.methods.froude.model.cycles import CHANNELS, JOINED
from hoofbeat.methods.shared.flight import FLIGHT_STATE

#: One character's memory. A leg's clock counts strides since it landed; it lands again after `length`. A
#: transition gives every leg, from its next landing on, one cycle (or more) that is longer or shorter
#: (M7), in which its curves go from those of `source` to those of `gait`.
STATE = np.dtype(
    [
        ("gait", "i4"),  # the gait ridden, or gone to
        ("source", "i4"),  # the gait come from; the same where there is no transition
        ("clock", "f8", 4),  # strides since each leg landed
        ("length", "f8", 4),  # strides until it lands again
        ("stance", "f8", 4),  # strides after which it leaves the ground
        ("share", "f8", (4, 2)),  # of `gait` in its curves, at the cycle's start and at its end
        ("cycles", "i4"),  # of each leg in the transition
        ("cycles_left", "i4", 4),  # of the transition, that a leg has still to begin
        ("speed", "f8"),  # [m/s]
        ("moving", "f8"),  # 0 = it stands, 1 = it goes
        ("turn", "f8"),  # [rad/s]
        ("lean", "f8"),  # into the turn, left positive [rad]
        ("sway", "f8"),  # how far the body is to the left of its path [m]
        ("strides", "f8"),  # since the start
        ("flight", FLIGHT_STATE),
    ],
    align=True,
)


class Scratch(NamedTuple):
    """Memory of one call.

    float32: channels (9,) of a limb, value and slope (7,) of a join, trunk (J, 3) of rotation vectors [rad];
    float64: first and second (4,) of the legs.
    """

    channels: Floats
    value: Floats
    slope: Floats
    trunk: Floats
    first: Floats
    second: Floats


def new_scratch(joints: int) -> Scratch:
    """Memory for one call, for so many joints of the trunk."""
    return Scratch(
        np.empty(len(CHANNELS), np.float32),
        np.empty(JOINED, np.float32),
        np.empty(JOINED, np.float32),
        np.empty((joints, 3), np.float32),
        np.empty(4),
        np.empty(4),
    )


@kernel
def init_froude(states: Rows, ids: Ints, seed: Int) -> None:
    """Stand. Nothing here is left to chance: ids and seed have no say. The rows (N,) are zero before."""
    _ = ids, seed
    for i in range(states.shape[0]):
        state = states[i]
        for leg in range(4):
            state["length"][leg] = state["stance"][leg] = 1.0
            state["share"][leg, 0] = state["share"][leg, 1] = 1.0
        state["flight"]["flight_time"] = 1.0
