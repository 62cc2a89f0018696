"""Leap style: the numbers that a leap is made from, read from a commented YAML file.

Times of the leap are counted so that they hold for any flight: below 0 they are seconds before the
take-off, from 0 to 1 parts of the flight, above 1 seconds after the landing plus 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from os import PathLike
from typing import Any, cast

from hoofbeat.errors import HoofbeatError
from hoofbeat.formats import files
from hoofbeat.formats.yamlfile import Mapping, parse_mapping, shown
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.offline.author.style import Pair, StyleError

#: A curve through points: (time, value) each; a path of a hoof: (time, ahead, above) each.
Curve = tuple[tuple[float, float], ...]
ToePath = tuple[tuple[float, float, float], ...]

#: Points of a curve.
MOST_POINTS = 24
#: An obstacle is higher than the clearance of the hooves by this at least and at most [m].
RISE = (0.05, 0.65)


@dataclass(frozen=True)
class LeapStyle:
    """One leap. Angles in degrees, lengths in metres, speeds in m/s, times [s] where not stated otherwise."""

    name: str
    canter: str  # the cycle it leaves and joins
    height: float  # of the obstacle
    length: float  # travel of the centre of mass in the air
    carried: float  # the hooves, folded, are over so much with the body no higher than at take-off
    rate: float = 120.0  # rows a second of the record
    # when the feet are down
    takeoff_at: float = 1.125  # strides from the last landing of the left hind in canter to the take-off
    leaves: Pair = (0.34, 0.33)  # strides that the left fore and the left hind then stand, the last to leave
    push_left: Pair = (-0.205, 0.0)  # stance of the left hind that takes off
    push_right: Pair = (-0.226, -0.01)
    land_left: Pair = (0.09, 0.27)  # stance of the left fore after the landing
    land_right: Pair = (0.0, 0.18)
    canter_again: float = 0.494  # from the landing to the first landing of the left hind in canter
    begins: float = 0.7  # phase of the canter at which the record begins, before that landing ...
    ends: float = 0.7  # ... and at which it ends
    # where
    push_ahead: Pair = (0.52, 0.50)  # hind prints ahead of the hip as they land, left and right
    land_ahead: Pair = (0.36, 0.36)  # fore prints ahead of the shoulder
    slowest: float = 5.1  # before the hind legs push
    push_height: float = 0.12  # the centre of mass at take-off, above its place in a standing horse
    land_height: float = 0.12
    # how the hooves are held
    push_sink: float = 24.0  # of the fetlock
    land_sink: float = 32.0
    hoof_fold: Pair = (140.0, 130.0)  # heel up in the air, fore and hind
    hoof_folded: Pair = (0.4, 0.35)  # part of the swing at which it is so
    hoof_opens: Pair = (0.6, 0.62)  # part of the swing at which it opens again
    carpus_share: float = 1.4  # fold of the carpus for each degree of the elbow's
    carpus_folds: Pair = (0.3, 0.7)  # parts of the swing between which it is folded so
    # the trunk, on top of the canter
    pitch: Curve = ()  # fore up
    tuck: Curve = ()  # pelvis rolled under
    neck: Curve = ()  # lowered, positive
    crest: Curve = ()
    head: Curve = ()
    tail: Curve = ()  # lifted
    # the hooves in the air, from where shoulder or hip would be in a stiff trunk, turned with the trunk
    fore_left: ToePath = ()
    fore_right: ToePath = ()
    hind_left: ToePath = ()
    hind_right: ToePath = ()

    @property
    def flight(self) -> float:
        """Time in the air [s]: the time to rise to the obstacle and to fall again."""
        return math.sqrt(8 * (self.height - self.carried) / GRAVITY)


def for_height(style: LeapStyle, height: float) -> LeapStyle:
    """The leap over another obstacle [m]: all that it does in the air lasts longer or shorter by the root of
    the rise, and goes as much farther or less far; take-off and landing stay as they are."""
    if not RISE[0] <= height - style.carried <= RISE[1]:
        low, high = (style.carried + rise for rise in RISE)
        raise HoofbeatError(f"a leap like {style.name} is {low:.2f} to {high:.2f} m high, given {height:g}")
    longer = math.sqrt((height - style.carried) / (style.height - style.carried))
    return replace(style, height=height, length=style.length * longer)


def read_leap_style(path: str | PathLike[str]) -> LeapStyle:
    """The leap of a parameter file."""
    top = parse_mapping(files.read_bytes(path, error=StyleError), str(path), StyleError)
    top.finish(_KINDS)
    missing = [name for name in ("name", "canter", "height", "length", "carried") if name not in top.values]
    if missing:
        raise top.fail(f"a leap needs {', '.join(missing)}")
    style = LeapStyle(**{key: _value(top, key) for key in top.values})
    _check(style, top)
    return style


_KINDS = {field.name: str(field.type) for field in fields(LeapStyle)}


def _value(top: Mapping, key: str) -> Any:
    kind = _KINDS[key]
    if kind in ("str", "float"):
        return top.get(key, str) if kind == "str" else top.get(key, float)
    if kind == "Pair":
        return top.numbers(key, 2)
    return _points(top, key, 2 if kind == "Curve" else 3)


def _points(top: Mapping, key: str, width: int) -> tuple[tuple[float, ...], ...]:
    given = top.values[key]
    rows = cast("list[Any]", given) if isinstance(given, list) else []
    if not rows or len(rows) > MOST_POINTS:
        raise top.fail(f"{key}: expected 1 to {MOST_POINTS} points, given {shown(given)}", key)
    out: list[tuple[float, ...]] = []
    for row in rows:
        numbers = cast("list[Any]", row) if isinstance(row, list) else []
        if len(numbers) != width or not all(type(v) in (int, float) and abs(v) < 1e4 for v in numbers):
            raise top.fail(f"{key}: a point is a list of {width} numbers, given {shown(row)}", key)
        out.append(tuple(float(v) for v in numbers))
    if any(later[0] - before[0] < 0.01 for before, later in zip(out, out[1:], strict=False)):
        raise top.fail(f"{key}: the times of its points must grow, by 0.01 at least", key)
    return tuple(out)


def _check(style: LeapStyle, top: Mapping) -> None:
    if not RISE[0] <= style.height - style.carried <= RISE[1]:
        raise top.fail(
            f"height: must be {RISE[0]} to {RISE[1]} m more than what is carried, {style.carried:g}, "
            f"given {style.height:g}",
            "height",
        )
    if not (0.5 <= style.length <= 12 and 10 <= style.rate <= 1000):
        raise top.fail("length must be 0.5 to 12 m and rate 10 to 1000 a second", "length")
    for key in ("push_left", "push_right", "land_left", "land_right"):
        begin, end = getattr(style, key)
        if not (end - begin >= 0.05 and abs(begin) < 1 and abs(end) < 1):
            raise top.fail(f"{key}: a stance lasts 0.05 s at least, given {begin:g} to {end:g}", key)
    if max(style.push_left[1], style.push_right[1]) != 0 or min(style.land_left[0], style.land_right[0]) != 0:
        raise top.fail("the last hind leaves at 0, and the first fore lands at 0")
