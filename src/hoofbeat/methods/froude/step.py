"""Step: one tick of method `froude` for N characters (the entry kernel)."""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.maths.quat_loose import about, mul
from hoofbeat.methods.froude.bank import LIFT, PITCH, WAY
from hoofbeat.methods.froude.pace import (
    duty_between,
    froude_at,
    middle_between,
    rate_between,
)
from hoofbeat.methods.froude.pose import add_trunk, carried, limb_of, set_vector
from hoofbeat.methods.froude.transition import (
    AHEAD,
    CREEP,
    NEARLY_ONE,
    begin,
    land,
    next_gait,
    progress_of,
    set_off,
    settle,
    stance_part,
    take_off,
    warped,
)
from hoofbeat.methods.shared.turning import grounded_part, lean_over, turn_rate
from hoofbeat.records import LANDING, TAKEOFF

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
#: Time from standing into a gait and back [s], for a hip of 1 m.
SETTING_OFF, HALTING = 0.8, 0.7
#: Part of the swing over which a leg goes from strut to fold, and back.
UNLOCKS = 0.3
#: A lift-off is brought forward at most so much faster than time passes.
SOONER = 0.5
#: How far beyond its gait's border a speed may go before the next gait has begun, and before it is there, as
#: parts of it.
BEYOND, AMID = 0.05, 0.08
#: Strides shorter than this [hip heights] have less of the swing's own shape.
SHORT = 0.85
#: Steps are this much quicker, and so shorter, for each radian of lean and each rad/s of turn.
QUICKER_LEAN, QUICKER_TURN = 0.5, 0.15
#: How far the outer feet are from the line on which a leaning body stands [hip heights].
OUTER = 0.11


@kernel(inline=True)
def smooth(x: Any) -> Any:
    """From 0 to 1 with level ends."""
    return x * x * (3.0 - 2.0 * x)


@kernel(inline=True)
def lowered(state: Any, high: Any, hip: Any) -> Any:
    """Height of the root joint of a body that leans [m]."""
    return high * np.cos(state["lean"]) - OUTER * hip * abs(np.sin(state["lean"]))


@kernel
def change_speed(gaits: Any, state: Any, wanted: Any, limits: Any, hip: Any, dt: Any) -> None:
    """Move the speed towards the wanted one over dt [s] on the ground, no faster than the gait allows."""
    speed = state["speed"]
    row = gaits[state["gait"]]
    # Until the next gait has begun, the present one holds the speed near its border.
    most = (1.0 + BEYOND) * np.sqrt(row["froude"][1] * GRAVITY * hip)
    if state["source"] != state["gait"]:
        most = min(most, (1.0 + AMID) * np.sqrt(gaits[state["source"]]["froude"][1] * GRAVITY * hip))
    least = (1.0 - BEYOND) * np.sqrt(row["froude"][0] * GRAVITY * hip)
    wanted = min(max(wanted, min(least, speed)), max(most, speed))
    gently = min(0.4 + 0.3 * speed, 1.0)
    if wanted > speed:
        state["speed"] = min(speed + limits[0] * gently * dt, wanted)
    else:
        state["speed"] = max(speed - limits[1] * gently * dt, wanted)


@kernel
def trunk_phase(state: Any) -> Any:
    """Phase of the trunk: how far the left hind is in its cycle, at the stride's pace at both ends."""
    n = state["length"][2]
    x = min(state["clock"][2] / n, 1.0)
    y = 1.0 - x
    return x * x * (3.0 - 2.0 * x) + n * x * y * (y - x)


@kernel
def choose(gaits: Any, tables: Any, table: Any, s: Any, command: Any, wanted: Any, limits: Any) -> None:
    """Set off, or flag a transition, as the command and the speed to come ask."""
    hip = tables[9]
    froude = froude_at(s["speed"], hip)
    if s["gait"] == 0:
        if wanted > CREEP:
            set_off(tables, gaits, s, 1, froude)
        return
    if s["source"] != s["gait"]:
        return
    soon = min(max(wanted, s["speed"] - AHEAD * limits[1]), s["speed"] + AHEAD * limits[0])
    to = next_gait(gaits, table[0], s, command, froude_at(soon, hip), table[1])
    if to != s["gait"]:
        begin(s, to, table[5][s["gait"], to])


