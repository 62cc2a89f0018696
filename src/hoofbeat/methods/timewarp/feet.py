"""Feet: where each toe goes, which are on the ground, and how they come to a halt (kernels)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hoofbeat.gaits.cycle import LIFT, PITCH, SIDE, SINK, WAY
from hoofbeat.maths.curves import smoothstep, wrap
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.spring import damp
from hoofbeat.maths.types import Bool, Floats, Int, Real, Row, Vec3
from hoofbeat.maths.vec import vec
from hoofbeat.methods.shared.feet import strut_in_swing, write_contact, write_phase, write_toe
from hoofbeat.methods.shared.gait_choice import CREEP, SpeedChange
from hoofbeat.methods.timewarp.choose import stopping_distance
from hoofbeat.methods.timewarp.clock import HALTS, leg_rate
from hoofbeat.methods.timewarp.pace import on_the_spot
from hoofbeat.methods.timewarp.pose import bend_leg, mix_leg
from hoofbeat.methods.timewarp.state import LANDED, LOADED, WAITS
from hoofbeat.methods.timewarp.tables import WarpedMotion

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
#: In a full turn on the spot one fore stands so far before the other's line [m].
CROSSING = 0.1
#: Half-life with which feet begin to go where they will stand [s].
HALT_HALFLIFE = 0.04
#: How long a halted foot needs to be where the gait has it [s].
LET_GO = 0.2
#: Lift gained by full collection, and lost by full extension, as a part of it.
HIGHER, LOWER = 0.25, 0.05
#: Part of the swing over which a leg goes from strut to fold, and back.
UNLOCKS = 0.2


class FootStride(NamedTuple):
    """What the legs share in one step: rate, strides a second; stop: how far the body still goes when it
    halts [m]; longer: how far the stride is extended, in [-1, 1]."""

    rate: Real
    stop: Real
    longer: Real


class _Foot(NamedTuple):
    """One foot in one step. own: its leg's time in [0, 1); coming: duty of its next stance; held: how much of
    its place in a halt it keeps, in [0, 1]; middle: z of the middle of its stance [m]; home: where it is on
    the standing horse, character space [m].
    """

    own: Real
    coming: Real
    held: Real
    middle: Real
    home: Vec3


@kernel
def halt(state: Row, still: Bool, rate: Real, duty: Floats, limits: SpeedChange, dt: Real) -> Real:
    """Prepare to stand: returns how far the body still goes [m]; `halt` and `halted` are brought up to date.

    It begins when feet that land now can stay: what is left to go is no longer than half a stance.
    """
    stop = stopping_distance(state["speed"], limits)
    half = 0.5 * state["speed"] * duty[2] / rate if rate > 0.0 else 0.0
    halting = still and (state["speed"] <= CREEP or stop <= half)
    state["halt"] = damp(state["halt"], 1.0 if halting else 0.0, HALT_HALFLIFE, dt)
    if not halting:
        for leg in range(4):
            if state["halted"][leg] != WAITS:
                state["halted"][leg] = 0
    return stop


@kernel(inline=True)
def step_legs(
    motion: WarpedMotion,
    body: Row,
    state: Row,
    stride: FootStride,
    dt: Real,
    scratch: Row,
    rotations: Floats,
    out: Row,
) -> None:
    """The joints of the legs into rotations (nodes, 4), their feet into the STEP row.

    scratch: `own`, the legs' times at the start of the step, and `duty` of their next stances.
    """
    feature, stood, before, duty = scratch["feature"], scratch["stood"], scratch["own"], scratch["duty"]
    lift = np.float32(1.0 - (HIGHER if stride.longer < 0.0 else LOWER) * stride.longer)
    for leg in range(4):
        own = wrap(state["cycle"] - state["offset"][leg])
        land_or_leave(state, leg, own, before[leg], duty[leg])
        part, over = _part_of(own, state["duty"][leg])
        held = _hold(state, leg, part, over, dt)
        if state["halted"][leg] != 0:
            part, over = 0, 0.5 if state["halted"][leg] != LANDED else over
        middle = mix_leg(motion, body, state, leg, part, over, feature)
        if ZERO < held < ONE:
            mix_leg(motion, body, state, leg, 0, 0.5, stood)
            for f in range(feature.shape[0]):
                feature[f] += held * (stood[f] - feature[f])
        feature[LIFT] *= lift
        foot = _Foot(own, duty[leg], np.float64(held), middle, vec(body["home"], leg))
        place_toe(state, leg, foot, stride, feature, out)
        bend_leg(body, leg, feature, rotations)


@kernel(inline=True)
def land_or_leave(state: Row, leg: Int, own: Real, before: Real, coming: Real) -> None:
    """Keep the duty of a leg's present stride, and what its foot does in a halt.

    own: its time now, before: at the start of the step; coming: duty of its next stance.
    """
    if own < before or state["weight"][0] > 0.999 or state["duty"][leg] <= 0.0:
        state["duty"][leg] = coming  # It has landed.
        if state["halted"][leg] == WAITS and own < before:
            state["halted"][leg] = 0
        if state["halt"] > HALTS and state["halted"][leg] == 0:
            state["halted"][leg] = LANDED
    elif own < state["duty"][leg]:
        # A leg whose time runs slowly still leaves the ground before it is out of reach.
        state["duty"][leg] = min(state["duty"][leg], coming * min(leg_rate(state, leg), 1.0))


@kernel(inline=True)
def _part_of(own: Real, duty: Real) -> tuple[Int, Real]:
    """Whether a leg swings (1) or stands (0), and how much of that is over."""
    if own < duty:
        return 0, own / duty
    return 1, (own - duty) / (1.0 - duty)


@kernel
def _hold(state: Row, leg: Int, part: Int, over: Real, dt: Real) -> np.float32:
    """How much a foot keeps of its place in a halt, in [0, 1]: all of it once loaded, and less when let go.

    It comes to the middle of its stance and stays there; part, over: see `_part_of`.
    """
    if state["halted"][leg] == LANDED and (part == 1 or over >= 0.5):
        state["halted"][leg] = LOADED
    if state["halted"][leg] > LANDED:
        state["held"][leg] = 1.0
        return ONE
    state["held"][leg] = max(state["held"][leg] - dt / LET_GO, 0.0)
    return np.float32(smoothstep(state["held"][leg]))


@kernel
def place_toe(state: Row, leg: Int, foot: _Foot, stride: FootStride, feature: Floats, out: Row) -> None:
    """Toe target, strut, hoof and contact of one leg into the STEP row; feature (8,): its FEATURES."""
    halted = state["halted"][leg] != 0
    down = foot.own < state["duty"][leg] or halted or state["weight"][0] > 0.999
    time, ahead, square, strut = foot_in_stride(state, leg, foot, stride, feature)
    if foot.held > 0.0 and not halted:
        time -= foot.held * time
        ahead += foot.held * (stride.stop - ahead)
        square += foot.held * (1.0 - square)
        strut += np.float32(foot.held) * (ONE - strut)
    # The trunk sways and leans over its feet: the root keeps its line, so they move in the other direction.
    side = np.float64(feature[SIDE])
    x = side + square * (foot.home[0] - side) - state["side"]
    z = foot.middle + square * (foot.home[2] - foot.middle)
    if leg < 2:
        # On the spot the outer fore crosses before the inner one.
        z += CROSSING * (1.0 - 2.0 * leg) * -on_the_spot(state)
    write_toe(out, leg, x, z, ahead, state["sweep"] * time)
    out["foot"][leg, 1] = max(feature[LIFT], ZERO) if not down else ZERO
    write_contact(out, leg, down, state["flight"]["airborne"])
    out["strut"][leg] = strut
    out["pitch"][leg], out["sink"][leg] = feature[PITCH], feature[SINK]
    write_phase(out, leg, foot.own)


@kernel(inline=True)
def foot_in_stride(
    state: Row, leg: Int, foot: _Foot, stride: FootStride, feature: Floats
) -> tuple[Real, Real, Real, np.float32]:
    """How long before, or after, the body comes over a foot [s]; how far it still goes until then [m]; how
    much the foot is where it will stand, in [0, 1]; how straight its leg is, see STEP."""
    duty, own, speed = state["duty"][leg], foot.own, state["speed"]
    lasts = 1.0 / stride.rate if stride.rate > 0.0 else 0.0
    time = lasts * duty * (0.5 - own / duty)
    ahead = speed * time
    square, strut = 0.0, ONE
    if state["halted"][leg] != 0:
        time, square = 0.0, 1.0
        ahead = 0.0 if state["halted"][leg] == WAITS else stride.stop
    elif not own < duty:
        s = (own - duty) / (1.0 - duty)
        # It leaves its place at the speed of the ground and arrives so, where the next stance begins.
        moved = smoothstep(s) + np.float64(feature[WAY])
        whole = 1.0 + 0.5 * (foot.coming - duty)
        time = lasts * (-0.5 * duty - (1.0 - duty) * s + whole * moved)
        # In a halt it goes where the body will come to a stand over it.
        square = state["halt"] * moved
        ahead = speed * time + square * (stride.stop - 0.5 * speed * lasts * foot.coming)
        strut = strut_in_swing(s, UNLOCKS)
    return time, ahead, square, strut
