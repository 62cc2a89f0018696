"""Feet: which of them stand, by how low and how slow the toes of a network's poses are (kernels).

The limits are those of `body.contacts`, as parts of the leg's length L and of sqrt(g L). A foot comes to
stand gradually, so that nothing jumps when it is held; one whose pose slides from where it landed is let go.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hoofbeat.body.contacts import HEIGHT, SPEED, SURE_HEIGHT, SURE_SPEED
from hoofbeat.maths.curves import smoothstep
from hoofbeat.maths.exact.circular import hypot, sincos
from hoofbeat.maths.fk import Pose, Tree
from hoofbeat.maths.ik import posed_end, shift_leg
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.maths.types import Floats, Int, Real, Row
from hoofbeat.maths.vec import vec
from hoofbeat.methods.neural.network.layout import RATE
from hoofbeat.methods.neural.state import KEPT, on_path, to_root
from hoofbeat.methods.neural.tables import NetworkBody

ZERO = np.float32(0.0)
FRAME = 1 / RATE
#: A foot stands from the first weight on if it had the second a frame before, as a swinging one may be slow
#: for a moment; it is let go at the third.
STANDS, COMES, LEAVES = 0.97, 0.75, 0.6
#: A foot may slip by this part of the animal's speed, besides.
SLIPS = 0.12
#: The pose of a foot that stands may slide so far [leg lengths]; then it steps, for so many frames at least.
SLIDE, STEP = 0.12, 6
#: Frames of a stride at least and at most: others are not counted.
SHORTEST, LONGEST = 12, 120
#: How far a toe is corrected towards its predicted position; the rest is where it was and its predicted
#: velocity. One that is predicted to stand is corrected least, so that it does not slide; one that swings
#: most.
STANDS_SHARE, SWINGS_SHARE = np.float32(0.03), np.float32(0.25)
#: From this speed on a toe swings [sqrt(g L)], and from so far away on it is brought back as if [L].
SWINGS, ASTRAY = np.float32(SPEED), np.float32(0.5)


class Scratch(NamedTuple):
    """Arrays for the pose of one character, filled anew in every frame, in root space: positions (J, 3),
    turns (J, 4), toes (4, 3), root joint (3,) as it is shown."""

    positions: Floats
    turns: Floats
    toes: Floats
    root_joint: Floats


def new_scratch(nodes: int) -> Scratch:
    """Scratch for an animal of so many nodes."""
    return Scratch(
        np.zeros((nodes, 3), np.float32),
        np.zeros((nodes, 4), np.float32),
        np.zeros((4, 3), np.float32),
        np.zeros(3, np.float32),
    )


@kernel
def predict_toes(body: NetworkBody, core: Row, pose: Floats, toes: Floats) -> None:
    """Toes (4, 3) in root space: where they were, moved as a pose (4, M, 3) has it, corrected towards it."""
    now = core["frame"]
    here, before = core["path"][now % KEPT], core["path"][(now - 1) % KEPT]
    sh, ch = sincos(here[2])
    gone_x, gone_z = to_root(sh, ch, before[0] - here[0], before[1] - here[1])
    x, z = np.float32(gone_x), np.float32(gone_z)
    sine, cosine = sincos(before[2] - here[2])
    s, c = np.float32(sine), np.float32(cosine)
    reach, frame = np.float32(body.leg_length), np.float32(FRAME)
    swings = SWINGS * np.sqrt(np.float32(GRAVITY) * reach)
    for leg in range(4):
        j = body.modelled_toes[leg]
        told, velocity, was = pose[0, j], pose[3, j], core["toe"][leg]
        toes[leg, 0] = x + c * was[0] + s * was[2] + velocity[0] * frame
        toes[leg, 1] = was[1] + velocity[1] * frame
        toes[leg, 2] = z + c * was[2] - s * was[0] + velocity[2] * frame
        fast = off = ZERO
        for axis in range(3):
            fast += velocity[axis] ** 2
            off += (told[axis] - toes[leg, axis]) ** 2
        free = max(np.sqrt(fast) / swings, np.sqrt(off) / (ASTRAY * reach))
        free = smoothstep(min(max(free, 0.0), 1.0))
        share = np.float32(STANDS_SHARE + (SWINGS_SHARE - STANDS_SHARE) * free)
        for axis in range(3):
            toes[leg, axis] += share * (told[axis] - toes[leg, axis])


@kernel
def bring_toes(body: NetworkBody, core: Row, pose: Floats, rotations: Floats, scratch: Scratch) -> None:
    """Turn the legs so that toes are where the network has them: angles alone add up their errors from the
    trunk down. rotations (J, 4) are written; scratch: of the pose, whose toes are written."""
    tree, placed = Tree(body.parents, body.offsets), Pose(scratch.positions, scratch.turns)
    predict_toes(body, core, pose, scratch.toes)
    for k in range(4):
        leg = body.legs[k]
        hoof, end = posed_end(leg, placed, vec(scratch.toes, k), ZERO)
        shift_leg(leg, tree, rotations, placed, hoof, end)


@kernel
def find_contacts(body: NetworkBody, core: Row, toes: Floats) -> None:
    """Weight and contact of each foot for the frame just made; toes (4, 3) [m] in root space."""
    frame, length = core["frame"], body.leg_length
    here, before = core["path"][frame % KEPT], core["path"][(frame - 1) % KEPT]
    s, c = sincos(here[2])
    sb, cb = sincos(before[2])
    pace = np.sqrt(GRAVITY * length)
    # A fast animal's feet slip a little more where nothing holds them.
    most = SPEED + SLIPS * core["speed"] / pace
    for leg in range(4):
        x, z = on_path(here, s, c, np.float64(toes[leg, 0]), np.float64(toes[leg, 2]))
        was = core["toe"][leg]
        bx, bz = on_path(before, sb, cb, np.float64(was[0]), np.float64(was[2]))
        speed = hypot(x - bx, z - bz) * RATE / pace
        high = (np.float64(toes[leg, 1]) - body.toe_heights[leg]) / length
        low = smoothstep(min(max((HEIGHT - high) / (HEIGHT - SURE_HEIGHT), 0.0), 1.0))
        slow = (most - speed) / (most * (1.0 - SURE_SPEED / SPEED))
        weight = low * smoothstep(min(max(slow, 0.0), 1.0))
        comes = core["weight"][leg] >= COMES
        core["weight"][leg] = np.float32(weight)
        for axis in range(3):
            core["toe"][leg, axis] = toes[leg, axis]
        print_x, print_z = core["footprint"][leg, 0], core["footprint"][leg, 1]
        if core["down"][leg]:
            slid = hypot(x - print_x, z - print_z) > SLIDE * length
            if slid:
                core["may_land"][leg] = frame + STEP
            if slid or weight <= LEAVES:
                core["down"][leg] = 0
        elif comes and weight >= STANDS and frame >= core["may_land"][leg]:
            _land(core, leg, x, z)


@kernel
def _land(core: Row, leg: Int, x: Real, z: Real) -> None:
    """A foot comes to stand at a place on the character's own path."""
    core["down"][leg] = 1
    core["footprint"][leg, 0], core["footprint"][leg, 1] = x, z
    frames = core["frame"] - core["landed"][leg]
    if SHORTEST <= frames <= LONGEST:
        core["stride"][leg] = frames
    core["landed"][leg] = core["frame"]


@kernel
def leg_phase(core: Row, leg: Int) -> np.float32:
    """How much of its stride a leg has behind it, in [0, 1), by the length of its last one."""
    part = (core["clock"] - core["landed"][leg]) / core["stride"][leg]
    return np.float32(min(max(part, 0.0), 0.999))
