"""Genome: a row of whole numbers, the codons, and the text that a grammar reads from it.

The leftmost name is written out first. A rule with several alternatives reads the next codon, modulo
their number; a rule with one needs none. At the end of the genome reading goes on at its beginning
(wrapping). Limits on wraps, depth, length and steps make every reading end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from hoofbeat.errors import HoofbeatError
from hoofbeat.offline.evolution.grammar import Alternative, Grammar, Rule
from hoofbeat.offline.evolution.rng import Rng

#: Codons are whole numbers in [0, CODONS): far more than alternatives, so that the modulo is even.
CODONS = 1 << 16
#: Rules written out while reading one genome; only a grammar that grows without codons comes near.
MAX_STEPS = 20_000
#: Codons of one genome; what a random text needs beyond this is cut off, and read by wrapping.
MAX_CODONS = 4096

Genome = tuple[int, ...]


class LimitError(HoofbeatError):
    """Limits that no text of the grammar can keep."""


@dataclass(frozen=True)
class GenomeLimits:
    """wraps: times that reading begins again; depth: rules inside one another; length: characters."""

    wraps: int = 2
    depth: int = 40
    length: int = 16_384

    def check(self, grammar: Grammar) -> None:
        """Refuse limits that even the grammar's smallest text breaks."""
        for what, least, most in (
            ("depth", grammar.start.depth, self.depth),
            ("length", grammar.shortest, self.length),
        ):
            if least > most:
                raise LimitError(
                    f"<{grammar.start.name}>: the smallest text has {what} {least}, allowed are {most}; "
                    "make the grammar smaller or allow more"
                )


@dataclass(frozen=True)
class GenomeReading:
    """What a genome says: text, or None with the reason; used: codons that were read, wraps not counted."""

    text: str | None
    used: int
    reason: str = ""


def read_genome(grammar: Grammar, genome: Sequence[int], limits: GenomeLimits) -> GenomeReading:
    """The text of a genome; every genome is answered, if only by the limit that it breaks."""
    used = 0
    most = len(genome) * (limits.wraps + 1)

    def choose(rule: Rule, depth: int) -> Alternative | None:
        nonlocal used
        del depth
        if used >= most:
            return None
        used += 1
        return rule.alternatives[genome[(used - 1) % len(genome)] % len(rule.alternatives)]

    text, reason = _written_out(grammar, choose, limits)
    if used >= most and text is None and not reason:
        reason = f"{len(genome)} codons, read {limits.wraps + 1} times, are not enough"
    return GenomeReading(text, min(used, len(genome)), reason)


def random_genome(grammar: Grammar, rng: Rng, depth: int, full: bool, limits: GenomeLimits) -> Genome:
    """Codons of a random text whose rules go at most `depth` inside one another.

    full: chooses alternatives that lead on for as long as the depth allows, else any that fits. Half as
    many codons that nothing reads yet follow, at least eight.
    """
    codons: list[int] = []

    def choose(rule: Rule, at: int) -> Alternative:
        choices = rule.alternatives
        fitting = [k for k, one in enumerate(choices) if at + one.depth <= depth]
        if full:
            fitting = [k for k in fitting if choices[k].recursive] or fitting
        if not fitting:
            fitting = [min(range(len(choices)), key=lambda k: choices[k].depth)]
        choice = fitting[rng.whole(len(fitting))]
        codons.append(choice + len(choices) * rng.whole(CODONS // len(choices)))
        return choices[choice]

    _written_out(grammar, choose, limits)
    tail = max(8, len(codons) // 2)
    return (*codons, *(rng.whole(CODONS) for _ in range(tail)))[:MAX_CODONS]


def _written_out(
    grammar: Grammar, choose: Callable[[Rule, int], Alternative | None], limits: GenomeLimits
) -> tuple[str | None, str]:
    """The text that a choice at every rule makes, or None with the reason ("" when no choice was left)."""
    rules = grammar.rules
    open_: list[Iterator[int | str]] = [iter((0,))]  # what is left of each rule that is being written out
    written: list[str] = []
    length = steps = 0
    while open_:
        part = next(open_[-1], None)
        if part is None:
            open_.pop()
        elif isinstance(part, str):
            written.append(part)
            length += len(part)
            if length > limits.length:
                return None, f"the text is longer than {limits.length} characters"
        else:
            steps += 1
            depth = len(open_)
            if depth > limits.depth:
                return None, f"rules stand more than {limits.depth} deep inside one another"
            if steps > MAX_STEPS:
                return None, f"more than {MAX_STEPS} rules were written out"
            choices = rules[part].alternatives
            chosen = choices[0] if len(choices) == 1 else choose(rules[part], depth)
            if chosen is None:
                return None, ""
            open_.append(iter(chosen.parts))
    return "".join(written), ""
