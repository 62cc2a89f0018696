"""What a film costs: the skinned horse at 1280 x 720, thirty pictures a second, drawn and encoded as .mp4.

The promise is that a film with plain edges is made in no longer than it lasts, on two cores. It is judged by
processor time, drawing and encoding together, at the reference's speed: other work on the machine then does
not count.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from hoofbeat.body.clip import Clip
from hoofbeat.formats.planfile import Plan, Segment
from hoofbeat.offline.bench import yardstick
from hoofbeat.offline.bench.report import Bench, Figure, Gate
from hoofbeat.offline.bench.yardstick import best
from hoofbeat.render.film.encode import write_mp4
from hoofbeat.render.film.film import Film, Setting
from hoofbeat.render.gl.context import missing
from hoofbeat.synthesis import synthesize

#: Seconds of the ride, its speed [m/s], pictures a second, and how often the film is made.
SECONDS, SPEED, FPS, ROUNDS = 6.0, 6.0, 30.0, 2
SIZE, CORES = (1280, 720), 2


def _ridden(seconds: float = SECONDS) -> Clip:
    """A canter."""
    return synthesize(Plan((Segment(seconds, speed=SPEED),), "timewarp", 60.0, settle=True, name="canter"))


def filmed(clip: Clip, smooth: bool, rounds: int = ROUNDS) -> tuple[float, float]:
    """Seconds on the clock and of the processor, children included, that a film needs; the best of a few."""
    found: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as folder, Film(clip, Setting(size=SIZE, smooth=smooth), FPS) as film:
        film.pixels(0)  # shaders are compiled when they are first used
        for _ in range(rounds):
            start, before = time.perf_counter(), _worked()
            write_mp4(film, Path(folder) / "film.mp4")
            found.append((time.perf_counter() - start, _worked() - before))
    return min(wall for wall, _ in found), min(work for _, work in found)


def run(seconds: float = SECONDS, rounds: int = ROUNDS) -> Bench:
    """Films with and without smooth edges, and the promise; nothing where OpenGL cannot be had."""
    title = f"A film of the skinned horse, {SIZE[0]} x {SIZE[1]}, {FPS:g} pictures a second"
    if reason := missing():
        return Bench("film", title, [Figure("skinned film", None, "times", reason)], [])
    clip = _ridden(seconds)
    slower = max(best({"python": yardstick.python_loop}, 3)["python"] / yardstick.REFERENCE_PYTHON, 1.0)
    figures: list[Figure] = []
    gates: list[Gate] = []
    for smooth in (True, False):
        wall, work = filmed(clip, smooth, rounds)
        words = "smooth edges" if smooth else "plain edges"
        figures.append(
            Figure(f"film, {words}", clip.seconds / wall, "times as fast as life", f"{wall:.2f} s")
        )
        pictures = clip.seconds * FPS
        figures.append(Figure(f"processor for a picture, {words}", 1e3 * work / pictures, "ms"))
        length = CORES * clip.seconds * slower / work
        figures.append(
            Figure(f"film on {CORES} cores alone, {words}", length, "times life", "by processor time")
        )
        if not smooth:
            promise = f"film at its own length on {CORES} cores, {words}"
            gates.append(Gate(promise, length, 1.0, at_least=True, unit="times"))
    return Bench("film", title, figures, gates)


def _worked() -> float:
    """Processor time [s] of this process and of those that it has waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system
