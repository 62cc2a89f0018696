"""Layout: where everything lies in a `.hbt` file, by which the compiled core rides one configuration.

    HEAD | text (JSON) | leaves: arguments of the kernels | data: arrays, each at a multiple of 64

A leaf is an argument of a kernel: a number, an array of the data, an array that each herd has of its own, or
a number that is given when the kernel is called. All numbers are little-endian.
"""

from __future__ import annotations

import struct
from enum import IntEnum

import numpy as np

#: Changes with the layout below; a file of another version is refused.
TABLES_VERSION = 1
MAGIC = b"HBTABLES"
#: Each array of the data begins at a multiple of this [bytes].
ALIGNED = 64
#: Axes of an array at most.
MOST_AXES = 6
#: Length of a kernel's name, the closing zero counted.
NAME = 48
#: Nodes of a skeleton at most.
MOST_NODES = 256


class HerdKernel(IntEnum):
    """Kernels of a herd, in the order of HEAD's `stages`."""

    INIT = 0
    PREPARE = 1
    METHOD = 2
    PLACE = 3
    FRAMES = 4
    SKIN = 5


class Leaf(IntEnum):
    """What a leaf is."""

    NUMBER = 0  # value: its bits as an int64 or a float64
    TABLE = 1  # an array of the data; value: where it begins, from the start of the data
    SCRATCH = 2  # an array that every herd has of its own, zero at the start; value: where among these
    REGION = 3  # an array with a row for each character; value: a Region
    GIVEN = 4  # what the call gives: the time step, the seed, or a pose to skin; value: a Given


class Region(IntEnum):
    """Arrays with a row for each character."""

    STATE = 0  # the method's own memory
    ASKED = 1  # COMMAND as it was given
    COMMANDS = 2  # COMMAND within limits, for this step
    SENSES = 3
    WORLD = 4
    STEPS = 5
    FRAMES = 6
    POSITIONS = 7  # float64 (J, 3)
    SHOWN = 8  # the same in the size of the animal, where that is not the method's own
    ROTATIONS = 9  # float32 (J, 4)
    IDS = 10  # int64


class Given(IntEnum):
    """What a call gives a kernel."""

    TIME = 0
    SEED = 1
    POSITIONS = 2  # of one character about its root, float32 (1, J, 3)
    ROTATIONS = 3  # of one character, that of the root in the world, float32 (1, J, 4)
    TURNS = 4  # scratch of skinning, float32 (J, 4)
    MATRICES = 5  # float32 (J, 3, 4)
    VERTICES = 6  # out, float32 (1, V, 3)
    NORMALS = 7  # out, float32 (1, V, 3)


#: One kernel: its name and its leaves.
STAGE = np.dtype([("kernel", f"S{NAME}"), ("first", "<i4"), ("leaves", "<i4")])
LEAF = np.dtype([("kind", "<i4"), ("axes", "<i4"), ("value", "<i8"), ("shape", "<i8", MOST_AXES)])
HEAD = np.dtype(
    [
        ("magic", "S8"),
        ("version", "<i4"),  # TABLES_VERSION
        ("layout", "<i4"),  # LAYOUT_VERSION of the rows
        ("stamp", "S16"),  # of the kernels
        ("size", "<i8"),  # of the file [bytes], a multiple of 8
        ("checksum", "<u8"),  # of the file, this field taken as 0
        ("text", "<i8"),  # where the text begins
        ("text_size", "<i8"),  # without the zeros behind it
        ("leaves", "<i8"),  # where the leaves begin
        ("leaf_count", "<i8"),
        ("data", "<i8"),  # where the data begins
        ("scratch", "<i8"),  # size of all scratch arrays, each at a multiple of 64
        ("nodes", "<i4"),  # of the skeleton
        ("gaits", "<i4"),
        ("actions", "<i4"),
        ("settles", "<i4"),  # how often a herd is placed before its first step
        ("scaled", "<i4"),  # 1 = the animal is of another size than the method's own
        ("vertices", "<i4"),  # of the skin, 0 = none
        ("triangles", "<i4"),
        ("extras", "<i4"),  # first leaf of `Extra`
        ("stages", STAGE, len(HerdKernel)),
    ]
)


class Extra(IntEnum):
    """Arrays of the data that are no argument: leaves behind those of the stages, in this order."""

    BENT = 0  # int64 (K,): nodes that uneven ground turns
    TRIANGLES = 1  # uint32 (F, 3)
    COLOURS = 2  # uint8 (V, 4), sRGB and alpha


def checksum(data: bytes) -> int:
    """FNV-1a, 64 bits, over words of 8 bytes; zeros fill the last."""
    value = 0xCBF29CE484222325
    padded = data + bytes(-len(data) % 8)
    for (word,) in struct.iter_unpack("<Q", padded):
        value = (value ^ word) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value
