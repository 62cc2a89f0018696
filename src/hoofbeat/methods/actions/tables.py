"""Tables: every Action of a scene in the arrays that the kernels read, and the rows that they are made of.

Built once for a scene by `build`, and again when an Action is edited: new arrays, never a new compile.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hoofbeat.maths.types import Floats, Ints, Rows

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

#: One varying angle of one Action: value of a program, spread from `low` over `span` [rad].
SLOT = np.dtype(
    [("joint", "i4"), ("axis", "i4"), ("start", "i4"), ("stop", "i4"), ("low", "f4"), ("span", "f4")],
    align=True,
)


class Plans(NamedTuple):
    """How A Actions go over the ground; index 0 stands, the others are the gaits from slow to fast."""

    actions: Rows  # (A,) ACTION
    toes: Floats  # (A, K, 4, 3) float32, from the root joint, character space [m]
    heights: Floats  # (A, S, K) float32: root joint above the ground at S stride scales [m]
    bounce: Floats  # (A, K) float32: added to it, times the cycle time squared [m/s2]


class Poses(NamedTuple):
    """The angles of A Actions on J nodes."""

    slots: Rows  # (P,) SLOT
    first: Ints  # (A + 1,): the slots of action a are first[a]:first[a + 1]
    code: Rows  # (M,) INSTRUCTION32, the programs of the slots
    base: Floats  # (A, J, 3) float32: the angles that never change [rad]
    active: Ints  # (n,): the joints that any Action turns


class Tables(NamedTuple):
    """All that the kernels read of a scene."""

    plans: Plans
    poses: Poses
    acceleration: float  # most, speeding up [m/s2]
    braking: float  # most, slowing down [m/s2]
    max_turn: float  # fastest turn [rad/s]
