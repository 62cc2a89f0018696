"""Recordings: a folder of BVH clips becomes the labelled clips that a network learns from (N1).

The root is the root joint projected on the ground, its heading that from hips to shoulders, smoothed. Frames
on props are left out, trot and canter are shown more often. Whatever is wrong with a clip is an error that
names its file: nothing is trained on silently wrong data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import Clip
from hoofbeat.body.labelled import Dataset, LabelledClip, Rig, headings
from hoofbeat.body.resample import resampled
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.check.measures.intake import unit_of
from hoofbeat.check.motion import Motion, motion_of
from hoofbeat.check.recognise import Stride, strides_named
from hoofbeat.errors import FileError, HoofbeatError
from hoofbeat.export import load
from hoofbeat.formats import files
from hoofbeat.maths import quat
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.methods.neural.network.layout import RATE
from hoofbeat.offline.neural.data.labels import (
    ACTIONS,
    FILE,
    JUMP,
    MOVE,
    Labels,
    changes_of,
    labels_of,
    read_labels,
    set_about,
)
from hoofbeat.offline.neural.data.props import flights_of, on_props
from hoofbeat.offline.neural.data.sides import sides_of
from hoofbeat.offline.neural.data.split import digest_of, split_for

#: The heading is smoothed over this time to each side [s].
FACING = 0.15
#: Shortest clip [s], slowest frame rate [1/s], and how far from RATE one still counts as it.
SHORTEST, SLOWEST_RATE, SAME_RATE = 0.5, 20.0, 0.005
#: Offsets of clips of one skeleton differ by at most this [m].
SAME_BONES = 1e-3
#: A floor farther than this from 0 is brought there [leg lengths].
FLOOR_OFF = 0.1
#: Around a jump of a clip on props so much is used [s]: its run-up and what follows it.
AROUND = 0.6
#: Trot and canter are shown so often; where no stride is recognised, so are frames faster than this [m/s].
OFTEN, COPIES, FAST = ("trot", "canter"), 11, 1.6
#: Changes of posture, of which there are few, are shown so often, from before to after each [s]; jumps, of
#: which there are fewer still, as often as trot and canter.
CHANGES, BEFORE, AFTER = 5, 0.75, 0.75
#: Strides that turn less than this are straight [rad].
STRAIGHT = 0.8
#: Slower than this Froude number feet that land as in a trot or canter are shifted about: quadrupeds change
#: to running gaits there (Griffin et al. 2004).
RUNNING = 0.35
#: Gaits of strides, as the paper has them.
GAITS = {
    "walk": ("walk", "amble"),
    "pace": ("pacing-walk", "rack"),
    "trot": ("trot",),
    "canter": ("canter", "gallop", "rotary-gallop"),
}

Progress = Callable[[int, int], None]


class RecordingsError(FileError):
    """A clip, or a folder of clips, that no network should learn from."""


@dataclass(frozen=True, eq=False)
class _Recording:
    """One clip: labelled; labels; straight strides by their gaits (GAITS) with their speeds [m/s]; speeds
    (T,) [m/s]; why frames are left out, with how many; notes in words."""

    labelled: LabelledClip
    labels: Labels
    strides: tuple[tuple[str, float], ...]
    speeds: NDArray[np.float64]
    left_out: dict[str, int]
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class RecordedMotion:
    """All clips of a folder as a dataset, and what is known of each."""

    dataset: Dataset
    clips: tuple[_Recording, ...]
    split: str


def read_recordings(
    folder: str | PathLike[str],
    scale: float | None = None,
    split: str | PathLike[str] | None = None,
    progress: Progress | None = None,
) -> RecordedMotion:
    """The clips (*.bvh) of a folder, labelled.

    scale: metres for each unit of the files, None = guessed by the size of the first animal; split: a split
    file, None = the dog's where it knows the files, else one clip in ten by name; progress(done, total).
    """
    where = Path(folder)
    paths = sorted(p for p in where.glob("*") if p.suffix.lower() == ".bvh") if where.is_dir() else []
    if not paths:
        what = "holds no .bvh file" if where.is_dir() else "is no folder"
        raise RecordingsError(f"{what}; give a folder of BVH clips", folder)
    parts = split_for([path.stem for path in paths], split)
    table = read_labels(where)
    unit = _unit(paths[0]) if scale is None else scale
    rig: Rig | None = None
    clips: list[_Recording] = []
    sources: list[tuple[str, str]] = []
    for done, path in enumerate(paths):
        digest = digest_of(files.read_bytes(path, error=RecordingsError))
        test = parts.is_test(path.stem, digest)
        clip, notes = _clip(path, unit)
        rig = rig or _rig(clip, path)
        _check_skeleton(clip.skeleton, rig.skeleton, path, paths[0])
        motion = _motion(clip, path)
        labels = labels_of(path.stem, motion, table, where / FILE)
        clips.append(_recording(motion, labels, notes, test))
        sources.append((path.name, digest))
        if progress is not None:
            progress(done + 1, len(paths))
    assert rig is not None
    remarks = [f"unit {unit:g} m", f"split: {parts.name}"]
    remarks += [f"{one.labelled.name}: {note}" for one in clips for note in one.notes]
    lost = sorted(set(parts.digests) - {path.stem for path in paths})
    remarks += [f"missing: {', '.join(lost)}"] if lost else []
    dataset = Dataset(rig, tuple(one.labelled for one in clips), tuple(sources), "\n".join(remarks))
    return RecordedMotion(dataset, tuple(clips), parts.name)


def _unit(path: Path) -> float:
    """Metres for each unit of a file, by the size of its animal."""
    return unit_of(_motion(_loaded(path, 1.0), path).hip)


def _loaded(path: Path, unit: float) -> Clip:
    """The clip of a file, the root's own offset left out: it says where a file began."""
    clip = load(path, scale=unit)
    offsets = clip.skeleton.offsets.copy()
    offsets[0] = 0.0
    bones = clip.skeleton
    skeleton = Skeleton(bones.names, bones.parents, offsets, bones.ends, bones.legs)
    return Clip(skeleton, clip.rotations, clip.origins, clip.fps, name=path.stem)


