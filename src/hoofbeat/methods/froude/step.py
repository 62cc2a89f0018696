"""Step: one tick of method `froude` for N characters (the entry kernel)."""

from __future__ import annotations

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Floats, Real, Row, Rows
from hoofbeat.methods.froude.choose import change_speed, choose_gait, gait_made, start_or_halt, wanted_gait
from hoofbeat.methods.froude.clock import fly, run_clocks
from hoofbeat.methods.froude.feet import move_legs, stand_on_feet
from hoofbeat.methods.froude.pace import pace_of, standing_pace
from hoofbeat.methods.froude.pose import pose_standing, pose_trunk
from hoofbeat.methods.froude.root import move_body, turn_body
from hoofbeat.methods.froude.state import Scratch
from hoofbeat.methods.froude.tables import Tables
from hoofbeat.methods.shared.flight import flight_events
from hoofbeat.methods.shared.gait_choice import wanted_speed


@kernel
def step_froude(
    tables: Tables,
    scratch: Scratch,
    state: Rows,
    command: Rows,
    sense: Rows,
    dt: Real,
    rotations: Floats,
    out: Rows,
) -> None:
    """Advance N characters by dt [s].

    state (N,) STATE, command (N,) COMMAND and sense (N,) SENSE; the end of the step is written to rotations
    (N, J, 4) float32, local xyzw, and out (N,) STEP.
    """
    for i in range(state.shape[0]):
        s, o = state[i], out[i]
        wanted = wanted_speed(command[i])
        choose_gait(tables, s, command[i], wanted)
        _advance(tables, s, wanted, dt, scratch, o)
        pace = pace_of(tables.gaits, tables.hip, s) if s["gait"] > 0 else standing_pace()
        turn_body(tables, s, command[i], sense[i], dt, scratch, o)
        move_body(tables, s, pace, dt, o)
        if s["gait"] > 0:
            pose_trunk(tables, s, pace, scratch, rotations[i])
            move_legs(tables, s, pace, scratch, rotations[i], o)
        else:
            pose_standing(rotations[i])
            stand_on_feet(tables, s, o)
        o["gait"], o["going_to"] = gait_made(s, wanted), wanted_gait(tables, s, command[i], wanted)
        o["standing"], o["hoof"], o["events"] = s["gait"] == 0, 1, flight_events(o)


@kernel
def _advance(tables: Tables, state: Row, wanted: Real, dt: Real, scratch: Scratch, out: Row) -> None:
    """Go on for dt [s]: flight, speed, the legs' clocks, setting off and halting."""
    out["takeoff"] = out["landing"] = -1.0
    if state["gait"] == 0:
        state["speed"] = 0.0
        return
    pace = pace_of(tables.gaits, tables.hip, state)
    grounded = fly(tables, state, pace, dt, scratch, out)
    change_speed(tables, state, wanted, grounded)
    run_clocks(tables, state, pace, dt)
    start_or_halt(tables, state, wanted, dt)
