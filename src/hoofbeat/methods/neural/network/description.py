"""Description: what a network file says of itself: animal, actions, ranges of its data, as JSON.

{"format": "hoofbeat.network", "version": 1, "kind": "mann", "experts": 8, "rate": 60,
 "skeleton": {"names", "parents", "offsets", "ends", "legs": [[name, top, mid, low, pastern, toe] x 4]},
 "carried", "mirror", "axis", "actions", "swaps",
 "stand": {"rotations", "origin", "action"}, "low", "high", "speeds", "turn", "bends", "made"}

Files without "bends" were written before there were any: their legs are not held to them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.labelled import Rig
from hoofbeat.body.legs.bends import bent_nodes
from hoofbeat.body.skeleton import Leg, Skeleton
from hoofbeat.errors import FileError, HoofbeatError
from hoofbeat.methods.neural.network.layout import RATE, Layout

FORMAT, VERSION = "hoofbeat.network", 1
#: Networks that can be ridden.
KINDS = ("mann", "plain", "pfnn", "mixture")
#: Most characters of a description, experts and actions: beyond, a file is broken or made to hurt.
MAX_TEXT, MAX_EXPERTS, MAX_ACTIONS = 4_000_000, 64, 100


class NetworkFileError(FileError):
    """A file that is no network of ours, or a broken one; or what reads it is not installed."""


@dataclass(frozen=True, eq=False)
class _Stand:
    """The animal standing: rotations (J, 4) float32 xyzw, local, that of node 0 in root space; origin
    (3,) float32 [m], the root joint in root space; action: index of what it does then."""

    rotations: NDArray[np.float32]
    origin: NDArray[np.float32]
    action: int


@dataclass(frozen=True, eq=False)
class Description:
    """A network's description. low, high (n,) float32: the range of every input column in its data; speeds:
    least and greatest wanted speed [m/s] with each action; turn: the fastest turn seen [rad/s]; bends (B, 2):
    least and most of the legs' bends [rad], see `body.bends`, all that there is where they are not known."""

    kind: str
    experts: int
    rig: Rig
    stand: _Stand
    low: NDArray[np.float32]
    high: NDArray[np.float32]
    speeds: Mapping[str, tuple[float, float]]
    turn: float
    bends: NDArray[np.float32]
    made: Mapping[str, Any]

    @property
    def layout(self) -> Layout:
        """What its columns are."""
        return Layout.of(self.rig)


def read_description(text: str, path: str | PathLike[str] = "<memory>") -> Description:
    """The description of a text; anything wrong in it is a NetworkFileError that names the entry."""
    if len(text) > MAX_TEXT:
        raise NetworkFileError(
            f"its description has {len(text)} characters; at most {MAX_TEXT} are read", path
        )
    try:
        found = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as problem:
        raise NetworkFileError(f"its description is not JSON: {problem}", path) from None
    try:
        return _description(found)
    except _Wrong as wrong:
        raise NetworkFileError(f"{wrong}; export the network again", path) from None
    except HoofbeatError as problem:  # a skeleton or rig that does not fit itself
        raise NetworkFileError(f"its animal is broken: {problem}", path) from None


class _Wrong(ValueError):
    """What is wrong with which entry."""


def _description(found: Any) -> Description:
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise _Wrong(f"this is no hoofbeat network: its description says no format {FORMAT!r}")
    if found.get("version") != VERSION:
        raise _Wrong(f"version {found.get('version')!r:.40} is not {VERSION}, which this hoofbeat reads")
    if found.get("rate") != RATE:
        raise _Wrong(f"rate {found.get('rate')!r:.40} is not {RATE} frames a second")
    kind = found.get("kind")
    if kind not in KINDS:
        raise _Wrong(f"kind {kind!r:.40} is none of {', '.join(KINDS)}")
    rig = rig_of(found)
    columns = Layout.of(rig).inputs.size
    low, high = (_numbers(found, key, (columns,)).astype(np.float32) for key in ("low", "high"))
    if (low > high).any():
        raise _Wrong("low is above high in some columns")
    return Description(
        kind=kind,
        experts=_whole(found, "experts", 1, MAX_EXPERTS),
        rig=rig,
        stand=_stand(_mapping(found, "stand"), rig),
        low=low,
        high=high,
        speeds=_speeds(_mapping(found, "speeds"), rig.actions),
        turn=float(_numbers(found, "turn", ())),
        bends=_bends(found, rig),
        made=_mapping(found, "made") if "made" in found else {},
    )


