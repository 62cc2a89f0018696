"""Moving: a clip as a moving picture, drawn, with scrolling ground and footfall bars."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from hoofbeat.body.clip import Clip
from hoofbeat.render.draw.camera import Ground, panels_of
from hoofbeat.render.draw.canvas import Canvas
from hoofbeat.render.draw.layout import LEAST_UNIT, UNIT_WIDTH, check_width, layout_of
from hoofbeat.render.draw.scene import Look, need_frames, scene_of
from hoofbeat.render.draw.theme import Colour, PictureError, Theme, theme_of
from hoofbeat.render.files import target_of
from hoofbeat.render.film.encode import ENDINGS, Progress, milliseconds, write_moving
from hoofbeat.render.pages.footfall import Strip, accents_of, bars_of, paint_bars, range_about, strip_height

#: Most frames of a moving picture.
MOST_FRAMES = 20_000
#: Rates [1/s] and slow-motion factors that can be asked for.
RATES, SLOWNESS = (1.0, 100.0), (0.1, 100.0)
#: Height of the line of words at the top, in units.
HEADER = 34.0


class Reel:
    """The frames of a moving picture, drawn when asked for: `len(reel)`, `reel.size`, `reel.frame(i)`."""

    def __init__(
        self,
        clip: Clip,
        view: str = "side",
        fps: float = 30.0,
        width: int = 640,
        follow: bool = True,
        slow: float = 1.0,
        look: Look | None = None,
    ) -> None:
        """Sample `clip` at `fps` frames a second, `slow` times slower than life, `width` pixels wide."""
        panels_of(view)
        need_frames(clip)
        width = check_width(width)
        check_rates(fps, slow)
        count = check_count(clip, fps, slow)
        self.clip, self.fps, self.slow = clip, float(fps), float(slow)
        moments = np.minimum(np.arange(count) * (clip.fps / (fps * slow)), len(clip) - 1.0)
        self.scene = scene_of(clip, moments, look or Look(), follow)
        self._bars = bars_of(clip, self.scene.look.gait_names)
        unit = max(width / UNIT_WIDTH, LEAST_UNIT)
        self.layout = layout_of(self.scene, view, width, HEADER * unit, LEAST_UNIT)
        bars = strip_height(unit) + 6 * unit if self.scene.contacts is not None else 0.0
        self._unit, self._bars_top = unit, HEADER * unit + self.layout.height
        height = round(self._bars_top + bars)
        self.size = (width, height + height % 2)  # video encoders want even sizes

    def __len__(self) -> int:
        return len(self.scene)

    def frame(self, i: int, factor: int = 3) -> Image.Image:
        """Picture i (RGB), drawn `factor` times too large and shrunk."""
        canvas = Canvas(*self.size, self.scene.look.theme.paper, factor)
        self.layout.paint(canvas, i)
        self._paint_words(canvas, i)
        if self.scene.contacts is not None:
            now, unit = float(self.scene.seconds[i]), self._unit
            top, right = self._bars_top + 4 * unit, self.size[0] - 20 * unit
            strip = Strip(40 * unit, top, right, *range_about(now, self._bars.seconds), unit)
            paint_bars(canvas, self._bars, strip, self.scene.look.theme, now)
        return canvas.finish(fine=False)

    def milliseconds(self, step: int = 1) -> list[int]:
        """How long each frame is shown [ms], in multiples of `step`."""
        return milliseconds(self, step)

    def pixels(self, i: int) -> NDArray[np.uint8]:
        """Picture i as (height, width, 3) RGB."""
        return np.asarray(self.frame(i))

    def accents(self) -> Sequence[Colour]:
        """The colours of the legs and bars, and the alarm."""
        theme = self.scene.look.theme
        return (*accents_of(theme), theme.alarm)

    def _paint_words(self, canvas: Canvas, i: int) -> None:
        theme, unit = self.scene.look.theme, self._unit
        base, large, small = 24 * unit, max(10, round(19 * unit)), max(9, round(15 * unit))
        canvas.text(12 * unit, base, self.scene.gait[i] or self.clip.name, large, theme.text)
        middle = self.size[0] / 2
        canvas.text(middle, base, f"{self.scene.speed[i]:.2f} m/s", small, theme.text, "ms")
        words = f"{self.scene.seconds[i]:.2f} s"
        if self.slow > 1.0:
            words = f"{self.slow:.3g}x slow   {words}"
        elif self.slow < 1.0:
            words = f"{1 / self.slow:.3g}x fast   {words}"
        canvas.text(self.size[0] - 12 * unit, base, words, small, theme.quiet, "rs")


def moving_picture(
    clip: Clip,
    path: str | PathLike[str],
    view: str = "side",
    fps: float = 30.0,
    width: int = 640,
    follow: bool = True,
    slow: float = 1.0,
    *,
    theme: str | Theme = "light",
    hull: bool = True,
    ground: Ground | None = None,
    gait_names: Sequence[str] = (),
    progress: Progress | None = None,
) -> Path:
    """Draw a clip as a moving picture (.webp or .gif, which repeat for ever, or .mp4) and return its path.

    view: "side", "front", "both" or "top"; fps: pictures a second; width [px]; follow: the camera goes
    with the animal, else it shows the whole path; slow: 4 = four times slower than life. ground and
    gait_names as in `contact_sheet`. progress(done, total) is called after every frame drawn.
    """
    target_of(path, ENDINGS)
    reel = Reel(clip, view, fps, width, follow, slow, Look(theme_of(theme), hull, ground, tuple(gait_names)))
    return write_moving(reel, path, progress)


def check_rates(fps: float, slow: float) -> None:
    """Refuse pictures a second and slow-motion factors that cannot be shown."""
    _check(fps, "fps", RATES)
    _check(slow, "slow", SLOWNESS)


def check_count(clip: Clip, fps: float, slow: float) -> int:
    """How many frames a moving picture of a clip has; too many are refused."""
    count = max(1, round(clip.seconds * slow * fps))
    if count > MOST_FRAMES:
        raise PictureError(
            f"{count} frames are over {MOST_FRAMES}; lower fps or slow, or cut the clip into parts"
        )
    return count


def _check(value: float, name: str, allowed: tuple[float, float]) -> None:
    if not allowed[0] <= value <= allowed[1]:  # NaN fails too
        raise PictureError(f"{name} must be {allowed[0]:g} to {allowed[1]:g}, given {value}")
