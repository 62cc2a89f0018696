"""Compare evolution with a search at random: python -m hoofbeat.offline.evolution.compare -o FILE.

Both score the same number of texts of the same grammar, for several seeds; the picture shows the best
score so far, its median over the seeds and its range. It needs the extra `plot`.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.formats.files import write_bytes
from hoofbeat.methods.froude.model.similarity import NATURAL_GAITS
from hoofbeat.offline.evolution.adjusting import ADJUSTER_GRAMMAR, Adjusting, adjusting
from hoofbeat.offline.evolution.breeding import BreedingSettings
from hoofbeat.offline.evolution.grammar import read_grammar
from hoofbeat.offline.evolution.run import EvolutionPlan, evolve, search
from hoofbeat.offline.evolution.workers import OneProcess

Floats = NDArray[np.float64]
#: Points of a curve.
POINTS = 200


@dataclass(frozen=True)
class _Comparison:
    """Best scores so far (seeds, POINTS) of both after so many texts (POINTS,); the base cycle's score."""

    gait: str
    texts: Floats
    evolution: Floats
    random: Floats
    unadjusted: float

    def facts(self) -> dict[str, Any]:
        """The ends of all curves, as JSON has them."""
        return {
            "gait": self.gait,
            "texts": int(self.texts[-1]),
            "unadjusted": self.unadjusted,
            "evolution": self.evolution[:, -1].tolist(),
            "random": self.random[:, -1].tolist(),
            "times_better": float(np.median(self.random[:, -1]) / np.median(self.evolution[:, -1])),
        }


def _compare(problem: Adjusting, seeds: int, settings: BreedingSettings, workers: int = 1) -> _Comparison:
    """Both searches for seeds 1 to `seeds`, a process each where there are several workers."""
    jobs = [(problem, replace(settings, seed=seed)) for seed in range(1, seeds + 1)]
    if workers == 1:
        rows = [both(*job) for job in jobs]
    else:
        with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
            rows = list(pool.map(both, *zip(*jobs, strict=True)))
    evolution, random = (np.stack(curves) for curves in zip(*rows, strict=True))
    return _Comparison(problem.gait, _places(settings), evolution, random, problem.unadjusted())


def _places(settings: BreedingSettings) -> Floats:
    most = settings.population * (settings.generations + 1)
    return np.linspace(settings.population, most, POINTS)


def both(problem: Adjusting, settings: BreedingSettings) -> tuple[Floats, Floats]:
    """Best scores so far (POINTS,) of evolution and of a search at random, with one seed."""
    plan, at = EvolutionPlan(read_grammar(ADJUSTER_GRAMMAR), settings), _places(settings)
    evolved: list[tuple[int, float]] = []
    found: list[tuple[int, float]] = []
    # Members count, whether or not their texts were known: a search at random has no generation before.
    each = settings.population
    evolve(
        plan, OneProcess(problem), watch=lambda s: evolved.append((each * (s.generation + 1), s.best.score))
    )
    search(plan, OneProcess(problem), int(at[-1]), lambda s: found.append((s.scored, s.best.score)))
    return _sampled(evolved, at), _sampled(found, at)


def _sampled(found: list[tuple[int, float]], at: Floats) -> Floats:
    made, best = np.array(found).T
    places = np.clip(np.searchsorted(made, at, side="right") - 1, 0, len(best) - 1)
    return np.minimum.accumulate(best)[places]


def _draw(found: _Comparison, path: Path) -> None:
    """Write the picture, in the format of the path's ending."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7.5, 4.2), dpi=110)
    both = (("random search", found.random, "#b07d2b"), ("evolution", found.evolution, "#23657a"))
    for label, curves, colour in both:
        axes.fill_between(found.texts, curves.min(0), curves.max(0), color=colour, alpha=0.18, linewidth=0)
        axes.plot(found.texts, np.median(curves, axis=0), color=colour, label=label)
    axes.axhline(found.unadjusted, color="#777777", linestyle=":", label="unadjusted gait")
    axes.axhline(found.unadjusted / 10, color="#777777", linestyle="--", label="ten times better")
    axes.set_yscale("log")
    axes.set_xlabel("texts scored")
    axes.set_ylabel("best score so far (0 is perfect)")
    axes.set_title(f"{found.gait}: median and range of {len(found.evolution)} seeds", fontsize=10)
    axes.legend(frameon=False, fontsize=9)
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)


def main(arguments: list[str] | None = None) -> int:
    """Compare, draw, and print the ends as JSON."""
    parser = argparse.ArgumentParser(prog="python -m hoofbeat.offline.evolution.compare", description=__doc__)
    parser.add_argument("--gait", default="trot", choices=NATURAL_GAITS)
    parser.add_argument("--seeds", default=5, type=int)
    parser.add_argument("--population", default=100, type=int)
    parser.add_argument("--generations", default=100, type=int)
    parser.add_argument("--workers", default=1, type=int, help="processes, one seed each")
    parser.add_argument("-o", "--output", type=Path, help="the picture: .png, .webp or .svg")
    parser.add_argument("--json", type=Path, help="the ends of all curves")
    given = parser.parse_args(arguments)
    settings = BreedingSettings(population=given.population, generations=given.generations)
    found = _compare(adjusting(given.gait), given.seeds, settings, given.workers)
    text = json.dumps(found.facts(), indent=1)
    if given.output is not None:
        _draw(found, given.output)
    if given.json is not None:
        write_bytes(given.json, text.encode())
    sys.stdout.write(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
