"""The structured rows that the kernels of `timewarp` share: one cycle, one gait, one character."""

from __future__ import annotations

import numpy as np

#: Standing and the gaits of the horse, both leads counted.
MOST_GAITS = 12
#: Joints between the nose and the root that a turn runs along.
MOST_SPINE = 10

#: One authored cycle, besides its tables.
CYCLE = np.dtype(
    [
        ("speed", "f8"),  # [m/s]
        ("stride", "f8"),  # [s]
        ("duty", "f8", 4),
        ("middle", "f8", 4),  # z of the middle of each stance [m], character space
        ("height", "f8"),  # of the root joint, mean over the stride [m]
        ("stance", "f8"),  # length of a stance, mean of the legs [m]
    ],
    align=True,
)

#: One gait: the cycles at its slow and fast end, and how its stride changes with speed.
GAIT = np.dtype(
    [
        ("slow", "i4"),
        ("fast", "i4"),
        ("band", "f8", 2),  # speeds it can be ridden at [m/s]
        ("stride_power", "f8"),  # stride time goes as speed to this power
        ("duty_power", "f8", 4),
        ("duty_range", "f8", 2),
        ("touchdown", "f8", 4),
        ("varies", "f8"),  # 1 = it can be collected and extended, 0 = it cannot
        ("lead", "i4"),  # 1 = left, -1 = right, 0 = it has none
        ("other", "i4"),  # the same gait on the other lead
        ("flies", "f8"),  # own time of the first hind at which a change of lead begins
        ("flying", "f8"),  # strides that a leg's way to the other lead lasts
    ],
    align=True,
)

#: One character's memory. A gait's weight and a leg's offset move from where they were to where they are
#: wanted over `span` strides, with the slope they had.
STATE = np.dtype(
    [
        ("gait", "i4"),  # the gait that is wanted
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
        ("late", "f8", 4),  # strides after the start of the transition at which each leg begins its way
        ("reach", "f8"),  # strides that a leg's way lasts
        ("duty", "f8", 4),  # of each leg's present stride: it never leaves later than it meant to, landing
        ("speed", "f8"),  # [m/s]
        ("surge", "f8"),  # its change [m/s2]
        ("turn", "f8"),  # of the root [rad/s]
        ("sweep", "f8"),  # by which feet are set ahead of a turn [rad/s]
        ("nose", "f8"),  # of the nose, which is first to turn [rad/s]
        ("spine", "f8", MOST_SPINE),  # how far each joint of the chain is turned against the next [rad]
        ("halt", "f8"),  # 1 = feet go where they will stand
        ("halted", "i4", 4),  # a foot has landed where it will stand (1), and is loaded (2)
        ("held", "f8", 4),  # how much of that a foot still keeps when the halt is given up
        ("lean", "f8"),  # into the turn, left positive [rad]
        ("side", "f8"),  # how far the body sways to the left [m]
        ("extension", "f8"),  # -1 = collected, 1 = extended
        ("airborne", "?"),
        ("air", "f8"),  # time since take-off [s]
        ("flight_time", "f8"),
        ("launch_height", "f8"),
        ("landing_height", "f8"),
        ("rise", "f8"),  # upward velocity at take-off [m/s]
    ],
    align=True,
)
