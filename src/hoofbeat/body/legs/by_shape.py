"""Leg shape: the four legs by where the joints are and how they move, whatever they are called.

Legs are the limbs whose ends come down to the ground. Three things vote on which pair is the fore one: a
head is carried above the root of the neck and a tail hangs below its own; feet near the ground move
backward against the body; and the joint from which both pairs hang is nearer to the hind one. Nothing here
has a unit: all limits are parts of a length of the animal, so that size and heading do not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import Clip
from hoofbeat.body.legs.chains import LEAST_NODES, ancestors, leg_from, nodes_of
from hoofbeat.body.legs.limbs import (
    LEVEL_PERCENTILE,
    REACH,
    Limb,
    difference,
    limbs_below,
    outside,
    standing,
    standing_poses,
    trunk_of,
)
from hoofbeat.body.pose import positions_of
from hoofbeat.body.skeleton import LEGS, Leg, Skeleton

#: Places of the clip that are looked at, each with the frame after it.
SAMPLES = 160
#: A joint that never turns more than this from straight is none: a bone cut in two [rad].
STRAIGHT = 0.03
#: A bone of the girdle drops less than this part of itself and is a small part of the limb, or it goes
#: outward by the third.
GIRDLE_DROP, GIRDLE_SHARE, GIRDLE_OUT = 0.3, 0.22, 0.15
#: Votes for which end is fore, each in [-1, 1]: head above tail, feet backward, root nearer to the hind legs.
HEAD, FEET, ROOT = 0.9, 1.0, 0.7
#: Head above tail by this much [leg lengths], and feet moving over this much, make a full vote.
FULL_HEAD, FULL_STEP = 0.4, 0.4
#: Fewer votes than this leave it open.
LEAST_VOTE = 0.35

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Shape:
    """What was found: the legs, or none with the limbs there are and `reason`, why they are no four legs."""

    legs: tuple[Leg, ...]
    limbs: tuple[Limb, ...]
    reason: str


def legs_by_shape(clip: Clip) -> _Shape:
    """The four legs of a clip by the places and the motion of its joints."""
    skeleton = clip.skeleton
    if not len(clip):
        return _Shape((), (), "the clip has no frames")
    now, after = _sampled(clip)
    limbs = limbs_below(skeleton, now)
    legs = standing(skeleton, limbs, now)
    if len(legs) != 4:
        count = {0: "no chain comes", 1: "one chain comes"}.get(len(legs), f"{len(legs)} chains come")
        return _Shape((), tuple(legs or limbs), f"{count} down to the ground with a twin of the same bones")
    return _placed(skeleton, legs, now, after)


def comes_down(clip: Clip, legs: Sequence[Leg]) -> bool:
    """Whether the fore feet of these legs come down to where the hind ones stand: arms do not."""
    if not len(clip):
        return False
    places = _sampled(clip)[0]
    feet = [leg.toe for leg in legs]
    level = np.percentile(places[:, feet, 1], LEVEL_PERCENTILE, axis=0)  # (4,)
    size = np.mean([np.linalg.norm(np.diff(places[:, nodes_of(leg)], axis=1), axis=2).sum(1) for leg in legs])
    return float(level[:2].max() - level[2:].min()) <= REACH * float(size)


def _sampled(clip: Clip) -> tuple[Floats, Floats]:
    """Positions (S, J, 3) at frames spread over the clip, and at the frames after them."""
    last = max(len(clip) - 2, 0)
    frames = np.unique(np.linspace(0, last, SAMPLES).astype(np.int64))
    both = np.minimum(np.concatenate([frames, frames + 1]), len(clip) - 1)
    places = positions_of(clip.skeleton, clip.rotations[both], clip.origins[both])
    return places[: len(frames)], places[len(frames) :]


# Which leg is which


def _placed(skeleton: Skeleton, limbs: list[Limb], now: Floats, after: Floats) -> _Shape:
    """The four limbs as LF, RF, LH, RH."""
    pairs = _pairs(limbs, now)
    if pairs is None:
        return _Shape((), tuple(limbs), "four legs alike at equal distances: which two are a pair is open")
    vote = _fore_vote(skeleton, pairs, now, after)
    if abs(vote) < LEAST_VOTE:
        return _Shape((), tuple(limbs), "which end of the body is in front cannot be found")
    fore, hind = pairs if vote > 0 else pairs[::-1]
    ahead = _middle(fore, now) - _middle(hind, now)
    # Up from feet to trunk, not in the world: an animal that lies on its side keeps its left.
    rise = np.mean([now[:, limb.nodes[0]] - now[:, limb.nodes[-1]] for limb in limbs], axis=0)
    left = np.cross(rise, ahead)
    ordered: list[Limb] = []
    for pair in (fore, hind):
        across = _shoulder(pair[0], now) - _shoulder(pair[1], now)
        ordered += pair if float((across * left).sum()) > 0 else pair[::-1]
    chains = [_joints(limb, now) for limb in ordered]
    skips = [_girdle(chains[:2], now, _ground(ahead)), _girdle(chains[2:], now, _ground(-ahead))]
    legs = [leg_from(name, chains[k][skips[k // 2] :]) for k, name in enumerate(LEGS)]
    return _Shape(tuple(legs), tuple(ordered), "")


def _pairs(limbs: list[Limb], places: Floats) -> tuple[list[Limb], list[Limb]] | None:
    """The four limbs as two pairs of the same girdle; None where all are alike and equally far apart."""
    best: list[tuple[float, float, tuple[list[Limb], list[Limb]]]] = []
    for partner in (1, 2, 3):
        first = [limbs[0], limbs[partner]]
        second = [limbs[k] for k in (1, 2, 3) if k != partner]
        unlike = sum(difference(a.lengths, b.lengths) for a, b in (first, second))
        distance = sum(
            float(np.linalg.norm(_centre(a, places) - _centre(b, places), axis=1).mean())
            for a, b in (first, second)
        )
        best.append((unlike, distance, (first, second)))
    likely = [one for one in best if one[0] < min(b[0] for b in best) + 0.05]
    likely.sort(key=lambda one: one[1])
    if len(likely) > 1 and likely[1][1] < 1.05 * likely[0][1]:
        return None
    return likely[0][2]


def _fore_vote(skeleton: Skeleton, pairs: tuple[list[Limb], list[Limb]], now: Floats, after: Floats) -> float:
    """Positive where the first pair are the fore legs."""
    legs = [limb for pair in pairs for limb in pair]
    size = float(np.mean([limb.length for limb in legs]))
    axis = _ground(_middle(pairs[0], now) - _middle(pairs[1], now))
    norm = np.linalg.norm(axis, axis=1, keepdims=True)
    axis = np.divide(axis, norm, out=np.zeros_like(axis), where=norm > 0)
    head = _head_vote(skeleton, pairs, now, axis) / (FULL_HEAD * size)
    feet = _feet_vote(legs, now, after, axis, size)
    above = [ancestors(skeleton, limb.nodes[0]) for limb in legs]
    meet = next(node for node in above[0] if all(node in line for line in above))
    near = [float(np.linalg.norm(_middle(pair, now) - now[:, meet], axis=1).mean()) for pair in pairs]
    root = (near[0] - near[1]) / max(near[0] + near[1], 1e-12)
    votes = np.clip([head, feet, 2 * root], -1, 1)
    return float(np.dot(votes, [HEAD, FEET, ROOT]))


def _head_vote(
    skeleton: Skeleton, pairs: tuple[list[Limb], list[Limb]], places: Floats, axis: Floats
) -> float:
    """How much more the ends on the first pair's side rise above the trunk than those on the second's.

    A head is carried above the root of the neck as a rule, and a tail hangs below its own.
    """
    legs = [limb for pair in pairs for limb in pair]
    trunk = trunk_of(skeleton, legs)
    free = outside(skeleton, legs)
    free[[*skeleton.parents[1:], *trunk]] = False
    ends = np.flatnonzero(free)
    roots = [next(n for n in ancestors(skeleton, end) if n in trunk or n == 0) for end in ends.tolist()]
    middle = (_middle(pairs[0], places) + _middle(pairs[1], places)) / 2
    along = ((places[:, ends] - middle[:, None]) * axis[:, None]).sum(axis=(0, 2))  # (E,)
    rise = np.percentile(places[:, ends, 1] - places[:, roots, 1], 75, axis=0)  # (E,)
    first, second = (float(rise[side].max()) if side.any() else 0.0 for side in (along > 0, along <= 0))
    return first - second


def _feet_vote(legs: list[Limb], now: Floats, after: Floats, axis: Floats, size: float) -> float:
    """How steadily feet near the ground go from the first pair's side to the second's, against the body."""
    body = np.mean([after[:, limb.nodes[0]] - now[:, limb.nodes[0]] for limb in legs], axis=0)
    backward: list[Floats] = []
    reach: list[float] = []
    for limb in legs:
        toe = limb.nodes[-1]
        moved = -((after[:, toe] - now[:, toe] - body) * axis).sum(axis=1)
        low = now[:, toe, 1] < limb.level + 0.05 * limb.length
        backward.append(moved[low])
        along = ((now[:, toe] - now[:, limb.nodes[0]]) * axis).sum(axis=1)
        reach.append(float(np.subtract(*np.percentile(along, [90, 10]))))
    steps = np.concatenate(backward)
    total = float(np.abs(steps).sum())
    steady = float(steps.sum()) / total if total > 0 else 0.0
    return steady * min(1.0, float(np.mean(reach)) / (FULL_STEP * size))


def _middle(pair: list[Limb], places: Floats) -> Floats:
    """Middle (S, 3) between the first joints of a pair."""
    return (places[:, pair[0].nodes[0]] + places[:, pair[1].nodes[0]]) / 2


def _shoulder(limb: Limb, places: Floats) -> Floats:
    """Mean place (S, 3) of a limb's first two joints: feet may cross, these do not."""
    return places[:, list(limb.nodes[:2])].mean(axis=1)


