"""All memory of a herd at one moment."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hoofbeat.records import LAYOUT_VERSION


@dataclass(frozen=True, eq=False)
class Snapshot:
    """All memory of a herd at one moment, copied. Equal bytes are equal futures.

    layout: version of the rows; arrays: state of the method, world, senses, positions, rotations, STEP rows,
    state of each layer.
    """

    layout: int
    arrays: tuple[NDArray[Any], ...]

    @classmethod
    def of(cls, memory: Iterable[NDArray[Any]]) -> Self:
        """Copies of these arrays, in the layout of this version."""
        return cls(LAYOUT_VERSION, tuple(_copied(part) for part in memory))


def _copied(array: NDArray[Any]) -> NDArray[Any]:
    """A copy byte for byte: NumPy's own leaves the padding of aligned rows to chance."""
    return np.frombuffer(bytearray(array.tobytes()), array.dtype).reshape(array.shape)
