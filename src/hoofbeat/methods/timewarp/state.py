"""State: what one character of `timewarp` remembers from step to step, and scratch for one step."""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Int, Ints, Rows
from hoofbeat.methods.shared.flight import FLIGHT_STATE

#: Standing and the gaits of the horse, both leads counted.
MOST_GAITS = 12
#: Joints between the nose and the root that a turn runs along.
MOST_SPINE = 10
#: What a foot does in a halt: landed where it will stand, loaded there, not yet lifted as the horse sets off.
LANDED, LOADED, WAITS = 1, 2, 3

#: One character's memory. A gait's weight and a leg's offset move from where they were to where they are
#: wanted over `span` strides, starting with the slope they had.
STATE = np.dtype(
    [
        ("gait", "i4"),  # the gait that is wanted
        ("shown", "i4"),  # the gait that the feet make
        ("cycle", "f8"),  # strides since the start
        ("progress", "f8"),  # of the present transition, 1 = done
        ("span", "f8"),  # strides it lasts
        ("weight", "f8", MOST_GAITS),
        ("weight_from", "f8", MOST_GAITS),
        ("weight_slope", "f8", MOST_GAITS),  # at its start, for the whole transition
        ("shift", "f8", MOST_GAITS),  # how much later than `cycle` each gait's own stride is
        ("offset", "f8", 4),  # how much later than `cycle` each leg lands
        ("offset_from", "f8", 4),
        ("offset_move", "f8", 4),
        ("offset_slope", "f8", 4),
        ("late", "f8", 4),  # strides after the start of the transition at which each leg begins its move
        ("reach", "f8"),  # strides that a leg's move lasts
        ("duty", "f8", 4),  # of each leg's present stride: it never leaves later than it meant to, landing
        ("speed", "f8"),  # [m/s]
        ("surge", "f8"),  # its change [m/s2]
        ("turn", "f8"),  # of the root [rad/s]
        ("sweep", "f8"),  # by which feet are set ahead of a turn [rad/s]
        ("nose", "f8"),  # of the nose, which is first to turn [rad/s]
        ("spine", "f8", MOST_SPINE),  # how far each joint of the chain is turned against the next [rad]
        ("halt", "f8"),  # 1 = feet go where they will stand
        ("halted", "i4", 4),  # 0, or LANDED, LOADED, WAITS
        ("held", "f8", 4),  # how much of that a foot still keeps when the halt is given up
        ("lean", "f8"),  # into the turn, left positive [rad]
        ("side", "f8"),  # how far the body sways to the left [m]
        ("extension", "f8"),  # -1 = collected, 1 = extended
        ("flight", FLIGHT_STATE),
    ],
    align=True,
)

#: Columns of a leg's track, see `gaits.cycle.FEATURES`.
FEATURE_COUNT = 8


def scratch_row(joints: int) -> np.dtype[Any]:
    """What is written anew for each character, for a trunk of so many joints."""
    return np.dtype(
        [
            ("turned", "f4", (joints, 4)),  # rotations of the trunk's joints, local xyzw
            ("duty", "f8", 4),  # of the next stances
            ("own", "f8", 4),  # times of the legs at the start of the step
            ("leaves", "f8", 4),  # time until each foot leaves the ground [s], negative = it is up
            ("lands", "f8", 4),  # time until each lands [s]
            ("later", "f8", MOST_GAITS),  # weights of the gaits at the end of a flight
            ("feature", "f4", FEATURE_COUNT),  # FEATURES of a leg as it moves
            ("stood", "f4", FEATURE_COUNT),  # and as it stands
        ],
        align=True,
    )


@kernel
def init_timewarp(states: Rows, ids: Ints, seed: Int) -> None:
    """Stand. Nothing here is left to chance: ids and seed have no say. The rows (N,) are zero before."""
    _ = ids, seed
    for i in range(states.shape[0]):
        state = states[i]
        state["progress"] = state["span"] = state["reach"] = 1.0
        state["weight"][0] = state["weight_from"][0] = 1.0
        state["flight"]["flight_time"] = 1.0
