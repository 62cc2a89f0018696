"""Breeds: the gaits that horses have of themselves, each chosen up to a speed [m/s] (EQUINE bands).

Most horses walk, trot, canter and gallop. Those that also amble and rack are bred for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hoofbeat.errors import UnknownName

#: Fastest on a horse of 1.295 m: 18 on one of 1.6, where the gallop's table ends [m/s].
FASTEST = 16.2
#: Each gait up to its border [m/s]; canter and gallop by the lead that is listed.
BREEDS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "three-gaited": MappingProxyType(
            {"walk": 2.0, "trot": 4.9, "canter-left": 8.0, "gallop-left": FASTEST}
        ),
        "all": MappingProxyType(
            {
                "walk": 2.0,
                "amble": 3.1,
                "trot": 4.7,
                "rack": 5.8,
                "canter-left": 8.0,
                "gallop-left": FASTEST,
            }
        ),
    }
)
DEFAULT_BREED = "three-gaited"


class UnknownBreed(UnknownName):
    """A breed that does not exist."""

    kind = "breed"


def borders_by_gait(breed: str) -> Mapping[str, float]:
    """The gaits of a breed, slowest first, each with the speed up to which it is chosen [m/s]."""
    if breed not in BREEDS:
        raise UnknownBreed(breed, BREEDS)
    return BREEDS[breed]