@kernel
def place_toe(
    tables: Any, gaits: Any, s: Any, leg: Any, rate: Any, moving: Any, froude: Any, feature: Any, o: Any
) -> None:
    """Toe target, strut and contact of one leg into the STEP row."""
    clock, lifts, length = s["clock"][leg], s["lifts"][leg], s["length"][leg]
    stride = s["speed"] / rate
    down = clock < lifts or moving <= 0.0
    # Where both gaits of a transition differ, the stance keeps to the one it began with.
    middle = middle_between(tables, gaits, s, s["part"][leg, 0], leg, froude)
    way, swung = 0.5 * lifts - clock, 0.0  # ahead of the middle [strides], and what the swing adds [m]
    strut, lift = ONE, 0.0
    if not clock < lifts:
        q = min((clock - lifts) / (length - lifts), 1.0)
        coming = middle_between(tables, gaits, s, s["part"][leg, 1], leg, froude)
        stands = duty_between(tables, gaits, s, s["part"][leg, 1], leg, froude)
        b = smooth(q)
        way = 0.5 * (b * stands - (1.0 - b) * lifts) - q * (1.0 - q) * (1.0 - 2.0 * q) * (length - lifts)
        swung = b * (coming - middle) + min(stride / (SHORT * tables[9]), 1.0) * np.float64(feature[WAY])
        lift = np.float64(max(feature[LIFT], ZERO))
        edge = min(q, 1.0 - q) / UNLOCKS
        strut = np.float32(1.0 - smooth(edge)) if edge < 1.0 else ZERO
    home = tables[7]
    track = gaits[s["gait"]]["track"][leg // 2]
    if s["source"] != s["gait"]:
        before = gaits[s["source"]]["track"][leg // 2]
        track = before + 0.5 * (s["part"][leg, 0] + s["part"][leg, 1]) * (track - before)
    track = track if home[leg, 0] > 0.0 else -track
    x = home[leg, 0] + moving * (track - home[leg, 0]) - s["side"]
    z = home[leg, 2] + moving * (middle - home[leg, 2])
    ahead = stride * way + moving * swung
    # A turning body comes round to its feet: what lies ahead of the middle lies to the inside, by as much as
    # it turns until it is there.
    angle = s["turn"] * way / rate
    sine, cosine = np.sin(angle), np.cos(angle)
    o["foot"][leg, 0] = np.float32(cosine * x + sine * z + ahead * 0.5 * angle)
    o["foot"][leg, 1] = np.float32(moving * lift) if not down else ZERO
    o["foot"][leg, 2] = np.float32(cosine * z - sine * x + ahead)
    o["contact"][leg] = ONE if down and not s["airborne"] else ZERO
    o["strut"][leg] = strut


@kernel
def pose_legs(
    tables: Any, gaits: Any, table: Any, s: Any, rate: Any, moving: Any, froude: Any, turn: Any, o: Any
) -> None:
    """Joints and targets of the four legs."""
    limbs = table[3]
    feature = np.empty(9, np.float32)
    scratch = np.empty((2, 7), np.float32)
    share = np.float32(moving)
    for leg in range(4):
        mean = 0.5 * (s["part"][leg, 0] + s["part"][leg, 1])
        duty = duty_between(tables, gaits, s, mean, leg, froude)
        phase, swings = warped(s["clock"][leg], s["length"][leg], s["lifts"][leg], duty)
        limb_of(tables, gaits, s, leg, froude, phase, swings, duty, feature, scratch)
        place_toe(tables, gaits, s, leg, rate, moving, froude, feature, o)
        for k in range(6):
            j = limbs[leg, k]
            if j >= 0:
                x, y, z, w = about(ONE, ZERO, ZERO, share * feature[k])
                turn[j, 0], turn[j, 1], turn[j, 2], turn[j, 3] = x, y, z, w
        o["pitch"][leg] = share * feature[PITCH]
        o["sink"][leg] = share * feature[5]
        o["phase"][leg] = np.float32(phase) if phase < NEARLY_ONE else ZERO


@kernel
def pose_trunk(
    tables: Any, gaits: Any, table: Any, s: Any, share: Any, moving: Any, turned: Any, turn: Any
) -> None:
    """Back, neck, head and tail; the lean turns the root joint."""
    joints = table[2]
    for n in range(joints.shape[0]):
        turned[n, 0] = turned[n, 1] = turned[n, 2] = ZERO
    phase = trunk_phase(s)
    add_trunk(tables, gaits[s["gait"]], phase, moving * share, turned)
    if s["source"] != s["gait"]:
        add_trunk(tables, gaits[s["source"]], phase, moving * (1.0 - share), turned)
    for n in range(joints.shape[0]):
        set_vector(turn, joints[n], turned[n, 0], turned[n, 1], turned[n, 2])
    if s["lean"] != 0.0:
        x, y, z, w = about(ZERO, ZERO, ONE, np.float32(-s["lean"]))
        a, b, c, d = mul(x, y, z, w, turn[0, 0], turn[0, 1], turn[0, 2], turn[0, 3])
        turn[0, 0], turn[0, 1], turn[0, 2], turn[0, 3] = a, b, c, d


@kernel
def launch(
    tables: Any, gaits: Any, s: Any, rate: Any, after: Any, lasts: Any, moving: Any, froude: Any
) -> None:
    """Leave the ground `after` [s] into the step for `lasts` [s], from and to the heights of the gait."""
    share = progress_of(s)
    phase = trunk_phase(s)
    pace = rate / s["length"][2]
    s["launch_height"], _ = carried(tables, gaits, s, phase + pace * after, share, moving, froude)
    s["landing_height"], _ = carried(tables, gaits, s, phase + pace * (after + lasts), share, moving, froude)
    # A body that leans flies as low as it goes.
    s["launch_height"] = lowered(s, s["launch_height"], tables[9])
    s["landing_height"] = lowered(s, s["landing_height"], tables[9])
    s["airborne"] = True
    s["flight_time"] = lasts
    s["rise"] = (s["landing_height"] - s["launch_height"]) / lasts + 0.5 * GRAVITY * lasts


@kernel
def go_on(tables: Any, gaits: Any, ways: Any, s: Any, rate: Any, froude: Any, dt: Any) -> None:
    """Run the legs' clocks; a leg that lands begins its next cycle."""
    s["strides"] += rate * dt
    for leg in range(4):
        s["clock"][leg] += rate * dt
        while s["clock"][leg] >= s["length"][leg]:
            s["clock"][leg] -= s["length"][leg]
            land(tables, gaits, ways, s, leg, froude)
        if s["clock"][leg] < s["lifts"][leg]:
            # A foot leaves no later than it meant to when it landed, and sooner where the animal speeds up.
            mean = 0.5 * (s["part"][leg, 0] + s["part"][leg, 1])
            now = duty_between(tables, gaits, s, mean, leg, froude) * stance_part(s["length"][leg])
            least = max(s["clock"][leg] + 1e-9, s["lifts"][leg] - SOONER * rate * dt)
            s["lifts"][leg] = max(min(s["lifts"][leg], now), least)
    settle(s)


@kernel
def fly(tables: Any, gaits: Any, s: Any, rate: Any, moving: Any, froude: Any, dt: Any, o: Any) -> Any:
    """Take-off and landing within the step; returns how long it is on the ground [s]."""
    o["takeoff"] = o["landing"] = -1.0
    if s["airborne"]:
        left = s["flight_time"] - s["air"]
        s["air"] += dt
        if dt < left:
            return 0.0
        o["landing"] = max(left, 0.0)
        s["airborne"] = False
        return dt - o["landing"]
    if moving > 0.5:
        after, lasts = take_off(s, rate, dt)
        if after >= 0.0:
            launch(tables, gaits, s, rate, after, lasts, moving, froude)
            s["air"] = dt - after
            if s["air"] < lasts:
                o["takeoff"] = after
                return after
            s["airborne"] = False  # Up and down again within one step.
    return dt


@kernel
def step_froude(
    tables: Any,
    gaits: Any,
    table: Any,
    limits: Any,
    state: Any,
    command: Any,
    sense: Any,
    dt: Any,
    rotations: Any,
    out: Any,
) -> None:
    """Advance N characters by dt [s].

    tables: of the bank, see tables_of; gaits (G,) GAIT; table: (families (4, 2): borders in Froude numbers,
    options (2,): hysteresis, whether turns choose the lead, joints (J,) of the trunk,
    limbs (4, 6): joints of the legs, -1 = it has none, ways (G, G, 4): changes of cycles [strides],
    cycles (G, G): that transitions take); limits (3,): acceleration, braking [m/s²], turn [rad/s].
    """
    hip = tables[9]
    slowly = np.sqrt(hip)
    turned = np.empty((table[2].shape[0], 3), np.float32)
    offsets = np.empty(4)
    for i in range(state.shape[0]):
        s, o = state[i], out[i]
        wanted = 0.0 if command[i]["action"] == 0 or command[i]["gait"] == 0 else command[i]["speed"]
        if not s["airborne"]:
            choose(gaits, tables, table, s, command[i], wanted, limits)
        grounded, rate, moving, hurry = dt, 0.0, 0.0, 1.0
        o["takeoff"] = o["landing"] = -1.0
        if s["gait"] > 0:
            froude = froude_at(s["speed"], hip)
            hurry = 1.0 + QUICKER_LEAN * abs(s["lean"]) + QUICKER_TURN * abs(s["turn"])
            rate = rate_between(gaits, s, progress_of(s), froude, hip) * hurry
            grounded = fly(tables, gaits, s, rate, smooth(s["moving"]), froude, dt, o)
            change_speed(gaits, s, wanted, limits, hip, grounded)
            go_on(tables, gaits, table[4], s, rate, froude, dt)
            halts = wanted <= CREEP and s["speed"] <= CREEP
            s["moving"] += -dt / (HALTING * slowly) if halts else dt / (SETTING_OFF * slowly)
            s["moving"] = min(max(s["moving"], 0.0), 1.0)
            if s["moving"] <= 0.0 and not s["airborne"]:
                s["gait"] = s["source"] = 0
            froude = froude_at(s["speed"], hip)
        else:
            s["speed"] = 0.0
            froude = froude_at(0.0, hip)
        high, side, turn = tables[8], 0.0, rotations[i]
        share = progress_of(s)
        if s["gait"] > 0:
            moving = smooth(s["moving"])
            rate = rate_between(gaits, s, share, froude, hip) * hurry
            high, side = carried(tables, gaits, s, trunk_phase(s), share, moving, froude)
        o["yaw_rate"] = turn_rate(s, command[i], sense[i], limits[2], dt)
        if s["turn"] != 0.0 and s["gait"] > 0:
            # Only feet on the ground turn the body: they turn it that much more.
            for leg in range(4):
                offsets[leg] = s["clock"][2] - s["clock"][leg]
            o["yaw_rate"] /= grounded_part(offsets, s["lifts"])
        s["lean"] = s["lean"] if s["gait"] > 0 else 0.0
        side += lean_over(s, high, dt)
        high = lowered(s, high, hip)
        o["flight_time"], o["launch_height"], o["landing_height"] = (
            s["flight_time"],
            s["launch_height"],
            s["landing_height"],
        )
        if s["airborne"]:
            high = s["launch_height"] + s["rise"] * s["air"] - 0.5 * GRAVITY * s["air"] * s["air"]
        o["height"] = high
        o["forward"] = s["speed"]
        o["sideways"] = (side - s["side"]) / dt if dt > 0.0 else 0.0
        s["side"] = side
        if s["gait"] > 0:
            pose_trunk(tables, gaits, table, s, share, moving, turned, turn)
            pose_legs(tables, gaits, table, s, rate, moving, froude, turn, o)
        else:
            stand(tables, s, turn, o)
        finish(s, share, o)


@kernel
def stand(tables: Any, s: Any, turn: Any, o: Any) -> None:
    """The standing animal: the rest pose over its feet."""
    for n in range(turn.shape[0]):
        turn[n, 0] = turn[n, 1] = turn[n, 2] = ZERO
        turn[n, 3] = ONE
    for leg in range(4):
        o["foot"][leg, 0] = np.float32(tables[7][leg, 0] - s["side"])
        o["foot"][leg, 1] = ZERO
        o["foot"][leg, 2] = np.float32(tables[7][leg, 2])
        o["contact"][leg] = o["strut"][leg] = ONE
        o["pitch"][leg] = o["sink"][leg] = o["phase"][leg] = ZERO


@kernel
def finish(s: Any, share: Any, o: Any) -> None:
    """The gait shown, events and whether it stands."""
    o["gait"] = s["gait"] if share >= 0.5 else s["source"]
    o["going_to"] = s["gait"]
    o["standing"] = s["gait"] == 0
    o["hoof"] = 1
    events = 0
    if o["takeoff"] >= 0.0:
        events |= TAKEOFF
    if o["landing"] >= 0.0:
        events |= LANDING
    o["events"] = events
