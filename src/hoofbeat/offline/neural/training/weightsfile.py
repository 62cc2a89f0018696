"""Weights files: a trained network with all that makes it usable, as plain arrays in an .npz, no pickle."""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.labelled import Rig
from hoofbeat.errors import FileError
from hoofbeat.formats.arrays import pack_arrays
from hoofbeat.formats.arrays import read_arrays as unpack
from hoofbeat.formats.files import read_bytes, write_bytes
from hoofbeat.methods.neural.network.description import rig_of
from hoofbeat.methods.neural.network.layout import Layout
from hoofbeat.offline.neural.data.samples import SampleFacts, Scale
from hoofbeat.offline.neural.training.network import NetworkShape

FORMAT, VERSION = "hoofbeat.weights", 1
MAX_BYTES = 1 << 30
Arrays = dict[str, NDArray[Any]]


class WeightsError(FileError):
    """A file of weights or a checkpoint that cannot be read, or that belongs to something else."""


@dataclass(frozen=True, eq=False)
class Trained:
    """One network: shape, weights by name (K experts, no ensemble), scales, rig, facts, how it was made.

    rows (R, n): some scaled inputs of its data, from which activations of an 8-bit network are scaled.
    """

    shape: NetworkShape
    weights: Arrays
    inward: Scale
    outward: Scale
    rig: Rig
    facts: SampleFacts
    rows: NDArray[np.float32]
    made: dict[str, Any]

    @property
    def layout(self) -> Layout:
        """Its columns."""
        return Layout.of(self.rig)


def write_weights(path: str | PathLike[str], trained: Trained, half: bool = False) -> None:
    """Write a network; half: weights as 16-bit numbers, half as large and good to three digits."""
    kind = np.float16 if half else np.float32
    arrays: Arrays = {f"weight.{name}": value.astype(kind) for name, value in trained.weights.items()}
    for name, scale in (("inward", trained.inward), ("outward", trained.outward)):
        arrays[f"{name}.mean"], arrays[f"{name}.spread"] = scale.mean, scale.spread
    facts = trained.facts
    arrays |= {"stand.rotations": facts.stand_rotations, "stand.origin": facts.stand_origin}
    arrays |= {"bends": facts.bends}
    arrays |= {"low": facts.low, "high": facts.high, "rows": trained.rows.astype(np.float16)}
    about = {
        "format": FORMAT,
        "version": VERSION,
        "shape": trained.shape.__dict__,
        "rig": rig_json(trained.rig),
        "stand_action": facts.stand_action,
        "speeds": facts.speeds,
        "turn": facts.turn,
        "made": trained.made,
    }
    write_arrays(path, arrays, about)


def read_weights(path: str | PathLike[str]) -> Trained:
    """Read a network; anything else raises WeightsError."""
    arrays, about = read_weight_arrays(path)
    if about.get("format") != FORMAT or about.get("version") != VERSION:
        raise WeightsError(f"this is no {FORMAT} of version {VERSION}", path)
    try:
        facts = SampleFacts(
            arrays["stand.rotations"],
            arrays["stand.origin"],
            int(about["stand_action"]),
            arrays["low"],
            arrays["high"],
            {name: (float(low), float(high)) for name, (low, high) in about["speeds"].items()},
            float(about["turn"]),
            arrays["bends"],
        )
        found = Trained(
            NetworkShape(**about["shape"]),
            {
                k.removeprefix("weight."): v.astype(np.float32)
                for k, v in arrays.items()
                if k.startswith("weight.")
            },
            Scale(arrays["inward.mean"], arrays["inward.spread"]),
            Scale(arrays["outward.mean"], arrays["outward.spread"]),
            rig_of(about["rig"]),
            facts,
            arrays["rows"].astype(np.float32),
            about["made"],
        )
    except (KeyError, TypeError, ValueError) as problem:
        raise WeightsError(f"a part is missing or wrong: {problem}", path) from problem
    _check(found, path)
    return found


def _check(trained: Trained, path: str | PathLike[str]) -> None:
    shape = trained.shape
    for k, (n, m) in enumerate(shape.layers):
        if trained.weights.get(f"w{k}", np.zeros(0)).shape != (n, shape.experts, m):
            raise WeightsError(f"layer {k} must have weights of shape {(n, shape.experts, m)}", path)
    if not all(np.isfinite(value).all() for value in trained.weights.values()):
        raise WeightsError("weights hold NaN or infinity", path)


def rig_json(rig: Rig) -> dict[str, Any]:
    """A rig in plain values; `network.description.rig_of` is the inverse."""
    skeleton = rig.skeleton
    legs = [[leg.name, leg.top, leg.mid, leg.low, leg.pastern, leg.toe] for leg in skeleton.legs]
    return {
        "skeleton": {
            "names": list(skeleton.names),
            "parents": skeleton.parents.tolist(),
            "offsets": skeleton.offsets.tolist(),
            "ends": skeleton.ends.tolist(),
            "legs": legs,
        },
        "carried": rig.modelled.tolist(),
        "mirror": rig.mirror.tolist(),
        "axis": rig.axis,
        "actions": list(rig.actions),
        "swaps": rig.swaps.tolist(),
    }


def write_arrays(path: str | PathLike[str], arrays: Arrays, about: dict[str, Any]) -> None:
    """Named arrays and a JSON text in one .npz, atomically."""
    text = np.frombuffer(json.dumps(about).encode(), np.uint8)
    write_bytes(path, pack_arrays({"about": text, **arrays}, compress=False), WeightsError)


def read_weight_arrays(path: str | PathLike[str]) -> tuple[Arrays, dict[str, Any]]:
    """The inverse of `write_arrays`; a truncated or foreign file raises WeightsError."""
    data = read_bytes(path, MAX_BYTES, WeightsError)
    try:
        arrays = unpack(data, path, MAX_BYTES, WeightsError)
        about = json.loads(arrays.pop("about").tobytes().decode())
    except WeightsError as problem:
        raise WeightsError(f"this is no file of weights, or cut short: {problem.reason}", path) from None
    except (ValueError, KeyError) as problem:
        raise WeightsError(f"this is no file of weights: {problem}", path) from problem
    if not isinstance(about, dict):
        raise WeightsError("this is no file of weights", path)
    return arrays, about
