"""Leap body: how the trunk goes through a leap, from canter to canter.

Each leg that stands pushes with half a sine. Before the take-off the forelegs push as much more than in
canter, and the hind legs as much, as the flight needs; after the landing each foreleg bears what
leads to the canter again. Between, the centre of mass falls freely. Time 0 is the take-off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import Skeleton
from hoofbeat.maths import quat
from hoofbeat.maths.curves import sample_cubic
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.methods.froude.model.load import FORE_AT, HIND_AT, Bounce
from hoofbeat.offline.author.cycle import lowering
from hoofbeat.offline.author.hooves import smooth_curve
from hoofbeat.offline.author.leapstyle import Curve, LeapStyle
from hoofbeat.offline.author.limb import about_x
from hoofbeat.offline.author.style import Style, bounce_of
from hoofbeat.offline.author.trunk import CREST, HEAD, LUMBAR, NECK, TAIL, trunk_pose

Floats = NDArray[np.float64]

#: Phase of the canter, after the left hind, in the middle of its flight.
ALOFT = 0.645


@dataclass(frozen=True)
class Leaping:
    """A leap and the canter around it.

    bounce and lowered [m] of the canter; centre: of mass, ahead of the root joint [m]; pushes: what
    forelegs add to their push in canter, and what hind legs push, then what right and left fore bear [g].
    """

    style: LeapStyle
    canter: Style
    skeleton: Skeleton
    bounce: Bounce
    lowered: float
    centre: float
    pushes: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)

    @property
    def before(self) -> float:
        """When the left hind lands for the last time in canter [s]."""
        return -self.style.takeoff_at * self.canter.stride

    @property
    def after(self) -> float:
        """When the left hind lands for the first time in canter again [s]."""
        return self.style.flight + self.style.canter_again

    def seconds(self, times: Floats) -> Floats:
        """Times of the style's points as seconds after the take-off."""
        flight = self.style.flight
        return np.where(times < 0, times, np.where(times <= 1, times * flight, flight + times - 1))


def leaping_of(style: LeapStyle, canter: Style, skeleton: Skeleton) -> Leaping:
    """The leap with the pushes that it needs."""
    bounce = bounce_of(canter)
    centre = canter.fore_share * FORE_AT + (1 - canter.fore_share) * HIND_AT
    plain = Leaping(style, canter, skeleton, bounce, lowering(canter, skeleton, bounce), centre)
    return Leaping(
        style, canter, skeleton, bounce, plain.lowered, centre, (*_takeoff(plain), *_landing(plain))
    )


def curve(leap: Leaping, points: Curve, times: Floats) -> Floats:
    """A curve through points, in their unit, level at its ends and held beyond them."""
    if not points:
        return np.zeros(len(times))
    rows = np.array(points)
    if len(rows) == 1:
        return np.full(len(times), rows[0, 1])
    return spline(leap.seconds(rows[:, 0]), rows[:, 1], (0.0, 0.0), times)


def spline(at: Floats, values: Floats, slopes: tuple[float, float], times: Floats) -> Floats:
    """The smooth curve through values (P,) at times (P,) that has these slopes at its ends, at times (K,)."""
    gaps, n = np.diff(at), len(at)
    system, right = np.zeros((n, n)), np.zeros(n)
    system[0, 0] = system[-1, -1] = 1.0
    right[0], right[-1] = slopes
    for k in range(1, n - 1):
        a, b = 1 / gaps[k - 1], 1 / gaps[k]
        system[k, k - 1 : k + 2] = a, 2 * (a + b), b
        right[k] = 3 * (a * a * (values[k] - values[k - 1]) + b * b * (values[k + 1] - values[k]))
    slope = np.linalg.solve(system, right)
    k = np.clip(np.searchsorted(at, times, side="right") - 1, 0, n - 2)
    x = np.clip((times - at[k]) / gaps[k], 0.0, 1.0)
    out = values[k] * (1 + 2 * x) * (1 - x) ** 2 + values[k + 1] * x * x * (3 - 2 * x)
    return out + gaps[k] * x * (1 - x) * (slope[k] * (1 - x) - slope[k + 1] * x)


