"""Evaluation: every measure of N7 for some networks, as one record that JSON can hold.

Networks of one family differ only in the seed of their training; long measures are made of the first of
each.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hoofbeat.body.labelled import Dataset
from hoofbeat.errors import HoofbeatError
from hoofbeat.formats.datasetfile import read_dataset
from hoofbeat.methods.neural.network.description import Description
from hoofbeat.methods.neural.network.layout import RATE
from hoofbeat.methods.neural.network.model import read_model
from hoofbeat.offline.neural.data.labels import ACTIONS
from hoofbeat.offline.neural.evaluate.processes import in_processes
from hoofbeat.offline.neural.trials.endurance import endured, ranges_of
from hoofbeat.offline.neural.trials.experts import experts_of, gates_of
from hoofbeat.offline.neural.trials.motions import (
    RULES,
    SETTLE,
    START,
    commanded,
    measured,
    run_of,
    stretches_of_dataset,
    stretches_of_run,
)
from hoofbeat.offline.neural.trials.path_following import SETTLE as PATH_SETTLE
from hoofbeat.offline.neural.trials.path_following import followed
from hoofbeat.offline.neural.trials.paths import paths_of
from hoofbeat.offline.neural.trials.recorded_paths import (
    LEAD,
    SPAN,
    follow_recorded_paths,
    recorded,
    windows_of,
)
from hoofbeat.offline.neural.trials.response import HELD, KEPT, KEYS, responses_of
from hoofbeat.offline.neural.trials.runs import Tick, herd_of
from hoofbeat.offline.neural.trials.speeds import DOG, speeds_of
from hoofbeat.offline.neural.trials.student import SETTLE as STUDENT_SETTLE
from hoofbeat.offline.neural.trials.student import student_of

SCHEMA = "hoofbeat.evaluation/2"
#: Speeds at which paths are gone [m/s]: walk, pace and trot.
PATH_SPEEDS = (0.6, 1.1, 1.9)

#: Tells what is measured, and how many seconds of motion of how many are done.
Progress = Callable[[int, int, str], None]


class EvaluationError(HoofbeatError):
    """Networks or data that cannot be measured, or not together."""


@dataclass(frozen=True)
class Amount:
    """How much is measured: starts of each motion, seconds of each; starts and seconds on every path; starts
    of actions; characters and seconds of the long ride; whether networks after the first of a family are
    measured at length."""

    starts: int = 12
    seconds: float = 20.0
    path_starts: int = 2
    path_seconds: float = 30.0
    action_starts: int = 200
    expert_starts: int = 4
    riders: int = 100
    ride: float = 600.0


#: For tests and a first look.
QUICK = Amount(2, 2.0, 1, 2.0, 4, 1, 3, 4.0)


@dataclass(frozen=True, eq=False)
class Network:
    """A network to measure: file, description, family and seed of its training; first: of its family."""

    path: Path
    description: Description
    family: str
    seed: int
    first: bool


def read_networks(paths: Sequence[Path]) -> list[Network]:
    """The networks of some files, all of one animal."""
    if not paths:
        raise EvaluationError("name one network file or more, as out/dog/mann8-seed0.onnx")
    out: list[Network] = []
    for path in paths:
        description = read_model(path).description
        if out and description.rig.skeleton.names != out[0].description.rig.skeleton.names:
            raise EvaluationError(
                f"{path} is of another animal than {out[0].path}: {len(description.rig.skeleton)} nodes, not "
                f"{len(out[0].description.rig.skeleton)}; evaluate each animal by itself"
            )
        family = network_family(description, path)
        seed = description.made.get("seed", 0)
        first = family not in {one.family for one in out}
        out.append(Network(path, description, family, int(seed) if isinstance(seed, int) else 0, first))
    return out


def network_family(description: Description, path: Path) -> str:
    """What a network is called, whatever its seed: how it was trained, and "int8" where its file says so."""
    settings = description.made.get("settings")
    rollout = settings.get("rollout", 1) if isinstance(settings, dict) else 1
    name = str(description.made.get("network") or f"{description.kind}{description.experts}")
    return name + (" rollout" if rollout != 1 else "") + (" int8" if ".int8" in path.suffixes else "")


def evaluate_dog(
    networks: Sequence[Network],
    data: Path | None,
    amount: Amount,
    seed: int,
    progress: Progress,
    workers: int = 1,
) -> dict[str, Any]:
    """All tables for networks whose actions are the paper's six; workers: processes that measure."""
    rig = networks[0].description.rig
    if not set(ACTIONS) <= set(rig.actions):
        raise EvaluationError(
            f"{networks[0].path} has the actions {', '.join(rig.actions)}, not {', '.join(ACTIONS)}; "
            "a horse is measured beside its teacher: --horse"
        )
    dataset = None if data is None else _dataset(data, networks[0])
    out = _head(networks, data, amount, seed)
    if dataset is not None:
        stretches = stretches_of_dataset(dataset)
        facts = {rule.name: asdict(measured(stretches, rule, rig.skeleton)) for rule in RULES}
        out["recordings"] = facts
        out["recorded_paths"] = {k: asdict(one) for k, one in recorded(dataset, windows_of(dataset)).items()}
    seconds = sum(_seconds(one, amount) for one in networks)
    if workers > 1:
        jobs = [_Job(one.path, one.family, one.seed, one.first, data, amount, seed) for one in networks]
        rows = in_processes(_work, jobs, workers, round(seconds), progress)
    else:
        clock = _Clock(progress, seconds)
        rows = [_of_dog(network, dataset, amount, seed, clock) for network in networks]
    for row, more in zip(out["networks"], rows, strict=True):
        row |= more
    return out


