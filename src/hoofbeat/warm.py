"""Warm: run every run-time kernel once. Where there is no core library, nobody waits at the first step then.

`python -m hoofbeat.warm` fills Numba's cache of this installation; with the core library it takes a moment.
"""

from __future__ import annotations

import sys
import time

from hoofbeat.horse import Herd
from hoofbeat.methods.catalog import installed_methods
from hoofbeat.record import Recorder
from hoofbeat.records import Command


def warm() -> float:
    """Step one character of every installed method once, and one over uneven ground; returns the seconds."""
    start = time.perf_counter()
    for name in installed_methods():
        herd = Herd(1, name)
        herd.step(Command(speed=1.0))
        recorder = Recorder(herd.skeleton, character=0)
        recorder.add(herd.frame())
        # Clips are float64: their kinematics are kernels of their own.
        _ = recorder.clip().positions
    Herd(1, terrain="slope").step(Command(speed=1.0))
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.stderr.write(f"hoofbeat: kernels ready after {warm():.1f} s\n")
