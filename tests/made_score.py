"""Score of a made clip: when and where each foot stands, how it swings, and how the body goes, at any time.

All of it is analytic: the same motion comes out at any frame rate. The animal goes along +Z on the ground
y = 0, X to its left; phases are strides since a touchdown of the left hind.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hoofbeat.maths.physics import GRAVITY
from made_style import AHEAD, BEHIND, CROUP, HEAD, WITHERS, Style

Floats = NDArray[np.float64]

#: Of a ramp, the part over which the acceleration comes in, and that over which it goes.
ONSET, FADE = 0.08, 0.6
#: A toe is up by the first and starts down at the second part of its swing; fore, hind.
UP_DOWN = ((0.34, 0.36), (0.26, 0.70))
#: The same for the fold of the carpus and the tip of the hooves, and where they are back.
FOLD, TIP = (0.42, 0.42, 0.95), (0.30, 0.36, 0.92)
#: At the end of a stance the hoof rolls over its toe, which stays, by this angle [rad], for this time [s],
#: but at least and at most these parts of the stance.
ROLL_OVER, ROLLING, ROLLING_PART = np.radians(28.0), 0.05, (0.2, 0.45)


def ease(x: ArrayLike) -> Floats:
    """Smooth step from 0 to 1 over x in [0, 1], at rest with no acceleration at both ends."""
    x = np.clip(x, 0, 1)
    return x**3 * (10 - 15 * x + 6 * x**2)


@dataclass(frozen=True)
class Leap:
    """A leap over something: take-off and landing [s] and the beat of the canter around it [s]."""

    takeoff: float
    landing: float
    beat: float

    def rise(self, times: Floats) -> Floats:
        """Height (T,) [m] of the centre of mass above its usual one."""
        flight = self.landing - self.takeoff
        speed = GRAVITY * flight / 2
        high = 0.05
        start, stop = self.takeoff - 0.58 * self.beat, self.landing + 0.7 * self.beat
        air = high + speed * (times - self.takeoff) - GRAVITY / 2 * (times - self.takeoff) ** 2
        before = _joined(times, start, self.takeoff, (0, 0, 0), (high, speed, -GRAVITY))
        after = _joined(times, self.landing, stop, (high, -speed, -GRAVITY), (0, 0, 0))
        return np.where(times < self.takeoff, before, np.where(times < self.landing, air, after))

    def carry(self, times: Floats) -> Floats:
        """How much (T,) [m] the feet rise with the body, which they leave and meet on the ground."""
        x = np.clip((times - self.takeoff) / (self.landing - self.takeoff), 0, 1)
        return GRAVITY / 8 * (self.landing - self.takeoff) ** 2 * 16 * (x * (1 - x)) ** 2

    def pitch(self, times: Floats) -> Floats:
        """Nose up (T,) [rad]: rising at take-off, falling at landing."""
        up, down = np.radians(14.0), np.radians(-13.0)
        a, b = self.takeoff - 0.1 * self.beat, self.landing + 0.05 * self.beat
        return (
            up * ease((times - a) / (0.6 * self.beat) + 1)
            + (down - up) * ease((times - a) / (b - a))
            - down * ease((times - b) / (0.7 * self.beat))
        )

    def share(self, times: Floats) -> Floats:
        """How far (T,) the leap has taken the place of the canter."""
        first = ease((times - self.takeoff) / (0.5 * self.beat) + 1.6)
        last = ease((times - self.landing) / (0.5 * self.beat) - 0.6)
        return first - last


def _joined(times: Floats, start: float, stop: float, first: ArrayLike, last: ArrayLike) -> Floats:
    """Quintic from (value, speed, acceleration) at one time to those at another, held before and after."""
    span = stop - start
    scale = np.array([1, span, span**2])
    a, b = np.asarray(first) * scale, np.asarray(last) * scale
    x = np.clip((times - start) / span, 0, 1)
    base = a[0] + a[1] * x + a[2] / 2 * x**2
    c, d, e = b[0] - a.sum() + a[2] / 2, b[1] - a[1] - a[2], b[2] - a[2]
    cubic, quartic, fifth = 10 * c - 4 * d + e / 2, 7 * d - 15 * c - e, 6 * c - 3 * d + e / 2
    return base + cubic * x**3 + quartic * x**4 + fifth * x**5


@dataclass(frozen=True)
class Body:
    """How the body goes: from one style to another in the time `change` [s] (steady: twice the same).

    start: phase at time 0; low: how much lower withers and croup are amid a change or leap [m].
    """

    first: Style
    second: Style
    change: tuple[float, float] = (0.0, 1.0)
    start: float = 0.15
    leap: Leap | None = None
    low: tuple[float, float] = (0.0, 0.0)

    def share(self, times: ArrayLike) -> Floats:
        """Weight (T,) of the second style."""
        begin, end = self.change
        return ease((np.asarray(times, float) - begin) / (end - begin))

    def _integral(self, times: ArrayLike, first: float, second: float) -> Floats:
        """Integral since time 0 of a rate that goes from one value to another."""
        begin, end = self.change
        t = np.asarray(times, float)
        x = np.clip((t - begin) / (end - begin), 0, 1)
        gained = (end - begin) * (2.5 * x**4 - 3 * x**5 + x**6) + np.maximum(t - end, 0)
        return first * t + (second - first) * gained

    def phase(self, times: ArrayLike) -> Floats:
        """Strides (T,) since a touchdown of the left hind."""
        return self.start + self._integral(times, 1 / self.first.stride, 1 / self.second.stride)

    def travel(self, times: ArrayLike) -> Floats:
        """Way forward (T,) [m]."""
        gain, when = self.first.step
        late = np.maximum(np.asarray(times, float) - when, 0)
        return self._integral(times, self.first.speed, self.second.speed) + gain * late

    def mixed(self, name: str, times: ArrayLike) -> Floats:
        """A field of the style (T, ...), mixed."""
        a, b = np.asarray(getattr(self.first, name)), np.asarray(getattr(self.second, name))
        if self.first is self.second:
            return np.broadcast_to(a, (np.size(times), *a.shape))
        w = self.share(times).reshape(-1, *[1] * a.ndim)
        return a + (b - a) * w

    def curves(self, times: Floats) -> Floats:
        """The rows of made_style (7, T) [m, rad] without their means, sink and leap included."""
        k = np.arange(self.first.curves.shape[1])
        turn = np.exp(2j * np.pi * self.phase(times)[:, None] * k)  # (T, K)
        between = 4 * self.share(times) * (1 - self.share(times))
        out = np.einsum("tck,tk->ct", self.mixed("curves", times), turn).real
        if self.leap is not None:
            between = self.leap.share(times)
            out *= 1 - between
            rise, pitch = self.leap.rise(times), self.leap.pitch(times)
            out[WITHERS] += rise + AHEAD * pitch
            out[CROUP] += rise - BEHIND * pitch
            out[HEAD] += rise + 1.6 * AHEAD * pitch
        sink = self.mixed("sink", times).T + np.outer(self.low, between)
        out[WITHERS] -= sink[0]
        out[HEAD] -= sink[0]
        out[CROUP] -= sink[1]
        return out


@dataclass(frozen=True)
class Foot:
    """One foot: M stances, and after each its swing.

    down (M, 2): touchdown and lift-off [s]; spots (M, 2): where the toe stands, x and z [m]; lift, fold and
    tip (M,) of the swing after each stance, see Style; ramps (M, 2) [s] over which it speeds up and brakes.
    level: height at which it stands [m]; slide: how far it slips forward in a stance [m]; bend: flexion of
    the carpus in stance [rad].
    """

    hind: bool
    down: Floats
    spots: Floats
    lift: Floats
    fold: Floats
    tip: Floats
    ramps: Floats
    level: float
    slide: float
    bend: float
    leap: Leap | None

    def at(self, times: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Toe (T, 3), parts of stance and swing done (T,) in [0, 1], fold and tip (T,) [rad]."""
        k = np.clip(np.searchsorted(self.down[:, 0], times, side="right") - 1, 0, len(self.down) - 2)
        touchdown, liftoff, landing = self.down[k, 0], self.down[k, 1], self.down[k + 1, 0]
        done = np.clip((times - touchdown) / (liftoff - touchdown), 0, 1)
        span = landing - liftoff
        u = np.clip((times - liftoff) / span, 0, 1)
        left = self.spots[k] + self.slide * np.array([0.0, 1.0])
        gone = journey(u, self.ramps[k, 0] / span, self.ramps[k, 1] / span)
        slid = self.slide * (ease(done) - 1) * (u <= 0)
        flat = left + (self.spots[k + 1] - left) * gone[:, None]
        up, down = UP_DOWN[int(self.hind)]
        raised = journey(u / up, 0.3, 0.6) - journey((u - down) / (1 - down), 0.5, 0.3)
        height = self.level + self.lift[k] * raised
        if self.leap is not None:
            height += self.leap.carry(times)
        toe = np.stack([flat[:, 0], height, flat[:, 1] + slid], axis=1)
        fold = self.bend + (self.fold[k] - self.bend) * hump(u, *FOLD)
        part = np.clip(ROLLING / (liftoff - touchdown), *ROLLING_PART)
        heel = ROLL_OVER * ease((done - 1) / part + 1) * (1 - ease(u / 0.6)) * (self.tip[k] > 0)
        return toe, done, u, fold, heel + self.tip[k] * hump(u, *TIP)


