"""Workers of the build: each compiles entries, one after the other, for one processor.

Entries are recorded once, before the workers are forked, and are theirs from then on.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import Any, NamedTuple

from hoofbeat.offline.core import store
from hoofbeat.offline.core.processors import KernelError, Processor
from hoofbeat.offline.core.rides import Entry, recorded_entries


class Part(NamedTuple):
    """What became of one entry: its symbol, the kernel's name, the key of its arguments, object code, number
    of slots, result, and the time it took [s]."""

    symbol: str
    name: str
    key: str
    code: bytes
    slots: int
    result: Any
    seconds: float


class _Crew:
    entries: tuple[Entry, ...] = ()
    compiler: Any = None


def record() -> None:
    """Find out what there is to compile."""
    found = sorted(recorded_entries(), key=lambda entry: (entry.kernel.name, entry.key))
    if not found:
        raise KernelError("kernels are plain Python here: unset NUMBA_DISABLE_JIT")
    _Crew.entries = tuple(found)


def symbols() -> list[str]:
    """A C name for each entry: the kernel's own, numbered where there are several."""
    names = [f"hbk_{entry.kernel.name.rpartition(':')[2].lstrip('_')}" for entry in _Crew.entries]
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return found


def weight(n: int) -> int:
    """About how long an entry takes: the entry kernels of steps and of placement are the largest."""
    module, _, name = _Crew.entries[n].kernel.name.partition(":")
    return 2 if module.endswith("placement") else int(name.startswith(("step_", "decode")))


def compile_entry(processor: Processor, n: int) -> Part:
    """One entry, from the store or compiled in this process."""
    start = time.perf_counter()
    entry, symbol = _Crew.entries[n], symbols()[n]
    key = store.entry_key(processor, symbol, entry.kernel.name, entry.key)
    kept = store.find(key)
    if kept is None:
        made = _compiled(processor, symbol, entry)
        kept = {"slots": made.slots, "result": made.result}, made.code
        store.store_code(key, *kept)
    facts, code = kept
    seconds = time.perf_counter() - start
    return Part(symbol, entry.kernel.name, entry.key, code, facts["slots"], facts["result"], seconds)


def _compiled(processor: Processor, symbol: str, entry: Entry) -> Any:
    if _Crew.compiler is None:
        # Numba is needed here only, and is told once for which processor.
        from hoofbeat.offline.core.codegen import Compiler

        _Crew.compiler = Compiler(processor)
    try:
        return _Crew.compiler.compile(symbol, entry.kernel.dispatcher, entry.args)
    except KernelError:
        raise
    except Exception as problem:  # of Numba or LLVM, of any kind; some cannot be sent to another process
        told = f"{type(problem).__name__}: {problem}"
        raise KernelError(f"{entry.kernel.name} cannot be compiled ({told[:1000]})") from problem
