"""Camera: the views, where the camera is over time, and the map from metres to pixels.

Every view is orthographic. Seen from the side the animal goes to the right (+Z), so the side that
faces the camera is its right side; from the front its left is on the right of the picture, from the
rear its right; from the top it goes to the right with its left upwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.errors import UnknownName
from hoofbeat.render.draw.figure import DrawnFigure
from hoofbeat.render.draw.theme import PictureError

#: The views a picture can be drawn in; "both" is the side and the front next to each other.
VIEWS = ("side", "front", "both", "top", "rear")
#: Ground height [m] over world x and z [m], arrays of one shape.
Ground = Callable[[NDArray[np.float64], NDArray[np.float64]], Any]
#: Smoothing of the camera's path and heading, standard deviation [s]: the body's surge stays visible.
FOLLOW_SECONDS = 0.35
#: A body that turns less than this in a whole clip [rad] is filmed with a camera that does not turn.
STRAIGHT = np.radians(20.0)
#: Headings this near to +Z [rad] count as +Z, so that the ticks are the world's own metres.
NEARLY_FORWARD = np.radians(3.0)


class UnknownView(UnknownName):
    """A view that does not exist."""

    kind = "view"


def panels_of(view: str) -> tuple[str, ...]:
    """The single views a view is made of; an unknown one lists the views."""
    if view not in VIEWS:
        raise UnknownView(view, VIEWS)
    return ("side", "front") if view == "both" else (view,)


@dataclass(frozen=True)
class CameraTrack:
    """Where the camera looks, a row for each moment.

    centre (M, 3) [m], world, on the ground; yaw (M,) [rad] about +Y, 0 = the side view's right is +Z;
    travel (M, 2) [m]: how far the centre has come forward and to the left, what the ticks count.
    """

    centre: NDArray[np.float64]
    yaw: NDArray[np.float64]
    travel: NDArray[np.float64]

    def at(self, moments: NDArray[np.float64]) -> CameraTrack:
        """The track at fractional frame numbers (M,)."""
        return CameraTrack(
            rows_between(self.centre, moments),
            rows_between(self.yaw, moments),
            rows_between(self.travel, moments),
        )

    def axes(self, view: str) -> NDArray[np.float64]:
        """World vectors (M, 3, 3): right of the picture, up, and out of it towards the eye."""
        sin, cos, nil, one = np.sin(self.yaw), np.cos(self.yaw), 0 * self.yaw, 0 * self.yaw + 1
        forward = np.stack([sin, nil, cos], axis=-1)
        left = np.stack([cos, nil, -sin], axis=-1)
        up = np.stack([nil, one, nil], axis=-1)
        rows = {
            "side": (forward, up, -left),
            "front": (left, up, forward),
            "rear": (-left, up, -forward),
            "top": (forward, left, up),
        }
        return np.stack(rows[view], axis=1)

    def project(self, points: NDArray[np.float64], view: str) -> NDArray[np.float64]:
        """Points (M, N, 3) [m], world, as right, up and depth (M, N, 3) [m] about the centre."""
        return np.matmul(points - self.centre[:, None], self.axes(view).transpose(0, 2, 1))


def follow_track(
    figure: DrawnFigure, positions: NDArray[np.float64], fps: float, ground: Ground | None
) -> CameraTrack:
    """A camera beside the animal: it goes along smoothly, turns with the body, and keeps the horizon."""
    path = positions[:, 0].copy()
    centre = smooth_track(path, FOLLOW_SECONDS * fps)
    yaw = _headings(figure, positions, fps)
    centre[:, 1] = 0.0 if ground is None else smooth_track(heights(ground, centre)[:, None], fps * 0.6)[:, 0]
    return CameraTrack(centre, yaw, _travel(path, centre, yaw))


def still_track(
    figure: DrawnFigure, positions: NDArray[np.float64], fps: float, ground: Ground | None
) -> CameraTrack:
    """A camera on a stand that looks at the middle of the whole path, along the world's X if it turns."""
    moving = follow_track(figure, positions, fps, ground)
    middle = (moving.centre.min(axis=0) + moving.centre.max(axis=0)) / 2
    middle[1] = moving.centre[:, 1].min()
    centre = np.broadcast_to(middle, moving.centre.shape).copy()
    turns = float(np.ptp(moving.yaw)) > 0
    yaw = np.full(len(centre), 0.0 if turns else float(moving.yaw[0]))
    return CameraTrack(centre, yaw, _travel(centre, centre, yaw))


