"""Pace: how long a stride and a stance last at a speed, for a mix of gaits (kernels)."""

from __future__ import annotations

from typing import Any

from hoofbeat.maths.jit import kernel

#: Below this part of its slow cycle's speed a gait keeps its stride time, and only its steps shorten.
SLOW_PART = 0.6
#: Stride time gained by full extension, and lost by full collection, as a part of it.
LONGER = 0.12
#: Longest way of a foot under the body, times that of the gait's fast cycle.
LONGEST_STANCE = 1.17
#: A weight below this counts for nothing.
LIGHT = 1e-4


@kernel(inline=True)
def rate_of(cycles: Any, gait: Any, speed: Any) -> Any:
    """Strides a second of one gait at a speed [m/s]."""
    slow = cycles[gait["slow"]]
    part = max(speed / slow["speed"], SLOW_PART)
    return 1.0 / (slow["stride"] * part ** gait["stride_power"])


@kernel(inline=True)
def duty_of(cycles: Any, gait: Any, leg: Any, speed: Any) -> Any:
    """Duty of one leg in one gait at a speed."""
    slow = cycles[gait["slow"]]
    part = max(speed / slow["speed"], SLOW_PART)
    duty = slow["duty"][leg] * part ** gait["duty_power"][leg]
    return min(max(duty, gait["duty_range"][0]), gait["duty_range"][1])


@kernel
def extended(gaits: Any, weight: Any, extension: Any) -> Any:
    """How far a mix of gaits is extended, in [-1, 1]: as asked, in the gaits that can be."""
    share = 0.0
    for g in range(1, gaits.shape[0]):
        share += weight[g] * gaits[g]["varies"]
    return share * extension


@kernel
def pace_of(cycles: Any, gaits: Any, weight: Any, wanted: Any, speed: Any, extension: Any, duty: Any) -> Any:
    """Strides a second of a mix of gaits at a speed; duty (4,) is written. Standing takes no part.

    A horse that has only begun to leave its stand goes at the pace of the gait that is wanted. An extended
    stride lasts longer, a collected one less, and so does its way at the same speed.
    """
    total = rate = stance = 0.0
    for leg in range(4):
        duty[leg] = 0.0
    for g in range(1, gaits.shape[0]):
        w = weight[g]
        if w > LIGHT:
            total += w
            rate += w * rate_of(cycles, gaits[g], speed)
            stance += w * cycles[gaits[g]["fast"]]["stance"]
            for leg in range(4):
                duty[leg] += w * duty_of(cycles, gaits[g], leg, speed)
    if total <= LIGHT:
        if wanted == 0:
            for leg in range(4):
                duty[leg] = 1.0
            return 0.0
        for leg in range(4):
            duty[leg] = duty_of(cycles, gaits[wanted], leg, speed)
        return rate_of(cycles, gaits[wanted], speed)
    rate /= total * (1.0 + LONGER * extended(gaits, weight, extension))
    # A gait that is too slow for the speed cannot keep its feet down for as long as it would.
    most = LONGEST_STANCE * stance / total * rate / max(speed, 0.1)
    for leg in range(4):
        duty[leg] = min(duty[leg] / total, most)
    return rate


@kernel(inline=True)
def between_cycles(cycles: Any, gait: Any, speed: Any) -> Any:
    """Weight of the fast cycle of a gait at a speed, in [0, 1]."""
    slow, fast = cycles[gait["slow"]]["speed"], cycles[gait["fast"]]["speed"]
    if fast <= slow:
        return 0.0
    return min(max((speed - slow) / (fast - slow), 0.0), 1.0)


@kernel(inline=True)
def part_of(own: Any, duty: Any) -> Any:
    """Whether a leg swings (1) or stands (0), and how much of that is over."""
    if own < duty:
        return 0, own / duty
    return 1, (own - duty) / (1.0 - duty)
