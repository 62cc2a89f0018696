"""Features: the rows of inputs and outputs that clips give (N2). NumPy only; `control` makes the same rows at
run time.

The inputs of frame f are in the root space of f. The outputs are the root's velocity from f to f + 1, and the
pose and trajectory of f + 1 in its own root space.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.labelled import LabelledClip, Rig, in_root_space, one_hot
from hoofbeat.maths import quat
from hoofbeat.methods.neural.network.layout import (
    ACTION,
    AHEAD,
    DIRECTION,
    JOINT,
    JOINT_VELOCITY,
    NOW,
    POSITION,
    RATE,
    SAMPLES,
    SPEED,
    STEP,
    UP,
    VELOCITY,
    Layout,
)

Floats = NDArray[np.float32]
#: Before its first frame and after its last a clip is extrapolated at its mean velocity over this time [s].
ENDS = 0.15
#: The desired speed of a frame is the length of the path over the time after it [s].
AHEAD_TIME = 1.0


@dataclass(frozen=True, eq=False)
class _Pose:
    """Modelled joints (T, C, 3) in root space: position [m], ahead, up, velocity over the ground [m/s]."""

    position: Floats
    ahead: Floats
    up: Floats
    velocity: Floats


@dataclass(frozen=True, eq=False)
class Trajectory:
    """The root's trajectory, longer than its clip by `margin` frames at each end.

    root (T, 3) x, z, heading; velocity (T, 2) [m/s], world; speed (T,) [m/s], desired; actions (T, A).
    """

    root: NDArray[np.float64]
    velocity: NDArray[np.float64]
    speed: NDArray[np.float64]
    actions: Floats
    margin: int


def pose_of(clip: LabelledClip, rig: Rig) -> _Pose:
    """The poses of a clip."""
    places, turns = in_root_space(rig.skeleton, clip.rotations, clip.origins)
    places, turns = places[:, rig.modelled], turns[:, rig.modelled]
    # The previous positions in the present root space.
    x, z, angle = (clip.root[1:] - clip.root[:-1]).T
    sine, cosine = np.sin(clip.root[1:, 2]), np.cos(clip.root[1:, 2])
    moved = np.stack([cosine * x - sine * z, np.zeros_like(x), sine * x + cosine * z], axis=-1)
    before = _turned(places[:-1], -angle[:, None])
    velocity = np.empty_like(places)
    velocity[1:] = (places[1:] - before + moved[:, None]) * RATE
    velocity[:1] = velocity[1:2]
    ahead, up = (quat.rotate(turns, np.array(axis, np.float32)) for axis in ((0, 0, 1), (0, 1, 0)))
    return _Pose(places, ahead, up, velocity)


def trajectory_of(clip: LabelledClip, rig: Rig) -> Trajectory:
    """The trajectory of a clip, extrapolated at both ends; standing still where it stood."""
    margin = max(abs(SAMPLES[0]), SAMPLES[-1]) + RATE + 2
    root = _extrapolated(clip.root, margin, round(ENDS * RATE))
    velocity = np.gradient(root[:, :2], axis=0) * RATE
    run = np.hypot(*np.diff(root[:, :2], axis=0).T)
    length = np.concatenate([[0.0], np.cumsum(run)])
    ahead = round(AHEAD_TIME * RATE)
    speed = np.empty(len(root))
    speed[:-ahead] = (length[ahead:] - length[:-ahead]) / AHEAD_TIME
    speed[-ahead:] = speed[-ahead - 1]
    actions = np.pad(one_hot(clip.actions, len(rig.actions)), ((margin, margin), (0, 0)), mode="edge")
    return Trajectory(root, velocity, speed, actions, margin)


def rows_of(clip: LabelledClip, rig: Rig) -> tuple[Floats, Floats]:
    """Inputs (T - 1, n) and outputs (T - 1, m) of a clip, one row for each frame that has a next one."""
    layout = Layout.of(rig)
    pose, trajectory = pose_of(clip, rig), trajectory_of(clip, rig)
    count = len(clip) - 1
    inputs = np.empty((count, layout.inputs.size), np.float32)
    outputs = np.empty((count, layout.outputs.size), np.float32)
    now = np.arange(count) + trajectory.margin

    def put(blocks: Any, rows: Floats, name: str, values: Any) -> None:
        rows[:, blocks.part(name)] = np.asarray(values).reshape(count, -1)

    samples = now[:, None] + np.array(SAMPLES)
    for name, value in _around(trajectory, now, samples).items():
        put(layout.inputs, inputs, name, value)
    put(layout.inputs, inputs, SPEED, trajectory.speed[samples])
    put(layout.inputs, inputs, ACTION, trajectory.actions[samples])
    for name, value in _around(trajectory, now + 1, samples[:, NOW:] + 1).items():
        put(layout.outputs, outputs, name, value)
    parts = ((JOINT, pose.position), (AHEAD, pose.ahead), (UP, pose.up), (JOINT_VELOCITY, pose.velocity))
    for name, value in parts:
        put(layout.inputs, inputs, name, value[:-1])
        put(layout.outputs, outputs, name, value[1:])
    put(layout.outputs, outputs, STEP, root_steps(clip.root))
    return inputs, outputs


def root_steps(root: NDArray[np.float64]) -> NDArray[np.float64]:
    """Velocity (T - 1, 3) of a root (T, 3): sideways, ahead [m/s] in the root space of the frame before, turn
    [rad/s]."""
    x, z, angle = (root[1:] - root[:-1]).T * RATE
    sine, cosine = np.sin(root[:-1, 2]), np.cos(root[:-1, 2])
    return np.stack([cosine * x - sine * z, sine * x + cosine * z, angle], axis=-1)


def _around(trajectory: Trajectory, now: NDArray[np.int64], samples: NDArray[np.int64]) -> dict[str, Any]:
    """Position, direction and velocity (T, S, 2) of the trajectory at frames (T, S), in root space of now
    (T,)."""
    heading = trajectory.root[now, 2][:, None]
    sine, cosine = np.sin(heading), np.cos(heading)

    def to_root_space(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        x, z = vectors[..., 0], vectors[..., 1]
        return np.stack([cosine * x - sine * z, sine * x + cosine * z], axis=-1)

    turned = trajectory.root[samples, 2] - heading
    return {
        POSITION: to_root_space(trajectory.root[samples, :2] - trajectory.root[now, :2][:, None]),
        DIRECTION: np.stack([np.sin(turned), np.cos(turned)], axis=-1),
        VELOCITY: to_root_space(trajectory.velocity[samples]),
    }


def _extrapolated(root: NDArray[np.float64], margin: int, span: int) -> NDArray[np.float64]:
    """The root with `margin` more frames at each end, at the mean velocity of the `span` frames there."""
    span = min(span, len(root) - 1)
    first, last = (root[span] - root[0]) / span, (root[-1] - root[-1 - span]) / span
    steps = np.arange(1, margin + 1)[:, None]
    return np.concatenate([(root[0] - steps * first)[::-1], root, root[-1] + steps * last])


def _turned(points: Floats, angle: NDArray[np.float64]) -> NDArray[Any]:
    """Points (..., 3) turned about the vertical, left positive."""
    sine, cosine = np.sin(angle), np.cos(angle)
    x, z = points[..., 0], points[..., 2]
    return np.stack([cosine * x + sine * z, points[..., 1], cosine * z - sine * x], axis=-1)
