"""Leap: one authored leap from canter into canter, as rows of equal time, and its file.

Between two rows nothing is lost: the rows are closer than frames. Toes that stand do not move.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.formats import files
from hoofbeat.formats.arrays import pack_arrays, unpack_arrays
from hoofbeat.gaits.cycle import MIRROR
from hoofbeat.gaits.database import HORSE_CYCLES, DatabaseError
from hoofbeat.gaits.gait import GAITS

Floats = NDArray[np.float64]

#: The shipped leap.
HORSE_LEAP = HORSE_CYCLES.with_name("leap.npz")
FORMAT = "hoofbeat leap"
VERSION = 1
#: Columns of a leg's rows: pitch of the hoof, heel up, and sink of the fetlock below standing [rad];
#: scapula: turn of the shoulder blade about the lateral axis; mid, low: flexion of the joints [rad].
HOLD = ("pitch", "sink", "scapula", "mid", "low")
PITCH, SINK, SCAPULA, MID, LOW = range(5)
#: Rows of a leap, and stances in it.
MAX_ROWS, MAX_STANCES = 20_000, 64

_TEXTS = ("name", "gait", "canter")
_SCALARS = (
    "rate",
    "takeoff",
    "landing",
    "height",
    "length",
    "gain",
    "speed_in",
    "speed_out",
    "phase_in",
    "phase_out",
)
_ARRAYS = ("root", "mass", "trunk", "toe", "hold", "stances")
_NARROW = ("trunk", "hold")


@dataclass(frozen=True)
class Leap:
    """One leap over an obstacle on flat ground y = 0, along +Z, K rows at `rate` a second from time 0 on.

    gait: the canter it leaves and joins, canter: the cycle; takeoff, landing: when the last hind leaves and
    the first fore lands [s]; height of the obstacle, length that the centre of mass goes in the air, gain:
    height it gains there [m]; speed_in, speed_out [m/s]; phase_in, phase_out: of the canter at the first
    and the last row, strides after the left hind lands; root (K, 3) and mass (K, 3) [m]: root joint and
    centre of mass, z from the root at the take-off; trunk (K, J, 4): local rotations of `joints`; toe
    (K, 4, 3) [m]; hold (K, 4, 5): the columns of HOLD; stances (S, 3): leg, touchdown, lift-off [s], by
    touchdown, some beginning before the first row or ending after the last.
    """

    name: str
    gait: str
    canter: str
    rate: float
    takeoff: float
    landing: float
    height: float
    length: float
    gain: float
    speed_in: float
    speed_out: float
    phase_in: float
    phase_out: float
    root: Floats
    mass: Floats
    trunk: Floats
    toe: Floats
    hold: Floats
    stances: Floats
    joints: tuple[str, ...]

    @property
    def seconds(self) -> float:
        """Time from the first to the last row."""
        return (len(self.root) - 1) / self.rate

    def stance_at(self, leg: int, times: Floats) -> NDArray[np.int64]:
        """Row of `stances` in which a leg stands at times (K,) [s], -1 where it is in the air."""
        out = np.full(len(times), -1)
        for n, (owner, touchdown, liftoff) in enumerate(self.stances):
            if int(owner) == leg:
                out[(touchdown <= times) & (times < liftoff)] = n
        return out


def read_leap(path: str | PathLike[str] = HORSE_LEAP) -> Leap:
    """The leap of a file as it was authored, on the left lead."""
    data = files.read_bytes(path, error=DatabaseError)
    found = unpack_arrays(data, path, "a leap", DatabaseError)
    _check(found, path)
    return Leap(
        joints=tuple(found["joints"].tolist()),
        **{key: str(found[key]) for key in _TEXTS},
        **{key: float(found[key]) for key in _SCALARS},
        **{key: found[key].astype(np.float64) for key in _ARRAYS},
    )


def write_leap(leap: Leap, path: str | PathLike[str]) -> Path:
    """Write a leap as a file; the same leap gives the same bytes."""
    return files.write_bytes(path, format_leap(leap), DatabaseError)


def format_leap(leap: Leap) -> bytes:
    """The bytes of a leap's file."""
    arrays: dict[str, NDArray[Any]] = {
        "format": np.array(FORMAT),
        "version": np.array(VERSION),
        "columns": np.array(HOLD),
        "joints": np.array(leap.joints),
    }
    arrays |= {key: np.array(getattr(leap, key)) for key in _TEXTS}
    arrays |= {key: np.array(float(getattr(leap, key))) for key in _SCALARS}
    for key in _ARRAYS:
        arrays[key] = np.asarray(getattr(leap, key), np.float32 if key in _NARROW else np.float64)
    return pack_arrays(arrays)


