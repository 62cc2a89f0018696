"""Symmetry: whether left and right feet do the same, half a stride apart, in gaits where they should.

Each foot's path about the body, forward and up, is averaged over its own strides; how much a pair differs
is given as a part of the path's own size, at the shift in time at which they fit best: when feet land is for
the phases to judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import LEGS
from hoofbeat.check.limits import VIENNA, symmetrical
from hoofbeat.check.measure import Family, Limit, Measure, Subject, judged
from hoofbeat.check.measures.footfall import strides_of_gait
from hoofbeat.check.motion import Motion
from hoofbeat.check.recognise import Stride

GROUP = "symmetry"
#: Left and right: RMS between the paths of a pair of hooves, as a part of the path's own size [%] (163 of
#: 168 mean strides keep it), and duty (six trials: up to 0.037, timed within 0.02).
PATH_SYMMETRY, DUTY_SYMMETRY = 14.0, 0.06
#: Every measure of the family with its limit.
LIMITS: Mapping[str, Limit] = MappingProxyType(
    {
        "symmetry": Limit(None, PATH_SYMMETRY, f"{VIENNA}, 163 of 168 trials"),
        "symmetry-duty": Limit(None, DUTY_SYMMETRY, f"{VIENNA}, up to 0.037, timed within 0.02"),
    }
)
#: Points of a mean path, and how many of them it may be shifted to fit.
POINTS, SHIFTS = 64, 6
#: Strides that turn by more are left out: outer feet reach farther [rad].
STRAIGHT = 0.26
#: Fewest strides, and how much their times and speeds may differ from the middle one to be steady.
FEWEST, STEADY_TIME, STEADY_SPEED = 3, 0.2, 0.25
#: A foot's stride lasts at most this many times that of the animal.
LONGEST = 1.5

Floats = NDArray[np.float64]


def measures(subject: Subject) -> list[Measure]:
    """Differences of paths and of duties between left and right."""
    motion, gait = subject.motion, subject.gait
    chosen = strides_of_gait(subject.strides, gait)
    steady = _steady([s for s in chosen if abs(_turn(motion, s)) < STRAIGHT])
    if gait is None or not symmetrical(gait) or len(steady) < FEWEST:
        why = "no stride of a gait" if not chosen else f"fewer than {FEWEST} straight and steady strides"
        why = f"left and right differ in a {gait}" if gait and chosen and not symmetrical(gait) else why
        return [judged(name, GROUP, None, "", LIMITS[name], why) for name in LIMITS]
    return [_paths(motion, steady), _duties(steady)]


def _steady(strides: Sequence[Stride]) -> list[Stride]:
    """The strides that are about as long and as fast as most."""
    if not strides:
        return []
    time = float(np.median([s.duration for s in strides]))
    speed = float(np.median([s.speed for s in strides]))
    return [
        s
        for s in strides
        if abs(s.duration - time) <= STEADY_TIME * time and abs(s.speed - speed) <= STEADY_SPEED * abs(speed)
    ]


def _turn(motion: Motion, stride: Stride) -> float:
    part = motion.frames(stride.start, stride.stop)
    return float(motion.heading[part.stop - 1] - motion.heading[part.start])


def _paths(motion: Motion, strides: Sequence[Stride]) -> Measure:
    away = motion.footing - motion.path[:, None]  # (T, 4, 2)
    ahead = (away * motion.forward[:, None]).sum(axis=-1)
    path = ahead + 1j * motion.toes[..., 1]  # (T, 4), forward and up
    mean = [_mean_path(motion, path[:, leg], leg, strides) for leg in range(4)]
    worst, detail = None, "no pair of feet has a whole stride"
    for left, right in ((0, 1), (2, 3)):
        a, b = mean[left], mean[right]
        if a is None or b is None:
            continue
        size = np.sqrt(0.5 * (np.abs(a) ** 2 + np.abs(b) ** 2).mean())
        fits = [np.abs(a - np.roll(b, k)) for k in range(-SHIFTS, SHIFTS + 1)]
        value = 100 * float(min(np.sqrt((f * f).mean()) for f in fits) / max(float(size), 1e-9))
        if worst is None or value > worst:
            worst, detail = value, f"{LEGS[left]} and {LEGS[right]}"
    return judged("symmetry", GROUP, worst, "%", LIMITS["symmetry"], detail)


def _mean_path(
    motion: Motion, path: NDArray[np.complex128], leg: int, strides: Sequence[Stride]
) -> NDArray[np.complex128] | None:
    """Mean path (POINTS,) of a foot over its own strides, the mean subtracted; None without any."""
    down = motion.stances[leg][:, 0]
    down = down[np.isfinite(down)]
    begin, length = down[:-1], np.diff(down)
    start = np.array([s.start for s in strides])
    duration = np.array([s.duration for s in strides])
    n = np.clip(np.searchsorted(start, begin, side="right") - 1, 0, None)
    inside = (begin >= start[n]) & (begin < start[n] + duration[n]) & (length < LONGEST * duration[n])
    if not inside.any():
        return None
    phase = np.arange(POINTS) / POINTS
    times = (begin[inside, None] + length[inside, None] * phase) * motion.fps
    mean = np.interp(times.ravel(), np.arange(len(path)), path).reshape(times.shape).mean(axis=0)
    return mean - mean.mean()


def _duties(strides: Sequence[Stride]) -> Measure:
    duty = np.array([s.duty for s in strides])
    known = [column[np.isfinite(column)] for column in duty.T]
    limit = LIMITS["symmetry-duty"]
    if any(not len(column) for column in known):
        return judged("symmetry-duty", GROUP, None, "of stride", limit, "no whole stance")
    lf, rf, lh, rh = (float(np.median(column)) for column in known)
    differ = {"LF and RF": abs(lf - rf), "LH and RH": abs(lh - rh)}
    worst = max(differ, key=lambda pair: differ[pair])
    return judged("symmetry-duty", GROUP, differ[worst], "of stride", limit, worst)


FAMILY = Family(60, GROUP, LIMITS, measures)
