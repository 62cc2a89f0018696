"""Facts: what this installation can do, gathered once before the port opens, and sent in `hello`."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import numpy as np

from hoofbeat.body.clip import Clip
from hoofbeat.body.mesh.shipped import dress_of
from hoofbeat.body.size import HEIGHTS, hip_height, size_of
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import UnknownMethod
from hoofbeat.formats.files import write_bytes
from hoofbeat.formats.gltf.writer.save import format_glb
from hoofbeat.gaits.breeds import BREEDS, DEFAULT_BREED
from hoofbeat.gaits.gait import other_lead
from hoofbeat.horse import Herd
from hoofbeat.methods.catalog import OWN, MethodInfo, installed_methods, method_info
from hoofbeat.records import Command
from hoofbeat.shipped import DATA
from hoofbeat.studio.refusal import Refusal
from hoofbeat.studio.settings import Quotas
from hoofbeat.studio.wire import messages
from hoofbeat.world.limits import LONGEST

#: How finely speeds are probed [m/s], and how long a horse needs to be steady [s].
PROBE, STEADY = 0.05, 8.0
#: Formats that recordings are exported to; of those that need more than NumPy the extra, and its modules.
FORMATS: Mapping[messages.Format, tuple[str, tuple[str, ...]]] = {
    "glb": ("", ()),
    "bvh": ("", ()),
    "usda": ("usd", ("pxr",)),
    "npz": ("", ()),
    "webp": ("render", ("moderngl",)),
    "mp4": ("render", ("moderngl", "imageio_ffmpeg")),
}


#: The speeds at which each method of this package chooses its gaits.
CHOSEN = DATA / "studio" / "chosen.json"


@dataclass(frozen=True)
class MethodRanges:
    """One method as its own animal has it: withers [m], bands of gaits [m/s] of each breed, turn [rad/s].

    A method that knows no breeds has the bands of the default one alone.
    """

    info: MethodInfo
    skeleton: Skeleton
    height: float
    bands: Mapping[str, tuple[messages.Band, ...]]
    actions: tuple[str, ...]
    max_turn: float
    extends: bool

    def for_height(self, height: float, breed: str) -> messages.MethodFacts:
        """What an animal of another height can do: speeds go with the root of it, turns with one over it."""
        pace = size_of(self.skeleton, height).pace
        bands = [_scaled(band, pace) for band in self.bands.get(breed, self.bands[DEFAULT_BREED])]
        return messages.MethodFacts(
            name=self.info.name,
            title=self.info.title,
            breeds=list(self.bands) if len(self.bands) > 1 else [],
            gaits=bands,
            actions=list(self.actions),
            max_speed=max(band.high for band in bands),
            max_turn=self.max_turn / pace,
            extends=self.extends,
            jumps=self.info.jumps,
            terrain=self.info.terrain,
            sideways=self.info.sideways,
            backwards=self.info.backwards,
        )


@dataclass(frozen=True)
class Facts:
    """All methods; the names of all gaits that any of them has, in which frames count; file formats that can
    be written here, and those that cannot, each with the extra that it needs."""

    methods: dict[str, MethodRanges]
    gaits: tuple[str, ...]
    formats: tuple[str, ...]
    missing: dict[str, str]
    version: str

    def method(self, name: str) -> MethodRanges:
        """The ranges of a method; UnknownMethod lists those there are."""
        if name not in self.methods:
            raise UnknownMethod(name, self.methods)
        return self.methods[name]

    def check_format(self, name: str) -> None:
        """Refuse a file that cannot be written here, and say what it needs."""
        if name in self.missing:
            raise Refusal(
                "export",
                f".{name} needs packages that are not installed: "
                f"pip install 'hoofbeat[{self.missing[name]}]'. Ready here: {', '.join(self.formats)}",
            )

    def height(self, method: str) -> float:
        """Withers of the method's own animal [m]."""
        return self.method(method).height

    def hello(
        self,
        token: str,
        resumed: Literal["new", "kept", "restored"],
        method: str,
        breed: str,
        height: float,
        quotas: Quotas,
    ) -> messages.Hello:
        """The first message to a client whose horse is of this method, breed and height."""
        limits = messages.Limits(
            message_bytes=messages.MAX_MESSAGE,
            messages_per_second=quotas.messages_per_second,
            plan_bytes=messages.MAX_PLAN,
            recording_frames=messages.MAX_FRAMES,
            recordings=quotas.recordings,
            name_length=messages.NAME,
            window=quotas.window,
        )
        return messages.Hello(
            protocol=messages.PROTOCOL,
            version=self.version,
            session=token,
            resumed=resumed,
            rate=messages.RATE,
            skeleton=self.skeleton(method),
            gaits=list(self.gaits),
            methods=[ranges.for_height(height, breed) for ranges in self.methods.values()],
            method=method,
            breed=breed,
            breeds=list(BREEDS),
            coats=list(messages.COATS),
            terrains=list(messages.TERRAINS),
            heights=HEIGHTS,
            time_scales=list(messages.TIME_SCALES),
            formats=list(self.formats),
            missing_formats=[
                messages.MissingFormat(format=name, extra=extra) for name, extra in self.missing.items()
            ],
            skin=f"/api/skins/{method}.glb",
            limits=limits,
        )

    def skeleton(self, method: str) -> messages.SkeletonFacts:
        """The skeleton of a method, in its own size."""
        found = self.method(method).skeleton
        legs = [messages.LegFacts(**vars(leg)) for leg in found.legs]
        return messages.SkeletonFacts(
            names=list(found.names),
            parents=found.parents.tolist(),
            offsets=[(float(x), float(y), float(z)) for x, y, z in found.offsets],
            ends=found.ends.tolist(),
            legs=legs,
            height=self.height(method),
            hip=hip_height(found),
        )


