"""NeuralMethod: a trained network behind the contract of all methods (N1 to N10)."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hoofbeat.body.contacts import leg_length
from hoofbeat.body.legs.anatomy import leg_table
from hoofbeat.errors import HoofbeatError
from hoofbeat.maths.jit import kernel
from hoofbeat.methods.neural import decode, gather
from hoofbeat.methods.neural.bones import bends_held, fastest_of, links_of
from hoofbeat.methods.neural.control import control
from hoofbeat.methods.neural.network.card import Card
from hoofbeat.methods.neural.network.layout import (
    AHEAD,
    FUTURE,
    JOINT,
    JOINT_VELOCITY,
    NOW,
    RATE,
    UP,
    VELOCITY,
)
from hoofbeat.methods.neural.network.model import Model, Runner, read_model
from hoofbeat.methods.neural.rows import PLAN, SPEED, state_dtype
from hoofbeat.methods.neural.show import show
from hoofbeat.methods.neural.standing import settled, stand_all, stand_of
from hoofbeat.methods.neural.words import words_of
from hoofbeat.records import COMMAND, SENSE, Steps

#: How much faster than anything seen a root may turn and go: beyond, the network has lost its way.
ROOM = 1.25
#: Fastest turn of any animal [rad/s].
MAX_TURN = 3.0
#: The most of a stride that a PFNN's phase goes in a frame.
MOST_PHASE = 0.1
#: How long a network stands before it is first seen [s].
SETTLE = 2.0
#: Clocks this near a whole frame are there [frames].
NEAR = 1e-6


class OptionError(HoofbeatError):
    """An option of the method with a value that it cannot have."""


def make(
    network: str | PathLike[str] | None,
    *,
    tau: float | None = None,
    experts_off: Sequence[int] = (),
) -> NeuralMethod:
    """The method for a network file, None = the shipped horse.

    tau: how much of the way that the network is shown is the wanted one, the rest is what it foresees itself;
    None = from 0 near the animal to most of it far ahead. experts_off: numbers of experts that are left out.
    """
    if tau is not None and not 0 <= tau <= 1:
        raise OptionError(f"tau must be from 0 to 1, or None to let it grow along the way, given {tau!r:.40}")
    return NeuralMethod(read_model(network), tau, experts_off)


class NeuralMethod:
    """A network that makes 60 frames a second of its own time, whatever the steps of the world are."""

    name = "neural"
    extends = False

    def __init__(self, model: Model, tau: float | None = None, experts_off: Sequence[int] = ()) -> None:
        card = model.card
        self.model = model
        self.skeleton = card.rig.skeleton
        self.state_dtype = state_dtype(len(self.skeleton), len(card.rig.carried))
        self.max_turn = min(card.turn, MAX_TURN)
        self._keep = _keep(card, experts_off)
        self._tau = -1.0 if tau is None else float(tau)
        self._columns = (gather.columns_of(card), decode.columns_of(card))
        self._ranges = gather.ranges_of(card)
        self._stand = stand_of(card)
        self._body = _body(card, self._stand[3])
        words = words_of(card)
        self._limits = _limits(card, self._ranges, words.bent)
        self.gaits, self.actions, self.bands = words.gaits, words.actions, words.bands
        self._rules = words.rules(self.max_turn)
        self._given = np.zeros((0, FUTURE, SPEED + 1), np.float32)
        self._rooms: dict[int, _Room] = {}
        self._stand = settled(self._stand, self._stood())

    def _stood(self) -> Any:
        """Memory of a character that has stood for a while: the network's own way of standing."""
        state, steps = np.zeros(1, self.state_dtype), Steps.empty(1, len(self.skeleton))
        command = np.zeros(1, COMMAND)
        command["gait"] = command["action"] = -1
        self.init(state, np.zeros(1, np.int64), 0)
        self.step(state, command, np.zeros(1, SENSE), SETTLE, steps)
        return state[0]

    def steer(self, ways: ArrayLike | None) -> None:
        """Give the wanted ways (N, 6, 7) of the next steps, not those of the command; None = ask that again.

        As seen from each root at 0, 10, ... 50 frames ahead: place, direction and velocity (x, z each)
        and speed [m/s]. This is for tests and measurements: it is no part of a snapshot."""
        self._given = np.array([] if ways is None else ways, np.float32).reshape(-1, FUTURE, SPEED + 1)

    def gates(self, count: int) -> NDArray[np.float32]:
        """How much each expert counted in the last frame (N, K); a view."""
        return self._room(count).runner.gate

    def init(self, state: NDArray[Any], ids: NDArray[np.int64], seed: int) -> None:
        """Stand. Nothing here is left to chance, so that ids and seed have no say."""
        del ids, seed
        state[:] = np.zeros((), self.state_dtype)
        stand_all(self._stand, *_parts(state))

    def step(
        self, state: NDArray[Any], command: NDArray[Any], sense: NDArray[Any], dt: float, out: Steps
    ) -> None:
        """One step for all characters; see `Method.step`."""
        parts, room = _parts(state), self._room(len(state))
        core = parts[0]
        # Characters of one herd share their clock; rows of others may be up to a frame apart.
        wait = run_clocks(core, dt, sense, room.offsets)
        while wait > 0:
            control(self._rules, self._given, self._tau, command, room.offsets, core, room.plan)
            gather.gather(self._columns[0], self._ranges, core, parts[1], room.plan, room.runner.x)
            self._run(core, room.runner)
            decode.decode(self._columns[1], self._body, self._limits, self._stand, room.runner.y, parts)
            wait -= 1
        show(self._body, parts, dt, out.rotations, out.rows)

    def _run(self, core: Any, runner: Runner) -> None:
        """The network, with the phases that a PFNN goes by."""
        phased = self.model.card.kind == "pfnn"
        if phased:
            runner.phase[:] = core["phase"]
        runner.run()
        if phased:
            # Never back, and no number no step: the last column is its own.
            step = np.clip(np.nan_to_num(runner.y[:, -1]), 0.0, MOST_PHASE)
            core["phase"] = (core["phase"] + step) % np.float32(1.0)

    def _room(self, count: int) -> _Room:
        room = self._rooms.get(count)
        if room is None:
            room = self._rooms[count] = _Room(self.model.runner(count, self._keep), count)
        return room


