"""Run: from a dataset file to files of weights, with checkpoints, figures and a loss curve (N4).

Runs as `hoofbeat train`, or, on a machine that has only NumPy and torch, as
`python -m hoofbeat.offline.neural.training.run` with the package's source on the path.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import distributed

from hoofbeat.body.labelled import LabelledClipError
from hoofbeat.errors import HoofbeatError
from hoofbeat.formats.datasetfile import read_dataset
from hoofbeat.formats.files import write_bytes
from hoofbeat.offline.neural.data.samples import Samples, samples_of
from hoofbeat.offline.neural.training.ensemble import Epoch, Training, TrainingSettings
from hoofbeat.offline.neural.training.losscurve import loss_svg
from hoofbeat.offline.neural.training.network import UnknownNetwork
from hoofbeat.offline.neural.training.weightsfile import (
    Trained,
    WeightsError,
    read_weight_arrays,
    write_arrays,
    write_weights,
)

CHECKPOINT = "hoofbeat.checkpoint"
#: Rows of the data that a file of weights contains.
ROWS = 1024
#: The networks by name: kind, experts, hidden units. The plain one of the paper has 2048 units, which is
#: twice MANN-4's parameters; 1305 make it equal.
NETWORKS = {
    "mann8": ("mann", 8, 512),
    "mann4": ("mann", 4, 512),
    "plain2048": ("plain", 1, 2048),
    "plain1305": ("plain", 1, 1305),
    "pfnn": ("pfnn", 4, 512),
    "mixture4": ("mixture", 4, 512),
}


@dataclass(frozen=True)
class TrainingJob:
    """One run. data: dataset file; folder: where files go; every: epochs between checkpoints."""

    data: Path
    folder: Path
    network: str
    settings: TrainingSettings
    every: int = 10
    half: bool = False
    mirror: bool = True


def settings_of(network: str, **given: Any) -> TrainingSettings:
    """Settings of a network by name; what is not given is the paper's."""
    if network not in NETWORKS:
        raise UnknownNetwork(network, NETWORKS)
    kind, experts, hidden = NETWORKS[network]
    return replace(
        TrainingSettings(kind, experts, hidden), **{k: v for k, v in given.items() if v is not None}
    )


def run(job: TrainingJob, report: Callable[[str], None], report_epoch: Callable[[Epoch], None]) -> list[Path]:
    """Train, going on from the folder's checkpoint where there is one; returns the weights written."""
    settings = job.settings
    checksum = hashlib.sha256(job.data.read_bytes()).hexdigest() if job.data.is_file() else ""
    data = read_dataset(job.data)
    samples = samples_of(data, job.mirror, settings.kind == "pfnn", report)
    report(f"{len(samples.shown)} samples an epoch of {len(samples.x)} rows")
    training = Training(samples, settings)
    job.folder.mkdir(parents=True, exist_ok=True)
    curve = _resume(job, training, checksum, report)
    first = training.rank == 0
    for epoch in training.epochs():
        curve.append({"train": epoch.train, "test": epoch.test, "seconds": round(epoch.seconds, 3)})
        report_epoch(epoch)
        if first:
            _draw(job, curve)
            if epoch.number % job.every == 0 or epoch.number == settings.epochs:
                _checkpoint(job, training, checksum, curve)
    return _finish(job, training, samples, checksum, curve) if first else []


def _place(job: TrainingJob, ending: str) -> Path:
    return job.folder / f"{job.network}{ending}"


