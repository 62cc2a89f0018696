"""Vectors as values: (x, y, z) tuples in, tuples out, pasted into the calling kernel.

They work in the precision of their arguments. `vec` and `put` are the only way between arrays and values;
their twins for quaternions are here too, so that a kernel reads and writes both alike.
"""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Floats, Int, Quat, Real, Vec3

#: The zero vector and the axes of character space: to the left, up, ahead.
ORIGIN = (np.float32(0.0), np.float32(0.0), np.float32(0.0))
LEFT = (np.float32(1.0), np.float32(0.0), np.float32(0.0))
UP = (np.float32(0.0), np.float32(1.0), np.float32(0.0))
AHEAD = (np.float32(0.0), np.float32(0.0), np.float32(1.0))


@kernel(inline=True)
def vec(array: Floats, j: Int) -> Vec3:
    """Row j of an array (J, 3)."""
    return array[j, 0], array[j, 1], array[j, 2]


@kernel(inline=True)
def put(array: Floats, j: Int, v: Vec3) -> None:
    """Write row j of an array (J, 3)."""
    array[j, 0], array[j, 1], array[j, 2] = v[0], v[1], v[2]


@kernel(inline=True)
def vec_of(array: Floats) -> Vec3:
    """An array (3,) as a value."""
    return array[0], array[1], array[2]


@kernel(inline=True)
def put_vec(array: Floats, v: Vec3) -> None:
    """Write an array (3,)."""
    array[0], array[1], array[2] = v[0], v[1], v[2]


@kernel(inline=True)
def quat(array: Floats, j: Int) -> Quat:
    """Row j of an array (J, 4) xyzw."""
    return array[j, 0], array[j, 1], array[j, 2], array[j, 3]


@kernel(inline=True)
def put_quat(array: Floats, j: Int, q: Quat) -> None:
    """Write row j of an array (J, 4) xyzw."""
    array[j, 0], array[j, 1], array[j, 2], array[j, 3] = q[0], q[1], q[2], q[3]


@kernel(inline=True)
def add(a: Vec3, b: Vec3) -> Vec3:
    """a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@kernel(inline=True)
def sub(a: Vec3, b: Vec3) -> Vec3:
    """a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel(inline=True)
def scale(a: Vec3, s: Real) -> Vec3:
    """s a."""
    return a[0] * s, a[1] * s, a[2] * s


@kernel(inline=True)
def divide(a: Vec3, s: Real) -> Vec3:
    """a / s."""
    return a[0] / s, a[1] / s, a[2] / s


@kernel(inline=True)
def dot(a: Vec3, b: Vec3) -> Real:
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel(inline=True)
def cross(a: Vec3, b: Vec3) -> Vec3:
    """Vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel(inline=True)
def length(a: Vec3) -> Real:
    """Euclidean length."""
    return np.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@kernel(inline=True)
def between_rows(array: Floats, a: Int, b: Int) -> Vec3:
    """From row a to row b of an array (J, 3)."""
    return array[b, 0] - array[a, 0], array[b, 1] - array[a, 1], array[b, 2] - array[a, 2]


@kernel(inline=True)
def distance(array: Floats, a: Int, b: Int) -> Real:
    """Distance of rows a and b of an array (J, 3)."""
    return length(between_rows(array, a, b))
