"""NPZ: a clip as named NumPy arrays in a zip file, without pickles. docs/npz.md is the schema.

The arrays are plain .npy members that `numpy.load` reads anywhere. Reading checks every size that a
file declares before anything is inflated, so a small file cannot fill the memory. The same clip
gives the same bytes.
"""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import Clip
from hoofbeat.body.skeleton import LEGS, Leg, Skeleton
from hoofbeat.errors import FileError, HoofbeatError, nearest
from hoofbeat.formats import files
from hoofbeat.formats.arrays import MAX_ARRAYS, MAX_INFLATED, pack_arrays, read_arrays

#: The schema that is written and read.
FORMAT, VERSION = "hoofbeat.clip", 1
#: Names of the arrays; extras have this prefix before their own name.
REQUIRED = (
    "format",
    "version",
    "name",
    "fps",
    "names",
    "parents",
    "offsets",
    "ends",
    "legs",
    "rotations",
    "origins",
)
CONTACTS, EXTRA = "contacts", "extra."
#: A rotation whose length is farther than this from 1 is not one.
UNIT = 1e-3
#: What an extra may hold: truth values, whole and real numbers, text.
KINDS = "biufU"


class NpzError(FileError):
    """An .npz file that is not a clip of this schema, or a clip that cannot be written as one."""


def write_npz(clip: Clip, path: str | PathLike[str], dtype: str = "float64", compress: bool = True) -> Path:
    """Write a clip; `dtype` "float64" keeps every bit, "float32" halves the file; returns the path."""
    return files.write_bytes(path, format_npz(clip, dtype, compress, path), NpzError)


def read_npz(path: str | PathLike[str], max_inflated: int = MAX_INFLATED) -> Clip:
    """Read a clip whose arrays have at most `max_inflated` bytes; anything else raises NpzError, before
    much memory is used."""
    return parse_npz(files.read_bytes(path, max(max_inflated, files.MAX_BYTES), NpzError), path, max_inflated)


def format_npz(
    clip: Clip, dtype: str = "float64", compress: bool = True, path: str | PathLike[str] = "<memory>"
) -> bytes:
    """The bytes of a clip's file; `path` is used in errors."""
    if dtype not in ("float64", "float32"):
        raise NpzError(f"dtype: expected float64 or float32, given {dtype!r}", path)
    return pack_arrays(_arrays(clip, np.dtype(dtype), path), compress)


def _arrays(clip: Clip, real: np.dtype[Any], path: str | PathLike[str]) -> dict[str, NDArray[Any]]:
    """Every array of a clip by its name in the file."""
    skeleton = clip.skeleton
    legs = [(leg.top, leg.mid, leg.low, leg.pastern, leg.toe) for leg in skeleton.legs]
    found: dict[str, NDArray[Any]] = {
        "format": np.array(FORMAT),
        "version": np.array(VERSION, np.int64),
        "name": np.array(clip.name),
        "fps": np.array(clip.fps, np.float64),
        "names": np.array(skeleton.names),
        "parents": skeleton.parents,
        "offsets": skeleton.offsets,
        "ends": skeleton.ends,
        "legs": np.array(legs, np.int64).reshape(-1, 5),
        "rotations": clip.rotations.astype(real),
        "origins": clip.origins,
    }
    if clip.contacts is not None:
        found[CONTACTS] = clip.contacts.astype(real)
    for key, array in clip.extras.items():
        if not re.fullmatch(r"[A-Za-z_]\w{0,99}", key):
            raise NpzError(f"extra {key[:60]!r}: a name has letters, digits and _ only", path)
        if array.dtype.kind not in KINDS:
            raise NpzError(
                f"extra {key!r} is {array.dtype}; numbers, truth values and text are written", path
            )
        found[f"{EXTRA}{key}"] = array
    if len(found) > MAX_ARRAYS:
        raise NpzError(f"{len(found)} arrays are over {MAX_ARRAYS}; drop some extras", path)
    for key in ("name", "names"):
        # NumPy pads text with NULs, so trailing ones would be lost.
        if any(word.endswith("\0") for word in found[key].ravel().tolist()):
            raise NpzError(f"{key}: a text may not end with NUL", path)
    return found


