"""Database: the authored cycles as one file, and both leads of those that have one."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.errors import FileError
from hoofbeat.formats import files
from hoofbeat.formats.arrays import pack_arrays, unpack_arrays
from hoofbeat.gaits.cycle import FEATURES, LEG_ROWS, TRUNK_ROWS, Cycle, mirrored_cycle
from hoofbeat.gaits.gait import lead_of
from hoofbeat.shipped import DATA

#: The shipped database.
HORSE_CYCLES = DATA / "gaits" / "horse.npz"
FORMAT = "hoofbeat gaits"
VERSION = 1
#: Cycles of one file.
MAX_CYCLES = 256

_NUMBERS = ("speed", "stride", "touchdown", "duty", "middle", "height", "sway", "trunk", "legs", "fetlock")


class DatabaseError(FileError):
    """A file that is not a gait database, or not one of this version."""


def read_cycles(path: str | PathLike[str] = HORSE_CYCLES) -> tuple[Cycle, ...]:
    """The cycles of a file as they were authored, in its order."""
    data = files.read_bytes(path, error=DatabaseError)
    found = unpack_arrays(data, path, "a gait database", DatabaseError)
    _check(found, path)
    joints = tuple(found["joints"].tolist())
    return tuple(
        Cycle(
            name=str(found["name"][n]),
            gait=str(found["gait"][n]),
            speed=float(found["speed"][n]),
            stride=float(found["stride"][n]),
            joints=joints,
            **{key: found[key][n].astype(np.float64) for key in _NUMBERS[2:]},
        )
        for n in range(len(found["name"]))
    )


def both_leads(cycles: Sequence[Cycle]) -> tuple[Cycle, ...]:
    """The cycles, and after each that leads the one that leads on the other side."""
    out: list[Cycle] = []
    for cycle in cycles:
        out.append(cycle)
        if lead_of(cycle.gait):
            out.append(mirrored_cycle(cycle))
    return tuple(out)


def write_cycles(cycles: Sequence[Cycle], path: str | PathLike[str]) -> Path:
    """Write cycles as one file; the same cycles give the same bytes."""
    return files.write_bytes(path, format_cycles(cycles), DatabaseError)


def format_cycles(cycles: Sequence[Cycle]) -> bytes:
    """The bytes of a database."""
    arrays: dict[str, NDArray[Any]] = {
        "format": np.array(FORMAT),
        "version": np.array(VERSION),
        "name": np.array([cycle.name for cycle in cycles]),
        "gait": np.array([cycle.gait for cycle in cycles]),
        "joints": np.array(cycles[0].joints),
        "features": np.array(FEATURES),
    }
    for key in _NUMBERS:
        stacked = np.stack([np.asarray(getattr(cycle, key), np.float64) for cycle in cycles])
        arrays[key] = stacked.astype(np.float32) if key in ("trunk", "legs") else stacked
    return pack_arrays(arrays)


def _check(found: dict[str, NDArray[Any]], path: str | PathLike[str]) -> None:
    needed = {"format", "version", "name", "gait", "joints", "features", *_NUMBERS}
    if missing := sorted(needed - set(found)):
        raise DatabaseError(f"not a gait database: no {', '.join(missing)}", path)
    if str(found["format"]) != FORMAT or int(found["version"]) != VERSION:
        raise DatabaseError(f"expected {FORMAT} version {VERSION}; rebuild it with the author", path)
    count, joints = len(found["name"]), len(found["joints"])
    if not 1 <= count <= MAX_CYCLES or tuple(found["features"].tolist()) != FEATURES:
        raise DatabaseError(f"holds {count} cycles with features {found['features'].tolist()}", path)
    shapes = {
        "trunk": (count, TRUNK_ROWS, joints, 4),
        "legs": (count, 4, 2, LEG_ROWS, len(FEATURES), 2),
        "height": (count, TRUNK_ROWS),
        "sway": (count, TRUNK_ROWS),
        "fetlock": (count, 4, 2),
        **{key: (count, 4) for key in ("touchdown", "duty", "middle")},
        **{key: (count,) for key in ("gait", "speed", "stride")},
    }
    for key, shape in shapes.items():
        if found[key].shape != shape:
            raise DatabaseError(f"{key} must be {shape}, is {found[key].shape}", path)
        if found[key].dtype.kind == "f" and not np.isfinite(found[key]).all():
            raise DatabaseError(f"{key} contains NaN or infinity", path)
