"""Limb: one fore and one hind limb over a cycle, measured as the Curve Modifier does (M4, M5; a kernel).

A limb is a chain of bones in the sagittal plane. Its base cycle gives every joint's angle and how its first
joint is carried; an adjuster adds to the angles, at a Froude number. Forward kinematics gives the toe's
path; where the toe is down gives the duty factor, and how far it goes forward and backward the limb's
extent. Lengths are in hip heights, angles in radians, times in cycles since the base cycle lands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hoofbeat.formats.adjusterfile import BONES, Adjuster
from hoofbeat.maths.expressions.machine import MAX_STACK, run_program, settled
from hoofbeat.maths.expressions.program import Programs, pack
from hoofbeat.maths.jit import kernel
from hoofbeat.methods.froude.model.similarity import LAWS, LONGEST_STANCE, Laws, predict

Floats = NDArray[np.float64]

#: Stages of a standard cycle (section 6.1).
STAGES = 100
#: Joints of a limb; a hind limb has no scapula and its first bone has no length.
JOINTS = ("scapula", "top", "mid", "low", "fetlock", "hoof")
SCAPULA, TOP, MID, LOW, FETLOCK, HOOF = range(6)
#: How a limb's first joint is carried: pitch [rad], height and way ahead [hip heights].
CARRIAGE = ("pitch", "height", "ahead")
#: A toe no higher than this is down [hip heights]: the curves are smooth, the ground is not.
CLEAR = 0.005
#: Columns of `measure`. duty: the longest time the toe is down; touchdown: when that begins; extent:
#: between the toe's farthest places ahead and behind [hip heights]; scuff: other times it is down; effort:
#: root mean square of what the adjuster adds [rad]; strain: mean by which joints leave their range [rad];
#: reach: from where the toe lands back to where it leaves; sink: mean by which a toe that is down is deeper
#: than SOFT; lift: the most that it is over the ground; hover: the most in the middle of its stance, where
#: a toe that only just is down would be in the air at the next Froude number [hip heights].
MEASURES = ("duty", "touchdown", "extent", "scuff", "effort", "strain", "reach", "sink", "lift", "hover")
DUTY, TOUCHDOWN, EXTENT, SCUFF, EFFORT, STRAIN, REACH, SINK, LIFT, HOVER = range(10)
#: What these cost beside errors of duty and extent: scuffing, effort, strain, sinking, lifting too little,
#: landing much earlier or later than in the base cycle, a stance much longer or shorter than asked for, and
#: a toe that hovers.
SCUFF_COST, EFFORT_COST, STRAIN_COST, SINK_COST = 0.5, 0.01, 0.2, 0.1
LIFT_COST, SHIFT_COST, REACH_COST, HOVER_COST = 1.0, 0.05, 0.3, 2.0
#: How deep a toe may be for nothing, and how high it has to swing at least [hip heights]: the leg solver
#: takes up the first without being seen; a horse that lifts less than the second stumbles.
SOFT, LEAST_LIFT = 0.02, 0.03
#: How far a landing may move for nothing [cycles].
STEADY = 0.05
#: The middle of a stance, as parts of it: before and after a toe comes down and rises.
MIDDLE = (0.15, 0.85)
#: A score is at most this: for programs that throw the limb about.
WORST = 10.0
#: Which joint each program of an adjuster turns: (limb, joint) of BONES. The hock follows the stifle.
_ROLES = {"scapula": SCAPULA, "shoulder": TOP, "elbow": MID, "carpus": LOW, "fetlock": FETLOCK}
_ROLES |= {"hip": TOP, "stifle": MID}
PLACES = np.array([[int(limb == "hind"), _ROLES[bone]] for limb, bone in BONES])


@dataclass(frozen=True)
class Limbs:
    """The fore and the hind limb of one gait; all float64.

    bones (2, 6, 2): from each joint to the next, the last to the toe, at rest: up, ahead [hip heights];
    angles (2, 6, S) [rad] of the base cycle; carriage (2, 3, S), see CARRIAGE; ranges (2, 6, 2): least and
    most angle of each joint [rad]; stance (2,): how far the base cycle's feet go under the body, and extent
    (2,), how far they go in all: a foot swings beyond where it lands and leaves [hip heights].
    """

    gait: str
    bones: Floats
    angles: Floats
    carriage: Floats
    ranges: Floats
    stance: Floats
    extent: Floats


@dataclass(frozen=True)
class Wanted:
    """What similarity asks of a gait's limbs at F Froude numbers.

    froude (F,); duty (F, 2) and extent (F, 2) [hip heights] of fore and hind; lowered (F,) [hip heights]: how
    far the body comes down, against the base cycle, for legs that reach that far; reach (F, 2) [hip heights]:
    how far a foot goes under the body.
    """

    froude: Floats
    duty: Floats
    extent: Floats
    lowered: Floats
    reach: Floats


def wanted_of(limbs: Limbs, froude: ArrayLike, laws: Mapping[str, Laws] = LAWS) -> Wanted:
    """What the laws ask at Froude numbers (F,), stances kept to what legs can do."""
    fr = np.atleast_1d(np.asarray(froude, np.float64))
    told = predict(fr, limbs.gait, 1.0, laws=laws)
    stance = np.stack([told.stance_fore, told.stance_hind], axis=1)
    longest = np.minimum(stance, LONGEST_STANCE)
    return Wanted(
        fr,
        np.stack([told.duty_fore, told.duty_hind], axis=1),
        longest * limbs.extent / limbs.stance,
        lowering(limbs, longest),
        longest,
    )


def lowering(limbs: Limbs, stance: Floats) -> Floats:
    """How much lower than in the base cycle [hip heights] the body is for stances (F, 2) [hip heights].

    A strut of length 1 that swings by E/2 to either side ends about E²/8 lower than upright.
    """
    return np.maximum(((stance**2 - limbs.stance**2) / 8).max(axis=1) - SPARE, 0.0)


#: The base cycles are made with a body this much lower than their legs need [hip heights].
SPARE = 0.03


@kernel
def _toe(limb: Any, stage: Any, bones: Any, carriage: Any, lowered: Any, angles: Any) -> Any:
    """Height and way ahead of the toe [hip heights], joints turned by angles (6,)."""
    turn = carriage[limb, 0, stage]
    y, z = carriage[limb, 1, stage] - lowered, carriage[limb, 2, stage]
    for j in range(6):
        turn += angles[j]
        c, s = np.cos(turn), np.sin(turn)
        up, ahead = bones[limb, j, 0], bones[limb, j, 1]
        # About the leftward axis a positive turn swings a hanging bone backward.
        y += c * up - s * ahead
        z += s * up + c * ahead
    return y, z


@kernel
def _contact(height: Any, ground: Any) -> Any:
    """Longest time down and when it begins, and the sum of all others, of a toe's heights (S,), a cycle."""
    count = height.shape[0]
    first = -1
    for n in range(count):
        if height[n] > ground:
            first = n
            break
    if first < 0:
        return 1.0, 0.0, 0.0
    best = start = total = 0.0
    begun = -1.0
    for n in range(first, first + count + 1):
        a, b = height[n % count], height[(n + 1) % count]
        if a > ground and b <= ground:
            begun = n + (a - ground) / (a - b)
        elif a <= ground and b > ground and begun >= 0.0:
            lasts = n + (ground - a) / (b - a) - begun
            total += lasts
            if lasts > best:
                best, start = lasts, begun
            begun = -1.0
    return best / count, (start / count) % 1.0, (total - best) / count


