"""Root: height, sway and lean of the body, and its velocity over the ground (kernels)."""

from __future__ import annotations

from hoofbeat.maths.curves import cubic_weights
from hoofbeat.maths.exact.circular import sincos
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Floats, Real, Row
from hoofbeat.methods.froude.pace import Pace, PacePlace, trunk_phase
from hoofbeat.methods.froude.state import Scratch
from hoofbeat.methods.froude.tables import Tables
from hoofbeat.methods.shared.flight import flown_height, write_flight
from hoofbeat.methods.shared.turning import grounded_part, lean_over, turn_rate

#: How far the outer feet are from the line on which a leaning body stands [hip heights].
OUTER = 0.11


@kernel
def height_at(heights: Floats, sways: Floats, gait: Row, phase: Real, place: PacePlace) -> tuple[Real, Real]:
    """Height of the root joint and how far it is to the left [m] at a phase after the left hind lands.

    heights (V, F, 64) and sways (V, 64) of the tables [m].
    """
    i, w = place.row, place.weight
    table, sway = heights[place.family], sways[place.family]
    p, q, r, s, a, b, c, d = cubic_weights(table.shape[1], phase + gait["shift"])
    low, high = table[i], table[i + 1]
    first = a * low[p] + b * low[q] + c * low[r] + d * low[s]
    second = a * high[p] + b * high[q] + c * high[r] + d * high[s]
    side = a * sway[p] + b * sway[q] + c * sway[r] + d * sway[s]
    return (1.0 - w) * first + w * second, gait["mirror"] * side


@kernel
def root_at(tables: Tables, state: Row, pace: Pace, phase: Real) -> tuple[Real, Real]:
    """Height of the root joint and how far it is to the left [m], between both gaits of a transition and
    standing."""
    high, side = height_at(tables.height, tables.sway, tables.gaits[int(state["gait"])], phase, pace.to)
    if state["source"] != state["gait"]:
        source = tables.gaits[int(state["source"])]
        before, beside = height_at(tables.height, tables.sway, source, phase, pace.source)
        high, side = before + pace.share * (high - before), beside + pace.share * (side - beside)
    return tables.stand + pace.moving * (high - tables.stand), pace.moving * side


@kernel(inline=True)
def lowered(state: Row, high: Real, hip: Real) -> Real:
    """Height of the root joint of a body that leans [m]."""
    s, c = sincos(state["lean"])
    return high * c - OUTER * hip * abs(s)


@kernel
def height_ahead(tables: Tables, state: Row, pace: Pace, after: Real) -> Real:
    """Height of the root joint [m] of its gait `after` [s]: a body that leans flies as low as it goes."""
    phase = trunk_phase(state) + pace.rate / state["length"][2] * after
    high, _ = root_at(tables, state, pace, phase)
    return lowered(state, high, tables.hip)


@kernel(inline=True)
def turn_body(
    tables: Tables, state: Row, command: Row, sense: Row, dt: Real, scratch: Scratch, out: Row
) -> None:
    """Turn as the rider asks."""
    out["yaw_rate"] = turn_rate(state, command, sense, tables.max_turn, dt)
    if state["turn"] != 0.0 and state["gait"] > 0:
        # Only feet on the ground turn the body: they turn it that much more.
        touchdown = scratch.first
        for leg in range(4):
            touchdown[leg] = state["clock"][2] - state["clock"][leg]
        out["yaw_rate"] /= grounded_part(touchdown, state["stance"])


@kernel(inline=True)
def move_body(tables: Tables, state: Row, pace: Pace, dt: Real, out: Row) -> None:
    """Height of the root joint and its velocity over the ground, leaning into the turn or flying."""
    high, side = tables.stand, 0.0
    if state["gait"] > 0:
        high, side = root_at(tables, state, pace, trunk_phase(state))
    else:
        state["lean"] = 0.0
    side += lean_over(state, high, dt)
    flight = state["flight"]
    write_flight(flight, out)
    out["height"] = flown_height(flight) if flight["airborne"] else lowered(state, high, tables.hip)
    out["forward"] = state["speed"]
    out["sideways"] = (side - state["sway"]) / dt if dt > 0.0 else 0.0
    state["sway"] = side