def rig_of(found: dict[str, Any]) -> Rig:
    """The rig of plain values, every one checked; a ValueError says which entry is wrong."""
    tree = _mapping(found, "skeleton")
    names = _names(tree, "names", 4096)
    count = len(names)
    nodes = (count,)
    legs = tree.get("legs")
    if not isinstance(legs, list) or len(legs) != 4:
        raise _Wrong("skeleton legs must be four rows")
    skeleton = Skeleton(
        names,
        _wholes(tree, "parents", nodes, -1, count),
        _numbers(tree, "offsets", (count, 3)),
        _wholes(tree, "ends", nodes, 0, 2).astype(bool),
        [_leg(leg, count) for leg in legs],
    )
    actions = _names(found, "actions", MAX_ACTIONS)
    carried = found.get("carried")
    if not (isinstance(carried, list) and carried and carried[0] == 0):
        raise _Wrong("entry 'carried' must be nodes, the root joint first")
    return Rig(
        skeleton,
        _wholes(found, "carried", (len(carried),), 0, count),
        _wholes(found, "mirror", nodes, 0, count),
        _whole(found, "axis", 0, 2),
        actions,
        _wholes(found, "swaps", (len(actions),), 0, len(actions)),
    )


def _leg(row: Any, nodes: int) -> Leg:
    if not (isinstance(row, list) and len(row) == 6 and isinstance(row[0], str)):
        raise _Wrong("a leg must be its name and five nodes")
    parts = [_in_range("a node of a leg", value, -1, nodes - 1) for value in row[1:]]
    return Leg(row[0], *parts)


def _stand(found: dict[str, Any], rig: Rig) -> _Stand:
    rotations = _numbers(found, "rotations", (len(rig.skeleton), 4))
    lengths = np.linalg.norm(rotations, axis=1)
    if (abs(lengths - 1) > 1e-2).any():
        raise _Wrong("stand rotations must have unit length")
    return _Stand(
        (rotations / lengths[:, None]).astype(np.float32),
        _numbers(found, "origin", (3,)).astype(np.float32),
        _whole(found, "action", 0, len(rig.actions) - 1),
    )


def _bends(found: dict[str, Any], rig: Rig) -> NDArray[np.float32]:
    count = len(bent_nodes(rig.skeleton))
    if "bends" not in found:
        return np.tile(np.array([0.0, np.pi], np.float32), (count, 1))
    bends = _numbers(found, "bends", (count, 2))
    if not ((bends[:, 0] >= 0) & (bends[:, 0] <= bends[:, 1]) & (bends[:, 1] <= 3.15)).all():
        raise _Wrong("bends must rise from 0 or more to pi or less")
    return bends.astype(np.float32)


def _speeds(found: dict[str, Any], actions: tuple[str, ...]) -> dict[str, tuple[float, float]]:
    out: dict[str, tuple[float, float]] = {}
    for name in found:
        if name not in actions:
            raise _Wrong(f"speeds name {name!r:.60}, which is no action of {', '.join(actions)}")
        slow, fast = _numbers(found, name, (2,)).tolist()
        if not 0 <= slow <= fast:
            raise _Wrong(f"speeds of {name} must rise from 0 or more, given {slow} to {fast}")
        out[name] = (slow, fast)
    return out


def _mapping(found: dict[str, Any], key: str) -> dict[str, Any]:
    value = found.get(key)
    if not isinstance(value, dict):
        raise _Wrong(f"entry {key!r} is missing or no object")
    return value


def _names(found: dict[str, Any], key: str, most: int) -> tuple[str, ...]:
    value = found.get(key)
    if not (isinstance(value, list) and 1 <= len(value) <= most and all(isinstance(v, str) for v in value)):
        raise _Wrong(f"entry {key!r} must be 1 to {most} names")
    return tuple(value)


def _numbers(found: dict[str, Any], key: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    try:
        array = np.asarray(found.get(key), np.float64)
    except (TypeError, ValueError, OverflowError):
        raise _Wrong(f"entry {key!r} must be numbers of shape {shape}") from None
    if array.shape != shape or not (np.abs(array) < 1e30).all():
        raise _Wrong(f"entry {key!r} must be finite numbers of shape {shape}, given shape {array.shape}")
    return array


def _wholes(found: dict[str, Any], key: str, shape: tuple[int], low: int, end: int) -> NDArray[np.int64]:
    """Whole numbers from low up to, not including, end."""
    array = _numbers(found, key, shape)
    if not ((array == np.floor(array)) & (array >= low) & (array < end)).all():
        raise _Wrong(f"entry {key!r} must be whole numbers from {low} to {end - 1}")
    return array.astype(np.int64)


def _whole(found: dict[str, Any], key: str, low: int, high: int) -> int:
    return _in_range(f"entry {key!r}", found.get(key), low, high)


def _in_range(what: str, value: Any, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise _Wrong(f"{what} must be a whole number from {low} to {high}, given {value!r:.40}")
    return value


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")
