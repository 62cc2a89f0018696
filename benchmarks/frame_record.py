"""Frame record: a minute of random commands on every method, kept bit for bit, and compared.

    python -m benchmarks.frame_record take OLD.npz
    python -m benchmarks.frame_record compare OLD.npz

Take the record before a change that must not alter motion, and compare after it. A difference is reported
with its first frame and its largest size [m]. The file is large and is not for committing.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import hoofbeat as hb

SECONDS, RATE, CHARACTERS = 60, 60, 3
#: Name: method and options of the herd.
RIDES: dict[str, dict[str, Any]] = {
    "timewarp": {"method": "timewarp", "breed": "all"},
    "timewarp-three": {"method": "timewarp", "breed": "three-gaited"},
    "timewarp-paper": {"method": "timewarp", "breed": "all", "turning": "paper"},
    "timewarp-hills": {"method": "timewarp", "breed": "all", "terrain": "hills"},
    "timewarp-slope": {"method": "timewarp", "breed": "all", "terrain": "slope"},
    "timewarp-tall": {"method": "timewarp", "breed": "all", "height": 1.7},
    "actions": {"method": "actions"},
    "actions-loose": {"method": "actions", "lock": False},
    "actions-hills": {"method": "actions", "terrain": "hills"},
    "froude": {"method": "froude"},
    "froude-paper": {"method": "froude", "preset": "paper"},
    "froude-cycles": {"method": "froude", "cycles": 3, "terrain": "slope"},
    "neural": {"method": "neural", "breed": "all"},
    "neural-hills": {"method": "neural", "breed": "all", "terrain": "hills"},
}
#: Steps at which commands change, and their lengths: whole, odd and long ones.
HOLD, STEPS = 40, (1 / 60, 1 / 60, 1 / 60, 1 / 30, 1 / 120, 0.027)
FIELDS = ("positions", "rotations", "contacts", "phase", "shortfall", "events", "airborne", "speed")


def commands(gaits: tuple[str, ...], seed: int) -> list[tuple[hb.Command, float]]:
    """A minute of commands for CHARACTERS; about one in four pins a gait, and as many a heading."""
    rng = np.random.default_rng(seed)
    out: list[tuple[hb.Command, float]] = []
    names = [name for name in gaits if name != "stand"]
    clock = 0.0
    while clock < SECONDS:
        speed = rng.choice([0.0, 1.0], CHARACTERS, p=[0.15, 0.85]) * rng.uniform(0, 13, CHARACTERS)
        turn = rng.choice([0.0, 1.0], CHARACTERS) * rng.uniform(-1.6, 1.6, CHARACTERS)
        draw = rng.random()
        heading = rng.uniform(-3, 3, CHARACTERS) if draw < 0.25 else None
        pinned = [names[int(k)] for k in rng.integers(len(names), size=CHARACTERS)]
        gait = pinned if 0.25 <= draw < 0.5 else None
        action = "idle" if 0.5 <= draw < 0.55 else None
        command = hb.Command(
            speed=speed,
            turn=turn,
            heading=heading,
            gait=gait,
            action=action,
            extension=rng.uniform(-1, 1, CHARACTERS),
        )
        dt = STEPS[int(rng.integers(len(STEPS)))]
        out += [(command, dt)] * HOLD
        clock += HOLD * dt
    return out


def ride(name: str) -> dict[str, np.ndarray[Any, Any]]:
    """All frames of one ride, stacked (T, N, ...)."""
    herd = hb.Herd(CHARACTERS, seed=7, **RIDES[name])
    rows: dict[str, list[Any]] = {field: [] for field in (*FIELDS, "root", "yaw")}
    gaits: list[list[str]] = []
    for command, dt in commands(herd.gaits, len(name)):
        frame = herd.step(command, dt)
        for field in FIELDS:
            rows[field].append(np.array(getattr(frame, field)))
        rows["root"].append(np.array(frame.root.position))
        rows["yaw"].append(np.array(frame.root.rotation))
        gaits.append(list(frame.gait))
    return {**{key: np.stack(value) for key, value in rows.items()}, "gait": np.array(gaits)}


def compare(name: str, old: dict[str, np.ndarray[Any, Any]], new: dict[str, np.ndarray[Any, Any]]) -> bool:
    """Print what differs; True where nothing does."""
    same = True
    for field, before in old.items():
        now = new[field]
        if before.shape == now.shape and before.tobytes() == now.tobytes():
            continue
        if before.shape != now.shape:
            print(f"{name}: {field} has shape {now.shape}, before {before.shape}")
            return False
        wrong = before != now
        if wrong.any():
            same = False
            first = int(np.flatnonzero(wrong.reshape(len(wrong), -1).any(axis=1))[0])
            size = ""
            if before.dtype.kind == "f":
                size = f", largest difference {float(np.abs(before - now).max()):.3g}"
            print(f"{name}: {field} differs in {int(wrong.sum())} values from frame {first} on{size}")
    return same


def main() -> int:
    """Take or compare; 1 where something differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("task", choices=("take", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", nargs="*", default=list(RIDES), metavar="RIDE", help=", ".join(RIDES))
    chosen = parser.parse_args()
    kept: dict[str, np.ndarray[Any, Any]] = {}
    old = np.load(chosen.file) if chosen.task == "compare" else None
    same = True
    for name in chosen.only:
        begun = time.perf_counter()
        found = ride(name)
        if old is None:
            kept |= {f"{name}/{field}": array for field, array in found.items()}
            verdict = f"{len(found['root'])} frames"
        else:
            before = {f: old[f"{name}/{f}"] for f in found}
            equal = compare(name, before, found)
            same = same and equal
            verdict = "equal" if equal else "DIFFERENT"
        print(f"{name}: {verdict}, {time.perf_counter() - begun:.1f} s", flush=True)
    if old is None:
        np.savez(chosen.file, **kept)  # pyright: ignore[reportArgumentType]
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
