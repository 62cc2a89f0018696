"""Clock: the legs' own times, how they go from one gait to another, and flights (kernels, H3).

All four legs keep their own time. A change of gait moves each to its place in the new gait's pattern, as
little as can be: the new gait's stride is laid so that the longest of the four moves is least. Weights and
moves run along one smooth curve; a change of mind starts again from where they are, with the slope they
have. A change of lead begins before a flight, so that the hind legs exchange their order in the air just
before it and the forelegs just after.
"""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.curves import phase_difference, wrap
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Bool, Floats, Int, Real, Row, Rows
from hoofbeat.methods.shared.flight import next_flight, take_off
from hoofbeat.methods.shared.gait_choice import CREEP, SPOT
from hoofbeat.methods.timewarp.pace import stance_length
from hoofbeat.methods.timewarp.pattern import common_shift, farthest
from hoofbeat.methods.timewarp.pose import root_height
from hoofbeat.methods.timewarp.state import WAITS
from hoofbeat.methods.timewarp.tables import WarpedMotion

#: Strides that a transition lasts at least and at most, and for each stride of the longest move.
SHORTEST, LONGEST = 1.0, 2.4
FOR_EACH = 7.5
#: How much later than the hind legs the forelegs begin to change the lead [strides].
FORE_LATER = 0.4
#: A leg's time never runs faster than the stride's by more than this part, nor slower than this part of it.
QUICKEST, SLOWEST = 0.24, 0.25
#: A transition that would break this lasts longer by this factor, as often as needed.
STRETCH = 1.1
#: Strides from standing into a gait, and back.
SETTING_OFF, HALTING = 0.8, 0.6
#: Part of the stride after the left hind's touchdown at which a standing horse sets off, before its lift-off.
FIRST_LIFT = 0.02
#: A leg this near to its place in a gait has come to it [strides]; a gait of less weight has been left.
IN_PLACE, LEFT_BEHIND = 0.02, 0.05
#: From this part of a halt on, a foot that lands stays.
HALTS = 0.7


@kernel(inline=True)
def read_clock(state: Row, own: Floats) -> None:
    """Each leg's own time into own (4,), in [0, 1): 0 = its touchdown."""
    for leg in range(4):
        own[leg] = wrap(state["cycle"] - state["offset"][leg])


@kernel(inline=True)
def fly(motion: WarpedMotion, body: Row, state: Row, rate: Real, dt: Real, scratch: Row, out: Row) -> Real:
    """Land or leave the ground within a step of dt [s]; returns how long of it the feet push [s].

    rate: strides a second; scratch: `own`, times of the legs at the start of the step.
    """
    flight, own, leaves, lands = state["flight"], scratch["own"], scratch["leaves"], scratch["lands"]
    out["takeoff"] = out["landing"] = -1.0
    grounded = dt
    if flight["airborne"]:
        left = flight["flight_time"] - flight["air"]
        flight["air"] += dt
        grounded = 0.0
        if dt >= left:
            out["landing"] = max(left, 0.0)
            flight["airborne"] = False
            grounded = dt - out["landing"]
    elif rate > 0.0 and state["weight"][0] < 0.5 and state["halt"] < HALTS:
        for leg in range(4):
            quick = max(rate * leg_rate(state, leg), 1e-6)
            down = own[leg] < state["duty"][leg]
            leaves[leg] = (state["duty"][leg] - own[leg]) / quick if down else -1.0
            lands[leg] = (1.0 - own[leg]) / quick
        after, lasts = next_flight(leaves, lands, dt)
        if after >= 0.0:
            out["takeoff"] = grounded = after
            _launch(motion, body, state, rate, after, lasts, scratch)
            flight["air"] = dt - after
            if flight["air"] >= lasts:
                # Up and down again within one step.
                flight["airborne"] = False
                out["takeoff"] = -1.0
                grounded = dt
    return grounded


