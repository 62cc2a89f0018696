"""Flight: when the last foot leaves and the first one lands, and the body's path between (kernels).

Every method keeps one FLIGHT in its state. In the air the root joint rises and falls as gravity has it,
from the height of the take-off to that of the landing.
"""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.maths.types import Floats, Real, Row
from hoofbeat.records import LANDING, TAKEOFF

#: A flight shorter than this is not one [s].
SHORTEST = 0.004

#: A method's own memory of a flight. Heights of the root joint above the ground.
FLIGHT_STATE = np.dtype(
    [
        ("airborne", "?"),
        ("air", "f8"),  # time since take-off [s]
        ("flight_time", "f8"),  # planned time in the air [s]
        ("launch_height", "f8"),  # [m]
        ("landing_height", "f8"),  # [m]
    ],
    align=True,
)


@kernel
def next_flight(leaves: Floats, lands: Floats, dt: Real) -> tuple[Real, Real]:
    """Time into the step at which no foot is left on the ground, and how long until one lands [s].

    -1 where that does not come within dt. leaves (4,): time until each foot leaves the ground, negative
    where it is up; lands (4,): time until each lands [s].
    """
    last = 0.0
    for leg in range(4):
        last = max(last, leaves[leg])
    if last >= dt:
        return -1.0, 0.0
    soonest = 1e9
    for leg in range(4):
        if lands[leg] <= last:
            return -1.0, 0.0  # Another foot lands before the last one leaves.
        soonest = min(soonest, lands[leg])
    if soonest - last < SHORTEST:
        return -1.0, 0.0
    return last, soonest - last


@kernel(inline=True)
def take_off(flight: Row, launch: Real, landing: Real, lasts: Real) -> None:
    """Leave the ground for `lasts` [s], from and to heights of the root joint [m]."""
    flight["airborne"] = True
    flight["flight_time"] = lasts
    flight["launch_height"], flight["landing_height"] = launch, landing


@kernel(inline=True)
def flown_height(flight: Row) -> Real:
    """Height of the root joint above the ground in the air [m]."""
    t, lasts = flight["air"], flight["flight_time"]
    rise = (flight["landing_height"] - flight["launch_height"]) / lasts + 0.5 * GRAVITY * lasts
    return flight["launch_height"] + rise * t - 0.5 * GRAVITY * t * t


@kernel(inline=True)
def write_flight(flight: Row, out: Row) -> None:
    """What placement has to know of the flight, into the STEP row."""
    out["flight_time"] = flight["flight_time"]
    out["launch_height"], out["landing_height"] = flight["launch_height"], flight["landing_height"]


@kernel(inline=True)
def flight_events(out: Row) -> int:
    """Event bits of the take-off and landing in a STEP row."""
    events = 0
    if out["takeoff"] >= 0.0:
        events |= TAKEOFF
    if out["landing"] >= 0.0:
        events |= LANDING
    return events
