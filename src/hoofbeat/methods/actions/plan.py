"""Plan of an Action: when each foot is down, where, and how high the body rides.

Found once, from the Action's own poses, by the rules of the thesis (the lowest feet bear the weight, flights
as the file says) widened to whole stances: a foot is planted while its Action draws it backward
under the body. All in float64; tables hold one cycle of SAMPLES rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.pose import world_of
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.maths import quat
from hoofbeat.maths.curves import circular_min, low_pass, quintic
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.maths.types import Row, Rows
from hoofbeat.methods.actions.feet import SETTLED, fill_flat_in_stance
from hoofbeat.methods.actions.tables import ACTION, MAX_FLIGHTS, SAMPLES, SCALES
from hoofbeat.methods.actions.traction import LEVEL, thesis_speed

Floats = NDArray[np.float64]

#: Of a leg's full reach, what the plan uses: the rest is for turns and changes of speed.
REACH = 0.985
#: How much lower than standing the body may ride so that feet reach farther, as a part of leg length:
#: without flights (two feet at least must be down) and with them.
WALKING_CROUCH, CROUCH = 0.08, 0.055
#: A rolling hoof lets the foot pass this much farther back, as a part of leg length.
ROLL = 0.1
#: Heights above the lowest foot at which a foot counts half as carrying [m].
NEAR = 0.03
#: Fraction of the cycle a foot is down in a gait without flight (a real walk: 0.60 to 0.68), at most.
WALKING_DUTY = 0.62
#: Of a stance shorter than the backward draw, the part that lies before the carrying centre.
LEADING = 0.65
#: A planned stance lies at most this far from below the shoulder or hip [m a metre of leg].
OFF_CENTRE = 0.07
#: Smoothing of the body's height over the cycle [cycles].
SMOOTH = 0.16


@dataclass(frozen=True)
class ActionPlan:
    """One Action analysed: its row, toe paths (K, 4, 3) from the root joint, root heights, bounce.

    heights (SCALES, K) [m], for stride scales 0 .. scale_max; bounce (K,) [m/s2], to be multiplied
    by the cycle time squared: the sinking and rising that joins one flight to the next.
    """

    row: NDArray[Any]
    toes: Floats
    heights: Floats
    bounce: Floats


@dataclass(frozen=True)
class PlannedPace:
    """The band an Action is used in: cycle times (slow, fast) [s], speeds (low, high) [m/s], see Scene."""

    durations: tuple[float, float]
    speeds: tuple[float, float]
    power: float
    widen: float


def make_plan(
    skeleton: Skeleton,
    legs: Rows,
    rotations: Floats,
    flights: Floats,
    pace: PlannedPace | None,
    rest: Floats | None = None,
    cycle: float = 1.0,
) -> ActionPlan:
    """Plan of the poses `rotations` (K, J, 4); flights (F, 2) length and start; no pace: it stands.

    rest (4, 2): where the feet stand, which a stride that narrows to nothing comes down to;
    cycle [s]: how long a standing Action lasts.
    """
    positions, world = world_of(skeleton, rotations, np.zeros((SAMPLES, 3)))
    toes = positions[:, legs["toe"]]
    row = np.zeros((), ACTION)
    if pace is None:
        _stand(row, toes, cycle)
    else:
        _move(row, legs, positions, toes, flights, pace)
    row["rest"] = row["place"] if rest is None else rest
    hooves = world[:, np.where(legs["pastern"] < 0, legs["low"], legs["pastern"])]
    heights = np.stack(
        [_heights(row, legs, positions[:, legs["top"]], hooves, scale) for scale in _scales(row)]
    )
    return ActionPlan(row, toes, heights, _bounce(row))


def _scales(row: NDArray[Any]) -> Floats:
    return np.linspace(0, float(row["scale_max"]), SCALES)


def _stand(row: NDArray[Any], toes: Floats, cycle: float) -> None:
    row["duration"], row["speed"], row["power"] = (cycle, cycle), (0, 0), 1
    row["stride"], row["scale_max"], row["grounded"] = 1e-6, 1, 1
    row["duty"], row["travel"] = 1, 1
    row["place"] = toes.mean(axis=0)[:, [0, 2]]


def _move(
    row: NDArray[Any], legs: Rows, positions: Floats, toes: Floats, flights: Floats, pace: PlannedPace
) -> None:
    row["duration"], row["speed"], row["power"] = pace.durations, pace.speeds, pace.power
    row["scale_max"] = pace.widen
    flown = flights[flights[:, 0] > 0]
    strides = [thesis_speed(toes, flown, d) * d for d in pace.durations]
    row["stride"] = max(float(np.mean(strides)), 1e-3)
    air = _air(flown)
    lengths = legs["reach"].astype(float)
    # The fastest stride of the band decides how long a foot can stay down within the leg's reach.
    used = np.max(np.multiply(pace.speeds, pace.durations))
    crouch = CROUCH if len(flown) else WALKING_CROUCH
    travels = [_travel(legs[leg], lengths[leg], crouch) for leg in range(4)]
    stances = [_stance(toes, k, air, travels[k] / used if len(flown) else WALKING_DUTY) for k in range(4)]
    _close_gaps(stances, flown)
    for leg, (travel, (begin, end, *_)) in enumerate(zip(travels, stances, strict=True)):
        row["centre"][leg] = (begin + end) / 2 % 1
        row["duty"][leg] = end - begin
        row["travel"][leg] = travel
        row["place"][leg] = _place(legs[leg], positions, toes[:, leg], begin, end)
    _set_flights(row, flown)


def _air(flown: Floats) -> NDArray[np.bool_]:
    """(K,) True where the file says the body is in the air."""
    phase = np.arange(SAMPLES) / SAMPLES
    air = np.zeros(SAMPLES, bool)
    for length, start in flown:
        air |= (phase - start) % 1 < length
    return air


def _travel(leg: Row, length: float, crouch: float) -> float:
    """How far [m] a planted toe can pass under its shoulder or hip with the body lowered a little."""
    rest = np.asarray(leg["to_mid"], float) + leg["to_low"] + leg["to_end"]
    upright = -rest[1] - crouch * length
    half = np.sqrt(max((REACH * length) ** 2 - upright**2, (0.1 * length) ** 2))
    return float(2 * half + ROLL * length)


def _stance(toes: Floats, leg: int, air: NDArray[np.bool_], most: float) -> list[float]:
    """Phases of one leg's stance, the backward draw about where it bears weight: begin, end, and the
    earliest begin and latest end that the draw would allow."""
    ahead = toes[:, leg, 2]
    slope = np.roll(ahead, -1) - np.roll(ahead, 1)
    above = toes[:, leg, 1] - toes[:, :, 1].min(axis=1)
    carries = np.where(air | (slope >= 0), 0, np.exp(-np.maximum(above - LEVEL, 0) / NEAR))
    phase = np.arange(SAMPLES) / SAMPLES
    if carries.sum() == 0:  # a leg that never pushes: it stands where its Action has it lowest
        centre = phase[np.argmin(above)]
        return [centre - 0.1, centre + 0.1] * 2
    spin = np.sum(carries * np.exp(2j * np.pi * phase))
    centre = float(np.angle(spin) / (2 * np.pi) % 1)
    middle = round(centre * SAMPLES) % SAMPLES
    back = (slope < 0) & ~air
    if not air.any():  # no flight bounds the stance: it lies evenly about where the foot bears weight
        return [centre - most / 2, centre + most / 2] * 2
    first, last = _run(back, middle, -1), _run(back, middle, 1)
    earliest, latest = centre - first / SAMPLES, centre + last / SAMPLES
    length = min(latest - earliest, most)
    begin = min(max(earliest, centre - LEADING * length), latest - length)
    return [begin, begin + length, earliest, latest]


def _close_gaps(stances: list[list[float]], flown: Floats) -> None:
    """Between flights some foot is down: where one is up before the next is down, draw them together."""
    for length, start in flown:
        landing = start + length
        order = sorted(range(4), key=lambda k: (stances[k][0] - landing + 0.02) % 1)
        for before, after in pairwise(order):
            gap = (stances[after][0] - stances[before][1] + 0.5) % 1 - 0.5
            apart = (stances[after][0] - landing) % 1 - (stances[before][0] - landing) % 1
            if gap <= 0 or apart > 0.5 or any((f - stances[before][1]) % 1 < gap for _, f in flown):
                continue
            earlier = min(gap, stances[after][0] - stances[after][2])
            later = min(gap - earlier, stances[before][3] - stances[before][1])
            for bound in (0, 1):
                stances[after][bound] -= earlier
                stances[before][bound] += later


def _run(mask: NDArray[np.bool_], start: int, step: int) -> int:
    """Samples from `start` over which the mask stays True, forward (step 1) or back (step -1)."""
    count = 0
    while count < SAMPLES // 2 and mask[(start + step * (count + 1)) % SAMPLES]:
        count += 1
    return count


def _place(leg: Row, positions: Floats, toe: Floats, begin: float, end: float) -> tuple[float, float]:
    """Toe at mid-stance (sideways, ahead): the Action's own, kept near to below the shoulder or hip."""
    inside = (np.arange(SAMPLES) / SAMPLES - begin) % 1 <= end - begin
    rest = np.asarray(leg["to_mid"], float) + leg["to_low"] + leg["to_end"] + leg["to_toe"]
    below = positions[inside, leg["top"], 2].mean() + rest[2]
    most = OFF_CENTRE * float(leg["reach"])
    return float(toe[inside, 0].mean()), float(below + np.clip(toe[inside, 2].mean() - below, -most, most))


