"""Step: one step of N characters, and the moment that is shown of it.

    frames      n - 1 ------- n        the network's own, 60 a second
    clock              ^ part          what is shown

However the time of the world is cut into steps, the path and the poses are the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.maths.exact.circular import sincos
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_kernels import nlerp
from hoofbeat.maths.types import Bool, Floats, Int, Real, Row, Rows
from hoofbeat.maths.vec import put_quat, quat
from hoofbeat.methods.neural.choose import gait_made
from hoofbeat.methods.neural.control import control
from hoofbeat.methods.neural.decode import decode_output
from hoofbeat.methods.neural.feet import Scratch, leg_phase, new_scratch
from hoofbeat.methods.neural.gather import gather
from hoofbeat.methods.neural.network.layout import FUTURE, RATE
from hoofbeat.methods.neural.network.model import Runner
from hoofbeat.methods.neural.pose import place_bones
from hoofbeat.methods.neural.state import COLUMNS, KEPT, SPEED, Memory, memory_of
from hoofbeat.methods.neural.tables import NetworkBody, Rules, Tables
from hoofbeat.records import POSED, Steps

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
#: Clocks this near a whole frame are there [frames].
NEAR = 1e-6
#: The most of a stride that a PFNN's phase goes in a frame.
MOST_PHASE = 0.1
#: Slower than this an animal that is to stay where it is stands, with all feet down [m/s].
STILL = 0.1


class Stepper:
    """The steps of N characters: the network's run, and arrays that are filled anew in every frame.

    tau: part of the wanted trajectory in what the network is shown, -1 = it grows along it; phased: whether
    the network goes by a phase, as a PFNN.
    """

    def __init__(self, tables: Tables, runner: Runner, count: int, tau: float, phased: bool) -> None:
        self.tables = tables
        self.runner = runner
        self.tau = tau
        self.phased = phased
        self.plan = np.zeros((count, FUTURE, COLUMNS), np.float32)
        self.offsets = np.zeros(count)
        self.scratch = new_scratch(len(tables.body.parents))

    def step(
        self,
        state: NDArray[Any],
        command: NDArray[Any],
        sense: NDArray[Any],
        given: NDArray[np.float32],
        dt: float,
        out: Steps,
    ) -> None:
        """One step; see `Method.step`, and for given `control`."""
        tables, memory, plan = self.tables, memory_of(state), self.plan
        frames = advance_clocks(memory.core, dt, sense, self.offsets)
        # Characters of one herd share their clock; rows of others may be up to a frame apart.
        for _ in range(frames):
            control(tables.rules, given, self.tau, command, self.offsets, memory.core, plan)
            gather(tables.inputs, memory, plan, self.runner.x)
            self._run_network(memory.core)
            decode_output(
                tables.outputs,
                tables.body,
                tables.limits,
                tables.stand,
                self.runner.y,
                memory,
                self.scratch,
            )
        _show(tables.body, tables.rules, memory, dt, self.scratch, out.rotations, out.rows)

    def _run_network(self, core: NDArray[Any]) -> None:
        """The network, with the phases that a PFNN goes by."""
        if self.phased:
            self.runner.phase[:] = core["phase"]
        self.runner.run()
        if self.phased:
            # Never back, and no number no step: the last column is its own.
            step = np.clip(np.nan_to_num(self.runner.y[:, -1]), 0.0, MOST_PHASE)
            core["phase"] = (core["phase"] + step) % np.float32(1.0)


def no_trajectories() -> NDArray[np.float32]:
    """The arguments of `Stepper.step` where commands are followed."""
    return np.zeros((0, FUTURE, SPEED + 1), np.float32)


@kernel
def advance_clocks(core: Rows, dt: Real, sense: Rows, offsets: Floats) -> Int:
    """Advance clocks by dt [s]; returns how many frames are to be made. offsets (N,): see `control`."""
    frames = 0
    for i in range(core.shape[0]):
        own = core[i]
        offsets[i] = sense[i]["yaw"] - own["shown"][2]
        clock = own["clock"] + dt * RATE
        whole = np.round(clock)
        own["clock"] = whole if abs(clock - whole) < NEAR else clock
        frames = max(frames, int(np.ceil(own["clock"])) - own["frame"])
    return frames


@kernel
def _show(
    body: NetworkBody,
    rules: Rules,
    memory: Memory,
    dt: Real,
    scratch: Scratch,
    rotations: Floats,
    out: Rows,
) -> None:
    """Rotations (N, J, 4) and STEP rows (N,) of the moment at each clock, dt [s] after the last one shown."""
    positions, turns, root_joint = scratch.positions, scratch.turns, scratch.root_joint
    for i in range(out.shape[0]):
        core, row = memory.core[i], out[i]
        part = min(max(core["clock"] - (core["frame"] - 1), 0.0), 1.0)
        show_velocity(core, part, dt, row)
        t = np.float32(part)
        blend_rotations(memory.rotations[i], t, rotations[i])
        # The root is under the root joint by definition: only its height is given.
        before, now = memory.root_joint[i, 0, 1], memory.root_joint[i, 1, 1]
        root_joint[1] = before + t * (now - before)
        place_bones(body, root_joint, rotations[i], positions, turns)
        standing = is_standing(core)
        show_feet(body, core, positions, standing, row)
        core["made_gait"] = gait_made(rules, core, standing)
        row["gait"], row["going_to"] = core["made_gait"], core["gait"]
        row["height"] = row["launch_height"] = row["landing_height"] = np.float64(root_joint[1])
        row["hoof"] = POSED
        row["standing"] = standing
        row["events"] = 0


@kernel
def show_velocity(core: Row, part: Real, dt: Real, out: Row) -> None:
    """Velocity from the root shown last to the one at `part` between the last two frames."""
    now = core["frame"]
    a, b, last = core["path"][(now - 1) % KEPT], core["path"][now % KEPT], core["shown"]
    x, z, yaw = a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1]), a[2] + part * (b[2] - a[2])
    out["forward"] = out["sideways"] = out["yaw_rate"] = 0.0
    if dt > 0.0:
        # The world velocity is that of the mean heading.
        middle = 0.5 * (last[2] + yaw)
        s, c = sincos(middle)
        dx, dz = (x - last[0]) / dt, (z - last[1]) / dt
        out["sideways"], out["forward"] = c * dx - s * dz, s * dx + c * dz
        out["yaw_rate"] = (yaw - last[2]) / dt
    last[0], last[1], last[2] = x, z, yaw
    out["takeoff"] = out["landing"] = -1.0
    out["flight_time"] = 1.0


@kernel
def blend_rotations(frames: Floats, t: Real, out: Floats) -> None:
    """Rotations (J, 4) at t between two frames (2, J, 4)."""
    before, now = frames[0], frames[1]
    for j in range(out.shape[0]):
        q = quat(now, j)
        if t < ONE:
            q = nlerp(quat(before, j), q, t)
        put_quat(out, j, q)


@kernel
def is_standing(core: Row) -> Bool:
    """Whether the animal stands; one that turns on the spot is as slow, and steps by itself."""
    standing = core["speed"] < STILL and core["rest"] > 0.5
    for leg in range(4):
        standing = standing and core["down"][leg] != 0
    return standing


@kernel
def show_feet(body: NetworkBody, core: Row, positions: Floats, standing: Bool, out: Row) -> None:
    """Toe targets, contacts, phases; the more a foot stands, the nearer is its target to the ground."""
    for leg in range(4):
        for axis in range(3):
            out["foot"][leg, axis] = positions[body.toes[leg], axis]
        out["foot"][leg, 1] *= ONE - core["weight"][leg]
        out["contact"][leg] = core["weight"][leg] if core["down"][leg] else ZERO
        out["strut"][leg] = out["flat"][leg] = out["pitch"][leg] = out["sink"][leg] = ZERO
        out["phase"][leg] = ZERO if standing else leg_phase(core, leg)
