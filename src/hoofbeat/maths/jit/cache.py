"""Where kernels compiled by Numba are kept, and the hash that tells source states apart.

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
from functools import cache
from pathlib import Path

#: `from hoofbeat.x import a, b` and `import hoofbeat.x`: the module, and the names imported from it, which
#: stand on the same line or in parentheses.
_IMPORTED = re.compile(rb"(?:from|import)[ \t]+hoofbeat\.([\w.]+)(?:[ \t]+import[ \t]+(\([^)]*\)|[\w ,]+))?")

PACKAGE = Path(__file__).resolve().parents[2]
#: Older cache folders kept beside the current one, so that two versions can be used in turn.
KEPT_FOLDERS = 4
#: Their names. What else lies beside them is not ours.
_FOLDER = re.compile(r"[0-9a-f]{16}")
#: Modules that find and call compiled code and change nothing of it.
NO_CODE = {f"maths/jit/{name}.py" for name in ("__init__", "cache", "kernel", "library")}


@cache
def cache_key() -> str:
    """Names this state's cache folder: the kernel sources, and the Numba and Python versions."""
    import importlib.metadata  # slow to import, and needed only where Numba compiles

    versions = f"{importlib.metadata.version('numba')} {sys.version}"
    return hashlib.sha256(f"{versions} {source_hash()}".encode()).hexdigest()[:16]


def source_hash() -> str:
    """Hash of all package sources that make up kernels."""
    return _hash_of(_kernel_sources(PACKAGE))


def runtime_hash() -> str:
    """The same of the kernels that are compiled ahead: `offline` has kernels of its own, which are not."""
    return _hash_of(_kernel_sources(PACKAGE, left_out="offline/"))


def c_hash() -> str:
    """Hash of the C files of the core library."""
    core = PACKAGE / "core"
    files = sorted([*core.glob("*.c"), *core.glob("*.h")])
    return _hash_of([(path.name, path.read_bytes()) for path in files])


def builder_hash() -> str:
    """Hash of what finds, compiles and links the kernels of the core library."""
    files = sorted((PACKAGE / "offline" / "core").glob("*.py"))
    return _hash_of([(path.name, path.read_bytes()) for path in files])


def _hash_of(files: list[tuple[str, bytes]]) -> str:
    digest = hashlib.sha256()
    for path, text in files:
        digest.update(path.encode())
        digest.update(text)
    return digest.hexdigest()[:16]


def _kernel_sources(package: Path, left_out: str | None = None) -> list[tuple[str, bytes]]:
    """Files with kernels and all they import: a kernel freezes the constants it reads from them. left_out: a
    folder whose kernels do not count."""
    texts: dict[str, bytes] = {}
    for folder, _, names in os.walk(package):
        for name in names:
            if name.endswith(".py"):
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    texts[os.path.relpath(path, package).replace(os.sep, "/")] = file.read()
    starts = [path for path, text in texts.items() if b"@kernel" in text]
    waiting = [path for path in starts if left_out is None or not path.startswith(left_out)]
    found: set[str] = set()
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            for module, names in set(_IMPORTED.findall(texts[path])):
                waiting += _modules(module.decode().replace(".", "/"), names.decode(), texts)
    return [(path, texts[path]) for path in sorted(found - NO_CODE)]


def _modules(module: str, names: str, texts: dict[str, bytes]) -> list[str]:
    """Files of an import: the module itself, and those of the imported names that are modules."""
    if f"{module}.py" in texts:
        return [f"{module}.py"]
    inner = [f"{module}/{name}.py" for name in re.findall(r"\w+", names)]
    found = [path for path in inner if path in texts]
    # Of a package that lifts names of its modules, any may be meant.
    return found or [path for path in texts if path.startswith(f"{module}/")]


def cache_root() -> Path:
    """Where cache folders live: HOOFBEAT_CACHE_DIR, else the user's cache directory."""
    chosen = os.environ.get("HOOFBEAT_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home())
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "hoofbeat" / "kernels"


@cache
def cache_folder() -> Path | None:
    """This source state's cache folder, made if needed; None (with one warning) if not writable."""
    folder = Path("hoofbeat") / "kernels"
    try:
        folder = cache_root() / cache_key()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, RuntimeError) as error:  # the second where there is no home
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
    siblings = (p for p in current.parent.iterdir() if _FOLDER.fullmatch(p.name) and p.is_dir())
    others = [p for p in siblings if p != current]
    others.sort(key=lambda p: p.stat().st_mtime, reverse=True)
    for stale in others[KEPT_FOLDERS:]:
        shutil.rmtree(stale, ignore_errors=True)


def is_cold(name: str = "") -> bool:
    """True when no compiled kernel of that name, and of this source state, is on disk yet."""
    folder = cache_folder()
    return folder is None or next(folder.rglob(f"*{name}-*.nbi"), None) is None
