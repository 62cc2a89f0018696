"""Build the gait database: python -m hoofbeat.offline.author [PARAMETERS] [-o FILE]."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.gaits.database import HORSE_CYCLES, write_cycles
from hoofbeat.offline.author.cycle import make_cycle
from hoofbeat.offline.author.style import read_styles

#: The shipped parameters.
HORSE_STYLES = HORSE_CYCLES.with_suffix(".yaml")


def main(arguments: list[str] | None = None) -> int:
    """Make every cycle of a parameter file and write them as one database."""
    parser = argparse.ArgumentParser(prog="python -m hoofbeat.offline.author", description=__doc__)
    parser.add_argument("parameters", nargs="?", default=HORSE_STYLES, type=Path, help="YAML of the cycles")
    parser.add_argument("-o", "--output", default=HORSE_CYCLES, type=Path, help="the database")
    given = parser.parse_args(arguments)
    skeleton = read_scene(THESIS_HORSE).skeleton
    cycles = [make_cycle(style, skeleton) for style in read_styles(given.parameters)]
    written = write_cycles(cycles, given.output)
    sys.stdout.write(f"{len(cycles)} cycles to {written}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
