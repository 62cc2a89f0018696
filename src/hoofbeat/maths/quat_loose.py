"""Scalar quaternion helpers for inner loops: xyzw tuples in, tuples out, pasted into the caller.

They work in the precision of their arguments; callers keep constants as np.float32 names so that a
float32 loop stays float32. The array twins, with the same names, are in `quat`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.jit import kernel

Scalar = Any  # a NumPy or Numba floating scalar, float32 or float64

ZERO = np.float32(0.0)
HALF = np.float32(0.5)
ONE = np.float32(1.0)
TWO = np.float32(2.0)
TINY = np.float32(1e-12)
#: 1 + cos below which two directions count as opposite: what float32 can tell apart.
OPPOSITE = np.float32(1e-7)


@kernel(inline=True)
def mul(
    ax: Scalar, ay: Scalar, az: Scalar, aw: Scalar, bx: Scalar, by: Scalar, bz: Scalar, bw: Scalar
) -> Any:
    """a after b."""
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


@kernel(inline=True)
def rotate(qx: Scalar, qy: Scalar, qz: Scalar, qw: Scalar, x: Scalar, y: Scalar, z: Scalar) -> Any:
    """Vector turned by a unit quaternion."""
    tx = TWO * (qy * z - qz * y)
    ty = TWO * (qz * x - qx * z)
    tz = TWO * (qx * y - qy * x)
    return (
        x + qw * tx + qy * tz - qz * ty,
        y + qw * ty + qz * tx - qx * tz,
        z + qw * tz + qx * ty - qy * tx,
    )


@kernel(inline=True)
def normalize(x: Scalar, y: Scalar, z: Scalar, w: Scalar) -> Any:
    """To unit length; zero becomes the identity."""
    n = x * x + y * y + z * z + w * w
    safe = n > TINY
    s = ONE / np.sqrt(n if safe else ONE)
    return (x * s, y * s, z * s, w * s if safe else ONE)


@kernel(inline=True)
def nlerp(
    ax: Scalar, ay: Scalar, az: Scalar, aw: Scalar, bx: Scalar, by: Scalar, bz: Scalar, bw: Scalar, t: Scalar
) -> Any:
    """Normalised linear blend along the shorter way, a at t = 0."""
    u = ONE - t
    s = t if ax * bx + ay * by + az * bz + aw * bw >= ZERO else -t
    return normalize(ax * u + bx * s, ay * u + by * s, az * u + bz * s, aw * u + bw * s)


@kernel(inline=True)
def about(x: Scalar, y: Scalar, z: Scalar, angle: Scalar) -> Any:
    """Turn by `angle` [rad] about the unit axis (x, y, z)."""
    h = HALF * angle
    s = np.sin(h)
    return (x * s, y * s, z * s, np.cos(h))


@kernel(inline=True)
def between(ax: Scalar, ay: Scalar, az: Scalar, bx: Scalar, by: Scalar, bz: Scalar) -> Any:
    """Shortest rotation from the direction of a to that of b, of whatever lengths.

    Opposite directions turn half round about an axis square to a (the leg solver never meets
    them: a target behind the hip is out of reach); a zero vector gives the identity.
    """
    la = np.sqrt(ax * ax + ay * ay + az * az)
    lb = np.sqrt(bx * bx + by * by + bz * bz)
    ra = ONE / la if la > ZERO else ZERO
    rb = ONE / lb if lb > ZERO else ZERO
    ux, uy, uz = ax * ra, ay * ra, az * ra
    vx, vy, vz = bx * rb, by * rb, bz * rb
    x = uy * vz - uz * vy
    y = uz * vx - ux * vz
    z = ux * vy - uy * vx
    # 1 + cos as half the square of the sum: still exact where the directions are nearly opposite.
    w = HALF * ((ux + vx) * (ux + vx) + (uy + vy) * (uy + vy) + (uz + vz) * (uz + vz))
    if w <= OPPOSITE:
        sideways = abs(ux) < abs(uz)
        x = ZERO * ux if sideways else uy
        y = uz if sideways else -ux
        z = -uy if sideways else ZERO * uz
        w = ZERO * w
    return normalize(x, y, z, w)


@kernel(inline=True)
def facing(zx: Scalar, zy: Scalar, zz: Scalar, yx: Scalar, yy: Scalar, yz: Scalar) -> Any:
    """The rotation that turns +Z to the direction of z and +Y as near to y as that allows.

    Neither needs unit length nor be square to the other. A zero z counts as +Z; where y is zero or along z,
    any direction square to z is taken.
    """
    n = zx * zx + zy * zy + zz * zz
    safe = n > TINY
    s = ONE / np.sqrt(n if safe else ONE)
    zx, zy, zz = zx * s if safe else ZERO, zy * s if safe else ZERO, zz * s if safe else ONE
    xx, xy, xz = yy * zz - yz * zy, yz * zx - yx * zz, yx * zy - yy * zx
    n = xx * xx + xy * xy + xz * xz
    if n <= TINY:
        sideways = abs(zx) < abs(zz)
        xx, xy, xz = (ONE, ZERO, ZERO) if sideways else (ZERO, ZERO, ONE)
        d = xx * zx + xy * zy + xz * zz
        xx, xy, xz = xx - d * zx, xy - d * zy, xz - d * zz
        n = xx * xx + xy * xy + xz * xz
    s = ONE / np.sqrt(n)
    xx, xy, xz = xx * s, xy * s, xz * s
    yx, yy, yz = zy * xz - zz * xy, zz * xx - zx * xz, zx * xy - zy * xx
    # From the matrix with these columns, by its largest component (Shepperd).
    if xx + yy + zz > ZERO:
        return normalize(yz - zy, zx - xz, xy - yx, ONE + xx + yy + zz)
    if xx >= yy and xx >= zz:
        return normalize(ONE + xx - yy - zz, yx + xy, zx + xz, yz - zy)
    if yy >= zz:
        return normalize(yx + xy, ONE - xx + yy - zz, zy + yz, zx - xz)
    return normalize(zx + xz, zy + yz, ONE - xx - yy + zz, xy - yx)


@kernel(inline=True)
def part_turn(x: Scalar, y: Scalar, z: Scalar, w: Scalar, part: Scalar) -> Any:
    """The part of a rotation, the shorter way: a third, done three times, is the whole."""
    sign = ONE if w >= ZERO else -ONE
    x, y, z, w = x * sign, y * sign, z * sign, w * sign
    s = np.sqrt(x * x + y * y + z * z)
    half = np.arctan2(s, w) * part
    # sin(half) / s, which tends to `part` where there is hardly a turn.
    f = np.sin(half) / s if s > TINY else part
    return normalize(x * f, y * f, z * f, np.cos(half))
