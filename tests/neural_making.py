"""Networks made by hand for tests: small ONNX files whose weights say what they do."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hoofbeat.body.labelled import LabelledClip, Rig, in_root_space
from hoofbeat.body.skeleton import Leg, Skeleton
from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.maths import quat
from hoofbeat.methods.neural.network import layout as names
from hoofbeat.methods.neural.network.layout import NOW, RATE, SAMPLES, Layout

#: Told nodes of the thesis's horse: trunk, neck, head, tail, legs and toes.
TOLD = (
    "RootSacrum", "SacrumLower", "FemurRight", "TibiaRight", "MTarsusRight", "PhalangesRight",
    "EFRearHoofRight_end", "FemurLeft", "TibiaLeft", "MTarsusLeft", "PhalangesLeft", "EFRearHoofLeft_end",
    "Tail08", "Thoracic03", "Cervical07", "Cervical04", "Head", "ScapulaRight", "HumerusRight", "RadiusRight",
    "CannonRight", "ForePhalangesRight", "EFForeHoofRight_end", "ScapulaLeft", "HumerusLeft", "RadiusLeft",
    "CannonLeft", "ForePhalangesLeft", "EFForeHoofLeft_end",
)  # fmt: skip
GAITS = ("stand", "walk", "trot", "canter-left", "canter-right")
ACTIONS = ("move", "idle", "sit", "jump")
EXPERTS = 8
#: What training tells of its runs, as the file beside the networks has it.
FIGURES: dict[str, Any] = {
    "network": "mann8",
    "parameters": 10,
    "settings": {"batch": 32, "seeds": [0, 1]},
    "data": {"file": "dog.npz", "sha256": "0", "rows": 5, "shown": 6},
    "machine": "none",
    "seconds": 1.0,
    "command": "hoofbeat train",
    "curve": [{"train": [0.5, 0.6], "test": [0.7, 0.8]}] * 2,
}


def need_onnx() -> None:
    """Skip where the packages that make and run networks are missing."""
    pytest.importorskip(
        "onnx", reason="onnx makes the networks of these tests: pip install 'hoofbeat[train]'"
    )
    pytest.importorskip("onnxruntime", reason="onnxruntime runs networks: pip install 'hoofbeat[neural]'")


def horse_rig(actions: tuple[str, ...] = GAITS, told: tuple[str, ...] | None = TOLD) -> Rig:
    """The thesis's horse; told None = every node."""
    skeleton = read_scene(THESIS_HORSE).skeleton
    carried = np.array([skeleton.index(name) for name in told or skeleton.names])
    mirror = [skeleton.index(_other_side(name)) for name in skeleton.names]
    swaps = [actions.index(_other_side(name)) for name in actions]
    return Rig(skeleton, carried, np.array(mirror), 0, actions, np.array(swaps))


def dog_rig(actions: tuple[str, ...] = ACTIONS) -> Rig:
    """A dog as recordings have it: with no rotations all its bones lie along x; paws have no pastern."""
    parts = [
        ("Hips", -1, (0, 0, 0)),
        ("Spine", 0, (0.19, 0, 0)),
        ("Neck", 1, (0.22, 0, 0)),
        ("Head", 2, (0.14, 0, 0)),
    ]
    for side, sign in (("Left", -1), ("Right", 1)):
        first = len(parts)
        parts += [(f"{side}Shoulder", 1, (0.198, 0.0148, sign * 0.043)), (f"{side}Arm", first, (0.08, 0, 0))]
        parts += [(f"{side}ForeArm", first + 1, (0.152, 0, 0)), (f"{side}Hand", first + 2, (0.178, 0, 0))]
        parts += [(f"{side}HandSite", first + 3, (0.072, 0, 0))]
    for side, sign in (("Left", -1), ("Right", 1)):
        first = len(parts)
        parts += [(f"{side}UpLeg", 0, (0.06, -0.077, sign * 0.048)), (f"{side}Leg", first, (0.16, 0, 0))]
        parts += [(f"{side}Foot", first + 1, (0.18, 0, 0)), (f"{side}FootSite", first + 2, (0, -0.108, 0))]
    labels = [part[0] for part in parts]
    at = labels.index
    legs = [
        Leg(name, at(side + words[0]), at(side + words[1]), at(side + words[2]), -1, at(side + words[3]))
        for name, side, words in (
            ("LF", "Left", ("Arm", "ForeArm", "Hand", "HandSite")),
            ("RF", "Right", ("Arm", "ForeArm", "Hand", "HandSite")),
            ("LH", "Left", ("UpLeg", "Leg", "Foot", "FootSite")),
            ("RH", "Right", ("UpLeg", "Leg", "Foot", "FootSite")),
        )
    ]
    ends = [label.endswith("Site") for label in labels]
    skeleton = Skeleton(labels, [part[1] for part in parts], [part[2] for part in parts], ends, legs)
    mirror = np.array([at(_other_side(label)) for label in labels])
    return Rig(skeleton, np.arange(len(labels)), mirror, 2, actions, np.arange(len(actions)))


