"""Build the bodies that ship: python -m hoofbeat.offline.body [DRAWING ...] [-o FOLDER]."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from hoofbeat.body.mesh.skin import BODIES, LEVELS, Skin, animals, load_skin, skin_arrays
from hoofbeat.formats import files
from hoofbeat.formats.arrays import pack_arrays
from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.offline.body.build import built
from hoofbeat.offline.body.drawing import DrawingError, read_drawing
from hoofbeat.offline.body.weights.poses import ridden_poses
from hoofbeat.offline.body.weights.quality import measured_skin

#: Step of a place in the files, as a part of the animal's largest coordinate.
STEP = 1 / 32000


def main(arguments: list[str] | None = None) -> int:
    """Make every level of every drawing and write one file for each."""
    parser = argparse.ArgumentParser(prog="python -m hoofbeat.offline.body", description=__doc__)
    parser.add_argument("drawings", nargs="*", type=Path, help="YAML of the bodies (default: all that ship)")
    parser.add_argument("-o", "--output", default=BODIES, type=Path, help="the folder")
    parser.add_argument("--fit", action="store_true", help="fit the weights anew (minutes for each animal)")
    parser.add_argument("--quality", action="store_true", help="only measure the horse's skins in motion")
    given = parser.parse_args(arguments)
    if given.quality:
        _report()
        return 0
    skeleton = read_scene(THESIS_HORSE).skeleton
    for path in given.drawings or sorted(BODIES.glob("*.yaml")):
        begun = time.perf_counter()
        top = read_drawing(path)
        before = {} if given.fit else shipped(top.get("name", str))
        for one in built(top, skeleton, before):
            unit = float(abs(one.skin.vertices).max()) * STEP
            data = pack_arrays(skin_arrays(one.skin, one.coats, unit))
            name = f"{one.skin.name}-{one.skin.level}.npz"
            files.write_bytes(given.output / name, data, DrawingError)
            sys.stdout.write(f"{name}: {len(one.skin.triangles)} triangles, {len(data) / 1000:.0f} kB\n")
        sys.stdout.write(f"{path.stem}: {time.perf_counter() - begun:.1f} s\n")
    return 0


def shipped(animal: str) -> dict[str, Skin]:
    """The skins of an animal that there are, by level."""
    return {level: load_skin(animal, level) for level in LEVELS} if animal in animals() else {}


def _report() -> None:
    """What every gait and the leap do to the horse's skins, as a table."""
    rides = ridden_poses()
    for level in LEVELS:
        skin = load_skin("horse", level)
        sys.stdout.write(f"{level}: faces turned over, longest and shortest edge, volumes of limb segments\n")
        for name, (positions, rotations) in rides.items():
            found = measured_skin(skin, positions, rotations)
            low, high = found.volumes.min(axis=0), found.volumes.max(axis=0)
            sys.stdout.write(
                f"  {name:18} {found.inverted.max():3d}  {found.stretch.max():.2f} {found.shrink.min():.2f}  "
                f"{low.min():.2f} ({found.segments[low.argmin()]}) to {high.max():.2f} "
                f"({found.segments[high.argmax()]})\n"
            )


if __name__ == "__main__":
    sys.exit(main())
