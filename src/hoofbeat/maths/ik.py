"""Inverse kinematics of limbs: two bones in closed form, and a jointed leg by its fold.

Both say whether they reached: the returned miss is the distance [m] by which the limb is too short
(positive) or cannot fold enough (negative); 0 when the target was met.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_loose import about, between, mul, nlerp, normalize, rotate

Scalar = Any

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
def two_bone_angle(upper: Scalar, lower: Scalar, distance: Scalar) -> Any:
    """Inner angle between two bones [rad] that puts their ends `distance` apart, and the miss [m].

    upper, lower > 0 [m]. Straight is pi. Too far: pi, miss > 0; too near: 0, miss < 0.
    """
    longest = upper + lower
    shortest = abs(upper - lower)
    reachable = min(max(distance, shortest), longest)
    cosine = (upper * upper + lower * lower - reachable * reachable) / (TWO * upper * lower)
    return np.arccos(min(max(cosine, -ONE), ONE)), distance - reachable


@kernel(inline=True)
def twist_angle(x: Scalar, y: Scalar, z: Scalar, w: Scalar, ax: Scalar, ay: Scalar, az: Scalar) -> Any:
    """Angle [rad], in (-pi, pi], of a rotation's twist about a unit axis."""
    s = x * ax + y * ay + z * az
    sign = ONE if w >= ZERO else -ONE
    return TWO * np.arctan2(s * sign, w * sign)


@kernel
def fold_leg(leg: Any, rotations: Any, strut: Any, distance: Any) -> Any:
    """Set the mid and low joints of a leg so that its end lies `distance` [m] from the top joint.

    leg: a LEG row; rotations (J, 4) local xyzw, float32, of which the rows mid and low are read and
    written; strut in [0, 1] first straightens them towards rest. Then both bend together by one
    amount (reciprocal apparatus), within their limits. Returns the end's place (3) in the top
    joint's space, and the miss [m].
    """
    m, k = leg["mid"], leg["low"]
    ax, ay, az = leg["axis"][0], leg["axis"][1], leg["axis"][2]
    mx, my, mz, mw = nlerp(
        rotations[m, 0], rotations[m, 1], rotations[m, 2], rotations[m, 3], ZERO, ZERO, ZERO, ONE, strut
    )
    kx, ky, kz, kw = nlerp(
        rotations[k, 0], rotations[k, 1], rotations[k, 2], rotations[k, 3], ZERO, ZERO, ZERO, ONE, strut
    )
    share = leg["share_swing"] + strut * (leg["share_strut"] - leg["share_swing"])
    bend_m, bend_k = leg["bend_mid"], leg["bend_low"] * share
    # How far the shared flexion may still go either way before one of the two joints is at its limit.
    now = leg["bend_mid"] * twist_angle(mx, my, mz, mw, ax, ay, az)
    least, most = leg["mid_range"][0] - now, leg["mid_range"][1] - now
    if share > np.float32(1e-3):
        now = leg["bend_low"] * twist_angle(kx, ky, kz, kw, ax, ay, az)
        least = max(least, (leg["low_range"][0] - now) / share)
        most = min(most, (leg["low_range"][1] - now) / share)
    most = max(least, most)

    # Bones in the top joint's space: p = to_mid + M (to_low + K to_end), M and K turned by the flexion.
    wanted = distance * distance
    flex = min(max(ZERO, least), most)
    low_known = high_known = False
    px, py, pz = ZERO, ZERO, ZERO
    nx, ny, nz, nw = mx, my, mz, mw
    lx, ly, lz, lw = kx, ky, kz, kw
    for _ in range(ITERATIONS):
        hx, hy, hz, hw = about(ax, ay, az, bend_m * flex)
        nx, ny, nz, nw = mul(mx, my, mz, mw, hx, hy, hz, hw)
        hx, hy, hz, hw = about(ax, ay, az, bend_k * flex)
        lx, ly, lz, lw = mul(kx, ky, kz, kw, hx, hy, hz, hw)
        ex, ey, ez = rotate(lx, ly, lz, lw, leg["to_end"][0], leg["to_end"][1], leg["to_end"][2])
        # d(K e)/dflex = bend_k (K axis) x (K e), and the same one level up for M.
        wx, wy, wz = rotate(lx, ly, lz, lw, ax, ay, az)
        dx = bend_k * (wy * ez - wz * ey)
        dy = bend_k * (wz * ex - wx * ez)
        dz = bend_k * (wx * ey - wy * ex)
        qx, qy, qz = rotate(
            nx, ny, nz, nw, leg["to_low"][0] + ex, leg["to_low"][1] + ey, leg["to_low"][2] + ez
        )
        wx, wy, wz = rotate(nx, ny, nz, nw, ax, ay, az)
        gx, gy, gz = rotate(nx, ny, nz, nw, dx, dy, dz)
        dx = gx + bend_m * (wy * qz - wz * qy)
        dy = gy + bend_m * (wz * qx - wx * qz)
        dz = gz + bend_m * (wx * qy - wy * qx)
        px, py, pz = leg["to_mid"][0] + qx, leg["to_mid"][1] + qy, leg["to_mid"][2] + qz
        error = px * px + py * py + pz * pz - wanted
        if abs(error) < CLOSE * distance or most - least < EPS:
            break
        # Flexing shortens: keep the side of the bracket that still holds the answer. Where Newton's step
        # would leave it, try its end (the target may be out of reach), and if that is known halve it.
        if error > ZERO:
            least, low_known = flex, True
        else:
            most, high_known = flex, True
        slope = TWO * (px * dx + py * dy + pz * dz)
        step = flex - error / slope if slope < -EPS else (least if error < ZERO else most)
        if least < step < most:
            flex = step
        elif step <= least and not low_known:
            flex, low_known = least, True
        elif step >= most and not high_known:
            flex, high_known = most, True
        else:
            flex = HALF * (least + most)

    rotations[m, 0], rotations[m, 1], rotations[m, 2], rotations[m, 3] = normalize(nx, ny, nz, nw)
    rotations[k, 0], rotations[k, 1], rotations[k, 2], rotations[k, 3] = normalize(lx, ly, lz, lw)
    return px, py, pz, distance - np.sqrt(px * px + py * py + pz * pz)


