"""NPZ: a clip as named NumPy arrays in a zip file, without pickles. docs/npz.md is the schema.

The arrays are plain .npy members that `numpy.load` reads anywhere. Reading checks every size that a
file declares before anything is inflated, so a small file cannot fill the memory. The same clip
gives the same bytes.
"""

from __future__ import annotations

import io
import math
import re
import struct
import zipfile
import zlib
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import Clip
from hoofbeat.body.skeleton import LEGS, Leg, Skeleton
from hoofbeat.errors import FileError, HoofbeatError, nearest
from hoofbeat.formats import files

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
#: Most bytes of all arrays together once inflated, over an hour of a horse at 60 Hz; and most arrays.
MAX_INFLATED, MAX_ARRAYS = 512 * 1024**2, 256
#: A rotation whose length is farther than this from 1 is not one.
UNIT = 1e-3
#: What an extra may hold: truth values, whole and real numbers, text.
KINDS = "biufU"
MAX_HEADER = 4096

_HEADER = re.compile(
    r"\{'descr': '([<>|=]?)([biufU])(\d{1,4})', 'fortran_order': (True|False), "
    # Each number ends at a comma or at the bracket: with both optional, one text could be cut up in
    # exponentially many ways, and a damaged header would never be refused.
    r"'shape': \(((?:\d{1,12}(?:, ?|(?=\))))*)\), ?\}\s*"
)


class NpzError(FileError):
    """An .npz file that is not a clip of this schema, or a clip that cannot be written as one."""


def write_npz(clip: Clip, path: str | PathLike[str], dtype: str = "float64", compress: bool = True) -> Path:
    """Write a clip; `dtype` "float64" keeps every bit, "float32" halves the file; returns the path."""
    return files.write_bytes(path, format_npz(clip, dtype, compress, path), NpzError)


def read_npz(path: str | PathLike[str], max_inflated: int = MAX_INFLATED) -> Clip:
    """Read a clip whose arrays take at most `max_inflated` bytes; anything else raises NpzError, before
    much memory is taken."""
    return parse_npz(files.read_bytes(path, max(max_inflated, files.MAX_BYTES), NpzError), path, max_inflated)


def format_npz(
    clip: Clip, dtype: str = "float64", compress: bool = True, path: str | PathLike[str] = "<memory>"
) -> bytes:
    """The bytes of a clip's file; `path` is used in errors."""
    if dtype not in ("float64", "float32"):
        raise NpzError(f"dtype: expected float64 or float32, given {dtype!r}", path)
    return pack_arrays(_arrays(clip, np.dtype(dtype), path), compress)


def pack_arrays(arrays: dict[str, NDArray[Any]], compress: bool = True) -> bytes:
    """An .npz of these arrays; the same arrays give the same bytes."""
    out = io.BytesIO()
    method = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    with zipfile.ZipFile(out, "w", method, compresslevel=1) as archive:
        for name, array in arrays.items():
            # A fixed time stamp, so that the same arrays give the same bytes.
            member = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))
            member.compress_type = method
            member.external_attr = 0o644 << 16
            member.create_system = 3
            archive.writestr(member, _npy(array))
    return out.getvalue()


def unpack_arrays(
    data: bytes, path: str | PathLike[str], what: str, error: type[FileError]
) -> dict[str, Any]:
    """The arrays of such an .npz; anything else is an `error` that says that it is not `what`."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile) as problem:
        raise error(f"not {what}: {problem}", path) from None


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


def _npy(array: NDArray[Any]) -> bytes:
    """One .npy member, little-endian, C order."""
    data = io.BytesIO()
    plain = np.ascontiguousarray(array).reshape(array.shape)
    little = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
    np.lib.format.write_array(data, little, version=(1, 0), allow_pickle=False)
    return data.getvalue()


def parse_npz(data: bytes, path: str | PathLike[str] = "<memory>", max_inflated: int = MAX_INFLATED) -> Clip:
    """The clip in the bytes of a file; `path` is used in errors."""
    arrays = _members(data, path, max_inflated)
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


def _members(data: bytes, path: str | PathLike[str], most: int) -> dict[str, NDArray[Any]]:
    """Every array in the zip file; all declared sizes are checked before one is inflated."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            _check_members(members, path, most)
            return {m.filename.removesuffix(".npy"): _inflated(archive, m, path) for m in members}
    except NpzError:
        raise
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError) as problem:
        raise NpzError(f"not a whole zip file: {problem}", path) from problem
    except (ValueError, OSError, RuntimeError, UnicodeError) as problem:
        raise NpzError(f"cannot be read: {problem}", path) from problem


