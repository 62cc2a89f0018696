"""The core library: kernels compiled ahead, found by their names and the types of their arguments.

It lies in the folder `core` of the package: `core.json`, the manifest, and one shared library for each level
of processor. `pip install` and `make` build it (`hoofbeat.offline.core`). Where it is missing or does not
fit, Numba compiles as before, and one sentence on stderr says why.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import platform
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from hoofbeat.maths.jit.arguments import result_of, serves
from hoofbeat.maths.jit.cache import c_hash, runtime_hash

#: Where the library lies.
FOLDER = Path(__file__).resolve().parents[2] / "core"
MANIFEST = "core.json"
#: Version of the manifest and of how kernels are called.
ABI = 1
#: Processor levels of each machine, the most capable first.
LEVELS = {"x86_64": ("x86-64-v3", "x86-64"), "AMD64": ("x86-64-v3", "x86-64")}
SUFFIXES = {"win32": ".dll", "darwin": ".dylib"}
#: Settings of Numba that ask for code of its own.
NUMBA_SETTINGS = ("NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT")


class KernelFault(RuntimeError):
    """A kernel that was compiled ahead gave up; a fault of hoofbeat."""


class CoreFault(Exception):
    """Why there is no core library to use."""


class Slots:
    """Arguments in memory as compiled code reads them; `kept` are the arrays that they point into."""

    __slots__ = ("address", "kept", "words")

    def __init__(self, slots: Sequence[int], kept: Any) -> None:
        self.words = (ctypes.c_int64 * max(len(slots) + RESULT_SLOTS, 1))(*slots)
        self.address = ctypes.addressof(self.words)
        self.kept = kept


#: Room behind the arguments for what a kernel gives back.
RESULT_SLOTS = 16


class Compiled:
    """One kernel compiled ahead for arguments of certain types."""

    __slots__ = ("count", "function", "name", "result")

    def __init__(self, name: str, function: Any, count: int, result: Any) -> None:
        self.name = name
        self.function = function
        #: Slots of the arguments; the result's follow.
        self.count = count
        self.result = result

    def __call__(self, slots: Slots) -> Any:
        status = self.function(slots.address)
        if status:
            raise KernelFault(f"{self.name} failed with status {status}")
        if self.result is None:
            return None
        return result_of(self.result, slots.words[self.count :])

    @property
    def address(self) -> int:
        """Of the code."""
        return ctypes.cast(self.function, ctypes.c_void_p).value or 0


class CoreLibrary:
    """A loaded core library with its manifest."""

    def __init__(self, folder: Path) -> None:
        self.manifest = read_manifest(folder)
        self.level, self.path = chosen_library(folder, self.manifest)
        try:
            self.code = ctypes.CDLL(str(self.path))
        except OSError as problem:
            raise CoreFault(f"{self.path.name} cannot be loaded ({problem})") from None
        _check_stamp(self.code, self.manifest["stamp"], self.path.name)
        self.kernels: dict[str, list[dict[str, Any]]] = self.manifest["kernels"]

    def find(self, name: str, key: str) -> Compiled | None:
        """The code of a kernel for arguments of these types, or None."""
        for entry in self.kernels.get(name, ()):
            if serves(entry["key"], key):
                function = self.code[entry["symbol"]]
                function.argtypes, function.restype = [ctypes.c_void_p], ctypes.c_int32
                return Compiled(name, function, entry["slots"], entry["result"])
        return None


@cache
def core_library() -> CoreLibrary | None:
    """The library of this installation, loaded at the first call; None where Numba is to compile."""
    if asked_for_numba():
        return None
    try:
        return CoreLibrary(FOLDER)
    except CoreFault as fault:
        sys.stderr.write(f"hoofbeat: {fault}; kernels are compiled by Numba instead, which takes longer\n")
        return None


def asked_for_numba() -> bool:
    """Whether the environment asks for code that Numba compiles: HOOFBEAT_JIT=1, or a setting of its own."""
    return any(os.environ.get(name, "0") not in ("", "0") for name in ("HOOFBEAT_JIT", *NUMBA_SETTINGS))


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest, if it is for this system and, in a checkout, of the sources as they are."""
    try:
        text = (folder / MANIFEST).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise CoreFault("this installation has no core library") from None
    except (OSError, UnicodeDecodeError) as problem:
        raise CoreFault(f"{MANIFEST} of the core library cannot be read ({problem})") from None
    try:
        manifest = json.loads(text)
        abi, system, machine = manifest["abi"], manifest["system"], manifest["machine"]
        own = manifest["sources"], manifest["c"]
        for one in manifest["libraries"].values():
            _ = str(one["file"]), str(one["sha256"])
        _ = manifest["stamp"], manifest["kernels"].items()
    except (ValueError, TypeError, KeyError, AttributeError):
        raise CoreFault(f"{MANIFEST} of the core library is damaged") from None
    if abi != ABI:
        raise CoreFault(f"the core library is of another version ({abi}, this hoofbeat needs {ABI})")
    if (system, machine) != (sys.platform, platform.machine()):
        raise CoreFault(f"the core library is for {system} on {machine}")
    if _is_checkout(folder) and own != (runtime_hash(), c_hash()):
        raise CoreFault("kernels have changed since the core library was built (`make core` builds it again)")
    return manifest


def _is_checkout(folder: Path) -> bool:
    """Whether this is a checkout, whose sources people edit, and not an installed wheel."""
    return any((root / "pyproject.toml").is_file() for root in folder.absolute().parents[2:3])


def chosen_library(folder: Path, manifest: dict[str, Any]) -> tuple[str, Path]:
    """The level of processor and the library for it, whole: the most capable that runs here."""
    built = manifest["libraries"]
    wanted = [level for level in LEVELS.get(platform.machine(), ("generic",)) if level in built]
    for level in wanted:
        if level != "x86-64-v3" or has_v3():
            return level, _whole(folder / built[level]["file"], built[level]["sha256"])
    raise CoreFault(f"the core library is for {', '.join(built)}, which this processor is not")


def _whole(path: Path, sha256: str) -> Path:
    """The library if it is as it was built: one that is cut short would end the process."""
    try:
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as problem:
        raise CoreFault(f"{path.name} cannot be read ({problem})") from None
    if found != sha256:
        raise CoreFault(f"{path.name} is not the library that was built: it is damaged or of another build")
    return path


#: What x86-64-v3 adds to the baseline, as Linux names it.
V3_FLAGS = {"avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}


@cache
def has_v3() -> bool:
    """Whether this processor has what the level x86-64-v3 asks for, as the system says."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            flags = next((line for line in file if line.startswith("flags")), "")
    except OSError:
        return False
    return V3_FLAGS <= set(flags.split())


def _check_stamp(code: Any, stamp: str, name: str) -> None:
    """Whether the library is the one that the manifest was written with."""
    try:
        function = code.hb_stamp
    except AttributeError:
        raise CoreFault(f"{name} is no core library") from None
    function.restype = ctypes.c_char_p
    if (function() or b"").decode("ascii", "replace") != stamp:
        raise CoreFault(f"{name} and {MANIFEST} are of different builds")
