"""Scores of `hoofbeat check` for docs/check.md, as Markdown: `python -m benchmarks.check_scores`.

Clips of others (Fox.glb, the horse of three.js, 42 recordings of a dog) lie in ../shared/data or where
HOOFBEAT_DATA says; what is absent is left out. The made horses are those of the tests.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

from hoofbeat import Clip, Command, Horse, Recorder
from hoofbeat.check import Report, check
from hoofbeat.check.measures.cohort import REFERENCE
from hoofbeat.errors import HoofbeatError
from hoofbeat.export import load, load_all
from hoofbeat.offline.vienna.table import tables

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("HOOFBEAT_DATA") or ROOT.parent / "shared" / "data")
sys.path.insert(0, str(ROOT / "tests"))  # where the made horses stand

Named = tuple[str, Clip]
#: Gaits of the thesis and speeds within them [m/s].
RIDDEN = (("walk", 1.5), ("walk", 3.0), ("trot", 3.52), ("trot", 5.0), ("gallop", 6.5), ("gallop", 9.0))
#: Names of failing measures listed in a row.
MOST = 12


def ridden(lock: bool) -> Iterator[Named]:
    """The thesis Actions after settling, with feet locked or as they are; five seconds each."""
    for gait, speed in RIDDEN:
        horse = Horse(lock=lock)
        for _ in range(300):
            horse.step(Command(speed=speed, gait=gait))
        recorder = Recorder(horse.skeleton)
        for _ in range(300):
            recorder.add(horse.step(Command(speed=speed, gait=gait)))
        yield f"{gait} at {speed:g} m/s", recorder.clip(gait)


def from_gltf(name: str) -> Iterator[Named]:
    path = DATA / "gltf" / name
    if path.is_file():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joints that stretch
            yield from ((clip.name, clip) for clip in load_all(path))


def dogs() -> Iterator[Named]:
    for path in sorted((DATA / "dog").glob("*.bvh")):
        yield path.stem, load(path, scale=0.01)


def made() -> Iterator[Named]:
    import made  # pyright: ignore[reportMissingImports]  # of the tests

    for gait in made.GAITS:
        yield f"good {gait}", made.clip(gait)
    for gait in ("walk", "trot"):
        yield f"bad {gait}", made.clip(gait, wrong=made.BAD)


def row(name: str, clip: Clip) -> str:
    """One line of a table."""
    try:
        found: Report = check(clip)
    except HoofbeatError as problem:
        return f"| {name} | cannot be checked: {problem} | | | | | |"
    failed = [f"`{one}`" for one in found.failed]
    bad = ", ".join(failed[:MOST]) + (f" and {len(failed) - MOST} more" if len(failed) > MOST else "")
    speed = "" if found.speed is None else f"{found.speed:.2f}"
    beside = found.comparison
    place = "" if beside is None or beside.passed is None else beside.places["all"]
    share = f"{len(failed)} of {found.judged}"
    return f"| {name} | {found.gait or 'none'} | {len(found.shown)} | {speed} | {share} | {bad} | {place} |"


def table(title: str, clips: Iterator[Named]) -> list[str]:
    """A table with its title; nothing where there are no clips."""
    rows = [row(name, clip) for name, clip in clips]
    head = "| clip | gait | strides | m/s | fail | which | beside the real horses |"
    return [f"### {title}", "", head, "|---|---|---|---|---|---|---|", *rows, ""] if rows else []


def scores() -> list[str]:
    """All tables."""
    return [
        *table("Thesis Actions, ridden with locked feet", ridden(lock=True)),
        *table("Thesis Actions, without locks", ridden(lock=False)),
        *table("Fox.glb (Khronos)", from_gltf("Fox.glb")),
        *table("Horse of three.js", from_gltf("threejs-horse/Horse.gltf")),
        *table("Horses made for the tests, good and bad", made()),
        *table("42 recordings of a dog", dogs()),
        "### The ten real horses, each left out in turn",
        "",
        tables(json.loads(REFERENCE.read_text(encoding="utf-8"))),
    ]


if __name__ == "__main__":
    sys.stdout.write("\n".join(scores()) + "\n")
