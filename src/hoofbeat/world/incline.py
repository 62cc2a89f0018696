"""Incline: how a body meets ground that is not level (kernels). Level ground calls nothing of this.

Feet are placed as on level ground and then lifted by the ground below them. The body rides on the plane
through the ground at its four places to stand; the trunk pitches with that plane, the neck makes up for a
part of it, and where a leg is still too short the back gives way by cyclic coordinate descent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.ccd import along, reach_by_turns
from hoofbeat.maths.fk import chain
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_loose import about, between, mul, nlerp, rotate
from hoofbeat.maths.spring import damp, decay
from hoofbeat.world.terrain import uneven_at

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
FOUR = np.float32(4.0)
#: Half-life with which the trunk follows the ground's pitch and roll [s]. It looks ahead by what that lags.
FOLLOWS = 0.12
AHEAD = FOLLOWS / np.log(2.0)
#: Part of the ground's roll that the trunk takes, and of its own pitch that the neck takes back.
ROLLS, NECK = 0.4, np.float32(0.5)
#: From this part of its reach on a loaded leg is eased by the back; the border is rounded by the second.
EASY, ROUND = np.float32(0.985), np.float32(0.012)
#: Half-life with which a lifted leg stops to ask for anything [s].
UNLOADS = np.float32(0.05)
#: On steep ground the body goes lower from the start, by this times the square of the grade [reaches].
BOWS = 1.8
#: Of the full reach, what a leg may take before the body sinks for it; it begins this much sooner [reaches].
FULL, SOONER = np.float32(0.998), np.float32(0.01)
#: How far the body may sink for good [legs], and the half-life of its rise again [s].
MOST_SUNK, STRAIGHTENS = np.float32(0.12), 3.0
#: How often the legs are gone over, and the joints for each leg.
OVER, ROUNDS = 2, 2
#: Feet closer together than this say nothing of the ground's tilt [m].
NARROW = 0.02


@kernel
def support_at(kind: Any, parameters: Any, home: Any, x: Any, z: Any, s: Any, c: Any) -> Any:
    """The plane through the ground where the feet of a body at world (x, z) [m] would stand.

    home (4, 2): places of the feet in character space; s, c: sine and cosine of the heading. Returns its
    height at (x, z) [m], its rise ahead and its rise to the left [m for each m].
    """
    fore = hind = left = right = 0.0
    for k in range(4):
        a, b = np.float64(home[k, 0]), np.float64(home[k, 1])
        height, _, _, _ = uneven_at(kind, parameters, x + c * a + s * b, z - s * a + c * b)
        fore, hind = (fore + height, hind) if k < 2 else (fore, hind + height)
        left, right = (left + height, right) if k % 2 == 0 else (left, right + height)
    length = 0.5 * (home[0, 1] + home[1, 1] - home[2, 1] - home[3, 1])
    width = 0.5 * (home[0, 0] + home[2, 0] - home[1, 0] - home[3, 0])
    ahead = 0.5 * (fore - hind) / length if length > NARROW else 0.0
    aside = 0.5 * (left - right) / width if width > NARROW else 0.0
    middle = 0.25 * (home[0, 1] + home[1, 1] + home[2, 1] + home[3, 1])
    beside = 0.25 * (home[0, 0] + home[1, 0] + home[2, 0] + home[3, 0])
    return 0.25 * (fore + hind) - ahead * middle - aside * beside, ahead, aside


@kernel
def lean_with_ground(world: Any, trunk: Any, kind: Any, parameters: Any, dt: Any, turn: Any) -> None:
    """Pitch and roll the trunk with the ground, and raise or lower the neck; turn (J, 4) local is changed."""
    x = world["position"][0] + AHEAD * world["velocity"][0]
    z = world["position"][2] + AHEAD * world["velocity"][2]
    s, c = world["sine"], world["cosine"]
    _, ahead, aside = support_at(kind, parameters, trunk["home"], x, z, s, c)
    pitch, roll = np.arctan(ahead), ROLLS * np.arctan(aside)
    if world["time"] > 0.0:
        pitch = damp(world["pitch"], pitch, FOLLOWS, dt)
        roll = damp(world["roll"], roll, FOLLOWS, dt)
    world["pitch"], world["roll"] = pitch, roll
    # About the leftward axis a positive turn lowers the nose; about the forward axis it lifts the left.
    ax, ay, az, aw = about(ONE, ZERO, ZERO, np.float32(-pitch))
    bx, by, bz, bw = about(ZERO, ZERO, ONE, np.float32(roll))
    ax, ay, az, aw = mul(ax, ay, az, aw, bx, by, bz, bw)
    turn[0, 0], turn[0, 1], turn[0, 2], turn[0, 3] = mul(
        ax, ay, az, aw, turn[0, 0], turn[0, 1], turn[0, 2], turn[0, 3]
    )
    count = trunk["necks"]
    if count > 0:
        part = NECK * np.float32(pitch) / np.float32(count)
        for n in range(count):
            j, left = trunk["neck"][n], trunk["aside"][n]
            ax, ay, az, aw = about(left[0], left[1], left[2], part)
            turn[j, 0], turn[j, 1], turn[j, 2], turn[j, 3] = mul(
                ax, ay, az, aw, turn[j, 0], turn[j, 1], turn[j, 2], turn[j, 3]
            )


@kernel
def ground_below(world: Any, kind: Any, parameters: Any, x: Any, z: Any) -> Any:
    """Height [m] above the root's ground point, and normal, of the ground at (x, z); character space."""
    s, c = world["sine"], world["cosine"]
    wx, wz = world["position"][0] + c * x + s * z, world["position"][2] - s * x + c * z
    height, nx, ny, nz = uneven_at(kind, parameters, wx, wz)
    return (
        np.float32(height - world["position"][1]),
        np.float32(c * nx - s * nz),
        np.float32(ny),
        np.float32(s * nx + c * nz),
    )


