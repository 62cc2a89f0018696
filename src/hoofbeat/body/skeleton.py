"""Skeleton: a validated, read-only tree of joints, with its legs named where they are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hoofbeat.errors import SkeletonError, UnknownJoint

#: The order of legs, everywhere: left fore, right fore, left hind, right hind.
LEGS = ("LF", "RF", "LH", "RH")
#: A tree deeper or wider than this is a broken file, not an animal.
MAX_JOINTS = 4096


@dataclass(frozen=True)
class Leg:
    """One leg as joint indices, from the ball joint under the trunk down to the ground.

    `top` is the shoulder or hip (all directions), `mid` the elbow or stifle, `low` the carpus or
    hock, `pastern` the fetlock (or -1 where a paw has none), `toe` the node that touches the ground.
    """

    name: str
    top: int
    mid: int
    low: int
    pastern: int
    toe: int


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Joint tree. Arrays are read-only; parents come before children; index 0 is the only root.

    names (J,), unique; parents (J,) int64, -1 for the root; offsets (J, 3) float64 [m], in the
    parent's space with all rotations zero; `ends` (J,) bool marks end sites, which have a position
    but no channels of their own. `legs` is empty or the four legs in the order LF, RF, LH, RH.
    """

    names: tuple[str, ...]
    parents: NDArray[np.int64]
    offsets: NDArray[np.float64]
    ends: NDArray[np.bool_]
    legs: tuple[Leg, ...] = field(default=())

    def __init__(
        self,
        names: Sequence[str],
        parents: ArrayLike,
        offsets: ArrayLike,
        ends: ArrayLike | None = None,
        legs: Sequence[Leg] = (),
    ) -> None:
        count = len(names)
        fields = {
            "names": tuple(names),
            "parents": _frozen(parents, np.int64),
            "offsets": _frozen(offsets, np.float64),
            "ends": _frozen(np.zeros(count, bool) if ends is None else ends, np.bool_),
            "legs": tuple(legs),
        }
        for key, value in fields.items():
            object.__setattr__(self, key, value)
        self._validate()

    def _validate(self) -> None:
        count = len(self.names)
        if not 1 <= count <= MAX_JOINTS:
            raise SkeletonError(f"a skeleton has 1 to {MAX_JOINTS} joints, this one has {count}")
        needed = {"parents": (count,), "offsets": (count, 3), "ends": (count,)}
        wrong = [name for name, shape in needed.items() if getattr(self, name).shape != shape]
        if wrong:
            raise SkeletonError(f"{', '.join(wrong)}: need one row for each of the {count} names")
        twice = sorted(name for name, times in Counter(self.names).items() if times > 1)
        if twice:
            raise SkeletonError(f"joint names must differ; repeated: {', '.join(twice[:5])}")
        if self.parents[0] != -1:
            raise SkeletonError(f"joint 0 must be the root (parent -1), its parent is {self.parents[0]}")
        for j in range(1, count):
            if not 0 <= self.parents[j] < j:
                raise SkeletonError(
                    f"joint {j} ({self.names[j]}) has parent {self.parents[j]}: parents come before "
                    "their children, and there is one root"
                )
        if not np.isfinite(self.offsets).all():
            bad = self.names[int(np.argmax(~np.isfinite(self.offsets).all(axis=1)))]
            raise SkeletonError(f"offset of joint {bad} is not finite")
        if self.legs and tuple(leg.name for leg in self.legs) != LEGS:
            given = [leg.name for leg in self.legs]
            raise SkeletonError(f"legs come in the order {', '.join(LEGS)}, given {given}")

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        legs = f"legs {', '.join(leg.name for leg in self.legs)}" if self.legs else "no legs named"
        ends = int(self.ends.sum())
        return f"Skeleton({len(self) - ends} joints and {ends} end sites under {self.names[0]!r}, {legs})"

    def index(self, name: str) -> int:
        """Index of a joint by name; an unknown name lists the joints there are."""
        try:
            return self.names.index(name)
        except ValueError:
            raise UnknownJoint(name, self.names) from None

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints that can turn (end sites left out)."""
        return tuple(n for n, end in zip(self.names, self.ends, strict=True) if not end)

    def children(self, joint: int) -> NDArray[np.int64]:
        """Indices of the direct children."""
        return np.flatnonzero(self.parents == joint)

    def rest_positions(self) -> NDArray[np.float64]:
        """Positions (J, 3) [m] with every rotation zero and the root joint at the origin."""
        positions = np.zeros((len(self), 3))
        for j in range(1, len(self)):
            positions[j] = positions[self.parents[j]] + self.offsets[j]
        return positions

    def scaled(self, factor: float) -> Skeleton:
        """The same tree with all bones `factor` times as long."""
        if not (np.isfinite(factor) and factor > 0):
            raise SkeletonError(f"scale must be a positive number, given {factor}")
        return Skeleton(self.names, self.parents, self.offsets * factor, self.ends, self.legs)

    def with_legs(self, legs: Sequence[Leg]) -> Skeleton:
        """The same tree with these legs named."""
        return Skeleton(self.names, self.parents, self.offsets, self.ends, legs)


def _frozen(values: ArrayLike, dtype: Any) -> NDArray[Any]:
    array = np.array(values, dtype)
    array.setflags(write=False)
    return array
