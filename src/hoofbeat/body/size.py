"""Size: how tall an animal is, and how one of another height moves alike (dynamic similarity).

Animals of one shape move alike where lengths go with the height h and times with its square root: then
gravity is the same for all. Speeds go with the root of h as well, turning rates with one over it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import HoofbeatError, SkeletonError

#: Least and greatest withers height [m]: below the smallest pony's foal, above the tallest horse twice over.
HEIGHTS = (0.3, 4.0)
#: The joint at the withers of the thesis's horse.
WITHERS = "Thoracic01"


class HeightError(HoofbeatError):
    """A withers height that is no number or out of range, or a skeleton whose withers cannot be found."""


@dataclass(frozen=True)
class Size:
    """An animal `factor` times as tall as the one that a method speaks of."""

    factor: float = 1.0

    @property
    def pace(self) -> float:
        """Its times over those of the method's own animal, and its speeds over theirs."""
        return math.sqrt(self.factor)

    @property
    def own(self) -> bool:
        """Whether it is the method's own, so that nothing is scaled."""
        return self.factor == 1.0


def size_of(skeleton: Skeleton, height: object = None) -> Size:
    """The size of an animal of this withers height [m]; None is the skeleton's own."""
    if height is None:
        return Size()
    return Size(checked_height(height) / withers_height(skeleton))


def checked_height(height: object) -> float:
    """A withers height [m], or a HeightError that says what is allowed."""
    number = isinstance(height, int | float | np.integer | np.floating) and not isinstance(height, bool)
    # Compared before it is made a float, since whole numbers may be too large for one; NaN fails too.
    if not (number and HEIGHTS[0] <= height <= HEIGHTS[1]):  # type: ignore[operator]
        least, most = HEIGHTS
        try:
            given = f"{height!r:.60}"
        except ValueError:  # a whole number of thousands of digits
            given = "a number of thousands of digits"
        raise HeightError(f"height must be {least:g} to {most:g} m at the withers, given {given}")
    return float(height)  # type: ignore[arg-type]


def withers_height(skeleton: Skeleton, standing: NDArray[Any] | None = None) -> float:
    """Height [m] of the withers over the lowest node, at rest.

    The joint WITHERS where there is one, else the highest that is above a foreleg in the tree and lies above
    its top. standing: positions (J, 3) [m] of the animal as it stands, where its rest pose does not
    (recordings often have all bones along one axis); then the tops of the forelegs count as well.
    """
    heights = (skeleton.rest_positions() if standing is None else standing)[:, 1]
    low = float(heights.min())
    if WITHERS in skeleton.names:
        high = float(heights[skeleton.index(WITHERS)])
    else:
        tops = [leg.top for leg in skeleton.legs[:2]]
        carrying = {joint for top in tops for joint in _above(skeleton, top)}
        shoulders = max((float(heights[top]) for top in tops), default=low)
        high = max((float(heights[joint]) for joint in carrying), default=low)
        if tops and standing is not None:
            high = max(high, shoulders)
        elif not tops or high <= shoulders:
            raise HeightError(
                f"this skeleton has no {WITHERS} and no joint above the forelegs, so its "
                "withers cannot be found; leave height out and scale the result, as with Skeleton.scaled"
            )
    if not high > low:
        raise HeightError(f"the withers are no higher than the feet ({high:g} m and {low:g} m) at rest")
    return high - low


def hip_height(skeleton: Skeleton) -> float:
    """Height of the hips above the hind toes [m] with every rotation zero: the h of a Froude number."""
    if len(skeleton.legs) != 4:
        raise SkeletonError("a hip height needs named legs; name them with Skeleton.with_legs(...)")
    rest = skeleton.rest_positions()
    return float(np.mean([rest[leg.top, 1] - rest[leg.toe, 1] for leg in skeleton.legs[2:]]))


def _above(skeleton: Skeleton, joint: int) -> list[int]:
    """The joints from the parent of one up to the root."""
    found: list[int] = []
    while (joint := int(skeleton.parents[joint])) >= 0:
        found.append(joint)
    return found
