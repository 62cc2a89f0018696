"""Facts: what this installation can do, gathered once before the port opens, and told in `hello`."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import Literal

import numpy as np

from hoofbeat.body.clip import Clip
from hoofbeat.body.mesh.shipped import dress_of
from hoofbeat.body.size import HEIGHTS, hip_height, size_of
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import UnknownMethod
from hoofbeat.export import endings
from hoofbeat.formats.gltf.writer.save import format_glb
from hoofbeat.gaits.gait import other_lead
from hoofbeat.horse import Herd
from hoofbeat.methods.catalog import installed_methods, method_info
from hoofbeat.records import Command
from hoofbeat.studio.settings import Quotas
from hoofbeat.studio.wire import messages
from hoofbeat.world.limits import LONGEST

#: How finely speeds are probed [m/s], and how long a horse needs to be steady [s].
PROBE, STEADY = 0.05, 8.0
#: Formats that recordings are exported to, and the package that one needs besides our own writer.
FORMATS = {"glb": None, "bvh": None, "usda": "pxr", "npz": None, "webp": None, "mp4": "imageio_ffmpeg"}


@dataclass(frozen=True)
class MethodRanges:
    """One method as its own animal has it: withers [m], bands of gaits [m/s], turn [rad/s]."""

    name: str
    skeleton: Skeleton
    height: float
    bands: tuple[messages.Band, ...]
    actions: tuple[str, ...]
    max_turn: float
    extends: bool

    def for_height(self, height: float) -> messages.MethodFacts:
        """What an animal of another height can do: speeds go with the root of it, turns with one over it."""
        pace = size_of(self.skeleton, height).pace
        bands = [_paced(band, pace) for band in self.bands]
        return messages.MethodFacts(
            name=self.name,
            gaits=bands,
            actions=list(self.actions),
            max_speed=max(band.high for band in bands),
            max_turn=self.max_turn / pace,
            extends=self.extends,
            jumps=method_info(self.name).jumps,
        )


@dataclass(frozen=True)
class Facts:
    """All methods, and the names of all gaits that any of them has: frames count in this list."""

    methods: dict[str, MethodRanges]
    gaits: tuple[str, ...]
    formats: tuple[str, ...]
    version: str

    def method(self, name: str) -> MethodRanges:
        """The ranges of a method; UnknownMethod lists those there are."""
        if name not in self.methods:
            raise UnknownMethod(name, self.methods)
        return self.methods[name]

    def height(self, method: str) -> float:
        """Withers of the method's own animal [m]."""
        return self.method(method).height

    def hello(
        self,
        token: str,
        resumed: Literal["new", "kept", "restored"],
        method: str,
        height: float,
        quotas: Quotas,
    ) -> messages.Hello:
        """The first message to a client whose horse is of this method and height."""
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
            methods=[ranges.for_height(height) for ranges in self.methods.values()],
            method=method,
            coats=list(messages.COATS),
            terrains=list(messages.TERRAINS),
            heights=HEIGHTS,
            paces=list(messages.PACES),
            formats=list(self.formats),
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


def gather() -> Facts:
    """Make one horse of every method and ask it."""
    methods: dict[str, MethodRanges] = {}
    gaits: dict[str, None] = {}
    for name in installed_methods():
        herd = Herd(1, name)
        method, taken = herd.method, taken_gaits(name, float(herd.bands.max()))
        bands = tuple(
            messages.Band(gait=gait, low=float(low), high=float(high), taken_from=span[0], taken_to=span[1])
            for gait, (low, high) in zip(herd.gaits, herd.bands, strict=True)
            for span in (taken.get(gait) or taken.get(other_lead(gait), (None, None)),)
        )
        methods[name] = MethodRanges(
            name, herd.skeleton, herd.height, bands, method.actions, float(method.max_turn), method.extends
        )
        gaits |= dict.fromkeys(herd.gaits)
    return Facts(methods, tuple(gaits), available_formats(), version("hoofbeat"))


def taken_gaits(method: str, fastest: float) -> dict[str, tuple[float, float]]:
    """Speeds [m/s] from and to which each gait is taken where none is pinned: a herd, each at its own speed,
    is ridden until it is steady, and asked."""
    speeds = np.arange(PROBE, fastest + PROBE / 2, PROBE)
    herd = Herd(len(speeds), method)
    for _ in range(round(STEADY / LONGEST)):
        herd.advance(Command(speed=speeds), LONGEST)
    found: dict[str, tuple[float, float]] = {}
    for speed, gait in zip(speeds.tolist(), herd.frame().going_to, strict=True):
        found[gait] = found.get(gait, (round(speed - PROBE, 3), speed))[0], round(speed, 3)
    return found


def _paced(band: messages.Band, pace: float) -> messages.Band:
    """The band of an animal whose speeds are `pace` times as great."""
    taken = [None if speed is None else speed * pace for speed in (band.taken_from, band.taken_to)]
    low, high = band.low * pace, band.high * pace
    return messages.Band(gait=band.gait, low=low, high=high, taken_from=taken[0], taken_to=taken[1])


def available_formats() -> tuple[str, ...]:
    """Those of FORMATS that can be written here."""
    known = endings()
    return tuple(
        name
        for name, package in FORMATS.items()
        if f".{name}" in known and (package is None or importlib.util.find_spec(package) is not None)
    )


@lru_cache(maxsize=16)
def skin(skeleton: Skeleton, coat: str, level: str) -> bytes:
    """A .glb of the skeleton at rest with the body that files get, in a coat and a level of detail."""
    rest = np.zeros((1, len(skeleton), 4))
    rest[..., 3] = 1
    low = float(skeleton.rest_positions()[:, 1].min())
    clip = Clip(skeleton, rest, np.array([[0.0, -low, 0.0]]), messages.RATE, name="rest")
    return format_glb(clip, skin=dress_of(skeleton, level, coat))
