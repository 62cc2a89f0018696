"""Footfall: whether the feet land in the order, at the times and for as long as the gait has it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import LEGS
from hoofbeat.check.activity import IDLE, jumps_of, states_of
from hoofbeat.check.limits import DOG, POWER_LAWS, TABLE, gait_table, source_of, symmetrical
from hoofbeat.check.measure import Family, Limit, Measure, Subject, judged
from hoofbeat.check.motion import Motion
from hoofbeat.check.recognise import Stride
from hoofbeat.gaits.footfall import mean_phase
from hoofbeat.gaits.gait import TOGETHER, Gait, family_of
from hoofbeat.gaits.names import NO_GAIT, PACING_WALK
from hoofbeat.maths.curves import phase_differences
from hoofbeat.maths.physics import GRAVITY

GROUP = "footfall"
#: Feet whose touchdowns are nearer than this sound as one: diagonal hooves of 85 trials at trot land up to
#: 0.074 of a stride apart [strides].
ONE_BEAT = 0.08
#: How far a touchdown may lie from the table's [strides]: fore hooves lie within 0.075 of it in 168 of 169
#: trials (one has its sides exchanged), right hind hooves at walk and trot within 0.027; the dog keeps both
#: in 17 of 18 straight stretches.
PHASE, PHASE_RH = 0.08, 0.06
#: How far a duty may lie outside the table's range: Vienna trials do by up to 0.06 (fore, trot), the dog by
#: up to 0.07 (rack). In slow walks feet stand longer, as long as the law of duties says.
DUTY = 0.07
#: Least duty of a walk.
WALKING = 0.5
#: Times a stride with all feet in the air, fewest and most. Slow trots of real horses have nearly none (at
#: most 8 % of the stride in 85 trials); the rotary gallop of a dog has up to three, two of them short.
SUSPENSIONS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "walk": (0.0, 0.1),
        "pacing-walk": (0.0, 0.1),
        "amble": (0.0, 0.2),
        "trot": (0.0, 2.2),
        "rack": (0.0, 2.2),
        "canter": (0.5, 1.3),
        "gallop": (0.5, 1.5),
        "rotary-gallop": (0.5, 3.3),
    }
)
#: A flight shorter than this is within the error of timing [strides].
SHORT_FLIGHT = 0.02
#: Every measure of the family with its limit.
LIMITS: Mapping[str, Limit] = MappingProxyType(
    {
        "gait": Limit(0.8, None, f"steady stretches of the {DOG}: 9 of 10 strides alike"),
        "order": Limit(0.9, None, TABLE),
        "beats": Limit(None, None, TABLE),
        **{f"phase-{leg}": Limit(None, None, TABLE) for leg in LEGS if leg != "LH"},
        **{f"duty-{leg}": Limit(None, None, TABLE) for leg in LEGS},
        "suspensions": Limit(None, None, TABLE),
        "suspension-place": Limit(0.7, None, "after the leading fore (Witte et al. 2006; Muybridge)"),
    }
)
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


def measures(subject: Subject) -> list[Measure]:
    """Gait, order, beats, phases, duties and suspensions against the table of a gait."""
    motion, strides = subject.motion, subject.strides
    rows = [_gait(subject)]
    name = subject.gait or next(iter(subject.expected), None)
    table = gait_table(name)
    chosen = strides_of_gait(strides, name)
    if table is None or not chosen:
        why = "no stride of a gait" if not chosen else f"{name} has no footfall to compare with"
        return rows + [judged(n, GROUP, None, "", LIMITS[n], why) for n in LIMITS if n != "gait"]
    touchdown = np.array([s.touchdown for s in chosen])  # (S, 4)
    duty = np.array([s.duty for s in chosen])
    mean = mean_phase(touchdown)
    rows += [_order(touchdown, chosen, table), _beats(mean, table)]
    rows += [_phase(mean, table, leg) for leg in LEGS if leg != "LH"]
    limit = duty_limit(table, mean_speed(chosen) ** 2 / (GRAVITY * motion.hip))
    rows += [_duty(duty[:, k], limit, leg) for k, leg in enumerate(LEGS)]
    return rows + _suspensions(motion, chosen, table)


def phase_limit(gait: Gait, leg: str) -> Limit:
    """Touchdown of a leg after the left hind; it may lie below 0 or above 1 [strides]."""
    middle = gait.touchdown[LEGS.index(leg)]
    reach = PHASE_RH if leg == "RH" and symmetrical(gait.name) else PHASE
    return Limit(middle - reach, middle + reach, source_of(gait))


def duty_limit(gait: Gait, froude: float) -> Limit:
    """Part of the stride that any foot stands, at a Froude number."""
    low, high = gait.duty
    if low >= WALKING and froude > 0:
        (a, b), *_ = POWER_LAWS["symmetrical"]
        high = max(high, min(a * froude**b, 1.0))
    return Limit(low - DUTY, high + DUTY, source_of(gait))


def beats_limit(gait: Gait) -> Limit:
    """Beats of a stride. The lateral couplets of a pacing walk may sound as two or as four."""
    return Limit(2 if gait.name == PACING_WALK else gait.beats, gait.beats, source_of(gait))


def suspensions_limit(gait: Gait) -> Limit:
    """Times a stride with all feet in the air."""
    usual = (gait.suspensions - 0.5, gait.suspensions + 0.3)
    return Limit(*SUSPENSIONS.get(family_of(gait.name), usual), source_of(gait))


def _gait(subject: Subject) -> Measure:
    """Strides that show the gait; where strides cannot say, frames that stand still, or jumps."""
    motion, expected, limit = subject.motion, tuple(subject.expected), LIMITS["gait"]
    if expected == ("stand",):
        still = float((states_of(motion) == IDLE).mean())
        return judged("gait", GROUP, still, "of frames", limit, "frames in which it stands still")
    if expected == ("jump",):
        count = len(jumps_of(motion))
        return judged("gait", GROUP, float(min(count, 1)), "", limit, f"{count} jumps")
    row = _share(subject.strides, expected)
    if expected and row.value is None:
        return replace(judged("gait", GROUP, 0.0, "of strides", limit), detail="no stride of a gait")
    return row


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
    detail = ", ".join(f"{name} {counts[name]}" for name in most)
    return judged("gait", GROUP, len(good) / len(found), "of strides", limit, detail)


def _order(touchdown: Floats, strides: Sequence[Stride], gait: Gait) -> Measure:
    """Share of strides in which the feet, in the order of the gait, go round the stride once."""
    table = np.array(gait.touchdown)
    turn = np.argsort(np.where(table > 1 - TOGETHER, table - 1, table), kind="stable")
    following = np.roll(turn, -1)
    together = np.abs(phase_differences(table[following], table[turn])) <= TOGETHER
    slack = np.where(together, EITHER_FIRST, TOGETHER)
    steps = (touchdown[:, following] - touchdown[:, turn] + slack) % 1.0 - slack  # (S, 4)
    rounds = 0.0 if together.all() else 1.0  # all four at once come from nowhere to nowhere
    good = np.abs(steps.sum(axis=1) - rounds) < 0.5
    whole = np.isfinite(steps).all(axis=1)
    if not whole.any():
        return judged("order", GROUP, None, "of strides", LIMITS["order"], "no stride in which all feet land")
    wrong = np.flatnonzero(whole & ~good)
    detail = f"should be {_words(gait)}"
    if len(wrong):
        first = strides[int(wrong[0])]
        landed = sorted(zip(first.touchdown, LEGS, strict=True))
        detail += f"; at {first.start:.2f} s: {', '.join(leg for _, leg in landed)}"
    return judged("order", GROUP, float(good[whole].mean()), "of strides", LIMITS["order"], detail)


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
    off = float(phase_differences(found, middle))
    detail = (
        "" if limit.keeps(middle + off) else f"{abs(off):.2f} of a stride {'late' if off > 0 else 'early'}"
    )
    return judged(f"phase-{leg}", GROUP, middle + off, "strides", limit, detail)


def _duty(duty: Floats, limit: Limit, leg: str) -> Measure:
    known = duty[np.isfinite(duty)]
    if not len(known):
        return judged(f"duty-{leg}", GROUP, None, "of stride", limit, "no whole stance")
    return judged(f"duty-{leg}", GROUP, float(np.median(known)), "of stride", limit)


def _suspensions(motion: Motion, strides: Sequence[Stride], gait: Gait) -> list[Measure]:
    limit, place = suspensions_limit(gait), LIMITS["suspension-place"]
    begin, end = measured_flights(motion)
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
        detail = "it never leaves the ground"
        return [*rows, judged("suspension-place", GROUP, None, "of flight", place, detail)]
    gathered = _last_up(motion, begin) < 2  # after a fore
    share = float((end - begin)[gathered].sum() / (end - begin).sum())
    detail = "" if place.keeps(share) else "it flies stretched, between hind and fore"
    row = judged("suspension-place", GROUP, share, "of flight", place, detail)
    if family_of(gait.name) == "rotary-gallop":  # stretched flights belong to it
        row = Measure(row.name, GROUP, row.value, row.unit, row.limit, None, row.detail)
    return [*rows, row]


def measured_flights(motion: Motion) -> tuple[Floats, Floats]:
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


FAMILY = Family(20, GROUP, LIMITS, measures)
