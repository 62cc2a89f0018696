"""Samples: what a network is trained on: rows of all clips and their mirror images, scaled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.labelled import Dataset, LabelledClip, LabelledClipError, Rig, mirrored_clip
from hoofbeat.body.legs.bends import bend_ranges
from hoofbeat.methods.neural.network.features import rows_of
from hoofbeat.methods.neural.network.layout import (
    ACTION,
    JOINT_VELOCITY,
    NOW,
    RATE,
    SPEED,
    STEP,
    Blocks,
    Layout,
)
from hoofbeat.offline.neural.data.phase import phases_of

Floats = NDArray[np.float32]
#: A column that hardly varies is not blown up to noise: no scale is below this part of its block's.
FLOOR = 0.1
#: Percentiles that are the range of an input, and that of a turning rate [percent].
USUAL, TURNS = (0.1, 99.9), 99.5
#: A speed lasts that varies by less than this part of it and this much [m/s]; the range of those [percent].
VARIES, STEADY = (0.15, 0.1), (0.5, 99.5)
#: Frames from which the standing pose is chosen.
STANDING = 2000


@dataclass(frozen=True, eq=False)
class Scale:
    """Mean and spread of every column: the network gets (x - mean) / spread."""

    mean: Floats
    spread: Floats

    def inward(self, rows: Floats) -> Floats:
        """Rows as the network gets them."""
        return (rows - self.mean) / self.spread


@dataclass(frozen=True, eq=False)
class SampleFacts:
    """What run time needs to know of the data.

    stand_rotations (J, 4) and stand_origin (3,): a standing pose; stand_action; low, high (n,): the range of
    every input; speeds: slowest and fastest wanted speed [m/s] that occurs with each action; turn [rad/s];
    bends (B, 2): least and most of the legs' bends [rad], see `body.bends`.
    """

    stand_rotations: Floats
    stand_origin: Floats
    stand_action: int
    low: Floats
    high: Floats
    speeds: dict[str, tuple[float, float]]
    turn: float
    bends: Floats


@dataclass(frozen=True, eq=False)
class Samples:
    """Scaled rows: x (F, n), y (F, m), phase (F,) in turns; those of training shown as `shown` (P,) says.

    ahead (F,): how many rows from each on, itself counted, are of frames that follow each other.

    With a phase, y has one more column: how far it goes in a frame. test: the rows kept out of training.
    """

    rig: Rig
    x: Floats
    y: Floats
    phase: Floats
    shown: NDArray[np.int64]
    test: NDArray[np.int64]
    ahead: NDArray[np.int64]
    inward: Scale
    outward: Scale
    facts: SampleFacts


def samples_of(
    data: Dataset, mirror: bool = True, phased: bool = False, report: Callable[[str], None] = lambda _: None
) -> Samples:
    """The samples of a dataset; `report` is called with messages of progress."""
    clips = [clip for clip in data.clips if len(clip) > 2]
    if mirror:
        clips += [mirrored_clip(clip, data.rig) for clip in clips]
    if not any(clip.used[:-1].any() for clip in clips if not clip.test):
        raise LabelledClipError(
            "there is nothing to train on: no clip has frames that are used and not kept for tests"
        )
    parts: list[Any] = []
    for n, clip in enumerate(clips):
        report(f"features of clip {n + 1} of {len(clips)}")
        parts.append(_rows(clip, data.rig, phased))
    x, y, phase, copies, ahead = (np.concatenate([part[k] for part in parts]) for k in range(5))
    test = np.concatenate([np.full(len(part[0]), part[5]) for part in parts])
    for name, rows in (("inputs", x), ("outputs", y)):
        if not np.isfinite(rows).all():
            raise LabelledClipError(f"{name} hold NaN or infinity; nothing is trained on them")
    shown = np.repeat(np.flatnonzero(~test), copies[~test])
    layout = Layout.of(data.rig)
    facts = _facts(data, layout, x[~test], y[~test])
    inward, outward = _scale(x[~test], layout.inputs), _scale(y[~test], layout.outputs)
    x, y = inward.inward(x), outward.inward(y)
    return Samples(data.rig, x, y, phase, shown, np.flatnonzero(test), ahead, inward, outward, facts)


def _rows(clip: LabelledClip, rig: Rig, phased: bool) -> tuple[Any, ...]:
    """Inputs, outputs, phase, copies and rows ahead of a clip's used frames, and whether it is for tests."""
    x, y = rows_of(clip, rig)
    phase = np.zeros(len(x), np.float32)
    if phased:
        feet = Layout.of(rig).inputs.view(x, JOINT_VELOCITY)[:, list(rig.feet[:2])]
        # Relative to the moving body: what is left is the swing.
        found = phases_of(feet[..., 2].astype(np.float64))
        phase = (found % 1.0).astype(np.float32)
        step = np.diff(found, append=found[-1])
        y = np.concatenate([y, step[:, None].astype(np.float32)], axis=1)
    used = clip.used[:-1]
    return x[used], y[used], phase[used], clip.copies[:-1][used], _ahead(used)[used], clip.test


