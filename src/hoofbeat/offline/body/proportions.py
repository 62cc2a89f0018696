"""Proportions: another animal's skeleton, and a drawing transferred to it.

A drawing may begin with another one (`base`). Its `skeleton` then says how the bones differ, and `flesh` how
much thicker or thinner the animal is around them; every drawn point moves with the joints that it is bound
to.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import Skeleton
from hoofbeat.formats.yamlfile import Mapping
from hoofbeat.offline.body.shape.loft import Loft

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Proportions:
    """Rest positions (J, 3) of two skeletons, drawn and wanted; flesh (J, 3): scales about each joint."""

    drawn: Floats
    wanted: Floats
    flesh: Floats

    def moved(self, points: Floats, bones: Floats) -> Floats:
        """Points (K, 3) of the drawing at the other animal; weights `bones` (K, J)."""
        local = points[:, None] - self.drawn
        return np.einsum("kj,kjx->kx", bones, self.wanted + self.flesh * local)

    def size(self, bones: Floats) -> Floats:
        """How much thicker (K,) the flesh is at weights `bones` (K, J)."""
        return bones @ np.cbrt(np.prod(self.flesh, axis=1))

    def loft(self, loft: Loft) -> Loft:
        """A loft of the other animal."""
        front = self.moved(loft.centre + loft.u * loft.half[:, :1], loft.bones)
        back = self.moved(loft.centre - loft.u * loft.half[:, 1:2], loft.bones)
        along = front - back
        length = np.linalg.norm(along, axis=1, keepdims=True)
        size = self.size(loft.bones)[:, None]
        sideways = np.linalg.norm(loft.v * (loft.bones @ self.flesh), axis=1, keepdims=True)
        shape = loft.shape.copy()
        shape[:, 2:] *= size
        return replace(
            loft,
            centre=(front + back) / 2,
            u=along / length,
            half=np.concatenate([length / 2, length / 2, loft.half[:, 2:] * sideways], axis=1),
            shape=shape,
            caps=loft.caps * size[[0, -1], 0],
        )


def proportions_of(top: Mapping, skeleton: Skeleton) -> tuple[Skeleton, Proportions]:
    """The skeleton that a drawing wants and how its points get there.

    skeleton: {bones: {word: number or [x, y, z]}}: each bone is multiplied by the first entry whose
    word begins the name of the joint it leads to; flesh: the same for what is around the joint.
    `scale`, the size of the animal, is left to the end: until then all are as large as a horse.
    """
    entry = top.values.get("skeleton")
    if not isinstance(entry, Mapping):
        rest = skeleton.rest_positions()
        return skeleton, Proportions(rest, rest, np.ones((len(skeleton), 3)))
    entry.finish(("scale", "bones", "flesh"))
    offsets = skeleton.offsets * _factors(entry, "bones", skeleton)
    wanted = Skeleton(
        skeleton.names, skeleton.parents, _level(offsets, skeleton), skeleton.ends, skeleton.legs
    )
    flesh = _factors(entry, "flesh", skeleton)
    return wanted, Proportions(skeleton.rest_positions(), wanted.rest_positions(), flesh)


def _level(offsets: Floats, skeleton: Skeleton) -> Floats:
    """Offsets (J, 3) with the fore legs long enough to stand on the same ground as the hind ones."""
    out = np.array(offsets)
    rest = Skeleton(skeleton.names, skeleton.parents, out, skeleton.ends, skeleton.legs).rest_positions()
    for fore, hind in zip(skeleton.legs[:2], skeleton.legs[2:], strict=True):
        lack = rest[hind.toe, 1] - rest[fore.toe, 1]
        bones = [fore.low, fore.pastern]
        out[bones, 1] *= 1 + lack / out[bones, 1].sum()
    return out


def _factors(entry: Mapping, key: str, skeleton: Skeleton) -> Floats:
    """Factors (J, 3) of all joints by the words of a mapping; 1 where none fits."""
    words = cast(Mapping, entry.values[key]) if key in entry.values else None
    out = np.ones((len(skeleton), 3))
    for j, name in enumerate(skeleton.names):
        for word in words.values if words else ():
            if name.startswith(word):
                assert words is not None
                given = words.values[word]
                out[j] = words.numbers(word, 3) if isinstance(given, list) else words.get(word, float)
                break
    return out


def merged(base: Mapping, top: Mapping) -> Mapping:
    """A drawing on top of another: entries of lists with the same name replace the old ones."""
    without = cast("list[Any]", top.values.get("without", []))
    values = dict(base.values)
    for key in ("lofts", "muscles", "manes"):
        if values.get(key):
            values[key] = [e for e in cast("list[Mapping]", values[key]) if e.values["name"] not in without]
    for key, value in top.values.items():
        if key in ("lofts", "muscles", "manes") and value is not None:
            own = {entry.values["name"]: entry for entry in cast("list[Mapping]", value)}
            kept = [own.pop(e.values["name"], e) for e in cast("list[Mapping]", values[key])]
            values[key] = [*kept, *own.values()]
        elif key not in ("base", "without"):
            values[key] = value
    return replace(top, values=values)