def mirrored_leap(leap: Leap) -> Leap:
    """The leap on the other lead, its phases again counted from the left hind."""
    shift = GAITS[leap.gait].touchdown[3]
    sides = {"left": "right", "right": "left"}

    def other(name: str) -> str:
        return "-".join(sides.get(word, word) for word in name.split("-"))

    flip = np.array([-1.0, 1.0, 1.0])
    stances = np.array(leap.stances)
    stances[:, 0] = np.array(MIRROR)[stances[:, 0].astype(np.int64)]
    return replace(
        leap,
        name=other(leap.name),
        gait=other(leap.gait),
        canter=other(leap.canter),
        phase_in=(leap.phase_in - shift) % 1.0,
        phase_out=(leap.phase_out - shift) % 1.0,
        root=leap.root * flip,
        mass=leap.mass * flip,
        trunk=leap.trunk * np.array([1.0, -1.0, -1.0, 1.0]),
        toe=leap.toe[:, MIRROR] * flip,
        hold=leap.hold[:, MIRROR],
        stances=stances,
    )


def _check(found: dict[str, NDArray[Any]], path: str | PathLike[str]) -> None:
    needed = {"format", "version", "columns", "joints", *_TEXTS, *_SCALARS, *_ARRAYS}
    if missing := sorted(needed - set(found)):
        raise DatabaseError(f"not a leap: no {', '.join(missing)}", path)
    if found["format"].shape or str(found["format"]) != FORMAT or found["version"].tolist() != VERSION:
        raise DatabaseError(f"expected {FORMAT} version {VERSION}; rebuild it with the author", path)
    if tuple(found["columns"].tolist()) != HOLD:
        raise DatabaseError(f"columns must be {HOLD}, are {found['columns'].tolist()}", path)
    if str(found["gait"]) not in GAITS:
        raise DatabaseError(f"gait {str(found['gait'])!r} is not one of {', '.join(GAITS)}", path)
    rows, stances, joints = len(found["root"]), len(found["stances"]), found["joints"].size
    if not (2 <= rows <= MAX_ROWS and 1 <= stances <= MAX_STANCES):
        raise DatabaseError(f"holds {rows} rows and {stances} stances", path)
    shapes = {
        "joints": (joints,),
        "root": (rows, 3),
        "mass": (rows, 3),
        "trunk": (rows, joints, 4),
        "toe": (rows, 4, 3),
        "hold": (rows, 4, len(HOLD)),
        "stances": (stances, 3),
        **{key: () for key in (*_TEXTS, *_SCALARS)},
    }
    for key, shape in shapes.items():
        if found[key].shape != shape:
            raise DatabaseError(f"{key} must be {shape}, is {found[key].shape}", path)
        if key in (*_SCALARS, *_ARRAYS) and not (
            found[key].dtype.kind == "f" and np.isfinite(found[key]).all()
        ):
            raise DatabaseError(f"{key} must hold finite numbers", path)
    if not (found["rate"] > 0 and np.isin(found["stances"][:, 0], range(4)).all()):
        raise DatabaseError("rate must be above 0 and legs of stances 0 to 3", path)
