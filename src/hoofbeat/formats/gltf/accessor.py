"""glTF accessors: typed arrays in the buffers, as float64, with stride, normalisation and sparse parts.

Sizes are checked against the buffers before anything is allocated, and the elements read from one file
are counted, so that a small file cannot ask for much memory or time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.formats.gltf.container import GltfFile
from hoofbeat.formats.gltf.objects import Item, shown_value

Floats = NDArray[np.float64]

#: Component types by their number in the file (little-endian).
COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
#: Components of an element.
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
#: Numbers that any file may ask for; beyond them it must have bytes enough.
FREE_NUMBERS = 2**20
#: How often each byte of a file may be read as a number. Tracks that share an accessor read it again.
READINGS = 8


class Accessors:
    """Reads accessors of one file and counts what is read."""

    def __init__(self, file: GltfFile) -> None:
        self.file = file
        self._items = file.root.items("accessors")
        self._views = file.root.items("bufferViews")
        self._buffers = len(file.root.items("buffers"))
        self._read = 0

    def __len__(self) -> int:
        return len(self._items)

    def values(self, index: int, allowed: tuple[str, ...]) -> Floats:
        """Values (count, components) of an accessor whose type is one of `allowed`; all finite."""
        item = self._items[index]
        kind = item.text("type")
        if kind not in allowed or kind not in WIDTHS:
            raise item.fail(f"must be {' or '.join(allowed)} here, found {shown_value(kind)}", "type")
        component = _component(item)
        if WIDTHS[kind] > 4 and component.itemsize < 4:
            raise item.fail("matrices of small integers are not read", "componentType")
        count = item.whole("count", 1, 2**53)
        # The view first: it fails where the buffer is too short, and copies nothing.
        view = self._strided(item, component, count, WIDTHS[kind]) if item.has("bufferView") else 0
        self._count(item, count * WIDTHS[kind])
        values = np.zeros((count, WIDTHS[kind]), component)
        values[:] = view
        if item.has("sparse"):
            self._replace(item.item("sparse"), values)
        return _as_floats(item, values)

    def _count(self, item: Item, numbers: int) -> None:
        limit = max(FREE_NUMBERS, READINGS * self.file.size)
        self._read += numbers
        if self._read > limit:
            raise item.fail(f"{numbers} numbers are too many for a file of {self.file.size} bytes", "count")

    def _strided(self, item: Item, component: np.dtype[Any], count: int, width: int) -> NDArray[Any]:
        """Elements (count, width) straight from the buffer, not copied."""
        view = self._views[item.index("bufferView", len(self._views), "bufferViews")]
        data, start, size = self._bytes(view)
        element = component.itemsize * width
        stride = view.whole("byteStride", 4, 252, element)
        offset = item.whole("byteOffset", 0, 2**53, 0)
        if stride < element:
            raise view.fail(f"{stride} bytes are less than an element of {element}", "byteStride")
        needed = offset + stride * (count - 1) + element
        if needed > size:
            raise item.fail(f"{count} elements need {needed} bytes of {view.place}, which has {size}")
        return np.ndarray((count, width), component, data, start + offset, (stride, component.itemsize))

    def _bytes(self, view: Item) -> tuple[bytes, int, int]:
        """The buffer of a view, and where in it the view lies."""
        index = view.index("buffer", self._buffers, "buffers")
        start = view.whole("byteOffset", 0, 2**53, 0)
        size = view.whole("byteLength", 1, 2**53)
        data = self.file.buffer(index)
        if start + size > len(data):
            raise view.fail(f"ends at byte {start + size} of buffers[{index}], which has {len(data)}")
        return data, start, size

    def _replace(self, sparse: Item, values: NDArray[Any]) -> None:
        """Write the elements of a sparse part over `values`, in place."""
        count = sparse.whole("count", 1, len(values))
        where, what = sparse.item("indices"), sparse.item("values")
        integers = _component(where)
        if integers.kind != "u":
            raise where.fail("must be unsigned integers", "componentType")
        self._count(sparse, count * (1 + values.shape[1]))
        rows = self._strided(where, integers, count, 1)[:, 0].astype(np.int64)
        if rows.max() >= len(values) or (np.diff(rows) <= 0).any():
            raise where.fail(f"must be increasing and below {len(values)}")
        values[rows] = self._strided(what, values.dtype, count, values.shape[1])


def _component(item: Item) -> np.dtype[Any]:
    number = item.whole("componentType", 0, 2**31)
    if number not in COMPONENTS:
        known = ", ".join(str(n) for n in COMPONENTS)
        raise item.fail(f"unknown type {number}. Known: {known}", "componentType")
    return np.dtype(COMPONENTS[number])


def _as_floats(item: Item, values: NDArray[Any]) -> Floats:
    """To float64; normalised integers to [0, 1] or [-1, 1]."""
    with np.errstate(invalid="ignore"):  # a signalling NaN; it is found below
        found = values.astype(np.float64)
    if values.dtype.kind == "f":
        if not np.isfinite(found).all():
            row = int(np.argmax(~np.isfinite(found).all(axis=1)))
            raise item.fail(f"element {row} is not finite")
    elif item.flag("normalized"):
        found = np.maximum(found / np.iinfo(values.dtype).max, -1.0)
    return found
