"""Gait: when each foot lands and how long it stands, for the gaits of the horse.

The gaits are data: the parameter files in data/gaits say what each is and where its numbers are from, and
the authoring command (`python -m hoofbeat.offline.author`) writes their table, which is read here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from hoofbeat.errors import UnknownGait
from hoofbeat.shipped import DATA

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


def _read(path: Path) -> MappingProxyType[str, Gait]:
    rows = json.loads(path.read_text(encoding="utf-8"))["gaits"]
    return MappingProxyType(
        {
            row["name"]: Gait(
                row["name"],
                row["beats"],
                tuple(row["touchdown"]),
                tuple(row["duty"]),
                row["suspensions"],
                tuple(row["speed"]),
            )
            for row in rows
        }
    )


#: The table of gaits that the authoring command writes, from the parameter files beside it.
GAIT_TABLE = DATA / "gaits" / "gaits.json"
#: Every gait by name, slow to fast; canter and gallop are named by the fore that leads.
GAITS = _read(GAIT_TABLE)

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


#: The lead that is meant where none is given: the left one, so that a horse goes from "canter" to "gallop"
#: without a change of lead.
LEADS = MappingProxyType({family_of(name): name for name in GAITS if lead_of(name) > 0})


def gait_named(name: str) -> Gait:
    """The gait of a name, an alias, or "canter" and "gallop" without a lead; else UnknownGait."""
    found = GAITS.get(LEADS.get(name) or ALIASES.get(name, name))
    if found is None:
        raise UnknownGait(name, [*GAITS, *LEADS, *ALIASES])
    return found
