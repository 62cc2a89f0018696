"""Placement: a step becomes a pose in the world (the entry kernel).

For each character: move the root, find the trunk, place the feet, solve the legs, form the world
positions, write what the method may sense next. Legs are solved here and nowhere else.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.fk import chain
from hoofbeat.maths.ik import aim_leg, apart, fold_leg, posed_end, shift_leg, twist_angle
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_loose import about, between, mul, normalize, rotate
from hoofbeat.maths.spring import decay
from hoofbeat.records import FLIGHT, LANDING, LIFTOFF, POSED, STANCE, STRIKING, TAKEOFF, TOUCHDOWN
from hoofbeat.world.feet import let_go, place_foot, to_world
from hoofbeat.world.incline import ground_below, lay_on_ground, lean_with_ground, load_leg, relieve
from hoofbeat.world.limits import in_flight
from hoofbeat.world.root import move_root
from hoofbeat.world.terrain import ground_at

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
def softened(distance: Any, reach: Any, shown: Any) -> Any:
    """A distance eased short of the full reach [m]: a swinging leg never snaps straighter than the pose
    shows it, which has the leg's end at the distance `shown`."""
    bend = min(max(SOFT * reach, shown), STRAIGHT * reach)
    if distance <= bend:
        return distance
    room = reach - bend
    return bend + room * (ONE - np.exp((bend - distance) / room))


@kernel
def aim_hoof(
    leg: Any, positions: Any, turns: Any, target: Any, flat: Any, spin: Any, hoof: Any, end: Any
) -> None:
    """How the hoof is held (4,) and where the leg above it must end (3,), for a toe at `target` (3,).

    All in character space. flat lays the hoof level, turned by `spin` [rad] about the vertical (a
    planted hoof does not turn with the body). A leg without a pastern ends at the toe itself.
    """
    top, pastern, toe = leg["top"], leg["pastern"], leg["toe"]
    end[0], end[1], end[2] = target[0], target[1], target[2]
    if pastern < 0:
        return
    # The hoof turns with the leg as it is brought from the pose's own toe to the target.
    sx, sy, sz, sw = between(
        positions[toe, 0] - positions[top, 0],
        positions[toe, 1] - positions[top, 1],
        positions[toe, 2] - positions[top, 2],
        target[0] - positions[top, 0],
        target[1] - positions[top, 1],
        target[2] - positions[top, 2],
    )
    sx, sy, sz, sw = mul(
        sx, sy, sz, sw, turns[pastern, 0], turns[pastern, 1], turns[pastern, 2], turns[pastern, 3]
    )
    # Level and folded may be more than half a turn apart: blend the pitch itself, heel up positive.
    pitch = twist_angle(sx, sy, sz, sw, ONE, ZERO, ZERO)
    pitch = pitch + TURN if pitch < TOE_UP else pitch
    sx, sy, sz, sw = about(ZERO, ONE, ZERO, spin * flat)
    hx, hy, hz, hw = about(ONE, ZERO, ZERO, pitch * (ONE - flat))
    hx, hy, hz, hw = mul(sx, sy, sz, sw, hx, hy, hz, hw)
    hoof[0], hoof[1], hoof[2], hoof[3] = hx, hy, hz, hw
    x, y, z = rotate(hx, hy, hz, hw, leg["to_toe"][0], leg["to_toe"][1], leg["to_toe"][2])
    end[0], end[1], end[2] = target[0] - x, target[1] - y, target[2] - z


@kernel
def hold_hoof(leg: Any, target: Any, pitch: Any, sink: Any, spin: Any, hoof: Any, end: Any) -> None:
    """The same for a hoof that is held at `pitch` [rad], heel up, its fetlock sunk by `sink` [rad]."""
    end[0], end[1], end[2] = target[0], target[1], target[2]
    if leg["pastern"] < 0:
        return
    sx, sy, sz, sw = about(ZERO, ONE, ZERO, spin)
    hx, hy, hz, hw = about(ONE, ZERO, ZERO, pitch)
    hx, hy, hz, hw = mul(sx, sy, sz, sw, hx, hy, hz, hw)
    hoof[0], hoof[1], hoof[2], hoof[3] = hx, hy, hz, hw
    ax, ay, az = leg["to_hoof"][0], leg["to_hoof"][1], leg["to_hoof"][2]
    bx, by, bz = leg["to_toe"][0] - ax, leg["to_toe"][1] - ay, leg["to_toe"][2] - az
    x, y, z = rotate(hx, hy, hz, hw, bx, by, bz)
    end[0], end[1], end[2] = end[0] - x, end[1] - y, end[2] - z
    sx, sy, sz, sw = about(ONE, ZERO, ZERO, -sink)
    hx, hy, hz, hw = mul(hx, hy, hz, hw, sx, sy, sz, sw)
    x, y, z = rotate(hx, hy, hz, hw, ax, ay, az)
    end[0], end[1], end[2] = end[0] - x, end[1] - y, end[2] - z