def _clip(path: Path, unit: float) -> tuple[Clip, tuple[str, ...]]:
    """The clip of a file at RATE frames a second, and what was done to it."""
    clip = _loaded(path, unit)
    if clip.seconds < SHORTEST:
        raise RecordingsError(
            f"lasts {clip.seconds:.2f} s, at least {SHORTEST} s are needed; leave it out", path
        )
    if clip.fps < SLOWEST_RATE:
        raise RecordingsError(
            f"has {clip.fps:g} frames a second; feet are lost below {SLOWEST_RATE:g}, leave it out", path
        )
    if abs(clip.fps / RATE - 1) <= SAME_RATE:
        return Clip(clip.skeleton, clip.rotations, clip.origins, RATE, name=clip.name), ()
    return resampled(clip, RATE), (f"resampled from {clip.fps:g} to {RATE} frames a second",)


def _rig(clip: Clip, path: Path) -> Rig:
    """The rig of all clips: every node is modelled."""
    if len(clip.skeleton.legs) != 4:
        raise RecordingsError("no four legs found by the names of its joints; rename them", path)
    try:
        mirror, axis = sides_of(clip.skeleton)
    except HoofbeatError as problem:
        raise RecordingsError(str(problem), path) from problem
    every = np.arange(len(clip.skeleton))
    return Rig(clip.skeleton, every, mirror, axis, ACTIONS, np.arange(len(ACTIONS)))


def _check_skeleton(given: Skeleton, first: Skeleton, path: Path, other: Path) -> None:
    """Refuse a clip of another animal than the first one's."""
    others = f"than {other.name}; keep clips of one skeleton in a folder"
    if given.names != first.names or (given.parents != first.parents).any():
        odd = sorted(set(given.names) ^ set(first.names))
        raise RecordingsError(
            f"has another skeleton {others}. Differing: {', '.join(odd[:4]) or 'order'}", path
        )
    distance = np.linalg.norm(given.offsets - first.offsets, axis=1)
    if distance.max() > SAME_BONES:
        node = given.names[int(np.argmax(distance))]
        raise RecordingsError(f"has other bones {others}. {node} lies {distance.max():.4f} m elsewhere", path)


def _motion(clip: Clip, path: Path) -> Motion:
    try:
        return motion_of(clip)
    except HoofbeatError as problem:
        raise RecordingsError(str(problem), path) from problem


