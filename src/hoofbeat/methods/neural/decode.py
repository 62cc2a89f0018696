"""Decode: what a network gives becomes the next frame of memory (kernel).

The root moves as the network has it, bones keep their length, and nothing leaves the range of the data by
more than a margin: a pose that strains at it is drawn towards standing. A network that answers with no number
is not believed: the animal stands up again where it is.
"""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.exact.circular import sincos
from hoofbeat.maths.fk import Pose, Tree, chain
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.spring import damp
from hoofbeat.maths.types import Bool, Floats, Int, Real, Row
from hoofbeat.methods.neural.feet import Scratch, bring_toes, find_contacts
from hoofbeat.methods.neural.network.layout import FUTURE, RATE
from hoofbeat.methods.neural.pose import limit_bends, limit_rates, place_bones, share_rotations
from hoofbeat.methods.neural.standing import stand_up
from hoofbeat.methods.neural.state import DIRECTION, KEPT, POSITION, VELOCITY, Memory, on_path
from hoofbeat.methods.neural.tables import NetworkBody, Outputs, PoseLimits, Stand

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
FRAME = 1 / RATE
#: From this strain on a pose is blended towards standing, by this share a frame for all beyond.
STRAINED, DRAW = np.float32(0.08), np.float32(0.25)
#: The most that the root joint rises or falls in a frame [leg lengths].
MOST_RISE = np.float32(0.2)
#: Half-life with which the drift of a resting animal is smoothed [s].
DRIFT = 0.5


@kernel
def decode_output(
    outputs: Outputs,
    body: NetworkBody,
    limits: PoseLimits,
    stand: Stand,
    y: Floats,
    memory: Memory,
    scratch: Scratch,
) -> None:
    """Advance N memories by one frame, as y (N, m) says."""
    for i in range(y.shape[0]):
        core, row = memory.core[i], y[i]
        if not _is_sound(row):
            stand_up(stand, memory, i)
            core["frame"] += 1
            core["restarts"] += 1
            continue
        _move_root(outputs, limits, row, core)
        keep_foreseen(outputs, row, core)
        keep_pose(outputs, limits, stand, row, core["strain"], memory.pose[i])
        keep_last(memory, i)
        move_root_joint(body, memory, i)
        turn_joints(body, limits, memory, i, scratch)
        find_contacts(body, core, scratch.toes)


@kernel
def _is_sound(row: Floats) -> Bool:
    """Whether all of a row are numbers, and none beyond all measure."""
    for k in range(row.shape[0]):
        if not abs(row[k]) < np.float32(1e6):
            return False
    return True


@kernel
def _move_root(outputs: Outputs, limits: PoseLimits, row: Floats, core: Row) -> None:
    """Move the root by one frame."""
    now = core["frame"]
    here, there = core["path"][now % KEPT], core["path"][(now + 1) % KEPT]
    x = root_step(core, 0, row[outputs.root], limits.velocity[0])
    z = root_step(core, 1, row[outputs.root + 1], limits.velocity[1])
    turn = root_step(core, 2, row[outputs.root + 2], limits.velocity[2])
    s, c = sincos(here[2])
    there[0], there[1] = on_path(here, s, c, x, z)
    there[2] = here[2] + turn
    core["frame"] = now + 1


@kernel
def root_step(core: Row, axis: Int, velocity: Real, most: Real) -> Real:
    """How far the root goes in a frame sideways, forward or turning; of an animal that rests only the sway is
    left, not the slow drift that a network adds to it."""
    speed = min(max(np.float64(velocity), -most), most)
    core["drift"][axis] = damp(core["drift"][axis], speed, DRIFT, FRAME)
    return (speed - core["rest"] * core["drift"][axis]) * FRAME


@kernel
def keep_foreseen(outputs: Outputs, row: Floats, core: Row) -> None:
    """Keep the trajectory that the network foresees."""
    for f in range(FUTURE):
        for axis in range(2):
            core["foreseen"][f, POSITION + axis] = row[outputs.position + 2 * f + axis]
            core["foreseen"][f, DIRECTION + axis] = row[outputs.direction + 2 * f + axis]
            core["foreseen"][f, VELOCITY + axis] = row[outputs.velocity + 2 * f + axis]


@kernel
def keep_pose(
    outputs: Outputs, limits: PoseLimits, stand: Stand, row: Floats, strain: Real, pose: Floats
) -> None:
    """The pose (4, M, 3) of a row, held to its range and drawn towards the standing one where it strains."""
    draw = min(max(DRAW * (strain - STRAINED), ZERO), ONE)
    column = outputs.pose
    for block in range(4):
        for j in range(pose.shape[1]):
            for axis in range(3):
                value = min(max(row[column], limits.low[block, j, axis]), limits.high[block, j, axis])
                pose[block, j, axis] = value + draw * (stand.pose[block, j, axis] - value)
                column += 1


@kernel
def keep_last(memory: Memory, i: Int) -> None:
    """The newest rotations and root joint of character i become those of the frame before."""
    rotations, root_joint = memory.rotations[i], memory.root_joint[i]
    for j in range(rotations.shape[1]):
        for k in range(4):
            rotations[0, j, k] = rotations[1, j, k]
    for axis in range(3):
        root_joint[0, axis] = root_joint[1, axis]


@kernel
def move_root_joint(body: NetworkBody, memory: Memory, i: Int) -> None:
    """The root joint of character i follows its pose, not too fast."""
    root_joint, most = memory.root_joint[i], MOST_RISE * np.float32(body.leg_length)
    for axis in range(3):
        rise = memory.pose[i, 0, 0, axis] - root_joint[0, axis]
        root_joint[1, axis] += min(max(rise, -most), most)


@kernel
def turn_joints(body: NetworkBody, limits: PoseLimits, memory: Memory, i: Int, scratch: Scratch) -> None:
    """Rotations of character i from its pose; its toes in root space are left in scratch."""
    pose, before, now = memory.pose[i], memory.rotations[i, 0], memory.rotations[i, 1]
    positions, turns = scratch.positions, scratch.turns
    share_rotations(body, pose, turns, now)
    limit_rates(body.fastest, before, now)
    place_bones(body, memory.root_joint[i, 1], now, positions, turns)
    bring_toes(body, memory.core[i], pose, now, scratch)
    limit_bends(limits.bends, body.offsets, now)
    tree, placed = Tree(body.parents, body.offsets), Pose(positions, turns)
    for k in range(4):
        leg = body.legs[k]
        chain(tree, now, leg["top"], leg["last"], placed)
        for axis in range(3):
            scratch.toes[k, axis] = positions[body.toes[k], axis]
