"""Run: generation after generation, from a random one or from where an earlier run stopped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hoofbeat.offline.evolution.breeding import (
    PENALTY,
    BreedingSettings,
    Member,
    first_members,
    next_members,
    random_member,
)
from hoofbeat.offline.evolution.genome import GenomeLimits
from hoofbeat.offline.evolution.grammar import Grammar
from hoofbeat.offline.evolution.rng import Rng
from hoofbeat.offline.evolution.workers import Workers

#: Members that a search at random makes at once.
BATCH = 500
#: The stream of numbers for a random search, separate from every generation's.
AT_RANDOM = -1


@dataclass(frozen=True)
class EvolutionState:
    """Where a run stands: the generation (0 is the random one), its members best first, and how it got there.

    history: the least score of every generation so far, (generation + 1,); scored: texts worked out.
    """

    generation: int
    members: tuple[Member, ...]
    history: tuple[float, ...]
    scored: int

    @property
    def best(self) -> Member:
        """The member with the least score."""
        return self.members[0]


@dataclass(frozen=True)
class EvolutionPlan:
    """What a run is made of, apart from its workers: the same plan gives the same members."""

    grammar: Grammar
    settings: BreedingSettings = BreedingSettings()
    limits: GenomeLimits = GenomeLimits()

    def __post_init__(self) -> None:
        self.limits.check(self.grammar)


Watch = Callable[[EvolutionState], None]


def evolve(
    plan: EvolutionPlan, workers: Workers, state: EvolutionState | None = None, watch: Watch | None = None
) -> EvolutionState:
    """Run to the last generation, from `state` or from random genomes.

    watch is called with every new state, the random one included; a checkpoint written there is all that
    another run needs to go on.
    """
    settings = plan.settings
    if state is None:
        state = _scored(first_members(plan.grammar, settings, plan.limits), workers, 0, (), 0)
        _notify(watch, state)
    while state.generation < settings.generations:
        number = state.generation + 1
        members = next_members(plan.grammar, settings, plan.limits, state.members, number)
        state = _scored(members, workers, number, state.history, state.scored, state.members)
        _notify(watch, state)
    return state


def search(plan: EvolutionPlan, workers: Workers, count: int, watch: Watch | None = None) -> EvolutionState:
    """The best of `count` random members, made as those of a first generation: what evolution has to beat.

    Batches stand in the place of generations; watch is called after each.
    """
    state = EvolutionState(-1, (), (), 0)
    made = 0
    while made < count:
        places = range(made, min(made + BATCH, count))
        members = [
            random_member(
                plan.grammar, plan.settings, plan.limits, place, Rng(plan.settings.seed, AT_RANDOM, place)
            )
            for place in places
        ]
        found = _scored([*state.members[:1], *members], workers, state.generation + 1, state.history, made)
        state = replace(found, members=found.members[:1], scored=made + len(members))
        made += len(members)
        _notify(watch, state)
    return state


def _notify(watch: Watch | None, state: EvolutionState) -> None:
    if watch is not None:
        watch(state)


def _scored(
    members: Sequence[Member],
    workers: Workers,
    generation: int,
    history: tuple[float, ...],
    scored: int,
    known: Sequence[Member] = (),
) -> EvolutionState:
    """The members with their scores, best first; a text is worked out once, and not again if it is known."""
    scores = {member.reading.text: member.score for member in known}
    texts = list(dict.fromkeys(m.reading.text for m in members if m.reading.text is not None))
    new = [text for text in texts if text not in scores]
    if new:
        found = np.asarray(workers.scores(new), np.float64)
        # Whatever is no number cannot be ranked.
        scores |= dict(zip(new, np.where(np.isnan(found), PENALTY, found).tolist(), strict=True))
    scores[None] = PENALTY
    ranked = sorted((replace(m, score=scores[m.reading.text]) for m in members), key=Member.rank)
    return EvolutionState(generation, tuple(ranked), (*history, ranked[0].score), scored + len(new))
