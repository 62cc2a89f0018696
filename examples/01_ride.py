"""Ride a horse for a quarter of a minute: stand, walk, trot, canter, gallop, turn, halt.

Leaves a moving picture, a page of poses and a BVH file in the folder `out`. It leaves out how the
animal is made (03_new_action.py) and more than one of them (02_herd.py).
With the extra `render` and OpenGL the pictures show the horse with its skin, else a drawn figure.
HOOFBEAT_QUICK=1 makes it short and the pictures small.
"""

from __future__ import annotations

import os
from pathlib import Path

from rich.progress import Progress

import hoofbeat as hb
from hoofbeat.render import Wish, save_picture

QUICK = bool(os.environ.get("HOOFBEAT_QUICK"))
OUT = Path("out")
FPS = 60

# What the rider asks for, and for how long [s]. Speeds in m/s, turns in rad/s, left positive.
RIDE = [
    ("stand", 0.6, hb.Command()),
    ("walk on", 2.2, hb.Command(speed=1.6)),
    ("trot", 2.0, hb.Command(speed=4.2)),
    ("canter", 2.0, hb.Command(speed=6.5)),
    ("gallop", 2.6, hb.Command(speed=9.5)),
    ("turn left", 2.2, hb.Command(speed=7.0, turn=0.7)),
    ("halt", 4.0, hb.Command(speed=0.0)),
]
if QUICK:
    RIDE = [("walk on", 0.5, hb.Command(speed=1.6)), ("halt", 0.5, hb.Command())]


def ride() -> hb.Clip:
    """Step the horse through RIDE, sixty times a second, and keep every frame."""
    horse = hb.Horse(seed=1)
    recorder = hb.Recorder(horse.skeleton, fps=FPS, method=horse.method)
    print(f"{'asked for':<12} {'ridden':<28} {'speed':<9} where (x, z)")
    for words, seconds, command in RIDE:
        gaits: list[str] = []
        for _ in range(round(seconds * FPS)):
            frame = horse.step(command, dt=1 / FPS)
            recorder.add(frame)
            if str(frame.gait) not in gaits[-1:]:
                gaits.append(str(frame.gait))
        frame = horse.frame()
        x, _, z = frame.root.position
        print(f"{words:<12} {' > '.join(gaits):<28} {frame.speed:3.1f} m/s   {x:5.1f}, {z:5.1f} m")
    return recorder.clip("ride")


def draw(clip: hb.Clip) -> None:
    """The moving picture takes most of the time, so it shows how far it is."""
    fps, size = (10, (200, 112)) if QUICK else (20, (640, 360))
    with Progress(transient=True) as bar:
        task = bar.add_task("drawing", total=None)
        save_picture(
            clip,
            OUT / "ride.webp",
            Wish(fps=fps, size=size),
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    save_picture(clip, OUT / "ride.png", Wish(poses=4 if QUICK else 12))


def main() -> None:
    OUT.mkdir(exist_ok=True)
    clip = ride()
    clip.save(OUT / "ride.bvh")
    draw(clip)
    print(f"{clip.seconds:.1f} s ridden, {len(clip)} frames. In {OUT.resolve()}:")
    print("  ride.webp  the ride; a web browser plays it")
    print("  ride.png   poses and footfalls on one page")
    print("  ride.bvh   for Blender and other programs: metres, Y up, forward is +Z")


if __name__ == "__main__":
    main()
