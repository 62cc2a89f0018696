"""ActionsMethod: the thesis's horse behind the contract of all methods."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.formats.scenefile import THESIS_HORSE, Scene, read_scene
from hoofbeat.maths.jit import bind
from hoofbeat.methods.actions.build import make_tables
from hoofbeat.methods.actions.state import STATE, init_actions, new_scratch
from hoofbeat.methods.actions.step import step_actions
from hoofbeat.records import Steps

#: Fastest turn on the spot and at a walk [rad/s].
MAX_TURN = 1.5


def make(scene: str | PathLike[str] | None) -> ActionsMethod:
    """The method for a scene file, None = the thesis's horse."""
    return ActionsMethod(read_scene(THESIS_HORSE if scene is None else scene))


class ActionsMethod:
    """Poses from periodic expressions (R1 to R7), for any scene: skeleton, Actions, order of gaits."""

    name = "actions"
    state_dtype = STATE
    actions: tuple[str, ...] = ("idle",)
    max_turn = MAX_TURN
    extends = False

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.skeleton = scene.skeleton
        self.gaits = ("stand", *(gait.name for gait in scene.gaits))
        self.tables = make_tables(scene, MAX_TURN)
        self.bands: NDArray[np.float64] = np.array(self.tables.plans.actions["speed"])
        # The fastest gait may be asked for all that its widened stride gives.
        fastest = self.tables.plans.actions[-1]
        top = fastest["scale_max"] * fastest["stride"] / fastest["duration"][1]
        self.bands[-1, 1] = max(self.bands[-1, 1], top)

    def init(self, state: NDArray[Any], ids: NDArray[np.int64], seed: int) -> None:
        """Stand, each character with its own stream of noise."""
        state[:] = np.zeros((), STATE)
        self.bind_init(state, ids, seed)()

    def bind_init(self, state: NDArray[Any], ids: NDArray[np.int64], seed: int) -> Callable[[], Any]:
        """See `Bindable.bind_init`."""
        return bind(init_actions, state, ids, seed)

    def step(
        self, state: NDArray[Any], command: NDArray[Any], sense: NDArray[Any], dt: float, out: Steps
    ) -> None:
        """One step for all characters; see `Method.step`."""
        self.bind(state, command, sense, out)(dt)

    def bind(
        self, state: NDArray[Any], command: NDArray[Any], sense: NDArray[Any], out: Steps
    ) -> Callable[[float], Any]:
        """See `Bindable.bind`."""
        # Of this herd alone: herds in several threads may share a method.
        scratch = new_scratch(len(self.skeleton))
        memory = (state, command, sense)
        return bind(step_actions, self.tables, scratch, *memory, 0.0, out.rotations, out.rows, vary=5)