def heights(ground: Ground | None, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ground height [m] below points (..., 3); 0 where no ground is given."""
    if ground is None:
        return np.zeros(points.shape[:-1])
    found = np.asarray(ground(points[..., 0].ravel(), points[..., 2].ravel()), np.float64).reshape(-1)
    count = points[..., 0].size
    if found.size not in (1, count) or not np.isfinite(found).all():
        raise PictureError(
            f"the ground function must give one finite height [m] for each of {count} points, "
            f"gave {found.size} ({int(np.isfinite(found).sum())} finite)"
        )
    return np.broadcast_to(found, count).reshape(points.shape[:-1])


def rows_between(values: NDArray[np.float64], moments: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows of `values` (T, ...) at fractional row numbers (M,), linearly."""
    low = np.clip(np.floor(moments).astype(np.int64), 0, len(values) - 1)
    high = np.minimum(low + 1, len(values) - 1)
    share = (moments - low).reshape(-1, *([1] * (values.ndim - 1)))
    return values[low] * (1 - share) + values[high] * share


def smooth_track(values: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
    """Columns (T, C) under a Gaussian of `sigma` rows; straight motion passes unchanged to its ends."""
    reach = min(int(3 * sigma), len(values) - 1)
    if reach < 1:
        return values.astype(np.float64)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    kernel /= kernel.sum()
    # Turning the ends about their end points (odd reflection) keeps a constant speed constant.
    before = 2 * values[0] - values[reach:0:-1]
    after = 2 * values[-1] - values[-2 : -reach - 2 : -1]
    padded = np.concatenate([before, values, after])
    return np.stack([np.convolve(column, kernel, "valid") for column in padded.T], axis=1)


def _headings(figure: DrawnFigure, positions: NDArray[np.float64], fps: float) -> NDArray[np.float64]:
    """Yaw (T,) [rad] of the body, smoothed; one value throughout where it hardly turns."""
    count = len(positions)
    if figure.has_legs:
        legs = figure.skeleton.legs
        body = sum(positions[:, leg.top] for leg in legs[:2]) - sum(positions[:, leg.top] for leg in legs[2:])
        body = smooth_track(np.asarray(body), FOLLOW_SECONDS * fps)
        yaw = np.unwrap(np.arctan2(body[:, 0], body[:, 2]))
    else:
        travel = positions[-1, 0] - positions[0, 0]
        far = bool(np.hypot(travel[0], travel[2]) > figure.size / 2)
        yaw = np.full(count, float(np.arctan2(travel[0], travel[2])) if far else 0.0)
    if float(np.ptp(yaw)) < STRAIGHT:
        mean = float(yaw.mean())
        yaw = np.full(count, 0.0 if abs(mean) < NEARLY_FORWARD else mean)
    return yaw


def _travel(
    path: NDArray[np.float64], centre: NDArray[np.float64], yaw: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Metres (T, 2) that the centre has come along the camera's own forward and left.

    They are the world's own metres while the camera does not turn. In a turn the path of the root itself
    is counted, since a smoothed path cuts the corner.
    """
    axes = np.stack([np.sin(yaw), np.cos(yaw), np.cos(yaw), -np.sin(yaw)], axis=1).reshape(-1, 2, 2)
    flat = path[:, (0, 2)]
    steps = np.einsum("tij,tj->ti", (axes[1:] + axes[:-1]) / 2, np.diff(flat, axis=0))
    come = axes[0] @ flat[0] + np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    return come + np.einsum("tij,tj->ti", axes, centre[:, (0, 2)] - flat)