def parse_npz(data: bytes, path: str | PathLike[str] = "<memory>", max_inflated: int = MAX_INFLATED) -> Clip:
    """The clip in the bytes of a file; `path` is used in errors."""
    arrays = read_arrays(data, path, max_inflated, NpzError)
    _check_schema(arrays, path)
    try:
        skeleton = Skeleton(
            [str(name) for name in _text(arrays, "names", 1, path)],
            _array(arrays, "parents", 1, "iu", path),
            _array(arrays, "offsets", 2, "f", path),
            _array(arrays, "ends", 1, "b", path),
        )
        skeleton = skeleton.with_legs(_legs(arrays, len(skeleton), path))
        contacts = _array(arrays, CONTACTS, 2, "f", path) if CONTACTS in arrays else None
        clip = Clip(
            skeleton,
            _array(arrays, "rotations", 3, "f", path),
            _array(arrays, "origins", 2, "f", path),
            float(_array(arrays, "fps", 0, "fiu", path)),
            contacts,
            str(_text(arrays, "name", 0, path)),
            {key.removeprefix(EXTRA): array for key, array in arrays.items() if key.startswith(EXTRA)},
        )
    except NpzError:
        raise
    except HoofbeatError as problem:
        raise NpzError(str(problem), path) from problem
    # Numbers far above 1 are refused before they are squared, which would overflow.
    huge = float(np.abs(clip.rotations).max(initial=0.0)) > 1 + UNIT
    if huge or (len(clip) and float(np.abs(np.linalg.norm(clip.rotations, axis=-1) - 1).max()) > UNIT):
        raise NpzError("rotations: quaternions must have length 1", path)
    return clip


def _check_schema(arrays: dict[str, NDArray[Any]], path: str | PathLike[str]) -> None:
    known = (*REQUIRED, CONTACTS)
    missing = [name for name in REQUIRED if name not in arrays]
    if "format" in missing or str(_text(arrays, "format", 0, path)) != FORMAT:
        given = ", ".join(list(arrays)[:8]) or "nothing"
        raise NpzError(f"is not a clip of hoofbeat: `format` must be {FORMAT!r}; it holds {given}", path)
    version = int(_array(arrays, "version", 0, "iu", path)) if "version" in arrays else VERSION
    if version != VERSION:
        raise NpzError(f"has version {version} of the schema, this reads {VERSION}; update hoofbeat", path)
    for name in arrays:
        if name not in known and not re.fullmatch(rf"{re.escape(EXTRA)}[A-Za-z_]\w{{0,99}}", name):
            near = nearest(name, known)
            hint = f"; did you mean {near!r}?" if near else "."
            allowed = f"{', '.join(known)} and {EXTRA}NAME"
            raise NpzError(f"unknown array {name[:60]!r}{hint} Allowed: {allowed}", path)
    if missing:
        raise NpzError(f"array {missing[0]!r} is missing; there are {', '.join(arrays)}", path)


def _array(
    arrays: dict[str, NDArray[Any]], name: str, dimensions: int, kinds: str, path: str | PathLike[str]
) -> NDArray[Any]:
    array = arrays[name]
    if array.ndim != dimensions or array.dtype.kind not in kinds:
        wanted = {"f": "real numbers", "iu": "whole numbers", "b": "truth values", "U": "text"}
        words = wanted.get(kinds, "numbers")
        raise NpzError(
            f"{name}: expected {words} in {dimensions} dimensions, given {array.dtype} in {array.ndim}", path
        )
    return array


def _text(arrays: dict[str, NDArray[Any]], name: str, dimensions: int, path: str | PathLike[str]) -> Any:
    return _array(arrays, name, dimensions, "U", path)


def _legs(arrays: dict[str, NDArray[Any]], nodes: int, path: str | PathLike[str]) -> tuple[Leg, ...]:
    table = _array(arrays, "legs", 2, "iu", path)
    if table.shape not in ((0, 5), (4, 5)):
        raise NpzError(f"legs: expected (4, 5) or (0, 5) node numbers, given {table.shape}", path)
    rows = table.tolist()
    for row in rows:
        if not all(0 <= node < nodes or (node == -1 and k == 3) for k, node in enumerate(row)):
            raise NpzError(f"legs: node numbers are 0 to {nodes - 1} (-1 = no pastern), given {row}", path)
    return tuple(Leg(name, *row) for name, row in zip(LEGS, rows, strict=False))
