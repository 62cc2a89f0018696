"""glTF tracks: the channels of an animation, sampled at any times by the file's own interpolation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hoofbeat.formats.gltf.accessor import Accessors
from hoofbeat.formats.gltf.objects import Item, shown_value
from hoofbeat.formats.gltf.reader.nodes import MAX_LENGTH, MAX_SCALE
from hoofbeat.maths import quat

Floats = NDArray[np.float64]
Path = Literal["translation", "rotation", "scale"]

#: What a channel may move, its accessor type, and the largest value that makes sense.
PATHS: dict[str, tuple[str, float]] = {
    "translation": ("VEC3", MAX_LENGTH),
    "rotation": ("VEC4", 1e6),
    "scale": ("VEC3", MAX_SCALE),
}
#: Paths that move no node; they are passed over.
OTHER_PATHS = ("weights", "pointer")
INTERPOLATIONS = ("LINEAR", "STEP", "CUBICSPLINE")
#: Latest and earliest time of a key [s]: about eleven days.
MAX_TIME = 1e6
#: Relative error of a time in the file: it was rounded to float32.
_ROUNDING = 2.0**-22


@dataclass(frozen=True)
class Channel:
    """One track: key times (K,) [s] and where its values lie; they are read when they are sampled."""

    sampler: Item
    path: str
    times: Floats
    interpolation: str
    output: int


@dataclass(frozen=True)
class Animation:
    """The tracks of one animation by node and path."""

    item: Item
    channels: dict[tuple[int, str], Channel]
    accessors: Accessors

    def span(self, nodes: set[int]) -> tuple[float, float]:
        """First and last key [s] of the tracks of these nodes; (0, 0) where there is none."""
        times = [channel.times for (node, _), channel in self.channels.items() if node in nodes]
        if not times:
            return 0.0, 0.0
        return min(float(t[0]) for t in times), max(float(t[-1]) for t in times)

    def sample(self, node: int, path: Path, at: Floats) -> Floats | None:
        """Values (T, 3) or (T, 4) of a track at times `at` (T,) [s]; None where the node has none."""
        channel = self.channels.get((node, path))
        if channel is None:
            return None
        kind, largest = PATHS[path]
        values = self.accessors.values(channel.output, (kind,))
        cubic = channel.interpolation == "CUBICSPLINE"
        needed = len(channel.times) * (3 if cubic else 1)
        if len(values) != needed:
            message = f"{len(channel.times)} keys of {channel.interpolation} need {needed} values"
            raise channel.sampler.fail(f"{message}, there are {len(values)}", "output")
        if np.abs(values).max() > largest:
            raise channel.sampler.fail(f"has a {path} beyond {largest:g}", "output")
        return _SAMPLERS[channel.interpolation](channel, values, at)


class Animations:
    """All animations of a file. Key times, which tracks share, are read once."""

    def __init__(self, document: Item, accessors: Accessors, node_count: int) -> None:
        self.items = document.items("animations")
        self._accessors = accessors
        self._nodes = node_count
        self._times: dict[int, Floats] = {}

    def names(self) -> list[str]:
        """Names as they stand in the file; animation_3 where there is none."""
        return [item.name() or f"animation_{i}" for i, item in enumerate(self.items)]

    def paths(self) -> set[tuple[int, str]]:
        """Nodes that any animation moves, each with what of it is moved."""
        return {key for item in self.items for key in self._targets(item)}

    def animation(self, index: int) -> Animation:
        """One animation with the keys of its tracks."""
        item = self.items[index]
        samplers = item.items("samplers")
        found: dict[tuple[int, str], Channel] = {}
        for key, channel in self._targets(item).items():
            sampler = samplers[channel.index("sampler", len(samplers), "samplers")]
            interpolation = sampler.text("interpolation", "LINEAR")
            if interpolation not in INTERPOLATIONS:
                known = ", ".join(INTERPOLATIONS)
                raise sampler.fail(f"unknown {shown_value(interpolation)}. Known: {known}", "interpolation")
            times = self._keys(sampler, sampler.index("input", len(self._accessors), "accessors"))
            output = sampler.index("output", len(self._accessors), "accessors")
            found[key] = Channel(sampler, key[1], times, interpolation, output)
        return Animation(item, found, self._accessors)

    def _targets(self, item: Item) -> dict[tuple[int, str], Item]:
        """The channels that move a node, by node and path."""
        found: dict[tuple[int, str], Item] = {}
        for channel in item.items("channels"):
            target = channel.item("target")
            path = target.text("path")
            if path in OTHER_PATHS or not target.has("node"):
                continue  # morph weights, or something only an extension knows
            if path not in PATHS:
                known = ", ".join([*PATHS, *OTHER_PATHS])
                raise target.fail(f"unknown {shown_value(path)}. Known: {known}", "path")
            key = (target.index("node", self._nodes, "nodes"), path)
            if key in found:
                raise channel.fail(f"a second channel for the {path} of node {key[0]}")
            found[key] = channel
        return found

    def _keys(self, sampler: Item, index: int) -> Floats:
        if index not in self._times:
            times = self._accessors.values(index, ("SCALAR",))[:, 0]
            if (np.diff(times) < 0).any():
                raise sampler.fail("key times must increase", "input")
            if np.abs(times).max() > MAX_TIME:
                raise sampler.fail(f"a key time beyond {MAX_TIME:g} s is a broken file", "input")
            self._times[index] = times
        return self._times[index]


def _intervals(times: Floats, at: Floats) -> tuple[NDArray[np.int64], Floats]:
    """The key before each time, (T,), and the part of the time to the next one, (T,) in [0, 1]."""
    slack = _ROUNDING * max(abs(float(times[0])), abs(float(times[-1])))
    # A time that float32 cannot distinguish from a key's is at the key.
    before = np.clip(np.searchsorted(times, at + slack, side="right") - 1, 0, len(times) - 1)
    after = np.minimum(before + 1, len(times) - 1)
    gap, elapsed = times[after] - times[before], at - times[before]
    part = np.where(gap > 0, elapsed / np.where(gap > 0, gap, 1.0), 0.0)
    return before, np.where(elapsed <= slack, 0.0, np.clip(part, 0.0, 1.0))


def _step(channel: Channel, values: Floats, at: Floats) -> Floats:
    before, _ = _intervals(channel.times, at)
    return _unit(channel, values[before])


def _linear(channel: Channel, values: Floats, at: Floats) -> Floats:
    before, part = _intervals(channel.times, at)
    values = _unit(channel, values)
    found = values[before]
    rows = np.flatnonzero(part)  # most files have a key at every frame, and nothing is left to do
    start, stop = found[rows], values[np.minimum(before[rows] + 1, len(values) - 1)]
    if channel.path == "rotation":
        found[rows] = quat.slerp(start, stop, part[rows])
    else:
        found[rows] = start + (stop - start) * part[rows, None]
    return found


def _cubic(channel: Channel, values: Floats, at: Floats) -> Floats:
    """Hermite curves; the file gives incoming tangent, value and outgoing tangent of each key."""
    before, part = _intervals(channel.times, at)
    after = np.minimum(before + 1, len(channel.times) - 1)
    gap, s = (channel.times[after] - channel.times[before])[:, None], part[:, None]
    incoming, value, outgoing = values[0::3], values[1::3], values[2::3]
    found = (
        (2 * s**3 - 3 * s**2 + 1) * value[before]
        + (s**3 - 2 * s**2 + s) * gap * outgoing[before]
        + (3 * s**2 - 2 * s**3) * value[after]
        + (s**3 - s**2) * gap * incoming[after]
    )
    return _unit(channel, found)


def _unit(channel: Channel, values: Floats) -> Floats:
    """Rotations to unit length; other values as they are."""
    if channel.path != "rotation":
        return values
    if not np.abs(values).max(axis=1).min() > 1e-6:
        raise channel.sampler.fail("has a quaternion of length 0, which is no rotation", "output")
    return quat.normalize(values)


_SAMPLERS: dict[str, Callable[[Channel, Floats, Floats], Floats]] = {
    "STEP": _step,
    "LINEAR": _linear,
    "CUBICSPLINE": _cubic,
}
