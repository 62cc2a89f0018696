"""Rides: what is compiled ahead is what these call, found out by running them as plain Python.

Each ride is what people do: step a horse of a method, play a clip, write and read a file, skin a pose. A
kernel that a ride calls from Python, with the types it calls it with, is an entry of the core library;
kernels that it calls itself come along.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hoofbeat.body.mesh.skin import load_skin, skinned
from hoofbeat.formats.bvh.reader import parse_bvh
from hoofbeat.formats.bvh.writer import format_bvh
from hoofbeat.horse import Herd
from hoofbeat.maths.fk import forward
from hoofbeat.maths.jit.arguments import serves
from hoofbeat.maths.jit.kernel import Kernel, recording
from hoofbeat.maths.spring import fade
from hoofbeat.methods.catalog import OWN
from hoofbeat.methods.froude.method import FroudeMethod
from hoofbeat.methods.froude.model.inputs import HORSE_INPUTS, read_inputs
from hoofbeat.methods.neural.method import NeuralMethod
from hoofbeat.offline.core.silent import silent_model
from hoofbeat.record import Recorder
from hoofbeat.records import Command
from hoofbeat.world.terrain import Terrain

#: Rows of the table over Froude numbers that `froude` makes: its kernels are the same for two as for all.
FEW_ROWS = 2


@dataclass(frozen=True)
class Entry:
    """One kernel to compile ahead, for arguments of the types of `args`; key: these types."""

    kernel: Kernel
    key: str
    args: tuple[Any, ...]


def recorded_entries() -> list[Entry]:
    """Every kernel that the rides call from Python, once for each combination of types."""
    with recording() as found, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for ride in RIDES:
            ride()
    entries = [Entry(kernel, key, args) for (_, key), (kernel, args) in found.items()]
    return [one for one in entries if not any(_replaces(other, one) for other in entries)]


def _replaces(one: Entry, other: Entry) -> bool:
    """Whether what is compiled for one entry serves another as well."""
    return one is not other and one.kernel is other.kernel and serves(one.key, other.key)


def ride_methods() -> None:
    """Two characters of every method, on level ground: arrays of one lie denser than most."""
    made: dict[str, Callable[[], Any]] = {
        "froude": lambda: FroudeMethod(read_inputs(HORSE_INPUTS), rows=FEW_ROWS),
        "neural": lambda: NeuralMethod(silent_model()),
    }
    for info in OWN:
        Herd(2, made.get(info.name, info.make)()).step(Command(speed=1.0))


def ride_the_world() -> None:
    """Uneven ground, feet that are not held, an animal of another height, and what is called by itself."""
    worlds: tuple[dict[str, Any], ...] = ({"terrain": "hills"}, {"lock": False}, {"height": 1.6})
    for options in worlds:
        Herd(2, **options).step(Command(speed=1.0, turn=0.3))
    Terrain.hills().heights(np.zeros(2), np.ones(2))
    Herd(2).held(Command(speed=1.0))
    fade(np.zeros(2), np.zeros(2), 0.1, 0.1)


def ride_clips() -> None:
    """A recording, its kinematics in both precisions, its file, its skin."""
    herd = Herd(1)
    recorder = Recorder(herd.skeleton, character=0)
    for _ in range(3):
        recorder.add(herd.step(Command(speed=1.0)))
    clip = recorder.clip()
    skeleton, places = clip.skeleton, clip.positions
    for dtype in (np.float32, np.float64):
        forward(skeleton.parents, skeleton.offsets, clip.rotations.astype(dtype), places[:, 0].astype(dtype))
    parse_bvh(format_bvh(clip))
    few = slice(0, 1)
    skinned(load_skin(level="low"), skeleton, places[few], clip.rotations[few])


#: In this order: what an early ride finds, a later one need not.
RIDES: tuple[Callable[[], None], ...] = (ride_methods, ride_the_world, ride_clips)
