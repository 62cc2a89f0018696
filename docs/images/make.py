"""Draw the pictures of this folder anew: `python docs/images/make.py`, about half a minute.

ride.webp is what README.md shows: a horse at the walk is told to go 8.5 m/s and trots, then
gallops. It is encoded smaller than `moving_picture` does, since everybody loads it.
"""

from __future__ import annotations

import io
from pathlib import Path

import hoofbeat as hb
from hoofbeat.formats.files import write_bytes
from hoofbeat.render import Reel

HERE = Path(__file__).resolve().parent
#: Settling before the picture begins, walking in it, speeding up and galloping in it [s].
SETTLE, WALK, GALLOP = 4.0, 0.8, 3.9
WIDTH, FPS = 480, 15
#: Of WebP: quality in 0..100, and how long the encoder may search, 0..6.
QUALITY, SEARCH = 45, 6
MOST_BYTES = 600_000


def ride() -> hb.Clip:
    """The clip of ride.webp."""
    horse = hb.Horse(seed=1)
    for _ in range(round(SETTLE * 60)):
        horse.step(hb.Command(speed=1.6))
    recorder = hb.Recorder(horse.skeleton)
    for seconds, speed in ((WALK, 1.6), (GALLOP, 8.5)):
        for _ in range(round(seconds * 60)):
            recorder.add(horse.step(hb.Command(speed=speed)))
    return recorder.clip("ride")


def encoded(reel: Reel) -> bytes:
    """The reel as a WebP that repeats for ever."""
    frames = [reel.frame(i) for i in range(len(reel))]
    data = io.BytesIO()
    frames[0].save(
        data,
        "WEBP",
        save_all=True,
        append_images=frames[1:],
        duration=reel.milliseconds(),
        loop=0,
        quality=QUALITY,
        method=SEARCH,
    )
    return data.getvalue()


def main() -> None:
    """Write ride.webp beside this script."""
    data = encoded(Reel(ride(), "side", FPS, WIDTH))
    if len(data) > MOST_BYTES:
        raise SystemExit(f"ride.webp would have {len(data)} bytes, more than {MOST_BYTES}; make it shorter")
    write_bytes(HERE / "ride.webp", data)


if __name__ == "__main__":
    main()
