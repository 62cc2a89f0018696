"""Weights: which joints each vertex is bound to, from the lofts around it, smoothed along the skin."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Floats as Array
from hoofbeat.maths.types import Ints
from hoofbeat.offline.body.shape.field import Field, bindings

Floats = NDArray[np.float64]
#: How far a loft still counts beside a nearer one [m].
SOFTNESS = 0.02
#: Joints of a vertex.
MOST = 4


def bound(field: Field, points: Floats, softness: float = SOFTNESS) -> Floats:
    """Weights (K, J) of points (K, 3) of the left side or the middle."""
    out = np.zeros((len(points), field.bones.shape[1]))
    bindings(
        field.stations, field.lofts, field.bones, softness, np.ascontiguousarray(points, np.float64), out
    )
    return out


def smoothed_weights(weights: Floats, faces: NDArray[Any], rounds: int) -> Floats:
    """Weights (V, J) after rounds of taking the mean with the neighbours."""
    out = np.array(weights)
    index = np.ascontiguousarray(faces, np.int64)
    for _ in range(rounds):
        mean = np.zeros_like(out)
        neighbour_means(out, index, mean)
        out = 0.5 * (out + mean)
    return out


def strongest(weights: Floats) -> tuple[NDArray[np.uint16], NDArray[np.float32]]:
    """Joints (V, 4) and weights (V, 4), the largest first, of weights (V, J)."""
    order = np.argsort(-weights, axis=1, kind="stable")[:, :MOST]
    chosen = np.take_along_axis(weights, order, axis=1)
    chosen[chosen < 1e-3] = 0.0
    chosen /= chosen.sum(axis=1, keepdims=True)
    order[chosen == 0.0] = 0
    return order.astype(np.uint16), chosen.astype(np.float32)


@kernel
def neighbour_means(values: Array, faces: Ints, out: Array) -> None:
    """Mean of the neighbours' rows (V, J) for every vertex, written to `out`."""
    count = np.zeros(len(values))
    for f in range(len(faces)):
        for k in range(3):
            a, b = faces[f, k], faces[f, (k + 1) % 3]
            for s, t in ((a, b), (b, a)):
                count[s] += 1.0
                for j in range(values.shape[1]):
                    out[s, j] += values[t, j]
    for n in range(len(values)):
        for j in range(values.shape[1]):
            out[n, j] = out[n, j] / count[n] if count[n] > 0 else values[n, j]
