"""Feet: where each toe really goes (kernels). Planted toes are locked to the ground they touched.

The offset between the real toe and the method's target is carried on: a released foot leaves from
where it stood and comes back to its target with a half-life, so that nothing jumps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.curves import quintic
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.spring import decay, decay_critical
from hoofbeat.world.terrain import FLAT, ground_at

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
#: Half-life of a released foot's offset [s].
RELEASE = np.float32(0.07)
#: A standing foot farther than this from its target is stepped after it [m, for a leg of 1 m].
STRAY = np.float32(0.05)
#: The farthest a planted foot may be from its target before it is let go [m, for a leg of 1 m].
LETGO = np.float32(0.45)
#: Time [s] and lift [m, for a leg of 1 m] of such a step, and how much a moving body hurries it [s/m].
STEP_TIME = np.float32(0.35)
HURRY = np.float32(0.4)
#: A foot that is farther astray steps quicker [for one leg length].
ASTRAY = np.float32(2.0)
STEP_LIFT = np.float32(0.09)


@kernel(inline=True)
def to_world(world: Any, x: Any, y: Any, z: Any) -> Any:
    """World (float64) of a point in character space."""
    s, c = world["sine"], world["cosine"]
    return (
        world["position"][0] + c * x + s * z,
        world["position"][1] + y,
        world["position"][2] - s * x + c * z,
    )


@kernel(inline=True)
def to_character(world: Any, x: Any, y: Any, z: Any) -> Any:
    """Character space of a world point."""
    dx, dz = x - world["position"][0], z - world["position"][2]
    s, c = world["sine"], world["cosine"]
    return c * dx - s * dz, y - world["position"][1], s * dx + c * dz


@kernel
def may_step(world: Any, step: Any, leg: Any, stray: Any) -> Any:
    """Whether a standing foot is to be lifted now: far from its target, and no foot but its diagonal up."""
    if not step["standing"] or world["airborne"]:
        return False
    for other in range(4):
        if other != 3 - leg and world["stepping"][other] >= ZERO:
            return False
    ex, ez = world["offset"][leg, 0], world["offset"][leg, 2]
    mine = ex * ex + ez * ez
    if mine < stray * stray:
        return False
    for other in range(4):
        ox, oz = world["offset"][other, 0], world["offset"][other, 2]
        if other != 3 - leg and ox * ox + oz * oz > mine:
            return False
    return True


@kernel
def let_go(world: Any, leg: Any, least: Any) -> Any:
    """Lift a planted foot now and step it to its target, if `least` others carry; returns whether it did."""
    carrying = 0
    for other in range(4):
        carrying += 1 if other != leg and world["locked"][other] else 0
    if carrying < least:
        return False
    world["locked"][leg] = 0
    world["stepping"][leg] = ZERO
    return True


@kernel
def plant(world: Any, leg: Any, x: Any, z: Any, kind: Any, parameters: Any) -> None:
    """Lock the toe to the ground at the character-space point (x, z)."""
    wx, wy, wz = to_world(world, np.float64(x), 0.0, np.float64(z))
    ground, _, _, _ = ground_at(kind, parameters, wx, wz)
    world["locked"][leg] = 1
    world["lock"][leg, 0], world["lock"][leg, 1], world["lock"][leg, 2] = wx, ground, wz
    world["lock_yaw"][leg] = world["yaw"] + world["spin"][leg]


@kernel
def place_foot(
    world: Any, step: Any, leg: Any, size: Any, kind: Any, parameters: Any, dt: Any, out: Any
) -> Any:
    """The real toe target of one leg, character space, into out (3,); returns whether it is planted.

    On ground that is not level the height is that above the ground below the toe.
    size: length of the leg [m]. step: STEP row, whose foot target is for a body at step.height.
    """
    tx, ty, tz = step["foot"][leg, 0], step["foot"][leg, 1], step["foot"][leg, 2]
    wants = step["contact"][leg] > np.float32(0.5) and not world["airborne"]
    if world["stepping"][leg] >= ZERO:
        return _step_after(world, leg, size, wants, tx, ty, tz, kind, parameters, dt, out)
    if wants and not world["locked"][leg]:
        plant(world, leg, tx + world["offset"][leg, 0], tz + world["offset"][leg, 2], kind, parameters)
    if not wants:
        # How far it stood from its target goes with it, and nothing of how the target starts its swing.
        world["locked"][leg] = 0
    if world["locked"][leg]:
        x, y, z = to_character(world, world["lock"][leg, 0], world["lock"][leg, 1], world["lock"][leg, 2])
        if kind != FLAT:
            y = 0.0
        ex, ey, ez = np.float32(x) - tx, np.float32(y) - ty, np.float32(z) - tz
        if dt > 0.0:
            inverse = ONE / np.float32(dt)
            world["drift"][leg, 0] = (ex - world["offset"][leg, 0]) * inverse
            world["drift"][leg, 1] = ZERO
            world["drift"][leg, 2] = (ez - world["offset"][leg, 2]) * inverse
        world["offset"][leg, 0], world["offset"][leg, 1], world["offset"][leg, 2] = ex, ey, ez
        world["spin"][leg] = np.float32(world["lock_yaw"][leg] - world["yaw"])
        if may_step(world, step, leg, STRAY * size):
            let_go(world, leg, 2)
        elif ex * ex + ez * ez > (LETGO * size) ** 2:
            let_go(world, leg, 2)
        if world["locked"][leg]:
            out[0], out[1], out[2] = np.float32(x), np.float32(y), np.float32(z)
            return True
    for axis in range(3):
        e, v = decay_critical(world["offset"][leg, axis], world["drift"][leg, axis], RELEASE, np.float32(dt))
        world["offset"][leg, axis], world["drift"][leg, axis] = e, v
    world["spin"][leg] = decay(world["spin"][leg], RELEASE, np.float32(dt))
    out[0] = tx + world["offset"][leg, 0]
    out[1] = max(ty + world["offset"][leg, 1], ZERO)
    out[2] = tz + world["offset"][leg, 2]
    return False


@kernel
def _step_after(
    world: Any,
    leg: Any,
    size: Any,
    wants: Any,
    tx: Any,
    ty: Any,
    tz: Any,
    kind: Any,
    parameters: Any,
    dt: Any,
    out: Any,
) -> Any:
    """A foot on its way to its target out of turn: lifted, carried, set down; quicker when moving.

    wants: whether it is to stand there; one whose own swing has come meanwhile goes on in that.
    """
    pace = np.float32(np.hypot(world["velocity"][0], world["velocity"][2]))
    astray = np.hypot(world["offset"][leg, 0], world["offset"][leg, 2]) / size
    time = STEP_TIME / (ONE + HURRY * pace + ASTRAY * astray)
    before = quintic(world["stepping"][leg])
    world["stepping"][leg] += np.float32(dt) / time
    t = min(world["stepping"][leg], ONE)
    now = quintic(t)
    # The part of the way that is left shrinks in the same ratio whatever the frame rate.
    left = (ONE - now) / max(ONE - before, np.float32(1e-6))
    world["spin"][leg] *= left
    for axis in range(3):
        world["offset"][leg, axis] *= left
        world["drift"][leg, axis] = ZERO
    out[0] = tx + world["offset"][leg, 0]
    out[1] = STEP_LIFT * size * (ONE - (np.float32(2.0) * now - ONE) ** 2)
    out[2] = tz + world["offset"][leg, 2]
    if t >= ONE:
        world["stepping"][leg] = -ONE
        # Its turn to swing may come before it is lifted again: then it leaves from here, not from its target.
        world["offset"][leg, 1] = out[1] - ty
        if wants:
            plant(world, leg, out[0], out[2], kind, parameters)
        return wants
    return False
