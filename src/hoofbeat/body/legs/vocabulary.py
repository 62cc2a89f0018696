"""Leg words: what the name of a joint says of side, fore or hind, and part of a leg.

A name is cut into words, `DEF-front_thigh.L.001` into def, front, thigh, l and 001, and each word is looked
up. That covers the spelling of most rigs: FrontLegL, BackLeg.R, hindleg_l, LF_shoulder, Bip01 L Thigh.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

FORE, HIND, MIDDLE, OPEN = "F", "H", "M", "?"
SIDES = {"left": "L", "lft": "L", "lt": "L", "l": "L", "right": "R", "rgt": "R", "rt": "R", "r": "R"}
#: Words that say fore or hind whatever else the name says.
STATED = {
    **dict.fromkeys("front fore anterior".split(), FORE),
    **dict.fromkeys("hind rear back posterior".split(), HIND),
    **dict.fromkeys("mid middle center".split(), MIDDLE),
}
#: The same in one letter; as first word only f, since b stands for bone.
LETTERS = {"f": FORE, "b": HIND, "h": HIND}
#: Side and end in one word, either first; rear and back are hind.
CODES = {
    **{"lf": "LF", "fl": "LF", "rf": "RF", "fr": "RF", "lh": "LH", "hl": "LH", "rh": "RH", "hr": "RH"},
    **{"lb": "LH", "bl": "LH", "rb": "RH", "br": "RH", "lr": "LH", "rl": "LH", "rr": "RH"},
}
#: Parts that are fore or hind unless the name states otherwise (front_thigh), and parts of any leg.
PARTS = {
    **dict.fromkeys(
        "arm forearm humerus radius ulna elbow wrist hand carpus carpal metacarpus".split(), FORE
    ),
    **dict.fromkeys("metacarpal scapula clavicle collarbone collar shoulder bicep palm finger".split(), FORE),
    **dict.fromkeys("thigh shin calf femur tibia stifle hock tarsus tarsal metatarsus".split(), HIND),
    **dict.fromkeys("metatarsal hip pelvis".split(), HIND),
    **dict.fromkeys(
        "leg limb upper lower up low upr lwr foot toe toes ball ankle knee paw hoof".split(), OPEN
    ),
    **dict.fromkeys("digit phalanx phalanges pastern fetlock cannon coffin claw link".split(), OPEN),
}
#: A joint with such a word is no part of a leg, whatever else it is called.
OTHERS = frozenset(
    "ik pole target tgt ctrl control controller mch vis twist roll tweak helper hint aim socket attach mesh "
    "collider muscle wing fin horn ear eye lid eyelid brow jaw mouth lip cheek tongue teeth tooth nose "
    "nostril whisker neck head skull spine chest breast tail mane hair belly rib saddle stirrup rein "
    "weapon thumb dewclaw feather".split()
)
#: Joints above the ball joint; the second set only where no hinge follows, else they are the ball joint.
GIRDLE = frozenset("scapula clavicle collarbone collar pelvis".split())
MAYBE_GIRDLE = frozenset("shoulder hip".split())
HINGE = frozenset("elbow knee stifle".split())
#: The bone below the ball joint, feet, and what is at the end of a chain.
UPPER = frozenset("up upper upr thigh femur humerus".split())
FEET = frozenset("foot toe toes ball paw hoof digit hand claw".split())
TIPS = frozenset("end tip nub site leaf".split())
#: Long bones that rigs cut in two, the second part called after the first (thigh.L, thigh.L.001).
CUT = frozenset("thigh shin calf arm forearm upper lower foot".split())
#: Names and words are read so far; what is longer was not written by a person.
MAX_NAME, MAX_WORD = 200, 40

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NAMESPACE = re.compile(r"[:|]")
_VOCABULARY = frozenset((*(word for word in SIDES if len(word) > 1), *STATED, *PARTS, *OTHERS))


@dataclass(frozen=True)
class Named:
    """What a joint's name says: its words, the side "L" or "R" ("" where it is no part of a leg), the end
    FORE, HIND, MIDDLE or OPEN, and whether fore or hind is stated rather than known from the part."""

    words: tuple[str, ...]
    side: str = ""
    end: str = OPEN
    stated: bool = False


def read_name(name: str) -> Named:
    """What one joint's name says."""
    words = words_of(name)
    if OTHERS.intersection(words):
        return Named(words)
    codes = {CODES[word] for word in words if word in CODES}
    if codes:
        code = min(codes)
        return Named(words, code[0], code[1], True) if len(codes) == 1 else Named(words)
    sides = [SIDES[word] for word in words if word in SIDES]
    ends = {STATED[word] for word in words if word in STATED}
    ends |= {LETTERS[w] for k, w in enumerate(words) if w in LETTERS and (k > 0 or w == "f")}
    if len(sides) == 2 and "r" in words and not ends:  # r_toe.L, r_toe.R: a rear one
        sides, ends = sides[1:], {HIND}
    if ends > {MIDDLE}:
        ends -= {MIDDLE}  # frontLegMiddle is a part of a fore leg
    parts = [PARTS[word] for word in words if word in PARTS]
    if len(set(sides)) != 1 or len(ends) > 1 or not (parts or ends):
        return Named(words)
    if ends:
        end = min(ends)
        return Named(words, sides[0], end, end != MIDDLE)
    return Named(words, sides[0], next((part for part in parts if part != OPEN), OPEN))


def words_of(name: str) -> tuple[str, ...]:
    """The words of a joint's name in lower case, namespaces left out: `rig:LFrontLeg01`: l front leg 01."""
    found: list[str] = []
    for word in _WORDS.findall(_NAMESPACE.split(name)[-1][:MAX_NAME]):
        found += _cut(word.lower())
    for k in range(len(found) - 1, 0, -1):
        if found[k - 1 : k + 1] == ["fore", "arm"]:  # a part of an arm: it says nothing of fore or hind
            found[k - 1 : k + 1] = ["forearm"]
    return tuple(found)


def _cut(word: str) -> list[str]:
    """A run of small letters cut into as few known words as can be (frontupperleg), or left as it is."""
    if not 3 <= len(word) <= MAX_WORD or word in _VOCABULARY:
        return [word]
    parts: dict[int, list[str]] = {0: []}
    for stop in range(1, len(word) + 1):
        for start in sorted(parts):
            piece = word[start:stop]
            # A single l or r is a side only at either end of the run.
            is_side = piece in ("l", "r") and (start == 0 or stop == len(word))
            fewer = stop not in parts or len(parts[start]) + 1 < len(parts[stop])
            if (piece in _VOCABULARY or is_side) and fewer:
                parts[stop] = [*parts[start], piece]
    return parts.get(len(word)) or [word]
