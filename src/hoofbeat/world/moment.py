"""Moments: what a frame is read from. A horse's is a copy of one block of memory, a herd's are views.

    block of N characters:   FRAME rows | positions (N, J, 3) float64 | rotations (N, J, 4) float32
"""

from __future__ import annotations

import math
from struct import Struct
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hoofbeat.records import CLAMPS, FRAME, REFUSALS, Root

#: Parts of a block begin at multiples of this [bytes].
ALIGNED = 64


class Places(NamedTuple):
    """Where the parts of a block lie [bytes], of how many characters and nodes, and its size; gaits: names.
    """

    characters: int
    nodes: int
    positions: int
    rotations: int
    size: int
    gaits: tuple[str, ...]


def places_of(count: int, nodes: int, gaits: tuple[str, ...]) -> Places:
    """The block of so many characters of so many nodes."""
    positions = _aligned(count * FRAME.itemsize)
    rotations = _aligned(positions + count * nodes * 24)
    return Places(count, nodes, positions, rotations, _aligned(rotations + count * nodes * 16), gaits)


def _aligned(size: int) -> int:
    return -(-size // ALIGNED) * ALIGNED


class Block:
    """The memory that frames are read from, and its parts as arrays."""

    def __init__(self, count: int, nodes: int, gaits: tuple[str, ...]) -> None:
        self.places = places = places_of(count, nodes, gaits)
        # Aligned by hand: NumPy promises 16 bytes only.
        room = np.zeros(places.size + ALIGNED, np.uint8)
        begin = -room.__array_interface__["data"][0] % ALIGNED
        self.memory = room[begin : begin + places.size]
        self.rows = self.memory[: count * FRAME.itemsize].view(FRAME)
        at, size = places.positions, count * nodes * 24
        self.positions = self.memory[at : at + size].view(np.float64).reshape(count, nodes, 3)
        at, size = places.rotations, count * nodes * 16
        self.rotations = self.memory[at : at + size].view(np.float32).reshape(count, nodes, 4)
        self._seen = _view(self.positions), _view(self.rotations)
        self._data = self.memory.data
        # Bytes are copied twice as fast as rows.
        self._row_bytes = self.memory[: count * FRAME.itemsize]

    def horse(self) -> HorseMoment:
        """The first character's moment, copied."""
        return HorseMoment(bytearray(self._data), self.places)

    def herd(self) -> HerdMoment:
        """The moment of all: rows are copied, positions and rotations are views."""
        positions, rotations = self._seen
        return HerdMoment(self._row_bytes.copy(), positions, rotations, self.places.gaits)


def _at(name: str) -> int:
    """Where a field of FRAME lies [bytes]."""
    fields: Any = FRAME.fields
    return fields[name][1]


_ROOT, _CONTACT, _PHASE, _SHORTFALL, _FOOT_PHASE = map(
    _at, ("root", "contact", "phase", "shortfall", "foot_phase")
)
_YAW_SPEED_TIME = Struct("=3d")
_CODES = Struct("=5i?")  # gait, going_to, refused, events, clamped, airborne
assert [_at(name) - _at("yaw") for name in ("speed", "time")] == [8, 16]
_AFTER_GAIT = ("going_to", "refused", "events", "clamped", "airborne")
assert [_at(name) - _at("gait") for name in _AFTER_GAIT] == [4, 8, 12, 16, 20]


class HorseMoment:
    """One horse at one moment; see `Frame` for what each function gives."""

    __slots__ = ("_block", "_places")

    def __init__(self, block: bytearray, places: Places) -> None:
        self._block = block
        self._places = places

    def positions(self) -> NDArray[np.float64]:
        """(J, 3)"""
        return np.ndarray((self._places.nodes, 3), np.float64, self._block, self._places.positions)

    def rotations(self) -> NDArray[np.float32]:
        """(J, 4)"""
        return np.ndarray((self._places.nodes, 4), np.float32, self._block, self._places.rotations)

    def root(self) -> Root:
        """Place and heading."""
        half = self._numbers()[0] / 2
        turn = np.array([0.0, math.sin(half), 0.0, math.cos(half)])
        return Root(np.ndarray(3, np.float64, self._block, _ROOT), turn)

    def contacts(self) -> NDArray[np.float32]:
        """(4,)"""
        return np.ndarray(4, np.float32, self._block, _CONTACT)

    def phase(self) -> NDArray[np.float32]:
        """(4,)"""
        return np.ndarray(4, np.float32, self._block, _PHASE)

    def foot_phase(self) -> NDArray[np.int8]:
        """(4,)"""
        return np.ndarray(4, np.int8, self._block, _FOOT_PHASE)

    def shortfall(self) -> NDArray[np.float32]:
        """(4,) [m]"""
        return np.ndarray(4, np.float32, self._block, _SHORTFALL)

    def speed(self) -> float:
        """[m/s]"""
        return self._numbers()[1]

    def time(self) -> float:
        """[s]"""
        return self._numbers()[2]

    def gait(self) -> str:
        """That the feet make."""
        return self._places.gaits[self._codes()[0]]

    def going_to(self) -> str:
        """That it changes to."""
        return self._places.gaits[self._codes()[1]]

    def refused(self) -> str:
        """Why a request is not followed."""
        return REFUSALS[self._codes()[2]]

    def events(self) -> int:
        """Bits of this step."""
        return self._codes()[3]

    def clamped(self) -> tuple[str, ...]:
        """Names of what was clamped."""
        return clamp_names(self._codes()[4])

    def airborne(self) -> bool:
        """In the air?"""
        return self._codes()[5]

    def _numbers(self) -> tuple[float, float, float]:
        return _YAW_SPEED_TIME.unpack_from(self._block, _at("yaw"))  # type: ignore[return-value]

    def _codes(self) -> tuple[int, int, int, int, int, bool]:
        return _CODES.unpack_from(self._block, _at("gait"))  # type: ignore[return-value]


class HerdMoment:
    """N characters at one moment; see `Frame` for what each function gives."""

    __slots__ = ("_bytes", "_gaits", "_positions", "_rotations")

    def __init__(
        self,
        rows: NDArray[np.uint8],
        positions: NDArray[np.float64],
        rotations: NDArray[np.float32],
        gaits: tuple[str, ...],
    ) -> None:
        self._bytes = rows
        self._positions = positions
        self._rotations = rotations
        self._gaits = gaits

    @property
    def _rows(self) -> NDArray[Any]:
        return self._bytes.view(FRAME)

    def positions(self) -> NDArray[np.float64]:
        """(N, J, 3)"""
        return self._positions

    def rotations(self) -> NDArray[np.float32]:
        """(N, J, 4)"""
        return self._rotations

    def root(self) -> Root:
        """Places (N, 3) and headings (N, 4)."""
        half = self._rows["yaw"] / 2
        turn = np.zeros((len(half), 4))
        turn[:, 1], turn[:, 3] = np.sin(half), np.cos(half)
        return Root(_view(self._rows["root"]), turn)

    def contacts(self) -> NDArray[np.float32]:
        """(N, 4)"""
        return _view(self._rows["contact"])

    def phase(self) -> NDArray[np.float32]:
        """(N, 4)"""
        return _view(self._rows["phase"])

    def foot_phase(self) -> NDArray[np.int8]:
        """(N, 4)"""
        return _view(self._rows["foot_phase"])

    def shortfall(self) -> NDArray[np.float32]:
        """(N, 4) [m]"""
        return _view(self._rows["shortfall"])

    def speed(self) -> NDArray[np.float64]:
        """(N,) [m/s]"""
        return _view(self._rows["speed"])

    def time(self) -> float:
        """[s], the same for all."""
        return float(self._rows["time"][0]) if len(self._rows) else 0.0

    def gait(self) -> tuple[str, ...]:
        """That the feet make."""
        return tuple(map(self._gaits.__getitem__, self._rows["gait"].tolist()))

    def going_to(self) -> tuple[str, ...]:
        """That each changes to."""
        return tuple(map(self._gaits.__getitem__, self._rows["going_to"].tolist()))

    def refused(self) -> tuple[str, ...]:
        """Why a request is not followed."""
        return tuple(map(REFUSALS.__getitem__, self._rows["refused"].tolist()))

    def events(self) -> NDArray[np.int32]:
        """Bits (N,) of this step."""
        return _view(self._rows["events"])

    def clamped(self) -> tuple[str, ...]:
        """Names of what was clamped of any."""
        return clamp_names(int(np.bitwise_or.reduce(self._rows["clamped"])) if len(self._rows) else 0)

    def airborne(self) -> NDArray[np.bool_]:
        """In the air? (N,)"""
        return _view(self._rows["airborne"])


def clamp_names(bits: int) -> tuple[str, ...]:
    """What the bits of CLAMPS say."""
    return tuple(name for k, name in enumerate(CLAMPS) if bits >> k & 1) if bits else ()


def _view(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only view."""
    seen = array.view()
    seen.setflags(write=False)
    return seen
