"""Plates: one whole stride, equal steps in time, squares of 5 cm at rest in the world, views that agree."""

from __future__ import annotations

import itertools
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from hoofbeat.body.clip import Clip
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import ClipError
from hoofbeat.formats.planfile import Plan, Segment
from hoofbeat.render.draw.camera import still_track
from hoofbeat.render.draw.figure import figure_of
from hoofbeat.render.draw.scene import DrawnScene, Look, scene_of
from hoofbeat.render.draw.shot import shot_of
from hoofbeat.render.draw.theme import LIGHT, PictureError, UnknownTheme
from hoofbeat.render.pages.plate import (
    COLUMNS,
    HEAVY,
    SQUARE,
    _backdrop,
    _cell,
    _row,
    stride_of,
    stride_plate,
)
from hoofbeat.synthesis import synthesize

FPS = 240.0


@cache
def clip_of(gait: str = "trot") -> Clip:
    return synthesize(
        Plan((Segment(4, "cycles", gait=gait),), method="actions", fps=FPS, settle=True, name=gait)
    )


@cache
def scene_at(gait: str = "trot", count: int = 12) -> DrawnScene:
    stride = stride_of(clip_of(gait))
    moments = (stride.start + np.arange(count) * stride.duration / count) * FPS
    return scene_of(clip_of(gait), moments, Look())


@pytest.mark.parametrize(("gait", "speed"), [("walk", 1.725), ("trot", 4.6), ("gallop", 8.59)])
def test_a_stride_goes_from_touchdown_to_touchdown(gait: str, speed: float) -> None:
    stride = stride_of(clip_of(gait))
    assert stride.gait == gait and stride.speed == pytest.approx(speed, rel=0.02)
    contacts = np.asarray(clip_of(gait).contacts)[:, 2] > 0.5
    for second in (stride.start, stride.start + stride.duration):
        frame = round(second * FPS)
        assert contacts[frame] and not contacts[frame - 1]
    assert not (contacts[1:] & ~contacts[:-1])[
        round(stride.start * FPS) : round((stride.start + stride.duration) * FPS) - 1
    ].any()


def test_which_stride() -> None:
    found = [stride_of(clip_of(), k).start for k in (0, 1, -1)]
    assert found[0] < found[1] == found[2]
    with pytest.raises(PictureError, match="strides 0 to 1"):
        stride_of(clip_of(), 2)


@pytest.mark.parametrize("poses", [6, 12, 24])
def test_a_plate_is_drawn(tmp_path: Path, poses: int) -> None:
    path = stride_plate(clip_of(), tmp_path / "trot.png", poses, width=1200)
    with Image.open(path) as image:
        assert image.size[0] == 1200 and 600 < image.size[1] < 2000
        pixels = np.asarray(image)
    for colour in LIGHT.legs:  # hooves and bars
        assert (np.abs(pixels.astype(int) - colour).max(axis=-1) < 8).sum() > 200
    assert (np.abs(pixels.astype(int) - _backdrop(LIGHT)).max(axis=-1) < 3).sum() > 20_000
    assert list(tmp_path.iterdir()) == [path]


def test_the_same_clip_gives_the_same_bytes(tmp_path: Path) -> None:
    pages = [stride_plate(clip_of(), tmp_path / f"{k}.png", 6, width=1200).read_bytes() for k in range(2)]
    assert pages[0] == pages[1]
    assert (
        stride_plate(clip_of(), tmp_path / "dark.png", 6, width=1200, theme="dark").read_bytes() != pages[0]
    )


def threads(row: np.ndarray) -> np.ndarray:
    """Pixels of the heavy threads along a row of the backdrop."""
    light = row.astype(int).sum(axis=-1)
    on = light > 3 * 245
    starts = np.flatnonzero(on & ~np.concatenate([[False], on[:-1]]))
    stops = np.flatnonzero(on & ~np.concatenate([on[1:], [False]]))
    return (starts + stops) / 2


def test_squares_are_five_centimetres_and_rest_in_the_world() -> None:
    scene = scene_at()
    row = _row(scene, "side", 3, 3000, 1.0)
    assert SQUARE * HEAVY == 0.5
    step = 0.5 * row.panel.scale
    for m in (0, 1):
        image = np.asarray(_cell(row, m))
        xs = threads(image[2:16].min(axis=0))
        assert len(xs) >= 5 and np.diff(xs) == pytest.approx(step, abs=1.5)
        # Where the world's half metres are, seen from the camera.
        world = scene.track.travel[m, 0] + (xs - row.panel.centre_x) / row.panel.scale
        assert np.abs(world / 0.5 - np.round(world / 0.5)).max() < 0.02
        between = image[2:16].min(axis=0)[round(xs[1]) + 4 : round(xs[2]) - 3, 0].astype(int)
        fine = between > _backdrop(LIGHT)[0] + 5
        assert (fine[1:] & ~fine[:-1]).sum() == 9  # ten squares in half a metre


def test_the_animal_fits_its_cells() -> None:
    for gait, view in itertools.product(("walk", "trot", "gallop"), ("side", "front", "rear")):
        row = _row(scene_at(gait), view, 6, 3000, 1.0)
        pixels = row.panel.pixels(row.shot.joints)
        assert pixels.min() > 0
        assert pixels[..., 0].max() < row.panel.width and pixels[..., 1].max() < row.panel.height


def test_the_rear_is_the_front_turned_round() -> None:
    clip = clip_of()
    track = still_track(figure_of(clip.skeleton, clip.positions[0]), clip.positions, FPS, None)
    right, up, out = track.axes("rear")[0]
    np.testing.assert_allclose([right, up, out], [(-1, 0, 0), (0, 1, 0), (0, 0, -1)], atol=1e-12)
    scene = scene_at()
    front, rear = shot_of(scene, "front"), shot_of(scene, "rear")
    np.testing.assert_allclose(rear.joints[..., 0], -front.joints[..., 0], atol=1e-12)
    np.testing.assert_allclose(rear.joints[..., 1], front.joints[..., 1], atol=1e-12)
    assert (rear.near == ~front.near).all() and rear.near[0].tolist() == [False, False, True, True]


def test_what_cannot_be_drawn(tmp_path: Path) -> None:
    clip = clip_of()
    short = Clip(clip.skeleton, clip.rotations[:9], clip.origins[:9], FPS, np.asarray(clip.contacts)[:9])
    bare = Clip(clip.skeleton, clip.rotations, clip.origins, FPS)
    bone = Skeleton(["a"], [-1], [(0, 0, 0)])
    legless = Clip(bone, np.tile([0.0, 0, 0, 1], (3, 1, 1)), np.zeros((3, 3)), 60, np.zeros((3, 4)))
    for wrong, words in ((short, "no whole stride"), (bare, "no contacts"), (legless, "no named legs")):
        with pytest.raises(ClipError, match=words):
            stride_plate(wrong, tmp_path / "a.png")
    with pytest.raises(PictureError, match="6, 8, 12, 24 poses, asked for 13"):
        stride_plate(clip, tmp_path / "a.png", 13)
    for width in (100, 100_000):
        with pytest.raises(PictureError, match="1200 to 6000"):
            stride_plate(clip, tmp_path / "a.png", width=width)
    with pytest.raises(UnknownTheme, match="did you mean 'dark'"):
        stride_plate(clip, tmp_path / "a.png", theme="drak")
    with pytest.raises(ClipError, match=r"\.png"):
        stride_plate(clip, tmp_path / "a.jpg")
    assert list(tmp_path.iterdir()) == [] and list(COLUMNS) == [6, 8, 12, 24]
