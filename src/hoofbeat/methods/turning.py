"""Turning: how fast a horse turns over the ground under its command, for every method (kernel)."""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.curves import wrap
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.maths.spring import damp

#: Sideways acceleration a turning horse takes [m/s2].
LATERAL = 0.5 * GRAVITY
#: How fast the turning rate follows the command, and how fast a heading is sought [s].
TURN_HALFLIFE = 0.08
HEADING_TIME = 0.35


@kernel(inline=True)
def sought_turn(command: Any, yaw: Any, limit: Any) -> Any:
    """Turning rate that the rider wants, within a limit [rad/s]; yaw: from which a heading is sought."""
    wanted = command["turn"]
    if command["has_heading"]:
        off = wrap((command["heading"] - yaw) / (2.0 * np.pi) + 0.5) - 0.5
        wanted = off * 2.0 * np.pi / HEADING_TIME
    return min(max(wanted, -limit), limit)


@kernel(inline=True)
def grip(speed: Any, most: Any) -> Any:
    """Fastest turn [rad/s] at a speed [m/s] that lateral acceleration and `most` allow."""
    return min(most, LATERAL / max(speed, 0.1))


@kernel
def turn_rate(state: Any, command: Any, sense: Any, most: Any, dt: Any) -> Any:
    """Turning rate [rad/s], smoothed, within lateral grip; kept in the `turn` of a row with a `speed`."""
    wanted = sought_turn(command, sense["yaw"], grip(state["speed"], most))
    state["turn"] = damp(state["turn"], wanted, TURN_HALFLIFE, dt)
    return state["turn"]
