"""Pace: how long a stride and a stance last at a speed, for a mix of gaits (kernels)."""

from __future__ import annotations

from hoofbeat.maths.exact.powers import power
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Floats, Int, Real, Row, Rows

#: Below this part of its slow cycle's speed a gait keeps its stride time, and only its steps shorten.
SLOW_PART = 0.6
#: Stride time gained by full extension, and lost by full collection, as a part of it.
LONGER = 0.12
#: Longest path of a foot under the body, times that of the gait's fast cycle.
LONGEST_STANCE = 1.17
#: A weight below this counts for nothing.
LIGHT = 1e-4
#: Steps gained by a lean, for each radian, and by a turn, for each rad/s; and lost on the spot.
QUICKER_LEAN, QUICKER_TURN, SPOT_SLOWER = 0.5, 0.15, 0.2
#: On the spot, while a foot stands, the body turns by at most this [rad].
MOST_SWEEP = 0.7
#: Slower than this a turn is one on the spot [m/s]; from this turn on the forelegs cross fully [rad/s].
SPOT_SPEED, SPOT_TURN = 0.6, 0.6
#: A halt gains so much in steps.
HALT_QUICKER = 0.15


@kernel
def stride_rate(cycles: Rows, gaits: Rows, state: Row, duty: Floats) -> Real:
    """Strides a second, turns and halts counted: outer legs have a longer path. duty (4,) is written."""
    rate = straight_rate(cycles, gaits, state, duty)
    spot, turn = abs(on_the_spot(state)), abs(state["turn"])
    quicker = QUICKER_LEAN * abs(state["lean"]) + QUICKER_TURN * turn * (1.0 - spot)
    rate *= 1.0 + quicker - SPOT_SLOWER * spot + HALT_QUICKER * state["halt"]
    return max(rate, spot * duty[0] * turn / MOST_SWEEP) if rate > 0.0 else rate


@kernel
def straight_rate(cycles: Rows, gaits: Rows, state: Row, duty: Floats) -> Real:
    """Strides a second of a mix of gaits straight ahead; duty (4,) is written. Standing does not count.

    A horse that has only begun to leave its stand goes at the pace of the gait that is wanted. An extended
    stride lasts longer, a collected one less, and so does its length at the same speed.
    """
    weight, speed = state["weight"], state["speed"]
    total = rate = stance = 0.0
    for leg in range(4):
        duty[leg] = 0.0
    for g in range(1, gaits.shape[0]):
        w = weight[g]
        if w > LIGHT:
            total += w
            rate += w * _rate_of(cycles, gaits[g], speed)
            stance += w * cycles[gaits[g]["fast"]]["stance"]
            for leg in range(4):
                duty[leg] += w * duty_of(cycles, gaits[g], leg, speed)
    if total <= LIGHT:
        wanted = int(state["gait"])
        if wanted == 0:
            for leg in range(4):
                duty[leg] = 1.0
            return 0.0
        for leg in range(4):
            duty[leg] = duty_of(cycles, gaits[wanted], leg, speed)
        return _rate_of(cycles, gaits[wanted], speed)
    rate /= total * (1.0 + LONGER * extended(gaits, state))
    # A gait that is too slow for the speed cannot keep its feet down for as long as it would.
    most = LONGEST_STANCE * stance / total * rate / max(speed, 0.1)
    for leg in range(4):
        duty[leg] = min(duty[leg] / total, most)
    return rate


@kernel(inline=True)
def _rate_of(cycles: Rows, gait: Row, speed: Real) -> Real:
    """Strides a second of one gait at a speed [m/s]."""
    slow = cycles[gait["slow"]]
    part = max(speed / slow["speed"], SLOW_PART)
    return 1.0 / (slow["stride"] * power(part, gait["stride_power"]))


@kernel(inline=True)
def duty_of(cycles: Rows, gait: Row, leg: Int, speed: Real) -> Real:
    """Duty of one leg in one gait at a speed [m/s]."""
    slow = cycles[gait["slow"]]
    part = max(speed / slow["speed"], SLOW_PART)
    duty = slow["duty"][leg] * power(part, gait["duty_power"][leg])
    return min(max(duty, gait["duty_range"][0]), gait["duty_range"][1])


@kernel
def extended(gaits: Rows, state: Row) -> Real:
    """How far a mix of gaits is extended, in [-1, 1]: as asked, in the gaits that can be."""
    share = 0.0
    for g in range(1, gaits.shape[0]):
        share += state["weight"][g] * gaits[g]["varies"]
    return share * state["extension"]


@kernel(inline=True)
def on_the_spot(state: Row) -> Real:
    """How far the horse turns on the spot, to the left positive, in [-1, 1]."""
    slow = max(1.0 - state["speed"] / SPOT_SPEED, 0.0)
    return slow * min(max(state["turn"] / SPOT_TURN, -1.0), 1.0)


@kernel(inline=True)
def stance_length(state: Row, rate: Real, duty: Floats) -> Real:
    """How far the body goes over a standing foot [m], mean of the legs; rate: strides a second."""
    mean = 0.25 * (duty[0] + duty[1] + duty[2] + duty[3])
    return state["speed"] * mean / rate if rate > 0.0 else 0.0


@kernel(inline=True)
def between_cycles(cycles: Rows, gait: Row, speed: Real) -> Real:
    """Weight of the fast cycle of a gait at a speed [m/s], in [0, 1]."""
    slow, fast = cycles[gait["slow"]]["speed"], cycles[gait["fast"]]["speed"]
    if fast <= slow:
        return 0.0
    return float(min(max((speed - slow) / (fast - slow), 0.0), 1.0))
