"""hoofbeat dataset: recordings, or our own horse, as the labelled clips that a network learns from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hoofbeat.cli.console import emit, say, working
from hoofbeat.cli.reports import (
    ActionFacts,
    DatasetReport,
    GaitFacts,
    LabelFacts,
    LeftOutFacts,
    SpeedFacts,
    file_facts,
)
from hoofbeat.errors import HoofbeatError

if TYPE_CHECKING:
    from hoofbeat.body.labelled import Dataset
    from hoofbeat.offline.neural.data.recordings import RecordedMotion

#: Help panels.
CLIPS, HORSE = "Recordings", "The horse"

Folder = Annotated[Path | None, typer.Argument(metavar="DIR", help="Folder of BVH clips of one animal.")]
Out = Annotated[Path, typer.Option("--out", "-o", help="Dataset file to write: .npz.")]
Split = Annotated[
    Path | None, typer.Option(help="Which clips train and which test, as JSON.", rich_help_panel=CLIPS)
]
Scale = Annotated[
    float | None,
    typer.Option(help="Metres for each unit of the clips; guessed by default.", rich_help_panel=CLIPS),
]
Horse = Annotated[
    bool, typer.Option("--horse", help="Ride our own horse by random commands.", rich_help_panel=HORSE)
]
Hours = Annotated[float | None, typer.Option(help="How long; 2 by default.", rich_help_panel=HORSE)]
Seed = Annotated[int | None, typer.Option(help="Of the commands; 1 by default.", rich_help_panel=HORSE)]


def dataset(
    folder: Folder = None,
    out: Out = Path("data.npz"),
    split: Split = None,
    scale: Scale = None,
    horse: Horse = False,
    hours: Hours = None,
    seed: Seed = None,
    plot: Annotated[
        Path | None, typer.Option(help="Picture of actions and speeds to draw: .png or .svg.")
    ] = None,
    tables: Annotated[bool, typer.Option("--report", help="Print hours by action and speed.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a report as JSON.")] = False,
) -> None:
    """Make the data of the neural method: a folder of BVH clips, or hours of our own horse.

    hoofbeat dataset recordings/ -o dog.npz --report

    hoofbeat dataset --horse --hours 2 --seed 1 -o horse.npz
    """
    from hoofbeat.formats.datasetfile import write_dataset
    from hoofbeat.offline.neural.data.breakdown import gait_speeds

    data, found = _made(folder, split, scale, horse, hours, seed)
    written = [write_dataset(out, data)]
    if plot is not None:
        from hoofbeat.offline.neural.data.breakdown import shares_of
        from hoofbeat.render.plots.dataset import draw

        shares = [(one.name, one.percent, one.paper) for one in shares_of(data)]
        written.append(draw(plot, shares, gait_speeds(data, found)))
    report = _report(data, found, str(folder or "horse"), written)
    if as_json:
        emit(report)
        return
    if tables:
        _tables(report)
    say(
        f"{report.clips} clips, {report.seconds / 3600:.2f} h, {len(report.test)} of them for tests; "
        f"{report.shown} frames shown, mirrored and copied"
    )
    for path in written:
        say(str(path))


def _made(
    folder: Path | None,
    split: Path | None,
    scale: float | None,
    horse: bool,
    hours: float | None,
    seed: int | None,
) -> tuple[Dataset, RecordedMotion | None]:
    """The dataset, and what is known of the recordings."""
    from hoofbeat.offline.neural.data.recordings import read_recordings
    from hoofbeat.offline.neural.data.teacher import horse_dataset

    if horse == (folder is not None):
        raise HoofbeatError("give a folder of BVH clips, or --horse for our own horse")
    if horse:
        if split is not None or scale is not None:
            raise HoofbeatError("--split and --scale are for clips; the horse has --hours and --seed")
        with working("riding the horse") as update:
            return horse_dataset(2.0 if hours is None else hours, 1 if seed is None else seed, update), None
    if hours is not None or seed is not None:
        raise HoofbeatError("--hours and --seed are for --horse; clips are as long as they are")
    assert folder is not None
    with working("reading clips") as update:
        found = read_recordings(folder, scale, split, update)
    return found.dataset, found


def _report(data: Dataset, found: RecordedMotion | None, source: str, written: list[Path]) -> DatasetReport:
    from hoofbeat.offline.neural.data.breakdown import agreement_of, bands_of, gait_speeds, shares_of

    agreement = agreement_of(found) if found else None
    left = [
        LeftOutFacts(clip.labelled.name, reason, frames)
        for clip in (found.clips if found else ())
        for reason, frames in clip.left_out.items()
    ]
    shares = shares_of(data)
    return DatasetReport(
        source=source,
        split=found.split if found else "one clip in 25",
        nodes=len(data.rig.skeleton),
        clips=len(data.clips),
        test=[clip.name for clip in data.clips if clip.test],
        seconds=sum(one.seconds for one in shares),
        shown=2 * sum(int(clip.copies[clip.used].sum()) for clip in data.clips if not clip.test),
        actions=[ActionFacts(one.name, one.seconds, one.percent, one.paper) for one in shares],
        speeds=[SpeedFacts(*band) for band in bands_of(data)],
        gaits=[
            GaitFacts(
                name, len(speeds), *map(float, (speeds.mean(), speeds.std(), speeds.min(), speeds.max()))
            )
            for name, speeds in gait_speeds(data, found).items()
            if len(speeds)
        ],
        labels=LabelFacts(
            agreement.six, agreement.two, agreement.rule, agreement.six_agreed, agreement.two_agreed
        )
        if agreement
        else None,
        left_out=left,
        notes=data.notes.splitlines(),
        files=file_facts(written),
    )


def _tables(report: DatasetReport) -> None:
    say("action            s       %   paper %")
    for one in report.actions:
        paper = "" if one.paper is None else f"{one.paper:9.2f}"
        say(f"{one.name:13} {one.seconds:7.1f} {one.percent:7.2f}{paper}")
    say("\nspeed m/s          s")
    for one in report.speeds:
        say(f"{one.low:5.1f} to {one.high:4.1f} {one.seconds:8.1f}")
    say(f"\ngait          {'strides' if report.labels else ' frames'}  m/s mean    sd   from     to")
    for one in report.gaits:
        values = f"{one.mean:9.2f} {one.deviation:5.2f} {one.low:6.2f} {one.high:6.2f}"
        say(f"{one.name:13} {one.count:7d} {values}")
    if report.labels is not None:
        labels = report.labels
        say(
            f"\nlabels: {labels.six} frames by the authors in six words, the rule agrees on "
            f"{100 * labels.six_agreed:.1f} %; {labels.two} in two words, {100 * labels.two_agreed:.1f} %; "
            f"{labels.rule} by the rule"
        )
    for one in report.left_out:
        say(f"left out: {one.clip}, {one.frames} frames {one.reason}")
    for words in report.notes:
        say(f"note: {words}")
    say(f"test: {', '.join(report.test) or 'none'}\n")
