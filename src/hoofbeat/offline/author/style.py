"""Style: the numbers that one stride cycle is made from, read from a commented YAML file.

The file has `gaits`, the numbers that all cycles of a gait share and its `definition`, and `cycles`, a list
of which each names its gait and says what is its own. Pairs are fore, hind. A wave is a list of [times a
stride, size, when it is largest, as a fraction of the stride after the left hind lands].
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from os import PathLike
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hoofbeat.errors import FileError
from hoofbeat.formats import files
from hoofbeat.formats.yamlfile import Mapping, parse_mapping, shown
from hoofbeat.gaits.gait import Gait, gait_named, lead_of, mirrored, other_lead
from hoofbeat.methods.froude.model.load import Bounce, Load, bounce_under

Floats = NDArray[np.float64]
Pair = tuple[float, float]
Four = tuple[float, float, float, float]
Wave = tuple[tuple[float, float, float], ...]

#: A wave has no more parts than this, and no part more waves a stride.
MOST_PARTS, MOST_WAVES = 6, 8
#: No animal is faster [m/s].
MOST_SPEED = 30
#: The key under which a gait says what it is, and what its name is made of.
DEFINITION = "definition"
NAME = re.compile(r"[a-z]+(-[a-z]+)*")


class StyleError(FileError):
    """A parameter file of the author that cannot be used."""


@dataclass(frozen=True)
class Style:
    """One cycle. Angles in degrees, lengths in metres, times as fractions of stride, stance or swing."""

    name: str
    gait: str
    speed: float  # [m/s]
    stride: float  # time of one stride [s]
    touchdown: Four  # LF, RF, LH, RH, after the left hind
    duty: Pair
    # the load that the ground bears: it makes the body rise, fall and pitch
    fore_share: float = 0.58  # part of the weight on the forelegs
    gyration: float = 0.75  # radius of gyration of the trunk in pitch [m]
    load_dip: Pair = (0.0, 0.0)  # 0 = one hump a stance; 0.3 and more = two, as at a walk
    load_skew: Pair = (0.0, 0.0)  # positive = most of it early
    load_weight: Four = (1.0, 1.0, 1.0, 1.0)  # shares of LF, RF, LH, RH within their pair
    # the body
    drop: float = 0.0  # least lowering of the body [m]; what the legs need comes on top
    trunk_pitch: float = 0.0  # fore up
    tuck: float = 0.0  # pelvis rolled under
    tuck_wave: Wave = ()
    body_yaw: Wave = ()  # whole trunk, left positive
    pelvis_yaw: Wave = ()  # of the pelvis alone
    pelvis_roll: Wave = ()  # left side down positive
    thorax_roll: Wave = ()
    sway: Wave = ()  # sideways [m], left positive
    withers_bend: Wave = ()  # the withers rise against the back
    # the hooves
    reach: Pair = (-0.1, 0.0)  # middle of the stance ahead of shoulder and hip [m]
    track: Pair = (0.10, 0.11)  # from the middle line [m]
    early: Pair = (0.1, 0.1)  # leaves its place sooner
    late: Pair = (0.05, 0.05)  # comes to its place later
    lift: Pair = (0.1, 0.04)  # [m]
    lift_rise: Pair = (2.0, 2.0)  # small = early and steep
    lift_fall: Pair = (3.5, 3.5)
    late_lift: Pair = (0.02, 0.04)  # before it lands [m]
    late_rise: Pair = (6.5, 6.5)
    breakover: Pair = (0.7, 0.66)  # part of the stance at which the heel begins to rise
    hoof_fold: Pair = (85.0, 75.0)  # heel up in the swing
    hoof_fold_at: Pair = (0.3, 0.22)  # part of the swing
    hoof_land: Pair = (-6.0, -6.0)  # heel down before it lands
    # the legs
    sink: Pair = (14.0, 14.0)  # of the fetlock under load
    extend: Pair = (25.0, 24.0)  # of the fetlock as it lands and leaves, against standing
    carpus_share: float = 2.0  # fold of the carpus for each degree of the elbow's
    scapula: float = 13.0  # swing to either side
    # neck, head, tail
    neck: float = 0.0  # lowered, positive
    crest: float = 0.0  # upper neck
    head: float = 0.0
    nod: Wave = ()
    crest_wave: Wave = ()
    head_follow: float = 0.9  # part of the neck's movement that the head compensates
    tail_lift: float = 0.0
    tail_swing: float = 6.0  # sideways
    tail_flap: float = 4.0  # up and down

    def duties(self) -> Floats:
        """Duty of LF, RF, LH, RH."""
        return np.repeat(self.duty, 2)

    def of(self, pair: str, leg: int) -> float:
        """The number of a pair that holds for a leg."""
        return getattr(self, pair)[leg // 2]


def wave(parts: Wave, phase: Floats) -> Floats:
    """A wave at phases (K,) of the stride, in its own unit."""
    out = np.zeros(np.shape(phase))
    for times, size, at in parts:
        out += size * np.cos(2 * np.pi * times * (phase - at))
    return out


def read_styles(path: str | PathLike[str]) -> tuple[Style, ...]:
    """Every cycle of a parameter file, in its order."""
    top, shared = _parsed(path)
    out = [_style(cycle, shared) for cycle in top.mappings("cycles")]
    names = [style.name for style in out]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise top.fail(f"cycles: the name {twice[0]!r} is given twice", "cycles")
    return tuple(out)


def read_gaits(path: str | PathLike[str]) -> tuple[Gait, ...]:
    """The gaits that a parameter file defines, in its order; after each that leads its mirror image."""
    _, shared = _parsed(path)
    out: list[Gait] = []
    for name in shared.values:
        gait = _definition(shared, name)
        if gait is not None:
            out.append(gait)
            if lead_of(name):
                out.append(mirrored(gait, other_lead(name)))
    return tuple(out)


def _parsed(path: str | PathLike[str]) -> tuple[Mapping, Mapping]:
    """The whole of a parameter file, and what it says of gaits."""
    top = parse_mapping(files.read_bytes(path, error=StyleError), str(path), StyleError)
    top.finish(("gaits", "cycles"))
    shared = top.values.get("gaits")
    if not isinstance(shared, Mapping):
        raise top.fail(f"gaits: expected a mapping of gaits, given {shown(shared)}", "gaits")
    return top, shared


def _definition(shared: Mapping, name: str) -> Gait | None:
    """What a file says that a gait is; None where it does not."""
    own = shared.values.get(name)
    given = own.values.get(DEFINITION) if isinstance(own, Mapping) else None
    if given is None:
        return None
    if not isinstance(given, Mapping) or not isinstance(own, Mapping):
        raise shared.fail(f"{name}: {DEFINITION} is a mapping, given {shown(given)}", name)
    given.finish(("beats", "touchdown", "duty", "suspensions", "speed"))
    beats, suspensions = given.get("beats", int), given.get("suspensions", int)
    touchdown = cast(Four, given.numbers("touchdown", 4))
    duty, speed = cast(Pair, given.numbers("duty", 2)), cast(Pair, given.numbers("speed", 2))
    if not NAME.fullmatch(name):
        raise shared.fail(f"gaits: a name has small letters and hyphens, given {name!r:.60}", name)
    if not (0 <= beats <= 4 and 0 <= suspensions <= 4):
        raise given.fail(f"{name}: beats and suspensions are 0 to 4, given {beats} and {suspensions}")
    if not all(0 <= landing < 1 for landing in touchdown) or touchdown[2] != 0:
        raise given.fail(
            f"{name}: touchdown of LF, RF, LH, RH is 0 or more and below 1, that of LH is 0; given "
            f"{shown(list(touchdown))}",
            "touchdown",
        )
    if not (0 < duty[0] <= duty[1] <= 1 and 0 <= speed[0] <= speed[1] < MOST_SPEED):
        raise given.fail(
            f"{name}: duty and speed are the least, then the most; duty up to 1, speed below {MOST_SPEED} m/s"
        )
    return Gait(name, beats, touchdown, duty, suspensions, speed)


_KINDS = {field.name: str(field.type) for field in fields(Style)}


def _style(own: Mapping, shared: Mapping) -> Style:
    own.finish(_KINDS)
    name, gait = own.get("name", str), own.get("gait", str)
    defined = _definition(shared, gait)
    values: dict[str, Any] = {} if defined is None else {"touchdown": defined.touchdown}
    for source in (shared.values.get(gait), own):
        if isinstance(source, Mapping):
            source.finish((*_KINDS, DEFINITION) if source is not own else _KINDS)
            values |= {key: _value(source, key) for key in source.values if key != DEFINITION}
    missing = [key for key in ("speed", "stride", "touchdown", "duty") if key not in values]
    values["gait"] = gait if defined is not None else gait_named(gait).name
    if missing:
        raise own.fail(f"cycle {name!r} needs {', '.join(missing)}")
    style = Style(**values)
    duties = all(0.05 < d < 0.95 for d in style.duty)
    if not (0 < style.speed < MOST_SPEED and 0.1 < style.stride < 5 and duties):
        raise own.fail(f"cycle {name!r}: speed, stride or duty is out of range")
    return style


def _value(source: Mapping, key: str) -> Any:
    kind = _KINDS[key]
    if kind == "str":
        return source.get(key, str)
    if kind == "float":
        return source.get(key, float)
    if kind == "Wave":
        return _wave(source, key)
    return source.numbers(key, {"Pair": 2, "Four": 4}[kind])


def _wave(source: Mapping, key: str) -> Wave:
    given = source.values[key]
    parts = cast("list[Any]", given) if isinstance(given, list) else []
    if not isinstance(given, list) or len(parts) > MOST_PARTS:
        raise source.fail(f"{key}: expected a list of [times, size, at], given {shown(given)}", key)
    out: list[tuple[float, float, float]] = []
    for part in parts:
        numbers = cast("list[Any]", part) if isinstance(part, list) else []
        if len(numbers) != 3 or not all(type(v) in (int, float) and abs(v) < 1e6 for v in numbers):
            raise source.fail(f"{key}: a part is [times, size, at], given {shown(part)}", key)
        times, size, at = (float(v) for v in numbers)
        if times != int(times) or not 1 <= times <= MOST_WAVES:
            raise source.fail(f"{key}: times a stride are 1 to {MOST_WAVES}, given {times:g}", key)
        out.append((times, size, at))
    return tuple(out)


def load_of(style: Style) -> Load:
    """The vertical load of a style's feet."""
    return Load(style.fore_share, style.gyration, style.load_dip, style.load_skew, style.load_weight)


def bounce_of(style: Style) -> Bounce:
    """The trunk's bounce at the style's own stride time."""
    return bounce_under(load_of(style), style.touchdown, style.duties().tolist(), style.stride)
