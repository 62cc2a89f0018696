"""Markers: seven places on a horse, found on a skeleton, and the mean stride that they draw.

The places are those of the Vienna Horse Data Collection: forehead, withers, sacrum and the four hooves. On
a skeleton that is known they are points between two joints; on another they are sought by name and by
where the legs begin, and nobody says that the animal is a horse.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hoofbeat.body.clip import Clip
from hoofbeat.body.skeleton import LEGS, Skeleton
from hoofbeat.check.motion import Motion
from hoofbeat.errors import ClipError

#: The seven markers, in the order of every array here.
MARKERS = ("head", "withers", "sacrum", *LEGS)
HEAD, WITHERS, SACRUM = range(3)
#: Points of a mean stride; the first lies on the touchdown of the left hind.
POINTS = 100

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Place:
    """A point `part` of the distance from one joint to another; `to` is None for a joint itself."""

    joint: str
    to: str | None = None
    part: float = 0.0


def _places(head: _Place, withers: _Place, sacrum: _Place, **hooves: _Place) -> Mapping[str, _Place]:
    return MappingProxyType({"head": head, "withers": withers, "sacrum": sacrum, **hooves})


#: Skeletons of horses by name. The thesis horse: Thoracic01 is the top of the shoulders, the sacral tuber
#: lies 44 % of the distance to the root of the tail, the forehead a third of the distance from the poll to
#: the nose, and a marker on a hoof's wall moves with the hoof joint. The horse of three.js: the nearest
#: joints, which lie inside the body.
HORSES: Mapping[str, Mapping[str, _Place]] = MappingProxyType(
    {
        "thesis horse": _places(
            _Place("Head", "Head_end", 1 / 3),
            _Place("Thoracic01"),
            _Place("SacrumLower", "SacrumToTail", 0.44),
            LF=_Place("EFForeHoofLeft"),
            RF=_Place("EFForeHoofRight"),
            LH=_Place("EFRearHoofLeft"),
            RH=_Place("EFRearHoofRight"),
        ),
        "three.js horse": _places(
            _Place("Head"),
            _Place("Neck"),
            _Place("Hips", "Tail1", 0.5),
            LF=_Place("FrontFoot.L"),
            RF=_Place("FrontFoot.R"),
            LH=_Place("BackFoot.L"),
            RH=_Place("BackFoot.R"),
        ),
    }
)
#: Words in the names of joints, tried in turn on a skeleton that is not known.
WORDS = {"head": ("forehead", "head"), "withers": ("withers",), "sacrum": ("sacrum", "croup")}


@dataclass(frozen=True)
class Markers:
    """Positions (T, 7, 3) [m], world, Y up, of MARKERS; NaN where a marker was not found.

    missing: marker to the reason why it was not found; horse: the name of the known horse's skeleton, or
    None where nobody says that the animal is a horse.
    """

    positions: Floats
    fps: float
    missing: Mapping[str, str]
    horse: str | None


@dataclass(frozen=True)
class MeanStride:
    """curves (100, 7, 3) [withers heights] of MARKERS over the mean stride, from touchdown of the left hind.

    Along the last axis: x forward and y to the left, both from the withers, z up from the ground. NaN where
    a marker was not found. withers: mean height [m]; speed [m/s]; duration of a stride [s]; count: strides
    that were averaged; missing and horse as in `Markers`.
    """

    curves: Floats
    withers: float
    speed: float
    duration: float
    count: int
    missing: Mapping[str, str]
    horse: str | None


def markers_of(clip: Clip, horse: str | None = None) -> Markers:
    """The markers of a clip whose skeleton has its legs named.

    horse: a name for the horse where the skeleton is not known but the animal is one; by default only the
    skeletons in HORSES count as horses.
    """
    skeleton = clip.skeleton
    if len(skeleton.legs) != 4:
        raise ClipError(f"clip {clip.name!r} has no named legs, so that its hooves are not known")
    for name, places in HORSES.items():
        if all(j in skeleton.names for p in places.values() for j in (p.joint, p.to) if j is not None):
            found = np.stack([_at(clip, places[marker]) for marker in MARKERS], axis=1)
            return Markers(found, clip.fps, MappingProxyType({}), horse or name)
    found = np.full((len(clip), len(MARKERS), 3), np.nan)
    missing: dict[str, str] = {}
    for index, marker in enumerate(MARKERS[:3]):
        joint = _by_name(skeleton, WORDS[marker])
        if joint is None and index != HEAD:
            joint = _above_legs(clip, slice(0, 2) if index == WITHERS else slice(2, 4))
        if joint is None:
            missing[marker] = f"no joint is named after the {marker} or lies where it is"
        else:
            found[:, index] = clip.positions[:, joint]
    found[:, 3:] = clip.positions[:, [leg.toe for leg in skeleton.legs]]
    return Markers(found, clip.fps, MappingProxyType(missing), horse)


def marker_stride(
    motion: Motion, start: ArrayLike, duration: ArrayLike, horse: str | None = None
) -> MeanStride:
    """The mean of a motion's strides that begin at start (S,) and last duration (S,) [s], from touchdowns of
    the left hind; horse as in `markers_of`."""
    starts, lengths = np.atleast_1d(np.asarray(start, float)), np.atleast_1d(np.asarray(duration, float))
    parts = [motion.speed[motion.frames(s, s + d)].mean() for s, d in zip(starts, lengths, strict=True)]
    speed = float(np.mean(parts)) if parts else 0.0
    markers = markers_of(motion.clip, horse)
    return mean_stride(markers, motion.heading, starts, lengths, speed, float(motion.level.mean()))


def mean_stride(
    markers: Markers,
    heading: ArrayLike,
    start: ArrayLike,
    duration: ArrayLike,
    speed: float,
    ground: float = 0.0,
) -> MeanStride:
    """The mean of strides, each from a touchdown of the left hind at start (S,) and of duration (S,) [s].

    heading (T,) yaw [rad], 0 = +Z, left positive: only its mean and its turn over each stride count, so that
    the sway of a body is measured. speed over the ground [m/s]; ground: its height [m]. Strides that reach
    past the clip are left out.
    """
    starts, lengths = np.atleast_1d(np.asarray(start, float)), np.atleast_1d(np.asarray(duration, float))
    yaw = np.asarray(heading, float)
    count = len(markers.positions)
    if starts.shape != lengths.shape or yaw.shape != (count,) or not np.isfinite(yaw).all():
        raise ClipError(f"a start and duration for every stride and {count} finite headings are needed")
    end = (count - 1) / markers.fps
    inside = (starts >= -1e-9) & (lengths > 0) & (starts + lengths <= end + 1e-9)
    if not inside.any():
        raise ClipError(f"none of {len(starts)} strides lies whole in the clip's {end:g} s")
    rows = np.stack(
        [_stride(markers, yaw, s, d) for s, d in zip(starts[inside], lengths[inside], strict=True)]
    )
    curves = rows.mean(axis=0)  # (100, 7, 3) [m]
    curves[..., 2] -= ground
    withers = float(curves[:, WITHERS, 2].mean())
    if math.isfinite(withers) and not withers > 0:
        raise ClipError(
            f"the withers lie {withers:g} m above the ground at {ground:g} m; give its true height"
        )
    duration_mean = float(lengths[inside].mean())
    return MeanStride(
        curves / withers, withers, float(speed), duration_mean, len(rows), markers.missing, markers.horse
    )


def _stride(markers: Markers, yaw: Floats, start: float, duration: float) -> Floats:
    """One stride (100, 7, 3) [m]: forward and left of the withers, and up."""
    phase = np.arange(POINTS) / POINTS
    frames = (start + phase * duration) * markers.fps
    at = _sampled(markers.positions, frames)  # (100, 7, 3)
    first, last = _sampled(yaw, np.array([start, start + duration]) * markers.fps)
    course = _sampled(yaw, frames).mean() + (last - first) * (phase - phase.mean())
    ahead, left = np.sin(course)[:, None], np.cos(course)[:, None]
    east, north = (at[..., axis] - at[:, WITHERS, None, axis] for axis in (0, 2))  # world x and z
    return np.stack([ahead * east + left * north, left * east - ahead * north, at[..., 1]], axis=-1)


def _sampled(values: Floats, frames: Floats) -> Floats:
    """Values (T, ...) at times (M,) [frames], by the cubic through four frames (Catmull-Rom), ends held."""
    low = np.clip(np.floor(frames), 0, len(values) - 1).astype(np.int64)
    u = (frames - low).reshape(-1, *[1] * (values.ndim - 1))
    a, b, c, d = (values[np.clip(low + step, 0, len(values) - 1)] for step in (-1, 0, 1, 2))
    return b + 0.5 * u * ((c - a) + u * ((2 * a - 5 * b + 4 * c - d) + u * (3 * (b - c) + d - a)))


def _at(clip: Clip, place: _Place) -> Floats:
    first = clip.positions[:, clip.skeleton.index(place.joint)]
    if place.to is None:
        return first
    return first + place.part * (clip.positions[:, clip.skeleton.index(place.to)] - first)


def _by_name(skeleton: Skeleton, words: tuple[str, ...]) -> int | None:
    """The first joint, nearest to the root, whose name holds one of the words."""
    for word in words:
        for index, name in enumerate(skeleton.names):
            if word in name.lower() and not skeleton.ends[index]:
                return index
    return None


def _above_legs(clip: Clip, pair: slice) -> int | None:
    """The trunk's joint nearest to the middle of a pair of legs' tops and not below it, over all frames."""
    skeleton = clip.skeleton
    held = np.zeros((len(skeleton), 4), bool)  # which legs are below a node
    under = np.zeros(len(skeleton), bool)  # whether a node is part of a leg
    for leg, part in enumerate(skeleton.legs):
        node = part.top
        under[node] = True
        while node >= 0:
            held[node, leg] = True
            node = int(skeleton.parents[node])
    for node in range(1, len(skeleton)):
        under[node] |= under[skeleton.parents[node]]
    trunk = np.flatnonzero(~under & (held.sum(axis=1) != 1) & ~skeleton.ends)
    middle = clip.positions[:, [part.top for part in skeleton.legs[pair]]].mean(axis=1)  # (T, 3)
    away = clip.positions[:, trunk] - middle[:, None]  # (T, K, 3)
    above = away[..., 1].mean(axis=0) >= 0
    if not above.any():
        return None
    distance = np.where(above, np.linalg.norm(away, axis=-1).mean(axis=0), np.inf)
    return int(trunk[np.argmin(distance)])