def _centre(limb: Limb, places: Floats) -> Floats:
    """Mean place (S, 3) of a limb's nodes."""
    return places[:, list(limb.nodes)].mean(axis=1)


def _ground(vectors: Floats) -> Floats:
    """Vectors (S, 3) without their height."""
    return vectors * np.array([1.0, 0.0, 1.0])


# Which joint is which


def _joints(limb: Limb, places: Floats) -> list[int]:
    """Nodes of a limb without those at the same place as the one above and those that cut a bone in two."""
    line = [limb.nodes[0]]
    for node, length in zip(limb.nodes[1:], limb.lengths, strict=True):
        if length > 1e-3 * limb.length:
            line.append(node)
        elif node == limb.nodes[-1]:
            line[-1] = node  # the end is what stands on the ground
    kept = [line[0]]
    for node, below in zip(line[1:], line[2:], strict=False):
        if len(line) <= LEAST_NODES + 1 or _bend(places, kept[-1], node, below) > STRAIGHT:
            kept.append(node)
    kept.append(line[-1])
    return kept if len(kept) >= LEAST_NODES else list(limb.nodes)


def _bend(places: Floats, above: int, node: int, below: int) -> float:
    """The most that a joint turns from straight [rad]."""
    first, second = places[:, node] - places[:, above], places[:, below] - places[:, node]
    sine = np.linalg.norm(np.cross(first, second), axis=1)
    return float(np.arctan2(sine, (first * second).sum(axis=1)).max())


