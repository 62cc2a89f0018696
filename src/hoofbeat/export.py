"""Export: clips to files and back, by file ending.

A format is one line in WRITERS or READERS: the module is imported when a file of its kind is first met,
so that nobody pays for pictures or USD who writes neither.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from hoofbeat.body.clip import METHOD, Clip, register_writer
from hoofbeat.body.legs.find import find_legs
from hoofbeat.body.mesh.shipped import dress_of
from hoofbeat.body.mesh.skin import Skin
from hoofbeat.body.resample import resampled
from hoofbeat.body.root import in_place as on_the_spot
from hoofbeat.body.skeleton import LEGS, Skeleton
from hoofbeat.errors import ClipError, SeveralClipsWarning, nearest
from hoofbeat.formats.csvfile import Event, known_contacts, write_events, write_frames
from hoofbeat.gaits.footfall import flights, intervals

Progress = Callable[[int, int], None]
#: How a glTF file of another program is laid out: axes of its world, and which part to read.
LAYOUT = ("up", "forward", "skin", "root")
#: Options for the body in a file of motion, and of a picture (`hoofbeat.render.picture.Wish`).
SKIN = ("coat", "level")
SHOWN = ("figure", "camera", "size", "theme", "smooth", "slow", "poses", "ground", *SKIN)
PICTURES = (".png", ".webp", ".gif", ".mp4")
#: The level that is not a skin but the bones, and that of a file where none is asked for.
BONES, COMMON = "bones", "medium"
#: A .csv of this name holds events instead of frames.
EVENTS_ENDING = ".events.csv"


@dataclass(frozen=True)
class Format:
    """One reader or writer: file endings, the function and its module, and options it always gets.

    `accepts` names the options that the function has itself: "in_place", "progress", "clips" (several in one
    file) and those of SHOWN for a writer, "scale", "clip", "fps" and "clips" (`several` reads them all)
    for a reader. What it does not accept is done here, or refused.
    """

    endings: tuple[str, ...]
    module: str
    function: str
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    accepts: tuple[str, ...] = ()
    several: str = ""


WRITERS = (
    Format((".bvh",), "hoofbeat.formats.bvh.writer", "write_bvh"),
    Format((".npz",), "hoofbeat.formats.npz", "write_npz"),
    Format((".csv",), "hoofbeat.export", "write_csv"),
    Format(
        (".glb", ".gltf"),
        "hoofbeat.formats.gltf.writer.save",
        "write_gltf",
        accepts=("in_place", "clips", *SKIN),
    ),
    Format(
        (".usda", ".usdc"), "hoofbeat.formats.usd.save", "write_usd", accepts=("in_place", "clips", *SKIN)
    ),
    Format(PICTURES, "hoofbeat.render.picture", "write_picture", accepts=("progress", *SHOWN)),
)
READERS = (
    Format((".bvh",), "hoofbeat.formats.bvh.reader", "read_bvh", accepts=("scale",)),
    Format((".npz",), "hoofbeat.formats.npz", "read_npz"),
    Format(
        (".glb", ".gltf"),
        "hoofbeat.formats.gltf.reader.load",
        "read_gltf",
        accepts=("scale", "clip", "fps", *LAYOUT),
        several="read_gltf_all",
    ),
)
_by_ending = {ending: entry for entry in WRITERS for ending in entry.endings}
_readers = {ending: entry for entry in READERS for ending in entry.endings}


def save(
    clip: Clip,
    path: str | PathLike[str],
    in_place: bool = False,
    progress: Progress | None = None,
    **wishes: Any,
) -> Path:
    """Write a clip in the format of the file's ending; returns the path.

    .bvh .npz .glb .gltf .usda .usdc hold the motion, .csv the contacts (.events.csv the events), .webp
    .gif .mp4 are moving pictures, .png a page of poses. in_place leaves out the path over the ground: the
    animal steps on the spot, facing +Z. progress(done, total) is called by the slow writers.
    wishes: coat and level ("low", "medium", "high", or "bones" without a skin) of the body in .glb .gltf
    .usda .usdc, and the fields of `hoofbeat.render.picture.Wish` for pictures; others are refused.
    """
    entry = _by_ending.get(Path(path).suffix.lower())
    if entry is None:  # a writer registered by others, or an ending that is refused
        return (on_the_spot(clip) if in_place else clip).save(path)
    return _write(entry, clip, Path(path), in_place, progress, wishes)


def save_all(
    clips: Sequence[Clip],
    path: str | PathLike[str],
    in_place: bool = False,
    progress: Progress | None = None,
    **wishes: Any,
) -> list[Path]:
    """Write clips under one name: one file where the format holds several, else NAME-CLIP.ending each."""
    target = Path(path)
    entry = _by_ending.get(target.suffix.lower())
    if entry is not None and "clips" in entry.accepts:
        return [_write(entry, list(clips), target, in_place, progress, wishes)]
    ending = EVENTS_ENDING if target.name.lower().endswith(EVENTS_ENDING) else target.suffix
    stem = target.name[: len(target.name) - len(ending)] if ending else target.name
    names = [target.with_name(f"{stem}-{clip.name}{ending}") for clip in clips]
    pairs = zip(clips, names, strict=True)
    return [save(clip, name, in_place, progress, **wishes) for clip, name in pairs]


def holds_several(path: str | PathLike[str]) -> bool:
    """Whether a file of this ending is written with several clips in it."""
    entry = _by_ending.get(Path(path).suffix.lower())
    return entry is not None and "clips" in entry.accepts


def wishes_of(path: str | PathLike[str]) -> tuple[str, ...]:
    """What can be wished of a file of this ending."""
    entry = _by_ending.get(Path(path).suffix.lower())
    return () if entry is None else tuple(word for word in entry.accepts if word in SHOWN)


def load(
    path: str | PathLike[str],
    scale: float | None = None,
    clip: str | int | None = None,
    fps: float | None = None,
    **layout: str | None,
) -> Clip:
    """Read a clip by the file's ending: .bvh, .npz, .glb or .gltf.

    scale: metres for each unit of the file (None = it is in metres); clip: which one, by name or number,
    of a file that holds several (where none is named the first is given, with a SeveralClipsWarning);
    fps: resample to so many frames a second. For .glb and .gltf also up and forward, the axes of the
    file's world such as "z" and "-y", skin and root, the names of the skin and of the joint to use as the
    root. The legs are named where the skeleton follows a known convention.
    """
    entry = _reader(path)
    options = {"scale": scale, "clip": clip, "fps": fps, **_layout(path, entry, layout)}
    given = {key: options[key] for key in entry.accepts if options.get(key) is not None}
    found = _function(entry.module, entry.function)(path, **entry.options, **given)
    if clip is not None and "clip" not in entry.accepts and clip not in (0, found.name):
        raise ClipError(f"{path}: holds one clip, {found.name!r}; there is no {clip!r}")
    if scale is not None and "scale" not in entry.accepts:
        found = _scaled(found, scale)
    if fps is not None and "fps" not in entry.accepts:
        found = resampled(found, fps)
    return _with_legs(found)


def load_all(path: str | PathLike[str], scale: float | None = None, **layout: str | None) -> list[Clip]:
    """Read every clip of a file, in its order; one for a format that holds one. Options as for `load`."""
    entry = _reader(path)
    if not entry.several:
        return [load(path, scale, None, None, **layout)]
    given: dict[str, Any] = {} if scale is None else {"scale": scale}
    given |= _layout(path, entry, layout)
    return [_with_legs(clip) for clip in _function(entry.module, entry.several)(path, **given)] or [
        load(path, scale, None, None, **layout)
    ]


def _layout(path: str | PathLike[str], entry: Format, layout: Mapping[str, str | None]) -> dict[str, str]:
    """The layout options that were given, refused where the format has no such thing."""
    given = {key: value for key, value in layout.items() if value is not None}
    for key in given:
        if key not in LAYOUT:
            raise ClipError(f"unknown option {key!r}. Known: scale, clip, fps, {', '.join(LAYOUT)}")
        if key not in entry.accepts:
            raise ClipError(f"{path}: {key} is for .glb and .gltf files only")
    return given


def load_skeleton(path: str | PathLike[str], scale: float | None = None) -> Skeleton:
    """Read the skeleton of a file that `load` reads; its legs are named where a convention is known."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeveralClipsWarning)  # all clips of a file have one skeleton
        return load(path, scale).skeleton


