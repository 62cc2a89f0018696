"""Clock: the legs' own times, their transitions between gaits, take-off and landing (kernels, M7).

A transition gives every leg, from its own next landing on, one cycle of 100 + n stages, n by the rule of
section 6.1, so that it lands next where the new gait has it. Over more cycles n is shared out.
"""

from __future__ import annotations

from hoofbeat.maths.curves import wrap
from hoofbeat.maths.exact.powers import power
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Bool, Floats, Int, Real, Row
from hoofbeat.methods.froude.pace import Pace, cycle_share, limb_value, place_at
from hoofbeat.methods.froude.root import height_ahead
from hoofbeat.methods.froude.state import Scratch
from hoofbeat.methods.froude.tables import Tables
from hoofbeat.methods.shared.flight import next_flight, take_off

#: Where in the left hind's stance a standing animal sets off, before its lift-off [strides].
FIRST_LIFT = 0.02
#: A lift-off is brought forward at most so much faster than time passes.
SOONER = 0.5
#: A stance is so much shorter than its cycle, as a power.
SHORTENED = 1.35


@kernel
def set_off(tables: Tables, state: Row, to: Int, froude: Real) -> None:
    """From standing into a gait: the left hind is about to lift."""
    state["gait"] = state["source"] = to
    place = place_at(tables.gaits[int(to)], froude)
    pace = Pace(0.0, 1.0, 0.0, place, place)
    begins = limb_value(tables.duty, state, 2, 1.0, pace) - FIRST_LIFT
    for leg in range(4):
        state["clock"][leg] = wrap(begins - tables.gaits[int(to)]["touchdown"][leg])
        state["length"][leg] = 1.0
        state["stance"][leg] = limb_value(tables.duty, state, leg, 1.0, pace)
        state["share"][leg, 0] = state["share"][leg, 1] = 1.0
        state["cycles_left"][leg] = 0


@kernel
def begin(state: Row, to: Int, cycles: Int) -> None:
    """Flag a transition: each leg starts it when it lands next."""
    state["source"] = state["gait"]
    state["gait"] = to
    state["cycles"] = cycles
    for leg in range(4):
        state["share"][leg, 0] = state["share"][leg, 1] = 0.0
        state["cycles_left"][leg] = cycles


@kernel
def _land(tables: Tables, state: Row, leg: Int, pace: Pace) -> None:
    """Begin a leg's next cycle: how long it is, when it leaves the ground, whose curves it follows."""
    state["length"][leg] = 1.0
    if state["cycles_left"][leg] > 0:
        cycles = state["cycles"]
        done = cycles - state["cycles_left"][leg]
        state["length"][leg] = 1.0 + tables.changes[state["source"], state["gait"], leg] / cycles
        state["share"][leg, 0] = done / cycles
        state["share"][leg, 1] = (done + 1.0) / cycles
        state["cycles_left"][leg] -= 1
    elif state["source"] == state["gait"] or state["share"][leg, 1] > 0.999:
        state["share"][leg, 0] = state["share"][leg, 1] = 1.0
    stands = limb_value(tables.duty, state, leg, cycle_share(state, leg), pace)
    # A longer cycle swings longer; a shorter one is shorter in both, and more so in its stance.
    state["stance"][leg] = stands * stance_part(state["length"][leg])


@kernel(inline=True)
def stance_part(length: Real) -> Real:
    """Length of a stance against a usual one, in a cycle of that length [strides]."""
    return power(min(length, 1.0), SHORTENED)


@kernel(inline=True)
def run_clocks(tables: Tables, state: Row, pace: Pace, dt: Real) -> None:
    """Run the legs' clocks for dt [s]; a leg that lands begins its next cycle."""
    state["strides"] += pace.rate * dt
    for leg in range(4):
        state["clock"][leg] += pace.rate * dt
        while state["clock"][leg] >= state["length"][leg]:
            state["clock"][leg] -= state["length"][leg]
            _land(tables, state, leg, pace)
        if state["clock"][leg] < state["stance"][leg]:
            # A foot leaves no later than it meant to when it landed, and sooner where the animal speeds up.
            duty = limb_value(tables.duty, state, leg, cycle_share(state, leg), pace)
            now = duty * stance_part(state["length"][leg])
            least = max(state["clock"][leg] + 1e-9, state["stance"][leg] - SOONER * pace.rate * dt)
            state["stance"][leg] = max(min(state["stance"][leg], now), least)
    settle(state)


@kernel
def settle(state: Row) -> None:
    """End a transition that all legs have been through."""
    if state["source"] == state["gait"]:
        return
    for leg in range(4):
        if state["cycles_left"][leg] > 0 or state["share"][leg, 0] < 0.999:
            return
    state["source"] = state["gait"]


@kernel
def warped(state: Row, leg: Int, duty: Real) -> tuple[Real, Bool]:
    """Own phase of a leg, 0 when it lands and `duty` when it lifts, and whether it swings.

    Runs as fast as the stride at both ends and without a step in speed between: cubic in stance and swing.
    """
    clock, length, stance = state["clock"][leg], state["length"][leg], state["stance"][leg]
    first, second = duty / stance, (1.0 - duty) / (length - stance)
    slope = 2.0 * first * second / (first + second)
    if clock < stance:
        x = clock / stance
        a, b, start, span, width = 1.0, slope, 0.0, duty, stance
    else:
        x = min((clock - stance) / (length - stance), 1.0)
        a, b, start, span, width = slope, 1.0, duty, 1.0 - duty, length - stance
    y = 1.0 - x
    value = start + span * x * x * (3.0 - 2.0 * x) + width * x * y * (a * y - b * x)
    return min(max(value, start), start + span), not clock < stance


@kernel(inline=True)
def fly(tables: Tables, state: Row, pace: Pace, dt: Real, scratch: Scratch, out: Row) -> Real:
    """Take-off and landing within the step; returns how long it is on the ground [s]."""
    flight = state["flight"]
    if flight["airborne"]:
        left = flight["flight_time"] - flight["air"]
        flight["air"] += dt
        if dt < left:
            return 0.0
        out["landing"] = max(left, 0.0)
        flight["airborne"] = False
        return dt - out["landing"]
    if pace.moving > 0.5:
        after, lasts = flight_within(state, pace.rate, dt, scratch.first, scratch.second)
        if after >= 0.0:
            launch = height_ahead(tables, state, pace, after)
            take_off(flight, launch, height_ahead(tables, state, pace, after + lasts), lasts)
            flight["air"] = dt - after
            if flight["air"] < lasts:
                out["takeoff"] = after
                return after
            flight["airborne"] = False  # Up and down again within one step.
    return dt


@kernel(inline=True)
def flight_within(state: Row, rate: Real, dt: Real, leaves: Floats, lands: Floats) -> tuple[Real, Real]:
    """When within dt [s] the last foot leaves the ground, -1 = it does not, and how long the flight lasts.

    leaves and lands (4,): scratch memory.
    """
    for leg in range(4):
        leaves[leg] = (state["stance"][leg] - state["clock"][leg]) / rate
        lands[leg] = (state["length"][leg] - state["clock"][leg]) / rate
    return next_flight(leaves, lands, dt)
