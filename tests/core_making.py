"""The C functions of the core library, called from Python; sanitized builds of the C files."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hoofbeat.maths.jit.library import FOLDER, core_library
from hoofbeat.offline.core.interface import Code
from hoofbeat.offline.core.link import FLAGS, SOURCES
from hoofbeat.records import COMMAND, FRAME

#: C files of the tests.
DRIVERS = Path(__file__).resolve().parent / "core"

needs_core = pytest.mark.skipif(
    core_library() is None, reason="no core library is built (`make core`), or HOOFBEAT_JIT is set"
)
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

P, N, S = ctypes.c_void_p, ctypes.c_int32, ctypes.c_size_t
SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "hb_error": (ctypes.c_char_p, (N,)),
    "hb_tables_load": (N, (P, S)),
    "hb_text": (P, (P, ctypes.POINTER(S))),
    "hb_skin_counts": (N, (P, P, P)),
    "hb_skin_triangles": (P, (P,)),
    "hb_skin_colours": (P, (P,)),
    "hb_herd_size": (S, (P, N)),
    "hb_init": (N, (P, S, P, N, ctypes.c_int64)),
    "hb_command_set": (N, (P, N, P)),
    "hb_step": (N, (P, ctypes.c_double, N)),
    "hb_frame_get": (N, (P, N, P)),
    "hb_positions": (P, (P, N)),
    "hb_rotations": (P, (P, N)),
    "hb_skin": (N, (P, N, P, P)),
    "hb_snapshot_size": (S, (P,)),
    "hb_snapshot": (N, (P, P, S)),
    "hb_restore": (N, (P, P, S)),
}


def functions() -> Any:
    """The library's functions with their types."""
    library = core_library()
    assert library is not None
    code = ctypes.CDLL(str(library.path))
    for name, (result, arguments) in SIGNATURES.items():
        getattr(code, name).restype, getattr(code, name).argtypes = result, arguments
    return code


def aligned(data: bytes | int, extra: int = 0) -> Any:
    """Memory of so many bytes, or with these, that begins `extra` bytes after a multiple of 64."""
    size = data if isinstance(data, int) else len(data)
    room = np.zeros(size + 128, np.uint8)
    begin = -room.ctypes.data % 64 + extra
    memory = room[begin : begin + size]
    if not isinstance(data, int):
        memory[:] = np.frombuffer(data, np.uint8)
    return memory


class Riders:
    """A herd that C steps."""

    def __init__(self, tables: bytes, count: int = 1, seed: int = 0) -> None:
        self.code = functions()
        self.tables, self.count = aligned(tables), count
        self.must(self.code.hb_tables_load(self.tables.ctypes.data, len(tables)))
        self.size = self.code.hb_herd_size(self.tables.ctypes.data, count)
        self.memory = aligned(self.size)
        self.at = self.memory.ctypes.data
        self.must(self.code.hb_init(self.at, self.size, self.tables.ctypes.data, count, seed))
        self.nodes = int(np.frombuffer(tables, "<i4", 1, 96)[0])

    def must(self, code: int) -> None:
        assert code == Code.HB_OK, self.code.hb_error(code).decode()

    def command(self, rows: np.ndarray) -> None:
        """COMMAND rows (N,)."""
        rows = np.ascontiguousarray(rows, COMMAND)
        for i in range(self.count):
            self.must(self.code.hb_command_set(self.at, i, rows[i : i + 1].ctypes.data))

    def step(self, dt: float, times: int = 1) -> None:
        self.must(self.code.hb_step(self.at, dt, times))

    def positions(self) -> np.ndarray:
        return self._array(self.code.hb_positions(self.at, 0), np.float64, 3)

    def rotations(self) -> np.ndarray:
        return self._array(self.code.hb_rotations(self.at, 0), np.float32, 4)

    def frames(self) -> np.ndarray:
        rows = np.zeros(self.count, FRAME)
        for i in range(self.count):
            self.must(self.code.hb_frame_get(self.at, i, rows[i:].ctypes.data))
        return rows

    def snapshot(self) -> np.ndarray:
        kept = aligned(self.code.hb_snapshot_size(self.at))
        self.must(self.code.hb_snapshot(self.at, kept.ctypes.data, len(kept)))
        return kept

    def restore(self, kept: np.ndarray) -> int:
        return self.code.hb_restore(self.at, kept.ctypes.data, len(kept))

    def _array(self, address: int, dtype: Any, width: int) -> np.ndarray:
        size = self.count * self.nodes * width * np.dtype(dtype).itemsize
        return np.frombuffer(ctypes.string_at(address, size), dtype).reshape(self.count, self.nodes, width)


def compiled(folder: Path, driver: str, *flags: str, table: str | None = None) -> Path:
    """A program of a C file of `tests/core` and the library's C files, with the sanitizers of gcc. Kernels
    come from the library as it is shipped."""
    library = core_library()
    assert library is not None
    kernels = folder / "kernels.c"
    kernels.write_text(table or table_of(library), encoding="utf-8")
    made = folder / Path(driver).stem
    sources = [str(DRIVERS / driver), str(kernels), *(str(FOLDER / name) for name in SOURCES)]
    sanitizers = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")
    sanitizers += ("-Wall", "-Wextra", "-Werror")
    command = ["gcc", *FLAGS, *sanitizers, *flags, "-o", str(made), *sources, str(library.path)]
    command += [f"-Wl,-rpath,{library.path.parent}", "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return made


def table_of(library: Any) -> str:
    """The table of kernels as it is in the library."""
    from hoofbeat.offline.core.crew import Part
    from hoofbeat.offline.core.link import kernel_table

    parts = [
        Part(entry["symbol"], name, entry["key"], b"", entry["slots"], entry["result"], 0.0)
        for name, entries in library.kernels.items()
        for entry in entries
    ]
    return kernel_table(sorted(parts, key=lambda part: part.symbol), library.manifest["stamp"])


def run(program: Path, *arguments: str, timeout: float = 600.0) -> str:
    """What a program prints; a complaint of a sanitizer, as any failure, is an error."""
    done = subprocess.run([str(program), *arguments], capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, f"{done.returncode}: {done.stdout[-500:]}{done.stderr[-3000:]}"
    return done.stdout


def changing_commands(herd: Any, count: int, steps: int, seed: int) -> Sequence[np.ndarray]:
    """COMMAND rows for each step: each gait pinned and none, speeds and turns within and beyond limits."""
    random = np.random.default_rng(seed)
    gaits = len(herd.gaits)
    rows = np.zeros(count, COMMAND)
    rows["gait"] = rows["action"] = rows["mood"] = -1
    found = []
    for k in range(steps):
        if k % 11 == 0:
            who = random.integers(0, count)
            rows["gait"][who] = random.integers(-1, gaits) if k % 2 else (k // 22) % gaits
            rows["speed"][who] = random.uniform(-1, 14)
            rows["turn"][who] = random.normal(0, 0.6)
            rows["has_heading"][who] = random.uniform() < 0.2
            rows["heading"][who] = random.uniform(-3, 3)
            rows["extension"][who] = random.uniform(-1.2, 1.2)
            rows["push"][who] = random.normal(0, 1, 3) * (random.uniform() < 0.1)
            rows["has_jump"][who] = random.uniform() < 0.1
        found.append(rows.copy())
    return found
