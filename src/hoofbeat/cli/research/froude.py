"""hoofbeat froude: what dynamic similarity predicts, and the stages of transitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from hoofbeat.cli.console import emit, say
from hoofbeat.cli.reports import FroudeFacts, FroudeReport
from hoofbeat.errors import HoofbeatError

if TYPE_CHECKING:
    from hoofbeat.methods.froude.model.similarity import Prediction

#: Froude numbers of the table where none is asked for.
TABLE = (0.05, 0.1, 0.2, 0.35, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 6.0, 10.0, 20.0)


def froude(
    speed: Annotated[float | None, typer.Option(help="Speed in m/s.")] = None,
    number: Annotated[float | None, typer.Option("--froude", help="Froude number, v²/(g h).")] = None,
    hip: Annotated[float | None, typer.Option(help="Height of the hip in m: a mouse has 0.03.")] = None,
    height: Annotated[
        float | None,
        typer.Option(help="Withers of a horse in m, instead of its hip; 1.295 if neither is given."),
    ] = None,
    gravity: Annotated[float, typer.Option(help="Gravity in m/s²: on the Moon 1.62.")] = 9.81,
    gait: Annotated[
        str | None, typer.Option(help="Gait whose laws to use; by default that of the Froude number.")
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(help="Gait borders and phases: natural or paper; natural, and paper for --stages."),
    ] = None,
    stages: Annotated[
        bool, typer.Option("--stages", help="The stages of the six transitions (Table 4).")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a report as JSON.")] = False,
) -> None:
    """Print duty factors, stride length and frequency that dynamic similarity predicts for an animal of
    any size.

    hoofbeat froude --speed 3.2

    hoofbeat froude --froude 2 --hip 0.03 --json

    hoofbeat froude --stages
    """
    from hoofbeat.body.size import checked_height
    from hoofbeat.methods.froude.model.similarity import froude_of, predict, preset_named
    from hoofbeat.methods.froude.model.stages import stage_table

    if (speed is not None) + (number is not None) > 1 or (hip is not None) + (height is not None) > 1:
        raise HoofbeatError("give --speed or --froude, and --hip or --height, not both")
    tall = hip if hip is not None else HIP_OF_WITHERS * checked_height(1.295 if height is None else height)
    own = preset_named(preset or ("paper" if stages else "natural"))
    if stages:
        _stages(own.name, stage_table(own), tall, gravity, as_json)
        return
    wanted = (
        (float(froude_of(speed, tall, gravity)),)
        if speed is not None
        else TABLE
        if number is None
        else (number,)
    )
    rows: list[FroudeFacts] = []
    for value in wanted:
        if value <= 0:
            raise HoofbeatError("an animal that stands has no strides; give a speed or Froude number above 0")
        name = gait or own.gait(value)
        rows.append(_facts(value, name, predict(value, name, tall, gravity)))
    _rows(FroudeReport(own.name, tall, gravity, rows, None), as_json)


def _facts(value: float, gait: str, found: Prediction) -> FroudeFacts:
    """What is predicted at a Froude number, as a row of the report."""
    figures = (found.duty_fore, found.duty_hind, found.relative_stride, found.stride, found.frequency)
    reach = (found.stance_fore, found.stance_hind)
    return FroudeFacts(value, float(found.speed), gait, *map(float, (*figures, *reach)))


#: Hip over withers of the shipped horse.
HIP_OF_WITHERS = 1.1143269 / 1.295


def _stages(
    preset: str, table: dict[str, dict[str, int]], tall: float, gravity: float, as_json: bool
) -> None:
    if as_json:
        emit(FroudeReport(preset, tall, gravity, [], table))
        return
    say(f"{'Transition':18}  FL   HL   HR   FR")
    for name, row in table.items():
        say(f"{name:18}" + "".join(f"{row[limb]:5d}" for limb in ("FL", "HL", "HR", "FR")))


def _rows(report: FroudeReport, as_json: bool) -> None:
    if as_json:
        emit(report)
        return
    say(f"hip {report.hip:.3f} m, gravity {report.gravity:g} m/s², gaits as {report.preset}")
    say("Froude    m/s  gait    duty fore  hind  stride/hip  stride m  strides/s  stance/hip")
    for row in report.rows:
        say(
            f"{row.froude:6.3g} {row.speed:6.2f}  {row.gait:7} {row.duty_fore:9.3f} {row.duty_hind:5.3f}"
            f" {row.relative_stride:11.3f} {row.stride:9.3f} {row.frequency:10.3f} {row.stance_hind:11.3f}"
        )
