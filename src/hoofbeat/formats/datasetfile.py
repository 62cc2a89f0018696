"""Dataset file: labelled clips that a network learns from, small enough for any machine (.npz, no pickles).

Rotations are kept as whole numbers, 1/32767 a step, off by at most 1e-4 rad; origins to 1e-5 m; all else bit
for bit. What moves smoothly has small second differences in time: these are stored, low bytes and high bytes
separated, column after column, which deflate packs well. Only NumPy is imported, so that training needs no
more.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.labelled import Dataset, LabelledClip, Rig
from hoofbeat.body.skeleton import LEGS, Leg, Skeleton
from hoofbeat.errors import FileError, HoofbeatError
from hoofbeat.formats import files
from hoofbeat.formats.arrays import pack_arrays, read_arrays
from hoofbeat.maths import quat

#: The schema that is written and read.
FORMAT, VERSION = "hoofbeat.takes", 1
#: Steps of a quaternion's component of 1, and steps of a metre.
TURN_STEPS, PLACE_STEPS = 32767, 1e5
#: A node whose w never falls below this has it derived from x, y, z: from less it would be off too far.
DERIVED = 0.6
#: Most bytes of the arrays in a file, and of the rotations that they become.
MAX_INFLATED, MAX_ROTATIONS = 2 * 1024**3, 4 * 1024**3
#: How hard deflate tries: 9 needs twice the time of 6 for a hundredth less.
LEVEL = 6
#: Every array: its number of axes and the letters of the NumPy kinds that it may have.
ARRAYS = {
    "format": (0, "U"),
    "version": (0, "iu"),
    "names": (1, "U"),
    "parents": (1, "iu"),
    "offsets": (2, "f"),
    "ends": (1, "b"),
    "legs": (2, "iu"),
    "carried": (1, "iu"),
    "mirror": (1, "iu"),
    "axis": (0, "iu"),
    "action_names": (1, "U"),
    "swaps": (1, "iu"),
    "sources": (2, "U"),
    "notes": (0, "U"),
    "takes": (1, "U"),
    "frames": (1, "iu"),
    "test": (1, "b"),
    "actions": (1, "iu"),
    "used": (1, "b"),
    "copies": (1, "iu"),
    "fixed": (2, "iu"),
    "stored": (2, "b"),
    "derived": (1, "b"),
    "rotations": (3, "u"),
    "origins": (3, "u"),
    "root": (3, "u"),
}

Arrays = dict[str, NDArray[Any]]


class DatasetFileError(FileError):
    """A file that holds no clips of this schema, or clips that cannot be written as one."""


def write_dataset(path: str | PathLike[str], dataset: Dataset) -> Path:
    """Write a dataset; the same set gives the same bytes; returns the path."""
    return files.write_bytes(path, format_dataset(dataset, path), DatasetFileError)


def read_dataset(path: str | PathLike[str], max_inflated: int = MAX_INFLATED) -> Dataset:
    """Read a dataset whose arrays have at most `max_inflated` bytes; anything else is a DatasetFileError."""
    return parse_dataset(files.read_bytes(path, max_inflated, DatasetFileError), path, max_inflated)


def format_dataset(dataset: Dataset, path: str | PathLike[str] = "<memory>") -> bytes:
    """The bytes of a set's file; `path` is used in errors."""
    found = {**_rig_arrays(dataset.rig), **_clip_arrays(dataset), **_motion_arrays(dataset, path)}
    for key, array in found.items():
        # NumPy pads text with NULs, so trailing ones would be lost.
        if array.dtype.kind == "U" and any(word.endswith("\0") for word in array.ravel().tolist()):
            raise DatasetFileError(f"{key}: a text may not end with NUL", path)
    return pack_arrays({"format": np.array(FORMAT), "version": np.array(VERSION), **found}, level=LEVEL)


