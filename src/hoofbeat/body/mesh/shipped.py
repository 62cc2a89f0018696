"""Dress: the shipped skin that fits a skeleton, in its size."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from hoofbeat.body.mesh.skin import Skin, animals, load_skin, size_beside
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import SkeletonError

#: Skins that are kept once they are read.
KEPT = 16


def dress_of(skeleton: Skeleton, level: str = "medium", coat: str = "") -> Skin | None:
    """The skin of the shipped animal that has this skeleton in any size; None where there is none.

    level and coat as for `load_skin`. Vertices are in the skeleton's own size, so that they stand about
    `skeleton.rest_positions()`.
    """
    for animal in animals():
        try:
            size = size_beside(_bare(animal).skeleton, skeleton)
        except SkeletonError:
            continue
        skin = _loaded(animal, level, coat)
        if size == 1.0:
            return skin
        return replace(skin, skeleton=skeleton, vertices=skin.vertices * np.float32(size))
    return None


@lru_cache(maxsize=KEPT)
def _loaded(animal: str, level: str, coat: str) -> Skin:
    return load_skin(animal, level, coat)


def _bare(animal: str) -> Skin:
    """The animal's smallest skin, read for its skeleton."""
    return _loaded(animal, "low", "")
