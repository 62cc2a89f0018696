"""glTF buffer: arrays laid out one after the other, with the views and accessors that describe them."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

#: What a view holds, for those that go to the graphics card.
VERTICES = 34962

_COMPONENTS = {"u1": 5121, "u2": 5123, "f4": 5126}
_TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class Buffer:
    """Collects arrays; `views` and `accessors` are JSON, `data()` the bytes."""

    def __init__(self) -> None:
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []
        self._parts: list[bytes] = []
        self._length = 0

    def add(self, values: NDArray[Any], target: int = 0, bounds: bool = False, unit: bool = False) -> int:
        """Append an array (count, components) in a view of its own; returns its accessor.

        target: VERTICES or 0; bounds: state the least and greatest; unit: integers stand for [0, 1].
        """
        return self.add_all([values], target, bounds, unit)[0]

    def add_all(
        self, arrays: list[NDArray[Any]], target: int = 0, bounds: bool = False, unit: bool = False
    ) -> list[int]:
        """Append arrays in one view, an accessor each; elements are whole multiples of four bytes."""
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
            self._parts.append(values.tobytes())
            self._length += values.nbytes
        view: dict[str, Any] = {"buffer": 0, "byteLength": self._length - start}
        if start:
            view["byteOffset"] = start
        self.views.append(view | ({"target": target} if target else {}))
        return list(range(first, len(self.accessors)))

    def data(self) -> bytes:
        """All bytes so far."""
        return b"".join(self._parts)
