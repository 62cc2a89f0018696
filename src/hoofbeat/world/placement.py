"""Placement: a step becomes a pose in the world (the entry kernel).

For each character: move the root, find the trunk, place the feet, solve the legs, form the world
positions, write what the method may sense next. Legs are solved here and nowhere else.
"""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.exact.circular import arctan2
from hoofbeat.maths.exact.powers import e_to
from hoofbeat.maths.fk import Pose, chain
from hoofbeat.maths.ik import aim_leg, fold_leg, leg_end, posed_end, shift_leg
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_kernels import (
    IDENTITY,
    about,
    between,
    inverse,
    inverse_mul,
    mul,
    normalize,
    rotate,
    twist_angle,
)
from hoofbeat.maths.spring import decay
from hoofbeat.maths.types import Bool, Floats, Int, Quat, Real, Row, Rows, Vec3
from hoofbeat.maths.vec import (
    LEFT,
    UP,
    between_rows,
    distance,
    length,
    put,
    put_quat,
    put_vec,
    quat,
    sub,
    vec,
    vec_of,
)
from hoofbeat.records import FLIGHT, LANDING, LIFTOFF, POSED, STANCE, STRIKING, TAKEOFF, TOUCHDOWN
from hoofbeat.world.feet import let_go, place_foot, to_world, turn_to_character
from hoofbeat.world.incline import ground_below, lay_on_ground, lean_with_ground, load_leg, relieve
from hoofbeat.world.limits import in_flight
from hoofbeat.world.root import move_root
from hoofbeat.world.rows import Scratch, WorldSetting
from hoofbeat.world.terrain import Ground, ground_at

ZERO = np.float32(0.0)
HALF = np.float32(0.5)
ONE = np.float32(1.0)
TURN = np.float32(2 * np.pi)
#: Of the full reach, what a planted leg may take before the body sinks for it.
FULL = np.float32(0.998)
#: How far the body may sink for its feet [legs], and the half-life of its rise again [s].
MOST_SUNK = np.float32(0.12)
RECOVER = np.float32(0.1)
#: A planted foot is let go when the leg is this much too short for it [m].
SLIP = np.float32(5e-4)
#: A foot that stands less firmly than this, as its method says, is not held beyond its leg's reach.
FIRM = np.float32(0.97)
#: From this part of its reach on, a swinging leg is eased.
SOFT = np.float32(0.9)
STRAIGHT = np.float32(0.995)
#: A hoof pitched farther toe-up than this is taken as folded the other way round [rad].
TOE_UP = np.float32(-2.2)


@kernel
def softened(far: Real, reach: Real, shown: Real) -> Real:
    """A distance eased short of the full reach [m]: a swinging leg never snaps straighter than the pose
    shows it, which has the leg's end at the distance `shown`."""
    bend = min(max(SOFT * reach, shown), STRAIGHT * reach)
    if far <= bend:
        return far
    rest = reach - bend
    return bend + rest * (ONE - e_to((bend - far) / rest))


@kernel(inline=True)
def aim_hoof(leg: Row, pose: Pose, target: Vec3, flat: Real, spin: Real) -> tuple[Quat, Vec3]:
    """How the hoof is held and where the leg above it must end, for a toe at `target`.

    All in character space. flat lays the hoof level, turned by `spin` [rad] about the vertical (a
    planted hoof does not turn with the body). A leg without a pastern ends at the toe itself.
    """
    pastern = leg["pastern"]
    if pastern < 0:
        return IDENTITY, target
    # The hoof turns with the leg as it is brought from the pose's own toe to the target.
    swing = between(
        between_rows(pose.positions, leg["top"], leg["toe"]), sub(target, vec(pose.positions, leg["top"]))
    )
    # Level and folded may be more than half a turn apart: blend the pitch itself, heel up positive.
    pitch = twist_angle(mul(swing, quat(pose.turns, pastern)), LEFT)
    pitch = pitch + TURN if pitch < TOE_UP else pitch
    hoof = mul(about(UP, spin * flat), about(LEFT, pitch * (ONE - flat)))
    return hoof, sub(target, rotate(hoof, vec_of(leg["to_toe"])))


