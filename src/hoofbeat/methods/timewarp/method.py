"""TimewarpMethod: the gait database behind the contract of all methods."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.legs.anatomy import leg_table
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import UnknownName
from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.gaits.breeds import DEFAULT_BREED, borders_by_gait
from hoofbeat.gaits.cycle import Cycle
from hoofbeat.gaits.database import HORSE_CYCLES, both_leads, read_cycles
from hoofbeat.methods.shared.gait_choice import borders_of
from hoofbeat.methods.timewarp.bank import make_bank
from hoofbeat.methods.timewarp.cascade import CHAIN, NECK_LAG, PAPER_FRAME, TRUNK_LAG
from hoofbeat.methods.timewarp.rows import STATE
from hoofbeat.methods.timewarp.step import step_timewarp
from hoofbeat.records import Steps

TURNINGS = ("natural", "paper")
#: Turn of joints about the lateral axis at full extension [deg]: the neck lowers and stretches, the nose goes
#: forward; collected, the neck rises and arches and the croup tucks.
CARRIAGE = {"Cervical07": 4.0, "Cervical06": 3.0, "Cervical05": 3.0, "Cervical02": -3.0, "Head": -6.0}
#: Gains and brakes at most [m/s2]; turns at most [rad/s].
ACCELERATION, BRAKING, MAX_TURN = 5.0, 6.0, 1.5


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
    """A way of turning that does not exist."""

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
        self.bank = make_bank(both_leads(cycles), skeleton)
        self.gaits = self.bank.names
        self.bands: NDArray[np.float64] = np.array(self.bank.gaits["band"])
        self._limits = np.array([ACCELERATION, BRAKING])
        rows = leg_table(skeleton)
        bank = self.bank
        self._bank = (
            bank.cycles,
            bank.gaits,
            bank.height,
            bank.sway,
            bank.trunk,
            bank.legs,
            bank.home,
            bank.stand,
        )
        limbs = np.array([[leg.top, leg.mid, leg.low] for leg in skeleton.legs])
        bends = np.stack([rows["bend_mid"], rows["bend_low"]], axis=1).astype(np.float32)
        carriage = [CARRIAGE.get(skeleton.names[j], 0.0) for j in bank.joints]
        names = [skeleton.names[j] for j in bank.joints]
        chain = [name for name in CHAIN if name in names]
        self._choices = (borders_of(self.gaits, borders_by_gait(breed)), _halts(self.gaits))
        self._turning = (_lags(chain, turning), MAX_TURN, turning == "paper")
        self._table = (
            bank.joints,
            bank.scapulae,
            limbs,
            bends,
            np.radians(carriage).astype(np.float32),
            np.array([names.index(name) for name in chain], np.int64),
        )

    def init(self, state: NDArray[Any], ids: NDArray[np.int64], seed: int) -> None:
        """Stand. Nothing here is left to chance, so that ids and seed have no say."""
        del ids, seed
        state[:] = np.zeros((), STATE)
        state["progress"] = state["span"] = state["reach"] = 1.0
        state["weight"][:, 0] = state["weight_from"][:, 0] = 1.0
        state["flight_time"] = 1.0

    def step(
        self, state: NDArray[Any], command: NDArray[Any], sense: NDArray[Any], dt: float, out: Steps
    ) -> None:
        """One step for all characters; see `Method.step`."""
        step_timewarp(
            self._bank,
            self._table,
            self._choices,
            self._turning,
            self._limits,
            state,
            command,
            sense,
            dt,
            out.rotations,
            out.rows,
        )


def _lags(chain: list[str], turning: str) -> NDArray[np.float64]:
    """How late (K,) each joint of the chain turns after the one before it [s]."""
    if turning == "paper":
        return np.full(len(chain), PAPER_FRAME)
    return np.array([NECK_LAG if name.startswith(("Head", "Cervical")) else TRUNK_LAG for name in chain])


def _halts(gaits: tuple[str, ...]) -> NDArray[np.int64]:
    """The gait (G,) by which each comes to a halt: walk, amble and trot as they are, others by a trot."""
    trot = gaits.index("trot") if "trot" in gaits else -1
    own = ("stand", "walk", "amble", "trot")
    return np.array([n if name in own or trot < 0 else trot for n, name in enumerate(gaits)])
