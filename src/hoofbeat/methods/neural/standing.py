"""Standing: an animal at rest, as it starts and as it begins again (kernels)."""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.exact.circular import sincos
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Floats, Row
from hoofbeat.methods.neural.network.layout import FUTURE
from hoofbeat.methods.neural.state import KEPT, Memory, on_path
from hoofbeat.methods.neural.tables import Stand

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
#: Frames of a stride before there was one.
FIRST_STRIDE = 40.0
#: A stand whose root joint is higher or lower by this part is none.
LOST = 0.1


def settled_stand(stand: Stand, state: Row) -> Stand:
    """The stand of a character that has stood for a while, unless it lost its stand."""
    core, root_joint = state["core"], state["root_joint"][1]
    sound = core["restarts"] == 0 and core["strain"] == 0 and core["down"].all()
    if not (sound and abs(root_joint[1] / stand.root_joint[1] - 1) < LOST):
        return stand
    return Stand(
        np.array(state["pose"]),
        np.array(state["rotations"][1]),
        np.array(root_joint),
        np.array(core["toe"]),
        np.array(core["foreseen"]),
        np.array(core["drift"]),
        stand.action,
    )


@kernel
def stand_all(stand: Stand, memory: Memory) -> None:
    """Let N characters stand."""
    for i in range(memory.core.shape[0]):
        stand_up(stand, memory, i)


@kernel
def stand_up(stand: Stand, memory: Memory, i: int) -> None:
    """Let character i stand where it is as if it had never made a step."""
    core, pose, rotations = memory.core[i], memory.pose[i], memory.rotations[i]
    now = core["frame"] % KEPT
    for axis in range(3):
        here = core["path"][now, axis]
        for k in range(KEPT):
            core["path"][k, axis] = here
        memory.root_joint[i, 0, axis] = memory.root_joint[i, 1, axis] = stand.root_joint[axis]
    for k in range(KEPT):
        core["speeds"][k] = ZERO
        core["actions"][k] = stand.action
    core["action"] = core["next_action"] = stand.action
    core["gait"] = core["made_gait"] = 0
    core["wanted_speed"] = core["turn"] = core["speed_trim"] = core["speed"] = 0.0
    core["time_left"] = core["asked_for"] = 0.0
    core["wanted_heading"] = core["path"][0, 2]
    core["rest"] = 1.0
    for axis in range(3):
        core["drift"][axis] = stand.drift[axis]
    core["strain"] = core["phase"] = ZERO
    for f in range(FUTURE):
        for k in range(6):
            core["foreseen"][f, k] = stand.foreseen[f, k]
    for j in range(rotations.shape[1]):
        for k in range(4):
            rotations[0, j, k] = rotations[1, j, k] = stand.rotations[j, k]
    for block in range(4):
        for j in range(pose.shape[1]):
            for axis in range(3):
                pose[block, j, axis] = stand.pose[block, j, axis]
    stand_feet(core, stand.toes)


@kernel
def stand_feet(core: Row, toes: Floats) -> None:
    """All feet down, at toes (4, 3) in root space."""
    here = core["path"][0]
    s, c = sincos(here[2])
    for leg in range(4):
        for axis in range(3):
            core["toe"][leg, axis] = toes[leg, axis]
        x, z = on_path(here, s, c, np.float64(toes[leg, 0]), np.float64(toes[leg, 2]))
        core["footprint"][leg, 0], core["footprint"][leg, 1] = x, z
        core["weight"][leg] = ONE
        core["down"][leg] = 1
        core["may_land"][leg] = 0
        core["landed"][leg] = core["frame"]
        core["stride"][leg] = FIRST_STRIDE
