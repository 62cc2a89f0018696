"""Expected: the gaits that a name asks of a clip, and the gait that a clip shows most."""

from __future__ import annotations

from collections.abc import Sequence

from hoofbeat.check.recognise import NAMES, Stride
from hoofbeat.errors import UnknownGait
from hoofbeat.gaits.gait import ALIASES, FAMILIES, OTHER_STRIDES

#: Names of strides that are no gait to be kept up.
NO_GAIT = ("stand", *OTHER_STRIDES)
#: Every name that can be asked for.
KNOWN = (*NAMES, *FAMILIES, *ALIASES)


def expected_gaits(name: str) -> tuple[str, ...]:
    """The gaits, of recognise.NAMES, that a name allows: "pace" is the rack, "canter" has both leads."""
    plain = ALIASES.get(name, name)
    if plain in FAMILIES:
        return FAMILIES[plain]
    if plain not in NAMES:
        raise UnknownGait(name, KNOWN)
    return (plain,)


def dominant(strides: Sequence[Stride], among: Sequence[str] = ()) -> str | None:
    """The gait that lasts longest, of those in `among` or else of all that are gaits; None where none is."""
    seconds: dict[str, float] = {}
    for stride in strides:
        if stride.gait in among if among else stride.gait not in NO_GAIT:
            seconds[stride.gait] = seconds.get(stride.gait, 0.0) + stride.duration
    return max(seconds, key=lambda gait: seconds[gait]) if seconds else None
