"""Shape: the fields that one body is made of, and the map to it from the drawing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.offline.body.proportions import Proportions
from hoofbeat.offline.body.shape.field import Field
from hoofbeat.offline.body.weights.initial import bound

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Shape:
    """The field of the body, those of its hooves and of the hollows carved out of it, and the field as drawn
    with the proportions that lead from it to the body."""

    field: Field
    horn: Field
    hollow: Field
    drawn: Field
    proportions: Proportions

    def moved(self, points: Floats) -> Floats:
        """Points (K, 3) of the drawing on the body."""
        return self.proportions.moved(points, bound(self.drawn, points))

    def size(self, points: Floats) -> float:
        """How much thicker than drawn the body is at points (K, 3) of the drawing, on the whole."""
        return float(self.proportions.size(bound(self.drawn, points)).mean())