def _set_flights(row: NDArray[Any], flown: Floats) -> None:
    """Each flight lasts its window and then until the first foot of the plan comes down (R6)."""
    count = min(len(flown), MAX_FLIGHTS)
    row["flights"], row["grounded"] = count, 1
    landings = row["centre"] - row["duty"] / 2
    for k, (length, start) in enumerate(sorted(flown[:count].tolist(), key=lambda f: f[1])):
        wait = ((landings - start - length + 0.02) % 1 - 0.02).min()
        row["start"][k], row["stop"][k] = start, start + length + max(float(wait), 0)
        row["grounded"] -= row["stop"][k] - start


def _heights(row: NDArray[Any], legs: Rows, tops: Floats, hooves: Floats, scale: float) -> Floats:
    """Height of the root joint (K,) [m] at which every planted foot is within reach, smooth."""
    phase = np.arange(SAMPLES) / SAMPLES
    ceiling = np.full(SAMPLES, np.inf)
    for k in range(4):
        leg, reach = legs[k], REACH * float(legs[k]["reach"])
        place = row["rest"][k] + (row["place"][k] - row["rest"][k]) * quintic(scale / SETTLED)
        stride = scale * float(row["stride"])
        duty = min(float(row["duty"][k]), float(row["travel"][k]) / max(stride, 1e-9))
        since = (phase - row["centre"][k] + 0.5) % 1 - 0.5
        down = np.abs(since) <= duty / 2 + 0.5 / SAMPLES
        u = np.clip(since / duty + 0.5, 0, 1)
        flat = np.ones(SAMPLES)
        if duty < 1:
            fill_flat_in_stance(u, flat)
        flat = flat[:, None]
        turn = quat.normalize(quat.canonical(hooves[:, k]) * (1 - flat) + quat.identity() * flat)
        end = -quat.rotate(turn, np.asarray(leg["to_toe"], float))
        end += np.stack([np.full(SAMPLES, place[0]), np.zeros(SAMPLES), place[1] - stride * since], 1)
        across = np.sum((end - tops[:, k])[:, [0, 2]] ** 2, axis=1)
        highest = end[:, 1] + np.sqrt(np.maximum(reach**2 - across, 0)) - tops[:, k, 1]
        ceiling = np.minimum(ceiling, np.where(down, highest, np.inf))
    known = np.isfinite(ceiling)
    if not known.any():
        return np.full(SAMPLES, 1.0)
    filled = np.interp(np.arange(SAMPLES), np.flatnonzero(known), ceiling[known], period=SAMPLES)
    # The least over a window, smoothed by a bell that fits inside it, stays below the ceiling.
    return low_pass(circular_min(filled, SMOOTH), SMOOTH / 2)


def _bounce(row: NDArray[Any]) -> Floats:
    """Vertical motion while grounded that meets both flights with their own velocity (K,) [m/s2].

    In the air the body rises and falls as g allows; on the ground a cubic joins landing to take-off.
    Times the cycle time squared it is a height; in flights and without flights it is zero.
    """
    bounce = np.zeros(SAMPLES)
    phase = np.arange(SAMPLES) / SAMPLES
    count = int(row["flights"])
    for k in range(count):
        landing, length = float(row["stop"][k]), float(row["stop"][k] - row["start"][k])
        following = (k + 1) % count
        takeoff = float(row["start"][following])
        span = (takeoff - landing) % 1
        after = float(row["stop"][following]) - takeoff
        u = ((phase - landing) % 1) / span
        down, up = -GRAVITY * length / 2, GRAVITY * after / 2
        curve = span * ((u**3 - 2 * u**2 + u) * down + (u**3 - u**2) * up)
        bounce += np.where(u < 1, curve, 0)
    return bounce
