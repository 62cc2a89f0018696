"""CSV: what the feet do, for a spreadsheet. A row a frame, or a row an event. docs/csv.md lists the columns.

Numbers have six decimals, a point and no thousands mark, whatever the locale; what a clip does not
know is left empty.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import METHOD, Clip
from hoofbeat.body.contacts import with_contacts
from hoofbeat.body.root import TRAVEL, track_of
from hoofbeat.body.skeleton import LEGS
from hoofbeat.errors import FileError
from hoofbeat.formats import files

#: The columns of a file of frames, in order.
FRAME_COLUMNS = (
    "time",
    *(f"contact_{leg}" for leg in LEGS),
    *(f"phase_{leg}" for leg in LEGS),
    "gait",
    "speed",
    "root_x",
    "root_y",
    "root_z",
    "yaw",
    "airborne",
    METHOD,
)
#: The columns of a file of events, and the words of `event`.
EVENT_COLUMNS = ("time", "leg", "event", METHOD)
EVENTS = ("touchdown", "liftoff", "takeoff", "landing")


class CsvError(FileError):
    """A clip whose feet are not known, so that there is nothing to write."""


@dataclass(frozen=True)
class Event:
    """Something a foot or the body did: time [s] since the first frame; leg LF, RF, LH, RH, or "" for
    the whole body; event: a word of EVENTS; method: the one that made it, "" where it is not known."""

    time: float
    leg: str
    event: str
    method: str = ""


def write_frames(clip: Clip, path: str | PathLike[str]) -> Path:
    """Write a row a frame: time [s], contacts, phases, gait, speed [m/s], root [m], yaw [rad], airborne,
    method."""
    return files.write_bytes(path, _csv(FRAME_COLUMNS, frame_rows(clip, path)), CsvError)


def write_events(events: Iterable[Event], path: str | PathLike[str]) -> Path:
    """Write a row an event, in the order given."""
    rows = ((f"{event.time:.6f}", event.leg, event.event, event.method) for event in events)
    return files.write_bytes(path, _csv(EVENT_COLUMNS, rows), CsvError)


def known_contacts(clip: Clip, path: str | PathLike[str] = "<memory>") -> NDArray[np.float64]:
    """Contacts (T, 4) of a clip in [0, 1]; where it has none they are found from its toes."""
    found = clip.contacts
    if found is None and len(clip.skeleton.legs) == 4:
        found = with_contacts(clip).contacts
    if found is None:
        raise CsvError(
            f"clip {clip.name!r} has neither contacts nor named legs, so its feet are not known; name the "
            "legs with Skeleton.with_legs",
            path,
        )
    return found


def frame_rows(clip: Clip, path: str | PathLike[str] = "<memory>") -> Iterable[Sequence[str]]:
    """The rows of FRAME_COLUMNS as text; `path` is used in errors."""
    contacts, count = known_contacts(clip, path), len(clip)
    track = track_of(clip)
    positions, yaw = track.positions, track.yaw
    if TRAVEL in clip.extras:  # an in-place clip stays at the origin of its root
        positions, yaw = np.zeros((count, 3)), np.zeros(count)
    columns = [
        *_numbers(np.arange(count) / clip.fps),
        *_numbers(contacts),
        *_numbers(_extra(clip, "phase", (4,)), 4),
        _words(_extra(clip, "gait", ()), count),
        *_numbers(_extra(clip, "speed", ()), 1),
        *_numbers(positions),
        *_numbers(yaw),
        _words(_extra(clip, "airborne", ()), count),
        _words(_extra(clip, METHOD, ()), count),
    ]
    filled = [column or [""] * count for column in columns]
    return zip(*filled, strict=True)


def _extra(clip: Clip, name: str, shape: tuple[int, ...]) -> NDArray[Any] | None:
    """An extra of the shape (T, *shape), or None where the clip has no such thing."""
    array = clip.extras.get(name)
    return array if array is not None and array.shape[1:] == shape else None


def _numbers(values: NDArray[Any] | None, columns: int = 0) -> list[list[str]]:
    """Columns of numbers as text; empty ones where nothing is known."""
    if values is None or values.dtype.kind not in "biuf":
        return [[] for _ in range(columns)]
    table = np.asarray(values, np.float64).reshape(len(values), 1 if values.ndim == 1 else values.shape[1])
    return [[f"{value:.6f}" for value in column] for column in table.T.tolist()]


def _words(values: NDArray[Any] | None, count: int) -> list[str]:
    """One column of words; truth values become 0 and 1."""
    if values is None:
        return [""] * count
    return [str(int(value)) if isinstance(value, bool) else str(value) for value in values.tolist()]


def _csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue().encode("utf-8", "replace")
