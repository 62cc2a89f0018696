"""State: one character's memory."""

from __future__ import annotations

import numpy as np

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
        ("cycles", "i4"),  # that each leg takes for the transition
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
