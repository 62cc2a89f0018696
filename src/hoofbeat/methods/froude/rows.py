"""The structured rows that the kernels of `froude` share: one gait, one character."""

from __future__ import annotations

import numpy as np

#: One gait: standing, walk, trot, and both leads of canter and gallop.
GAIT = np.dtype(
    [
        ("family", "i4"),  # row of the tables, -1 = it stands
        ("touchdown", "f8", 4),  # of LF, RF, LH, RH after the left hind, in strides
        ("mirror", "f8"),  # 1 = as the tables have it, -1 = left and right exchanged
        ("shift", "f8"),  # how much later in the tables a stride of this gait begins
        ("froude", "f8", 2),  # least and most Froude number it is chosen at
        (
            "grid",
            "f8",
            3,
        ),  # of the tables: log of the first Froude number, rows for each unit of log, rows - 1
        ("stride", "f8", 2),  # relative stride length a Fr^b: a, b
        ("duty", "f8", (2, 2)),  # predicted duty a Fr^b of fore and hind: a, b
        ("lead", "i4"),  # 1 = left, -1 = right, 0 = it has none
        ("other", "i4"),  # the same gait on the other lead
        ("up", "i4", 2),  # the next faster gait: where the lead is left, where it is right
        ("down", "i4", 2),  # the next slower one
        ("track", "f8", 2),  # of fore and hind feet from the middle line [m]
    ],
    align=True,
)

#: One character's memory. A leg's clock counts strides since it landed; it lands again after `length`. A
#: transition gives every leg, from its next landing on, one cycle (or more) that is longer or shorter
#: (M7), in which its curves go from those of `source` to those of `gait`.
STATE = np.dtype(
    [
        ("gait", "i4"),  # the gait ridden, or gone to
        ("source", "i4"),  # the gait come from; the same where there is no transition
        ("clock", "f8", 4),  # strides since each leg landed
        ("length", "f8", 4),  # strides until it lands again
        ("lifts", "f8", 4),  # strides after which it leaves the ground
        ("part", "f8", (4, 2)),  # share of `gait` in its curves, at the cycle's start and at its end
        ("cycles", "i4"),  # that each leg takes for the transition
        ("left", "i4", 4),  # cycles of transition that a leg has still to begin
        ("speed", "f8"),  # [m/s]
        ("moving", "f8"),  # 0 = it stands, 1 = it goes
        ("turn", "f8"),  # [rad/s]
        ("lean", "f8"),  # into the turn, left positive [rad]
        ("side", "f8"),  # how far the body sways to the left [m]
        ("strides", "f8"),  # since the start
        ("airborne", "?"),
        ("air", "f8"),  # time since take-off [s]
        ("flight_time", "f8"),
        ("launch_height", "f8"),
        ("landing_height", "f8"),
        ("rise", "f8"),  # upward velocity at take-off [m/s]
    ],
    align=True,
)