@kernel(inline=True)
def hold_hoof(leg: Row, target: Vec3, pitch: Real, sink: Real, spin: Real) -> tuple[Quat, Vec3]:
    """The same for a hoof that is held at `pitch` [rad], heel up, its fetlock sunk by `sink` [rad]."""
    if leg["pastern"] < 0:
        return IDENTITY, target
    hoof = mul(about(UP, spin), about(LEFT, pitch))
    to_hoof = vec_of(leg["to_hoof"])
    joint = sub(target, rotate(hoof, sub(vec_of(leg["to_toe"]), to_hoof)))
    return hoof, sub(joint, rotate(mul(hoof, about(LEFT, -sink)), to_hoof))


@kernel(inline=True)
def posed_reach(leg: Row, positions: Floats) -> Real:
    """How far [m] the end of a leg comes when only its middle joint stretches out of the pose."""
    return distance(positions, leg["top"], leg["mid"]) + distance(positions, leg["mid"], leg_end(leg))


@kernel(inline=True)
def sinking(leg: Row, positions: Floats, end: Vec3, reach: Real) -> Real:
    """How much lower [m] the body must be for the leg to reach its end; 0 when it reaches."""
    top = leg["top"]
    x, y, z = end[0] - positions[top, 0], positions[top, 1] - end[1], end[2] - positions[top, 2]
    full = FULL * reach
    upright = np.sqrt(max(full * full - x * x - z * z, ZERO))
    return max(y - upright, ZERO)


@kernel(inline=True)
def solve_leg(
    setting: WorldSetting, k: Int, rotations: Floats, pose: Pose, step: Row, hoof: Quat, end: Vec3
) -> Real:
    """Bring leg k to its end with the hoof as given; returns by how much it misses [m].

    The step's strut straightens the leg; its sink [rad] lets the fetlock of a held hoof down. rotations
    (J, 4) local are written; the pose is the one before, in character space.
    """
    leg, parents = setting.body.legs[k], setting.body.tree.parents
    strut, sink = step["strut"][k], step["sink"][k] if step["hoof"] == 1 else ZERO
    top, pastern = leg["top"], leg["pastern"]
    above = quat(pose.turns, parents[top])
    # Into the space of the top joint's parent.
    target = rotate(inverse(above), sub(end, vec(pose.positions, top)))
    far = length(target)
    eased = far
    if strut < ONE:
        shown = distance(pose.positions, top, leg_end(leg))
        eased += (ONE - strut) * (softened(far, leg["reach"], shown) - far)
    reached, miss = fold_leg(leg, rotations, strut, eased)
    aim_leg(leg, rotations, reached, target)
    if pastern >= 0:
        above = mul(mul(above, quat(rotations, top)), quat(rotations, leg["mid"]))
        above = mul(above, quat(rotations, leg["low"]))
        turn = inverse_mul(above, hoof)
        for j in range(pastern + 1, leg["last"] + 1):
            put_quat(rotations, j, IDENTITY)
        if sink != ZERO and leg["hoof"] >= 0:
            sunk = about(LEFT, sink)
            put_quat(rotations, leg["hoof"], sunk)
            turn = mul(turn, inverse(sunk))
        put_quat(rotations, pastern, normalize(turn))
    return miss


@kernel
def lift_over_ground(setting: WorldSetting, trunk: Rows | None, positions: Floats, world: Row) -> None:
    """Without locks: raise the body so that the lowest toe is on the ground (R5)."""
    lowest = ZERO
    for k in range(4):
        toe = vec(positions, setting.body.legs[k]["toe"])
        height = toe[1]
        if trunk is not None:
            below, _ = ground_below(world, setting.ground, toe)
            height -= below
        lowest = min(lowest, height)
    world["height"] -= lowest
    for j in range(positions.shape[0]):
        positions[j, 1] -= lowest


@kernel
def _mark_events(world: Row, step: Row) -> None:
    """Add touchdowns and lift-offs, as the feet really made them, to the method's events; and take-offs and
    landings of a body whose method gives whole poses and announces none."""
    flew = in_flight(world, step)
    for leg in range(4):
        down = step["contact"][leg] > HALF
        if down and not world["down"][leg]:
            step["events"] |= TOUCHDOWN << leg
        if not down and world["down"][leg]:
            step["events"] |= LIFTOFF << leg
        struck = down and not world["down"][leg]
        world["foot_phase"][leg] = (STRIKING if struck else STANCE) if down else FLIGHT
        world["down"][leg] = 1 if down else 0
    flies = in_flight(world, step)
    if step["hoof"] == POSED and flies != flew and world["time"] > 0.0:
        step["events"] |= TAKEOFF if flies else LANDING


