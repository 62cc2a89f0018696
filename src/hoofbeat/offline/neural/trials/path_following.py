"""Path following: networks led along paths with tau = 0.5, and how far off they are (Table 4, Figure 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.horse import Herd
from hoofbeat.methods.neural.control import SAMPLE_TIME
from hoofbeat.methods.neural.method import NeuralMethod
from hoofbeat.methods.neural.network.layout import FUTURE, RATE
from hoofbeat.offline.neural.trials.paths import Path, deviation_of
from hoofbeat.offline.neural.trials.runs import Tick, herd_of, orders, repeated, ridden, roots_of, silent

#: Share of the path in the trajectory that the network gets, as in the paper.
TAU = 0.5
#: How long an animal may come into its stride before it is measured [s].
SETTLE = 4.0
#: Every how many frames of the first character on a path are kept to be drawn.
DRAWN = 6

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PathFacts:
    """A path gone at one speed [m/s]: mean distance [cm] and angle [degrees], mean speed reached [m/s], laps
    of the path; drawn (M, 2): places of one animal [m], to the centimetre."""

    path: str
    speed: float
    distance: float
    angle: float
    reached: float
    laps: float
    drawn: list[list[float]]


def followed(
    network: str | PathLike[str],
    paths: Sequence[Path],
    speeds: Sequence[float],
    starts: int,
    seconds: float,
    tick: Tick = silent,
) -> list[PathFacts]:
    """Every path at every speed, from `starts` places along it, for so long after settling."""
    jobs = [
        (path, speed, k / starts * path.length) for path in paths for speed in speeds for k in range(starts)
    ]
    place, direction = (
        np.array([path.at(distance)[part] for path, _, distance in jobs]) for part in range(2)
    )
    headings = np.arctan2(direction[:, 0], direction[:, 1])
    herd = herd_of(network, len(jobs), tau=TAU, positions=place, headings=headings)
    leader = _Leader(
        [path for path, _, _ in jobs], [speed for _, speed, _ in jobs], [distance for *_, distance in jobs]
    )
    rows = repeated(
        orders(len(jobs), speed=[speed for _, speed, _ in jobs]), round((SETTLE + seconds) * RATE)
    )
    settled = round(SETTLE * RATE)
    leader.log = []
    run = ridden(herd, rows, leader, tick).after(settled)
    method_of(herd).steer(None)
    reached = run.speeds()
    out: list[PathFacts] = []
    for first in range(0, len(jobs), starts):
        path, speed, _ = jobs[first]
        part = range(first, first + starts)
        found = [deviation_of(path, run.root[k], leader.log[settled][k]) for k in part]
        out.append(
            PathFacts(
                path.name,
                speed,
                float(np.mean([one.distance for one in found])),
                float(np.mean([one.angle for one in found])),
                float(reached[list(part)].mean()),
                float(np.mean([one.laps for one in found])),
                np.round(run.root[first, ::DRAWN, :2], 2).tolist(),
            )
        )
    return out


class _Leader:
    """Gives every animal the trajectory along its own path, from the point on it that is nearest."""

    def __init__(self, paths: list[Path], speeds: list[float], distances: list[float]) -> None:
        self.paths, self.speeds, self.distances = paths, speeds, list(distances)
        self.log: list[list[float]] = []

    def __call__(self, herd: Herd) -> None:
        roots = roots_of(herd.frame())
        given = np.empty((len(roots), FUTURE, 7))
        for k, (path, speed) in enumerate(zip(self.paths, self.speeds, strict=True)):
            self.distances[k], _ = path.nearest(roots[k, :2], self.distances[k])
            given[k] = trajectory_ahead(path, speed, self.distances[k], roots[k])
        self.log.append(list(self.distances))
        method_of(herd).steer(given)


def trajectory_ahead(path: Path, speed: float, distance: float, root: Floats) -> Floats:
    """The argument of `NeuralMethod.steer` for one animal (FUTURE, 7), for a root x, z, heading."""
    place, direction = path.at(distance + speed * SAMPLE_TIME * np.arange(FUTURE))
    sine, cosine = np.sin(root[2]), np.cos(root[2])
    inward = np.array([[cosine, sine], [-sine, cosine]])  # rows: x, z of the world, in root space
    ahead = direction @ inward
    return np.column_stack([(place - root[:2]) @ inward, ahead, speed * ahead, np.full(FUTURE, speed)])


def method_of(herd: Herd) -> NeuralMethod:
    """The method of a herd of networks, to be steered."""
    method: Any = herd.method
    return method
