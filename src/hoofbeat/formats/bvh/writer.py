"""BVH out: a Clip as text that this package and other programs read back.

Every joint gets three rotation channels in one order, the root three position channels before
them. Angles are chosen to run on smoothly from frame to frame, so that programs which interpolate
between keys show no jumps where an angle passes a half turn or the middle one a right angle.
"""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import Clip
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import BvhError
from hoofbeat.formats.bvh.reader import MAX_LENGTH, unique_names
from hoofbeat.formats.files import write_bytes
from hoofbeat.maths import quat
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Floats

#: Orders of three different axes that angles can be written in.
ORDERS = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx")
#: Decimals of every motion value: 5e-8 of a file unit, 1e-9 rad.
DECIMALS = 7

_SHIFT = 10.0**DECIMALS
_WIDTH = 2 + 10 + 1 + DECIMALS  # blank, sign, whole digits, point, decimals
_LARGEST = 10.0**10 - 1  # what fits the whole digits, and with the decimals an int64
_UNSAFE = re.compile(r"[\s{}\x00-\x1f\x7f]")
_TURN = 2 * np.pi


def write_bvh(clip: Clip, path: str | PathLike[str], scale: float = 1.0, order: str = "zxy") -> Path:
    """Write a clip as BVH, atomically; returns the path.

    `scale` is file units per metre (100 writes centimetres; read back with scale=0.01). `order` is
    the order of the rotation channels. Contacts and extras have no place in the format.
    """
    return write_bytes(path, _encoded(clip, path, scale, order), BvhError)


def format_bvh(clip: Clip, scale: float = 1.0, order: str = "zxy") -> str:
    """The text that `write_bvh` writes."""
    return _encoded(clip, "<memory>", scale, order).decode()


def _encoded(clip: Clip, path: str | PathLike[str], scale: float, order: str) -> bytes:
    order = order.lower()
    if order not in ORDERS:
        raise BvhError(f"unknown order {order!r} of rotation channels. Known: {', '.join(ORDERS)}", path)
    if not (np.isfinite(scale) and scale > 0):
        raise BvhError(f"scale must be a positive number (file units per metre), given {scale}", path)
    if clip.fps < 1e-6:
        raise BvhError(f"a clip of {clip.fps} frames a second has no sensible frame time", path)
    with np.errstate(over="ignore"):  # what overflows fails the check
        offsets, origins = clip.skeleton.offsets * scale, clip.origins * scale
        limit = min(_LARGEST, MAX_LENGTH * scale)
    if max(np.abs(offsets).max(initial=0), np.abs(origins).max(initial=0)) > limit:
        raise BvhError(f"a position or offset is beyond {limit:g} file units; check the clip and scale", path)
    nodes, depths = _depth_first(clip.skeleton)
    head = _hierarchy(clip.skeleton, offsets, nodes, depths, order)
    head += f"MOTION\nFrames: {len(clip)}\nFrame Time: {1 / clip.fps:.12g}\n"
    joints = [j for j in nodes if not _is_end_site(clip.skeleton, j)]
    angles = quat.to_euler(quat.normalize(clip.rotations[:, joints]), order)  # (T, joints, 3)
    smooth_kernel(angles)
    values = np.concatenate([origins, np.degrees(angles).reshape(len(clip), 3 * len(joints))], axis=1)
    return head.encode("utf-8", "replace") + _motion(values)


def _is_end_site(skeleton: Skeleton, joint: int) -> bool:
    """An end that has children, or is the root, can only be written as a joint."""
    return bool(skeleton.ends[joint]) and joint > 0 and not (skeleton.parents == joint).any()


