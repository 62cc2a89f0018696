"""Arrays: named NumPy arrays in a zip file (.npz), bounded and without pickles, for every schema built on it.

Reading checks every size that a file declares before anything is inflated, so that a small file cannot fill
the memory. The same arrays give the same bytes. Only NumPy is imported: training reads its data by it.
"""

from __future__ import annotations

import io
import math
import re
import struct
import zipfile
import zlib
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.errors import FileError

#: Most bytes of all arrays together once inflated, over an hour of a horse at 60 Hz; and most arrays.
MAX_INFLATED, MAX_ARRAYS = 512 * 1024**2, 256
MAX_HEADER = 4096

_HEADER = re.compile(
    r"\{'descr': '([<>|=]?)([biufU])(\d{1,4})', 'fortran_order': (True|False), "
    # Each number ends at a comma or at the bracket: with both optional, one text could be cut up in
    # exponentially many ways, and a damaged header would never be refused.
    r"'shape': \(((?:\d{1,12}(?:, ?|(?=\))))*)\), ?\}\s*"
)


def pack_arrays(arrays: dict[str, NDArray[Any]], compress: bool = True, level: int = 1) -> bytes:
    """An .npz of these arrays; the same arrays give the same bytes. level: 1 = fast to 9 = small."""
    out = io.BytesIO()
    method = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    with zipfile.ZipFile(out, "w", method, compresslevel=level) as archive:
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
        # NumPy reads every other file as a pickle, and its message says how to load that.
        reason = problem if data.startswith(b"PK") else "it is no .npz file"
        raise error(f"not {what}: {reason}", path) from None


def _npy(array: NDArray[Any]) -> bytes:
    """One .npy member, little-endian, C order."""
    data = io.BytesIO()
    plain = np.ascontiguousarray(array).reshape(array.shape)
    little = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
    np.lib.format.write_array(data, little, version=(1, 0), allow_pickle=False)
    return data.getvalue()


def read_arrays(
    data: bytes, path: str | PathLike[str], most: int, error: type[FileError], count: int = MAX_ARRAYS
) -> dict[str, NDArray[Any]]:
    """Every array of the file, at most `count` of them with `most` bytes in all.

    All declared sizes are checked before one is inflated; anything else is an `error`.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            _check_sizes(members, path, most, count, error)
            _check_members(members, path, error)
            return {m.filename.removesuffix(".npy"): _inflated(archive, m, path, error) for m in members}
    except error:
        raise
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError) as problem:
        raise error(f"not a whole zip file: {problem}", path) from problem
    except (ValueError, OSError, RuntimeError, UnicodeError) as problem:
        raise error(f"cannot be read: {problem}", path) from problem


def _check_members(members: list[zipfile.ZipInfo], path: str | PathLike[str], error: type[FileError]) -> None:
    names = [member.filename for member in members]
    if len(set(names)) < len(names):
        raise error("an array stands twice in the file", path)
    for member in members:
        name = member.filename
        if not name.endswith(".npy"):
            raise error(f"holds {name[:60]!r}, which is not a NumPy array (.npy)", path)
        if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise error(f"{name[:60]!r} is encrypted or packed by a method that NumPy does not use", path)


def _check_sizes(
    members: list[zipfile.ZipInfo], path: str | PathLike[str], most: int, count: int, error: type[FileError]
) -> None:
    if len(members) > count:
        raise error(f"holds {len(members)} arrays, at most {count} are read", path)
    total = sum(member.file_size for member in members)
    if total > most:
        raise error(f"its arrays have {total} bytes, at most {most} are read; set max_inflated", path)


def _inflated(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: str | PathLike[str], error: type[FileError]
) -> NDArray[Any]:
    """One array; its header is read first and must agree with the declared size."""
    name = member.filename.removesuffix(".npy")[:60]
    with archive.open(member) as file:
        dtype, shape, order = _header(file, name, path, error)
        size = math.prod(shape) * dtype.itemsize
        if file.tell() + size != member.file_size:
            raise error(f"{name}: {shape} of {dtype} need {size} bytes, the file has another number", path)
        raw = file.read(size + 1)
    if len(raw) != size:
        raise error(f"{name}: the file ends early", path)
    array = np.frombuffer(raw, dtype).reshape(shape, order=order)
    if dtype.kind == "U":
        _check_text(array, name, path, error)
    return array.astype(dtype.newbyteorder("="), copy=False)


def _header(
    file: Any, name: str, path: str | PathLike[str], error: type[FileError]
) -> tuple[np.dtype[Any], tuple[int, ...], Any]:
    """Type, shape and order of a .npy member; only plain types pass, so nothing is ever unpickled."""
    magic = file.read(8)
    if magic[:6] != b"\x93NUMPY" or len(magic) < 8:
        raise error(f"{name}: not a NumPy array", path)
    layout = {1: "<H", 2: "<I"}.get(magic[6])
    if layout is None:
        raise error(f"{name}: .npy version {magic[6]} is not known; 1 and 2 are", path)
    (length,) = struct.unpack(layout, file.read(struct.calcsize(layout)))
    if length > MAX_HEADER:
        raise error(f"{name}: a header of {length} bytes is over {MAX_HEADER}", path)
    text = file.read(length).decode("latin-1")
    found = _HEADER.fullmatch(text)
    if found is None:
        kinds = "truth values, whole and real numbers and text are read, objects never"
        raise error(f"{name}: {kinds}; its header is {text[:80]!r}", path)
    sign, kind, size, fortran, listed = found.groups()
    try:
        dtype = np.dtype(f"{sign}{kind}{int(size)}")
    except TypeError:
        raise error(f"{name}: unknown type {kind}{size}", path) from None
    shape = tuple(int(n) for n in re.findall(r"\d+", listed))
    if dtype.itemsize == 0 or len(shape) > 8:
        raise error(f"{name}: {shape} of {dtype} is nothing that can be read", path)
    return dtype, shape, "F" if fortran == "True" else "C"


def _check_text(array: NDArray[Any], name: str, path: str | PathLike[str], error: type[FileError]) -> None:
    """Refuse code points that are no characters: NumPy would fail on them later, far from here."""
    points = np.frombuffer(np.ascontiguousarray(array).tobytes(), np.uint32)
    if array.dtype.byteorder == ">":
        points = points.byteswap()
    if len(points) and int(points.max()) > 0x10FFFF:
        raise error(f"{name}: holds text that is not Unicode", path)
