"""What a check costs: a long clip of a horse with 55 nodes, everything measured, kernels warm."""

from __future__ import annotations

from hoofbeat.body.clip import Clip
from hoofbeat.check import check
from hoofbeat.formats.planfile import Plan, Segment
from hoofbeat.offline.bench import yardstick
from hoofbeat.offline.bench.report import Bench, Figure, Gate
from hoofbeat.offline.bench.yardstick import best
from hoofbeat.synthesis import synthesize

#: Frames of the clip, and what their check may cost [s].
FRAMES, SECONDS = 10_000, 1.0
ROUNDS = 3
FPS = 60.0


def long_clip(frames: int = FRAMES) -> Clip:
    """A ride through walk, trot and gallop, and back to a walk, without anything that says so."""
    part = frames / FPS / 4
    segments = tuple(Segment(part, speed=speed) for speed in (1.6, 4.5, 8.0, 1.4))
    ride = synthesize(Plan(segments, fps=FPS, settle=True, name="long"))
    count = min(frames, len(ride))
    return Clip(ride.skeleton, ride.rotations[:count], ride.origins[:count], FPS, name="long")


def _fresh(clip: Clip) -> Clip:
    """The same clip with nothing worked out yet: positions are kept once they are known."""
    return Clip(clip.skeleton, clip.rotations, clip.origins, clip.fps, None, clip.name)


def run(frames: int = FRAMES, rounds: int = ROUNDS) -> Bench:
    """Time of one check, and its promise; a machine slower than the reference may be that much slower."""
    clip = long_clip(frames)
    check(_fresh(clip))  # compiles
    clips = iter([_fresh(clip) for _ in range(rounds)])
    times = best({"check": lambda: check(next(clips)), "python": yardstick.python_loop}, rounds)
    slower = max(times["python"] / yardstick.REFERENCE_PYTHON, 1.0)
    seconds = times["check"]
    figures = [
        Figure(f"check, {len(clip)} frames of {len(clip.skeleton)} nodes", seconds * 1e3, "ms"),
        Figure("frames checked", len(clip) / seconds, "1/s"),
    ]
    whole = seconds / slower * FRAMES / len(clip)
    promise = f"check of {FRAMES} frames at the reference's speed"
    gate = Gate(promise, whole, SECONDS, at_least=False, unit="s")
    return Bench("check", "Checking a clip", figures, [gate])
