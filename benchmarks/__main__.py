"""`python -m benchmarks`: run them all, or those named, and print tables or write files.

Exit status 1 where a gate does not hold.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console

from benchmarks import bench_bvh, bench_engine, bench_fk, bench_start, yardstick
from benchmarks.report import Bench, Figure, Gate, as_json, as_markdown, show

#: Columns where the output is no terminal.
WIDTH = 110
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
    "start": bench_start.run,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, write; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Time us and our peers.")
    parser.add_argument("--only", action="append", choices=list(BENCHES), help="this one; may be repeated")
    parser.add_argument("--json", metavar="FILE", help="write everything as JSON; - is the standard output")
    parser.add_argument("--markdown", metavar="FILE", help="write tables for a page; - as above")
    asked = parser.parse_args(arguments)
    machine, speed = yardstick.machine(), yardstick.measure()
    progress = Console(stderr=True)
    benches: list[Bench] = []
    for name in asked.only or list(BENCHES):
        with progress.status(f"running {name} ..."), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # peers have their own opinions on their imports
            benches.append(BENCHES[name]())
    quiet = "-" in (asked.json, asked.markdown)
    if not quiet:
        # A file or a pipe has no width of its own, and a wrapped table is hard to read.
        show(benches, machine, speed, Console(width=None if sys.stdout.isatty() else WIDTH))
    _write(asked.json, as_json(benches, machine, speed))
    _write(asked.markdown, as_markdown(benches, machine, speed))
    broken = [gate for bench in benches for gate in bench.failed()]
    for gate in broken:
        progress.print(f"gate broken: {gate.text()}", style="bold red", highlight=False)
    return 1 if broken else 0


def _write(target: str | None, text: str) -> None:
    if target == "-":
        sys.stdout.write(text)
    elif target is not None:
        Path(target).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
