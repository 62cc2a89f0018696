"""Processors: what kernels can be compiled for."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass

from hoofbeat.maths.jit.library import LEVELS, has_v3

#: What WebAssembly is assumed to have: every browser since 2021.
WASM_FEATURES = "+bulk-memory,+nontrapping-fptoint,+sign-ext"


class KernelError(Exception):
    """A kernel that cannot be compiled ahead, and what to change in it."""


@dataclass(frozen=True)
class Processor:
    """What to compile for: an LLVM triple, the processor's name there and its extras."""

    triple: str
    name: str
    features: str = ""

    @property
    def is_wasm(self) -> bool:
        """Whether it is WebAssembly."""
        return self.triple.startswith("wasm")


WASM = Processor("wasm32-unknown-unknown", "generic", WASM_FEATURES)


def processor_levels() -> tuple[str, ...]:
    """Levels of processor that a library can be built for on this machine, the most capable first."""
    return LEVELS.get(platform.machine(), ("generic",))


def native_level() -> str:
    """The most capable level that this very processor has."""
    levels = processor_levels()
    return levels[0] if levels[0] != "x86-64-v3" or has_v3() else levels[-1]


def machine_processor(level: str) -> Processor:
    """A processor of this machine's kind, of a level."""
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    if sys.platform == "darwin":
        return Processor(f"{platform.machine()}-apple-macosx11", "generic" if machine == "aarch64" else level)
    if sys.platform == "win32":
        return Processor(f"{machine}-pc-windows-gnu", level)
    return Processor(f"{machine}-unknown-linux-gnu", level)