@kernel
def lay_on_ground(nx: Any, ny: Any, nz: Any, part: Any, target: Any, hoof: Any, end: Any) -> None:
    """Turn a hoof (4,) and the leg's end (3,) about the toe at target (3,) by `part` of the ground's tilt."""
    x, y, z, w = between(ZERO, ONE, ZERO, nx, ny, nz)
    x, y, z, w = nlerp(ZERO, ZERO, ZERO, ONE, x, y, z, w, part)
    hoof[0], hoof[1], hoof[2], hoof[3] = mul(x, y, z, w, hoof[0], hoof[1], hoof[2], hoof[3])
    a, b, c = rotate(x, y, z, w, end[0] - target[0], end[1] - target[1], end[2] - target[2])
    end[0], end[1], end[2] = target[0] + a, target[1] + b, target[2] + c


@kernel
def load_leg(world: Any, leg: Any, planted: Any, strut: Any, dt: Any) -> None:
    """How much one leg asks of the back and of the body's height, so that nothing jumps: all while it stands,
    and as much as it is already held straight before it is set down again. Once lifted it asks for nothing
    of the height, which stays as low as it was, and soon for nothing of the back."""
    coming = strut if strut >= world["strut"][leg] else ZERO
    asks = ONE if planted else coming
    world["load"][leg] = max(decay(world["load"][leg], UNLOADS, np.float32(dt)), asks)
    world["asks"][leg], world["strut"][leg] = asks, strut


@kernel(inline=True)
def overreach(leg: Any, reach: Any, load: Any, positions: Any, end: Any) -> Any:
    """How much nearer [m] the top of a leg should be to its end, and that distance [m]; reach: its own [m].

    Nothing while the leg is well bent, and less when it is not loaded.
    """
    top = leg["top"]
    x, y, z = end[0] - positions[top, 0], end[1] - positions[top, 1], end[2] - positions[top, 2]
    far = np.sqrt(x * x + y * y + z * z)
    edge = ROUND * reach
    beyond = far - EASY * reach
    if beyond <= -edge:
        return ZERO, far
    if beyond < edge:
        beyond = (beyond + edge) * (beyond + edge) / (FOUR * edge)
    return load * beyond, far


@kernel
def give_way(body: Any, trunk: Any, loads: Any, turn: Any, scratch: Any, room: Any) -> Any:
    """Bend the back so that no leg is stretched out; returns whether it did.

    loads (4,): see `load_leg`; turn (J, 4) and the positions and turns of the ways to the legs in scratch are
    changed. room: (start (J, 4) and aim (3,), to work in; reaches (4,): how far each leg comes [m]).
    """
    parents, offsets, legs = body
    positions, turns, _, ends, _ = scratch
    start, aim, reaches = room
    bent = False
    for _ in range(OVER):
        for k in range(4):
            way, count = trunk["way"][k], trunk["ways"][k]
            if bent:
                # Another leg may have bent what this one hangs from.
                along(way, 0, count, parents, offsets, turn, positions, turns)
            over, far = overreach(legs[k], reaches[k], loads[k], positions, ends[k])
            if over <= ZERO or count < 2:
                continue
            if not bent:
                bent = True
                start[:] = turn
            top = legs[k]["top"]
            for axis in range(3):
                aim[axis] = positions[top, axis] + (ends[k, axis] - positions[top, axis]) * over / far
            pose = (positions, turns)
            reach_by_turns(way, count, trunk["give"][k], parents, offsets, turn, start, pose, aim, ROUNDS)
        if not bent:
            break
    return bent


@kernel(inline=True)
def sinking(leg: Any, length: Any, positions: Any, end: Any) -> Any:
    """How much lower [m] the body must be for a leg of this reach [m] to come to its end; gentle at first."""
    top, edge = leg["top"], SOONER * length
    x, y, z = end[0] - positions[top, 0], positions[top, 1] - end[1], end[2] - positions[top, 2]
    reach = FULL * length
    over = y - np.sqrt(max(reach * reach - x * x - z * z, ZERO))
    if over <= -edge:
        return ZERO
    return over if over >= edge else (over + edge) * (over + edge) / (FOUR * edge)


@kernel
def relieve(body: Any, trunk: Any, world: Any, dt: Any, turn: Any, scratch: Any, room: Any) -> Any:
    """Let the back give way for its legs; returns how much the body must sink besides [m]. See `give_way`."""
    parents, offsets, legs = body
    positions, turns, _, ends, _ = scratch
    reaches = room[2]
    if give_way(body, trunk, world["load"], turn, scratch, room):
        chain(parents, offsets, turn, 1, parents.shape[0] - 1, positions, turns)
    needed = ZERO
    if not world["airborne"]:
        for k in range(4):
            needed = max(needed, world["asks"][k] * sinking(legs[k], reaches[k], positions, ends[k]))
        most = np.float64(MOST_SUNK * legs[0]["reach"])
        needed = min(needed, np.float32(max(most - world["crouch"], 0.0)))
        # It stays that low for a while: what is needed in every stride need not be done in every stride.
        crouch = decay(world["crouch"] + needed, STRAIGHTENS, dt)
        floor = min(BOWS * np.tan(world["pitch"]) ** 2 * legs[0]["reach"], most)
        if crouch < floor:
            crouch = damp(crouch, floor, FOLLOWS, dt) if world["time"] > 0.0 else floor
        world["crouch"] = crouch
    return needed
