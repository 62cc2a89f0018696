"""Gait: when each foot lands and how long it stands, for the gaits of the horse.

Orders and beats after Muybridge, whose words amble and rack are kept; touchdowns of walk and trot agree
with the Vienna Horse Data Collection (Haflingers on a treadmill). Duties: walk and trot from the same
recordings, gallop after Witte, Hirst and Wilson 2006 (J Exp Biol 209:4389). Change of walk to trot after
Griffin, Kram, Wickler and Hoyt 2004 (J Exp Biol 207:4215), of trot to canter after Wickler, Hoyt, Cogger
and McGuire 2002 (EVJ Suppl 34:126), speeds of the toelt after a study of 23 Icelandics (EVJ 2001).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType

from hoofbeat.errors import UnknownGait

Four = tuple[float, float, float, float]
Range = tuple[float, float]


@dataclass(frozen=True)
class Gait:
    """One gait.

    beats: sounds a stride, feet that land together count once; touchdown of LF, RF, LH, RH: how long
    after the left hind each lands, a fraction of the stride in [0, 1); duty: least and most part of the
    stride that a foot stands; suspensions: times a stride with all feet in the air; speed: the slowest
    and fastest it is used at [m/s].
    """

    name: str
    beats: int
    touchdown: Four
    duty: Range
    suspensions: int
    speed: Range


def mirrored(gait: Gait, name: str) -> Gait:
    """The gait with left and right exchanged, again counted from the left hind."""
    lf, rf, lh, rh = gait.touchdown
    swapped = (rf - rh, lf - rh, 0.0, lh - rh)
    lf, rf, lh, rh = (round(value % 1.0, 9) for value in swapped)
    return replace(gait, name=name, touchdown=(lf, rf, lh, rh))


#: Feet that land within this part of a stride of each other sound as one beat.
TOGETHER = 0.06

_STAND = Gait("stand", 0, (0.0, 0.0, 0.0, 0.0), (1.0, 1.0), 0, (0.0, 0.0))
_WALK = Gait("walk", 4, (0.25, 0.75, 0.0, 0.5), (0.60, 0.68), 0, (0.8, 2.0))
# Even beats or lateral couplets: the fore lands 0.22 to 0.25 after its hind.
_AMBLE = Gait("amble", 4, (0.235, 0.735, 0.0, 0.5), (0.40, 0.50), 0, (2.0, 3.1))
# Hind first by up to 0.02 (Holmstroem et al.: 30 ms of 794).
_TROT = Gait("trot", 2, (0.49, 0.99, 0.0, 0.5), (0.30, 0.47), 2, (2.6, 5.5))
# The fore lands with its hind or up to 0.06 after it.
_RACK = Gait("rack", 2, (0.03, 0.53, 0.0, 0.5), (0.35, 0.45), 2, (4.0, 6.5))
# RH, then LH with RF, then LF; from the right hind on: 0, 0.31, 0.36, 0.55.
_CANTER_LEFT = Gait("canter-left", 3, (0.24, 0.05, 0.0, 0.69), (0.32, 0.42), 1, (4.5, 8.0))
# Transverse: LH, RH, LF, RF, then the flight, the feet gathered.
_GALLOP_RIGHT = Gait("gallop-right", 4, (0.36, 0.55, 0.0, 0.14), (0.18, 0.29), 1, (7.5, 18.0))

#: Every gait by name, slow to fast; canter and gallop are named by the fore that leads.
GAITS = MappingProxyType(
    {
        gait.name: gait
        for gait in (
            _STAND,
            _WALK,
            _AMBLE,
            _TROT,
            _RACK,
            _CANTER_LEFT,
            mirrored(_CANTER_LEFT, "canter-right"),
            mirrored(_GALLOP_RIGHT, "gallop-left"),
            _GALLOP_RIGHT,
        )
    }
)

#: Other words for gaits: Muybridge's and present ones.
ALIASES = MappingProxyType(
    {
        "idle": "stand",
        "halt": "stand",
        "pace": "rack",
        "single-foot": "amble",
        "toelt": "amble",
        "tolt": "amble",
        "tölt": "amble",
    }
)
#: The lead that is meant where none is said: the left one in both gaits, the canter's as it is commonly
#: tabulated. So a horse goes from "canter" to "gallop" without a change of lead.
LEADS = MappingProxyType({"canter": "canter-left", "gallop": "gallop-left"})


#: Names of strides that a check tells apart besides GAITS: a walk in lateral couplets, gallops whose hinds
#: and fores lead on different sides, and what is no gait.
LATERAL_WALK = "pacing-walk"
ROTARY = ("rotary-gallop-left", "rotary-gallop-right")
OTHER_STRIDES = ("jump", "transition")
#: Names without a lead, or of a whole family, by which a check is asked for any of the gaits listed.
FAMILIES = MappingProxyType(
    {
        "canter": ("canter-left", "canter-right"),
        "gallop": ("gallop-left", "gallop-right", *ROTARY),
        "transverse-gallop": ("gallop-left", "gallop-right"),
        "rotary-gallop": ROTARY,
    }
)
#: Every name that a stride can be given, slow to fast.
STRIDE_NAMES = ("stand", "walk", LATERAL_WALK, *list(GAITS)[2:], *ROTARY, *OTHER_STRIDES)

#: Endings of the names of gaits that have a lead, and the sign of each: 1 = left, -1 = right.
SIDES = MappingProxyType({"-left": 1, "-right": -1})


def family_of(name: str) -> str:
    """The gait without its lead: "canter" of "canter-left"."""
    return name.removesuffix("-left").removesuffix("-right")


def lead_of(name: str) -> int:
    """1 where the left fore leads, -1 where the right one does, 0 where the gait has no lead."""
    return next((sign for ending, sign in SIDES.items() if name.endswith(ending)), 0)


def other_lead(name: str) -> str:
    """The name on the other lead; a name without one stays as it is."""
    return name.replace("left", "right") if "left" in name else name.replace("right", "left")


def gait_named(name: str) -> Gait:
    """The gait of a name, an alias, or "canter" and "gallop" without a lead; else UnknownGait."""
    found = GAITS.get(LEADS.get(name) or ALIASES.get(name, name))
    if found is None:
        raise UnknownGait(name, [*GAITS, *LEADS, *ALIASES])
    return found
