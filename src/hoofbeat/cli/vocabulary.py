"""Vocabulary: names that shells complete and errors list, out of the catalog of methods and the gaits.

Nothing here loads the engine, so that completion is quick.
"""

from __future__ import annotations

from hoofbeat.errors import HoofbeatError
from hoofbeat.gaits.breeds import BREEDS
from hoofbeat.gaits.gait import LEADS, SIDES
from hoofbeat.gaits.names import KNOWN
from hoofbeat.methods.catalog import methods

#: The sides on which a canter or gallop can lead.
LEAD_SIDES = tuple(ending.removeprefix("-") for ending in SIDES)
#: The grounds of `world.terrain`, which loads the engine; a test keeps both alike.
TERRAINS = ("flat", "slope", "hills")
#: Gaits that a check can be asked to expect.
CHECKED_GAITS = tuple(dict.fromkeys(KNOWN))


def gaits() -> tuple[str, ...]:
    """Every gait that a method of the catalog has, and the names without a lead, once each."""
    named = [gait for info in methods().values() for gait in info.gaits]
    return tuple(dict.fromkeys((*named, *LEADS)))


def methods_with(gait: str) -> tuple[str, ...]:
    """The methods that have a gait, by any of its names."""
    return tuple(name for name, info in methods().items() if info.resolved(gait) is not None)


def gaits_elsewhere(gait: str, method: str) -> str:
    """What other methods have of gaits, for an error about one that this method does not have."""
    if found := methods_with(gait):
        return f"; {' and '.join(found)} {'has' if len(found) == 1 else 'have'} it: add --method {found[0]}"
    more = {
        other: [name for name in info.gaits if method not in methods_with(name)]
        for other, info in methods().items()
        if other != method
    }
    listed = "; ".join(f"{other} has also {', '.join(names)}" for other, names in more.items() if names)
    return f" (method {method})" + (f"; {listed}" if listed else "")


def gait_with_lead(gait: str | None, lead: str | None) -> str | None:
    """A gait by name and lead; a lead without a gait that has one is refused."""
    if lead is None:
        return gait
    if lead not in LEAD_SIDES:
        raise HoofbeatError(f"lead: expected left or right, given {lead!r}")
    if gait not in LEADS:
        raise HoofbeatError(f"--lead goes with --gait canter or gallop, given {gait or 'no gait'}")
    return f"{gait}-{lead}"


def complete_method(incomplete: str) -> list[str]:
    """Methods that begin so."""
    return [name for name in methods() if name.startswith(incomplete)]


def complete_gait(incomplete: str) -> list[str]:
    """Gaits that begin so."""
    return [name for name in gaits() if name.startswith(incomplete)]


def complete_breed(incomplete: str) -> list[str]:
    """Breeds that begin so."""
    return [name for name in BREEDS if name.startswith(incomplete)]


def complete_checked_gait(incomplete: str) -> list[str]:
    """Gaits that a check knows and that begin so."""
    return [name for name in CHECKED_GAITS if name.startswith(incomplete)]


def complete_terrain(incomplete: str) -> list[str]:
    """Terrains that begin so."""
    return [name for name in TERRAINS if name.startswith(incomplete)]
