"""WebAssembly: all kernels and the C files as one module that imports nothing.

It is linked by the PyPI package `ziglang`, whose C library is compiled in. Exported are the functions of
hb.h and the memory. Whoever loads it grows the memory and passes addresses in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from hoofbeat.maths.jit.library import FOLDER
from hoofbeat.offline.core.crew import Part
from hoofbeat.offline.core.link import FLAGS, inputs, run, zig_compiler

#: Room for the stack [bytes]. It lies below the data, so that too deep a call is a trap.
STACK = 1 << 18
#: What processors.WASM_FEATURES are called here.
CPU = "generic+bulk_memory+nontrapping_fptoint+sign_ext"

_EXPORTED = re.compile(r"^HB_EXPORT[^;(]*?(\w+)\s*\(", re.MULTILINE)


def exported() -> list[str]:
    """Names of the functions that hb.h promises, and of the stamp."""
    return sorted({*_EXPORTED.findall((FOLDER / "hb.h").read_text(encoding="utf-8")), "hb_stamp"})


def link_wasm(folder: Path, parts: Sequence[Part], stamp: str) -> Path:
    """The module, in a folder of its own, which is left full of object files."""
    made = folder / "hoofbeat.wasm"
    linker = [f"-Wl,--export={name}" for name in exported()]
    linker += ["-Wl,--gc-sections", f"-Wl,-z,stack-size={STACK}"]
    target = ["-target", "wasm32-wasi", "-mexec-model=reactor", f"-mcpu={CPU}"]
    files = inputs(folder, parts, stamp)
    run([*zig_compiler(), *target, *FLAGS, "-s", *linker, "-o", str(made), *files])
    return made