def _girdle(pair: list[list[int]], places: Floats, outward: Floats) -> int:
    """How many joints at the top of a pair's chains are above the ball joint: 0, 1 or 2.

    A girdle bone goes sideways rather than down, or outward (a scapula forward) above a bone that comes
    back inward, as upper arms and thighs do.
    """
    norm = np.linalg.norm(outward, axis=1, keepdims=True)
    away = np.divide(outward, norm, out=np.zeros_like(outward), where=norm > 0)
    skip = 0
    while skip < 2 and min(len(chain) for chain in pair) - skip > LEAST_NODES:
        share, drop, out = _slopes(pair, places, away, skip)
        flat = drop < GIRDLE_DROP and share < GIRDLE_SHARE
        if not flat and not (out > GIRDLE_OUT and _slopes(pair, places, away, skip + 1)[2] < -GIRDLE_OUT):
            break
        skip += 1
    return skip


def _slopes(pair: list[list[int]], places: Floats, away: Floats, bone: int) -> tuple[float, float, float]:
    """A bone of a pair as part of its limb, and how far it goes down and outward, as parts of its length.

    Means over the poses that stand.
    """
    found: list[tuple[float, float, float]] = []
    for chain in pair:
        stands = standing_poses(chain, places)
        bones = np.diff(places[stands][:, chain], axis=1)  # (S, B, 3)
        lengths = np.maximum(np.linalg.norm(bones, axis=2).mean(axis=0), 1e-12)
        vector, length = bones[:, bone], lengths[bone]
        out = float((vector * away[stands]).sum(axis=1).mean())
        found.append((length / lengths.sum(), -float(vector[:, 1].mean()) / length, out / length))
    share, drop, out = np.mean(found, axis=0).tolist()
    return share, drop, out
