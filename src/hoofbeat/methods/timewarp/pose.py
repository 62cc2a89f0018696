"""Pose: the root and the trunk of a mix of gaits, and the joints of the legs (kernels).

Each gait's trunk is read at its own time, each leg's track by the part of its stance or swing that is
over; the mix of all is normalised.
"""

from __future__ import annotations

import numpy as np

from hoofbeat.gaits.cycle import LEG_ROWS, LOW, MID, SCAPULA, SIDE, TRUNK_ROWS
from hoofbeat.maths.curves import cubic_weights
from hoofbeat.maths.exact.circular import sincos
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_kernels import IDENTITY, about, mul, normalize
from hoofbeat.maths.types import Floats, Int, Ints, Quat, Real, Row
from hoofbeat.maths.vec import AHEAD, LEFT, put_quat, quat
from hoofbeat.methods.shared.flight import flown_height, write_flight
from hoofbeat.methods.shared.gait_choice import CREEP
from hoofbeat.methods.shared.turning import grounded_part, lean_over
from hoofbeat.methods.timewarp.pace import LIGHT, between_cycles, stance_length
from hoofbeat.methods.timewarp.spine import bend_along
from hoofbeat.methods.timewarp.state import FEATURE_COUNT
from hoofbeat.methods.timewarp.tables import WarpedMotion

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
TWO = np.float32(2.0)
THREE = np.float32(3.0)
#: How far the outer feet are from the line on which a leaning body stands [m].
OUTER = 0.12
#: A stance longer than the authored one lowers the body by its square over this [m].
CROUCH = 7.0
#: The standing body comes down by at most this as it sets off [m].
FIRST_CROUCH = 0.07


@kernel(inline=True)
def write_root(
    motion: WarpedMotion, body: Row, state: Row, rate: Real, duty: Floats, dt: Real, out: Row
) -> None:
    """Height, velocity and turn of the root into the STEP row; the body leans and sways.

    rate: strides a second; duty (4,): of the next stances.
    """
    stance = stance_length(state, rate, duty)
    high, side = root_height(motion, body, state["weight"], state, state["cycle"], rate, stance)
    write_flight(state["flight"], out)
    if state["flight"]["airborne"]:
        high = flown_height(state["flight"])
    out["height"] = high
    # Only feet on the ground turn the body: they turn it that much more.
    out["yaw_rate"] = state["turn"]
    if state["turn"] != 0.0 and rate > 0.0 and state["speed"] > CREEP:
        out["yaw_rate"] /= grounded_part(state["offset"], state["duty"])
    side += lean_over(state, high, dt)
    out["forward"] = state["speed"]
    out["sideways"] = (side - state["side"]) / dt if dt > 0.0 else 0.0
    state["side"] = side


@kernel
def root_height(
    motion: WarpedMotion, body: Row, weight: Floats, state: Row, cycle: Real, rate: Real, stance: Real
) -> tuple[Real, Real]:
    """Height of the root joint and its sway to the left [m] for a mix of gaits, `cycle` strides on.

    weight (G,); rate: strides a second; stance: length of the stances [m]. A bounce grows with the square of
    the stride's time, as gravity has it. A body that leans is lower.
    """
    cycles, gaits = motion.cycles, motion.gaits
    # Setting off, the body comes down for its first steps before it has left its stand.
    high, side = weight[0] * (body["stand"] - min(stance * stance / CROUCH, FIRST_CROUCH)), 0.0
    for g in range(1, gaits.shape[0]):
        if weight[g] <= LIGHT:
            continue
        part = between_cycles(cycles, gaits[g], state["speed"])
        i, j, k, m, a, b, c, d = cubic_weights(TRUNK_ROWS, np.float32(cycle - state["shift"][g]))
        for end in range(2):
            w = weight[g] * (part if end == 1 else 1.0 - part)
            n = gaits[g]["fast"] if end == 1 else gaits[g]["slow"]
            if w <= 0.0:
                continue
            row, height, sway = cycles[n], cycles[n]["height"], cycles[n]["sway"]
            own = a * height[i] + b * height[j] + c * height[k] + d * height[m]
            bounce = 1.0 / (rate * row["stride"])
            crouch = max(stance * stance - row["stance"] * row["stance"], 0.0) / CROUCH
            high += w * (row["mean_height"] + bounce * bounce * (own - row["mean_height"]) - crouch)
            side += w * (a * sway[i] + b * sway[j] + c * sway[k] + d * sway[m])
    s, c = sincos(state["lean"])
    return high * c - OUTER * abs(s), side


@kernel(inline=True)
def pose_trunk(
    motion: WarpedMotion, body: Row, chain: Ints, state: Row, longer: Real, turned: Floats, rotations: Floats
) -> None:
    """Rotations of the trunk's joints into rotations (nodes, 4); turned (J, 4) is scratch.

    chain (K,): see `Turning`; longer: how far the stride is extended, in [-1, 1].
    """
    joints = body["joints"]
    mix_trunk(motion, state, turned)
    apply_carriage(body["carriage"], longer, turned)
    bend_along(state, chain, turned)
    if state["lean"] != 0.0:
        # The root joint is the first.
        put_quat(turned, 0, mul(about(AHEAD, np.float32(-state["lean"])), quat(turned, 0)))
    for n in range(joints.shape[0]):
        put_quat(rotations, joints[n], quat(turned, n))


