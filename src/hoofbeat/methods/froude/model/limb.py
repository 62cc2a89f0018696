"""Limb: one fore and one hind limb over a cycle, measured as the Curve Modifier does (M4, M5; a kernel).

A limb is a chain of bones in the sagittal plane. Its base cycle gives every joint's angle and the motion of
its first joint; an adjuster adds to the angles, at a Froude number. Forward kinematics gives the toe's
path: the time that the toe is down gives the duty factor, and its farthest points ahead and behind the
limb's extent. Lengths are in hip heights, angles in radians, times in cycles since the base cycle lands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hoofbeat.formats.adjusterfile import BONES, Adjuster
from hoofbeat.maths.exact.circular import sincos
from hoofbeat.maths.expressions.machine import MAX_STACK, run_program, settled
from hoofbeat.maths.expressions.program import Programs, pack
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Flags, Floats, Int, Ints, Real, Rows
from hoofbeat.methods.froude.model.similarity import LAWS, LONGEST_STANCE, Laws, predict

#: Stages of a standard cycle (section 6.1).
STAGES = 100
#: Joints of a limb; a hind limb has no scapula and its first bone has no length.
JOINTS = ("scapula", "top", "mid", "low", "fetlock", "hoof")
SCAPULA, TOP, MID, LOW, FETLOCK, HOOF = range(6)
#: The motion of a limb's first joint: pitch [rad], height and how far ahead [hip heights].
CARRIAGE = ("pitch", "height", "ahead")
#: A toe no higher than this is down [hip heights]: the curves are smooth, the ground is not.
CLEAR = 0.005
#: Columns of `_measure`. duty: the longest time the toe is down; touchdown: when that begins; extent:
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
#: takes up the first unnoticed; a horse that lifts less than the second stumbles.
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

    def cycle(self) -> LimbCycle:
        """What kernels read of it."""
        return LimbCycle(self.bones, self.angles, self.carriage, self.ranges)


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
    predicted = predict(fr, limbs.gait, 1.0, laws=laws)
    stance = np.stack([predicted.stance_fore, predicted.stance_hind], axis=1)
    longest = np.minimum(stance, LONGEST_STANCE)
    return Wanted(
        fr,
        np.stack([predicted.duty_fore, predicted.duty_hind], axis=1),
        longest * limbs.extent / limbs.stance,
        _lowering(limbs, longest),
        longest,
    )


def _lowering(limbs: Limbs, stance: Floats) -> Floats:
    """How much lower than in the base cycle [hip heights] the body is for stances (F, 2) [hip heights].

    A strut of length 1 that swings by E/2 to either side ends about E²/8 lower than upright.
    """
    return np.maximum(((stance**2 - limbs.stance**2) / 8).max(axis=1) - SPARE, 0.0)


#: The base cycles are made with a body this much lower than their legs need [hip heights].
SPARE = 0.03


class LimbCycle(NamedTuple):
    """The arrays of Limbs that kernels read; see there."""

    bones: Floats
    angles: Floats
    carriage: Floats
    ranges: Floats


class AdjusterCode(NamedTuple):
    """The programs of adjusters, P each, in degrees.

    code (M,) INSTRUCTION64; starts (I P + 1,): where each begins; places (P, 2): limb and joint it turns.
    """

    code: Rows
    starts: Ints
    places: Ints


class _Scratch(NamedTuple):
    """Memory of one call: stack (MAX_STACK,); angles (6,) [rad]; of the toe over the cycle, height and ahead
    (S,) [hip heights]; begins and known (MAX_STACK,) of `settled`."""

    stack: Floats
    angles: Floats
    height: Floats
    ahead: Floats
    begins: Ints
    known: Flags


def _new_scratch(stages: int) -> _Scratch:
    return _Scratch(
        np.zeros(MAX_STACK),
        np.zeros(6),
        np.zeros(stages),
        np.zeros(stages),
        np.zeros(MAX_STACK, np.int64),
        np.zeros(MAX_STACK, np.bool_),
    )


@kernel
def toe_at(limbs: LimbCycle, limb: Int, stage: Int, lowered: Real, angles: Floats) -> tuple[Real, Real]:
    """Height of the toe and how far ahead it is [hip heights], joints turned by angles (6,)."""
    turn = limbs.carriage[limb, 0, stage]
    y, z = limbs.carriage[limb, 1, stage] - lowered, limbs.carriage[limb, 2, stage]
    for j in range(6):
        turn += angles[j]
        s, c = sincos(turn)
        up, ahead = limbs.bones[limb, j, 0], limbs.bones[limb, j, 1]
        # About the leftward axis a positive turn swings a hanging bone backward.
        y += c * up - s * ahead
        z += s * up + c * ahead
    return y, z


@kernel
def contact_of(height: Floats, ground: Real) -> tuple[Real, Real, Real]:
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
def stance_of(height: Floats, ahead: Floats, start: Real, duty: Real) -> tuple[Real, Real, Real]:
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
        a, b = ahead[n % count], ahead[(n + 1) % count]
        ends += (1 - 2 * side) * (a + (b - a) * (at - n))
    return ends, deep / max(down, 1), high


@kernel
def pose_limb(
    base: Floats, adjuster: AdjusterCode, froude: Real, limb: Int, stage: Int, stack: Floats, angles: Floats
) -> Real:
    """Angles (6,) of a limb at a stage: base (2, 6, S) and adjuster; returns the sum of squares that the
    adjuster adds [rad²]. The hock bends as much as the stifle."""
    code, starts, places = adjuster.code, adjuster.starts, adjuster.places
    for j in range(6):
        angles[j] = base[limb, j, stage]
    added = 0.0
    phase = stage / base.shape[2]
    for p in range(places.shape[0]):
        if places[p, 0] != limb:
            continue
        value = np.deg2rad(run_program(code, starts[p], starts[p + 1], phase, phase, 0, stack, froude))
        j = places[p, 1]
        angles[j] += value
        if limb == 1 and j == MID:
            angles[LOW] -= value
        added += value * value
    return added


@kernel
def measure_limb(
    limbs: LimbCycle,
    adjuster: AdjusterCode,
    froude: Real,
    lowered: Real,
    limb: Int,
    scratch: _Scratch,
    out: Floats,
) -> None:
    """MEASURES (10,) of one limb with one adjuster at a Froude number."""
    count, angles = limbs.angles.shape[2], scratch.angles
    nearest, farthest, highest, effort, strain = 1e9, -1e9, -1e9, 0.0, 0.0
    for n in range(count):
        effort += pose_limb(limbs.angles, adjuster, froude, limb, n, scratch.stack, angles)
        for j in range(6):
            strain += max(angles[j] - limbs.ranges[limb, j, 1], limbs.ranges[limb, j, 0] - angles[j], 0.0)
        y, z = toe_at(limbs, limb, n, lowered, angles)
        scratch.height[n], scratch.ahead[n] = y, z
        nearest, farthest, highest = min(nearest, z), max(farthest, z), max(highest, y)
    duty, start, scuff = contact_of(scratch.height, CLEAR)
    out[DUTY], out[TOUCHDOWN], out[EXTENT] = duty, start, farthest - nearest
    out[SCUFF], out[EFFORT], out[STRAIN] = scuff, np.sqrt(effort / (6 * count)), strain / (6 * count)
    out[REACH], out[SINK], out[HOVER] = stance_of(scratch.height, scratch.ahead, start, duty)
    out[LIFT] = highest


@kernel
def _measure(
    limbs: LimbCycle,
    adjusters: AdjusterCode,
    froude: Floats,
    lowered: Floats,
    own: AdjusterCode,
    scratch: _Scratch,
    out: Floats,
) -> None:
    """MEASURES of I adjusters at F Froude numbers (F,), the body lowered (F,): out (I, F, 2, 10).

    own: room for one adjuster at one Froude number."""
    programs = adjusters.places.shape[0]
    begins, known = scratch.begins, scratch.known
    for i in range(out.shape[0]):
        for f in range(froude.shape[0]):
            for p in range(programs):
                a, b = adjusters.starts[i * programs + p], adjusters.starts[i * programs + p + 1]
                own.starts[p + 1] = settled(
                    adjusters.code, a, b, froude[f], own.code, own.starts[p], begins, known
                )
            for limb in range(2):
                measure_limb(limbs, own, froude[f], lowered[f], limb, scratch, out[i, f, limb])


@kernel
def trace(
    limbs: LimbCycle,
    adjuster: AdjusterCode,
    froude: Floats,
    lowered: Floats,
    stack: Floats,
    angles: Floats,
    toes: Floats,
) -> None:
    """Angles (F, 2, S, 6) [rad] and toes (F, 2, S, 2), height and how far ahead [hip heights], of one
    adjuster; stack (MAX_STACK,): scratch."""
    for f in range(froude.shape[0]):
        for limb in range(2):
            for n in range(limbs.angles.shape[2]):
                own = angles[f, limb, n]
                pose_limb(limbs.angles, adjuster, froude[f], limb, n, stack, own)
                y, z = toe_at(limbs, limb, n, lowered[f], own)
                toes[f, limb, n, 0], toes[f, limb, n, 1] = y, z


@kernel
def errors_of(measured: Floats, duty: Floats, extent: Floats, reach: Floats, out: Floats) -> None:
    """Scores (I,), less is better, of MEASURES (I, F, 2, 10) against duty, extent and reach (F, 2)."""
    count = measured.shape[1] * 2
    for i in range(measured.shape[0]):
        total = cost = 0.0
        for f in range(measured.shape[1]):
            for limb in range(2):
                row = measured[i, f, limb]
                a, b = row[DUTY] - duty[f, limb], row[EXTENT] - extent[f, limb]
                total += a * a + b * b
                cost += SCUFF_COST * row[SCUFF] + EFFORT_COST * row[EFFORT]
                cost += STRAIN_COST * row[STRAIN] + SINK_COST * row[SINK]
                shift, off = min(row[TOUCHDOWN], 1.0 - row[TOUCHDOWN]), abs(row[REACH] - reach[f, limb])
                cost += LIFT_COST * max(LEAST_LIFT - row[LIFT], 0.0) + SHIFT_COST * max(shift - STEADY, 0.0)
                # A little off is not noticed, a foot that drags is.
                cost += REACH_COST * off * off + HOVER_COST * row[HOVER]
        score = np.sqrt(total / count) + cost / count
        out[i] = score if score < WORST else WORST  # NaN, too, is the worst


def measured_limb(limbs: Limbs, programs: Programs, wanted: Wanted) -> Floats:
    """MEASURES (I, F, 2, 10) of the I adjusters whose programs are packed one after the other."""
    count, rest = divmod(len(programs), len(PLACES))
    if rest:
        raise ValueError(f"{len(programs)} programs are no whole number of adjusters of {len(PLACES)}")
    out = np.empty((count, len(wanted.froude), 2, len(MEASURES)))
    cycle, code = limbs.cycle(), _code_of(programs)
    own = AdjusterCode(np.empty_like(code.code), np.zeros(len(PLACES) + 1, np.int64), PLACES)
    scratch = _new_scratch(cycle.angles.shape[2])
    _measure(cycle, code, wanted.froude, wanted.lowered, own, scratch, out)
    return out


def traced(limbs: Limbs, adjuster: Adjuster, wanted: Wanted) -> tuple[Floats, Floats]:
    """Joint angles (F, 2, S, 6) [rad] and toe paths (F, 2, S, 2): height and how far ahead [hip heights]."""
    programs = packed([adjuster])
    count = len(wanted.froude)
    angles, toes = np.empty((count, 2, STAGES, 6)), np.empty((count, 2, STAGES, 2))
    code = _code_of(programs)
    trace(limbs.cycle(), code, wanted.froude, wanted.lowered, np.zeros(MAX_STACK), angles, toes)
    return angles, toes


def _code_of(programs: Programs) -> AdjusterCode:
    # Copies that may be written to, as those of `_measure` are: `pose_limb` is then compiled once.
    return AdjusterCode(programs.code64.copy(), programs.starts.copy(), PLACES)


def scores(limbs: Limbs, programs: Programs, wanted: Wanted) -> Floats:
    """Scores (I,) of adjusters: root mean square error of duty and extent [hip heights], and what ugliness
    costs; 0 is the best, WORST the worst."""
    found = measured_limb(limbs, programs, wanted)
    out = np.empty(len(found))
    errors_of(found, wanted.duty, wanted.extent, wanted.reach, out)
    return out


def packed(adjusters: Sequence[Adjuster]) -> Programs:
    """The programs of adjusters, one after the other."""
    return pack([expression for adjuster in adjusters for expression in adjuster.expressions])
