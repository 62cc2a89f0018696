"""Control: what the rider wants becomes the trajectory that the network is shown (kernels, N6).

    T = tau T* + (1 - tau) T+      T* the wanted trajectory, T+ the one that the network itself foresees

The wanted speed is smoothed; the turn comes to what the rider asks for along the exponentially weighted curve
1 - (1 - t)^b, and so does tau come to 1: the far future is the rider's. Networks do a little more or less
than they are asked: what is missing of speed and heading is asked for on top.
"""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.curves import phase_difference
from hoofbeat.maths.exact.circular import hypot, sincos
from hoofbeat.maths.exact.powers import power
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.spring import damp
from hoofbeat.maths.types import Bool, Floats, Real, Row, Rows
from hoofbeat.methods.neural.choose import choose_action
from hoofbeat.methods.neural.network.layout import FUTURE, NOW, RATE, SAMPLES
from hoofbeat.methods.neural.state import ACTION, DIRECTION, KEPT, POSITION, SPEED, VELOCITY
from hoofbeat.methods.neural.tables import Rules
from hoofbeat.methods.shared.gait_choice import CREEP
from hoofbeat.methods.shared.turning import grip

FRAME = 1 / RATE
#: Time between samples [s], and the steps in which the trajectory between them is laid.
SAMPLE_TIME = (SAMPLES[NOW + 1] - SAMPLES[NOW]) / RATE
PARTS = 5
#: What is wanted of a speed is its mean over the time after, as in `features` [s].
AHEAD_TIME = 1.0
#: Half-lives with which wanted speed and turn follow the command [s].
SPEED_HALFLIFE, TURN_HALFLIFE = 0.12, 0.08
#: Power of the curve from the present turn to the wanted one.
TURN_BIAS = 2.5
#: tau at the present, and the power of the curve along which it grows to 1.
TAU, TAU_BIAS = 0.5, 2.0
#: Half-life with which the real speed is smoothed [s].
REAL_SPEED_HALFLIFE = 0.25
#: What is missing of the speed is asked for on top, and slowly made up for [1/s] up to a part of it once the
#: difference is within a part of it; all that is asked for stays within two parts of the wanted speed.
ON_TOP, MAKE_UP, MOST_TRIM, NEAR = 1.0, 0.35, 0.15, 0.3
LEAST_ASKED, MOST_ASKED = 0.3, 1.25
#: Time in which a heading is sought [s], and how far the real one may lag before the rest is let go [rad].
HEADING_TIME, MOST_LAG = 0.25, 0.6


@kernel
def control(
    rules: Rules, given: Floats, tau: Real, command: Rows, offsets: Floats, core: Rows, plan: Floats
) -> None:
    """Trajectories (N, FUTURE, COLUMNS) for the next frame of N characters.

    given (N, FUTURE, SPEED + 1): wanted trajectories in root space, or none (0, ...); tau: -1 = it grows;
    offsets (N,): headings in the world less those of the own paths [rad].
    """
    led = given.shape[0] > 0
    for i in range(core.shape[0]):
        own, rider = core[i], command[i]
        measure_speed(own)
        moves = choose_action(rules, own, rider, led)
        ask_speed(rules, own, rider, moves)
        ask_turn(rules, own, rider, moves, offsets[i])
        if led:
            for f in range(FUTURE):
                for k in range(SPEED + 1):
                    plan[i, f, k] = given[i, f, k]
        else:
            lay_trajectory(rules, own, plan[i])
        mix_trajectories(own, tau, plan[i])
        for f in range(FUTURE):
            coming = f * SAMPLE_TIME >= own["time_left"]
            plan[i, f, ACTION] = own["next_action"] if coming else own["action"]
        now = own["frame"] % KEPT
        own["speeds"][now] = plan[i, 0, SPEED]
        own["actions"][now] = own["action"]


@kernel
def measure_speed(core: Row) -> None:
    """Speed of the root over the last frame, smoothed."""
    here, before = core["path"][core["frame"] % KEPT], core["path"][(core["frame"] - 1) % KEPT]
    speed = hypot(here[0] - before[0], here[1] - before[1]) * RATE
    core["speed"] = damp(core["speed"], speed, REAL_SPEED_HALFLIFE, FRAME)


