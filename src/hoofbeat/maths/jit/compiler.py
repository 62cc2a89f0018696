"""The one place that speaks to Numba: what it makes of a kernel, when one has to be compiled here.

Nothing imports this module before that happens: the kernels of the package are compiled ahead, and Numba
costs a third of a second to import.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numba.core.config
from numba.extending import typeof_impl

from hoofbeat.maths.jit.cache import cache_folder, is_cold

# Numba fills this module from the environment while it is imported, unseen by type checkers.
numba_config: Any = numba.core.config
#: What a cold compile of the run-time kernels takes on the machines measured [s] (docs/performance.md).
COLD_COMPILE_SECONDS = 40


def dispatcher_of(plain: Any, inline: bool) -> Any:
    """Numba's dispatcher of a kernel: exact arithmetic, so that every build gives the same bits."""
    made: Any = numba.njit(nogil=True, error_model="numpy", inline="never", forceinline=inline)(plain)
    if not inline and hasattr(made, "enable_caching") and not _Uncached.on:
        folder = cache_folder()
        if folder is not None:
            _enable_caching(made, folder)
    return made


def keep_nothing() -> None:
    """From now on nothing is read from the cache or written to it, as code for other processors is made."""
    _Uncached.on = True


def know_kernels(kind: type) -> None:
    """Let kernels call each other: Numba takes one of this class for its dispatcher."""

    @typeof_impl.register(kind)
    def _(value: Any, context: Any) -> Any:
        return typeof_impl(value.dispatcher, context)


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
    """The kind of processor that kernels are compiled for here."""
    from llvmlite import binding  # what Numba itself asks

    return str(binding.get_host_cpu_name())


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


class _Uncached:
    on = False
