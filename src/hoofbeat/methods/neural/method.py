"""NeuralMethod: a trained network behind the contract of all methods (N1 to N10)."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hoofbeat.errors import HoofbeatError
from hoofbeat.gaits.breeds import DEFAULT_BREED
from hoofbeat.methods.method import stand_still
from hoofbeat.methods.neural.choose import rules_of, vocabulary_of
from hoofbeat.methods.neural.network.description import Description
from hoofbeat.methods.neural.network.layout import FUTURE
from hoofbeat.methods.neural.network.model import Model, read_model
from hoofbeat.methods.neural.standing import settled_stand, stand_all
from hoofbeat.methods.neural.state import SPEED, memory_of, state_dtype
from hoofbeat.methods.neural.step import Stepper, no_trajectories
from hoofbeat.methods.neural.tables import make_tables
from hoofbeat.records import Steps

#: Fastest turn of any animal [rad/s].
MAX_TURN = 3.0
#: How long a network stands before it is first shown [s].
SETTLE = 2.0


class OptionError(HoofbeatError):
    """An option of the method with a value that it cannot have."""


def make(
    network: str | PathLike[str] | None,
    *,
    tau: float | None = None,
    experts_off: Sequence[int] = (),
    breed: str = DEFAULT_BREED,
) -> NeuralMethod:
    """The method for a network file, None = the shipped horse.

    tau: how much of the trajectory that the network is shown is the wanted one, the rest is what it foresees
    itself; None = from 0 near the animal to most of it far ahead. experts_off: numbers of experts that are
    left out. breed, of a horse: "three-gaited" walks, trots, canters and gallops by speed, "all" ambles and
    racks as well, which others do only when asked by name.
    """
    if tau is not None and not 0 <= tau <= 1:
        raise OptionError(
            f"tau must be from 0 to 1, or None to let it grow along the trajectory, given {tau!r:.40}"
        )
    return NeuralMethod(read_model(network), tau, experts_off, breed)


class NeuralMethod:
    """A network that makes 60 frames a second of its own time, whatever the steps of the world are."""

    name = "neural"
    extends = False

    def __init__(
        self,
        model: Model,
        tau: float | None = None,
        experts_off: Sequence[int] = (),
        breed: str = DEFAULT_BREED,
    ) -> None:
        description = model.description
        vocabulary = vocabulary_of(description, breed)
        self.model = model
        self.skeleton = description.rig.skeleton
        self.state_dtype = state_dtype(len(self.skeleton), len(description.rig.modelled))
        self.max_turn = min(description.turn, MAX_TURN)
        self.gaits, self.actions, self.bands = vocabulary.gaits, vocabulary.actions, vocabulary.bands
        self._keep = _experts_kept(description, experts_off)
        self._tau = -1.0 if tau is None else float(tau)
        self._given = no_trajectories()
        self._steppers: dict[int, Stepper] = {}
        rules = rules_of(description, vocabulary, self.max_turn)
        self.tables = make_tables(description, rules, vocabulary.bend_margin)
        # The network's own standing pose.
        state, _ = stand_still(self, SETTLE)
        self.tables = self.tables._replace(stand=settled_stand(self.tables.stand, state[0]))
        self._steppers.clear()

    def steer(self, trajectories: ArrayLike | None) -> None:
        """Give the wanted trajectories (N, 6, 7) of the next steps, not those of the command; None = ask that
        again.

        In root space at 0, 10, ... 50 frames ahead: position, direction and velocity (x, z each) and speed
        [m/s]. This is for tests and measurements: it is no part of a snapshot."""
        given = [] if trajectories is None else trajectories
        self._given = np.array(given, np.float32).reshape(-1, FUTURE, SPEED + 1)

    def gates(self, count: int) -> NDArray[np.float32]:
        """How much each expert counted in the last frame (N, K); a view."""
        return self.stepper(count).runner.gate

    def init(self, state: NDArray[Any], ids: NDArray[np.int64], seed: int) -> None:
        """Stand. Nothing here is left to chance, so that ids and seed have no say."""
        del ids, seed
        state[:] = np.zeros((), self.state_dtype)
        stand_all(self.tables.stand, memory_of(state))

    def step(
        self, state: NDArray[Any], command: NDArray[Any], sense: NDArray[Any], dt: float, out: Steps
    ) -> None:
        """One step for all characters; see `Method.step`."""
        self.stepper(len(state)).step(state, command, sense, self._given, dt, out)

    def stepper(self, count: int) -> Stepper:
        """What steps herds of this many characters."""
        found = self._steppers.get(count)
        if found is None:
            model = self.model
            phased = model.description.kind == "pfnn"
            found = Stepper(self.tables, model.runner(count, self._keep), count, self._tau, phased)
            self._steppers[count] = found
        return found


def _experts_kept(description: Description, off: Sequence[int]) -> NDArray[np.float32] | None:
    """What each expert counts (K,), or None where all do."""
    for one in off:
        if not (isinstance(one, int) and 0 <= one < description.experts):
            raise OptionError(f"experts_off: experts are 0 to {description.experts - 1}, given {one!r:.40}")
    if not off:
        return None
    keep = np.ones(description.experts, np.float32)
    keep[list(off)] = 0
    return keep