def _ahead(used: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many frames (T,) from each on are used without a gap."""
    out = np.zeros(len(used) + 1, np.int64)
    for k in range(len(used) - 1, -1, -1):
        out[k] = out[k + 1] + 1 if used[k] else 0
    return out[:-1]


def _scale(rows: Floats, blocks: Blocks) -> Scale:
    """Mean and spread of rows, by column, floored by block; columns beyond the blocks stand alone."""
    mean = rows.mean(axis=0, dtype=np.float64)
    spread = rows.std(axis=0, dtype=np.float64)
    parts = [blocks.part(name) for name in blocks.starts]
    parts += [slice(k, k + 1) for k in range(blocks.size, len(spread))]
    for part in parts:
        common = float(np.sqrt((spread[part] ** 2).mean()))
        spread[part] = np.maximum(spread[part], max(FLOOR * common, 1e-6))
    return Scale(mean.astype(np.float32), spread.astype(np.float32))


def _facts(data: Dataset, layout: Layout, x: Floats, y: Floats) -> SampleFacts:
    some = x[:: max(1, len(x) // 200_000)]
    low, high = np.percentile(some, USUAL, axis=0).astype(np.float32)
    turn = float(np.percentile(np.abs(layout.outputs.view(y[:, : layout.outputs.size], STEP)[:, 2]), TURNS))
    bends = bend_ranges(data).astype(np.float32)
    return SampleFacts(*_standing(data), low, high, _speeds_of(x, layout), turn, bends)


def _speeds_of(x: Floats, layout: Layout) -> dict[str, tuple[float, float]]:
    """Slowest and fastest wanted speed [m/s] of each action in inputs x, where action and speed last."""
    action = layout.inputs.view(x, ACTION).argmax(axis=2)
    speed = layout.inputs.view(x, SPEED)
    steady = (action == action[:, :1]).all(axis=1)
    steady &= np.ptp(speed, axis=1) < VARIES[0] * speed[:, NOW] + VARIES[1]
    found: dict[str, tuple[float, float]] = {}
    for k, name in enumerate(layout.actions):
        now = action[:, NOW] == k
        lasting = now & steady
        rows = speed[lasting if lasting.sum() >= RATE else now, NOW]
        if len(rows):
            low, high = np.percentile(rows, STEADY)
            found[name] = (float(low), float(high))
    return found


def _standing(data: Dataset) -> tuple[Floats, Floats, int]:
    """The pose nearest to all others that stand: first action, root at rest."""
    rotations: list[Any] = []
    origins: list[Any] = []
    for clip in data.clips:
        step = np.linalg.norm(np.diff(clip.root[:, :2], axis=0, append=clip.root[-1:, :2]), axis=1)
        rest = step * RATE < 0.05
        still = np.flatnonzero((clip.actions == 0) & clip.used & rest)
        rotations.append(clip.rotations[still])
        origins.append(clip.origins[still])
    turns, places = np.concatenate(rotations), np.concatenate(origins)
    if not len(turns):
        raise LabelledClipError(
            f"no clip stands: none has frames of action {data.rig.actions[0]!r} with its root at rest"
        )
    some = np.linspace(0, len(turns) - 1, min(len(turns), STANDING)).astype(int)
    turns, places = turns[some], places[some]
    flat = np.concatenate([turns.reshape(len(turns), -1), 4 * places], axis=1)
    middle = np.median(flat, axis=0)
    best = int(((flat - middle) ** 2).sum(axis=1).argmin())
    return turns[best], places[best], 0
