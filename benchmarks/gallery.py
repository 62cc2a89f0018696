"""The pictures of docs/gallery.md: `python -m benchmarks.gallery [PART ...] [-o FOLDER]`, a few minutes.

Parts: hero (the moving picture of README.md), gaits and leap (moving), coats, cameras, animals, plate. All
are WebP, since they travel with the repository. They need the extra `render` and EGL (docs/pictures.md).
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
from hoofbeat.body.mesh.skin import animals, load_skin
from hoofbeat.formats.files import write_bytes
from hoofbeat.formats.planfile import Plan, Segment
from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.gaits.leap import read_leap
from hoofbeat.maths import quat
from hoofbeat.offline.author.leap import leap_clip
from hoofbeat.render.film.encode import milliseconds
from hoofbeat.render.film.film import Film, Setting
from hoofbeat.render.gl.lens import CAMERAS
from hoofbeat.render.pages.plate import stride_plate
from hoofbeat.render.picture import Wish, dressed
from hoofbeat.synthesis import synthesize

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images" / "gallery"
#: Every gait with its speed [m/s] and coat.
GAITS = {
    "walk": (1.6, "bay"),
    "amble": (2.6, "chestnut"),
    "trot": (4.0, "grey"),
    "rack": (5.2, "black"),
    "canter-left": (6.0, "pinto"),
    "gallop-right": (11.0, "bay"),
}
COATS = ("bay", "chestnut", "grey", "black", "pinto")
#: Moving pictures: size [px], pictures a second, seconds; those of README.md.
MOVING, RATE, SECONDS = (400, 226), 20.0, 1.8
HERO, HERO_RATE = (640, 360), 15.0
#: The ride of README.md: seconds and speed [m/s] of each part.
RIDE = ((1.2, 1.6), (1.6, 4.0), (1.4, 6.0), (1.8, 11.0))
#: Still pictures in a page: size of one [px].
CELL = (440, 330)
#: WebP quality of moving and of still pictures, 0..100, and how long its encoder searches, 0..6.
QUALITY, STILL, SEARCH = 52, 72, 4
#: Most bytes of the moving picture of README.md.
MOST = 900_000
PARTS = ("hero", "gaits", "leap", "coats", "cameras", "animals", "plate")


def ridden(gait: str, speed: float, seconds: float) -> hb.Clip:
    """A gait in its steady stride."""
    return synthesize(
        Plan((Segment(seconds, speed=speed, gait=gait),), "timewarp", 60.0, settle=True, name=gait)
    )


def moving(film: Film) -> bytes:
    """A film as a WebP that repeats for ever, smaller than `save` makes it."""
    frames = [film.frame(i) for i in range(len(film))]
    data = io.BytesIO()
    frames[0].save(
        data, "WEBP", save_all=True, append_images=frames[1:], duration=milliseconds(film), loop=0,
        quality=QUALITY, method=SEARCH,
    )  # fmt: skip
    return data.getvalue()


def still(image: Image.Image, path: Path) -> None:
    """A still picture as WebP."""
    data = io.BytesIO()
    image.convert("RGB").save(data, "WEBP", quality=STILL, method=6)
    write_bytes(path, data.getvalue())


def page(images: Sequence[Image.Image], columns: int) -> Image.Image:
    """Pictures of one size side by side, two pixels apart."""
    width, height = images[0].size
    rows = -(-len(images) // columns)
    found = Image.new("RGB", (columns * (width + 2) - 2, rows * (height + 2) - 2), (250, 249, 246))
    for k, image in enumerate(images):
        found.paste(image, (k % columns * (width + 2), k // columns * (height + 2)))
    return found


def hero(folder: Path) -> None:
    """A horse from the walk to the gallop."""
    segments = tuple(Segment(seconds, speed=speed) for seconds, speed in RIDE)
    clip = synthesize(Plan(segments, "timewarp", 60.0, settle=True, name="ride"))
    with Film(clip, Setting("three-quarter", HERO, "bay", "high"), HERO_RATE) as film:
        data = moving(film)
    if len(data) > MOST:
        raise SystemExit(f"hero.webp would have {len(data)} bytes, more than {MOST}; make it shorter")
    write_bytes(folder / "hero.webp", data)


def gaits(folder: Path) -> None:
    """Each gait, moving."""
    for gait, (speed, coat) in GAITS.items():
        with Film(ridden(gait, speed, SECONDS), Setting("three-quarter", MOVING, coat), RATE) as film:
            write_bytes(folder / f"{gait}.webp", moving(film))


def leap(folder: Path) -> None:
    """The leap, at half its speed."""
    clip = leap_clip(read_leap(), read_scene(THESIS_HORSE).skeleton)
    with Film(clip, Setting("side", MOVING, "chestnut"), RATE, slow=1.5) as film:
        write_bytes(folder / "leap.webp", moving(film))


def coats(folder: Path) -> None:
    """Every coat at the trot."""
    clip = ridden("trot", 4.0, 1.0)
    found: list[Image.Image] = []
    for coat in COATS:
        setting = Setting("three-quarter", CELL, coat, "high", words=False)
        with Film(clip, setting, moments=[len(clip) / 2]) as film:
            found.append(film.frame(0))
    with Film(clip, Setting("three-quarter", CELL, "bay", "high", "dark", words=False), moments=[30]) as film:
        found.append(film.frame(0))
    still(page(found, 3), folder / "coats.webp")


def cameras(folder: Path) -> None:
    """Every camera at the canter."""
    clip = ridden("canter-left", 6.0, 1.0)
    found: list[Image.Image] = []
    for camera in CAMERAS:
        with Film(clip, Setting(camera, CELL, "bay", "high", words=False), moments=[22]) as film:
            found.append(film.frame(0))
    still(page(found, 3), folder / "cameras.webp")


def beasts(folder: Path) -> None:
    """Every other animal that has a skin, at rest."""
    found: list[Image.Image] = []
    for name in (name for name in animals() if name != "horse"):
        skeleton = load_skin(name, "low").skeleton
        height = -float(skeleton.rest_positions()[:, 1].min())
        clip = hb.Clip(
            skeleton, quat.identity((1, len(skeleton))), np.array([[0.0, height, 0.0]]), 30, name=name
        )
        with Film(clip, Setting("three-quarter", CELL, level="high", words=False)) as film:
            found.append(film.frame(0))
    if found:
        still(page(found, min(3, len(found))), folder / "animals.webp")


def plate(folder: Path) -> None:
    """One stride of a gallop as a plate."""
    clip = synthesize(Plan((Segment(4, "cycles", 11.0, gait="gallop-left"),), "timewarp", 240.0, settle=True))
    with tempfile.TemporaryDirectory() as place, dressed(clip.skeleton, Wish("skin", level="high")) as dress:
        drawn = stride_plate(clip, Path(place) / "plate.png", 12, width=1800, dress=dress)
        with Image.open(drawn) as image:
            still(image, folder / "plate.webp")


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw the parts that are asked for, all when none is."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gallery", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=(*PARTS, []), help="default: all")
    parser.add_argument("-o", "--output", type=Path, default=FOLDER)
    given = parser.parse_args(arguments)
    given.output.mkdir(parents=True, exist_ok=True)
    work = {"hero": hero, "gaits": gaits, "leap": leap, "coats": coats, "cameras": cameras}
    work |= {"animals": beasts, "plate": plate}
    for part in given.parts or PARTS:
        work[part](given.output)


if __name__ == "__main__":
    main()
