"""glTF buffer: arrays laid out one after the other, with the views and accessors that describe them."""

from __future__ import annotations

import hashlib
from typing import Any

from numpy.typing import NDArray

#: What a view holds, for those that go to the graphics card.
VERTICES, INDICES = 34962, 34963

_COMPONENTS = {"u1": 5121, "u2": 5123, "u4": 5125, "f4": 5126}
_TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class Buffer:
    """Collects arrays; `views` and `accessors` are JSON, `data()` the bytes."""

    def __init__(self) -> None:
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []
        self._parts: list[bytes] = []
        self._length = 0
        self._tracks: dict[bytes, int] = {}

    def add(self, values: NDArray[Any], target: int = 0, bounds: bool = False, unit: bool = False) -> int:
        """Append an array (count, components) in a view of its own; returns its accessor.

        target: VERTICES or 0; bounds: state the least and greatest; unit: integers stand for [0, 1].
        """
        return self.add_all([values], target, bounds, unit)[0]

    def add_all(
        self, arrays: list[NDArray[Any]], target: int = 0, bounds: bool = False, unit: bool = False
    ) -> list[int]:
        """Append arrays in one view, an accessor each, every one beginning at a multiple of four bytes."""
        start, first = self._length, len(self.accessors)
        for values in arrays:
            accessor: dict[str, Any] = {"bufferView": len(self.views)}
            if self._length > start:
                accessor["byteOffset"] = self._length - start
            accessor |= {"componentType": _COMPONENTS[values.dtype.str[1:]], "count": len(values)}
            accessor["type"] = _TYPES[values.shape[1]]
            if unit:
                accessor["normalized"] = True
            if bounds:
                accessor |= {"min": values.min(axis=0).tolist(), "max": values.max(axis=0).tolist()}
            self.accessors.append(accessor)
            self._parts.append(values.tobytes() + b"\0" * (-values.nbytes % 4))
            self._length += len(self._parts[-1])
        view: dict[str, Any] = {"buffer": 0, "byteLength": self._length - start}
        if start:
            view["byteOffset"] = start
        self.views.append(view | ({"target": target} if target else {}))
        return list(range(first, len(self.accessors)))

    def add_tracks(self, arrays: list[NDArray[Any]]) -> list[int]:
        """As `add_all`, for tracks: one that is there already, byte for byte, is not written again."""
        keys = [hashlib.sha256(f"{a.dtype.str}{a.shape}".encode() + a.tobytes()).digest() for a in arrays]
        fresh = {key: array for key, array in zip(keys, arrays, strict=True) if key not in self._tracks}
        if fresh:
            added = self.add_all(list(fresh.values()))
            self._tracks |= dict(zip(fresh, added, strict=True))
        return [self._tracks[key] for key in keys]

    def data(self) -> bytes:
        """All bytes so far."""
        return b"".join(self._parts)
