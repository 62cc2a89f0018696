"""ONNX files: a trained network for run time, scales inside, as 32-bit floats or 8-bit integers.

The 8-bit network has one scale for each activation, found beforehand on rows of the data (static): what one
character does never changes the numbers of another in the same batch. Weights keep to 7 bits, so that no
processor's 16-bit sums overflow; those of the last layer, whose errors nothing evens out, have two parts.

Nodes are few, for with empty caches each costs microseconds, and no node sums over experts of several rows at
once: such a sum is computed in another order for one row than for many (see `Model`). Hidden layers have a
multiple of 16 units, for Elu rounds what is left over at the end of an array differently.
"""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from hoofbeat.formats.files import write_bytes
from hoofbeat.methods.neural.network.layout import RATE
from hoofbeat.offline.neural.training.weightsfile import Trained, rig_json

#: The ONNX operators and file version that are written: old enough for every onnxruntime since 1.14.
OPSET, IR = 17, 8
FORMAT, VERSION = "hoofbeat.network", 1
#: Activations beyond the range of the sample by more than this part of it are cut off.
HEADROOM = 0.1
MOST_ACTIVATION, MOST_WEIGHT, MIDDLE = 127, 64, 128
#: The last layer, whose weights have a second, finer part.
FINE = 2

Floats = NDArray[np.float32]


