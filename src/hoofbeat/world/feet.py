"""Feet: where each toe really goes (kernels). Planted toes are locked to the ground they touched.

The offset between the real toe and the method's target is carried on: a released foot leaves from
where it stood and comes back to its target with a half-life, so that nothing jumps.
"""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.curves import quintic
from hoofbeat.maths.exact.circular import hypot
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.spring import decay, decay_critical
from hoofbeat.maths.types import Bool, Int, Real, Row, Vec3
from hoofbeat.maths.vec import vec
from hoofbeat.world.terrain import FLAT, Ground, ground_at

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
def to_world(world: Row, point: Vec3) -> Vec3:
    """World (float64) of a point in character space."""
    x, y, z = point
    s, c = world["sine"], world["cosine"]
    return (
        world["position"][0] + c * x + s * z,
        world["position"][1] + y,
        world["position"][2] - s * x + c * z,
    )


@kernel(inline=True)
def to_character(world: Row, point: Vec3) -> Vec3:
    """Character space of a world point."""
    x, y, z = point
    dx, dz = x - world["position"][0], z - world["position"][2]
    s, c = world["sine"], world["cosine"]
    return c * dx - s * dz, y - world["position"][1], s * dx + c * dz


@kernel(inline=True)
def turn_to_character(world: Row, v: Vec3) -> Vec3:
    """A world direction as seen from the character."""
    s, c = world["sine"], world["cosine"]
    return c * v[0] - s * v[2], v[1], s * v[0] + c * v[2]


@kernel
def may_step(world: Row, step: Row, leg: Int, stray: Real) -> Bool:
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
def let_go(world: Row, leg: Int, least: Int) -> Bool:
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
def plant(world: Row, leg: Int, x: Real, z: Real, ground: Ground) -> None:
    """Lock the toe to the ground at the character-space point (x, z)."""
    wx, _, wz = to_world(world, (np.float64(x), 0.0, np.float64(z)))
    height, _ = ground_at(ground, wx, wz)
    world["locked"][leg] = 1
    world["lock"][leg, 0], world["lock"][leg, 1], world["lock"][leg, 2] = wx, height, wz
    world["lock_yaw"][leg] = world["yaw"] + world["spin"][leg]


@kernel
def place_foot(world: Row, step: Row, leg: Int, size: Real, ground: Ground, dt: Real) -> tuple[Bool, Vec3]:
    """Whether a foot is planted, and the real target of its toe, character space.

    On ground that is not level the height is that above the ground below the toe.
    size: length of the leg [m]. step: STEP row, whose foot target is for a body at step.height.
    """
    wanted = vec(step["foot"], leg)
    wants = step["contact"][leg] > np.float32(0.5) and not world["airborne"]
    if world["stepping"][leg] >= ZERO:
        return step_to_target(world, leg, size, wants, wanted, ground, dt)
    if wants and not world["locked"][leg]:
        offset = vec(world["offset"], leg)
        plant(world, leg, wanted[0] + offset[0], wanted[2] + offset[2], ground)
    if not wants:
        # How far it stood from its target goes with it, and nothing of how the target starts its swing.
        world["locked"][leg] = 0
    if world["locked"][leg]:
        place = stand_locked(world, step, leg, size, ground, dt)
        if world["locked"][leg]:
            return True, place
    for axis in range(3):
        e, v = decay_critical(world["offset"][leg, axis], world["drift"][leg, axis], RELEASE, np.float32(dt))
        world["offset"][leg, axis], world["drift"][leg, axis] = e, v
    world["spin"][leg] = decay(world["spin"][leg], RELEASE, np.float32(dt))
    offset = vec(world["offset"], leg)
    height = max(wanted[1] + offset[1], ZERO)
    return False, (wanted[0] + offset[0], height, wanted[2] + offset[2])


@kernel
def stand_locked(world: Row, step: Row, leg: Int, size: Real, ground: Ground, dt: Real) -> Vec3:
    """Where a locked toe is, character space; a foot that is astray is let go."""
    x, y, z = to_character(world, vec(world["lock"], leg))
    if ground.kind != FLAT:
        y = 0.0
    wanted = vec(step["foot"], leg)
    ex, ey, ez = np.float32(x) - wanted[0], np.float32(y) - wanted[1], np.float32(z) - wanted[2]
    if dt > 0.0:
        inverse = ONE / np.float32(dt)
        world["drift"][leg, 0] = (ex - world["offset"][leg, 0]) * inverse
        world["drift"][leg, 1] = ZERO
        world["drift"][leg, 2] = (ez - world["offset"][leg, 2]) * inverse
    world["offset"][leg, 0], world["offset"][leg, 1], world["offset"][leg, 2] = ex, ey, ez
    world["spin"][leg] = np.float32(world["lock_yaw"][leg] - world["yaw"])
    astray = ex * ex + ez * ez > (LETGO * size) ** 2
    if may_step(world, step, leg, STRAY * size) or astray:
        let_go(world, leg, 2)
    return np.float32(x), np.float32(y), np.float32(z)


@kernel
def step_to_target(
    world: Row, leg: Int, size: Real, wants: Bool, wanted: Vec3, ground: Ground, dt: Real
) -> tuple[Bool, Vec3]:
    """A foot on its way to its target out of turn: lifted, moved, set down; quicker when moving.

    wants: whether it is to stand there; one whose own swing has come meanwhile goes on in that.
    """
    pace = np.float32(hypot(world["velocity"][0], world["velocity"][2]))
    astray = hypot(world["offset"][leg, 0], world["offset"][leg, 2]) / size
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
    x = wanted[0] + world["offset"][leg, 0]
    y = np.float32(STEP_LIFT * size * (ONE - (np.float32(2.0) * now - ONE) ** 2))
    z = wanted[2] + world["offset"][leg, 2]
    if t >= ONE:
        world["stepping"][leg] = -ONE
        # Its turn to swing may come before it is lifted again: then it leaves from here, not from its target.
        world["offset"][leg, 1] = y - wanted[1]
        if wants:
            plant(world, leg, x, z, ground)
        return wants, (x, y, z)
    return False, (x, y, z)
