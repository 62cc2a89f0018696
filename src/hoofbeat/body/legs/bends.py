"""Bends: how far the bones of the legs are bent against each other, and what recordings show of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hoofbeat.body.labelled import Dataset, in_root_space
from hoofbeat.body.legs.chains import nodes_of
from hoofbeat.body.skeleton import Skeleton

Floats = NDArray[np.float64]


def bent_nodes(skeleton: Skeleton) -> NDArray[np.int64]:
    """Nodes (B,) of the legs whose bone and the one above it both have a length."""
    long, parents = np.linalg.norm(skeleton.offsets, axis=1) > 0, skeleton.parents
    below = [node for leg in skeleton.legs for node in nodes_of(leg)[1:]]
    return np.array([j for j in below if parents[j] > 0 and long[j] and long[parents[j]]])


def bends_of(positions: ArrayLike, skeleton: Skeleton) -> Floats:
    """Angles (..., B) [rad] between the bones of `bent_nodes` in poses (..., J, 3) and those above them."""
    at, parents = np.asarray(positions, np.float64), skeleton.parents
    nodes = bent_nodes(skeleton)
    below = at[..., nodes, :] - at[..., parents[nodes], :]
    above = at[..., parents[nodes], :] - at[..., parents[parents[nodes]], :]
    cosine = (below * above).sum(axis=-1)
    sine = np.linalg.norm(np.cross(below, above), axis=-1)
    return np.arctan2(sine, cosine)


def bend_ranges(dataset: Dataset) -> Floats:
    """Least and most bend (B, 2) [rad] of the frames that are learnt from; the mirror image of a pose counts
    as recorded."""
    skeleton, mirror = dataset.rig.skeleton, dataset.rig.mirror
    least, most = np.full(len(bent_nodes(skeleton)), np.pi), np.zeros(len(bent_nodes(skeleton)))
    for clip in dataset.clips:
        if clip.used.any():
            places, _ = in_root_space(skeleton, clip.rotations[clip.used], clip.origins[clip.used])
            bends = bends_of(places, skeleton)
            least, most = np.minimum(least, bends.min(axis=0)), np.maximum(most, bends.max(axis=0))
    nodes = bent_nodes(skeleton).tolist()
    other = [nodes.index(mirror[node]) for node in nodes]
    return np.stack([np.minimum(least, least[other]), np.maximum(most, most[other])], axis=1)