def _rig_arrays(rig: Rig) -> Arrays:
    skeleton = rig.skeleton
    return {
        "names": np.array(skeleton.names),
        "parents": skeleton.parents,
        "offsets": skeleton.offsets,
        "ends": skeleton.ends,
        "legs": np.array([(e.top, e.mid, e.low, e.pastern, e.toe) for e in skeleton.legs], np.int64),
        "carried": rig.modelled,
        "mirror": rig.mirror,
        "axis": np.array(rig.axis),
        "action_names": np.array(rig.actions),
        "swaps": rig.swaps,
    }


def _clip_arrays(dataset: Dataset) -> Arrays:
    every = dataset.clips
    return {
        "sources": np.array(dataset.sources, dtype=np.str_).reshape(-1, 2),
        "notes": np.array(dataset.notes),
        "takes": np.array([clip.name for clip in every], dtype=np.str_),
        "frames": np.array([len(clip) for clip in every], np.int64),
        "test": np.array([clip.test for clip in every], np.bool_),
        "actions": _joined((clip.actions for clip in every), np.int8),
        "used": _joined((clip.used for clip in every), np.bool_),
        "copies": _joined((clip.copies for clip in every), np.uint8),
    }


def _motion_arrays(dataset: Dataset, path: str | PathLike[str]) -> Arrays:
    lengths = [len(clip) for clip in dataset.clips]
    least = [np.abs(_unit(clip)[..., 3]).min(axis=0) for clip in dataset.clips if len(clip)]
    derived = np.min([np.ones(len(dataset.rig.skeleton)), *least], axis=0) >= DERIVED  # (J,)
    empty = np.zeros((0, len(derived), 4), np.int16)
    steps = np.concatenate([empty, *(_steps(clip, derived) for clip in dataset.clips)])  # (N, J, 4)
    fixed = steps[0] if len(steps) else np.zeros(steps.shape[1:], np.int16)
    stored = (steps != fixed).any(axis=0)  # (J, 4)
    stored[:, 3] &= ~derived
    places = _joined((clip.origins.astype(np.float64) * PLACE_STEPS for clip in dataset.clips), np.float64, 3)
    if len(places) and np.abs(places).max() >= 2**31:
        raise DatasetFileError(
            "origins are given in root space, within 20 km of the root; these are not", path
        )
    root = _joined((clip.root for clip in dataset.clips), np.float64, 3)
    return {
        "fixed": fixed,
        "stored": stored,
        "derived": derived,
        "rotations": _packed(steps[:, stored], lengths),
        "origins": _packed(np.rint(places).astype(np.int32), lengths),
        "root": _packed(root.view(np.int64), lengths),
    }


def _unit(clip: LabelledClip) -> NDArray[Any]:
    """The rotations of a clip (T, J, 4), of length 1 and with w >= 0."""
    return quat.canonical(quat.normalize(clip.rotations))


def _steps(clip: LabelledClip, derived: NDArray[np.bool_]) -> NDArray[np.int16]:
    """The rotations of a clip in whole numbers (T, J, 4)."""
    turns = _unit(clip)
    # A node that turns past a half turn keeps one sign, so that its numbers do not jump.
    turns[:, ~derived] = quat.continuous(turns[:, ~derived])
    return np.rint(turns * TURN_STEPS).astype(np.int16)


def parse_dataset(
    data: bytes, path: str | PathLike[str] = "<memory>", max_inflated: int = MAX_INFLATED
) -> Dataset:
    """The clips in the bytes of a file; `path` is used in errors."""
    arrays = read_arrays(data, path, max_inflated, DatasetFileError)
    _check_schema(arrays, path)
    try:
        rig = _rig(arrays)
        lengths = _lengths(arrays, len(rig.skeleton), path)
        sources = tuple((str(name), str(digest)) for name, digest in arrays["sources"].tolist())
        return Dataset(rig, _clips(arrays, rig, lengths, path), sources, str(arrays["notes"]))
    except DatasetFileError:
        raise
    except HoofbeatError as problem:
        raise DatasetFileError(str(problem), path) from problem
    except (ValueError, IndexError, OverflowError) as problem:
        raise DatasetFileError(f"arrays that do not fit each other: {problem}", path) from problem


