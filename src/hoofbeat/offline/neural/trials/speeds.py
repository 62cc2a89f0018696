"""Speeds: how fast a network goes when asked for a speed, and in which gait, by the check's own strides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoofbeat.body.clip import Clip
from hoofbeat.check.measures.footfall import moving
from hoofbeat.check.motion import motion_of
from hoofbeat.check.recognise import strides_named
from hoofbeat.horse import Herd
from hoofbeat.offline.neural.trials.motions import run_of
from hoofbeat.offline.neural.trials.runs import Run, Tick, orders, silent

#: The paper's speeds [m/s] and the gaits that they are to give.
DOG = {0.5: "walk", 1.1: "pace", 1.9: "trot", 3.3: "canter"}
#: Names of the check that count as each: a pacing walk is both, as its four beats come in pairs.
COUNT = {
    "walk": ("walk", "pacing-walk", "amble"),
    "pace": ("pacing-walk", "rack"),
    "trot": ("trot",),
    "canter": (
        "canter-left",
        "canter-right",
        "gallop-left",
        "gallop-right",
        "rotary-gallop-left",
        "rotary-gallop-right",
    ),
}


@dataclass(frozen=True)
class _SpeedFacts:
    """A commanded speed [m/s]: what was reached, mean and deviation over starts [m/s]; strides, by gait of
    the check; the gait wanted and the part of the strides that show it, None without a stride."""

    speed: float
    reached: float
    deviation: float
    strides: dict[str, int]
    gait: str
    part: float | None


def strides_in(clip: Clip) -> Counter[str]:
    """How many strides of each gait a clip shows, standing and jumps left out."""
    return Counter(stride.gait for stride in moving(strides_named(motion_of(clip))))


def counted(run: Run) -> Counter[str]:
    """The strides of all characters of a run."""
    return sum((strides_in(run.clip(k)) for k in range(len(run))), Counter[str]())


def part_of(strides: Counter[str], names: Sequence[str]) -> float | None:
    """The part of strides that have one of some names."""
    total = sum(strides.values())
    return sum(strides[name] for name in names) / total if total else None


def speeds_of(herd: Herd, starts: int, seed: int, seconds: float, tick: Tick = silent) -> list[_SpeedFacts]:
    """Each of the paper's speeds from `starts` random rides; the herd is len(DOG) * starts animals."""
    wanted = np.repeat(list(DOG), starts)
    run = run_of(herd, orders(len(wanted), speed=wanted), seed, seconds, tick)
    reached = run.speeds()
    out: list[_SpeedFacts] = []
    for k, (speed, gait) in enumerate(DOG.items()):
        part = slice(k * starts, (k + 1) * starts)
        strides = sum((strides_in(run.clip(n)) for n in range(part.start, part.stop)), Counter[str]())
        values = float(reached[part].mean()), float(reached[part].std())
        out.append(_SpeedFacts(speed, *values, dict(strides), gait, part_of(strides, COUNT[gait])))
    return out
