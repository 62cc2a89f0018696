"""Names: every name that the gait of a recorded stride can have, and every name that one can be asked by.

Without NumPy: the command line reads it for completion.
"""

from __future__ import annotations

from types import MappingProxyType

from hoofbeat.errors import UnknownGait
from hoofbeat.gaits.gait import ALIASES, GAITS

#: Names of strides that show no gait to be kept up.
NO_GAIT = ("stand", "jump", "transition")
#: Gaits of other quadrupeds than the horse: a dog's walk, paws of a side nearly together, and its gallop.
PACING_WALK = "pacing-walk"
ROTARY = ("rotary-gallop-left", "rotary-gallop-right")
_SLOW_TO_FAST = (
    "stand",
    "walk",
    PACING_WALK,
    "amble",
    "rack",
    "trot",
    "canter-left",
    "canter-right",
    "gallop-left",
    "gallop-right",
    *ROTARY,
)
#: Every gait that a stride can be given, slow to fast, and what is none.
NAMES = (*_SLOW_TO_FAST, *(name for name in GAITS if name not in _SLOW_TO_FAST), "jump", "transition")
_GALLOPS = ("gallop-left", "gallop-right")
#: Names without a lead, or of a whole family: any of these gaits is what was asked for.
FAMILIES = MappingProxyType(
    {
        "canter": ("canter-left", "canter-right"),
        "gallop": (*_GALLOPS, *ROTARY),
        "transverse-gallop": _GALLOPS,
        "rotary-gallop": ROTARY,
    }
)
#: Every name that can be asked for.
KNOWN = (*NAMES, *FAMILIES, *ALIASES)


def expected_gaits(name: str) -> tuple[str, ...]:
    """The gaits, of NAMES, that a name allows: "pace" is the rack, "canter" has both leads."""
    plain = ALIASES.get(name, name)
    if plain in FAMILIES:
        return FAMILIES[plain]
    if plain not in NAMES:
        raise UnknownGait(name, KNOWN)
    return (plain,)
