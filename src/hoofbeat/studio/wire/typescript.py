"""TypeScript: `web/src/messages.ts` written from the declarations of `messages` and `frame`.

`python -m hoofbeat.studio.wire.typescript [PATH]` prints it, or writes it to a file.
"""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from hoofbeat.formats.files import write_bytes
from hoofbeat.records import (
    CLAMPS,
    FOOT_PHASES,
    LANDING,
    LAYOUT_VERSION,
    LIFTOFF,
    REFUSALS,
    TAKEOFF,
    TOUCHDOWN,
)
from hoofbeat.studio.wire import frame, messages

#: Where the file stands in the repository.
TARGET = Path("web") / "src" / "messages.ts"
_PLAIN = {str: "string", int: "number", float: "number", bool: "boolean"}
_READ = {"u1": "getUint8", "u2": "getUint16", "u4": "getUint32", "f4": "getFloat32", "f8": "getFloat64"}
_ARRAY = {"u1": "Uint8Array", "f4": "Float32Array", "f8": "Float64Array"}
_HEAD = """\
// Written by `python -m hoofbeat.studio.wire.typescript web/src/messages.ts` from messages.py and
// frame.py in src/hoofbeat/studio/wire. Do not edit: tests/test_studio_messages.py compares it.
"""


def typescript() -> str:
    """The whole file."""
    parts = [_HEAD, _constants(), *map(_interface, messages.PARTS)]
    parts += [
        "// From the page.",
        *map(_interface, messages.CLIENT),
        _union("ClientMessage", messages.CLIENT),
    ]
    parts += ["// To the page.", *map(_interface, messages.SERVER), _union("ServerMessage", messages.SERVER)]
    parts += ["// Frame blocks.", _bits(), _frame_interface(), _decoder()]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _constants() -> str:
    values = {
        "PROTOCOL": messages.PROTOCOL,
        "RATE": messages.RATE,
        "MAX_MESSAGE": messages.MAX_MESSAGE,
        "MAX_PLAN": messages.MAX_PLAN,
        "MAX_FRAMES": messages.MAX_FRAMES,
        "MAX_STEPS": messages.MAX_STEPS,
        "NAME": messages.NAME,
    }
    return "\n".join(f"export const {name} = {value};" for name, value in values.items())


def _interface(model: type[BaseModel]) -> str:
    meaning = " ".join((model.__doc__ or "").split())
    lines = [f"/** {meaning} */", f"export interface {model.__name__} {{"]
    from_page = model in messages.CLIENT
    for name, info in model.model_fields.items():
        note = _note(info)
        if note:
            lines.append(f"  /** {note} */")
        optional = "?" if from_page and not info.is_required() and name != "type" else ""
        lines.append(f"  {name}{optional}: {_type(info.annotation)};")
    return "\n".join([*lines, "}"])


def _note(info: FieldInfo) -> str:
    bounds = {type(m).__name__: m for m in info.metadata}
    found = [info.description] if info.description else []
    for key, sign in (("Ge", ">="), ("Le", "<=")):
        if key in bounds:
            found.append(f"{sign} {getattr(bounds[key], key.lower()):g}")
    return "; ".join(found)


def _type(annotation: Any) -> str:
    """A Python annotation as TypeScript."""
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    if annotation is type(None):
        return "null"
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return " | ".join(f'"{a}"' if isinstance(a, str) else f"{a:g}" for a in arguments)
    if origin in (Union, types.UnionType):
        return " | ".join(_type(a) for a in arguments)
    if origin is list:
        inner = _type(arguments[0])
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if origin is tuple:
        return "[" + ", ".join(_type(a) for a in arguments) + "]"
    if hasattr(annotation, "__metadata__"):  # Annotated inside a union
        return _type(arguments[0])
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation.__name__
    raise TypeError(f"{annotation!r} has no TypeScript yet; teach hoofbeat.studio.wire.typescript")


