"""Step a herd: a hundred horses, each with a speed and a heading of its own, in one call a tick.

Leaves a map of their paths, coloured by gait, and the moving picture of one of them in `out`. The
horses do not see each other, so they may pass through one another.
HOOFBEAT_QUICK=1 takes fewer horses and less time.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

import hoofbeat as hb
from hoofbeat.gaits.gait import family_of
from hoofbeat.render import Wish, save_picture

QUICK = bool(os.environ.get("HOOFBEAT_QUICK"))
OUT = Path("out")
COUNT = 12 if QUICK else 100
SECONDS = 2.0 if QUICK else 12.0
FPS = 60
CHOSEN = COUNT // 2
COLOURS = {
    "stand": (90, 90, 90),
    "walk": (0, 114, 178),
    "trot": (230, 159, 0),
    "canter": (204, 121, 167),
    "gallop": (213, 94, 0),
}


def ride() -> tuple[np.ndarray, list[tuple[str, ...]], hb.Clip]:
    """Ways (T, N, 2) of the roots on the ground [m], gaits of every tick, and one horse's clip."""
    # One value a horse: from the slowest on the right to the fastest on the left of half a circle.
    fan = np.linspace(0.0, 1.0, COUNT)
    headings = np.pi * (fan - 0.5)  # 0 looks along +Z, left is positive
    places = 5.0 * np.stack([np.sin(headings), np.cos(headings)], axis=1)  # x, z [m]
    herd = hb.Herd(COUNT, seed=1, positions=places, headings=headings)
    command = hb.Command(speed=0.5 + 8.5 * fan, heading=headings)
    recorder = hb.Recorder(herd.skeleton, FPS, character=CHOSEN, method=herd.method.name)
    paths, gaits = [], []
    started = time.perf_counter()
    for _ in range(round(SECONDS * FPS)):
        frame = herd.step(command, dt=1 / FPS)  # arrays with a leading N, views until the next step
        paths.append(frame.root.position[:, [0, 2]])  # picking columns copies them
        gaits.append(tuple(frame.gait))
        recorder.add(frame)
    taken = time.perf_counter() - started
    print(f"{COUNT} horses for {SECONDS:g} s took {taken:.2f} s, {SECONDS / taken:.0f} times real time")
    return np.array(paths), gaits, recorder.clip(f"horse {CHOSEN}")


def draw_map(paths: np.ndarray, gaits: list[tuple[str, ...]], path: Path, width: int = 900) -> None:
    """The ground from above: +Z up, and +X, the animal's left as it starts, to the left."""
    margin = 30
    low, high = paths.min(axis=(0, 1)), paths.max(axis=(0, 1))
    scale = (width - 2 * margin) / (high[0] - low[0])
    height = round((high[1] - low[1]) * scale) + 2 * margin
    image = Image.new("RGB", (width, height), (250, 249, 246))
    pen = ImageDraw.Draw(image)
    spots = np.stack([high[0] - paths[..., 0], high[1] - paths[..., 1]], axis=-1) * scale + margin
    for t in range(1, len(paths)):
        for i, gait in enumerate(gaits[t]):
            pen.line([*spots[t - 1, i], *spots[t, i]], COLOURS[family_of(gait)], 2)
    for row, (gait, colour) in enumerate(COLOURS.items()):
        pen.rectangle([12, 12 + 20 * row, 24, 24 + 20 * row], colour)
        pen.text((32, 12 + 20 * row), gait, (38, 40, 44))
    image.save(path)


def main() -> None:
    OUT.mkdir(exist_ok=True)
    paths, gaits, clip = ride()
    names, counts = np.unique(gaits[-1], return_counts=True)
    print("at the end:", ", ".join(f"{n} {name}" for name, n in zip(names, counts, strict=True)))
    draw_map(paths, gaits, OUT / "herd.png")
    save_picture(clip, OUT / "herd.webp", Wish(fps=12, size=(200, 112) if QUICK else (480, 270)))
    print(f"In {OUT.resolve()}:")
    print("  herd.png   the paths from above, coloured by gait")
    print(f"  herd.webp  horse {CHOSEN} of the herd")


if __name__ == "__main__":
    main()