def _other_side(name: str) -> str:
    for one, other in (("Left", "Right"), ("Right", "Left"), ("left", "right"), ("right", "left")):
        if one in name:
            return name.replace(one, other)
    return name


def standing(rig: Rig) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Local rotations (J, 4) of a standing pose with bent legs, and the root joint (3,) over the ground."""
    skeleton = rig.skeleton
    rotations = quat.identity((len(skeleton),), np.float32)
    if skeleton.names[0] == "Hips":
        # From bones along x to a trunk along z, legs hanging down, joints bent as a dog's.
        turn = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), -np.pi / 2)
        rotations[0] = turn
        for leg in skeleton.legs:
            bends = (-1.4, -0.4, 0.2) if leg.name in ("LF", "RF") else (-0.7, -1.6, 1.4)
            for joint, bend in zip((leg.top, leg.mid, leg.low), bends, strict=True):
                rotations[joint] = quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), bend)
    places, _ = in_root_space(skeleton, rotations[None], np.zeros((1, 3), np.float32))
    low = places[0, list(rig.toes), 1].min()
    return rotations, np.array([0.0, -low, 0.0], np.float32)


def wild_clip(rig: Rig, frames: int = 200, seed: int = 0) -> LabelledClip:
    """A clip in which everything moves: joints, root, actions."""
    rng = np.random.default_rng(seed)
    still, origin = standing(rig)
    time = np.arange(frames)[:, None, None] / RATE
    shape = (1, len(rig.skeleton), 3)
    swing = 0.3 * np.sin(2 * np.pi * (rng.uniform(0.5, 2, shape) * time + rng.random(shape)))
    swing[:, rig.skeleton.ends] = 0
    rotations = quat.mul(still, quat.exp(swing)).astype(np.float32)
    origins = np.tile(origin, (frames, 1))
    origins[:, 1] += 0.02 * np.sin(np.arange(frames) / 9)
    turn = 1.5 * np.sin(np.arange(frames) / 40)
    heading = np.cumsum(turn) / RATE + rng.uniform(-3, 3)
    pace = 1.5 + np.sin(np.arange(frames) / 25)
    way = np.cumsum(np.stack([pace * np.sin(heading), pace * np.cos(heading)], 1), axis=0) / RATE
    root = np.column_stack([way + rng.uniform(-5, 5, 2), heading])
    actions = (np.arange(frames) // 23 % len(rig.actions)).astype(np.int8)
    used, copies = np.ones(frames, bool), np.ones(frames, np.uint8)
    return LabelledClip("wild", rotations, origins, root, actions, used, copies)


@dataclass(frozen=True)
class Linear:
    """y = x @ weights + shift, which is all that these networks do."""

    weights: NDArray[np.float32]
    shift: NDArray[np.float32]


def follower(rig: Rig) -> Linear:
    """A network that keeps its pose and goes the way that it is shown."""
    layout = Layout.of(rig)
    inputs, outputs = layout.inputs, layout.outputs
    weights = np.zeros((inputs.size, outputs.size), np.float32)
    rows, columns = np.arange(inputs.size), np.arange(outputs.size)
    # A frame later every sample has come a tenth of the way to the next.
    part = 1 / (SAMPLES[NOW + 1] - SAMPLES[NOW])
    for name in (names.POSITION, names.DIRECTION, names.VELOCITY):
        given, told = inputs.view(rows, name)[NOW:], outputs.view(columns, name)
        weights[given[:-1], told[:-1]] = 1 - part
        weights[given[1:], told[:-1]] = part
        weights[given[-1], told[-1]] = 1
    # It is seen from the root of then, which has moved and turned.
    told = outputs.view(columns, names.POSITION)
    weights[inputs.view(rows, names.VELOCITY)[NOW + 1], told] -= 1 / RATE
    aside = inputs.view(rows, names.DIRECTION)[NOW + 1, 0]
    weights[aside, outputs.view(columns, names.DIRECTION)[:, 0]] -= part
    for name in (names.JOINT, names.AHEAD, names.UP):
        weights[inputs.view(rows, name), outputs.view(columns, name)] = 1
    step = outputs.view(columns, names.STEP)
    weights[inputs.view(rows, names.VELOCITY)[NOW + 1], step[:2]] = 1
    weights[aside, step[2]] = RATE * part
    return Linear(weights, np.zeros(outputs.size, np.float32))


def stepping(rig: Rig, rate: float) -> Linear:
    """A follower with one more output: how far its phase goes in a frame."""
    calm = follower(rig)
    weights = np.concatenate([calm.weights, np.zeros((len(calm.weights), 1), np.float32)], axis=1)
    return Linear(weights, np.append(calm.shift, np.float32(rate / RATE)))


def exploding(rig: Rig) -> Linear:
    """A network that makes everything half as large again in every frame."""
    calm = follower(rig)
    return Linear(calm.weights * np.float32(1.5), calm.shift + np.float32(0.1))


def failing(rig: Rig) -> Linear:
    """A network that answers with NaN."""
    calm = follower(rig)
    return replace(calm, shift=calm.shift * np.float32(np.nan) + np.float32(np.nan))


def description_of(rig: Rig, **changes: Any) -> dict[str, Any]:
    """The description of a network for a rig, with wide ranges."""
    skeleton = rig.skeleton
    rotations, origin = standing(rig)
    size = Layout.of(rig).inputs.size
    low, high = _ranges(rig)
    assert low.shape == (size,)
    tree = {
        "names": list(skeleton.names),
        "parents": skeleton.parents.tolist(),
        "offsets": skeleton.offsets.tolist(),
        "ends": [int(end) for end in skeleton.ends],
        "legs": [[leg.name, leg.top, leg.mid, leg.low, leg.pastern, leg.toe] for leg in skeleton.legs],
    }
    rest = rig.actions.index("stand" if "stand" in rig.actions else "idle")
    return {
        "format": "hoofbeat.network",
        "version": 1,
        "kind": "mann",
        "experts": EXPERTS,
        "rate": 60,
        "skeleton": tree,
        "carried": rig.modelled.tolist(),
        "mirror": rig.mirror.tolist(),
        "axis": rig.axis,
        "actions": list(rig.actions),
        "swaps": rig.swaps.tolist(),
        "stand": {"rotations": rotations.tolist(), "origin": origin.tolist(), "action": rest},
        "low": low.tolist(),
        "high": high.tolist(),
        "speeds": {name: _speeds(name) for name in rig.actions},
        "turn": 2.0,
        "made": {},
        **changes,
    }


def _speeds(action: str) -> list[float]:
    """Least and greatest speed of an action."""
    return (
        [1.0, 9.0] if action == "jump" else [0.0, 1.0] if action in ("stand", "idle", "sit") else [0.0, 9.0]
    )


def _ranges(rig: Rig) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ranges that any ordinary ride keeps to."""
    inputs = Layout.of(rig).inputs
    reach = np.full(inputs.size, 15.0)
    for name in (names.DIRECTION, names.AHEAD, names.UP, names.ACTION):
        reach[inputs.part(name)] = 1.0
    reach[inputs.part(names.JOINT)] = 3.0
    return -reach, reach


