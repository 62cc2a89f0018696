"""The places that the drawing in docs/architecture.md leaves for layers and obstacles fit, with any method.

A toy layer and a toy obstacle stand where real ones will; no method is touched for them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hoofbeat import Command, Herd, Horse
from hoofbeat.maths import quat
from hoofbeat.methods.catalog import DEFAULT, method_info
from hoofbeat.methods.layer import Layer, Obstacles
from riding import KERNEL_METHODS


class Nod:
    """A layer: the neck nods, in a rhythm of its own."""

    state_dtype = np.dtype([("clock", "f8")])

    def __init__(self, joint: int, angle: float = 0.2) -> None:
        self._joint, self._angle = joint, angle

    def init(self, state: Any, ids: Any, seed: int) -> None:
        """Characters nod one after the other."""
        del seed
        state["clock"] = 0.1 * ids

    def apply(self, state: Any, command: Any, sense: Any, dt: float, out: Any) -> None:
        """Turn the joint about the lateral axis, on top of what the method has."""
        del command, sense
        state["clock"] = (state["clock"] + dt) % 1.0
        turn = np.zeros((len(state), 4))
        half = 0.5 * self._angle * np.sin(2 * np.pi * state["clock"])
        turn[:, 0], turn[:, 3] = np.sin(half), np.cos(half)
        out.rotations[:, self._joint] = quat.mul(out.rotations[:, self._joint].astype(np.float64), turn)


class Fence:
    """An obstacle: a fence across the way at a world z [m]."""

    def __init__(self, z: float) -> None:
        self._z = z

    def sense(self, world: Any, out: Any) -> None:
        """The fence where it is ahead, else nothing."""
        ahead = self._z - world["position"][:, 2]
        first = out["obstacle"][:, 0]
        first["kind"], first["distance"] = ahead > 0, np.maximum(ahead, 0)
        first["height"], first["spread"], first["width"] = 0.8, 0.2, 4.0
        out["obstacle"][:, 0] = first


class Careful:
    """A method that reads SENSE: the default one, which halts before an obstacle that it cannot leap."""

    def __init__(self, stop: float = 4.0) -> None:
        self._own, self._stop = method_info(DEFAULT).make(), stop
        self.seen: list[float] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_own"], name)

    def step(self, state: Any, command: Any, sense: Any, dt: float, out: Any) -> None:
        """The default method's step, under a command that minds the obstacle."""
        command, first = command.copy(), sense["obstacle"][:, 0]
        self.seen.append(float(first["distance"][0]))
        command["speed"][(first["kind"] > 0) & (first["distance"] < self._stop)] = 0
        self._own.step(state, command, sense, dt, out)


def neck_of(herd: Herd | Horse) -> int:
    """A joint of the neck that not every method turns: there what a layer adds could add up."""
    return herd.skeleton.index("Cervical01")


@pytest.mark.parametrize("method", KERNEL_METHODS)
def test_a_layer_changes_the_neck_and_leaves_the_feet(method: str) -> None:
    neck = neck_of(Horse(method))
    layer: Layer = Nod(neck)
    plain, nodding = Horse(method), Horse(method, layers=[layer])
    differ = []
    for n in range(240):
        command = Command(speed=min(3.0, n / 40))
        a, b = plain.step(command), nodding.step(command)
        differ.append(float(quat.angle(a.rotations[neck], b.rotations[neck])))
        others = np.delete(np.arange(len(a.rotations)), neck)
        assert np.abs(a.rotations[others] - b.rotations[others]).max() < 1e-5
        assert np.array_equal(a.contacts, b.contacts)
        assert np.array_equal(a.root.position, b.root.position)
    # It swings between nothing and its whole angle and does not add up from frame to frame.
    assert 0.19 < max(differ) < 0.201 and min(differ) < 0.02


def test_layers_are_in_snapshots_and_in_the_order_given() -> None:
    neck = neck_of(Horse())
    herd = Herd(3, layers=[Nod(neck), Nod(neck, -0.1)])
    command = Command(speed=1.5)
    for _ in range(30):
        herd.step(command)
    kept = herd.snapshot()
    first = [herd.step(command).rotations.copy() for _ in range(20)]
    herd.restore(kept)
    assert all(np.array_equal(a, herd.step(command).rotations) for a in first)
    assert not np.array_equal(first[-1][0, neck], first[-1][1, neck])  # each has its own clock


def test_an_obstacle_reaches_a_method_through_sense() -> None:
    fence: Obstacles = Fence(12.0)
    method = Careful()
    horse = Horse(method, obstacles=fence)  # type: ignore[arg-type]
    frame = horse.frame()
    for _ in range(900):
        frame = horse.step(Command(speed=3.0))
    assert 8.0 < frame.root.position[2] < 12.0 and frame.gait == "stand"
    assert method.seen[0] == 0.0 and max(method.seen) == pytest.approx(12.0, abs=0.05)  # one step old
    assert np.all(np.diff(method.seen[2:]) < 1e-6)
    free = Horse(Careful())  # type: ignore[arg-type]
    frame = free.frame()
    for _ in range(900):
        frame = free.step(Command(speed=3.0))
    assert frame.root.position[2] > 30.0