def _depth_first(skeleton: Skeleton) -> tuple[list[int], list[int]]:
    """Nodes in the order of the file, and their depths; a Skeleton may be in any parents-first order."""
    children: list[list[int]] = [[] for _ in skeleton.names]
    for j in range(1, len(skeleton)):
        children[int(skeleton.parents[j])].append(j)
    nodes: list[int] = []
    depths: list[int] = []
    waiting = [(0, 0)]
    while waiting:
        joint, depth = waiting.pop()
        nodes.append(joint)
        depths.append(depth)
        waiting.extend((child, depth + 1) for child in reversed(children[joint]))
    return nodes, depths


def _hierarchy(
    skeleton: Skeleton, offsets: NDArray[np.float64], nodes: list[int], depths: list[int], order: str
) -> str:
    safe = [_UNSAFE.sub("_", name) or "joint" for name in skeleton.names]
    names = unique_names(safe, skeleton.ends.tolist())
    turns = " ".join(f"{axis.upper()}rotation" for axis in order)
    lines = ["HIERARCHY"]
    for joint, depth, following in zip(nodes, depths, [*depths[1:], 0], strict=True):
        tab = "\t" * depth
        end = _is_end_site(skeleton, joint)
        kind = "ROOT" if joint == 0 else "JOINT"
        lines.append(f"{tab}End Site" if end else f"{tab}{kind} {names[joint]}")
        lines.append(f"{tab}{{")
        lines.append(f"{tab}\tOFFSET " + " ".join(f"{value:.10g}" for value in offsets[joint]))
        if not end:
            moves = "6 Xposition Yposition Zposition" if joint == 0 else "3"
            lines.append(f"{tab}\tCHANNELS {moves} {turns}")
        lines.extend("\t" * d + "}" for d in range(depth, following - 1, -1))
    return "\n".join(lines) + "\n"


def _motion(values: NDArray[np.float64]) -> bytes:
    """Numbers (T, C) with fixed decimals, one line a frame."""
    buffer = np.empty(values.size * _WIDTH, np.uint8)
    used = print_kernel(np.ascontiguousarray(values), buffer)
    return buffer[:used].tobytes()


@kernel
def smooth_kernel(angles: Floats) -> None:
    """Choose among equal Euler triples (T, J, 3) [rad], in place, the one nearest the frame before.

    (a, b, c) turns as (a + pi, pi - b, c + pi) does, and as any of both with whole turns added.
    """
    for t in range(1, angles.shape[0]):
        for j in range(angles.shape[1]):
            a, b, c = angles[t, j, 0], angles[t, j, 1], angles[t, j, 2]
            pa, pb, pc = angles[t - 1, j, 0], angles[t - 1, j, 1], angles[t - 1, j, 2]
            best = np.inf
            for flip in range(2):
                na, nb, nc = (a, b, c) if flip == 0 else (a + np.pi, np.pi - b, c + np.pi)
                na -= _TURN * np.rint((na - pa) / _TURN)
                nb -= _TURN * np.rint((nb - pb) / _TURN)
                nc -= _TURN * np.rint((nc - pc) / _TURN)
                distance = abs(na - pa) + abs(nb - pb) + abs(nc - pc)
                if distance < best:
                    best = distance
                    angles[t, j, 0], angles[t, j, 1], angles[t, j, 2] = na, nb, nc


@kernel
def print_kernel(values: Floats, out: Floats) -> int:
    """Write values (T, C) as text into out (uint8); returns the bytes used. |values| < 10^10."""
    used = 0
    for t in range(values.shape[0]):
        for c in range(values.shape[1]):
            if c > 0:
                out[used] = 32
                used += 1
            rest = np.int64(np.rint(abs(values[t, c]) * _SHIFT))
            if values[t, c] < 0 and rest > 0:
                out[used] = 45
                used += 1
            digits = DECIMALS + 1
            bound = np.int64(10) ** digits
            while rest >= bound:
                digits += 1
                bound *= 10
            last = used + digits  # the point takes one place more
            for place in range(digits + 1):
                if place == DECIMALS:
                    out[last - place] = 46
                else:
                    out[last - place] = 48 + rest % 10
                    rest //= 10
            used = last + 1
        out[used] = 10
        used += 1
    return used
