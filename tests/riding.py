"""Riding for tests: run commands, keep what the frames say, measure it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat import Command, Horse
from hoofbeat.maths import quat
from hoofbeat.methods.catalog import OWN, installed_methods

DT = 1 / 60
#: Every method of the package; those that can be ridden here; those that ride by speed without a network.
METHODS = tuple(info.name for info in OWN)
RIDDEN = tuple(name for name in METHODS if name in installed_methods())
KERNEL_METHODS = tuple(info.name for info in OWN if not info.package)


@dataclass(frozen=True)
class Ride:
    """Stacked frames: positions (T, J, 3), rotations (T, J, 4), contacts (T, 4) and so on."""

    positions: NDArray[np.float64]
    rotations: NDArray[np.float64]
    contacts: NDArray[np.float64]
    roots: NDArray[np.float64]
    yaws: NDArray[np.float64]
    airborne: NDArray[np.bool_]
    gaits: list[str]
    shortfall: NDArray[np.float64]
    toes: NDArray[np.float64]
    dt: float

    @property
    def speed(self) -> float:
        """Distance along the path over time [m/s]."""
        way = np.linalg.norm(np.diff(self.roots, axis=0), axis=1).sum()
        return float(way / ((len(self.roots) - 1) * self.dt))

    def joint_steps(self) -> NDArray[np.float64]:
        """Turn of each joint from frame to frame (T - 1, J) [rad]."""
        return quat.angle(self.rotations[1:], self.rotations[:-1])

    def slides(self) -> NDArray[np.float64]:
        """Farthest way [m] from where it was planted, for every stance of every foot."""
        found = [0.0]
        for leg in range(4):
            down = self.contacts[:, leg] > 0.5
            edges = np.flatnonzero(np.diff(np.concatenate([[False], down, [False]]).astype(int)))
            for first, after in zip(edges[::2], edges[1::2], strict=True):
                path = self.toes[first:after, leg][:, [0, 2]]
                found.append(float(np.linalg.norm(path - path[0], axis=1).max()))
        return np.array(found)


def ride(horse: Horse, commands: Sequence[tuple[Command, float]], dt: float = DT) -> Ride:
    """Ride (command, seconds) pairs one after the other."""
    rows: dict[str, list[Any]] = {}
    for command, seconds in commands:
        for _ in range(round(seconds / dt)):
            frame = horse.step(command, dt)
            turn = frame.root.rotation
            for key, value in (
                ("positions", frame.positions),
                ("rotations", frame.rotations.astype(np.float64)),
                ("contacts", frame.contacts),
                ("roots", frame.root.position),
                ("yaws", 2 * np.arctan2(turn[1], turn[3])),
                ("airborne", frame.airborne),
                ("gaits", frame.gait),
                ("shortfall", frame.shortfall),
            ):
                rows.setdefault(key, []).append(value)
    gaits = rows.pop("gaits")
    arrays = {key: np.array(value) for key, value in rows.items()}
    toes = arrays["positions"][:, [leg.toe for leg in horse.skeleton.legs]]
    return Ride(**arrays, gaits=gaits, toes=toes, dt=dt)


def settled(speed: float, turn: float = 0.0, seconds: float | None = None, **options: Any) -> Horse:
    """A horse that has reached a speed: 3 s of settling after the time its acceleration needs."""
    horse = Horse(**options)
    for _ in range(round((3.0 + speed / 3.0 if seconds is None else seconds) / DT)):
        horse.step(Command(speed=speed, turn=turn), DT)
    return horse