def gather_facts() -> Facts:
    """Make one horse of every method and breed and ask it."""
    methods: dict[str, MethodRanges] = {}
    gaits: dict[str, None] = {}
    for name in installed_methods():
        info, herd = method_info(name), Herd(1, name)
        method = herd.method
        bands = (
            {breed: _bands(herd, name, breed=breed) for breed in BREEDS}
            if "breed" in info.options()
            else {DEFAULT_BREED: _bands(herd, name)}
        )
        methods[name] = MethodRanges(
            info, herd.skeleton, herd.height, bands, method.actions, float(method.max_turn), method.extends
        )
        gaits |= dict.fromkeys(herd.gaits)
    formats, missing = available_formats()
    return Facts(methods, tuple(gaits), formats, missing, version("hoofbeat"))


def _bands(herd: Herd, method: str, **options: Any) -> tuple[messages.Band, ...]:
    """The gaits of a herd with the speeds of each; options: of the method."""
    chosen = shipped_speeds().get(method, {}).get(options.get("breed", ""))
    if chosen is None:  # a method of another package
        chosen = chosen_speeds(method, float(herd.bands.max()), **options)
    return tuple(
        messages.Band(gait=gait, low=float(low), high=float(high), chosen_from=span[0], chosen_to=span[1])
        for gait, (low, high) in zip(herd.gaits, herd.bands, strict=True)
        for span in (chosen.get(gait) or chosen.get(other_lead(gait), (None, None)),)
    )


@cache
def shipped_speeds() -> dict[str, dict[str, dict[str, tuple[float, float]]]]:
    """`chosen_speeds` of the methods of this package, by method and breed ("" = it knows none), from a file:
    riding a network at every speed would keep the port shut for ten seconds."""
    return json.loads(CHOSEN.read_text(encoding="utf-8"))


def write_speeds(path: Path = CHOSEN) -> None:
    """Make the file of `shipped_speeds` again: `python -m hoofbeat.studio.facts`."""
    found: dict[str, dict[str, Any]] = {}
    for info in OWN:
        for breed in BREEDS if "breed" in info.options() else ("",):
            options: dict[str, Any] = {"breed": breed} if breed else {}
            fastest = float(Herd(1, info.name, **options).bands.max())
            found.setdefault(info.name, {})[breed] = chosen_speeds(info.name, fastest, **options)
    write_bytes(path, (json.dumps(found, indent=1) + "\n").encode())


def chosen_speeds(method: str, fastest: float, **options: Any) -> dict[str, tuple[float, float]]:
    """Speeds [m/s] from and to which each gait is chosen where none is pinned: a herd, each at its own speed,
    is ridden until it is steady, and asked. options: of the method."""
    speeds = np.arange(PROBE, fastest + PROBE / 2, PROBE)
    herd = Herd(len(speeds), method, **options)
    for _ in range(round(STEADY / LONGEST)):
        herd.advance(Command(speed=speeds), LONGEST)
    found: dict[str, tuple[float, float]] = {}
    for speed, gait in zip(speeds.tolist(), herd.frame().going_to, strict=True):
        found[gait] = found.get(gait, (round(speed - PROBE, 3), speed))[0], round(speed, 3)
    return found


def _scaled(band: messages.Band, factor: float) -> messages.Band:
    """The band of an animal whose speeds are `factor` times as great."""
    ends = [None if speed is None else speed * factor for speed in (band.chosen_from, band.chosen_to)]
    low, high = band.low * factor, band.high * factor
    return messages.Band(gait=band.gait, low=low, high=high, chosen_from=ends[0], chosen_to=ends[1])


def available_formats() -> tuple[tuple[str, ...], dict[str, str]]:
    """Those of FORMATS that can be written here, and the others, each with the extra that it needs."""
    missing = {
        name: extra
        for name, (extra, modules) in FORMATS.items()
        if any(importlib.util.find_spec(module) is None for module in modules)
    }
    return tuple(name for name in FORMATS if name not in missing), dict(missing)


@lru_cache(maxsize=16)
def skin(skeleton: Skeleton, coat: str, level: str) -> bytes:
    """A .glb of the skeleton at rest with the body that files get, in a coat and a level of detail."""
    rest = np.zeros((1, len(skeleton), 4))
    rest[..., 3] = 1
    low = float(skeleton.rest_positions()[:, 1].min())
    clip = Clip(skeleton, rest, np.array([[0.0, -low, 0.0]]), messages.RATE, name="rest")
    return format_glb(clip, skin=dress_of(skeleton, level, coat))


if __name__ == "__main__":
    write_speeds()
