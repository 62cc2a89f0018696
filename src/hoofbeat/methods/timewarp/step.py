"""Step: one tick of method `timewarp` for N characters (the entry kernel)."""

from __future__ import annotations

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Bool, Floats, Real, Row, Rows
from hoofbeat.methods.shared.flight import flight_events
from hoofbeat.methods.shared.gait_choice import CREEP, wanted_speed
from hoofbeat.methods.timewarp.choose import change_speed, choose_gait, follow_extension, stands_still
from hoofbeat.methods.timewarp.clock import HALTS, advance_clock, fly, read_clock, show_gait
from hoofbeat.methods.timewarp.feet import FootStride, halt, step_legs
from hoofbeat.methods.timewarp.pace import extended, stride_rate
from hoofbeat.methods.timewarp.pose import pose_trunk, write_root
from hoofbeat.methods.timewarp.spine import turn_along, turn_nose
from hoofbeat.methods.timewarp.tables import Tables


@kernel
def step_timewarp(
    tables: Tables,
    scratches: Rows,
    state: Rows,
    command: Rows,
    sense: Rows,
    dt: Real,
    rotations: Floats,
    out: Rows,
) -> None:
    """Advance N characters by dt [s], in place; rotations (N, nodes, 4) and out are those at its end.

    scratches (1,): see `scratch_row`."""
    # Unpacked once: each reading of an array out of a tuple counts a reference, atomically.
    motion, body, choice, turning = tables.motion, tables.bodies[0], tables.choice, tables.turning
    cycles, gaits, chain, lags = motion.cycles, motion.gaits, turning.chain, turning.lags
    scratch = scratches[0]
    duty, own, turned = scratch["duty"], scratch["own"], scratch["turned"]
    for i in range(state.shape[0]):
        s, asked, o = state[i], command[i], out[i]
        speed = wanted_speed(asked)
        follow_extension(s, asked, dt)
        turn_nose(s, asked, sense[i], turning, dt)
        choose_gait(motion, choice, s, asked, speed)
        rate = stride_rate(cycles, gaits, s, duty)
        read_clock(s, own)
        grounded = fly(motion, body, s, rate, dt, scratch, o)
        change_speed(s, speed, choice.limits, grounded)
        advance_clock(s, gaits.shape[0], rate * dt)
        turn_along(s, lags, dt)
        rate = stride_rate(cycles, gaits, s, duty)
        still = stands_still(s, speed)
        stop = halt(s, still, rate, duty, choice.limits, dt)
        write_root(motion, body, s, rate, duty, dt, o)
        longer = extended(gaits, s)
        pose_trunk(motion, body, chain, s, longer, turned, rotations[i])
        step_legs(motion, body, s, FootStride(rate, stop, longer), dt, scratch, rotations[i], o)
        write_labels(s, gaits, still, o)


@kernel
def write_labels(state: Row, gaits: Rows, still: Bool, out: Row) -> None:
    """The gait that the feet make and the wanted one, events, and whether it stands; still: see
    `stands_still`."""
    stands = still and state["speed"] <= CREEP and state["halt"] > HALTS
    if stands:
        # The body has come to rest: each foot may still step once to its place, which is no gait.
        state["shown"] = 0
    else:
        show_gait(state, gaits)
    out["gait"], out["going_to"] = state["shown"], 0 if stands else state["gait"]
    out["standing"] = state["weight"][0] > 0.999
    out["hoof"] = 1
    out["events"] = flight_events(out)