@kernel
def _stance(height: Any, way: Any, start: Any, duty: Any) -> Any:
    """How far back the toe goes from where it lands to where it leaves, how deep it is while down, and how
    high it comes in the middle of that."""
    count = height.shape[0]
    deep = high = 0.0
    down = 0
    for n in range(count):
        if height[n] <= CLEAR:
            down += 1
            deep += max(-height[n] - SOFT, 0.0)
        since = (n / count - start) % 1.0
        if MIDDLE[0] * duty < since < MIDDLE[1] * duty:
            high = max(high, height[n])
    ends = 0.0
    for side in range(2):
        at = count * (start + side * duty)
        n = int(np.floor(at))
        a, b = way[n % count], way[(n + 1) % count]
        ends += (1 - 2 * side) * (a + (b - a) * (at - n))
    return ends, deep / max(down, 1), high


@kernel
def pose_limb(
    limb: Any,
    stage: Any,
    froude: Any,
    code: Any,
    starts: Any,
    first: Any,
    places: Any,
    base: Any,
    stack: Any,
    angles: Any,
) -> Any:
    """Angles (6,) of a limb at a stage: base and adjuster, whose programs begin at `first`; returns the sum
    of squares that the adjuster adds [rad²]. Programs in degrees; the hock bends as much as the stifle."""
    for j in range(6):
        angles[j] = base[limb, j, stage]
    added = 0.0
    phase = stage / base.shape[2]
    for p in range(places.shape[0]):
        if places[p, 0] != limb:
            continue
        value = np.deg2rad(
            run_program(code, starts[first + p], starts[first + p + 1], phase, phase, 0, stack, froude)
        )
        j = places[p, 1]
        angles[j] += value
        if limb == 1 and j == 2:
            angles[3] -= value
        added += value * value
    return added


