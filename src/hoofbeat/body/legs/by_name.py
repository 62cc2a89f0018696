"""Leg names: the four legs by what their joints are called.

The words of a name say side, fore or hind, and part of a leg. Which part is next to which is read off the
tree, so that a rig needs no table of its own. What the words leave open the tree decides too: a `Cannon`
under a `Radius` is a fore one, and `LeftLeg` is a hind one where the fore legs are called arms. A wrong
guess is worse than none: the result is four legs, disjoint and alike on both sides, or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from hoofbeat.body.legs.chains import LEAST_NODES, bone_length, is_above, leg_from
from hoofbeat.body.legs.vocabulary import (
    CUT,
    FEET,
    GIRDLE,
    HIND,
    HINGE,
    MAYBE_GIRDLE,
    MIDDLE,
    OPEN,
    TIPS,
    UPPER,
    Named,
    read_name,
)
from hoofbeat.body.skeleton import LEGS, Leg, Skeleton

#: In a whole Rigify rig the same leg comes several times; the first of these that makes four is used.
LAYERS = ("def", "", "org")
#: How much the bones of the two sides may differ, as part of the longer.
ASYMMETRY = 0.2
#: Digits shorter than this part of the length to the longest one's end are not the toe.
DIGIT = 0.9
#: Where fore legs are known by arm words alone this part of the hind ones is least: a person has 0.7.
LEAST_ARM = 0.74
#: Well-known rigs, to say in a report which one it is: names, less prefixes and running numbers.
KNOWN = (
    ("thesis horse", {"humerusleft", "mtarsusright", "cannonleft"}),
    ("Khronos fox", {"b_leftforearm", "b_leftleg01"}),
    ("three.js horse", {"frontupleg.l", "frontlowleg.l", "backupleg.l"}),
    ("dog recordings", {"leftforearm", "leftupleg", "lefthand_end", "leftfoot_end"}),
    ("Rigify", {"thigh.l", "shin.l", "shoulder.l"}),
)

_NUMBERED = re.compile(r"[._]\d+$")


@dataclass(frozen=True)
class _Found:
    """Legs found by name; `rig` is the rig's name or "", `by_arms` where only arm words identify fore
    legs."""

    legs: tuple[Leg, ...]
    rig: str
    by_arms: bool


def legs_by_name(skeleton: Skeleton) -> _Found:
    """The four legs by the names of the joints; none where the names do not say."""
    read = [read_name(name) for name in skeleton.names]
    for layer in LAYERS:
        kept = [_in_layer(named, layer) for named in read]
        found = _legs(skeleton, read, kept)
        if found.legs:
            return found
    return _Found((), "", False)


def _in_layer(named: Named, layer: str) -> bool:
    marks = {"def", "org"}.intersection(named.words)
    return marks == ({layer} if layer else set())


def _legs(skeleton: Skeleton, read: list[Named], kept: list[bool]) -> _Found:
    """The legs of the joints that are kept; none where they do not make four sound ones."""
    nothing = _Found((), "", False)
    ends = _ends(skeleton, read, kept)
    if MIDDLE in ends.values():
        return nothing  # six legs
    # Beside stated hind legs a plain `Leg` is something else; beside fore legs alone it is a hind one.
    both = any(end == HIND and read[node].stated for node, end in ends.items())
    ends = {node: HIND if end == OPEN else end for node, end in ends.items() if end != OPEN or not both}
    chains: list[list[int]] = []
    for leg in LEGS:
        members = [node for node, end in ends.items() if read[node].side + end == leg]
        chain = _chain(skeleton, read, members)
        if len(chain) < LEAST_NODES:
            return nothing
        chains.append(chain)
    by_arms = not any(read[node].stated for chain in chains[:2] for node in chain)
    if not _is_sound(skeleton, chains, LEAST_ARM if by_arms else 0.0):
        return nothing
    legs = tuple(leg_from(name, chain) for name, chain in zip(LEGS, chains, strict=True))
    return _Found(legs, _rig(skeleton.names), by_arms)


def _ends(skeleton: Skeleton, read: list[Named], kept: list[bool]) -> dict[int, str]:
    """End of every joint of a leg; what its own name leaves open, its neighbours in the leg say."""
    above_of: dict[int, int] = {}
    for node, named in enumerate(read):
        if kept[node] and named.side:
            above = int(skeleton.parents[node])
            while above >= 0 and above not in above_of:
                above = int(skeleton.parents[above])
            above_of[node] = above if above >= 0 and read[above].side == named.side else -1
    ends = {node: read[node].end for node in above_of}
    for node, above in reversed(above_of.items()):  # LeftLeg above LeftHindFoot is a hind one
        if above >= 0 and ends[above] == OPEN and ends[node] != MIDDLE:
            ends[above] = ends[node]
    for node, above in above_of.items():  # a word above counts for all below that have none
        if above >= 0 and (ends[node] == MIDDLE or not read[node].stated):
            ends[node] = ends[above] if ends[above] != OPEN else ends[node]
    return ends


def _chain(skeleton: Skeleton, read: list[Named], members: list[int]) -> list[int]:
    """Joints of one leg from the ball joint to the toe; empty where there are none or several legs."""
    line, *rest = _lines(skeleton, members) or [[]]
    if not line:
        return []
    separate = [other for other in rest if other[0] != line[0]]
    if any(len(other) >= LEAST_NODES for other in separate):
        return []
    if not any(FEET.intersection(read[node].words) for node in line):
        # A foot that is moved on its own (by inverse kinematics) is a child of the root, not of the leg.
        feet = [one[0] for one in separate if len(one) == 1 and FEET.intersection(read[one[0]].words)]
        line += feet if len(feet) == 1 else []
    line = tidy([read[node] for node in line], line)
    return line + _tip(skeleton, read, line[-1])


def tidy(read: list[Named], line: list[int]) -> list[int]:
    """A limb's nodes from its ball joint on, second parts of bones left out, as far as the names say."""
    parts = list(zip(read, line, strict=True))
    between = zip(parts, parts[1:-1], strict=False)
    cut = {below[1] for above, below in between if _is_second_part(above[0], below[0])}
    whole = [part for part in parts if part[1] not in cut]
    if len(whole) < LEAST_NODES:
        return line
    return _below_girdle([named for named, _ in whole], [node for _, node in whole])


