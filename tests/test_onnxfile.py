"""Networks as files: what they give is what their weights say, and a row is the same alone and in a herd."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hoofbeat.methods.neural.network.description import read_description
from hoofbeat.methods.neural.network.model import KEEP, Model, Runner, read_model
from neural_making import description_of, dog_rig, need_onnx

pytest.importorskip("torch", reason="shapes of networks come with training: pip install 'hoofbeat[train]'")
need_onnx()

from hoofbeat.offline.neural.data.samples import SampleFacts, Scale  # noqa: E402
from hoofbeat.offline.neural.training.network import NetworkShape  # noqa: E402
from hoofbeat.offline.neural.training.onnxfile import (  # noqa: E402
    gate_rows,
    layer_rows,
    network_model,
    write_network,
)
from hoofbeat.offline.neural.training.weightsfile import Trained  # noqa: E402

KINDS = {"mann": 5, "pfnn": 4, "plain": 1}
every_file = pytest.mark.parametrize(
    ("kind", "whole"), [(kind, whole) for kind in KINDS for whole in (False, True)]
)


def trained_of(kind: str) -> Trained:
    """A network of random weights for the dog, with small hidden layers."""
    rig, rng = dog_rig(), np.random.default_rng(4)
    description = read_description(json.dumps(description_of(rig, kind=kind, experts=KINDS[kind])))
    layout, stand = description.layout, description.stand
    n, m = layout.inputs.size, layout.outputs.size + (kind == "pfnn")
    shape = NetworkShape(kind, KINDS[kind], n, m, len(layout.gating), hidden=80)
    weights: dict[str, Any] = {}
    for k, (a, b) in enumerate(shape.layers):
        size = (a, shape.experts, b)
        weights[f"w{k}"] = (rng.normal(size=size) / np.sqrt(a)).astype(np.float32)
        weights[f"b{k}"] = rng.normal(size=(shape.experts, b)).astype(np.float32)
    for k, (a, b) in enumerate(shape.gate_layers):
        weights[f"v{k}"] = (rng.normal(size=(a, b)) / np.sqrt(a)).astype(np.float32)
        weights[f"c{k}"] = rng.normal(size=b).astype(np.float32)
    rows = rng.normal(size=(300, n)).astype(np.float32)
    inward = Scale(rng.normal(size=n).astype(np.float32), rng.uniform(0.5, 2, n).astype(np.float32))
    outward = Scale(rng.normal(size=m).astype(np.float32), rng.uniform(0.5, 2, m).astype(np.float32))
    speeds = dict(description.speeds)
    facts = SampleFacts(
        stand.rotations,
        stand.origin,
        stand.action,
        description.low,
        description.high,
        speeds,
        description.turn,
        description.bends,
    )
    return Trained(shape, weights, inward, outward, rig, facts, rows, {})


def fill(model: Model, count: int, keep: Any = None) -> Runner:
    """Characters with random inputs, one of them far outside all that was seen."""
    runner, rng = model.runner(count, keep), np.random.default_rng(1)
    runner.x[:] = rng.normal(size=runner.x.shape)
    runner.phase[:] = rng.random(count)
    runner.x[count // 2] *= 1e4
    return runner


@pytest.mark.parametrize("whole", [False, True])
def test_a_file_gives_what_the_weights_say(tmp_path: Path, whole: bool) -> None:
    trained = trained_of("mann")
    model = read_model(write_network(tmp_path / "a.onnx", trained, whole))
    runner = model.runner(len(trained.rows))
    runner.x[:] = trained.rows * trained.inward.spread + trained.inward.mean
    runner.run()
    h, blend = trained.rows, gate_rows(trained, trained.rows)
    for k in range(3):
        h = layer_rows(trained, k, h, blend)
    off = np.abs((runner.y - trained.outward.mean) / trained.outward.spread - h)
    assert np.allclose(runner.gate, blend, atol=1e-5)
    assert off.max() < (0.1 if whole else 1e-4)
    # What rounding adds on average is taken off.
    assert off.mean() < (0.02 if whole else 1e-5)


@every_file
@pytest.mark.parametrize("single", [None, False])
def test_a_row_is_the_same_alone_and_in_a_herd(
    tmp_path: Path, kind: str, whole: bool, single: bool | None
) -> None:
    """Also where one row may not run by itself (single False)."""
    model = read_model(write_network(tmp_path / "a.onnx", trained_of(kind), whole))
    model._single = single
    herd = fill(model, 300)
    herd.run()
    for count, first in ((1, 0), (1, 150), (1, 299), (2, 149), (7, 290), (257, 40)):
        some = model.runner(count)
        some.x[:], some.phase[:] = herd.x[first : first + count], herd.phase[first : first + count]
        some.run()
        assert some.y.tobytes() == herd.y[first : first + count].tobytes()
        assert some.gate.tobytes() == herd.gate[first : first + count].tobytes()


@pytest.mark.parametrize("whole", [False, True])
def test_an_expert_switched_off_is_so_alone_and_in_a_herd(tmp_path: Path, whole: bool) -> None:
    model = read_model(write_network(tmp_path / "a.onnx", trained_of("mann"), whole))
    assert KEEP in model._inputs
    keep = np.array([1, 0, 1, 1, 0], np.float32)
    herd, lone = fill(model, 9, keep), model.runner(1, keep)
    herd.run()
    lone.x[0] = herd.x[8]
    lone.run()
    assert lone.y[0].tobytes() == herd.y[8].tobytes()
    assert (herd.gate[:, [1, 4]] == 0).all() and (lone.gate[0, [1, 4]] == 0).all()


@pytest.mark.parametrize("differs", [False, True])
def test_one_row_has_a_second_beside_it_where_its_bits_would_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, differs: bool
) -> None:
    model = read_model(write_network(tmp_path / "a.onnx", trained_of("mann")))
    plain = Runner.run

    def other(self: Runner) -> None:
        plain(self)
        self.y[0, 0] += np.float32(differs and len(self.y) == 1)

    monkeypatch.setattr(Runner, "run", other)
    assert model._same_alone() is (not differs)
    base = model.runner(1).y.base
    assert base is not None and len(base) == 1 + differs


@every_file
def test_no_sum_over_experts_depends_on_how_many_rows_there_are(kind: str, whole: bool) -> None:
    """ReduceSum does: it goes another way for one row. Only plain networks have one, whose result is 0."""
    nodes = network_model(trained_of(kind), whole).graph.node
    sums = [node.name for node in nodes if node.op_type.startswith("Reduce")]
    assert sums == (["row_sums"] if kind == "plain" else [])
