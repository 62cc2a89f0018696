"""Runs: a herd under given commands, every frame kept; feet are not held, so that all is the network's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import Clip
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.horse import Herd
from hoofbeat.maths import quat
from hoofbeat.methods.neural.network.layout import RATE
from hoofbeat.records import COMMAND

#: How long a part of a random ride lasts [s]; how likely it names an action, stands, turns.
PART, ACTS, STANDS, TURNS = (1.0, 4.0), 0.2, 0.15, 0.5
#: Fastest turn that a random ride asks for [rad/s].
FAST_TURN = 2.0

Floats = NDArray[np.float64]
#: Tells that so many frames are done.
Tick = Callable[[int], None]


def silent(done: int) -> None:
    """Tell nobody."""
    del done


@dataclass(frozen=True, eq=False)
class Run:
    """N characters over T frames at RATE. rotations (N, T, J, 4) xyzw, local, that of node 0 relative to the
    root; positions (N, T, J, 3) [m], world; root (N, T, 3): x, z [m], heading [rad]; gates (N, T, K), K = 0
    where the method has none."""

    skeleton: Skeleton
    rotations: NDArray[np.float32]
    positions: Floats
    root: Floats
    gates: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.root)

    @property
    def toes(self) -> Floats:
        """Positions (N, T, 4, 3) of the toes."""
        return self.positions[:, :, [leg.toe for leg in self.skeleton.legs]]

    def after(self, frames: int) -> Run:
        """The same without its first frames."""
        return Run(
            self.skeleton,
            self.rotations[:, frames:],
            self.positions[:, frames:],
            self.root[:, frames:],
            self.gates[:, frames:],
        )

    def clip(self, k: int) -> Clip:
        """The motion of one character."""
        yaw = np.zeros((self.root.shape[1], 4))
        yaw[:, 1], yaw[:, 3] = np.sin(self.root[k, :, 2] / 2), np.cos(self.root[k, :, 2] / 2)
        rotations = self.rotations[k].astype(np.float64)
        rotations[:, 0] = quat.mul(yaw, rotations[:, 0])
        return Clip(self.skeleton, rotations, self.positions[k, :, 0], RATE, name=f"character {k}")

    def speeds(self) -> Floats:
        """Mean speed (N,) along the path [m/s]."""
        return np.hypot(*np.moveaxis(np.diff(self.root[..., :2], axis=1), -1, 0)).mean(axis=1) * RATE

    def turns(self) -> Floats:
        """Mean turning rate (N,) [rad/s], left positive."""
        frames = max(self.root.shape[1] - 1, 1)
        return (self.root[:, -1, 2] - self.root[:, 0, 2]) * RATE / frames


def herd_of(path: str | PathLike[str], count: int, held: bool = False, **options: Any) -> Herd:
    """Animals of a network file, their feet as the network has them, or held as anybody rides them."""
    return Herd(count, "neural", scene=path, lock=held, **options)


def orders(count: int, **values: Any) -> NDArray[Any]:
    """Commands (N,) with the fields given by name, each one value or N."""
    rows = np.zeros(count, COMMAND)
    rows["gait"] = rows["action"] = -1
    for name, value in values.items():
        rows[name] = value
    return rows


def repeated(rows: NDArray[Any], frames: int) -> NDArray[Any]:
    """Commands (T, N): the same in every frame."""
    return np.broadcast_to(rows, (frames, len(rows)))


def random_orders(herd: Herd, seed: int, frames: int) -> NDArray[Any]:
    """Random commands (T, N): for each character parts of a few seconds with a speed, turn or action."""
    fastest, actions = float(herd.bands.max()), len(herd.method.actions)
    rows = np.stack([orders(len(herd))] * frames) if frames else np.zeros((0, len(herd)), COMMAND)
    for k in range(len(herd)):
        rng = np.random.default_rng((seed, k))
        start = 0
        while start < frames:
            part = rows[start : start + round(float(rng.uniform(*PART)) * RATE), k]
            if rng.random() < ACTS:
                part["action"] = rng.integers(actions)
            elif rng.random() >= STANDS:
                part["speed"] = fastest * rng.random()
            if rng.random() < TURNS:
                part["turn"] = rng.uniform(-FAST_TURN, FAST_TURN)
            start += len(part)
    return rows


def started(herd: Herd, seed: int, seconds: float, tick: Tick = silent) -> Herd:
    """A herd in the middle of random rides, every character of its own."""
    for row in random_orders(herd, seed, round(seconds * RATE)):
        herd.advance(row, 1 / RATE)
        tick(1)
    return herd


def ridden(
    herd: Herd, rows: NDArray[Any], before: Callable[[Herd], None] | None = None, tick: Tick = silent
) -> Run:
    """A herd under commands (T, N); `before` is called ahead of every step."""
    frames, count, nodes = len(rows), len(herd), len(herd.skeleton)
    gates = getattr(herd.method, "gates", None)
    width = gates(count).shape[1] if gates else 0
    run = Run(
        herd.skeleton,
        np.empty((count, frames, nodes, 4), np.float32),
        np.empty((count, frames, nodes, 3)),
        np.empty((count, frames, 3)),
        np.zeros((count, frames, width), np.float32),
    )
    for t in range(frames):
        if before is not None:
            before(herd)
        frame = herd.step(rows[t], 1 / RATE)
        run.rotations[:, t] = frame.rotations
        run.positions[:, t] = frame.positions
        run.root[:, t] = roots_of(frame)
        if gates:
            run.gates[:, t] = gates(count)
        tick(1)
    run.root[..., 2] = np.unwrap(run.root[..., 2], axis=1)
    return run


def roots_of(frame: Any) -> Floats:
    """Roots (N, 3) of a herd's frame: x, z [m] and heading [rad]."""
    turn = frame.root.rotation
    return np.column_stack([frame.root.position[:, [0, 2]], 2 * np.arctan2(turn[:, 1], turn[:, 3])])
