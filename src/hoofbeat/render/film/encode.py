"""Encode: frames that are drawn one at a time, as a moving picture (WebP, GIF) or a video (MP4).

Frames come into being while the file is encoded, so a long ride needs no more memory than a short one (a
GIF keeps its frames, at one byte a pixel).
"""

from __future__ import annotations

import importlib
import io
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from os import PathLike
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from hoofbeat.formats.files import replacing, write_bytes
from hoofbeat.render.draw.theme import Colour, PictureError
from hoofbeat.render.files import target_of

Progress = Callable[[int, int], None]

#: File endings of moving pictures.
ENDINGS = (".webp", ".gif", ".mp4")
#: Most pixels of all frames of a GIF.
MOST_GIF_PIXELS = 2_000_000_000
#: Colours of a GIF that are chosen; one of its 256 is left to the encoder.
PALETTE = 255
# Lossy WebP at this quality keeps thin strokes clean; method 2 encodes three times as fast as 4 for
# a tenth more bytes.
QUALITY, METHOD = 82, 2
#: H.264: how far from the original (lower is nearer), and how long the encoder searches.
CRF, PRESET = "21", "superfast"


class Frames(Protocol):
    """What can be encoded: frames of one size, shown `fps` a second."""

    size: tuple[int, int]
    fps: float

    def __len__(self) -> int: ...

    def frame(self, i: int) -> Image.Image:
        """Picture i (RGB)."""
        ...

    def pixels(self, i: int) -> NDArray[np.uint8]:
        """Picture i as (height, width, 3 or 4) RGB or RGBA."""
        ...

    def accents(self) -> Sequence[Colour]:
        """Colours that are small on the page but must stay true."""
        ...


class VideoError(PictureError):
    """A video cannot be written: the encoder is missing, or it failed."""


def write_moving(frames: Frames, path: str | PathLike[str], progress: Progress | None = None) -> Path:
    """Encode by the file's ending; progress(done, total) is called after every frame."""
    ending = target_of(path, ENDINGS)
    if ending == ".mp4":
        return write_mp4(frames, path, progress)
    return write_bytes(path, _gif(frames, progress) if ending == ".gif" else _webp(frames, progress))


def milliseconds(frames: Frames, step: int = 1) -> list[int]:
    """How long each frame is shown [ms], in multiples of `step`, adding up to the whole without drift."""
    edges = np.round(np.arange(len(frames) + 1) * 1000.0 / (frames.fps * step)).astype(np.int64) * step
    return np.maximum(np.diff(edges), step).tolist()


def write_mp4(frames: Frames, path: str | PathLike[str], progress: Progress | None = None) -> Path:
    """H.264 in MP4, which every browser plays; needs imageio-ffmpeg (extra `render`). Atomic: the old file
    stays until the new one is whole."""
    program = _ffmpeg()
    first = frames.pixels(0)
    height, width, depth = first.shape
    source = ["-f", "rawvideo", "-pix_fmt", "rgba" if depth == 4 else "rgb24", "-s", f"{width}x{height}"]
    # Colours are sRGB; players need the matrix of high definition, and the file names it.
    coding = ["-vf", "scale=out_color_matrix=bt709:out_range=tv", "-pix_fmt", "yuv420p"]
    tags = ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "iec61966-2-1"]
    coder = ["-c:v", "libx264", "-preset", PRESET, "-crf", CRF, "-movflags", "+faststart", "-f", "mp4"]
    command = [program, "-y", "-v", "error", *source, "-r", f"{frames.fps:.6g}", "-i", "-", "-an"]
    with replacing(path) as file, tempfile.TemporaryFile() as log:
        run = subprocess.Popen(
            [*command, *coding, *tags, *coder, file.name], stdin=subprocess.PIPE, stdout=log, stderr=log
        )
        try:
            _feed(run, frames, first, progress)
        finally:
            if run.poll() is None:
                run.kill()
            run.wait()
        if run.returncode:
            log.seek(0)
            output = " ".join(log.read().decode(errors="replace").split())[-300:]
            raise VideoError(f"{path}: ffmpeg ended with {run.returncode}: {output}")
    return Path(path)


