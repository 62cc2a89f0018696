"""Layout: what every column of a network's input and output is, by name (N2).

    time ->  -60 ... -10   0   10 ... 50   frames of 1/60 s: twelve samples of the trajectory
                           |-> one frame: the network's step

No column is addressed by number: blocks have names, `Blocks.view` gives them their shape.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.labelled import Rig

#: Frames a second that the networks are trained at and run at.
RATE = 60
#: Frames at which the root's trajectory is sampled, and the index of the present among them.
SAMPLES = tuple(range(-60, 60, 10))
NOW = SAMPLES.index(0)
FUTURE = len(SAMPLES) - NOW

PLANE, SPACE, ROOT = ("x", "z"), ("x", "y", "z"), ("x", "z", "turn")
#: Names of the blocks that inputs and outputs share, and of those in one only; "way" is the root's
#: trajectory.
POSITION, DIRECTION, VELOCITY = "way position", "way direction", "way velocity"
SPEED, ACTION, STEP = "way speed", "way action", "root velocity"
JOINT, AHEAD, UP, JOINT_VELOCITY = "joint position", "joint ahead", "joint up", "joint velocity"

#: The blocks of a pose, which stand together in inputs and outputs.
POSE = (JOINT, AHEAD, UP, JOINT_VELOCITY)


class Blocks:
    """Named blocks of columns, one after another, each with a shape whose axes are named."""

    def __init__(self, axes: Mapping[str, tuple[tuple[str, ...], ...]]) -> None:
        self.axes = dict(axes)
        self.shapes = {name: tuple(len(axis) for axis in each) for name, each in axes.items()}
        self.starts: dict[str, int] = {}
        self.size = 0
        for name, shape in self.shapes.items():
            self.starts[name] = self.size
            self.size += int(np.prod(shape))

    def part(self, name: str) -> slice:
        """The columns of a block."""
        start = self.starts[name]
        return slice(start, start + int(np.prod(self.shapes[name])))

    def view(self, rows: NDArray[Any], name: str) -> NDArray[Any]:
        """A block (..., *shape) of rows (..., size); a view where NumPy can make one."""
        return rows[..., self.part(name)].reshape(*rows.shape[:-1], *self.shapes[name])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of every column, as 'joint velocity LeftHandSite x'."""
        return tuple(" ".join((name, *each)) for name, axes in self.axes.items() for each in product(*axes))


@dataclass(frozen=True)
class Layout:
    """Inputs, outputs, and the inputs of the gating network. joints: modelled nodes; feet: the toes among
    them."""

    joints: tuple[str, ...]
    actions: tuple[str, ...]
    feet: tuple[int, ...]

    @staticmethod
    def of(rig: Rig) -> Layout:
        """The layout for the clips of a rig."""
        return Layout(rig.joints, rig.actions, rig.feet)

    @cached_property
    def inputs(self) -> Blocks:
        """12 samples of the trajectory, the actions there, and the pose of the frame before the step."""
        times = tuple(f"{frame:+d}" for frame in SAMPLES)
        trajectory = {name: (times, PLANE) for name in (POSITION, DIRECTION, VELOCITY)}
        return Blocks({**trajectory, SPEED: (times,), ACTION: (times, self.actions), **self._pose})

    @cached_property
    def outputs(self) -> Blocks:
        """The trajectory from the next frame on, its pose, and the root's velocity up to it."""
        times = tuple(f"{frame:+d}" for frame in SAMPLES[NOW:])
        trajectory = {name: (times, PLANE) for name in (POSITION, DIRECTION, VELOCITY)}
        return Blocks({**trajectory, **self._pose, STEP: (ROOT,)})

    @property
    def _pose(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        return {name: (self.joints, SPACE) for name in POSE}

    @cached_property
    def gating(self) -> NDArray[np.int64]:
        """Columns of the inputs for the gating network: velocities of the feet, present action and speed."""
        inputs, columns = self.inputs, np.arange(self.inputs.size)
        feet = inputs.view(columns, JOINT_VELOCITY)[list(self.feet)].ravel()
        return np.concatenate([feet, inputs.view(columns, ACTION)[NOW], inputs.view(columns, SPEED)[[NOW]]])
