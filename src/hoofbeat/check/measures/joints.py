"""Joints: loaded legs are straight, joints keep their ranges, stifle and hock flex together.

Angles are those between bones, seen from the side of the animal, so that they do not depend on how a file
turns its joints. Ranges and coupling are known of the 49-joint horse only.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.legs.anatomy import CARPUS, ELBOW, HOCK, STIFLE
from hoofbeat.body.skeleton import LEGS, Leg, Skeleton
from hoofbeat.check.markers import HORSES
from hoofbeat.check.measure import Family, Limit, Measure, Subject, judged
from hoofbeat.check.midstance import Midstances, midstances_of
from hoofbeat.check.motion import Motion

GROUP = "joints"
#: The skeleton whose anatomy is known, by its name in markers.HORSES; how names of its toes on the sole end.
THESIS, SOLE = "thesis horse", "_end"
#: Angles beyond these percentiles are single frames.
PERCENTILES = (0.5, 99.5)
#: Least range of the stifle in which its coupling shows [deg].
LEAST_RANGE = 5.0
#: Names and ranges of flexion of the mid and low joints, fore and hind [deg].
NAMES = (("elbow", "carpus"), ("stifle", "hock"))
RANGES = ((ELBOW, CARPUS), (STIFLE, HOCK))

#: Greatest angle of a loaded carpus, bent or bent back [deg]: the greatest extension in stance is 185 +- 3
#: (Nicodemus, walk) and 181 (Morales et al. 1998, trot) where standing is about 180.
STANCE_KNEE = 10.0
#: Angles between the bones of the standing 49-joint horse at elbow, carpus, stifle and hock [deg].
STANDING = (42.33, 7.28, 34.56, 20.69)
#: How far a joint may go beyond the ranges of body.anatomy [deg]: horses differ by up to 11 (Nicodemus).
JOINT_SPREAD = 10.0
#: Least correlation of stifle and hock: the dog, without a reciprocal apparatus, has 0.6 to 0.8.
STIFLE_HOCK = 0.8
#: Every measure of the family with its limit.
LIMITS: Mapping[str, Limit] = MappingProxyType(
    {
        "stance-knee": Limit(-STANCE_KNEE, STANCE_KNEE, "carpus in stance (Nicodemus; Morales et al. 1998)"),
        "joint-limits": Limit(None, JOINT_SPREAD, "ranges of Morales et al. 1998, spread of Nicodemus"),
        "stifle-hock": Limit(STIFLE_HOCK, None, "reciprocal apparatus; a dog, without one, has 0.6 to 0.8"),
    }
)

Floats = NDArray[np.float64]


def known_horse(skeleton: Skeleton) -> str | None:
    """The name of the horse that a skeleton is known to be, of markers.HORSES, or None."""
    names = set(skeleton.names)
    for horse, places in HORSES.items():
        if all(j in names for place in places.values() for j in (place.joint, place.to) if j is not None):
            return horse
    return None


def sole_known(skeleton: Skeleton) -> bool:
    """Whether the toes are those of the 49-joint horse, which lie on the sole."""
    on_sole = all(skeleton.names[leg.toe].endswith(SOLE) for leg in skeleton.legs)
    return known_horse(skeleton) == THESIS and on_sole


def measures(subject: Subject) -> list[Measure]:
    """Straightness of carrying forelegs, joint ranges, and the coupling of stifle and hock.

    Where strides show a gait, the stances in them count as loaded; else all do.
    """
    motion, strides = subject.motion, subject.strides
    horse = known_horse(motion.clip.skeleton)
    midstances = midstances_of(motion, strides)
    if horse != THESIS or any(leg.pastern < 0 for leg in motion.clip.skeleton.legs):
        why = "the ranges of this skeleton's joints are not known"
        none = [judged(name, GROUP, None, "", LIMITS[name], why) for name in ("joint-limits", "stifle-hock")]
        return [_unknown_knee(motion, midstances, judge=horse is not None), *none]
    flexed = np.stack([_flexions(motion, k) for k in range(4)], axis=1)  # (T, 4, 2)
    return [_knee(midstances, flexed[..., 1]), _ranges(flexed), _coupling(flexed[:, 2:])]


def _flexions(motion: Motion, k: int) -> Floats:
    """Flexion (T, 2) of elbow and carpus, or stifle and hock, from the standing horse [deg]."""
    leg = motion.clip.skeleton.legs[k]
    nodes = motion.positions[:, [leg.top, leg.mid, leg.low, leg.pastern]]  # (T, 4, 3)
    ahead = nodes[..., 0] * motion.forward[:, :1] + nodes[..., 2] * motion.forward[:, 1:]
    bone = np.diff(ahead + 1j * nodes[..., 1], axis=1)  # (T, 3), forward and up
    turn = np.degrees(np.angle(bone[:, 1:] / np.where(bone[:, :-1] == 0, 1.0, bone[:, :-1])))
    # A hanging bone that swings forward turns counter-clockwise here: elbow and hock flex in this direction.
    signs = (1.0, -1.0) if k < 2 else (-1.0, 1.0)
    return turn * signs - (STANDING[:2] if k < 2 else STANDING[2:])


def _knee(midstances: Midstances, carpus: Floats) -> Measure:
    fore = midstances.leg < 2
    if not fore.any():
        return judged("stance-knee", GROUP, None, "deg", LIMITS["stance-knee"], "no foreleg stands")
    bent = midstances.mean(midstances.rows(carpus))
    mean = [float(bent[midstances.leg == k].mean()) if (midstances.leg == k).any() else 0.0 for k in range(2)]
    worst = int(np.argmax(np.abs(mean)))
    detail = f"{LEGS[worst]}, from {bent[fore].min():.0f} to {bent[fore].max():.0f} deg"
    return judged("stance-knee", GROUP, mean[worst], "deg", LIMITS["stance-knee"], detail)


def _unknown_knee(motion: Motion, midstances: Midstances, judge: bool) -> Measure:
    """The same on another skeleton, from the straightest that its legs are seen; judged if it is a horse."""
    legs = motion.clip.skeleton.legs[:2]
    hinges = 1 if any(leg.low == leg.toe for leg in legs) else 2
    # With one hinge to the leg nobody knows whether it is elbow or carpus.
    judge = judge and hinges == 2
    limit = LIMITS["stance-knee"] if judge else Limit(None, None, LIMITS["stance-knee"].source)
    if not (midstances.leg < 2).any():
        return judged("stance-knee", GROUP, None, "deg", limit, "no foreleg stands")
    angles = np.stack([_bend(motion, leg, hinges) for leg in legs] * 2, axis=1)  # (T, 4)
    return _relimited(_knee(midstances, angles - np.percentile(angles, PERCENTILES[0], axis=0)), limit)


def _relimited(row: Measure, limit: Limit) -> Measure:
    return judged(row.name, row.group, row.value, row.unit, limit, f"{row.detail}, from its straightest")


def _bend(motion: Motion, leg: Leg, hinges: int) -> Floats:
    """Angle (T,) between the bones above and below the carpus, or the leg's one hinge [deg]."""
    end = leg.toe if leg.pastern < 0 else leg.pastern
    nodes = motion.positions[:, [leg.mid, leg.low, end] if hinges == 2 else [leg.top, leg.mid, leg.toe]]
    upper, lower = nodes[:, 1] - nodes[:, 0], nodes[:, 2] - nodes[:, 1]
    along = (upper * lower).sum(axis=1)
    across = np.linalg.norm(np.cross(upper, lower), axis=1)
    return np.degrees(np.arctan2(across, along))


