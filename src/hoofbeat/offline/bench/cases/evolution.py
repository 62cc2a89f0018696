"""What evolution costs: some generations of a run in one process, and where the time goes.

The promise is 100 members for 100 generations in 30 s on two cores. One process alone has to keep it here:
seconds of the processor, which other programs do not change.
"""

from __future__ import annotations

from hoofbeat.methods.froude.model.limb import packed, scores
from hoofbeat.offline.bench import yardstick
from hoofbeat.offline.bench.report import Bench, Figure, Gate
from hoofbeat.offline.bench.yardstick import best
from hoofbeat.offline.evolution.adjusting import ADJUSTER_GRAMMAR, adjusting
from hoofbeat.offline.evolution.breeding import BreedingSettings, next_members
from hoofbeat.offline.evolution.grammar import read_grammar
from hoofbeat.offline.evolution.run import EvolutionPlan, evolve
from hoofbeat.offline.evolution.workers import OneProcess

#: Members and generations of the promise, and its seconds.
MEMBERS, GENERATIONS, SECONDS = 100, 100, 30.0
#: Generations that are timed; the first of a run have more new texts than the others.
TIMED = 5
ROUNDS = 2


def run(members: int = MEMBERS, timed: int = TIMED, rounds: int = ROUNDS) -> Bench:
    """Times of a generation, and what a whole run of one process would need at the reference's speed."""
    problem = adjusting("trot")
    plan = EvolutionPlan(
        read_grammar(ADJUSTER_GRAMMAR), BreedingSettings(population=members, generations=timed)
    )
    workers = OneProcess(problem)
    state = evolve(plan, workers)  # compiles, too
    texts = [m.reading.text for m in state.members if m.reading.text is not None]
    programs = packed([problem.adjuster(text) for text in texts])
    seeds = iter(range(100, 100 + rounds))

    def another() -> None:
        settings = BreedingSettings(seed=next(seeds), population=members, generations=timed)
        evolve(EvolutionPlan(plan.grammar, settings), workers)

    calls = {
        "run": another,
        "breed": lambda: next_members(plan.grammar, plan.settings, plan.limits, state.members, timed + 1),
        "measure": lambda: scores(problem.limbs, programs, problem.wanted),
        "python": yardstick.python_loop,
    }
    times = best(calls, rounds)
    each = times["run"] / (timed + 1)
    rest = each - times["breed"] - times["measure"]
    slower = max(times["python"] / yardstick.REFERENCE_PYTHON, 1.0)
    whole = each * (GENERATIONS + 1) * MEMBERS / members / slower
    promise = f"{MEMBERS} members for {GENERATIONS} generations in one process, at the reference's speed"
    figures = [
        Figure(label, seconds / members * 1e6, "µs", "a member")
        for label, seconds in (
            ("breeding, from parents to a text", times["breed"]),
            ("reading and compiling the text", rest),
            ("measuring the limb, one kernel for all", times["measure"]),
        )
    ]
    gate = Gate(promise, whole, SECONDS, at_least=False, unit="s")
    return Bench("evolution", f"Evolving an adjuster, generations of {members}", figures, [gate])