class _Graph:
    """Nodes and constants in the order in which they are made."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, value: Any) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add(self, kind: str, inputs: list[str], name: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name


def write_network(path: str | PathLike[str], trained: Trained, whole: bool = False) -> Path:
    """Write a network as 32-bit floats or, whole, as 8-bit integers."""
    return write_bytes(path, network_model(trained, whole).SerializeToString(deterministic=True))


def network_model(trained: Trained, whole: bool = False) -> onnx.ModelProto:
    """The model of a network: x (N, n) [and phase (N,)] -> y (N, m), gate (N, K); keep (K,), 1 by default."""
    graph, shape = _Graph(), trained.shape
    scaled = _scaled(graph, trained)
    blend = _gate(graph, trained, scaled)
    sample = trained.rows if whole else None
    blends = None if sample is None else gate_rows(trained, sample)
    h = scaled
    for k in range(len(shape.layers)):
        every = _every(graph, trained, k, h, sample)
        if whole and k == FINE:
            # Both parts of an expert's weights count as much as the expert.
            blend = graph.add("Concat", [blend, blend], "blend_fine", axis=2)
        h = graph.add("MatMul", [blend, every], f"sum{k}")  # (N, 1, m)
        if k < 2:
            h = graph.add("Elu", [h], f"h{k + 1}")
        if sample is not None and blends is not None:
            sample = layer_rows(trained, k, sample, blends)
    flat = graph.constant("flat", np.array([-1, shape.outputs], np.int64))
    mean = graph.constant("out_mean", trained.outward.mean)
    graph.add("Add", [graph.add("Reshape", [h, flat], "out"), mean], "y")
    return _model(graph, trained, "int8" if whole else "float32")


def _scaled(graph: _Graph, trained: Trained) -> str:
    mean = graph.constant("in_mean", trained.inward.mean)
    inverse = graph.constant("in_inverse", (1 / trained.inward.spread).astype(np.float32))
    return graph.add("Mul", [graph.add("Sub", ["x", mean], "centred"), inverse], "scaled")


def _gate(graph: _Graph, trained: Trained, scaled: str) -> str:
    """Coefficients (N, 1, K) and the output `gate` (N, K)."""
    kind, weights = trained.shape.kind, trained.weights
    if kind == "mann":
        h = graph.add("Gather", [scaled, graph.constant("gating", trained.layout.gating)], "gates", axis=1)
        for k in range(3):
            names = [graph.constant(f"{letter}{k}", weights[f"{letter}{k}"]) for letter in "vc"]
            h = graph.add("Gemm", [h, *names], f"gate{k}")
            h = graph.add("Elu", [h], f"gate{k}_elu") if k < 2 else graph.add("Softmax", [h], "share", axis=1)
    elif kind == "pfnn":
        h = _spline(graph, trained.shape.experts)
    else:
        # One set of weights: its coefficient is 1 for every row.
        first = graph.add(
            "ReduceSum", [scaled, graph.constant("columns", np.array([1], np.int64))], "row_sums"
        )
        h = graph.add(
            "Exp",
            [graph.add("Mul", [first, graph.constant("nil", np.zeros(1, np.float32))], "nils")],
            "share",
        )
    graph.add("Mul", [h, "keep"], "gate")
    return graph.add("Unsqueeze", ["gate", graph.constant("middle", np.array([1], np.int64))], "blend")


def _spline(graph: _Graph, points: int) -> str:
    """Catmull-Rom weights around a closed curve, as a table of `points` bumps at the distance from each."""
    places = graph.constant("places", np.arange(points, dtype=np.float32)[None])
    count = graph.constant("points", np.float32(points))
    column = graph.add("Unsqueeze", ["phase", graph.constant("second", np.array([1], np.int64))], "phases")
    away = graph.add("Sub", [graph.add("Mul", [column, count], "along"), places], "away0")
    # Nearest way round the circle: in [-points / 2, points / 2).
    half = graph.constant("half", np.float32(points / 2))
    turned = graph.add("Mod", [graph.add("Add", [away, half], "away1"), count], "away2", fmod=1)
    turned = graph.add("Mod", [graph.add("Add", [turned, count], "away3"), count], "away4", fmod=1)
    d = graph.add("Abs", [graph.add("Sub", [turned, half], "away5")], "distance")
    near = _cubic(graph, "near", d, (1.5, -2.5, 0.0, 1.0))
    far = _cubic(graph, "far", d, (-0.5, 2.5, -4.0, 2.0))
    inside = graph.add("Less", [d, graph.constant("one", np.float32(1))], "inside")
    bump = graph.add("Where", [inside, near, far], "bump")
    within = graph.add("Less", [d, graph.constant("two", np.float32(2))], "within")
    return graph.add("Where", [within, bump, graph.constant("none", np.float32(0))], "share")


def _cubic(graph: _Graph, name: str, x: str, factors: tuple[float, ...]) -> str:
    total = graph.constant(f"{name}_f0", np.float32(factors[0]))
    for n, factor in enumerate(factors[1:], 1):
        product = graph.add("Mul", [total, x], f"{name}_p{n}")
        total = graph.add(
            "Add", [product, graph.constant(f"{name}_f{n}", np.float32(factor))], f"{name}_s{n}"
        )
    return total


def _every(graph: _Graph, trained: Trained, k: int, h: str, sample: Floats | None) -> str:
    """What every expert makes of a layer's inputs, (N, K, m); (N, 2 K, m) where weights have two parts."""
    n, m = trained.shape.layers[k]
    experts = trained.shape.experts
    # The spread of outputs is in the last layer's weights: a node less.
    spread = np.tile(trained.outward.spread if k == FINE else np.ones(m, np.float32), experts)
    weights = trained.weights[f"w{k}"].reshape(n, experts * m) * spread
    bias = trained.weights[f"b{k}"].reshape(experts * m) * spread
    if sample is None:
        product = graph.add("MatMul", [h, graph.constant(f"w{k}", weights)], f"product{k}")
    else:
        product, bias = _integers(graph, k, h, sample, weights, bias)
    biased = graph.add("Add", [product, graph.constant(f"b{k}", bias)], f"biased{k}")
    sets = experts * (2 if sample is not None and k == FINE else 1)
    shaped = graph.constant(f"shape{k}", np.array([-1, sets, m], np.int64))
    return graph.add("Reshape", [biased, shaped], f"every{k}")


def _integers(
    graph: _Graph, k: int, h: str, sample: Floats, weights: Floats, bias: Floats
) -> tuple[str, Floats]:
    """The product in integers, and its bias: h = middle + step * q with |q| <= 127 for each activation."""
    low, high = sample.min(axis=0), sample.max(axis=0)
    middle = (low + high) / 2
    step = np.maximum((high - low) / 2 * (1 + HEADROOM), 1e-6) / MOST_ACTIVATION
    rows = weights * step[:, None]
    scale = np.maximum(np.abs(rows).max(axis=0), 1e-12) / MOST_WEIGHT
    whole = np.rint(rows / scale).astype(np.int8)
    rest = np.rint((rows / scale - whole) * 2 * MOST_WEIGHT).astype(np.int8) * np.int8(k == FINE)
    bias = bias + middle @ weights
    # What rounding adds on average over the rows is subtracted again.
    counts = np.clip(np.rint((sample - middle) / step), -MOST_ACTIVATION, MOST_ACTIVATION).astype(np.float32)
    both = (whole + rest / (2 * MOST_WEIGHT)).astype(np.float32)
    missed = (sample - middle) @ weights - (counts @ both) * scale
    bias = bias + missed.mean(axis=0)
    if k == FINE:
        # The finer part is as another set of experts, without bias.
        whole = np.concatenate([whole, rest], axis=1)
        scale = np.concatenate([scale, scale / (2 * MOST_WEIGHT)])
        bias = np.concatenate([bias, np.zeros_like(bias)])
    whole_h, zero = _whole(graph, k, h, middle, step)
    given = [whole_h, graph.constant(f"w{k}", whole), zero, graph.constant(f"nothing{k}", np.int8(0))]
    total = graph.add("MatMulInteger", given, f"total{k}")
    floats = graph.add("Cast", [total], f"float{k}", to=TensorProto.FLOAT)
    product = graph.add("Mul", [floats, graph.constant(f"scale{k}", scale.astype(np.float32))], f"product{k}")
    return product, bias.astype(np.float32)


