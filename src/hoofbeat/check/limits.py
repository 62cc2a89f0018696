"""Limits: what every measure must keep, and where each number comes from.

Frozen. All of it is read off real recordings or published figures, none off our own horse: ten horses of
the Vienna Horse Data Collection (168 trials, walk and trot, and six of them frame by frame), 42 recordings
of a dog (Zhang et al. 2018), and the papers named. Lengths are parts of the hip height h, times are in
sqrt(L / g) with the leg length L, so that one limit holds for animals of any size; where a number is in
millimetres or metres a second it is that of a horse with hips at 1.11 m. docs/check.md has the figures.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from hoofbeat.body.skeleton import LEGS
from hoofbeat.check.measure import Limit
from hoofbeat.gaits.gait import GAITS, Gait, mirrored

VIENNA = "horses of the Vienna Horse Data Collection"
DOG = "recordings of a dog (Zhang et al. 2018)"
TABLE = "table of gaits (Muybridge; Vienna horses; Witte et al. 2006)"
LAWS = "power laws of Alexander and Jayes 1983"

#: Hips of the horse that limits in millimetres are told for [m], and those of the recorded dog, whose
#: pelvis, the root of its skeleton, is carried at 0.48 m.
HORSE_HIP, DOG_HIP = 1.11, 0.385

# The dog walks its paws of a side nearly together, and gallops rotary: medians of its straight strides (85
# and 33). Its galloping paws are seen down for 0.1 to 0.25 of the stride, 0.17 to 0.24 by its authors.
_PACING_WALK = Gait("pacing-walk", 4, (0.05, 0.55, 0.0, 0.5), (0.50, 0.68), 0, (0.6, 1.6))
_ROTARY_RIGHT = Gait("rotary-gallop-right", 4, (0.21, 0.38, 0.0, 0.84), (0.15, 0.30), 1, (5.0, 18.0))
#: Gaits that strides are given beside those of gaits.gait.
OTHERS: Mapping[str, Gait] = MappingProxyType(
    {g.name: g for g in (_PACING_WALK, _ROTARY_RIGHT, mirrored(_ROTARY_RIGHT, "rotary-gallop-left"))}
)

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

#: Middle part of a stance in which a foot bears the animal and neither lands nor rolls off.
CORE = 0.6
#: Slide, depth and height of a standing hoof [hip heights]: 10, 5 and 6.7 mm. In six Vienna trials two hooves
#: that stand at the same time keep their distance within 5 mm (95 % of the stances), one hoof stands at the
#: same height every time within 2 mm, and rises by up to 5.5 mm.
HOOF_SLIDE, HOOF_DEPTH, HOOF_RISE = 0.009, 0.0045, 0.006
#: The same of a paw, whose last node rolls with it, and of any foot whose sole is not known: 18 straight and
#: steady stretches of the dog have up to 0.034, 0.014 and 0.05.
PAW_SLIDE, PAW_DEPTH, PAW_RISE = 0.045, 0.02, 0.055
#: Speed of standing feet against that of the body [%]: hooves on a belt (six Vienna trials) up to 5.1, paws
#: that roll (18 stretches of the dog) up to 7.0.
HOOF_SPEED, PAW_SPEED = 6.0, 8.0
#: Height below which a foot counts as skating [hip heights]: 2.5 cm of the dog.
SKATING_HEIGHT = 0.025 / DOG_HIP
#: Most skating of a horse and of a dog of the size above [cm in 1/60 s over h / DOG_HIP]: six Vienna trials
#: have 0.25 to 0.48, for hooves swing low; 18 stretches of the dog 0.12 to 0.35, its walk 0.20. Speeds grow
#: with the root of the size, so that the limit falls with it.
HOOF_SKATING, PAW_SKATING = 0.55, 0.45

#: Most angle of a carpus that carries, bent or bent back [deg]: the greatest extension in stance is 185 +- 3
#: (Nicodemus, walk) and 181 (Morales et al. 1998, trot) where standing is about 180.
STANCE_KNEE = 10.0
#: Angles between the bones of the standing 49-joint horse at elbow, carpus, stifle and hock [deg].
STANDING = (42.33, 7.28, 34.56, 20.69)
#: How far a joint may go beyond the ranges of body.anatomy [deg]: horses differ by up to 11 (Nicodemus).
JOINT_SPREAD = 10.0
#: Least correlation of stifle and hock: the dog, without a reciprocal apparatus, has 0.6 to 0.8.
STIFLE_HOCK = 0.8

#: Most of a peak against the usual ones of the same joint near it, and the same of the root's speed: 33 of 42
#: whole recordings of the dog stay below either; in most others bones flip by 20 to 150 degrees in a frame.
PEAK = 8.0
ROOT_STEP = 6.0

#: Left and right: RMS between the paths of a pair of hooves, as a part of the path's own size [%] (163 of
#: 168 mean strides keep it), and duty (six trials: up to 0.037, timed within 0.02).
PATH_SYMMETRY, DUTY_SYMMETRY = 14.0, 0.06

#: Mean turn of a leg's joints: a Fr^b [deg in 1/60 s of an animal with hips at DOG_HIP], fitted to the dog
#: from walk (2.7 at Fr 0.09) to gallop (7.3 at 2.3). Zhang et al., Table 3: walk 3.87, canter 6.53. At least
#: half of it.
STIFFNESS = (5.7, 0.3)
STIFFNESS_PART = 0.5
#: Fore duty, hind duty and relative stride length, y = a Fr^b, of Alexander and Jayes 1983.
POWER_LAWS: Mapping[str, tuple[tuple[float, float], ...]] = MappingProxyType(
    {
        "symmetrical": ((0.52, -0.14), (0.51, -0.18), (2.4, 0.34)),
        "asymmetrical": ((0.52, -0.28), (0.53, -0.28), (1.9, 0.40)),
    }
)
#: Duties against these laws, a factor of 2, and as far as a galloping dog is seen to go (0.28).
HOOF_DUTIES, PAW_DUTIES = (0.5, 2.0), (0.25, 2.0)


def _table() -> dict[str, Limit]:
    told = "told, not judged"
    hoof = f"standing hooves of {VIENNA}, as parts of the hip height"
    steady = f"42 {DOG}: steady parts stay below"
    rows: dict[str, Limit] = {
        "size": Limit(0.03, 3.5, "hips of a mouse and of an elephant"),
        "sides": Limit(0.7, None, "by definition; an animal that lies may have them crossed"),
        "direction": Limit(0.9, None, "a gait goes forward; real horses and dogs 0.98 and more"),
        "frames-per-stance": Limit(3.0, None, "three frames tell a still foot from a moving one"),
        "gait": Limit(0.8, None, f"steady stretches of the {DOG}: 9 of 10 strides alike"),
        "order": Limit(0.9, None, TABLE),
        "beats": Limit(None, None, TABLE),
        "suspensions": Limit(None, None, TABLE),
        "suspension-place": Limit(0.7, None, "after the leading fore (Witte et al. 2006; Muybridge)"),
        "speed": Limit(None, None, told),
        "speed-error": Limit(None, HOOF_SPEED, f"hooves on the belt, {VIENNA}: up to 5.1 %"),
        "skating": Limit(None, HOOF_SKATING, f"hooves of {VIENNA}: 0.25 to 0.48"),
        "slide": Limit(None, HOOF_SLIDE, hoof),
        "penetration": Limit(None, HOOF_DEPTH, hoof),
        "hover": Limit(None, HOOF_RISE, hoof),
        "stance-knee": Limit(-STANCE_KNEE, STANCE_KNEE, "carpus in stance (Nicodemus; Morales et al. 1998)"),
        "joint-limits": Limit(None, JOINT_SPREAD, "ranges of Morales et al. 1998, spread of Nicodemus"),
        "stifle-hock": Limit(STIFLE_HOCK, None, "reciprocal apparatus; a dog, without one, has 0.6 to 0.8"),
        "angular-acceleration": Limit(None, PEAK, steady),
        "jerk": Limit(None, PEAK, steady),
        "root-speed-steps": Limit(None, ROOT_STEP, steady),
        "symmetry": Limit(None, PATH_SYMMETRY, f"{VIENNA}, 163 of 168 trials"),
        "symmetry-duty": Limit(None, DUTY_SYMMETRY, f"{VIENNA}, up to 0.037, timed within 0.02"),
        "froude": Limit(None, None, told),
        "duty-law-fore": Limit(*HOOF_DUTIES, f"{LAWS}; horses 0.8 to 1"),
        "duty-law-hind": Limit(*HOOF_DUTIES, f"{LAWS}; horses 0.8 to 1"),
        "stride-length-law": Limit(0.5, 2.0, f"{LAWS}; horses 0.8 to 1, a dog 1 to 1.7"),
        "stiffness": Limit(None, None, f"half of the {DOG} at the same Froude number (Table 3)"),
        "path-deviation": Limit(None, 6.61, "Zhang et al. 2018, Table 4, star"),
        "heading-deviation": Limit(None, 8.76, "Zhang et al. 2018, Table 4, star"),
    }
    rows |= {f"phase-{leg}": Limit(None, None, TABLE) for leg in LEGS if leg != "LH"}
    rows |= {f"duty-{leg}": Limit(None, None, TABLE) for leg in LEGS}
    return rows


#: Every measure by name. Limits that hang on the gait, the foot or the speed are open here, or those of a
#: hoof in hip heights; the functions below give the ones that apply.
LIMITS: Mapping[str, Limit] = MappingProxyType(_table())


def gait_table(name: str | None) -> Gait | None:
    """Touchdowns, duties and beats of a gait that a stride can be given; None for what is no gait."""
    if name is None or name == "stand":
        return None
    return OTHERS.get(name) or GAITS.get(name)


def family(name: str) -> str:
    """A gait without its lead: canter, gallop, rotary-gallop; others as they are."""
    return name.removesuffix("-left").removesuffix("-right")


def symmetrical(name: str) -> bool:
    """Whether left and right feet take turns half a stride apart in a gait."""
    return not family(name).endswith(("canter", "gallop"))


def phase_limit(gait: Gait, leg: str) -> Limit:
    """Touchdown of a leg after the left hind; it may lie below 0 or above 1 [strides]."""
    middle = gait.touchdown[LEGS.index(leg)]
    reach = PHASE_RH if leg == "RH" and symmetrical(gait.name) else PHASE
    return Limit(middle - reach, middle + reach, _source(gait))


def duty_limit(gait: Gait, froude: float) -> Limit:
    """Part of the stride that any foot stands, at a Froude number."""
    low, high = gait.duty
    if low >= WALKING and froude > 0:
        (a, b), *_ = POWER_LAWS["symmetrical"]
        high = max(high, min(a * froude**b, 1.0))
    return Limit(low - DUTY, high + DUTY, _source(gait))


def beats_limit(gait: Gait) -> Limit:
    """Beats of a stride. The lateral couplets of a pacing walk may sound as two or as four."""
    return Limit(2 if gait.name == "pacing-walk" else gait.beats, gait.beats, _source(gait))


def suspensions_limit(gait: Gait) -> Limit:
    """Times a stride with all feet in the air."""
    most = gait.suspensions + 0.3
    return Limit(*SUSPENSIONS.get(family(gait.name), (gait.suspensions - 0.5, most)), _source(gait))


def foot_limit(name: str, hip: float, hoof: bool) -> Limit:
    """Most slide, penetration or hover of a standing foot [mm], hips at `hip` [m]."""
    paw = {"slide": PAW_SLIDE, "penetration": PAW_DEPTH, "hover": PAW_RISE}[name]
    part = LIMITS[name].high if hoof else paw
    source = LIMITS[name].source if hoof else f"{DOG}, as parts of the hip height"
    return Limit(None, 1000 * hip * (part or 0.0), source)


def speed_limit(hoof: bool) -> Limit:
    """Most that the speed of standing feet may differ from the body's [%]."""
    return LIMITS["speed-error"] if hoof else Limit(None, PAW_SPEED, f"{DOG}: up to 7 %")


def law_limit(name: str, hoof: bool) -> Limit:
    """How many times the duty of a power law feet may stand."""
    return LIMITS[name] if hoof else Limit(*PAW_DUTIES, f"{LAWS}; a dog 0.28 to 0.92")


def skating_limit(hip: float, hoof: bool) -> Limit:
    """Most skating of an animal with hips at `hip` [m] [cm in 1/60 s over h / DOG_HIP]."""
    if hoof:
        return Limit(None, HOOF_SKATING * math.sqrt(HORSE_HIP / hip), LIMITS["skating"].source)
    source = f"{DOG}, measured alike: walk 0.20 (Zhang et al., Table 2: 0.21)"
    return Limit(None, PAW_SKATING * math.sqrt(DOG_HIP / hip), source)


def _source(gait: Gait) -> str:
    return DOG if gait.name in OTHERS else TABLE