@dataclass(frozen=True)
class _Job:
    """What another process needs to measure a network."""

    path: Path
    family: str
    training: int
    first: bool
    data: Path | None
    amount: Amount
    seed: int


def _work(job: _Job, progress: Progress) -> dict[str, Any]:
    network = Network(job.path, read_model(job.path).description, job.family, job.training, job.first)
    dataset = None if job.data is None else _dataset(job.data, network)
    return _of_dog(network, dataset, job.amount, job.seed, _Clock(progress, _seconds(network, job.amount)))


def evaluate_horse(
    networks: Sequence[Network], amount: Amount, seed: int, progress: Progress
) -> dict[str, Any]:
    """Networks beside the method that taught them."""
    for network in networks:
        if "trot" not in network.description.rig.actions:
            actions = ", ".join(network.description.rig.actions)
            raise EvaluationError(f"{network.path} was not taught by our horse: its actions are {actions}")
    each = 2 * (START + STUDENT_SETTLE + amount.seconds)
    clock = _Clock(progress, each * len(networks))
    out = _head(networks, None, amount, seed)
    starts = max(1, amount.starts // 3)
    for network, row in zip(networks, out["networks"], strict=True):
        tick = clock.says(f"{network.family}: beside its teacher")
        row["student"] = [asdict(one) for one in student_of(network.path, starts, seed, amount.seconds, tick)]
    return out


def _of_dog(
    network: Network, dataset: Dataset | None, amount: Amount, seed: int, clock: _Clock
) -> dict[str, Any]:
    """What is measured of one network."""
    path, skeleton, name = network.path, network.description.rig.skeleton, f"{network.family} {network.seed}"
    row: dict[str, Any] = {"motions": {}}
    for rule in RULES:
        herd = herd_of(path, amount.starts)
        tick = clock.says(f"{name}: {rule.name}")
        run = run_of(herd, commanded(herd, rule), seed, amount.seconds, tick)
        row["motions"][rule.name] = asdict(measured(stretches_of_run(run), rule, skeleton))
    tick = clock.says(f"{name}: paths")
    found = followed(path, paths_of(), PATH_SPEEDS, amount.path_starts, amount.path_seconds, tick)
    row["paths"] = [asdict(one) for one in found]
    if dataset is not None:
        found = follow_recorded_paths(path, windows_of(dataset), clock.says(f"{name}: along recorded paths"))
        row["recorded_paths"] = None if found is None else asdict(found)
    tick = clock.says(f"{name}: speeds")
    starts = max(1, amount.starts // 2)
    herd = herd_of(path, len(DOG) * starts, held=True)
    row["speeds"] = [asdict(one) for one in speeds_of(herd, starts, seed, amount.seconds, tick)]
    if network.first:
        row |= _at_length(network, dataset, amount, seed, clock)
    return row


def _at_length(
    network: Network, dataset: Dataset | None, amount: Amount, seed: int, clock: _Clock
) -> dict[str, Any]:
    path, name = network.path, network.family
    tick = clock.says(f"{name}: actions")
    reached = responses_of(herd_of(path, amount.action_starts), dataset, seed, START, tick)
    row: dict[str, Any] = {"actions": [asdict(one) for one in reached]}
    if _gated(network):
        tick = clock.says(f"{name}: experts")
        short = min(amount.seconds, 6.0)
        experts = experts_of(path, network.description.experts, amount.expert_starts, seed, short, tick)
        row["experts"] = [asdict(one) for one in experts]
        row["gates"] = [asdict(one) for one in gates_of(path, short, tick)]
        tick = clock.says(f"{name}: a long ride")
        ranges = None if dataset is None else ranges_of(dataset)
        row["ride"] = asdict(endured(herd_of(path, amount.riders), ranges, seed, amount.ride, tick))
    return row


def _gated(network: Network) -> bool:
    return network.description.kind == "mann" and network.description.experts > 4


def _seconds(network: Network, amount: Amount) -> float:
    """Seconds of motion that one network is stepped."""
    each = START + SETTLE + amount.seconds
    total = (len(RULES) + 1) * each + PATH_SETTLE + amount.path_seconds + LEAD + SPAN
    if network.first:
        total += START + KEPT + len(KEYS) * HELD
        if _gated(network):
            short = START + SETTLE + min(amount.seconds, 6.0)
            total += (network.description.experts + 2) * short + amount.ride
    return total


class _Clock:
    """Counts frames and reports every second of them."""

    def __init__(self, progress: Progress, seconds: float) -> None:
        self._progress, self._total, self._done = progress, round(seconds), 0

    def says(self, words: str) -> Tick:
        """A tick that reports what is measured."""

        def tick(frames: int) -> None:
            self._done += frames
            if self._done % RATE < frames:
                self._progress(self._done // RATE, self._total, words)

        self._progress(self._done // RATE, self._total, words)
        return tick


def _head(networks: Sequence[Network], data: Path | None, amount: Amount, seed: int) -> dict[str, Any]:
    """What is known before anything is measured."""
    rows = [
        {
            "file": one.path.name,
            "sha256": _hash(one.path),
            "family": one.family,
            "seed": one.seed,
            "parameters": one.description.made.get("parameters"),
            "command": one.description.made.get("command"),
        }
        for one in networks
    ]
    known = None if data is None else {"file": data.name, "sha256": _hash(data)}
    return {"schema": SCHEMA, "seed": seed, "amount": asdict(amount), "data": known, "networks": rows}


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _dataset(data: Path, network: Network) -> Dataset:
    dataset = read_dataset(data)
    given, wanted = dataset.rig.skeleton.names, network.description.rig.skeleton.names
    if given != wanted or dataset.rig.actions != network.description.rig.actions:
        raise EvaluationError(
            f"{data} holds clips of another animal than {network.path}: {len(given)} nodes and actions "
            f"{', '.join(dataset.rig.actions)}; give the file that it was trained on"
        )
    return dataset
