"""Choose: which gait comes next, how fast the character goes, and which gait it reports (kernels).

Gaits that are not neighbours are reached through those between.
"""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.maths.types import Bool, Floats, Int, Real, Row
from hoofbeat.methods.froude.clock import begin, set_off
from hoofbeat.methods.froude.pace import froude_at
from hoofbeat.methods.froude.tables import Tables
from hoofbeat.methods.shared.gait_choice import CREEP, LEAD_TURN

#: How far ahead the speed that chooses the gait is looked at [s].
AHEAD = 0.6
#: A turn against the lead that is faster than this changes it [rad/s].
CHANGE_TURN = 0.3
#: Time from standing into a gait and back [s], for a hip of 1 m.
SETTING_OFF, HALTING = 0.8, 0.7
#: A halted character counts as standing when it moves less than this; 1 = it goes, 0 = it stands.
HALTED = 0.5
#: How far beyond its gait's border a speed may go before the next gait has begun, and before it is there, as
#: parts of it.
BEYOND, AMID = 0.05, 0.08


@kernel
def choose_gait(tables: Tables, state: Row, command: Row, wanted: Real) -> None:
    """Set off, or flag a transition, as the command and the speed to come ask. wanted: speed [m/s]."""
    speed, hip = state["speed"], tables.hip
    if state["flight"]["airborne"]:
        return
    if state["gait"] == 0:
        if wanted > CREEP:
            set_off(tables, state, 1, froude_at(speed, hip))
        return
    if state["source"] != state["gait"]:
        return
    soon = min(max(wanted, speed - AHEAD * tables.braking), speed + AHEAD * tables.acceleration)
    to = next_gait(tables, state, command, froude_at(soon, hip))
    if to != state["gait"]:
        begin(state, to, tables.cycles[state["gait"], to])


@kernel
def family_at(borders: Floats, hysteresis: Real, now: Int, froude: Real) -> Int:
    """Family at a Froude number, by borders (V, 2); now: the present one, kept within hysteresis, or -1."""
    if now >= 0:
        low, high = borders[now, 0] * (1.0 - hysteresis), borders[now, 1] * (1.0 + hysteresis)
        if low <= froude <= high:
            return now
    for family in range(borders.shape[0]):
        if froude <= borders[family, 1]:
            return family
    return borders.shape[0] - 1


@kernel(inline=True)
def wanted_lead(tables: Tables, state: Row, command: Row) -> Int:
    """Lead of a faster or slower gait to come: 1 = left, -1 = right."""
    row = tables.gaits[int(state["gait"])]
    lead = row["lead"] if row["lead"] != 0 else 1
    if tables.turns_choose_lead and abs(state["turn"]) > LEAD_TURN and row["lead"] == 0:
        lead = 1 if state["turn"] > 0.0 else -1
    if command["gait"] > 0 and tables.gaits[int(command["gait"])]["lead"] != 0:
        lead = tables.gaits[int(command["gait"])]["lead"]
    return lead


@kernel(inline=True)
def changes_lead(tables: Tables, state: Row, command: Row) -> Bool:
    """Whether the present gait is wanted on its other lead."""
    lead = tables.gaits[int(state["gait"])]["lead"]
    if lead == 0:
        return False
    if command["gait"] > 0:
        return tables.gaits[int(command["gait"])]["lead"] == -lead
    return tables.turns_choose_lead and state["turn"] * lead < -CHANGE_TURN


@kernel(inline=True)
def next_gait(tables: Tables, state: Row, command: Row, froude: Real) -> Int:
    """The gait to be in next: the present one, or its neighbour towards what is wanted at a Froude number."""
    row, pinned = tables.gaits[int(state["gait"])], command["gait"]
    if pinned > 0:
        family = tables.gaits[int(pinned)]["family"]
    else:
        family = family_at(tables.borders, tables.hysteresis, row["family"], froude)
    side = 0 if wanted_lead(tables, state, command) > 0 else 1
    if family > row["family"]:
        return row["up"][side]
    if family < row["family"]:
        return row["down"][side]
    return row["other"] if changes_lead(tables, state, command) else state["gait"]


@kernel
def wanted_gait(tables: Tables, state: Row, command: Row, wanted: Real) -> Int:
    """The gait that the command asks for in the end. wanted: speed [m/s]."""
    if wanted <= CREEP:
        return 0
    if command["gait"] > 0:
        return command["gait"]
    row = tables.gaits[int(state["gait"])]
    family = family_at(tables.borders, tables.hysteresis, row["family"], froude_at(wanted, tables.hip))
    if family == row["family"]:
        return row["other"] if changes_lead(tables, state, command) else state["gait"]
    return tables.on_lead[family, 0 if wanted_lead(tables, state, command) > 0 else 1]


@kernel
def gait_made(state: Row, wanted: Real) -> Int:
    """The gait that the feet make: in a transition the one that is nearer, of all legs together.

    A character that has halted counts as standing when its feet are as good as still.
    """
    if has_halted(state, wanted) and state["moving"] < HALTED:
        return 0
    if state["source"] == state["gait"]:
        return state["gait"]
    done = 0.0
    for leg in range(4):
        first, last = state["share"][leg, 0], state["share"][leg, 1]
        if last <= 0.0:
            return state["source"]  # This foot has not landed since the transition was flagged.
        done += first + (last - first) * min(state["clock"][leg] / state["length"][leg], 1.0)
    return state["gait"] if done >= 2.0 else state["source"]


@kernel(inline=True)
def has_halted(state: Row, wanted: Real) -> Bool:
    """Whether it neither goes nor is asked to. wanted: speed [m/s]."""
    return wanted <= CREEP and state["speed"] <= CREEP


@kernel(inline=True)
def change_speed(tables: Tables, state: Row, wanted: Real, dt: Real) -> None:
    """Move the speed towards the wanted one over dt [s] on the ground, no faster than the gait allows."""
    speed, hip = state["speed"], tables.hip
    row = tables.gaits[int(state["gait"])]
    # Until the next gait has begun, the present one holds the speed near its border.
    most = (1.0 + BEYOND) * np.sqrt(row["froude"][1] * GRAVITY * hip)
    if state["source"] != state["gait"]:
        source = tables.gaits[int(state["source"])]
        most = min(most, (1.0 + AMID) * np.sqrt(source["froude"][1] * GRAVITY * hip))
    least = (1.0 - BEYOND) * np.sqrt(row["froude"][0] * GRAVITY * hip)
    wanted = min(max(wanted, min(least, speed)), max(most, speed))
    gently = min(0.4 + 0.3 * speed, 1.0)
    if wanted > speed:
        state["speed"] = min(speed + tables.acceleration * gently * dt, wanted)
    else:
        state["speed"] = max(speed - tables.braking * gently * dt, wanted)


@kernel(inline=True)
def start_or_halt(tables: Tables, state: Row, wanted: Real, dt: Real) -> None:
    """Go from standing into the gait's full motion, or from it into standing, over dt [s]."""
    slowly = np.sqrt(tables.hip)
    state["moving"] += -dt / (HALTING * slowly) if has_halted(state, wanted) else dt / (SETTING_OFF * slowly)
    state["moving"] = min(max(state["moving"], 0.0), 1.0)
    if state["moving"] <= 0.0 and not state["flight"]["airborne"]:
        state["gait"] = state["source"] = 0
