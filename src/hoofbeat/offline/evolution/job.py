"""Job: one gait's adjuster from a grammar to a file, with a checkpoint after every generation."""

from __future__ import annotations

import dataclasses
import hashlib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from hoofbeat.errors import HoofbeatError
from hoofbeat.formats.adjusterfile import Adjuster, write_adjuster
from hoofbeat.formats.scenefile import THESIS_HORSE
from hoofbeat.methods.froude.model.inputs import HORSE_INPUTS
from hoofbeat.offline.evolution.adjusting import ADJUSTER_GRAMMAR, Adjusting, adjusting
from hoofbeat.offline.evolution.breeding import PENALTY, BreedingSettings
from hoofbeat.offline.evolution.checkpoint import (
    Checkpoint,
    CheckpointError,
    read_checkpoint,
    write_checkpoint,
)
from hoofbeat.offline.evolution.cluster import Cluster
from hoofbeat.offline.evolution.grammar import read_grammar
from hoofbeat.offline.evolution.run import EvolutionPlan, EvolutionState, Watch, evolve
from hoofbeat.offline.evolution.workers import OneProcess, Processes, Workers, WorkerWarning, kernels

Path_ = str | PathLike[str]


class EvolutionError(HoofbeatError):
    """A run that cannot begin, or that found nothing."""


@dataclass(frozen=True, eq=False)
class EvolutionJob:
    """A run to be done: the problem, its plan, where it stands (None: nowhere yet), and its checkpoint."""

    problem: Adjusting
    plan: EvolutionPlan
    state: EvolutionState | None
    checkpoint: Path

    def run(self, workers: Workers, watch: Watch | None = None) -> EvolutionState:
        """Evolve to the last generation, a checkpoint after each; watch is called with what is saved
        there."""

        def save(state: EvolutionState) -> None:
            if state.generation == 0:
                self._refuse_hopeless(state)
            found = Checkpoint(purpose(self.problem), self.plan, state, kernels())
            write_checkpoint(self.checkpoint, found)
            if watch is not None:
                watch(state)

        state = evolve(self.plan, workers, self.state, save)
        if state.best.score == PENALTY:
            raise EvolutionError("no text of any generation can be scored; look at the grammar")
        return state

    def _refuse_hopeless(self, state: EvolutionState) -> None:
        """A first generation of which nothing can be scored: say why, rather than search on."""
        if state.best.score < PENALTY:
            return
        first = next((m.reading for m in state.members if m.reading.text is not None), None)
        if first is None or first.text is None:
            reason = state.members[0].reading.reason
            raise EvolutionError(f"no random genome becomes a text: {reason}; change the grammar")
        try:
            self.problem.adjuster(first.text)
        except HoofbeatError as problem:
            raise EvolutionError(
                f"the grammar makes no adjusters: none of the first {len(state.members)} texts can be "
                f"scored, {problem}. The text begins: {first.text[:80]!r}"
            ) from None

    def result(self, state: EvolutionState) -> Adjuster:
        """The best adjuster of a state, with where it comes from in `made`."""
        settings = dataclasses.asdict(self.plan.settings)
        made: dict[str, Any] = {
            "by": "hoofbeat evolve",
            "score": round(state.best.score, 6),
            "unadjusted": round(self.problem.unadjusted(), 6),
            **settings,
            "generations": state.generation,
            "froudes": len(self.problem.wanted.froude),
            "grammar": digest(self.plan.grammar.text),
        }
        return self.problem.adjuster(state.best.reading.text or "", made)

    def write(self, state: EvolutionState, path: Path_) -> Adjuster:
        """Write the best adjuster of a state as a file."""
        adjuster = self.result(state)
        write_adjuster(adjuster, path)
        return adjuster


def digest(text: str) -> str:
    """A short name of a grammar's text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def purpose(problem: Adjusting) -> dict[str, str | float]:
    """What a checkpoint is for: two runs with the same can be joined."""
    parts = (*dataclasses.astuple(problem.limbs), *dataclasses.astuple(problem.wanted))
    data = b"".join(part.encode() if isinstance(part, str) else part.tobytes() for part in parts)
    low, high = problem.froude
    limbs = hashlib.sha256(data).hexdigest()[:12]
    return {"gait": problem.gait, "low": low, "high": high, "limbs": limbs}


def new_job(
    gait: str,
    settings: BreedingSettings,
    checkpoint: Path_,
    grammar: Path_ = ADJUSTER_GRAMMAR,
    inputs: Path_ = HORSE_INPUTS,
    scene: Path_ = THESIS_HORSE,
    fresh: bool = False,
) -> EvolutionJob:
    """A run from random genomes; an unfinished one at the same place is not written over unless `fresh`."""
    place = Path(checkpoint)
    if place.exists() and not fresh and not read_checkpoint(place).finished:
        raise CheckpointError(
            "an unfinished run is here: go on with it (--resume), or begin anew over it (--fresh)", place
        )
    return EvolutionJob(
        adjusting(gait, inputs, scene), EvolutionPlan(read_grammar(grammar), settings), None, place
    )


def resumed_job(
    checkpoint: Path_,
    asked: Mapping[str, Any],
    gait: str | None = None,
    grammar: Path_ | None = None,
    inputs: Path_ = HORSE_INPUTS,
    scene: Path_ = THESIS_HORSE,
) -> EvolutionJob:
    """A run from its checkpoint, with the settings there; what is asked for must agree with them.

    Only `generations` may be another number, not below those that are done.
    """
    place = Path(checkpoint)
    found = read_checkpoint(place)
    plan = found.plan
    before: dict[str, Any] = {**dataclasses.asdict(plan.settings), "gait": found.purpose.get("gait")}
    wanted = {**asked, **({} if gait is None else {"gait": gait})}
    for key, value in wanted.items():
        if key != "generations" and value != before.get(key):
            raise CheckpointError(f"{key}: the run here has {before.get(key)}, asked for is {value}", place)
    if grammar is not None and read_grammar(grammar) != plan.grammar:
        raise CheckpointError(f"the run here has another grammar than {grammar}", place)
    problem = adjusting(str(before["gait"]), inputs, scene)
    if purpose(problem) != dict(found.purpose):
        raise CheckpointError("the run here was made for other base cycles, ranges or limbs", place)
    generations = asked.get("generations", plan.settings.generations)
    if generations < found.state.generation:
        done = found.state.generation
        raise CheckpointError(f"generations: {done} are done already, asked for are {generations}", place)
    if found.kernels != kernels():
        reason = "the run here was scored by another version of hoofbeat, Numba or Python; its end may differ"
        warnings.warn(reason, WorkerWarning, stacklevel=2)
    settings = replace(plan.settings, generations=generations)
    return EvolutionJob(problem, replace(plan, settings=settings), found.state, place)


def workers_for(problem: Adjusting, workers: int = 1, cluster: str | None = None) -> Workers:
    """One process, several, or a Dask cluster."""
    if cluster is not None:
        return Cluster(problem, cluster)
    return OneProcess(problem) if workers == 1 else Processes(problem, workers)