def _ranges(flexed: Floats) -> Measure:
    """By how much the worst joint leaves its range."""
    low, high = np.percentile(flexed, PERCENTILES, axis=0)  # (4, 2) each
    worst, detail = 0.0, ""
    for k, leg in enumerate(LEGS):
        for j in range(2):
            least, most = RANGES[k // 2][j]
            for over, angle in ((least - low[k, j], low[k, j]), (high[k, j] - most, high[k, j])):
                if over > worst:
                    worst, detail = float(over), f"{leg} {NAMES[k // 2][j]} flexed by {angle:.0f} deg"
    return judged("joint-limits", GROUP, worst, "deg", LIMITS["joint-limits"], detail)


def _coupling(flexed: Floats) -> Measure:
    """Correlation of stifle and hock, of the hind leg (T, 2, 2) where it is less."""
    limit = LIMITS["stifle-hock"]
    away = flexed - flexed.mean(axis=0)
    spread = away.std(axis=0)  # (2, 2)
    if (np.ptp(flexed[..., 0], axis=0) < LEAST_RANGE).any() or (spread < 1e-6).any():
        return judged("stifle-hock", GROUP, None, "", limit, "the hind legs hardly bend")
    both = (away[..., 0] * away[..., 1]).mean(axis=0) / (spread[:, 0] * spread[:, 1])
    return judged("stifle-hock", GROUP, float(both.min()), "", limit, LEGS[2 + int(np.argmin(both))])


FAMILY = Family(40, GROUP, LIMITS, measures)
