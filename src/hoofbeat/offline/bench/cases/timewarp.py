"""What method `timewarp` costs: one horse, herds of 100, 1000 and 10,000, half of them turning or changing.

The herd is that of bench_engine: it stands, goes in every gait and turns all at once. FK alone of as many
characters in the same rounds is the yardstick.
"""

from __future__ import annotations

from hoofbeat.offline.bench.cases.engine import Mixed, horse_gate, step_and_fk, time_horse
from hoofbeat.offline.bench.report import Bench, Figure, Gate

ROUNDS = 15
#: A herd of this many may cost at most so many times FK alone, a character.
GATE_SIZE, AGAINST_FK = 1000, 20.0
#: One step of one horse, everything included [us].
HORSE_STEP = 60.0
SIZES = (100, 1000, 10_000)
#: The dearest size costs at most so many times the cheapest, a character.
FLAT = 1.6
SETTLE = 600


def _herd_gate(ratio: float) -> Gate:
    """The promise about a herd, as a ratio to FK alone."""
    return Gate(f"timewarp: Herd({GATE_SIZE}).step over FK alone", ratio, AGAINST_FK, at_least=False)


def _run_herd_gate(rounds: int = ROUNDS, settle: int = SETTLE) -> Gate:
    """Only what the herd's gate needs."""
    step, fk = step_and_fk(Mixed(GATE_SIZE, settle, "timewarp"), rounds)
    return _herd_gate(step / fk)


def run(sizes: tuple[int, ...] = SIZES, rounds: int = ROUNDS, settle: int = SETTLE) -> Bench:
    """Time one horse and herds of the given sizes, each under mixed commands."""
    one, python = time_horse(2 * rounds, "timewarp")
    figures = [Figure("Horse.step", one, "us", f"{one / python:.3f} of the Python yardstick")]
    gates = [horse_gate(one, python, HORSE_STEP)]
    costs: list[float] = []
    for size in sizes:
        step, fk = step_and_fk(Mixed(size, settle, "timewarp"), rounds)
        costs.append(step)
        words = f"{step / fk:.1f} times FK alone ({fk:.3f} us)"
        figures.append(Figure(f"Herd({size}).step", step, "us/character", words))
        if size == GATE_SIZE:
            gates.append(_herd_gate(step / fk))
    spread = max(costs) / min(costs)
    gates.append(Gate("dearest herd over cheapest, a character", spread, FLAT, at_least=False))
    return Bench(
        "timewarp", "Steps of method timewarp: 55 nodes, 60 Hz, half turning or changing gait", figures, gates
    )