def _whole(graph: _Graph, k: int, h: str, middle: Floats, step: Floats) -> tuple[str, str]:
    """Activations in whole steps from their middle, as bytes, and the byte that stands for none."""
    centred = graph.add("Sub", [h, graph.constant(f"middle{k}", middle)], f"away_{k}")
    inverse = graph.constant(f"inverse{k}", (1 / step).astype(np.float32))
    steps = graph.add("Mul", [centred, inverse], f"steps{k}")
    zero = graph.constant(f"zero{k}", np.uint8(MIDDLE))
    unit = graph.constant(f"unit{k}", np.float32(1))
    return graph.add("QuantizeLinear", [steps, unit, zero], f"whole{k}"), zero


def gate_rows(trained: Trained, rows: Floats) -> Floats:
    """Coefficients (R, K) of scaled inputs, in NumPy; 1 where nothing is gated."""
    if trained.shape.kind != "mann":
        return np.full((len(rows), trained.shape.experts), 1 / trained.shape.experts, np.float32)
    h = rows[:, trained.layout.gating]
    for k in range(3):
        h = h @ trained.weights[f"v{k}"] + trained.weights[f"c{k}"]
        if k < 2:
            h = _elu(h)
    h = np.exp(h - h.max(axis=1, keepdims=True))
    return h / h.sum(axis=1, keepdims=True)


def layer_rows(trained: Trained, k: int, rows: Floats, blend: Floats) -> Floats:
    """Outputs (R, m) of one layer, in NumPy."""
    n, m = trained.shape.layers[k]
    every = (rows @ trained.weights[f"w{k}"].reshape(n, -1)).reshape(len(rows), -1, m) + trained.weights[
        f"b{k}"
    ]
    h = (every * blend[..., None]).sum(axis=1)
    return _elu(h) if k < 2 else h


def _elu(h: Floats) -> Floats:
    return np.where(h > 0, h, np.expm1(np.minimum(h, 0)))


def _model(graph: _Graph, trained: Trained, precision: str) -> onnx.ModelProto:
    shape = trained.shape
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", shape.inputs])]
    if shape.kind == "pfnn":
        inputs.append(helper.make_tensor_value_info("phase", TensorProto.FLOAT, ["N"]))
    inputs.append(helper.make_tensor_value_info("keep", TensorProto.FLOAT, [shape.experts]))
    graph.constant("keep", np.ones(shape.experts, np.float32))
    outputs = [
        helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", shape.outputs]),
        helper.make_tensor_value_info("gate", TensorProto.FLOAT, ["N", shape.experts]),
    ]
    whole = helper.make_graph(graph.nodes, "hoofbeat", inputs, outputs, graph.constants)
    model = helper.make_model(whole, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="hoofbeat")
    model.ir_version = IR
    helper.set_model_props(model, {"hoofbeat": json.dumps(_about(trained, precision))})
    onnx.checker.check_model(model)
    return model


def _about(trained: Trained, precision: str) -> dict[str, Any]:
    """What run time must know besides the graph."""
    facts = trained.facts
    stand = {
        "rotations": facts.stand_rotations.tolist(),
        "origin": facts.stand_origin.tolist(),
        "action": facts.stand_action,
    }
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": trained.shape.kind,
        "experts": trained.shape.experts,
        "precision": precision,
        "rate": RATE,
        **rig_json(trained.rig),
        "stand": stand,
        "low": [float(f"{v:.6g}") for v in facts.low],
        "high": [float(f"{v:.6g}") for v in facts.high],
        "speeds": facts.speeds,
        "turn": facts.turn,
        "bends": [[float(f"{v:.6g}") for v in row] for row in facts.bends],
        "made": trained.made,
    }
