"""Frame block: one moment of one horse as bytes, as it goes over the wire and into recordings.

    header (HEADER_BYTES) | positions (J, 3) float32 | rotations (J, 4) float32

Little-endian throughout. The header is the table FIELDS, laid out without gaps so that every value lies
on a multiple of its own size; `hoofbeat.studio.wire.typescript` writes the same table for the page.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.errors import HoofbeatError
from hoofbeat.records import LAYOUT_VERSION

#: First byte of every block; the second is records.LAYOUT_VERSION.
KIND = 1


class FrameError(HoofbeatError):
    """Bytes that are no frame block, or one of another version."""


@dataclass(frozen=True)
class _Field:
    """One value of the header: NumPy type code, how many, unit ("" = none) and meaning."""

    name: str
    code: str
    count: int
    unit: str
    meaning: str


#: The header, in order. Legs are LF, RF, LH, RH.
FIELDS = (
    _Field("kind", "u1", 1, "", "KIND, so that other blocks can be distinguished"),
    _Field("version", "u1", 1, "", "LAYOUT_VERSION"),
    _Field("joints", "u2", 1, "", "J, nodes of the skeleton, end sites included"),
    _Field("number", "u4", 1, "", "frames since the ride began; grows by 1 a step of the clock"),
    _Field("time", "f8", 1, "s", "of the ride; slow motion slows it, pause stops it"),
    _Field("root", "f8", 3, "m", "ground point under the root joint, world"),
    _Field("heading", "f8", 1, "rad", "0 = +Z, left positive; not wrapped"),
    _Field("command", "u4", 1, "", "number of the latest `ride` message that this frame follows"),
    _Field("flags", "u4", 1, "bits", "FLAGS"),
    _Field("events", "u4", 1, "bits", "EVENTS since the last block that this client was sent"),
    _Field("clamps", "u4", 1, "bits", "CLAMPS: what of the command is held to what the method can do"),
    _Field("speed", "f4", 1, "m/s", "over the ground"),
    _Field("froude", "f4", 1, "", "speed squared / (g x hip height)"),
    _Field("turn", "f4", 1, "rad/s", "turning rate, left positive"),
    _Field("wanted_speed", "f4", 1, "m/s", "as commanded, after clamping"),
    _Field("wanted_turn", "f4", 1, "rad/s", "as commanded, after clamping"),
    _Field("height", "f4", 1, "m", "of the withers now; lengths over those of the skeleton in `hello`"),
    _Field("phase", "f4", 4, "", "each leg's own time in [0, 1), 0 = touchdown"),
    _Field("contacts", "f4", 4, "", "1 = planted"),
    _Field("shortfall", "f4", 4, "m", "by how much each leg misses its target"),
    _Field("targets", "f4", 12, "m", "(4, 3) where the method wants each toe, relative to root, world axes"),
    _Field("corrections", "f4", 12, "m", "(4, 3) how far foot locks hold each toe from there, world axes"),
    _Field("foot_phase", "u1", 4, "", "index of FOOT_PHASES of each leg"),
    _Field("gait", "u1", 1, "", "index of `hello.gaits`: what the feet do"),
    _Field("going_to", "u1", 1, "", "index of `hello.gaits`: changed to; the same where nothing changes"),
    _Field("refused", "u1", 1, "", "index of REFUSALS: why a request is not followed, 0 = none is refused"),
    _Field("pad", "u1", 1, "", "0"),
)
#: Bits of `flags`.
FLAGS = ("airborne", "paused", "recording", "plan", "switching")

FLAG = {name: 1 << k for k, name in enumerate(FLAGS)}

HEADER = np.dtype([(f.name, "<" + f.code, (f.count,) if f.count > 1 else ()) for f in FIELDS])
HEADER_BYTES = HEADER.itemsize
_LETTERS = {"u1": "B", "u2": "H", "u4": "I", "f4": "f", "f8": "d"}
_PACK = struct.Struct("<" + "".join(f"{f.count}{_LETTERS[f.code]}" for f in FIELDS))
#: Where the events stand: the one value that differs between the clients of a moment.
EVENTS_AT = int(HEADER.fields["events"][1])  # type: ignore[index]


def block_dtype(joints: int) -> np.dtype[Any]:
    """The whole block as one NumPy row: a buffer of many is an array of them."""
    return np.dtype([("head", HEADER), ("positions", "<f4", (joints, 3)), ("rotations", "<f4", (joints, 4))])


def block_bytes(joints: int) -> int:
    """Bytes of a block of so many nodes."""
    return HEADER_BYTES + 28 * joints


def encode_head(
    *,
    joints: int,
    number: int,
    time: float,
    root: list[float],
    heading: float,
    command: int,
    flags: int,
    events: int,
    clamps: int,
    speed: float,
    froude: float,
    turn: float,
    wanted_speed: float,
    wanted_turn: float,
    height: float,
    phase: list[float],
    contacts: list[float],
    shortfall: list[float],
    feet: list[float],
    foot_phase: list[int],
    gait: int,
    going_to: int,
    refused: int,
) -> bytes:
    """The header; feet: targets and corrections, 24 numbers. The other names are those of FIELDS.

    Written by `struct` from plain numbers: filling a NumPy row needs ten times as long.
    """
    return _PACK.pack(
        *(KIND, LAYOUT_VERSION, joints, number & 0xFFFFFFFF, time, *root, heading),
        *(command, flags, events, clamps, speed, froude, turn, wanted_speed, wanted_turn, height),
        *(*phase, *contacts, *shortfall, *feet, *foot_phase),
        *(gait, going_to, refused, 0),
    )


def decode(data: bytes) -> NDArray[Any]:
    """The block as a row () of `block_dtype`, checked; a view of the bytes."""
    if len(data) < HEADER_BYTES:
        raise FrameError(f"a frame block has at least {HEADER_BYTES} bytes, given {len(data)}")
    head = np.frombuffer(data, HEADER, 1)[0]
    if (head["kind"], head["version"]) != (KIND, LAYOUT_VERSION):
        given = f"kind {head['kind']}, version {head['version']}"
        raise FrameError(f"expected a frame block of kind {KIND}, version {LAYOUT_VERSION}, given {given}")
    joints = int(head["joints"])
    if len(data) != block_bytes(joints):
        raise FrameError(f"a block of {joints} nodes has {block_bytes(joints)} bytes, given {len(data)}")
    return np.frombuffer(data, block_dtype(joints), 1)[0]


def with_events(data: bytes, events: int) -> bytes:
    """The block with other event bits."""
    return data[:EVENTS_AT] + int(events).to_bytes(4, "little") + data[EVENTS_AT + 4 :]