@kernel
def ask_speed(rules: Rules, core: Row, command: Row, moves: Bool) -> None:
    """The speed to ask for, within the speeds of the action in the data."""
    speeds = rules.action_speeds
    low, high = speeds[core["next_action"], 0], speeds[core["next_action"], 1]
    speed = command["speed"] if moves else 0.0
    if moves and command["action"] >= 0:  # an action of an animal that goes, such as a jump
        speed = max(speed, speeds[rules.named_actions[command["action"]], 0])
    if speed > CREEP:
        speed = min(max(speed, low), high)
        off = speed - core["speed"]
        if abs(off) < NEAR * speed:
            trim = core["speed_trim"] + MAKE_UP * off / speed * FRAME
            core["speed_trim"] = min(max(trim, -MOST_TRIM), MOST_TRIM)
        asked = speed * (1.0 + core["speed_trim"]) + ON_TOP * off
        speed = min(max(asked, LEAST_ASKED * speed), MOST_ASKED * speed)
    core["wanted_speed"] = damp(core["wanted_speed"], speed, SPEED_HALFLIFE if speed > 0.0 else 0.0, FRAME)


@kernel
def ask_turn(rules: Rules, core: Row, command: Row, moves: Bool, offset: Real) -> None:
    """The turning rate to ask for, and the heading to seek, which goes on with it; offset: see `control`."""
    most = grip(core["speed"], rules.max_turn)
    yaw = core["path"][core["frame"] % KEPT, 2]
    turn = 0.0 if command["has_heading"] else min(max(command["turn"], -most), most)
    core["turn"] = damp(core["turn"], turn, TURN_HALFLIFE, FRAME)
    if not moves:
        core["wanted_heading"] = yaw
    elif command["has_heading"]:
        off = phase_difference((command["heading"] - offset - yaw) / (2.0 * np.pi), 0.0)
        core["wanted_heading"] = yaw + off * 2.0 * np.pi
    else:
        heading = core["wanted_heading"] + core["turn"] * FRAME
        core["wanted_heading"] = min(max(heading, yaw - MOST_LAG), yaw + MOST_LAG)


@kernel
def lay_trajectory(rules: Rules, core: Row, plan: Floats) -> None:
    """The wanted trajectory in root space: positions, directions, velocities and speeds (FUTURE, COLUMNS).

    It goes straight ahead at once, whatever sideways velocity there is, and comes to the wanted speed as
    fast as the animal accelerates and brakes: an animal that runs is never shown a path that stops at once.
    """
    most = grip(core["speed"], rules.max_turn)
    here, before = core["path"][core["frame"] % KEPT], core["path"][(core["frame"] - 1) % KEPT]
    rate, left = (here[2] - before[2]) * RATE, core["wanted_heading"] - here[2]
    x = z = angle = 0.0
    step = SAMPLE_TIME / PARTS
    for f in range(FUTURE):
        s, c = sincos(angle)
        speed = speed_after(rules, core, f * SAMPLE_TIME)
        plan[f, POSITION], plan[f, POSITION + 1] = x, z
        plan[f, DIRECTION], plan[f, DIRECTION + 1] = s, c
        plan[f, VELOCITY], plan[f, VELOCITY + 1] = speed * s, speed * c
        plan[f, SPEED] = speed_after(rules, core, f * SAMPLE_TIME + 0.5 * AHEAD_TIME)
        for k in range(PARTS):
            t = f * SAMPLE_TIME + (k + 0.5) * step
            turn = core["turn"] + (left + core["turn"] * t - angle) / HEADING_TIME
            turn = min(max(turn, -most), most)
            turned = (rate + (1.0 - power(1.0 - t, TURN_BIAS)) * (turn - rate)) * step
            speed = speed_after(rules, core, t)
            s, c = sincos(angle + 0.5 * turned)
            x += speed * step * s
            z += speed * step * c
            angle += turned


@kernel
def speed_after(rules: Rules, core: Row, time: Real) -> Real:
    """The speed of the wanted trajectory after a time [s]."""
    acceleration, braking = rules.change.acceleration, rules.change.braking
    here = core["speed"]
    return min(max(core["wanted_speed"], here - braking * time), here + acceleration * time)


@kernel
def mix_trajectories(core: Row, tau: Real, plan: Floats) -> None:
    """Mix what the network itself foresees into the wanted trajectory."""
    for f in range(FUTURE):
        share = np.float32(tau if tau >= 0.0 else 1.0 - (1.0 - TAU) * power(1.0 - f * SAMPLE_TIME, TAU_BIAS))
        for k in range(VELOCITY + 2):
            own = core["foreseen"][f, k]
            plan[f, k] = own + share * (plan[f, k] - own)
        x, z = plan[f, DIRECTION], plan[f, DIRECTION + 1]
        length = hypot(x, z)
        if length > np.float32(1e-6):
            plan[f, DIRECTION], plan[f, DIRECTION + 1] = x / length, z / length
    plan[0, POSITION] = plan[0, POSITION + 1] = plan[0, DIRECTION] = np.float32(0.0)
    plan[0, DIRECTION + 1] = np.float32(1.0)
