"""Linking: object files and the C files of `hoofbeat/core` become one library.

A C compiler does it: that of CC, one that is installed, or the PyPI package `ziglang`, which is one.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from hoofbeat.maths.jit.library import FOLDER
from hoofbeat.offline.core.crew import Part
from hoofbeat.offline.core.processors import Processor

#: C files that are compiled into every library.
SOURCES = ("hb.c",)
#: No contraction of multiply and add: C is to round as the kernels do.
FLAGS = ("-O2", "-ffp-contract=off", "-fvisibility=hidden", "-I", str(FOLDER))
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
        raise LinkError("there is no C compiler: install gcc or clang, or `pip install ziglang`")
    return [sys.executable, "-m", "ziglang", "cc"]


def link_library(folder: Path, parts: Sequence[Part], stamp: str, processor: Processor) -> Path:
    """A shared library of this system in a folder of its own, which is left full of object files."""
    del processor
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
    table.write_text(kernel_table([part.symbol for part in parts], stamp), encoding="utf-8")
    return [*files, str(table), *(str(FOLDER / name) for name in SOURCES)]


def kernel_table(symbols: Sequence[str], stamp: str) -> str:
    """C source of the table of kernels, by which tables files name them, and of the stamp."""
    declared = "\n".join(f"HB_EXPORT int32_t {symbol}(int64_t *slots);" for symbol in symbols)
    listed = ", ".join(symbols)
    return (
        f'#include "hb.h"\n{declared}\n'
        f"const hb_kernel hb_kernels[] = {{{listed}}};\n"
        f"const int32_t hb_kernel_count = {len(symbols)};\n"
        f'HB_EXPORT const char *hb_stamp(void) {{ return "{stamp}"; }}\n'
    )


def run(command: Sequence[str]) -> None:
    """Run a compiler; its complaints become an error."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)
    if done.returncode:
        raise LinkError(f"{command[0]} failed with {done.returncode}:\n{done.stderr[-2000:]}")
