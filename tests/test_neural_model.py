"""Network files and the inputs made of memory: what is wrong is said, what is right is as training has it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hoofbeat.body.labelled import Rig
from hoofbeat.methods.neural.gather import gather
from hoofbeat.methods.neural.network.description import NetworkFileError, read_description
from hoofbeat.methods.neural.network.features import Trajectory, pose_of, rows_of, trajectory_of
from hoofbeat.methods.neural.network.layout import FUTURE, NOW, SAMPLES
from hoofbeat.methods.neural.network.model import read_model
from hoofbeat.methods.neural.state import COLUMNS, KEPT, memory_of, state_dtype
from hoofbeat.methods.neural.tables import inputs_of
from neural_making import (
    EXPERTS,
    description_of,
    dog_rig,
    follower,
    horse_rig,
    need_onnx,
    wild_clip,
    write_network,
)

RIGS = {"horse": horse_rig, "dog": dog_rig}
rigs = pytest.mark.parametrize("rig", [make() for make in RIGS.values()], ids=list(RIGS))


def _remember(trajectory: Trajectory, frame: int, core: np.ndarray) -> None:
    """The trajectory before a frame of a clip as memory holds it."""
    now = trajectory.margin + frame
    core["frame"] = frame + KEPT
    for back in range(KEPT - 1):
        place = (frame + KEPT - back) % KEPT
        core["path"][place] = trajectory.root[now - back]
        core["speeds"][place] = trajectory.speed[now - back]
        core["actions"][place] = trajectory.actions[now - back].argmax()


def _plan(trajectory: Trajectory, frame: int) -> np.ndarray:
    """The trajectory after a frame of a clip as a plan (FUTURE, COLUMNS)."""
    now = trajectory.margin + frame
    ahead = now + np.array(SAMPLES[NOW:])
    s, c = np.sin(trajectory.root[now, 2]), np.cos(trajectory.root[now, 2])
    inward = np.array([[c, -s], [s, c]])
    turned = trajectory.root[ahead, 2] - trajectory.root[now, 2]
    plan = np.zeros((FUTURE, COLUMNS), np.float32)
    plan[:, 0:2] = (trajectory.root[ahead, :2] - trajectory.root[now, :2]) @ inward.T
    plan[:, 2:4] = np.stack([np.sin(turned), np.cos(turned)], 1)
    plan[:, 4:6] = trajectory.velocity[ahead] @ inward.T
    plan[:, 6] = trajectory.speed[ahead]
    plan[:, 7] = trajectory.actions[ahead].argmax(axis=1)
    return plan


@rigs
def test_inputs_of_memory_are_those_of_training(rig: Rig) -> None:
    clip = wild_clip(rig)
    inputs, _ = rows_of(clip, rig)
    pose, trajectory = pose_of(clip, rig), trajectory_of(clip, rig)
    description = read_description(json.dumps(description_of(rig)))
    frames = np.array([0, 1, 50, 99, 150, len(clip) - 2])
    state = np.zeros(len(frames), state_dtype(len(rig.skeleton), len(rig.modelled)))
    plan = np.stack([_plan(trajectory, frame) for frame in frames])
    x = np.zeros((len(frames), description.layout.inputs.size), np.float32)
    for row, frame in zip(state, frames, strict=True):
        _remember(trajectory, frame, row["core"])
        parts = (pose.position, pose.ahead, pose.up, pose.velocity)
        row["pose"] = np.stack([part[frame] for part in parts])
    gather(inputs_of(description), memory_of(state), plan, x)
    off = np.abs(x - inputs[frames]).max(axis=0)
    worst = int(off.argmax())
    assert off[worst] < 2e-5, description.layout.inputs.names[worst]
    assert np.all(state["core"]["strain"] == 0)


@rigs
def test_inputs_out_of_range_are_held_and_counted(rig: Rig) -> None:
    description = read_description(json.dumps(description_of(rig)))
    inputs = inputs_of(description)
    state = np.zeros(2, state_dtype(len(rig.skeleton), len(rig.modelled)))
    state["pose"][1] = 1e6
    x = np.zeros((2, description.layout.inputs.size), np.float32)
    gather(inputs, memory_of(state), np.zeros((2, FUTURE, COLUMNS), np.float32), x)
    assert ((x >= inputs.low) & (x <= inputs.high)).all()
    assert state["core"]["strain"][1] > 0 == state["core"]["strain"][0]


def test_a_file_gives_back_its_card_and_runs(tmp_path: Path) -> None:
    need_onnx()
    rig = horse_rig()
    model = read_model(write_network(tmp_path / "one.onnx", follower(rig), description_of(rig)))
    assert model.description.rig.skeleton.names == rig.skeleton.names
    assert model.description.rig.actions == rig.actions
    runner = model.runner(3)
    runner.x[:] = np.random.default_rng(0).normal(size=runner.x.shape)
    runner.run()
    linear = follower(rig)
    assert np.allclose(runner.y, runner.x @ linear.weights, atol=1e-4)
    assert np.allclose(runner.gate, 1 / EXPERTS)
    keep = np.ones(EXPERTS, np.float32)
    keep[2] = 0
    off = model.runner(1, keep)
    off.run()
    assert np.allclose(off.gate, keep / EXPERTS)


@pytest.mark.parametrize("count", [1, 2, 255, 256, 257, 600])
def test_a_row_is_the_same_alone_and_among_others(tmp_path: Path, count: int) -> None:
    need_onnx()
    rig = dog_rig()
    model = read_model(write_network(tmp_path / "one.onnx", follower(rig), description_of(rig)))
    many, some = model.runner(601), model.runner(count)
    many.x[:] = np.random.default_rng(0).normal(size=many.x.shape)
    many.x[7] *= 1e4  # a wild one
    some.x[:] = many.x[601 - count :]
    many.run()
    some.run()
    assert some.y.tobytes() == many.y[601 - count :].tobytes()


def test_what_is_no_network_is_reported(tmp_path: Path) -> None:
    need_onnx()
    rig = horse_rig()
    good = write_network(tmp_path / "good.onnx", follower(rig), description_of(rig)).read_bytes()
    other = follower(dog_rig())
    bad = {
        "empty": b"",
        "text": b"hello",
        "cut": good[: len(good) // 2],
        "foreign": write_network(tmp_path / "f.onnx", follower(rig), "{}").read_bytes(),
        "sizes": write_network(tmp_path / "s.onnx", other, description_of(rig)).read_bytes(),
        "experts": write_network(
            tmp_path / "e.onnx", follower(rig), json.dumps(description_of(rig, experts=5))
        ).read_bytes(),
        "phase": write_network(
            tmp_path / "p.onnx", follower(rig), description_of(rig, kind="pfnn")
        ).read_bytes(),
    }
    for name, data in bad.items():
        path = tmp_path / f"bad-{name}.onnx"
        path.write_bytes(data)
        with pytest.raises(NetworkFileError, match=path.name):
            read_model(path)
    for path in (tmp_path / "none.onnx", tmp_path):
        with pytest.raises(NetworkFileError):
            read_model(path)


def test_a_missing_package_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    (tmp_path / "any.onnx").write_bytes(b"x")
    with pytest.raises(NetworkFileError, match=r"hoofbeat\[neural\]"):
        read_model(tmp_path / "any.onnx")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("version", 2),
        ("rate", 30),
        ("kind", "other"),
        ("experts", 0),
        ("carried", [0, 1]),
        ("carried", []),
        ("carried", [1, 0]),
        ("mirror", [0]),
        ("actions", []),
        ("low", [0.0]),
        ("stand", {}),
        ("speeds", {"fly": [0, 1]}),
        ("turn", None),
        ("skeleton", {"names": ["a"]}),
    ],
)
def test_a_wrong_entry_of_a_card_is_named(key: str, value: object) -> None:
    with pytest.raises(NetworkFileError):
        read_description(json.dumps(description_of(horse_rig(), **{key: value})))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 60) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
GOOD = description_of(dog_rig())


@settings(max_examples=150)
@given(st.sampled_from(sorted(GOOD)), json_values)
def test_any_card_is_read_or_refused(key: str, value: object) -> None:
    try:
        read_description(json.dumps({**GOOD, key: value}))
    except NetworkFileError:
        pass


@given(st.text(max_size=60))
def test_any_text_is_refused_as_a_card(text: str) -> None:
    with pytest.raises(NetworkFileError):
        read_description(text)
