"""Clock: which Action plays, how far it is, and when the body leaves and meets the ground (kernels).

Rules of the thesis: duration changes inside its limits, then the gait (R7); transitions of flying
gaits happen in the air, where the incoming Action gives the launch its flight (R4); no change of
speed or heading in the air (R5, R6). `state` is a STATE row, `rows` the ACTION rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.curves import bias, gain, wrap
from hoofbeat.maths.jit import kernel
from hoofbeat.methods.actions.stride import (
    height_of,
    mismatch,
    nearest_phase,
    pace_of,
    starting_phase,
    top_speed,
)

#: A border between gaits is crossed this much beyond it, so that a speed on it does not flutter.
HYSTERESIS = 0.02
#: Slower than this the horse stands [m/s].
CREEP = 0.01
#: Bits of all four feet: set down since the horse slowed below SQUARING [m/s], so that it stands square.
FOUR_FEET = 15
SQUARING = 0.4
#: Part of the acceleration allowed next to a stand, and the speed from which all of it is [m/s].
GENTLE, BRISK = 0.4, 2.0
#: Length of a blend where neither Action flies [s] (R4).
GROUND_BLEND = 0.4
#: A flight shorter than this is stretched to it [s]: nothing changes gait faster.
SHORTEST_FLIGHT = 0.1
#: The blend's curve is gain(bias(t, 0.7), g). Printed g is 0.3; under the printed gain that is steep at
#: both ends, not the s-curve the text describes, and pops. 1 - 0.3 is that s-curve (docs/reproduction.md).
BLEND_BIAS = np.float32(0.7)
BLEND_GAIN = np.float32(0.7)


@kernel(inline=True)
def blend_weight(t: Any) -> Any:
    """Weight of the incoming Action after the part t of the blend."""
    return gain(bias(np.float32(min(max(t, 0.0), 1.0)), BLEND_BIAS), BLEND_GAIN)


@kernel
def wanted_action(rows: Any, state: Any, pinned: Any, wanted_speed: Any) -> Any:
    """The Action to be in: the present one, or its neighbour. pinned: index or -1."""
    now = state["action"]
    last = rows.shape[0] - 1
    if now == 0:
        return 1 if wanted_speed > CREEP else 0
    if now == 1 and wanted_speed <= CREEP and state["speed"] <= CREEP and state["squared"] == FOUR_FEET:
        return 0
    if pinned > 0:
        return now + 1 if pinned > now else now - 1 if pinned < now and now > 1 else now
    if now < last and state["speed"] > rows[now]["speed"][1] * (1.0 + HYSTERESIS):
        return now + 1
    if now > 1 and state["speed"] < rows[now]["speed"][0] * (1.0 - HYSTERESIS):
        return now - 1
    return now


@kernel
def change_speed(rows: Any, state: Any, wanted: Any, up: Any, down: Any, dt: Any) -> None:
    """Move the speed towards the wanted one over dt [s] on the ground, never beyond the Action's stride."""
    moving = max(state["action"], state["next"])
    most = top_speed(rows[moving]) if moving > 0 else 0.0
    target = min(wanted, most)
    speed = state["speed"]
    # Out of a stand, and into one, the legs need a step for the body not to leave them behind.
    gently = min(GENTLE + (1.0 - GENTLE) * speed / BRISK, 1.0)
    up, down = up * gently, down * gently
    state["speed"] = min(speed + up * dt, target) if target > speed else max(speed - down * dt, target)


