"""Exports for the clients: a few rides in every format, and where every joint must then be.

The folder holds the files, `manifest.json` (files, clips, sampled frames) and `expected.npz`: for a file
and clip the world positions (frames, 49, 3) [m] of the joints, Y up, as this library computes them, and for
the skinned horse the vertices of its skin. Its silhouettes are pictures beside them.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np
from PIL import Image

from hoofbeat import Clip, Command, Horse, Recorder
from hoofbeat.body.mesh.shipped import dress_of
from hoofbeat.body.mesh.skin import skinned
from hoofbeat.body.root import Track, in_place, track_of, with_motion
from hoofbeat.formats.bvh.writer import write_bvh
from hoofbeat.formats.gltf.writer.save import write_gltf
from hoofbeat.formats.usd.save import write_usd
from hoofbeat.maths import quat
from hoofbeat.offline.repertoire import repertoire, with_in_place
from hoofbeat.render.film.film import Film, Setting
from hoofbeat.render.gl.context import missing

SAMPLES = 20
#: Name, speed [m/s], turn [rad/s], seconds, frames a second.
RIDES = (
    ("walk", 1.5, 0.0, 2.0, 60),
    ("stand", 0.0, 0.0, 1.0, 60),  # most joints are at rest: a player must not leave the last clip's pose
    ("trot", 3.5, 0.6, 3.0, 60),
    ("gallop", 9.0, -0.3, 2.5, 30),
)
#: Files that hold all rides, and whether they are in place.
FILES = {
    "rides.glb": False,
    "rides-in-place.glb": True,
    "rides.gltf": False,
    "rides.usda": False,
    "rides-in-place.usda": True,
    "rides.usdc": False,
}
FORMATS = {".bvh": "bvh", ".glb": "gltf", ".gltf": "gltf", ".usda": "usd", ".usdc": "usd"}
#: Files of the whole repertoire with its skin; frames of each of its many clips, and how many in all are
#: compared vertex by vertex.
SKINNED, FEW, VERTICES = ("horse.glb", "horse.usda"), 3, 20
#: Silhouettes: clips, camera and size [px].
SHADOWS, CAMERA, SIZE = (
    ("walk", "trot", "canter-left", "gallop-right", "leap-left", "idle"),
    "side",
    (640, 360),
)
#: Where every ride starts: metres from the origin and facing aside, so that a mistake in the order
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
class Point:
    """One moment of a clip that is looked at closely: its frame, rate [1/s], and the key in expected.npz of
    the vertices, or the picture of the silhouette and the camera's 16 numbers by columns."""

    clip: str
    frame: int
    fps: float
    key: str
    camera: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Export:
    """One file that was written: its name in the folder, format (bvh, gltf, usd), joints and clips; of a
    skinned one also where vertices and silhouettes are compared."""

    file: str
    format: str
    joints: list[str]
    clips: list[Take]
    vertices: list[Point] = field(default_factory=list)
    shadows: list[Point] = field(default_factory=list)
    size: tuple[int, int] = SIZE


def make_exports(folder: Path) -> list[Export]:
    """Ride, write all files and what is expected of them into `folder`."""
    rides = [_ride(*row) for row in RIDES]
    still = [in_place(clip) for clip in rides]
    seen: dict[str, list[Clip]] = {}  # by file, what must be seen in it
    for clip in rides:
        seen[write_bvh(clip, folder / f"{clip.name}.bvh").name] = [clip]
    seen[write_bvh(still[-1], folder / "in-place.bvh").name] = [still[-1]]
    for file, stay in FILES.items():
        write = write_usd if Path(file).suffix.startswith(".usd") else write_gltf
        write(rides, folder / file, in_place=stay)
        seen[file] = still if stay else rides
    expected: dict[str, np.ndarray] = {}
    exports = [_expect(file, clips, expected) for file, clips in seen.items()]
    exports += _skinned(folder, expected)
    np.savez(folder / "expected.npz", allow_pickle=False, **expected)
    (folder / "manifest.json").write_text(json.dumps([asdict(export) for export in exports]))
    return exports


def _skinned(folder: Path, expected: dict[str, np.ndarray]) -> list[Export]:
    """The whole repertoire of a grey horse, once with its way and once in place, and its skin."""
    clips = with_in_place(repertoire())
    skin = dress_of(clips[0].skeleton, "medium", "grey")
    assert skin is not None
    write_gltf(clips, folder / SKINNED[0], skin=skin)
    write_usd(clips, folder / SKINNED[1], skin=skin)
    picked = clips[:: max(1, len(clips) // VERTICES)][:VERTICES]
    points: list[Point] = []
    for number, clip in enumerate(picked):
        frame = (7 * number) % len(clip)
        points.append(Point(clip.name, frame, clip.fps, f"vertices:{clip.name}"))
        expected[points[-1].key] = skinned(skin, clip.skeleton, clip.positions[frame], clip.rotations[frame])[
            0
        ]
    shadows = _shadows(folder, [clip for clip in clips if clip.name in SHADOWS])
    return [
        replace(
            _expect(file, clips, expected, FEW),
            vertices=points,
            shadows=shadows if file == SKINNED[0] else [],
        )
        for file in SKINNED
    ]


def _shadows(folder: Path, clips: list[Clip]) -> list[Point]:
    """Pictures of the silhouettes as our own renderer draws them; none where it cannot."""
    found: list[Point] = []
    if missing():
        return found
    for clip in clips:
        frame = len(clip) // 3
        with Film(clip, Setting(CAMERA, SIZE, "grey", words=False), moments=[frame]) as film:
            mask, camera = film.silhouette(0)
        name = f"silhouette-{clip.name}.png"
        Image.fromarray(mask).save(folder / name)
        found.append(Point(clip.name, frame, clip.fps, name, camera.T.ravel().tolist()))
    return found


def _expect(file: str, clips: list[Clip], expected: dict[str, np.ndarray], samples: int = SAMPLES) -> Export:
    """The manifest's entry of a file; the places of its joints go into `expected`."""
    skeleton = clips[0].skeleton
    takes: list[Take] = []
    for clip in clips:
        frames = np.linspace(0, len(clip) - 1, samples).round().astype(int).tolist()
        takes.append(Take(clip.name, clip.fps, frames, f"{file}:{clip.name}"))
        expected[takes[-1].key] = clip.positions[frames][:, ~skeleton.ends]
    return Export(file, FORMATS[Path(file).suffix], list(skeleton.joints), takes)


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
