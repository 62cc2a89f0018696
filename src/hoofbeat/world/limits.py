"""Limits: what goes into a step, brought into range and to the method's own size (kernels).

Every build of the engine runs these, so that a command means the same in all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hoofbeat.maths.exact.circular import hypot
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Bool, Floats, Int, Real, Row, Rows
from hoofbeat.records import CLAMPS, POSED

#: A step longer than this is split, a shorter one than the second is taken as that, 0 repeats the frame [s].
LONGEST, SHORTEST = 0.1, 0.001
#: The most that a single step may advance; more is held to this, and the frame says so [s].
MOST = 1.0
#: Beyond this a heading has lost its meaning in float64 [rad].
MOST_HEADING = 1e6
#: Bits of COMMAND's `clamped`.
SPEED, TURN, HEADING, LOOK, PUSH, JUMP, TIME, EXTENSION, SIDEWAYS = (
    1 << CLAMPS.index(name)
    for name in ("speed", "turn", "heading", "look", "push", "jump", "dt", "extension", "sideways")
)


class CommandLimits(NamedTuple):
    """The ranges that commands are held to, for an animal of one size."""

    bands: Floats  # (G, 2): slowest and fastest of each gait [m/s]
    fastest: float  # without a pinned gait [m/s]
    turn: float  # either way [rad/s]
    extension: float  # either way
    backward: float  # fastest [m/s]
    sideways: float  # fastest, either way [m/s]
    follows: int  # bits of LOOK, PUSH, JUMP: what the method follows


@kernel(inline=True)
def _held(row: Row, name: str, low: Real, high: Real, bit: Int) -> Int:
    """Bring a value of a row into its range; returns `bit` where that changed it, else 0."""
    value = min(max(row[name], low), high)
    if value != row[name]:
        row[name] = value
        return bit
    return 0


@kernel
def clamp_commands(limits: CommandLimits, rows: Rows) -> None:
    """Bring COMMAND rows (N,) into range; `clamped` of each gains the bits of what was changed.

    A pinned gait holds the speed to its band. What the method does not follow is taken out.
    """
    for i in range(rows.shape[0]):
        row = rows[i]
        gait = row["gait"]
        slowest, fastest = 0.0 - limits.backward, limits.fastest
        if gait >= 0:
            slowest = limits.bands[gait, 0] if gait > 0 else 0.0
            fastest = limits.bands[gait, 1]
        bits = _held(row, "speed", slowest, fastest, SPEED)
        bits |= _held(row, "sideways", 0.0 - limits.sideways, limits.sideways, SIDEWAYS)
        bits |= _held(row, "turn", -limits.turn, limits.turn, TURN)
        bits |= _held(row, "heading", -MOST_HEADING, MOST_HEADING, HEADING)
        bits |= _held(row, "extension", 0.0 - limits.extension, limits.extension, EXTENSION)
        if row["has_look"] and not limits.follows & LOOK:
            row["has_look"] = False
            bits |= LOOK
        if row["has_jump"] and not limits.follows & JUMP:
            row["has_jump"] = False
            bits |= JUMP
        if not limits.follows & PUSH:
            for axis in range(3):
                if row["push"][axis] != 0.0:
                    row["push"][axis] = 0.0
                    bits |= PUSH
        row["clamped"] |= bits


@kernel
def scale_commands(factor: Real, rows: Rows) -> None:
    """COMMAND rows of an animal `factor` times as tall become those of the method's own, in place.

    Lengths go with the height, speeds with its square root and rates with one over that.
    """
    pace = np.sqrt(factor)
    for i in range(rows.shape[0]):
        row = rows[i]
        row["speed"] /= pace
        row["sideways"] /= pace
        row["turn"] *= pace
        for axis in range(3):
            row["look"][axis] /= factor
            row["push"][axis] /= pace
        row["jump"][0] /= factor
        row["jump"][1] /= factor


@kernel
def split_time(dt: Real) -> Int:
    """Into how many equal steps a time [s] is split."""
    return max(1, int(np.ceil(dt / LONGEST - 1e-9)))


@kernel
def prepare_step(limits: CommandLimits, factor: Real, dt: Real, rows: Rows) -> tuple[Int, Real]:
    """Bring COMMAND rows (N,) and a time step [s] within limits and to the method's own animal.

    Returns into how many equal parts the step is split, 0 where no time passes, and how long each is [s]. An
    animal `factor` times as tall steps in its own time, in which animals of all sizes step alike.
    """
    clamp_commands(limits, rows)
    if factor != 1.0:
        scale_commands(factor, rows)
    if dt <= 0.0:
        return 0, 0.0
    held = min(max(dt, SHORTEST), MOST)
    if held != dt:
        for i in range(rows.shape[0]):
            rows[i]["clamped"] |= TIME
    own = held / np.sqrt(factor)
    parts = split_time(own)
    return parts, own / parts


@kernel(inline=True)
def in_flight(world: Row, step: Row) -> Bool:
    """Whether a body is in the air: in a flight that its method announced, or, where the method gives whole
    poses and announces nothing, with no foot down."""
    stands = world["down"][0] or world["down"][1] or world["down"][2] or world["down"][3]
    return world["airborne"] or (step["hoof"] == POSED and not stands)


@kernel
def fill_frames(
    factor: Real,
    worlds: Rows,
    steps: Rows,
    senses: Rows,
    commands: Rows,
    positions: Floats,
    shown: Floats,
    out: Rows,
) -> None:
    """FRAME rows (N,) and shown positions (N, J, 3) of an animal `factor` times as tall as the method's own.

    For 1, shown is the same memory as positions."""
    pace = np.sqrt(factor)
    if factor != 1.0:
        for i in range(positions.shape[0]):
            for j in range(positions.shape[1]):
                for axis in range(3):
                    shown[i, j, axis] = positions[i, j, axis] * factor
    for i in range(worlds.shape[0]):
        world, step, frame = worlds[i], steps[i], out[i]
        for axis in range(3):
            frame["root"][axis] = world["position"][axis] * factor
        frame["yaw"] = world["yaw"]
        frame["speed"] = hypot(world["velocity"][0], world["velocity"][2]) * pace
        frame["time"] = world["time"] * pace
        for leg in range(4):
            frame["contact"][leg] = step["contact"][leg]
            frame["phase"][leg] = step["phase"][leg]
            frame["shortfall"][leg] = senses[i]["shortfall"][leg] * np.float32(factor)
            frame["foot_phase"][leg] = world["foot_phase"][leg]
        frame["gait"], frame["going_to"] = step["gait"], step["going_to"]
        frame["events"], frame["airborne"] = step["events"], in_flight(world, step)
        frame["clamped"] = commands[i]["clamped"]
        frame["refused"] = step["refused"]
        if step["refused"] == 0 and commands[i]["clamped"] & JUMP:
            frame["refused"] = 1

