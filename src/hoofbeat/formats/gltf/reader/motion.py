"""glTF motion: one animation of a rig as joint rotations, bone offsets and the path of the root.

A clip's bones keep their length, and only its root moves; a glTF may move and scale every node. What
cannot be kept is held at its mean, and the complaints say so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.errors import GltfError
from hoofbeat.formats.gltf.reader.local import Local, Transforms, sample_local
from hoofbeat.formats.gltf.reader.nodes import Nodes
from hoofbeat.formats.gltf.reader.reparent import Reparenting, reparented
from hoofbeat.formats.gltf.reader.track import Animation
from hoofbeat.maths import quat

Floats = NDArray[np.float64]


@dataclass
class ReadMotion:
    """Sampled motion. rotations (T, J, 4) xyzw local, the root's in the world; origins (T, 3); offsets
    (J, 3), all lengths in file units. ancestors: world transform (T, 3), (T, 4) of each node above the root
    that is animated. new_places: place (T, 3) of joints against a parent that is not that of the file.
    complaints: what was lost, one sentence each."""

    rotations: Floats
    origins: Floats
    offsets: Floats
    ancestors: Transforms
    new_places: dict[int, Floats]
    complaints: list[str]


@np.errstate(over="ignore", invalid="ignore")  # what overflows fails the check of `checked`
def sample_motion(
    nodes: Nodes, reparenting: Reparenting, animation: Animation | None, at: Floats
) -> ReadMotion:
    """The rig at times `at` (T,) [s]; without an animation, its rest pose at each of them."""
    local, base = sample_local(nodes, reparenting.file, animation, at)
    local = reparented(local, reparenting)
    rotations, ends = local.rotations, local.rig.ends
    offsets, origins = _place(local, base.origin, base.turn)
    rotations[:, 0] = quat.normalize(quat.mul(base.turn, rotations[:, 0]))
    rotations[:, ends] = quat.identity()
    return ReadMotion(
        rotations, origins, offsets, base.ancestors, local.new_places, base.scaling + local.complaints()
    )


def _place(local: Local, origins: Floats, turn: Floats) -> tuple[Floats, Floats]:
    """Offsets (J, 3) and the path (T, 3) of the root; origins and turn are those of the root's parent."""
    offsets = np.empty((len(local.rests), 3))
    for j, unit in enumerate(local.units):
        follows = j in local.trunk and j in local.tracks
        offsets[j] = unit * (local.rests[j] if follows else local.fixed[j])
    # Each trunk node's own move is added to the root's path, so that all below it is where it should be.
    for j in local.trunk:
        move = local.tracks.get(j)
        if j == 0:
            step = np.broadcast_to(local.rests[0], (1, 3)) if move is None else move
        else:
            step = None if move is None else move - local.rests[j]
        if step is not None:
            origins = origins + local.units[j] * quat.rotate(turn, step)
        turn = quat.mul(turn, local.rotations[:, j])
    return offsets, origins


def checked(motion: ReadMotion, limit: float, path: str) -> None:
    """Positions must be finite and within `limit` of the origin."""
    for what, values in (("root", motion.origins), ("offset of a joint", motion.offsets)):
        if not np.abs(values).max() <= limit:  # also where NaN
            raise GltfError(f"the {what} is beyond {limit:g} m; check the file and scale", path)