def write_network(path: Path, linear: Linear, description: dict[str, Any] | str, phase: bool = False) -> Path:
    """Write a network file."""
    from onnx import TensorProto, helper, numpy_helper

    n, m = linear.weights.shape
    experts = description.get("experts", EXPERTS) if isinstance(description, dict) else EXPERTS
    parts = np.random.default_rng(3).random((experts, 1))
    tensors = {
        # Experts that are all alike, blended unevenly: the sum goes as in a real network.
        "parts": (parts / parts.sum()).astype(np.float32),
        "one": np.array([1], np.int64),
        "weights": linear.weights,
        "shift": linear.shift,
        "keep": np.ones(experts, np.float32),
        "zero": np.zeros((n, experts), np.float32),
        "even": np.full(experts, 1 / experts, np.float32),
    }
    nodes = [
        helper.make_node("Gemm", ["x", "weights", "shift"], ["told"]),
        helper.make_node("Unsqueeze", ["told", "one"], ["every"]),
        helper.make_node("Mul", ["every", "parts"], ["mixed"]),
        helper.make_node("ReduceSum", ["mixed", "one"], ["y"], keepdims=0),
        helper.make_node("Gemm", ["x", "zero", "even"], ["evenly"]),
        helper.make_node("Mul", ["evenly", "keep"], ["gate"]),
    ]
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", n]),
        helper.make_tensor_value_info("keep", TensorProto.FLOAT, [experts]),
    ]
    if phase:
        inputs.append(helper.make_tensor_value_info("phase", TensorProto.FLOAT, ["N"]))
    outputs = [
        helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", m]),
        helper.make_tensor_value_info("gate", TensorProto.FLOAT, ["N", experts]),
    ]
    stored = [numpy_helper.from_array(array, name) for name, array in tensors.items()]
    graph = helper.make_graph(nodes, "made", inputs, outputs, stored)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(
        model, {"hoofbeat": description if isinstance(description, str) else json.dumps(description)}
    )
    path.write_bytes(model.SerializeToString())
    return path
