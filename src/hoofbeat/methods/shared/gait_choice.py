"""Choosing: which gait goes with a speed, for every method that has the horse's gaits (kernels)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hoofbeat.gaits.gait import other_lead
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Floats, Int, Real, Row, Rows

#: Slower than this the horse stands [m/s].
CREEP = 0.02
#: A turn faster than this needs steps, also on the spot [rad/s].
SPOT = 0.04
#: A border between gaits is crossed this much beyond it.
HYSTERESIS = 0.05
#: How far ahead the speed that chooses the gait is predicted [s].
AHEAD = 0.8
#: A turn faster than this decides the lead [rad/s].
LEAD_TURN = 0.12


class SpeedChange(NamedTuple):
    """How fast a horse gains and loses speed at most [m/s2]."""

    acceleration: float
    braking: float


def borders_of(gaits: tuple[str, ...], upper: Mapping[str, float]) -> NDArray[np.float64]:
    """Speeds (G, 2) from and up to which each gait is chosen, -1 where it never is."""
    out = np.full((len(gaits), 2), -1.0)
    low = 0.0
    for name, high in upper.items():
        if name in gaits:
            for lead in (name, other_lead(name)):
                out[gaits.index(lead)] = low, high
            low = high
    return out


@kernel(inline=True)
def wanted_speed(command: Row) -> Real:
    """Speed that a command asks for [m/s]: none where it asks to stand, by gait or by action."""
    return 0.0 if command["action"] == 0 or command["gait"] == 0 else command["speed"]


@kernel
def by_speed(borders: Floats, state: Row, speed: Real, limits: SpeedChange) -> Int:
    """The gait for the speed that the horse will have when a change is done, without its lead.

    borders (G, 2): see `borders_of`; state: a row with a `gait` and a `speed`; limits:
    how fast it gains and loses speed.
    """
    now = state["gait"]
    slowest = state["speed"] - AHEAD * limits.braking
    soon = min(max(speed, slowest), state["speed"] + AHEAD * limits.acceleration)
    found = now if now > 0 else 1
    low, high = borders[found, 0] * (1.0 - HYSTERESIS), borders[found, 1] * (1.0 + HYSTERESIS)
    if now == 0 or not low <= soon <= high or borders[found, 0] < 0.0:
        for g in range(borders.shape[0] - 1, 0, -1):
            if borders[g, 0] >= 0.0 and borders[g, 0] <= soon <= borders[g, 1]:
                found = g
    return found


@kernel
def with_lead(gaits: Rows, state: Row, found: Int) -> Int:
    """A gait on the lead that a turn asks for, else on the present one; gaits: rows with `lead`, `other`."""
    lead, now = gaits[found]["lead"], state["gait"]
    if lead != 0:
        wanted = gaits[now]["lead"] if now > 0 and gaits[now]["lead"] != 0 else lead
        if abs(state["turn"]) > LEAD_TURN:
            wanted = 1 if state["turn"] > 0.0 else -1
        if wanted != lead:
            found = gaits[found]["other"]
    return found
