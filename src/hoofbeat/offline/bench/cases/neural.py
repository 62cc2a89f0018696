"""What a network costs: one character on one thread beside the time that its bytes need, and a batch of 256.

A network reads all its weights for every character: no run can be faster than the memory that they come
from, unless they are still in the cache. So there are two figures: warm, run after run, and cold, after all
caches were filled with something else. The limit is the time in which as many bytes as the file has are read
cold, in the same rounds.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path

import numpy as np

from hoofbeat.errors import HoofbeatError
from hoofbeat.methods.neural.network.model import MOST, SHIPPED, Model, Runner, read_model
from hoofbeat.offline.bench import yardstick
from hoofbeat.offline.bench.report import Bench, Figure, Gate

ROUNDS = 40
#: Bytes that fill every cache, and how many runs a warm figure is the least of.
FILL, WARM = 192 * 1024 * 1024, 20
#: One character, whole numbers, warm [ms]; cold over the limit; the same for floats.
WHOLE_MS, WHOLE_COLD, FLOAT_COLD = 0.25, 2.5, 1.5
#: Characters a second on one core in a batch.
BATCH = 10_000.0
#: Largest file of a whole-number network [MB].
MEGABYTES = 8.0


class BenchError(HoofbeatError):
    """Networks that cannot be timed together."""


def named(paths: Sequence[Path]) -> dict[str, Path]:
    """Network files by what their names say they are made of, as `run` expects them: one of each kind."""
    found: dict[str, Path] = {}
    for path in paths:
        kind = "int8" if ".int8" in path.suffixes else "float32"
        if kind in found:
            raise BenchError(f"{path} and {found[kind]} are both {kind}; time one of each kind")
        found[kind] = path
    return found


def run(networks: Mapping[str, str | PathLike[str]] | None = None, rounds: int = ROUNDS) -> Bench:
    """Time networks {"float32": path, "int8": path}; None = the shipped one, where there is one."""
    title = "Networks, one thread"
    if importlib.util.find_spec("onnxruntime") is None:
        return Bench("neural", title, [Figure("one character", None, "ms", "onnxruntime is not installed")])
    found = {"int8": SHIPPED} if networks is None else dict(networks)
    if networks is None and not SHIPPED.is_file():
        return Bench("neural", title, [Figure("one character", None, "ms", "no network is installed")])
    figures: list[Figure] = []
    gates: list[Gate] = []
    for kind, path in found.items():
        more, promised = _time(kind, read_model(path), Path(path).stat().st_size, rounds)
        figures += more
        gates += promised
    return Bench("neural", title, figures, gates)


def _time(kind: str, model: Model, size: int, rounds: int) -> tuple[list[Figure], list[Gate]]:
    """Figures and promises of one network file of `size` bytes."""
    one, many = _filled(model, 1), _filled(model, MOST)
    fill, weights = np.ones(FILL // 4, np.float32), np.ones(size // 4, np.float32)

    # Filling the caches is a call of its own before each, whose time does not count.
    calls = {"fill": fill.max, "cold": one.run, "fill again": fill.max, "limit": weights.max}
    times = yardstick.best(calls, rounds, yardstick.WALL)
    warm = yardstick.best({"warm": one.run}, rounds * WARM, yardstick.WALL)["warm"]
    batch = yardstick.best({"batch": many.run}, max(rounds // 8, 3), yardstick.WALL)["batch"]
    coldest, limit = times["cold"], times["limit"]
    label = f"{kind}, K = {model.description.experts}"
    figures = [
        Figure(f"{label}, one character, warm", warm * 1e3, "ms", f"{warm / limit:.2f} of the limit"),
        Figure(f"{label}, one character, cold", coldest * 1e3, "ms", f"{coldest / limit:.2f} of the limit"),
        Figure(f"{label}, the limit", limit * 1e3, "ms", f"{size / limit / 1e9:.1f} GB/s"),
        Figure(f"{label}, batch of {MOST}", MOST / batch, "characters/s"),
    ]
    whole = kind == "int8"
    gates = [
        Gate(f"{label}: cold over the limit", coldest / limit, WHOLE_COLD if whole else FLOAT_COLD, False),
    ]
    if whole:
        gates += [
            Gate(f"{label}: one character, warm", warm * 1e3, WHOLE_MS, at_least=False, unit="ms"),
            Gate(f"{label}: batch of {MOST}", MOST / batch, BATCH, at_least=True, unit="characters/s"),
            Gate(f"{label}: file", size / 1e6, MEGABYTES, at_least=False, unit="MB"),
        ]
    return figures, gates


def _filled(model: Model, count: int) -> Runner:
    """Room for characters with random inputs within the network's range."""
    runner = model.runner(count)
    part = np.random.default_rng(1).random(runner.x.shape)
    runner.x[:] = model.description.low + part * (model.description.high - model.description.low)
    return runner
