"""hoofbeat synth: a plan, or a gait and a speed, to files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoofbeat.cli.console import emit, note, say, working
from hoofbeat.cli.reports import SynthReport, file_facts
from hoofbeat.cli.words import complete_gait, complete_method, complete_terrain, method_for, with_lead
from hoofbeat.errors import HoofbeatError

if TYPE_CHECKING:
    from hoofbeat.formats.planfile import Plan
    from hoofbeat.synthesis import Ride

PLAN_ENDINGS = (".yaml", ".yml")
#: How long a gait is ridden where neither seconds nor cycles are said [s].
SECONDS = 5.0
#: What stands before a message about the one segment that options make.
ONLY = "segment 1: "
#: Help panels.
WHAT, HOW = "What to ride", "How to write it"

Files = Annotated[
    list[Path] | None,
    typer.Argument(metavar="PLAN|FILE", help="A plan to ride, and more files to write."),
]
Out = Annotated[
    list[Path] | None,
    typer.Option("--out", "-o", help="File to write, in the format of its ending; may be repeated."),
]
Method = Annotated[
    str | None,
    typer.Option(help="How motion is made.", autocompletion=complete_method, rich_help_panel=WHAT),
]
Gait = Annotated[
    str | None,
    typer.Option(help="Gait to keep to.", autocompletion=complete_gait, rich_help_panel=WHAT),
]
Lead = Annotated[
    str | None,
    typer.Option(help="left or right: the fore that leads a canter or gallop.", rich_help_panel=WHAT),
]
Speed = Annotated[float | None, typer.Option(help="Speed in m/s.", rich_help_panel=WHAT)]
Froude = Annotated[
    float | None, typer.Option(help="Speed as a Froude number v²/(g h).", rich_help_panel=WHAT)
]
Turn = Annotated[
    float | None, typer.Option(help="Turning rate in rad/s, left positive.", rich_help_panel=WHAT)
]
Seconds = Annotated[
    float | None, typer.Option(help=f"How long, in seconds; {SECONDS:g} if not said.", rich_help_panel=WHAT)
]
Cycles = Annotated[
    float | None, typer.Option(help="How long, in strides of the left hind.", rich_help_panel=WHAT)
]
Terrain = Annotated[
    str | None,
    typer.Option(help="Ground to ride on.", autocompletion=complete_terrain, rich_help_panel=WHAT),
]
Scene = Annotated[Path | None, typer.Option(help="Scene file: another animal.", rich_help_panel=WHAT)]
Height = Annotated[
    float | None,
    typer.Option(help="Height of the withers in m; the method's own if not said.", rich_help_panel=WHAT),
]
Seed = Annotated[int | None, typer.Option(help="Seed of the engine's noise.", rich_help_panel=WHAT)]
FromStand = Annotated[
    bool,
    typer.Option(
        "--from-stand", help="Begin standing, not in the steady gait at a touchdown.", rich_help_panel=WHAT
    ),
]
AllGaits = Annotated[
    bool,
    typer.Option(
        "--all-gaits", help="Every gait of the method, each a clip of its name.", rich_help_panel=WHAT
    ),
]
Fps = Annotated[float | None, typer.Option(help="Frames a second; 60 if not said.", rich_help_panel=HOW)]
InPlace = Annotated[
    bool, typer.Option("--in-place", help="Leave out the way over the ground.", rich_help_panel=HOW)
]
Json = Annotated[bool, typer.Option("--json", help="Print a report as JSON.", rich_help_panel=HOW)]


def synth(
    files: Files = None,
    out: Out = None,
    method: Method = None,
    gait: Gait = None,
    lead: Lead = None,
    speed: Speed = None,
    froude: Froude = None,
    turn: Turn = None,
    seconds: Seconds = None,
    cycles: Cycles = None,
    terrain: Terrain = None,
    scene: Scene = None,
    height: Height = None,
    seed: Seed = None,
    from_stand: FromStand = False,
    all_gaits: AllGaits = False,
    fps: Fps = None,
    in_place: InPlace = False,
    as_json: Json = False,
) -> None:
    """Ride a plan, or one gait or speed, and write the motion to files.

    hoofbeat synth ride.yaml -o ride.glb -o ride.bvh

    hoofbeat synth --gait trot --cycles 4 -o trot.npz

    hoofbeat synth --gait canter --lead left --speed 6 -o canter.glb

    With a plan, --method, --seed, --fps, --terrain, --scene and --height replace what it says.
    """
    gait = with_lead(gait, lead)
    motion: dict[str, Any] = {"gait": gait, "speed": speed, "froude": froude, "turn": turn}
    motion |= {"seconds": seconds, "cycles": cycles}
    above = {"method": method, "fps": fps, "seed": seed, "terrain": terrain, "height": height}
    if scene is not None:
        above["scene"] = str(scene.absolute())
    plans, outputs = _sorted_out(files or [], out or [])
    if plans and (from_stand or all_gaits or any(value is not None for value in motion.values())):
        raise HoofbeatError("a plan says what to ride; leave out --gait, --speed and the like, or the plan")
    if all_gaits and any(motion[key] is not None for key in ("gait", "speed", "froude")):
        raise HoofbeatError("--all-gaits rides each at its middle speed; leave out --gait, --speed, --froude")
    given = {key: value for key, value in above.items() if value is not None}
    if not plans:
        given.setdefault("method", method_for(gait))
    plan = _read(plans[0], given) if plans else _made(motion, given, from_stand, all_gaits)
    _ride_and_write(plan, outputs, all_gaits, in_place, as_json)


def _sorted_out(words: list[Path], out: list[Path]) -> tuple[list[Path], list[Path]]:
    """Plans and files to write: `-o a.glb b.bvh` leaves b.bvh among the arguments."""
    plans = [path for path in words if path.suffix.lower() in PLAN_ENDINGS]
    outputs = [*out, *(path for path in words if path not in plans)]
    if len(plans) > 1:
        raise HoofbeatError(f"one plan is ridden at a time, given {', '.join(map(str, plans))}")
    if not outputs:
        raise HoofbeatError("no file to write; add one, as in -o ride.glb")
    return plans, outputs


def _read(path: Path, given: dict[str, Any]) -> Plan:
    from hoofbeat.formats.planfile import read_plan

    return replace(read_plan(path), **given)


def _made(motion: dict[str, Any], given: dict[str, Any], from_stand: bool, all_gaits: bool) -> Plan:
    """A plan of one segment from the options."""
    from hoofbeat.formats.planfile import Plan, PlanError, Segment

    if motion["seconds"] is not None and motion["cycles"] is not None:
        raise HoofbeatError("--seconds and --cycles say the same thing; give one of them")
    if not all_gaits and all(motion[key] is None for key in ("gait", "speed", "froude")):
        raise HoofbeatError("what to ride is missing; give a plan, --gait, --speed, --froude or --all-gaits")
    cycles = motion["cycles"]
    length = cycles if cycles is not None else SECONDS if motion["seconds"] is None else motion["seconds"]
    try:
        segment = Segment(
            length,
            "s" if cycles is None else "cycles",
            motion["speed"],
            motion["froude"],
            "walk" if all_gaits else motion["gait"],
            motion["turn"] or 0.0,
        )
        name = motion["gait"] or "ride"
        return Plan((segment,), **given, settle=not from_stand, name=name)
    except PlanError as problem:
        raise HoofbeatError(problem.reason) from problem


def _ride_and_write(plan: Plan, outputs: list[Path], all_gaits: bool, in_place: bool, as_json: bool) -> None:
    from hoofbeat.cli.facts import clip_facts, clip_line
    from hoofbeat.cli.targets import check_targets, write_clips
    from hoofbeat.synthesis import all_gaits as plans_of

    check_targets(outputs)
    rides = [ridden(one) for one in (plans_of(plan) if all_gaits else [plan])]
    clips, notes = [ride.clip for ride in rides], [words for ride in rides for words in ride.notes]
    written = write_clips(clips, outputs, in_place, several=all_gaits)
    facts = [clip_facts(clip) for clip in clips]
    if as_json:
        emit(SynthReport(plan.method, plan.seed, plan.height, in_place, facts, file_facts(written), notes))
        return
    for words in notes:
        note(words)
    for one in facts:
        say(clip_line(one))
    for path in written:
        say(str(path))


def ridden(plan: Plan) -> Ride:
    """Ride a plan with a bar; what is wrong with options, not with a file, is said without a place."""
    from hoofbeat.formats.planfile import PlanError
    from hoofbeat.synthesis import ride

    from_file = plan.path != "<memory>"
    with working(f"riding {plan.name}") as update:
        try:
            done = ride(plan, update)
        except PlanError as problem:
            if from_file:
                raise
            raise HoofbeatError(problem.reason.removeprefix(ONLY)) from problem
    return done if from_file else replace(done, notes=tuple(words.partition(ONLY)[2] for words in done.notes))
