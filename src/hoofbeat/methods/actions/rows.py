"""The structured rows that the kernels of `actions` share: one Action, one character."""

from __future__ import annotations

import numpy as np

#: Samples of one cycle in every table.
SAMPLES = 256
#: Flights in one cycle at most.
MAX_FLIGHTS = 8
#: Stride scales at which root heights are tabulated, from 0 to the largest scale.
SCALES = 6

#: One Action, analysed. Phases and durations of the cycle; lengths [m].
ACTION = np.dtype(
    [
        ("duration", "f8", 2),  # cycle time at the slow and fast end of its band [s]
        ("speed", "f8", 2),  # its band [m/s]
        ("power", "f8"),  # how the rate of strides grows over the band, 1 = evenly
        ("stride", "f8"),  # metres a cycle at scale 1, by the traction rule
        ("scale_max", "f8"),  # how far the stride may be widened
        ("flights", "i4"),
        ("start", "f8", MAX_FLIGHTS),  # phase of each take-off
        ("stop", "f8", MAX_FLIGHTS),  # phase of the landing after it, start < stop < start + 1
        ("grounded", "f8"),  # fraction of the cycle spent on the ground
        ("centre", "f8", 4),  # phase of mid-stance of each leg
        ("duty", "f8", 4),  # fraction of the cycle each foot is down, at most
        ("travel", "f8", 4),  # farthest a planted foot may pass under the body [m]
        ("place", "f8", (4, 2)),  # toe at mid-stance: sideways, ahead [m], character space
        ("rest", "f8", (4, 2)),  # the same for a stride that narrows to nothing: where the horse stands
    ],
    align=True,
)

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
        ("airborne", "?"),
        ("air", "f8"),  # time since take-off [s]
        ("flight_time", "f8"),
        ("launch_height", "f8"),
        ("landing_height", "f8"),
        ("contact", "i1", 4),
        ("squared", "i4"),  # bits of the feet set down since the horse slowed to a halt
    ],
    align=True,
)

#: One varying angle of one Action: value of a program, spread from `low` over `span` [rad].
SLOT = np.dtype(
    [("joint", "i4"), ("axis", "i4"), ("start", "i4"), ("stop", "i4"), ("low", "f4"), ("span", "f4")],
    align=True,
)