# --- the centre of mass


def travelled(leap: Leaping, times: Floats) -> Floats:
    """How far the centre of mass has travelled since the take-off (K,) [m], at a steady speed in the air."""
    style, canter = leap.style, leap.canter
    push = min(style.push_left[0], style.push_right[0])
    air, land = style.length / style.flight, style.flight + max(style.land_left[1], style.land_right[1])
    at = np.array([push - 0.15, push + 0.03, 0.0, style.flight, land])
    speed = np.array([canter.speed, style.slowest, air, air, canter.speed])
    gaps = np.diff(at)
    passed = np.concatenate([[0.0], np.cumsum(gaps * 0.5 * (speed[1:] + speed[:-1]))])
    k = np.clip(np.searchsorted(at, times, side="right") - 1, 0, len(gaps) - 1)
    x = np.clip((times - at[k]) / gaps[k], 0.0, 1.0)
    out = passed[k] + gaps[k] * (speed[k] * x + (speed[k + 1] - speed[k]) * (x**3 - 0.5 * x**4))
    out += np.minimum(times - at[0], 0) * speed[0] + np.maximum(times - at[-1], 0) * speed[-1]
    return out - passed[2]


def height(leap: Leaping, times: Floats) -> Floats:
    """Height of the centre of mass (K,) [m] above its place in a standing horse."""
    style = leap.style
    first, second = _pulses_before(leap, times)
    a, b, c, d = leap.pushes
    turn = leap.before + ALOFT * leap.canter.stride
    start, slope = _canter_state(leap, leap.before, turn)
    late = times - turn
    aloft = start + slope * late - 0.5 * GRAVITY * late**2
    push = np.where(times < turn, _rise(leap, leap.before, times), aloft) + a * first + b * second
    air = style.push_height + _upward(style) * times - 0.5 * GRAVITY * times**2
    third, fourth = _pulses_after(leap, times)
    land = air + c * third + d * fourth
    again = leap.after + (ALOFT - 1) * leap.canter.stride
    return np.where(
        times < 0,
        push,
        np.where(times < style.flight, air, np.where(times < again, land, _rise(leap, leap.after, times))),
    )


def _upward(style: LeapStyle) -> float:
    """Speed of the take-off [m/s]."""
    return (style.land_height - style.push_height) / style.flight + 0.5 * GRAVITY * style.flight


def _rise(leap: Leaping, landing: float, times: Floats) -> Floats:
    """The same in canter, the left hind landing at a time [s]."""
    phase = (times - landing) / leap.canter.stride
    return sample_cubic(leap.bounce.height + leap.centre * leap.bounce.pitch, phase) - leap.lowered


def _canter_state(leap: Leaping, landing: float, time: float) -> tuple[float, float]:
    step = 0.002
    low, here, high = _rise(leap, landing, np.array([time - step, time, time + step]))
    return float(here), float(high - low) / (2 * step)


def _pulse(times: Floats, begin: float, end: float) -> Floats:
    """What a push of half a sine, 1 g high, adds to the height (K,) [m]."""
    long = end - begin
    x = np.clip((times - begin) / long, 0.0, 1.0)
    w = np.pi
    out = long**2 * (x / w - np.sin(w * x) / w**2) + np.maximum(times - end, 0.0) * long * 2 / w
    return GRAVITY * out


def _pulses_before(leap: Leaping, times: Floats) -> tuple[Floats, Floats]:
    canter, style = leap.canter, leap.style
    fore = np.zeros(len(times))
    for leg in (0, 1):
        begin = leap.before + canter.touchdown[leg] * canter.stride
        fore += _pulse(times, begin, begin + canter.duty[0] * canter.stride)
    return fore, _pulse(times, *style.push_left) + _pulse(times, *style.push_right)


def _pulses_after(leap: Leaping, times: Floats) -> tuple[Floats, Floats]:
    late = times - leap.style.flight
    return _pulse(late, *leap.style.land_right), _pulse(late, *leap.style.land_left)


