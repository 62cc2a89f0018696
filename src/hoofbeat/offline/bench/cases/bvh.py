"""Time to read a BVH file of 4000 frames and 27 joints: this package against bvhio and pymotion.

All three read the same generated file in one process, in turn, and the best of several rounds
counts; compiling our kernels happens before. Ours and pymotion's reading ends with quaternions,
that of bvhio.readAsBvh with one pose object a joint and frame.
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hoofbeat.body.clip import Clip
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.formats.bvh.reader import read_bvh
from hoofbeat.formats.bvh.writer import format_bvh, write_bvh
from hoofbeat.maths import quat

FRAMES = 4000
JOINTS = 27
ROUNDS = 3


def generated_clip(frames: int = FRAMES, joints: int = JOINTS) -> Clip:
    """A chain of joints with an end site at the last, swinging smoothly; the same every time."""
    names = [f"joint{j}" for j in range(joints)] + [f"joint{joints - 1}_end"]
    ends = [False] * joints + [True]
    skeleton = Skeleton(names, list(range(-1, joints)), np.full((joints + 1, 3), 0.1), ends)
    times = np.arange(frames)[:, None, None] / 60
    j, axis = np.arange(joints)[:, None], np.arange(3)
    angles = 0.8 * np.sin(times * (1 + 0.1 * j) + axis + j)
    rotations = quat.identity((frames, joints + 1))
    rotations[:, :joints] = quat.from_euler(angles, "zxy")
    origins = np.concatenate([np.sin(times[:, 0]), 1 + 0.1 * np.cos(times[:, 0]), times[:, 0]], axis=1)
    return Clip(skeleton, rotations, origins, 60)


def _peer(module: str, read: Callable[[Any, str], Any], path: str) -> Callable[[], Any] | None:
    """A call that reads the file with a peer, or None where the peer is not installed."""
    try:
        found = importlib.import_module(module)
    except ImportError:
        return None
    return lambda: read(found, path)


def _pymotion(module: Any, path: str) -> Any:
    bvh = module.BVH()
    bvh.load(path)
    return bvh.get_data()


def _bvhio(module: Any, path: str) -> Any:
    return module.readAsBvh(path)


def _seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def run(rounds: int = ROUNDS) -> dict[str, float | int | None]:
    """Best seconds of each reader, how many times slower the peers are, and our writing time."""
    clip = generated_clip()
    with tempfile.TemporaryDirectory() as folder:
        path = str(write_bvh(clip, Path(folder) / "generated.bvh"))
        calls: dict[str, Callable[[], Any] | None] = {
            "ours_s": lambda: read_bvh(path),
            "bvhio_s": _peer("bvhio", _bvhio, path),
            "pymotion_s": _peer("pymotion.io.bvh", _pymotion, path),
            "write_s": lambda: format_bvh(clip),
        }
        for key in ("ours_s", "write_s"):
            call = calls[key]
            assert call is not None
            call()  # compiles
        best: dict[str, float] = {}
        for _ in range(rounds):
            for key, call in calls.items():
                if call is not None:
                    best[key] = min(_seconds(call), best.get(key, float("inf")))
        size = Path(path).stat().st_size
    ours = best["ours_s"]
    return {
        **{key: best.get(key) for key in calls},
        "ratio_bvhio": best["bvhio_s"] / ours if "bvhio_s" in best else None,
        "ratio_pymotion": best["pymotion_s"] / ours if "pymotion_s" in best else None,
        "frames": FRAMES,
        "joints": JOINTS,
        "file_bytes": size,
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(run(), indent=2) + "\n")
