"""Endurance: long rides under random commands: whether networks drift, twist limbs or lose numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hoofbeat.body.labelled import Dataset
from hoofbeat.body.legs.bends import bend_ranges, bends_of, bent_nodes
from hoofbeat.horse import Herd
from hoofbeat.methods.neural.network.layout import RATE
from hoofbeat.offline.neural.trials.experts import restarts_of
from hoofbeat.offline.neural.trials.measures import Floats
from hoofbeat.offline.neural.trials.runs import Tick, random_orders, silent

#: A joint bent this far beyond what any recording shows is twisted [rad].
TWIST = np.radians(15.0)
#: A root this much higher or lower than any recording's is out of range [m], or this much faster, as a part.
HEIGHT, SPEED = 0.1, 1.25
#: Random commands are made for so long at once [s].
PART = 20


@dataclass(frozen=True)
class EnduranceFacts:
    """How many rode how long [s]; how many of them ever: had no number, left the recordings' range of heights
    or speeds, twisted a limb by more than TWIST; parts of all frames of the last two; farthest twist
    [degrees] and its joint; restarts of the guard. None where it was not known what the recordings do."""

    characters: int
    seconds: float
    unsound: int
    drifted: int | None
    twisted: int | None
    drifted_part: float | None
    twisted_part: float | None
    farthest: float | None
    joint: str | None
    restarts: int


@dataclass(frozen=True, eq=False)
class Ranges:
    """What recordings keep to: least and most bend (B,) [rad] of `bent_nodes`, heights of the root joint [m],
    fastest speed [m/s]."""

    least: Floats
    most: Floats
    low: float
    high: float
    fastest: float


def ranges_of(dataset: Dataset) -> Ranges:
    """The ranges of the frames that are learnt from."""
    used = [clip for clip in dataset.clips if clip.used.any()]
    least, most = bend_ranges(dataset).T
    heights = np.concatenate([clip.origins[clip.used, 1] for clip in used])
    steps = [np.hypot(*np.diff(clip.root[:, :2], axis=0).T)[clip.used[1:]] * RATE for clip in used]
    return Ranges(least, most, float(heights.min()), float(heights.max()), float(np.concatenate(steps).max()))


def endured(
    herd: Herd, ranges: Ranges | None, seed: int, seconds: float, tick: Tick = silent
) -> EnduranceFacts:
    """A herd ridden for so long by random commands, every frame looked at."""
    count = len(herd)
    unsound, drifted, twisted = (np.zeros(count, np.bool_) for _ in range(3))
    frames, off, wrong = round(seconds * RATE), 0, 0
    nodes = bent_nodes(herd.skeleton)
    farthest = np.zeros(len(nodes))
    for first in range(0, frames, PART * RATE):
        for row in random_orders(herd, seed + first, min(PART * RATE, frames - first)):
            frame = herd.step(row, 1 / RATE)
            unsound |= ~np.isfinite(frame.positions).all(axis=(1, 2))
            if ranges is not None:
                height = frame.positions[:, 0, 1]
                out = (height < ranges.low - HEIGHT) | (height > ranges.high + HEIGHT)
                out |= frame.speed > SPEED * ranges.fastest
                bend = bends_of(frame.positions, herd.skeleton)
                away = np.maximum(ranges.least - bend, bend - ranges.most)
                farthest = np.fmax(farthest, away.max(axis=0))
                bent = away.max(axis=1) > TWIST
                drifted |= out
                twisted |= bent
                off += int(out.sum())
                wrong += int(bent.sum())
            tick(1)
    restarts = restarts_of(herd)
    if ranges is None:
        return EnduranceFacts(
            count, seconds, int(unsound.sum()), None, None, None, None, None, None, restarts
        )
    total, worst = max(frames * count, 1), int(np.argmax(farthest))
    return EnduranceFacts(
        count,
        seconds,
        int(unsound.sum()),
        int(drifted.sum()),
        int(twisted.sum()),
        off / total,
        wrong / total,
        float(np.degrees(farthest[worst])),
        herd.skeleton.names[int(herd.skeleton.parents[nodes[worst]])],
        restarts,
    )