def _check_schema(arrays: Arrays, path: str | PathLike[str]) -> None:
    if "format" not in arrays or str(arrays["format"]) != FORMAT:
        given = ", ".join(list(arrays)[:8]) or "nothing"
        raise DatasetFileError(
            f"holds no dataset: `format` must be {FORMAT!r}, it holds {given}; make one by "
            "`hoofbeat dataset`",
            path,
        )
    version = arrays.get("version", np.array("none"))
    if version.ndim or version.dtype.kind not in "iu" or int(version) != VERSION:
        raise DatasetFileError(
            f"has version {version} of the schema, this reads {VERSION}; make it again", path
        )
    for name, (axes, kinds) in ARRAYS.items():
        if name not in arrays:
            raise DatasetFileError(f"array {name!r} is missing; the file was not written by hoofbeat", path)
        given = arrays[name]
        if given.ndim != axes or given.dtype.kind not in kinds:
            raise DatasetFileError(
                f"{name}: expected {axes} axes of kind {kinds}, given {given.ndim} of {given.dtype}", path
            )
    if unknown := [name for name in arrays if name not in ARRAYS]:
        raise DatasetFileError(f"unknown array {unknown[0][:60]!r}. Allowed: {', '.join(ARRAYS)}", path)


def _rig(arrays: Arrays) -> Rig:
    names = [str(name) for name in arrays["names"].tolist()]
    table = arrays["legs"].astype(np.int64)
    nodes = len(names)
    if table.shape != (4, 5) or (table < np.array([0, 0, 0, -1, 0])).any() or (table >= nodes).any():
        raise ValueError(f"legs must be (4, 5) numbers of the {nodes} nodes, -1 = no pastern")
    legs = [Leg(name, *row) for name, row in zip(LEGS, table.tolist(), strict=True)]
    skeleton = Skeleton(names, arrays["parents"], arrays["offsets"], arrays["ends"], legs)
    carried, mirror, swaps = (arrays[key].astype(np.int64) for key in ("carried", "mirror", "swaps"))
    if len(carried) and not 0 <= carried.min() <= carried.max() < nodes:
        raise ValueError(f"carried nodes are 0 to {nodes - 1}")
    actions = tuple(str(name) for name in arrays["action_names"].tolist())
    return Rig(skeleton, carried, mirror, int(arrays["axis"]), actions, swaps)


def _lengths(arrays: Arrays, nodes: int, path: str | PathLike[str]) -> list[int]:
    """Frames of each clip, where all arrays agree with them."""
    lengths = [int(frames) for frames in arrays["frames"].tolist()]
    total = sum(lengths)
    if any(frames < 0 for frames in lengths) or total * nodes * 16 > MAX_ROTATIONS:
        raise DatasetFileError(f"{total} frames of {nodes} nodes are more than can be read", path)
    columns = int(arrays["stored"].sum())
    wanted = {
        "takes": (len(lengths),),
        "test": (len(lengths),),
        "actions": (total,),
        "used": (total,),
        "copies": (total,),
        "sources": (len(arrays["sources"]), 2),
        "fixed": (nodes, 4),
        "stored": (nodes, 4),
        "derived": (nodes,),
        "rotations": (2, columns, total),
        "origins": (4, 3, total),
        "root": (8, 3, total),
    }
    for name, shape in wanted.items():
        if arrays[name].shape != shape:
            raise DatasetFileError(f"{name}: expected shape {shape}, given {arrays[name].shape}", path)
    if total and (
        arrays["actions"].max() > 127 or arrays["copies"].max() > 255 or arrays["copies"].min() < 0
    ):
        raise DatasetFileError(
            "actions are 0 to 127, copies 0 to 255; the file was not written by hoofbeat", path
        )
    return lengths


