"""Step: one tick of method `actions` for N characters (the entry kernel)."""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Floats, Real, Row, Rows
from hoofbeat.methods.actions.choose import (
    CREEP,
    change_speed,
    final_action,
    grounded_time,
    next_action,
)
from hoofbeat.methods.actions.clock import advance, body_height, incoming_weight, mark_events
from hoofbeat.methods.actions.feet import add_feet, clear_feet
from hoofbeat.methods.actions.pose import add_pose, write_pose
from hoofbeat.methods.actions.state import Scratch
from hoofbeat.methods.actions.stride import Playing, playing
from hoofbeat.methods.actions.tables import Tables
from hoofbeat.methods.shared.flight import write_flight
from hoofbeat.methods.shared.gait_choice import wanted_speed
from hoofbeat.methods.shared.turning import turn_rate

HALF = np.float32(0.5)
ONE = np.float32(1.0)


@kernel
def step_actions(
    tables: Tables,
    scratch: Scratch,
    state: Rows,
    command: Rows,
    sense: Rows,
    dt: Real,
    rotations: Floats,
    out: Rows,
) -> None:
    """Advance N characters by dt [s]: rows of STATE, COMMAND and SENSE (N,).

    rotations (N, J, 4) and out (N,) of STEP are written.
    """
    plans, poses = tables.plans, tables.poses
    most = (tables.acceleration, tables.braking)
    stack, angles = scratch.stack, scratch.angles
    for i in range(state.shape[0]):
        s, c, o = state[i], command[i], out[i]
        speed = wanted_speed(c)
        flying = s["flight"]["airborne"]
        wanted = next_action(plans.actions, s, c["gait"], speed)
        o["takeoff"], o["landing"] = advance(plans, s, wanted, dt)
        change_speed(plans.actions, s, speed, most, grounded_time(o, flying, dt))

        weight = incoming_weight(s)
        blending = s["next"] >= 0
        now = playing(plans.actions, s["action"], s["cycle"], s["speed"], ONE - weight)
        to = playing(plans.actions, s["next"], s["next_cycle"], s["speed"], weight) if blending else now
        o["height"] = body_height(plans, s, now, to)
        o["yaw_rate"] = yaw_rate(plans.actions, s, c, sense[i], tables.max_turn, dt)
        write_flight(s["flight"], o)

        clear_feet(o)
        add_pose(poses, now, s["seed"], stack, angles)
        add_feet(plans, now, s["flight"]["airborne"], o)
        if blending:
            add_pose(poses, to, s["seed"], stack, angles)
            add_feet(plans, to, s["flight"]["airborne"], o)
        write_pose(poses.active, angles, rotations[i])

        o["going_to"] = final_action(plans.actions, s, c["gait"], speed)
        write_gait(s, now, to, o)
        mark_events(s, o)


@kernel(inline=True)
def yaw_rate(actions: Rows, state: Row, command: Row, sense: Row, most: Real, dt: Real) -> Real:
    """Turning rate while a foot is down [rad/s], so that its mean over the cycle is as asked."""
    grounded = actions[max(state["action"], state["next"])]["grounded"]
    return turn_rate(state, command, sense, most, dt) / grounded


@kernel(inline=True)
def write_gait(state: Row, now: Playing, to: Playing, out: Row) -> None:
    """The gait that the feet make, and how fast the body goes."""
    gait = to.action if to.weight >= HALF else now.action
    # A horse that has halted stands, also while it sets its last feet down square.
    halted = state["speed"] <= CREEP and gait == 1 and out["going_to"] == 0
    out["gait"] = 0 if halted else gait
    out["forward"], out["sideways"] = state["speed"], 0.0
    out["standing"] = state["action"] == 0 and state["next"] < 0
