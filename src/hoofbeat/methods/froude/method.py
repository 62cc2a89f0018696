"""FroudeMethod: dynamic similarity behind the contract of all methods (M4, M7, M8, M11)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.legs.find import find_legs
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import HoofbeatError
from hoofbeat.formats.adjusterfile import read_adjuster
from hoofbeat.formats.bvh.reader import read_bvh
from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.maths.jit import bind
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.methods.froude.model.cycles import FROUDE_ROWS
from hoofbeat.methods.froude.model.inputs import HORSE_INPUTS, Inputs, read_inputs
from hoofbeat.methods.froude.model.similarity import UnknownPreset
from hoofbeat.methods.froude.state import STATE, init_froude, new_scratch
from hoofbeat.methods.froude.step import step_froude
from hoofbeat.methods.froude.tables import GAITS, MAX_TURN, MOST_CYCLES, make_tables
from hoofbeat.records import Steps

#: It walks no slower than this, for a hip of 1 m [m/s].
SLOWEST_WALK = 0.3


def make(
    inputs: str | PathLike[str] | None,
    *,
    preset: str = "natural",
    cycles: int = 1,
    skeleton: str | PathLike[str] | None = None,
    adjuster: str | PathLike[str] | None = None,
) -> FroudeMethod:
    """The method for a file of inputs, None = the shipped one.

    preset: gait borders and phases, "natural" or "paper" or one of the file's own; cycles: 1 to 3 that
    each leg needs for a transition; skeleton: a BVH file of another animal that stands at rest, facing +Z,
    Y up; adjuster: a file of `hoofbeat evolve` that replaces the one of its gait.
    """
    found = read_inputs(HORSE_INPUTS if inputs is None else inputs)
    if adjuster is not None:
        evolved = read_adjuster(adjuster)
        found = replace(found, adjusters={**found.adjusters, evolved.gait: evolved})
    animal = None if skeleton is None else read_bvh(skeleton).skeleton
    if animal is not None and not animal.legs:
        animal = animal.with_legs(find_legs(animal))
    return FroudeMethod(found, preset, cycles, animal)


class FroudeMethod:
    """Base cycles and adjusters at the Froude number; gaits change in one cycle of 100 + n stages a leg."""

    name = "froude"
    state_dtype = STATE
    gaits = GAITS
    actions: tuple[str, ...] = ("idle",)
    max_turn = MAX_TURN
    extends = False

    def __init__(
        self,
        inputs: Inputs,
        preset: str = "natural",
        cycles: int = 1,
        skeleton: Skeleton | None = None,
        rows: int = FROUDE_ROWS,
    ) -> None:
        if preset not in inputs.presets:
            raise UnknownPreset(preset, inputs.presets)
        if not (isinstance(cycles, int) and 1 <= cycles <= MOST_CYCLES):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise HoofbeatError(f"cycles: a transition has 1 to {MOST_CYCLES} of them, given {cycles!r:.60}")
        model = read_scene(THESIS_HORSE).skeleton
        self.skeleton = skeleton or model
        self.tables = make_tables(inputs, inputs.presets[preset], cycles, self.skeleton, model, rows)
        hip = self.tables.hip
        self.bands: NDArray[np.float64] = np.sqrt(self.tables.gaits["froude"] * GRAVITY * hip)
        self.bands[0] = 0.0
        self.bands[1, 0] = SLOWEST_WALK * np.sqrt(hip)

    def init(self, state: NDArray[Any], ids: NDArray[np.int64], seed: int) -> None:
        """Stand. Nothing here is left to chance, so that ids and seed have no say."""
        state[:] = np.zeros((), STATE)
        self.bind_init(state, ids, seed)()

    def bind_init(self, state: NDArray[Any], ids: NDArray[np.int64], seed: int) -> Callable[[], Any]:
        """See `Bindable.bind_init`."""
        return bind(init_froude, state, ids, seed)

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
        scratch = new_scratch(len(self.tables.trunk_joints))
        memory = (state, command, sense)
        return bind(step_froude, self.tables, scratch, *memory, 0.0, out.rotations, out.rows, vary=5)
