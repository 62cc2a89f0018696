"""hoofbeat train: networks of the neural method, from a dataset file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hoofbeat.cli.console import emit, note, say, working
from hoofbeat.cli.reports import TrainReport, file_facts
from hoofbeat.errors import HoofbeatError

if TYPE_CHECKING:
    from hoofbeat.offline.neural.training.ensemble import Epoch
    from hoofbeat.offline.neural.training.run import TrainingJob

#: Help panels.
HOW, WHERE = "How it learns; the paper's values by default", "Where it runs and writes"

Network = Annotated[
    str, typer.Option(help="mann8, mann4, plain2048, plain1305, pfnn or mixture4.", rich_help_panel=HOW)
]
Epochs = Annotated[int | None, typer.Option(min=1, max=100_000, help="150.", rich_help_panel=HOW)]
Batch = Annotated[int | None, typer.Option(min=1, max=65_536, help="32.", rich_help_panel=HOW)]
Rate = Annotated[float | None, typer.Option(help="Of learning at each restart; 1e-4.", rich_help_panel=HOW)]
Drop = Annotated[
    float | None, typer.Option(min=0.0, max=0.9, help="Part of the units left out; 0.3.", rich_help_panel=HOW)
]
Rollout = Annotated[
    int | None,
    typer.Option(
        min=1, max=64, help="Frames that follow from the network's own poses; 1 = none.", rich_help_panel=HOW
    ),
]
Feet = Annotated[
    float | None,
    typer.Option(min=0.0, max=1e3, help="How much more errors of the toes count; 1.", rich_help_panel=HOW),
]
Root = Annotated[
    float | None,
    typer.Option(
        min=0.0, max=1e3, help="How much more errors of the root's velocity count; 1.", rich_help_panel=HOW
    ),
]
Seeds = Annotated[str, typer.Option(help="One network for each, as 0,1,2.", rich_help_panel=HOW)]
Mirror = Annotated[bool, typer.Option(help="Show every clip in a mirror as well.", rich_help_panel=HOW)]
Device = Annotated[str, typer.Option(help="auto, cpu or cuda.", rich_help_panel=WHERE)]
Every = Annotated[int, typer.Option(min=1, help="Epochs between checkpoints.", rich_help_panel=WHERE)]
Half = Annotated[bool, typer.Option(help="Write weights as 16-bit numbers.", rich_help_panel=WHERE)]
Onnx = Annotated[bool, typer.Option(help="Write .onnx files for run time.", rich_help_panel=WHERE)]


def train(
    data: Annotated[Path, typer.Argument(help="Dataset file, from hoofbeat dataset.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of what is written.")] = Path("out/neural"),
    network: Network = "mann8",
    epochs: Epochs = None,
    batch: Batch = None,
    rate: Rate = None,
    drop: Drop = None,
    rollout: Rollout = None,
    feet: Feet = None,
    root: Root = None,
    seeds: Seeds = "0",
    mirror: Mirror = True,
    device: Device = "auto",
    every: Every = 10,
    half: Half = False,
    onnx: Onnx = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print a report as JSON.")] = False,
) -> None:
    """Train a network on clips; go on from the folder's checkpoint where there is one.

    hoofbeat train dog.npz -o out/dog --network mann8

    hoofbeat train horse.npz -o out/horse --batch 256 --rate 3e-4

    The loss is drawn into the folder after every epoch (NETWORK.svg). On many graphics cards: torchrun
    --nproc-per-node N -m hoofbeat.offline.neural.training.run, with the same options.
    """
    _needs_torch()
    from hoofbeat.offline.neural.training.run import TrainingJob, chosen_device, seeds_of, settings_of

    settings = settings_of(
        network,
        epochs=epochs,
        batch=batch,
        rate=rate,
        drop=drop,
        rollout=rollout,
        feet=feet,
        root=root,
        seeds=seeds_of(seeds),
        device=chosen_device(device),
    )
    losses, files = _shown(TrainingJob(data, out, network, settings, every, half, mirror), onnx)
    report = TrainReport(
        network=network,
        seeds=list(settings.seeds),
        epochs=settings.epochs,
        trained=len(losses),
        train_loss=list(losses[-1].train) if losses else [],
        test_loss=list(losses[-1].test) if losses else [],
        seconds=sum(epoch.seconds for epoch in losses),
        files=file_facts(files),
    )
    _summarise(report, as_json)


def _needs_torch() -> None:
    try:
        import torch  # noqa: F401
    except ImportError:
        raise HoofbeatError("training needs torch: pip install 'hoofbeat[train]'") from None


def _shown(job: TrainingJob, onnx: bool) -> tuple[list[Epoch], list[Path]]:
    """Run with a bar that shows the loss; returns the epochs and the files."""
    from hoofbeat.offline.neural.training.run import run

    losses: list[Epoch] = []
    with working("features") as update:

        def watch(epoch: Epoch) -> None:
            losses.append(epoch)
            words = f"{job.network}, epoch {epoch.number}, loss {epoch.train[0]:.4f}"
            update(epoch.number, job.settings.epochs, words)

        written = run(job, lambda words: update(0, job.settings.epochs, words), watch)
    figures = [job.folder / f"{job.network}{ending}" for ending in (".json", ".svg")]
    return losses, [*written, *(_exported(written) if onnx else []), *figures]


def _summarise(report: TrainReport, as_json: bool) -> None:
    if as_json:
        emit(report)
        return
    for seed, loss in zip(report.seeds, report.train_loss, strict=False):
        say(f"{report.network}, seed {seed}: loss {loss:.4f} after {report.epochs} epochs")
    say(f"{report.trained} epochs in {report.seconds:.1f} s")
    for file in report.files:
        say(file.path)


def _exported(weights: list[Path]) -> list[Path]:
    """The same networks for run time, as floats and as integers."""
    try:
        import onnx  # noqa: F401
    except ImportError:
        note("no .onnx files: pip install 'hoofbeat[train]' brings the package onnx")
        return []
    from hoofbeat.offline.neural.training.onnxfile import write_network
    from hoofbeat.offline.neural.training.weightsfile import read_weights

    files: list[Path] = []
    for path in weights:
        trained = read_weights(path)
        if trained.shape.kind == "mixture":
            note("a mixture of experts is a yardstick for training; it is not written for run time")
            continue
        files.append(write_network(path.with_suffix(".onnx"), trained))
        files.append(write_network(path.with_suffix(".int8.onnx"), trained, whole=True))
    return files
