"""Help: every command keeps its brackets and shows an example, and the examples run as they stand."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dataset_making import set_of
from hoofbeat.body.labelled import Dataset
from hoofbeat.cli.app import COMMANDS, app
from hoofbeat.formats.datasetfile import read_dataset, write_dataset
from hoofbeat.offline.neural.data.labels import ACTIONS
from neural_making import FIGURES, description_of, dog_rig, follower, need_onnx, wild_clip, write_network

BY_NAME = {command.__name__: command for command in COMMANDS}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> str:
    """What the command line prints."""
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == 0, f"{done.stdout}\n{done.stderr}\n{done.exception!r}"
    return done.stdout


def help_of(name: str) -> str:
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", run(name, "--help")).split())


def examples_of(name: str) -> list[list[str]]:
    """The arguments of each example in a command's help."""
    found = re.findall(r"^\s+(hoofbeat .*)$", BY_NAME[name].__doc__ or "", re.MULTILINE)
    return [shlex.split(line)[1:] for line in found]


@pytest.mark.parametrize("name", BY_NAME)
def test_help_keeps_every_bracket(name: str) -> None:
    shown = help_of(name)
    asked = re.findall(r"hoofbeat\\?\[\w+\]", BY_NAME[name].__doc__ or "")
    assert all(one.replace("\\", "") in shown for one in asked)
    assert "hoofbeat'" not in shown
    if name == "plot":
        assert "hoofbeat[plot]" in shown


def test_every_command_shows_an_example_and_a_test_runs_it() -> None:
    for name in BY_NAME:
        examples = examples_of(name)
        assert examples, name
        assert " ".join(["hoofbeat", *examples[0]]) in help_of(name)
    assert {*FIRST, *BY_HAND, *LONGER} == set(BY_NAME)


#: What the first example of a command needs to be there, made by other commands.
FIRST = {
    "synth": [],
    "plate": [],
    "check": [["synth", "--gait", "trot", "--cycles", "4", "-o", "horse.glb"]],
    "info": [["synth", "--gait", "walk", "--seconds", "0.2", "-o", "ride.glb"]],
    "convert": [["synth", "--gait", "walk", "--seconds", "0.2", "-o", "dog.bvh"]],
    "froude": [],
    "plot": [],
    "warm": [],
    "dataset": [
        ["synth", "--speed", "4", "--seconds", "3", "--from-stand", "-o", "recordings/trot.bvh"],
        ["synth", "--gait", "stand", "--seconds", "2", "-o", "recordings/stand.bvh"],
    ],
}
#: Those with a test of their own below, and those that take long.
BY_HAND, LONGER = ("studio", "train", "evaluate"), ("bench", "evolve")
PLAN = "segments:\n  - {for: 0.3 s, speed: 1.5}\n"


@pytest.mark.parametrize("name", FIRST)
def test_the_example_of_help_runs(here: Path, name: str) -> None:
    if name == "plot":
        pytest.importorskip("matplotlib")
    (here / "ride.yaml").write_text(PLAN)
    (here / "recordings").mkdir()
    for before in FIRST[name]:
        run(*before)
    told = run(*examples_of(name)[0])
    if name == "dataset":
        assert "2 clips" in told and len(read_dataset(here / "dog.npz").clips) == 2


def test_the_example_of_studio_runs(here: Path) -> None:
    pytest.importorskip("fastapi")
    words = [sys.executable, "-m", "hoofbeat", *examples_of("studio")[0], "--no-keep"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=here) as served:
        assert served.stdout is not None
        try:
            address = r"hoofbeat studio at http://(localhost|127\.0\.0\.1):\d+"
            assert re.match(address, served.stdout.readline())
        finally:
            served.send_signal(signal.SIGINT)


def test_the_example_of_train_runs(here: Path) -> None:
    """For one epoch, of a dataset that is soon gone through."""
    pytest.importorskip("torch", reason="torch is not installed: pip install 'hoofbeat[train]'")
    pytest.importorskip("onnx", reason="onnx is not installed: pip install 'hoofbeat[train]'")
    made = set_of([40, 40])
    still = {"actions": np.zeros(40, np.int8), "used": np.ones(40, bool), "copies": np.ones(40, np.uint8)}
    clips = [replace(clip, root=np.repeat(clip.root[:1], 40, axis=0), **still) for clip in made.clips]
    write_dataset(here / "dog.npz", replace(made, clips=tuple(clips)))
    assert "after 1 epochs" in run(*examples_of("train")[0], "--epochs", "1")
    for name in ("mann8-seed0.npz", "mann8-seed0.onnx", "mann8-seed0.int8.onnx", "mann8.json", "mann8.svg"):
        assert (here / "out" / "dog" / name).stat().st_size > 0, name


def test_the_example_of_evaluate_runs(here: Path) -> None:
    """For few seconds of motion, of a network of which nothing but the first look is taken."""
    need_onnx()
    rig, folder = dog_rig(ACTIONS), here / "out" / "dog"
    folder.mkdir(parents=True)
    # Of four experts none is left out in turn, and no long ride is taken.
    write_network(folder / "mann4-seed0.onnx", follower(rig), description_of(rig, experts=4))
    (folder / "mann4.json").write_text(json.dumps(FIGURES))
    write_dataset(here / "dog.npz", Dataset(rig, (wild_clip(rig),)))
    words = examples_of("evaluate")[0]
    expanded = [path for word in words for path in (sorted(map(str, Path().glob(word))) or [word])]
    assert "out/dog/mann4-seed0.onnx" in expanded
    told = run(*expanded, "--quick", "--no-pictures")
    assert "out/evaluation/results.json" in told
    assert json.loads((here / "out" / "evaluation" / "results.json").read_text())["losses"]["mann4"]


@pytest.mark.slow
@pytest.mark.parametrize("name", LONGER)
@pytest.mark.usefixtures("here")
def test_the_longer_examples_run(name: str) -> None:
    run(*examples_of(name)[0])
