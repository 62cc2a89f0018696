"""Film: a clip as frames of the skinned animal in a light studio, drawn when they are asked for; over them
gait and speed, and footfall bars at the bottom."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from hoofbeat.body.clip import Clip
from hoofbeat.body.mesh.shipped import dress_of
from hoofbeat.body.mesh.skin import Skin, animals
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.render.draw.camera import CameraTrack
from hoofbeat.render.draw.canvas import Canvas
from hoofbeat.render.draw.scene import DrawnScene, Look, need_frames, scene_of
from hoofbeat.render.draw.theme import Colour, PictureError, font, mix, theme_of
from hoofbeat.render.film.moving import check_count, check_rates
from hoofbeat.render.gl.context import GraphicsError
from hoofbeat.render.gl.lens import about_track, camera_preset, fitted_lens
from hoofbeat.render.gl.light import light_of
from hoofbeat.render.gl.poses import DrawnPoses
from hoofbeat.render.gl.stage import Stage, slack_of
from hoofbeat.render.pages.footfall import (
    Bars,
    Strip,
    accents_of,
    bars_of,
    paint_bars,
    range_about,
    strip_height,
)

#: Widths and heights [px] that a film may have.
SIZES = (64, 4096)
#: Moments of the film that the camera's distance is found from.
FITTED = 48
#: Of the ground below the animal, one point for so many of its own.
FEW = 8
#: One unit of strokes and letters is a pixel in a film of this height.
UNIT_HEIGHT = 560.0
#: Letters and strokes of a small film are not made smaller than this unit [px].
LEAST_UNIT = 0.58
#: Width of the bars in units, at most this part of the film, space around them in units, and how much of
#: the picture they hide.
BARS_WIDTH, BARS_MOST, BARS_MARGIN, BARS_COVER = 330.0, 0.72, 14.0, 0.80


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
        beyond = [form + slack * np.array(direction) for direction in ((0, 1, 0), (0, 0, 1), (0, 0, -1))]
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


class Overlay:
    """Words and bars over the frames of a scene, for pictures of `size` (width, height)."""

    def __init__(self, scene: DrawnScene, size: tuple[int, int], slow: float = 1.0) -> None:
        self._scene, self._size, self._slow = scene, size, slow
        self._unit = max(size[1] / UNIT_HEIGHT, LEAST_UNIT)
        self._bars: Bars | None = None
        if scene.contacts is not None:
            self._bars = bars_of(scene.clip, scene.look.gait_names)

    @property
    def floor(self) -> float:
        """The part of the picture's height, from below, that is kept free: the bars are in a corner, so the
        animal may come down beside them unless they are as wide as the picture."""
        if self._bars is None:
            return 0.03
        high = (strip_height(self._unit) + BARS_MARGIN * self._unit) / self._size[1]
        wide = min(BARS_WIDTH * self._unit / self._size[0], BARS_MOST)
        return 0.03 + high * min(max(wide - 0.25, 0.0) / (BARS_MOST - 0.25), 1.0)

    def accents(self, pixels: NDArray[np.uint8]) -> tuple[Colour, ...]:
        """The colours of the bars over a picture (height, width, 4) that nothing was written on."""
        corner = pixels[-round(strip_height(self._unit)) :, : round(BARS_WIDTH * self._unit), :3]
        red, green, blue = (int(value) for value in np.median(corner.reshape(-1, 3), axis=0))
        return tuple(mix(c, (red, green, blue), 1 - BARS_COVER) for c in accents_of(self._scene.look.theme))

    def lay(self, pixels: NDArray[np.uint8], i: int) -> None:
        """Write over picture i, (height, width, 4)."""
        unit, scene = self._unit, self._scene
        theme = scene.look.theme
        left, base = round((BARS_MARGIN + 4) * unit), round(34 * unit)
        name = scene.gait[i] or scene.clip.name
        _write(pixels, left, base, name, round(25 * unit), theme.text)
        words = f"{scene.speed[i]:.1f} m/s"
        if self._slow != 1.0:
            words += f"    {self._slow:.3g}x slow" if self._slow > 1 else f"    {1 / self._slow:.3g}x fast"
        _write(pixels, left, base + round(21 * unit), words, round(15 * unit), theme.quiet)
        if self._bars is not None:
            self._lay_bars(pixels, self._bars, i)

    def _lay_bars(self, pixels: NDArray[np.uint8], bars: Bars, i: int) -> None:
        unit, theme = self._unit, self._scene.look.theme
        width = round(min(BARS_WIDTH * unit, BARS_MOST * self._size[0]))
        height = round(strip_height(unit) + 8 * unit)
        left = round(BARS_MARGIN * unit)
        top = self._size[1] - left - height
        now = float(self._scene.seconds[i])
        canvas = Canvas(width, height, theme.paper, factor=2)
        strip = Strip(32 * unit, 5 * unit, width - 20 * unit, *range_about(now, bars.seconds), unit)
        paint_bars(canvas, bars, strip, theme, now)
        drawn = np.asarray(canvas.finish(fine=False), np.uint16)
        under = pixels[top : top + height, left : left + width, :3]
        share = round(256 * BARS_COVER)
        under[:] = (drawn * share + under.astype(np.uint16) * (256 - share)) >> 8


def _write(pixels: NDArray[np.uint8], x: int, y: int, words: str, size: int, colour: Colour) -> None:
    """Words with their left end and baseline at x, y; what would stand outside is cut off."""
    ink, drop = _ink(words, size)
    top = max(y - drop, 0)
    under = pixels[top : top + ink.shape[0], x : x + ink.shape[1], :3]
    cover = ink[: under.shape[0], : under.shape[1], None].astype(np.uint16)
    under[:] = (np.array(colour, np.uint16) * cover + under * (255 - cover)) // 255


@lru_cache(maxsize=256)
def _ink(words: str, size: int) -> tuple[NDArray[np.uint8], int]:
    """Letters as cover (height, width) in 0..255, and how far their baseline is below the top."""
    face = font(max(size, 9))
    box = face.getbbox(words, anchor="ls")
    width, height, drop = int(box[2]) + 2, int(box[3] - box[1]) + 2, int(-box[1]) + 1
    image = Image.new("L", (max(width, 1), max(height, 1)))
    ImageDraw.Draw(image).text((0, drop), words, fill=255, font=face, anchor="ls")
    return np.asarray(image), drop
