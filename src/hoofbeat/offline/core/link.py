"""Linking: object files and the C files of `hoofbeat/core` become one library.

A C compiler does it: that of CC, one that is installed, or the PyPI package `ziglang`, which is one.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hoofbeat.maths.jit.library import FOLDER
from hoofbeat.offline.core.crew import Part

#: C files that are compiled into every library.
SOURCES = ("hb.c", "tables.c", "herd.c", "snapshot.c", "skin.c")
#: No contraction of multiply and add: C is to round as the kernels do.
FLAGS = ("-std=c11", "-O2", "-ffp-contract=off", "-fvisibility=hidden", "-I", str(FOLDER))
#: A leaf of a key of maths/jit/arguments: an array, a number, or None. What stands before ( is a name.
LEAF = re.compile(r"(?P<kind>[\w:?-]+)(?:\[(?P<axes>\d)\w!?~?\])?(?![\w:(\[-])")
#: A link takes no longer than this [s].
LONGEST = 300


class LinkError(Exception):
    """No C compiler, or one that failed."""


def c_compiler() -> list[str]:
    """The command of a C compiler."""
    chosen = os.environ.get("CC")
    if chosen:
        return shlex.split(chosen)
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            return [name]
    return zig_compiler()


def zig_compiler() -> list[str]:
    """The C compiler of the package ziglang, which compiles for every system."""
    if importlib.util.find_spec("ziglang") is None:
        raise LinkError("no C compiler: `pip install ziglang`; for this machine alone gcc or clang will do")
    return [sys.executable, "-m", "ziglang", "cc"]


def link_library(folder: Path, parts: Sequence[Part], stamp: str) -> Path:
    """A shared library of this system in a folder of its own, which is left full of object files."""
    made = folder / "library"
    command = [*c_compiler(), *FLAGS, "-fPIC", "-shared", "-s", "-o", str(made)]
    run([*command, *inputs(folder, parts, stamp), "-lm"])
    return made


def inputs(folder: Path, parts: Sequence[Part], stamp: str) -> list[str]:
    """Files to link: objects and C files."""
    files = []
    for part in parts:
        path = folder / f"{part.symbol}.o"
        path.write_bytes(part.code)
        files.append(str(path))
    table = folder / "kernels.c"
    table.write_text(kernel_table(parts, stamp), encoding="utf-8")
    return [*files, str(table), *(str(FOLDER / name) for name in SOURCES)]


def kernel_table(parts: Sequence[Part], stamp: str) -> str:
    """C source of the table of kernels, by which table files name them, and of the stamp."""
    lines = ['#include "hb.h"']
    entries = []
    for part in parts:
        arguments = arguments_of(part.key)
        listed = ", ".join(f"{{{kind:#x}u, {item}, {axes}}}" for kind, item, axes in arguments)
        lines.append(f"HB_EXPORT int32_t {part.symbol}(int64_t *slots);")
        lines.append(f"static const hb_argument arguments_{part.symbol}[] = {{{listed}}};")
        counts = f"{len(arguments)}, {_results(part.result)}"
        entries.append(f'    {{"{part.symbol}", {part.symbol}, arguments_{part.symbol}, {counts}}},')
    lines += ["const hb_entry hb_entries[] = {", *entries, "};"]
    lines.append(f"const int32_t hb_entry_count = {len(parts)};")
    lines.append(f'const char *hb_stamp(void) {{ return "{stamp}"; }}\n')
    return "\n".join(lines)


def arguments_of(key: str) -> list[tuple[int, int, int]]:
    """The leaves of a kernel's arguments, from the key of their types: for each what tells its kind apart,
    bytes of an item of an array (0 = it is a number), and axes."""
    found = []
    for leaf in LEAF.finditer(key):
        kind, axes = leaf["kind"], int(leaf["axes"] or 0)
        item = 0 if leaf["axes"] is None else int(kind.rpartition(":")[2] if ":" in kind else kind[1:])
        found.append((zlib.crc32(f"{kind} {axes}".encode()), item, axes))
    return found


def _results(kinds: Any) -> int:
    """Slots that a result takes."""
    return sum(map(_results, kinds)) if isinstance(kinds, list) else int(kinds is not None)


def run(command: Sequence[str]) -> None:
    """Run a compiler; its complaints become an error."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)
    if done.returncode:
        raise LinkError(f"{command[0]} failed with {done.returncode}:\n{done.stderr[-2000:]}")
