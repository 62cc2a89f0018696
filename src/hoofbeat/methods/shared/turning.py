"""Turning: how fast a horse turns under its command, and how it leans, for every method (kernels)."""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.curves import wrap
from hoofbeat.maths.exact.circular import tan
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.maths.spring import damp
from hoofbeat.maths.types import Floats, Real, Row

#: Greatest sideways acceleration of a turning horse [m/s2].
LATERAL = 0.5 * GRAVITY
#: How fast the turning rate follows the command, and how fast a heading is sought [s].
TURN_HALFLIFE = 0.08
HEADING_TIME = 0.35
#: Most that a body leans [rad], and half-life with which it does [s].
MOST_LEAN = 0.3
LEAN_HALFLIFE = 0.15


@kernel(inline=True)
def sought_turn(command: Row, yaw: Real, limit: Real) -> Real:
    """Turning rate that the rider wants, within a limit [rad/s]; yaw: from which a heading is sought."""
    wanted = command["turn"]
    if command["has_heading"]:
        off = wrap((command["heading"] - yaw) / (2.0 * np.pi) + 0.5) - 0.5
        wanted = off * 2.0 * np.pi / HEADING_TIME
    return min(max(wanted, -limit), limit)


@kernel(inline=True)
def grip(speed: Real, most: Real) -> Real:
    """Fastest turn [rad/s] at a speed [m/s] that lateral acceleration and `most` allow."""
    return min(most, LATERAL / max(speed, 0.1))


@kernel
def turn_rate(state: Row, command: Row, sense: Row, most: Real, dt: Real) -> Real:
    """Turning rate [rad/s], smoothed, within lateral grip; kept in the `turn` of a row with a `speed`."""
    wanted = sought_turn(command, sense["yaw"], grip(state["speed"], most))
    state["turn"] = damp(state["turn"], wanted, TURN_HALFLIFE, dt)
    return state["turn"]


@kernel
def grounded_part(touchdown: Floats, duty: Floats) -> Real:
    """Part of the stride in which a foot is down; touchdown and duty (4,)."""
    aloft = 0.0
    for leg in range(4):
        leaves = touchdown[leg] + duty[leg]
        gap = 1.0
        for other in range(4):
            if other != leg and wrap(leaves - touchdown[other]) < duty[other]:
                gap = 0.0
            gap = min(gap, wrap(touchdown[other] - leaves))
        aloft += gap
    return max(1.0 - aloft, 0.2)


@kernel
def lean_over(state: Row, high: Real, dt: Real) -> Real:
    """Lean into the turn; returns how far that moves the root joint to the left of its feet [m].

    The sum of gravity and of what turns the body runs down the legs, up to a limit.
    """
    wanted = min(max(state["speed"] * state["turn"] / GRAVITY, -MOST_LEAN), MOST_LEAN)
    state["lean"] = damp(state["lean"], wanted, LEAN_HALFLIFE, dt)
    return high * tan(state["lean"])
