"""Inputs of method `froude` (M11): power laws, presets, base cycles and adjusters, in one file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from pathlib import Path
from types import MappingProxyType

import numpy as np

from hoofbeat.body.legs.anatomy import leg_table
from hoofbeat.body.size import hip_height
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import FileError
from hoofbeat.formats import files
from hoofbeat.formats.adjusterfile import Adjuster, AdjusterError, read_adjuster, unadjusted
from hoofbeat.formats.yamlfile import Mapping as Keys
from hoofbeat.formats.yamlfile import parse_mapping, shown
from hoofbeat.methods.froude.model.fourier import CurveError, Wave, wave_of
from hoofbeat.methods.froude.model.limb import (
    EXTENT,
    LOW,
    MID,
    SCAPULA,
    STAGES,
    TOP,
    Limbs,
    Wanted,
    measured_limb,
    packed,
)
from hoofbeat.methods.froude.model.load import Load
from hoofbeat.methods.froude.model.similarity import (
    LAWS,
    NATURAL_GAITS,
    PRESETS,
    REFERENCES,
    Law,
    Laws,
    Preset,
)
from hoofbeat.shipped import DATA

Pair = tuple[float, float]

#: The shipped file.
HORSE_INPUTS = DATA / "froude" / "horse.yaml"
FORMAT, VERSION = "hoofbeat froude", 1
#: The waves of a limb's base cycle: the motion of its first joint, then its joints from the trunk down.
CARRIAGE_WAVES = ("pitch", "height", "ahead")
FORE_JOINTS = ("scapula", "shoulder", "elbow", "carpus", "fetlock", "hoof")
HIND_JOINTS = ("hip", "stifle", "hock", "fetlock", "hoof")
#: Pairs of a base cycle, fore and hind, with their least and most.
_NUMBERS = {"duty": (0.1, 0.9), "stance": (0.1, 2.0), "track": (0.0, 0.5)}
#: Angles of a joint that no anatomy limits [rad].
FREE = (-3.0, 3.0)


class InputsError(FileError):
    """A file of inputs with a wrong key, wave or name; it names the line."""


@dataclass(frozen=True)
class Base:
    """One gait's base cycle.

    source: the authored stride; froude: its Froude number; stride: its time [sqrt(h / g)]; touchdown of
    LF, RF, LH, RH; duty, and stance: the length that feet travel under the body, and track: their distance
    from the middle line [hip heights], fore and hind; load: the load of the feet; fore, hind: waves by name;
    trunk_waves: "height" and "sway" of the root joint [hip heights]; trunk: rotation vectors [deg] by (joint,
    axis).
    """

    source: str
    froude: float
    stride: float
    touchdown: tuple[float, float, float, float]
    duty: Pair
    stance: Pair
    track: Pair
    load: Load
    fore: Mapping[str, Wave]
    hind: Mapping[str, Wave]
    trunk_waves: Mapping[str, Wave]
    trunk: Mapping[tuple[str, int], Wave]


@dataclass(frozen=True)
class Inputs:
    """All inputs: laws by symmetry, presets by name, base cycles and adjusters by gait."""

    laws: Mapping[str, Laws]
    presets: Mapping[str, Preset]
    bases: Mapping[str, Base]
    adjusters: Mapping[str, Adjuster]
    path: str = field(default="<memory>", compare=False)


def first_joints(skeleton: Skeleton) -> tuple[int, int, int, int]:
    """The joint that each limb begins with: a foreleg's shoulder blade where it has one, else its top.

    A shoulder blade is a joint above the top that has no other child.
    """
    found: list[int] = []
    for n, leg in enumerate(skeleton.legs):
        above = int(skeleton.parents[leg.top])
        alone = above > 0 and int((skeleton.parents == above).sum()) == 1
        found.append(above if n < 2 and alone else leg.top)
    a, b, c, d = found
    return a, b, c, d


def limbs_of(base: Base, gait: str, skeleton: Skeleton) -> Limbs:
    """The limbs of a gait on a skeleton, its left legs' bones, seen from the side."""
    rest, hip = skeleton.rest_positions(), hip_height(skeleton)
    rows, firsts = leg_table(skeleton), first_joints(skeleton)
    t = np.arange(STAGES) / STAGES
    bones, angles = np.zeros((2, 6, 2)), np.zeros((2, 6, STAGES))
    carriage, ranges = np.zeros((2, 3, STAGES)), np.tile(np.array(FREE), (2, 6, 1))
    for limb, number, waves in ((0, 0, base.fore), (1, 2, base.hind)):
        leg, row = skeleton.legs[number], rows[number]
        chain = _chain(skeleton, number, firsts[number])
        for j, (a, b) in enumerate(zip(chain, chain[1:], strict=False)):
            bones[limb, j] = (rest[b] - rest[a])[1:] / hip
        names = FORE_JOINTS if limb == 0 else HIND_JOINTS
        for j, name in enumerate(names, SCAPULA if limb == 0 else TOP):
            angles[limb, j] = np.radians(waves[name].at(t))
        if firsts[number] == leg.top:
            angles[limb, SCAPULA] = 0.0
        low = rest[firsts[number]] - [0.0, rest[:, 1].min(), 0.0]
        carriage[limb, 0] = np.radians(waves["pitch"].at(t))
        carriage[limb, 1] = low[1] / hip + waves["height"].at(t)
        carriage[limb, 2] = low[2] / hip + waves["ahead"].at(t)
        for j, key in ((MID, "mid"), (LOW, "low")):
            ranges[limb, j] = np.sort(float(row[f"bend_{key}"]) * row[f"{key}_range"])
    stance = np.array(base.stance)
    plain = Limbs(gait, bones, angles, carriage, ranges, stance, stance)
    none = packed([unadjusted(gait, (base.froude, base.froude + 1.0))])
    measured = measured_limb(
        plain, none, Wanted(np.array([base.froude]), stance, stance, np.zeros(1), stance)
    )
    return replace(plain, extent=measured[0, 0, :, EXTENT])


