"""Export: clips come back from their files as they were, and what cannot be written is said in time."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import hoofbeat
from hoofbeat.body.clip import Clip
from hoofbeat.body.contacts import with_contacts
from hoofbeat.body.skeleton import LEGS
from hoofbeat.errors import ClipError, FileError, HoofbeatError
from hoofbeat.export import load, save
from hoofbeat.horse import Horse
from hoofbeat.record import Recorder
from hoofbeat.records import Command


@cache
def trot() -> Clip:
    horse = Horse()
    recorder = Recorder(horse.skeleton, 60)
    for n in range(200):
        frame = horse.step(Command(speed=4.5, turn=0.3))
        if n >= 140:
            recorder.add(frame)
    return recorder.clip("trot")


def test_a_bvh_comes_back(tmp_path: Path) -> None:
    clip = trot()
    path = clip.save(tmp_path / "trot.bvh")
    again = load(path)
    assert np.abs(again.positions - clip.positions).max() < 1e-4
    assert len(again) == len(clip) and again.fps == pytest.approx(clip.fps, rel=1e-5)
    assert again.skeleton.names == clip.skeleton.names and again.skeleton.legs == clip.skeleton.legs
    np.testing.assert_array_equal(again.skeleton.ends, clip.skeleton.ends)
    # BVH has no place for contacts: they are found again from the toes.
    assert again.contacts is None
    found, said = with_contacts(again).contacts, clip.contacts
    assert found is not None and said is not None and ((found > 0.5) == (said > 0.5)).mean() > 0.85


def test_a_bvh_written_twice_is_the_same(tmp_path: Path) -> None:
    once = load(save(trot(), tmp_path / "once.bvh"))
    twice = load(save(once, tmp_path / "twice.bvh"))
    assert np.abs(twice.positions - once.positions).max() < 1e-6
    assert (tmp_path / "once.bvh").read_bytes() == trot().save(tmp_path / "a.bvh").read_bytes()


def test_lengths_are_scaled_while_reading(tmp_path: Path) -> None:
    path = trot().save(tmp_path / "trot.bvh")
    small = load(path, scale=0.01)
    np.testing.assert_allclose(small.positions, trot().positions / 100, atol=1e-6)
    for scale in (0, -1, np.nan, np.inf):
        with pytest.raises(FileError, match="scale"):
            load(path, scale=scale)


@pytest.mark.parametrize(("name", "moving"), [("trot.png", False), ("trot.webp", True), ("trot.gif", True)])
def test_pictures_are_written(tmp_path: Path, name: str, moving: bool) -> None:
    clip = trot()
    short = Clip(clip.skeleton, clip.rotations[:24], clip.origins[:24], 60, np.asarray(clip.contacts)[:24])
    path = short.save(tmp_path / name)
    with Image.open(path) as picture:
        assert picture.width > 200 and picture.height > 100
        assert (getattr(picture, "n_frames", 1) > 1) == moving
        pixels = np.asarray(picture.convert("L"))
    assert np.ptp(pixels) > 100  # something is drawn


def test_endings_in_capitals_and_paths_as_text(tmp_path: Path) -> None:
    given = str(tmp_path / "TROT.BVH")
    assert trot().save(given) == Path(given) and len(load(given)) == len(trot())


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a.bhv", ["'.bhv'", "did you mean .bvh?", ".png"]),
        ("a.docx", ["'.docx'", "Known: .bvh"]),
        ("a", ["without an ending", ".webp"]),
        (".bvh", ["without an ending"]),
        ("", ["without an ending"]),
    ],
)
def test_unknown_endings(tmp_path: Path, name: str, words: list[str]) -> None:
    with pytest.raises(ClipError) as caught:
        trot().save(tmp_path / name)
    assert all(word in str(caught.value) for word in words), str(caught.value)
    with pytest.raises(ClipError, match="cannot read"):
        load(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", [".bvh", ".png"])
def test_folders_that_cannot_be_written(tmp_path: Path, ending: str) -> None:
    (tmp_path / "file").write_text("kept")
    (tmp_path / f"folder{ending}").mkdir()
    for place, words in (
        (tmp_path / "none" / f"a{ending}", "does not exist"),
        (tmp_path / "file" / f"a{ending}", "does not exist"),
        (tmp_path / f"folder{ending}", "folder"),
        (Path(f"a\0{ending}"), "cannot be written"),
    ):
        with pytest.raises(FileError, match=words):
            trot().save(place)
    assert (tmp_path / "file").read_text() == "kept"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", f"folder{ending}"]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "folder.bvh").mkdir()
    (tmp_path / "empty.bvh").write_bytes(b"")
    (tmp_path / "binary.bvh").write_bytes(bytes(range(256)))
    for name in ("none.bvh", "folder.bvh", "empty.bvh", "binary.bvh"):
        with pytest.raises(FileError) as caught:
            load(tmp_path / name)
        assert name in str(caught.value)


def test_an_old_file_survives_a_clip_that_cannot_be_written(tmp_path: Path) -> None:
    target = tmp_path / "old.png"
    target.write_bytes(b"old")
    nothing = Clip(trot().skeleton, np.zeros((0, len(trot().skeleton), 4)), np.zeros((0, 3)), 60)
    with pytest.raises(HoofbeatError, match="no frames"):
        nothing.save(target)
    assert target.read_bytes() == b"old"


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "scale", "feet"),
    [
        ("thesis/horse.bvh", 1.0, "EF"),
        ("dog/D1_007_KAN01_001.bvh", 0.01, "Hand Foot"),
    ],
)
def test_clips_of_horse_and_dog_get_their_legs(data_dir: Path, file: str, scale: float, feet: str) -> None:
    clip = load(data_dir / file, scale=scale)
    assert tuple(leg.name for leg in clip.skeleton.legs) == LEGS
    for leg in clip.skeleton.legs:
        name = clip.skeleton.names[leg.toe]
        assert clip.skeleton.ends[leg.toe] and any(part in name for part in feet.split())
        assert ("Left" in name) == leg.name.startswith("L")
    contacts = with_contacts(clip).contacts
    assert contacts is not None and contacts.shape == (len(clip), 4)


def test_the_front_door_is_these_functions() -> None:
    assert hoofbeat.load is load and hoofbeat.save is save


def test_layout_options_are_for_gltf_and_spelled_right(tmp_path: Path) -> None:
    horse = Horse()
    recorder = Recorder(horse.skeleton)
    recorder.add(horse.step(Command(speed=2.0)))
    clip = recorder.clip()
    for name in ("a.glb", "a.bvh"):
        save(clip, tmp_path / name)
    turned = load(tmp_path / "a.glb", up="z", forward="-y")
    straight = load(tmp_path / "a.glb")
    # The file's own up is Y, which a reader told that up is Z takes for the way to a side.
    assert np.ptp(turned.positions[0], axis=0) != pytest.approx(
        np.ptp(straight.positions[0], axis=0), rel=0.1
    )
    assert sorted(np.ptp(turned.positions[0], axis=0)) == pytest.approx(
        sorted(np.ptp(straight.positions[0], axis=0)), rel=1e-3
    )
    with pytest.raises(ClipError, match="only"):
        load(tmp_path / "a.bvh", up="z")
    with pytest.raises(ClipError, match="unknown option"):
        load(tmp_path / "a.glb", upp="z")
