"""Scene files: a skeleton, its Actions and the order of its gaits make a new animal without code.

YAML beside the files it names:

    name: thesis horse
    skeleton: horse.bvh
    facing: -z                # the direction in which the animal looks in that file: -z or +z
    acceleration: 3.0         # [m/s2]
    braking: 4.0
    stand: idle.action
    gaits:                    # from slow to fast
      - {name: walk, action: walk.action, up_to: 3.45, durations: [1.5, 0.6], power: 1.5}
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from hoofbeat.body.legs.find import find_legs
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import FileError, SceneFileError
from hoofbeat.formats import files, yamlfile
from hoofbeat.formats.actionfile import Action, read_action
from hoofbeat.formats.bvh.reader import read_bvh
from hoofbeat.shipped import DATA

#: The scene that ships: the thesis's horse with its four Actions.
THESIS_HORSE = DATA / "thesis" / "horse.scene.yaml"

_KEYS = ("name", "credit", "skeleton", "facing", "scale", "acceleration", "braking", "stand", "gaits")
_GAIT_KEYS = ("name", "action", "up_to", "durations", "power", "widen")
#: No animal's gaits reach further; a larger number is a wrong unit.
MAX_SPEED = 100.0
MAX_GAITS = 16
#: From inches or centimetres to metres and back; beyond, an animal is too small or large for float32.
LEAST_SCALE, MOST_SCALE = 1e-3, 1e3


@dataclass(frozen=True)
class SceneGait:
    """One gait of a scene: its Action, the upper limit of its speed band [m/s], the cycle times [s]
    at the slow and fast end of the band, how the stride rate grows over it (1 = evenly), and how far
    its stride may be widened."""

    name: str
    action: Action
    up_to: float
    durations: tuple[float, float]
    power: float
    widen: float


@dataclass(frozen=True)
class Scene:
    """A skeleton facing +Z with named legs, a standing Action and gaits from slow to fast.

    `flip` says that the file's animal faced -Z: angles about X and Z change sign with the skeleton.
    """

    name: str
    credit: str
    skeleton: Skeleton
    flip: bool
    acceleration: float
    braking: float
    stand: Action
    gaits: tuple[SceneGait, ...]


def read_scene(path: str | PathLike[str] = THESIS_HORSE) -> Scene:
    """Read a scene file and everything it names; errors name the file and line they are in."""
    data = files.read_bytes(path, yamlfile.MAX_BYTES, SceneFileError)
    top = yamlfile.parse_mapping(data, str(path), SceneFileError)
    top.finish(_KEYS)
    folder = Path(path).parent
    facing = top.get("facing", str, "+z")
    if facing not in ("+z", "-z"):
        raise top.fail(f"facing: expected +z or -z, given {facing!r}", "facing")
    skeleton = _skeleton(top, folder, facing == "-z")
    stand = _action(top, "stand", folder, skeleton)
    entries = top.mappings("gaits")
    if len(entries) > MAX_GAITS:
        raise top.fail(f"gaits: {len(entries)} given, at most {MAX_GAITS} are allowed", "gaits")
    gaits = tuple(_gait(entry, folder, skeleton) for entry in entries)
    _check_order(top, entries, gaits)
    return Scene(
        top.get("name", str, Path(path).stem),
        top.get("credit", str, ""),
        skeleton,
        facing == "-z",
        _positive(top, "acceleration", 3.0),
        _positive(top, "braking", 4.0),
        stand,
        gaits,
    )


def turned(skeleton: Skeleton) -> Skeleton:
    """The skeleton turned half round about Y: one that faced -Z now faces +Z."""
    return Skeleton(skeleton.names, skeleton.parents, skeleton.offsets * np.array([-1, 1, -1]), skeleton.ends)


def _skeleton(top: yamlfile.Mapping, folder: Path, flip: bool) -> Skeleton:
    scale = _positive(top, "scale", 1.0)
    if not LEAST_SCALE <= scale <= MOST_SCALE:
        raise top.fail(f"scale: from {LEAST_SCALE:g} to {MOST_SCALE:g}, given {scale:g}", "scale")
    try:
        skeleton = read_bvh(folder / top.get("skeleton", str), scale=scale).skeleton
    except FileError as problem:
        raise top.fail(f"skeleton: {problem}", "skeleton") from problem
    skeleton = turned(skeleton) if flip else skeleton
    legs = find_legs(skeleton)
    if not legs:
        raise top.fail(
            "skeleton: its legs are not named in a convention known here; see docs/actions.md", "skeleton"
        )
    return skeleton.with_legs(legs)


def _action(entry: yamlfile.Mapping, key: str, folder: Path, skeleton: Skeleton) -> Action:
    name = entry.get(key, str)
    try:
        return read_action(folder / name, skeleton.joints)
    except FileError as problem:
        raise entry.fail(f"{key}: {problem}", key) from problem


def _gait(entry: yamlfile.Mapping, folder: Path, skeleton: Skeleton) -> SceneGait:
    entry.finish(_GAIT_KEYS)
    action = _action(entry, "action", folder, skeleton)
    least, most, _ = action.durations
    slow, fast = entry.numbers("durations", 2, (most, least))
    if not least <= fast <= slow <= most:
        raise entry.fail(
            f"durations: expected slow then fast, inside the Action's {least:g} to {most:g} s, given "
            f"{slow:g} and {fast:g}",
            "durations",
        )
    up_to = _positive(entry, "up_to")
    if up_to > MAX_SPEED:
        raise entry.fail(f"up_to: at most {MAX_SPEED:g} m/s, given {up_to:g}", "up_to")
    widen = _positive(entry, "widen", 1.15)
    return SceneGait(
        entry.get("name", str), action, up_to, (slow, fast), _positive(entry, "power", 1.0), widen
    )


def _check_order(
    top: yamlfile.Mapping, entries: list[yamlfile.Mapping], gaits: tuple[SceneGait, ...]
) -> None:
    for k in range(1, len(gaits)):
        if gaits[k].up_to <= gaits[k - 1].up_to:
            raise entries[k].fail(
                "up_to: gaits stand from slow to fast, this one ends below the one before", "up_to"
            )
    names = [gait.name for gait in gaits]
    if len(set(names)) < len(names) or "stand" in names:
        given = ", ".join(names)
        raise top.fail(f"gaits: names must differ, and 'stand' is reserved; given {given}", "gaits")


def _positive(entry: yamlfile.Mapping, key: str, default: float | None = None) -> float:
    value = entry.get(key, float, default)
    if value <= 0:
        raise entry.fail(f"{key}: must be above 0, given {value:g}", key)
    return value
