"""Pose: the trunk and the legs of a mix of gaits (kernels).

tables: (height, sway, trunk, legs) of the bank. Each gait's trunk is read at its own time, each leg's
track by the part of its stance or swing that is over; the mix of all is normalised.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.gaits.cycle import SIDE
from hoofbeat.maths.curves import cubic_weights
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_loose import about, normalize
from hoofbeat.methods.timewarp.pace import LIGHT, between_cycles

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
TWO = np.float32(2.0)
THREE = np.float32(3.0)
FEATURE_COUNT = 8
#: How far the outer feet are from the line on which a leaning body stands [m].
OUTER = 0.12
#: A stance longer than the authored one lowers the body by its square over this [m].
CROUCH = 7.0
#: The standing body comes down by at most this as it sets off [m].
FIRST_CROUCH = 0.07


@kernel
def add_trunk(trunk: Any, cycle: Any, phase: Any, weight: Any, out: Any) -> None:
    """Add `weight` times one cycle's trunk rotations at a phase to out (J, 4), on the near side."""
    i, j, k, m, a, b, c, d = cubic_weights(trunk.shape[1], np.float32(phase))
    table = trunk[cycle]
    for n in range(table.shape[1]):
        x = a * table[i, n, 0] + b * table[j, n, 0] + c * table[k, n, 0] + d * table[m, n, 0]
        y = a * table[i, n, 1] + b * table[j, n, 1] + c * table[k, n, 1] + d * table[m, n, 1]
        z = a * table[i, n, 2] + b * table[j, n, 2] + c * table[k, n, 2] + d * table[m, n, 2]
        w = a * table[i, n, 3] + b * table[j, n, 3] + c * table[k, n, 3] + d * table[m, n, 3]
        near = x * out[n, 0] + y * out[n, 1] + z * out[n, 2] + w * out[n, 3]
        share = -weight if near < ZERO else weight
        out[n, 0] += share * x
        out[n, 1] += share * y
        out[n, 2] += share * z
        out[n, 3] += share * w


@kernel
def trunk_of(bank: Any, weight: Any, state: Any, cycle: Any, out: Any) -> None:
    """Rotations (J, 4) of the trunk's joints of a mix of gaits, when `cycle` strides have passed."""
    cycles, gaits, trunk = bank[0], bank[1], bank[4]
    for n in range(out.shape[0]):
        out[n, 0] = out[n, 1] = out[n, 2] = ZERO
        out[n, 3] = np.float32(weight[0])
    for g in range(1, gaits.shape[0]):
        if weight[g] > LIGHT:
            phase = cycle - state["shift"][g]
            part = between_cycles(cycles, gaits[g], state["speed"])
            if part < 1.0:
                add_trunk(trunk, gaits[g]["slow"], phase, np.float32(weight[g] * (1.0 - part)), out)
            if part > 0.0:
                add_trunk(trunk, gaits[g]["fast"], phase, np.float32(weight[g] * part), out)
    for n in range(out.shape[0]):
        out[n, 0], out[n, 1], out[n, 2], out[n, 3] = normalize(out[n, 0], out[n, 1], out[n, 2], out[n, 3])


@kernel
def height_of(bank: Any, weight: Any, state: Any, cycle: Any, rate: Any, stance: Any) -> Any:
    """Height of the root joint and its way to the left [m] for a mix of gaits.

    rate: strides a second; stance: length of the stances [m]. A bounce grows with the square of the
    stride's time, as gravity has it. A body that leans is lower.
    """
    cycles, gaits, height, sway = bank[0], bank[1], bank[2], bank[3]
    # Setting off, the body comes down for its first steps before it has left its stand.
    high, side = weight[0] * (bank[7] - min(stance * stance / CROUCH, FIRST_CROUCH)), 0.0
    for g in range(1, gaits.shape[0]):
        if weight[g] <= LIGHT:
            continue
        part = between_cycles(cycles, gaits[g], state["speed"])
        i, j, k, m, a, b, c, d = cubic_weights(height.shape[1], np.float32(cycle - state["shift"][g]))
        for end in range(2):
            w = weight[g] * (part if end == 1 else 1.0 - part)
            n = gaits[g]["fast"] if end == 1 else gaits[g]["slow"]
            if w <= 0.0:
                continue
            row = cycles[n]
            own = a * height[n, i] + b * height[n, j] + c * height[n, k] + d * height[n, m]
            bounce = 1.0 / (rate * row["stride"])
            crouch = max(stance * stance - row["stance"] * row["stance"], 0.0) / CROUCH
            high += w * (row["height"] + bounce * bounce * (own - row["height"]) - crouch)
            side += w * (a * sway[n, i] + b * sway[n, j] + c * sway[n, k] + d * sway[n, m])
    return high * np.cos(state["lean"]) - OUTER * abs(np.sin(state["lean"])), side


@kernel
def leg_of(bank: Any, weight: Any, speed: Any, leg: Any, part: Any, time: Any, out: Any) -> Any:
    """FEATURES (8,) of a leg in its stance or swing (`part`), of which the share `time` is over.

    Returns z of the middle of its stance [m].
    """
    cycles, gaits, legs, home = bank[0], bank[1], bank[5], bank[6]
    for f in range(FEATURE_COUNT):
        out[f] = ZERO
    out[SIDE] = np.float32(weight[0] * home[leg, 0])
    middle = weight[0] * home[leg, 2]
    rows = legs.shape[3] - 1
    x = min(max(time, 0.0), 1.0) * rows
    i = min(int(x), rows - 1)
    t = np.float32(x - i)
    # Cubic between two rows by their values and slopes.
    b = t * t * (THREE - TWO * t)
    a = ONE - b
    c = t * (ONE - t) * (ONE - t) / np.float32(rows)
    d = t * t * (t - ONE) / np.float32(rows)
    for g in range(1, gaits.shape[0]):
        if weight[g] <= LIGHT:
            continue
        fast = between_cycles(cycles, gaits[g], speed)
        for end in range(2):
            w = weight[g] * (fast if end == 1 else 1.0 - fast)
            n = gaits[g]["fast"] if end == 1 else gaits[g]["slow"]
            if w <= 0.0:
                continue
            middle += w * cycles[n]["middle"][leg]
            table = legs[n, leg, part]
            share = np.float32(w)
            for f in range(FEATURE_COUNT):
                value = a * table[i, f, 0] + b * table[i + 1, f, 0]
                out[f] += share * (value + c * table[i, f, 1] + d * table[i + 1, f, 1])
    return middle


@kernel(inline=True)
def bend(rotations: Any, joint: Any, angle: Any) -> None:
    """Set a joint to a turn about the lateral axis [rad]."""
    x, y, z, w = about(ONE, ZERO, ZERO, angle)
    rotations[joint, 0], rotations[joint, 1], rotations[joint, 2], rotations[joint, 3] = x, y, z, w
