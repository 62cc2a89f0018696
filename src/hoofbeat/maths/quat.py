"""Rotations as unit quaternions, xyzw, over trailing axes: (..., 4) with any leading shape.

Array functions for authoring, files and analysis; they keep the dtype they are given (integers
become float64). The scalar twins for inner loops are in `quat_kernels`. `q` and `-q` are the same
rotation everywhere. Zero rotations, tiny ones and half turns are ordinary inputs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[Any]

#: Axis letters to indices, for Euler orders.
AXES = {"x": 0, "y": 1, "z": 2}


def _floats(values: ArrayLike) -> Floats:
    array = np.asarray(values)
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def _parameter(value: ArrayLike, like: Floats) -> Floats:
    """A plain Python number takes the dtype of the array beside it, so that float32 stays float32."""
    return np.asarray(value, like.dtype) if isinstance(value, (int, float)) else _floats(value)


def _unit(values: Floats) -> Floats:
    """To unit length over the last axis; zero stays zero."""
    # Dividing by the largest component first keeps the squares from under- and overflowing.
    largest = np.max(np.abs(values), axis=-1, keepdims=True)
    scaled = values / np.where(largest > 0, largest, 1)
    length = np.linalg.norm(scaled, axis=-1, keepdims=True)
    return scaled / np.where(length > 0, length, 1)


def identity(shape: tuple[int, ...] = (), dtype: Any = np.float64) -> Floats:
    """No rotation, repeated: (*shape, 4)."""
    q = np.zeros((*shape, 4), dtype)
    q[..., 3] = 1
    return q


def mul(a: ArrayLike, b: ArrayLike) -> Floats:
    """a after b: rotate by b first, then by a. (..., 4)."""
    a, b = np.broadcast_arrays(_floats(a), _floats(b))
    ax, ay, az, aw = np.moveaxis(a, -1, 0)
    bx, by, bz, bw = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ],
        axis=-1,
    )


def inverse(q: ArrayLike) -> Floats:
    """The opposite rotation of a unit quaternion."""
    q = _floats(q)
    return q * np.array([-1, -1, -1, 1], q.dtype)


def rotate(q: ArrayLike, v: ArrayLike) -> Floats:
    """Vectors (..., 3) turned by unit quaternions (..., 4)."""
    q, v = _floats(q), _floats(v)
    xyz, w = q[..., :3], q[..., 3:]
    t = 2 * np.cross(xyz, v)
    return v + w * t + np.cross(xyz, t)


def normalize(q: ArrayLike) -> Floats:
    """To unit length; a zero quaternion becomes the identity."""
    q = _floats(q)
    return np.where(np.any(q != 0, axis=-1, keepdims=True), _unit(q), identity(dtype=q.dtype))


def canonical(q: ArrayLike) -> Floats:
    """Of q and -q the one with w >= 0."""
    q = _floats(q)
    return np.where(q[..., 3:] < 0, -q, q)


def continuous(q: ArrayLike) -> Floats:
    """Along axis 0 (time), choose signs so that neighbours lie in one half space. (T, ..., 4)."""
    q = np.array(_floats(q))
    if len(q) > 1:
        flip = np.sum(q[1:] * q[:-1], axis=-1) < 0
        sign = np.where(np.cumsum(flip, axis=0) % 2 == 1, -1, 1).astype(q.dtype)
        q[1:] *= sign[..., None]
    return q


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Floats:
    """Turn by `angle` [rad] about a unit `axis` (..., 3)."""
    axis = _floats(axis)
    half = _parameter(angle, axis)[..., None] / 2
    xyz = axis * np.sin(half)
    return np.concatenate([xyz, np.broadcast_to(np.cos(half), (*xyz.shape[:-1], 1))], axis=-1)


def exp(v: ArrayLike) -> Floats:
    """Rotation vector (..., 3) [rad] to quaternion; zero gives the identity."""
    v = _floats(v)
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    # sin(x/2)/x from its series near zero, where the quotient would be 0/0.
    small = angle < 1e-4
    factor = np.where(small, 0.5 - angle**2 / 48, np.sin(angle / 2) / np.where(small, 1, angle))
    return np.concatenate([v * factor, np.cos(angle / 2)], axis=-1)


def log(q: ArrayLike) -> Floats:
    """Quaternion to rotation vector (..., 3) [rad], length in [0, pi]."""
    q = canonical(q)
    xyz, w = q[..., :3], q[..., 3:]
    s = np.linalg.norm(xyz, axis=-1, keepdims=True)
    turned = s > 0
    factor = np.where(turned, 2 * np.arctan2(s, w) / np.where(turned, s, 1), 2)
    return xyz * factor


def angle(a: ArrayLike, b: ArrayLike) -> Floats:
    """Angle between two rotations [rad], in [0, pi], exact for tiny differences too."""
    return np.linalg.norm(log(mul(inverse(a), b)), axis=-1)


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> Floats:
    """From a (t = 0) to b (t = 1) at constant rate along the shorter way."""
    way = log(mul(inverse(a), b))
    return mul(a, exp(way * _parameter(t, way)[..., None]))


def between(a: ArrayLike, b: ArrayLike) -> Floats:
    """Shortest rotation that turns vector a (..., 3) to the direction of b.

    Opposite vectors: a half turn about some axis square to a. A zero vector: the identity.
    """
    start, end = np.broadcast_arrays(_unit(_floats(a)), _unit(_floats(b)))
    # 1 + cos, written as |start + end|^2 / 2: exact where the vectors are nearly opposite.
    w = np.sum((start + end) ** 2, axis=-1, keepdims=True) / 2
    q = np.concatenate([np.cross(start, end), w], axis=-1)
    # For opposite vectors any axis square to the first will do: take the one farthest from it.
    helper = np.where(np.abs(start[..., :1]) < 0.7, np.eye(3)[0], np.eye(3)[1])
    half_turn = np.concatenate([np.cross(start, helper), np.zeros_like(w)], axis=-1)
    return normalize(np.where(w < np.finfo(w.dtype).eps, half_turn, q)).astype(q.dtype)


def from_euler(angles: ArrayLike, order: str) -> Floats:
    """Intrinsic Euler angles (..., n) [rad] in the order of the letters, e.g. "zxy" of a BVH.

    The matrix is R(order[0]) R(order[1]) R(order[2]), as BVH channels are applied.
    """
    angles = _floats(angles)
    q = identity(angles.shape[:-1], angles.dtype)
    for k, letter in enumerate(order.lower()):
        half = angles[..., k] / 2
        step = np.zeros_like(q)
        step[..., AXES[letter]] = np.sin(half)
        step[..., 3] = np.cos(half)
        q = mul(q, step)
    return q


def to_euler(q: ArrayLike, order: str) -> Floats:
    """Intrinsic Euler angles (..., 3) [rad] for three different letters; the middle one in ±pi/2.

    At the poles (middle angle ±pi/2) the last angle is 0, and the rotation is still exact.
    """
    i, j, k = (AXES[letter] for letter in order.lower())
    odd = 1.0 if (j - i) % 3 == 1 else -1.0
    m = to_matrix(q)
    sine = np.clip(odd * m[..., i, k], -1, 1)
    cosine = np.hypot(m[..., i, i], m[..., i, j])
    second = np.arctan2(sine, cosine)
    pole = cosine < 16 * np.finfo(m.dtype).eps
    first = np.where(
        pole, np.arctan2(odd * m[..., k, j], m[..., j, j]), np.arctan2(-odd * m[..., j, k], m[..., k, k])
    )
    # The last angle is read after the first is taken off: near a pole the first is mostly noise, and
    # this makes up for whatever was chosen.
    c, s = np.cos(first), np.sin(first)
    third = np.arctan2(
        c * odd * m[..., j, i] + s * m[..., k, i],
        c * m[..., j, j] + odd * s * m[..., k, j],
    )
    third = np.where(pole, 0.0, third)
    return np.stack([first, second, third], axis=-1)


def to_matrix(q: ArrayLike) -> Floats:
    """Rotation matrices (..., 3, 3) of unit quaternions."""
    x, y, z, w = np.moveaxis(_floats(q), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_matrix(m: ArrayLike) -> Floats:
    """Unit quaternions of rotation matrices (..., 3, 3); the largest component is found first."""
    m = _floats(m)
    trace = np.asarray(np.trace(m, axis1=-2, axis2=-1))
    diagonal = np.diagonal(m, axis1=-2, axis2=-1)
    pick = np.argmax(np.concatenate([diagonal, trace[..., None]], axis=-1), axis=-1)
    q = np.empty((*m.shape[:-2], 4), m.dtype)
    for choice in range(4):
        here = pick == choice
        part = m[here]
        if choice == 3:
            x = part[:, 2, 1] - part[:, 1, 2]
            y = part[:, 0, 2] - part[:, 2, 0]
            z = part[:, 1, 0] - part[:, 0, 1]
            values = np.stack([x, y, z, 1 + trace[here]], axis=-1)
        else:
            i, j, k = choice, (choice + 1) % 3, (choice + 2) % 3
            values = np.empty((len(part), 4), m.dtype)
            values[:, i] = 1 + part[:, i, i] - part[:, j, j] - part[:, k, k]
            values[:, j] = part[:, j, i] + part[:, i, j]
            values[:, k] = part[:, k, i] + part[:, i, k]
            values[:, 3] = part[:, k, j] - part[:, j, k]
        q[here] = values
    return normalize(q)
