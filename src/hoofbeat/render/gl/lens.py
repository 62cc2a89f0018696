"""Lens: cameras with and without perspective, as matrices, and where the named ones stand.

From the side the animal goes to the right, as in the drawn views. Matrices multiply columns; a camera's
picture has y upwards.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.errors import UnknownName
from hoofbeat.render.draw.camera import CameraTrack

Floats = NDArray[np.float64]

#: Nearest and farthest distance that is drawn, in parts of the distance to what is looked at.
NEAR, FAR = 0.05, 60.0


class UnknownCamera(UnknownName):
    """A camera that does not exist."""

    kind = "camera"


@dataclass(frozen=True)
class _Preset:
    """Where a camera stands: angle from the animal's right side towards its front [deg], height above the
    horizon [deg], how wide it sees from top to bottom [deg], and how much of the picture the animal fills."""

    around: float
    above: float
    wide: float
    fill: float = 0.92


#: The cameras by name. Long lenses, as a horse is photographed: near ones swell head and feet.
CAMERAS = {
    "three-quarter": _Preset(36.0, 8.0, 22.0),
    "side": _Preset(0.0, 3.0, 16.0),
    "chase": _Preset(-60.0, 14.0, 30.0, 0.78),
    "front": _Preset(90.0, 5.0, 20.0, 0.84),
    "rear": _Preset(-90.0, 6.0, 20.0, 0.84),
    "top": _Preset(0.0, 89.9, 18.0),
}


@dataclass(frozen=True)
class Camera:
    """A camera: clip from world (4, 4), and the eye (4,): a place (w = 1) or a direction to it (w = 0)."""

    clip_from_world: Floats
    eye: Floats

    def pixels(self, points: Floats, size: tuple[int, int]) -> Floats:
        """Points (N, 3) in pixels (N, 2) from the lower left corner of a picture of width and height."""
        flat = np.concatenate([points, np.ones((len(points), 1))], axis=1) @ self.clip_from_world.T
        return (flat[:, :2] / flat[:, 3:] * 0.5 + 0.5) * np.array(size)


def camera_preset(name: str) -> _Preset:
    """The camera of that name; an unknown one lists them."""
    if name not in CAMERAS:
        raise UnknownCamera(name, CAMERAS)
    return CAMERAS[name]


def look_at(eye: Floats, target: Floats, up: Floats) -> Floats:
    """View from world (4, 4): x right, y up, z towards the viewer."""
    back = (eye - target) / np.linalg.norm(eye - target)
    right = np.cross(up, back)
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(back, right), back])
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = axes, -axes @ eye
    return found


def perspective(wide: float, aspect: float, near: float, far: float) -> Floats:
    """Clip from view (4, 4); wide [rad] from bottom to top, aspect: width over height."""
    tall = 1.0 / np.tan(wide / 2)
    found = np.zeros((4, 4))
    found[0, 0], found[1, 1] = tall / aspect, tall
    found[2, 2], found[2, 3] = (far + near) / (near - far), 2 * far * near / (near - far)
    found[3, 2] = -1.0
    return found


def flat_camera(axes: Floats, box: tuple[float, float, float, float], depth: float) -> Camera:
    """A camera without perspective about the origin. axes (3, 3): right, up and towards the eye; box: left,
    right, bottom, top [m]; depth: half the length of what is drawn [m]."""
    left, right, bottom, top = box
    scale = np.array([2 / (right - left), 2 / (top - bottom), -1 / depth])
    found = np.eye(4)
    found[:3, :3] = axes * scale[:, None]
    found[:2, 3] = -(right + left) / (right - left), -(top + bottom) / (top - bottom)
    return Camera(found, np.append(axes[2], 0.0))


@dataclass(frozen=True)
class _Rig:
    """A preset fitted to an animal: towards the eye in the axes left, up, forward, distance and height of
    the point that is looked at [m], and how far it lies forward [m]."""

    preset: _Preset
    toward: Floats
    distance: float
    height: float
    ahead: float

    def at(self, yaw: float, aspect: float) -> Camera:
        """The camera beside an animal that heads for `yaw` [rad] and is at the origin."""
        left = np.array([np.cos(yaw), 0.0, -np.sin(yaw)])
        forward = np.array([np.sin(yaw), 0.0, np.cos(yaw)])
        up = np.array([0.0, 1.0, 0.0])
        target = self.height * up + self.ahead * forward
        toward = self.toward[0] * left + self.toward[1] * up + self.toward[2] * forward
        eye = target + self.distance * toward
        # From straight above, the picture's up is the animal's left.
        upright = left if self.preset.above > 80 else up
        lens = perspective(np.radians(self.preset.wide), aspect, NEAR * self.distance, FAR * self.distance)
        return Camera(lens @ look_at(eye, target, upright), np.append(eye, 1.0))


def fitted_lens(preset: _Preset, points: Floats, aspect: float, floor: float = 0.0) -> _Rig:
    """The preset at the distance from which points (N, 3) [m], about the animal's place on the ground in
    the axes left, up, forward, fill their part of the picture; the lowest `floor` of it is kept free."""
    around, above = np.radians(preset.around), np.radians(preset.above)
    toward = np.array([-np.cos(above) * np.cos(around), np.sin(above), np.cos(above) * np.sin(around)])
    upright = np.array([1.0, 0.0, 0.0]) if preset.above > 80 else np.array([0.0, 1.0, 0.0])
    right = np.cross(upright, toward)
    right /= np.linalg.norm(right)
    up = np.cross(toward, right)
    tall = np.tan(np.radians(preset.wide) / 2)
    low, high = -preset.fill + 2 * floor, preset.fill
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    target = np.array([0.0, middle[1], middle[2]])
    distance = 4 * float(np.linalg.norm(np.ptp(points, axis=0)))
    for _ in range(20):  # the fit of a perspective picture settles quickly
        away = points - target
        depth = distance - away @ toward
        x, y = away @ right / (depth * tall * aspect), away @ up / (depth * tall)
        grow = max(np.ptp(x) / (2 * preset.fill), np.ptp(y) / (high - low))
        off_x, off_y = (x.min() + x.max()) / 2, (y.min() + y.max()) / 2 - (low + high) / 2
        move = right * off_x * distance * tall * aspect + up * off_y * distance * tall
        target = target + move * np.array([0.0, 1.0, 1.0])
        distance *= grow
    return _Rig(preset, toward, float(distance), float(target[1]), float(target[2]))


def about_track(points: Floats, track: CameraTrack) -> Floats:
    """Points (M, N, 3), world, in the axes left, up, forward about the track's centre, (M * N, 3)."""
    away = points - track.centre[:, None]
    sin, cos = np.sin(track.yaw)[:, None], np.cos(track.yaw)[:, None]
    left = cos * away[..., 0] - sin * away[..., 2]
    forward = sin * away[..., 0] + cos * away[..., 2]
    return np.stack([left, away[..., 1], forward], axis=-1).reshape(-1, 3)
