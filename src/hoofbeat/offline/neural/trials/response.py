"""Response: how soon, and how often, a network does what a key asks for: sit, stand, lie, jump."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.labelled import Dataset, in_root_space
from hoofbeat.check.motion import motion_of
from hoofbeat.horse import Herd
from hoofbeat.methods.neural.network.layout import RATE
from hoofbeat.offline.neural.data.labels import ACTIONS, derived
from hoofbeat.offline.neural.trials.runs import (
    Run,
    Tick,
    orders,
    random_orders,
    repeated,
    ridden,
    silent,
    started,
)

#: The actions that are asked for.
KEYS = ("sit", "stand", "lie", "jump")
#: How long the key is held, and how long a random ride before it is kept for the check [s].
HELD, KEPT = 4.0, 2.0
#: It has begun where its pose is so much nearer to the action's than at the key, or its speed so much less;
#: that of a jump, which needs a run-up, where it is so much faster [m/s].
NEARER, SLOWER, FASTER = 0.85, 0.8, 0.3
#: Slower than this it need not brake [m/s]; and the time in which it is to begin [s].
MOVES, SOON = 0.3, 0.5
#: Poses of an action that are compared with, at most; none from so soon after it was set about [s].
POSES, SETTLED = 400, 0.75

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _ActionFacts:
    """An action asked for in the middle of random rides: how many; parts that began within SOON and that
    reached it at all, as the check sees it; median and 95 % of the times to begin and to reach [s], None
    where none did; gaps are counted as never."""

    action: str
    starts: int
    soon: float
    reached: float
    begin: float | None
    begin_late: float | None
    reach: float | None
    reach_late: float | None


def poses_of(dataset: Dataset, action: str) -> Floats | None:
    """Poses (P, J * 3) [m] of an action in root space, some of all; None where no recording shows it."""
    code = dataset.rig.actions.index(action)
    found = []
    for clip in dataset.clips:
        rows = np.flatnonzero(clip.used & _settled(clip.actions == code))
        if len(rows):
            places, _ = in_root_space(dataset.rig.skeleton, clip.rotations[rows], clip.origins[rows])
            found.append(places.reshape(len(rows), -1))
    if not found:
        return None
    every = np.concatenate(found).astype(np.float64)
    return every[:: max(1, len(every) // POSES)]


def _settled(shown: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Frames (T,) in which something has been so for SETTLED; of what never lasts so long, all."""
    since = np.arange(len(shown)) - np.maximum.accumulate(np.where(shown, -1, np.arange(len(shown))))
    lasting = shown & (since > SETTLED * RATE)
    return lasting if lasting.any() else shown


def responses_of(
    herd: Herd, dataset: Dataset | None, seed: int, seconds: float, tick: Tick = silent
) -> list[_ActionFacts]:
    """Every key from the same random rides of so many seconds."""
    started(herd, seed, seconds, tick)
    kept = round(KEPT * RATE)
    before = ridden(herd, random_orders(herd, seed + 1, kept), tick=tick)
    moment = herd.snapshot()
    out: list[_ActionFacts] = []
    for key in KEYS:
        if key not in herd.method.actions:
            continue
        herd.restore(moment)
        rows = orders(len(herd), action=herd.method.actions.index(key))
        run = _joined(before, ridden(herd, repeated(rows, round(HELD * RATE)), tick=tick))
        poses = None if dataset is None else poses_of(dataset, key)
        found = [_times(run, k, kept, ACTIONS.index(key), poses) for k in range(len(run))]
        out.append(_facts(key, np.array(found)))
    return out


def _joined(first: Run, second: Run) -> Run:
    """One run after another of the same herd."""
    parts = ("rotations", "positions", "root", "gates")
    a, b = ([getattr(one, part) for part in parts] for one in (first, second))
    whole = [np.concatenate(pair, axis=1) for pair in zip(a, b, strict=True)]
    whole[2][..., 2] = np.unwrap(whole[2][..., 2], axis=1)
    return Run(first.skeleton, *whole)


def shows(run: Run, k: int, action: int) -> NDArray[np.bool_]:
    """Frames (T,) in which a character shows an action, by the rule of the labels."""
    return derived(motion_of(run.clip(k))) == action


def _times(run: Run, k: int, key: int, action: int, poses: Floats | None) -> tuple[float, float]:
    """When a character begins and reaches an action after frame `key` [s], inf = never."""
    reach = _first(shows(run, k, action)[key:])
    steps = np.diff(run.root[k, :, :2], axis=0)
    speed = np.hypot(*steps.T) * RATE
    pace = float(speed[key - RATE // 4 : key].mean())
    if ACTIONS[action] == "jump":
        paced = _first(speed[key - 1 :] > pace + FASTER)
    else:
        paced = _first(speed[key - 1 :] < SLOWER * pace) if pace > MOVES else np.inf
    nears = np.inf
    if poses is not None:
        away = _away(run, k, key - 1, poses)
        nears = _first(away < NEARER * away[0])
    return min(reach, paced, nears), reach


def _first(mask: NDArray[np.bool_]) -> float:
    """Time of the first true frame [s], inf without."""
    return float(np.argmax(mask)) / RATE if mask.any() else np.inf


def _away(run: Run, k: int, first: int, poses: Floats) -> Floats:
    """Distance (T,) [m] of each pose from the nearest of some (P, J * 3), in root space."""
    root = run.root[k, first:]
    off = run.positions[k, first:] - np.stack([root[:, 0], 0 * root[:, 0], root[:, 1]], axis=1)[:, None]
    sine, cosine = np.sin(root[:, None, 2]), np.cos(root[:, None, 2])
    x, z = off[..., 0], off[..., 2]
    flat = np.stack([cosine * x - sine * z, off[..., 1], sine * x + cosine * z], axis=-1).reshape(
        len(off), -1
    )
    square = (flat**2).sum(axis=1)[:, None] - 2 * flat @ poses.T + (poses**2).sum(axis=1)
    return np.sqrt(np.maximum(square.min(axis=1), 0) / (poses.shape[1] / 3))


def _facts(key: str, times: Floats) -> _ActionFacts:
    begin, reach = times.T
    ends = [
        float(np.percentile(one[np.isfinite(one)], q)) if np.isfinite(one).any() else None
        for one in (begin, reach)
        for q in (50, 95)
    ]
    soon, reached = float((begin <= SOON).mean()), float(np.isfinite(reach).mean())
    return _ActionFacts(key, len(times), soon, reached, *ends)
