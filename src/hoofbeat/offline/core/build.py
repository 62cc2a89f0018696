"""Build: the core library of this machine, from the kernels as they are.

    python -m hoofbeat.offline.core.build [--level x86-64-v3] [--workers 2] [--force]
    python -m hoofbeat.offline.core.build --wasm hoofbeat.wasm [--workers 2]

Every entry that `rides` finds is compiled by `codegen`, several at a time, and linked with the C files of
`hoofbeat/core` into one shared library. `core.json` beside it says what is in it. A library that is up to
date is left as it is. `store` keeps what was compiled, so that only what changed is compiled again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, as_completed
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path
from typing import Any

from hoofbeat.maths.jit.cache import builder_hash, c_hash, runtime_hash
from hoofbeat.maths.jit.library import (
    ABI,
    FOLDER,
    MANIFEST,
    SUFFIXES,
    CoreFault,
    chosen_library,
    read_manifest,
)
from hoofbeat.offline.core import crew
from hoofbeat.offline.core.crew import Part
from hoofbeat.offline.core.link import LinkError, c_compiler, link_library
from hoofbeat.offline.core.processors import (
    WASM,
    KernelError,
    Processor,
    machine_processor,
    native_level,
    processor_levels,
)
from hoofbeat.offline.core.wasm import link_wasm

Report = Callable[[str], None]
#: Folders of a build begin so: git, and with it a wheel, leaves out what a build that was killed leaves.
SCRATCH = "build-"
#: What ends a build with a sentence.
FAILURES = (LinkError, KernelError, BrokenExecutor, OSError, subprocess.SubprocessError)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build as the command line says; 1 where it cannot be built."""
    parser = argparse.ArgumentParser(prog="python -m hoofbeat.offline.core.build", description=__doc__)
    parser.add_argument("--force", action="store_true", help="also where nothing has changed")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes at a time")
    known = (*processor_levels(), "all")
    parser.add_argument("--level", choices=known, help="of the processor; else the best that this one has")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the library goes")
    parser.add_argument("--wasm", type=Path, metavar="FILE", help="build a WebAssembly module instead")
    given = parser.parse_args(arguments)
    if given.wasm is not None:
        return _wasm_built(given.wasm, given.workers)
    levels = processor_levels() if given.level == "all" else (given.level or native_level(),)
    if not given.force and is_current(given.folder, levels if given.level else ()):
        return 0
    try:
        build_native(given.folder, levels, given.workers, report)
    except FAILURES as problem:
        report(f"it cannot be built: {problem}; kernels are compiled by Numba when they are first used")
        return 1
    return 0


def report(line: str) -> None:
    """A line of progress."""
    sys.stderr.write(f"hoofbeat core: {line}\n")
    sys.stderr.flush()


def is_current(folder: Path = FOLDER, levels: Sequence[str] = ()) -> bool:
    """Whether the library of a folder is built from the sources as they are, by the build as it is, for these
    levels of processor, and whole."""
    try:
        manifest = read_manifest(folder)
        chosen_library(folder, manifest)
    except CoreFault:
        return False
    own = (manifest["sources"], manifest["c"], manifest.get("builder"))
    return own == (runtime_hash(), c_hash(), builder_hash()) and set(levels) <= set(manifest["libraries"])


def build_native(folder: Path, levels: Sequence[str], workers: int, report: Report) -> dict[str, Any]:
    """Compile, link and put in place; returns the manifest. A library that was there stays until then."""
    c_compiler()  # first of all, as it may be missing
    folder.mkdir(parents=True, exist_ok=True)
    libraries: dict[str, dict[str, str]] = {}
    parts: list[Part] = []
    with tempfile.TemporaryDirectory(dir=folder, prefix=SCRATCH) as scratch:
        for level in levels:
            start = time.perf_counter()
            report(f"compiling kernels for {level} in {workers} processes")
            parts = compiled_parts(machine_processor(level), workers, report)
            compiled = time.perf_counter() - start
            name = f"libhoofbeat-{level}{SUFFIXES.get(sys.platform, '.so')}"
            made = link_library(Path(scratch), parts, stamp_of(parts)).rename(Path(scratch) / name)
            libraries[level] = {"file": name, "sha256": hashlib.sha256(made.read_bytes()).hexdigest()}
            report(_summary(parts, made, time.perf_counter() - start, compiled))
        manifest = {
            "abi": ABI,
            "stamp": stamp_of(parts),
            "sources": runtime_hash(),
            "c": c_hash(),
            "builder": builder_hash(),
            "system": sys.platform,
            "machine": platform.machine(),
            "libraries": libraries,
            "kernels": kernels_of(parts),
        }
        text = Path(scratch) / MANIFEST
        text.write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        for one in libraries.values():  # when all are there, so that they fit the manifest
            os.replace(Path(scratch) / one["file"], folder / one["file"])
        os.replace(text, folder / MANIFEST)
    return manifest


def _wasm_built(path: Path, workers: int) -> int:
    try:
        build_wasm(path, workers, report)
    except FAILURES as problem:
        report(f"{path.name} cannot be built: {problem}")
        return 1
    return 0


def build_wasm(path: Path, workers: int, report: Report) -> None:
    """The module of WebAssembly, and nothing else; it needs no manifest, as tables files name its kernels."""
    start = time.perf_counter()
    report(f"compiling kernels for WebAssembly in {workers} processes")
    parts = compiled_parts(WASM, workers, report)
    compiled = time.perf_counter() - start
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=SCRATCH) as scratch:
        os.replace(link_wasm(Path(scratch), parts, stamp_of(parts)), path)
    report(_summary(parts, path, time.perf_counter() - start, compiled))


def _summary(parts: Sequence[Part], path: Path, seconds: float, compiled: float) -> str:
    size = path.stat().st_size / 1000
    return f"{len(parts)} kernels, {size:.0f} kB, after {seconds:.1f} s ({compiled:.1f} s compiling)"


def compiled_parts(processor: Processor, workers: int, report: Report) -> list[Part]:
    """Every entry as object code, the largest first to be compiled."""
    crew.record()
    names = crew.symbols()
    order = sorted(range(len(names)), key=lambda n: -crew.weight(n))
    done: list[Part] = []
    if workers <= 1 or "fork" not in get_all_start_methods():
        for n in order:
            done.append(crew.compile_entry(processor, n))
            report(f"{len(done):3d} of {len(order)}  {done[-1].seconds:5.1f} s  {done[-1].name}")
    else:
        with ProcessPoolExecutor(workers, get_context("fork")) as pool:
            for one in as_completed([pool.submit(crew.compile_entry, processor, n) for n in order]):
                done.append(one.result())
                report(f"{len(done):3d} of {len(order)}  {done[-1].seconds:5.1f} s  {done[-1].name}")
    return sorted(done, key=lambda part: part.symbol)


def kernels_of(parts: Sequence[Part]) -> dict[str, list[dict[str, Any]]]:
    """The kernels of a manifest."""
    found: dict[str, list[dict[str, Any]]] = {}
    for part in parts:
        entry = {"key": part.key, "symbol": part.symbol, "slots": part.slots, "result": part.result}
        found.setdefault(part.name, []).append(entry)
    return found


def stamp_of(parts: Sequence[Part]) -> str:
    """Tells builds apart: the sources, and what of them is compiled, for whom it is called how."""
    text = json.dumps([ABI, runtime_hash(), kernels_of(parts)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


if __name__ == "__main__":
    sys.exit(main())