def _takeoff(leap: Leaping) -> tuple[float, float]:
    """Pushes of the fore and hind legs [g] that give the take-off its height and speed."""
    ends = np.array([-1e-4, 0.0])
    fore, hind = _pulses_before(leap, ends)
    turn = leap.before + ALOFT * leap.canter.stride
    start, slope = _canter_state(leap, leap.before, turn)
    wanted = np.array([leap.style.push_height, _upward(leap.style)])
    given = np.array([start - slope * turn - 0.5 * GRAVITY * turn**2, slope + GRAVITY * turn])
    return _solved(fore, hind, ends, wanted - given)


def _landing(leap: Leaping) -> tuple[float, float]:
    """What the right and the left fore bear [g] so that the body goes on in canter."""
    again = leap.after + (ALOFT - 1) * leap.canter.stride
    ends = np.array([again - 1e-4, again])
    right, left = _pulses_after(leap, ends)
    style = leap.style
    air = style.push_height + _upward(style) * again - 0.5 * GRAVITY * again**2
    wanted = np.array(_canter_state(leap, leap.after, again))
    return _solved(right, left, ends, wanted - [air, _upward(style) - GRAVITY * again])


def _solved(one: Floats, other: Floats, ends: Floats, lack: Floats) -> tuple[float, float]:
    step = ends[1] - ends[0]
    table = np.array([[p[1], (p[1] - p[0]) / step] for p in (one, other)]).T
    first, second = np.linalg.solve(table, lack)
    return float(first), float(second)


# --- the trunk


def trunk_at(leap: Leaping, times: Floats) -> tuple[Floats, Floats]:
    """Local rotations (K, J, 4), legs at rest, and the root joint (K, 3) [m] over the ground y = 0; z is
    counted from the root at the take-off, were it level."""
    rotations, pitch = _cantering(leap, times)
    extra, tuck, neck, crest, head, tail = (
        np.radians(curve(leap, points, times))
        for points in (
            leap.style.pitch,
            leap.style.tuck,
            leap.style.neck,
            leap.style.crest,
            leap.style.head,
            leap.style.tail,
        )
    )

    def turned(name: str, angle: Floats) -> None:
        j = leap.skeleton.index(name)
        rotations[:, j] = quat.mul(about_x(angle), rotations[:, j])

    turned(leap.skeleton.names[0], -extra - tuck)
    for joints, angle in ((LUMBAR, tuck), (NECK, neck), (CREST, crest)):
        for name, part in joints:
            turned(name, part * angle)
    turned(HEAD, head)
    for n, name in enumerate(TAIL):
        turned(name, tail / 3 * (1.0 if n < 3 else -0.3))
    pitch = pitch + extra
    rest = leap.skeleton.rest_positions()
    origin = np.zeros((len(times), 3))
    origin[:, 1] = height(leap, times) - rest[:, 1].min() - leap.centre * np.sin(pitch)
    origin[:, 2] = travelled(leap, times) + leap.centre * (1 - np.cos(pitch))
    return rotations, origin


def mass_at(leap: Leaping, times: Floats) -> Floats:
    """The centre of mass (K, 3) [m], as a point of the trunk."""
    out = np.zeros((len(times), 3))
    out[:, 1] = height(leap, times) - leap.skeleton.rest_positions()[:, 1].min()
    out[:, 2] = travelled(leap, times) + leap.centre
    return out


def _cantering(leap: Leaping, times: Floats) -> tuple[Floats, Floats]:
    """Rotations (K, J, 4) and pitch (K,) [rad] of the canter before and after, one passing into the other."""
    canter, out, pitch = leap.canter, [], []
    for landing in (leap.before, leap.after):
        phase = (times - landing) / canter.stride
        out.append(trunk_pose(canter, leap.skeleton, leap.bounce, phase)[0])
        pitch.append(np.radians(canter.trunk_pitch) + sample_cubic(leap.bounce.pitch, phase))
    share = smooth_curve(times / leap.style.flight)
    share = smooth_curve(share)
    mixed = quat.slerp(out[0], out[1], np.broadcast_to(share[:, None], out[0].shape[:2]))
    return mixed, pitch[0] + share * (pitch[1] - pitch[0])
