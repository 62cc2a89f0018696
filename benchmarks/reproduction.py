"""Table 4.1 of the thesis beside our own run, as Markdown: `python -m benchmarks.reproduction`."""

from __future__ import annotations

import sys
from typing import cast

import numpy as np

from hoofbeat import Command, Horse
from hoofbeat.formats.scenefile import read_scene
from hoofbeat.methods.actions.build import make_tables
from hoofbeat.methods.actions.method import MAX_TURN, ActionsMethod
from hoofbeat.methods.actions.traction import thesis_slide, thesis_speed

#: Gait, printed speed [m/s], printed Action duration [s], commanded speed of our check [m/s].
ROWS = (
    ("walk", 1.6, 1.4, 1.6),
    ("walk", 3.4, 0.6, 3.3),
    ("trot", 3.52, 0.9, 3.6),
    ("trot", 5.74, 0.6, 5.6),
    ("gallop", 5.76, 0.8, 5.9),
    ("gallop", 9.4, 0.6, 9.4),
)
DT = 1 / 60


def ridden(speed: float, lock: bool) -> tuple[str, float, float, float, float]:
    """Gait, speed [m/s], cycle time [s], stride scale and largest slide [mm] over 10 s after settling."""
    horse = Horse(lock=lock)
    toes = [leg.toe for leg in horse.skeleton.legs]
    for _ in range(round((3 + speed / 3) / DT)):
        horse.step(Command(speed=speed), DT)
    start = frame = horse.frame()
    places, downs = [], []
    for _ in range(round(10 / DT)):
        frame = horse.step(Command(speed=speed), DT)
        places.append(frame.positions[toes][:, [0, 2]])
        downs.append(frame.contacts > 0.5)
    gone = np.linalg.norm(frame.root.position - start.root.position)
    herd = horse._herd  # the clock is not public
    duration = float(herd._state["duration"][0])
    row = cast(ActionsMethod, herd.method).tables.plans.actions[herd.gaits.index(str(frame.gait))]
    return (
        str(frame.gait),
        float(gone) / 10,
        duration,
        speed * duration / row["stride"],
        _slide(places, downs),
    )


def _slide(places: list[np.ndarray], downs: list[np.ndarray]) -> float:
    path, down = np.array(places), np.array(downs)
    worst = 0.0
    for leg in range(4):
        anchor = None
        for t in range(len(path)):
            if not down[t, leg]:
                anchor = None
            elif anchor is None:
                anchor = path[t, leg]
            else:
                worst = max(worst, float(np.linalg.norm(path[t, leg] - anchor)))
    return worst * 1000


def table() -> list[str]:
    """The lines of the table."""
    scene = read_scene()
    plans = make_tables(scene, MAX_TURN).plans
    lines = [
        "| gait | printed: speed at duration | its rule at 1000 Hz | at 60 Hz | its slide | asked | ours | "
        "cycle | stride scale | slide | slide, locks off |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for gait, speed, duration, asked in ROWS:
        k = [g.name for g in scene.gaits].index(gait) + 1
        flights = np.array(scene.gaits[k - 1].action.flights, float).reshape(-1, 2)
        toes = plans.toes[k].astype(float)
        fine, coarse = thesis_speed(toes, flights, duration), thesis_speed(toes, flights, duration, DT)
        slid = thesis_slide(toes, flights, duration) * 1000
        found, reached, cycle, scale, slide = ridden(asked, lock=True)
        loose = ridden(asked, lock=False)[4]
        lines.append(
            f"| {gait} | {speed:g} m/s at {duration:g} s | {fine:.2f} | {coarse:.2f} | {slid:.0f} mm | "
            f"{asked:g} | {found} {reached:.2f} m/s | {cycle:.2f} s | {scale:.2f} | {slide:.2f} mm | "
            f"{loose:.0f} mm |"
        )
    return lines


if __name__ == "__main__":
    sys.stdout.write("\n".join(table()) + "\n")
