"""Decode: what a network tells becomes the next frame of memory (kernel).

The root moves as told, bones keep their length, and nothing leaves the range of the data by more than a
margin: a pose that strains at it is drawn towards standing. A network that answers with no number is not
believed: the animal stands up again where it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.contacts import SPEED
from hoofbeat.maths.fk import Pose, Tree, chain
from hoofbeat.maths.ik import posed_end, shift_leg
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.maths.spring import damp
from hoofbeat.maths.vec import vec
from hoofbeat.methods.neural.bones import ease_turns, hold_bends, turn_bones
from hoofbeat.methods.neural.feet import eased, feel_ground
from hoofbeat.methods.neural.network import layout as names
from hoofbeat.methods.neural.network.card import Card
from hoofbeat.methods.neural.network.layout import FUTURE, RATE
from hoofbeat.methods.neural.rows import KEPT
from hoofbeat.methods.neural.standing import stand_up

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
TICK = 1 / RATE
#: From this strain on a pose is drawn towards standing, by so much of the way a frame for all beyond.
STRAINED, DRAW = np.float32(0.08), np.float32(0.25)
#: The most that the root joint rises or falls in a frame [leg lengths].
MOST_RISE = np.float32(0.2)
#: Half-life with which the drift of a resting animal is seen [s].
DRIFT = 0.5
#: Of a toe's place, what is told; the rest is where it was and its told velocity. A toe that is told to stand
#: is corrected least, so that it does not slide after what its place is told to be; one that swings most.
STANDS_TOLD, SWINGS_TOLD = np.float32(0.03), np.float32(0.25)
#: From this speed on a toe swings [sqrt(g L)], and from so far away on it is brought back as if [L].
SWINGS, ASTRAY = np.float32(SPEED), np.float32(0.5)
#: Blocks of the outputs in the order in which the kernel takes them.
ORDER = (
    names.POSITION,
    names.DIRECTION,
    names.VELOCITY,
    names.JOINT,
    names.AHEAD,
    names.UP,
    names.JOINT_VELOCITY,
    names.STEP,
)


def columns_of(card: Card) -> NDArray[np.int64]:
    """First column of each block of ORDER."""
    starts = card.layout.outputs.starts
    return np.array([starts[name] for name in ORDER])


@kernel
def decode(columns: Any, body: Any, limits: Any, stand: Any, y: Any, state: Any) -> None:
    """Advance N characters by one frame, as y (N, m) says. columns: see `columns_of`.

    body: (parents (J,), offsets (J, 3), links, shared, toes (4,), leg length [m], levels (4,), legs (4,) of
    LEG, feet (4,): toes among the told nodes, fastest (J,)), see `links_of`, `feel_ground` and `fastest_of`;
    limits: (ranges (2, 4, C, 3) of the pose, (3,) most aside, ahead [m/s] and turn [rad/s], rows of
    `bends_held`); stand: see `stand_up`; state: (core (N,), pose (N, 4, C, 3), turns (N, 2, J, 4), origin
    (N, 2, 3)).
    """
    core, pose, turns, origin = state
    parents, offsets, links, shared, toes, length, levels, legs, feet, fastest = body
    ranges, most, bends = limits
    reach = np.float32(length)
    nodes = parents.shape[0]
    positions, wide = np.zeros((nodes, 3), np.float32), np.zeros((nodes, 4), np.float32)
    found = np.zeros((4, 3), np.float32)
    for i in range(core.shape[0]):
        c, row = core[i], y[i]
        if not sound(row):
            stand_up(stand, c, pose[i], turns[i], origin[i])
            c["ticks"] += 1
            c["restarts"] += 1
            continue
        go_on(columns, most, row, c)
        foresee(columns, row, c)
        keep_pose(columns, ranges, stand[0], row, c["strain"], pose[i])
        for j in range(nodes):
            for k in range(4):
                turns[i, 0, j, k] = turns[i, 1, j, k]
        for axis in range(3):
            origin[i, 0, axis] = origin[i, 1, axis]
            rise = pose[i, 0, 0, axis] - origin[i, 0, axis]
            origin[i, 1, axis] += min(max(rise, -MOST_RISE * reach), MOST_RISE * reach)
        turn_bones(links, shared, pose[i], wide, turns[i, 1])
        ease_turns(fastest, turns[i, 0], turns[i, 1])
        put_bones(parents, offsets, origin[i, 1], turns[i, 1], positions, wide)
        bring_toes(c, pose[i], legs, feet, parents, offsets, reach, turns[i, 1], positions, wide, found)
        hold_bends(bends, offsets, turns[i, 1])
        for leg in range(4):
            tree, placed = Tree(parents, offsets), Pose(positions, wide)
            chain(tree, turns[i, 1], legs[leg]["top"], legs[leg]["last"], placed)
            for axis in range(3):
                found[leg, axis] = positions[toes[leg], axis]
        feel_ground(c, found, length, levels)


@kernel
def bring_toes(
    core: Any,
    told_pose: Any,
    legs: Any,
    feet: Any,
    parents: Any,
    offsets: Any,
    reach: Any,
    rotations: Any,
    positions: Any,
    turns: Any,
    toes: Any,
) -> None:
    """Turn the legs so that toes are where the network tells them to be.

    Angles alone add up their errors from the trunk down. rotations (J, 4) are written; positions, turns: of
    the pose; toes (4, 3): room.
    """
    now = core["ticks"]
    here, before = core["way"][now % KEPT], core["way"][(now - 1) % KEPT]
    dx, dz = before[0] - here[0], before[1] - here[1]
    s, c = np.sin(here[2]), np.cos(here[2])
    x, z = np.float32(c * dx - s * dz), np.float32(s * dx + c * dz)
    angle = before[2] - here[2]
    s, c = np.float32(np.sin(angle)), np.float32(np.cos(angle))
    tick = np.float32(TICK)
    swings = SWINGS * np.sqrt(np.float32(GRAVITY) * reach)
    for leg in range(4):
        told, velocity, was = told_pose[0, feet[leg]], told_pose[3, feet[leg]], core["toe"][leg]
        toes[leg, 0] = x + c * was[0] + s * was[2] + velocity[0] * tick
        toes[leg, 1] = was[1] + velocity[1] * tick
        toes[leg, 2] = z + c * was[2] - s * was[0] + velocity[2] * tick
        fast = off = ZERO
        for axis in range(3):
            fast += velocity[axis] ** 2
            off += (told[axis] - toes[leg, axis]) ** 2
        free = eased(max(np.sqrt(fast) / swings, np.sqrt(off) / (ASTRAY * reach)))
        share = np.float32(STANDS_TOLD + (SWINGS_TOLD - STANDS_TOLD) * free)
        for axis in range(3):
            toes[leg, axis] += share * (told[axis] - toes[leg, axis])
        pose = Pose(positions, turns)
        hoof, end = posed_end(legs[leg], pose, vec(toes, leg), ZERO)
        shift_leg(legs[leg], Tree(parents, offsets), rotations, pose, hoof, end)


@kernel
def sound(row: Any) -> Any:
    """Whether all of a row are numbers, and none beyond all measure."""
    for k in range(row.shape[0]):
        if not abs(row[k]) < np.float32(1e6):
            return False
    return True


@kernel
def still(core: Any, axis: Any, told: Any, most: Any) -> Any:
    """How far the root goes in a frame along one of its three ways; of an animal that rests only the sway is
    left, not the slow drift that a network adds to it."""
    speed = min(max(np.float64(told), -most[axis]), most[axis])
    core["drift"][axis] = damp(core["drift"][axis], speed, DRIFT, TICK)
    return (speed - core["rest"] * core["drift"][axis]) * TICK


@kernel
def go_on(columns: Any, most: Any, row: Any, core: Any) -> None:
    """Move the root by one frame."""
    now = core["ticks"]
    here, there = core["way"][now % KEPT], core["way"][(now + 1) % KEPT]
    step = columns[7]
    x = still(core, 0, row[step], most)
    z = still(core, 1, row[step + 1], most)
    turn = still(core, 2, row[step + 2], most)
    s, c = np.sin(here[2]), np.cos(here[2])
    there[0], there[1] = here[0] + c * x + s * z, here[1] - s * x + c * z
    there[2] = here[2] + turn
    core["ticks"] = now + 1


@kernel
def foresee(columns: Any, row: Any, core: Any) -> None:
    """Keep the way that the network foresees."""
    for f in range(FUTURE):
        for axis in range(2):
            for block in range(3):
                core["future"][f, 2 * block + axis] = row[columns[block] + 2 * f + axis]


@kernel
def keep_pose(columns: Any, ranges: Any, stood: Any, row: Any, strain: Any, pose: Any) -> None:
    """The pose told, held to its range and drawn towards the standing one where it strains."""
    draw = min(max(DRAW * (strain - STRAINED), ZERO), ONE)
    for block in range(4):
        start = columns[3 + block]
        for j in range(pose.shape[1]):
            for axis in range(3):
                value = row[start + 3 * j + axis]
                value = min(max(value, ranges[0, block, j, axis]), ranges[1, block, j, axis])
                pose[block, j, axis] = value + draw * (stood[block, j, axis] - value)


@kernel
def put_bones(parents: Any, offsets: Any, origin: Any, rotations: Any, positions: Any, turns: Any) -> None:
    """Forward kinematics as seen from the root: rotations (J, 4) local to positions (J, 3), turns (J, 4)."""
    for axis in range(3):
        positions[0, axis] = origin[axis]
    for k in range(4):
        turns[0, k] = rotations[0, k]
    chain(Tree(parents, offsets), rotations, 1, parents.shape[0] - 1, Pose(positions, turns))
