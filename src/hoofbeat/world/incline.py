"""Incline: how a body meets ground that is not level (kernels). Level ground calls nothing of this.

Feet are placed as on level ground and then lifted by the ground below them. The body rides on the plane
through the ground at its four places to stand; the trunk pitches with that plane, the neck makes up for a
part of it, and where a leg is still too short the back gives way by cyclic coordinate descent.
"""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.ccd import Chain, place_chain, reach_by_turns
from hoofbeat.maths.exact.circular import arctan, tan
from hoofbeat.maths.exact.powers import ONE_OVER_LN2
from hoofbeat.maths.fk import chain
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_kernels import IDENTITY, about, between, mul, nlerp, rotate
from hoofbeat.maths.spring import damp, decay
from hoofbeat.maths.types import Bool, Floats, Int, Quat, Real, Row, Vec3
from hoofbeat.maths.vec import AHEAD as FORWARD
from hoofbeat.maths.vec import LEFT, UP, add, length, put_quat, quat, sub, vec
from hoofbeat.world.feet import to_world, turn_to_character
from hoofbeat.world.rows import Body, Scratch
from hoofbeat.world.terrain import Ground, uneven_at

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
FOUR = np.float32(4.0)
#: Half-life with which the trunk follows the ground's pitch and roll [s]. It looks ahead by what that lags.
FOLLOWS = 0.12
LOOK_AHEAD = FOLLOWS * ONE_OVER_LN2
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
def support_at(ground: Ground, home: Floats, x: Real, z: Real, s: Real, c: Real) -> tuple[Real, Real, Real]:
    """The plane through the ground where the feet of a body at world (x, z) [m] would stand.

    home (4, 2): places of the feet in character space; s, c: sine and cosine of the heading. Returns its
    height at (x, z) [m], its rise ahead and its rise to the left [m for each m].
    """
    fore = hind = left = right = 0.0
    for k in range(4):
        a, b = np.float64(home[k, 0]), np.float64(home[k, 1])
        height, _ = uneven_at(ground, x + c * a + s * b, z - s * a + c * b)
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
def lean_with_ground(world: Row, trunk: Row, ground: Ground, dt: Real, rotations: Floats) -> None:
    """Pitch and roll the trunk with the ground, and raise or lower the neck; rotations (J, 4) are local."""
    x = world["position"][0] + LOOK_AHEAD * world["velocity"][0]
    z = world["position"][2] + LOOK_AHEAD * world["velocity"][2]
    _, ahead, aside = support_at(ground, trunk["home"], x, z, world["sine"], world["cosine"])
    pitch, roll = arctan(ahead), ROLLS * arctan(aside)
    if world["time"] > 0.0:
        pitch = damp(world["pitch"], pitch, FOLLOWS, dt)
        roll = damp(world["roll"], roll, FOLLOWS, dt)
    world["pitch"], world["roll"] = pitch, roll
    # About the leftward axis a positive turn lowers the nose; about the forward axis it lifts the left.
    tilt = mul(about(LEFT, np.float32(-pitch)), about(FORWARD, np.float32(roll)))
    put_quat(rotations, 0, mul(tilt, quat(rotations, 0)))
    count = trunk["neck_count"]
    if count > 0:
        part = NECK * np.float32(pitch) / np.float32(count)
        for n in range(count):
            j = trunk["neck"][n]
            put_quat(rotations, j, mul(about(vec(trunk["neck_left"], n), part), quat(rotations, j)))


@kernel
def ground_below(world: Row, ground: Ground, point: Vec3) -> tuple[Real, Vec3]:
    """Height [m] above the root's ground point, and normal, of the ground below a point; character space."""
    x, _, z = to_world(world, (point[0], 0.0, point[2]))
    height, normal = uneven_at(ground, x, z)
    nx, ny, nz = turn_to_character(world, normal)
    return np.float32(height - world["position"][1]), (np.float32(nx), np.float32(ny), np.float32(nz))


@kernel(inline=True)
def lay_on_ground(normal: Vec3, part: Real, toe: Vec3, hoof: Quat, end: Vec3) -> tuple[Quat, Vec3]:
    """A hoof and the leg's end, turned about the toe by `part` of the ground's tilt."""
    tilt = nlerp(IDENTITY, between(UP, normal), part)
    return mul(tilt, hoof), add(toe, rotate(tilt, sub(end, toe)))


