"""Check whether a clip moves as the animal would, and draw what is wrong with one that does not.

    python examples/05_check_a_clip.py [FILE] [gait]

Without a file it rides a walk, checks it, then spoils it: the left fore swings with the other legs of its
side, and every foot slides. The same works for any quadruped whose four legs can be found (docs/check.md).
What the ride itself fails is true: the Actions of the thesis are not the motion of a real horse.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import hoofbeat as hb
from hoofbeat.errors import HoofbeatError
from hoofbeat.render.pages.checksheet import check_sheet

OUT = Path("out")


def ride() -> hb.Clip:
    """Six seconds of a walk."""
    horse = hb.Horse(seed=1)
    recorder = hb.Recorder(horse.skeleton)
    for n in range(540):
        frame = horse.step(hb.Command(speed=1.5, gait="walk"))
        if n >= 180:
            recorder.add(frame)
    return recorder.clip("walk")


def spoiled(clip: hb.Clip) -> hb.Clip:
    """The same with two faults: a leg that is early, and a root that is too fast for its feet."""
    rotations = np.array(clip.rotations)
    leg = clip.skeleton.legs[0]
    nodes = [leg.top, leg.mid, leg.low, leg.pastern]
    rotations[:, nodes] = np.roll(rotations[:, nodes], -round(0.2 * clip.fps), axis=0)
    origins = clip.origins + np.arange(len(clip))[:, None] / clip.fps * np.array([0.0, 0.0, 0.15])
    return hb.Clip(clip.skeleton, rotations, origins, clip.fps, name="spoiled walk")


def show(clip: hb.Clip, gait: str | None, name: str) -> None:
    """A line of words, what fails, and a page."""
    report = hb.check(clip, gait)
    print(f"{report.name}: {report.headline}")
    for measure in report.failing[:5]:
        value = "-" if measure.value is None else f"{measure.value:.3g} {measure.unit}"
        print(f"  {measure.name}: {value}, limit {measure.limit} ({measure.limit.source})")
    OUT.mkdir(exist_ok=True)
    print(f"  page: {check_sheet(report, OUT / f'{name}.png').resolve()}")


def main() -> None:
    if len(sys.argv) > 1:
        path, gait = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
        try:
            show(hb.load(path), gait, f"{path.stem}-check")
        except HoofbeatError as problem:
            sys.exit(f"cannot be checked: {problem}")
        return
    clip = ride()
    show(clip, "walk", "walk-check")
    show(spoiled(clip), "walk", "spoiled-check")
    try:
        hb.check.assert_gait(spoiled(clip), "walk")
    except AssertionError as problem:
        print(f"a test would say: {str(problem).splitlines()[0]}")


if __name__ == "__main__":
    main()
