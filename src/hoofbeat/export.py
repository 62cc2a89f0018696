"""Export: clips to files and back, by file ending."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from hoofbeat.body.anatomy import find_legs
from hoofbeat.body.clip import Clip, register_writer
from hoofbeat.errors import ClipError
from hoofbeat.formats.bvh import read_bvh
from hoofbeat.formats.bvh_write import write_bvh
from hoofbeat.render.moving import moving_picture
from hoofbeat.render.sheet import contact_sheet


def save(clip: Clip, path: str | PathLike[str]) -> Path:
    """Write a clip in the format of the file's ending: .bvh, .webp, .gif (moving), .png (contact sheet)."""
    return clip.save(path)


def load(path: str | PathLike[str], scale: float = 1.0) -> Clip:
    """Read a clip by its ending (.bvh); lengths in the file are multiplied by `scale` to metres.

    The legs are named where the skeleton follows a known convention.
    """
    ending = Path(path).suffix.lower()
    if ending != ".bvh":
        raise ClipError(f"cannot read {ending or 'a file without an ending'!r}; known: .bvh")
    clip = read_bvh(path, scale=scale)
    legs = find_legs(clip.skeleton)
    if not legs:
        return clip
    skeleton = clip.skeleton.with_legs(legs)
    return Clip(skeleton, clip.rotations, clip.origins, clip.fps, clip.contacts, clip.name, dict(clip.extras))


def _bvh(clip: Clip, path: Path) -> None:
    write_bvh(clip, path)


def _moving(clip: Clip, path: Path) -> None:
    moving_picture(clip, path, view="both")


def _sheet(clip: Clip, path: Path) -> None:
    contact_sheet(clip, path, view="both")


for _ending, _writer in ((".bvh", _bvh), (".webp", _moving), (".gif", _moving), (".png", _sheet)):
    register_writer(_ending, _writer)
