"""Pose of a made clip: the 49-joint horse put over a score, each leg solved in closed form.

Trunk and neck are chains of two bones that reach given points. A foreleg folds its carpus as the score says
and reaches with elbow and shoulder; in a hind leg stifle and hock flex by the same angle, so that its cannon
stays parallel to its femur, and this too is a chain of two bones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hoofbeat.body.legs.anatomy import STIFLE
from hoofbeat.body.pose import world_of
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.maths import quat
from made_score import Body, Foot, ease, feet_of
from made_style import CROUP, HEAD, NOD, STRETCH, SWAY, TUCK, WITHERS, Style

Floats = NDArray[np.float64]

#: Where the marker of the sacrum lies between the joints SacrumLower and SacrumToTail.
MARKER = 0.44
#: A pastern turns by this for each metre its toe falls behind [rad/m]; under load it gives by this [rad].
ROLL, GIVE = 0.55, np.radians(14.0)
#: Before a foot leaves, its pastern comes up by this [rad], over this last part of the stance.
PUSH, PUSHING = np.radians(30.0), 0.5
#: The elbow is not stretched farther than this, less than it could be [deg].
ELBOW = (-12.0,)
#: A leg is not stretched nearer to the end of its range than this [deg].
SPARE = 0.5
#: A moving horse is carried this much lower than its legs allow [m].
EASE = 0.004
#: Lower than this [m] no horse goes.
DEEPEST = 0.2
X, Y, Z = np.eye(3)


@lru_cache(maxsize=1)
def horse() -> Skeleton:
    """The thesis horse with its legs named."""
    return read_scene(THESIS_HORSE).skeleton


@dataclass(frozen=True)
class Rest:
    """The standing horse: positions (J, 3) [m] with the hooves on y = 0 and the root above z = 0."""

    places: Floats

    def __getitem__(self, name: str) -> Floats:
        return self.places[horse().index(name)]

    @property
    def marker(self) -> Floats:
        """Where the sacrum is marked (3,)."""
        return self["SacrumLower"] + MARKER * (self["SacrumToTail"] - self["SacrumLower"])


@lru_cache(maxsize=1)
def rest() -> Rest:
    """The standing horse."""
    places = horse().rest_positions()
    return Rest(places - [0.0, places[[leg.toe for leg in horse().legs], 1].min(), 0.0])


def about(axis: Floats, angle: ArrayLike) -> Floats:
    """Quaternions (T, 4) of turns about an axis."""
    return quat.from_axis_angle(axis, np.asarray(angle, float))


def flexion(a: Floats, b: Floats, distance: Floats, near: float) -> Floats:
    """Turn (T,) about x of bone b after bone a, both (..., 3), that puts their ends so far apart.

    Of two answers the one nearer to `near`; out of reach: as far as it goes.
    """
    along = a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]
    across = a[..., 2] * b[..., 1] - a[..., 1] * b[..., 2]
    wanted = 0.5 * (distance**2 - (a**2).sum(-1) - (b**2).sum(-1)) - a[..., 0] * b[..., 0]
    middle = np.arctan2(across, along)
    half = np.arccos(np.clip(wanted / np.hypot(along, across), -1, 1))
    low, high = _wrapped(middle - half), _wrapped(middle + half)
    return np.where(np.abs(low - near) < np.abs(high - near), low, high)


def _wrapped(angle: Floats) -> Floats:
    return (angle + np.pi) % (2 * np.pi) - np.pi


def aim(p: Floats, target: Floats, hanging: bool = True) -> Floats:
    """Turn (T, 4), first about x, then about z, that brings p (T, 3) to target (T, 3) of the same length."""
    square = p[:, 1] ** 2 + p[:, 2] ** 2 - target[:, 2] ** 2
    height = np.sqrt(np.maximum(square, 1e-12)) * (-1 if hanging else 1)
    pitch = np.angle((height + 1j * target[:, 2]) / (p[:, 1] + 1j * p[:, 2]))
    side = np.angle((target[:, 0] + 1j * target[:, 1]) / (p[:, 0] + 1j * height))
    return quat.mul(about(Z, side), about(X, pitch))


@dataclass(frozen=True)
class Poses:
    """Frames of the horse: local rotations (T, J, 4), root positions (T, 3), and by how much each leg is
    too short for its foot (T, 4) [m], negative where it is not."""

    rotations: Floats
    origins: Floats
    shortfall: Floats


def poses(body: Body, feet: list[Foot], times: Floats) -> Poses:
    """The horse over its score at times (T,) [s]."""
    rotations = quat.identity((len(times), len(horse())))
    steps = [foot.at(times) for foot in feet]
    ahead = [
        toe[:, 2] - body.travel(times) - rest().places[leg.toe, 2]
        for (toe, *_), leg in zip(steps, horse().legs, strict=True)
    ]
    curves = body.curves(times)
    origins = _trunk(rotations, curves, body.travel(times))
    for k, side in enumerate(("Left", "Right")):
        turn = -body.mixed("scapula", times) * ahead[k]
        rotations[:, horse().index(f"Scapula{side}")] = about(X, turn)
    _neck(rotations, origins, curves, body.travel(times))
    positions, world = world_of(horse(), rotations, origins)
    shortfall = np.zeros((len(times), 4))
    for k, foot in enumerate(feet):
        shortfall[:, k] = _leg(k, foot, rotations, positions, world, steps[k], ahead[k])
    return Poses(rotations, origins, shortfall)


def _trunk(rotations: Floats, curves: Floats, travel: Floats) -> Floats:
    """Set the trunk so that withers and sacrum are where they should be; returns the root (T, 3)."""
    r, s = rest(), horse()
    root = r["RootSacrum"]
    tuck = about(X, -curves[TUCK])
    marker = r["SacrumLower"] - root + quat.rotate(tuck, r.marker - r["SacrumLower"])  # (T, 3), root space
    joint, withers = r["Thoracic03"], r["Thoracic01"]
    a, b = joint - root - marker, np.broadcast_to(withers - joint, marker.shape)
    # The vector from sacrum to withers, wanted in the world: a stiff trunk is foreshortened as it pitches.
    across = withers - r.marker
    rise = across[1] + curves[WITHERS] - curves[CROUP]
    along = np.sqrt(across @ across - rise**2) - curves[STRETCH]
    wanted = np.stack([-curves[SWAY], rise, along], axis=1)
    bend = flexion(a, b, np.linalg.norm(wanted, axis=1), 0.0)
    chain = a + quat.rotate(about(X, bend), b)
    # First about x for the height, then about y for the sway.
    level = np.hypot(wanted[:, 0], wanted[:, 2])
    pitch = np.angle((wanted[:, 1] + 1j * level) / (chain[:, 1] + 1j * chain[:, 2]))
    turn = quat.mul(about(Y, np.arctan2(wanted[:, 0], wanted[:, 2])), about(X, pitch))
    rotations[:, 0] = turn
    rotations[:, s.index("SacrumLower")] = tuck
    rotations[:, s.index("Thoracic03")] = about(X, bend)
    goal = withers + np.stack([np.zeros_like(travel), curves[WITHERS], travel], axis=1)
    return goal - quat.rotate(turn, marker + chain)


def _neck(rotations: Floats, origins: Floats, curves: Floats, travel: Floats) -> None:
    """Turn the neck at the withers and at its base so that the head is where it should be, its pitch kept."""
    r, s = rest(), horse()
    base, middle, head = (s.index(name) for name in ("Thoracic01", "Cervical07", "Head"))
    positions, world = world_of(s, rotations, origins)
    parent = world[:, s.parents[base]]
    goal = r["Head"] + np.stack([np.zeros_like(travel), curves[HEAD], travel + curves[NOD]], axis=1)
    target = quat.rotate(quat.inverse(parent), goal - positions[:, base])
    a, b = r["Cervical07"] - r["Thoracic01"], r["Head"] - r["Cervical07"]
    bend = flexion(a, b, np.linalg.norm(target, axis=1), 0.0)
    turn = aim(a + quat.rotate(about(X, bend), b), target, hanging=False)
    rotations[:, base], rotations[:, middle] = turn, about(X, bend)
    neck = quat.mul(quat.mul(parent, turn), about(X, bend))
    rotations[:, head] = quat.inverse(neck)


def _leg(
    k: int,
    foot: Foot,
    rotations: Floats,
    positions: Floats,
    world: Floats,
    step: tuple[Floats, ...],
    ahead: Floats,
) -> Floats:
    """Solve one leg; returns by how much it is too short (T,) [m]."""
    s, leg, r = horse(), horse().legs[k], rest().places
    toe, done, swung, fold, tip = step
    hoof = leg.toe - 1
    load = GIVE * 16 * (done * (1 - done)) ** 2
    push = PUSH * ease((done - 1) / PUSHING + 1) * (1 - ease(2 * swung))
    behind = 0.5 * (np.hypot(ahead, 0.2) - ahead)
    pastern = ROLL * behind - load + push + 1.05 * tip
    fetlock = toe - quat.rotate(about(X, tip), r[leg.toe] - r[hoof])
    fetlock = fetlock - quat.rotate(about(X, pastern), r[hoof] - r[leg.pastern])
    parent = world[:, s.parents[leg.top]]
    target = quat.rotate(quat.inverse(parent), fetlock - positions[:, leg.top])
    distance = np.linalg.norm(target, axis=1)
    upper, lower, end = r[leg.mid] - r[leg.top], r[leg.low] - r[leg.mid], r[leg.pastern] - r[leg.low]
    if foot.hind:
        a, b, sign, least = upper + end + 0 * target, lower + 0 * target, 1.0, STIFLE[0]
        low = -1.0  # the hock turns back by what the stifle turns
    else:
        a, b, sign, least = upper + 0 * target, lower + quat.rotate(about(X, fold), end), -1.0, ELBOW[0]
        low = 0.0
    bend = sign * np.maximum(sign * flexion(a, b, distance, sign * 0.6), np.radians(least + SPARE))
    reached = a + quat.rotate(about(X, bend), b)
    length = np.linalg.norm(reached, axis=1)
    top = aim(reached, target * (length / distance)[:, None])
    second = about(X, low * bend + (0 if foot.hind else fold))
    cannon = quat.mul(quat.mul(quat.mul(parent, top), about(X, bend)), second)
    rotations[:, leg.top], rotations[:, leg.mid], rotations[:, leg.low] = top, about(X, bend), second
    rotations[:, leg.pastern] = quat.mul(quat.inverse(cannon), about(X, pastern))
    rotations[:, hoof] = about(X, tip - pastern)
    return distance - length


def toes() -> Floats:
    """Where the toes of the standing horse are (4, 3) [m]."""
    return rest().places[[leg.toe for leg in horse().legs]]


def settled(style: Style) -> Style:
    """The style with its body carried as low as its feet need at any time of the stride, or just below."""
    times = np.linspace(0, style.stride, 97)[:-1]
    for _ in range(12):
        # A sudden gain of speed makes longer steps.
        fastest = replace(style, speed=style.speed + max(style.step[0], 0.0), step=(0.0, 0.0))
        body = Body(fastest, fastest)
        need = shortage(body, feet_of(body, toes(), style.stride), times)
        if need.max() < 1e-4:
            break
        style = replace(style, sink=style.sink + 1.1 * need)
    if style.sink.max() > DEEPEST:
        raise ValueError(f"this horse cannot {style.name} at {style.speed:g} m/s: its legs are too short")
    return style if style.stride > 2 else replace(style, sink=style.sink + EASE)


def shortage(body: Body, feet: list[Foot], times: Floats) -> Floats:
    """By how much fore and hind legs are too short at most (2,) [m], 0 where they are not."""
    short = poses(body, feet, times).shortfall.max(axis=0)
    return np.maximum([short[:2].max(), short[2:].max()], 0)
