"""A long ride of random commands as one hash, in Python; run as a program, it is that of kernels by Numba."""

from __future__ import annotations

import hashlib
import sys

import numpy as np

from hoofbeat.horse import Herd
from hoofbeat.records import COMMAND

DTS = (1 / 60, 1 / 30, 1 / 100, 0.25)


def commands(herd: Herd, steps: int, seed: int) -> list[np.ndarray]:
    """COMMAND rows (1,) for each step: a new wish about every second."""
    random = np.random.default_rng(seed)
    rows = np.zeros(1, COMMAND)
    rows["gait"] = rows["action"] = rows["mood"] = -1
    found = []
    for _ in range(steps):
        if random.uniform() < 1 / 60:
            rows["gait"] = random.integers(-1, len(herd.gaits))
            rows["speed"] = random.uniform(-1, 15)
            rows["turn"] = random.normal(0, 0.7)
            rows["has_heading"], rows["heading"] = random.uniform() < 0.2, random.uniform(-4, 4)
            rows["extension"] = random.uniform(-1, 1)
        found.append(rows.copy())
    return found


def time_of(step: int) -> float:
    """Most steps are a sixtieth of a second."""
    return DTS[step // 97 % len(DTS)] if step % 97 < 7 else DTS[0]


def hash_of(method: str, terrain: str, steps: int) -> str:
    """Positions, rotations and frames of every step of one horse."""
    herd = Herd(1, method, seed=8, terrain=terrain)
    digest = hashlib.sha256()
    for step, rows in enumerate(commands(herd, steps, seed=3)):
        herd.advance(rows, time_of(step))
        frame = herd.frame()
        for part in (frame.positions, frame.rotations, herd._block.rows):
            digest.update(part.tobytes())
    return digest.hexdigest()


if __name__ == "__main__":
    sys.stdout.write(hash_of(sys.argv[1], sys.argv[2], int(sys.argv[3])))
