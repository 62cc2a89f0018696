"""Mirror: the left half of a body becomes the whole, with the joints of the other side."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import Skeleton

Floats = NDArray[np.float64]


def whole(points: Floats, faces: NDArray[Any]) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """Points (V, 3) and faces of both halves, and twin (V,): the vertex on the other side.

    The points of the left half come first, in their order; those with x = 0 are their own twins.
    """
    count = len(points)
    aside = np.flatnonzero(points[:, 0] != 0.0)
    twin = np.arange(count)
    twin[aside] = count + np.arange(len(aside))
    other = np.concatenate([twin, aside])
    both = np.concatenate([points, points[aside] * np.array([-1.0, 1.0, 1.0])])
    return both, np.concatenate([faces, twin[faces[:, ::-1]]]), other


def other_side(skeleton: Skeleton) -> NDArray[np.int64]:
    """For every joint (J,) the one on the other side, by its name; middle joints are their own."""
    swap = {"Left": "Right", "Right": "Left"}
    out = np.arange(len(skeleton))
    for j, name in enumerate(skeleton.names):
        for word, opposite in swap.items():
            if word in name:
                out[j] = skeleton.index(name.replace(word, opposite))
    return out
