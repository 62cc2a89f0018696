"""The pictures of docs/gaits.md: `python -m benchmarks.gait_pictures [PART ...] [-o FOLDER]`, a few minutes.

Parts: plates (every cycle at its own speed: side, front, rear), speeds (each gait at three speeds, from the
side and from above), moving (so too), leap (from the side), figure (stride and duty over speed
beside published numbers, see benchmarks.gait_figure). All are WebP, since they travel with the repository.
"""

from __future__ import annotations

import argparse
import io
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

import hoofbeat as hb
from benchmarks.gait_figure import draw_figure
from benchmarks.gait_numbers import own_cycles, ride
from hoofbeat.formats.files import write_bytes
from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.gaits.leap import read_leap
from hoofbeat.offline.author.leap import leap_clip
from hoofbeat.render import Look, Reel
from hoofbeat.render.draw.canvas import Canvas
from hoofbeat.render.draw.layout import LEAST_UNIT, layout_of
from hoofbeat.render.draw.scene import scene_of
from hoofbeat.render.draw.theme import theme_of
from hoofbeat.render.pages.plate import stride_of, stride_plate
from hoofbeat.render.pages.sheet import contact_sheet

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images" / "gaits"
#: Three speeds of each gait [m/s]: near both ends of its band and between.
SPEEDS = {
    "walk": (0.8, 1.4, 2.0),
    "amble": (2.0, 2.6, 3.1),
    "trot": (2.6, 3.8, 5.4),
    "rack": (4.0, 5.2, 6.4),
    "canter-left": (4.6, 6.0, 8.0),
    "gallop-right": (7.6, 9.5, 12.0),
}
PLATE_WIDTH, POSES = 1400, 12
#: Poses of a row of the three speeds, width of one and height of the words above [px].
ACROSS, CELL, LABEL = 6, 220, 28
#: Moving pictures: width of a view [px], pictures a second to choose from, moments of a stride, [ms] of each.
MOVING_WIDTH, MOVING_FPS, MOMENTS, MOMENT_MS = 220, 60, 16, 90
MOVING_VIEWS = ("side", "front", "top")
#: WebP of still and of moving pictures, in 0..100.
STILL, MOVING = 55, 40
PARTS = ("plates", "speeds", "moving", "leap", "figure")
#: Poses of the leap, width of one [px].
LEAP_POSES, LEAP_CELL = 16, 340


def one_stride(clip: hb.Clip) -> hb.Clip:
    """The middle stride of a clip, from one touchdown of the left hind to the next."""
    stride = stride_of(clip)
    first = round(stride.start * clip.fps)
    part = slice(first, first + round(stride.duration * clip.fps))
    extras = {key: rows[part] for key, rows in clip.extras.items()}
    contacts = None if clip.contacts is None else clip.contacts[part]
    return hb.Clip(
        clip.skeleton, clip.rotations[part], clip.origins[part], clip.fps, contacts, clip.name, extras
    )


def save(image: Image.Image, path: Path) -> Path:
    """A still picture as WebP."""
    data = io.BytesIO()
    image.convert("RGB").save(data, "WEBP", quality=STILL, method=6)
    return write_bytes(path, data.getvalue())


def plates(folder: Path) -> None:
    """Every cycle at the speed it is authored for."""
    with tempfile.TemporaryDirectory() as place:
        for cycle in own_cycles():
            drawn = stride_plate(
                ride(cycle.gait, cycle.speed), Path(place) / "plate.png", POSES, width=PLATE_WIDTH
            )
            save(Image.open(drawn), folder / f"{cycle.name}.webp")


def speeds(folder: Path) -> None:
    """Each gait at three speeds, from the side and from above."""
    for gait, asked in SPEEDS.items():
        rows = [_row(gait, speed, view) for speed in asked for view in ("side", "top")]
        page = Image.new("RGB", (rows[0].width, sum(row.height for row in rows)))
        top = 0
        for row in rows:
            page.paste(row, (0, top))
            top += row.height
        save(page, folder / f"{gait}-speeds.webp")


