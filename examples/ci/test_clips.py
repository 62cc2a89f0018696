"""A test for each clip of a folder: it must show the gait that its name begins with, as trot-fast.glb.

The folder is `clips` beside this file, or the one that CLIPS names. Measures that do not matter to you go
into IGNORE, by name or by group.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import hoofbeat as hb

FOLDER = Path(os.environ.get("CLIPS") or Path(__file__).parent / "clips")
FILES = sorted(p for p in FOLDER.glob("*") if p.suffix in (".bvh", ".glb", ".gltf", ".npz"))
IGNORE = ("similarity", "real horses")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_clip_moves_as_the_animal_would(path: Path) -> None:
    hb.check.assert_gait(hb.load(path), path.stem.partition("-")[0], ignore=IGNORE)