def hump(u: Floats, up: float, down: float, back: float) -> Floats:
    """From 0 to 1 and back over u: up at `up`, held until `down`, 0 again at `back`."""
    return ease(u / up) - ease((u - down) / (back - down))


def _ramp(x: Floats) -> Floats:
    """Way covered while the speed goes from 0 to 1 over x in [0, 1]: acceleration comes in, stays, fades."""
    x = np.clip(x, 0, 1)
    top = 1 / (1 - ONSET / 2 - FADE / 2)
    early = np.minimum(x, ONSET)
    way = top * early**3 / (6 * ONSET)
    speed = top * ONSET / 2
    middle = np.clip(x - ONSET, 0, 1 - FADE - ONSET)
    way += speed * middle + top * middle**2 / 2
    speed += top * (1 - FADE - ONSET)
    late = np.clip(x - 1 + FADE, 0, FADE)
    return way + speed * late + top * (late**2 / 2 - late**3 / (6 * FADE))


def journey(u: Floats, first: ArrayLike, last: ArrayLike) -> Floats:
    """Part of the way (T,) done at u in [0, 1], from rest to rest, with ramps of speed at both ends."""
    a, b = np.asarray(first, float), np.asarray(last, float)
    u = np.clip(u, 0, 1)
    all_of_ramp = _ramp(np.array(1.0))
    begun = a * _ramp(u / a)
    even = np.clip(u - a, 0, 1 - a - b)
    ended = b * (all_of_ramp - _ramp((1 - u) / b))
    return (begun + even + ended) / (1 - (a + b) * (1 - all_of_ramp))


