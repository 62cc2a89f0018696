"""Moving: a clip as a moving picture (WebP or GIF) with scrolling ground and footfall bars.

Frames are drawn one at a time while the file is encoded, so a long ride needs no more memory than a
short one (a GIF keeps its frames, at one byte a pixel).
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path

import numpy as np
from PIL import Image

from hoofbeat.body.clip import Clip
from hoofbeat.formats.files import write_bytes
from hoofbeat.render.camera import Ground, panels_of
from hoofbeat.render.canvas import Canvas
from hoofbeat.render.files import target_of
from hoofbeat.render.footfall import Strip, bars_of, paint_bars, strip_height
from hoofbeat.render.layout import LEAST_UNIT, UNIT_WIDTH, check_width, layout_of
from hoofbeat.render.scene import Look, need_frames, scene_of
from hoofbeat.render.theme import PictureError, Theme, theme_of

Progress = Callable[[int, int], None]

#: Most frames of a moving picture, and most pixels of all frames of a GIF.
MOST_FRAMES, MOST_GIF_PIXELS = 20_000, 2_000_000_000
#: Rates [1/s] and slow-motion factors that can be asked for.
RATES, SLOWNESS = (1.0, 100.0), (0.1, 100.0)
#: Time range of the scrolling bars [s], and where in it the present is.
BARS_SECONDS, BARS_NOW = 3.0, 0.6
#: Height of the line of words at the top, in units.
HEADER = 34.0
# Lossy WebP at this quality keeps thin strokes clean; method 2 encodes three times as fast as 4 for
# a tenth more bytes.
QUALITY, METHOD = 82, 2


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
        _check(fps, "fps", RATES)
        _check(slow, "slow", SLOWNESS)
        count = max(1, round(clip.seconds * slow * fps))
        if count > MOST_FRAMES:
            raise PictureError(
                f"{count} frames are over {MOST_FRAMES}; lower fps or slow, or cut the clip into parts"
            )
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
            start = now - BARS_NOW * BARS_SECONDS
            top, right = self._bars_top + 4 * unit, self.size[0] - 10 * unit
            strip = Strip(40 * unit, top, right, start, start + BARS_SECONDS, unit)
            paint_bars(canvas, self._bars, strip, self.scene.look.theme, now)
        return canvas.finish(fine=False)

    def milliseconds(self, step: int = 1) -> list[int]:
        """How long each frame is shown [ms], in multiples of `step`, adding up to the whole without drift."""
        edges = np.round(np.arange(len(self) + 1) * 1000.0 / (self.fps * step)).astype(np.int64) * step
        return np.maximum(np.diff(edges), step).tolist()

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
    """Draw a clip as a moving picture (.webp or .gif) that repeats for ever, and return its path.

    view: "side", "front", "both" or "top"; fps: pictures a second; width [px]; follow: the camera goes
    with the animal, else it shows the whole path; slow: 4 = four times slower than life. ground and
    gait_names as in `contact_sheet`. progress(done, total) is called after every frame drawn.
    """
    ending = target_of(path, (".webp", ".gif"))
    reel = Reel(clip, view, fps, width, follow, slow, Look(theme_of(theme), hull, ground, tuple(gait_names)))
    data = _gif(reel, progress) if ending == ".gif" else _webp(reel, progress)
    return write_bytes(path, data)


class _LazyFrames(Image.Image):
    """A multi-frame image for Pillow's encoders whose frames come into being when they are sought."""

    def __init__(self, reel: Reel, progress: Progress | None) -> None:
        super().__init__()
        self._reel, self._progress = reel, progress
        self._index, self._done = -1, 0
        self.n_frames = len(reel)
        self.is_animated = len(reel) > 1
        self._mode, self._size = "RGB", reel.size
        self.seek(0)

    def seek(self, frame: int) -> None:
        """Draw frame number `frame`, unless it is the present one."""
        if frame == self._index:
            return
        if not 0 <= frame < self.n_frames:
            raise EOFError(f"frame {frame} of {self.n_frames}")
        self.im = self._reel.frame(frame).im
        self._index = frame
        # The encoder goes back to the first frame at the end, which is no progress.
        if self._progress is not None and frame >= self._done:
            self._done = frame + 1
            self._progress(self._done, self.n_frames)

    def tell(self) -> int:
        """Number of the present frame."""
        return self._index


def _webp(reel: Reel, progress: Progress | None) -> bytes:
    data = io.BytesIO()
    frames = _LazyFrames(reel, progress)
    frames.save(
        data, "WEBP", save_all=True, duration=reel.milliseconds(), loop=0, quality=QUALITY, method=METHOD
    )
    return data.getvalue()


def _gif(reel: Reel, progress: Progress | None) -> bytes:
    """GIF counts time in hundredths of a second and has one palette of 256 colours for all frames here."""
    pixels = reel.size[0] * reel.size[1] * len(reel)
    if pixels > MOST_GIF_PIXELS:
        raise PictureError(
            f"a GIF of {pixels} pixels is over {MOST_GIF_PIXELS}; use .webp, or lower fps or width"
        )
    palette = _palette(reel)
    frames: list[Image.Image] = []
    for i in range(len(reel)):
        frames.append(reel.frame(i).quantize(palette=palette, dither=Image.Dither.NONE))
        if progress is not None:
            progress(i + 1, len(reel))
    data = io.BytesIO()
    times = reel.milliseconds(10)
    frames[0].save(data, "GIF", save_all=True, append_images=frames[1:], duration=times, loop=0)
    return data.getvalue()


def _palette(reel: Reel) -> Image.Image:
    """Colours of a few frames and of the legs, which are small on the page but must stay true."""
    picked = np.unique(np.linspace(0, len(reel) - 1, 4).astype(np.int64))
    width, height = reel.size
    step = height + 24
    board = Image.new("RGB", (width, step * len(picked)))
    for row, i in enumerate(picked):
        board.paste(reel.frame(int(i)), (0, row * step))
        for k, colour in enumerate(reel.scene.look.theme.legs):
            board.paste(colour, (k * width // 4, row * step + height, (k + 1) * width // 4, (row + 1) * step))
    return board.quantize(255, method=Image.Quantize.MEDIANCUT)


def _check(value: float, name: str, allowed: tuple[float, float]) -> None:
    if not allowed[0] <= value <= allowed[1]:  # NaN fails too
        raise PictureError(f"{name} must be {allowed[0]:g} to {allowed[1]:g}, given {value}")
