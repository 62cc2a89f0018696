"""hoofbeat evolve: gait adjusters by grammatical evolution."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoofbeat.cli.console import emit, note, say, working
from hoofbeat.cli.reports import EvolveReport, file_facts

if TYPE_CHECKING:
    from hoofbeat.offline.evolution.job import EvolutionJob
    from hoofbeat.offline.evolution.run import EvolutionState

#: What stands after the adjuster's name in that of its checkpoint.
CHECKPOINT = ".evolution.json"
#: Help panels.
RUN, WHO = "How it runs", "Who works, and where it is kept"

Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="Adjuster file to write; adjuster-GAIT.yaml by default.")
]
Seed = Annotated[int | None, typer.Option(help="Any whole number from 0; 1 by default.", rich_help_panel=RUN)]
Population = Annotated[
    int | None, typer.Option(help="Members of a generation; 100 by default.", rich_help_panel=RUN)
]
Generations = Annotated[
    int | None,
    typer.Option(help="Generations after the random one; 100 by default.", rich_help_panel=RUN),
]
Grammar = Annotated[
    Path | None, typer.Option(help="BNF grammar; the shipped one by default.", rich_help_panel=RUN)
]
Inputs = Annotated[
    Path | None,
    typer.Option(help="Inputs of method froude: base cycles and ranges; the horse's.", rich_help_panel=RUN),
]
Workers = Annotated[int, typer.Option(help="Processes that score.", rich_help_panel=WHO)]
Cluster = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Dask scheduler whose workers score.", rich_help_panel=WHO),
]
Checkpoint = Annotated[
    Path | None,
    typer.Option(help=f"Where the run is kept; OUT{CHECKPOINT} by default.", rich_help_panel=WHO),
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint.", rich_help_panel=WHO)]
Fresh = Annotated[
    bool, typer.Option("--fresh", help="Begin anew over an unfinished checkpoint.", rich_help_panel=WHO)
]


def evolve(
    gait: Annotated[str, typer.Option(help="walk, trot, canter or gallop.")],
    out: Out = None,
    seed: Seed = None,
    population: Population = None,
    generations: Generations = None,
    grammar: Grammar = None,
    inputs: Inputs = None,
    workers: Workers = 1,
    cluster: Cluster = None,
    checkpoint: Checkpoint = None,
    resume: Resume = False,
    fresh: Fresh = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a report as JSON.")] = False,
) -> None:
    """Evolve a gait's adjuster, so that its limbs do what dynamic similarity asks at every Froude number.

    hoofbeat evolve --gait walk --workers 2

    hoofbeat evolve --gait walk --resume --generations 200

    The same seed gives the same adjuster with any number of workers, and after any interruption.
    """
    from hoofbeat.offline.evolution.job import workers_for

    target = Path(f"adjuster-{gait}.yaml") if out is None else out
    place = target.with_name(target.name + CHECKPOINT) if checkpoint is None else checkpoint
    given = {"seed": seed, "population": population, "generations": generations}
    asked = {key: value for key, value in given.items() if value is not None}
    job = _job(gait, place, asked, resume, fresh, grammar, inputs)
    _tell_unused(job)
    began, scorers = time.monotonic(), workers_for(job.problem, workers, cluster)
    state = _shown(job, scorers)
    job.write(state, target)
    unadjusted, first = job.problem.unadjusted(), None if job.state is None else job.state.generation
    report = EvolveReport(
        gait=job.problem.gait,
        seed=job.plan.settings.seed,
        population=job.plan.settings.population,
        generations=state.generation,
        resumed_at=first,
        scored=state.scored,
        score=state.best.score,
        unadjusted=unadjusted,
        times_better=unadjusted / state.best.score if state.best.score else float("inf"),
        history=list(state.history),
        seconds=time.monotonic() - began,
        files=file_facts([target, place]),
    )
    if as_json:
        emit(report)
        return
    say(
        f"{report.gait}: score {report.score:.4f}, {report.times_better:.1f} times better than the "
        f"unadjusted {unadjusted:.4f}; {report.generations} generations of {report.population}, seed "
        f"{report.seed}, {report.seconds:.1f} s"
    )
    say(str(target))
    say(f'ride it: hb.Horse("froude", adjuster="{target}"), or in a plan with method: froude')
    say(f"  and options: {{adjuster: {target}}}")


def _tell_unused(job: EvolutionJob) -> None:
    """A note for every rule of the grammar that no phrase can use."""
    for rule in job.plan.grammar.unused:
        note(f"the grammar's <{rule}> is never reached from <{job.plan.grammar.start.name}>")


def _job(
    gait: str,
    place: Path,
    asked: dict[str, Any],
    resume: bool,
    fresh: bool,
    grammar: Path | None,
    inputs: Path | None,
) -> EvolutionJob:
    from hoofbeat.methods.froude.model.inputs import HORSE_INPUTS
    from hoofbeat.offline.evolution.adjusting import ADJUSTER_GRAMMAR
    from hoofbeat.offline.evolution.breeding import BreedingSettings
    from hoofbeat.offline.evolution.job import new_job, resumed_job

    if resume:
        return resumed_job(place, asked, gait, grammar, inputs or HORSE_INPUTS)
    return new_job(
        gait,
        BreedingSettings(**asked),
        place,
        grammar or ADJUSTER_GRAMMAR,
        inputs or HORSE_INPUTS,
        fresh=fresh,
    )


def _shown(job: EvolutionJob, scorers: Any) -> EvolutionState:
    """Run with a bar that shows the best score; an interrupted run says how to go on."""
    total = job.plan.settings.generations
    with working(f"evolving {job.problem.gait}") as update:

        def watch(state: EvolutionState) -> None:
            words = f"evolving {job.problem.gait}, generation {state.generation}, best {state.best.score:.4f}"
            update(state.generation, total, words)

        try:
            with scorers:
                return job.run(scorers, watch)
        except KeyboardInterrupt:
            if job.checkpoint.exists():
                note(f"the run is kept in {job.checkpoint}: go on with --resume")
            raise
