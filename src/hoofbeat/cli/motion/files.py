"""hoofbeat info and hoofbeat convert: files of motion, read and written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hoofbeat.cli.console import emit, note, say, working
from hoofbeat.cli.reports import ConvertReport, InfoReport, PlanReport, SegmentFacts, file_facts
from hoofbeat.errors import HoofbeatError

if TYPE_CHECKING:
    from hoofbeat.body.clip import Clip
    from hoofbeat.formats.planfile import Plan

PLAN_ENDINGS = (".yaml", ".yml")

Source = Annotated[Path, typer.Argument(metavar="FILE", help="File with motion, or a plan.")]
Scale = Annotated[
    float | None, typer.Option(help="Metres for each unit of the file: 0.01 for one in centimetres.")
]
ClipName = Annotated[str | None, typer.Option("--clip", help="Which clip, by name or number from 0.")]
Up = Annotated[
    str | None, typer.Option(help="Axis that points up in a glTF file, if not y: z, -y and so on.")
]
Forward = Annotated[str | None, typer.Option(help="Axis the animal of a glTF file faces, if not z.")]
Skin = Annotated[str | None, typer.Option(help="Skin of a glTF file, by name, if not the largest.")]
RootJoint = Annotated[str | None, typer.Option("--root", help="Joint of a glTF file to use as the root.")]
Json = Annotated[bool, typer.Option("--json", help="Print a report as JSON.")]


def info(file: Source, scale: Scale = None, as_json: Json = False) -> None:
    """Say what a file holds: skeleton, clips, length, speed and gaits; or the segments of a plan.

    hoofbeat info ride.glb
    """
    if file.suffix.lower() in PLAN_ENDINGS:
        _plan_info(file, as_json)
        return
    from hoofbeat.cli.motion.facts import clip_facts, clip_line, skeleton_facts, unit_hint
    from hoofbeat.export import load_all

    with working(f"reading {file.name}"):
        clips = load_all(file, scale)
        facts = [clip_facts(clip) for clip in clips]
    body = skeleton_facts(clips[0])
    if as_json:
        emit(InfoReport(str(file), file.stat().st_size, file.suffix.lower(), body, facts))
        return
    width, height, length = body.size
    say(f"{file}: {file.stat().st_size} bytes, {len(facts)} clip{'s' if len(facts) > 1 else ''}")
    say(f"skeleton: {body.joints} joints and {body.ends} end sites under {body.root}")
    say(f"first pose: {width:.2f} m wide, {height:.2f} m high, {length:.2f} m long")
    hips = "" if body.hip_height is None else f"; hips {body.hip_height:.2f} m above the ground"
    say(f"legs: {', '.join(body.legs) or 'none named'}{hips}")
    if (hint := unit_hint(body)) is not None:
        note(hint)
    for one in facts:
        say(clip_line(one))
        say(f"  contacts: {'yes' if one.contacts else 'no'}; extras: {', '.join(one.extras) or 'none'}")


def _plan_info(file: Path, as_json: bool) -> None:
    from hoofbeat.formats.planfile import read_plan

    plan = read_plan(file)
    if as_json:
        emit(_plan_report(plan))
        return
    say(f"{file}: a plan for {plan.method} on {plan.terrain}, {plan.fps:g} frames a second, seed {plan.seed}")
    for k, one in enumerate(plan.segments, 1):
        asked = {
            "speed": None if one.speed is None else f"{one.speed:g} m/s",
            "froude": None if one.froude is None else f"{one.froude:g}",
            "gait": one.gait,
            "turn": f"{one.turn:g} rad/s" if one.turn else None,
            "action": one.action,
        }
        words = ", ".join(f"{key} {value}" for key, value in asked.items() if value is not None)
        say(f"{k}. {one.length:g} {one.unit}: {words}")


def _plan_report(plan: Plan) -> PlanReport:
    segments = [
        SegmentFacts(s.length, s.unit, s.speed, s.froude, s.gait, s.turn, s.action) for s in plan.segments
    ]
    above = (plan.name, plan.method, plan.fps, plan.seed, plan.terrain, plan.scene)
    return PlanReport(plan.path, *above, plan.height, plan.breed, plan.settle, plan.seconds, segments)


def convert(
    source: Annotated[Path, typer.Argument(metavar="A", help="File to read.")],
    target: Annotated[Path, typer.Argument(metavar="B", help="File to write, in the format of its ending.")],
    scale: Scale = None,
    clip: ClipName = None,
    fps: Annotated[float | None, typer.Option(help="Frames a second of B; as in A by default.")] = None,
    up: Up = None,
    forward: Forward = None,
    skin: Skin = None,
    root: RootJoint = None,
    in_place: Annotated[bool, typer.Option("--in-place", help="Leave out the path over the ground.")] = False,
    as_json: Json = False,
) -> None:
    """Read motion from one file and write it to another.

    hoofbeat convert dog.bvh dog.npz --scale 0.01
    """
    from hoofbeat.cli.motion.facts import clip_facts, clip_line
    from hoofbeat.cli.motion.targets import check_targets, write_clips

    check_targets([target])
    with working(f"reading {source.name}"):
        layout = {"up": up, "forward": forward, "skin": skin, "root": root}
        clips = _chosen(source, target, scale, clip, fps, layout)
    written = write_clips(clips, [target], in_place, several=len(clips) > 1)
    facts = [clip_facts(one) for one in clips]
    if as_json:
        emit(ConvertReport(str(source), in_place, facts, file_facts(written)))
        return
    for one in facts:
        say(clip_line(one))
    for path in written:
        say(str(path))


def _chosen(
    source: Path,
    target: Path,
    scale: float | None,
    clip: str | None,
    fps: float | None,
    layout: dict[str, str | None],
) -> list[Clip]:
    """The clip asked for; all of them where the target holds several; else the file must hold one."""
    from hoofbeat.body.resample import resampled
    from hoofbeat.export import holds_several, load, load_all

    if clip is not None:
        return [load(source, scale, int(clip) if clip.isdecimal() else clip, fps, **layout)]
    clips = load_all(source, scale, **layout)
    if len(clips) > 1 and not holds_several(target):
        names = ", ".join(one.name for one in clips)
        raise HoofbeatError(f"{source} holds {len(clips)} clips; choose one with --clip. There are {names}")
    return clips if fps is None else [resampled(one, fps) for one in clips]
