"""Clock: how far each Action is, when the body leaves and meets the ground, and blends (kernels).

Rules of the thesis: transitions of flying gaits happen in the air, where the incoming Action gives the
launch its flight (R4); no change of speed or heading in the air (R5, R6).
"""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.curves import bias, gain, wrap
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Floats, Int, Real, Row
from hoofbeat.maths.vec import dot, sub
from hoofbeat.methods.actions.choose import SQUARING
from hoofbeat.methods.actions.stride import Playing, height_of, pace_of, playing, stride_toe
from hoofbeat.methods.actions.tables import Plans
from hoofbeat.methods.shared.flight import flight_events, flown_height, take_off

ZERO = np.float32(0.0)
HALF = np.float32(0.5)
ONE = np.float32(1.0)
#: Length of a blend where neither Action flies [s] (R4).
GROUND_BLEND = 0.4
#: A flight shorter than this is stretched to it [s]: nothing changes gait faster.
SHORTEST_FLIGHT = 0.1
#: The blend's curve is gain(bias(t, 0.7), g). Printed g is 0.3; under the printed gain that is steep at
#: both ends, not the s-curve the text describes, and pops. 1 - 0.3 is that s-curve (docs/reproduction.md).
BLEND_BIAS = np.float32(0.7)
BLEND_GAIN = np.float32(0.7)
#: Phases that are tried for the nearest pose or the first step.
TRIED = 64
#: In choosing the first step: how the body gathers speed [m/s2], how near to the end of its reach a foot may
#: be left [m], and what it costs [m2] to begin late in a swing.
GATHERING, MARGIN, LATER = 2.0, 0.25, 1.5


@kernel
def advance(plans: Plans, state: Row, wanted: Int, dt: Real) -> tuple[Real, Real]:
    """Move the clock by dt, towards the Action `wanted`.

    Returns the times into the step of take-off and landing [s], -1 = none.
    """
    takeoff = landing = -1.0
    if not state["flight"]["airborne"] and state["next"] < 0:
        takeoff = begin_change(plans, state, wanted if wanted != state["action"] else -1, dt)
    if state["flight"]["airborne"]:
        landing = _fly(state, max(takeoff, 0.0), dt)
    else:
        go_on(plans, state, dt)
    return takeoff, landing


@kernel
def begin_change(plans: Plans, state: Row, to: Int, dt: Real) -> Real:
    """Begin the change to Action `to` (-1 = none) and the flights of the present one.

    Returns the time into the step at which the body takes off [s], -1 = not.
    """
    now: Int = state["action"]
    action = plans.actions[now]
    duration, _ = pace_of(action, state["speed"])
    state["duration"] = duration
    if action["flights"] > 0:
        phase = wrap(state["cycle"])
        for k in range(action["flights"]):
            wait = wrap(action["start"][k] - phase) * duration
            if wait < dt:
                state["cycle"] += wait / duration
                _launch(plans, state, k, to, wait)
                return wait
    elif to >= 0:
        if plans.actions[to]["flights"] > 0:
            _launch(plans, state, -1, to, 0.0)
            return 0.0
        state["next"] = to
        state["blend"] = 0.0
        state["blend_time"] = GROUND_BLEND
        state["next_cycle"] = starting_phase(plans.actions[to], action) if now == 0 else 0.0
    return -1.0


@kernel
def _launch(plans: Plans, state: Row, flight: Int, to: Int, after: Real) -> None:
    """Leave the ground: flight k of the present Action (or -1), blending to Action `to` (or -1).

    `after` is the time into the step [s]; the phases are those of that moment.
    """
    now: Int = state["action"]
    action = plans.actions[now]
    leaving = playing(plans.actions, now, state["cycle"], state["speed"], ONE)
    lasts = action["stop"][flight] - action["start"][flight] if flight >= 0 else 0.0
    meets = wrap(state["cycle"]) + lasts
    duration, widening = leaving.duration, leaving.widening
    if to >= 0:
        duration, widening = pace_of(plans.actions[to], state["speed"])
        # Play the incoming gait backward from its landing, so that it arrives at that phase in time.
        lasts *= leaving.duration / duration
        state["next"] = to
        state["next_cycle"], meets, lasts = flight_into(plans, leaving, to, meets, lasts)
    lands = Playing(now if to < 0 else to, meets, duration, widening, ONE)
    state["duration"] = duration
    state["flight"]["air"] = -after
    take_off(
        state["flight"],
        height_of(plans, leaving),
        height_of(plans, lands),
        max(lasts * duration, SHORTEST_FLIGHT),
    )


