"""Step: one tick of method `actions` for N characters (the entry kernel)."""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.curves import wrap
from hoofbeat.maths.expressions.machine import MAX_STACK, run_program
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.maths.quat_loose import mul
from hoofbeat.methods.actions.clock import SQUARING, advance, blend_weight, change_speed, wanted_action
from hoofbeat.methods.actions.stride import foot_of, height_of, pace_of
from hoofbeat.methods.shared.turning import turn_rate
from hoofbeat.records import LANDING, TAKEOFF

ZERO = np.float32(0.0)
HALF = np.float32(0.5)
ONE = np.float32(1.0)


@kernel
def pose_of(bank: Any, action: Any, cycle: Any, seed: Any, weight: Any, stack: Any, angles: Any) -> None:
    """Add `weight` times an Action's angles [rad] to angles (J, 3); bank as in `step_actions`."""
    slots, first, code, base, active = bank
    for n in range(active.shape[0]):
        j = active[n]
        for axis in range(3):
            angles[j, axis] += weight * base[action, j, axis]
    phase = np.float32(wrap(cycle))
    for p in range(first[action], first[action + 1]):
        value = run_program(code, slots[p]["start"], slots[p]["stop"], phase, cycle, seed, stack, ZERO)
        angles[slots[p]["joint"], slots[p]["axis"]] += weight * (slots[p]["low"] + value * slots[p]["span"])


@kernel
def write_pose(active: Any, angles: Any, rotations: Any) -> None:
    """Local rotations (J, 4) of the active joints from angles (J, 3) [rad], intrinsic x y z."""
    for n in range(active.shape[0]):
        j = active[n]
        h = HALF * angles[j, 0]
        x, y, z, w = np.sin(h), ZERO, ZERO, np.cos(h)
        if angles[j, 1] != ZERO or angles[j, 2] != ZERO:
            h = HALF * angles[j, 1]
            x, y, z, w = mul(x, y, z, w, ZERO, np.sin(h), ZERO, np.cos(h))
            h = HALF * angles[j, 2]
            x, y, z, w = mul(x, y, z, w, ZERO, ZERO, np.sin(h), np.cos(h))
        rotations[j, 0], rotations[j, 1], rotations[j, 2], rotations[j, 3] = x, y, z, w
        angles[j, 0] = angles[j, 1] = angles[j, 2] = ZERO


@kernel
def feet_of(
    rows: Any, toes: Any, state: Any, action: Any, cycle: Any, pace: Any, weight: Any, foot: Any, out: Any
) -> None:
    """Add `weight` times one Action's foot targets, strut and flat to `out`; the heavier one says phase.

    pace: the Action's cycle time [s] and stride scale.
    """
    duration, scale = pace
    height = out["height"]
    bend = out["yaw_rate"] * duration
    for leg in range(4):
        down, strut, flat, own = foot_of(
            rows[action], toes[action], leg, wrap(cycle), scale, bend, height, foot
        )
        for axis in range(3):
            out["foot"][leg, axis] += weight * foot[axis]
        out["strut"][leg] += weight * strut
        out["flat"][leg] += weight * flat
        if action > 0:
            # While standing and a gait are blended, the gait says which feet are down.
            out["contact"][leg] = ONE if down and not state["airborne"] else ZERO
        if weight >= HALF:
            out["phase"][leg] = np.float32(own) if own < 0.99999997 else ZERO


@kernel
def mark_events(state: Any, out: Any) -> None:
    """Event bits of flight (placement adds those of the feet), and which feet were set down to halt."""
    events = 0
    if state["speed"] > SQUARING:
        state["squared"] = 0
    for leg in range(4):
        down = out["contact"][leg] > HALF
        if down and not state["contact"][leg]:
            state["squared"] |= 1 << leg
        state["contact"][leg] = 1 if down else 0
    if out["takeoff"] >= 0.0:
        events |= TAKEOFF
    if out["landing"] >= 0.0:
        events |= LANDING
    out["events"] = events


