"""Schedule: learning rate and weight decay with warm restarts (AdamWR, Loshchilov and Hutter 2017; N4)."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Schedule:
    """Cosine decay over `first` epochs, then over `factor` times as many, and so on.

    rate: of learning at each restart; decay: of weights, normalised by the number of steps of a run.
    """

    rate: float = 1e-4
    decay: float = 2.5e-3
    first: int = 10
    factor: int = 2

    def run_of(self, epoch: int) -> tuple[int, int]:
        """First epoch and length of the run that an epoch (from 0) belongs to."""
        start, length = 0, self.first
        while epoch >= start + length:
            start += length
            length *= self.factor
        return start, length

    def share(self, epoch: int, part: float) -> float:
        """What is left of the rate, in [0, 1], when `part` of an epoch is over."""
        start, length = self.run_of(epoch)
        return 0.5 * (1 + math.cos(math.pi * (epoch - start + part) / length))

    def shrink(self, epoch: int, steps: int) -> float:
        """The weight decay for torch's AdamW, which multiplies it by the rate; steps: of an epoch."""
        _, length = self.run_of(epoch)
        return self.decay / math.sqrt(steps * length) / self.rate
