"""Exports for the clients: a few rides in every format, and where every joint must then be.

The folder holds the files, `manifest.json` (files, clips, sampled frames) and `expected.npz`: for a file
and clip the world positions (20, 49, 3) [m] of the joints, Y up, as this library computes them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from hoofbeat import Clip, Command, Horse, Recorder
from hoofbeat.body.root import Track, in_place, track_of, with_motion
from hoofbeat.formats.bvh_write import write_bvh
from hoofbeat.formats.gltf_write import write_gltf
from hoofbeat.formats.usd import write_usd
from hoofbeat.maths import quat

SAMPLES = 20
#: Name, speed [m/s], turn [rad/s], seconds, frames a second.
RIDES = (
    ("walk", 1.5, 0.0, 2.0, 60),
    ("stand", 0.0, 0.0, 1.0, 60),  # most joints are at rest: a player must not leave the last clip's pose
    ("trot", 3.5, 0.6, 3.0, 60),
    ("gallop", 9.0, -0.3, 2.5, 30),
)
#: Where the first ride starts: metres from the origin and facing aside, so that a mistake in the order
#: of translation and rotation, or in the axes, cannot hide.
START, HEADING = np.array([40.0, 0.0, -25.0]), 2.0


@dataclass(frozen=True)
class Take:
    """One clip of a file: its name, rate [1/s], the frames that are compared, and the key in expected.npz."""

    name: str
    fps: float
    frames: list[int]
    key: str


@dataclass(frozen=True)
class Export:
    """One file that was written: its name in the folder, format (bvh, gltf, usd), joints and clips."""

    file: str
    format: str
    joints: list[str]
    clips: list[Take]


def make_exports(folder: Path) -> list[Export]:
    """Ride, write all files and what is expected of them into `folder`."""
    rides = [_ride(*row) for row in RIDES]
    expected: dict[str, np.ndarray] = {}
    made: list[Export] = []

    def add(kind: str, file: str, clips: Sequence[Clip], write: Callable[[Path], object], still: bool) -> None:
        write(folder / file)
        skeleton = clips[0].skeleton
        joints = np.flatnonzero(~skeleton.ends)
        takes = []
        for clip in clips:
            frames = np.linspace(0, len(clip) - 1, SAMPLES).round().astype(int).tolist()
            key = f"{file}:{clip.name}"
            expected[key] = (in_place(clip) if still else clip).positions[frames][:, joints]
            takes.append(Take(clip.name, clip.fps, frames, key))
        made.append(Export(file, kind, list(skeleton.joints), takes))

    for clip in rides:
        add("bvh", f"{clip.name}.bvh", [clip], lambda path, clip=clip: write_bvh(clip, path), False)
    spot = in_place(rides[2])
    add("bvh", "trot-in-place.bvh", [spot], lambda path: write_bvh(spot, path), True)
    for file, still in (("rides.glb", False), ("rides-in-place.glb", True), ("rides.gltf", False)):
        add("gltf", file, rides, lambda path, still=still: write_gltf(rides, path, in_place=still), still)
    for file, still in (("rides.usda", False), ("rides-in-place.usda", True), ("rides.usdc", False)):
        add("usd", file, rides, lambda path, still=still: write_usd(rides, path, in_place=still), still)
    np.savez(folder / "expected.npz", **expected)
    (folder / "manifest.json").write_text(json.dumps([asdict(export) for export in made]))
    return made


def _ride(name: str, speed: float, turn: float, seconds: float, fps: int) -> Clip:
    horse = Horse(seed=1)
    recorder = Recorder(horse.skeleton, fps=fps)
    for _ in range(round(seconds * fps)):
        recorder.add(horse.step(Command(speed=speed, turn=turn), 1 / fps))
    clip = recorder.clip(name)
    track = track_of(clip)
    around = Track(np.zeros((1, 3)), np.array([HEADING])).rotations[0]
    moved = Track(START + quat.rotate(around, track.positions), track.yaw + HEADING)
    return with_motion(in_place(clip), moved)
