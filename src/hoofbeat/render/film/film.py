"""Film: a clip as frames of the skinned animal in a light studio, drawn when they are asked for."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from hoofbeat.body.clip import Clip
from hoofbeat.body.mesh.shipped import dress_of
from hoofbeat.body.mesh.skin import Skin, animals
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.render.draw.camera import CameraTrack
from hoofbeat.render.draw.scene import Look, need_frames, scene_of
from hoofbeat.render.draw.theme import Colour, PictureError, theme_of
from hoofbeat.render.film.moving import check_count, check_rates
from hoofbeat.render.film.overlay import Overlay
from hoofbeat.render.gl.context import GraphicsError
from hoofbeat.render.gl.lens import about_track, camera_preset, fitted_lens
from hoofbeat.render.gl.light import light_of
from hoofbeat.render.gl.poses import DrawnPoses
from hoofbeat.render.gl.stage import Stage, slack_of

#: Widths and heights [px] that a film may have.
SIZES = (64, 4096)
#: Moments of the film that the camera's distance is found from.
FITTED = 48
#: Of the ground below the animal, one point for so many of its own.
FEW = 8


@dataclass(frozen=True)
class Setting:
    """How a film is made: camera by name, size (width, height) [px], the animal's coat ("" = its first) and
    level of detail, theme "light" or "dark", smooth edges, and whether it says gait, speed and footfalls."""

    camera: str = "three-quarter"
    size: tuple[int, int] = (1280, 720)
    coat: str = ""
    level: str = "medium"
    theme: str = "light"
    smooth: bool = True
    words: bool = True


class Film:
    """Frames of a film: `len(film)`, `film.size`, `film.frame(i)`. `release` gives the graphics card back;
    as a context manager it does so by itself."""

    def __init__(
        self,
        clip: Clip,
        setting: Setting | None = None,
        fps: float = 30.0,
        slow: float = 1.0,
        moments: Sequence[float] | None = None,
    ) -> None:
        """Film `clip` at `fps` pictures a second, `slow` times slower than life; or at these moments, in
        frames of the clip. A skin must be shipped for its skeleton."""
        setting = setting or Setting()
        need_frames(clip)
        check_rates(fps, slow)
        self.size, self.fps, self.setting = _checked_size(setting.size), float(fps), setting
        preset, light = camera_preset(setting.camera), light_of(setting.theme)
        skin, plain, finest = (
            skin_of(clip.skeleton, level, setting.coat) for level in (setting.level, "low", "high")
        )
        if moments is None:
            count = check_count(clip, fps, slow)
            picked = np.minimum(np.arange(count) * (clip.fps / (fps * slow)), len(clip) - 1.0)
        else:
            picked = np.clip(np.asarray(moments, np.float64), 0.0, len(clip) - 1.0)
        self.scene = scene_of(clip, picked, Look(theme_of(setting.theme)))
        self._poses = DrawnPoses(clip, plain, picked, self.scene.track.centre)
        self._overlay = Overlay(self.scene, self.size, slow) if setting.words else None
        aspect, floor = self.size[0] / self.size[1], self._overlay.floor if self._overlay else 0.03
        self._rig = fitted_lens(preset, self._reach(slack_of(finest, plain)), aspect, floor)
        self._stage = Stage(skin, plain, self.size, light, setting.smooth)

    def __enter__(self) -> Film:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def __len__(self) -> int:
        return len(self.scene)

    def release(self) -> None:
        """Give the graphics card back; no frame can be drawn after it."""
        self._stage.release()

    def pixels(self, i: int) -> NDArray[np.uint8]:
        """Picture i as (height, width, 4) RGBA."""
        found = self._plain(i)
        if self._overlay is not None:
            self._overlay.lay(found, i)
        return found

    def frame(self, i: int) -> Image.Image:
        """Picture i (RGB)."""
        return Image.fromarray(np.ascontiguousarray(self.pixels(i)[..., :3]))

    def silhouette(self, i: int) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
        """Where picture i shows the animal, (height, width) 0 or 255, and its camera: clip from world."""
        camera = self._rig.at(float(self.scene.track.yaw[i]), self.size[0] / self.size[1])
        shown = self._stage.cutout(self._poses.at(i), camera)[..., 3]
        back = np.eye(4)
        back[[0, 2], 3] = -self.scene.track.centre[i, [0, 2]]
        return np.where(shown > 127, 255, 0).astype(np.uint8), camera.clip_from_world @ back

    def accents(self) -> Sequence[Colour]:
        """The colours of the footfall bars, as they are over this ground."""
        return () if self._overlay is None else self._overlay.accents(self._plain(0))

    def _plain(self, i: int) -> NDArray[np.uint8]:
        """Picture i as (height, width, 4) RGBA, nothing written on it."""
        camera = self._rig.at(float(self.scene.track.yaw[i]), self.size[0] / self.size[1])
        return self._stage.picture(self._poses.at(i), camera)

    def _reach(self, slack: float) -> NDArray[np.float64]:
        """Points (N, 3) [m] that must be in the picture: its form over time, and the ground below."""
        picked = np.unique(np.linspace(0, len(self.scene) - 1, FITTED).astype(np.int64))
        # Forms stand about the centre already.
        track = self.scene.track.at(picked.astype(np.float64))
        still = CameraTrack(0 * track.centre, track.yaw, track.travel)
        form = about_track(np.stack([self._poses.at(int(m)).form for m in picked]).astype(np.float64), still)
        ground = form[::FEW] * np.array([1.0, 0.0, 1.0])
        beyond = [form + slack * np.array(way) for way in ((0, 1, 0), (0, 0, 1), (0, 0, -1))]
        return np.concatenate([*beyond, ground])


def skin_of(skeleton: Skeleton, level: str, coat: str) -> Skin:
    """The skin that fits; where none does, an error says what else can be asked for."""
    found = dress_of(skeleton, level, coat)
    if found is None:
        raise GraphicsError(
            f"no skin is shipped for this skeleton of {len(skeleton)} nodes, only for the package's own "
            f"animals ({', '.join(animals())}); ask for the drawn figure"
        )
    return found


def _checked_size(size: tuple[int, int]) -> tuple[int, int]:
    """A size that can be drawn and, both sides being even, encoded as a video."""
    try:
        width, height = (operator.index(side) for side in size)
    except (TypeError, ValueError):
        raise PictureError(
            f"size must be two whole numbers, width and height in pixels, given {size!r}"
        ) from None
    if not all(SIZES[0] <= side <= SIZES[1] and side % 2 == 0 for side in (width, height)):
        raise PictureError(f"width and height must be even numbers of {SIZES[0]} to {SIZES[1]}, given {size}")
    return width, height
