"""Build the gait database: python -m hoofbeat.offline.author [PARAMETERS] [-o FILE].

The leap is made from the file leap.yaml beside the parameters and written as leap.npz beside the database.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.gaits.database import HORSE_CYCLES, write_cycles
from hoofbeat.gaits.leap import HORSE_LEAP, write_leap
from hoofbeat.offline.author.cycle import make_cycle
from hoofbeat.offline.author.leap import make_leap
from hoofbeat.offline.author.leapstyle import read_leap_style
from hoofbeat.offline.author.style import Style, StyleError, read_styles

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
    styles = read_styles(given.parameters)
    cycles = [make_cycle(style, skeleton) for style in styles]
    written = write_cycles(cycles, given.output)
    sys.stdout.write(f"{len(cycles)} cycles to {written}\n")
    source = given.parameters.with_name(LEAP_STYLE.name)
    if source.exists():
        leap = read_leap_style(source)
        made = make_leap(leap, canter_of(leap.canter, styles, source), skeleton)
        written = write_leap(made, given.output.with_name(HORSE_LEAP.name))
        sys.stdout.write(f"1 leap to {written}\n")
    return 0


def canter_of(name: str, styles: Sequence[Style], path: Path) -> Style:
    """The canter that a leap begins and ends with."""
    for style in styles:
        if style.name == name and style.gait == "canter-left":
            return style
    known = ", ".join(style.name for style in styles if style.gait == "canter-left") or "none"
    raise StyleError(f"canter: no canter on the left lead is called {name!r}; there are: {known}", path)


if __name__ == "__main__":
    sys.exit(main())
