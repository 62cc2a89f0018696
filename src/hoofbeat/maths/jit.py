"""The one kernel decorator, and where compiled kernels are kept.

Plain `cache=True` does not notice an edit in another file: a cached caller keeps running the old
callee. So the cache lies in a folder named by a hash of every kernel source of the package and of
the Numba and Python versions; an edit anywhere starts an empty folder.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, overload

import numba
import numba.core.config

# Numba fills this module from the environment while it is imported, unseen by type checkers.
numba_config: Any = numba.core.config
F = TypeVar("F", bound=Callable[..., Any])

_IMPORTED = re.compile(rb"(?:from|import)\s+hoofbeat\.([\w.]+)")

#: Older cache folders kept beside the current one, so that two versions can be used in turn.
KEPT_FOLDERS = 4
#: What a cold compile of the run-time kernels takes on the machines measured [s] (docs/performance.md).
COLD_COMPILE_SECONDS = 40


def source_hash() -> str:
    """Hash of all package sources that make up kernels, with the Numba and Python versions."""
    package = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for path, text in _kernel_sources(package):
        digest.update(path.encode())
        digest.update(text)
    return digest.hexdigest()[:16]


def _kernel_sources(package: Path) -> list[tuple[str, bytes]]:
    """Files with kernels and all they import: a kernel freezes the constants it reads from them."""
    texts: dict[str, bytes] = {}
    for folder, _, names in os.walk(package):
        for name in names:
            if name.endswith(".py"):
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    texts[os.path.relpath(path, package).replace(os.sep, "/")] = file.read()
    waiting = [path for path, text in texts.items() if b"@kernel" in text]
    found: set[str] = set()
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            for name in set(_IMPORTED.findall(texts[path])):
                target = name.decode().replace(".", "/")
                if f"{target}.py" in texts:
                    waiting.append(f"{target}.py")
                else:
                    waiting += [other for other in texts if other.startswith(f"{target}/")]
    return [(path, texts[path]) for path in sorted(found)]


def cache_root() -> Path:
    """Where cache folders live: HOOFBEAT_CACHE_DIR, else the user's cache directory."""
    chosen = os.environ.get("HOOFBEAT_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home()))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "hoofbeat" / "kernels"


@cache
def cache_folder() -> Path | None:
    """This source state's cache folder, made if needed; None (with one warning) if not writable."""
    folder = cache_root() / source_hash()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        warnings.warn(
            f"hoofbeat cannot keep compiled kernels in {folder} ({error}); they are compiled anew in "
            "every process. Set HOOFBEAT_CACHE_DIR to a writable folder.",
            RuntimeWarning,
            stacklevel=2,
        )
        return None
    _prune(folder)
    return folder


def _prune(current: Path) -> None:
    """Remove all but the newest few sibling folders; losing a race to another process is fine."""
    others = [p for p in current.parent.iterdir() if p.is_dir() and p != current and len(p.name) == 16]
    others.sort(key=lambda p: p.stat().st_mtime, reverse=True)
    for stale in others[KEPT_FOLDERS:]:
        shutil.rmtree(stale, ignore_errors=True)


@overload
def kernel(function: F) -> F: ...
@overload
def kernel(*, inline: bool = False) -> Callable[[F], F]: ...
def kernel(function: Any = None, *, inline: bool = False) -> Any:
    """Compile a function with Numba the way this project always does.

    `inline=True` is for small scalar helpers that return tuples: they are pasted into the caller.
    Compilation happens at the first call, never at import.
    """

    def decorate(plain: Any) -> Any:
        made: Any = numba.njit(
            nogil=True,
            error_model="numpy",
            fastmath={"contract"},
            inline="always" if inline else "never",
        )(plain)
        if not inline and hasattr(made, "enable_caching"):
            folder = cache_folder()
            if folder is not None:
                _enable_caching(made, folder)
        return made

    return decorate if function is None else decorate(function)


def _enable_caching(dispatcher: Any, folder: Path) -> None:
    # Numba reads its global cache directory while caching is switched on, and only then: setting it
    # for that moment leaves the user's own kernels where they were.
    before = numba_config.CACHE_DIR
    numba_config.CACHE_DIR = str(folder)
    try:
        dispatcher.enable_caching()
    finally:
        numba_config.CACHE_DIR = before


@cache
def host_processor() -> str:
    """The kind of processor that kernels are compiled for here; another kind may give other last digits."""
    from llvmlite import binding  # what Numba itself asks

    return str(binding.get_host_cpu_name())


def is_cold(name: str = "") -> bool:
    """True when no compiled kernel of that name, and of this source state, is on disk yet."""
    folder = cache_folder()
    return folder is None or next(folder.rglob(f"*{name}-*.nbi"), None) is None


def announce_compile(name: str = "") -> bool:
    """Say on stderr, once a process, that the kernel `name` is about to be compiled; True if it did."""
    if numba_config.DISABLE_JIT or _Announced.done or not is_cold(name):
        return False
    _Announced.done = True
    sys.stderr.write(f"hoofbeat: compiling kernels, once, about {COLD_COMPILE_SECONDS} s ...\n")
    sys.stderr.flush()
    return True


class _Announced:
    done = False