@kernel
def posed_reach(leg: Any, positions: Any) -> Any:
    """How far [m] the end of a leg comes when only its middle joint stretches out of the pose."""
    top, mid = leg["top"], leg["mid"]
    last = leg["pastern"] if leg["pastern"] >= 0 else leg["toe"]
    return apart(positions, top, mid) + apart(positions, mid, last)


@kernel(inline=True)
def sinking(leg: Any, positions: Any, end: Any, length: Any) -> Any:
    """How much lower [m] the body must be for the leg to reach its end; 0 when it reaches."""
    top = leg["top"]
    x, y, z = end[0] - positions[top, 0], positions[top, 1] - end[1], end[2] - positions[top, 2]
    reach = FULL * length
    upright = np.sqrt(max(reach * reach - x * x - z * z, ZERO))
    return max(y - upright, ZERO)


@kernel
def solve_leg(
    leg: Any,
    parents: Any,
    rotations: Any,
    positions: Any,
    turns: Any,
    strut: Any,
    sink: Any,
    hoof: Any,
    end: Any,
) -> Any:
    """Bring one leg to its end (3,) with the hoof as given (4,); returns by how much it misses [m].

    strut straightens the leg; sink [rad] lets the fetlock down, the hoof held. rotations (J, 4) local are
    written; positions and turns (J, 3), (J, 4) are those of the pose before, in character space.
    """
    top, pastern = leg["top"], leg["pastern"]
    p = parents[top]
    # Into the space of the top joint's parent.
    gx, gy, gz, gw = turns[p, 0], turns[p, 1], turns[p, 2], turns[p, 3]
    x, y, z = end[0] - positions[top, 0], end[1] - positions[top, 1], end[2] - positions[top, 2]
    x, y, z = rotate(-gx, -gy, -gz, gw, x, y, z)
    far = np.sqrt(x * x + y * y + z * z)
    eased = far
    if strut < ONE:
        last = pastern if pastern >= 0 else leg["toe"]
        sx, sy, sz = (
            positions[last, 0] - positions[top, 0],
            positions[last, 1] - positions[top, 1],
            positions[last, 2] - positions[top, 2],
        )
        shown = np.sqrt(sx * sx + sy * sy + sz * sz)
        eased += (ONE - strut) * (softened(far, leg["reach"], shown) - far)
    ex, ey, ez, miss = fold_leg(leg, rotations, strut, eased)
    aim_leg(leg, rotations, ex, ey, ez, x, y, z)
    if pastern >= 0:
        for k in range(3):
            j = top if k == 0 else leg["mid"] if k == 1 else leg["low"]
            gx, gy, gz, gw = mul(
                gx, gy, gz, gw, rotations[j, 0], rotations[j, 1], rotations[j, 2], rotations[j, 3]
            )
        x, y, z, w = mul(-gx, -gy, -gz, gw, hoof[0], hoof[1], hoof[2], hoof[3])
        for j in range(pastern + 1, leg["last"] + 1):
            rotations[j, 0], rotations[j, 1], rotations[j, 2], rotations[j, 3] = ZERO, ZERO, ZERO, ONE
        j = leg["hoof"]
        if sink != ZERO and j >= 0:
            sx, sy, sz, sw = about(ONE, ZERO, ZERO, sink)
            rotations[j, 0], rotations[j, 1], rotations[j, 2], rotations[j, 3] = sx, sy, sz, sw
            x, y, z, w = mul(x, y, z, w, -sx, -sy, -sz, sw)
        x, y, z, w = normalize(x, y, z, w)
        j = pastern
        rotations[j, 0], rotations[j, 1], rotations[j, 2], rotations[j, 3] = x, y, z, w
    return miss


@kernel
def lift_over_ground(legs: Any, trunk: Any, positions: Any, world: Any, kind: Any, parameters: Any) -> None:
    """Without locks: raise the body so that the lowest toe is on the ground (R5)."""
    lowest = ZERO
    for k in range(4):
        toe = legs[k]["toe"]
        height = positions[toe, 1]
        if trunk is not None:
            below, _, _, _ = ground_below(world, kind, parameters, positions[toe, 0], positions[toe, 2])
            height -= below
        lowest = min(lowest, height)
    world["height"] -= lowest
    for j in range(positions.shape[0]):
        positions[j, 1] -= lowest