@kernel
def mix_trunk(motion: WarpedMotion, state: Row, out: Floats) -> None:
    """Rotations (J, 4) of the trunk's joints in the present mix of gaits."""
    cycles, gaits, weight = motion.cycles, motion.gaits, state["weight"]
    for n in range(out.shape[0]):
        put_quat(out, n, (ZERO, ZERO, ZERO, np.float32(weight[0])))
    for g in range(1, gaits.shape[0]):
        if weight[g] > LIGHT:
            phase = state["cycle"] - state["shift"][g]
            part = between_cycles(cycles, gaits[g], state["speed"])
            slow, fast = int(gaits[g]["slow"]), int(gaits[g]["fast"])
            if part < 1.0:
                _add_trunk(cycles[slow], phase, np.float32(weight[g] * (1.0 - part)), out)
            if part > 0.0:
                _add_trunk(cycles[fast], phase, np.float32(weight[g] * part), out)
    for n in range(out.shape[0]):
        put_quat(out, n, normalize(quat(out, n)))


@kernel
def _add_trunk(cycle: Row, phase: Real, weight: Real, out: Floats) -> None:
    """Add `weight` times one cycle's trunk rotations at a phase to out (J, 4), on the near side."""
    i, j, k, m, a, b, c, d = cubic_weights(TRUNK_ROWS, np.float32(phase))
    table = cycle["trunk"]
    for n in range(table.shape[1]):
        x = a * table[i, n, 0] + b * table[j, n, 0] + c * table[k, n, 0] + d * table[m, n, 0]
        y = a * table[i, n, 1] + b * table[j, n, 1] + c * table[k, n, 1] + d * table[m, n, 1]
        z = a * table[i, n, 2] + b * table[j, n, 2] + c * table[k, n, 2] + d * table[m, n, 2]
        w = a * table[i, n, 3] + b * table[j, n, 3] + c * table[k, n, 3] + d * table[m, n, 3]
        put_quat(out, n, added(quat(out, n), (x, y, z, w), weight))


@kernel(inline=True)
def added(q: Quat, p: Quat, weight: Real) -> Quat:
    """q and `weight` times p or -p, which are the same rotation, whichever is nearer to q."""
    near = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]
    share = -weight if near < ZERO else weight
    return q[0] + share * p[0], q[1] + share * p[1], q[2] + share * p[2], q[3] + share * p[3]


@kernel
def apply_carriage(carriage: Floats, longer: Real, turned: Floats) -> None:
    """Raise or lower neck, head and croup with collection and extension; turned (J, 4) is changed."""
    if longer == 0.0:
        return
    for n in range(carriage.shape[0]):
        if carriage[n] != ZERO:
            put_quat(turned, n, mul(quat(turned, n), about(LEFT, carriage[n] * np.float32(longer))))


@kernel
def mix_leg(
    motion: WarpedMotion, body: Row, state: Row, leg: Int, part: Int, time: Real, out: Floats
) -> Real:
    """FEATURES (8,) of a leg in its stance or swing (`part`), of which the share `time` is over.

    Returns z of the middle of its stance [m].
    """
    cycles, gaits, home = motion.cycles, motion.gaits, body["home"]
    weight = state["weight"]
    for f in range(FEATURE_COUNT):
        out[f] = ZERO
    out[SIDE] = np.float32(weight[0] * home[leg, 0])
    middle = weight[0] * home[leg, 2]
    rows = LEG_ROWS - 1
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
        fast = between_cycles(cycles, gaits[g], state["speed"])
        for end in range(2):
            w = weight[g] * (fast if end == 1 else 1.0 - fast)
            n = gaits[g]["fast"] if end == 1 else gaits[g]["slow"]
            if w <= 0.0:
                continue
            middle += w * cycles[n]["middle"][leg]
            table = cycles[n]["legs"][leg, part]
            share = np.float32(w)
            for f in range(FEATURE_COUNT):
                value = a * table[i, f, 0] + b * table[i + 1, f, 0]
                out[f] += share * (value + c * table[i, f, 1] + d * table[i + 1, f, 1])
    return middle


@kernel(inline=True)
def bend_leg(body: Row, leg: Int, feature: Floats, rotations: Floats) -> None:
    """Bend the joints of a leg as its FEATURES (8,) say, in rotations (nodes, 4)."""
    limbs, bends = body["limbs"], body["bends"]
    if leg < 2:
        bend(rotations, body["scapulae"][leg], feature[SCAPULA])
    put_quat(rotations, limbs[leg, 0], IDENTITY)
    bend(rotations, limbs[leg, 1], bends[leg, 0] * feature[MID])
    bend(rotations, limbs[leg, 2], bends[leg, 1] * feature[LOW])


@kernel(inline=True)
def bend(rotations: Floats, joint: Int, angle: Real) -> None:
    """Set a joint to a turn about the lateral axis [rad]."""
    put_quat(rotations, joint, about(LEFT, angle))