def write_csv(clip: Clip, path: str | PathLike[str]) -> Path:
    """Write contacts, phases, gait and path as CSV, a row a frame; `NAME.events.csv` gets the events."""
    if str(path).lower().endswith(EVENTS_ENDING):
        return write_events(events_of(clip), path)
    return write_frames(clip, path)


def events_of(clip: Clip) -> list[Event]:
    """Touchdowns, lift-offs, take-offs and landings of a clip in the order of time; those before the first
    frame or after the last are not known. A foot lands where its contact crosses one half."""
    contacts = known_contacts(clip)
    rows = [(leg, intervals(contacts[:, k], clip.fps)) for k, leg in enumerate(LEGS)]
    found = [
        Event(float(second), leg, word, _method_at(clip, second))
        for leg, times in rows
        for word, column in zip(("touchdown", "liftoff"), times.T, strict=True)
        for second in column[np.isfinite(column)]
    ]
    for word, column in zip(("takeoff", "landing"), flights(contacts, clip.fps).T, strict=True):
        known = column[np.isfinite(column)]
        found += [Event(float(second), "", word, _method_at(clip, second)) for second in known]
    return sorted(found, key=lambda event: event.time)


def _method_at(clip: Clip, second: float) -> str:
    """The method that made the frame nearest to a moment [s], "" where the clip does not say."""
    names = clip.extras.get(METHOD)
    return "" if names is None or names.ndim != 1 else str(names[round(second * clip.fps)])