@kernel
def load_leg(world: Row, leg: Int, planted: Bool, strut: Real, dt: Real) -> None:
    """How much one leg asks of the back and of the body's height, so that nothing jumps: all while it stands,
    and as much as it is already held straight before it is set down again. Once lifted it asks for nothing
    of the height, which stays as low as it was, and soon for nothing of the back."""
    coming = strut if strut >= world["strut"][leg] else ZERO
    asks = ONE if planted else coming
    world["load"][leg] = max(decay(world["load"][leg], UNLOADS, np.float32(dt)), asks)
    world["asks"][leg], world["strut"][leg] = asks, strut


@kernel(inline=True)
def overreach(leg: Row, reach: Real, load: Real, positions: Floats, end: Vec3) -> tuple[Real, Real]:
    """How much nearer [m] the top of a leg should be to its end, and that distance [m]; reach: its own [m].

    Nothing while the leg is well bent, and less when it is not loaded.
    """
    far = length(sub(end, vec(positions, leg["top"])))
    edge = ROUND * reach
    beyond = far - EASY * reach
    if beyond <= -edge:
        return ZERO, far
    if beyond < edge:
        beyond = (beyond + edge) * (beyond + edge) / (FOUR * edge)
    return load * beyond, far


@kernel
def give_way(body: Body, trunk: Row, loads: Floats, rotations: Floats, scratch: Scratch) -> Bool:
    """Bend the back so that no leg is stretched out; returns whether it did.

    loads (4,): see `load_leg`; rotations (J, 4) local, and of the pose the chains to the legs, are changed.
    """
    pose, ends, aim = scratch.pose, scratch.ends, scratch.aim
    bent = False
    for _ in range(OVER):
        for k in range(4):
            line = Chain(trunk["chain"][k], trunk["chain_count"][k], trunk["limits"][k], scratch.start)
            if bent:
                # Another leg may have bent what this one hangs from.
                place_chain(line, 0, body.tree, rotations, pose)
            over, far = overreach(body.legs[k], scratch.reaches[k], loads[k], pose.positions, vec(ends, k))
            if over <= ZERO or line.size < 2:
                continue
            if not bent:
                bent = True
                for j in range(rotations.shape[0]):
                    put_quat(scratch.start, j, quat(rotations, j))
            top = body.legs[k]["top"]
            for axis in range(3):
                here = pose.positions[top, axis]
                aim[axis] = here + (ends[k, axis] - here) * over / far
            reach_by_turns(line, body.tree, rotations, pose, aim, ROUNDS)
        if not bent:
            break
    return bent


@kernel(inline=True)
def gentle_sinking(leg: Row, reach: Real, positions: Floats, end: Vec3) -> Real:
    """How much lower [m] the body must be for a leg of this reach [m] to come to its end; gentle at first."""
    top, edge = leg["top"], SOONER * reach
    x, y, z = end[0] - positions[top, 0], positions[top, 1] - end[1], end[2] - positions[top, 2]
    full = FULL * reach
    over = y - np.sqrt(max(full * full - x * x - z * z, ZERO))
    if over <= -edge:
        return ZERO
    return over if over >= edge else (over + edge) * (over + edge) / (FOUR * edge)


@kernel
def relieve(body: Body, trunk: Row, world: Row, dt: Real, rotations: Floats, scratch: Scratch) -> Real:
    """Let the back give way for its legs; returns how much the body must sink besides [m]. See `give_way`."""
    tree, legs, pose = body.tree, body.legs, scratch.pose
    if give_way(body, trunk, world["load"], rotations, scratch):
        chain(tree, rotations, 1, tree.parents.shape[0] - 1, pose)
    needed = ZERO
    if not world["airborne"]:
        for k in range(4):
            lower = gentle_sinking(legs[k], scratch.reaches[k], pose.positions, vec(scratch.ends, k))
            needed = max(needed, world["asks"][k] * lower)
        most = np.float64(MOST_SUNK * legs[0]["reach"])
        needed = min(needed, np.float32(max(most - world["crouch"], 0.0)))
        # It stays that low for a while: what is needed in every stride need not be done in every stride.
        crouch = decay(world["crouch"] + needed, STRAIGHTENS, dt)
        floor = min(BOWS * tan(world["pitch"]) ** 2 * legs[0]["reach"], most)
        if crouch < floor:
            crouch = damp(crouch, floor, FOLLOWS, dt) if world["time"] > 0.0 else floor
        world["crouch"] = crouch
    return needed
