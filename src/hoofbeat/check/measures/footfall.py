"""Footfall: whether the feet land in the order, at the times and for as long as the gait has it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import LEGS
from hoofbeat.check.expected import NO_GAIT
from hoofbeat.check.limits import (
    LIMITS,
    ONE_BEAT,
    SHORT_FLIGHT,
    beats_limit,
    duty_limit,
    family,
    gait_table,
    phase_limit,
    suspensions_limit,
    symmetrical,
)
from hoofbeat.check.measure import Limit, Measure, judged
from hoofbeat.check.motion import Motion
from hoofbeat.check.recognise import Stride, apart
from hoofbeat.gaits.gait import TOGETHER, Gait
from hoofbeat.maths.physics import GRAVITY

GROUP = "footfall"
#: Feet that land together by the table may do so this far apart, either first, and keep the order [strides].
EITHER_FIRST = 0.25

Floats = NDArray[np.float64]


def strides_of_gait(strides: Sequence[Stride], gait: str | None) -> list[Stride]:
    """The strides of a gait; where there are none, all that move, so that they are held against it."""
    if gait is None:
        return []
    return [s for s in strides if s.gait == gait] or moving(strides)


def mean_speed(strides: Sequence[Stride]) -> float:
    """Mean forward speed of some strides [m/s], weighted by their time."""
    return float(np.average([s.speed for s in strides], weights=[s.duration for s in strides]))


def moving(strides: Sequence[Stride]) -> list[Stride]:
    """The strides that are part of a gait, or should be."""
    return [s for s in strides if s.gait not in ("stand", "jump")]


def measures(
    motion: Motion, strides: Sequence[Stride], gait: str | None, expected: Sequence[str] = ()
) -> list[Measure]:
    """Gait, order, beats, phases, duties and suspensions against the table of a gait.

    gait: the one to compare with, of recognise.NAMES; expected: the gaits that were asked for, any of
    them; where none was, every stride that shows a gait counts for `gait`.
    """
    rows = [_share(strides, expected)]
    name = gait or next(iter(expected), None)
    table = gait_table(name)
    chosen = strides_of_gait(strides, name)
    if table is None or not chosen:
        why = "no stride of a gait" if not chosen else f"{name} has no footfall to compare with"
        return rows + [judged(n, GROUP, None, "", LIMITS[n], why) for n in _NAMES]
    touchdown = np.array([s.touchdown for s in chosen])  # (S, 4)
    duty = np.array([s.duty for s in chosen])
    mean = _mean_phase(touchdown)
    rows += [_order(touchdown, chosen, table), _beats(mean, table)]
    rows += [_phase(mean, table, leg) for leg in LEGS if leg != "LH"]
    limit = duty_limit(table, mean_speed(chosen) ** 2 / (GRAVITY * motion.hip))
    rows += [_duty(duty[:, k], limit, leg) for k, leg in enumerate(LEGS)]
    return rows + _suspensions(motion, chosen, table)


_NAMES = (
    "order",
    "beats",
    *(f"phase-{leg}" for leg in LEGS if leg != "LH"),
    *(f"duty-{leg}" for leg in LEGS),
    "suspensions",
    "suspension-place",
)


def _share(strides: Sequence[Stride], expected: Sequence[str]) -> Measure:
    found = moving(strides)
    limit = LIMITS["gait"]
    if not found:
        return judged("gait", GROUP, None, "of strides", limit, "no stride")
    good = [s for s in found if (s.gait in expected if expected else s.gait not in NO_GAIT)]
    counts: dict[str, int] = {}
    for stride in found:
        counts[stride.gait] = counts.get(stride.gait, 0) + 1
    most = sorted(counts, key=lambda name: -counts[name])
    told = ", ".join(f"{name} {counts[name]}" for name in most)
    return judged("gait", GROUP, len(good) / len(found), "of strides", limit, told)


def _order(touchdown: Floats, strides: Sequence[Stride], gait: Gait) -> Measure:
    """Share of strides in which the feet, in the order of the gait, go round the stride once."""
    table = np.array(gait.touchdown)
    turn = np.argsort(np.where(table > 1 - TOGETHER, table - 1, table), kind="stable")
    following = np.roll(turn, -1)
    together = np.abs(_apart(table[following] - table[turn])) <= TOGETHER
    slack = np.where(together, EITHER_FIRST, TOGETHER)
    steps = (touchdown[:, following] - touchdown[:, turn] + slack) % 1.0 - slack  # (S, 4)
    rounds = 0.0 if together.all() else 1.0  # all four at once come from nowhere to nowhere
    good = np.abs(steps.sum(axis=1) - rounds) < 0.5
    whole = np.isfinite(steps).all(axis=1)
    if not whole.any():
        return judged("order", GROUP, None, "of strides", LIMITS["order"], "no stride in which all feet land")
    wrong = np.flatnonzero(whole & ~good)
    told = f"should be {_words(gait)}"
    if len(wrong):
        first = strides[int(wrong[0])]
        seen = sorted(zip(first.touchdown, LEGS, strict=True))
        told += f"; at {first.start:.2f} s: {', '.join(leg for _, leg in seen)}"
    return judged("order", GROUP, float(good[whole].mean()), "of strides", LIMITS["order"], told)


def _words(gait: Gait) -> str:
    """The order of a gait in words, feet that land together joined."""
    late = {leg: t - 1 if t > 1 - TOGETHER else t for leg, t in zip(LEGS, gait.touchdown, strict=True)}
    out: list[str] = []
    last = -math.inf
    for leg in sorted(late, key=lambda name: late[name]):
        out += [leg] if late[leg] - last > TOGETHER else [f"{out.pop()}+{leg}"]
        last = late[leg]
    return ", ".join(out)


def _beats(mean: Floats, gait: Gait) -> Measure:
    limit = beats_limit(gait)
    if not np.isfinite(mean).all():
        return judged("beats", GROUP, None, "", limit, "a foot never lands")
    times = np.sort(mean)
    gaps = np.diff(np.append(times, times[0] + 1.0))
    return judged("beats", GROUP, float((gaps > ONE_BEAT).sum()), "", limit)


def _phase(mean: Floats, gait: Gait, leg: str) -> Measure:
    limit = phase_limit(gait, leg)
    found = mean[LEGS.index(leg)]
    if not math.isfinite(found):
        return judged(f"phase-{leg}", GROUP, None, "strides", limit, f"{leg} never lands")
    middle = gait.touchdown[LEGS.index(leg)]
    off = float(apart(found - middle))
    told = "" if limit.keeps(middle + off) else f"{abs(off):.2f} of a stride {'late' if off > 0 else 'early'}"
    return judged(f"phase-{leg}", GROUP, middle + off, "strides", limit, told)


def _duty(duty: Floats, limit: Limit, leg: str) -> Measure:
    known = duty[np.isfinite(duty)]
    if not len(known):
        return judged(f"duty-{leg}", GROUP, None, "of stride", limit, "no whole stance")
    return judged(f"duty-{leg}", GROUP, float(np.median(known)), "of stride", limit)


def _suspensions(motion: Motion, strides: Sequence[Stride], gait: Gait) -> list[Measure]:
    limit, place = suspensions_limit(gait), LIMITS["suspension-place"]
    begin, end = flights_of(motion)
    start = np.array([s.start for s in strides])
    stop = np.array([s.stop for s in strides])
    long = SHORT_FLIGHT * float(np.median(stop - start))
    middle = 0.5 * (begin + end)
    inside = (np.searchsorted(start, middle, side="right") > np.searchsorted(stop, middle, side="right")) & (
        end - begin > long
    )
    begin, end = begin[inside], end[inside]
    rows = [judged("suspensions", GROUP, len(begin) / len(strides), "a stride", limit)]
    if symmetrical(gait.name):
        return rows
    if not len(begin):
        told = "it never leaves the ground"
        return [*rows, judged("suspension-place", GROUP, None, "of flight", place, told)]
    gathered = _last_up(motion, begin) < 2  # after a fore
    share = float((end - begin)[gathered].sum() / (end - begin).sum())
    told = "" if place.keeps(share) else "it flies stretched, between hind and fore"
    row = judged("suspension-place", GROUP, share, "of flight", place, told)
    if family(gait.name) == "rotary-gallop":  # stretched flights belong to it
        row = Measure(row.name, GROUP, row.value, row.unit, row.limit, None, row.detail)
    return [*rows, row]


def flights_of(motion: Motion) -> tuple[Floats, Floats]:
    """Take-off and landing (M,) [s] of every time that all feet are up, between frames."""
    stances = np.concatenate(motion.stances)
    if not len(stances):
        return np.zeros(0), np.zeros(0)
    stances = stances[np.argsort(stances[:, 0], kind="stable")]
    up = np.maximum.accumulate(stances[:, 1])[:-1]
    down = stances[1:, 0]
    gap = down > up
    return up[gap], down[gap]


def _last_up(motion: Motion, times: Floats) -> NDArray[np.int64]:
    """The leg (M,) that leaves the ground at each of some take-offs."""
    away = np.stack([np.abs(s[:, 1, None] - times).min(axis=0, initial=np.inf) for s in motion.stances])
    return np.argmin(away, axis=0)


def _mean_phase(touchdown: Floats) -> Floats:
    """Mean (4,) of phases (S, 4), taken round the circle; NaN for a leg that never landed."""
    known = np.isfinite(touchdown)
    total = np.exp(2j * math.pi * np.where(known, touchdown, 0.0)) * known
    mean = np.angle(total.sum(axis=0)) / (2 * math.pi) % 1.0
    return np.where(known.any(axis=0), mean, np.nan)


def _apart(phases: Floats) -> Floats:
    """Differences of phases, in [-0.5, 0.5) of a stride."""
    return (phases + 0.5) % 1.0 - 0.5
