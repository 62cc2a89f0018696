"""Layer and Obstacles: the protocols of what stands beside a method between a command and a frame.

A layer changes what the method asks for, before it is placed; obstacles write what the method senses in its
next step. docs/architecture.md draws both.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hoofbeat.records import Steps


class Layer(Protocol):
    """What changes the pose and the targets of any method, between the method and placement.

    Its memory is of the same kind as a method's, so that a snapshot holds it. A layer changes what `out`
    has; joints that neither method nor layer writes are the identity.
    """

    #: One character's memory, of fixed size.
    state_dtype: np.dtype[Any]

    def init(self, state: NDArray[Any], ids: NDArray[np.int64], seed: int) -> None:
        """Fill the rows of `state` (N,) for the characters `ids` (N,)."""
        ...

    def apply(
        self, state: NDArray[Any], command: NDArray[Any], sense: NDArray[Any], dt: float, out: Steps
    ) -> None:
        """Change, in place, what the method asks for at the end of dt [s]; arguments as of `Method.step`."""
        ...


class Obstacles(Protocol):
    """Obstacles on the path, as far as methods sense them."""

    def sense(self, world: NDArray[Any], out: NDArray[Any]) -> None:
        """Write the next obstacles into `obstacle` of SENSE rows (N,); world: WORLD rows (N,) after a step.

        Lengths are those of the method's own animal [m].
        """
        ...
