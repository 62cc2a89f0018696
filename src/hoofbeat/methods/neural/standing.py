"""Standing: an animal at rest, as it starts and as it begins again (kernels)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.labelled import seen
from hoofbeat.maths import quat
from hoofbeat.maths.jit import kernel
from hoofbeat.methods.neural.network.card import Card
from hoofbeat.methods.neural.network.layout import FUTURE
from hoofbeat.methods.neural.rows import FACING, KEPT

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
#: Frames of a stride before one was seen.
FIRST_STRIDE = 40.0
#: A stand whose root joint is higher or lower by this part is none.
LOST = 0.1


def stand_of(card: Card) -> tuple[Any, ...]:
    """What `stand_up` takes: pose (4, C, 3), rotations (J, 4), origin (3,), toes (4, 3), the way foreseen
    (FUTURE, 6), drift (3,) and action."""
    stand, rig = card.stand, card.rig
    places, turns = seen(rig.skeleton, stand.rotations[None], stand.origin[None])
    told = turns[0, rig.carried]
    ahead, up = (quat.rotate(told, np.array(axis, np.float32)) for axis in ((0, 0, 1), (0, 1, 0)))
    position = places[0, rig.carried]
    pose: NDArray[np.float32] = np.stack([position, ahead, up, np.zeros_like(position)])
    future = np.zeros((FUTURE, 6), np.float32)
    future[:, FACING + 1] = 1
    toes = places[0, list(rig.toes)]
    return pose, stand.rotations, stand.origin, toes, future, np.zeros(3), stand.action


def settled(stand: tuple[Any, ...], row: Any) -> tuple[Any, ...]:
    """The same of a character that has stood for a while, `row` of its memory, unless it lost its stand."""
    core, origin = row["core"], row["origin"][1]
    sound = core["restarts"] == 0 and core["strain"] == 0 and core["down"].all()
    if not (sound and abs(origin[1] / stand[2][1] - 1) < LOST):
        return stand
    parts = (row["pose"], row["turns"][1], origin, core["toe"], core["future"], core["drift"])
    return (*(np.array(part) for part in parts), stand[-1])


@kernel
def stand_all(stand: Any, core: Any, pose: Any, turns: Any, origin: Any) -> None:
    """Let N characters stand."""
    for i in range(core.shape[0]):
        stand_up(stand, core[i], pose[i], turns[i], origin[i])


@kernel
def stand_up(stand: Any, core: Any, pose: Any, turns: Any, origin: Any) -> None:
    """Stand here as if there had never been a step. stand: see `stand_of`; rows of one character."""
    stood, rotations, place, toes, future, drift, action = stand
    now = core["ticks"] % KEPT
    for axis in range(3):
        here = core["way"][now, axis]
        for k in range(KEPT):
            core["way"][k, axis] = here
        origin[0, axis] = origin[1, axis] = place[axis]
    for k in range(KEPT):
        core["speeds"][k] = ZERO
        core["acts"][k] = action
    core["act"] = core["coming"] = action
    core["gait"] = 0
    core["wanted"] = core["turn"] = core["trim"] = core["speed"] = 0.0
    core["left"] = core["asked"] = 0.0
    core["aim"] = core["way"][0, 2]
    core["rest"] = 1.0
    for axis in range(3):
        core["drift"][axis] = drift[axis]
    core["strain"] = core["phase"] = ZERO
    for f in range(FUTURE):
        for k in range(6):
            core["future"][f, k] = future[f, k]
    for j in range(rotations.shape[0]):
        for k in range(4):
            turns[0, j, k] = turns[1, j, k] = rotations[j, k]
    for block in range(4):
        for j in range(pose.shape[1]):
            for axis in range(3):
                pose[block, j, axis] = stood[block, j, axis]
    stand_feet(core, toes)


@kernel
def stand_feet(core: Any, toes: Any) -> None:
    """All feet down, at toes (4, 3) as seen from the root."""
    here = core["way"][0]
    s, c = np.sin(here[2]), np.cos(here[2])
    for leg in range(4):
        for axis in range(3):
            core["toe"][leg, axis] = toes[leg, axis]
        x, z = np.float64(toes[leg, 0]), np.float64(toes[leg, 2])
        core["stood"][leg, 0], core["stood"][leg, 1] = here[0] + c * x + s * z, here[1] - s * x + c * z
        core["weight"][leg] = ONE
        core["down"][leg] = 1
        core["again"][leg] = 0
        core["landed"][leg] = core["ticks"]
        core["stride"][leg] = FIRST_STRIDE
