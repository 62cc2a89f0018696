"""hoofbeat synth: a plan, or a gait and a speed, to files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoofbeat.cli.console import emit, note, say, working
from hoofbeat.cli.motion.looks import LEVELS, Camera, Coat, Figure, Level, Lods, Poses, Size, Slow, Theme
from hoofbeat.cli.reports import SynthReport, file_facts
from hoofbeat.cli.vocabulary import (
    complete_breed,
    complete_gait,
    complete_method,
    complete_terrain,
    gait_with_lead,
    gaits_elsewhere,
)
from hoofbeat.errors import HoofbeatError, UnknownGait
from hoofbeat.methods.catalog import DEFAULT

if TYPE_CHECKING:
    from hoofbeat.body.clip import Clip
    from hoofbeat.formats.planfile import Plan
    from hoofbeat.synthesis import Ride

PLAN_ENDINGS = (".yaml", ".yml")
#: How long a gait is ridden where neither seconds nor cycles are given [s].
SECONDS = 5.0
#: The method that makes a repertoire, whatever the default is.
REPERTOIRE = "timewarp"
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
    typer.Option(
        help=f"How motion is made; {DEFAULT} by default.",
        autocompletion=complete_method,
        rich_help_panel=WHAT,
    ),
]
Breed = Annotated[
    str | None,
    typer.Option(
        help="Whose gaits a speed chooses from: three-gaited (walk, trot, canter, gallop) or all.",
        autocompletion=complete_breed,
        rich_help_panel=WHAT,
    ),
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
    float | None, typer.Option(help=f"How long, in seconds; {SECONDS:g} by default.", rich_help_panel=WHAT)
]
Cycles = Annotated[
    float | None, typer.Option(help="How long, in strides of the left hind.", rich_help_panel=WHAT)
]
Terrain = Annotated[
    str | None,
    typer.Option(
        help="Ground to ride on: flat, slope or hills.", autocompletion=complete_terrain, rich_help_panel=WHAT
    ),
]
Scene = Annotated[Path | None, typer.Option(help="Scene file: another animal.", rich_help_panel=WHAT)]
Height = Annotated[
    float | None,
    typer.Option(help="Height of the withers in m; the method's own by default.", rich_help_panel=WHAT),
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
        "--all-gaits",
        help="All a game needs: loops of every gait, idle, leaps, changes; with --seconds or --cycles, "
        "every gait of the method for so long.",
        rich_help_panel=WHAT,
    ),
]
Fps = Annotated[float | None, typer.Option(help="Frames a second; 60 by default.", rich_help_panel=HOW)]
InPlace = Annotated[
    bool, typer.Option("--in-place", help="Leave out the path over the ground.", rich_help_panel=HOW)
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
    breed: Breed = None,
    from_stand: FromStand = False,
    all_gaits: AllGaits = False,
    fps: Fps = None,
    in_place: InPlace = False,
    figure: Figure = None,
    camera: Camera = None,
    coat: Coat = None,
    level: Level = None,
    lods: Lods = False,
    size: Size = None,
    theme: Theme = None,
    slow: Slow = None,
    poses: Poses = None,
    as_json: Json = False,
) -> None:
    """Ride a plan, or one gait or speed, and write the motion to files.

    hoofbeat synth ride.yaml -o ride.glb -o ride.bvh

    hoofbeat synth --gait trot --cycles 4 -o trot.npz

    hoofbeat synth --gait canter --lead left --speed 6 -o canter.glb

    hoofbeat synth --speed 4 -o ride.mp4 --camera chase --coat grey

    hoofbeat synth --all-gaits -o horse.glb

    With a plan, --method, --seed, --fps, --terrain, --scene, --height and --breed replace what it says.
    """
    gait = gait_with_lead(gait, lead)
    motion: dict[str, Any] = {"gait": gait, "speed": speed, "froude": froude, "turn": turn}
    motion |= {"seconds": seconds, "cycles": cycles}
    above: dict[str, Any] = {"method": method, "fps": fps, "seed": seed, "terrain": terrain, "height": height}
    above |= {"breed": breed}
    if scene is not None:
        above["scene"] = str(scene.absolute())
    looks: dict[str, Any] = {"figure": figure, "camera": camera, "coat": coat, "level": level, "size": size}
    looks |= {"theme": theme, "slow": slow, "poses": poses}
    plans, outputs = _sorted_out(files or [], out or [])
    targets = _Targets(outputs, looks, lods, in_place, as_json)
    given = {key: value for key, value in above.items() if value is not None}
    _run(plans, targets, motion, given, (from_stand, all_gaits))


def _run(
    plans: list[Path],
    targets: _Targets,
    motion: dict[str, Any],
    given: dict[str, Any],
    how: tuple[bool, bool],
) -> None:
    """A plan, one made of the options, or everything; how: from a stand, all gaits."""
    from_stand, all_gaits = how
    if plans and (from_stand or all_gaits or any(value is not None for value in motion.values())):
        raise HoofbeatError("a plan says what to ride; leave out --gait, --speed and the like, or the plan")
    if all_gaits and any(motion[key] is not None for key in ("gait", "speed", "froude")):
        raise HoofbeatError("--all-gaits rides each at its middle speed; leave out --gait, --speed, --froude")
    whole = all_gaits and motion["seconds"] is None and motion["cycles"] is None
    if not plans:
        given.setdefault("method", REPERTOIRE if whole else DEFAULT)
    if whole:
        _write_repertoire(targets, motion, given, from_stand)
        return
    plan = _read(plans[0], given) if plans else _made(motion, given, from_stand, all_gaits)
    _ride_and_write(plan, targets, all_gaits)


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


@dataclass(frozen=True)
class _Targets:
    """What is to be written: files, how they look, whether in all levels of detail or in place."""

    outputs: list[Path]
    looks: dict[str, Any]
    lods: bool
    in_place: bool
    as_json: bool

    def checked(self) -> dict[Path, dict[str, Any]]:
        """Each file with what is wished of it; what cannot be written is refused."""
        from hoofbeat.cli.motion.targets import by_level, check_targets, check_wishes

        if not self.lods:
            check_targets(self.outputs)
            return check_wishes(self.outputs, self.looks)
        if self.looks["level"] is not None:
            raise HoofbeatError("--lods writes every level of detail; leave out --level")
        levels = by_level(self.outputs, [level for level in LEVELS if level != "bones"])
        check_targets(list(levels))
        wishes = check_wishes(list(levels), self.looks)
        return {path: wish | {"level": levels[path]} for path, wish in wishes.items()}


def _ride_and_write(plan: Plan, targets: _Targets, all_gaits: bool) -> None:
    from hoofbeat.cli.motion.targets import on_ground, write_clips
    from hoofbeat.synthesis import all_gaits as plans_of

    wishes = targets.checked()
    rides = [ridden_plan(one) for one in (plans_of(plan) if all_gaits else [plan])]
    if plan.terrain != "flat" and not targets.in_place:
        wishes = on_ground(wishes, plan.terrain)
    clips, notes = [ride.clip for ride in rides], [words for ride in rides for words in ride.notes]
    written = write_clips(clips, list(wishes), targets.in_place, all_gaits, wishes)
    _report(plan.method, plan.seed, plan.height, clips, written, notes, targets)


def _write_repertoire(
    targets: _Targets, motion: dict[str, Any], given: dict[str, Any], from_stand: bool
) -> None:
    """Loops, changes, idle and leaps; files of several clips get each with its path and in place."""
    from hoofbeat.cli.motion.targets import write_clips
    from hoofbeat.export import holds_several
    from hoofbeat.offline.repertoire import repertoire, with_in_place

    odd = [key for key in ("turn",) if motion[key] is not None]
    odd += [key for key in ("terrain", "scene", "breed") if key in given and given[key] != "flat"]
    if odd or from_stand or given["method"] != REPERTOIRE:
        raise HoofbeatError(
            f"--all-gaits makes its clips with the method {REPERTOIRE} on flat ground; leave out --turn, "
            "--scene, --breed, --from-stand and other methods, or say --seconds or --cycles"
        )
    wishes = targets.checked()
    options = {key: given[key] for key in ("fps", "height", "seed") if key in given}
    with working("riding every gait") as update:
        clips = repertoire(**options, progress=update)
    both = [path for path in wishes if holds_several(path) and not targets.in_place]
    written = write_clips(with_in_place(clips), both, False, True, wishes) if both else []
    rest = [path for path in wishes if path not in both]
    written += write_clips(clips, rest, targets.in_place, True, wishes)
    _report(REPERTOIRE, options.get("seed", 0), given.get("height"), clips, written, [], targets)


def _report(
    method: str,
    seed: int,
    height: float | None,
    clips: list[Clip],
    written: list[Path],
    notes: list[str],
    targets: _Targets,
) -> None:
    from hoofbeat.cli.motion.facts import clip_facts, clip_line

    facts = [clip_facts(clip) for clip in clips]
    if targets.as_json:
        emit(SynthReport(method, seed, height, targets.in_place, facts, file_facts(written), notes))
        return
    for words in notes:
        note(words)
    for one in facts:
        say(clip_line(one))
    for path in written:
        say(str(path))
    say(method_line(method))


def method_line(method: str) -> str:
    """The last line of a command that made motion."""
    return f"method {method}"


def ridden_plan(plan: Plan) -> Ride:
    """Ride a plan with a bar; what is wrong with options, not with a file, is reported without a place."""
    from hoofbeat.formats.planfile import PlanError
    from hoofbeat.synthesis import ride

    from_file = plan.path != "<memory>"
    with working(f"riding {plan.name}") as update:
        try:
            done = ride(plan, update)
        except PlanError as problem:
            cause = problem.__cause__
            more = gaits_elsewhere(str(cause.given), plan.method) if isinstance(cause, UnknownGait) else ""
            if from_file:
                raise PlanError(problem.reason + more, problem.path, problem.line) from problem
            raise HoofbeatError(problem.reason.removeprefix(ONLY) + more) from problem
    return done if from_file else replace(done, notes=tuple(words.partition(ONLY)[2] for words in done.notes))
