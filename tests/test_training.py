"""Training: schedule, networks, ensembles, checkpoints, faults; a whole run on the horse's own clips."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from dataset_making import labelled_clip_of, rig_of
from hoofbeat.body.labelled import Dataset, LabelledClipError
from hoofbeat.cli import app
from hoofbeat.formats.datasetfile import write_dataset
from hoofbeat.methods.neural.network.layout import JOINT, JOINT_VELOCITY, STEP, Layout
from hoofbeat.offline.neural.training.schedule import Schedule

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'hoofbeat[train]'")

from hoofbeat.offline.neural.data.samples import Samples, samples_of  # noqa: E402
from hoofbeat.offline.neural.training.ensemble import (  # noqa: E402
    Feedback,
    Training,
    TrainingSettings,
    column_weights,
)
from hoofbeat.offline.neural.training.losscurve import loss_svg  # noqa: E402
from hoofbeat.offline.neural.training.network import NetworkShape, coefficients, fresh, predict_batch  # noqa: E402
from hoofbeat.offline.neural.training.run import TrainingJob, run, settings_of  # noqa: E402
from hoofbeat.offline.neural.training.weightsfile import WeightsError, read_weights  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
SMALL: dict[str, Any] = {"hidden": 16, "batch": 64, "epochs": 3}


def made_dataset(frames: int = 130, clips: int = 3) -> Dataset:
    rig = rig_of()
    made = []
    for n in range(clips):
        clip = labelled_clip_of(rig, frames, seed=n, name=f"clip {n}", test=n == 0)
        root = np.array(clip.root)
        root[:40] = root[40]  # it stands before it goes
        actions = np.where(np.arange(frames) < 40, 0, clip.actions).astype(np.int8)
        made.append(replace(clip, root=root, actions=actions, used=np.ones(frames, bool)))
    return Dataset(rig, tuple(made))


@pytest.fixture(scope="module")
def samples() -> Samples:
    return samples_of(made_dataset())


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "clips.npz"
    write_dataset(path, made_dataset())
    return path


def curve(training: Training) -> list[Any]:
    return [(epoch.train, epoch.test) for epoch in training.epochs()]


def test_the_rate_falls_to_nothing_and_restarts() -> None:
    schedule = Schedule()
    assert [schedule.run_of(e)[0] for e in (0, 9, 10, 29, 30, 69, 70, 149)] == [0, 0, 10, 10, 30, 30, 70, 70]
    for start, length in ((0, 10), (10, 20), (30, 40)):
        shares = [schedule.share(start + e, 0.0) for e in range(length)]
        assert shares[0] == 1.0 and shares == sorted(shares, reverse=True)
        assert schedule.share(start + length - 1, 1.0) < 1e-12


@pytest.mark.parametrize("kind", ["mann", "plain", "pfnn", "mixture"])
def test_coefficients_sum_to_one_and_equal_experts_are_one_network(kind: str) -> None:
    """Where all experts are the same, it does not matter how they are blended."""
    shape = NetworkShape(kind, 1 if kind == "plain" else 4, 7, 5, 3, hidden=8, gate_hidden=6)
    weights = fresh(shape, [3, 4])
    for name in ("w0", "w1", "w2"):
        weights[name] = weights[name][:, :, :1].expand_as(weights[name]).contiguous()
    x, phase = torch.randn(2, 6, 7), torch.rand(2, 6)
    blend = coefficients(shape, weights, x[..., :3], phase)
    assert torch.allclose(blend.sum(-1), torch.ones(2, 6), atol=1e-6)
    alone = replace(shape, kind="plain", experts=1)
    one = {k: v[:, :, :1] if k[0] == "w" else v[:, :1] for k, v in weights.items() if k[0] in "wb"}
    expected = predict_batch(alone, one, x, torch.ones(2, 6, 1))
    assert torch.allclose(predict_batch(shape, weights, x, blend), expected, atol=1e-5)


def test_columns_of_toes_and_root_count_as_often_as_asked() -> None:
    layout = Layout.of(rig_of())
    size = layout.outputs.size
    weights = column_weights(layout, size + 1, 8.0, 3.0)
    columns = np.arange(size)
    toes = [layout.outputs.view(columns, block)[list(layout.feet)] for block in (JOINT, JOINT_VELOCITY)]
    root = columns[layout.outputs.part(STEP)]
    others = np.setdiff1d(np.arange(size + 1), np.concatenate([np.ravel(toes), root]))
    assert weights.mean() == pytest.approx(1)  # a loss stays comparable
    assert np.ptp(weights[others]) == 0 and len(others) == size + 1 - 24 - 3
    assert weights[np.ravel(toes)] / weights[others[0]] == pytest.approx(8)
    assert weights[root] / weights[others[0]] == pytest.approx(3)
    assert (column_weights(layout, size, 1.0, 1.0) == 1).all()


def test_what_counts_more_is_learnt_better(samples: Samples) -> None:
    toes = column_weights(Layout.of(samples.rig), samples.y.shape[1], 2.0, 1.0) > 1
    errors = []
    for feet in (1.0, 30.0):
        training = Training(
            samples, TrainingSettings(**SMALL, feet=feet, drop=0.0, experts=2, rate=3e-3, decay=0.0)
        )
        curve(training)
        x = training.x[None]
        with torch.no_grad():
            blend = coefficients(
                training.shape, training.weights, x[..., training.gating], training.phase[None]
            )
            off = predict_batch(training.shape, training.weights, x, blend)[0] - training.y
        errors.append(float((off.numpy()[:, toes] ** 2).mean()))
    assert errors[1] < 0.8 * errors[0]


def test_the_phase_goes_round_without_a_step() -> None:
    shape = NetworkShape("pfnn", 4, 3, 2, 1)
    phase = torch.linspace(-0.001, 2.001, 4001)[None]
    blend = coefficients(shape, {}, phase[..., None], phase)[0]
    assert (blend[1:] - blend[:-1]).abs().max() < 0.004  # no more than its slope allows
    turn = int((1 / (phase[0, 1] - phase[0, 0])).round())
    assert torch.allclose(blend[:-turn], blend[turn:], atol=0.01)
    # At a control point only this one counts.
    assert torch.allclose(
        coefficients(shape, {}, phase[..., None], torch.tensor([[0.25]]))[0, 0, 1], torch.ones(())
    )


def test_experts_that_are_all_one_are_not_trained_alone(samples: Samples) -> None:
    """A member of an ensemble learns what it would learn alone: the others have no say."""
    settings = replace(TrainingSettings(**SMALL), drop=0.0, experts=2, epochs=2)
    ensemble = Training(samples, replace(settings, seeds=(5, 9)))
    alone = Training(samples, replace(settings, seeds=(9,)))
    both, single = curve(ensemble), curve(alone)
    assert [e[0][1] for e in both] == pytest.approx([e[0][0] for e in single], rel=1e-4)
    for name, value in alone.member(0).items():
        assert np.allclose(ensemble.member(1)[name], value, atol=2e-5)


@pytest.mark.parametrize("network", ["mann4", "plain1305", "pfnn", "mixture4"])
def test_every_network_learns(network: str) -> None:
    phased = network == "pfnn"
    samples = samples_of(made_dataset(), phased=phased)
    settings = settings_of(network, **{**SMALL, "epochs": 6, "rate": 3e-3})
    losses = [train[0] for train, _ in curve(Training(samples, settings))]
    assert losses[-1] < 0.8 * losses[0]


def test_rows_of_a_rollout_follow_each_other(samples: Samples) -> None:
    """Fed with the true outputs, the next input is the true next input."""
    feed = Feedback.of(samples, torch.device("cpu"))
    starts = np.flatnonzero(samples.ahead >= 2)
    assert 0 < len(starts) < len(samples.x)
    x, y = torch.from_numpy(samples.x), torch.from_numpy(samples.y)
    fed = feed.next(x[starts + 1], y[starts])
    assert torch.allclose(fed, x[starts + 1], atol=2e-3)
    assert not torch.allclose(feed.next(x[starts + 1], y[starts] + 1), x[starts + 1], atol=0.1)


def test_a_rollout_trains(samples: Samples) -> None:
    losses = curve(Training(samples, replace(TrainingSettings(**SMALL), rollout=4, epochs=12, experts=2)))
    assert np.isfinite([train for train, _ in losses]).all()


def job_of(data: Path, folder: Path, epochs: int = 4, **more: Any) -> TrainingJob:
    return TrainingJob(
        data, folder, "mann4", settings_of("mann4", **{**SMALL, "epochs": epochs, **more}), every=2
    )


def losses_in(folder: Path) -> Any:
    return [(one["train"], one["test"]) for one in json.loads((folder / "mann4.json").read_text())["curve"]]


def test_a_run_goes_on_after_a_stop_as_if_it_had_not_stopped(data: Path, tmp_path: Path) -> None:
    told: list[str] = []
    run(job_of(data, tmp_path / "whole", 6), told.append, lambda _: None)
    run(job_of(data, tmp_path / "parts", 4), told.append, lambda _: None)
    run(job_of(data, tmp_path / "parts", 6), told.append, lambda _: None)
    assert "going on after epoch 4" in told
    assert losses_in(tmp_path / "whole") == losses_in(tmp_path / "parts")
    one, other = (read_weights(tmp_path / name / "mann4-seed0.npz") for name in ("whole", "parts"))
    assert all(np.array_equal(one.weights[name], other.weights[name]) for name in one.weights)


TRAIN = [sys.executable, "-m", "hoofbeat.offline.neural.training.run"]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}


def test_a_killed_run_goes_on_with_the_same_losses(data: Path, tmp_path: Path) -> None:
    command = [*TRAIN, str(data), "--network", "mann4", "--batch", "16", "--every", "1"]
    killed = subprocess.Popen(
        [*command, "-o", str(tmp_path), "--epochs", "500"], env=environment(), stderr=subprocess.DEVNULL
    )
    checkpoint = tmp_path / "mann4.checkpoint.npz"
    end = time.monotonic() + 120
    while not checkpoint.exists() and killed.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert checkpoint.exists() and not (tmp_path / "mann4.json").exists()
    settings = settings_of("mann4", batch=16, epochs=3)
    told: list[str] = []
    run(TrainingJob(data, tmp_path, "mann4", settings, every=1), told.append, lambda _: None)
    run(TrainingJob(data, tmp_path / "whole", "mann4", settings, every=1), told.append, lambda _: None)
    assert losses_in(tmp_path)[:3] == losses_in(tmp_path / "whole")


def test_training_needs_neither_the_compiler_nor_the_command_line(data: Path, tmp_path: Path) -> None:
    """NumPy and torch are all there is on a borrowed machine."""
    code = (
        "import sys\n"
        "for name in ('numba', 'typer', 'rich', 'pydantic', 'yaml', 'scipy', 'PIL', 'onnx', 'onnxruntime'):\n"
        "    sys.modules[name] = None\n"
        "from hoofbeat.offline.neural.training.run import main\n"
        f"sys.exit(main([{str(data)!r}, '-o', {str(tmp_path)!r}, '--network', 'mann4', '--epochs', '1']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "mann4-seed0.npz").exists() and "<svg" in (tmp_path / "mann4.svg").read_text()


def test_two_processes_learn_what_one_does(data: Path, tmp_path: Path) -> None:
    """Each takes half of every batch; without dropout the mean of their gradients is that of the whole."""
    options = [str(data), "--network", "mann4", "--epochs", "2", "--batch", "32", "--drop", "0"]
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m"]
    both = [*torchrun, TRAIN[-1], *options, "-o", str(tmp_path / "two")]
    for command in ([*TRAIN, *options, "-o", str(tmp_path / "one")], both):
        done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr[-2000:]
    one, two = (read_weights(tmp_path / name / "mann4-seed0.npz") for name in ("one", "two"))
    moved = fresh(one.shape, [0])
    for name, value in one.weights.items():
        far = np.abs(value - moved[name][0].numpy()).max()
        assert np.abs(value - two.weights[name]).max() <= 0.05 * far + 1e-6


def test_faults_are_named(data: Path, tmp_path: Path) -> None:
    told: list[str] = []
    run(job_of(data, tmp_path, 2), told.append, lambda _: None)
    with pytest.raises(WeightsError, match="other settings or other data"):
        run(job_of(data, tmp_path, 2, drop=0.5), told.append, lambda _: None)
    checkpoint = tmp_path / "mann4.checkpoint.npz"
    whole = checkpoint.read_bytes()
    for cut in (0, 100, len(whole) // 2, len(whole) - 10):
        checkpoint.write_bytes(whole[:cut])
        with pytest.raises(WeightsError, match="cut short"):
            run(job_of(data, tmp_path, 2), told.append, lambda _: None)
    weights = tmp_path / "mann4-seed0.npz"
    weights.write_bytes(weights.read_bytes()[:-3000])
    with pytest.raises(WeightsError, match="cut short"):
        read_weights(weights)
    with pytest.raises(WeightsError, match="no hoofbeat.weights"):
        checkpoint.write_bytes(whole)
        read_weights(checkpoint)


def test_nothing_to_learn_from_is_reported() -> None:
    empty = replace(made_dataset(), clips=tuple(replace(t, test=True) for t in made_dataset().clips))
    with pytest.raises(LabelledClipError, match="nothing to train on"):
        samples_of(empty)
    moving = tuple(replace(t, actions=np.ones(len(t), np.int8)) for t in made_dataset().clips)
    with pytest.raises(LabelledClipError, match="no clip stands"):
        samples_of(replace(made_dataset(), clips=moving))


def test_the_loss_curve_is_a_picture() -> None:
    picture = loss_svg("a < b", {"one": [1.0, 0.5, float("nan")], "two": []}, 3, [2])
    assert picture.startswith("<svg") and "a &lt; b" in picture and "nan" not in picture


def test_two_epochs_from_the_horse_to_a_ride(tmp_path: Path) -> None:
    """The whole way: clips of our own horse, training, .onnx files, and a ride on them."""
    pytest.importorskip("onnx")
    ort = pytest.importorskip("onnxruntime")
    clips, out = tmp_path / "horse.npz", tmp_path / "out"
    for command in (
        ["dataset", "--horse", "--hours", "0.02", "--seed", "3", "-o", str(clips)],
        [
            "train",
            str(clips),
            "-o",
            str(out),
            "--network",
            "mann4",
            "--batch",
            "128",
            "--epochs",
            "2",
            "--json",
        ],
    ):
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0, done.output
    report = json.loads(done.stdout.strip().splitlines()[-1])
    assert report["schema"] == "hoofbeat.train/1" and report["trained"] == 2
    trained = read_weights(out / "mann4-seed0.npz")
    x = trained.rows * trained.inward.spread + trained.inward.mean
    weights = {k: torch.from_numpy(v)[None] for k, v in trained.weights.items()}
    rows = torch.from_numpy(trained.rows)[None]
    blend = coefficients(
        trained.shape, weights, rows[..., torch.from_numpy(trained.layout.gating)], rows[..., 0]
    )
    expected = predict_batch(trained.shape, weights, rows, blend)[0].numpy()
    for name, near in (("mann4-seed0.onnx", 1e-4), ("mann4-seed0.int8.onnx", 0.05)):
        session = ort.InferenceSession(str(out / name), providers=["CPUExecutionProvider"])
        y, gate = session.run(["y", "gate"], {"x": x.astype(np.float32)})
        assert np.abs((y - trained.outward.mean) / trained.outward.spread - expected).max() < near
        assert np.allclose(gate.sum(axis=1), 1, atol=1e-5)
        # Its own scales are fixed: a wild neighbour changes nothing, not one bit.
        wild = np.concatenate([x[:5], 1e3 * x[5:9]]).astype(np.float32)
        assert np.array_equal(session.run(["y"], {"x": wild})[0][:5], y[:5])
