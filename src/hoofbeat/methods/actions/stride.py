"""Stride: cycle time, stride length and body height of one Action at one moment (kernels)."""

from __future__ import annotations

from typing import NamedTuple

from hoofbeat.maths.curves import linear_weights, wrap
from hoofbeat.maths.exact.powers import power
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Floats, Int, Real, Row, Rows, Vec3
from hoofbeat.maths.vec import add, scale, vec
from hoofbeat.methods.actions.tables import Plans


class Playing(NamedTuple):
    """An Action as it is played at one moment."""

    action: Int
    cycle: Real  # cycles since the start, unwrapped
    duration: Real  # of one cycle [s]
    widening: Real  # stride as a part of the Action's own
    weight: Real  # in the blend, float32


@kernel(inline=True)
def pace_of(action: Row, speed: Real) -> tuple[Real, Real]:
    """Cycle time [s] and widening of the stride at a speed [m/s]: widening * stride = speed * time.

    action: an ACTION row.
    """
    low, high = action["speed"][0], action["speed"][1]
    along = min(max((speed - low) / max(high - low, 1e-9), 0.0), 1.0)
    slow, fast = 1.0 / action["duration"][0], 1.0 / action["duration"][1]
    duration = 1.0 / (slow + (fast - slow) * power(along, action["power"]))
    return duration, speed * duration / action["stride"]


@kernel(inline=True)
def top_speed(action: Row) -> Real:
    """Fastest speed [m/s] at which the stride of an ACTION row is still within its widening."""
    return action["scale_max"] * action["stride"] / action["duration"][1]


@kernel(inline=True)
def playing(actions: Rows, action: Int, cycle: Real, speed: Real, weight: Real) -> Playing:
    """One of the ACTION rows at a place in its cycle and a speed [m/s]."""
    duration, widening = pace_of(actions[action], speed)
    return Playing(action, cycle, duration, widening, weight)


@kernel
def height_of(plans: Plans, one: Playing) -> Real:
    """Root joint above the ground [m], grounded."""
    heights, bounce = plans.heights[one.action], plans.bounce[one.action]
    levels = heights.shape[0]
    x = min(max(one.widening / plans.actions[one.action]["scale_max"], 0.0), 1.0) * (levels - 1)
    level = min(int(x), levels - 2)
    f = x - level
    i, j, u, v = linear_weights(heights.shape[1], wrap(one.cycle))
    a = u * heights[level, i] + v * heights[level, j]
    b = u * heights[level + 1, i] + v * heights[level + 1, j]
    return a + f * (b - a) + one.duration * one.duration * (u * bounce[i] + v * bounce[j])


@kernel(inline=True)
def stride_toe(toes: Floats, leg: Int, phase: Real) -> Vec3:
    """Toe of a leg in the Action's own pose, from the root joint [m]; toes (K, 4, 3) of the Action."""
    i, j, u, v = linear_weights(toes.shape[0], phase)
    return add(scale(vec(toes[i], leg), u), scale(vec(toes[j], leg), v))