def _chain(skeleton: Skeleton, number: int, first: int) -> list[int]:
    """Seven nodes of a limb, from its first joint to its toe; those it has not stand twice."""
    leg = skeleton.legs[number]
    fetlock = leg.pastern if leg.pastern >= 0 else leg.toe
    above = int(skeleton.parents[leg.toe])
    hoof = above if leg.pastern >= 0 and above > leg.pastern else leg.toe
    return [first, leg.top, leg.mid, leg.low, fetlock, hoof, leg.toe]


def read_inputs(path: str | PathLike[str] = HORSE_INPUTS) -> Inputs:
    """The inputs of a file; adjusters it names lie beside it."""
    return parse_inputs(files.read_bytes(path, error=InputsError), fspath(path))


def parse_inputs(data: bytes, path: str = "<memory>") -> Inputs:
    """The inputs that a YAML text holds. Without laws or presets they are the shipped ones."""
    found = parse_mapping(data, path, InputsError)
    found.finish(("format", "version", "laws", "presets", "adjusters", "cycles"))
    if found.get("format", str) != FORMAT or found.get("version", int) != VERSION:
        raise found.fail(f"expected format {FORMAT!r}, version {VERSION}", "format")
    laws = LAWS
    if "laws" in found.values:
        given = _keys(found, "laws")
        given.finish(LAWS)
        laws = MappingProxyType({name: _laws(_keys(given, name)) for name in LAWS})
    presets: Mapping[str, Preset] = PRESETS
    if "presets" in found.values:
        given = _keys(found, "presets")
        presets = MappingProxyType({name: _preset(name, _keys(given, name)) for name in given.values})
    cycles = _keys(found, "cycles")
    cycles.finish(NATURAL_GAITS)
    bases = {gait: _base(_keys(cycles, gait)) for gait in NATURAL_GAITS}
    return Inputs(laws, presets, MappingProxyType(bases), _adjusters(found), path)


def _keys(found: Keys, key: str) -> Keys:
    value = found.values.get(key)
    if not isinstance(value, Keys):
        raise found.fail(f"{key}: expected names with values, given {shown(value)}", key)
    return value


def _laws(given: Keys) -> Laws:
    given.finish(("fore", "hind", "stride"))
    fore, hind, stride = (Law(*given.numbers(key, 2)) for key in ("fore", "hind", "stride"))
    for key, law in (("fore", fore), ("hind", hind), ("stride", stride)):
        if not (0 < law.a <= 100 and -5 <= law.b <= 5):
            raise given.fail(f"{key}: expected [a, b] with a in (0, 100] and b in [-5, 5]", key)
    return Laws(fore, hind, stride)


