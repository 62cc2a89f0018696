"""Transition: how weights of gaits and times of legs go from one gait to another (kernels, H3).

All four legs keep their own time. A change of gait gives each an extra way to its place in the new
gait's pattern, as short as can be: the new gait's stride is laid so that the longest of the four ways is
least. Weights and ways run along one smooth curve; a change of mind starts again from where they are,
with the slope they have. A change of lead begins before a flight, so that the hind legs exchange their order
in the air just before it and the forelegs just after.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.curves import wrap
from hoofbeat.maths.jit import kernel
from hoofbeat.methods.shared.gait_choice import CREEP, SPOT
from hoofbeat.methods.timewarp.rows import WAITS

#: Strides that a transition lasts at least and at most, and for each stride of the longest way.
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


@kernel(inline=True)
def apart(phase: Any) -> Any:
    """A difference of phases in [-0.5, 0.5)."""
    return wrap(phase + 0.5) - 0.5


@kernel(inline=True)
def along(start: Any, move: Any, slope: Any, x: Any) -> Any:
    """A value after the part x of its way: from `start` by `move`, beginning with `slope`."""
    y = 1.0 - x
    return start + move * x * x * (3.0 - 2.0 * x) + slope * x * y * y


@kernel(inline=True)
def slope_along(move: Any, slope: Any, x: Any) -> Any:
    """How fast that value changes at x, for the whole way."""
    y = 1.0 - x
    return 6.0 * move * x * y + slope * y * (y - 2.0 * x)


@kernel
def common_shift(offset: Any, touchdown: Any) -> Any:
    """The shift c for which the longest way from offset (4,) to touchdown (4,) + c is least."""
    best, least = 0.0, 2.0
    for a in range(4):
        for b in range(4):
            # Half-way between two legs, on either side of the circle.
            first = offset[a] - touchdown[a]
            gap = apart(offset[b] - touchdown[b] - first)
            for side in range(2):
                c = first + 0.5 * gap + 0.5 * side
                most = 0.0
                for leg in range(4):
                    most = max(most, abs(apart(touchdown[leg] + c - offset[leg])))
                if most < least - 1e-12:
                    best, least = c, most
    return best


@kernel
def set_off(state: Any, gaits: Any, to: Any, duty: Any) -> None:
    """From standing into a gait: the left hind is about to lift, or in a turn the outer fore."""
    first = 2
    if state["speed"] <= CREEP and abs(state["nose"]) >= SPOT:
        first = 1 if state["nose"] > 0.0 else 0
    begin(state, gaits.shape[0], SETTING_OFF)
    state["gait"] = to
    state["shift"][to] = 0.0
    state["cycle"] = np.floor(state["cycle"]) + gaits[to]["touchdown"][first] + duty - FIRST_LIFT
    for leg in range(4):
        state["offset"][leg] = state["offset_from"][leg] = gaits[to]["touchdown"][leg]
        state["offset_move"][leg] = state["offset_slope"][leg] = 0.0
        state["duty"][leg] = 0.0
        # A foot that would be on its way down already stays where it is for that step.
        waits = wrap(state["cycle"] - state["offset"][leg]) >= duty
        state["halted"][leg] = WAITS if waits else 0
        state["held"][leg] = 0.0


@kernel(inline=True)
def leg_part(state: Any, leg: Any, x: Any) -> Any:
    """How much of its way a leg has behind it when the part x of the transition is over."""
    return min(max((x * state["span"] - state["late"][leg]) / state["reach"], 0.0), 1.0)


@kernel
def begin(state: Any, count: Any, span: Any) -> None:
    """Remember where every weight and offset is and how it moves, for a new way of `span` strides."""
    x = state["progress"]
    for g in range(count):
        target = 1.0 if g == state["gait"] else 0.0
        moving = slope_along(target - state["weight_from"][g], state["weight_slope"][g], x)
        state["weight_slope"][g] = moving * span / state["span"] if x < 1.0 else 0.0
        state["weight_from"][g] = state["weight"][g]
    for leg in range(4):
        part = leg_part(state, leg, x)
        moving = slope_along(state["offset_move"][leg], state["offset_slope"][leg], part)
        state["offset_slope"][leg] = moving * span / state["reach"] if x < 1.0 else 0.0
        state["offset_from"][leg] = state["offset"][leg]
        state["offset_move"][leg] = 0.0
    for leg in range(4):
        state["late"][leg] = 0.0
    state["span"] = state["reach"] = span
    state["progress"] = 0.0


@kernel
def too_quick(state: Any) -> Any:
    """Whether a leg's time would run too fast or too slowly on the way that was just begun."""
    for leg in range(4):
        move, slope = state["offset_move"][leg], state["offset_slope"][leg]
        least, most = min(slope, 0.0), max(slope, 0.0)
        bend = 3.0 * slope - 6.0 * move
        if bend != 0.0:
            x = (2.0 * slope - 3.0 * move) / bend
            if 0.0 < x < 1.0:
                at = slope_along(move, slope, x)
                least, most = min(least, at), max(most, at)
        if least < -QUICKEST * state["span"] or most > (1.0 - SLOWEST) * state["span"]:
            return True
    return False


