"""Videos: what the encoder is given is what a player shows, and what is missing is named."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from hoofbeat.errors import FileError
from hoofbeat.render.film.encode import VideoError, milliseconds, write_moving, write_mp4


class Plain:
    """Frames of one colour each, red to blue."""

    def __init__(self, count: int = 12, depth: int = 3, size: tuple[int, int] = (96, 64)) -> None:
        self.count, self.depth, self.size, self.fps = count, depth, size, 24.0

    def __len__(self) -> int:
        return self.count

    def colour(self, i: int) -> tuple[int, int, int]:
        share = i / max(self.count - 1, 1)
        return round(220 - 180 * share), 90, round(40 + 180 * share)

    def pixels(self, i: int) -> NDArray[np.uint8]:
        found = np.full((self.size[1], self.size[0], self.depth), 255, np.uint8)
        found[..., :3] = self.colour(i)
        return found

    def frame(self, i: int) -> Image.Image:
        return Image.fromarray(self.pixels(i)[..., :3])

    def accents(self) -> Sequence[tuple[int, int, int]]:
        return [self.colour(0)]


def ffmpeg() -> Any:
    return pytest.importorskip("imageio_ffmpeg", reason="the extra `render` is not installed")


def decoded(path: Path) -> tuple[NDArray[np.uint8], float]:
    """Frames (T, height, width, 3) and rate of a video, as ffmpeg reads it."""
    reader = ffmpeg().read_frames(str(path), pix_fmt="rgb24")
    meta = next(reader)
    width, height = meta["size"]
    frames = [np.frombuffer(data, np.uint8).reshape(height, width, 3) for data in reader]
    return np.stack(frames), meta["fps"]


@pytest.mark.parametrize("depth", [3, 4])
def test_a_video_has_the_frames_rate_and_colours_it_was_given(tmp_path: Path, depth: int) -> None:
    ffmpeg()
    frames, seen = Plain(depth=depth), []
    path = write_moving(frames, tmp_path / "a.mp4", lambda done, total: seen.append((done, total)))
    found, rate = decoded(path)
    assert found.shape == (12, 64, 96, 3) and rate == 24.0
    wanted = np.array([frames.colour(i) for i in range(12)])
    assert np.abs(found[:, 8:-8, 8:-8].mean(axis=(1, 2)) - wanted).max() < 4
    assert seen == [(k, 12) for k in range(1, 13)]


def test_a_failed_video_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ffmpeg()
    target = tmp_path / "a.mp4"
    target.write_bytes(b"old")

    class Broken(Plain):
        def pixels(self, i: int) -> NDArray[np.uint8]:
            if i == 3:
                raise RuntimeError("no fourth frame")
            return super().pixels(i)

    with pytest.raises(RuntimeError, match="no fourth"):
        write_mp4(Broken(), target)
    with pytest.raises(FileError, match="does not exist"):
        write_mp4(Plain(), tmp_path / "nowhere" / "a.mp4")
    with pytest.raises(VideoError, match="ffmpeg ended with"):  # H.264 wants even sizes
        write_mp4(Plain(size=(95, 63)), target)
    assert target.read_bytes() == b"old" and list(tmp_path.iterdir()) == [target]
    module = importlib.import_module("imageio_ffmpeg")
    monkeypatch.setattr(module, "get_ffmpeg_exe", lambda: "/bin/false")
    with pytest.raises(VideoError, match="ffmpeg ended with 1"):
        write_mp4(Plain(), target)
    assert target.read_bytes() == b"old"


def test_a_missing_encoder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(VideoError, match=r"pip install 'hoofbeat\[render\]'"):
        write_mp4(Plain(), tmp_path / "a.mp4")
    assert write_moving(Plain(), tmp_path / "a.webp").exists()


def test_times_add_up() -> None:
    frames = Plain(count=240)
    assert sum(milliseconds(frames)) == 10_000 and sum(milliseconds(frames, 10)) == 10_000