def _resume(
    job: TrainingJob, training: Training, checksum: str, report: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Put the checkpoint's weights into the training; returns the curve so far."""
    path = _place(job, ".checkpoint.npz")
    if not path.exists():
        return []
    arrays, about = read_weight_arrays(path)
    if about.get("format") != CHECKPOINT:
        raise WeightsError("this is no checkpoint; remove it, or choose another folder", path)
    wanted = {**job.settings.as_json(), "epochs": 0, "device": ""}
    found = {**about["settings"], "epochs": 0, "device": ""}
    if found != wanted or about["data"] != checksum:
        raise WeightsError(
            "this checkpoint is of other settings or other data; remove it, or choose another folder", path
        )
    tensors = {name: torch.tensor(value) for name, value in arrays.items()}
    weights = {k.removeprefix("weight."): v for k, v in tensors.items() if k.startswith("weight.")}
    moments = {k.removeprefix("moment."): v for k, v in tensors.items() if k.startswith("moment.")}
    training.restore(weights, moments)
    training.done = int(about["done"])
    report(f"going on after epoch {training.done}")
    return list(about["curve"])


def _checkpoint(job: TrainingJob, training: Training, checksum: str, curve: list[dict[str, Any]]) -> None:
    arrays = {f"weight.{k}": v.detach().cpu().numpy() for k, v in training.weights.items()}
    arrays |= {f"moment.{k}": v.cpu().numpy() for k, v in training.moments().items()}
    about = {
        "format": CHECKPOINT,
        "settings": job.settings.as_json(),
        "data": checksum,
        "done": training.done,
        "curve": curve,
    }
    write_arrays(_place(job, ".checkpoint.npz"), arrays, about)


def _finish(
    job: TrainingJob, training: Training, samples: Samples, checksum: str, curve: list[dict[str, Any]]
) -> list[Path]:
    """Weights of every member, and the figures of the run."""
    where = torch.cuda.get_device_name() if training.device.type == "cuda" else platform.processor() or "CPU"
    figures = {
        "network": job.network,
        "parameters": training.shape.parameters,
        "settings": job.settings.as_json(),
        "data": {
            "file": job.data.name,
            "sha256": checksum,
            "rows": len(samples.x),
            "shown": len(samples.shown),
        },
        "machine": f"{where}, torch {torch.__version__}",
        "shares": training.shares(),
        "seconds": round(sum(one["seconds"] for one in curve), 1),
        "command": f"hoofbeat train {job.data.name} --network {job.network} --batch {job.settings.batch} "
        f"--epochs {job.settings.epochs} --rate {job.settings.rate:g} --drop {job.settings.drop:g} "
        f"--rollout {job.settings.rollout} --feet {job.settings.feet:g} --root {job.settings.root:g} "
        f"--seeds {','.join(map(str, job.settings.seeds))}{'' if job.mirror else ' --no-mirror'}",
        "curve": curve,
    }
    write_bytes(_place(job, ".json"), json.dumps(figures, indent=1).encode())
    written = []
    for index, seed in enumerate(job.settings.seeds):
        made = {**figures, "seed": seed, "curve": None}
        some = np.random.default_rng(seed).choice(samples.shown, min(ROWS, len(samples.shown)), replace=False)
        trained = Trained(
            training.shape,
            training.member(index),
            samples.inward,
            samples.outward,
            samples.rig,
            samples.facts,
            samples.x[np.sort(some)],
            made,
        )
        written.append(_place(job, f"-seed{seed}.npz"))
        write_weights(written[-1], trained, job.half)
    return written


def _draw(job: TrainingJob, curve: list[dict[str, Any]]) -> None:
    curves = {}
    for n, seed in enumerate(job.settings.seeds):
        for part in ("train", "test"):
            values = [one[part][n] for one in curve]
            if np.isfinite(values).any():
                curves[f"{part}, seed {seed}"] = values
    schedule = job.settings.schedule
    starts = sorted({schedule.run_of(epoch)[0] for epoch in range(job.settings.epochs)} - {0})
    picture = loss_svg(f"{job.network}: mean squared error", curves, job.settings.epochs, starts)
    write_bytes(_place(job, ".svg"), picture.encode())


def seeds_of(text: str) -> tuple[int, ...]:
    """Seeds of a text as 0,1,2."""
    try:
        seeds = tuple(int(one) for one in text.split(","))
    except ValueError:
        seeds = ()
    if not 1 <= len(set(seeds)) == len(seeds) <= 32 or min(seeds) < 0:
        raise HoofbeatError(f"--seeds wants up to 32 different whole numbers from 0, as 0,1; given {text!r}")
    return seeds


def chosen_device(name: str) -> str:
    """auto = a graphics card where torch sees one, else the processor."""
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if name.startswith("cuda") and not torch.cuda.is_available():
        raise HoofbeatError(f"device {name}: torch sees no graphics card here; use --device cpu")
    return name


def join_ranks() -> int:
    """Join the other processes when torchrun has started several; returns this one's number."""
    if not distributed.is_torchelastic_launched():
        return 0
    distributed.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    rank = distributed.get_rank()
    if torch.cuda.is_available():
        torch.cuda.set_device(rank % torch.cuda.device_count())
    return rank


def main(arguments: Sequence[str] | None = None) -> int:
    """The same as `hoofbeat train`, where only NumPy and torch are installed."""
    parser = argparse.ArgumentParser(description="Train networks on a dataset; see docs/neural.md.")
    parser.add_argument("data", type=Path)
    parser.add_argument("-o", "--out", type=Path, default=Path("out/neural"))
    parser.add_argument("--network", default="mann8", help=", ".join(NETWORKS))
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--rate", type=float)
    parser.add_argument("--drop", type=float)
    parser.add_argument("--rollout", type=int, help="frames that follow from the network's own poses")
    parser.add_argument("--feet", type=float, help="how much more errors of the toes count")
    parser.add_argument("--root", type=float, help="how much more errors of the root's velocity count")
    parser.add_argument("--seeds", default="0", help="one network for each, as 0,1,2")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--every", type=int, default=10, help="epochs between checkpoints")
    parser.add_argument("--half", action="store_true", help="write weights as 16-bit numbers")
    parser.add_argument("--no-mirror", action="store_true")
    given = parser.parse_args(arguments)
    rank = join_ranks()
    start = time.perf_counter()

    def report(text: str) -> None:
        if rank == 0:
            sys.stderr.write(f"{time.perf_counter() - start:7.1f} s  {text}\n")

    def report_epoch(epoch: Epoch) -> None:
        values = " ".join(f"{a:.4f}/{b:.4f}" for a, b in zip(epoch.train, epoch.test, strict=True))
        report(f"epoch {epoch.number}: {values}  ({epoch.seconds:.2f} s)")

    try:
        settings = settings_of(
            given.network,
            epochs=given.epochs,
            batch=given.batch,
            rate=given.rate,
            drop=given.drop,
            rollout=given.rollout,
            feet=given.feet,
            root=given.root,
            seeds=seeds_of(given.seeds),
            device=chosen_device(given.device),
        )
        job = TrainingJob(
            given.data, given.out, given.network, settings, given.every, given.half, not given.no_mirror
        )
        for path in run(job, report, report_epoch):
            report(f"wrote {path}")
    except (HoofbeatError, LabelledClipError, ValueError) as problem:
        sys.stderr.write(f"{problem}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
