"""Anatomy: which joints make the legs, how far they bend, and how they are tied together.

Angles are flexion [rad] about the lateral axis from the rest pose (all rotations zero), which must be
a standing one. A leg bends in a zigzag: fore elbow forward and carpus back, hind stifle back and hock
forward. Stifle and hock are tied by the reciprocal apparatus: the solver bends them only together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.legs.chains import is_above
from hoofbeat.body.skeleton import Leg, Skeleton
from hoofbeat.errors import SkeletonError

#: Range of flexion from rest [deg]; negative is extension. Elbow and carpus after Morales 1998 (trot, 91
#: to 146 and 99 to 181 of the joint) widened for the gallop Action, the elbow's extension to the 154 of a
#: walking horse (Nicodemus: 154 +- 3; 138 at rest); stifle and hock by the same Action.
ELBOW, CARPUS = (-16.0, 115.0), (-8.0, 130.0)
STIFLE, HOCK = (-12.0, 100.0), (-12.0, 110.0)
#: Hock flexion for each degree of stifle flexion. The reciprocal apparatus ties them nearly one to one.
RECIPROCAL = 1.0
#: Share of the carpus, against the elbow, when a swinging foreleg is shortened.
CARPUS_SHARE = 0.5

#: One leg as the solver reads it. Offsets and axes are float32 in the parent joint's rest space.
LEG = np.dtype(
    [
        ("top", "i4"),
        ("mid", "i4"),
        ("low", "i4"),
        ("pastern", "i4"),  # -1 = none
        ("toe", "i4"),
        ("last", "i4"),  # last node under top: the nodes top..last are the whole leg
        ("to_mid", "f4", 3),  # top to mid [m]
        ("to_low", "f4", 3),  # mid to low [m]
        ("to_end", "f4", 3),  # low to fetlock, or to the toe where there is no pastern [m]
        ("to_toe", "f4", 3),  # fetlock to toe at rest [m]
        ("hoof", "i4"),  # the joint between pastern and hoof, -1 = none
        ("to_hoof", "f4", 3),  # fetlock to that joint at rest [m]
        ("axis", "f4", 3),  # lateral axis, to the animal's left
        ("bend_mid", "f4"),  # sign of flexion about the axis at mid
        ("bend_low", "f4"),
        ("share_strut", "f4"),  # flexion of low for each unit of mid, leg loaded
        ("share_swing", "f4"),  # the same, leg in the air
        ("mid_range", "f4", 2),  # flexion limits [rad]
        ("low_range", "f4", 2),
        ("reach", "f4"),  # farthest fetlock (or toe) from top within the limits [m]
    ],
    align=True,
)


def leg_table(skeleton: Skeleton) -> NDArray[Any]:
    """The solver's table of the four legs, (4,) of LEG."""
    if len(skeleton.legs) != 4:
        raise SkeletonError(
            "this skeleton has no named legs; name them with Skeleton.with_legs(find_legs(...)) or by hand"
        )
    table = np.zeros(4, LEG)
    for row, leg in zip(table, skeleton.legs, strict=True):
        if leg.low == leg.toe or not is_above(skeleton, leg.top, leg.toe):
            raise SkeletonError(
                f"leg {leg.name}, which ends at {skeleton.names[leg.toe]}, cannot be solved: top, mid, low "
                "and toe must be four joints that hang below each other"
            )
        _fill(row, leg, skeleton)
    table.setflags(write=False)
    return table


def _fill(row: Any, leg: Leg, skeleton: Skeleton) -> None:
    rest = skeleton.rest_positions()
    hind = leg.name.endswith("H")
    end = leg.toe if leg.pastern < 0 else leg.pastern
    row["top"], row["mid"], row["low"], row["pastern"], row["toe"] = (
        leg.top,
        leg.mid,
        leg.low,
        leg.pastern,
        leg.toe,
    )
    row["last"] = _last_under(skeleton, leg.top)
    row["to_mid"] = rest[leg.mid] - rest[leg.top]
    row["to_low"] = rest[leg.low] - rest[leg.mid]
    row["to_end"] = rest[end] - rest[leg.low]
    row["to_toe"] = rest[leg.toe] - rest[end]
    row["hoof"] = _hoof(skeleton, leg)
    row["to_hoof"] = rest[row["hoof"]] - rest[end] if row["hoof"] >= 0 else 0.0
    row["axis"] = (1, 0, 0)
    # About the leftward axis a positive turn swings a hanging bone backward.
    row["bend_mid"], row["bend_low"] = (1, -1) if hind else (-1, 1)
    row["share_strut"] = RECIPROCAL if hind else 0.0
    row["share_swing"] = RECIPROCAL if hind else CARPUS_SHARE
    row["mid_range"] = np.radians(STIFLE if hind else ELBOW)
    row["low_range"] = np.radians(HOCK if hind else CARPUS)
    row["reach"] = _reach(row)


def _hoof(skeleton: Skeleton, leg: Leg) -> int:
    """The joint half-way from the fetlock to the toe, -1 where the toe is a child of the fetlock itself."""
    above = int(skeleton.parents[leg.toe])
    return above if leg.pastern >= 0 and int(skeleton.parents[above]) == leg.pastern else -1


def _last_under(skeleton: Skeleton, top: int) -> int:
    last = top
    for j in range(top + 1, len(skeleton)):
        if top <= skeleton.parents[j]:
            last = j
        else:
            break
    under = {top}
    for j in range(top + 1, len(skeleton)):
        if int(skeleton.parents[j]) in under:
            under.add(j)
    if len(under) != last - top + 1:
        raise SkeletonError(
            f"the nodes of a leg must follow each other; those under {skeleton.names[top]} do not"
        )
    return last


def _reach(row: Any) -> float:
    """Largest distance top to end over the range of flexion that the loaded leg may have."""
    low = max(float(row["mid_range"][0]), -np.inf)
    best = 0.0
    for flex in np.linspace(low, 0.3, 61):
        second = flex * float(row["share_strut"])
        if not row["low_range"][0] <= second <= row["low_range"][1]:
            continue
        a, b = flex * float(row["bend_mid"]), second * float(row["bend_low"])
        lower = np.asarray(row["to_low"], float) + _about_x(b) @ np.asarray(row["to_end"], float)
        best = max(best, float(np.linalg.norm(np.asarray(row["to_mid"], float) + _about_x(a) @ lower)))
    return best


def _about_x(angle: float) -> NDArray[np.float64]:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
