"""Choose: which gait to be in, and how the speed gets to the wanted one (kernels)."""

from __future__ import annotations

from hoofbeat.maths.curves import wrap
from hoofbeat.maths.exact.powers import ln
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.spring import damp
from hoofbeat.maths.types import Bool, Int, Real, Row, Rows
from hoofbeat.methods.shared.gait_choice import AHEAD, CREEP, SPOT, SpeedChange, by_speed, with_lead
from hoofbeat.methods.timewarp.clock import change_gait
from hoofbeat.methods.timewarp.pace import duty_of
from hoofbeat.methods.timewarp.tables import Choice, WarpedMotion

#: Out of a stand, and into one, the legs need a step for the body not to leave them behind: the part of its
#: braking that a standing horse has, and what is gained for each m/s; and of its acceleration.
GENTLY, GAINED = 0.4, 0.3
SETTING_OFF, FASTER = 0.3, 0.2
#: How long before the wanted speed its change fades [s], and the half-life of acceleration itself [s].
FADE = 0.1
SURGE_HALFLIFE = 0.02
#: Half-life with which collection and extension follow the command [s].
EXTENSION_HALFLIFE = 0.3
#: A change of lead begins no farther than this from its time, as a part of the stride.
IN_TIME = 0.07


@kernel(inline=True)
def follow_extension(state: Row, command: Row, dt: Real) -> None:
    """Collect or extend the stride as the command asks, over dt [s]."""
    state["extension"] = damp(state["extension"], command["extension"], EXTENSION_HALFLIFE, dt)


@kernel(inline=True)
def choose_gait(motion: WarpedMotion, choice: Choice, state: Row, command: Row, speed: Real) -> None:
    """Begin to change to the gait that goes with a command and its speed [m/s]; not in the air."""
    if not state["flight"]["airborne"]:
        to = wanted_gait(motion.gaits, choice, state, command, speed)
        if not waits_for_flight(motion.gaits, state, to):
            duty = duty_of(motion.cycles, motion.gaits[to], 2, state["speed"]) if to > 0 else 1.0
            change_gait(state, motion.gaits, to, duty)


@kernel
def wanted_gait(gaits: Rows, choice: Choice, state: Row, command: Row, speed: Real) -> Int:
    """The gait to be in: as asked, or by speed with hysteresis and led by the inside of the turn."""
    now = state["gait"]
    if stands_still(state, speed):
        return halting_gait(choice, state)
    if command["gait"] > 0:
        return command["gait"]
    if command["gait"] == 0 or command["action"] == 0:
        return 0 if now == 0 else halting_gait(choice, state)
    return with_lead(gaits, state, by_speed(choice.borders, state, speed, choice.limits))


@kernel
def stands_still(state: Row, speed: Real) -> Bool:
    """Whether nothing is wanted but to stand: no speed [m/s] and no turn."""
    return speed <= CREEP and abs(state["nose"]) < SPOT


@kernel
def halting_gait(choice: Choice, state: Row) -> Int:
    """The gait in which to come to a halt, standing once all feet are in their places."""
    now = state["gait"]
    if now == 0:
        return 0
    if state["speed"] <= CREEP:
        placed = True
        for leg in range(4):
            placed = placed and state["halted"][leg] != 0
        return 0 if placed or state["weight"][0] > 0.999 else now
    by = int(choice.halts[now])
    soon = state["speed"] - 0.5 * AHEAD * choice.limits.braking
    return by if by == now or soon < choice.borders[by, 1] else now


@kernel
def waits_for_flight(gaits: Rows, state: Row, to: Int) -> Bool:
    """Whether a change to the other lead waits for the legs to be about to leave the ground."""
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
def change_speed(state: Row, wanted: Real, limits: SpeedChange, dt: Real) -> None:
    """Move the speed towards the wanted one [m/s] over dt [s] on the ground, without a jerk."""
    if dt <= 0.0:
        return
    speed = state["speed"]
    brake = limits.braking * min(GENTLY + GAINED * speed, 1.0)
    gain = limits.acceleration * min(SETTING_OFF + FASTER * speed, 1.0)
    push = min(max((wanted - speed) / FADE, -brake), gain)
    state["surge"] = damp(state["surge"], push, SURGE_HALFLIFE, dt)
    speed = max(speed + state["surge"] * dt, 0.0)
    if abs(speed - wanted) < 0.5 * CREEP and abs(state["surge"]) < 0.5:
        speed = wanted
        state["surge"] = 0.0
    state["speed"] = speed


@kernel
def stopping_distance(speed: Real, limits: SpeedChange) -> Real:
    """How far the horse still goes from a speed [m/s] to a stand, by the rule of `change_speed` [m]."""
    first, gained = limits.braking * GENTLY, limits.braking * GAINED
    full = (1.0 - GENTLY) / GAINED
    slow = min(speed, full)
    distance = slow / gained - first / (gained * gained) * ln(1.0 + gained * slow / first)
    if speed > full:
        distance += 0.5 * (speed * speed - full * full) / limits.braking
    # What the fading at the end adds.
    tail = min(speed, first * FADE)
    return distance + 0.5 * FADE * tail
