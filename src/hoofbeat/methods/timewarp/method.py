"""TimewarpMethod: the gait database behind the contract of all methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import UnknownName
from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.gaits.breeds import DEFAULT_BREED
from hoofbeat.gaits.cycle import Cycle
from hoofbeat.gaits.database import HORSE_CYCLES, both_leads, read_cycles
from hoofbeat.maths.jit import bind
from hoofbeat.methods.timewarp.state import STATE, init_timewarp, scratch_row
from hoofbeat.methods.timewarp.step import step_timewarp
from hoofbeat.methods.timewarp.tables import MAX_TURN, gaits_of, make_tables
from hoofbeat.records import Steps

TURNINGS = ("natural", "paper")


def make(
    database: str | PathLike[str] | None, *, turning: str = "natural", breed: str = DEFAULT_BREED
) -> TimewarpMethod:
    """The method for a gait database of the thesis's horse, None = the shipped one.

    turning: "natural", as fast as half of g sideways allows, or "paper", at the paper's rates; breed:
    "three-gaited" walks, trots, canters and gallops by speed, "all" ambles and racks as well, which others
    do only when asked by name.
    """
    if turning not in TURNINGS:
        raise UnknownTurning(turning, TURNINGS)
    cycles = read_cycles(HORSE_CYCLES if database is None else database)
    return TimewarpMethod(read_scene(THESIS_HORSE).skeleton, cycles, turning, breed)


class UnknownTurning(UnknownName):
    """A kind of turning that does not exist."""

    kind = "turning"


class TimewarpMethod:
    """Authored strides at any speed, each leg in its own time (H1 to H3, H5)."""

    name = "timewarp"
    state_dtype = STATE
    actions: tuple[str, ...] = ("idle",)
    max_turn = MAX_TURN
    extends = True

    def __init__(
        self,
        skeleton: Skeleton,
        cycles: Sequence[Cycle],
        turning: str = "natural",
        breed: str = DEFAULT_BREED,
    ) -> None:
        self.skeleton = skeleton
        cycles = both_leads(cycles)
        self.gaits = gaits_of(cycles)
        self.tables = make_tables(cycles, skeleton, turning == "paper", breed)
        self._scratch = scratch_row(len(cycles[0].joints))
        self.bands: NDArray[np.float64] = np.array(self.tables.motion.gaits["band"])

    def init(self, state: NDArray[Any], ids: NDArray[np.int64], seed: int) -> None:
        """Stand. Nothing here is left to chance, so that ids and seed have no say."""
        state[:] = np.zeros((), STATE)
        self.bind_init(state, ids, seed)()

    def bind_init(self, state: NDArray[Any], ids: NDArray[np.int64], seed: int) -> Callable[[], Any]:
        """See `Bindable.bind_init`."""
        return bind(init_timewarp, state, ids, seed)

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
        scratch = np.empty(1, self._scratch)
        memory = (state, command, sense)
        return bind(step_timewarp, self.tables, scratch, *memory, 0.0, out.rotations, out.rows, vary=5)
