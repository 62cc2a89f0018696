"""hoofbeat plate: one stride of a gait in numbered poses, as a Muybridge plate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hoofbeat.cli.console import emit, note, say, working
from hoofbeat.cli.motion.looks import Coat, Figure, Level
from hoofbeat.cli.reports import PlateReport, file_facts
from hoofbeat.cli.vocabulary import complete_breed, complete_gait, complete_method
from hoofbeat.errors import ClipError, HoofbeatError
from hoofbeat.gaits.gait import ALIASES
from hoofbeat.methods.catalog import DEFAULT, method_info

if TYPE_CHECKING:
    from hoofbeat.render.pages.plate import PlateStride

#: Strides ridden, so that one in the middle is whole, and the rate that places its moments well.
STRIDES, RATE = 4.0, 240.0

Breed = Annotated[
    str | None,
    typer.Option(
        autocompletion=complete_breed,
        help="Whose gaits the horse goes through before: three-gaited or all.",
    ),
]


def plate(
    gait: Annotated[str, typer.Argument(metavar="GAIT", autocompletion=complete_gait, help="Gait to show.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Picture to write (.png).")],
    poses: Annotated[int, typer.Option(help="How many poses: 6, 8, 12 or 24.")] = 12,
    speed: Annotated[
        float | None, typer.Option(help="Speed in m/s; the middle of the gait's by default.")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(autocompletion=complete_method, help=f"How motion is made; {DEFAULT} by default."),
    ] = None,
    breed: Breed = None,
    scene: Annotated[Path | None, typer.Option(help="Scene file: another animal.")] = None,
    height: Annotated[
        float | None, typer.Option(help="Height of the withers in m; the method's own by default.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the engine's noise.")] = 0,
    theme: Annotated[str, typer.Option(help="light or dark.")] = "light",
    width: Annotated[int, typer.Option(help="Width of the picture in pixels.")] = 3000,
    figure: Figure = None,
    coat: Coat = None,
    level: Level = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a report as JSON.")] = False,
) -> None:
    """Draw numbered poses of one stride before a squared backdrop, from the side, the front and the rear.

    hoofbeat plate trot -o trot.png
    """
    from hoofbeat.cli.motion.synth import method_line, ridden_plan
    from hoofbeat.formats.planfile import Plan, PlanError, Segment
    from hoofbeat.render.pages.plate import check_plate, stride_of, stride_plate
    from hoofbeat.render.picture import Wish, dressed

    check_plate(out, poses, width, theme)
    wish = Wish(figure=figure or "auto", coat=coat or "", level=level or "high", theme=theme)
    if ALIASES.get(gait, gait) == "stand" or speed == 0:
        raise HoofbeatError("a standing horse makes no strides; choose another gait, or a speed above 0")
    try:
        segment = Segment(STRIDES, "cycles", speed, gait=gait)
        place = None if scene is None else str(scene.absolute())
        above = {"scene": place, "height": height, "settle": True, "name": gait, "breed": breed}
        plan = Plan((segment,), method or DEFAULT, RATE, seed, **above)
    except PlanError as problem:
        raise HoofbeatError(problem.reason) from problem
    ride = ridden_plan(plan)
    stride = stride_of(ride.clip)
    wanted = method_info(plan.method).resolved(gait)
    if wanted is not None and stride.gait != wanted and not ride.notes:
        raise ClipError(f"the horse went on in a {stride.gait} at this speed; choose another one")
    with working(f"drawing {out.name}"), dressed(ride.clip.skeleton, wish) as dress:
        stride_plate(ride.clip, out, poses, width=width, theme=theme, dress=dress)
    written = file_facts([out])
    if as_json:
        figures = (stride.gait, stride.speed, stride.duration, stride.length)
        emit(PlateReport(plan.method, *figures, height, poses, written, list(ride.notes)))
        return
    for words in ride.notes:
        note(words)
    _summarise(stride, out)
    say(method_line(plan.method))


def _summarise(stride: PlateStride, out: Path) -> None:
    """What was drawn, and where."""
    length, seconds = f"{stride.length:.2f} m", f"{stride.duration:.3f} s"
    say(f"{stride.gait} at {stride.speed:.2f} m/s: a stride of {length} in {seconds}")
    say(str(out))