@kernel
def write_sense(world: Row, step: Row, ground: Ground, sense: Row) -> None:
    """What the method may know in its next step."""
    height = world["position"][1]
    sense["ground_height"] = height
    _, normal = ground_at(ground, world["position"][0], world["position"][2])
    put_vec(sense["ground_normal"], turn_to_character(world, normal))
    sense["path_pitch"] = arctan2(-sense["ground_normal"][2], sense["ground_normal"][1])
    for leg in range(4):
        x, _, z = to_world(world, (step["foot"][leg, 0], 0.0, step["foot"][leg, 2]))
        below, normal = ground_at(ground, x, z)
        sense["landing_height"][leg] = below - height
        put(sense["landing_normal"], leg, turn_to_character(world, normal))
    put_vec(sense["velocity"], turn_to_character(world, vec_of(world["velocity"])))
    sense["yaw"] = world["yaw"]
    sense["airborne"] = world["airborne"]
    sense["air_height"] = world["height"]


@kernel(inline=True)
def planted_too_far(step: Row, leg: Int, miss: Real) -> Bool:
    """Whether a planted foot is out of its leg's reach."""
    return step["contact"][leg] > HALF and miss > SLIP


@kernel(inline=True)
def target_foot(setting: WorldSetting, k: Int, world: Row, dt: Real, step: Row, scratch: Scratch) -> Bool:
    """Where toe k goes, into `targets`, and the step's contact made real; returns whether it is planted.

    Without lock every toe goes where the method wants it, planted or not.
    """
    firm = step["contact"][k]
    planted = firm > HALF
    if setting.lock:
        if world["locked"][k] == 0 and firm < FIRM:
            # One that was let go as it left does not come down again on its way.
            step["contact"][k] = ZERO
        planted, target = place_foot(world, step, k, setting.body.legs[k]["reach"], setting.ground, dt)
        put(scratch.targets, k, target)
        step["contact"][k] = ONE if planted else ZERO
    else:
        put(scratch.targets, k, vec(step["foot"], k))
    return planted


@kernel(inline=True)
def target_leg(
    setting: WorldSetting,
    trunk: Rows | None,
    k: Int,
    world: Row,
    dt: Real,
    step: Row,
    planted: Bool,
    scratch: Scratch,
) -> None:
    """How hoof k is held and where the leg above it must end, into `hooves`, `ends` and `reaches`."""
    leg, pose, target = setting.body.legs[k], scratch.pose, vec(scratch.targets, k)
    normal = UP
    if trunk is not None:
        below, normal = ground_below(world, setting.ground, target)
        target = (target[0], target[1] + below, target[2])
        put(scratch.targets, k, target)
    spin = world["spin"][k]
    if step["hoof"] == POSED:
        hoof, end = posed_end(leg, pose, target, spin)
    elif step["hoof"] == 1:
        hoof, end = hold_hoof(leg, target, step["pitch"][k], step["sink"][k], spin)
    else:
        hoof, end = aim_hoof(leg, pose, target, step["flat"][k], spin)
    scratch.reaches[k] = posed_reach(leg, pose.positions) if step["hoof"] == POSED else leg["reach"]
    if trunk is not None:
        part = ONE if step["hoof"] == 1 else step["flat"][k]
        hoof, end = lay_on_ground(normal, part, target, hoof, end)
        load_leg(world, k, planted, step["strut"][k], dt)
    put_quat(scratch.hooves, k, hoof)
    put(scratch.ends, k, end)


