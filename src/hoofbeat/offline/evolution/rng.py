"""Rng: random numbers that are a hash of what they are for, so that nothing has to be remembered.

A run that is resumed, or spread over any number of workers, draws the same numbers: each member of each
generation has its own stream, made of (seed, generation, place).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.noise import hash32

#: Numbers computed at once.
BLOCK = 64


@kernel
def _draw(seed: Any, generation: Any, place: Any, block: Any, out: Any) -> None:
    own = hash32(seed, generation, place)
    for i in range(out.shape[0]):
        out[i] = hash32(own, block, i)


class Rng:
    """The random numbers of one member: whole numbers in [0, 2**32), one after another."""

    def __init__(self, seed: int, generation: int, place: int) -> None:
        self._key = (seed, generation, place)
        self._block = 0
        self._left: list[int] = []

    def whole(self, below: int) -> int:
        """A whole number in [0, below), below at most 2**32."""
        if not self._left:
            out = np.empty(BLOCK, np.int64)
            _draw(*self._key, self._block, out)
            self._block += 1
            self._left = out[::-1].tolist()
        # The high part of the product: even over any range, where a remainder would favour small numbers.
        return self._left.pop() * below >> 32

    def chance(self, probability: float) -> bool:
        """True with that probability."""
        return self.whole(1 << 32) < probability * (1 << 32)
