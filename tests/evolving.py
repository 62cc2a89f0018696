"""A problem that evolves in a second: postfix expressions of t that should be a given curve."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.errors import ExpressionError
from hoofbeat.maths.expressions.program import compile_expression, evaluate, pack
from hoofbeat.offline.evolution.breeding import BreedingSettings
from hoofbeat.offline.evolution.grammar import parse_grammar
from hoofbeat.offline.evolution.run import EvolutionPlan

CURVES = parse_grammar(
    """
    <curve>  ::= <term> | <term> " " <curve> " +" | <term> " " <curve> " -"
    <term>   ::= <number> " " <wave> " *"
    <wave>   ::= "t" | "t t *" | <number> " rsin1" | <number> " rsin2"
    <number> ::= <digit> "." <digit>
    <digit>  ::= "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9"
    """
)
PHASE = np.linspace(0, 1, 33)
TARGET = 0.5 * np.sin(2 * np.pi * PHASE) + PHASE**2


@dataclass(frozen=True)
class Fitting:
    """Root mean square distance to TARGET; pause: seconds a text; deadly: a file whose maker dies once."""

    pause: float = 0.0
    deadly: str = ""

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Scores of the texts, (N,)."""
        if self.deadly and not os.path.exists(self.deadly):
            # Another worker may have made it since: then that one dies.
            with contextlib.suppress(FileExistsError), open(self.deadly, "x"):
                os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(self.pause * len(texts))
        return np.array([self._score(text) for text in texts])

    def _score(self, text: str) -> float:
        try:
            values = evaluate(pack([compile_expression(text)]), PHASE)[..., 0]
        except ExpressionError:
            return float("nan")  # too long or too deep for the machine
        return float(np.sqrt(np.mean((values - TARGET) ** 2)))


@dataclass(frozen=True)
class Deadly:
    """A problem that ends every process that works on it."""

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Never anything."""
        del texts
        os.kill(os.getpid(), signal.SIGKILL)
        return np.zeros(0)


def plan(seed: int = 1, population: int = 30, generations: int = 8) -> EvolutionPlan:
    """A short run."""
    return EvolutionPlan(CURVES, BreedingSettings(seed, population, generations, tournament=3))
