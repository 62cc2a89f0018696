"""Limits: what the families of measures share of where their numbers come from: sources, gaits, laws, sizes.

Limits are frozen. All of it is read off real recordings or published figures, none off our own horse: ten
horses of the Vienna Horse Data Collection (168 trials, walk and trot, and six of them frame by frame), 42
recordings of a dog (Zhang et al. 2018), and the papers named. Lengths are parts of the hip height h, times
are in sqrt(L / g) with the leg length L, so that one limit holds for animals of any size; where a number is
in millimetres or metres a second it is that of a horse with hips at 1.11 m. docs/check.md has the figures.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hoofbeat.gaits.gait import GAITS, Gait, family_of, mirrored
from hoofbeat.gaits.names import PACING_WALK, ROTARY

VIENNA = "horses of the Vienna Horse Data Collection"
DOG = "recordings of a dog (Zhang et al. 2018)"
TABLE = "table of gaits (Muybridge; Vienna horses; Witte et al. 2006)"
REPORTED = "reported, not judged"
LAWS = "power laws of Alexander and Jayes 1983"

#: Height of the hips [m] of the horse that limits in millimetres are given for, and of the recorded dog,
#: whose pelvis, the root of its skeleton, is at 0.48 m.
HORSE_HIP, DOG_HIP = 1.11, 0.385

# The dog walks its paws of a side nearly together, and gallops rotary: medians of its straight strides (85
# and 33). Its galloping paws are down for 0.1 to 0.25 of the stride, 0.17 to 0.24 by its authors.
_PACING_WALK = Gait(PACING_WALK, 4, (0.05, 0.55, 0.0, 0.5), (0.50, 0.68), 0, (0.6, 1.6))
_ROTARY_RIGHT = Gait(ROTARY[1], 4, (0.21, 0.38, 0.0, 0.84), (0.15, 0.30), 1, (5.0, 18.0))
#: Gaits of other quadrupeds, that strides are given beside those of gaits.gait.
OTHERS: Mapping[str, Gait] = MappingProxyType(
    {g.name: g for g in (_PACING_WALK, _ROTARY_RIGHT, mirrored(_ROTARY_RIGHT, ROTARY[0]))}
)

#: Fore duty, hind duty and relative stride length, y = a Fr^b, of Alexander and Jayes 1983.
POWER_LAWS: Mapping[str, tuple[tuple[float, float], ...]] = MappingProxyType(
    {
        "symmetrical": ((0.52, -0.14), (0.51, -0.18), (2.4, 0.34)),
        "asymmetrical": ((0.52, -0.28), (0.53, -0.28), (1.9, 0.40)),
    }
)


def gait_table(name: str | None) -> Gait | None:
    """Touchdowns, duties and beats of a gait that a stride can be given; None for what is no gait."""
    if name is None or name == "stand":
        return None
    return OTHERS.get(name) or GAITS.get(name)


def symmetrical(name: str) -> bool:
    """Whether left and right feet alternate, half a stride apart, in a gait."""
    return not family_of(name).endswith(("canter", "gallop"))


def source_of(gait: Gait) -> str:
    """Where the numbers of a gait come from."""
    return DOG if gait.name in OTHERS else TABLE
