"""Motions: walk, canter and turn of recordings and of networks, by one rule and one code (Tables 2, 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.labelled import Dataset, in_root_space
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.horse import Herd
from hoofbeat.methods.neural.network.layout import RATE
from hoofbeat.offline.neural.trials.measures import leg_joints, levels_of, motion_of_legs, skating_of
from hoofbeat.offline.neural.trials.runs import Run, Tick, orders, repeated, ridden, silent, started

#: Speeds and turns are smoothed over this time to each side [s].
SMOOTH = 0.25
#: How long the random ride before a measured one is, and how long one settles [s].
START, SETTLE = 3.0, 3.0
#: Fewest frames of a stretch from which it is known where the feet stand: half a second.
FEWEST = RATE // 2

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MotionRule:
    """A motion: which frames show it, by speed [m/s] and turning rate [rad/s] to either side, and the speeds
    and turns that networks are commanded to show it."""

    name: str
    speed: tuple[float, float]
    turn: tuple[float, float]
    speeds: tuple[float, ...]
    turns: tuple[float, ...]


#: The paper's three motions.
RULES = (
    MotionRule("walk", (0.5, 1.1), (0.0, 0.4), (0.6, 0.8, 1.0), (0.0,)),
    MotionRule("canter", (2.6, 4.0), (0.0, 0.6), (3.3,), (0.0,)),
    MotionRule("turn", (0.0, 1.0), (1.2, 2.6), (0.0, 0.3, 0.6), (-2.0, -1.5, 1.5, 2.0)),
)


@dataclass(frozen=True, eq=False)
class Stretch:
    """Motion of one animal: toes (T, 4, 3) [m], world; rotations (T, J, 4), local; root (T, 3): x, z,
    heading; counted (T,): frames that may be measured."""

    toes: Floats
    rotations: NDArray[np.float32]
    root: Floats
    counted: NDArray[np.bool_]


@dataclass(frozen=True)
class MotionFacts:
    """A motion in numbers: frames that show it, their part of all; mean speed [m/s] and turn [rad/s] of
    these; skating [cm/frame] and leg motion [degrees/frame], of all legs and of the hind legs. None without
    frames."""

    frames: int
    part: float
    speed: float | None
    turn: float | None
    skating: float | None
    skating_hind: float | None
    legs: float | None
    legs_hind: float | None


def stretches_of_dataset(dataset: Dataset) -> list[Stretch]:
    """The recordings' frames that are learnt from, where they move."""
    move = dataset.rig.actions.index("move")
    out: list[Stretch] = []
    for clip in dataset.clips:
        places, _ = in_root_space(dataset.rig.skeleton, clip.rotations, clip.origins)
        toes = in_world(places[:, list(dataset.rig.toes)].astype(np.float64), clip.root)
        out.append(Stretch(toes, clip.rotations, clip.root, clip.used & (clip.actions == move)))
    return out


def stretches_of_run(run: Run) -> list[Stretch]:
    """Every character of a run."""
    every = np.ones(run.root.shape[1], np.bool_)
    return [Stretch(run.toes[k], run.rotations[k], run.root[k], every) for k in range(len(run))]


def in_world(points: Floats, root: Floats) -> Floats:
    """Points (T, P, 3) of root space, in the world, by roots (T, 3)."""
    sine, cosine = np.sin(root[:, None, 2]), np.cos(root[:, None, 2])
    x, z = points[..., 0], points[..., 2]
    across, along = root[:, None, 0] + cosine * x + sine * z, root[:, None, 1] - sine * x + cosine * z
    return np.stack([across, points[..., 1], along], axis=-1)


def shown_motion(stretch: Stretch, rule: MotionRule) -> tuple[NDArray[np.bool_], Floats, Floats]:
    """Frames (T,) that show a motion, and speed [m/s] and turn [rad/s] of all."""
    velocity = np.gradient(stretch.root, axis=0) * RATE
    window = np.hanning(2 * round(SMOOTH * RATE) + 3)[1:-1]
    padded = np.pad(velocity, ((len(window) // 2,) * 2, (0, 0)), mode="edge")
    smooth = [np.convolve(padded[:, k], window / window.sum(), "valid") for k in range(3)]
    x, z, turn = np.array(smooth, np.float64)
    speed = np.hypot(x, z)
    (slow, fast), (straight, sharp) = rule.speed, rule.turn
    inside = (speed >= slow) & (speed <= fast) & (np.abs(turn) >= straight) & (np.abs(turn) <= sharp)
    return inside & stretch.counted, speed, turn


def measured(
    stretches: Sequence[Stretch],
    rule: MotionRule,
    skeleton: Skeleton,
    masks: Sequence[NDArray[np.bool_]] | None = None,
) -> MotionFacts:
    """Skating and leg motion of the frames that show a motion, all stretches together; masks: these frames
    (T,) of each stretch, where others than its own speed and turn say which."""
    joints = leg_joints(skeleton)
    parts: list[tuple[Floats, Floats, Floats, Floats]] = []
    counted = 0
    for k, stretch in enumerate(stretches):
        frames, speed, turn = shown_motion(stretch, rule)
        frames = frames if masks is None else masks[k]
        counted += int(stretch.counted.sum())
        if frames.sum() < FEWEST:
            continue
        both = frames[1:] & frames[:-1]
        if not both.any():
            continue
        skating = skating_of(stretch.toes, levels_of(stretch.toes[frames]))[both]
        legs = motion_of_legs(stretch.rotations, joints)[both]
        parts.append((skating, legs, speed[1:][both], np.abs(turn[1:][both])))
    if not parts:
        return MotionFacts(0, 0.0, None, None, None, None, None, None)
    skating, legs, speed, turn = (np.concatenate(each) for each in zip(*parts, strict=True))
    return MotionFacts(
        len(skating),
        len(skating) / max(counted, 1),
        *(float(each.mean()) for each in (speed, turn, skating, skating[:, 2:], legs, legs[:, 2:])),
    )


def commanded(herd: Herd, rule: MotionRule) -> NDArray[Any]:
    """Commands (N,) for a motion, its speeds and turns one after another."""
    k = np.arange(len(herd))
    speeds, turns = np.array(rule.speeds), np.array(rule.turns)
    return orders(len(herd), speed=speeds[k % len(speeds)], turn=turns[k % len(turns)])


def run_of(
    herd: Herd, rows: NDArray[Any], seed: int, seconds: float, tick: Tick = silent, *, whole: bool = False
) -> Run:
    """Commands (N,) held for so long, after random rides of START seconds and SETTLE more under the commands.

    whole: what it does while it settles is kept as well.
    """
    started(herd, seed, START, tick)
    settle = round(SETTLE * RATE)
    run = ridden(herd, repeated(rows, settle + round(seconds * RATE)), tick=tick)
    return run if whole else run.after(settle)
