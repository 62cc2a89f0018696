"""Control: what the rider wants becomes the way that the network is shown (kernels, N6).

    T = tau T* + (1 - tau) T+      T* the wanted way, T+ the way that the network itself foresees

The wanted speed is smoothed; the turn comes to what the rider asks for along the exponentially weighted curve
1 - (1 - t)^b, and so does tau come to 1: the far future is the rider's. Networks do a little more or less
than they are asked: what is missing of speed and heading is asked for on top.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.curves import wrap
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.spring import damp
from hoofbeat.methods.neural.network.layout import FUTURE, NOW, RATE, SAMPLES
from hoofbeat.methods.neural.rows import ACTION, FACING, KEPT, PACE, PLACE, SPEED
from hoofbeat.methods.neural.wish import wanted_action
from hoofbeat.methods.shared.gait_choice import CREEP
from hoofbeat.methods.shared.turning import grip

TICK = 1 / RATE
#: Time between samples [s], and the steps in which the way between them is laid.
APART = (SAMPLES[NOW + 1] - SAMPLES[NOW]) / RATE
PARTS = 5
#: What is wanted of a speed is its mean over the time after, as in `features` [s].
AHEAD_TIME = 1.0
#: Half-lives with which wanted speed and turn follow the command [s].
SPEED_HALFLIFE, TURN_HALFLIFE = 0.12, 0.08
#: Power of the curve from the present turn to the wanted one.
TURN_BIAS = 2.5
#: tau at the present, and the power of the curve along which it grows to 1.
TAU, TAU_BIAS = 0.5, 2.0
#: Half-life with which the real speed is seen [s].
SPEED_SEEN = 0.25
#: What is missing of the speed is asked for on top, and slowly made up for [1/s] up to a part of it once the
#: difference is within a part of it; all that is asked for stays within two parts of the wanted speed.
ON_TOP, MAKE_UP, MOST_TRIM, NEAR = 1.0, 0.35, 0.15, 0.3
LEAST_ASKED, MOST_ASKED = 0.3, 1.25
#: Time in which a heading is sought [s], and how far the real one may lag before the rest is let go [rad].
HEADING_TIME, MOST_LAG = 0.25, 0.6


@kernel
def control(rules: Any, given: Any, tau: Any, command: Any, offsets: Any, core: Any, plan: Any) -> None:
    """Plans (N, FUTURE, PLAN) for the next frame of N characters.

    rules: see `wanted_action`; given (N, FUTURE, SPEED + 1): wanted ways as seen from the roots, or none
    (0, ...); tau: -1 = it grows; offsets (N,): headings in the world less those of the own ways [rad].
    """
    for i in range(core.shape[0]):
        c, rider = core[i], command[i]
        now = c["ticks"] % KEPT
        see_speed(c)
        led = given.shape[0] > 0
        moves = wanted_action(rules, c, rider, led)
        ask_speed(rules, c, rider, moves)
        ask_turn(rules, c, rider, moves, offsets[i])
        if led:
            for f in range(FUTURE):
                for k in range(SPEED + 1):
                    plan[i, f, k] = given[i, f, k]
        else:
            lay_way(rules, c, plan[i])
        mix_ways(c, tau, plan[i])
        for f in range(FUTURE):
            plan[i, f, ACTION] = c["coming"] if f * APART >= c["left"] else c["act"]
        c["speeds"][now] = plan[i, 0, SPEED]
        c["acts"][now] = c["act"]


@kernel
def see_speed(core: Any) -> None:
    """Speed of the root over the last frame, smoothed."""
    here, before = core["way"][core["ticks"] % KEPT], core["way"][(core["ticks"] - 1) % KEPT]
    speed = np.hypot(here[0] - before[0], here[1] - before[1]) * RATE
    core["speed"] = damp(core["speed"], speed, SPEED_SEEN, TICK)


@kernel
def ask_speed(rules: Any, core: Any, command: Any, moves: Any) -> None:
    """The speed to ask for, within what the action was seen at."""
    speeds = rules[6]
    low, high = speeds[core["coming"], 0], speeds[core["coming"], 1]
    speed = command["speed"] if moves else 0.0
    if moves and command["action"] >= 0:  # an action that is a way of going, such as a jump
        speed = max(speed, speeds[rules[2][command["action"]], 0])
    if speed > CREEP:
        speed = min(max(speed, low), high)
        off = speed - core["speed"]
        if abs(off) < NEAR * speed:
            trim = core["trim"] + MAKE_UP * off / speed * TICK
            core["trim"] = min(max(trim, -MOST_TRIM), MOST_TRIM)
        asked = speed * (1.0 + core["trim"]) + ON_TOP * off
        speed = min(max(asked, LEAST_ASKED * speed), MOST_ASKED * speed)
    core["wanted"] = damp(core["wanted"], speed, SPEED_HALFLIFE if speed > 0.0 else 0.0, TICK)


@kernel
def ask_turn(rules: Any, core: Any, command: Any, moves: Any, offset: Any) -> None:
    """The turning rate to ask for, and the heading to seek, which goes on with it; offset: see `control`."""
    most = grip(core["speed"], rules[7][2])
    yaw = core["way"][core["ticks"] % KEPT, 2]
    turn = 0.0 if command["has_heading"] else min(max(command["turn"], -most), most)
    core["turn"] = damp(core["turn"], turn, TURN_HALFLIFE, TICK)
    if not moves:
        core["aim"] = yaw
    elif command["has_heading"]:
        off = (command["heading"] - offset - yaw) / (2.0 * np.pi)
        core["aim"] = yaw + (wrap(off + 0.5) - 0.5) * 2.0 * np.pi
    else:
        aim = core["aim"] + core["turn"] * TICK
        core["aim"] = min(max(aim, yaw - MOST_LAG), yaw + MOST_LAG)


@kernel
def lay_way(rules: Any, core: Any, plan: Any) -> None:
    """The wanted way as seen from the root: positions, directions, velocities and speeds (FUTURE, PLAN).

    It goes straight ahead at once, whatever sideways velocity there is, and comes to the wanted speed as
    fast as the animal gains and brakes: an animal that runs is never shown a way that stops at once.
    """
    most = grip(core["speed"], rules[7][2])
    here, before = core["way"][core["ticks"] % KEPT], core["way"][(core["ticks"] - 1) % KEPT]
    rate, left = (here[2] - before[2]) * RATE, core["aim"] - here[2]
    x = z = angle = 0.0
    step = APART / PARTS
    for f in range(FUTURE):
        s, c = np.sin(angle), np.cos(angle)
        speed = speed_after(rules, core, f * APART)
        plan[f, PLACE], plan[f, PLACE + 1] = x, z
        plan[f, FACING], plan[f, FACING + 1] = s, c
        plan[f, PACE], plan[f, PACE + 1] = speed * s, speed * c
        plan[f, SPEED] = speed_after(rules, core, f * APART + 0.5 * AHEAD_TIME)
        for k in range(PARTS):
            t = f * APART + (k + 0.5) * step
            turn = core["turn"] + (left + core["turn"] * t - angle) / HEADING_TIME
            turn = min(max(turn, -most), most)
            turned = (rate + (1.0 - (1.0 - t) ** TURN_BIAS) * (turn - rate)) * step
            speed = speed_after(rules, core, t)
            x += speed * step * np.sin(angle + 0.5 * turned)
            z += speed * step * np.cos(angle + 0.5 * turned)
            angle += turned


@kernel
def speed_after(rules: Any, core: Any, time: Any) -> Any:
    """The speed of the wanted way after a time [s]."""
    gains, brakes = rules[7][0], rules[7][1]
    here = core["speed"]
    return min(max(core["wanted"], here - brakes * time), here + gains * time)


@kernel
def mix_ways(core: Any, tau: Any, plan: Any) -> None:
    """Let the network's own foresight into the wanted way."""
    for f in range(FUTURE):
        share = np.float32(tau if tau >= 0.0 else 1.0 - (1.0 - TAU) * (1.0 - f * APART) ** TAU_BIAS)
        for k in range(PACE + 2):
            own = core["future"][f, k]
            plan[f, k] = own + share * (plan[f, k] - own)
        x, z = plan[f, FACING], plan[f, FACING + 1]
        length = np.hypot(x, z)
        if length > np.float32(1e-6):
            plan[f, FACING], plan[f, FACING + 1] = x / length, z / length
    plan[0, PLACE] = plan[0, PLACE + 1] = plan[0, FACING] = np.float32(0.0)
    plan[0, FACING + 1] = np.float32(1.0)
