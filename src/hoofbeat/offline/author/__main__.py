"""Build the gait database: python -m hoofbeat.offline.author [PARAMETERS] [-o FILE].

Every other YAML file beside the parameters adds its gaits and cycles. The table of the gaits is written as
gaits.json beside the database. The leap is made from the file leap.yaml beside the parameters and written as
leap.npz.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from hoofbeat.formats import files
from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.gaits.database import HORSE_CYCLES, write_cycles
from hoofbeat.gaits.gait import ALIASES, GAIT_TABLE, Gait, family_of, lead_of
from hoofbeat.gaits.leap import HORSE_LEAP, write_leap
from hoofbeat.offline.author.cycle import make_cycle
from hoofbeat.offline.author.leap import make_leap
from hoofbeat.offline.author.leapstyle import read_leap_style
from hoofbeat.offline.author.style import Style, StyleError, read_gaits, read_styles

#: The shipped parameters.
HORSE_STYLES = HORSE_CYCLES.with_suffix(".yaml")
LEAP_STYLE = HORSE_LEAP.with_suffix(".yaml")


def main(arguments: list[str] | None = None) -> int:
    """Make every cycle of a parameter file and write them as one database."""
    parser = argparse.ArgumentParser(prog="python -m hoofbeat.offline.author", description=__doc__)
    parser.add_argument("parameters", nargs="?", default=HORSE_STYLES, type=Path, help="YAML of the cycles")
    parser.add_argument("-o", "--output", default=HORSE_CYCLES, type=Path, help="the database")
    given = parser.parse_args(arguments)
    skeleton = read_scene(THESIS_HORSE).skeleton
    sources = (given.parameters, *added_files(given.parameters))
    styles = all_styles(sources)
    cycles = [make_cycle(style, skeleton) for style in styles]
    written = write_cycles(cycles, given.output)
    sys.stdout.write(f"{len(cycles)} cycles to {written}\n")
    if gaits := gaits_from(sources):
        table = given.output.with_name(GAIT_TABLE.name)
        files.write_bytes(table, format_gaits(gaits), StyleError)
        sys.stdout.write(f"{len(gaits)} gaits to {table}\n")
    source = given.parameters.with_name(LEAP_STYLE.name)
    if source.exists():
        leap = read_leap_style(source)
        made = make_leap(leap, canter_of(leap.canter, styles, source), skeleton)
        written = write_leap(made, given.output.with_name(HORSE_LEAP.name))
        sys.stdout.write(f"1 leap to {written}\n")
    return 0


def added_files(parameters: Path) -> tuple[Path, ...]:
    """The files beside a parameter file that add gaits, by name."""
    others = (path for path in parameters.parent.glob("*.yaml") if path.name != LEAP_STYLE.name)
    return tuple(sorted(path for path in others if path.resolve() != parameters.resolve()))


def all_styles(sources: Sequence[Path]) -> tuple[Style, ...]:
    """The cycles of several parameter files, in their order."""
    out: dict[str, Style] = {}
    for source in sources:
        for style in read_styles(source):
            if style.name in out:
                raise StyleError(
                    f"another file has a cycle {style.name!r}; give this one another name", source
                )
            out[style.name] = style
    return tuple(out.values())


def gaits_from(sources: Sequence[Path]) -> tuple[Gait, ...]:
    """The gaits that several parameter files define, slow to fast, the left lead before the right one."""
    out: dict[str, Gait] = {}
    for source in sources:
        for gait in read_gaits(source):
            if gait.name in out or gait.name in ALIASES:
                raise StyleError(f"there is a gait {gait.name!r} already; give this one another name", source)
            out[gait.name] = gait
    families = [family_of(name) for name in out]
    order = {
        name: (gait.speed[1], families.index(family_of(name)), -lead_of(name)) for name, gait in out.items()
    }
    return tuple(sorted(out.values(), key=lambda gait: order[gait.name]))


def format_gaits(gaits: Sequence[Gait]) -> bytes:
    """The bytes of a table of gaits."""
    rows = ",\n".join("    " + json.dumps(asdict(gait)) for gait in gaits)
    return f'{{\n  "gaits": [\n{rows}\n  ]\n}}\n'.encode()


def canter_of(name: str, styles: Sequence[Style], path: Path) -> Style:
    """The canter that a leap begins and ends with."""
    for style in styles:
        if style.name == name and style.gait == "canter-left":
            return style
    known = ", ".join(style.name for style in styles if style.gait == "canter-left") or "none"
    raise StyleError(f"canter: no canter on the left lead is called {name!r}; there are: {known}", path)


if __name__ == "__main__":
    sys.exit(main())
