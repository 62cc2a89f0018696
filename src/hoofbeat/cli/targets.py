"""Targets: the files a command writes, checked before the work and written after it."""

from __future__ import annotations

from pathlib import Path

from hoofbeat.body.clip import Clip
from hoofbeat.cli.console import working
from hoofbeat.errors import ClipError, nearest
from hoofbeat.export import endings, save, save_all


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


def write_clips(clips: list[Clip], paths: list[Path], in_place: bool, several: bool) -> list[Path]:
    """Write every clip to every path; `several`: one file for all where the format can, else a file each."""
    written: list[Path] = []
    for path in paths:
        with working(f"writing {path.name}") as update:
            if several:
                written += save_all(clips, path, in_place, update)
            else:
                written.append(save(clips[0], path, in_place, update))
    return written
