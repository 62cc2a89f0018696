"""Program: the step of a herd as one call of the core library, `hb_run` of core/hb.h."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hoofbeat.maths.jit import Bound
from hoofbeat.maths.jit.library import KernelFault, core_library
from hoofbeat.records import FRAME, STEP


class Stages(NamedTuple):
    """The kernels of a step with their arguments, in their order; each takes a time, `frames` none."""

    prepare: Any
    method: Any
    place: Any
    frames: Any


class Workings(NamedTuple):
    """A herd's kernels and memory, for tables of the core library.

    again: the method's step, made ready once more; begin: how the method begins; rows: arrays with a row for
    each character, named as in the tables; scratch: arrays that placement writes into besides; bent: nodes
    that uneven ground turns; uneven: whether the ground is.
    """

    stages: Stages
    again: Any
    begin: Any
    rows: dict[str, NDArray[Any]]
    scratch: Any
    bent: NDArray[np.int64]
    uneven: bool


class Program:
    """A herd's step in compiled code. The arrays must stay where they are."""

    def __init__(
        self,
        stages: Stages,
        rotations: NDArray[np.float32],
        bent: NDArray[np.int64],
        steps: NDArray[Any],
        frames: NDArray[Any],
    ) -> None:
        library = core_library()
        assert library is not None, "stages are bound to the core library"
        self._kept = (stages, rotations, bent, steps, frames)
        words = [word for stage in stages for word in _stage_words(stage)]
        words += [rotations.shape[0], rotations.shape[1], _address(rotations), _address(bent), len(bent)]
        for rows, dtype in ((steps, STEP), (frames, FRAME)):
            fields: Any = dtype.fields
            words += [_address(rows) + fields["events"][1], dtype.itemsize]
        self._words = (ctypes.c_int64 * len(words))(*words)
        self._address = ctypes.addressof(self._words)
        self._run = library.code.hb_run
        self._run.argtypes, self._run.restype = [ctypes.c_void_p, ctypes.c_double], ctypes.c_int32

    @staticmethod
    def of(
        stages: Stages,
        rotations: NDArray[np.float32],
        bent: NDArray[np.int64],
        steps: NDArray[Any],
        frames: NDArray[Any],
    ) -> Program | None:
        """A program, or None where a stage is not in the core library."""
        if not all(isinstance(stage, Bound) for stage in stages):
            return None
        return Program(stages, rotations, bent, steps, frames)

    def run(self, dt: float) -> None:
        """Advance by dt [s]."""
        status = self._run(self._address, dt)
        if status:
            raise KernelFault(f"a step failed with status {status}")


def _stage_words(stage: Bound) -> tuple[int, int, int, int]:
    """hb_stage: addresses of code, arguments, the time's slot and the result."""
    slots, compiled = stage.slots, stage.compiled
    time = 0 if stage.place is None else slots.address + 8 * stage.place
    result = 0 if compiled.result is None else slots.address + 8 * compiled.count
    return compiled.address, slots.address, time, result


def _address(array: NDArray[Any]) -> int:
    return array.__array_interface__["data"][0]
