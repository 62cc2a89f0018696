"""Dampers and springs tuned by half-life in seconds, in closed form over a time step.

One step of dt equals any number of shorter steps that add up to it, so that tuning survives a change
of frame rate. All helpers are pasted into the calling kernel, work in the precision of their
arguments, and take arrays of values too; half-life and dt are numbers. A half-life of 0 arrives within
any step; dt is 0 or more.

A damper (`decay`, `damp`) loses half of what is left in each half-life. A critically damped spring

    x'' = -2 y x' - y^2 (x - target)

released from rest has half of its way left after the first half-life: (1 + y h) exp(-y h) = 1/2,
which is y = 1.678347 / h. It starts gently and comes to 5 % after about 2.8 half-lives.
"""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.exact.powers import e_to, exp2
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Floats, Numbers, Real

#: The root of (1 + z) exp(-z) = 1/2.
HALF_WAY = np.float32(1.6783469900166605)
#: Half-lives are at least this [s]: arrived after any real step, and no division by 0.
SHORTEST = np.float32(1e-6)


@kernel(inline=True)
def decay(x: Numbers, halflife: Numbers, dt: Numbers) -> Numbers:
    """x on its way to 0: half of it is left after each half-life. halflife, dt [s]."""
    return x * exp2(-dt / np.maximum(halflife, SHORTEST))


@kernel(inline=True)
def damp(x: Numbers, target: Numbers, halflife: Numbers, dt: Numbers) -> Numbers:
    """x on its way to `target`: half of the distance is left after each half-life [s]."""
    return target + (x - target) * exp2(-dt / np.maximum(halflife, SHORTEST))


@kernel(inline=True)
def stiffness(halflife: Numbers) -> Numbers:
    """The rate y [1/s] of the critically damped spring with this half-life [s]; see the module."""
    return HALF_WAY / np.maximum(halflife, SHORTEST)


@kernel(inline=True)
def decay_critical(x: Numbers, v: Numbers, halflife: Numbers, dt: Numbers) -> Numbers:
    """(x, v) on their way to 0, as inertialisation needs it: an offset with its velocity dies away.

    x [unit], v [unit/s]; critically damped, half-life [s] from rest. From rest it never overshoots.
    """
    y = stiffness(halflife)
    e = e_to(-y * dt)
    j = v + y * x
    return (x + j * dt) * e, (v - y * j * dt) * e


@kernel(inline=True)
def critical(x: Numbers, v: Numbers, target: Numbers, halflife: Numbers, dt: Numbers) -> Numbers:
    """(x, v) on their way to a still `target`: the critically damped spring of the module."""
    offset, speed = decay_critical(x - target, v, halflife, dt)
    return target + offset, speed


@kernel
def fade(offsets: Floats, rates: Floats, halflife: Real, dt: Real) -> None:
    """Let offsets (n,) with their rates (n,) die away for dt [s], in place; float64."""
    for k in range(offsets.shape[0]):
        offsets[k], rates[k] = decay_critical(offsets[k], rates[k], halflife, dt)
