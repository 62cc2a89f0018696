"""Loft: a row of cross-sections as drawn, and the field of many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hoofbeat.offline.body.shape.field import LOFT, MOULD, STATION, Field

Floats = NDArray[np.float64]
#: Stations that are put in for each row drawn, so that the outline is a curve.
FINER = 5


@dataclass(frozen=True)
class Loft:
    """One loft as drawn: rows of (P,) stations before they are made finer.

    centre, u, v, normal (P, 3); half (P, 4) [m] toward +u, -u, +v, -v; egg, power, blend (P,);
    bones (P, J); caps (2,) [m]; part: what its skin is made of; carve: it is subtracted.
    """

    name: str
    part: str
    centre: Floats
    u: Floats
    v: Floats
    half: Floats
    shape: Floats  # (P, 3): egg, power, blend
    bones: Floats
    caps: Floats
    carve: bool


def field_of(lofts: list[Loft]) -> Field:
    """The field of a body; rows become smooth curves."""
    if not lofts:
        return Field(np.zeros(0, STATION), np.zeros(0, LOFT), np.zeros(0, MOULD), np.zeros((0, 0)))
    stations: list[NDArray[Any]] = []
    bones: list[Floats] = []
    table = np.zeros(len(lofts), LOFT)
    first = 0
    for row, loft in zip(table, lofts, strict=True):
        made, weights = _stations(loft)
        stations.append(made)
        bones.append(weights)
        row["first"], row["last"] = first, first + len(made) - 1
        row["cap_first"], row["cap_last"] = loft.caps
        row["carve"] = loft.carve
        low, high = made["centre"].min(axis=0), made["centre"].max(axis=0)
        row["centre"] = (low + high) / 2
        widest = np.max([made[k] for k in ("up", "down", "out", "into")])
        row["radius"] = np.linalg.norm(high - low) / 2 + 1.5 * widest + made["blend"].max() + 0.05
        first += len(made)
    return Field(np.concatenate(stations), table, np.zeros(0, MOULD), np.concatenate(bones))


def _stations(loft: Loft) -> tuple[NDArray[Any], Floats]:
    """Finer stations of a loft and their bones."""
    from scipy.interpolate import PchipInterpolator

    steps = np.linalg.norm(np.diff(loft.centre, axis=0), axis=1)
    knots = np.concatenate([[0.0], np.cumsum(np.maximum(steps, 1e-6))])
    parts = [np.linspace(a, b, FINER, endpoint=False) for a, b in zip(knots, knots[1:], strict=False)]
    at = np.concatenate([*parts, knots[-1:]])

    def finer(values: Floats) -> Floats:
        return cast(Floats, PchipInterpolator(knots, values)(at))

    out = np.zeros(len(at), STATION)
    out["centre"] = finer(loft.centre)
    for key, values in (("u", loft.u), ("v", loft.v)):
        axis = finer(values)
        out[key] = axis / np.linalg.norm(axis, axis=1, keepdims=True)
    # The chain runs along the normals; both axes lie in the plane.
    normal = np.cross(out["u"], out["v"])
    forward = np.gradient(out["centre"], axis=0)
    normal *= np.sign(np.sum(normal * forward, axis=1, keepdims=True))
    out["normal"] = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    half, shape = finer(loft.half), finer(loft.shape)
    out["up"], out["down"], out["out"], out["into"] = half.T
    out["egg"], out["power"], out["blend"] = shape.T
    bones = finer(loft.bones)
    return out, bones / bones.sum(axis=1, keepdims=True)
