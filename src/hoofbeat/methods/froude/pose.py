"""Pose: the curves of limbs and trunk at a moment, joined where gaits change (kernels).

In a transition a leg's curve is the mean of both gaits', with its ends moved to join what it comes from
and goes to, in value and slope (Figure 9): the piecewise curve of `model/piecewise`, with one cubic over
the cycle.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.curves import cubic_weights
from hoofbeat.maths.jit import kernel
from hoofbeat.methods.froude.pace import row_at

ZERO = np.float32(0.0)
HALF = np.float32(0.5)
ONE = np.float32(1.0)
TWO = np.float32(2.0)
THREE = np.float32(3.0)
COUNT, JOINED = 9, 7


@kernel
def add_limb(
    tables: Any, gaits: Any, gait: Any, leg: Any, froude: Any, swings: Any, over: Any, weight: Any, out: Any
) -> None:
    """Add `weight` times CHANNELS (9,) of a gait's limb, of whose stance or swing the part `over` is over."""
    i, w = row_at(gaits[gait], froude)
    rows = tables[0][gaits[gait]["family"]]
    part = 1 if swings else 0
    last = rows.shape[3] - 3
    x = min(max(over, 0.0), 1.0) * last
    n = min(int(x), last - 1)
    f = np.float32(x - n)
    a = f * (f * (ONE - HALF * f) - HALF)
    b = f * f * (THREE * HALF * f - (TWO + HALF)) + ONE
    c = f * (f * (TWO - THREE * HALF * f) + HALF)
    d = f * f * (HALF * f - HALF)
    for side in range(2):
        share = np.float32(weight * (w if side == 1 else 1.0 - w))
        if share == ZERO:
            continue
        table = rows[i + side, leg // 2, part]
        for k in range(COUNT):
            value = a * table[n, k] + b * table[n + 1, k] + c * table[n + 2, k] + d * table[n + 3, k]
            out[k] += share * value


@kernel
def add_join(
    tables: Any, gaits: Any, gait: Any, leg: Any, froude: Any, sign: Any, value: Any, slope: Any
) -> None:
    """Add `sign` times the values and slopes (7,) of a gait's limb at touchdown."""
    i, w = row_at(gaits[gait], froude)
    rows = tables[1][gaits[gait]["family"]]
    for side in range(2):
        share = np.float32(sign * (w if side == 1 else 1.0 - w))
        for k in range(JOINED):
            value[k] += share * rows[i + side, leg // 2, 0, k]
            slope[k] += share * rows[i + side, leg // 2, 1, k]


@kernel
def limb_of(
    tables: Any,
    gaits: Any,
    state: Any,
    leg: Any,
    froude: Any,
    phase: Any,
    swings: Any,
    duty: Any,
    out: Any,
    scratch: Any,
) -> None:
    """CHANNELS (9,) of a leg at its own phase, in [0, 1]; scratch (2, 7) float32."""
    over = (phase - duty) / (1.0 - duty) if swings else phase / duty
    for k in range(COUNT):
        out[k] = ZERO
    begins, ends = state["part"][leg, 0], state["part"][leg, 1]
    mean = 0.5 * (begins + ends)
    if state["source"] == state["gait"] or mean >= 1.0:
        add_limb(tables, gaits, state["gait"], leg, froude, swings, over, 1.0, out)
        return
    add_limb(tables, gaits, state["source"], leg, froude, swings, over, 1.0 - mean, out)
    if ends == begins:
        return
    add_limb(tables, gaits, state["gait"], leg, froude, swings, over, mean, out)
    value, slope = scratch[0], scratch[1]
    for k in range(JOINED):
        value[k] = slope[k] = ZERO
    add_join(tables, gaits, state["source"], leg, froude, 1.0, value, slope)
    add_join(tables, gaits, state["gait"], leg, froude, -1.0, value, slope)
    x, y = phase, 1.0 - phase
    b = x * x * (3.0 - 2.0 * x)
    first, last = mean - begins, mean - ends
    at = np.float32((1.0 - b) * first + b * last)
    along = np.float32(x * y * (y * first - x * last))
    for k in range(JOINED):
        out[k] += at * value[k] + along * slope[k]


@kernel
def add_trunk(tables: Any, gait: Any, phase: Any, weight: Any, out: Any) -> None:
    """Add `weight` times a gait's rotation vectors at a phase after the left hind lands to out (J, 3)."""
    table = tables[6][gait["family"]]
    i, j, k, m, a, b, c, d = cubic_weights(table.shape[0], np.float32(phase + gait["shift"]))
    other = np.float32(gait["mirror"])
    share = np.float32(weight)
    for n in range(table.shape[1]):
        for axis in range(3):
            value = (
                a * table[i, n, axis] + b * table[j, n, axis] + c * table[k, n, axis] + d * table[m, n, axis]
            )
            out[n, axis] += share * (value if axis == 0 else other * value)


@kernel
def height_at(tables: Any, gait: Any, phase: Any, froude: Any) -> Any:
    """Height of the root joint and its way to the left [m] at a phase after the left hind lands."""
    i, w = row_at(gait, froude)
    table, sway = tables[4][gait["family"]], tables[5][gait["family"]]
    p, q, r, s, a, b, c, d = cubic_weights(table.shape[1], phase + gait["shift"])
    low, high = table[i], table[i + 1]
    first = a * low[p] + b * low[q] + c * low[r] + d * low[s]
    second = a * high[p] + b * high[q] + c * high[r] + d * high[s]
    side = a * sway[p] + b * sway[q] + c * sway[r] + d * sway[s]
    return (1.0 - w) * first + w * second, gait["mirror"] * side


@kernel
def carried(tables: Any, gaits: Any, state: Any, phase: Any, share: Any, moving: Any, froude: Any) -> Any:
    """Height of the root joint and its way to the left [m], between both gaits of a transition and
    standing."""
    high, side = height_at(tables, gaits[state["gait"]], phase, froude)
    if state["source"] != state["gait"]:
        before, beside = height_at(tables, gaits[state["source"]], phase, froude)
        high, side = before + share * (high - before), beside + share * (side - beside)
    return tables[8] + moving * (high - tables[8]), moving * side


@kernel(inline=True)
def set_vector(rotations: Any, joint: Any, x: Any, y: Any, z: Any) -> None:
    """Set a joint to a rotation vector [rad]."""
    angle = np.sqrt(x * x + y * y + z * z)
    half = HALF * angle
    s = np.sin(half) / angle if angle > np.float32(1e-6) else HALF
    rotations[joint, 0], rotations[joint, 1], rotations[joint, 2] = s * x, s * y, s * z
    rotations[joint, 3] = np.cos(half)
