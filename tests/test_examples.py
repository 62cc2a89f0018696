"""Every example runs as a user would run it, says what it did, and leaves what it says it leaves."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import hoofbeat
from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.render.draw.theme import LIGHT
from hoofbeat.render.gl.context import missing

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
#: What each example leaves behind when it is run without arguments.
LEAVES = {
    "01_ride.py": ("ride.webp", "ride.png", "ride.bvh"),
    "02_herd.py": ("herd.png", "herd.webp"),
    "03_new_action.py": ("pony.png", "pony/pony.scene.yaml", "pony/pace.action", "pony/horse.bvh"),
    "04_read_bvh.py": ("horse-poses.png",),
    "05_check_a_clip.py": ("walk-check.png", "spoiled-check.png"),
    "06_ride_by_script.py": ("scripted.glb", "scripted.yaml"),
}


def run(name: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run an example with the quick option in an empty folder; kernels may have to compile first."""
    package = Path(hoofbeat.__file__).resolve().parents[1]  # the same one that this test uses
    return subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments],
        cwd=folder,
        env=os.environ | {"HOOFBEAT_QUICK": "1", "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


#: Pictures of the animal, skinned where it can be shown.
SKINNED = ("ride.png", "ride.webp", "herd.webp", "pony.png")


def check_skinned(path: Path) -> None:
    """The flesh of the drawn figure, which fills a twentieth of such a picture, is nowhere."""
    with Image.open(path) as image:
        image.seek(getattr(image, "n_frames", 1) // 2)
        pixels = np.asarray(image.convert("RGB")).astype(int)
    assert (np.abs(pixels - LIGHT.flesh).max(axis=-1) <= 6).mean() < 0.002, f"{path.name} is drawn"


def check_picture(path: Path) -> None:
    """A picture that opens, moves where it should, and is not one flat colour."""
    with Image.open(path) as image:
        assert getattr(image, "n_frames", 1) > 1 or path.suffix == ".png"
        lowest, highest = zip(*image.convert("RGB").getextrema(), strict=True)
        assert max(highest) - min(lowest) > 100


@pytest.mark.parametrize("name", sorted(LEAVES))
def test_an_example_runs_and_leaves_its_files(name: str, tmp_path: Path) -> None:
    done = run(name, tmp_path)
    assert done.returncode == 0, done.stderr
    for leaf in LEAVES[name]:
        path = tmp_path / "out" / leaf
        assert path.stat().st_size > 0, leaf
        assert path.name in done.stdout or path.parent.name == "pony", f"{leaf} is left but not named"
        if path.suffix in (".png", ".webp"):
            check_picture(path)
        if path.name in SKINNED and not missing():
            check_skinned(path)
    if name == "01_ride.py":
        clip = hoofbeat.load(tmp_path / "out" / "ride.bvh")
        assert f"{len(clip)} frames" in done.stdout
        assert "walk" in done.stdout
    if name == "03_new_action.py":
        check_pony(tmp_path, done.stdout)


def check_pony(folder: Path, said: str) -> None:
    scene = read_scene(folder / "out" / "pony" / "pony.scene.yaml")
    assert [gait.name for gait in scene.gaits] == ["walk", "pace"]
    # A pace moves the legs of one side together; those of a diagonal agree only by chance.
    lateral, lateral_2, diagonal, diagonal_2 = (int(share) for share in re.findall(r"(\d+)%", said))
    assert min(lateral, lateral_2) > 85 > 70 > max(diagonal, diagonal_2)


def test_reading_a_given_file(tmp_path: Path) -> None:
    done = run("04_read_bvh.py", tmp_path, str(THESIS_HORSE.parent / "horse.bvh"), "0.5")
    assert done.returncode == 0, done.stderr
    assert "49 joints and 6 end sites" in done.stdout
    assert "hind legs are 0.59 m" in done.stdout


@pytest.mark.parametrize("arguments", [("absent.bvh",), ("absent.bvh", "wide")])
def test_a_file_that_cannot_be_read_is_one_sentence(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = run("04_read_bvh.py", tmp_path, *arguments)
    assert done.returncode == 1
    assert done.stderr.startswith("cannot be read: ")
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_every_example_is_tested_described_and_listed() -> None:
    scripts = sorted(path.name for path in EXAMPLES.glob("*.py"))
    assert scripts == sorted(LEAVES)
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for name in scripts:
        assert ast.get_docstring(ast.parse((EXAMPLES / name).read_text(encoding="utf-8"))), name
        assert f"({name})" in listed, f"{name} has no line in examples/README.md"
