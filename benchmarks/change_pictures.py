"""Pictures of changes: of gait, of lead, to a halt, on the spot, into docs/images/changes.

    python -m benchmarks.change_pictures

The rides are commands alone; the gait is chosen by speed where none is named.
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
from hoofbeat.formats.files import write_bytes
from hoofbeat.render import contact_sheet, footfall_picture, moving_picture

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images" / "changes"
FPS = 60
#: Fastest of the ride through all gaits [m/s], and how long each half of it takes [s].
TOP, HALF = 10.0, 16.0
QUALITY = 60


def ridden(commands: Sequence[tuple[hb.Command, float]], settle: float = 0.0, name: str = "ride") -> hb.Clip:
    """A ride of commands, each for so many seconds; the first is ridden `settle` seconds before."""
    horse = hb.Horse("timewarp")
    for _ in range(round(settle * FPS)):
        horse.step(commands[0][0], 1 / FPS)
    recorder = hb.Recorder(horse.skeleton, FPS)
    for command, seconds in commands:
        for _ in range(round(seconds * FPS)):
            recorder.add(horse.step(command, 1 / FPS))
    return recorder.clip(name)


def all_gaits() -> hb.Clip:
    """From a stand through the six gaits to a gallop and back."""
    up = np.linspace(0.0, TOP, round(HALF * FPS))
    speeds = [*up, *up[::-1], *np.zeros(2 * FPS)]
    return ridden([(hb.Command(speed=float(speed)), 1 / FPS) for speed in speeds], name="six gaits")


def rides() -> dict[str, tuple[hb.Clip, str, int]]:
    """Clips by name, with the view and the number of poses of their sheets."""
    gallop, amble = hb.Command(speed=9.5, gait="gallop-right"), hb.Command(speed=2.6, gait="amble")
    trot, rack = hb.Command(speed=3.8, gait="trot"), hb.Command(speed=5.2, gait="rack")
    still = hb.Command()
    left, right = hb.Command(speed=6.8, turn=0.5), hb.Command(speed=6.8, turn=-0.5)
    return {
        "gallop-amble": (ridden([(gallop, 0.5), (amble, 3.0)], 5.0, "gallop to amble"), "side", 24),
        "trot-rack": (ridden([(trot, 0.5), (rack, 2.0)], 5.0, "trot to rack"), "side", 24),
        "flying-change": (ridden([(left, 0.4), (right, 2.0)], 5.0, "flying change"), "side", 24),
        "halt": (ridden([(trot, 0.3), (still, 1.7)], 5.0, "halt from a trot"), "side", 18),
        "on-the-spot": (ridden([(hb.Command(turn=0.8), 4.0), (still, 2.0)], 0.0, "on the spot"), "front", 24),
    }


def save(source: Path, target: Path) -> None:
    """A picture as WebP."""
    data = io.BytesIO()
    with Image.open(source) as image:
        image.convert("RGB").save(data, "WEBP", quality=QUALITY, method=6)
    write_bytes(target, data.getvalue())


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw everything."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.change_pictures", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=FOLDER)
    folder = parser.parse_args(arguments).output
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        page = Path(place) / "page.png"
        clip = all_gaits()
        footfall_picture(clip, page, width=1600)
        save(page, folder / "six-gaits-footfall.webp")
        frames = np.linspace(90, len(clip) - 90, 32).astype(int).tolist()
        contact_sheet(clip, page, frames=frames, columns=8, cell=240)
        save(page, folder / "six-gaits.webp")
        for name, (clip, view, poses) in rides().items():
            frames = np.linspace(0, len(clip) - 1, poses).astype(int).tolist()
            contact_sheet(clip, page, frames=frames, view=view, columns=8 if poses == 24 else 6, cell=240)
            save(page, folder / f"{name}.webp")
        for name in ("gallop-amble", "trot-rack", "flying-change"):
            clip = rides()[name][0]
            moving_picture(clip, folder / f"{name}-moving.webp", view="both", fps=15, width=320, slow=2)


if __name__ == "__main__":
    main()
