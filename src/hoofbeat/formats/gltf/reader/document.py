"""glTF reader: an open file, how to read it, and clips made of its animations."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import Clip
from hoofbeat.body.pose import positions_of
from hoofbeat.body.root import ROOT, YAW
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import GltfError
from hoofbeat.formats.bvh.reader import MAX_LENGTH, MAX_POSES, unique_names
from hoofbeat.formats.gltf.accessor import Accessors
from hoofbeat.formats.gltf.container import GltfFile
from hoofbeat.formats.gltf.extras import Notes, offset_of, read_notes, role_of
from hoofbeat.formats.gltf.reader.detached import find_reparenting
from hoofbeat.formats.gltf.reader.local import TOLERANCE, listed_names
from hoofbeat.formats.gltf.reader.motion import ReadMotion, checked, sample_motion
from hoofbeat.formats.gltf.reader.nodes import read_nodes
from hoofbeat.formats.gltf.reader.rig import find_rig, unknown
from hoofbeat.formats.gltf.reader.track import Animation, Animations
from hoofbeat.maths import quat

Floats = NDArray[np.float64]
Scale = float | Literal["auto"] | None

#: Frame rate of a clip where neither the caller nor the file says one.
DEFAULT_FPS = 60.0
#: Poses (frames times nodes) that any file may ask for; more only if it has a byte for each.
FREE_POSES = 2**21
#: scale="auto": the animal must be no longer than this [m], and these are the units it may be in.
LARGEST_ANIMAL = 10.0
UNITS = (1.0, 0.01, 0.001)
#: Where an animal looks when only the up axis is given: glTF's +Z, and Blender's -Y under Z up.
FORWARD = {"x": "z", "y": "z", "z": "-y"}


@dataclass(frozen=True)
class Reading:
    """How a file is to be read; `gltf.read_gltf` tells what each field means."""

    fps: float | None = None
    scale: Scale = None
    up: str | None = None
    forward: str | None = None
    skin: str | None = None
    root: str | None = None


class DocumentReader:
    """Makes clips of one file. `complaints` gathers what a clip could not hold."""

    def __init__(self, file: GltfFile, how: Reading) -> None:
        self.file, self.how = file, how
        _check(how, file.path)
        self._turn = _axes(how.up, how.forward, file.path)
        self.nodes = read_nodes(file.root)
        self.animations = Animations(file.root, Accessors(file), len(self.nodes.items))
        paths = self.animations.paths()
        rig = find_rig(file.root, self.nodes, {node for node, _ in paths}, how.skin, how.root)
        # The look for loose joints has accessors of its own, so that it does not use up what may be read.
        self._reparenting = find_reparenting(
            self.nodes, rig, paths, Animations(file.root, Accessors(file), len(self.nodes.items))
        )
        self.rig = self._reparenting.rig
        given = self.animations.names()
        self.names = unique_names(given, [False] * len(given))
        self.complaints: list[str] = []
        self._poses = 0
        self._skeletons: list[Skeleton] = []
        self._places: list[tuple[str, dict[int, Floats]]] = []

    def choose(self, clip: str | int | None) -> int | None:
        """The number of an animation by name or number; the first for None; None where there is none."""
        if clip is None:
            return 0 if self.names else None
        if isinstance(clip, str):
            if clip not in self.names:
                raise self.file.root.fail(unknown("animation", clip, self.names), "animations")
            return self.names.index(clip)
        if not 0 <= clip < len(self.names):
            message = f"no animation number {clip}; the file has {len(self.names)}, counted from 0"
            raise self.file.root.fail(message, "animations")
        return clip

    def clip(self, index: int | None) -> Clip:
        """The animation with this number as a clip; None gives the rest pose as one frame."""
        found = self._clip(index)
        self._report_reparented(found.skeleton)
        return found

    def _clip(self, index: int | None) -> Clip:
        animation = None if index is None else self.animations.animation(index)
        notes = read_notes(animation.item) if animation else Notes()
        fps = self.how.fps or notes.fps or DEFAULT_FPS
        at = self._frame_times(animation, fps)
        motion = sample_motion(self.nodes, self._reparenting, animation, at)
        name = Path(self.file.path).stem if index is None else self.names[index]
        self.complaints += [f"{name}: {text}" for text in motion.complaints]
        motion.offsets[0] = offset_of(self.nodes.items[self.rig.nodes[0]]) or motion.offsets[0]
        self._convert(motion)
        self._places.append((name, motion.new_places))
        extras = self._track(motion)
        rows = np.rint((at - at[0]) * notes.fps).astype(np.int64)
        extras |= notes.names_at(rows)
        skeleton = self._skeleton(motion.offsets)
        contacts = notes.contacts_at(rows)
        return Clip(skeleton, motion.rotations, motion.origins, fps, contacts, name, extras)

    def clips(self) -> list[Clip]:
        """Every animation as a clip, all with one skeleton, so that they can go to one file again."""
        found = [self._clip(index) for index in range(len(self.names))]
        if len(self._skeletons) > 1:
            shared = self._shared(found)
            found = [
                Clip(shared, c.rotations, c.origins, c.fps, c.contacts, c.name, dict(c.extras)) for c in found
            ]
        if found:
            self._report_reparented(found[0].skeleton)
        return found

    def _shared(self, clips: list[Clip]) -> Skeleton:
        """One skeleton for all clips, with the mean of their bones."""
        every = np.array([skeleton.offsets for skeleton in self._skeletons])
        differ = [j for j in np.flatnonzero(np.ptp(every, axis=0).max(axis=1)) if j not in self._places[0][1]]
        if differ:
            names = listed_names([self.rig.names[j] for j in differ])
            self.complaints.append(f"the bones to {names} differ between animations; their mean is used")
        weights = [sum(len(clip) for clip in clips if clip.skeleton is one) for one in self._skeletons]
        mean = np.average(every, axis=0, weights=weights)
        return Skeleton(self.rig.names, self.rig.parents, mean, self.rig.ends)

    def _report_reparented(self, skeleton: Skeleton) -> None:
        """Say which joints have other parents than in the file, and how far they stray from their bones."""
        if not (new_parents := self._reparenting.new_parents):
            return
        names = self._reparenting.file.names
        moved, by = (listed_names([names[j] for j in nodes]) for nodes in (new_parents, new_parents.values()))
        found = f"{moved} move with {by}"
        bones = {j: skeleton.offsets[j] for j in self._places[0][1]}
        off = {
            name: max(float(np.linalg.norm(track - bones[j], axis=1).max()) for j, track in places.items())
            for name, places in self._places
        }
        limit = TOLERANCE * float(np.linalg.norm(skeleton.offsets[1:], axis=1).max())
        worst = sorted((name for name in off if off[name] > limit), key=off.__getitem__, reverse=True)
        kept = f" to {listed_names([f'{off[name]:.2g} m ({name})' for name in worst])}" if worst else ""
        self.complaints.append(f"{found}: reparented there; their place there is kept{kept}")

    def _frame_times(self, animation: Animation | None, fps: float) -> Floats:
        """Times (T,) [s] of the frames: from the first key to the last, which is always reached."""
        if animation is None:
            return np.zeros(1)
        start, stop = animation.span({*self.rig.nodes, *self.rig.above})
        frames = int(np.ceil((stop - start) * fps - 1e-3)) + 1
        self._poses += frames * (len(self.rig.nodes) + len(self.rig.above))
        limit = min(MAX_POSES, max(FREE_POSES, self.file.size))
        if self._poses > limit:
            message = f"{stop - start:g} s at {fps:g} frames a second are {frames} frames of"
            raise animation.item.fail(f"{message} {len(self.rig.nodes)} nodes; {limit} poses may be read")
        return start + np.arange(frames) / fps

    def _convert(self, motion: ReadMotion) -> None:
        """To metres, Y up and +Z forward, in place."""
        motion.origins = quat.rotate(self._turn, motion.origins)
        motion.rotations[:, 0] = quat.mul(self._turn, motion.rotations[:, 0])
        factor = self.how.scale
        if factor == "auto":
            checked(motion, MAX_LENGTH, self.file.path)
            factor = self._unit(motion)
        with np.errstate(over="ignore", invalid="ignore"):
            motion.origins = motion.origins * (factor or 1.0)
            motion.offsets = motion.offsets * (factor or 1.0)
            motion.new_places = {j: place * (factor or 1.0) for j, place in motion.new_places.items()}
            for node, (position, turn) in motion.ancestors.items():
                moved = quat.rotate(self._turn, position) * (factor or 1.0)
                motion.ancestors[node] = moved, quat.mul(self._turn, turn)
        checked(motion, MAX_LENGTH, self.file.path)

    def _unit(self, motion: ReadMotion) -> float:
        """Metres per file unit: the first unit in which the animal is of a sensible size."""
        skeleton = Skeleton(self.rig.names, self.rig.parents, motion.offsets)
        positions = positions_of(skeleton, motion.rotations[:1], motion.origins[:1])[0]
        length = float(np.ptp(positions, axis=0).max())
        return next((unit for unit in UNITS if length * unit <= LARGEST_ANIMAL), 1.0)

    def _track(self, motion: ReadMotion) -> dict[str, NDArray[Any]]:
        """The extras root and yaw, where a node that this package marked as such has them."""
        for node, (position, turn) in motion.ancestors.items():
            if role_of(self.nodes.items[node]) == "root" and np.abs(turn[:, ::2]).max() < 1e-6:
                return {ROOT: position, YAW: np.unwrap(2 * np.arctan2(turn[:, 1], turn[:, 3]))}
        return {}

    def _skeleton(self, offsets: Floats) -> Skeleton:
        """A skeleton with these offsets; clips of one file share it where they can."""
        for known in self._skeletons:
            if np.array_equal(known.offsets, offsets):
                return known
        self._skeletons.append(Skeleton(self.rig.names, self.rig.parents, offsets, self.rig.ends))
        return self._skeletons[-1]


def _check(how: Reading, path: str) -> None:
    if how.fps is not None and not 0 < how.fps <= 10_000:
        raise GltfError(f"fps must be in (0, 10000], given {how.fps}", path)
    if how.scale is None or how.scale == "auto":
        return
    if isinstance(how.scale, str) or not (np.isfinite(how.scale) and how.scale > 0):
        message = f"scale must be a positive number (metres per file unit) or 'auto', given {how.scale!r}"
        raise GltfError(message, path)


def _axes(up: str | None, forward: str | None, path: str) -> Floats:
    """The rotation (4,) that takes the file's up to +Y and its forward to +Z."""
    up = "y" if up is None else up
    above = _axis(up, path)
    forward = FORWARD[up[-1].lower()] if forward is None else forward
    ahead = _axis(forward, path)
    if above @ ahead:
        raise GltfError(f"up {up!r} and forward {forward!r} lie along one axis; choose two", path)
    return quat.from_matrix(np.stack([np.cross(above, ahead), above, ahead]))


def _axis(text: str, path: str) -> Floats:
    letter, sign = text[-1:].lower(), text[:-1]
    if letter not in quat.AXES or sign not in ("", "+", "-"):
        raise GltfError(f"an axis is x, y or z with a sign, such as '-z'; given {text!r}", path)
    return np.eye(3)[quat.AXES[letter]] * (-1.0 if sign == "-" else 1.0)
