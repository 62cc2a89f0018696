"""Feet: toe targets, struts, contacts and hooves (kernels)."""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.curves import smoothstep
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Floats, Int, Real, Row
from hoofbeat.methods.froude.clock import warped
from hoofbeat.methods.froude.model.cycles import AHEAD, HOOF, LIFT, PITCH
from hoofbeat.methods.froude.pace import Pace, cycle_share, limb_value
from hoofbeat.methods.froude.pose import PoseMoment, pose_leg, sample_limb
from hoofbeat.methods.froude.state import Scratch
from hoofbeat.methods.froude.tables import Tables
from hoofbeat.methods.shared.feet import strut_in_swing, write_contact, write_phase, write_toe

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
#: Part of the swing over which a leg goes from strut to fold, and back.
UNLOCKS = 0.3
#: Strides shorter than this [hip heights] have less of the swing's own shape.
SHORT = 0.85


@kernel(inline=True)
def move_legs(tables: Tables, state: Row, pace: Pace, scratch: Scratch, rotations: Floats, out: Row) -> None:
    """Joints and targets of the four legs."""
    share, channels = np.float32(pace.moving), scratch.channels
    for leg in range(4):
        duty = limb_value(tables.duty, state, leg, cycle_share(state, leg), pace)
        phase, swings = warped(state, leg, duty)
        over = (phase - duty) / (1.0 - duty) if swings else phase / duty
        sample_limb(tables.curves, tables.joins, state, leg, pace, PoseMoment(phase, swings, over), scratch)
        _place_foot(tables, state, leg, pace, channels, out)
        pose_leg(tables.leg_joints[leg], channels, pace.moving, rotations)
        out["pitch"][leg] = share * channels[PITCH]
        out["sink"][leg] = share * channels[HOOF]
        write_phase(out, leg, phase)


@kernel(inline=True)
def _place_foot(tables: Tables, state: Row, leg: Int, pace: Pace, channels: Floats, out: Row) -> None:
    """Toe target, strut and contact of one leg into the STEP row."""
    clock, stance, length = state["clock"][leg], state["stance"][leg], state["length"][leg]
    stride = state["speed"] / pace.rate
    # Where both gaits of a transition differ, the stance keeps to the one it began with.
    middle = limb_value(tables.middle, state, leg, state["share"][leg, 0], pace)
    path, swung = 0.5 * stance - clock, 0.0  # ahead of the middle [strides], and what the swing adds [m]
    strut, lift = ONE, 0.0
    if not clock < stance:
        q = min((clock - stance) / (length - stance), 1.0)
        coming = limb_value(tables.middle, state, leg, state["share"][leg, 1], pace)
        stands = limb_value(tables.duty, state, leg, state["share"][leg, 1], pace)
        b = smoothstep(q)
        path = 0.5 * (b * stands - (1.0 - b) * stance) - q * (1.0 - q) * (1.0 - 2.0 * q) * (length - stance)
        swung = b * (coming - middle) + min(stride / (SHORT * tables.hip), 1.0) * np.float64(channels[AHEAD])
        lift = np.float64(max(channels[LIFT], ZERO))
        strut = strut_in_swing(q, UNLOCKS)
    home = tables.home
    x = home[leg, 0] + pace.moving * (_track_of(tables, state, leg) - home[leg, 0]) - state["sway"]
    z = home[leg, 2] + pace.moving * (middle - home[leg, 2])
    write_toe(out, leg, x, z, stride * path + pace.moving * swung, state["turn"] * path / pace.rate)
    down = clock < stance or pace.moving <= 0.0
    out["foot"][leg, 1] = np.float32(pace.moving * lift) if not down else ZERO
    write_contact(out, leg, down, state["flight"]["airborne"])
    out["strut"][leg] = strut


@kernel(inline=True)
def _track_of(tables: Tables, state: Row, leg: Int) -> Real:
    """How far to the left of the middle line a foot lands [m]."""
    track = tables.gaits[int(state["gait"])]["track"][leg // 2]
    if state["source"] != state["gait"]:
        before = tables.gaits[int(state["source"])]["track"][leg // 2]
        track = before + cycle_share(state, leg) * (track - before)
    return track if tables.home[leg, 0] > 0.0 else -track


@kernel
def stand_on_feet(tables: Tables, state: Row, out: Row) -> None:
    """The feet of the standing animal."""
    for leg in range(4):
        out["foot"][leg, 0] = np.float32(tables.home[leg, 0] - state["sway"])
        out["foot"][leg, 1] = ZERO
        out["foot"][leg, 2] = np.float32(tables.home[leg, 2])
        out["contact"][leg] = out["strut"][leg] = ONE
        out["pitch"][leg] = out["sink"][leg] = out["phase"][leg] = ZERO
