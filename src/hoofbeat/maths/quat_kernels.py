"""Quaternions as values: xyzw tuples in, tuples out, pasted into the calling kernel.

They work in the precision of their arguments; callers keep constants as np.float32 names so that a
float32 loop stays float32. The array twins, with the same names, are in `quat`.
"""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.exact.circular import arctan2, sincos
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Quat, Real, Vec3
from hoofbeat.maths.vec import cross, dot, length, scale, sub

ZERO = np.float32(0.0)
HALF = np.float32(0.5)
ONE = np.float32(1.0)
TWO = np.float32(2.0)
TINY = np.float32(1e-12)
#: 1 + cos below which two directions count as opposite: what float32 can tell apart.
OPPOSITE = np.float32(1e-7)
#: No rotation.
IDENTITY = (ZERO, ZERO, ZERO, ONE)


@kernel(inline=True)
def mul(a: Quat, b: Quat) -> Quat:
    """a after b."""
    return (
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    )


@kernel(inline=True)
def inverse(q: Quat) -> Quat:
    """The rotation back, for a unit quaternion."""
    return -q[0], -q[1], -q[2], q[3]


@kernel(inline=True)
def inverse_mul(a: Quat, b: Quat) -> Quat:
    """b as seen from a: a inverted, after b."""
    return mul(inverse(a), b)


@kernel(inline=True)
def rotate(q: Quat, v: Vec3) -> Vec3:
    """Vector turned by a unit quaternion."""
    tx = TWO * (q[1] * v[2] - q[2] * v[1])
    ty = TWO * (q[2] * v[0] - q[0] * v[2])
    tz = TWO * (q[0] * v[1] - q[1] * v[0])
    return (
        v[0] + q[3] * tx + q[1] * tz - q[2] * ty,
        v[1] + q[3] * ty + q[2] * tx - q[0] * tz,
        v[2] + q[3] * tz + q[0] * ty - q[1] * tx,
    )


@kernel(inline=True)
def normalize(q: Quat) -> Quat:
    """To unit length; zero becomes the identity."""
    n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]
    safe = n > TINY
    s = ONE / np.sqrt(n if safe else ONE)
    return q[0] * s, q[1] * s, q[2] * s, q[3] * s if safe else ONE


@kernel(inline=True)
def nlerp(a: Quat, b: Quat, t: Real) -> Quat:
    """Normalised linear blend along the shorter way, a at t = 0."""
    u = ONE - t
    s = t if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] >= ZERO else -t
    return normalize((a[0] * u + b[0] * s, a[1] * u + b[1] * s, a[2] * u + b[2] * s, a[3] * u + b[3] * s))


@kernel(inline=True)
def about(axis: Vec3, angle: Real) -> Quat:
    """Turn by `angle` [rad] about a unit axis."""
    h = HALF * angle
    s, c = sincos(h)
    return axis[0] * s, axis[1] * s, axis[2] * s, c


@kernel(inline=True)
def between(a: Vec3, b: Vec3) -> Quat:
    """Shortest rotation from the direction of a to that of b, of whatever lengths.

    Opposite directions turn half round about an axis square to a (the leg solver never meets
    them: a target behind the hip is out of reach); a zero vector gives the identity.
    """
    la, lb = length(a), length(b)
    u = scale(a, ONE / la if la > ZERO else ZERO)
    v = scale(b, ONE / lb if lb > ZERO else ZERO)
    x, y, z = cross(u, v)
    # 1 + cos as half the square of the sum: still exact where the directions are nearly opposite.
    w = HALF * ((u[0] + v[0]) * (u[0] + v[0]) + (u[1] + v[1]) * (u[1] + v[1]) + (u[2] + v[2]) * (u[2] + v[2]))
    if w <= OPPOSITE:
        sideways = abs(u[0]) < abs(u[2])
        x = ZERO * u[0] if sideways else u[1]
        y = u[2] if sideways else -u[0]
        z = -u[1] if sideways else ZERO * u[2]
        w = ZERO * w
    return normalize((x, y, z, w))


@kernel(inline=True)
def facing(ahead: Vec3, up: Vec3) -> Quat:
    """The rotation that turns +Z to the direction of `ahead` and +Y as near to `up` as that allows.

    Neither needs unit length nor be square to the other. A zero `ahead` counts as +Z; where `up` is zero or
    along it, any direction square to it is taken.
    """
    n = dot(ahead, ahead)
    safe = n > TINY
    s = ONE / np.sqrt(n if safe else ONE)
    z = (ahead[0] * s if safe else ZERO, ahead[1] * s if safe else ZERO, ahead[2] * s if safe else ONE)
    x = cross(up, z)
    n = dot(x, x)
    if n <= TINY:
        sideways = abs(z[0]) < abs(z[2])
        x = (ONE, ZERO, ZERO) if sideways else (ZERO, ZERO, ONE)
        x = sub(x, scale(z, dot(x, z)))
        n = dot(x, x)
    x = scale(x, ONE / np.sqrt(n))
    y = cross(z, x)
    # From the matrix with these columns, by its largest component (Shepperd).
    if x[0] + y[1] + z[2] > ZERO:
        return normalize((y[2] - z[1], z[0] - x[2], x[1] - y[0], ONE + x[0] + y[1] + z[2]))
    if x[0] >= y[1] and x[0] >= z[2]:
        return normalize((ONE + x[0] - y[1] - z[2], y[0] + x[1], z[0] + x[2], y[2] - z[1]))
    if y[1] >= z[2]:
        return normalize((y[0] + x[1], ONE - x[0] + y[1] - z[2], z[1] + y[2], z[0] - x[2]))
    return normalize((z[0] + x[2], z[1] + y[2], ONE - x[0] - y[1] + z[2], x[1] - y[0]))


@kernel(inline=True)
def part_turn(q: Quat, part: Real) -> Quat:
    """The part of a rotation, the shorter way: a third, done three times, is the whole."""
    sign = ONE if q[3] >= ZERO else -ONE
    x, y, z, w = q[0] * sign, q[1] * sign, q[2] * sign, q[3] * sign
    s = np.sqrt(x * x + y * y + z * z)
    half = arctan2(s, w) * part
    sine, cosine = sincos(half)
    # sin(half) / s, which tends to `part` where there is hardly a turn.
    f = sine / s if s > TINY else part
    return normalize((x * f, y * f, z * f, cosine))


@kernel(inline=True)
def twist_angle(q: Quat, axis: Vec3) -> Real:
    """Angle [rad], in (-pi, pi], of a rotation's twist about a unit axis."""
    s = q[0] * axis[0] + q[1] * axis[1] + q[2] * axis[2]
    sign = ONE if q[3] >= ZERO else -ONE
    return TWO * arctan2(s * sign, q[3] * sign)
