"""Arguments of kernels as compiled code takes them: a key that says their types, and slots of 8 bytes.

A slot holds one leaf of an argument, in the order in which Numba flattens it. An array is 5 + 2 * ndim
leaves (two null pointers, number of items, bytes of an item, address, shape, strides), a tuple the leaves of
its items, a number itself, None one that nobody reads.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Iterable
from typing import Any

import numpy as np

#: Keys of structured dtypes, which take long to work out.
_DTYPES: dict[np.dtype[Any], str] = {}
#: An array in a key: number of axes, layout, "!" = read-only, "~" = not aligned.
_ARRAY = re.compile(r"\[(\d)([CFA])(!?)(~?)\]")
_SCALARS = {bool: "?", int: "i8", float: "f8"}


def key_of(args: Iterable[Any]) -> str:
    """The types of arguments: two with the same key run the same compiled code."""
    return ",".join(map(_key, args))


def _key(value: Any) -> str:
    if isinstance(value, np.ndarray):
        flags = value.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        # Not flags.writeable, whose reading warns of arrays that were broadcast.
        written = "!" if value.__array_interface__["data"][1] else ""
        loose = "" if flags.aligned else "~"
        return f"{_dtype_key(value.dtype)}[{value.ndim}{layout}{written}{loose}]"
    if isinstance(value, tuple):
        name = "" if type(value) is tuple else type(value).__name__
        return f"{name}({key_of(value)})"
    if value is None:
        return "-"
    if isinstance(value, np.generic):
        return value.dtype.str[1:]
    found = _SCALARS.get(type(value))
    if found is None:
        raise TypeError(f"a kernel takes numbers, arrays, tuples and None, given {type(value).__name__}")
    return found


def _dtype_key(dtype: np.dtype[Any]) -> str:
    if dtype.names is None:
        return dtype.str[1:] if dtype.isnative else dtype.str
    found = _DTYPES.get(dtype)
    if found is None:
        digest = hashlib.blake2s(_fields(dtype).encode(), digest_size=6).hexdigest()
        found = _DTYPES[dtype] = f"{digest}:{dtype.itemsize}"
    return found


def _fields(dtype: np.dtype[Any]) -> str:
    """Every field of a dtype with its place; NumPy's own text differs between versions."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return f"{_fields(base)}{shape}"
    if dtype.names is None or dtype.fields is None:
        return dtype.str
    fields: Any = dtype.fields
    parts = [f"{name}@{fields[name][1]}:{_fields(fields[name][0])}" for name in dtype.names]
    return f"{{{';'.join(parts)}}}{dtype.itemsize}"


def serves(compiled: str, given: str) -> bool:
    """Whether code compiled for one key also takes arguments of another: arrays that lie denser than it
    needs, and such that may be written where it only reads."""
    if compiled == given:
        return True
    a, b = _ARRAY.split(compiled), _ARRAY.split(given)
    # Text and arrays take turns; each array is four parts.
    if len(a) != len(b) or a[::5] != b[::5] or a[1::5] != b[1::5] or a[4::5] != b[4::5]:
        return False
    dense = all(x == y or x == "A" for x, y in zip(a[2::5], b[2::5], strict=True))
    return dense and all(x or not y for x, y in zip(a[3::5], b[3::5], strict=True))


def slots_of(args: Iterable[Any]) -> list[int]:
    """The slots of arguments. Addresses are of the arrays' own memory, which must outlive the slots."""
    out: list[int] = []
    for value in args:
        _append(value, out)
    return out


def _append(value: Any, out: list[int]) -> None:
    if isinstance(value, np.ndarray):
        address = value.__array_interface__["data"][0]
        out += (0, 0, value.size, value.itemsize, address, *value.shape, *value.strides)
    elif isinstance(value, tuple):
        for one in value:
            _append(one, out)
    elif value is None:
        out.append(0)
    elif isinstance(value, float | np.floating):
        out.append(bits_of(float(value)))
    else:
        whole = int(value)
        out.append(whole - (1 << 64) if whole >= 1 << 63 else whole)


def bits_of(number: float) -> int:
    """A float64 as the whole number of the same bits, which is how it lies in a slot."""
    return struct.unpack("<q", struct.pack("<d", number))[0]


def result_of(kinds: str | list[Any] | None, slots: Iterable[int]) -> Any:
    """What a kernel gave back, from its slots: None, a number, or a tuple of them. kinds: as in a manifest,
    `?`, `i`, `u` or `f`, a list for a tuple."""
    given = iter(slots)
    return None if kinds is None else _result(kinds, given)


def _result(kinds: str | list[Any], slots: Any) -> Any:
    if isinstance(kinds, list):
        return tuple(_result(kind, slots) for kind in kinds)
    word = next(slots)
    if kinds == "f":
        return struct.unpack("<d", struct.pack("<q", word))[0]
    if kinds == "?":
        return bool(word & 1)
    return word & 0xFFFFFFFFFFFFFFFF if kinds == "u" else word
