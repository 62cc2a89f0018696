"""Inverse kinematics of limbs: two bones in closed form, and a jointed leg by its fold.

Both say whether they reached: the returned miss is the distance [m] by which the limb is too short
(positive) or cannot fold enough (negative); 0 when the target was met.
"""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.exact.circular import arccos, arctan2
from hoofbeat.maths.fk import Pose, Tree
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_kernels import (
    IDENTITY,
    about,
    between,
    inverse,
    inverse_mul,
    mul,
    nlerp,
    normalize,
    rotate,
    twist_angle,
)
from hoofbeat.maths.types import Floats, Quat, Real, Row, Vec3
from hoofbeat.maths.vec import (
    UP,
    add,
    between_rows,
    cross,
    distance,
    divide,
    dot,
    length,
    put_quat,
    quat,
    scale,
    sub,
    vec,
    vec_of,
)

ZERO = np.float32(0.0)
HALF = np.float32(0.5)
ONE = np.float32(1.0)
TWO = np.float32(2.0)
EPS = np.float32(1e-9)
PI = np.float32(np.pi)
#: A leg bent by less than this [rad] is nearly straight.
FAINT = np.float32(0.6)
#: And by less than this [rad], so straight that the plane in which it bends is lost in rounding.
STRAIGHT = np.float32(1e-3)
#: Newton steps of the fold, and where it stops early [m² of squared distance].
ITERATIONS = 16
CLOSE = np.float32(4e-6)


@kernel(inline=True)
def two_bone_angle(upper: Real, lower: Real, distance: Real) -> tuple[Real, Real]:
    """Inner angle between two bones [rad] that puts their ends `distance` apart, and the miss [m].

    upper, lower > 0 [m]. Straight is pi. Too far: pi, miss > 0; too near: 0, miss < 0.
    """
    longest = upper + lower
    shortest = abs(upper - lower)
    reachable = min(max(distance, shortest), longest)
    cosine = (upper * upper + lower * lower - reachable * reachable) / (TWO * upper * lower)
    return arccos(min(max(cosine, -ONE), ONE)), distance - reachable


@kernel(inline=True)
def flexion_range(leg: Row, mid: Quat, low: Quat, share: Real) -> tuple[Real, Real]:
    """How far the shared flexion may still go either way until one of the joints is at its limit [rad]."""
    axis = vec_of(leg["axis"])
    now = leg["bend_mid"] * twist_angle(mid, axis)
    least, most = leg["mid_range"][0] - now, leg["mid_range"][1] - now
    if share > np.float32(1e-3):
        now = leg["bend_low"] * twist_angle(low, axis)
        least = max(least, (leg["low_range"][0] - now) / share)
        most = min(most, (leg["low_range"][1] - now) / share)
    return least, max(least, most)


@kernel(inline=True)
def flexed(
    leg: Row, mid: Quat, low: Quat, bends: tuple[Real, Real], flex: Real
) -> tuple[Quat, Quat, Vec3, Vec3]:
    """Both joints bent by `flex` [rad]: mid, low, the end in the top joint's space and its change with flex.

    The end is to_mid + M (to_low + K to_end), M and K the turns of mid and low.
    """
    axis = vec_of(leg["axis"])
    mid = mul(mid, about(axis, bends[0] * flex))
    low = mul(low, about(axis, bends[1] * flex))
    end = rotate(low, vec_of(leg["to_end"]))
    # d(K e)/dflex = bend (K axis) x (K e), and the same one level up for M.
    slope = scale(cross(rotate(low, axis), end), bends[1])
    below = rotate(mid, add(vec_of(leg["to_low"]), end))
    slope = add(rotate(mid, slope), scale(cross(rotate(mid, axis), below), bends[0]))
    return mid, low, add(vec_of(leg["to_mid"]), below), slope


@kernel
def fold_leg(leg: Row, rotations: Floats, strut: Real, distance: Real) -> tuple[Vec3, Real]:
    """Set the mid and low joints of a leg so that its end lies `distance` [m] from the top joint.

    leg: a LEG row; rotations (J, 4) local xyzw, float32, of which the rows mid and low are read and
    written; strut in [0, 1] first straightens them towards rest. Then both bend together by one
    amount (reciprocal apparatus), within their limits. Returns the end's place in the top
    joint's space, and the miss [m].
    """
    mid = nlerp(quat(rotations, leg["mid"]), IDENTITY, strut)
    low = nlerp(quat(rotations, leg["low"]), IDENTITY, strut)
    share = leg["share_swing"] + strut * (leg["share_strut"] - leg["share_swing"])
    bends = (leg["bend_mid"], leg["bend_low"] * share)
    least, most = flexion_range(leg, mid, low, share)

    wanted = distance * distance
    flex = min(max(ZERO, least), most)
    low_known = high_known = False
    end = (ZERO, ZERO, ZERO)
    mid_now, low_now = mid, low
    for _ in range(ITERATIONS):
        mid_now, low_now, end, slopes = flexed(leg, mid, low, bends, flex)
        error = dot(end, end) - wanted
        if abs(error) < CLOSE * distance or most - least < EPS:
            break
        # Flexing shortens: keep the side of the bracket that still holds the answer. Where Newton's step
        # would leave it, try its end (the target may be out of reach), and if that is known halve it.
        if error > ZERO:
            least, low_known = flex, True
        else:
            most, high_known = flex, True
        slope = TWO * dot(end, slopes)
        step = flex - error / slope if slope < -EPS else (least if error < ZERO else most)
        if least < step < most:
            flex = step
        elif step <= least and not low_known:
            flex, low_known = least, True
        elif step >= most and not high_known:
            flex, high_known = most, True
        else:
            flex = HALF * (least + most)

    put_quat(rotations, leg["mid"], normalize(mid_now))
    put_quat(rotations, leg["low"], normalize(low_now))
    return end, distance - length(end)


