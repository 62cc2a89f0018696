"""Breakdown: how much of what a dataset holds: Table 1 and Figure 5 of Zhang et al. 2018.

Only frames to learn from are counted, each once: neither mirrored nor copied.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.labelled import Dataset
from hoofbeat.body.root import path_speed
from hoofbeat.methods.neural.network.layout import RATE
from hoofbeat.offline.neural.data.recordings import GAITS, RecordedMotion

#: Table 1 of the paper, in percent of the frames.
PAPER = {"idle": 36.42, "move": 41.25, "jump": 0.68, "sit": 11.23, "lie": 8.96, "stand": 1.46}
#: Borders of the bands of speed whose time is reported [m/s].
BANDS = (0.0, 0.1, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 12.0, 20.0)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Share:
    """The time of an action [s], in percent of all, and what the paper has, None where it has no such one."""

    name: str
    seconds: float
    percent: float
    paper: float | None


@dataclass(frozen=True)
class Agreement:
    """How many frames the authors labelled with all six words, with two, and how many are labelled by rule;
    parts of the first and second on which the rule says the same, NaN where there are none."""

    six: int
    two: int
    rule: int
    six_agreed: float
    two_agreed: float


def shares_of(dataset: Dataset) -> list[Share]:
    """The time of every action."""
    names = dataset.rig.actions
    count = sum(
        (np.bincount(t.actions[t.used], minlength=len(names)) for t in dataset.clips), np.zeros(len(names))
    )
    total = max(float(count.sum()), 1.0)
    known = set(names) == set(PAPER)
    return [
        Share(name, float(n) / RATE, 100 * float(n) / total, PAPER[name] if known else None)
        for name, n in zip(names, count, strict=True)
    ]


def bands_of(dataset: Dataset) -> list[tuple[float, float, float]]:
    """Lowest and highest speed [m/s] of every band up to the fastest, and the time in it [s]."""
    found = [path_speed(clip.root[:, :2], RATE)[clip.used] for clip in dataset.clips]
    count = np.histogram(np.concatenate([np.zeros(0), *found]), BANDS)[0]
    last = int(np.flatnonzero(count)[-1]) + 1 if count.any() else 0
    return [(BANDS[k], BANDS[k + 1], float(count[k]) / RATE) for k in range(last)]


def gait_speeds(dataset: Dataset, recordings: RecordedMotion | None) -> dict[str, Floats]:
    """Speeds [m/s] of every gait: of the straight strides of recordings, else of the frames of an action."""
    if recordings is not None:
        strides = [stride for clip in recordings.clips if clip.labelled.used.any() for stride in clip.strides]
        return {word: np.array([speed for gait, speed in strides if gait == word]) for word in GAITS}
    found: dict[str, Floats] = {}
    for code, name in enumerate(dataset.rig.actions):
        parts = [
            path_speed(clip.root[:, :2], RATE)[clip.used & (clip.actions == code)] for clip in dataset.clips
        ]
        found[name] = np.concatenate([np.zeros(0), *parts])
    return found


def agreement_of(recordings: RecordedMotion) -> Agreement:
    """How the rule for labels does against the authors' own."""

    def part(origin: str) -> tuple[int, float]:
        chosen = [clip.labels for clip in recordings.clips if clip.labels.origin == origin]
        compared = sum(labels.compared for labels in chosen)
        agreed = sum(labels.agreed for labels in chosen)
        return compared, agreed / compared if compared else float("nan")

    (six, six_agreed), (two, two_agreed) = part("authors"), part("authors, two words")
    rule = sum(len(clip.labelled) for clip in recordings.clips if clip.labels.origin == "rule")
    return Agreement(six, two, rule, six_agreed, two_agreed)
