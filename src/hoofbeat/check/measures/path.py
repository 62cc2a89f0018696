"""Path: how far an animal is from the path that it was to follow (Zhang et al. 2018, Table 4)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from hoofbeat.check.limits import DOG_HIP
from hoofbeat.check.measure import Family, Limit, Measure, Subject, judged
from hoofbeat.errors import ClipError

GROUP = "path"
#: Every measure of the family with its limit.
LIMITS: Mapping[str, Limit] = MappingProxyType(
    {
        "path-deviation": Limit(None, 6.61, "Zhang et al. 2018, Table 4, star"),
        "heading-deviation": Limit(None, 8.76, "Zhang et al. 2018, Table 4, star"),
    }
)
#: Distances worked out at a time.
BATCH = 400_000

Floats = NDArray[np.float64]


def measures(subject: Subject) -> list[Measure]:
    """Mean distance and mean angle between the animal and a polyline (K, 2) of x and z [m], world.

    The distance is in centimetres of an animal of the dog's size, as in the paper. No path, no measures.
    """
    if subject.path is None:
        return []
    motion, line = subject.motion, np.asarray(subject.path, np.float64)
    if line.ndim != 2 or line.shape[1] != 2 or len(line) < 2 or not np.isfinite(line).all():
        raise ClipError(f"a path is 2 or more finite points (K, 2) along x and z, given {line.shape}")
    line = line[np.append(True, np.abs(np.diff(line, axis=0)).sum(axis=1) > 0)]
    if len(line) < 2:
        raise ClipError("the points of the path are all the same")
    distance, part = _nearest(motion.path, line)
    pieces = np.diff(line, axis=0)
    off = motion.heading - np.arctan2(pieces[part, 0], pieces[part, 1])
    angle = np.abs((off + np.pi) % (2 * np.pi) - np.pi)
    worst = int(np.argmax(distance))
    most = f"{100 * distance[worst]:.0f} at {worst / motion.fps:.2f} s"
    detail = f"{100 * distance.mean():.1f} cm as it is, most {most}"
    scaled = 100 * float(distance.mean()) * DOG_HIP / motion.hip
    degrees = float(np.degrees(angle).mean())
    return [
        judged("path-deviation", GROUP, scaled, "cm of a dog", LIMITS["path-deviation"], detail),
        judged("heading-deviation", GROUP, degrees, "deg", LIMITS["heading-deviation"]),
    ]


def _nearest(points: Floats, line: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Distance (T,) of points (T, 2) from a polyline (K, 2), and the index (T,) of the nearest piece."""
    start, pieces = line[:-1], np.diff(line, axis=0)
    square = (pieces * pieces).sum(axis=1)
    distance, part = np.empty(len(points)), np.empty(len(points), np.int64)
    size = max(1, BATCH // len(pieces))
    for first in range(0, len(points), size):
        some = slice(first, first + size)
        away = points[some, None] - start  # (B, K - 1, 2)
        along = np.clip((away * pieces).sum(axis=-1) / square, 0.0, 1.0)
        left = away - along[..., None] * pieces
        length = np.hypot(left[..., 0], left[..., 1])
        part[some] = np.argmin(length, axis=1)
        distance[some] = length.min(axis=1)
    return distance, part


FAMILY = Family(90, GROUP, LIMITS, measures)
