"""C: the example program is compiled and linked with the core library, and rides where Python does."""

from __future__ import annotations

import math
import subprocess
import time
from pathlib import Path

import numpy as np
from findings import TOLERANCE, ClientFailed, ClientMissing, Finding
from numpy.typing import NDArray

from hoofbeat.body.mesh.shipped import dress_of
from hoofbeat.horse import Herd
from hoofbeat.maths.jit.library import FOLDER, core_library
from hoofbeat.offline.core.link import LinkError, c_compiler
from hoofbeat.offline.core.tables import export_tables
from hoofbeat.records import Command

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "c" / "figure_of_eight.c"
#: Time ridden, of a step [s], and what the example asks for [m/s], [rad/s].
SECONDS, DT, SPEED, TURN = 20, 1 / 60, 3.2, 0.7
LIMIT = 120.0  # seconds to compile, and to ride
STRICT = ("-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror")


def check(folder: Path) -> list[Finding]:
    """What the example rides, beside what Python rides."""
    library = core_library()
    if library is None:
        raise ClientMissing("no core library is built: make core")
    try:
        compiler = c_compiler()
    except LinkError as problem:
        raise ClientMissing(str(problem)) from None
    version = _run([*compiler, "--version"]).splitlines()[0]
    program = folder / "figure_of_eight"
    command = [*compiler, *STRICT, "-I", str(FOLDER), "-o", str(program), str(EXAMPLE), str(library.path)]
    _run([*command, f"-Wl,-rpath,{library.path.parent}"])
    herd = Herd(1)
    export_tables(folder / "eight.hbt", herd, dress_of(herd.skeleton, "low"))
    started = time.perf_counter()
    said = _run([str(program), str(folder / "eight.hbt"), str(SECONDS)])
    seconds = time.perf_counter() - started
    rows = np.array([line.split(",") for line in said.splitlines()[1:]], float)
    return [judged(f"C ({version})", rows, ridden(herd), len(herd.skeleton), seconds)]


def ridden(herd: Herd) -> NDArray[np.float64]:
    """The rows of the example, by Python: time, x, z, yaw, and the places of the four toes."""
    toes = [leg.toe for leg in herd.skeleton.legs]
    rows = []
    for step in range(round(SECONDS / DT)):
        half = int(step * DT * TURN / math.tau)
        frame = herd.step(Command(speed=SPEED, turn=-TURN if half % 2 else TURN), DT)
        yaw = 2 * math.atan2(frame.root.rotation[0, 1], frame.root.rotation[0, 3])
        x, _, z = frame.root.position[0]
        rows.append([frame.time, x, z, yaw, *frame.positions[0, toes].ravel()])
    return np.array(rows)


def judged(
    client: str, rows: NDArray[np.float64], wanted: NDArray[np.float64], joints: int, seconds: float
) -> Finding:
    """Places within TOLERANCE, and a figure that comes back to where its halves cross."""
    faults: list[str] = []
    error = float("nan")
    if rows.shape != wanted.shape:
        faults.append(f"{rows.shape} numbers, {wanted.shape} were expected")
    else:
        error = float(np.abs(rows[:, [1, 2, *range(4, 16)]] - wanted[:, [1, 2, *range(4, 16)]]).max())
        if not error <= TOLERANCE:
            faults.append(f"{error * 1000:.3f} mm off")
        if np.sign(rows[:, 1]).min() == np.sign(rows[:, 1]).max():
            faults.append("no figure of eight: it never goes to the other side")
    return Finding(client, EXAMPLE.name, joints, ("figure of eight",), error, seconds, tuple(faults))


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=LIMIT)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise ClientFailed(f"{command[0]}: {problem}") from None
    if done.returncode:
        raise ClientFailed(f"{command[0]} ended with {done.returncode}: {done.stderr[-500:]}")
    return done.stdout
