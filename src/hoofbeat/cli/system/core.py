"""hoofbeat core: the compiled core without Python: table files for it, and what is installed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoofbeat.cli.console import emit, say
from hoofbeat.cli.motion.looks import Coat
from hoofbeat.cli.motion.synth import Breed, Height, Method, Scene, Terrain
from hoofbeat.cli.reports import CoreReport, FileFacts, TablesReport, file_facts
from hoofbeat.errors import HoofbeatError
from hoofbeat.methods.catalog import DEFAULT

if TYPE_CHECKING:
    from hoofbeat.body.mesh.skin import Skin
    from hoofbeat.horse import Herd
    from hoofbeat.offline.core.tables import Tables

#: Help panel, as that of `synth`.
WHAT = "What to ride"
#: The skin where none is named, and the word for none.
SKIN, NONE = "low", "none"
#: Ending of a table file.
ENDING = ".hbt"

core = typer.Typer(
    name="core",
    help="The engine without Python: write its tables, see what is installed.",
    no_args_is_help=True,
)


@core.command("export")
def export_core(
    file: Annotated[Path, typer.Argument(metavar="FILE.hbt", help="The table file to write.")],
    method: Method = None,
    scene: Scene = None,
    breed: Breed = None,
    preset: Annotated[
        str | None, typer.Option(help="Of froude: natural or paper.", rich_help_panel=WHAT)
    ] = None,
    cycles: Annotated[
        int | None, typer.Option(help="Of froude: cycles of a transition, 1 to 3.", rich_help_panel=WHAT)
    ] = None,
    turning: Annotated[
        str | None, typer.Option(help="Of timewarp: natural or paper.", rich_help_panel=WHAT)
    ] = None,
    height: Height = None,
    terrain: Terrain = None,
    no_lock: Annotated[
        bool, typer.Option("--no-lock", help="Leave feet unheld, as the thesis did.", rich_help_panel=WHAT)
    ] = False,
    skin: Annotated[
        str | None,
        typer.Option(help=f"Detail of the skin: low, medium, high or none; {SKIN} where there is one."),
    ] = None,
    coat: Coat = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a report as JSON.")] = False,
) -> None:
    """Write a horse as a table file, with which C and WebAssembly ride it.

    hoofbeat core export horse.hbt

    hoofbeat core export pony.hbt --method froude --height 1.2 --terrain hills --skin none
    """
    from hoofbeat.offline.core.tables import describe_tables, export_tables, needed_library

    if file.suffix != ENDING:
        raise HoofbeatError(f"a table file ends in {ENDING}, given {file}")
    needed_library()  # before Numba is asked to make the herd
    options: dict[str, Any] = {"breed": breed, "preset": preset, "cycles": cycles, "turning": turning}
    world: dict[str, Any] = {"scene": scene, "height": height, "terrain": terrain}
    given = {key: value for key, value in (options | world).items() if value is not None}
    herd = _herd(method or DEFAULT, given, not no_lock)
    export_tables(file, herd, _skin(herd, skin, coat))
    found = describe_tables(file)
    if as_json:
        emit(_tables_report(file, found))
    else:
        say(_line(found))
        say(str(file))


@core.command("info")
def core_info(
    file: Annotated[Path | None, typer.Argument(metavar="FILE.hbt", help="A table file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a report as JSON.")] = False,
) -> None:
    """Say which core library is used here, or what a table file holds.

    hoofbeat core info
    """
    if file is not None:
        from hoofbeat.offline.core.tables import describe_tables

        found = describe_tables(file)
        report = _tables_report(file, found)
        if as_json:
            emit(report)
            return
        say(_line(found))
        say(f"gaits {', '.join(found.facts['gaits'])}")
        here = "these are installed" if report.fits else "these are not installed: export it again"
        say(f"for kernels {found.stamp}, layout {found.layout}; {here}")
        return
    one = _core_report()
    if as_json:
        emit(one)
    elif one.library is None:
        say("no core library: kernels are compiled by Numba when they are first used")
    else:
        say(f"{one.library.path}: {one.kernels} kernels for {one.level}, {one.library.bytes / 1000:.0f} kB")
        say(f"stamp {one.stamp}, layout {one.layout}")


def _herd(method: str, given: dict[str, Any], lock: bool) -> Herd:
    from hoofbeat.horse import Herd

    return Herd(1, method, lock=lock, **given)


def _skin(herd: Herd, level: str | None, coat: str | None) -> Skin | None:
    """The shipped skin that fits, where one is wanted."""
    from hoofbeat.body.mesh.shipped import dress_of
    from hoofbeat.body.mesh.skin import LEVELS, UnknownLevel

    if level == NONE:
        return None
    if level is not None and level not in LEVELS:
        raise UnknownLevel(level, (*LEVELS, NONE))
    found = dress_of(herd.skeleton, level or SKIN, coat or "")
    if found is None and (level or coat):
        raise HoofbeatError("no skin is shipped for this animal; leave out --skin and --coat")
    return found


def _core_report() -> CoreReport:
    from hoofbeat.maths.jit.library import core_library
    from hoofbeat.records import LAYOUT_VERSION

    library = core_library()
    if library is None:
        return CoreReport(None, None, None, 0, LAYOUT_VERSION)
    path, count = library.path, sum(map(len, library.kernels.values()))
    facts = FileFacts(str(path), path.stat().st_size)
    return CoreReport(facts, library.level, library.manifest["stamp"], count, LAYOUT_VERSION)


def _tables_report(file: Path, found: Tables) -> TablesReport:
    from hoofbeat.maths.jit.library import core_library
    from hoofbeat.records import LAYOUT_VERSION

    library, facts = core_library(), found.facts
    fits = library is not None and (library.manifest["stamp"], LAYOUT_VERSION) == (found.stamp, found.layout)
    return TablesReport(
        facts["method"],
        facts["height"],
        facts["terrain"],
        facts["gaits"],
        facts["skin"],
        found.version,
        found.layout,
        found.stamp,
        fits,
        found.parts,
        file_facts([file]),
    )


def _line(found: Tables) -> str:
    """A table file in a line."""
    facts, skin = found.facts, found.facts["skin"]
    looks = f"skin {skin['level']} of {skin['triangles']} triangles" if skin else "no skin"
    animal = f"{facts['height']:.2f} m at the withers, {facts['terrain']} ground, {looks}"
    return f"method {facts['method']}, {animal}; {found.size / 1000:.0f} kB"
