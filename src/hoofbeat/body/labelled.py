"""Labelled clips: motion as a network learns it, with poses in root space, its path and actions.

Root space: origin on the ground under the root joint, +Z ahead, X to the animal's left. Only NumPy is
imported here and by all that training needs, so that it runs on any machine with a graphics card.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import HoofbeatError
from hoofbeat.maths import quat

Floats = NDArray[Any]
#: A half turn about each axis, xyzw: with a reflection of both sides it mirrors a rotation.
_HALF_TURNS = np.concatenate([np.eye(3), np.zeros((3, 1))], axis=1).astype(np.float32)


class LabelledClipError(HoofbeatError):
    """Labelled clips that do not fit each other or their rig."""


@dataclass(frozen=True, eq=False)
class Rig:
    """What all clips of a set share.

    modelled (M,): the nodes that a network is given and gives, the four toes LF, RF, LH, RH at `feet` among
    them; mirror (J,): the node that each becomes in a mirror, with the axis of its own space (0 = x, 1 = y,
    2 = z) that points aside; actions: names; swaps (A,): the action that each becomes in a mirror.
    """

    skeleton: Skeleton
    modelled: NDArray[np.int64]
    mirror: NDArray[np.int64]
    axis: int
    actions: tuple[str, ...]
    swaps: NDArray[np.int64]

    def __post_init__(self) -> None:
        nodes = len(self.skeleton)
        if sorted(self.mirror.tolist()) != list(range(nodes)) or self.axis not in (0, 1, 2):
            raise LabelledClipError(f"mirror must name each of the {nodes} nodes once, axis be 0, 1 or 2")
        if sorted(self.swaps.tolist()) != list(range(len(self.actions))):
            raise LabelledClipError(f"swaps must name each of the {len(self.actions)} actions once")
        if len(self.skeleton.legs) != 4 or not set(self.toes) <= set(self.modelled.tolist()):
            raise LabelledClipError("a rig needs four named legs whose toes are among its modelled nodes")

    @property
    def toes(self) -> tuple[int, ...]:
        """The nodes of the four toes."""
        return tuple(leg.toe for leg in self.skeleton.legs)

    @property
    def feet(self) -> tuple[int, ...]:
        """Places of the four toes among the modelled nodes."""
        modelled = self.modelled.tolist()
        return tuple(modelled.index(toe) for toe in self.toes)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the modelled nodes."""
        return tuple(self.skeleton.names[int(j)] for j in self.modelled)


@dataclass(frozen=True, eq=False)
class LabelledClip:
    """One recording at 60 Hz. T frames, J nodes.

    rotations (T, J, 4) float32 xyzw, local, that of node 0 in root space; origins (T, 3) float32 [m],
    the root joint in root space; root (T, 3) float64: x, z [m] and heading [rad], 0 = +Z, left positive;
    actions (T,) int8; used (T,) bool: frames to learn from; copies (T,) uint8: how often each is shown;
    test: kept out of training.
    """

    name: str
    rotations: NDArray[np.float32]
    origins: NDArray[np.float32]
    root: NDArray[np.float64]
    actions: NDArray[np.int8]
    used: NDArray[np.bool_]
    copies: NDArray[np.uint8]
    test: bool = False

    def __post_init__(self) -> None:
        frames = len(self.rotations)
        for key in ("origins", "root", "actions", "used", "copies"):
            if len(getattr(self, key)) != frames:
                raise LabelledClipError(f"clip {self.name!r}: {key} need {frames} rows")
        for key in ("rotations", "origins", "root"):
            if not np.isfinite(getattr(self, key)).all():
                raise LabelledClipError(f"clip {self.name!r}: {key} hold NaN or infinity; leave the clip out")

    def __len__(self) -> int:
        return len(self.rotations)


def in_root_space(skeleton: Skeleton, rotations: ArrayLike, origins: ArrayLike) -> tuple[Floats, Floats]:
    """Positions (T, J, 3) [m] and rotations (T, J, 4) of all nodes in root space, by forward kinematics.

    The compiled version is `maths.fk`; this one needs no compiler.
    """
    local = np.asarray(rotations)
    turns, places = np.empty_like(local), np.empty((*local.shape[:2], 3), local.dtype)
    turns[:, 0], places[:, 0] = local[:, 0], origins
    offsets = skeleton.offsets.astype(local.dtype)
    for j in range(1, len(skeleton)):
        p = int(skeleton.parents[j])
        places[:, j] = places[:, p] + quat.rotate(turns[:, p], offsets[j])
        turns[:, j] = quat.mul(turns[:, p], local[:, j])
    return places, turns


def mirrored_clip(clip: LabelledClip, rig: Rig) -> LabelledClip:
    """The same motion in a mirror, left for right. Mirrored twice it is the clip itself."""
    local = _reflected(clip.rotations[:, rig.mirror], rig.axis, rig.axis)
    local[:, 0] = _reflected(clip.rotations[:, 0], 0, rig.axis)
    return LabelledClip(
        f"{clip.name} mirrored",
        local,
        clip.origins * np.array([-1, 1, 1], np.float32),
        clip.root * np.array([-1.0, 1.0, -1.0]),
        rig.swaps[clip.actions].astype(np.int8),
        clip.used,
        clip.copies,
        clip.test,
    )


def _reflected(rotations: NDArray[np.float32], outside: int, inside: int) -> NDArray[np.float32]:
    """Rotations (..., 4) mirrored across `outside` of the parent's space, `inside` of its own."""
    return quat.mul(quat.mul(_HALF_TURNS[outside], rotations), _HALF_TURNS[inside])


def headings(ahead: Floats, fps: float, half: float) -> NDArray[np.float64]:
    """Smooth headings (T,) [rad] of vectors ahead (T, 2) (x, z), averaged over `half` [s] to each side.

    Longer vectors count more: where a trunk stands upright, its shadow says little of where it faces.
    """
    width = max(1, round(half * fps))
    # A window without corners, so that the turning rate is smooth as well.
    window = np.hanning(2 * width + 3)[1:-1]
    padded = np.pad(np.asarray(ahead, np.float64), ((width, width), (0, 0)), mode="edge")
    smooth = np.stack([np.convolve(padded[:, k], window, "valid") for k in range(2)], axis=1)
    return np.unwrap(np.arctan2(smooth[:, 0], smooth[:, 1]))


def one_hot(actions: NDArray[np.int8], count: int) -> NDArray[np.float32]:
    """Rows (T, count) with a 1 at each action."""
    return np.eye(count, dtype=np.float32)[actions]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Labelled clips of one rig, and where they came from: sources (name, sha256), notes in words."""

    rig: Rig
    clips: tuple[LabelledClip, ...]
    sources: tuple[tuple[str, str], ...] = ()
    notes: str = ""

    def __post_init__(self) -> None:
        nodes = len(self.rig.skeleton)
        for clip in self.clips:
            if clip.rotations.shape != (len(clip), nodes, 4):
                raise LabelledClipError(
                    f"clip {clip.name!r} is of another skeleton: {clip.rotations.shape[1]} nodes, not {nodes}"
                )
            if len(clip) and not 0 <= clip.actions.min() <= clip.actions.max() < len(self.rig.actions):
                raise LabelledClipError(
                    f"clip {clip.name!r} has actions that are none of {', '.join(self.rig.actions)}"
                )
