"""Targets: the files a command writes, checked before the work and written after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hoofbeat.body.clip import Clip
from hoofbeat.cli.console import working
from hoofbeat.cli.motion.looks import wishes_by_path
from hoofbeat.errors import ClipError, nearest
from hoofbeat.export import endings, save, save_all, wishes_of
from hoofbeat.world.terrain import Terrain


def check_targets(paths: list[Path]) -> None:
    """Refuse an ending nobody writes, a missing folder and a name given twice, before anything is ridden."""
    known = endings()
    for path in paths:
        ending = path.suffix.lower()
        if ending not in known:
            near = nearest(ending, known)
            hint = f"; did you mean {near}?" if near else "."
            given = repr(ending) if ending else "a file without an ending"
            raise ClipError(f"{path}: cannot write {given}{hint} Known: {', '.join(known)}")
        if not path.parent.is_dir():
            raise ClipError(f"{path}: the folder {path.parent} does not exist; make it first")
    if len({path.absolute() for path in paths}) < len(paths):
        raise ClipError(f"a file is given twice: {', '.join(map(str, paths))}")


def check_wishes(paths: list[Path], given: Mapping[str, Any]) -> dict[Path, dict[str, Any]]:
    """What is wished of each file, before anything is ridden."""
    return wishes_by_path(paths, given, {path: wishes_of(path) for path in paths})


def on_ground(wishes: Mapping[Path, Mapping[str, Any]], terrain: str) -> dict[Path, dict[str, Any]]:
    """The same wishes, with the ground of that name under the animal where a file shows ground."""
    heights = Terrain.named(terrain).heights
    shown = {path: {"ground": heights} if "ground" in wishes_of(path) else {} for path in wishes}
    return {path: {**wish, **shown[path]} for path, wish in wishes.items()}


def write_clips(
    clips: list[Clip],
    paths: list[Path],
    in_place: bool,
    several: bool,
    wishes: Mapping[Path, Mapping[str, Any]] | None = None,
) -> list[Path]:
    """Write every clip to every path; `several`: one file for all where the format can, else a file each.
    wishes: how each file is to look."""
    written: list[Path] = []
    for path in paths:
        looks = (wishes or {}).get(path, {})
        with working(f"writing {path.name}") as update:
            if several:
                written += save_all(clips, path, in_place, update, **looks)
            else:
                written.append(save(clips[0], path, in_place, update, **looks))
    return written


def by_level(paths: list[Path], levels: Sequence[str]) -> dict[Path, str]:
    """Files NAME-LEVEL.ending for each of `paths`, with their level; one without a body is refused."""
    wrong = [path.name for path in paths if "level" not in wishes_of(path) or "figure" in wishes_of(path)]
    if wrong:
        raise ClipError(f"--lods is for files with a body, .glb .gltf .usda .usdc; given {', '.join(wrong)}")
    return {path.with_name(f"{path.stem}-{level}{path.suffix}"): level for path in paths for level in levels}