@kernel
def flight_into(plans: Plans, leaving: Playing, to: Int, meets: Real, lasts: Real) -> tuple[Real, Real, Real]:
    """The flight in which Action `to` comes in: phases at which it begins and lands, and its length [cycles].

    It is the one that begins most like the pose left; where `to` has none, it is as long as given and lands
    in the pose that is nearest to the phase `meets` of the Action left.
    """
    action = plans.actions[to]
    if action["flights"] == 0:
        lands = nearest_phase(plans, leaving.action, meets, to)
        return lands + 8.0 - lasts, lands, lasts
    best = 0
    least = 1e30
    for k in range(action["flights"]):
        found = mismatch(plans.toes[leaving.action], wrap(leaving.cycle), plans.toes[to], action["start"][k])
        if found < least:
            best, least = k, found
    return action["start"][best], action["stop"][best], action["stop"][best] - action["start"][best]


@kernel
def _fly(state: Row, takeoff: Real, dt: Real) -> Real:
    """Advance in the air; returns the time into the step of the landing [s], -1 = none."""
    flight = state["flight"]
    left = flight["flight_time"] - flight["air"]
    flight["air"] += dt
    flown = dt - takeoff  # of this step; the ground part was counted at the take-off
    state["cycle"] += flown / state["duration"]
    state["next_cycle"] += flown / state["duration"]
    if dt >= left and flight["air"] > 0.0:
        flight["airborne"] = False
        finish_blend(state)
        return max(left, 0.0)
    return -1.0


@kernel
def go_on(plans: Plans, state: Row, dt: Real) -> None:
    """Advance on the ground."""
    # A horse that comes to a stand keeps its walk where it is, so that no foot lifts anew.
    if state["next"] != 0:
        moving: Int = max(state["action"], state["next"])
        duration, _ = pace_of(plans.actions[moving], state["speed"])
        state["cycle"] += dt / duration
        state["next_cycle"] += dt / duration
    if state["next"] >= 0:
        state["blend"] += dt
        if state["blend"] >= state["blend_time"]:
            finish_blend(state)


@kernel(inline=True)
def finish_blend(state: Row) -> None:
    """The incoming Action, if there is one, is now the only one."""
    if state["next"] >= 0:
        state["action"] = state["next"]
        state["cycle"] = state["next_cycle"]
        state["next"] = -1


@kernel(inline=True)
def incoming_weight(state: Row) -> Real:
    """Weight of the incoming Action in the blend, float32; 0 where there is none."""
    if state["next"] < 0:
        return ZERO
    flight = state["flight"]
    t = flight["air"] / flight["flight_time"] if flight["airborne"] else state["blend"] / state["blend_time"]
    return np.float32(gain(bias(np.float32(min(max(t, 0.0), 1.0)), BLEND_BIAS), BLEND_GAIN))


@kernel
def body_height(plans: Plans, state: Row, now: Playing, to: Playing) -> Real:
    """Root joint above the ground [m], on it or in the air; to: as `now` where nothing is blended."""
    if state["flight"]["airborne"]:
        return flown_height(state["flight"])
    height = height_of(plans, now)
    if state["next"] >= 0:
        height += to.weight * (height_of(plans, to) - height)
    return height


@kernel
def mark_events(state: Row, out: Row) -> None:
    """Event bits of flight (placement adds those of the feet), and which feet were set down to halt."""
    if state["speed"] > SQUARING:
        state["squared"] = 0
    for leg in range(4):
        down = out["contact"][leg] > HALF
        if down and not state["contact"][leg]:
            state["squared"] |= 1 << leg
        state["contact"][leg] = 1 if down else 0
    out["events"] = flight_events(out)


@kernel
def mismatch(toes_a: Floats, phase_a: Real, toes_b: Floats, phase_b: Real) -> Real:
    """Sum over the legs of the squared distance [m2] between two Actions' toes (K, 4, 3)."""
    total = 0.0
    for leg in range(4):
        between = sub(stride_toe(toes_a, leg, phase_a), stride_toe(toes_b, leg, phase_b))
        total += dot(between, between)
    return total


@kernel
def nearest_phase(plans: Plans, a: Int, phase: Real, b: Int) -> Real:
    """The phase of Action b whose toes are nearest to those of Action a at a phase."""
    best, least = 0.0, 1e30
    for k in range(TRIED):
        found = mismatch(plans.toes[a], phase, plans.toes[b], k / TRIED)
        if found < least:
            best, least = k / TRIED, found
    return best


@kernel
def starting_phase(action: Row, stand: Row) -> Real:
    """The phase of a gait at which a horse that stands best sets off; both are ACTION rows.

    Each planted foot waits for its turn while the body gathers speed; the phase is the one that
    leaves the feet least behind, and lifts its first foot early in its swing.
    """
    best, least = 0.0, 1e30
    for k in range(TRIED):
        found = 0.0
        for leg in range(4):
            duty = action["duty"][leg]
            own = wrap(k / 64.0 - action["centre"][leg] + 0.5 * duty)
            if own < duty:
                wait = (duty - own) * action["duration"][0]
                behind = action["place"][leg, 1] - stand["place"][leg, 1] + 0.5 * GATHERING * wait * wait
                found += max(behind - 0.5 * action["travel"][leg] + MARGIN, 0.0) ** 2
            else:
                found += LATER * (own - duty) ** 2
        if found < least:
            best, least = k / TRIED, found
    return best
