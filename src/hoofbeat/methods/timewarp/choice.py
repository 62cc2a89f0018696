"""Choice: which gait to be in, and how the speed gets there (kernels)."""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.curves import wrap
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.spring import damp
from hoofbeat.methods.shared.gait_choice import AHEAD, CREEP, SPOT, by_speed, with_lead

#: Out of a stand, and into one, the legs need a step for the body not to leave them behind: the part of its
#: braking that a standing horse takes, and what is gained for each m/s; and of its acceleration.
GENTLY, GAINED = 0.4, 0.3
SETTING_OFF, FASTER = 0.3, 0.2
#: How long before the wanted speed its change is eased [s], and the half-life of acceleration itself [s].
EASED = 0.1
SURGE = 0.02
#: A change of lead begins no farther than this from its time, as a part of the stride.
IN_TIME = 0.07


@kernel
def stands_still(state: Any, speed: Any) -> Any:
    """Whether nothing is wanted but to stand: no speed [m/s] and no turn."""
    return speed <= CREEP and abs(state["nose"]) < SPOT


@kernel
def halting_gait(borders: Any, halts: Any, state: Any, limits: Any) -> Any:
    """The gait in which to come to a halt, standing once all feet are in their places."""
    now = state["gait"]
    if now == 0:
        return 0
    if state["speed"] <= CREEP:
        placed = True
        for leg in range(4):
            placed = placed and state["halted"][leg] != 0
        return 0 if placed or state["weight"][0] > 0.999 else now
    by = halts[now]
    soon = state["speed"] - 0.5 * AHEAD * limits[1]
    return by if by == now or soon < borders[by, 1] else now


@kernel
def wanted_gait(gaits: Any, ways: Any, state: Any, command: Any, speed: Any, limits: Any) -> Any:
    """The gait to be in: as asked, or by speed with hysteresis and led by the inside of the turn.

    ways: (borders (G, 2): speeds from and up to which each is chosen [m/s], -1 = never; halts (G,): the gait
    by which each comes to a halt).
    """
    borders, halts = ways
    now = state["gait"]
    if stands_still(state, speed):
        return halting_gait(borders, halts, state, limits)
    if command["gait"] > 0:
        return command["gait"]
    if command["gait"] == 0 or command["action"] == 0:
        return 0 if now == 0 else halting_gait(borders, halts, state, limits)
    return with_lead(gaits, state, by_speed(borders, state, speed, limits))


@kernel
def waits_for_flight(gaits: Any, state: Any, to: Any) -> Any:
    """Whether a change to the other lead waits for the legs to be on their way into the flight."""
    now = state["gait"]
    if now == 0 or to == now or gaits[now]["lead"] == 0 or gaits[now]["other"] != to:
        return False
    if state["progress"] < 1.0:
        return True
    # The hind that lands first is the one across from the lead.
    first = 3 if gaits[now]["lead"] > 0 else 2
    own = wrap(state["cycle"] - state["offset"][first] - gaits[now]["flies"] + IN_TIME)
    return own > 2.0 * IN_TIME


@kernel
def change_speed(state: Any, wanted: Any, limits: Any, dt: Any) -> None:
    """Move the speed towards the wanted one over dt [s] on the ground, without a jerk."""
    if dt <= 0.0:
        return
    speed = state["speed"]
    brake = limits[1] * min(GENTLY + GAINED * speed, 1.0)
    gain = limits[0] * min(SETTING_OFF + FASTER * speed, 1.0)
    push = min(max((wanted - speed) / EASED, -brake), gain)
    state["surge"] = damp(state["surge"], push, SURGE, dt)
    speed = max(speed + state["surge"] * dt, 0.0)
    if abs(speed - wanted) < 0.5 * CREEP and abs(state["surge"]) < 0.5:
        speed = wanted
        state["surge"] = 0.0
    state["speed"] = speed


@kernel
def way_to_halt(speed: Any, limits: Any) -> Any:
    """How far the horse still goes from a speed [m/s] to a stand, by the rule of `change_speed` [m]."""
    first, gained = limits[1] * GENTLY, limits[1] * GAINED
    full = (1.0 - GENTLY) / GAINED
    slow = min(speed, full)
    way = slow / gained - first / (gained * gained) * np.log(1.0 + gained * slow / first)
    if speed > full:
        way += 0.5 * (speed * speed - full * full) / limits[1]
    # What the easing at the end adds.
    tail = min(speed, first * EASED)
    return way + 0.5 * EASED * tail
