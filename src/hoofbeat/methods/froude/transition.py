"""Transition: which gait comes next, and how long each leg's cycle is on the way there (kernels, M7).

A transition gives every leg, from its own next landing on, one cycle of 100 + n stages, n by the rule of
section 6.1, so that it lands next where the new gait has it. Over more cycles n is shared out. Gaits that
are not neighbours are reached through those between.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.curves import wrap
from hoofbeat.maths.jit import kernel
from hoofbeat.methods.froude.pace import duty_between

#: Slower than this it stands [m/s].
CREEP = 0.02
#: How far ahead the speed that chooses the gait is taken [s].
AHEAD = 0.6
#: A turn faster than this decides the lead, and one this much faster changes it [rad/s].
LEAD_TURN, CHANGE_TURN = 0.12, 0.3
#: Where in the left hind's stance a standing animal sets off, before its lift-off [strides].
FIRST_LIFT = 0.02


@kernel
def family_wanted(families: Any, now: Any, froude: Any, hysteresis: Any) -> Any:
    """Family at a Froude number; families (4, 2): borders. now: the present one, kept within hysteresis."""
    if now >= 0:
        low, high = families[now, 0] * (1.0 - hysteresis), families[now, 1] * (1.0 + hysteresis)
        if low <= froude <= high:
            return now
    for family in range(families.shape[0]):
        if froude <= families[family, 1]:
            return family
    return families.shape[0] - 1


@kernel
def next_gait(gaits: Any, families: Any, state: Any, command: Any, soon: Any, options: Any) -> Any:
    """The gait to be in next: the present one, or its neighbour towards what is wanted. soon: Froude number
    to come; options: (hysteresis, whether turns choose the lead)."""
    now = state["gait"]
    row = gaits[now]
    turn = state["turn"]
    lead = row["lead"] if row["lead"] != 0 else 1
    if options[1] > 0.0 and abs(turn) > LEAD_TURN and row["lead"] == 0:
        lead = 1 if turn > 0.0 else -1
    wanted = row["family"]
    if command["gait"] > 0:
        wanted = gaits[command["gait"]]["family"]
        if gaits[command["gait"]]["lead"] != 0:
            lead = gaits[command["gait"]]["lead"]
    else:
        wanted = family_wanted(families, row["family"], soon, options[0])
    side = 0 if lead > 0 else 1
    if wanted > row["family"]:
        return row["up"][side]
    if wanted < row["family"]:
        return row["down"][side]
    if row["lead"] != 0 and row["other"] != now:
        if command["gait"] > 0:
            return row["other"] if gaits[command["gait"]]["lead"] == -row["lead"] else now
        if options[1] > 0.0 and turn * row["lead"] < -CHANGE_TURN:
            return row["other"]
    return now


@kernel
def set_off(tables: Any, gaits: Any, state: Any, to: Any, froude: Any) -> None:
    """From standing into a gait: the left hind is about to lift."""
    state["gait"] = state["source"] = to
    begins = duty_between(tables, gaits, state, 1.0, 2, froude) - FIRST_LIFT
    for leg in range(4):
        state["clock"][leg] = wrap(begins - gaits[to]["touchdown"][leg])
        state["length"][leg] = 1.0
        state["lifts"][leg] = duty_between(tables, gaits, state, 1.0, leg, froude)
        state["part"][leg, 0] = state["part"][leg, 1] = 1.0
        state["left"][leg] = 0


@kernel
def begin(state: Any, to: Any, cycles: Any) -> None:
    """Flag a transition: each leg starts it when it lands next."""
    state["source"] = state["gait"]
    state["gait"] = to
    state["cycles"] = cycles
    for leg in range(4):
        state["part"][leg, 0] = state["part"][leg, 1] = 0.0
        state["left"][leg] = cycles


@kernel
def land(tables: Any, gaits: Any, ways: Any, state: Any, leg: Any, froude: Any) -> None:
    """Begin a leg's next cycle: how long it is, when it leaves the ground, whose curves it follows.

    ways (G, G, 4): by how much cycles change between two gaits [strides].
    """
    state["length"][leg] = 1.0
    if state["left"][leg] > 0:
        cycles = state["cycles"]
        done = cycles - state["left"][leg]
        state["length"][leg] = 1.0 + ways[state["source"], state["gait"], leg] / cycles
        state["part"][leg, 0] = done / cycles
        state["part"][leg, 1] = (done + 1.0) / cycles
        state["left"][leg] -= 1
    elif state["source"] == state["gait"] or state["part"][leg, 1] > 0.999:
        state["part"][leg, 0] = state["part"][leg, 1] = 1.0
    share = 0.5 * (state["part"][leg, 0] + state["part"][leg, 1])
    stands = duty_between(tables, gaits, state, share, leg, froude)
    # A longer cycle swings longer; a shorter one is shorter in both, and more so in its stance.
    state["lifts"][leg] = stands * stance_part(state["length"][leg])


@kernel(inline=True)
def stance_part(length: Any) -> Any:
    """Length of a stance against a usual one, in a cycle of that length [strides]."""
    return min(length, 1.0) ** 1.35


@kernel
def settle(state: Any) -> None:
    """End a transition that all legs have been through."""
    if state["source"] == state["gait"]:
        return
    for leg in range(4):
        if state["left"][leg] > 0 or state["part"][leg, 0] < 0.999:
            return
    state["source"] = state["gait"]


@kernel
def warped(clock: Any, length: Any, lifts: Any, duty: Any) -> Any:
    """Own phase of a leg, 0 when it lands and `duty` when it lifts, and whether it swings.

    Runs as fast as the stride at both ends and without a step in speed between: cubic in stance and swing.
    """
    first, second = duty / lifts, (1.0 - duty) / (length - lifts)
    slope = 2.0 * first * second / (first + second)
    if clock < lifts:
        x = clock / lifts
        a, b, start, span, width = 1.0, slope, 0.0, duty, lifts
    else:
        x = min((clock - lifts) / (length - lifts), 1.0)
        a, b, start, span, width = slope, 1.0, duty, 1.0 - duty, length - lifts
    y = 1.0 - x
    value = start + span * x * x * (3.0 - 2.0 * x) + width * x * y * (a * y - b * x)
    return min(max(value, start), start + span), not clock < lifts


@kernel
def progress_of(state: Any) -> Any:
    """Part in [0, 1] of a transition that the left hind has been through, smooth; 1 where there is none."""
    if state["source"] == state["gait"]:
        return 1.0
    x = min(state["clock"][2] / state["length"][2], 1.0)
    part = state["part"][2, 0] + (state["part"][2, 1] - state["part"][2, 0]) * x
    return part * part * (3.0 - 2.0 * part)


@kernel
def take_off(state: Any, rate: Any, dt: Any) -> Any:
    """Time into the step at which no foot is left on the ground, and how long until one lands [s].

    -1 where that does not come within dt.
    """
    last = 0.0
    for leg in range(4):
        if state["clock"][leg] < state["lifts"][leg]:
            last = max(last, (state["lifts"][leg] - state["clock"][leg]) / rate)
    if last >= dt:
        return -1.0, 0.0
    soonest = 1e9
    for leg in range(4):
        lands = (state["length"][leg] - state["clock"][leg]) / rate
        if lands <= last:
            return -1.0, 0.0  # Another foot lands before the last one leaves.
        soonest = min(soonest, lands)
    if soonest - last < SHORTEST:
        return -1.0, 0.0
    return last, soonest - last


#: A flight shorter than this is not one [s].
SHORTEST = 0.004
#: For callers that keep phases in float32.
NEARLY_ONE = np.float64(0.99999997)
