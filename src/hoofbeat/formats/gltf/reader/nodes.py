"""glTF nodes: the tree of a file, and the rest transform of each node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.formats.gltf.objects import Item
from hoofbeat.maths import quat

Floats = NDArray[np.float64]

#: Translations beyond this [file units] are a broken file; it keeps sums and squares finite.
MAX_LENGTH = 1e12
#: A scale outside these bounds is a broken file too.
MAX_SCALE = 1e6


@dataclass(frozen=True)
class Rest:
    """A node's own transform: translation (3,), rotation (4,) xyzw unit, scale (3,)."""

    translation: Floats
    rotation: Floats
    scale: Floats


@dataclass(frozen=True)
class Nodes:
    """The nodes of a file: parents (-1 = none) and children by index; order has parents first. A forest."""

    items: list[Item]
    parents: list[int]
    children: list[list[int]]
    order: list[int]

    def label(self, index: int) -> str:
        """The node's name, or node_12 where it has none."""
        return self.items[index].name() or f"node_{index}"

    def above(self, index: int) -> list[int]:
        """The node's ancestors, the topmost first."""
        found: list[int] = []
        while (index := self.parents[index]) >= 0:
            found.append(index)
        return found[::-1]

    def rest(self, index: int) -> Rest:
        """The node's transform relative to its parent while nothing moves it."""
        item = self.items[index]
        if item.has("matrix"):
            return _decomposed(item)
        translation = np.array(item.numbers("translation", 3, (0.0, 0.0, 0.0)))
        rotation = np.array(item.numbers("rotation", 4, (0.0, 0.0, 0.0, 1.0)))
        scale = np.array(item.numbers("scale", 3, (1.0, 1.0, 1.0)))
        if not np.abs(rotation).max() > 1e-6:
            raise item.fail("a quaternion of length 0 is no rotation", "rotation")
        return _checked(item, translation, rotation, scale)


def read_nodes(root: Item) -> Nodes:
    """The forest of nodes; a node with two parents or a circle is an error."""
    items = root.items("nodes")
    parents = [-1] * len(items)
    children = [item.indices("children", len(items), "nodes") for item in items]
    for index, below in enumerate(children):
        for child in below:
            if parents[child] >= 0:
                raise items[child].fail(f"has two parents, nodes {parents[child]} and {index}")
            parents[child] = index
    # Going down from the roots reaches everything but circles.
    order = [index for index, parent in enumerate(parents) if parent < 0]
    for index in order:
        order.extend(children[index])
    if len(order) < len(items):
        first = min(set(range(len(items))) - set(order))
        raise items[first].fail("is its own ancestor; nodes must make a tree")
    return Nodes(items, parents, children, order)


def _decomposed(item: Item) -> Rest:
    """Translation, rotation and scale of a matrix, which the file gives by columns."""
    matrix = np.array(item.numbers("matrix", 16, ())).reshape(4, 4).T
    columns = matrix[:3, :3]
    scale = np.linalg.norm(columns, axis=0)
    if not (scale > 1e-9).all():
        raise item.fail("has a column of length 0, so it has no rotation", "matrix")
    turn = columns / scale
    if np.linalg.det(turn) < 0:
        # A mirror: it shows as a negative scale, which is judged where scales are.
        scale, turn = -scale, -turn
    if np.abs(turn.T @ turn - np.eye(3)).max() > 1e-3:
        raise item.fail("is sheared, which joints cannot be; apply transforms before the export", "matrix")
    return _checked(item, matrix[:3, 3], quat.from_matrix(turn), scale)


def _checked(item: Item, translation: Floats, rotation: Floats, scale: Floats) -> Rest:
    if np.abs(translation).max() > MAX_LENGTH:
        raise item.fail(f"a translation beyond {MAX_LENGTH:g} is no animal", "translation")
    if np.abs(scale).max() > MAX_SCALE:
        raise item.fail(f"a scale beyond {MAX_SCALE:g} is no animal", "scale")
    return Rest(translation, quat.normalize(rotation), scale)