@kernel
def mark_events(world: Any, step: Any) -> None:
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
def write_sense(world: Any, step: Any, kind: Any, parameters: Any, sense: Any) -> None:
    """What the method may know in its next step."""
    height = world["position"][1]
    sense["ground_height"] = height
    _, nx, ny, nz = ground_at(kind, parameters, world["position"][0], world["position"][2])
    s, c = world["sine"], world["cosine"]
    sense["ground_normal"][0], sense["ground_normal"][1] = c * nx - s * nz, ny
    sense["ground_normal"][2] = s * nx + c * nz
    sense["path_pitch"] = np.arctan2(-sense["ground_normal"][2], sense["ground_normal"][1])
    for leg in range(4):
        x, _, z = to_world(world, step["foot"][leg, 0], 0.0, step["foot"][leg, 2])
        ground, nx, ny, nz = ground_at(kind, parameters, x, z)
        sense["landing_height"][leg] = ground - height
        sense["landing_normal"][leg, 0], sense["landing_normal"][leg, 1] = c * nx - s * nz, ny
        sense["landing_normal"][leg, 2] = s * nx + c * nz
    vx, vz = world["velocity"][0], world["velocity"][2]
    sense["velocity"][0], sense["velocity"][1] = c * vx - s * vz, world["velocity"][1]
    sense["velocity"][2] = s * vx + c * vz
    sense["yaw"] = world["yaw"]
    sense["airborne"] = world["airborne"]
    sense["air_height"] = world["height"]


@kernel(inline=True)
def planted_too_far(step: Any, leg: Any, miss: Any) -> Any:
    """Whether a planted foot is out of its leg's reach."""
    return step["contact"][leg] > HALF and miss > SLIP


@kernel
def place_legs(
    legs: Any,
    body: Any,
    trunk: Any,
    ground: Any,
    lock: Any,
    world: Any,
    dt: Any,
    turn: Any,
    step: Any,
    sense: Any,
    scratch: Any,
    room: Any,
) -> None:
    """Feet, body height and legs of one character whose trunk stands in scratch; see `place`.

    Without lock every toe goes where the method wants it, planted or not.
    """
    parents, offsets, _ = body
    kind, parameters = ground
    positions, turns, targets, ends, hooves = scratch
    needed = ZERO
    for k in range(4):
        firm, stood = step["contact"][k], world["locked"][k] != 0
        planted = firm > HALF
        if lock:
            if not stood and firm < FIRM:
                # One that was let go as it left does not come down again on its way.
                step["contact"][k] = ZERO
            planted = place_foot(world, step, k, legs[k]["reach"], kind, parameters, dt, targets[k])
            step["contact"][k] = ONE if planted else ZERO
        else:
            for axis in range(3):
                targets[k, axis] = step["foot"][k, axis]
        nx, ny, nz = ZERO, ONE, ZERO
        if trunk is not None:
            below, nx, ny, nz = ground_below(world, kind, parameters, targets[k, 0], targets[k, 2])
            targets[k, 1] += below
        spin = world["spin"][k]
        if step["hoof"] == POSED:
            posed_end(legs[k], positions, turns, targets[k], spin, hooves[k], ends[k])
        elif step["hoof"] == 1:
            hold_hoof(legs[k], targets[k], step["pitch"][k], step["sink"][k], spin, hooves[k], ends[k])
        else:
            aim_hoof(legs[k], positions, turns, targets[k], step["flat"][k], spin, hooves[k], ends[k])
        reach = posed_reach(legs[k], positions) if step["hoof"] == POSED else legs[k]["reach"]
        if trunk is not None:
            room[2][k] = reach
            part = ONE if step["hoof"] == 1 else step["flat"][k]
            lay_on_ground(nx, ny, nz, part, targets[k], hooves[k], ends[k])
            load_leg(world, k, planted, step["strut"][k], dt)
        if planted and stood and lock and firm < FIRM and sinking(legs[k], positions, ends[k], reach) > ZERO:
            # It is about to leave anyway, and nothing is pulled down for it.
            planted = False
            world["locked"][k], step["contact"][k] = 0, ZERO
        if trunk is None and planted:
            needed = max(needed, sinking(legs[k], positions, ends[k], reach))
    if trunk is None:
        # The body sinks as a planted leg needs it, at once, and comes back gently.
        sunk = max(decay(world["sunk"], RECOVER, np.float32(dt)), min(needed, MOST_SUNK * legs[0]["reach"]))
        world["sunk"] = ZERO if world["airborne"] else sunk
        lower = world["sunk"]
    else:
        lower = relieve(body, trunk[0], world, dt, turn, scratch, room)
    for j in range(positions.shape[0]):
        positions[j, 1] -= lower
    for k in range(4):
        sink = step["sink"][k] if step["hoof"] == 1 else ZERO
        strut = step["strut"][k]
        if step["hoof"] == POSED:
            miss = shift_leg(legs[k], parents, turn, positions, turns, hooves[k], ends[k])
        else:
            miss = solve_leg(legs[k], parents, turn, positions, turns, strut, sink, hooves[k], ends[k])
        sense["shortfall"][k] = miss
        if lock and planted_too_far(step, k, miss) and let_go(world, k, 2 if step["standing"] else 1):
            step["contact"][k] = ZERO
        chain(parents, offsets, turn, legs[k]["top"], legs[k]["last"], positions, turns)


