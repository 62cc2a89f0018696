"""Experts: what a network cannot do without each of its experts, and when each counts (Table 5, Figure 9)."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike

import numpy as np

from hoofbeat.check.motion import motion_of
from hoofbeat.horse import Herd
from hoofbeat.methods.neural.network.layout import RATE
from hoofbeat.offline.neural.data.labels import ACTIONS, derived
from hoofbeat.offline.neural.trials.measures import levels_of, skating_of
from hoofbeat.offline.neural.trials.motions import SETTLE, run_of
from hoofbeat.offline.neural.trials.response import KEYS, shows
from hoofbeat.offline.neural.trials.runs import Run, Tick, herd_of, orders, repeated, ridden, silent
from hoofbeat.offline.neural.trials.speeds import DOG, strides_in

#: The turn that is asked for to either side [rad/s], and the speed with it [m/s].
TURN, PACE = 1.5, 0.5
#: What is less than this part of what the whole network does is gone; skating more than the second is worse.
GONE, WORSE = 0.6, 1.5
#: Modes of Figure 9: speed [m/s], turn [rad/s], action; and how long each is drawn [s].
MODES = {
    "walk": (0.5, 0.0, None),
    "pace": (1.1, 0.0, None),
    "trot": (1.9, 0.0, None),
    "canter": (3.3, 0.0, None),
    "turn": (0.5, 1.5, None),
    "sit": (0.0, 0.0, "sit"),
}
DRAWN = 1.6


@dataclass(frozen=True)
class ExpertFacts:
    """A network without one expert, -1 = with all: speeds reached [m/s] by speed wanted; turning rates to the
    left and the right [rad/s]; parts of the starts that reach each action; skating [cm/frame] at the slowest
    speed; restarts of the guard; fails: what it can no longer do, in words."""

    expert: int
    speeds: dict[str, float]
    left: float
    right: float
    actions: dict[str, float]
    skating: float
    restarts: int
    fails: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class GateFacts:
    """How much each expert counts in a mode: curves (T, K) over a few cycles, mean (K,); what the animal did:
    speed [m/s], and the gait of most strides or the action of most frames."""

    mode: str
    curves: list[list[float]]
    mean: list[float]
    speed: float
    shows: str


def experts_of(
    network: str | PathLike[str], count: int, starts: int, seed: int, seconds: float, tick: Tick = silent
) -> list[ExpertFacts]:
    """With all experts, then without each of `count`."""
    size = (len(DOG) + 2 + len(KEYS)) * starts
    out: list[ExpertFacts] = []
    for expert in range(-1, count):
        herd = herd_of(network, size, experts_off=() if expert < 0 else (expert,))
        out.append(_without(herd, expert, starts, seed, seconds, tick))
    return [ExpertFacts(**{**vars(one), "fails": fails_of(one, out[0])}) for one in out]


def _without(herd: Herd, expert: int, starts: int, seed: int, seconds: float, tick: Tick) -> ExpertFacts:
    speeds = np.zeros(len(herd))
    turns, actions = np.zeros(len(herd)), np.full(len(herd), -1)
    paces = [*DOG, PACE, PACE]
    speeds[: len(paces) * starts] = np.repeat(paces, starts)
    turns[len(DOG) * starts : len(paces) * starts] = np.repeat([TURN, -TURN], starts)
    codes = [herd.method.actions.index(key) for key in KEYS]
    actions[len(paces) * starts :] = np.repeat(codes, starts)
    rows = orders(len(herd), speed=speeds, turn=turns, action=actions)
    whole = run_of(herd, rows, seed, seconds, tick, whole=True)
    run = whole.after(round(SETTLE * RATE))

    def part(k: int) -> list[int]:
        return list(range(k * starts, (k + 1) * starts))

    reached, turned = run.speeds(), run.turns()
    shown: dict[str, float] = {}
    for k, key in enumerate(KEYS):
        code = ACTIONS.index(key)
        shown[key] = float(np.mean([shows(whole, n, code).any() for n in part(len(paces) + k)]))
    walking = run.toes[part(0)]
    return ExpertFacts(
        expert,
        {f"{speed:g}": float(reached[part(k)].mean()) for k, speed in enumerate(DOG)},
        float(turned[part(len(DOG))].mean()),
        float(-turned[part(len(DOG) + 1)].mean()),
        shown,
        float(skating_of(walking, levels_of(walking)).mean()),
        restarts_of(herd),
    )


def restarts_of(herd: Herd) -> int:
    """How often the guard of a neural herd set one of its animals up again."""
    return int(herd.snapshot().arrays[0]["core"]["restarts"].sum())


def fails_of(one: ExpertFacts, whole: ExpertFacts) -> list[str]:
    """What is gone, compared with the whole network."""
    if one.expert < 0:
        return []
    faults: list[str] = []
    for (speed, reached), gait in zip(one.speeds.items(), DOG.values(), strict=True):
        if reached < GONE * min(whole.speeds[speed], float(speed)):
            faults.append(f"{gait} too slow ({reached:.1f} m/s)")
        elif reached * GONE > max(whole.speeds[speed], float(speed)):
            faults.append(f"{gait} too fast ({reached:.1f} m/s)")
    for side, rate, before in (("left", one.left, whole.left), ("right", one.right, whole.right)):
        if rate < GONE * min(before, TURN):
            faults.append(f"{side} turning fails ({rate:.1f} rad/s)")
    for key, share in one.actions.items():
        if whole.actions[key] > 0 and share < GONE * whole.actions[key]:
            faults.append(f"{key} fails")
    if one.skating > WORSE * whole.skating:
        faults.append(f"skates {one.skating / max(whole.skating, 1e-9):.1f} times as much")
    return faults


def gates_of(network: str | PathLike[str], seconds: float, tick: Tick = silent) -> list[GateFacts]:
    """Figure 9: every mode from standing, after so many seconds of it."""
    herd = herd_of(network, len(MODES))
    speeds, turns, acts = zip(*MODES.values(), strict=True)
    codes = [-1 if act is None else herd.method.actions.index(act) for act in acts]
    rows = orders(len(MODES), speed=speeds, turn=turns, action=codes)
    settle = round(SETTLE * RATE)
    run = ridden(herd, repeated(rows, settle + round(seconds * RATE)), tick=tick).after(settle)
    last, reached = round(DRAWN * RATE), run.speeds()
    return [
        GateFacts(
            mode,
            np.round(run.gates[k, -last:], 3).tolist(),
            run.gates[k].mean(axis=0).tolist(),
            float(reached[k]),
            shown_by(run, k),
        )
        for k, mode in enumerate(MODES)
    ]


def shown_by(run: Run, k: int) -> str:
    """The gait of most strides of a character, or the action of most frames where it moves without any."""
    action = ACTIONS[int(np.bincount(derived(motion_of(run.clip(k)))).argmax())]
    strides = strides_in(run.clip(k))
    return strides.most_common(1)[0][0] if action == "move" and strides else action
