"""Poses: a clip's moments as the matrices that move a skin."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import Clip
from hoofbeat.body.mesh.skin import Skin
from hoofbeat.body.pose import world_of
from hoofbeat.maths import quat
from hoofbeat.render.gl.stage import StagePose

Floats = NDArray[np.float64]


class DrawnPoses:
    """A clip at fractional frame numbers (M,), each about its place on the ground: centre (M, 3) [m]."""

    def __init__(self, clip: Clip, plain: Skin, moments: Floats, centre: Floats) -> None:
        low = np.clip(np.floor(moments).astype(np.int64), 0, len(clip) - 1)
        high = np.minimum(low + 1, len(clip) - 1)
        share = (moments - low)[:, None]
        local = quat.slerp(clip.rotations[low], clip.rotations[high], share)
        origins = clip.origins[low] * (1 - share) + clip.origins[high] * share
        self._places, self._turns = world_of(clip.skeleton, local, origins)
        self._centre = centre * np.array([1.0, 0.0, 1.0])
        self._rest = clip.skeleton.rest_positions()
        self._plain = plain
        self._points = np.concatenate([plain.vertices, np.ones((len(plain.vertices), 1), np.float32)], axis=1)

    def __len__(self) -> int:
        return len(self._places)

    def at(self, m: int) -> StagePose:
        """The pose of moment m."""
        turns = quat.to_matrix(self._turns[m])
        shifts = self._places[m] - self._centre[m] - np.einsum("jab,jb->ja", turns, self._rest)
        bones = np.concatenate([turns, shifts[..., None]], axis=-1)
        return StagePose(bones, self._form(bones.astype(np.float32)), self._centre[m, [0, 2]])

    def _form(self, bones: NDArray[np.float32]) -> NDArray[np.float32]:
        """The plain skin (V, 3) in a pose. Few vertices: NumPy is quick enough, and compiles nothing."""
        skin = self._plain
        blended = np.einsum("vk,vkab->vab", skin.weights, bones[skin.joints])
        return np.einsum("vab,vb->va", blended, self._points)
