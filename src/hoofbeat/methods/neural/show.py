"""Show: the moment between the network's last two frames, as a step for the world (kernel).

    frames      n - 1 ------- n        the network's own, 60 a second
    clock              ^ part          what is shown

However the time of the world is cut into steps, the way and the poses are the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_loose import nlerp
from hoofbeat.methods.neural.decode import put_bones
from hoofbeat.methods.neural.feet import own_time
from hoofbeat.methods.neural.rows import KEPT
from hoofbeat.records import POSED

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
#: Slower than this an animal that is to stay where it is stands, with all feet down [m/s].
STILL = 0.1


@kernel
def show(body: Any, state: Any, dt: Any, rotations: Any, out: Any) -> None:
    """Rotations (N, J, 4) and STEP rows (N,) of the moment at each clock, dt [s] after the last one shown."""
    core, _, turns, origin = state
    parents, offsets, _, _, toes, _, _, _, _, _ = body
    nodes = parents.shape[0]
    positions, wide = np.zeros((nodes, 3), np.float32), np.zeros((nodes, 4), np.float32)
    place = np.zeros(3, np.float32)
    for i in range(core.shape[0]):
        c, o = core[i], out[i]
        part = min(max(c["clock"] - (c["ticks"] - 1), 0.0), 1.0)
        show_way(c, part, dt, o)
        t = np.float32(part)
        for j in range(nodes):
            a, b = turns[i, 0, j], turns[i, 1, j]
            x, y, z, w = b[0], b[1], b[2], b[3]
            if t < ONE:
                x, y, z, w = nlerp(a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3], t)
            turn = rotations[i, j]
            turn[0], turn[1], turn[2], turn[3] = x, y, z, w
        # The root is under the root joint by definition: only its height is told.
        place[1] = origin[i, 0, 1] + t * (origin[i, 1, 1] - origin[i, 0, 1])
        put_bones(parents, offsets, place, rotations[i], positions, wide)
        show_feet(c, toes, positions, o)
        o["height"] = o["launch_height"] = o["landing_height"] = np.float64(place[1])


@kernel
def show_way(core: Any, part: Any, dt: Any, out: Any) -> None:
    """Velocity from the root shown last to the one at `part` of the way between the last two frames."""
    now = core["ticks"]
    a, b, last = core["way"][(now - 1) % KEPT], core["way"][now % KEPT], core["shown"]
    x, z, yaw = a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1]), a[2] + part * (b[2] - a[2])
    out["forward"] = out["sideways"] = out["yaw_rate"] = 0.0
    if dt > 0.0:
        # The world goes with the heading of mid-way.
        middle = 0.5 * (last[2] + yaw)
        s, c = np.sin(middle), np.cos(middle)
        dx, dz = (x - last[0]) / dt, (z - last[1]) / dt
        out["sideways"], out["forward"] = c * dx - s * dz, s * dx + c * dz
        out["yaw_rate"] = (yaw - last[2]) / dt
    last[0], last[1], last[2] = x, z, yaw
    out["takeoff"] = out["landing"] = -1.0
    out["flight_time"] = 1.0


@kernel
def show_feet(core: Any, toes: Any, positions: Any, out: Any) -> None:
    """Toe targets, contacts, phases; the more a foot stands, the nearer is its target to the ground."""
    # One that turns on the spot is as slow, and steps by itself: nobody else is to set its feet.
    standing = core["speed"] < STILL and core["rest"] > 0.5
    for leg in range(4):
        standing = standing and core["down"][leg] != 0
    for leg in range(4):
        for axis in range(3):
            out["foot"][leg, axis] = positions[toes[leg], axis]
        out["foot"][leg, 1] *= ONE - core["weight"][leg]
        out["contact"][leg] = core["weight"][leg] if core["down"][leg] else ZERO
        out["strut"][leg] = out["flat"][leg] = out["pitch"][leg] = out["sink"][leg] = ZERO
        out["phase"][leg] = ZERO if standing else own_time(core, leg)
    out["hoof"] = POSED
    out["standing"] = standing
    out["gait"] = out["going_to"] = core["gait"]
    out["events"] = 0
