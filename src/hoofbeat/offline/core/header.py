"""Header: `core/hb.h`, the C interface, with the records of Python's dtypes.

    python -m hoofbeat.offline.core.header [--check]

Also writes `core/tablefile.h`, the layout of a table file for the C files themselves. Both are committed; a
test compares. Comments of the fields are those of the Python sources.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from enum import IntEnum
from types import ModuleType
from typing import Any

import numpy as np

from hoofbeat import records
from hoofbeat.maths.jit.arguments import key_of
from hoofbeat.maths.jit.library import FOLDER
from hoofbeat.offline.core import interface
from hoofbeat.offline.core.link import arguments_of
from hoofbeat.offline.core.tables import layout
from hoofbeat.offline.core.tables.layout import (
    HEAD,
    LEAF,
    STAGE,
    Extra,
    Given,
    HerdKernel,
    Leaf,
    Region,
)
from hoofbeat.records import COMMAND, FRAME, LAYOUT_VERSION, SENSE, STEP
from hoofbeat.world.rows import WORLD

#: Field types of C.
KINDS = {"f8": "double", "f4": "float", "i8": "int64_t", "u8": "uint64_t", "i4": "int32_t"}
KINDS |= {"u4": "uint32_t", "u2": "uint16_t", "i1": "int8_t", "u1": "uint8_t", "b1": "uint8_t"}
#: A field of a dtype in a Python source, with its comment.
FIELD = re.compile(r'^\s+\("(\w+)",.*?\),?\s*# (.*)$', re.MULTILINE)
#: Rows that C files look into, and where.
PLACES = (
    ("WORLD", WORLD, ("stepping", "sine")),
    ("STEP", STEP, ("events",)),
    ("SENSE", SENSE, ()),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write both headers, or with --check only compare; 1 where they differ."""
    parser = argparse.ArgumentParser(prog="python -m hoofbeat.offline.core.header", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    given = parser.parse_args(arguments)
    stale = [name for name, text in headers().items() if not _same(name, text)]
    if given.check:
        sys.stderr.writelines(f"{name} is not what the sources say\n" for name in stale)
        return int(bool(stale))
    for name in stale:
        (FOLDER / name).write_text(headers()[name], encoding="utf-8")
    return 0


def headers() -> dict[str, str]:
    """The text of each generated header, by file name."""
    rows = {
        "command": _record("hb_command", COMMAND, _comments(records, "COMMAND")),
        "frame": _record("hb_frame", FRAME, _comments(records, "FRAME")),
    }
    public = interface.TEXT.format(
        layout=LAYOUT_VERSION,
        tables=layout.TABLES_VERSION,
        errors=_errors(),
        records="\n".join(rows.values()),
        words=_words(),
    )
    return {"hb.h": public, "tablefile.h": _private()}


def _same(name: str, text: str) -> bool:
    path = FOLDER / name
    return path.is_file() and path.read_text(encoding="utf-8") == text


def _comments(module: ModuleType, name: str) -> dict[str, str]:
    """Comments behind the fields of a dtype in the source of a module."""
    source = inspect.getsource(module)
    start = source.index(f"{name} = np.dtype(")
    return dict(FIELD.findall(source, start, source.index("\n)", start)))


def _record(name: str, dtype: np.dtype[Any], comments: dict[str, str]) -> str:
    """A C record of the same layout, with assertions."""
    lines = [f"    {text}" for text in _members(dtype, comments)]
    checks = [f"HB_ASSERT(sizeof({name}) == {dtype.itemsize}, \"size of {name}\");"]
    fields: Any = dtype.fields
    for field, (_, place, *_) in fields.items():
        checks.append(f"HB_ASSERT(offsetof({name}, {field}) == {place}, \"{name}.{field}\");")
    return "\n".join(["typedef struct {", *lines, f"}} {name};", *checks, ""])


def _members(dtype: np.dtype[Any], comments: dict[str, str]) -> Iterator[str]:
    found: Any = dtype.fields
    end = fills = 0
    for name, (kind, place, *_) in found.items():
        if place > end:
            yield f"uint8_t fill{fills}[{place - end}];"
            fills += 1
        comment = f" /* {comments[name]} */" if name in comments else ""
        yield f"{_member(name, kind)};{comment}"
        end = place + kind.itemsize
    if dtype.itemsize > end:
        yield f"uint8_t fill{fills}[{dtype.itemsize - end}];"


def _member(name: str, kind: np.dtype[Any]) -> str:
    base, shape = kind.subdtype or (kind, ())
    axes = "".join(f"[{n}]" for n in shape)
    if base.kind == "S":
        return f"char {name}{axes}[{base.itemsize}]"
    if base == STAGE:
        return f"hb_file_stage {name}{axes}"
    return f"{KINDS[base.str[1:]]} {name}{axes}"


def _errors() -> str:
    """The codes with their sentences as comments."""
    lines = [f"    {code.name} = {code.value}, /* {interface.SENTENCES[code]} */" for code in interface.Code]
    return "\n".join(lines)


def _words() -> str:
    """Bits and codes of a frame."""
    clamped = [f"HB_CLAMPED_{name.upper()} = {1 << k}" for k, name in enumerate(records.CLAMPS)]
    phases = [f"HB_{name.upper()} = {k}" for k, name in enumerate(records.FOOT_PHASES)]
    names = ("TOUCHDOWN", "LIFTOFF", "TAKEOFF", "LANDING")
    events = [f"HB_{name} = {getattr(records, name)}" for name in names]
    return "\n".join(
        [
            "/* `foot_phase` of each leg. */",
            _listed(phases),
            "/* Bits of `events`; the first two are shifted left by the leg, LF, RF, LH, RH. */",
            _listed(events),
            "/* Bits of `clamped`: what of the command was brought into range. */",
            _listed(clamped),
        ]
    )


def _listed(entries: Sequence[str]) -> str:
    return textwrap.fill(f"enum {{ {', '.join(entries)} }};", 110, subsequent_indent="       ")


def _private() -> str:
    """tablefile.h"""
    parts = [
        "/* Layout of a table file; made by hoofbeat.offline.core.header. */",
        '#ifndef HB_TABLEFILE_H\n#define HB_TABLEFILE_H\n#include "hb.h"\n',
        f'#define HB_TABLES_MAGIC "{layout.MAGIC.decode()}"',
        f"#define HB_ALIGNED {layout.ALIGNED}",
        f"#define HB_MOST_AXES {layout.MOST_AXES}",
        f"#define HB_MOST_NODES {layout.MOST_NODES}\n",
        _enum(HerdKernel, "STAGE"),
        *(_enum(kind, kind.__name__.upper()) for kind in (Leaf, Region, Given, Extra)),
        _record("hb_file_stage", STAGE, {}),
        _record("hb_file_leaf", LEAF, {}),
        _record("hb_file_head", HEAD, _comments(layout, "HEAD")),
        _kinds(),
        "/* Rows, and what C files look at in them. */",
    ]
    for name, dtype, fields in PLACES:
        places: Any = dtype.fields
        parts.append(f"#define HB_{name}_SIZE {dtype.itemsize}")
        parts += [f"#define HB_{name}_{field.upper()} {places[field][1]}" for field in fields]
    parts.append("\n/* Sentences of the error codes. */\n#define HB_SENTENCES \\")
    parts.append(", \\\n".join(f'    "{interface.SENTENCES[code]}"' for code in interface.Code))
    return "\n".join([*parts, "\n#endif\n"])


def _kinds() -> str:
    """Types of the arguments that a herd fills: each region, and what is given."""
    rows = {Region.ASKED: COMMAND, Region.COMMANDS: COMMAND, Region.SENSES: SENSE, Region.WORLD: WORLD}
    rows |= {Region.STEPS: STEP, Region.FRAMES: FRAME, Region.IDS: np.dtype(np.int64)}
    regions: dict[Region, Any] = {region: np.zeros(1, dtype) for region, dtype in rows.items()}
    regions |= {Region.POSITIONS: np.zeros((1, 1, 3)), Region.SHOWN: np.zeros((1, 1, 3))}
    regions[Region.ROTATIONS] = np.zeros((1, 1, 4), np.float32)
    given: dict[Given, Any] = {Given.TIME: 0.0, Given.SEED: 0, Given.TURNS: np.zeros((1, 4), np.float32)}
    given |= {one: np.zeros((1, 1, 3), np.float32) for one in (Given.POSITIONS, Given.ROTATIONS)}
    given |= {one: np.zeros((1, 1, 3), np.float32) for one in (Given.MATRICES, Given.VERTICES, Given.NORMALS)}

    def listed(found: dict[Any, Any], names: type[IntEnum]) -> str:
        # The state is the method's own.
        rows = [arguments_of(key_of([found[one]]))[0] if one in found else (0, 0, 1) for one in names]
        return ", ".join(f"{{{kind:#x}u, {item}, {axes}}}" for kind, item, axes in rows)

    return (
        "/* Types of the regions, but for that of the state, and of what is given. */\n"
        f"#define HB_REGION_TYPES {listed(regions, Region)}\n#define HB_GIVEN_TYPES {listed(given, Given)}\n"
    )


def _enum(kind: type[IntEnum], word: str) -> str:
    prefix = f"HB_{word}"
    names = ", ".join(f"{prefix}_{one.name} = {one.value}" for one in kind)
    return f"enum {{ {names}, {prefix}S = {len(kind)} }};\n"


if __name__ == "__main__":
    sys.exit(main())
