"""glTF reparenting: a rig some of whose joints have other parents than in the file, and its motion on that
tree.

Such a joint keeps its rotation in the world, and its mean place against the new parent becomes its bone.
`detached` finds which joints get which parents.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.formats.gltf.reader.local import Local
from hoofbeat.formats.gltf.reader.rig import ReadRig
from hoofbeat.maths import quat

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Reparenting:
    """A rig as it stands in the file and as it is read. new_parents: by joint, as indices of `file`.

    order: for each node of `rig` its index in `file`. Where nothing is reparented the two rigs are one.
    """

    file: ReadRig
    rig: ReadRig
    order: list[int]
    new_parents: dict[int, int]


def reparent(rig: ReadRig, new_parents: dict[int, int]) -> Reparenting:
    """The rig with the joints in `new_parents` made children of other nodes, none of which is below its
    joint."""
    if not new_parents:
        return Reparenting(rig, rig, list(range(len(rig.nodes))), new_parents)
    order, changed = rig.reparented(new_parents)
    return Reparenting(rig, changed, order, new_parents)


def reparented(local: Local, reparenting: Reparenting) -> Local:
    """The same motion on the tree as it is read; where nothing is reparented, the very same."""
    if not reparenting.new_parents:
        return local
    frames = frames_of(local, {*reparenting.new_parents, *reparenting.new_parents.values()})
    rests, fixed, units = list(local.rests), list(local.fixed), local.units.copy()
    places: dict[int, Floats] = {}
    rotations: dict[int, Floats] = {}
    for j, parent in reparenting.new_parents.items():
        (above, turn), (place, own) = frames[parent], frames[j]
        away = quat.rotate(quat.inverse(turn), place - above)
        places[j] = np.broadcast_to(away, (len(local.rotations), 3))
        rotations[j] = quat.normalize(quat.mul(quat.inverse(turn), own))
        rests[j] = fixed[j] = places[j].mean(axis=0)
        units[j] = 1.0
    order = reparenting.order
    now = {before: after for after, before in enumerate(order)}
    turned = local.rotations[:, order]
    for j, rotation in rotations.items():
        turned[:, now[j]] = rotation
    return Local(
        reparenting.rig,
        turned,
        units[order],
        [rests[j] for j in order],
        [fixed[j] for j in order],
        {now[j]: track for j, track in local.tracks.items() if j not in places},
        local.mean_bone,
        {now[j]: place for j, place in places.items()},
    )


def frames_of(local: Local, wanted: Iterable[int]) -> dict[int, tuple[Floats, Floats]]:
    """Places (T, 3) and turns (T, 4) of the wanted nodes and those above them, in the space of the root.

    They are those of the file, with every translation. What is the same at all times may have T = 1.
    """
    needed = {0}
    for j in wanted:
        while j not in needed:
            needed.add(j)
            j = local.rig.parents[j]
    found = {0: (np.zeros((1, 3)), quat.identity((1,)))}
    for j in sorted(needed)[1:]:
        parent = local.rig.parents[j]
        place, turn = found[parent]
        step = local.units[j] * quat.rotate(turn, local.tracks.get(j, local.fixed[j]))
        found[j] = place + step, quat.mul(turn, local.rotations[:, j])
    return found
