"""Legs: which joints are the four legs of any quadruped: by names, by geometry, or as given."""

from __future__ import annotations

import difflib
import re

from hoofbeat.body.clip import Clip
from hoofbeat.body.legs.by_name import legs_by_name, tidy
from hoofbeat.body.legs.by_shape import comes_down, legs_by_shape
from hoofbeat.body.legs.chains import LEAST_NODES, ancestors, is_above, leg_from
from hoofbeat.body.legs.limbs import describe
from hoofbeat.body.legs.vocabulary import read_name
from hoofbeat.body.skeleton import LEGS, Leg, Skeleton
from hoofbeat.errors import SkeletonError

#: How legs are written out: a toe, or a whole leg.
SYNTAX = "LF=…,RF=…,LH=…,RH=… with the name of each toe, or the joints of a leg as top/mid/low/toe"
#: A longer text names no legs of a skeleton of at most 4096 joints.
MAX_TEXT = 10_000

_NEXT_LEG = re.compile(rf",(?=\s*(?:{'|'.join(LEGS)})\s*=)", re.IGNORECASE)


def find_legs(skeleton: Skeleton) -> tuple[Leg, ...]:
    """The four legs LF, RF, LH, RH by the names of the joints, or () where the names do not say.

    Understood are words for side (Left, .L, _l, LF, FL …), end (Front, Fore, Hind, Rear, Back, or arm and
    thigh) and part, in any order and spelling. Where fore legs are known only by arm words their bones must
    be about as long as the hind ones, so that no person walks on four legs. `low` is the toe itself where a
    leg has three nodes only.
    """
    return legs_by_name(skeleton).legs


def legs_by_geometry(clip: Clip) -> tuple[Leg, ...]:
    """The four legs LF, RF, LH, RH by the shape and motion of a clip (Y up), or () where they cannot be
    found.

    Names, size, place and heading play no part. A clip in which the animal stands or moves helps most.
    """
    return legs_by_shape(clip).legs


def legs_of(clip: Clip) -> tuple[tuple[Leg, ...], str]:
    """The four legs of a clip, and how they were found: "given", "names", "names: RIG" or "geometry".

    Given are the legs that the clip's skeleton names and that its joints' names do not say. Where there are
    no four legs it is a SkeletonError with what was looked for, what there is, and how to name them.
    """
    skeleton = clip.skeleton
    named = legs_by_name(skeleton)
    if skeleton.legs and skeleton.legs != named.legs:
        return skeleton.legs, "given"
    if named.legs and (not named.by_arms or comes_down(clip, named.legs)):
        return named.legs, f"names: {named.rig}" if named.rig else "names"
    shape = legs_by_shape(clip)
    if shape.legs:
        return shape.legs, "geometry"
    by_name = "the arms do not come down to the ground" if named.legs else "not four that state side and end"
    raise SkeletonError(
        f"clip {clip.name!r}: no four legs found. By names: {by_name} (such as FrontLeg.L, LeftUpLeg, "
        f"LH_hoof). By geometry: {shape.reason}. Chains: {describe(skeleton, shape.limbs)}. "
        f"If it has four legs, name them: --legs {SYNTAX}"
    )


def parse_legs(text: str, skeleton: Skeleton) -> tuple[Leg, ...]:
    """The four legs of a text such as `LF=paw_l,RF=paw_r,LH=foot_l,RH=foot_r`, in any order.

    A leg is its toe alone, from which the chain is climbed up to where it meets another leg's, or its own
    chain of 3 to 5 joints, `top/mid/toe` to `top/mid/low/pastern/toe`. The last may be a child of another
    joint.
    """
    if len(text) > MAX_TEXT:
        raise SkeletonError(f"legs: a text of {len(text)} characters; at most {MAX_TEXT} are read")
    given: dict[str, list[int]] = {}
    for entry in _NEXT_LEG.split(text):
        name, equals, value = entry.partition("=")
        leg = name.strip().upper()
        if not equals or leg not in LEGS:
            raise SkeletonError(
                f"legs: {entry.strip()!r} is not LF=, RF=, LH= or RH= and a name. Write {SYNTAX}"
            )
        if leg in given:
            raise SkeletonError(f"legs: {leg} is given twice. Write {SYNTAX}")
        given[leg] = _joints(leg, value.strip(), skeleton)
    missing = [leg for leg in LEGS if leg not in given]
    if missing:
        raise SkeletonError(f"legs: {', '.join(missing)} missing. Write {SYNTAX}")
    toes = {leg: chain[-1] for leg, chain in given.items()}
    if len(set(toes.values())) < len(LEGS):
        raise SkeletonError(f"legs: the four legs need four toes, given {_listed(skeleton, toes)}")
    return tuple(
        leg_from(leg, given[leg] if len(given[leg]) > 1 else _climbed(leg, toes, skeleton)) for leg in LEGS
    )


def _joints(leg: str, value: str, skeleton: Skeleton) -> list[int]:
    """Indices of one toe or of a chain; a name may itself hold a stroke."""
    try:
        return [_joint(leg, value, skeleton)]
    except SkeletonError:
        if "/" not in value:
            raise
    chain = [_joint(leg, part.strip(), skeleton) for part in value.split("/")]
    if not LEAST_NODES <= len(chain) <= 5:
        raise SkeletonError(f"legs: {leg} is 1 joint or 3 to 5, given {len(chain)}: {value}. Write {SYNTAX}")
    linked = all(is_above(skeleton, a, b) for a, b in zip(chain, chain[1:-1], strict=False))
    if not linked or len(set(chain)) < len(chain):
        raise SkeletonError(f"legs: {leg}: each joint must be below the one before it, given {value}")
    return chain


def _joint(leg: str, name: str, skeleton: Skeleton) -> int:
    if name in skeleton.names:
        return skeleton.names.index(name)
    alike = [k for k, known in enumerate(skeleton.names) if known.lower() == name.lower()]
    if len(alike) == 1:
        return alike[0]
    lowered = {known.lower(): known for known in skeleton.names}
    near = [lowered[word] for word in difflib.get_close_matches(name.lower(), list(lowered), 3, 0.5)]
    hint = f"nearest: {', '.join(near)}" if near else f"there are: {_ends(skeleton)}"
    raise SkeletonError(f"legs: {leg}: no joint {name!r} in this skeleton; {hint}")


def _climbed(leg: str, toes: dict[str, int], skeleton: Skeleton) -> list[int]:
    """The chain above a toe, up to where it meets that of another leg, from its ball joint on."""
    others = {node for name, toe in toes.items() if name != leg for node in ancestors(skeleton, toe)}
    line = [node for node in ancestors(skeleton, toes[leg]) if node not in others][::-1]
    if len(line) < LEAST_NODES:
        toe = skeleton.names[toes[leg]]
        raise SkeletonError(
            f"legs: {leg}: {toe} meets another leg after {len(line)} joints, and a leg has at least "
            f"{LEAST_NODES}. Name its joints: {leg}=top/mid/{toe}"
        )
    tidied = tidy([read_name(skeleton.names[node]) for node in line], line)
    return tidied[1:] if len(tidied) == len(line) > 6 else tidied  # seven: the first is a scapula or pelvis


def _listed(skeleton: Skeleton, toes: dict[str, int]) -> str:
    return ", ".join(f"{leg}={skeleton.names[toe]}" for leg, toe in toes.items())


def _ends(skeleton: Skeleton) -> str:
    inner = set(skeleton.parents.tolist())
    ends = [name for node, name in enumerate(skeleton.names) if node not in inner]
    return ", ".join(ends[:12]) + (" …" if len(ends) > 12 else "")
