"""Terrain: a kind code with parameters, height and normal from one kernel.

Only flat ground exists so far; other kinds add a branch in `ground_at`, never another code path.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.errors import HoofbeatError, UnknownName
from hoofbeat.maths.jit import kernel

FLAT = 0
KINDS = ("flat",)


class UnknownTerrain(UnknownName):
    """A terrain kind that does not exist."""

    kind = "terrain"


@dataclass(frozen=True)
class Terrain:
    """Ground as kernels take it: kind code and parameters (8,) float64."""

    kind: int
    parameters: NDArray[np.float64]

    @staticmethod
    def flat(height: float = 0.0) -> Terrain:
        """Level ground at a height [m]."""
        parameters = np.zeros(8)
        parameters[0] = height
        return Terrain(FLAT, parameters)

    def scaled(self, factor: float) -> Terrain:
        """The same ground with all lengths `factor` times as long."""
        if self.kind != FLAT:
            raise HoofbeatError(f"terrain of kind {self.kind} cannot be scaled yet; leave height= out")
        return Terrain(self.kind, self.parameters * factor)

    @staticmethod
    def named(name: str) -> Terrain:
        """A terrain by name with default parameters."""
        if name not in KINDS:
            raise UnknownTerrain(name, KINDS)
        return Terrain.flat()


@kernel(inline=True)
def ground_at(kind: Any, parameters: Any, x: Any, z: Any) -> Any:
    """Height [m] and normal (3) of the ground at world (x, z) [m], float64."""
    # Flat ground is the same everywhere; x and z belong to the kinds that are not.
    return parameters[0] + 0.0 * kind * x * z, 0.0, 1.0, 0.0
