"""Paths: closed curves on the ground, followed at constant speed, and how far an animal is from them (Table
4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: Points of a path, equally spaced along it.
POINTS = 2000
#: An animal's place on a path is sought this far behind and ahead of where it last was [m].
BEHIND, AHEAD = 0.5, 1.0

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Path:
    """A closed curve: points (POINTS, 2) (x, z) [m], equally spaced along it, in the order of travel."""

    name: str
    points: Floats
    length: float

    def at(self, distances: ArrayLike) -> tuple[Floats, Floats]:
        """Places (..., 2) and directions (..., 2) at distances (...,) [m] along the path from the first
        point."""
        steps = np.asarray(distances, np.float64) / self.length * POINTS
        first = np.floor(steps).astype(np.int64)
        a, b = self.points[first % POINTS], self.points[(first + 1) % POINTS]
        along = b - a
        unit = along / np.linalg.norm(along, axis=-1, keepdims=True)
        return a + (steps - first)[..., None] * along, unit

    def nearest(self, place: ArrayLike, last: float) -> tuple[float, float]:
        """Distance [m] along the path of its nearest point, near where it last was, and the distance to it
        [m]."""
        step = self.length / POINTS
        first = int(np.floor(last / step))
        k = first + np.arange(-int(BEHIND / step), int(AHEAD / step) + 1)
        a, b = self.points[k % POINTS], self.points[(k + 1) % POINTS]
        along, off = b - a, np.asarray(place) - a
        part = np.clip((off * along).sum(axis=1) / (along * along).sum(axis=1), 0, 1)
        away = np.linalg.norm(off - part[:, None] * along, axis=1)
        best = int(np.argmin(away))
        return float((k[best] + part[best]) * step), float(away[best])


def closed(name: str, corners: ArrayLike) -> Path:
    """The path through corners (M, 2) [m], straight between them and back to the first."""
    corners = np.asarray(corners, np.float64)
    loop = np.concatenate([corners, corners[:1]])
    distance = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(loop, axis=0), axis=1))])
    at = np.arange(POINTS) / POINTS * distance[-1]
    points = np.stack([np.interp(at, distance, loop[:, k]) for k in range(2)], axis=1)
    length = np.linalg.norm(np.diff(points, axis=0, append=points[:1]), axis=1).sum()
    return Path(name, points, float(length))


def _around(radius: Floats, angle: Floats) -> Floats:
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def paths_of(scale: float = 1.0) -> tuple[Path, ...]:
    """Circle, square, star and a winding path of our own, a few metres wide, for an animal `scale` as large
    as the paper's dog: radius 2 m; sides of 4 m; a star of five points on 3 m and 1.5 m; about 7 m by 5 m."""
    fine = np.linspace(0, 2 * np.pi, 4 * POINTS, endpoint=False)
    points = np.arange(10) * np.pi / 5
    star = _around(np.where(np.arange(10) % 2, 1.5, 3.0), points)
    winding = _around(2.6 + 0.7 * np.sin(2 * fine) + 0.45 * np.cos(3 * fine) + 0.2 * np.sin(5 * fine), fine)
    return (
        closed("circle", scale * _around(np.full_like(fine, 2.0), fine)),
        closed("square", scale * np.array([(2.0, -2.0), (2.0, 2.0), (-2.0, 2.0), (-2.0, -2.0)])),
        closed("star", scale * star),
        closed("custom", scale * winding),
    )


@dataclass(frozen=True)
class Deviation:
    """How far a root was off its path: mean distance [cm], mean angle [degrees], laps gone."""

    distance: float
    angle: float
    laps: float


def deviation_of(path: Path, root: ArrayLike, start: float) -> Deviation:
    """The deviation of roots (T, 3) x, z, heading, from a path, the first near `start` [m] of it."""
    roots = np.asarray(root, np.float64)
    distance, distances, away = start, np.empty(len(roots)), np.empty(len(roots))
    for t, place in enumerate(roots[:, :2]):
        distance, away[t] = path.nearest(place, distance)
        distances[t] = distance
    _, direction = path.at(distances)
    off = roots[:, 2] - np.arctan2(direction[:, 0], direction[:, 1])
    off = np.abs((off + np.pi) % (2 * np.pi) - np.pi)
    laps = (distances[-1] - distances[0]) / path.length
    return Deviation(100 * float(away.mean()), float(np.degrees(off).mean()), float(laps))