def feet_of(body: Body, rest: Floats, seconds: float) -> list[Foot]:
    """The feet of a body over (0, seconds) and two strides on either side; rest (4, 3): toes standing [m]."""
    span = -4 * body.first.stride, seconds + 4 * body.second.stride
    feet: list[Foot] = []
    for leg in range(4):
        down = np.array([[-1e4, 1e4], [2e4, 3e4]])
        if min(body.first.duty[leg], body.second.duty[leg]) < 1:
            down = np.stack([_moments(body, leg, part, *span) for part in (0.0, 1.0)], axis=1)
        feet.append(foot_of(body, leg, down, rest[leg]))
    return feet


def foot_of(body: Body, leg: int, down: Floats, rest: Floats) -> Foot:
    """A foot that stands at the times down (M, 2), under the body at the middle of each."""
    middle = down.mean(axis=1)
    place = body.mixed("place", middle)[:, leg // 2]
    spots = np.stack([np.full(len(middle), rest[0]), body.travel(middle) + rest[2] + place], axis=1)
    fields = [body.mixed(name, middle) for name in ("lift", "fold", "tip")]
    return Foot(
        leg >= 2,
        down,
        spots,
        lift=fields[0][:, leg // 2],
        fold=fields[1],
        tip=fields[2][:, leg // 2],
        ramps=body.mixed("ramps", middle),
        level=float(body.first.level[leg]),
        slide=float(body.first.slide[leg]),
        bend=float(body.first.bend[leg]),
        leap=body.leap,
    )


def _moments(body: Body, leg: int, part: float, first: float, last: float) -> Floats:
    """Times [s] at which a leg has done a part of its stances, by halving: its own phase only ever grows."""

    def own(times: Floats) -> Floats:
        shift = body.mixed("touchdown", times) + part * body.mixed("duty", times)
        return body.phase(times) - shift[:, leg]

    # All parts of a stance are counted from the same touchdown.
    whole = np.arange(math.ceil(body.phase(first)) + 1, float(body.phase(last)) - 2)
    low, high = np.full(len(whole), first - 9.0), np.full(len(whole), last + 9.0)
    for _ in range(64):
        middle = 0.5 * (low + high)
        below = own(middle) < whole
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return 0.5 * (low + high)