@kernel
def place(
    body: Any,
    trunk: Any,
    ground: Any,
    lock: Any,
    worlds: Any,
    dt: Any,
    rotations: Any,
    steps: Any,
    senses: Any,
    out: Any,
) -> None:
    """Place N characters. body: (parents, offsets, legs); ground: (kind, parameters); lock: feet held.

    trunk: (1,) TRUNK on uneven ground and None on level ground, for which all else is then left out as the
    kernel is compiled.
    rotations (N, J, 4) are the method's on entry and the placed ones on return; out (N, J, 3) float64
    world positions [m]; steps (N,) STEP, whose contacts become the real ones; senses (N,) are written.
    """
    parents, offsets, legs = body
    kind, parameters = ground
    nodes = parents.shape[0]
    positions = np.zeros((nodes, 3), np.float32)
    turns = np.zeros((nodes, 4), np.float32)
    targets, ends = np.zeros((4, 3), np.float32), np.zeros((4, 3), np.float32)
    scratch = (positions, turns, targets, ends, np.zeros((4, 4), np.float32))
    room = (np.zeros((nodes, 4), np.float32), np.zeros(3, np.float32), np.zeros(4, np.float32))
    for i in range(worlds.shape[0]):
        world, step, turn = worlds[i], steps[i], rotations[i]
        planned = step["height"]
        if trunk is None:
            move_root(world, step, kind, parameters, None, dt)
        else:
            move_root(world, step, kind, parameters, trunk[0]["home"], dt)
            planned += world["base"]
            lean_with_ground(world, trunk[0], kind, parameters, dt, turn)
        positions[0, 0], positions[0, 1], positions[0, 2] = ZERO, np.float32(world["height"]), ZERO
        turns[0, 0], turns[0, 1], turns[0, 2], turns[0, 3] = turn[0, 0], turn[0, 1], turn[0, 2], turn[0, 3]
        chain(parents, offsets, turn, 1, nodes - 1, positions, turns)
        if lock or step["hoof"] == 1:
            # Feet in the air keep their place under a body that flies higher or lower than planned.
            extra = np.float32(world["height"] - planned) if world["airborne"] else ZERO
            for k in range(4):
                step["foot"][k, 1] += extra
            place_legs(legs, body, trunk, ground, lock, world, dt, turn, step, senses[i], scratch, room)
        elif step["hoof"] != POSED:
            lift_over_ground(legs, trunk, positions, world, kind, parameters)
        mark_events(world, step)
        write_sense(world, step, kind, parameters, senses[i])
        s, c = world["sine"], world["cosine"]
        for j in range(nodes):
            x, z = np.float64(positions[j, 0]), np.float64(positions[j, 2])
            out[i, j, 0] = world["position"][0] + c * x + s * z
            out[i, j, 1] = world["position"][1] + positions[j, 1]
            out[i, j, 2] = world["position"][2] - s * x + c * z


@kernel
def place_uneven(
    body: Any,
    trunk: Any,
    ground: Any,
    lock: Any,
    worlds: Any,
    dt: Any,
    rotations: Any,
    steps: Any,
    senses: Any,
    out: Any,
) -> None:
    """`place` on uneven ground, under a name of its own: it is compiled only where it is used."""
    place(body, trunk, ground, lock, worlds, dt, rotations, steps, senses, out)