@kernel
def measure(
    code: Any,
    starts: Any,
    places: Any,
    froude: Any,
    lowered: Any,
    bones: Any,
    base: Any,
    carriage: Any,
    ranges: Any,
    out: Any,
) -> None:
    """MEASURES of I adjusters at F Froude numbers: out (I, F, 2, 10).

    code (M,) INSTRUCTION64 and starts (I * P + 1,): the programs of each adjuster in the order of `places`
    (P, 2): limb and joint; froude (F,), lowered (F,); the rest as in Limbs.
    """
    count = base.shape[2]
    programs = places.shape[0]
    stack = np.zeros(MAX_STACK)
    angles = np.zeros(6)
    height, way = np.zeros(count), np.zeros(count)
    begins, known = np.zeros(MAX_STACK, np.int64), np.zeros(MAX_STACK, np.bool_)
    own, edges = np.empty_like(code), np.zeros(programs + 1, np.int64)
    for i in range(out.shape[0]):
        for f in range(froude.shape[0]):
            for p in range(programs):
                a, b = starts[i * programs + p], starts[i * programs + p + 1]
                edges[p + 1] = settled(code, a, b, froude[f], own, edges[p], begins, known)
            for limb in range(2):
                nearest, farthest, effort, strain = 1e9, -1e9, 0.0, 0.0
                for n in range(count):
                    effort += pose_limb(limb, n, froude[f], own, edges, 0, places, base, stack, angles)
                    for j in range(6):
                        strain += max(angles[j] - ranges[limb, j, 1], ranges[limb, j, 0] - angles[j], 0.0)
                    y, z = _toe(limb, n, bones, carriage, lowered[f], angles)
                    height[n], way[n] = y, z
                    nearest, farthest = min(nearest, z), max(farthest, z)
                duty, start, scuff = _contact(height, CLEAR)
                row = out[i, f, limb]
                row[0], row[1], row[2] = duty, start, farthest - nearest
                row[3], row[4], row[5] = scuff, np.sqrt(effort / (6 * count)), strain / (6 * count)
                row[6], row[7], row[9] = _stance(height, way, start, duty)
                row[8] = height.max()


