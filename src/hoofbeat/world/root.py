"""Root: the path over the ground, and the flight (kernels).

Grounded, the root follows the method's velocity. In the air it is a projectile: horizontal velocity
and heading stay, the height obeys g. It lands when the planned time is over and the feet meet the
ground. Take-off and landing are timed inside the step, so that frame rates agree.
"""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.exact.circular import sincos
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.maths.types import Floats, Real, Row
from hoofbeat.world.incline import support_at
from hoofbeat.world.terrain import Ground, ground_at

#: The feet have met the ground when the body is this close to its landing height [m].
TOUCHES = 1e-4


@kernel(inline=True)
def go(world: Row, forward: Real, sideways: Real, yaw_rate: Real, dt: Real) -> None:
    """Move over the ground for dt [s]; the velocity is that of mid-way, so that circles stay circles."""
    middle = world["yaw"] + 0.5 * yaw_rate * dt
    s, c = sincos(middle)
    # Turning left swings +Z towards +X.
    world["velocity"][0] = forward * s + sideways * c
    world["velocity"][2] = forward * c - sideways * s
    world["position"][0] += world["velocity"][0] * dt
    world["position"][2] += world["velocity"][2] * dt
    world["yaw"] += yaw_rate * dt


@kernel(inline=True)
def _fly(world: Row, dt: Real) -> None:
    """Coast for dt [s]; the height is read from the time since take-off, not summed."""
    world["position"][0] += world["velocity"][0] * dt
    world["position"][2] += world["velocity"][2] * dt
    world["air"] += dt


@kernel(inline=True)
def height_in_flight(world: Row) -> Real:
    """World height of the root joint [m], from the time since take-off."""
    t = world["air"]
    return world["launch"] + world["rise"] * t - 0.5 * GRAVITY * t * t


@kernel
def move_root(world: Row, step: Row, ground: Ground, home: Floats | None, dt: Real) -> None:
    """One step of the root: WORLD row, STEP row, terrain, places of the feet, dt [s].

    home: None on level ground, else (4, 2) [m]: the step's heights are above the plane under them.
    """
    before = world["position"][1] + world["height"]
    left = dt
    flying = world["airborne"]
    if flying:
        until = min(max(world["flight_time"] - world["air"], 0.0), dt)
        _fly(world, until)
        left = dt - until
        over = world["air"] >= world["flight_time"] - 1e-9
        level = level_here(world, ground, home)
        if over and height_in_flight(world) <= level + step["landing_height"] + TOUCHES:
            world["airborne"] = False
        else:
            _fly(world, left)
    if not world["airborne"]:
        leaves = step["takeoff"] >= 0.0
        ahead = min(max(step["takeoff"] - (dt - left), 0.0), left) if leaves else left
        go(world, step["forward"], step["sideways"], step["yaw_rate"], ahead)
        if leaves:
            _take_off(world, step, ground, home)
            _fly(world, left - ahead)

    world["sine"], world["cosine"] = sincos(world["yaw"])
    height, _ = ground_at(ground, world["position"][0], world["position"][2])
    world["position"][1] = height
    if home is not None:
        world["base"] = level_here(world, ground, home) - height
    world["height"] = (
        height_in_flight(world) - height if world["airborne"] else step["height"] + world["base"]
    )
    if dt > 0.0:
        world["velocity"][1] = (height + world["height"] - before) / dt
    world["time"] += dt


@kernel
def level_here(world: Row, ground: Ground, home: Floats | None) -> Real:
    """World height [m] that the body stands over, less what it crouches."""
    return level_there(world, ground, home, world["position"][0], world["position"][2])


@kernel
def level_there(world: Row, ground: Ground, home: Floats | None, x: Real, z: Real) -> Real:
    """The same at world (x, z) [m]."""
    if home is None:
        return ground.parameters[0]
    s, c = sincos(world["yaw"])
    level, _, _ = support_at(ground, home, x, z, s, c)
    return level - world["crouch"]


@kernel
def _take_off(world: Row, step: Row, ground: Ground, home: Floats | None) -> None:
    """Leave the ground here and now, with the velocity of the stance and the rise that the plan needs."""
    level = level_here(world, ground, home)
    time = step["flight_time"]
    world["airborne"] = True
    world["air"] = 0.0
    world["flight_time"] = time
    # A body that has sunk for its feet takes off from where it is.
    high = step["launch_height"] - world["sunk"]
    world["sunk"] = np.float32(0.0)
    world["launch"] = level + high
    world["rise"] = (step["landing_height"] - high) / time + 0.5 * GRAVITY * time
    if home is not None:
        # Over a hill it comes down on other ground than it left; the heading stays in the air.
        x = world["position"][0] + world["velocity"][0] * time
        z = world["position"][2] + world["velocity"][2] * time
        world["rise"] += (level_there(world, ground, home, x, z) - level) / time
