"""glTF rig: which nodes of a file are the skeleton, in which order, and what stands above them."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

from hoofbeat.body.skeleton import MAX_JOINTS
from hoofbeat.errors import GltfError, nearest
from hoofbeat.formats.bvh.reader import unique_names
from hoofbeat.formats.gltf.objects import Item
from hoofbeat.formats.gltf.reader.nodes import Nodes

#: Nodes above the root: scene, armature and the like.
MAX_ABOVE = 256
#: The part of a skeleton that is below its body joint. A spine has less below it: the hind legs are not on
#: it.
TRUNK = 0.8
#: What makes a leaf node more than the tip of a bone.
_CONTENT = ("mesh", "camera", "skin", "extensions")


@dataclass(frozen=True)
class ReadRig:
    """The skeleton in the file. nodes: indices in the file, parents first; parents and ends as Skeleton's.

    `above` are the ancestors of the root, the topmost first: armatures, scene nodes, root motion.
    """

    nodes: list[int]
    parents: list[int]
    ends: list[bool]
    names: list[str]
    above: list[int]

    def sizes(self) -> list[int]:
        """How many nodes are at or below each."""
        sizes = [1] * len(self.nodes)
        for j in range(len(self.nodes) - 1, 0, -1):
            sizes[self.parents[j]] += sizes[j]
        return sizes

    def trunk(self) -> list[int]:
        """The nodes that have most of the skeleton (TRUNK of it) at or below them, from the root down."""
        sizes = self.sizes()
        path = [0]
        for j in range(1, len(sizes)):
            if self.parents[j] == path[-1] and sizes[j] >= TRUNK * sizes[0]:
                path.append(j)
        return path

    def reparented(self, new_parents: dict[int, int]) -> tuple[list[int], ReadRig]:
        """The rig with other parents for some joints, parents first and else in the same order.

        Given and returned are indices of this rig: of the new parent by joint, and of each node of the new.
        """
        children: list[list[int]] = [[] for _ in self.nodes]
        for j in range(1, len(self.nodes)):
            children[new_parents.get(j, self.parents[j])].append(j)
        order: list[int] = []
        waiting = [0]
        while waiting:
            order.append(heapq.heappop(waiting))
            for child in children[order[-1]]:
                heapq.heappush(waiting, child)
        place = {before: after for after, before in enumerate(order)}
        parents = [-1 if j == 0 else place[new_parents.get(j, self.parents[j])] for j in order]
        ends, names = [self.ends[j] for j in order], [self.names[j] for j in order]
        return order, ReadRig([self.nodes[j] for j in order], parents, ends, names, self.above)


def find_rig(
    document: Item, nodes: Nodes, moved: set[int], skin: str | None = None, root: str | None = None
) -> ReadRig:
    """The skeleton of a file: the joints of its largest skin (or the one named `skin`).

    Without skins it is what the animations move (`moved`, node indices), or the largest tree. The root is
    the lowest node above all joints, or the node named `root`, and then what is not below it is left out.
    Leaf nodes without content become end sites.
    """
    if not nodes.items:
        raise GltfError("the file has no nodes, so no skeleton", document.path)
    joints = _skin_joints(document, nodes, skin)
    wanted = joints or moved or set(nodes.order)
    counts = _counts(nodes, wanted)
    top = _top(document, nodes, counts, len(wanted), bool(joints))
    if root is not None:
        top = _named_root(document, nodes, counts, root)
    # A skin's skeleton is its joints and what links them; without one, all that is below belongs.
    inner = [bool(joints) and count > 0 for count in counts]
    tips = [_is_tip(nodes, i, moved) and not inner[i] for i in range(len(counts))]
    members = [not joints or inner[i] or tips[i] for i in range(len(counts))]
    return _ordered(document, nodes, top, members, tips)


def _skin_joints(document: Item, nodes: Nodes, name: str | None) -> set[int]:
    skins = document.items("skins")
    names = [skin.name() or f"skin_{i}" for i, skin in enumerate(skins)]
    if name is not None:
        if name not in names:
            raise document.fail(unknown("skin", name, names), "skins")
        skins = [skins[names.index(name)]]
    found = [skin.indices("joints", len(nodes.items), "nodes") for skin in skins]
    return set(max(found, key=len)) if found else set()


def unknown(kind: str, given: str, known: Iterable[str]) -> str:
    """The sentence for a name that is not there: the nearest one, and those there are."""
    listed = list(known)
    near = nearest(given, listed)
    hint = f"; did you mean {near!r}?" if near else ""
    more = ", ..." if len(listed) > 40 else ""
    return f"unknown {kind} {given!r}{hint} Known: {', '.join(listed[:40]) or 'none'}{more}"


def _counts(nodes: Nodes, wanted: set[int]) -> list[int]:
    """How many wanted nodes lie at or below each node."""
    counts = [int(i in wanted) for i in range(len(nodes.items))]
    for index in reversed(nodes.order):
        if nodes.parents[index] >= 0:
            counts[nodes.parents[index]] += counts[index]
    return counts


def _top(document: Item, nodes: Nodes, counts: list[int], total: int, skinned: bool) -> int:
    """The lowest node that has all wanted ones at or below it."""
    trees = [index for index in nodes.order if nodes.parents[index] < 0]
    top = max(trees, key=counts.__getitem__)
    if skinned and counts[top] < total:
        raise document.fail("the joints of the skin lie in several trees; give them one root", "skins")
    while True:
        below = [child for child in nodes.children[top] if counts[child] == counts[top]]
        if not below:
            return top
        top = below[0]


def _named_root(document: Item, nodes: Nodes, counts: list[int], name: str) -> int:
    known = [i for i in nodes.order if counts[i]]
    for index in known:
        if nodes.label(index) == name:
            return index
    raise document.fail(unknown("root", name, (nodes.label(i) for i in known)), "nodes")


def _is_tip(nodes: Nodes, index: int, moved: set[int]) -> bool:
    """A leaf without content that stays where it is: the end of a bone."""
    return not nodes.children[index] and index not in moved and not any(map(nodes.items[index].has, _CONTENT))


def _ordered(document: Item, nodes: Nodes, top: int, members: list[bool], tips: list[bool]) -> ReadRig:
    """The members below `top`, parents first and otherwise in the order of the file."""
    found: list[int] = []
    parents: list[int] = []
    place = {nodes.parents[top]: -1}
    waiting = [top]
    while waiting:
        index = heapq.heappop(waiting)
        place[index] = len(found)
        found.append(index)
        parents.append(place[nodes.parents[index]])
        for child in nodes.children[index]:
            if members[child]:
                heapq.heappush(waiting, child)
        if len(found) + len(waiting) > MAX_JOINTS:
            raise document.fail(f"the skeleton has more than {MAX_JOINTS} joints; this is no animal", "nodes")
    ends = [tips[index] and index != top for index in found]
    names = unique_names([nodes.label(index) for index in found], ends)
    above = nodes.above(top)
    if len(above) > MAX_ABOVE:
        raise document.fail(f"the skeleton lies below {len(above)} nodes, {MAX_ABOVE} are read", "nodes")
    return ReadRig(found, parents, ends, names, above)
