"""Words: names that shells complete, kept here so that completion need not load the engine. A test keeps
them in step with it."""

from __future__ import annotations

from hoofbeat.errors import HoofbeatError, nearest
from hoofbeat.gaits.gait import ALIASES
from hoofbeat.gaits.gait import LEADS as TABLED_LEADS
from hoofbeat.methods.catalog import method_info

#: Every method with its gaits; the first that has a gait makes it where no method is said.
GAITS_OF = {name: method_info(name).gaits for name in ("actions", "timewarp", "froude", "neural")}
METHODS = tuple(GAITS_OF)
GAITS = tuple(dict.fromkeys(gait for gaits in GAITS_OF.values() for gait in gaits))
LEADS = ("left", "right")
TERRAINS = ("flat", "slope", "hills")
#: Gaits that a check can be told to expect.
CHECKED_GAITS = (
    "stand",
    "walk",
    "pacing-walk",
    "amble",
    "rack",
    "trot",
    "canter-left",
    "canter-right",
    "gallop-left",
    "gallop-right",
    "rotary-gallop-left",
    "rotary-gallop-right",
    "jump",
    "transition",
    "canter",
    "gallop",
    "transverse-gallop",
    "rotary-gallop",
    "idle",
    "halt",
    "pace",
    "single-foot",
    "toelt",
    "tölt",
)


def method_for(gait: str | None) -> str:
    """The first method that has a gait, by any of its words; where none has, the one that has the nearest,
    so that its error can name it."""
    if gait is None:
        return METHODS[0]
    near = nearest(gait, [*GAITS, *TABLED_LEADS, *ALIASES])
    found = knowing(gait) or (knowing(near) if near else ())
    return found[0] if found else METHODS[0]


def knowing(gait: str) -> tuple[str, ...]:
    """The methods that have a gait, by any of its words."""
    names = (gait, TABLED_LEADS.get(gait, ALIASES.get(gait, gait)))
    return tuple(method for method, gaits in GAITS_OF.items() if any(name in gaits for name in names))


def elsewhere(gait: str, method: str) -> str:
    """What other methods have of gaits, for an error about one that this method does not have."""
    if found := knowing(gait):
        return f"; {' and '.join(found)} {'has' if len(found) == 1 else 'have'} it: add --method {found[0]}"
    more = {
        other: [word for word in gaits if method not in knowing(word)]
        for other, gaits in GAITS_OF.items()
        if other != method
    }
    listed = "; ".join(f"{other} has also {', '.join(words)}" for other, words in more.items() if words)
    return f" (method {method})" + (f"; {listed}" if listed else "")


def with_lead(gait: str | None, lead: str | None) -> str | None:
    """A gait by name and lead; a lead without a gait that has one is refused."""
    if lead is None:
        return gait
    if lead not in LEADS:
        raise HoofbeatError(f"lead: expected left or right, given {lead!r}")
    if gait not in TABLED_LEADS:
        raise HoofbeatError(f"--lead goes with --gait canter or gallop, given {gait or 'no gait'}")
    return f"{gait}-{lead}"


def complete_method(incomplete: str) -> list[str]:
    """Methods that begin so."""
    return [word for word in METHODS if word.startswith(incomplete)]


def complete_gait(incomplete: str) -> list[str]:
    """Gaits that begin so."""
    return [word for word in GAITS if word.startswith(incomplete)]


def complete_checked_gait(incomplete: str) -> list[str]:
    """Gaits that a check knows and that begin so."""
    return [word for word in CHECKED_GAITS if word.startswith(incomplete)]


def complete_terrain(incomplete: str) -> list[str]:
    """Terrains that begin so."""
    return [word for word in TERRAINS if word.startswith(incomplete)]
