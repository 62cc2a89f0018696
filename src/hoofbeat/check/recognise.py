"""Recognise: the gait of each stride, from when its feet land and how long they stand.

Symmetrical gaits have their left and right feet half a stride apart, fore and hind alike; what distinguishes
them is how long after its hind foot the fore foot of the same side lands, and the duty. In the others a pair
of feet lands close together: canter and gallop, named by the fore that lands last, the leading one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.check.activity import jumps_of
from hoofbeat.check.motion import Motion
from hoofbeat.gaits.gait import GAITS, family_of
from hoofbeat.gaits.names import NO_GAIT
from hoofbeat.maths.curves import phase_differences
from hoofbeat.maths.physics import GRAVITY

#: Gaits that the rules below distinguish, by family; what else is in the table of gaits is known by its
#: touchdowns and duty, which may lie this far off the table's [strides].
RULED = ("stand", "walk", "amble", "rack", "trot", "canter", "gallop")
ADDED = tuple(gait for gait in GAITS.values() if family_of(gait.name) not in RULED)
NEAR, NEAR_DUTY = 0.08, 0.07
#: Feet of a pair may land this far from half a stride apart in a symmetrical gait [strides].
SYMMETRIC = 0.2
#: The fore lands at most this long after, or before, its hind in a lateral gait, and its diagonal hind in
#: a trot; between the two lies the even walk [strides].
LATERAL, DIAGONAL = 0.125, 0.125
#: Mean duty from which a lateral gait is a walk and not a rack, an even one a walk and not an amble.
PACING_DUTY, WALK_DUTY = 0.5, 0.5
#: Slower than this Froude number, speed squared over g times hip height, four even beats are a walk however
#: short its stances: quadrupeds change to running gaits at 0.35 (Griffin et al. 2004).
WALK_FROUDE = 0.3
#: Most duty of a canter or gallop: feet that land in pairs but stand longer change their gait.
LEAPING_DUTY = 0.5
#: In a canter the trailing fore lands at most this long after the leading hind, as one beat [strides].
CANTER = 0.12
#: Slowest speed of a stride; below it feet are shifted, not a gait shown [sqrt(g L)].
SLOWEST = 0.07

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Stride:
    """One stride: start and duration [s], gait (of gaits.names), forward speed over the ground [m/s], and
    touchdown (4,) and duty (4,) of LF, RF, LH, RH as in Strides, NaN where a foot did not land."""

    start: float
    duration: float
    gait: str
    speed: float
    touchdown: tuple[float, ...]
    duty: tuple[float, ...]

    @property
    def stop(self) -> float:
        """When the next stride begins [s]."""
        return self.start + self.duration


def strides_named(motion: Motion) -> tuple[Stride, ...]:
    """Every stride of a motion with its gait and speed."""
    jumps = jumps_of(motion)
    found = motion.strides
    out: list[Stride] = []
    for start, duration, touchdown, duty in zip(
        found.start, found.duration, found.touchdown, found.duty, strict=True
    ):
        part = motion.frames(start, start + duration)
        speed = float(motion.speed[part].mean())
        if any(first < part.stop and part.start < last for first, last in jumps):
            gait = "jump"
        elif abs(speed) < SLOWEST * motion.pace:
            gait = "stand"
        else:
            gait = gait_of(touchdown, duty, speed * speed / (GRAVITY * motion.hip))
        values = tuple(touchdown.tolist()), tuple(duty.tolist())
        out.append(Stride(float(start), float(duration), gait, speed, *values))
    return tuple(out)


def gait_of(touchdown: Floats, duty: Floats, froude: float = math.inf) -> str:
    """Gait of one stride from touchdown (4,), duty (4,) and Froude number; "transition" where it is none."""
    if not np.isfinite(touchdown).all():
        return "transition"
    lf, rf, lh, rh = touchdown
    known = duty[np.isfinite(duty)]
    stands = float(known.mean()) if len(known) else 0.0
    for gait in ADDED:
        low, high = gait.duty[0] - NEAR_DUTY, gait.duty[1] + NEAR_DUTY
        off = np.abs(phase_differences(touchdown, np.array(gait.touchdown))).max()
        if off <= NEAR and low <= stands <= high:
            return gait.name
    if np.abs(phase_differences((rh - lh, rf - lf), 0.5)).max() > SYMMETRIC:
        return _leaping(touchdown, stands)
    lag = lateral_lag(touchdown)
    if abs(lag) <= LATERAL:
        return "pacing-walk" if stands >= PACING_DUTY else "rack"
    if abs(phase_differences(lag, 0.5)) <= DIAGONAL:
        return "trot"
    if lag < 0:  # The fore before its hind: the order of no gait here.
        return "transition"
    return "walk" if stands >= WALK_DUTY or froude < WALK_FROUDE else "amble"


def lateral_lag(touchdown: Floats) -> float:
    """How long after its hind the fore of a side lands, mean of both sides, in [-0.5, 0.5) of a stride."""
    lf, rf, lh, rh = touchdown
    turn = np.exp(2j * np.pi * (lf - lh)) + np.exp(2j * np.pi * (rf - rh))
    return float(phase_differences(np.angle(turn) / (2 * np.pi), 0.0))


def _leaping(touchdown: Floats, stands: float) -> str:
    """Canter or gallop, by the order of the feet after the first hind."""
    if stands > LEAPING_DUTY:
        return "transition"
    lf, rf, lh, rh = touchdown
    hinds = phase_differences(rh, lh)  # positive: the right hind lands second and leads
    fores = phase_differences(rf, lf)
    lead = "right" if fores > 0 else "left"
    second_hind, first_fore = (rh if hinds > 0 else lh), (lf if fores > 0 else rf)
    if (hinds > 0) != (fores > 0):
        return f"rotary-gallop-{lead}"
    return f"canter-{lead}" if abs(phase_differences(first_fore, second_hind)) <= CANTER else f"gallop-{lead}"


def dominant(strides: Sequence[Stride], among: Sequence[str] = ()) -> str | None:
    """The gait that lasts longest, of those in `among` or else of all that are gaits; None where none is."""
    seconds: dict[str, float] = {}
    for stride in strides:
        if stride.gait in among if among else stride.gait not in NO_GAIT:
            seconds[stride.gait] = seconds.get(stride.gait, 0.0) + stride.duration
    return max(seconds, key=lambda gait: seconds[gait]) if seconds else None
