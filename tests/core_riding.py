"""The same commands ridden by every build of the engine, for tests that compare what comes of them.

python core_riding.py FOLDER NAME ...    rides FOLDER/NAME.commands here, into FOLDER/NAME.core or .numba
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hoofbeat.horse import Herd
from hoofbeat.offline.core.tables import export_tables
from hoofbeat.records import COMMAND, FRAME
from hoofbeat.world.limits import MOST

HERE = Path(__file__).resolve()
#: Method and options of each ride.
RIDES: dict[str, dict[str, Any]] = {
    "timewarp": {"method": "timewarp", "breed": "all"},
    "timewarp-hills": {"method": "timewarp", "breed": "all", "terrain": "hills"},
    "froude": {"method": "froude"},
    "froude-hills": {"method": "froude", "terrain": "hills"},
    "actions": {"method": "actions"},
    "actions-hills": {"method": "actions", "terrain": "hills"},
}
CHARACTERS, SEED = 2, 7
#: Steps that a command lasts, and lengths of steps [s]: usual ones, odd, tiny, none, and such as are split.
HOLD, STEPS = 40, (1 / 60, 1 / 60, 1 / 60, 1 / 30, 1 / 120, 0.027, 1 / 1000, 0.0, 0.1, 0.25)
#: No ride takes longer, compiling included [s].
LONGEST = 1200


class Ridden(NamedTuple):
    """What a build made of a ride, and what is told of it."""

    data: bytes
    facts: dict[str, Any]


def herd_of(name: str) -> Herd:
    """The herd of a ride."""
    return Herd(CHARACTERS, seed=SEED, **RIDES[name])


def write_commands(path: Path, herd: Herd, seconds: float, seed: int) -> None:
    """Random commands for so long: all speeds and turns, headings, pinned gaits, more than is allowed."""
    rng = np.random.default_rng(seed)
    gaits, actions = len(herd.gaits), len(herd.method.actions)
    clock = 0.0
    with path.open("wb") as file:
        while clock < seconds:
            dt = STEPS[int(rng.integers(len(STEPS)))]
            rows = _random_rows(rng, gaits, actions)
            file.write((rows.tobytes() + np.float64(dt).tobytes()) * HOLD)
            clock += HOLD * min(dt, MOST)


def _random_rows(rng: np.random.Generator, gaits: int, actions: int) -> NDArray[Any]:
    rows = np.zeros(CHARACTERS, COMMAND)
    rows["gait"] = rows["action"] = rows["mood"] = -1
    rows["speed"] = rng.choice([0.0, 1.0], CHARACTERS, p=[0.15, 0.85]) * rng.uniform(-2, 14, CHARACTERS)
    rows["sideways"] = rng.choice([0.0, 1.0], CHARACTERS, p=[0.8, 0.2]) * rng.uniform(-1, 1, CHARACTERS)
    rows["turn"] = rng.choice([0.0, 1.0], CHARACTERS) * rng.uniform(-1.8, 1.8, CHARACTERS)
    rows["extension"] = rng.uniform(-1.2, 1.2, CHARACTERS)
    draw = rng.random(CHARACTERS)
    rows["has_heading"] = draw < 0.25
    rows["heading"] = np.where(draw < 0.25, rng.uniform(-7, 7, CHARACTERS), 0.0)
    rows["gait"][(0.25 <= draw) & (draw < 0.5)] = rng.integers(gaits)
    rows["action"][(0.5 <= draw) & (draw < 0.55)] = rng.integers(actions)
    rows["has_jump"] = (0.55 <= draw) & (draw < 0.6)
    rows["jump"][:] = rng.uniform(0, 2, (CHARACTERS, 2)) * rows["has_jump"][:, None]
    return rows


def ride(herd: Herd, commands: bytes) -> bytes:
    """For each step the FRAME rows, positions and rotations of all characters."""
    step, out = np.dtype([("rows", COMMAND, CHARACTERS), ("dt", "f8")]), bytearray()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a quarter of a second is more than a step may have
        for one in np.frombuffer(commands, step):
            frame = herd.step(one["rows"], float(one["dt"]))
            out += herd._block.rows.tobytes() + frame.positions.tobytes() + frame.rotations.tobytes()
    return bytes(out)


def ridden_in_python(folder: Path, names: list[str], kind: str) -> dict[str, Ridden]:
    """The rides on the core library or, kind numba, on what Numba compiles, in a process of its own."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "COV_", "HOOFBEAT_JIT"))}
    command = [sys.executable, str(HERE), str(folder), *names]
    told = _run(command, kept | ({"HOOFBEAT_JIT": "1"} if kind == "numba" else {}))
    assert told["kind"] == kind, f"asked for {kind}, ridden on {told['kind']}"
    return {name: Ridden((folder / f"{name}.{kind}").read_bytes(), told) for name in names}


def ridden_in_node(module: Path, folder: Path, name: str, nodes: int) -> Ridden:
    """A ride on the core library as WebAssembly, with the tables that were exported."""
    out, numbers = folder / f"{name}.node", (nodes, CHARACTERS, SEED)
    given = (HERE.parent / "node" / "core.mjs", module, folder / f"{name}.hbt", *numbers)
    files = (folder / f"{name}.commands", out)
    told = _run(["node", *map(str, (*given, *files))], dict(os.environ))
    return Ridden(out.read_bytes(), told)


def _run(command: list[str], environment: dict[str, str]) -> dict[str, Any]:
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, env=environment)
    assert done.returncode == 0, f"{command[:2]} failed with {done.returncode}:\n{done.stderr[-3000:]}"
    return json.loads(done.stdout.splitlines()[-1])


def difference(one: bytes, other: bytes, nodes: int) -> str:
    """Where two rides part; empty where all their bytes are equal."""
    if one == other:
        return ""
    parts = [("rows", FRAME, CHARACTERS)]
    parts += [("positions", "f8", (CHARACTERS, nodes, 3)), ("rotations", "f4", (CHARACTERS, nodes, 4))]
    kind = np.dtype(parts)
    if len(one) != len(other) or len(one) % kind.itemsize:
        return f"one ride has {len(one) / kind.itemsize} steps, the other {len(other) / kind.itemsize}"
    a, b = (np.frombuffer(data, np.uint8).reshape(-1, kind.itemsize) for data in (one, other))
    steps = np.flatnonzero((a != b).any(axis=1))
    first = int(steps[0])
    x, y = a[first].view(kind)[0], b[first].view(kind)[0]
    differ = [name for name in ("rows", "positions", "rotations") if x[name].tobytes() != y[name].tobytes()]
    apart = float(np.abs(x["positions"] - y["positions"]).max())
    told = f"{len(steps)} of {len(a)} steps differ, the first is {first}, in {' and '.join(differ)}"
    return f"{told}; positions by {apart:.3g} m"


def main(arguments: list[str]) -> None:
    """Ride as the command line says."""
    folder, kinds = Path(arguments[0]), set()
    for name in arguments[1:]:
        herd = herd_of(name)
        kind = "core" if herd._program is not None else "numba"
        if kind == "core":
            export_tables(folder / f"{name}.hbt", herd)
        data = ride(herd, (folder / f"{name}.commands").read_bytes())
        (folder / f"{name}.{kind}").write_bytes(data)
        kinds.add(kind)
    print(json.dumps({"kind": " and ".join(sorted(kinds))}))


if __name__ == "__main__":
    main(sys.argv[1:])
