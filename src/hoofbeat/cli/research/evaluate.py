"""hoofbeat evaluate: networks of the neural method, measured as Zhang et al. 2018 measured theirs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoofbeat.cli.console import emit, say, working
from hoofbeat.cli.reports import ClaimFacts, EvaluateReport, file_facts

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Help panels.
WHAT, WHERE = "What is measured", "What is written"

Networks = Annotated[
    list[Path], typer.Argument(metavar="MODEL...", help="Network files (.onnx) of one animal.")
]
Data = Annotated[
    Path | None,
    typer.Option(help="Takes that they learnt from, to measure as well.", rich_help_panel=WHAT),
]
Figures = Annotated[
    Path | None, typer.Option(help="Folder of training figures (*.json): loss curves.", rich_help_panel=WHAT)
]
Horse = Annotated[
    bool,
    typer.Option("--horse", help="Compare horses with the method that taught them.", rich_help_panel=WHAT),
]
Quick = Annotated[
    bool, typer.Option("--quick", help="Few starts and seconds: a first look.", rich_help_panel=WHAT)
]
Ride = Annotated[
    float | None,
    typer.Option(min=0.1, max=36_000, help="Seconds of the long ride; 600.", rich_help_panel=WHAT),
]
Workers = Annotated[int, typer.Option(min=1, max=64, help="Processes that measure dogs, a network each.")]
Out = Annotated[Path, typer.Option("--out", "-o", help="Folder of what is written.", rich_help_panel=WHERE)]
Docs = Annotated[
    Path | None, typer.Option(help="Page whose marked tables are refreshed.", rich_help_panel=WHERE)
]
Pictures = Annotated[bool, typer.Option(help="Draw plots (extra plot).", rich_help_panel=WHERE)]


def evaluate(
    networks: Networks,
    data: Data = None,
    figures: Figures = None,
    horse: Horse = False,
    quick: Quick = False,
    ride: Ride = None,
    workers: Workers = 1,
    seed: Annotated[int, typer.Option(help="Of random rides.", rich_help_panel=WHAT)] = 1,
    out: Out = Path("out/evaluation"),
    docs: Docs = None,
    pictures: Pictures = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print a report as JSON.")] = False,
) -> None:
    """Measure networks: skating, leg motion, paths, gaits, actions, experts, long rides.

    hoofbeat evaluate out/dog/*.onnx --data dog.npz --figures out/dog -o out/evaluation

    hoofbeat evaluate out/horse/mann8-seed0.int8.onnx --horse -o out/horse-evaluation
    """
    from dataclasses import replace

    from hoofbeat.offline.neural.evaluate.claims import claims_of, horse_claims
    from hoofbeat.offline.neural.evaluate.evaluation import (
        QUICK,
        Amount,
        evaluate_dog,
        evaluate_horse,
        read_networks,
    )
    from hoofbeat.offline.neural.evaluate.output import refresh_page, write_results
    from hoofbeat.offline.neural.training.figures import read_figures

    losses = None if figures is None else read_figures(figures)
    found = read_networks(networks)
    amount = QUICK if quick else Amount()
    amount = amount if ride is None else replace(amount, ride=ride)
    with working("measuring") as update:
        if horse:
            results = evaluate_horse(found, amount, seed, update)
        else:
            results = evaluate_dog(found, data, amount, seed, update, workers)
    results |= {} if losses is None else {"losses": losses}
    flags = ["--horse"] * horse + ["--quick"] * quick
    rides = [] if ride is None else [f"--ride {ride:g}"]
    results["command"] = _command(networks, data, figures, [*flags, *rides, f"--seed {seed}"])
    files = write_results(out, results, pictures)
    if docs is not None:
        files.append(refresh_page(docs, results))
    claims = horse_claims(results) if horse else claims_of(results)
    report = EvaluateReport(
        networks=[one.path.name for one in found],
        families=list(dict.fromkeys(one.family for one in found)),
        claims=[ClaimFacts(*claim) for claim in claims],
        files=file_facts(files),
    )
    if as_json:
        emit(report)
        return
    _summarise(report.claims, files)


def _command(networks: Sequence[Path], data: Path | None, figures: Path | None, others: Sequence[str]) -> str:
    """What was asked for, without the folders of this machine."""
    named = [f"--data {data.name}"] if data else []
    named += [f"--figures {figures.resolve().name}"] if figures else []
    return " ".join(["hoofbeat evaluate", *(path.name for path in networks), *named, *others])


def _summarise(claims: Sequence[Any], files: Sequence[Path]) -> None:
    marks = {True: "holds", False: "fails", None: "not measured"}
    for one in claims:
        say(f"{marks[one.holds]:12} {one.line}: {one.measured}")
    for path in files:
        say(str(path))
