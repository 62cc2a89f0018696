"""Rides: random commands for the horse that teaches the network: every gait, change, turn, start and halt.

A ride is cut into parts of a few seconds. Each part asks for a gait, then for a speed within its band, so
that every gait gets its share of the time whatever the width of its band; half of them pin the gait.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.maths.physics import GRAVITY
from hoofbeat.records import COMMAND

#: How likely a part is to stand, to be a long steady one, to pin its gait, to go to its speed slowly.
STAND, STEADY, PINNED, RAMPED = 0.22, 0.1, 0.5, 0.5
#: How likely a part goes straight on; a standing one turns on the spot; a lead is that of the turn.
STRAIGHT, SPOT, INSIDE = 0.6, 0.2, 0.8
#: How long a part lasts [s], and a steady one.
SHORT, LONG = (1.0, 6.0), (10.0, 20.0)
#: Fastest speed that is asked for [m/s], and fastest turn on the spot [rad/s].
FASTEST, SLOW_TURN = 13.0, 0.6
#: Sideways acceleration of the sharpest turn [m/s2].
LATERAL = 0.5 * GRAVITY


@dataclass(frozen=True)
class Gaits:
    """What can be asked for: names, the first is to stand; bands (G, 2) [m/s]; fastest turn [rad/s]."""

    names: tuple[str, ...]
    bands: NDArray[np.float64]
    turn: float


def random_commands(gaits: Gaits, seed: tuple[int, ...], frames: int, fps: float) -> NDArray[Any]:
    """Commands (T,) of records.COMMAND for one ride; the same seed gives the same ride."""
    rng = np.random.default_rng(seed)
    rows = np.zeros(frames, COMMAND)
    rows["gait"] = rows["action"] = -1
    start, speed = 0, 0.0
    while start < frames:
        part = rows[start : start + round(_seconds(rng) * fps)]
        before, speed = speed, _ask(gaits, rng, part)
        if rng.random() < RAMPED:
            ramp = max(1, round(len(part) * rng.uniform(0.3, 1.0)))
            part["speed"][:ramp] = np.linspace(before, speed, ramp)
        start += len(part)
    return rows


def _seconds(rng: np.random.Generator) -> float:
    return float(rng.uniform(*(LONG if rng.random() < STEADY else SHORT)))


def _ask(gaits: Gaits, rng: np.random.Generator, part: NDArray[Any]) -> float:
    """Fill a part of a ride; returns its speed [m/s]."""
    if rng.random() < STAND:
        if rng.random() < SPOT:
            part["turn"] = rng.uniform(-SLOW_TURN, SLOW_TURN)
        return 0.0
    gait = int(rng.integers(1, len(gaits.names)))
    low, high = gaits.bands[gait]
    speed = float(rng.uniform(low, min(high, FASTEST)))
    part["speed"] = speed
    if rng.random() < PINNED:
        part["gait"] = gait
    if rng.random() >= STRAIGHT:
        part["turn"] = _turn(gaits, rng, gait, speed)
    return speed


def _turn(gaits: Gaits, rng: np.random.Generator, gait: int, speed: float) -> float:
    """A turning rate [rad/s] within what grip allows; a gait with a lead mostly turns to it."""
    most = min(gaits.turn, LATERAL / max(speed, 0.1))
    turn = float(rng.uniform(0.05, 1.0)) * most
    side = 1.0 if rng.random() < 0.5 else -1.0
    if gaits.names[gait].endswith(("-left", "-right")) and rng.random() < INSIDE:
        side = 1.0 if gaits.names[gait].endswith("-left") else -1.0
    return side * turn
