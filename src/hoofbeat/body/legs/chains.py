"""Chain: a run of nodes from the trunk down to an end, and the leg that it makes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hoofbeat.body.skeleton import Leg, Skeleton

#: A leg needs a top, a mid and a toe.
LEAST_NODES = 3


def ancestors(skeleton: Skeleton, node: int) -> list[int]:
    """The node, its parent and so on up to the root."""
    line = [node]
    while skeleton.parents[line[-1]] >= 0:
        line.append(int(skeleton.parents[line[-1]]))
    return line


def is_above(skeleton: Skeleton, upper: int, lower: int) -> bool:
    """Whether `upper` is the node `lower` or one it hangs from."""
    while lower > upper:  # parents have smaller indices
        lower = int(skeleton.parents[lower])
    return lower == upper


def bone_length(skeleton: Skeleton, upper: int, lower: int) -> float:
    """Length of the bones [m] from `upper` down to `lower`, which hangs from it."""
    total = 0.0
    while lower > upper:
        total += float(np.linalg.norm(skeleton.offsets[lower]))
        lower = int(skeleton.parents[lower])
    return total


def leg_from(name: str, nodes: Sequence[int]) -> Leg:
    """The leg of a run of 3 nodes or more, from its ball joint to its toe.

    Three nodes are top, mid and toe, and the toe stands for `low` too; four have a `low` of their own;
    with five or more the fourth is the pastern, and what lies between it and the toe is left out.
    """
    top, mid, low = nodes[:3]
    return Leg(name, top, mid, low, nodes[3] if len(nodes) > 4 else -1, nodes[-1])


def nodes_of(leg: Leg) -> tuple[int, ...]:
    """The nodes of a leg from top to toe, each once."""
    line = (leg.top, leg.mid, leg.low, leg.pastern, leg.toe)
    return tuple(dict.fromkeys(node for node in line if node >= 0))
