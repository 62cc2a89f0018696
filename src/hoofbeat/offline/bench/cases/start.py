"""What starting costs: the import, the first step with nothing compiled, and the first step later on.

Each figure is that of a fresh process. The cold start compiles every kernel into an empty folder, so
it lasts half a minute; the cached one finds them there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from hoofbeat.offline.bench.report import Bench, Figure, Gate

#: What `import hoofbeat` and its Horse may cost above `import numpy, numba` [s].
IMPORT = 0.25
ROUNDS = 5
ROOT = Path(__file__).resolve().parents[1]

_IMPORT = """
import time
a = time.process_time()
import numpy, numba
b = time.process_time()
import hoofbeat
hoofbeat.Horse, hoofbeat.Command  # names are loaded when first used
print(b - a, time.process_time() - b)
"""
_FIRST_STEP = """
import time
a = time.perf_counter()
import hoofbeat
b = time.perf_counter()
hoofbeat.Horse().step(hoofbeat.Command(speed=1.0))
print(b - a, time.perf_counter() - b)
"""


def _fresh(code: str, cache: str | None = None) -> tuple[float, float]:
    """Two times [s] that a fresh Python prints; `cache`: where it keeps compiled kernels."""
    source = str(ROOT / "src")
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(p for p in (source, os.environ.get("PYTHONPATH")) if p)
    if cache is not None:
        environment["HOOFBEAT_CACHE_DIR"] = cache
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"a fresh Python failed:\n{done.stderr}")
    first, second = done.stdout.split()[-2:]
    return float(first), float(second)


def import_times(rounds: int = ROUNDS) -> tuple[float, float]:
    """Least processor time [s] of `import numpy, numba` and of `import hoofbeat` with its Horse."""
    times = [_fresh(_IMPORT) for _ in range(rounds + 1)][1:]  # the first fills the disk's cache
    return min(t for t, _ in times), min(t for _, t in times)


def run(rounds: int = ROUNDS, cold: bool = True) -> Bench:
    """Imports, and unless `cold` is False the first step of a cold and of a cached start."""
    others, ours = import_times(rounds)
    figures = [
        Figure("import numpy, numba", others, "s"),
        Figure("import hoofbeat and name its Horse", ours, "s", "after them"),
    ]
    if cold:
        with tempfile.TemporaryDirectory() as folder:
            _, compiled = _fresh(_FIRST_STEP, folder)
            cached = min(_fresh(_FIRST_STEP, folder)[1] for _ in range(rounds))
        figures += [
            Figure("first horse and step, cold", compiled, "s", "compiles every kernel, once a source state"),
            Figure("first horse and step, cached", cached, "s", "scene read, kernels loaded"),
        ]
    gate = Gate("import hoofbeat above numpy and numba", ours, IMPORT, at_least=False, unit="s")
    return Bench("start", "Starting", figures, [gate])
