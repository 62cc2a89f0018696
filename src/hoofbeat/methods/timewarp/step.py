"""Step: one tick of method `timewarp` for N characters (the entry kernel)."""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.gaits.cycle import LIFT, LOW, MID, PITCH, SCAPULA, SIDE, SINK, WAY
from hoofbeat.maths.curves import wrap
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.maths.quat_loose import about, mul
from hoofbeat.maths.spring import damp
from hoofbeat.methods.shared.gait_choice import CREEP
from hoofbeat.methods.shared.turning import grounded_part, lean_over
from hoofbeat.methods.timewarp.cascade import bend_along, turn_along, turn_nose
from hoofbeat.methods.timewarp.choice import (
    change_speed,
    stands_still,
    waits_for_flight,
    wanted_gait,
    way_to_halt,
)
from hoofbeat.methods.timewarp.flight import take_off
from hoofbeat.methods.timewarp.pace import duty_of, extended, pace_of, part_of
from hoofbeat.methods.timewarp.pose import bend, height_of, leg_of, trunk_of
from hoofbeat.methods.timewarp.rows import LANDED, LOADED, MOST_GAITS, WAITS
from hoofbeat.methods.timewarp.transition import advance, change_gait, leg_rate, weights_at
from hoofbeat.records import LANDING, TAKEOFF

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
#: Steps gained by a lean, for each radian, and by a turn, for each rad/s; and lost on the spot.
QUICKER_LEAN, QUICKER_TURN, SPOT_SLOWER = 0.5, 0.15, 0.2
#: Half-life with which the feet's places follow a turn: a first step does not reach for all of it [s].
SWEEP_HALFLIFE = 0.1
#: On the spot, while a foot stands, the body turns by at most this [rad].
MOST_SWEEP = 0.7
#: Slower than this a turn is one on the spot [m/s]; from this turn on the forelegs cross fully [rad/s], one
#: standing so far before the other's line [m].
SPOT_SPEED, SPOT_TURN, CROSSING = 0.6, 0.6, 0.1
#: A halt gains so much in steps; half-life with which feet begin to go where they will stand [s].
HALT_QUICKER, HALT_HALFLIFE = 0.15, 0.04
#: From this part of it on, a foot that lands stays.
HALTS = 0.7
#: How long a halted foot takes to be where the gait has it [s].
LET_GO = 0.2
#: Half-life with which collection and extension follow the command [s].
EXTENSION_HALFLIFE = 0.3
#: Lift gained by full collection, and lost by full extension, as a part of it.
HIGHER, LOWER = 0.25, 0.05
#: Part of the swing over which a leg goes from strut to fold, and back.
UNLOCKS = 0.2


@kernel
def place_toe(
    state: Any,
    leg: Any,
    own: Any,
    coming: Any,
    rate: Any,
    stop: Any,
    held: Any,
    home: Any,
    middle: Any,
    feature: Any,
    out: Any,
) -> None:
    """Toe target, strut, hoof and contact of one leg into the STEP row.

    coming: duty of its next stance; stop: how far the body still goes when it halts [m]; held: how much of
    its place in a halt the foot keeps, in [0, 1]; home (3,): the toe of the standing horse.
    """
    duty = state["duty"][leg]
    stride = 1.0 / rate if rate > 0.0 else 0.0
    halted = state["halted"][leg] != 0
    down = own < duty or halted or state["weight"][0] > 0.999
    # How long before, or after, the body comes over the foot [s].
    time = stride * duty * (0.5 - own / duty)
    ahead = state["speed"] * time
    strut = ONE
    square = 0.0
    if halted:
        time, square = 0.0, 1.0
        ahead = 0.0 if state["halted"][leg] == WAITS else stop
    elif not own < duty:
        s = (own - duty) / (1.0 - duty)
        # It leaves its place at the speed of the ground and arrives so, where the next stance begins.
        way = s * s * (3.0 - 2.0 * s) + np.float64(feature[WAY])
        whole = 1.0 + 0.5 * (coming - duty)
        time = stride * (-0.5 * duty - (1.0 - duty) * s + whole * way)
        # In a halt it goes where the body will come to a stand over it.
        square = state["halt"] * way
        ahead = state["speed"] * time + square * (stop - 0.5 * state["speed"] * stride * coming)
        edge = min(s, 1.0 - s) / UNLOCKS
        if edge < 1.0:
            strut = np.float32(1.0 - edge * edge * (3.0 - 2.0 * edge))
        else:
            strut = ZERO
    if held > 0.0 and not halted:
        time -= held * time
        ahead += held * (stop - ahead)
        square += held * (1.0 - square)
        strut += np.float32(held) * (ONE - strut)
    # The trunk sways and leans over its feet: the root keeps its line, so they go the other way.
    side = np.float64(feature[SIDE])
    x = side + square * (home[0] - side) - state["side"]
    z = middle + square * (home[2] - middle)
    if leg < 2:
        # On the spot the outer fore crosses before the inner one.
        z += CROSSING * (1.0 - 2.0 * leg) * -on_the_spot(state)
    # A turning body comes round to its feet: what lies ahead of the middle lies to the inside.
    angle = state["sweep"] * time
    s, c = np.sin(angle), np.cos(angle)
    sideways = ahead * 0.5 * angle
    out["foot"][leg, 0] = np.float32(c * x + s * z + sideways)
    out["foot"][leg, 1] = max(feature[LIFT], ZERO) if not down else ZERO
    out["foot"][leg, 2] = np.float32(c * z - s * x + ahead)
    out["contact"][leg] = ONE if down and not state["airborne"] else ZERO
    out["strut"][leg] = strut
    out["pitch"][leg], out["sink"][leg] = feature[PITCH], feature[SINK]
    out["phase"][leg] = np.float32(own) if own < 0.99999997 else ZERO