@kernel
def step_actions(
    plan: Any, bank: Any, limits: Any, state: Any, command: Any, sense: Any, dt: Any, rotations: Any, out: Any
) -> None:
    """Advance N characters by dt [s].

    plan: (rows, toes, heights, bounce); bank: (slots, first, code, base, active), see Bank; limits
    (3,): acceleration, braking [m/s2], largest turn [rad/s]. rotations (N, J, 4) and out (N,) of STEP
    are written.
    """
    rows, toes, heights, bounce = plan
    active = bank[4]
    angles = np.zeros((rotations.shape[1], 3), np.float32)
    stack = np.empty(MAX_STACK, np.float32)
    foot = np.empty(3, np.float32)
    for i in range(state.shape[0]):
        s, c, o = state[i], command[i], out[i]
        wanted_speed = c["speed"]
        if c["action"] == 0 or c["gait"] == 0:
            wanted_speed = 0.0
        flying = s["airborne"]
        wanted = wanted_action(rows, s, c["gait"], wanted_speed)
        o["takeoff"], o["landing"] = advance(rows, toes, heights, bounce, s, wanted, dt)
        # Speed changes for as much of the step as was spent on the ground.
        pushed = 0.0 if flying else dt
        pushed = o["takeoff"] if o["takeoff"] >= 0.0 else pushed
        pushed = dt - o["landing"] if o["landing"] >= 0.0 else pushed
        change_speed(rows, s, wanted_speed, limits[0], limits[1], pushed)

        now, to = s["action"], s["next"]
        weight = ZERO
        if to >= 0:
            part = s["air"] / s["flight_time"] if s["airborne"] else s["blend"] / s["blend_time"]
            weight = np.float32(blend_weight(part))
        duration, scale = pace_of(rows[now], s["speed"])
        duration_to, scale_to = duration, scale
        o["height"] = height_of(heights[now], bounce[now], rows[now], wrap(s["cycle"]), duration, scale)
        if to >= 0:
            duration_to, scale_to = pace_of(rows[to], s["speed"])
            high = height_of(heights[to], bounce[to], rows[to], wrap(s["next_cycle"]), duration_to, scale_to)
            o["height"] += weight * (high - o["height"])
        o["flight_time"], o["launch_height"], o["landing_height"] = (
            s["flight_time"],
            s["launch_height"],
            s["landing_height"],
        )
        if s["airborne"]:
            t, time = s["air"], s["flight_time"]
            rise = (s["landing_height"] - s["launch_height"]) / time + 0.5 * GRAVITY * time
            o["height"] = s["launch_height"] + rise * t - 0.5 * GRAVITY * t * t

        for leg in range(4):
            o["strut"][leg] = o["flat"][leg] = o["phase"][leg] = ZERO
            o["contact"][leg] = ONE
            for axis in range(3):
                o["foot"][leg, axis] = ZERO
        # Only the grounded part of the cycle turns; it turns that much more, so that the mean is as asked.
        o["yaw_rate"] = turn_rate(s, c, sense[i], limits[2], dt) / rows[max(now, to)]["grounded"]
        pose_of(bank, now, s["cycle"], s["seed"], ONE - weight, stack, angles)
        feet_of(rows, toes, s, now, s["cycle"], (duration, scale), ONE - weight, foot, o)
        if to >= 0:
            pose_of(bank, to, s["next_cycle"], s["seed"], weight, stack, angles)
            feet_of(rows, toes, s, to, s["next_cycle"], (duration_to, scale_to), weight, foot, o)
        write_pose(active, angles, rotations[i])

        o["gait"] = to if to >= 0 and weight >= HALF else now
        o["going_to"] = to if to >= 0 else now
        o["forward"], o["sideways"] = s["speed"], 0.0
        o["standing"] = now == 0 and to < 0
        mark_events(s, o)