def endings(table: Sequence[Format] = WRITERS) -> tuple[str, ...]:
    """File endings that a table knows, sorted."""
    return tuple(sorted(ending for entry in table for ending in entry.endings))


def _reader(path: str | PathLike[str]) -> Format:
    ending = Path(path).suffix.lower()
    if ending not in _readers:
        near = nearest(ending, _readers)
        hint = f"; did you mean {near}?" if near else "; it is written only." if ending in _by_ending else "."
        known = ", ".join(sorted(_readers))
        raise ClipError(f"{path}: cannot read {ending or 'a file without an ending'!r}{hint} Known: {known}")
    return _readers[ending]


def _write(
    entry: Format,
    clips: Clip | list[Clip],
    path: Path,
    in_place: bool,
    progress: Progress | None,
    wishes: Mapping[str, Any],
) -> Path:
    options = dict(entry.options) | _granted(entry, clips, path, wishes)
    if in_place and "in_place" in entry.accepts:
        options["in_place"] = True
    elif in_place:
        clips = on_the_spot(clips) if isinstance(clips, Clip) else [on_the_spot(clip) for clip in clips]
    if progress is not None and "progress" in entry.accepts:
        options["progress"] = progress
    _function(entry.module, entry.function)(clips, path, **options)
    return path


def _granted(
    entry: Format, clips: Clip | list[Clip], path: Path, wishes: Mapping[str, Any]
) -> dict[str, Any]:
    """The wishes as options of the writer; one that it does not know is refused."""
    for word in wishes:
        if word not in entry.accepts or word not in SHOWN:
            known = ", ".join(wishes_of(path)) or "nothing"
            raise ClipError(f"{path}: {word} cannot be wished of {path.suffix or 'it'}; known here: {known}")
    if "figure" in entry.accepts:
        return dict(wishes)
    return {"skin": _skin(clips, path, **wishes)} if "level" in entry.accepts else {}


def _skin(clips: Clip | list[Clip], path: Path, level: str = COMMON, coat: str = "") -> Skin | None:
    """The skin in a file of motion: that of our own animals, unless bones are wished."""
    given = clips if isinstance(clips, Clip) else clips[0] if clips else None
    if level == BONES or given is None:
        return None
    skin = dress_of(given.skeleton, level, coat)
    if skin is None and coat:
        raise ClipError(f"{path}: no skin is shipped for this skeleton, so it has no coat; leave it out")
    return skin


def _function(module: str, name: str) -> Callable[..., Any]:
    """The one place where a format's module is imported."""
    return getattr(importlib.import_module(module), name)


def _with_legs(clip: Clip) -> Clip:
    legs = () if clip.skeleton.legs else find_legs(clip.skeleton)
    if not legs:
        return clip
    skeleton = clip.skeleton.with_legs(legs)
    return Clip(skeleton, clip.rotations, clip.origins, clip.fps, clip.contacts, clip.name, {**clip.extras})


#: Extras that are lengths or speeds.
_LENGTHS = ("root", "travel", "speed", "shortfall")


def _scaled(clip: Clip, factor: float) -> Clip:
    """The clip with every length `factor` times as large, its times unchanged."""
    skeleton = clip.skeleton.scaled(factor)
    extras = {k: v * factor if k in _LENGTHS and v.dtype.kind == "f" else v for k, v in clip.extras.items()}
    return Clip(skeleton, clip.rotations, clip.origins * factor, clip.fps, clip.contacts, clip.name, extras)


def _save_plainly(entry: Format, clip: Clip, path: Path) -> None:
    _write(entry, clip, path, in_place=False, progress=None, wishes={})


for _ending, _entry in _by_ending.items():
    register_writer(_ending, partial(_save_plainly, _entry))
