"""Checkpoint: a run on disk after every generation, as JSON, written whole or not at all."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from hoofbeat.errors import FileError, HoofbeatError
from hoofbeat.formats.files import read_bytes, write_bytes
from hoofbeat.offline.evolution.breeding import PENALTY, BreedingSettings, Member
from hoofbeat.offline.evolution.genome import CODONS, MAX_CODONS, GenomeLimits, read_genome
from hoofbeat.offline.evolution.grammar import parse_grammar
from hoofbeat.offline.evolution.run import EvolutionPlan, EvolutionState

SCHEMA = "hoofbeat.evolution/1"
#: The largest checkpoint that is read [bytes].
MAX_BYTES = 1 << 30


class CheckpointError(FileError):
    """A checkpoint that cannot be read, or that belongs to another run."""


@dataclass(frozen=True)
class Checkpoint:
    """A plan and where it stands; purpose: what it is for, the gait; kernels: the version that scored."""

    purpose: Mapping[str, str | float]
    plan: EvolutionPlan
    state: EvolutionState
    kernels: str

    @property
    def finished(self) -> bool:
        """Whether its last generation is done."""
        return self.state.generation >= self.plan.settings.generations


def write_checkpoint(path: str | PathLike[str], checkpoint: Checkpoint) -> None:
    """Put a run on disk; a kill at any moment leaves the checkpoint before or this one."""
    plan, state = checkpoint.plan, checkpoint.state
    facts = {
        "schema": SCHEMA,
        "purpose": dict(checkpoint.purpose),
        "kernels": checkpoint.kernels,
        "settings": dataclasses.asdict(plan.settings),
        "limits": dataclasses.asdict(plan.limits),
        "grammar": plan.grammar.text,
        "generation": state.generation,
        "scored": state.scored,
        "history": [_as_json(score) for score in state.history],
        "members": [{"score": _as_json(m.score), "genome": m.genome} for m in state.members],
    }
    write_bytes(path, json.dumps(facts, allow_nan=False).encode(), CheckpointError)


def read_checkpoint(path: str | PathLike[str]) -> Checkpoint:
    """A run from disk, every value checked; CheckpointError names what is wrong."""
    data = read_bytes(path, MAX_BYTES, CheckpointError)
    try:
        facts = json.loads(data)
    except (ValueError, RecursionError) as problem:
        raise CheckpointError(f"is not JSON ({problem}); begin anew", path) from None
    if not isinstance(facts, dict) or facts.get("schema") != SCHEMA:
        raise CheckpointError(f"is no checkpoint of evolution ({SCHEMA})", path)
    try:
        return _checkpoint(facts)
    except HoofbeatError as problem:
        raise CheckpointError(f"cannot be used: {problem}; begin anew", path) from None
    except (KeyError, TypeError, ValueError, OverflowError) as problem:
        reason = f"{type(problem).__name__} {problem}"
        raise CheckpointError(f"is damaged ({reason}); begin anew", path) from None


def _checkpoint(facts: dict[str, Any]) -> Checkpoint:
    grammar = parse_grammar(_text(facts["grammar"]))
    limits = GenomeLimits(**{key: _count(value) for key, value in _mapping(facts["limits"]).items()})
    plan = EvolutionPlan(grammar, BreedingSettings(**_mapping(facts["settings"])), limits)
    generation, scored = _count(facts["generation"]), _count(facts["scored"])
    history = tuple(_score(value) for value in facts["history"])
    members = tuple(_member(entry, plan) for entry in facts["members"])
    if len(members) != plan.settings.population:
        raise ValueError(f"{len(members)} members instead of {plan.settings.population}")
    if len(history) != generation + 1 or generation > plan.settings.generations:
        raise ValueError(f"generation {generation} with a history of {len(history)}")
    if any(a.rank() > b.rank() for a, b in zip(members, members[1:], strict=False)):
        raise ValueError("members are not in order")
    return Checkpoint(
        _mapping(facts["purpose"]),
        plan,
        EvolutionState(generation, members, history, scored),
        _text(facts["kernels"]),
    )


def _member(entry: dict[str, Any], plan: EvolutionPlan) -> Member:
    genome = tuple(_count(codon) for codon in entry["genome"])
    if len(genome) > MAX_CODONS or any(codon >= CODONS for codon in genome):
        raise ValueError("a genome with too many or too large codons")
    return Member(genome, read_genome(plan.grammar, genome, plan.limits), _score(entry["score"]))


def _mapping(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("expected a mapping")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("expected a text")
    return value


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError("expected a whole number from 0")
    return value


def _as_json(score: float) -> float | None:
    """JSON has no infinity; the digits of a float are written so that they read back to the same bits."""
    return score if math.isfinite(score) else None


def _score(value: object) -> float:
    if value is None:
        return PENALTY
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < math.inf:
        raise TypeError("expected a score from 0, or null")
    return float(value)