@kernel
def trace(
    code: Any,
    starts: Any,
    places: Any,
    froude: Any,
    lowered: Any,
    bones: Any,
    base: Any,
    carriage: Any,
    angles: Any,
    toes: Any,
) -> None:
    """Angles (F, 2, S, 6) [rad] and toes (F, 2, S, 2), height and way ahead [hip heights], of one
    adjuster."""
    stack = np.zeros(MAX_STACK)
    for f in range(froude.shape[0]):
        for limb in range(2):
            for n in range(base.shape[2]):
                own = angles[f, limb, n]
                pose_limb(limb, n, froude[f], code, starts, 0, places, base, stack, own)
                y, z = _toe(limb, n, bones, carriage, lowered[f], own)
                toes[f, limb, n, 0], toes[f, limb, n, 1] = y, z


@kernel
def errors_of(measured: Any, duty: Any, extent: Any, reach: Any, out: Any) -> None:
    """Scores (I,), less is better, of MEASURES (I, F, 2, 10) against duty, extent and reach (F, 2)."""
    count = measured.shape[1] * 2
    for i in range(measured.shape[0]):
        total = cost = 0.0
        for f in range(measured.shape[1]):
            for limb in range(2):
                row = measured[i, f, limb]
                a, b = row[0] - duty[f, limb], row[2] - extent[f, limb]
                total += a * a + b * b
                cost += SCUFF_COST * row[3] + EFFORT_COST * row[4] + STRAIN_COST * row[5] + SINK_COST * row[7]
                shift, off = min(row[1], 1.0 - row[1]), abs(row[6] - reach[f, limb])
                cost += LIFT_COST * max(LEAST_LIFT - row[8], 0.0) + SHIFT_COST * max(shift - STEADY, 0.0)
                # A little off is not seen, a foot that drags is.
                cost += REACH_COST * off * off + HOVER_COST * row[9]
        score = np.sqrt(total / count) + cost / count
        out[i] = score if score < WORST else WORST  # NaN, too, is the worst


def measured(limbs: Limbs, programs: Programs, wanted: Wanted) -> Floats:
    """MEASURES (I, F, 2, 10) of the I adjusters whose programs are packed one after the other."""
    count, rest = divmod(len(programs), len(PLACES))
    if rest:
        raise ValueError(f"{len(programs)} programs are no whole number of adjusters of {len(PLACES)}")
    out = np.empty((count, len(wanted.froude), 2, len(MEASURES)))
    measure(
        programs.code64,
        programs.starts,
        PLACES,
        wanted.froude,
        wanted.lowered,
        limbs.bones,
        limbs.angles,
        limbs.carriage,
        limbs.ranges,
        out,
    )
    return out


def traced(limbs: Limbs, adjuster: Adjuster, wanted: Wanted) -> tuple[Floats, Floats]:
    """Joint angles (F, 2, S, 6) [rad] and toe paths (F, 2, S, 2): height and way ahead [hip heights]."""
    programs = packed([adjuster])
    count = len(wanted.froude)
    angles, toes = np.empty((count, 2, STAGES, 6)), np.empty((count, 2, STAGES, 2))
    trace(
        programs.code64,
        programs.starts,
        PLACES,
        wanted.froude,
        wanted.lowered,
        limbs.bones,
        limbs.angles,
        limbs.carriage,
        angles,
        toes,
    )
    return angles, toes


def scores(limbs: Limbs, programs: Programs, wanted: Wanted) -> Floats:
    """Scores (I,) of adjusters: root mean square error of duty and extent [hip heights], and what ugliness
    costs; 0 is the best, WORST the worst."""
    found = measured(limbs, programs, wanted)
    out = np.empty(len(found))
    errors_of(found, wanted.duty, wanted.extent, wanted.reach, out)
    return out


def packed(adjusters: Sequence[Adjuster]) -> Programs:
    """The programs of adjusters, one after the other."""
    return pack([expression for adjuster in adjusters for expression in adjuster.expressions])