@kernel
def _launch(
    motion: WarpedMotion, body: Row, state: Row, rate: Real, after: Real, lasts: Real, scratch: Row
) -> None:
    """Leave the ground `after` [s] into the step for `lasts` [s], from and to the heights of the mix."""
    stance = stance_length(state, rate, scratch["duty"])
    cycle = state["cycle"] + rate * after
    high, _ = root_height(motion, body, state["weight"], state, cycle, rate, stance)
    x = min(state["progress"] + rate * (after + lasts) / state["span"], 1.0)
    weights_at(state, motion.gaits.shape[0], x, scratch["later"])
    low, _ = root_height(motion, body, scratch["later"], state, cycle + rate * lasts, rate, stance)
    take_off(state["flight"], high, low, lasts)


@kernel
def change_gait(state: Row, gaits: Rows, to: Int, duty: Real) -> None:
    """Make a gait the wanted one, from wherever the four legs are. duty: of the left hind in it."""
    if to == state["gait"]:
        return
    if state["weight"][0] > 0.999 and to > 0:
        _set_off(state, gaits, to, duty)
        return
    if to == 0:
        _begin(state, gaits.shape[0], HALTING)
        state["gait"] = 0
        return
    touchdown = gaits[to]["touchdown"]
    shift = common_shift(state["offset"], touchdown)
    flying = gaits[to]["lead"] != 0 and gaits[to]["other"] == state["gait"] and state["progress"] >= 1.0
    if flying:
        _begin(state, gaits.shape[0], gaits[to]["flying"] + FORE_LATER)
        state["reach"] = gaits[to]["flying"]
        state["late"][0] = state["late"][1] = FORE_LATER
    else:
        longest = farthest(state["offset"], touchdown, shift)
        _begin(state, gaits.shape[0], min(max(FOR_EACH * longest, SHORTEST), LONGEST))
    state["gait"] = to
    state["shift"][to] = shift
    for leg in range(4):
        state["offset_move"][leg] = phase_difference(touchdown[leg] + shift, state["offset"][leg])
    if not flying:
        stretch(state, gaits.shape[0])


@kernel
def _set_off(state: Row, gaits: Rows, to: Int, duty: Real) -> None:
    """From standing into a gait: the left hind is about to lift, or in a turn the outer fore."""
    first = 2
    if state["speed"] <= CREEP and abs(state["nose"]) >= SPOT:
        first = 1 if state["nose"] > 0.0 else 0
    _begin(state, gaits.shape[0], SETTING_OFF)
    state["gait"] = to
    state["shift"][to] = 0.0
    state["cycle"] = np.floor(state["cycle"]) + gaits[to]["touchdown"][first] + duty - FIRST_LIFT
    for leg in range(4):
        state["offset"][leg] = state["offset_from"][leg] = gaits[to]["touchdown"][leg]
        state["offset_move"][leg] = state["offset_slope"][leg] = 0.0
        state["duty"][leg] = 0.0
        # A foot that would be moving down already stays where it is for that step.
        waits = wrap(state["cycle"] - state["offset"][leg]) >= duty
        state["halted"][leg] = WAITS if waits else 0
        state["held"][leg] = 0.0


@kernel
def _begin(state: Row, count: Int, span: Real) -> None:
    """Remember where every weight and offset is and how it moves, for a new transition of `span` strides."""
    x = state["progress"]
    for g in range(count):
        target = 1.0 if g == state["gait"] else 0.0
        moving = slope_at(target - state["weight_from"][g], state["weight_slope"][g], x)
        state["weight_slope"][g] = moving * span / state["span"] if x < 1.0 else 0.0
        state["weight_from"][g] = state["weight"][g]
    for leg in range(4):
        part = part_moved(state, leg, x)
        moving = slope_at(state["offset_move"][leg], state["offset_slope"][leg], part)
        state["offset_slope"][leg] = moving * span / state["reach"] if x < 1.0 else 0.0
        state["offset_from"][leg] = state["offset"][leg]
        state["offset_move"][leg] = 0.0
    for leg in range(4):
        state["late"][leg] = 0.0
    state["span"] = state["reach"] = span
    state["progress"] = 0.0


@kernel
def stretch(state: Row, count: Int) -> None:
    """Make the transition last longer until no leg hurries, as long as it may."""
    while too_quick(state) and state["span"] < LONGEST:
        factor = min(STRETCH, LONGEST / state["span"])
        state["span"] *= factor
        state["reach"] = state["span"]
        for g in range(count):
            state["weight_slope"][g] *= factor
        for leg in range(4):
            state["offset_slope"][leg] *= factor


