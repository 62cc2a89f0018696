"""Student: the neural horse beside its teacher: speed, gaits and skating from walk to gallop (N10)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from hoofbeat.horse import Herd
from hoofbeat.methods.neural.network.layout import RATE
from hoofbeat.offline.neural.data.teacher import BREED, METHOD
from hoofbeat.offline.neural.trials.measures import levels_of, skating_of
from hoofbeat.offline.neural.trials.runs import Run, Tick, herd_of, orders, repeated, ridden, silent, started
from hoofbeat.offline.neural.trials.speeds import strides_in

#: Speeds that both are asked for [m/s].
SPEEDS = tuple(float(speed) for speed in range(1, 13))
#: How long the random ride before is, and how long a horse comes into its gait [s].
START, SETTLE = 3.0, 6.0
#: What the teacher shows in fewer of its strides is no gait of a speed.
FEW = 0.1


@dataclass(frozen=True)
class StudentFacts:
    """A speed [m/s] asked of both: what each reached [m/s], the strides of each by gait of the check, the
    part of the student's strides that have a gait which its teacher shows, and skating of each [cm/frame]."""

    speed: float
    reached: float
    teacher_reached: float
    strides: dict[str, int]
    teacher_strides: dict[str, int]
    part: float | None
    skating: float
    teacher_skating: float


def student_of(
    network: str | PathLike[str], starts: int, seed: int, seconds: float, tick: Tick = silent
) -> list[StudentFacts]:
    """A network at every speed from `starts` random rides, and its teacher, whose gait it is given."""
    count = len(SPEEDS) * starts
    herd, master = herd_of(network, count), Herd(count, METHOD, seed, lock=False, breed=BREED)
    teacher = _ridden(master, None, seed, seconds, tick)
    codes = [herd.gaits.index(name) if name in herd.gaits else -1 for name in master.frame().going_to]
    student = _ridden(herd, codes, seed, seconds, tick)
    speeds, skating = (np.stack([each(student), each(teacher)]) for each in (Run.speeds, _skating))
    out: list[StudentFacts] = []
    for k, speed in enumerate(SPEEDS):
        part = list(range(k * starts, (k + 1) * starts))
        own, shown = ([strides_in(run.clip(n)) for n in part] for run in (student, teacher))
        strides, taught = (sum(each, Counter[str]()) for each in (own, shown))
        # Each horse is held against its own teacher: near a border both of its gaits are right for some.
        right = sum(mine[name] for mine, its in zip(own, shown, strict=True) for name in shown_in(its))
        means = [float(values[side, part].mean()) for values in (speeds, skating) for side in (0, 1)]
        share = right / sum(strides.values()) if strides else None
        out.append(StudentFacts(speed, means[0], means[1], dict(strides), dict(taught), share, *means[2:]))
    return out


def shown_in(strides: Counter[str]) -> list[str]:
    """The gaits that at least a tenth of some strides show, on either lead."""
    both: Counter[str] = Counter()
    for name, count in strides.items():
        for lead in _leads(name):
            both[lead] += count
    return [name for name, count in both.items() if count >= FEW * sum(strides.values())]


def _leads(name: str) -> set[str]:
    return {name, name.replace("left", "right"), name.replace("right", "left")}


def _ridden(herd: Herd, gaits: list[int] | None, seed: int, seconds: float, tick: Tick) -> Run:
    starts = len(herd) // len(SPEEDS)
    rows = orders(len(herd), speed=np.repeat(SPEEDS, starts), gait=-1 if gaits is None else gaits)
    started(herd, seed, START, tick)
    settle = round(SETTLE * RATE)
    return ridden(herd, repeated(rows, settle + round(seconds * RATE)), tick=tick).after(settle)


def _skating(run: Run) -> NDArray[np.float64]:
    """Mean skating (N,) [cm/frame] of all feet."""
    return skating_of(run.toes, levels_of(run.toes)).mean(axis=(1, 2))
