"""Breeding: the first generation, and how members become parents of the next.

Every choice is made with the random numbers of the place that it fills, so that places can be filled in any
order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from hoofbeat.errors import HoofbeatError
from hoofbeat.offline.evolution.genome import (
    CODONS,
    Genome,
    GenomeLimits,
    GenomeReading,
    random_genome,
    read_genome,
)
from hoofbeat.offline.evolution.grammar import Grammar
from hoofbeat.offline.evolution.rng import Rng

#: Error of a member that says nothing, or nothing that can be scored.
PENALTY = math.inf
#: Tries for a child whose text is in neither generation yet; a twin teaches nothing.
TRIES = 4


class SettingError(HoofbeatError):
    """A setting of evolution that is out of its range."""


@dataclass(frozen=True)
class BreedingSettings:
    """How evolution runs; the defaults are those of the shipped adjusters.

    seed: any whole number from 0; population: members of a generation; generations: counted without
    the first, random one; tournament: members drawn for one parent, the best of them wins; crossover: how
    often two parents are joined, else one is copied; mutation: codons changed in a child, on average;
    nudge: part of these that move by one alternative, the others become any; elites: best members that
    are kept as they are, in a small population all but one at most; ramp: levels of depth that the first
    generation is spread over.
    """

    seed: int = 1
    population: int = 100
    generations: int = 100
    tournament: int = 8
    crossover: float = 0.9
    mutation: float = 2.0
    nudge: float = 0.5
    elites: int = 4
    ramp: int = 6

    def __post_init__(self) -> None:
        for one in fields(self):
            low, high = _RANGES[one.name]
            value = getattr(self, one.name)
            whole = isinstance(one.default, int)
            if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
                raise SettingError(f"{one.name}: expected a {'whole ' * whole}number, given {value!r}")
            if not low <= value <= high:
                raise SettingError(f"{one.name}: expected {low:g} to {high:g}, given {value}")


_RANGES = {
    "seed": (0, 2**32 - 1),
    "population": (2, 100_000),
    "generations": (0, 1_000_000),
    "tournament": (1, 1000),
    "crossover": (0.0, 1.0),
    "mutation": (0.0, 1000.0),
    "nudge": (0.0, 1.0),
    "elites": (0, 50),
    "ramp": (1, 100),
}


@dataclass(frozen=True)
class Member:
    """A genome, what it says, and how far that is from what is wanted (PENALTY where it says nothing)."""

    genome: Genome
    reading: GenomeReading
    score: float = PENALTY

    def rank(self) -> tuple[float, int, Genome]:
        """What members are sorted by: less score, then less text, then an order that is always the same."""
        length = math.inf if self.reading.text is None else len(self.reading.text)
        return (self.score, int(min(length, 1 << 40)), self.genome)


def first_members(grammar: Grammar, settings: BreedingSettings, limits: GenomeLimits) -> list[Member]:
    """Random members, all of them different where the grammar can say enough."""
    made: list[Member] = []
    known: set[str | None] = set()
    for place in range(settings.population):
        rng = Rng(settings.seed, 0, place)
        tries = (random_member(grammar, settings, limits, place, rng) for _ in range(TRIES))
        made.append(_new(tries, known))
    return made


def _new(tries: Iterator[Member], known: set[str | None]) -> Member:
    """The first of a few whose text is not known yet, or the last of them; its text is known then."""
    member = next(tries)
    while member.reading.text in known:
        another = next(tries, None)
        if another is None:
            break
        member = another
    known.add(member.reading.text)
    return member


def random_member(
    grammar: Grammar, settings: BreedingSettings, limits: GenomeLimits, place: int, rng: Rng
) -> Member:
    """A member at random: depths are ramped over the places, every other one is full."""
    least = grammar.start.depth
    levels = max(1, min(settings.ramp, limits.depth - least + 1))
    genome = random_genome(grammar, rng, least + (place // 2) % levels, place % 2 == 0, limits)
    return Member(genome, read_genome(grammar, genome, limits))


def next_members(
    grammar: Grammar,
    settings: BreedingSettings,
    limits: GenomeLimits,
    ranked: Sequence[Member],
    generation: int,
) -> list[Member]:
    """The next generation from the members of the last, best first: elites, then children."""
    made = list(ranked[: min(settings.elites, settings.population - 1)])
    known: set[str | None] = {member.reading.text for member in ranked}
    for place in range(len(made), settings.population):
        rng = Rng(settings.seed, generation, place)
        genomes = (_child(settings, ranked, rng) for _ in range(TRIES))
        tries = (Member(genome, read_genome(grammar, genome, limits)) for genome in genomes)
        made.append(_new(tries, known))
    return made


def _child(settings: BreedingSettings, ranked: Sequence[Member], rng: Rng) -> Genome:
    mother = _parent(settings, ranked, rng)
    codons = list(mother.genome)
    used = mother.reading.used
    if rng.chance(settings.crossover):
        father = _parent(settings, ranked, rng)
        used = max(1, min(used, father.reading.used))
        point = rng.whole(used)
        codons = codons[:point] + list(father.genome[point:])
        used = max(used, father.reading.used)
    _mutate(codons, min(used, len(codons)), settings, rng)
    return tuple(codons)


def _parent(settings: BreedingSettings, ranked: Sequence[Member], rng: Rng) -> Member:
    """The best of a few: members are ranked, so the least place wins."""
    return ranked[min(rng.whole(len(ranked)) for _ in range(settings.tournament))]


def _mutate(codons: list[int], used: int, settings: BreedingSettings, rng: Rng) -> None:
    """Change codons that are read: some by one, which chooses the neighbouring alternative, some to any."""
    # Most children differ in a few codons, some in many: the number falls off as a geometric row does.
    again = settings.mutation / (1.0 + settings.mutation)
    while used and rng.chance(again):
        at = rng.whole(used)
        if rng.chance(settings.nudge):
            codons[at] = (codons[at] + (1 if rng.chance(0.5) else -1)) % CODONS
        else:
            codons[at] = rng.whole(CODONS)
