"""Yardstick: how time is measured here, and how fast the machine is at fixed work that is not ours.

Figures of two runs can be compared after dividing by the yardsticks of each: one is a loop of plain
Python, which the overhead of a single step follows, the other fixed NumPy arithmetic on arrays that
stay in the first-level cache. Neither touches Numba or this package.
"""

from __future__ import annotations

import gc
import importlib.metadata
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

#: Yardsticks of the machine described in docs/performance.md, nothing else running [s].
REFERENCE_PYTHON = 0.65e-3
REFERENCE_NUMPY = 0.50e-3
#: Packages whose versions belong beside a figure.
PACKAGES = ("numpy", "numba", "scipy", "upc-pymotion", "bvhio")


Clock = Callable[[], float]
#: Processor time of this process, all its threads: other programs on the machine do not count. On a quiet
#: machine it is the time of a wall clock.
CPU: Clock = time.process_time
WALL: Clock = time.perf_counter


def interleaved(
    calls: Mapping[str, Callable[[], Any]], rounds: int, clock: Clock = CPU
) -> dict[str, list[float]]:
    """Times of every call [s], round by round in turn, so that a slow moment hits all of them."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    enabled = gc.isenabled()
    gc.collect()
    gc.disable()  # as timeit does: a collection is not the work of the call it happens in
    try:
        for _ in range(rounds):
            for name, call in calls.items():
                start = clock()
                call()
                times[name].append(clock() - start)
    finally:
        if enabled:
            gc.enable()
    return times


def best(calls: Mapping[str, Callable[[], Any]], rounds: int, clock: Clock = CPU) -> dict[str, float]:
    """The least time of every call [s]: noise only ever adds."""
    return {name: min(times) for name, times in interleaved(calls, rounds, clock).items()}


def repeated_call(call: Callable[[], Any], times: int) -> Callable[[], None]:
    """A call that makes `times` calls."""

    def many() -> None:
        for _ in range(times):
            call()

    return many


def python_loop() -> int:
    """Fixed work for the interpreter: 20,000 additions in a loop."""
    total = 0
    for k in range(20_000):
        total += k & 7
    return total


def numpy_loop() -> float:
    """Fixed arithmetic: 400 multiply-adds over 2048 float64 numbers in place (32 kB)."""
    x, factor = np.full(2048, 0.5), np.full(2048, 0.999)
    for _ in range(400):
        x *= factor
        x += 1e-3
    return float(x[0])


def measure(rounds: int = 15) -> dict[str, float]:
    """Both yardsticks [s], how slow they are against the reference machine, and the noise of a round.

    `noise` is the median of the rounds over the least, minus 1: 0 on a quiet machine.
    """
    times = interleaved({"python": python_loop, "numpy": numpy_loop}, rounds)
    least = {name: min(values) for name, values in times.items()}
    return {
        "python_s": least["python"],
        "numpy_s": least["numpy"],
        "slower_python": least["python"] / REFERENCE_PYTHON,
        "slower_numpy": least["numpy"] / REFERENCE_NUMPY,
        "noise": max(statistics.median(times[name]) / least[name] - 1 for name in times),
    }


def machine() -> dict[str, str]:
    """What the figures were measured on: processor, system, Python and package versions."""
    found = {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "absent"
    return found


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or "unknown"