def _feed(
    run: subprocess.Popen[bytes], frames: Frames, first: NDArray[np.uint8], progress: Progress | None
) -> None:
    """All frames to the encoder; it has ended when this returns."""
    pipe = run.stdin
    if pipe is None:
        raise VideoError("the encoder was started without a pipe for pictures")
    try:
        # A picture goes down the pipe while the next one is drawn.
        with ThreadPoolExecutor(1) as courier:
            sent = courier.submit(pipe.write, first.data)
            for i in range(1, len(frames)):
                following = frames.pixels(i).data
                sent.result()
                sent = courier.submit(pipe.write, following)
                if progress is not None:
                    progress(i, len(frames))
            sent.result()
            if progress is not None:
                progress(len(frames), len(frames))
        pipe.close()
    except BrokenPipeError:  # it has failed, and says why in its log
        pass
    run.wait()


def _ffmpeg() -> str:
    try:
        return importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe()
    except (ImportError, RuntimeError) as problem:
        raise VideoError(
            f"writing .mp4 needs the package imageio-ffmpeg ({problem}): pip install 'hoofbeat[render]'; "
            ".webp and .gif need nothing more"
        ) from problem


class _LazyFrames(Image.Image):
    """A multi-frame image for Pillow's encoders whose frames come into being when they are sought."""

    def __init__(self, frames: Frames, progress: Progress | None) -> None:
        super().__init__()
        self._frames, self._progress = frames, progress
        self._index, self._done = -1, 0
        self.n_frames = len(frames)
        self.is_animated = len(frames) > 1
        self._mode, self._size = "RGB", frames.size
        self.seek(0)

    def seek(self, frame: int) -> None:
        """Draw frame number `frame`, unless it is the present one."""
        if frame == self._index:
            return
        if not 0 <= frame < self.n_frames:
            raise EOFError(f"frame {frame} of {self.n_frames}")
        self.im = self._frames.frame(frame).im
        self._index = frame
        # The encoder goes back to the first frame at the end, which is no progress.
        if self._progress is not None and frame >= self._done:
            self._done = frame + 1
            self._progress(self._done, self.n_frames)

    def tell(self) -> int:
        """Number of the present frame."""
        return self._index


def _webp(frames: Frames, progress: Progress | None) -> bytes:
    data = io.BytesIO()
    _LazyFrames(frames, progress).save(
        data, "WEBP", save_all=True, duration=milliseconds(frames), loop=0, quality=QUALITY, method=METHOD
    )
    return data.getvalue()


def _gif(frames: Frames, progress: Progress | None) -> bytes:
    """GIF counts time in hundredths of a second and has one palette of 256 colours for all frames here."""
    pixels = frames.size[0] * frames.size[1] * len(frames)
    if pixels > MOST_GIF_PIXELS:
        raise PictureError(
            f"a GIF of {pixels} pixels is over {MOST_GIF_PIXELS}; use .webp, or lower fps or width"
        )
    palette = _palette(frames)
    made: list[Image.Image] = []
    for i in range(len(frames)):
        made.append(frames.frame(i).quantize(palette=palette, dither=Image.Dither.NONE))
        if progress is not None:
            progress(i + 1, len(frames))
    data = io.BytesIO()
    times = milliseconds(frames, 10)
    made[0].save(data, "GIF", save_all=True, append_images=made[1:], duration=times, loop=0)
    return data.getvalue()


def _palette(frames: Frames) -> Image.Image:
    """Colours of a few frames, and every accent exactly: it may be on none of them."""
    picked = np.unique(np.linspace(0, len(frames) - 1, 4).astype(np.int64))
    width, height = frames.size
    board = Image.new("RGB", (width, height * len(picked)))
    for row, i in enumerate(picked):
        board.paste(frames.frame(int(i)), (0, row * height))
    accents = list(dict.fromkeys(frames.accents()))
    found = board.quantize(PALETTE - len(accents), method=Image.Quantize.MEDIANCUT).getpalette() or []
    colours = [*found[: 3 * (PALETTE - len(accents))], *(value for colour in accents for value in colour)]
    palette = Image.new("P", (1, 1))
    # The rest of the table repeats the last colour: black would be a colour that no frame has.
    palette.putpalette(colours + colours[-3:] * (256 - len(colours) // 3))
    return palette
