"""Kernels that break a rule of kernels each, compiled for one processor; see tests/test_core_guard.py.

python core_toys.py native|wasm    JSON on stdout: for each kernel why it was refused, "" = it was not
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

from hoofbeat.maths.exact.circular import sin
from hoofbeat.maths.jit import compiler, kernel
from hoofbeat.maths.types import Floats, Real
from hoofbeat.offline.core.codegen import Compiler, KernelError
from hoofbeat.offline.core.processors import WASM, machine_processor, native_level

TABLE = (1.0, 2.0, 3.0)


@kernel
def honest(x: Real, out: Floats) -> None:
    out[0] = sin(x) + np.floor(x) * np.sqrt(abs(x)) % 2.0


@kernel
def sine(x: Real, out: Floats) -> None:
    out[0] = np.sin(x)


@kernel
def raised(x: Real, out: Floats) -> None:
    out[0] = x ** out[1]


@kernel
def length(x: Real, out: Floats) -> None:
    out[0] = np.hypot(x, out[1])


@kernel
def allocating(x: Real, out: Floats) -> None:
    scratch = np.zeros(int(x))
    scratch[0] = x
    out[0] = scratch.sum()


@kernel
def raising(x: Real, out: Floats) -> None:
    if x > out[1]:
        raise ValueError
    out[0] = x


@kernel
def looking_up(x: Real, out: Floats) -> None:
    out[0] = TABLE[int(x)]


@kernel
def calling_itself(x: Real, out: Floats) -> None:
    if x > 0.0:
        calling_itself(x - 1.0, out)
    out[0] = x


@kernel
def printing(x: Real, out: Floats) -> None:
    print(x)
    out[0] = x


@kernel
def returning_an_array(x: Real, out: Floats) -> Floats:
    out[0] = x
    return out


@kernel
def contracting(x: Real, out: Floats) -> None:
    out[0] = x * out[0] + out[1]


TOYS: tuple[Any, ...] = (
    *(honest, sine, raised, length, allocating, raising, looking_up, calling_itself, printing),
    *(returning_an_array, contracting),
)


def main(processor: str) -> None:
    """Compile them all and tell what became of each."""
    chosen = Compiler(WASM if processor == "wasm" else machine_processor(native_level()))
    found = {}
    for toy in TOYS:
        dispatcher = toy.dispatcher
        if toy is contracting:  # as if the decorator left arithmetic to the processor
            loose: Any = compiler.numba.njit(nogil=True, error_model="numpy", fastmath={"contract"})
            dispatcher = loose(toy.py_func)
        name = toy.py_func.__name__
        try:
            chosen.compile(name, dispatcher, (1.5, np.ones(4)))
            found[name] = ""
        except KernelError as fault:
            found[name] = str(fault)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