class _Room:
    """Arrays for N characters that are no memory: they are filled anew in every frame."""

    def __init__(self, runner: Runner, count: int) -> None:
        self.runner = runner
        self.plan = np.zeros((count, FUTURE, PLAN), np.float32)
        self.offsets = np.zeros(count)


def _parts(state: NDArray[Any]) -> tuple[Any, Any, Any, Any]:
    return state["core"], state["pose"], state["turns"], state["origin"]


@kernel
def run_clocks(core: Any, dt: Any, sense: Any, offsets: Any) -> Any:
    """Advance clocks by dt [s]; returns how many frames are to be made. offsets (N,): see `control`."""
    wait = 0
    for i in range(core.shape[0]):
        c = core[i]
        offsets[i] = sense[i]["yaw"] - c["shown"][2]
        clock = c["clock"] + dt * RATE
        whole = np.round(clock)
        c["clock"] = whole if abs(clock - whole) < NEAR else clock
        wait = max(wait, int(np.ceil(c["clock"])) - c["ticks"])
    return wait


def _keep(card: Card, off: Sequence[int]) -> NDArray[np.float32] | None:
    """What each expert counts (K,), or None where all do."""
    for one in off:
        if not (isinstance(one, int) and 0 <= one < card.experts):
            raise OptionError(f"experts_off: experts are 0 to {card.experts - 1}, given {one!r:.40}")
    if not off:
        return None
    keep = np.ones(card.experts, np.float32)
    keep[list(off)] = 0
    return keep


def _body(card: Card, toes: NDArray[np.float32]) -> tuple[Any, ...]:
    """What `decode` takes as body; toes (4, 3) of the standing animal."""
    skeleton = card.rig.skeleton
    links, shared = links_of(card.rig)
    return (
        np.array(skeleton.parents),
        skeleton.offsets.astype(np.float32),
        links,
        shared,
        np.array(card.rig.toes),
        leg_length(skeleton),
        toes[:, 1].astype(np.float64),
        leg_table(skeleton),
        np.array(card.rig.feet),
        fastest_of(card.rig),
    )


def _limits(card: Card, ranges: NDArray[np.float32], bent: float) -> tuple[Any, ...]:
    """What `decode` takes as limits, from the ranges (2, n) of the inputs; bent: see `Words`."""
    inputs = card.layout.inputs
    pose = np.stack([inputs.view(ranges, name) for name in (JOINT, AHEAD, UP, JOINT_VELOCITY)], axis=1)
    velocity = np.abs(inputs.view(ranges, VELOCITY)[:, NOW]).max(axis=0).astype(np.float64)
    return np.ascontiguousarray(pose), ROOM * np.append(velocity, card.turn), bends_held(card, bent)