def _lines(skeleton: Skeleton, members: list[int]) -> list[list[int]]:
    """Every path down through the members of one leg, the one with most joints first, then the longest.

    Of several digits only the longest count: a side branch with many joints does not make the leg.
    """
    inside = set(members)
    line_to: dict[int, list[int]] = {}
    length_to: dict[int, float] = {}
    for node in members:
        above = int(skeleton.parents[node])
        while above >= 0 and above not in inside:
            above = int(skeleton.parents[above])
        line_to[node] = [*line_to.get(above, []), node]
        length_to[node] = length_to[above] + bone_length(skeleton, above, node) if above >= 0 else 0.0
    inner = {line[-2] for line in line_to.values() if len(line) > 1}
    longest: dict[int, float] = {}
    for node, line in line_to.items():
        longest[line[0]] = max(longest.get(line[0], 0.0), length_to[node])
    ends = [node for node in members if node not in inner]
    ends = [node for node in ends if length_to[node] >= DIGIT * longest[line_to[node][0]]]
    ends.sort(key=lambda node: (-len(line_to[node]), -length_to[node], node))
    return [line_to[node] for node in ends]


def _is_second_part(first: Named, second: Named) -> bool:
    (a, numbers), (b, more) = (_split(named.words) for named in (first, second))
    return a == b and more > numbers and bool(CUT.intersection(a))


def _split(words: tuple[str, ...]) -> tuple[list[str], int]:
    """The words without numbers, and how many numbers there are."""
    plain = [word for word in words if not word.isdigit()]
    return plain, len(words) - len(plain)


def _below_girdle(read: list[Named], line: list[int]) -> list[int]:
    """The line from its ball joint on, as far as three joints are left."""
    words = [frozenset(named.words) for named in read]
    first = next((k for k, found in enumerate(words) if UPPER & found), 0)
    if first == 0:
        while first < len(line) - 1 and GIRDLE & words[first]:
            first += 1
        if MAYBE_GIRDLE & words[first] and not any(HINGE & found for found in words[first + 1 :]):
            first += 1
    return line[min(first, max(len(line) - LEAST_NODES, 0)) :]


def _tip(skeleton: Skeleton, read: list[Named], node: int) -> list[int]:
    """The end site below a last joint, where there is one that the names leave out."""
    below = [int(child) for child in skeleton.children(node)]
    tips = [child for child in below if skeleton.ends[child] or TIPS.intersection(read[child].words)]
    return tips if len(tips) == 1 else []


def _is_sound(skeleton: Skeleton, chains: list[list[int]], least_fore: float = 0.0) -> bool:
    """Whether four runs of nodes LF, RF, LH, RH are disjoint and alike on both sides."""
    nodes = [node for chain in chains for node in chain]
    if len(nodes) != len(set(nodes)):
        return False
    tops = [chain[0] for chain in chains]
    if any(a != b and is_above(skeleton, a, b) for a in tops for b in tops):
        return False
    lengths = [_length(skeleton, chain) for chain in chains]
    for left, right in (lengths[:2], lengths[2:]):
        if not min(left, right) > 0 or abs(left - right) > ASYMMETRY * max(left, right):
            return False
    if len(chains[0]) != len(chains[1]) or len(chains[2]) != len(chains[3]):
        return False
    return sum(lengths[:2]) >= least_fore * sum(lengths[2:])


def _length(skeleton: Skeleton, chain: list[int]) -> float:
    linked = is_above(skeleton, chain[0], chain[-1])
    return bone_length(skeleton, chain[0], chain[-1] if linked else chain[-2])


def _rig(names: Iterable[str]) -> str:
    bare = {_NUMBERED.sub("", re.sub(r"^(DEF|ORG)-", "", name).lower()) for name in names}
    return next((rig for rig, needed in KNOWN if needed <= bare), "")
