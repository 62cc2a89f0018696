"""USD out: clips as UsdSkel, in text (.usda) or binary (.usdc). Needs the extra `usd` (usd-core)."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from hoofbeat.body.clip import Clip
from hoofbeat.body.mesh.skin import Skin, size_beside
from hoofbeat.errors import SkeletonError, UsdError
from hoofbeat.formats.files import write_bytes
from hoofbeat.formats.usd.names import joint_paths, written_joints
from hoofbeat.formats.usd.stage import build_stage

#: File endings that are written.
ENDINGS = (".usda", ".usdc")
#: Farthest coordinate [m] and most poses (frames times nodes) that are written.
MAX_LENGTH, MAX_POSES = 1e9, 2**25

#: A skin whose skeleton differs more than this part in size does not fit.
SAME_SIZE = 1e-6
#: The parts of usd-core that are used; they are imported when the first file is written.
_PARTS = ("Kind", "Sdf", "Tf", "Usd", "UsdGeom", "UsdShade", "UsdSkel", "Vt")


def write_usd(
    clips: Clip | Sequence[Clip],
    path: str | PathLike[str],
    *,
    in_place: bool = False,
    skin: Skin | None = None,
) -> Path:
    """Write one clip, or several of one skeleton, as .usda or .usdc, atomically; returns the path.

    `in_place` leaves the path over the ground out: the animal steps on the spot, facing +Z. skin: the body,
    in the skeleton's size (`hoofbeat.body.mesh.shipped`); octahedral bones where none is given. Several clips
    become a variant set "clip" on the default prim, the first one chosen; the stage counts time in
    frames of the first clip and ends with the longest. The methods that made the clips are
    written, contacts and the other extras are not.
    """
    given = [clips] if isinstance(clips, Clip) else list(clips)
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise UsdError(f"the ending is {ending!r}; USD is written as {' or '.join(ENDINGS)}", path)
    _check(given, path)
    if skin is not None:
        _check_skin(skin, given[0], path)
    pxr = _usd_core(path)
    try:
        return write_bytes(path, _encoded(pxr, given, (in_place, skin), ending), UsdError)
    except (pxr.Tf.ErrorException, OSError) as problem:  # OSError: of the temporary folder
        raise UsdError(f"usd-core could not write it: {problem}", path) from problem


def _usd_core(path: str | PathLike[str]) -> Any:
    try:
        for part in _PARTS:
            importlib.import_module(f"pxr.{part}")
    except ImportError as problem:
        raise UsdError(
            f"writing USD needs the package usd-core ({problem}): pip install hoofbeat[usd]", path
        ) from problem
    return importlib.import_module("pxr")


def _check(clips: list[Clip], path: str | PathLike[str]) -> None:
    if not clips:
        raise UsdError("no clip was given; give at least one", path)
    first = clips[0].skeleton
    for clip in clips:
        other = clip.skeleton
        same = other.names == first.names and np.array_equal(other.parents, first.parents)
        if not (same and np.allclose(other.offsets, first.offsets, atol=1e-6)):
            raise UsdError(
                f"clip {clip.name!r} has another skeleton than {clips[0].name!r}; write a file for each", path
            )
        if not len(clip):
            raise UsdError(f"clip {clip.name!r} has no frames; give at least one", path)
        if max(np.abs(other.offsets).max(), np.abs(clip.origins).max()) > MAX_LENGTH:
            raise UsdError(f"clip {clip.name!r} has a position beyond {MAX_LENGTH:g} m; check its unit", path)
    poses = sum(len(clip) for clip in clips) * len(first)
    if poses > MAX_POSES:
        raise UsdError(f"{poses} poses of nodes are more than the {MAX_POSES} allowed; split the clip", path)
    joint_paths(first, written_joints(first), path)  # raises where they are too long


def _check_skin(skin: Skin, clip: Clip, path: str | PathLike[str]) -> None:
    try:
        size = size_beside(skin.skeleton, clip.skeleton)
    except SkeletonError as problem:
        raise UsdError(f"clip {clip.name!r}: {problem}", path) from problem
    if abs(size - 1) > SAME_SIZE:
        raise UsdError(f"the skin is for a skeleton {size:.3f} times as small; fetch it with dress_of", path)


def _encoded(pxr: Any, clips: list[Clip], content: tuple[bool, Skin | None], ending: str) -> bytes:
    """The bytes of the file. The binary form goes to named files only, so it is made in a temporary
    folder."""
    stage = build_stage(pxr, clips, *content)
    if ending == ".usda":
        return stage.GetRootLayer().ExportToString().encode()
    with tempfile.TemporaryDirectory(prefix="hoofbeat-") as folder:
        made = Path(folder) / "made.usdc"
        stage.GetRootLayer().Export(str(made))
        return made.read_bytes()