@kernel
def too_quick(state: Row) -> Bool:
    """Whether a leg's time would run too fast or too slowly in the transition that was just begun."""
    for leg in range(4):
        move, slope = state["offset_move"][leg], state["offset_slope"][leg]
        least, most = min(slope, 0.0), max(slope, 0.0)
        bend = 3.0 * slope - 6.0 * move
        if bend != 0.0:
            x = (2.0 * slope - 3.0 * move) / bend
            if 0.0 < x < 1.0:
                at = slope_at(move, slope, x)
                least, most = min(least, at), max(most, at)
        if least < -QUICKEST * state["span"] or most > (1.0 - SLOWEST) * state["span"]:
            return True
    return False


@kernel
def advance_clock(state: Row, count: Int, strides: Real) -> None:
    """Let so many strides pass, and move the transition on by them."""
    state["cycle"] += strides
    if state["progress"] >= 1.0:
        return
    x = min(state["progress"] + strides / state["span"], 1.0)
    state["progress"] = x
    weights_at(state, count, x, state["weight"])
    for leg in range(4):
        start, move = state["offset_from"][leg], state["offset_move"][leg]
        state["offset"][leg] = _value_at(start, move, state["offset_slope"][leg], part_moved(state, leg, x))
    if x >= 1.0 and state["gait"] > 0:
        # Count from the new gait's own stride again.
        shift = state["shift"][state["gait"]]
        state["cycle"] -= shift
        state["shift"][state["gait"]] = 0.0
        for leg in range(4):
            state["offset"][leg] = wrap(state["offset"][leg] - shift)


@kernel
def weights_at(state: Row, count: Int, x: Real, out: Floats) -> None:
    """Weights (G,) after the part x of the transition; they sum to 1."""
    total = 0.0
    for g in range(count):
        start = state["weight_from"][g]
        target = 1.0 if g == state["gait"] else 0.0
        out[g] = max(_value_at(start, target - start, state["weight_slope"][g], x), 0.0)
        total += out[g]
    for g in range(count):
        out[g] /= total


@kernel
def show_gait(state: Row, gaits: Rows) -> None:
    """Keep `shown`, the gait that the feet make: the last one whose pattern all four legs have come to."""
    to, weight = state["gait"], state["weight"]
    if state["shown"] == to:
        return
    if weight[to] > 0.5:
        touchdown, shift = gaits[to]["touchdown"], state["shift"][to]
        if to == 0 or farthest(state["offset"], touchdown, shift) < IN_PLACE:
            state["shown"] = to
    if weight[state["shown"]] < LEFT_BEHIND:
        # Changed its mind before it came to any: the nearest.
        state["shown"] = 0
        for g in range(1, gaits.shape[0]):
            if weight[g] > weight[state["shown"]]:
                state["shown"] = g


@kernel(inline=True)
def leg_rate(state: Row, leg: Int) -> Real:
    """How fast a leg's own time runs, as a multiple of the stride's."""
    if state["progress"] >= 1.0:
        return 1.0
    part = part_moved(state, leg, state["progress"])
    return 1.0 - slope_at(state["offset_move"][leg], state["offset_slope"][leg], part) / state["reach"]


@kernel(inline=True)
def part_moved(state: Row, leg: Int, x: Real) -> Real:
    """How much of its move a leg has behind it when the part x of the transition is over."""
    return min(max((x * state["span"] - state["late"][leg]) / state["reach"], 0.0), 1.0)


@kernel(inline=True)
def _value_at(start: Real, move: Real, slope: Real, x: Real) -> Real:
    """A value after the part x of its move, by Hermite: from `start` by `move`, beginning with `slope`."""
    y = 1.0 - x
    return start + move * x * x * (3.0 - 2.0 * x) + slope * x * y * y


@kernel(inline=True)
def slope_at(move: Real, slope: Real, x: Real) -> Real:
    """How fast that value changes at x, for the whole move."""
    y = 1.0 - x
    return 6.0 * move * x * y + slope * y * (y - 2.0 * x)
