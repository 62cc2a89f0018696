"""How the thesis itself goes over the ground (R5, R6): the lowest feet propel, flights are ballistic.

Used to find how far an Action goes in one cycle, and to reproduce Table 4.1 as printed. The engine
itself plants feet with locks; this is the rule it starts from.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hoofbeat.maths.curves import linear_weights
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.maths.types import Floats, Real

#: Feet within this of the lowest are level with it, and push together [m] (thesis, section 2.4).
LEVEL = 0.002
#: Step of the simulation [s]: naive stepping at 60 Hz loses a tenth of the distance.
TICK = 0.001
#: Cycles run before measuring, and cycles measured.
SETTLE, MEASURED = 4, 8


class _Scratch(NamedTuple):
    """Of each foot: before (4,), how far ahead it was [m]; now (4, 2), height and how far ahead [m];
    slid (4,), how far it has slid in this stance [m]."""

    before: Floats
    now: Floats
    slid: Floats


def _scratch() -> _Scratch:
    return _Scratch(np.zeros(4), np.zeros((4, 2)), np.zeros(4))


@kernel
def _travel(
    toes: Floats, flights: Floats, duration: Real, tick: Real, slides: Floats, scratch: _Scratch
) -> Real:
    """Mean speed [m/s]; fills slides (4,) with each foot's largest slide while it is level [m]."""
    steps = int(np.ceil((SETTLE + MEASURED) * duration / tick))
    measured_from = int(np.ceil(SETTLE * duration / tick))
    before, now, slid = scratch.before, scratch.now, scratch.slid
    x = start_x = ground_way = ground_time = last_phase = 0.0
    airborne = False
    y = rise = pace = flown = window = 0.0
    for n in range(steps + 1):
        phase = (n * tick / duration) % 1.0
        lowest = _feet_at(toes, phase, now)
        if n > 0 and not airborne:
            pushed = _push(now, before, lowest)
            x += pushed
            ground_way += pushed
            ground_time += tick
            _add_slides(now, before, lowest, pushed, slid, slides)
            length = _flight_begun(flights, last_phase, phase)
            if length > 0 and ground_time > 2 * tick:
                airborne = True
                window = length * duration
                y, rise, flown = -lowest, GRAVITY * window / 2, 0.0
                pace = ground_way / ground_time
        elif airborne:
            flown += tick
            x += pace * tick
            height = y + rise * flown - GRAVITY * flown * flown / 2
            if flown >= window and height + lowest <= 0:
                airborne = False
                ground_way = ground_time = 0.0
        last_phase = phase
        for leg in range(4):
            before[leg] = now[leg, 1]
        if n == measured_from:
            start_x = x
    return (x - start_x) / ((steps - measured_from) * tick)


@kernel
def _feet_at(toes: Floats, phase: Real, now: Floats) -> Real:
    """Height and place ahead of each toe [m] at a phase, into now (4, 2); returns the lowest height."""
    i, j, u, v = linear_weights(toes.shape[0], phase)
    lowest = 1e9
    for leg in range(4):
        now[leg, 0] = u * toes[i, leg, 1] + v * toes[j, leg, 1]
        now[leg, 1] = u * toes[i, leg, 2] + v * toes[j, leg, 2]
        lowest = min(lowest, now[leg, 0])
    return lowest


@kernel
def _push(now: Floats, before: Floats, lowest: Real) -> Real:
    """How far the level feet push the body [m]: the mean of what they go back."""
    total = 0.0
    level = 0
    for leg in range(4):
        if now[leg, 0] < lowest + LEVEL:
            total -= now[leg, 1] - before[leg]
            level += 1
    return total / level


@kernel
def _add_slides(
    now: Floats, before: Floats, lowest: Real, pushed: Real, slid: Floats, slides: Floats
) -> None:
    """How far each level foot has slid so far [m], and the largest slide of those that are level no more."""
    for leg in range(4):
        if now[leg, 0] < lowest + LEVEL:
            slid[leg] += abs(pushed + now[leg, 1] - before[leg])
        else:
            slides[leg] = max(slides[leg], slid[leg])
            slid[leg] = 0.0


@kernel
def _flight_begun(flights: Floats, last_phase: Real, phase: Real) -> Real:
    """Length of the flight that begins between two phases [cycles], 0 where none does."""
    found = 0.0
    for f in range(flights.shape[0]):
        length, begin = flights[f, 0], flights[f, 1]
        since = (phase - begin) % 1.0
        if length > 0 and since < 0.5 and (last_phase - begin) % 1.0 > 0.5:
            found = length
    return found


def thesis_speed(
    toes: NDArray[np.float64], flights: NDArray[np.float64], duration: float, tick: float = TICK
) -> float:
    """Speed [m/s] by the rule. toes (K, 4, 3) [m] from the root joint; flights (F, 2) length, start."""
    return float(_travel(toes, flights, duration, tick, np.zeros(4), _scratch()))


def thesis_slide(toes: NDArray[np.float64], flights: NDArray[np.float64], duration: float) -> float:
    """Largest slide [m] of a level foot in one stance by the thesis's rule: several feet push at once."""
    slides = np.zeros(4)
    _travel(toes, flights, duration, TICK, slides, _scratch())
    return float(slides.max())
