"""Figure: what each bone of a skeleton is to the eye (leg, spine, neck, head, tail), and how large.

Only the tree, the named legs and one reference pose are used, never joint names, so that any
quadruped whose legs are named draws as an animal. Without named legs every bone is drawn alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import Leg, Skeleton

#: Parts 0 to 3 are the legs LF, RF, LH, RH; the rest of the animal follows.
SPINE, NECK, HEAD, TAIL, OTHER = 4, 5, 6, 7, 8
#: Muzzle or ear? The tip that lies farthest forward, with this much credit for height, is the head.
HEIGHT_CREDIT = 0.3


@dataclass(frozen=True)
class DrawnFigure:
    """Roles and measures of one skeleton.

    part (J,): what the bone from each node's parent to the node belongs to. Chains are node indices:
    `legs` from the girdle to the toe, `spine` from hind girdle to fore girdle, `neck` from the fore
    girdle to the tip of the head, `tail` from the hind girdle to the tip. `size` [m] is the distance
    from hip to shoulder (or half the diagonal of the animal where no legs are named), `leg_lengths`
    (4,) [m] run along the bones from shoulder or hip to the toe.
    """

    skeleton: Skeleton
    part: NDArray[np.int64]
    legs: tuple[tuple[int, ...], ...]
    spine: tuple[int, ...]
    neck: tuple[int, ...]
    tail: tuple[int, ...]
    size: float
    leg_lengths: NDArray[np.float64]
    rest: NDArray[np.float64]

    @property
    def has_legs(self) -> bool:
        """True where the four legs are named."""
        return bool(self.legs)

    @property
    def toes(self) -> NDArray[np.int64]:
        """Nodes that touch the ground, LF, RF, LH, RH; (0,) where no legs are named."""
        return np.array([leg.toe for leg in self.skeleton.legs], np.int64)


def figure_of(skeleton: Skeleton, pose: NDArray[np.float64]) -> DrawnFigure:
    """Read the figure out of a skeleton; `pose` (J, 3) [m], world, is any one pose of it."""
    part = np.full(len(skeleton), OTHER, np.int64)
    if not skeleton.legs:
        size = max(float(np.linalg.norm(np.ptp(pose, axis=0))) / 2, 1e-6)
        return DrawnFigure(skeleton, part, (), (), (), (), size, np.zeros(0), pose)
    spine = _path(skeleton, _meet(skeleton, 2, 3), _meet(skeleton, 0, 1))
    legs = tuple(_chain(skeleton, leg.toe, spine) for leg in skeleton.legs)
    forward, up = _axes(skeleton, pose)
    neck, tail = _ends(skeleton, pose @ (forward + HEIGHT_CREDIT * up), legs, spine)
    _label(skeleton, part, legs, spine, neck, tail)
    size = max(float(np.linalg.norm(_mean_top(skeleton, pose, 0) - _mean_top(skeleton, pose, 2))), 1e-6)
    lengths = np.array([_leg_length(skeleton, leg) for leg in skeleton.legs])
    return DrawnFigure(skeleton, part, legs, spine, neck, tail, size, lengths, pose)


def body_axes(figure: DrawnFigure, positions: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Unit vectors left, up and forward (T, 3) of the trunk for positions (T, J, 3); needs legs."""
    tops = np.stack([positions[:, leg.top] for leg in figure.skeleton.legs], axis=1)  # (T, 4, 3)
    forward = unit_vector(tops[:, :2].mean(axis=1) - tops[:, 2:].mean(axis=1), (0.0, 0.0, 1.0))
    across = tops[:, (0, 2)].mean(axis=1) - tops[:, (1, 3)].mean(axis=1)
    across = across - forward * (across * forward).sum(axis=1, keepdims=True)
    left = unit_vector(across, (1.0, 0.0, 0.0))
    return left, np.cross(forward, left), forward