@kernel
def aim_leg(leg: Any, rotations: Any, px: Any, py: Any, pz: Any, tx: Any, ty: Any, tz: Any) -> None:
    """Turn the top joint by the least so that its end (px, py, pz), in its own space, points at t.

    t is in the space of the top joint's parent, relative to the top joint. Rotation of row `top` is
    written. A zero target leaves it as it is.
    """
    j = leg["top"]
    x, y, z, w = rotations[j, 0], rotations[j, 1], rotations[j, 2], rotations[j, 3]
    cx, cy, cz = rotate(x, y, z, w, px, py, pz)
    sx, sy, sz, sw = between(cx, cy, cz, tx, ty, tz)
    rx, ry, rz, rw = mul(sx, sy, sz, sw, x, y, z, w)
    rotations[j, 0], rotations[j, 1], rotations[j, 2], rotations[j, 3] = normalize(rx, ry, rz, rw)


@kernel(inline=True)
def apart(positions: Any, a: Any, b: Any) -> Any:
    """Distance [m] of two nodes of positions (J, 3)."""
    x, y, z = (
        positions[b, 0] - positions[a, 0],
        positions[b, 1] - positions[a, 1],
        positions[b, 2] - positions[a, 2],
    )
    return np.sqrt(x * x + y * y + z * z)


@kernel
def posed_end(leg: Any, positions: Any, turns: Any, target: Any, spin: Any, hoof: Any, end: Any) -> None:
    """How a hoof is held (4,) and where the leg above it must end (3,), for a toe at `target` (3,).

    The hoof is as the pose has it, but for its spin [rad] since it was planted. All in character space.
    """
    pastern, toe = leg["pastern"], leg["toe"]
    end[0], end[1], end[2] = target[0], target[1], target[2]
    if pastern < 0:
        return
    sx, sy, sz, sw = about(ZERO, ONE, ZERO, spin)
    x, y, z = rotate(
        sx,
        sy,
        sz,
        sw,
        positions[toe, 0] - positions[pastern, 0],
        positions[toe, 1] - positions[pastern, 1],
        positions[toe, 2] - positions[pastern, 2],
    )
    end[0], end[1], end[2] = target[0] - x, target[1] - y, target[2] - z
    hoof[0], hoof[1], hoof[2], hoof[3] = mul(
        sx, sy, sz, sw, turns[pastern, 0], turns[pastern, 1], turns[pastern, 2], turns[pastern, 3]
    )