@kernel(inline=True)
def place_legs(
    setting: WorldSetting,
    trunk: Rows | None,
    world: Row,
    dt: Real,
    rotations: Floats,
    step: Row,
    sense: Row,
    scratch: Scratch,
) -> None:
    """Feet, body height and legs of one character whose trunk stands in scratch; see `place`."""
    tree, legs = setting.body.tree, setting.body.legs
    lock, pose = setting.lock, scratch.pose
    needed = ZERO
    for k in range(4):
        firm, stood = step["contact"][k], world["locked"][k] != 0
        planted = target_foot(setting, k, world, dt, step, scratch)
        target_leg(setting, trunk, k, world, dt, step, planted, scratch)
        lower = sinking(legs[k], pose.positions, vec(scratch.ends, k), scratch.reaches[k])
        if planted and stood and lock and firm < FIRM and lower > ZERO:
            # It is about to leave anyway, and nothing is pulled down for it.
            planted = False
            world["locked"][k], step["contact"][k] = 0, ZERO
        if planted:
            needed = max(needed, lower)
    if trunk is None:
        # The body sinks as a planted leg needs it, at once, and comes back gently.
        sunk = max(decay(world["sunk"], RECOVER, np.float32(dt)), min(needed, MOST_SUNK * legs[0]["reach"]))
        world["sunk"] = ZERO if world["airborne"] else sunk
        lower = world["sunk"]
    else:
        lower = relieve(setting.body, trunk[0], world, dt, rotations, scratch)
    for j in range(pose.positions.shape[0]):
        pose.positions[j, 1] -= lower
    for k in range(4):
        hoof, end = quat(scratch.hooves, k), vec(scratch.ends, k)
        if step["hoof"] == POSED:
            miss = shift_leg(legs[k], tree, rotations, pose, hoof, end)
        else:
            miss = solve_leg(setting, k, rotations, pose, step, hoof, end)
        sense["shortfall"][k] = miss
        if lock and planted_too_far(step, k, miss) and let_go(world, k, 2 if step["standing"] else 1):
            step["contact"][k] = ZERO
        chain(tree, rotations, legs[k]["top"], legs[k]["last"], pose)


@kernel(inline=True)
def place_trunk(setting: WorldSetting, world: Row, rotations: Floats, pose: Pose) -> None:
    """The pose of all nodes in character space, as the method has it."""
    put(pose.positions, 0, (ZERO, np.float32(world["height"]), ZERO))
    put_quat(pose.turns, 0, quat(rotations, 0))
    chain(setting.body.tree, rotations, 1, rotations.shape[0] - 1, pose)


@kernel
def write_positions(world: Row, positions: Floats, out: Floats) -> None:
    """World positions (J, 3) float64 [m] of those in character space."""
    s, c = world["sine"], world["cosine"]
    for j in range(positions.shape[0]):
        x, z = np.float64(positions[j, 0]), np.float64(positions[j, 2])
        out[j, 0] = world["position"][0] + c * x + s * z
        out[j, 1] = world["position"][1] + positions[j, 1]
        out[j, 2] = world["position"][2] - s * x + c * z


@kernel
def place(
    setting: WorldSetting,
    trunk: Rows | None,
    worlds: Rows,
    dt: Real,
    rotations: Floats,
    steps: Rows,
    senses: Rows,
    out: Floats,
) -> None:
    """Place N characters.

    trunk: (1,) TRUNK on uneven ground and None on level ground, for which all else is then left out as the
    kernel is compiled.
    rotations (N, J, 4) are the method's on entry and the placed ones on return; out (N, J, 3) float64
    world positions [m]; steps (N,) STEP, whose contacts become the real ones; senses (N,) are written.
    """
    scratch = setting.scratch
    for i in range(worlds.shape[0]):
        world, step = worlds[i], steps[i]
        planned = step["height"]
        if trunk is None:
            move_root(world, step, setting.ground, None, dt)
        else:
            move_root(world, step, setting.ground, trunk[0]["home"], dt)
            planned += world["base"]
            lean_with_ground(world, trunk[0], setting.ground, dt, rotations[i])
        place_trunk(setting, world, rotations[i], scratch.pose)
        if setting.lock or step["hoof"] == 1:
            # Feet in the air keep their place under a body that flies higher or lower than planned.
            extra = np.float32(world["height"] - planned) if world["airborne"] else ZERO
            for k in range(4):
                step["foot"][k, 1] += extra
            place_legs(setting, trunk, world, dt, rotations[i], step, senses[i], scratch)
        elif step["hoof"] != POSED:
            lift_over_ground(setting, trunk, scratch.pose.positions, world)
        _mark_events(world, step)
        write_sense(world, step, setting.ground, senses[i])
        write_positions(world, scratch.pose.positions, out[i])


@kernel
def place_uneven(
    setting: WorldSetting,
    trunk: Rows | None,
    worlds: Rows,
    dt: Real,
    rotations: Floats,
    steps: Rows,
    senses: Rows,
    out: Floats,
) -> None:
    """`place` on uneven ground, under a name of its own: it is compiled only where it is used."""
    place(setting, trunk, worlds, dt, rotations, steps, senses, out)