def _check_members(members: list[zipfile.ZipInfo], path: str | PathLike[str], most: int) -> None:
    if len(members) > MAX_ARRAYS:
        raise NpzError(f"holds {len(members)} arrays, at most {MAX_ARRAYS} are read", path)
    names = [member.filename for member in members]
    if len(set(names)) < len(names):
        raise NpzError("an array stands twice in the file", path)
    total = sum(member.file_size for member in members)
    if total > most:
        raise NpzError(f"its arrays have {total} bytes, at most {most} are read; set max_inflated", path)
    for member in members:
        name = member.filename
        if not name.endswith(".npy"):
            raise NpzError(f"holds {name[:60]!r}, which is not a NumPy array (.npy)", path)
        if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise NpzError(f"{name[:60]!r} is encrypted or packed in a way that NumPy does not use", path)


def _inflated(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: str | PathLike[str]) -> NDArray[Any]:
    """One array; its header is read first and must agree with the declared size."""
    name = member.filename.removesuffix(".npy")[:60]
    with archive.open(member) as file:
        dtype, shape, order = _header(file, name, path)
        size = math.prod(shape) * dtype.itemsize
        if file.tell() + size != member.file_size:
            raise NpzError(f"{name}: {shape} of {dtype} need {size} bytes, the file has another number", path)
        raw = file.read(size + 1)
    if len(raw) != size:
        raise NpzError(f"{name}: the file ends early", path)
    array = np.frombuffer(raw, dtype).reshape(shape, order=order)
    if dtype.kind == "U":
        _check_text(array, name, path)
    return array.astype(dtype.newbyteorder("="), copy=False)


def _header(file: Any, name: str, path: str | PathLike[str]) -> tuple[np.dtype[Any], tuple[int, ...], Any]:
    """Type, shape and order of a .npy member; only plain types pass, so nothing is ever unpickled."""
    magic = file.read(8)
    if magic[:6] != b"\x93NUMPY" or len(magic) < 8:
        raise NpzError(f"{name}: not a NumPy array", path)
    layout = {1: "<H", 2: "<I"}.get(magic[6])
    if layout is None:
        raise NpzError(f"{name}: .npy version {magic[6]} is not known; 1 and 2 are", path)
    (length,) = struct.unpack(layout, file.read(struct.calcsize(layout)))
    if length > MAX_HEADER:
        raise NpzError(f"{name}: a header of {length} bytes is over {MAX_HEADER}", path)
    text = file.read(length).decode("latin-1")
    found = _HEADER.fullmatch(text)
    if found is None:
        kinds = "truth values, whole and real numbers and text are read, objects never"
        raise NpzError(f"{name}: {kinds}; its header is {text[:80]!r}", path)
    sign, kind, size, fortran, listed = found.groups()
    try:
        dtype = np.dtype(f"{sign}{kind}{int(size)}")
    except TypeError:
        raise NpzError(f"{name}: unknown type {kind}{size}", path) from None
    shape = tuple(int(n) for n in re.findall(r"\d+", listed))
    if dtype.itemsize == 0 or len(shape) > 8:
        raise NpzError(f"{name}: {shape} of {dtype} is nothing that can be read", path)
    return dtype, shape, "F" if fortran == "True" else "C"


def _check_text(array: NDArray[Any], name: str, path: str | PathLike[str]) -> None:
    """Refuse code points that are no characters: NumPy would fail on them later, far from here."""
    points = np.frombuffer(np.ascontiguousarray(array).tobytes(), np.uint32)
    if array.dtype.byteorder == ">":
        points = points.byteswap()
    if len(points) and int(points.max()) > 0x10FFFF:
        raise NpzError(f"{name}: holds text that is not Unicode", path)


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