def _union(name: str, models: tuple[type[BaseModel], ...]) -> str:
    return f"export type {name} =\n" + "\n".join(f"  | {m.__name__}" for m in models) + ";"


def _bits() -> str:
    events = {"touchdown": TOUCHDOWN, "liftoff": LIFTOFF, "takeoff": TAKEOFF, "landing": LANDING}
    lines = ["/** Bits of `Frame.events`; touchdown and liftoff are shifted left by the leg, LF RF LH RH. */"]
    lines.append("export const EVENTS = {")
    lines += [f"  {name}: {value}," for name, value in events.items()] + ["} as const;"]
    for title, names in (("FLAGS", frame.FLAGS), ("CLAMPS", CLAMPS)):
        lines += ["", f"/** Bits of `Frame.{title.lower()}`. */", f"export const {title} = {{"]
        lines += [f"  {name}: {1 << k}," for k, name in enumerate(names)] + ["} as const;"]
    for title, names in (("FOOT_PHASES", FOOT_PHASES), ("REFUSALS", REFUSALS)):
        listed = ", ".join(f'"{name}"' for name in names)
        lines += ["", f"export const {title} = [{listed}] as const;"]
    return "\n".join(lines)


def _frame_interface() -> str:
    lines = ["/** One moment of the horse. Legs are LF, RF, LH, RH. */", "export interface Frame {"]
    for field in frame.FIELDS:
        unit = f" [{field.unit}]" if field.unit else ""
        kind = "number" if field.count == 1 else _ARRAY[field.code]
        lines += [f"  /** {field.meaning}{unit} */", f"  {field.name}: {kind};"]
    lines += ["  /** (J, 3) of all nodes [m], relative to root, world axes */", "  positions: Float32Array;"]
    lines += ["  /** (J, 4) local, xyzw; the first is the root joint relative to the heading */"]
    return "\n".join([*lines, "  rotations: Float32Array;", "}"])


def _decoder() -> str:
    offsets = {f.name: int(frame.HEADER.fields[f.name][1]) for f in frame.FIELDS}  # type: ignore[index]
    lines = [
        f"export const FRAME_KIND = {frame.KIND};",
        f"export const LAYOUT_VERSION = {LAYOUT_VERSION};",
        f"export const HEADER_BYTES = {frame.HEADER_BYTES};",
        "",
        "/** The frame in a block; its arrays are views of the buffer. Throws on anything else. */",
        "export function decodeFrame(buffer: ArrayBuffer): Frame {",
        "  const view = new DataView(buffer);",
        "  if (buffer.byteLength < HEADER_BYTES) throw new Error(`a frame of ${buffer.byteLength} bytes`);",
        "  const kind = view.getUint8(0);",
        "  const version = view.getUint8(1);",
        "  if (kind !== FRAME_KIND || version !== LAYOUT_VERSION)",
        "    throw new Error(`frame kind ${kind}, version ${version}: reload the page`);",
        f"  const joints = view.getUint16({offsets['joints']}, true);",
        "  if (buffer.byteLength !== HEADER_BYTES + 28 * joints)",
        "    throw new Error(`a frame of ${joints} nodes in ${buffer.byteLength} bytes`);",
        "  return {",
    ]
    for field in frame.FIELDS:
        at = offsets[field.name]
        little = "" if field.code == "u1" else ", true"
        value = f"view.{_READ[field.code]}({at}{little})"
        if field.count > 1:
            value = f"new {_ARRAY[field.code]}(buffer, {at}, {field.count})"
        lines.append(f"    {field.name}: {value},")
    lines += [
        "    positions: new Float32Array(buffer, HEADER_BYTES, 3 * joints),",
        "    rotations: new Float32Array(buffer, HEADER_BYTES + 12 * joints, 4 * joints),",
        "  };",
        "}",
    ]
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    """Write the file that is named, or print it."""
    if arguments:
        write_bytes(arguments[0], typescript().encode())
    else:
        sys.stdout.write(typescript())


if __name__ == "__main__":
    main(sys.argv[1:])