def _row(gait: str, speed: float, view: str) -> Image.Image:
    """Poses of one stride, equally far apart in time, side by side; the upper row of a speed names it."""
    clip, theme = ride(gait, speed), theme_of("light")
    stride = stride_of(clip)
    moments = (stride.start + np.arange(ACROSS) * stride.duration / ACROSS) * clip.fps
    layout = layout_of(scene_of(clip, moments, Look()), view, CELL, least_unit=LEAST_UNIT)
    label = LABEL if view == "side" else 0
    page = Canvas(ACROSS * CELL, layout.height + label, theme.paper, 1)
    if label:
        words = f"{gait}  {speed:.1f} m/s   stride {stride.length:.2f} m in {stride.duration:.2f} s"
        page.text(8, 0.75 * LABEL, words, 17, theme.text)
    image = page.finish()
    for m in range(ACROSS):
        cell = Canvas(layout.width, layout.height, theme.paper)
        layout.paint(cell, m)
        image.paste(cell.finish(), (m * CELL, label))
    return image


def moving(folder: Path) -> None:
    """Each gait at three speeds, one stride, from the side, the front and above, moment by moment."""
    for gait, asked in SPEEDS.items():
        strides = [one_stride(ride(gait, speed)) for speed in asked]
        pages = [_moment(strides, asked, n / MOMENTS) for n in range(MOMENTS)]
        data = io.BytesIO()
        pages[0].save(
            data, "WEBP", save_all=True, append_images=pages[1:], duration=MOMENT_MS, loop=0,
            quality=MOVING, method=6,
        )  # fmt: skip
        write_bytes(folder / f"{gait}-moving.webp", data.getvalue())


def _moment(strides: Sequence[hb.Clip], speeds: Sequence[float], part: float) -> Image.Image:
    """One moment of the stride: a column a speed, a row a view."""
    theme, columns = theme_of("light"), []
    for clip, speed in zip(strides, speeds, strict=True):
        reels = [Reel(clip, view, MOVING_FPS, MOVING_WIDTH, look=Look()) for view in MOVING_VIEWS]
        cells = [reel.frame(int(part * len(reel))) for reel in reels]
        label = Canvas(MOVING_WIDTH, LABEL, theme.paper, 1)
        label.text(8, 0.75 * LABEL, f"{speed:.1f} m/s", 15, theme.text)
        columns.append([label.finish(), *cells])
    heights = [max(column[row].height for column in columns) for row in range(len(columns[0]))]
    page = Image.new("RGB", (MOVING_WIDTH * len(columns), sum(heights)), theme.paper)
    for n, column in enumerate(columns):
        for row, cell in enumerate(column):
            page.paste(cell, (n * MOVING_WIDTH, sum(heights[:row])))
    return page


def leap(folder: Path) -> None:
    """The leap, from the side."""
    clip = leap_clip(read_leap(), read_scene(THESIS_HORSE).skeleton)
    with tempfile.TemporaryDirectory() as place:
        frames = np.linspace(15, len(clip) - 22, LEAP_POSES).astype(int).tolist()
        sheet = contact_sheet(clip, Path(place) / "leap.png", frames=frames, columns=4, cell=LEAP_CELL)
        with Image.open(sheet) as image:
            save(image, folder / "leap.webp")


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw the parts that are asked for, all when none is."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gait_pictures", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=(*PARTS, []), help="default: all")
    parser.add_argument("-o", "--output", type=Path, default=FOLDER)
    given = parser.parse_args(arguments)
    given.output.mkdir(parents=True, exist_ok=True)
    work = {"plates": plates, "speeds": speeds, "moving": moving, "leap": leap}
    for part in given.parts or PARTS:
        if part == "figure":
            save(draw_figure(), given.output / "strides.webp")
        else:
            work[part](given.output)


if __name__ == "__main__":
    main()