@kernel
def stretch(state: Any, count: Any) -> None:
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
def change_gait(state: Any, gaits: Any, to: Any, duty: Any) -> None:
    """Make a gait the wanted one, from wherever the four legs are. duty: of the left hind in it."""
    if to == state["gait"]:
        return
    if state["weight"][0] > 0.999 and to > 0:
        set_off(state, gaits, to, duty)
        return
    if to == 0:
        begin(state, gaits.shape[0], HALTING)
        state["gait"] = 0
        return
    c = common_shift(state["offset"], gaits[to]["touchdown"])
    most = 0.0
    for leg in range(4):
        most = max(most, abs(apart(gaits[to]["touchdown"][leg] + c - state["offset"][leg])))
    flying = gaits[to]["lead"] != 0 and gaits[to]["other"] == state["gait"] and state["progress"] >= 1.0
    if flying:
        begin(state, gaits.shape[0], gaits[to]["flying"] + FORE_LATER)
        state["reach"] = gaits[to]["flying"]
        state["late"][0] = state["late"][1] = FORE_LATER
    else:
        begin(state, gaits.shape[0], min(max(FOR_EACH * most, SHORTEST), LONGEST))
    state["gait"] = to
    state["shift"][to] = c
    for leg in range(4):
        way = apart(gaits[to]["touchdown"][leg] + c - state["offset"][leg])
        state["offset_move"][leg] = way
    if not flying:
        stretch(state, gaits.shape[0])


@kernel
def weights_at(state: Any, count: Any, x: Any, out: Any) -> None:
    """Weights (G,) after the part x of the transition; they sum to 1."""
    total = 0.0
    for g in range(count):
        target = 1.0 if g == state["gait"] else 0.0
        w = along(state["weight_from"][g], target - state["weight_from"][g], state["weight_slope"][g], x)
        out[g] = max(w, 0.0)
        total += out[g]
    for g in range(count):
        out[g] /= total


@kernel
def advance(state: Any, count: Any, strides: Any) -> None:
    """Move the transition on by so many strides."""
    if state["progress"] >= 1.0:
        return
    x = min(state["progress"] + strides / state["span"], 1.0)
    state["progress"] = x
    weights_at(state, count, x, state["weight"])
    for leg in range(4):
        part = leg_part(state, leg, x)
        state["offset"][leg] = along(
            state["offset_from"][leg], state["offset_move"][leg], state["offset_slope"][leg], part
        )
    if x >= 1.0 and state["gait"] > 0:
        # Count from the new gait's own stride again.
        c = state["shift"][state["gait"]]
        state["cycle"] -= c
        state["shift"][state["gait"]] = 0.0
        for leg in range(4):
            state["offset"][leg] = wrap(state["offset"][leg] - c)


@kernel(inline=True)
def leg_rate(state: Any, leg: Any) -> Any:
    """How fast a leg's own time runs, as a multiple of the stride's."""
    if state["progress"] >= 1.0:
        return 1.0
    part = leg_part(state, leg, state["progress"])
    return 1.0 - slope_along(state["offset_move"][leg], state["offset_slope"][leg], part) / state["reach"]