def _recording(motion: Motion, labels: Labels, notes: tuple[str, ...], test: bool) -> _Recording:
    strides = _straight(motion)
    speeds = np.hypot(*motion.velocity.T)
    used, left_out = _used(motion, labels)
    copies = _copies(motion, labels, strides, speeds)
    shift = float(motion.level.min())
    if abs(shift) <= FLOOR_OFF * motion.leg:
        shift = 0.0
    else:
        notes = (*notes, f"its floor was at {shift:.2f} m")
    actions = set_about(labels.actions, motion.fps)
    labelled = labelled_clip_of(motion.clip, actions, used, copies, test, shift)
    named = tuple((word, stride.speed) for stride in strides if (word := gait_word(stride, motion.hip)))
    return _Recording(labelled, labels, named, speeds, left_out, notes)


def labelled_clip_of(
    clip: Clip,
    actions: NDArray[np.int8],
    used: NDArray[np.bool_],
    copies: NDArray[np.uint8],
    test: bool,
    floor: float = 0.0,
) -> LabelledClip:
    """A clip with its labels; floor: the height of the ground in the clip [m]."""
    tops = clip.positions[:, [leg.top for leg in clip.skeleton.legs]]
    ahead = tops[:, :2].mean(axis=1) - tops[:, 2:].mean(axis=1)
    heading = headings(ahead[:, [0, 2]], clip.fps, FACING)
    rotations = np.array(clip.rotations)
    rotations[:, 0] = quat.mul(quat.from_axis_angle([0.0, 1.0, 0.0], -heading), rotations[:, 0])
    origins = np.zeros((len(clip), 3), np.float32)
    origins[:, 1] = clip.origins[:, 1] - floor
    root = np.column_stack([clip.origins[:, [0, 2]], heading])
    return LabelledClip(clip.name, rotations.astype(np.float32), origins, root, actions, used, copies, test)


def _straight(motion: Motion) -> list[Stride]:
    """The strides that do not turn much."""
    found: list[Stride] = []
    for stride in strides_named(motion):
        part = motion.frames(stride.start, stride.stop)
        if abs(motion.heading[part.stop - 1] - motion.heading[part.start]) <= STRAIGHT:
            found.append(stride)
    return found


def gait_word(stride: Stride, hip: float) -> str:
    """The paper's word for the gait of a stride, "" for what is none; hip: height of the hips [m]."""
    bare = stride.gait.removesuffix("-left").removesuffix("-right")
    word = next((word for word, names in GAITS.items() if bare in names), "")
    slow = stride.speed**2 < RUNNING * GRAVITY * hip
    return "" if word in OFTEN and slow else word


def _used(motion: Motion, labels: Labels) -> tuple[NDArray[np.bool_], dict[str, int]]:
    """Frames to learn from, and how many are left out, by reason.

    Of a clip on props only what its authors trained on is used, and its jumps from floor to floor: without
    them hardly a jump is left.
    """
    borne = on_props(motion)
    used = ~borne
    if not borne.any():
        return used, {}
    allowed = np.zeros(len(used), bool)
    for start, stop in labels.ranges if labels.ranges is not None else ():
        allowed[start:stop] = True
    margin = round(AROUND * motion.fps)
    if labels.ranges is not None:
        for start, stop in flights_of(motion)[0]:
            allowed[max(start - margin, 0) : stop + margin] = True
    left = {"on a prop": int(borne.sum()), "of a clip on props": int((used & ~allowed).sum())}
    return used & allowed, left


def _copies(
    motion: Motion, labels: Labels, strides: list[Stride], speeds: NDArray[np.float64]
) -> NDArray[np.uint8]:
    """How often each frame is shown."""
    moving = (labels.actions == MOVE) | (labels.actions == JUMP)
    often = speeds >= FAST
    for stride in strides:
        word = gait_word(stride, motion.hip)
        if word:
            often[motion.frames(stride.start, stride.stop)] = word in OFTEN
    copies = np.where(often & moving, COPIES, 1)
    jumps = np.flatnonzero(labels.actions == JUMP)
    for frames, count in ((changes_of(labels.actions), CHANGES), (jumps, COPIES)):
        for k in frames.tolist():
            part = slice(max(k - round(BEFORE * motion.fps), 0), k + round(AFTER * motion.fps))
            copies[part] = np.maximum(copies[part], count)
    return copies.astype(np.uint8)
