"""Method: the one contract of all that makes motion.

    time ->   |--------- dt ---------|
    command, sense (one step old) -> step -> rotations and targets at the end of dt

A method makes the next pose and targets from the rider's command and what is known of the world in
character space. It keeps all memory in one structured array, a row a character, so that a copy is an
undo and equal bytes are equal futures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import Skeleton
from hoofbeat.records import COMMAND, SENSE, Steps


class Method(Protocol):
    """What every method has. Batch first: N characters at once."""

    name: str
    #: The skeleton the method speaks.
    skeleton: Skeleton
    #: One character's memory, of fixed size.
    state_dtype: np.dtype[Any]
    #: Gait names, in the order of the indices in STEP and COMMAND.
    gaits: tuple[str, ...]
    #: Names that `Command.action` may ask for.
    actions: tuple[str, ...]
    #: Speeds [m/s] (len(gaits), 2): the band a pinned gait is held to.
    bands: NDArray[np.float64]
    #: Largest turning rate [rad/s] it follows.
    max_turn: float
    #: Whether its strides can be collected and extended.
    extends: bool

    def init(self, state: NDArray[Any], ids: NDArray[np.int64], seed: int) -> None:
        """Fill the rows of `state` (N,) for the characters `ids` (N,), standing."""
        ...

    def step(
        self, state: NDArray[Any], command: NDArray[Any], sense: NDArray[Any], dt: float, out: Steps
    ) -> None:
        """Advance by dt [s] and write what is asked for; in place, allocating nothing.

        command (N,) of COMMAND, sense (N,) of SENSE; `out` receives the end of the step.
        """
        ...


class Bindable(Protocol):
    """A method whose step is one kernel, which can be made ready for a herd's memory once and for all."""

    def bind(
        self, state: NDArray[Any], command: NDArray[Any], sense: NDArray[Any], out: Steps
    ) -> Callable[[float], Any]:
        """`Method.step` on this memory, of which only dt [s] is left to give; see `jit.bind`."""
        ...

    def bind_init(self, state: NDArray[Any], ids: NDArray[np.int64], seed: int) -> Callable[[], Any]:
        """`Method.init` of rows (N,) that are zero, as one kernel."""
        ...


def is_bindable(method: Any) -> TypeGuard[Bindable]:
    """Whether a method has `bind`, and it does what `step` does: a class that changes `step` changes both."""
    return _made_together(method, "step", "bind")


def begins_by_kernel(method: Any) -> bool:
    """Whether a method has `bind_init`, and it does what `init` does."""
    return _made_together(method, "init", "bind_init")


def _made_together(method: Any, name: str, bound: str) -> bool:
    owner = next((one for one in type(method).__mro__ if name in vars(one)), None)
    return owner is not None and bound in vars(owner)


def stand_still(method: Method, seconds: float = 0.0) -> tuple[NDArray[Any], Steps]:
    """State (1,) and step of one character that has stood for so long [s]."""
    state, steps = np.zeros(1, method.state_dtype), Steps.empty(1, len(method.skeleton))
    command = np.zeros(1, COMMAND)
    command["gait"] = command["action"] = command["mood"] = -1
    method.init(state, np.zeros(1, np.int64), 0)
    method.step(state, command, np.zeros(1, SENSE), seconds, steps)
    return state, steps
