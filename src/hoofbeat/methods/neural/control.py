"""Control: what the rider wants becomes the way that the network is shown (kernels, N6).

    T = tau T* + (1 - tau) T+      T* the wanted way, T+ the way that the network itself foresees

The wanted way starts with the velocity that the animal has and comes to the wanted one along an
exponentially weighted curve 1 - (1 - t)^b; tau grows along it, so that the near future is the network's and
the far one the rider's. A change of action comes from far ahead to the present, as recordings have it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.curves import wrap
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.spring import damp
from hoofbeat.methods.choosing import CREEP, SPOT, by_speed, with_lead
from hoofbeat.methods.neural.layout import FUTURE, NOW, RATE, SAMPLES
from hoofbeat.methods.neural.rows import ACTION, FACING, KEPT, PACE, PLACE, SPEED
from hoofbeat.methods.turning import HEADING_TIME, grip

TICK = 1 / RATE
#: Time between samples [s], and the steps in which the way between them is laid.
APART = (SAMPLES[NOW + 1] - SAMPLES[NOW]) / RATE
PARTS = 5
#: Half-lives with which wanted speed and turn follow the command [s].
SPEED_HALFLIFE, TURN_HALFLIFE = 0.12, 0.08
#: Powers of the curves from the present velocity and turn to the wanted ones.
SPEED_BIAS, TURN_BIAS = 1.5, 2.5
#: Power of the curve along which tau grows.
TAU_BIAS = 1.0
#: How long a change of action takes from the far future to the present [s].
CHANGE = 0.25
#: Half-life of the real speed [s]; how fast its difference from the wanted one is made up for [1/s], up to
#: which part, and within which difference of speeds, as a part.
SPEED_SEEN, MAKE_UP, MOST_TRIM, NEAR = 0.25, 0.35, 0.15, 0.3
#: Slower than this a halting animal is told to stand [m/s].
HALTED = 0.25


@kernel
def control(rules: Any, given: Any, tau: Any, command: Any, offsets: Any, core: Any, plan: Any) -> None:
    """Plans (N, FUTURE, PLAN) for the next frame of N characters.

    rules: see `wanted_action`; given (N, FUTURE, SPEED + 1): wanted ways as seen from the roots, or none
    (0, ...); tau: -1 = it grows; offsets (N,): headings in the world less those of the own ways [rad].
    """
    for i in range(core.shape[0]):
        c, rider = core[i], command[i]
        real_speed(c)
        act = wanted_action(rules, c, rider)
        change_action(c, act)
        heading = c["way"][c["ticks"] % KEPT, 2] + offsets[i]
        smooth_wishes(rules, c, rider, heading)
        if given.shape[0] > 0:
            for f in range(FUTURE):
                for k in range(SPEED + 1):
                    plan[i, f, k] = given[i, f, k]
        else:
            lay_way(rules, c, rider, heading, plan[i])
        mix_ways(c, tau, plan[i])
        for f in range(FUTURE):
            plan[i, f, ACTION] = c["coming"] if f * APART >= c["left"] else c["act"]
        now = c["ticks"] % KEPT
        c["speeds"][now] = plan[i, 0, SPEED]
        c["acts"][now] = c["act"]


@kernel
def real_speed(core: Any) -> None:
    """Speed of the root over the last frame, smoothed."""
    here, before = core["way"][core["ticks"] % KEPT], core["way"][(core["ticks"] - 1) % KEPT]
    speed = np.hypot(here[0] - before[0], here[1] - before[1]) * RATE
    core["speed"] = damp(core["speed"], speed, SPEED_SEEN, TICK)


@kernel(inline=True)
def off_heading(command: Any, heading: Any) -> Any:
    """How far the wanted heading lies to the left [rad]."""
    return (wrap((command["heading"] - heading) / (2.0 * np.pi) + 0.5) - 0.5) * 2.0 * np.pi


@kernel
def wanted_action(rules: Any, core: Any, command: Any) -> Any:
    """The action that goes with a command.

    rules: (gaited: whether actions are gaits; acts (G,): the action of each gait; asked (M,): of each name
    that a command may say; pair (2,): actions that move and that stand; gaits (G,) with lead and other;
    borders (G, 2); speeds (A, 2) of the actions; limits (3,): acceleration, braking [m/s2] and turn [rad/s]).
    `gait` of the row is kept up to date.
    """
    gaited, acts, asked, pair, gaits, borders, _, limits = rules
    still = command["gait"] == 0 or (command["speed"] <= CREEP and abs(command["turn"]) < SPOT)
    if command["has_heading"] and command["gait"] != 0:
        still = command["speed"] <= CREEP and abs(core["turn"]) < SPOT
    still = still or command["action"] >= 0
    rests = still and core["speed"] < HALTED
    if not gaited:
        now = 0
        while now + 1 < borders.shape[0] and core["speed"] > borders[now, 1]:
            now += 1
        core["gait"] = now
        if command["action"] >= 0:
            return asked[command["action"]]
        return pair[1] if rests else pair[0]
    if rests:
        core["gait"] = 0
    elif command["gait"] > 0 and not still:
        core["gait"] = command["gait"]
    else:
        speed = 0.0 if still else command["speed"]
        core["gait"] = with_lead(gaits, core, by_speed(borders, core, speed, limits))
    return acts[core["gait"]]


@kernel
def change_action(core: Any, act: Any) -> None:
    """Let an action come nearer, or begin to come."""
    if act != core["coming"]:
        core["coming"] = act
        core["left"] = CHANGE if act != core["act"] else 0.0
    core["left"] = max(core["left"] - TICK, 0.0)
    if core["left"] <= 0.0:
        core["act"] = core["coming"]


@kernel
def smooth_wishes(rules: Any, core: Any, command: Any, heading: Any) -> None:
    """Wanted speed and turn of one frame, smoothed, within what the action has been seen at."""
    speeds, limits = rules[6], rules[7]
    speed = 0.0 if command["action"] >= 0 or command["gait"] == 0 else command["speed"]
    if speed > CREEP:
        # What the animal does too little or too much is made up for, slowly, once it is near.
        off = (speed - core["speed"]) / speed
        if abs(off) < NEAR:
            core["trim"] = min(max(core["trim"] + MAKE_UP * off * TICK, -MOST_TRIM), MOST_TRIM)
        else:
            core["trim"] = damp(core["trim"], 0.0, 1.0, TICK)
        speed *= 1.0 + core["trim"]
    low, high = speeds[core["coming"], 0], speeds[core["coming"], 1]
    if speed > CREEP:
        speed = max(speed, low)
    core["wanted"] = damp(core["wanted"], min(speed, high), SPEED_HALFLIFE, TICK)
    most = grip(core["speed"], limits[2])
    turn = command["turn"]
    if command["has_heading"]:
        turn = off_heading(command, heading) / HEADING_TIME
    core["turn"] = damp(core["turn"], min(max(turn, -most), most), TURN_HALFLIFE, TICK)


@kernel
def lay_way(rules: Any, core: Any, command: Any, heading: Any, plan: Any) -> None:
    """The wanted way as seen from the root: positions, directions, velocities, speeds."""
    most = grip(core["speed"], rules[7][2])
    vx, vz = np.float64(core["future"][0, PACE]), np.float64(core["future"][0, PACE + 1])
    here, before = core["way"][core["ticks"] % KEPT], core["way"][(core["ticks"] - 1) % KEPT]
    rate = (here[2] - before[2]) * RATE
    left = off_heading(command, heading)
    x = z = angle = gone = 0.0
    step = APART / PARTS
    for f in range(FUTURE):
        t = f * APART
        w = 1.0 - (1.0 - t) ** SPEED_BIAS
        sx, sz = core["wanted"] * np.sin(angle), core["wanted"] * np.cos(angle)
        plan[f, PLACE], plan[f, PLACE + 1] = x, z
        plan[f, FACING], plan[f, FACING + 1] = np.sin(angle), np.cos(angle)
        plan[f, PACE], plan[f, PACE + 1] = vx + w * (sx - vx), vz + w * (sz - vz)
        plan[f, SPEED] = gone
        for k in range(PARTS):
            t = f * APART + (k + 0.5) * step
            w = 1.0 - (1.0 - t) ** TURN_BIAS
            turn = core["turn"]
            if command["has_heading"]:
                turn = min(max((left - angle) / HEADING_TIME, -most), most)
            turned = (rate + w * (turn - rate)) * step
            w = 1.0 - (1.0 - t) ** SPEED_BIAS
            s, c = np.sin(angle + 0.5 * turned), np.cos(angle + 0.5 * turned)
            dx, dz = vx + w * (core["wanted"] * s - vx), vz + w * (core["wanted"] * c - vz)
            x += dx * step
            z += dz * step
            angle += turned
            gone += np.hypot(dx, dz) * step
    # The wanted speed of a sample is the length of the way in the second after it.
    for f in range(FUTURE):
        beyond = 1.0 + (f - FUTURE) * APART
        plan[f, SPEED] = gone - plan[f, SPEED] + core["wanted"] * beyond


@kernel
def mix_ways(core: Any, tau: Any, plan: Any) -> None:
    """Let the network's own foresight into the wanted way."""
    for f in range(FUTURE):
        share = np.float32(tau if tau >= 0.0 else 1.0 - (1.0 - f * APART) ** TAU_BIAS)
        for k in range(PACE + 2):
            own = core["future"][f, k]
            plan[f, k] = own + share * (plan[f, k] - own)
        x, z = plan[f, FACING], plan[f, FACING + 1]
        length = np.hypot(x, z)
        if length > np.float32(1e-6):
            plan[f, FACING], plan[f, FACING + 1] = x / length, z / length
    plan[0, PLACE] = plan[0, PLACE + 1] = plan[0, FACING] = np.float32(0.0)
    plan[0, FACING + 1] = np.float32(1.0)
