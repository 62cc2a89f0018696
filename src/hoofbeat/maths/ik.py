"""Inverse kinematics of limbs: two bones in closed form, and a jointed leg by its fold.

Both say whether they reached: the returned miss is the distance [m] by which the limb is too short
(positive) or cannot fold enough (negative); 0 when the target was met.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_kernels import about, between, mul, nlerp, normalize, rotate

Scalar = Any

ZERO = np.float32(0.0)
HALF = np.float32(0.5)
ONE = np.float32(1.0)
TWO = np.float32(2.0)
EPS = np.float32(1e-9)
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
