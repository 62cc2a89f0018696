"""Rows: the world's memory of one character (root, flight, foot locks), and what placement works with."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hoofbeat.maths.fk import Pose, Tree
from hoofbeat.maths.types import Bool, Floats, Rows
from hoofbeat.world.terrain import Ground


class Body(NamedTuple):
    """An animal as placement takes it: its tree, and (4,) LEG rows of body/legs/anatomy."""

    tree: Tree
    legs: Rows


class Scratch(NamedTuple):
    """Arrays of one call, float32, character space; filled anew for each character.

    pose of all nodes; targets of the toes (4, 3) [m]; ends (4, 3) [m] and hooves (4, 4): where the leg above
    each hoof must end and how the hoof is held; reaches (4,): how far each leg comes [m]; start (J, 4) local
    rotations and aim (3,) [m] while the back gives way.
    """

    pose: Pose
    targets: Floats
    ends: Floats
    hooves: Floats
    reaches: Floats
    start: Floats
    aim: Floats


def make_scratch(nodes: int) -> Scratch:
    """Room to place characters of so many nodes, one after the other."""
    return Scratch(
        Pose(np.zeros((nodes, 3), np.float32), np.zeros((nodes, 4), np.float32)),
        np.zeros((4, 3), np.float32),
        np.zeros((4, 3), np.float32),
        np.zeros((4, 4), np.float32),
        np.zeros(4, np.float32),
        np.zeros((nodes, 4), np.float32),
        np.zeros(3, np.float32),
    )


class WorldSetting(NamedTuple):
    """What stays the same from step to step; lock: whether planted feet are held; scratch: of one herd."""

    body: Body
    ground: Ground
    lock: Bool
    scratch: Scratch


#: One character in the world. Positions are world, float64; foot offsets are in character space.
WORLD = np.dtype(
    [
        ("position", "f8", 3),  # root on the ground [m]
        ("yaw", "f8"),  # heading [rad], 0 = +Z, left positive
        ("sine", "f8"),  # of the heading, kept because every foot needs it
        ("cosine", "f8"),
        ("height", "f8"),  # root joint above the ground point [m]
        ("base", "f8"),  # on uneven ground: what the body stands over, above the ground point [m]
        ("crouch", "f8"),  # and how much lower it goes than on level ground [m]
        ("pitch", "f8"),  # of the trunk with the ground, nose up [rad]
        ("roll", "f8"),  # the same, left side up [rad]
        ("sunk", "f4"),  # how much lower the body is than planned, for feet that are far [m]
        ("velocity", "f8", 3),  # of the root joint, world [m/s]
        ("airborne", "?"),
        ("air", "f8"),  # time since take-off [s]
        ("launch", "f8"),  # world height of the root joint at take-off [m]
        ("rise", "f8"),  # its upward velocity then [m/s]
        ("flight_time", "f8"),  # planned time in the air [s]
        ("time", "f8"),  # since the start [s]
        ("down", "i1", 4),  # which feet were on the ground after the last step
        ("foot_phase", "i1", 4),  # STANCE, STRIKING or FLIGHT
        ("locked", "i1", 4),
        ("lock", "f8", (4, 3)),  # where a planted toe stands, world [m]
        ("lock_yaw", "f8", 4),  # heading when it was planted [rad]
        ("spin", "f4", 4),  # turn of each hoof against the body [rad]
        ("offset", "f4", (4, 3)),  # of the real foot from the method's target [m]
        ("drift", "f4", (4, 3)),  # rate of that offset [m/s]
        ("load", "f4", 4),  # on uneven ground: how much each leg asks of the back, 1 while planted
        ("asks", "f4", 4),  # and of the body's height
        ("strut", "f4", 4),  # how straight it was held in the last step
        ("stepping", "f4", 4),  # part done of a step out of turn, -1 = none
    ],
    align=True,
)
