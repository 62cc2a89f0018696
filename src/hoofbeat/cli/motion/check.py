"""hoofbeat check: whether clips move as the animal would; exit code 1 where one does not."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoofbeat.cli.console import complain, emit, note, say, working
from hoofbeat.cli.motion.files import ClipName, Forward, RootJoint, Scale, Skin, Up
from hoofbeat.cli.reports import CheckReport, ErrorFacts, file_facts
from hoofbeat.cli.vocabulary import complete_checked_gait
from hoofbeat.errors import HoofbeatError

if TYPE_CHECKING:
    from hoofbeat.body.clip import Clip
    from hoofbeat.check.report import Report

#: Endings of files that do not say what unit they are in.
NO_UNIT = (".bvh",)
#: Exit code where something given is wrong, and where a check fails.
WRONG, FAILED = 2, 1

Found = list[tuple[Path, "Report"]]
Errors = list[tuple[Path, str]]


@dataclass(frozen=True)
class Asked:
    """What the options ask of every clip; path: (N, 2) [m] or None; layout: of glTF files."""

    gait: str | None
    legs: str | None
    scale: float | None
    floor: float | None
    clip: str | None
    ignore: tuple[str, ...]
    layout: dict[str, str | None]
    path: Any


def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files with motion.")],
    gait: Annotated[
        str | None,
        typer.Option(autocompletion=complete_checked_gait, help="Gait that must be shown; any by default."),
    ] = None,
    legs: Annotated[
        str | None, typer.Option(help="Legs by their toes: LF=joint,RF=joint,LH=joint,RH=joint.")
    ] = None,
    scale: Scale = None,
    floor: Annotated[
        float | None, typer.Option(help="Height of the ground in metres; where the feet stand by default.")
    ] = None,
    path: Annotated[
        Path | None, typer.Option(help="CSV with columns x and z in metres, a row a frame: the path to keep.")
    ] = None,
    clip: ClipName = None,
    up: Up = None,
    forward: Forward = None,
    skin: Skin = None,
    root: RootJoint = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(help="Measures or groups that do not count, by name; commas and * are understood."),
    ] = None,
    picture: Annotated[Path | None, typer.Option(help="Draw the check as a page (.png).")] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the report as JSON here.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="One line for each clip.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a report as JSON.")] = False,
) -> None:
    """Say whether a quadruped moves correctly: gait, footfalls, sliding feet, bent legs; exit code 1 if not.

    hoofbeat check horse.glb --gait trot --picture check.png
    """
    from hoofbeat.formats.files import write_bytes
    from hoofbeat.gaits.names import expected_gaits

    if gait is not None:
        expected_gaits(gait)
    _check_targets(picture, output)
    layout = {"up": up, "forward": forward, "skin": skin, "root": root}
    names = tuple(name.strip() for text in ignore or () for name in text.split(",") if name.strip())
    asked = Asked(gait, legs, scale, floor, clip, names, layout, _way(path))
    found, errors = _checked(files, asked)
    drawn = [] if picture is None else _draw(found, picture)
    run = _run(found, errors, drawn)
    if output is not None:
        write_bytes(output, f"{json.dumps(asdict(run), indent=2)}\n".encode())
    if as_json:
        emit(run)
    else:
        _show(found, quiet, several=len(files) > 1)
        for target in drawn:
            say(str(target))
    for _, words in errors:
        complain(words)
    if not run.passed:
        raise typer.Exit(WRONG if errors else FAILED)


def _check_targets(picture: Path | None, output: Path | None) -> None:
    """Refuse what cannot be written before anything is read."""
    if picture is not None:
        from hoofbeat.render.pages.checksheet import check_picture

        check_picture(picture)
    for target in (picture, output):
        if target is not None and not target.parent.is_dir():
            raise HoofbeatError(f"{target}: the folder {target.parent} does not exist; make it first")


def _way(path: Path | None) -> Any:
    """The path to follow (N, 2) [m], x and z, out of a CSV."""
    if path is None:
        return None
    from hoofbeat.formats.pathfile import read_path

    return read_path(path)


def _checked(files: list[Path], asked: Asked) -> tuple[Found, Errors]:
    """Every clip of every file; of several files one that cannot be read does not keep the others back."""
    found: Found = []
    errors: Errors = []
    guessed: dict[float, list[Path]] = {}
    with working("checking") as update:
        for n, file in enumerate(files):
            update(n, len(files))
            try:
                for clip in _clips(file, asked):
                    found.append((file, _report(clip, file, asked, guessed)))
            except HoofbeatError as problem:
                if len(files) == 1:
                    raise
                words = str(problem)
                errors.append((file, words if str(file) in words else f"{file}: {words}"))
    for unit, those in guessed.items():
        more = "has no unit" if len(those) == 1 else f"and {len(those) - 1} more have no unit"
        note(f"{those[0]} {more}; by the height of the hips it is read as {unit:.4g} m (see --scale)")
    return found, errors


def _clips(file: Path, asked: Asked) -> list[Clip]:
    from hoofbeat.export import load, load_all

    if asked.clip is not None:
        number = int(asked.clip) if asked.clip.isdecimal() else asked.clip
        return [load(file, asked.scale, number, None, **asked.layout)]
    return load_all(file, asked.scale, **asked.layout)


def _report(clip: Clip, file: Path, asked: Asked, guessed: dict[float, list[Path]]) -> Report:
    """Check one clip; a guess of its unit is kept in `guessed`."""
    from hoofbeat.check import check as check_clip
    from hoofbeat.check.api import in_metres

    if asked.scale is None and file.suffix.lower() in NO_UNIT:
        clip, unit = in_metres(clip, asked.legs)
        if unit != 1:
            guessed.setdefault(unit, []).append(file)
    report = check_clip(clip, asked.gait, legs=asked.legs, path=asked.path, floor=asked.floor)
    return report.ignoring(asked.ignore)


def _draw(found: Found, picture: Path) -> list[Path]:
    """A page for each clip: the name given, or with several clips NAME-CLIP.png."""
    if not found:
        return []
    from hoofbeat.render.pages.checksheet import check_sheet

    drawn: list[Path] = []
    with working(f"drawing {picture.name}") as update:
        for n, (file, report) in enumerate(found):
            update(n, len(found))
            parts = [picture.stem, *([file.stem] if len({f for f, _ in found}) > 1 else []), report.name]
            name = re.sub(r"[^\w.-]+", "_", "-".join(parts))
            target = picture if len(found) == 1 else picture.with_name(name + picture.suffix)
            if target in drawn:  # files of one name in two folders
                target = picture.with_name(f"{name}-{n}{picture.suffix}")
            drawn.append(check_sheet(report, target))
    return drawn


def _run(found: Found, errors: Errors, drawn: list[Path]) -> CheckReport:
    clips = [{"path": str(file), **report.to_dict()} for file, report in found]
    passed = not errors and all(report.passed for _, report in found)
    wrong = [ErrorFacts(str(file), words) for file, words in errors]
    return CheckReport(passed, clips, wrong, file_facts(drawn))


def _show(found: Found, quiet: bool, several: bool) -> None:
    from hoofbeat.cli.motion.checktable import show_report, show_summary

    if quiet:
        for file, report in found:
            say(f"{'pass' if report.passed else 'FAIL'}  {file}: {report.name}: {report.headline}")
    elif several:
        show_summary(found)
    else:
        for file, report in found:
            show_report(report, str(file))