def _preset(name: str, given: Keys) -> Preset:
    given.finish(("hysteresis", "reference", *NATURAL_GAITS))
    reference = given.get("reference", str, REFERENCES[-1])
    if reference not in REFERENCES:
        raise given.fail(
            f"reference: expected {' or '.join(REFERENCES)}, given {reference!r:.60}", "reference"
        )
    hysteresis = given.get("hysteresis", float, 0.0)
    if not 0 <= hysteresis < 0.5:
        raise given.fail(f"hysteresis: expected 0 to 0.5, given {hysteresis:g}", "hysteresis")
    borders: dict[str, tuple[float, float]] = {}
    touchdown: dict[str, tuple[float, float, float, float]] = {}
    last = 0.0
    for gait in NATURAL_GAITS:
        own = _keys(given, gait)
        own.finish(("froude", "touchdown"))
        low, high = own.numbers("froude", 2)
        if not last <= low < high <= 200:
            raise own.fail(f"froude: [{low:g}, {high:g}] must rise, from {last:g} on", "froude")
        borders[gait], touchdown[gait], last = (low, high), _touchdown(own), high
    return Preset(name, MappingProxyType(borders), hysteresis, MappingProxyType(touchdown), reference)


def _touchdown(own: Keys) -> tuple[float, float, float, float]:
    a, b, c, d = own.numbers("touchdown", 4)
    if not all(0 <= v < 1 for v in (a, b, c, d)) or c != 0:
        raise own.fail("touchdown: of LF, RF, LH, RH in [0, 1) after LH, which is 0", "touchdown")
    return a, b, c, d


def _base(given: Keys) -> Base:
    given.finish((*_NUMBERS, "source", "froude", "stride", "touchdown", "load", "fore", "hind", "trunk"))
    fore, hind, trunk = (_keys(given, key) for key in ("fore", "hind", "trunk"))
    fore.finish((*CARRIAGE_WAVES, *FORE_JOINTS))
    hind.finish((*CARRIAGE_WAVES, *HIND_JOINTS))
    duty, stance, track = (_pair(given, key) for key in _NUMBERS)
    joints: dict[tuple[str, int], Wave] = {}
    for name in trunk.values:
        if name not in ("height", "sway"):
            own = _keys(trunk, name)
            own.finish("xyz")
            joints |= {(name, "xyz".index(axis)): _wave(own, axis) for axis in own.values}
    return Base(
        given.get("source", str, "unknown"),
        given.get("froude", float),
        given.get("stride", float),
        _touchdown(given),
        duty,
        stance,
        track,
        _load(_keys(given, "load")),
        MappingProxyType({key: _wave(fore, key) for key in (*CARRIAGE_WAVES, *FORE_JOINTS)}),
        MappingProxyType({key: _wave(hind, key) for key in (*CARRIAGE_WAVES, *HIND_JOINTS)}),
        MappingProxyType({key: _wave(trunk, key) for key in ("height", "sway")}),
        MappingProxyType(joints),
    )


def _pair(given: Keys, key: str) -> Pair:
    low, high = _NUMBERS[key]
    a, b = given.numbers(key, 2)
    if not (low <= a <= high and low <= b <= high):
        raise given.fail(f"{key}: expected numbers from {low:g} to {high:g}, given [{a:g}, {b:g}]", key)
    return a, b


def _load(given: Keys) -> Load:
    given.finish(("fore_share", "gyration", "dip", "skew", "weight"))
    share, gyration = given.get("fore_share", float, 0.58), given.get("gyration", float, 0.75)
    dip, skew = given.numbers("dip", 2, (0.0, 0.0)), given.numbers("skew", 2, (0.0, 0.0))
    a, b, c, d = given.numbers("weight", 4, (1.0, 1.0, 1.0, 1.0))
    if not (0.1 <= share <= 0.9 and 0.1 <= gyration <= 3 and min(a, b, c, d) > 0.1):
        raise given.fail("expected fore_share 0.1 to 0.9, gyration 0.1 to 3 m and weights above 0.1")
    if max(map(abs, (*dip, *skew))) > 0.6:
        raise given.fail("dip and skew: expected numbers from -0.6 to 0.6")
    return Load(share, gyration, (dip[0], dip[1]), (skew[0], skew[1]), (a, b, c, d))


def _wave(given: Keys, key: str) -> Wave:
    try:
        return wave_of(given.values.get(key))
    except CurveError as problem:
        raise given.fail(f"{key}: {problem}", key) from None


def _adjusters(found: Keys) -> Mapping[str, Adjuster]:
    given = _keys(found, "adjusters")
    given.finish(NATURAL_GAITS)
    out: dict[str, Adjuster] = {}
    for gait in NATURAL_GAITS:
        name = given.get(gait, str)
        path = Path() if found.path == "<memory>" else Path(found.path).parent
        try:
            out[gait] = read_adjuster(path / name)
        except AdjusterError as problem:
            raise given.fail(f"{gait}: {problem}", gait) from None
        if out[gait].gait != gait:
            raise given.fail(f"{gait}: {name} adjusts the {out[gait].gait}", gait)
    return MappingProxyType(out)
