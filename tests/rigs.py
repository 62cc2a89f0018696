"""Rigs for tests: skeletons of animals, people and tables by the names of their joints, standing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import Clip
from hoofbeat.body.skeleton import Skeleton

#: Where the joints of a leg are, by how many there are: outward, up and forward of the first [m].
FORE = {
    3: [(0.0, 0.0, 0.0), (0.0, -0.35, -0.08), (0.0, -0.8, 0.0)],
    4: [(0.0, 0.0, 0.0), (0.0, -0.25, -0.12), (0.0, -0.6, -0.08), (0.0, -0.85, -0.06)],
    5: [(0, 0, 0), (0, -0.25, -0.12), (0, -0.6, -0.08), (0, -0.85, -0.06), (0.0, -0.95, 0.0)],
    6: [(0, 0, 0), (0, -0.25, -0.12), (0, -0.6, -0.08), (0, -0.8, -0.06), (0, -0.9, 0), (0, -0.95, 0.04)],
}
HIND = {
    3: [(0.0, 0.0, 0.0), (0.0, -0.4, 0.1), (0.0, -0.9, 0.0)],
    4: [(0.0, 0.0, 0.0), (0.0, -0.35, 0.13), (0.0, -0.65, -0.1), (0.0, -0.95, -0.08)],
    5: [(0, 0, 0), (0, -0.35, 0.13), (0, -0.65, -0.1), (0, -0.95, -0.08), (0.0, -1.05, 0.0)],
    6: [(0, 0, 0), (0, -0.35, 0.13), (0, -0.65, -0.1), (0, -0.9, -0.08), (0, -1, 0), (0, -1.05, 0.05)],
}
Place = tuple[float, float, float]


class Tree:
    """A skeleton under construction: joints by name, parent and place in the world [m]."""

    def __init__(self, root: str = "Root", place: Place = (0.0, 1.1, -0.5)) -> None:
        self.names = [root]
        self.parents = [-1]
        self.places = [np.array(place, float)]

    def add(self, name: str, parent: str, place: Sequence[float]) -> str:
        """A joint at a place in the world."""
        self.names.append(name)
        self.parents.append(self.names.index(parent))
        self.places.append(np.array(place, float))
        return name

    def chain(self, names: Sequence[str], parent: str, places: Sequence[Sequence[float]]) -> None:
        """Joints that hang below each other."""
        for name, place in zip(names, places, strict=True):
            parent = self.add(name, parent, place)

    def skeleton(self) -> Skeleton:
        """The skeleton, whose rest pose is the places."""
        places = np.array(self.places)
        offsets = places - places[np.maximum(self.parents, 0)]
        return Skeleton(self.names, self.parents, offsets)

    def clip(self, frames: int = 1) -> Clip:
        """A clip that stands still in the rest pose."""
        return still(self.skeleton(), self.places[0], frames)


def still(skeleton: Skeleton, place: NDArray[np.float64] | Place, frames: int = 1) -> Clip:
    """A clip of a skeleton in its rest pose."""
    turns = np.zeros((frames, len(skeleton), 4))
    turns[..., 3] = 1.0
    return Clip(skeleton, turns, np.tile(np.asarray(place, float), (frames, 1)), 30.0)


def animal(
    fore: Sequence[Sequence[str]], hind: Sequence[Sequence[str]], girdle: tuple[int, int] = (0, 0)
) -> Tree:
    """A standing quadruped: names of the left and the right leg at each end, of which the first `girdle`
    joints are above the ball joint. Head, ears, jaw and tail have names that no leg has."""
    tree = Tree("Pelvis_c")
    tree.chain(["Spine1", "Spine2", "Chest"], "Pelvis_c", [(0, 1.1, -0.3), (0, 1.1, 0), (0, 1.1, 0.4)])
    tree.chain(["Neck", "Head"], "Chest", [(0, 1.2, 0.6), (0, 1.5, 0.8)])
    tree.add("Jaw", "Head", (0, 1.35, 0.95))
    for side, name in ((1, "Ear_L"), (-1, "Ear_R")):
        tree.chain([name, name + "_tip"], "Head", [(0.05 * side, 1.6, 0.8), (0.06 * side, 1.7, 0.8)])
    tree.chain(["Tail1", "Tail2", "Tail3"], "Pelvis_c", [(0, 1.1, -0.6), (0, 0.9, -0.7), (0, 0.6, -0.75)])
    for pair, parent, z, places, skip in (
        (fore, "Chest", 0.5, FORE, girdle[0]),
        (hind, "Pelvis_c", -0.5, HIND, girdle[1]),
    ):
        for side, names in zip((1, -1), pair, strict=True):
            height = 0.95 if z > 0 else 1.05
            below = np.array(places[len(names) - skip], float) * (side, 1, 1) + (0.15 * side, height, z)
            above = [(0.06 * side, height + 0.02 * (skip - k), z) for k in range(skip)]
            tree.chain(names, parent, [*above, *below])
    return tree


def person(arms: Sequence[Sequence[str]], legs: Sequence[Sequence[str]]) -> Tree:
    """A person with hanging arms; names of the left and the right, shoulder to finger and hip to toe."""
    tree = Tree("Hips", (0, 1.0, 0))
    tree.chain(["Spine", "Neck", "Head"], "Hips", [(0, 1.2, 0), (0, 1.5, 0), (0, 1.7, 0.02)])
    arm = [(0.03, 1.45, 0), (0.2, 1.45, 0), (0.22, 1.17, 0), (0.22, 0.92, 0.02), (0.22, 0.82, 0.03)]
    leg = [(0.1, 0.95, 0), (0.1, 0.52, 0.02), (0.1, 0.1, 0), (0.1, 0.0, 0.12), (0.1, 0.0, 0.18)]
    for side, above, below in zip((1, -1), arms, legs, strict=True):
        tree.chain(above, "Spine", [(x * side, y, z) for x, y, z in arm[-len(above) :]])
        tree.chain(below, "Hips", [(x * side, y, z) for x, y, z in leg[: len(below)]])
    return tree


def table(legs: int, apart: float = 0.8) -> Tree:
    """A table with legs of three joints in two rows; it has no head, no tail and does not move."""
    tree = Tree("top", (0, 1, 0))
    for k in range(legs):
        x, z = (0.4 if k % 2 else -0.4), (k // 2 - (legs // 2 - 1) / 2) * apart
        tree.chain([f"leg{k}a", f"leg{k}b", f"leg{k}c"], "top", [(x, 1, z), (x, 0.5, z + 0.01), (x, 0, z)])
    return tree