@kernel
def aim_leg(leg: Row, rotations: Floats, end: Vec3, target: Vec3) -> None:
    """Turn the top joint by the least so that its end, in its own space, points at the target.

    The target is in the space of the top joint's parent, relative to the top joint. Rotation of row `top` is
    written. A zero target leaves it as it is.
    """
    top = quat(rotations, leg["top"])
    turn = between(rotate(top, end), target)
    put_quat(rotations, leg["top"], normalize(mul(turn, top)))


@kernel(inline=True)
def leg_end(leg: Row) -> int:
    """The node that ends a leg for the solver: the fetlock, or the toe where there is none."""
    return leg["pastern"] if leg["pastern"] >= 0 else leg["toe"]


@kernel(inline=True)
def posed_end(leg: Row, pose: Pose, target: Vec3, spin: Real) -> tuple[Quat, Vec3]:
    """How a hoof is held and where the leg above it must end, for a toe at `target`.

    The hoof is as the pose has it, but for its spin [rad] since it was planted. All in character space.
    """
    pastern = leg["pastern"]
    if pastern < 0:
        return IDENTITY, target
    turn = about(UP, spin)
    end = sub(target, rotate(turn, between_rows(pose.positions, pastern, leg["toe"])))
    return mul(turn, quat(pose.turns, pastern)), end


@kernel(inline=True)
def bend_plane(leg: Row, upper: Vec3, lower: Vec3, lengths: tuple[Real, Real]) -> tuple[Vec3, Real]:
    """Unit normal of the plane in which two bones bend, and how far they are bent [rad], 0 = straight."""
    normal = cross(upper, lower)
    size = length(normal)
    # A leg that is quite straight has no plane of its own but rounding's: it bends about the lateral axis,
    # made square to it, since a bone that turns about an axis not square to it ends elsewhere.
    if size > STRAIGHT * lengths[0] * lengths[1]:
        normal = divide(normal, size)
    else:
        part = lower[0] / (lengths[1] * lengths[1])
        normal = (ONE - part * lower[0], -part * lower[1], -part * lower[2])
        normal = divide(normal, max(length(normal), EPS))
    bent = arctan2(size, dot(upper, lower))
    if bent < FAINT and normal[0] * leg["bend_mid"] < ZERO:
        # Hardly bent, and the wrong way: that is chance, and the right way must not hang on it.
        normal, bent = (-normal[0], -normal[1], -normal[2]), -bent
    return normal, bent


@kernel
def shift_leg(leg: Row, tree: Tree, rotations: Floats, pose: Pose, hoof: Quat, end: Vec3) -> Real:
    """Bring the end of a leg, fetlock or toe, from where a pose has it to `end`; returns the miss [m].

    rotations (J, 4) are local, of which top, mid and pastern are written; all else is in character space:
    the pose and how the hoof is held. The middle joint bends in the plane of the pose,
    the top joint turns by the least: the pose's own end leaves it as it is. Bones may lie along any axes.
    """
    top, mid, pastern = leg["top"], leg["mid"], leg["pastern"]
    last, parents, turns, positions = leg_end(leg), tree.parents, pose.turns, pose.positions
    upper, lower = between_rows(positions, top, mid), between_rows(positions, mid, last)
    target = sub(end, vec(positions, top))
    lengths = (distance(positions, top, mid), distance(positions, mid, last))
    angle, miss = two_bone_angle(lengths[0], lengths[1], length(target))
    normal, bent = bend_plane(leg, upper, lower, lengths)
    bend = about(normal, PI - angle - bent)
    turn = between(add(upper, rotate(bend, lower)), target)
    # New world rotations of top and mid, then local ones.
    local = inverse_mul(quat(turns, parents[top]), mul(turn, quat(turns, top)))
    put_quat(rotations, top, normalize(local))
    bend = mul(bend, quat(turns, mid))
    put_quat(rotations, mid, normalize(inverse_mul(quat(turns, parents[mid]), bend)))
    if pastern >= 0:
        # What hangs above the fetlock has turned with mid and top; the hoof has not.
        above = mul(turn, mul(bend, inverse(quat(turns, mid))))
        above = mul(above, quat(turns, parents[pastern]))
        put_quat(rotations, pastern, normalize(inverse_mul(above, hoof)))
    return miss