def unit_vector(vectors: NDArray[np.float64], fallback: tuple[float, float, float]) -> NDArray[np.float64]:
    """Vectors (T, 3) made unit length; a vanishing one becomes `fallback`."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.where(length > 1e-9, vectors / np.maximum(length, 1e-9), np.array(fallback))


def _ancestors(skeleton: Skeleton, node: int) -> list[int]:
    """The node, its parent, ... up to the root."""
    line = [node]
    while skeleton.parents[line[-1]] >= 0:
        line.append(int(skeleton.parents[line[-1]]))
    return line


def _meet(skeleton: Skeleton, a: int, b: int) -> int:
    """The girdle: the lowest common ancestor of two legs' tops."""
    other = set(_ancestors(skeleton, skeleton.legs[b].top))
    return next(node for node in _ancestors(skeleton, skeleton.legs[a].top) if node in other)


def _path(skeleton: Skeleton, start: int, stop: int) -> tuple[int, ...]:
    """Nodes from start to stop through the tree."""
    up, down = _ancestors(skeleton, start), _ancestors(skeleton, stop)
    shared = next(node for node in up if node in down)
    return tuple(up[: up.index(shared) + 1] + down[: down.index(shared)][::-1])


def _chain(skeleton: Skeleton, tip: int, trunk: tuple[int, ...]) -> tuple[int, ...]:
    """Nodes from where a chain leaves the trunk (or the root) down to its tip."""
    line: list[int] = []
    for node in _ancestors(skeleton, tip):
        line.append(node)
        if node in trunk:
            break
    return tuple(line[::-1])


def _ends(
    skeleton: Skeleton, reach: NDArray[np.float64], legs: tuple[tuple[int, ...], ...], spine: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Neck and tail: of the chains without a leg, the farthest forward and the farthest back."""
    of_legs = {node for leg in legs for node in leg[1:]}
    inner = {*of_legs, *spine, *skeleton.parents.tolist()}
    tips = [j for j in range(len(skeleton)) if j not in inner]
    neck: tuple[int, ...] = ()
    tail: tuple[int, ...] = ()
    middle = reach[list(spine)].mean()
    for tip in sorted(tips, key=lambda j: -reach[j]):
        chain = _chain(skeleton, tip, spine)
        if of_legs.intersection(chain) or chain[0] not in spine:
            continue
        if reach[tip] > middle and not neck:
            neck = chain
        elif reach[tip] <= middle:
            tail = chain
    return neck, tail


def _label(
    skeleton: Skeleton,
    part: NDArray[np.int64],
    legs: tuple[tuple[int, ...], ...],
    spine: tuple[int, ...],
    neck: tuple[int, ...],
    tail: tuple[int, ...],
) -> None:
    for node in spine:
        if skeleton.parents[node] in spine:
            part[node] = SPINE
    part[list(neck[1:-1])] = NECK
    part[list(neck[-1:])] = HEAD
    part[list(tail[1:])] = TAIL
    for k, leg in enumerate(legs):
        part[list(leg[1:])] = k
    for j in range(1, len(skeleton)):  # what is below a leg (a second toe) goes with the leg
        above = part[skeleton.parents[j]]
        if part[j] == OTHER and above < SPINE:
            part[j] = above


def _mean_top(skeleton: Skeleton, pose: NDArray[np.float64], first: int) -> NDArray[np.float64]:
    return (pose[skeleton.legs[first].top] + pose[skeleton.legs[first + 1].top]) / 2


def _axes(skeleton: Skeleton, pose: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Forward and up of one pose, from the leg tops and toes."""
    forward = unit_vector(_mean_top(skeleton, pose, 0) - _mean_top(skeleton, pose, 2), (0.0, 0.0, 1.0))
    legs = sum(pose[leg.top] - pose[leg.toe] for leg in skeleton.legs)
    up = legs - forward * float(np.dot(legs, forward))
    return forward, unit_vector(np.asarray(up), (0.0, 1.0, 0.0))


def _leg_length(skeleton: Skeleton, leg: Leg) -> float:
    bones = [j for j in _ancestors(skeleton, leg.toe) if leg.top in _ancestors(skeleton, j) and j != leg.top]
    return max(float(np.linalg.norm(skeleton.offsets[bones], axis=1).sum()), 1e-6)
