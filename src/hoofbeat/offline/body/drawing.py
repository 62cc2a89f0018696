"""Drawing: the YAML file of an animal's body, read into lofts that a Field is made from."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import FileError
from hoofbeat.formats import files
from hoofbeat.formats.yamlfile import Mapping, parse_mapping, shown
from hoofbeat.offline.body.proportions import Proportions, merged
from hoofbeat.offline.body.shape.field import MOULD, Field
from hoofbeat.offline.body.shape.loft import Loft
from hoofbeat.offline.body.weights.initial import bound

Floats = NDArray[np.float64]


_KEYS = (
    "name",
    "base",
    "without",
    "skeleton",
    "grid",
    "lofts",
    "muscles",
    "moulds",
    "manes",
    "tail",
    "eye",
    "coats",
)


class DrawingError(FileError):
    """A drawing of a body that cannot be used."""


def read_drawing(path: str | PathLike[str]) -> Mapping:
    """The mapping at the top of a drawing, on top of its base where it names one."""
    top = parse_mapping(files.read_bytes(path, error=DrawingError), str(path), DrawingError)
    top.finish(_KEYS)
    if "base" not in top.values:
        return top
    return merged(read_drawing(Path(path).with_name(f"{top.get('base', str)}.yaml")), top)


def lofts_of(top: Mapping, skeleton: Skeleton) -> list[Loft]:
    """All lofts and muscles of a drawing, in its order."""
    drawn = [_loft(entry, skeleton) for entry in top.mappings("lofts")]
    return drawn + [_muscle(entry, skeleton) for entry in top.mappings("muscles")]


def _weights(text: str, skeleton: Skeleton) -> Floats:
    """'FemurLeft 0.8 SacrumLower 0.2' as weights (J,)."""
    words = text.split()
    out = np.zeros(len(skeleton))
    if len(words) == 1:
        out[skeleton.index(words[0])] = 1.0
        return out
    for name, share in zip(words[::2], words[1::2], strict=True):
        out[skeleton.index(name)] += float(share)
    return out / out.sum()


def _column(entry: Mapping, key: str, count: int, default: float) -> Floats:
    """A number for every row, given once or as a list."""
    value = entry.values.get(key, default)
    if isinstance(value, list):
        return np.array(entry.numbers(key, count))
    return np.full(count, entry.get(key, float, default))


def _loft(entry: Mapping, skeleton: Skeleton) -> Loft:
    rows = cast("list[list[Any]]", entry.values["rows"])
    if any(len(row) != 8 for row in rows):
        raise entry.fail(f"rows: a row has 8 values, given {shown(rows)}", "rows")
    numbers = np.array([[float(v) for v in row[:7]] for row in rows])
    count = len(rows)
    front = np.stack([numbers[:, 4], numbers[:, 1], numbers[:, 0]], axis=1)
    back = np.stack([numbers[:, 4], numbers[:, 3], numbers[:, 2]], axis=1)
    along = front - back
    half = np.linalg.norm(along, axis=1) / 2
    shape = [_column(entry, "egg", count, 0.0), _column(entry, "power", count, 2.0)]
    shape.append(_column(entry, "blend", count, 0.02))
    return Loft(
        name=entry.get("name", str),
        part=entry.get("part", str, "coat"),
        centre=(front + back) / 2,
        u=along / (2 * half[:, None]),
        v=np.tile([1.0, 0.0, 0.0], (count, 1)),
        half=np.stack([half, half, numbers[:, 5], numbers[:, 6]], axis=1),
        shape=np.stack(shape, axis=1),
        bones=np.stack([_weights(str(row[7]), skeleton) for row in rows]),
        caps=np.array(entry.numbers("caps", 2, (0.02, 0.02))),
        carve=entry.get("carve", bool, False),
    )


def _muscle(entry: Mapping, skeleton: Skeleton) -> Loft:
    start, stop = np.array(entry.numbers("from", 3)), np.array(entry.numbers("to", 3))
    radii = cast("list[float]", entry.values["radius"])
    count = len(radii)
    share = np.linspace(0.0, 1.0, count)[:, None]
    along = stop - start
    side = np.array(entry.numbers("side", 3, (1.0, 0.0, 0.0)))
    side = side - along * (side @ along) / (along @ along)
    side /= np.linalg.norm(side)
    u = np.cross(along, side)
    u /= np.linalg.norm(u)
    radius = np.array(radii, float)
    thin = radius * entry.get("flat", float, 1.0)
    names = cast("list[str]", entry.values["bones"])
    bones = np.stack([_weights(str(name), skeleton) for name in names])
    shape = [np.zeros(count), _column(entry, "power", count, 2.0), _column(entry, "blend", count, 0.02)]
    bend = np.array(entry.numbers("bend", 3, (0.0, 0.0, 0.0)))
    return Loft(
        name=entry.get("name", str),
        part=entry.get("part", str, "coat"),
        centre=start + share * along + 4 * share * (1 - share) * bend,
        u=np.tile(u, (count, 1)),
        v=np.tile(side, (count, 1)),
        half=np.stack([radius, radius, thin, thin], axis=1),
        shape=np.stack(shape, axis=1),
        bones=(1 - share) * bones[0] + share * bones[-1],
        caps=np.maximum(np.array([radii[0], radii[-1]], float), 1e-3),
        carve=entry.get("carve", bool, False),
    )


def with_moulds(field: Field, drawn: Field, top: Mapping, proportions: Proportions) -> Field:
    """The field with the moulds of a drawing, transferred from the field as drawn.

    Each is [radius, push, point, point ...].

    A point has three numbers (x, y, z), or two (y, z) and lies on the skin of the left side there.
    """
    rows: list[Any] = []
    for mould in cast("list[list[Any]]", top.values.get("moulds") or []):
        radius, push, *points = mould
        line = np.array([_on_skin(drawn, [float(v) for v in point]) for point in points])
        bones = bound(drawn, line)
        size = float(proportions.size(bones).mean())
        line = proportions.moved(line, bones)
        line = line if len(line) > 1 else np.repeat(line, 2, axis=0)
        for k, (a, b) in enumerate(zip(line, line[1:], strict=False)):
            rows.append((tuple(a), tuple(b), size * radius, size * push, int(k < len(line) - 2)))
    return replace(field, moulds=np.array(rows, MOULD))


def _on_skin(field: Field, point: list[float]) -> tuple[float, float, float]:
    """The outermost place of the left side at (y, z), where x is not given."""
    if len(point) == 3:
        return point[0], point[1], point[2]
    x = np.linspace(0.0, 1.0, 500)
    inside = field.distance(np.stack([x, np.full(500, point[0]), np.full(500, point[1])], axis=1)) < 0
    return float(x[inside].max(initial=0.0)), point[0], point[1]