@kernel
def launch(
    rows: Any, toes: Any, heights: Any, bounce: Any, state: Any, flight: Any, to: Any, after: Any
) -> None:
    """Leave the ground: flight k of the present Action (or -1), blending to Action `to` (or -1).

    `after` is the time into the step [s]; the phases are those of that moment.
    """
    now = state["action"]
    speed = state["speed"]
    phase = wrap(state["cycle"])
    duration, scale = pace_of(rows[now], speed)
    state["launch_height"] = height_of(heights[now], bounce[now], rows[now], phase, duration, scale)
    lands = now
    lasts = rows[now]["stop"][flight] - rows[now]["start"][flight] if flight >= 0 else 0.0
    meets = phase + lasts
    if to >= 0:
        duration_to, scale = pace_of(rows[to], speed)
        lands = to
        state["next"] = to
        if rows[to]["flights"] > 0:
            best = 0
            least = 1e30
            for k in range(rows[to]["flights"]):
                found = mismatch(toes[now], phase, toes[to], rows[to]["start"][k])
                if found < least:
                    best, least = k, found
            duration = duration_to
            lasts = rows[to]["stop"][best] - rows[to]["start"][best]
            state["next_cycle"] = rows[to]["start"][best]
            meets = rows[to]["stop"][best]
        else:
            meets = nearest_phase(toes[now], meets, toes[to])
            # Play the incoming gait backward from its landing, so that it arrives at that phase in time.
            lasts *= duration / duration_to
            duration = duration_to
            state["next_cycle"] = meets + 8.0 - lasts
    time = max(lasts * duration, SHORTEST_FLIGHT)
    state["duration"] = duration
    state["airborne"] = True
    state["air"] = -after
    state["flight_time"] = time
    state["landing_height"] = height_of(heights[lands], bounce[lands], rows[lands], meets, duration, scale)


@kernel
def advance(rows: Any, toes: Any, heights: Any, bounce: Any, state: Any, wanted: Any, dt: Any) -> Any:
    """Move the clock by dt. Returns the times into the step of take-off and landing [s], -1 = none."""
    takeoff = landing = -1.0
    now = state["action"]
    if not state["airborne"] and state["next"] < 0:
        duration, _ = pace_of(rows[now], state["speed"])
        state["duration"] = duration
        flies = rows[now]["flights"] > 0
        to = wanted if wanted != now else -1
        if to >= 0 and not flies and rows[to]["flights"] > 0:
            takeoff = 0.0
            launch(rows, toes, heights, bounce, state, -1, to, 0.0)
        elif to >= 0 and not flies:
            state["next"] = to
            state["blend"] = 0.0
            state["blend_time"] = GROUND_BLEND
            state["next_cycle"] = starting_phase(rows[to], rows[now]) if now == 0 else 0.0
        elif flies:
            phase = wrap(state["cycle"])
            for k in range(rows[now]["flights"]):
                wait = wrap(rows[now]["start"][k] - phase) * duration
                if wait < dt:
                    takeoff = wait
                    state["cycle"] += wait / duration
                    launch(rows, toes, heights, bounce, state, k, to, wait)
                    break

    if state["airborne"]:
        left = state["flight_time"] - state["air"]
        state["air"] += dt
        flown = dt - max(takeoff, 0.0)  # of this step; the ground part was counted at the take-off
        state["cycle"] += flown / state["duration"]
        state["next_cycle"] += flown / state["duration"]
        if dt >= left and state["air"] > 0.0:
            landing = max(left, 0.0)
            state["airborne"] = False
            finish_blend(state)
    else:
        # A horse that comes to a stand keeps its walk where it is, so that no foot lifts anew.
        halting = state["next"] == 0
        if not halting:
            moving = max(state["action"], state["next"])
            duration, _ = pace_of(rows[moving], state["speed"])
            state["cycle"] += dt / duration
            state["next_cycle"] += dt / duration
        if state["next"] >= 0:
            state["blend"] += dt
            if state["blend"] >= state["blend_time"]:
                finish_blend(state)
    return takeoff, landing


@kernel(inline=True)
def finish_blend(state: Any) -> None:
    """The incoming Action, if there is one, is now the only one."""
    if state["next"] >= 0:
        state["action"] = state["next"]
        state["cycle"] = state["next_cycle"]
        state["next"] = -1
