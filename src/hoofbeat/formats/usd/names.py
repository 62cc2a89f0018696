"""USD names: joints and clips as the identifiers and joint paths that USD allows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import repeat
from os import PathLike

from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import UsdError
from hoofbeat.formats.bvh.reader import unique_names

#: Letters of all joint paths together. A path repeats its parents, so a deep chain grows as a square.
MAX_LETTERS = 2**23

_FOREIGN = re.compile(r"[^A-Za-z0-9_]")


def prim_names(names: Sequence[str]) -> list[str]:
    """Each name as an identifier (letters, digits, _), all different: a repeated one gets _2, _3, ..."""
    plain = [_FOREIGN.sub("_", name) or "_" for name in names]
    plain = [f"_{name}" if name[0].isdigit() else name for name in plain]
    return unique_names(plain, list(repeat(False, len(plain))))


def readable(name: str) -> str:
    """A name as text that USD can hold: no half of a surrogate pair, nothing after a NUL lost."""
    return name.encode("utf-8", "replace").decode().replace("\0", "_")


def written_joints(skeleton: Skeleton) -> list[int]:
    """Nodes that become joints: all but childless end sites, which only mark where a bone ends."""
    inner = {int(parent) for parent in skeleton.parents}
    return [j for j in range(len(skeleton)) if j == 0 or j in inner or not skeleton.ends[j]]


def joint_paths(
    skeleton: Skeleton, joints: Sequence[int], path: str | PathLike[str] = "<memory>"
) -> list[str]:
    """UsdSkel's token of each of `joints` (parents first): names from the root down, "Pelvis/Femur/Tibia"."""
    names = dict(zip(joints, prim_names([skeleton.names[j] for j in joints]), strict=True))
    sizes: dict[int, int] = {}
    for j in joints:
        sizes[j] = len(names[j]) + 1 + sizes.get(int(skeleton.parents[j]), 0)
    if (letters := sum(sizes.values())) > MAX_LETTERS:
        raise UsdError(
            f"the joint paths have {letters} letters, {MAX_LETTERS} are allowed: "
            "the skeleton is too deep or its names are too long",
            path,
        )
    paths: dict[int, str] = {}
    for j in joints:
        above = paths.get(int(skeleton.parents[j]))
        paths[j] = names[j] if above is None else f"{above}/{names[j]}"
    return [paths[j] for j in joints]
