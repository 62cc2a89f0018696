"""Sides: which node of a skeleton each becomes in a mirror, and which axis points aside."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.legs.vocabulary import CODES, SIDES, words_of
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import SkeletonError

#: How far the offset of a node may lie from its mirror image [m]: the recorded dog has one of 1.5 mm.
NEAR = 2e-3

#: A name with more words for sides names no side.
MOST_SIDES = 3

_OTHER = {"L": "R", "R": "L"}


def sides_of(skeleton: Skeleton) -> tuple[NDArray[np.int64], int]:
    """The node (J,) that each becomes in a mirror, and the axis of their spaces that points aside.

    Pairs are found by the words for left and right in their names. Where bones are no mirror images it is a
    SkeletonError: a network would learn motion that the animal cannot make.
    """
    mirror = _pairs(skeleton)
    for node, other in enumerate(mirror.tolist()):
        parent, across = int(skeleton.parents[node]), int(skeleton.parents[other])
        if node and mirror[parent] != across:
            names = skeleton.names
            raise SkeletonError(
                f"{names[node]} and {names[other]} are named as a pair, but their parents "
                f"{names[parent]} and {names[across]} are not; rename them"
            )
    for left, right in (skeleton.legs[:2], skeleton.legs[2:]) if skeleton.legs else ():
        if mirror[left.toe] != right.toe:
            raise SkeletonError(f"{left.name} and {right.name} have toes that are no pair by their names")
    fit = [_misfit(skeleton, mirror, axis) for axis in range(3)]
    axis = min(range(3), key=lambda k: fit[k][0])
    worst, node = fit[axis]
    if worst > NEAR:
        names = skeleton.names
        raise SkeletonError(
            f"{names[node]} and {names[int(mirror[node])]} are no mirror images: their offsets differ by "
            f"{worst * 1000:.1f} mm, at most {NEAR * 1000:g} are allowed; a skeleton that is the same on "
            "both sides is needed"
        )
    return mirror, axis


def _pairs(skeleton: Skeleton) -> NDArray[np.int64]:
    words = [words_of(name) for name in skeleton.names]
    place = {each: node for node, each in enumerate(words)}
    mirror = np.arange(len(words))
    for node, each in enumerate(words):
        options = [_across(word) for word in each]
        if 0 < sum(option != [word] for option, word in zip(options, each, strict=True)) <= MOST_SIDES:
            for other in product(*options):
                mirror[node] = place.get(other, int(mirror[node]))
    lone = np.flatnonzero(mirror[mirror] != np.arange(len(words)))
    if len(lone):
        name = skeleton.names[int(lone[0])]
        raise SkeletonError(f"{name}: several nodes could be its other side; give them names that differ")
    if (mirror == np.arange(len(words))).all():
        raise SkeletonError(
            "no node is named left or right (Left, .L, _l, LF ...), so that no mirror image can be made"
        )
    return mirror


def _across(word: str) -> list[str]:
    """What a word may be on the other side: the words for it, or itself where it names no side."""
    for table in (CODES, SIDES):
        if word in table:
            side = table[word]
            return [given for given, found in table.items() if found == _OTHER[side[0]] + side[1:]]
    return [word]


def _misfit(skeleton: Skeleton, mirror: NDArray[np.int64], axis: int) -> tuple[float, int]:
    """How far offsets lie from their mirror images across an axis at most [m], and at which node.

    The root's own offset is where a file began, and no bone.
    """
    image = skeleton.offsets[mirror].copy()
    image[:, axis] *= -1
    distance = np.linalg.norm(image - skeleton.offsets, axis=1)
    distance[0] = 0.0
    node = int(np.argmax(distance))
    return float(distance[node]), node
