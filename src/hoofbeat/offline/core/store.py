"""Store: compiled entries on disk, so that a build compiles only what has changed.

An entry is kept under a hash of all that its code depends on: the file of its kernel and every file that this
imports, the types of its arguments, the processor, the compiler. The folder is bounded; the oldest go first.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from hoofbeat.maths.jit.cache import NO_CODE, cache_root
from hoofbeat.offline.core.processors import Processor

PACKAGE = Path(__file__).resolve().parents[2]
#: Room for a few states of the sources, for a few processors [bytes].
MOST = 64_000_000
#: Settings of Numba that change no code.
HARMLESS = {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS"}

_IMPORTED = re.compile(rb"^\s*(?:from|import)\s+hoofbeat\.([\w.]+)", re.MULTILINE)


def store_folder() -> Path:
    """Where compiled entries and finished modules are kept: `core` in the folder of the kernel cache."""
    return cache_root() / "core"


def entry_key(processor: Processor, symbol: str, name: str, key: str) -> str:
    """Names what is kept of an entry; any change of code gives another one."""
    module = name.partition(":")[0]
    return _hash(_compiler(), repr(processor), symbol, name, key, _closure(module))


def package_key() -> str:
    """Hash of every Python and C file of the package and of the compiler: names finished modules."""
    files = sorted(path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".c", ".h", ".yaml"))
    texts = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
    return _hash(_compiler(), *(str(path.relative_to(PACKAGE)) for path in files), *texts)


def find(key: str) -> tuple[dict[str, Any], bytes] | None:
    """What `store_code` was given: numbers and texts, and code; None where it is not there."""
    try:
        path = store_folder() / key
        head, _, code = path.read_bytes().partition(b"\n")
        facts = json.loads(head)
        if hashlib.sha256(code).hexdigest() != facts.pop("sha256"):
            return None
        with contextlib.suppress(OSError):  # one of somebody else's
            os.utime(path)
    except (OSError, ValueError, KeyError, RuntimeError):  # the last where there is no home
        return None
    return facts, code


def store_code(key: str, facts: dict[str, Any], code: bytes) -> None:
    """Keep code, whole or not at all; where the folder cannot be written nothing is kept."""
    head = json.dumps({**facts, "sha256": hashlib.sha256(code).hexdigest()})
    with contextlib.suppress(OSError, RuntimeError):
        folder = store_folder()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix="new-", delete=False) as file:
            file.write(head.encode() + b"\n" + code)
        os.replace(file.name, folder / key)
        _prune(folder)


def _prune(folder: Path) -> None:
    aged = []
    for path in folder.iterdir():
        with contextlib.suppress(OSError):  # another process was quicker
            if path.is_file():
                aged.append((path.stat().st_mtime, path.stat().st_size, path))
    total = 0
    for _, size, path in sorted(aged, reverse=True):
        total += size
        if total > MOST:
            path.unlink(missing_ok=True)


@cache
def _compiler() -> str:
    """Versions and settings of what compiles, and the code that drives it."""
    versions = [importlib.metadata.version(name) for name in ("numba", "llvmlite")]
    asked = {k: v for k, v in os.environ.items() if k.startswith("NUMBA_") and k not in HARMLESS}
    settings = sorted(f"{k}={v}" for k, v in asked.items())
    here = Path(__file__).resolve().parent
    texts = [(here / name).read_text(encoding="utf-8") for name in ("codegen.py", "rules.py")]
    return _hash(sys.version, *versions, *settings, *texts)


@cache
def _closure(module: str) -> str:
    """Hash of a module's file and of all that it imports: a kernel freezes the constants it reads."""
    found: dict[Path, bytes] = {}
    waiting = list(_files_of(module.partition(".")[2]))
    while waiting:
        path = waiting.pop()
        if path not in found:
            found[path] = path.read_bytes()
            for name in _IMPORTED.findall(found[path]):
                waiting += _files_of(name.decode())
    kept = sorted(found.keys() - {PACKAGE / path for path in NO_CODE})
    parts = (part for path in kept for part in (str(path.relative_to(PACKAGE)), found[path]))
    return _hash(*parts)


def _files_of(module: str) -> Iterator[Path]:
    """The file of a module, or all files of a package."""
    place = PACKAGE / module.replace(".", "/")
    if place.with_suffix(".py").is_file():
        yield place.with_suffix(".py")
    else:
        yield from place.rglob("*.py")


def _hash(*parts: str | bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()[:24]