def _clips(
    arrays: Arrays, rig: Rig, lengths: list[int], path: str | PathLike[str]
) -> tuple[LabelledClip, ...]:
    names = arrays["takes"].tolist()
    stored, derived = arrays["stored"], arrays["derived"]
    found: list[LabelledClip] = []
    for k, (start, stop) in enumerate(_spans(lengths)):
        part = slice(start, stop)
        steps = np.empty((stop - start, len(rig.skeleton), 4), np.int16)
        steps[:] = arrays["fixed"].astype(np.int16)
        steps[:, stored] = _unpacked(arrays["rotations"][..., part], np.int16)
        turns = steps.astype(np.float64) / TURN_STEPS
        rest = 1.0 - np.square(turns[..., :3]).sum(axis=-1)
        turns[..., 3] = np.where(derived, np.sqrt(np.maximum(rest, 0.0)), turns[..., 3])
        if len(turns) and float(np.abs(np.linalg.norm(turns, axis=-1) - 1).max()) > 1e-3:
            raise DatasetFileError(
                f"clip {names[k]!r}: quaternions must have length 1; the file is damaged", path
            )
        found.append(
            LabelledClip(
                str(names[k]),
                quat.normalize(turns).astype(np.float32),
                (_unpacked(arrays["origins"][..., part], np.int32) / PLACE_STEPS).astype(np.float32),
                _unpacked(arrays["root"][..., part], np.int64).view(np.float64),
                arrays["actions"][part].astype(np.int8),
                arrays["used"][part].astype(np.bool_),
                arrays["copies"][part].astype(np.uint8),
                bool(arrays["test"][k]),
            )
        )
    return tuple(found)


def _packed(values: NDArray[Any], lengths: list[int]) -> NDArray[np.uint8]:
    """Whole numbers (N, C) of b bytes as bytes (b, C, N) of their second differences, afresh in each clip.

    Arithmetic wraps, so that nothing is lost. Small numbers of either sign become small ones without sign
    (0, -1, 1, -2, ... are 0, 1, 2, 3, ...), so that all bytes but the lowest are mostly 0.
    """
    size = values.dtype.itemsize
    columns = np.ascontiguousarray(values.T)  # (C, N)
    out = np.empty_like(columns)
    for start, stop in _spans(lengths):
        part = columns[:, start:stop]
        for _ in range(2):
            part = np.diff(part, axis=1, prepend=part.dtype.type(0))
        out[:, start:stop] = (part << 1) ^ (part >> (8 * size - 1))
    bytewise = out.astype(out.dtype.newbyteorder("<")).view(np.uint8).reshape(*out.shape, size)
    return np.ascontiguousarray(np.moveaxis(bytewise, -1, 0))


def _unpacked(planes: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """The numbers (T, C) of one clip from their bytes (b, C, T)."""
    joined = np.ascontiguousarray(np.moveaxis(planes.astype(np.uint8), 0, -1))  # (C, T, b)
    little = np.dtype(dtype).newbyteorder("<")
    folded = joined.view(little.str.replace("i", "u"))[..., 0].astype(np.dtype(dtype).str.replace("i", "u"))
    one = folded.dtype.type(1)
    out = ((folded >> one) ^ (~(folded & one) + one)).view(dtype)
    for _ in range(2):
        out = np.cumsum(out, axis=1, dtype=dtype)
    return np.ascontiguousarray(out.T)


def _spans(lengths: list[int]) -> list[tuple[int, int]]:
    """First frame and end of each clip among all frames."""
    stops = np.cumsum([0, *lengths]).tolist()
    return list(zip(stops[:-1], stops[1:], strict=True))


def _joined(parts: Iterable[NDArray[Any]], dtype: Any, columns: int = 0) -> NDArray[Any]:
    """Arrays one after another, of this type; (N, columns), or (N,) where 0."""
    start = np.zeros((0, columns) if columns else 0, dtype)
    return np.concatenate([start, *parts]).astype(dtype)