@kernel
def step_timewarp(
    bank: Any,
    table: Any,
    choices: Any,
    turning: Any,
    limits: Any,
    state: Any,
    command: Any,
    sense: Any,
    dt: Any,
    rotations: Any,
    out: Any,
) -> None:
    """Advance N characters by dt [s].

    bank: (cycles, gaits, height, sway, trunk, legs, home, stand), see Bank; table: (joints
    (J,), scapulae (2,), limbs (4, 3): top, mid and low joint, bends (4, 2): signs of their flexion, carriage
    (J,): turn of each joint about the lateral axis at full extension [rad], chain (K,): places among the
    joints that a turn runs along); choices: see `wanted_gait`; turning: see `turn_nose`; limits (2,):
    acceleration and braking [m/s2].
    """
    cycles, gaits = bank[0], bank[1]
    joints, scapulae, limbs, bends, carriage, chain = table
    count = gaits.shape[0]
    turned = np.empty((joints.shape[0], 4), np.float32)
    duty, own, rates = np.empty(4), np.empty(4), np.empty(4)
    later = np.empty(MOST_GAITS)
    feature, stood = np.empty(8, np.float32), np.empty(8, np.float32)
    for i in range(state.shape[0]):
        s, o = state[i], out[i]
        wanted = 0.0 if command[i]["action"] == 0 or command[i]["gait"] == 0 else command[i]["speed"]
        s["extension"] = damp(s["extension"], command[i]["extension"], EXTENSION_HALFLIFE, dt)
        turn_nose(s, command[i], sense[i], turning, dt)
        if not s["airborne"]:
            to = wanted_gait(gaits, choices, s, command[i], wanted, limits)
            if not waits_for_flight(gaits, s, to):
                change_gait(s, gaits, to, duty_of(cycles, gaits[to], 2, s["speed"]) if to > 0 else 1.0)
        rate = pace_of(cycles, gaits, s["weight"], s["gait"], s["speed"], s["extension"], duty)
        rate = hurry(s, rate, duty)
        for leg in range(4):
            own[leg] = wrap(s["cycle"] - s["offset"][leg])
            rates[leg] = max(rate * leg_rate(s, leg), 1e-6)
        o["takeoff"] = o["landing"] = -1.0
        grounded = dt
        if s["airborne"]:
            left = s["flight_time"] - s["air"]
            s["air"] += dt
            grounded = 0.0
            if dt >= left:
                o["landing"] = max(left, 0.0)
                s["airborne"] = False
                grounded = dt - o["landing"]
        elif rate > 0.0 and s["weight"][0] < 0.5 and s["halt"] < HALTS:
            after, lasts = take_off(own, s["duty"], rates, dt)
            if after >= 0.0:
                o["takeoff"] = grounded = after
                launch(bank, s, rate, duty, after, lasts, later)
                s["air"] = dt - after
                if s["air"] >= lasts:
                    # Up and down again within one step.
                    s["airborne"] = False
                    o["takeoff"] = -1.0
                    grounded = dt
        change_speed(s, wanted, limits, grounded)
        s["cycle"] += rate * dt
        advance(s, count, rate * dt)

        turn_along(s, turning, dt)
        s["sweep"] = damp(s["sweep"], s["turn"], SWEEP_HALFLIFE, dt)
        rate = pace_of(cycles, gaits, s["weight"], s["gait"], s["speed"], s["extension"], duty)
        rate = hurry(s, rate, duty)
        stop = halt(s, stands_still(s, wanted), rate, duty, limits, dt)
        mean = 0.25 * (duty[0] + duty[1] + duty[2] + duty[3])
        stance = s["speed"] * mean / rate if rate > 0.0 else 0.0
        high, side = height_of(bank, s["weight"], s, s["cycle"], rate, stance)
        o["flight_time"], o["launch_height"], o["landing_height"] = (
            s["flight_time"],
            s["launch_height"],
            s["landing_height"],
        )
        if s["airborne"]:
            high = s["launch_height"] + s["rise"] * s["air"] - 0.5 * GRAVITY * s["air"] * s["air"]
        o["height"] = high
        # Only feet on the ground turn the body: they turn it that much more.
        o["yaw_rate"] = s["turn"]
        if s["turn"] != 0.0 and rate > 0.0 and s["speed"] > CREEP:
            o["yaw_rate"] /= grounded_part(s["offset"], s["duty"])
        side += lean_over(s, high, dt)
        o["forward"] = s["speed"]
        o["sideways"] = (side - s["side"]) / dt if dt > 0.0 else 0.0
        s["side"] = side

        trunk_of(bank, s["weight"], s, s["cycle"], turned)
        longer = extended(gaits, s["weight"], s["extension"])
        carry(carriage, longer, turned)
        bend_along(s, chain, turned)
        turn = rotations[i]
        if s["lean"] != 0.0:
            tilt(turned, np.float32(-s["lean"]))
        for n in range(joints.shape[0]):
            j = joints[n]
            for k in range(4):
                turn[j, k] = turned[n, k]
        for leg in range(4):
            now = wrap(s["cycle"] - s["offset"][leg])
            if now < own[leg] or s["weight"][0] > 0.999 or s["duty"][leg] <= 0.0:
                s["duty"][leg] = duty[leg]  # It has landed.
                if s["halted"][leg] == WAITS and now < own[leg]:
                    s["halted"][leg] = 0
                if s["halt"] > HALTS and s["halted"][leg] == 0:
                    s["halted"][leg] = LANDED
            elif now < s["duty"][leg]:
                # A leg whose time runs slowly still leaves the ground before it is out of reach.
                s["duty"][leg] = min(s["duty"][leg], duty[leg] * min(leg_rate(s, leg), 1.0))
            part, over = part_of(now, s["duty"][leg])
            held = hold(s, leg, part, over, dt)
            if s["halted"][leg] != 0:
                part, over = 0, 0.5 if s["halted"][leg] != LANDED else over
            middle = leg_of(bank, s["weight"], s["speed"], leg, part, over, feature)
            if ZERO < held < ONE:
                leg_of(bank, s["weight"], s["speed"], leg, 0, 0.5, stood)
                for f in range(feature.shape[0]):
                    feature[f] += held * (stood[f] - feature[f])
            feature[LIFT] *= np.float32(1.0 - (HIGHER if longer < 0.0 else LOWER) * longer)
            place_toe(s, leg, now, duty[leg], rate, stop, np.float64(held), bank[6][leg], middle, feature, o)
            if leg < 2:
                bend(turn, scapulae[leg], feature[SCAPULA])
            bend(turn, limbs[leg, 0], ZERO)
            bend(turn, limbs[leg, 1], bends[leg, 0] * feature[MID])
            bend(turn, limbs[leg, 2], bends[leg, 1] * feature[LOW])
        finish(s, count, o)


