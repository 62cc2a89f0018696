"""Similarity: duty, stride length and leg motion against the laws that animals of all sizes keep."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from hoofbeat.check.limits import DOG, DOG_HIP, LAWS, POWER_LAWS, REPORTED, symmetrical
from hoofbeat.check.measure import Family, Limit, Measure, Subject, judged
from hoofbeat.check.measures.footfall import mean_speed, strides_of_gait
from hoofbeat.check.measures.joints import known_horse
from hoofbeat.check.motion import Motion
from hoofbeat.check.recognise import Stride
from hoofbeat.maths.physics import GRAVITY

GROUP = "similarity"
#: Laws of quadrupeds that go forward are not asked below this Froude number: the animal hardly moves.
LEAST_FROUDE = 0.005
#: Mean turn of a leg's joints: a Fr^b [deg in 1/60 s of an animal with hips at DOG_HIP], fitted to the dog
#: from walk (2.7 at Fr 0.09) to gallop (7.3 at 2.3). Zhang et al., Table 3: walk 3.87, canter 6.53. At least
#: half of it.
STIFFNESS = (5.7, 0.3)
STIFFNESS_PART = 0.5
#: Duties against these laws, a factor of 2, and as far as a galloping dog goes (0.28).
HOOF_DUTIES, PAW_DUTIES = (0.5, 2.0), (0.25, 2.0)
#: Every measure of the family with its limit.
LIMITS: Mapping[str, Limit] = MappingProxyType(
    {
        "froude": Limit(None, None, REPORTED),
        "duty-law-fore": Limit(*HOOF_DUTIES, f"{LAWS}; horses 0.8 to 1"),
        "duty-law-hind": Limit(*HOOF_DUTIES, f"{LAWS}; horses 0.8 to 1"),
        "stride-length-law": Limit(0.5, 2.0, f"{LAWS}; horses 0.8 to 1, a dog 1 to 1.7"),
        "stiffness": Limit(None, None, f"half of the {DOG} at the same Froude number (Table 3)"),
    }
)


def measures(subject: Subject) -> list[Measure]:
    """Froude number, duties and stride length against the power laws, and stiffness of the legs."""
    motion, gait = subject.motion, subject.gait
    chosen = strides_of_gait(subject.strides, gait)
    if gait is None or not chosen:
        return [judged(name, GROUP, None, "", LIMITS[name], "no stride of a gait") for name in LIMITS]
    time = np.array([s.duration for s in chosen])
    speed = abs(mean_speed(chosen))
    froude = speed**2 / (GRAVITY * motion.hip)
    rows = [judged("froude", GROUP, froude, "", LIMITS["froude"])]
    if froude < LEAST_FROUDE:
        return rows + [
            judged(n, GROUP, None, "", LIMITS[n], "it hardly moves") for n in LIMITS if n != "froude"
        ]
    laws = POWER_LAWS["symmetrical" if symmetrical(gait) else "asymmetrical"]
    fore, hind, length = (a * froude**b for a, b in laws)
    duty = np.array([s.duty for s in chosen])
    hoof = known_horse(motion.clip.skeleton) is not None
    rows.append(_duty("duty-law-fore", duty[:, :2], fore, hoof))
    rows.append(_duty("duty-law-hind", duty[:, 2:], hind, hoof))
    stride = speed * float(time.mean())
    detail = f"stride {stride:.2f} m, law {length * motion.hip:.2f} m"
    ratio = stride / motion.hip / length
    rows.append(judged("stride-length-law", GROUP, ratio, "times", LIMITS["stride-length-law"], detail))
    return [*rows, _stiffness(motion, chosen, froude)]


def law_limit(name: str, hoof: bool) -> Limit:
    """How many times the duty of a power law feet may stand."""
    return LIMITS[name] if hoof else Limit(*PAW_DUTIES, f"{LAWS}; a dog 0.28 to 0.92")


def _duty(name: str, duty: NDArray[np.float64], law: float, hoof: bool) -> Measure:
    known = duty[np.isfinite(duty)]
    limit = law_limit(name, hoof)
    if not len(known):
        return judged(name, GROUP, None, "times", limit, "no whole stance")
    mean = float(np.median(known))
    return judged(name, GROUP, mean / law, "times", limit, f"duty {mean:.2f}, law {law:.2f}")


def _stiffness(motion: Motion, strides: Sequence[Stride], froude: float) -> Measure:
    """Mean turn of the legs' joints, hoof and toe left out, in the time of an animal of the dog's size."""
    legs = motion.clip.skeleton.legs
    joints = [j for leg in legs for j in (leg.top, leg.mid, leg.low) if j != leg.toe]
    turns = motion.clip.rotations[:, joints]
    near = np.clip(np.abs(np.einsum("tjk,tjk->tj", turns[1:], turns[:-1])), 0.0, 1.0)
    inside = np.zeros(len(near), bool)
    for stride in strides:
        part = motion.frames(stride.start, stride.stop)
        inside[part.start : part.stop - 1] = True
    scale = motion.fps / 60 * math.sqrt(motion.hip / DOG_HIP)
    limit = Limit(STIFFNESS_PART * STIFFNESS[0] * froude ** STIFFNESS[1], None, LIMITS["stiffness"].source)
    if not inside.any():
        return judged("stiffness", GROUP, None, "deg", limit, "no stride within the clip")
    value = float(np.degrees(2 * np.arccos(near[inside])).mean()) * scale
    detail = f"a dog has {STIFFNESS[0] * froude ** STIFFNESS[1]:.1f}"
    return judged("stiffness", GROUP, value, "deg", limit, detail)


FAMILY = Family(70, GROUP, LIMITS, measures)