@kernel
def shift_leg(leg: Any, parents: Any, rotations: Any, positions: Any, turns: Any, hoof: Any, end: Any) -> Any:
    """Bring the end of a leg, fetlock or toe, from where a pose has it to `end` (3,); returns the miss [m].

    rotations (J, 4) are local, of which top, mid and pastern are written; all else is in character space:
    positions (J, 3) and turns (J, 4) of the pose, hoof (4,). The middle joint bends in the plane of the pose,
    the top joint turns by the least: the pose's own end leaves it as it is. Bones may lie along any axes.
    """
    top, mid, pastern = leg["top"], leg["mid"], leg["pastern"]
    last = pastern if pastern >= 0 else leg["toe"]
    ux, uy, uz = (
        positions[mid, 0] - positions[top, 0],
        positions[mid, 1] - positions[top, 1],
        positions[mid, 2] - positions[top, 2],
    )
    lx, ly, lz = (
        positions[last, 0] - positions[mid, 0],
        positions[last, 1] - positions[mid, 1],
        positions[last, 2] - positions[mid, 2],
    )
    tx, ty, tz = end[0] - positions[top, 0], end[1] - positions[top, 1], end[2] - positions[top, 2]
    upper, lower = apart(positions, top, mid), apart(positions, mid, last)
    angle, miss = two_bone_angle(upper, lower, np.sqrt(tx * tx + ty * ty + tz * tz))
    nx, ny, nz = uy * lz - uz * ly, uz * lx - ux * lz, ux * ly - uy * lx
    length = np.sqrt(nx * nx + ny * ny + nz * nz)
    # A leg that is quite straight has no plane of its own but rounding's: it bends about the lateral axis,
    # made square to it, since a bone that turns about an axis not square to it ends elsewhere.
    if length > STRAIGHT * upper * lower:
        nx, ny, nz = nx / length, ny / length, nz / length
    else:
        part = lx / (lower * lower)
        nx, ny, nz = ONE - part * lx, -part * ly, -part * lz
        side = max(np.sqrt(nx * nx + ny * ny + nz * nz), EPS)
        nx, ny, nz = nx / side, ny / side, nz / side
    shown = ux * lx + uy * ly + uz * lz
    shown = np.arctan2(length, shown)  # how far it is bent, 0 = straight
    if shown < FAINT and nx * leg["bend_mid"] < ZERO:
        # Hardly bent, and the wrong way: that is chance, and the right way must not hang on it.
        nx, ny, nz, shown = -nx, -ny, -nz, -shown
    bx, by, bz, bw = about(nx, ny, nz, PI - angle - shown)
    ex, ey, ez = rotate(bx, by, bz, bw, lx, ly, lz)
    ax, ay, az, aw = between(ux + ex, uy + ey, uz + ez, tx, ty, tz)
    # New world rotations of top and mid, then local ones.
    gx, gy, gz, gw = mul(ax, ay, az, aw, turns[top, 0], turns[top, 1], turns[top, 2], turns[top, 3])
    p = parents[top]
    x, y, z, w = mul(-turns[p, 0], -turns[p, 1], -turns[p, 2], turns[p, 3], gx, gy, gz, gw)
    rotations[top, 0], rotations[top, 1], rotations[top, 2], rotations[top, 3] = normalize(x, y, z, w)
    p = parents[mid]
    bx, by, bz, bw = mul(bx, by, bz, bw, turns[mid, 0], turns[mid, 1], turns[mid, 2], turns[mid, 3])
    x, y, z, w = mul(-turns[p, 0], -turns[p, 1], -turns[p, 2], turns[p, 3], bx, by, bz, bw)
    rotations[mid, 0], rotations[mid, 1], rotations[mid, 2], rotations[mid, 3] = normalize(x, y, z, w)
    if pastern >= 0:
        # What hangs above the fetlock has turned with mid and top; the hoof has not.
        sx, sy, sz, sw = mul(bx, by, bz, bw, -turns[mid, 0], -turns[mid, 1], -turns[mid, 2], turns[mid, 3])
        sx, sy, sz, sw = mul(ax, ay, az, aw, sx, sy, sz, sw)
        p = parents[pastern]
        sx, sy, sz, sw = mul(sx, sy, sz, sw, turns[p, 0], turns[p, 1], turns[p, 2], turns[p, 3])
        x, y, z, w = mul(-sx, -sy, -sz, sw, hoof[0], hoof[1], hoof[2], hoof[3])
        j = pastern
        rotations[j, 0], rotations[j, 1], rotations[j, 2], rotations[j, 3] = normalize(x, y, z, w)
    return miss
