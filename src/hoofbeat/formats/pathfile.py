"""Path file: the path that an animal is to follow, as CSV with columns x and z in metres."""

from __future__ import annotations

import csv
import io
import math
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from hoofbeat.errors import FileError
from hoofbeat.formats import files

#: Names of the two columns; the second pair is that of the files of frames that we write.
COLUMNS = (("x", "z"), ("root_x", "root_z"))
#: Largest file, and fewest points.
MAX_BYTES, FEWEST = 64 * 1024 * 1024, 2


class PathFileError(FileError):
    """A CSV that holds no path."""


def read_path(path: str | PathLike[str]) -> NDArray[np.float64]:
    """Points (K, 2) [m] along x and z, from a CSV whose header names them; other columns are passed over."""
    data = files.read_bytes(path, MAX_BYTES, PathFileError)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise PathFileError("this is no text in UTF-8", path) from None
    rows = csv.reader(io.StringIO(text, newline=""))
    points: list[tuple[float, float]] = []
    try:
        header = [name.strip() for name in next(rows, list[str]())]
        pair = next((p for p in COLUMNS if all(name in header for name in p)), None)
        if pair is None:
            given = ", ".join(header)[:80]
            raise PathFileError(
                f"the first line names the columns, x and z among them; it is {given!r}", path, 1
            )
        places = [header.index(name) for name in pair]
        for row in rows:
            if any(cell.strip() for cell in row):
                points.append(_point(row, places, path, rows.line_num))
    except csv.Error as problem:
        raise PathFileError(f"this is no CSV: {problem}", path, rows.line_num) from None
    if len(points) < FEWEST:
        raise PathFileError(f"a path has {FEWEST} points or more, this one has {len(points)}", path)
    return np.array(points)


def _point(row: list[str], places: list[int], path: str | PathLike[str], line: int) -> tuple[float, float]:
    try:
        x, z = (float(row[place]) for place in places)
    except (IndexError, ValueError):
        raise PathFileError(f"x and z must be numbers, given {','.join(row)[:80]!r}", path, line) from None
    if not (math.isfinite(x) and math.isfinite(z)):
        raise PathFileError("x and z must be finite", path, line)
    return x, z