@kernel(inline=True)
def on_the_spot(state: Any) -> Any:
    """How far the horse turns on the spot, to the left positive, in [-1, 1]."""
    slow = max(1.0 - state["speed"] / SPOT_SPEED, 0.0)
    return slow * min(max(state["turn"] / SPOT_TURN, -1.0), 1.0)


@kernel
def hurry(state: Any, rate: Any, duty: Any) -> Any:
    """Strides a second with what a turn and a halt make of them: outer legs have a longer way."""
    spot, turn = abs(on_the_spot(state)), abs(state["turn"])
    quicker = QUICKER_LEAN * abs(state["lean"]) + QUICKER_TURN * turn * (1.0 - spot)
    rate *= 1.0 + quicker - SPOT_SLOWER * spot + HALT_QUICKER * state["halt"]
    return max(rate, spot * duty[0] * turn / MOST_SWEEP) if rate > 0.0 else rate


@kernel
def hold(state: Any, leg: Any, part: Any, over: Any, dt: Any) -> Any:
    """How much a foot keeps of its place in a halt, in [0, 1]: all of it once loaded, and less when let go.

    It comes to the middle of its stance and stays there; part, over: see `part_of`.
    """
    if state["halted"][leg] == LANDED and (part == 1 or over >= 0.5):
        state["halted"][leg] = LOADED
    if state["halted"][leg] > LANDED:
        state["held"][leg] = 1.0
        return ONE
    state["held"][leg] = max(state["held"][leg] - dt / LET_GO, 0.0)
    x = state["held"][leg]
    return np.float32(x * x * (3.0 - 2.0 * x))


