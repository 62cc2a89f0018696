"""Suite: all benchmarks by name, run together with the machine's own speed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hoofbeat.errors import UnknownName
from hoofbeat.offline.bench import yardstick
from hoofbeat.offline.bench.cases import bvh as bench_bvh
from hoofbeat.offline.bench.cases import check as bench_check
from hoofbeat.offline.bench.cases import engine as bench_engine
from hoofbeat.offline.bench.cases import evolution as bench_evolution
from hoofbeat.offline.bench.cases import film as bench_film
from hoofbeat.offline.bench.cases import fk as bench_fk
from hoofbeat.offline.bench.cases import neural as bench_neural
from hoofbeat.offline.bench.cases import start as bench_start
from hoofbeat.offline.bench.cases import studio as bench_studio
from hoofbeat.offline.bench.cases import timewarp as bench_timewarp
from hoofbeat.offline.bench.report import Bench, Figure, Gate, Machine, Speed

#: Times faster than bvhio that reading a BVH has to be.
AGAINST_BVHIO = 4.0


def run_bvh(rounds: int = bench_bvh.ROUNDS) -> Bench:
    """`bench_bvh` with its gate."""
    found = bench_bvh.run(rounds)
    labels = {"ours_s": "read, ours", "bvhio_s": "read, bvhio", "pymotion_s": "read, pymotion"}
    labels["write_s"] = "write, ours"
    ours, figures = found["ours_s"], []
    assert ours is not None
    for key, label in labels.items():
        time = found[key]
        note = "" if time is None or label.endswith("ours") else f"{time / ours:.1f} times ours"
        figures.append(
            Figure(label, None if time is None else time * 1e3, "ms", note or ("" if time else "absent"))
        )
    gate = Gate("BVH reading, times faster than bvhio", found["ratio_bvhio"], AGAINST_BVHIO, at_least=True)
    title = f"BVH files, {found['frames']} frames of {found['joints']} joints"
    return Bench("bvh", title, figures, [gate])


BENCHES: dict[str, Callable[[], Bench]] = {
    "fk": bench_fk.run,
    "bvh": run_bvh,
    "engine": bench_engine.run,
    "timewarp": bench_timewarp.run,
    "neural": bench_neural.run,
    "check": bench_check.run,
    "film": bench_film.run,
    "evolution": bench_evolution.run,
    "start": bench_start.run,
    "studio": bench_studio.run,
}


class UnknownBenchmark(UnknownName):
    """A benchmark that does not exist."""

    kind = "benchmark"


@dataclass(frozen=True)
class Results:
    """What a run found, where, and how fast that machine was."""

    benches: Sequence[Bench]
    machine: Machine
    speed: Speed

    def broken(self) -> list[Gate]:
        """Gates that do not hold."""
        return [gate for bench in self.benches for gate in bench.failed()]


def run_suite(
    names: Sequence[str] = (),
    progress: Callable[[int, int], None] | None = None,
    networks: Sequence[Path] = (),
) -> Results:
    """Run the named benchmarks, or all; progress is called with (done, total); networks: others than the
    shipped."""
    chosen = list(names) or list(BENCHES)
    for name in chosen:
        if name not in BENCHES:
            raise UnknownBenchmark(name, BENCHES)
    machine, speed = yardstick.machine(), yardstick.measure()
    benches: list[Bench] = []
    for done, name in enumerate(chosen):
        if progress is not None:
            progress(done, len(chosen))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # peers have their own opinions on their imports
            others = name == "neural" and networks
            benches.append(bench_neural.run(bench_neural.named(networks)) if others else BENCHES[name]())
    return Results(benches, machine, speed)
