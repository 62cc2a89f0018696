"""Datasets for tests: a small animal that is the same on both sides, and smooth random motion of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.body.labelled import Dataset, LabelledClip, Rig
from hoofbeat.body.skeleton import LEGS, Leg, Skeleton

#: Name of each node, the node that it hangs from, and its offset; X points aside.
TRUNK = (("Hips", -1, (0.0, 0.0, 0.0)), ("Chest", 0, (0.0, 0.05, 0.6)), ("Head", 1, (0.0, 0.2, 0.4)))
#: A leg below its girdle: parts and offsets; the girdle's own is given for each leg.
PARTS = (("Leg", 0.0, 0.0), ("Shin", -0.25, 0.05), ("Foot", -0.2, -0.04), ("Toe", -0.1, 0.03))
ACTIONS = ("idle", "gallop-left", "gallop-right")


def rig_of(axis: int = 0, modelled: Any = None) -> Rig:
    """The animal of this module, whose spaces have this axis aside."""
    names, parents = [name for name, _, _ in TRUNK], [parent for _, parent, _ in TRUNK]
    offsets = [offset for _, _, offset in TRUNK]
    legs: list[Leg] = []
    for leg in LEGS:
        girdle, side = (1 if leg[1] == "F" else 0), (0.1 if leg[0] == "L" else -0.1)
        first = len(names)
        for k, (part, down, ahead) in enumerate(PARTS):
            names.append(f"{'Left' if leg[0] == 'L' else 'Right'}{'Fore' if leg[1] == 'F' else 'Hind'}{part}")
            parents.append(girdle if k == 0 else first + k - 1)
            offsets.append((side if k == 0 else 0.0, down, ahead))
        legs.append(Leg(leg, first, first + 1, first + 2, -1, first + 3))
    turned = np.roll(np.array(offsets), axis, axis=1)
    skeleton = Skeleton(names, parents, turned, None, legs)
    mirror = [names.index(_other(name)) for name in names]
    chosen = np.arange(len(names)) if modelled is None else np.array(modelled)
    return Rig(skeleton, chosen, np.array(mirror), axis, ACTIONS, np.array([0, 2, 1]))


def _other(name: str) -> str:
    return name.replace("Left", "Right") if "Left" in name else name.replace("Right", "Left")


def labelled_clip_of(
    rig: Rig, frames: int, seed: int = 0, name: str = "clip", test: bool = False
) -> LabelledClip:
    """A clip that moves smoothly and without sense."""
    rng = np.random.default_rng(seed)
    time = np.arange(frames)[:, None, None] / 60
    nodes = len(rig.skeleton)
    wave = rng.normal(size=(nodes, 4)) * np.sin(
        time * rng.uniform(0.5, 8.0, (nodes, 4)) + rng.uniform(0, 6, (nodes, 4))
    )
    turns = rng.normal(size=(nodes, 4)) + wave
    turns[:, nodes // 2] = (0.0, 0.0, 0.0, 1.0)  # a node that never turns
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    flat = time[:, 0]
    origins = rng.normal(size=3) + 0.1 * np.sin(flat * rng.uniform(1, 6, 3))
    root = np.cumsum(rng.normal(size=3) / 60 + np.sin(flat * rng.uniform(0.2, 2, 3)) / 30, axis=0)
    return LabelledClip(
        name,
        turns.astype(np.float32),
        origins.astype(np.float32),
        root * np.array([3.0, 3.0, 1.0]),
        rng.integers(0, len(rig.actions), frames).astype(np.int8),
        rng.random(frames) > 0.2,
        rng.integers(1, 12, frames).astype(np.uint8),
        test,
    )


def set_of(lengths: list[int], seed: int = 0, axis: int = 0) -> Dataset:
    """Clips of these lengths, with sources and notes."""
    rig = rig_of(axis)
    clips = [
        labelled_clip_of(rig, frames, seed + k, f"clip {k} é", k % 2 == 1) for k, frames in enumerate(lengths)
    ]
    return Dataset(rig, tuple(clips), (("a.bvh", "0" * 64),), "made for a test\nof no use")
