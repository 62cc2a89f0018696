"""The Khronos validator on everything we write as glTF: no errors, no warnings, no hints.

Needs Node and `npm ci` in tests/node; without them these tests are skipped and say so.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gltf_making import pack_glb, puppet, unpack_glb
from hoofbeat import Command, Horse, Recorder
from hoofbeat.body.clip import Clip
from hoofbeat.body.mesh.shipped import dress_of
from hoofbeat.body.root import in_place
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.formats.gltf.reader.load import parse_gltf
from hoofbeat.formats.gltf.writer.save import format_glb, write_gltf

HERE = Path(__file__).resolve().parent / "node"
NODE = shutil.which("node")
INSTALLED = (HERE / "node_modules" / "gltf-validator").is_dir()
pytestmark = [
    pytest.mark.skipif(NODE is None, reason="no Node: the glTF validator was not run"),
    pytest.mark.skipif(not INSTALLED, reason="run `npm ci` in tests/node: the glTF validator was not run"),
]


def ride() -> Clip:
    """Two seconds into a turning trot."""
    horse = Horse(seed=5)
    recorder = Recorder(horse.skeleton)
    for k in range(120):
        recorder.add(horse.step(Command(speed=k / 40, turn=0.4), 1 / 60))
    return recorder.clip("ride")


def cut(clip: Clip, frames: int, name: str) -> Clip:
    return Clip(clip.skeleton, clip.rotations[:frames], clip.origins[:frames], 30.0, name=name)


def still(skeleton: Skeleton, frames: int = 3) -> Clip:
    turns = np.tile([0.0, 0.0, 0.0, 1.0], (frames, len(skeleton), 1))
    return Clip(skeleton, turns, np.zeros((frames, 3)), 24.0)


def comb(joints: int) -> Skeleton:
    """So many joints in a row that a byte cannot count them."""
    return Skeleton(
        [f"j{k}" for k in range(joints)], np.arange(joints) - 1, np.tile([0, 0.1, 0], (joints, 1))
    )


ODD = Skeleton(
    ["Root", "Body", "é \u2713", "\x07"], [-1, 0, 1, 1], np.eye(4)[:, :3], [False, False, True, True]
)

VARIANTS: dict[str, Callable[[Clip, Path], Path]] = {
    "ride.glb": lambda clip, path: write_gltf(clip, path),
    "embedded.gltf": lambda clip, path: write_gltf(clip, path),
    "pair of files.gltf": lambda clip, path: write_gltf(clip, path, embed=False),
    "in_place.glb": lambda clip, path: write_gltf(clip, path, in_place=True),
    "skinned.glb": lambda clip, path: write_gltf(clip, path, skin=dress_of(clip.skeleton, "low", "pinto")),
    "skinned.gltf": lambda clip, path: write_gltf(
        [clip, in_place(clip)], path, skin=dress_of(clip.skeleton, "high", "black")
    ),
    "in_place.gltf": lambda clip, path: write_gltf(clip, path, in_place=True),
    "many.glb": lambda clip, path: write_gltf([clip, cut(clip, 40, "walk"), cut(clip, 1, "ride")], path),
    "many_in_place.glb": lambda clip, path: write_gltf([clip, cut(clip, 9, "")], path, in_place=True),
    "one_frame.glb": lambda clip, path: write_gltf(cut(clip, 1, "pose"), path),
    "two_frames.glb": lambda clip, path: write_gltf(cut(clip, 2, "two"), path),
    "still.glb": lambda clip, path: write_gltf(still(clip.skeleton), path),
    "one_joint.glb": lambda _, path: write_gltf(still(comb(1)), path),
    "300_joints.glb": lambda _, path: write_gltf(still(comb(300)), path),
    "odd_names.glb": lambda _, path: write_gltf(still(ODD), path),
    "read_and_written.glb": lambda _, path: write_gltf(parse_gltf(puppet().glb()), path),
    "no_mesh.glb": lambda clip, path: write_gltf(clip, path, mesh=False),
    "no_mesh_in_place.gltf": lambda clip, path: write_gltf(clip, path, mesh=False, in_place=True),
}


def validate(paths: list[Path]) -> dict[str, Any]:
    """Reports of the validator by file name."""
    command = [str(NODE), str(HERE / "validate.mjs"), *map(str, paths)]
    done = subprocess.run(command, check=True, capture_output=True, timeout=120)
    return {Path(name).name: report for name, report in json.loads(done.stdout).items()}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder, clip = tmp_path_factory.mktemp("gltf"), ride()
    return validate([write(clip, folder / name) for name, write in VARIANTS.items()])


@pytest.mark.parametrize("name", VARIANTS)
def test_the_validator_finds_nothing(name: str, reports: dict[str, Any]) -> None:
    issues = reports[name]["issues"]
    messages = [f"{m['code']} {m['pointer']} {m['message']}" for m in issues["messages"]]
    # A skin that no mesh uses is noted, and is on purpose: it makes the joints known as such.
    expected = ["UNUSED_OBJECT /skins/0 This object may be unused."] if "no_mesh" in name else []
    assert messages == expected
    assert issues["numErrors"] == issues["numWarnings"] == issues["numHints"] == 0


def test_the_validator_counts_what_we_wrote(reports: dict[str, Any]) -> None:
    assert reports["many.glb"]["info"]["animationCount"] == 3
    assert reports["ride.glb"]["info"]["hasSkins"]
    assert reports["ride.glb"]["info"]["version"] == "2.0"


def test_the_validator_does_complain(tmp_path: Path) -> None:
    """A file with one wrong number, so that silence above means something."""
    doc, blob = unpack_glb(format_glb(cut(ride(), 3, "broken")))
    doc["skins"][0]["joints"].append(999)
    path = tmp_path / "broken.glb"
    path.write_bytes(pack_glb(json.dumps(doc).encode(), blob))
    assert validate([path])["broken.glb"]["issues"]["numErrors"] >= 1


def test_the_files_we_test_with_are_valid(tmp_path: Path) -> None:
    """The puppet of the other tests is a file that others might write."""
    path = tmp_path / "puppet.glb"
    path.write_bytes(puppet().glb())
    codes = {m["code"] for m in validate([path])["puppet.glb"]["issues"]["messages"] if m["severity"] == 0}
    assert codes <= {"ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS"}  # ours have no bounds, and need none
