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
    length = np.linalg.norm(q, axis=-1, keepdims=True)
    unit = q / np.where(length > 0, length, 1)
    return np.where(length > 0, unit, identity(dtype=q.dtype))


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
    half = _floats(angle)[..., None] / 2
    xyz = _floats(axis) * np.sin(half)
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
    small = s < 1e-4
    angle = 2 * np.arctan2(s, w)
    factor = np.where(small, 2 / np.where(w > 0, w, 1), angle / np.where(small, 1, s))
    return xyz * factor


def angle(a: ArrayLike, b: ArrayLike) -> Floats:
    """Angle between two rotations [rad], in [0, pi], exact for tiny differences too."""
    return np.linalg.norm(log(mul(inverse(a), b)), axis=-1)


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> Floats:
    """From a (t = 0) to b (t = 1) at constant rate along the shorter way."""
    t = _floats(t)[..., None]
    return mul(a, exp(log(mul(inverse(a), b)) * t))


def between(a: ArrayLike, b: ArrayLike) -> Floats:
    """Shortest rotation that turns vector a to the direction of b; opposite vectors: a half turn."""
    a, b = np.broadcast_arrays(_floats(a), _floats(b))
    a = a / np.maximum(np.linalg.norm(a, axis=-1, keepdims=True), np.finfo(a.dtype).tiny)
    b = b / np.maximum(np.linalg.norm(b, axis=-1, keepdims=True), np.finfo(b.dtype).tiny)
    q = np.concatenate([np.cross(a, b), 1 + np.sum(a * b, axis=-1, keepdims=True)], axis=-1)
    # For opposite vectors any axis square to a will do: take the one farthest from a.
    helper = np.where(np.abs(a[..., :1]) < 0.7, np.eye(3)[0], np.eye(3)[1])
    half_turn = np.concatenate([np.cross(a, helper), np.zeros_like(q[..., 3:])], axis=-1)
    return normalize(np.where(q[..., 3:] < 1e-7, half_turn, q)).astype(a.dtype)


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
    pole = cosine < 1e-9
    first = np.where(
        pole, np.arctan2(odd * m[..., k, j], m[..., j, j]), np.arctan2(-odd * m[..., j, k], m[..., k, k])
    )
    third = np.where(pole, 0.0, np.arctan2(-odd * m[..., i, j], m[..., i, i]))
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
            found = [part[:, 2, 1] - part[:, 1, 2], part[:, 0, 2] - part[:, 2, 0], part[:, 1, 0] - part[:, 0, 1]]
            values = np.stack([*found, 1 + trace[here]], axis=-1)
        else:
            i, j, k = choice, (choice + 1) % 3, (choice + 2) % 3
            values = np.empty((len(part), 4), m.dtype)
            values[:, i] = 1 + part[:, i, i] - part[:, j, j] - part[:, k, k]
            values[:, j] = part[:, j, i] + part[:, i, j]
            values[:, k] = part[:, k, i] + part[:, i, k]
            values[:, 3] = part[:, k, j] - part[:, j, k]
        q[here] = values
    return normalize(q)
