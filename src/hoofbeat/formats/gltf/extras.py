"""glTF notes: what a clip knows beyond its motion, kept in the `extras` of an animation, under "hoofbeat".

    {"fps": 60, "frames": 3600, "contacts": {"LF": [[0, 12], [40, 55]], ...}, "gait": [[0, "walk"]],
     "method": [[0, "timewarp"]]}

Contacts are runs of frames [first, after) in which a foot is down (more than half); a gait, and the method
that made it, holds from its frame to the next entry. Other programs may use them for footstep sounds, or
pass over them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import METHOD, Clip
from hoofbeat.body.skeleton import LEGS
from hoofbeat.formats.bvh.reader import MAX_LENGTH
from hoofbeat.formats.gltf.objects import MAX_NAME, Item

#: The key in `extras` that is ours.
KEY = "hoofbeat"
GAIT = "gait"
#: Frames that a note can speak of.
MAX_FRAMES = 2**25


@dataclass(frozen=True)
class Notes:
    """Notes of one animation. fps and frames are 0 where the file does not say; runs as in the module."""

    fps: float = 0.0
    frames: int = 0
    contacts: tuple[list[tuple[int, int]], ...] = ()
    gaits: tuple[tuple[int, str], ...] = ()
    methods: tuple[tuple[int, str], ...] = ()

    def contacts_at(self, frames: NDArray[np.int64]) -> NDArray[np.float64] | None:
        """Contacts (T, 4), 0 or 1, at these frames of the note; None where there are none."""
        if len(self.contacts) != len(LEGS):
            return None
        found = np.zeros((len(frames), len(LEGS)))
        for leg, runs in enumerate(self.contacts):
            edges = np.array(runs, np.int64).reshape(-1, 2)
            # Runs follow one another, so a frame is inside one where more have begun than ended.
            begun = np.searchsorted(edges[:, 0], frames, side="right")
            found[:, leg] = begun > np.searchsorted(edges[:, 1], frames, side="right")
        return found

    def names_at(self, frames: NDArray[np.int64]) -> dict[str, NDArray[np.str_]]:
        """The extras gait and method (T,) at these frames, those that there are."""
        found: dict[str, NDArray[np.str_]] = {}
        for key, entries in ((GAIT, self.gaits), (METHOD, self.methods)):
            if entries:
                starts = [first for first, _ in entries]
                which = np.maximum(np.searchsorted(starts, frames, side="right") - 1, 0)
                found[key] = np.array([name for _, name in entries])[which]
        return found


def notes_of(clip: Clip) -> dict[str, Any]:
    """The notes of a clip, ready for JSON."""
    found: dict[str, Any] = {"fps": clip.fps, "frames": len(clip)}
    if clip.contacts is not None:
        found["contacts"] = {name: _runs(clip.contacts[:, leg] > 0.5) for leg, name in enumerate(LEGS)}
    for key in (GAIT, METHOD):
        names = clip.extras.get(key)
        if names is not None and names.dtype.kind == "U" and names.ndim == 1 and len(names):
            firsts = np.flatnonzero(np.concatenate([[True], names[1:] != names[:-1]]))
            found[key] = [[int(first), str(names[first])] for first in firsts]
    return found


def node_note(kind: str, value: str) -> dict[str, str]:
    """Extras of a node: one flat text, because assimp stops at objects and lists there."""
    return {f"{KEY}_{kind}": value}


def role_of(item: Item) -> str:
    """What a node is for ("root", "end"), "" where it does not say."""
    role = _mapping(item.values.get("extras")).get(f"{KEY}_role")
    return role if isinstance(role, str) else ""


def offset_of(item: Item) -> tuple[float, float, float] | None:
    """The offset of a root joint [m], noted because the node itself stands at its rest height."""
    given = _mapping(item.values.get("extras")).get(f"{KEY}_offset")
    words = given.split() if isinstance(given, str) and len(given) < MAX_NAME else []
    try:
        found = tuple(float(word) for word in words)
    except ValueError:
        return None
    if len(found) != 3 or not all(-MAX_LENGTH <= value <= MAX_LENGTH for value in found):
        return None
    return found[0], found[1], found[2]


def read_notes(item: Item) -> Notes:
    """The notes in an animation's extras. They are a courtesy: whatever is not as we write it is ignored."""
    ours = _mapping(_mapping(item.values.get("extras")).get(KEY))
    fps, frames = ours.get("fps"), ours.get("frames")
    if type(fps) not in (int, float) or not 0 < cast("float", fps) <= 10_000:
        return Notes()
    if type(frames) is not int or not 0 < frames <= MAX_FRAMES:
        return Notes(float(cast("float", fps)))
    by_leg = _mapping(ours.get("contacts"))
    contacts = [_read_runs(by_leg.get(name)) for name in LEGS]
    found = () if None in contacts else tuple(cast("list[list[tuple[int, int]]]", contacts))
    names = _read_names(ours.get(GAIT)), _read_names(ours.get(METHOD))
    return Notes(float(cast("float", fps)), frames, found, *names)


def _runs(down: NDArray[np.bool_]) -> list[list[int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], down, [False]]).astype(np.int8)))
    return edges.reshape(-1, 2).tolist()


def _mapping(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _sequence(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _read_runs(value: object) -> list[tuple[int, int]] | None:
    """Runs of frames in order, or None where they are not."""
    if not isinstance(value, list):
        return None
    found: list[tuple[int, int]] = []
    last = 0
    for run in _sequence(cast("object", value)):
        pair = _sequence(run)
        if len(pair) != 2 or not all(type(v) is int for v in pair):
            return None
        if not last <= pair[0] < pair[1] <= MAX_FRAMES:
            return None
        found.append((pair[0], pair[1]))
        last = pair[1]
    return found


def _read_names(value: object) -> tuple[tuple[int, str], ...]:
    found: list[tuple[int, str]] = []
    last = -1
    for entry in _sequence(value):
        pair = _sequence(entry)
        if len(pair) != 2 or type(pair[0]) is not int or not last < pair[0] <= MAX_FRAMES:
            return ()
        if not isinstance(pair[1], str) or not pair[1].isprintable() or len(pair[1]) > MAX_NAME:
            return ()
        found.append((pair[0], pair[1]))
        last = pair[0]
    return tuple(found)
