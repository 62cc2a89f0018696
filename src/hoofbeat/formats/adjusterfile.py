"""Adjuster files (M4): what is added to a gait's base cycle at a Froude number, one expression a bone.

    format: hoofbeat adjuster
    version: 1
    gait: trot
    froude: [0.3, 2.5]           # the range it is made for
    fore:                        # degrees, about the lateral axis; bones left out are not adjusted
      shoulder: "fr 4 * 2 + 0.25 sin1 *"     # (4 Fr + 2) sin 2 pi (t + 0.25)
      elbow: "fr sqrt 3 * 0.1 sin2 *"
    hind:
      hip: "fr log 2.5 * 0.5 sin1 *"
    made: {by: hand}             # where it comes from: plain names and values, kept as they are

Expressions are postfix, of `maths/expressions/program`, with `t` the limb's own time in cycles since it
lands in the base cycle and `fr` the Froude number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Any

import yaml

from hoofbeat.errors import ExpressionError, FileError
from hoofbeat.formats import files, yamlfile
from hoofbeat.maths.expressions.program import Expression, compile_expression

#: Bones that can be adjusted, from the trunk down. The hock has no expression of its own: it follows the
#: stifle (reciprocal apparatus).
FORE = ("scapula", "shoulder", "elbow", "carpus", "fetlock")
HIND = ("hip", "stifle", "fetlock")
LIMBS = {"fore": FORE, "hind": HIND}
#: All of them in order: the programs of one adjuster.
BONES = tuple((limb, bone) for limb, bones in LIMBS.items() for bone in bones)
FORMAT, VERSION = "hoofbeat adjuster", 1
_KEYS = ("format", "version", "gait", "froude", "fore", "hind", "made")
#: Froude numbers an adjuster may be made for.
FROUDES = (0.0, 200.0)
MAX_NAME = 200
_ZERO = compile_expression("0", froude=True)


class AdjusterError(FileError):
    """An adjuster file with a wrong key, bone or expression; it names the line."""


@dataclass(frozen=True)
class Adjuster:
    """What is added to a gait's base cycle.

    gait: a name; froude: least and most it is made for; expressions: one for each of BONES, in degrees;
    made: where it comes from.
    """

    gait: str
    froude: tuple[float, float]
    expressions: tuple[Expression, ...]
    made: Mapping[str, Any] = field(default_factory=dict[str, Any], compare=False)

    def __post_init__(self) -> None:
        low, high = self.froude
        if len(self.expressions) != len(BONES):
            raise AdjusterError(f"an adjuster has {len(BONES)} expressions, given {len(self.expressions)}")
        if not FROUDES[0] <= low < high <= FROUDES[1]:
            raise AdjusterError(
                f"froude: expected two numbers from {FROUDES[0]:g} to {FROUDES[1]:g}, the smaller first, "
                f"given [{low:g}, {high:g}]"
            )


def unadjusted(gait: str, froude: tuple[float, float]) -> Adjuster:
    """The adjuster that changes nothing."""
    return Adjuster(gait, froude, (_ZERO,) * len(BONES))


def read_adjuster(path: str | PathLike[str]) -> Adjuster:
    """The adjuster of a file."""
    return parse_adjuster(files.read_bytes(path, error=AdjusterError), fspath(path))


def parse_adjuster(data: bytes | str, path: str = "<memory>") -> Adjuster:
    """The adjuster that a YAML text holds."""
    raw = data.encode() if isinstance(data, str) else data
    found = yamlfile.parse_mapping(raw, path, AdjusterError)
    found.finish(_KEYS)
    if found.get("format", str) != FORMAT or found.get("version", int) != VERSION:
        raise found.fail(f"expected format {FORMAT!r}, version {VERSION}", "format")
    gait = found.get("gait", str)
    if not 0 < len(gait) <= MAX_NAME:
        raise found.fail(f"gait: expected a name of 1 to {MAX_NAME} characters, given {len(gait)}", "gait")
    low, high = found.numbers("froude", 2)
    if not FROUDES[0] <= low < high <= FROUDES[1]:
        raise found.fail(
            f"froude: expected two numbers from {FROUDES[0]:g} to {FROUDES[1]:g}, the smaller first, "
            f"given [{low:g}, {high:g}]",
            "froude",
        )
    expressions = [e for limb in LIMBS for e in _limb(found, limb)]
    made = found.values.get("made")
    if made is not None and not isinstance(made, yamlfile.Mapping):
        raise found.fail(f"made: expected names and values, given {yamlfile.shown(made)}", "made")
    return Adjuster(gait, (low, high), tuple(expressions), _plain(made) if made else {})


def _limb(found: yamlfile.Mapping, limb: str) -> list[Expression]:
    given = found.values.get(limb)
    if given is None:
        return [_ZERO] * len(LIMBS[limb])
    if not isinstance(given, yamlfile.Mapping):
        raise found.fail(f"{limb}: expected bones with expressions, given {yamlfile.shown(given)}", limb)
    given.finish(LIMBS[limb])
    return [_expression(given, bone) for bone in LIMBS[limb]]


def _expression(given: yamlfile.Mapping, bone: str) -> Expression:
    value = given.values.get(bone, "0")
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise given.fail(f"{bone}: expected an expression, given {yamlfile.shown(value)}", bone)
    try:
        return compile_expression(yamlfile.shown(value) if not isinstance(value, str) else value, froude=True)
    except ExpressionError as problem:
        raise given.fail(f"{bone}: {problem}", bone) from None


def _plain(mapping: yamlfile.Mapping) -> dict[str, Any]:
    return {
        key: _plain(value) if isinstance(value, yamlfile.Mapping) else value
        for key, value in mapping.values.items()
    }


def format_adjuster(adjuster: Adjuster) -> str:
    """The text of a file; the same adjuster gives the same text."""
    top = {"format": FORMAT, "version": VERSION, "gait": adjuster.gait, "froude": list(adjuster.froude)}
    texts = dict(zip(BONES, (" ".join(e.text.split()) or "0" for e in adjuster.expressions), strict=True))
    limbs = {limb: {bone: texts[limb, bone] for bone in bones} for limb, bones in LIMBS.items()}
    whole = {**top, **limbs, **({"made": dict(adjuster.made)} if adjuster.made else {})}
    return yaml.safe_dump(whole, sort_keys=False, default_flow_style=None, width=100, allow_unicode=True)


def write_adjuster(adjuster: Adjuster, path: str | PathLike[str]) -> None:
    """Write an adjuster as a file."""
    files.write_bytes(path, format_adjuster(adjuster).encode(), AdjusterError)
