"""Clip: what it refuses, that it cannot be changed, and how it finds a writer."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hoofbeat.body import clip as clip_module
from hoofbeat.body.clip import Clip, register_writer
from hoofbeat.body.pose import positions_of
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import ClipError, HoofbeatError
from hoofbeat.maths import quat

SKELETON = Skeleton(["hips", "spine", "head"], [-1, 0, 1], [[0, 0, 0], [0, 0, 1], [0, 1, 0]])
FRAMES = 5


def make(**changes: Any) -> Clip:
    fields: dict[str, Any] = {
        "skeleton": SKELETON,
        "rotations": quat.identity((FRAMES, 3)),
        "origins": np.arange(FRAMES * 3.0).reshape(FRAMES, 3),
        "fps": 60,
        **changes,
    }
    return Clip(**fields)


def spoiled(shape: tuple[int, ...], value: float) -> np.ndarray:
    array = np.zeros(shape)
    array[1, -1] = value
    return array


@pytest.fixture
def writers(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """An empty registry, so that what other modules registered does not matter here."""
    empty: dict[str, Any] = {}
    monkeypatch.setattr(clip_module, "_writers", empty)
    return empty


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rotations": quat.identity((FRAMES, 2))}, r"rotations must be \(T, 3, 4\)"),
        ({"rotations": np.zeros((FRAMES, 3, 3))}, r"given \(5, 3, 3\)"),
        ({"rotations": quat.identity((3,))}, "rotations must be"),
        ({"origins": np.zeros((FRAMES + 1, 3))}, r"origins must be \(5, 3\), given \(6, 3\)"),
        ({"contacts": np.zeros((FRAMES, 3))}, r"contacts must be \(5, 4\)"),
        ({"rotations": spoiled((FRAMES, 3, 4), np.nan)}, "rotations contain NaN or infinity"),
        ({"origins": spoiled((FRAMES, 3), np.inf)}, "origins contain NaN or infinity"),
        ({"fps": 0}, "fps must be in"),
        ({"fps": -30}, "fps must be in"),
        ({"fps": np.nan}, "fps must be in"),
        ({"fps": np.inf}, "fps must be in"),
        ({"fps": 10_001}, "fps must be in"),
        ({"extras": {"speed": np.zeros(4)}}, "extra 'speed' must have 5 rows, its shape is"),
    ],
)
def test_what_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ClipError, match=message) as caught:
        make(**changes)
    assert isinstance(caught.value, HoofbeatError)


def test_arrays_are_copied_and_read_only() -> None:
    origins = np.zeros((FRAMES, 3))
    clip = make(
        origins=origins, contacts=np.ones((FRAMES, 4)), extras={"speed": np.zeros(FRAMES, np.float32)}
    )
    origins[:] = 7
    assert clip.contacts is not None and not clip.origins.any()
    for array in (clip.rotations, clip.origins, clip.contacts, clip.extras["speed"], clip.positions):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(TypeError):
        clip.extras["more"] = np.zeros(FRAMES)  # pyright: ignore[reportIndexIssue]
    with pytest.raises(dataclasses.FrozenInstanceError):
        clip.fps = 30.0  # pyright: ignore[reportAttributeAccessIssue]


def test_types_and_length() -> None:
    clip = make(
        rotations=quat.identity((FRAMES, 3), np.float32), extras={"step": np.arange(FRAMES)}, name="trot"
    )
    assert clip.rotations.dtype == clip.origins.dtype == np.float64
    assert clip.extras["step"].dtype.kind == "i"
    assert len(clip) == FRAMES and clip.seconds == FRAMES / 60 and clip.contacts is None
    assert repr(clip).startswith("Clip('trot': 0.08 s, 5 frames at 60 fps") and "3 joints" in repr(clip)


@pytest.mark.kernels
def test_positions_are_forward_kinematics_computed_once() -> None:
    turned = quat.from_axis_angle(np.array([0, 1.0, 0]), np.linspace(-1, 1, FRAMES * 3).reshape(FRAMES, 3))
    clip = make(rotations=turned)
    np.testing.assert_array_equal(clip.positions, positions_of(SKELETON, turned, clip.origins))
    assert clip.positions is clip.positions
    np.testing.assert_array_equal(clip.positions[:, 0], clip.origins)


def test_save_chooses_the_writer_by_ending(writers: dict[str, Any], tmp_path: Path) -> None:
    asked: list[tuple[Clip, Path]] = []
    register_writer(".bvh", lambda clip, path: asked.append((clip, path)))
    clip = make()
    assert list(writers) == [".bvh"]
    assert clip.save(str(tmp_path / "a.BVH")) == tmp_path / "a.BVH"
    assert asked == [(clip, tmp_path / "a.BVH")]


@pytest.mark.usefixtures("writers")
def test_unknown_ending_lists_the_known_ones(tmp_path: Path) -> None:
    for ending in (".glb", ".bvh"):
        register_writer(ending, lambda _clip, _path: None)
    for name, parts in (
        ("a.bhv", ["'.bhv'", "did you mean .bvh?", "Known: .bvh", ".glb"]),
        ("a.docx", ["'.docx'", "Known: .bvh", ".glb"]),
        ("a", ["a file without an ending", "Known: .bvh", ".glb"]),
    ):
        with pytest.raises(ClipError) as caught:
            make().save(tmp_path / name)
        assert all(part in str(caught.value) for part in parts), str(caught.value)
        assert not (tmp_path / name).exists()
