"""Mend: where poses still stretch or fold the skin too far, weights are evened out with their neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.maths.jit import kernel
from hoofbeat.offline.body.weights import neighbour_means, strongest

Floats = NDArray[np.float64]
#: Bounds of an edge's length as a part of that at rest, a little inside of what is asked for.
LONGEST, SHORTEST = 2.05, 0.40
#: How far the weights of a strained vertex go toward its neighbours' in a round.
EVEN = 0.6


def mended(
    points: Floats,
    faces: NDArray[Any],
    weights: Floats,
    middle: tuple[NDArray[np.bool_], NDArray[np.int64]],
    matrices: Floats,
    rounds: int,
) -> Floats:
    """Weights (V, J) of a half body with fewer edges beyond the bounds in poses (T, J, 3, 4).

    middle: which vertices (V,) lie on the plane x = 0, and the joint (J,) on the other side of each.
    """
    index = np.ascontiguousarray(faces, np.int64)
    out = np.array(weights)
    best, least = out, np.inf
    for _ in range(rounds + 1):
        joints, shares = strongest(out)
        strain = np.zeros(len(points))
        strain_kernel(points, index, joints, shares, matrices, strain)
        total = float(strain.sum())
        if total < least:
            best, least = out.copy(), total
        if total == 0:
            break
        strained = strain > 0
        for face in (index, index):
            strained[face[strained[face].any(axis=1)]] = True
        mean = np.zeros_like(out)
        neighbour_means(out, index, mean)
        out[strained] += EVEN * (mean[strained] - out[strained])
        flat, other = middle
        out[flat] = (out[flat] + out[flat][:, other]) / 2
    return best


@kernel
def strain_kernel(points: Any, faces: Any, joints: Any, weights: Any, matrices: Any, out: Any) -> None:
    """How often and how far edges at each vertex leave the bounds, or faces fold, added to out (V,)."""
    count = len(points)
    places = np.zeros((count, 3))
    for t in range(len(matrices)):
        for v in range(count):
            places[v] = 0.0
            for k in range(4):
                share = weights[v, k]
                if share > 0:
                    m = matrices[t, joints[v, k]]
                    for x in range(3):
                        places[v, x] += share * (
                            m[x, 0] * points[v, 0] + m[x, 1] * points[v, 1] + m[x, 2] * points[v, 2] + m[x, 3]
                        )
        for f in range(len(faces)):
            for k in range(3):
                a, b = faces[f, k], faces[f, (k + 1) % 3]
                rest = now = 0.0
                for x in range(3):
                    rest += (points[a, x] - points[b, x]) ** 2
                    now += (places[a, x] - places[b, x]) ** 2
                ratio = np.sqrt(now / (rest + 1e-12))
                over = max(ratio - LONGEST, 0.0) + max(SHORTEST - ratio, 0.0)
                out[a] += over
                out[b] += over