@kernel
def halt(state: Any, still: Any, rate: Any, duty: Any, limits: Any, dt: Any) -> Any:
    """Prepare to stand: returns how far the body still goes [m]; `halt` and `halted` are brought up to date.

    It begins when feet that land now can stay: the way to go is no longer than half a stance.
    """
    stop = way_to_halt(state["speed"], limits)
    half = 0.5 * state["speed"] * duty[2] / rate if rate > 0.0 else 0.0
    halting = still and (state["speed"] <= CREEP or stop <= half)
    state["halt"] = damp(state["halt"], 1.0 if halting else 0.0, HALT_HALFLIFE, dt)
    if not halting:
        for leg in range(4):
            if state["halted"][leg] != WAITS:
                state["halted"][leg] = 0
    return stop


@kernel
def tilt(turned: Any, angle: Any) -> None:
    """Turn the root joint, the first of turned (J, 4), about the forward axis [rad]."""
    x, y, z, w = about(ZERO, ZERO, ONE, angle)
    a, b, c, d = mul(x, y, z, w, turned[0, 0], turned[0, 1], turned[0, 2], turned[0, 3])
    turned[0, 0], turned[0, 1], turned[0, 2], turned[0, 3] = a, b, c, d


@kernel
def carry(carriage: Any, longer: Any, turned: Any) -> None:
    """Raise or lower neck, head and croup with collection and extension; turned (J, 4) is changed."""
    if longer == 0.0:
        return
    for n in range(carriage.shape[0]):
        if carriage[n] != ZERO:
            x, y, z, w = about(ONE, ZERO, ZERO, carriage[n] * np.float32(longer))
            a, b, c, d = mul(turned[n, 0], turned[n, 1], turned[n, 2], turned[n, 3], x, y, z, w)
            turned[n, 0], turned[n, 1], turned[n, 2], turned[n, 3] = a, b, c, d


@kernel
def launch(bank: Any, state: Any, rate: Any, duty: Any, after: Any, lasts: Any, later: Any) -> None:
    """Leave the ground `after` [s] into the step for `lasts` [s], from and to the heights of the mix."""
    count = bank[1].shape[0]
    stance = state["speed"] * 0.25 * (duty[0] + duty[1] + duty[2] + duty[3]) / rate
    cycle = state["cycle"] + rate * after
    state["launch_height"], _ = height_of(bank, state["weight"], state, cycle, rate, stance)
    x = min(state["progress"] + rate * (after + lasts) / state["span"], 1.0)
    weights_at(state, count, x, later)
    cycle += rate * lasts
    state["landing_height"], _ = height_of(bank, later, state, cycle, rate, stance)
    state["airborne"] = True
    state["flight_time"] = lasts
    state["rise"] = (state["landing_height"] - state["launch_height"]) / lasts + 0.5 * GRAVITY * lasts


@kernel
def finish(state: Any, count: Any, out: Any) -> None:
    """The gait shown, events and whether it stands."""
    best = 0
    for g in range(1, count):
        if state["weight"][g] > state["weight"][best]:
            best = g
    out["gait"], out["going_to"] = best, state["gait"]
    out["standing"] = state["weight"][0] > 0.999
    out["hoof"] = 1
    events = 0
    if out["takeoff"] >= 0.0:
        events |= TAKEOFF
    if out["landing"] >= 0.0:
        events |= LANDING
    out["events"] = events
