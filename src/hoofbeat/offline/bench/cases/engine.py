"""Microseconds a step: one horse, herds of 1, 100 and 1000, and where the time goes.

A herd here stands, walks, trots, gallops and turns all at once, and one character in eight is asked for
another gait every two seconds, so that some are always between two. Forward kinematics alone of as
many characters, float32, in the same rounds, is the yardstick that the gates are ratios of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np

from hoofbeat.horse import Herd, Horse
from hoofbeat.maths.fk import fk_kernel
from hoofbeat.offline.bench import yardstick
from hoofbeat.offline.bench.report import Bench, Figure, Gate
from hoofbeat.offline.bench.yardstick import best, repeated_call
from hoofbeat.records import Command

ROUNDS = 25
SIZES = (1, 100, 1000)
#: A herd of this many may cost at most so many times FK alone, a character.
GATE_SIZE, AGAINST_FK = 1000, 15.0
#: One step of one horse, everything included [us].
HORSE_STEP = 100.0
DT = 1 / 60
#: Speeds of a mixed herd: standing, and these parts of every gait's band. One more group changes gait.
PARTS = (0.3, 0.8)
#: Commands of a changing character hold so many steps; there are as many tables as moments to change at.
HOLD, TABLES = 120, 8
#: Simulated time before the clock starts [steps]: every gait is reached and phases are spread.
SETTLE = 900


class _Rider:
    """Commands for a mixed herd, the same every time; `next` is the command of the next step."""

    def __init__(self, herd: Herd) -> None:
        count, bands = len(herd), herd.method.bands
        speeds = [0.0, *(low + part * (high - low) for low, high in bands[1:] for part in PARTS)]
        slow, fast = speeds[len(PARTS)], speeds[len(PARTS) + 1]  # either side of the first border
        group = np.arange(count) % (len(speeds) + 1)
        rng = np.random.default_rng(7)
        # Nobody in step with anybody: speeds differ a little, and every other one turns.
        steady = np.append(speeds, 0.0)[group] * rng.uniform(0.95, 1.05, count)
        turns = rng.uniform(-0.6, 0.6, count) * (rng.random(count) < 0.5)
        if count == 1:
            steady, turns = np.array([fast]), np.array([0.3])
        changing = group == len(speeds)
        moment = np.arange(count) // (len(speeds) + 1) % TABLES
        self._tables: list[Command] = []
        for table in range(TABLES):
            asked = np.where((table + moment) % TABLES < TABLES // 2, fast, slow)
            self._tables.append(Command(speed=np.where(changing, asked, steady), turn=turns))
        self._tick = 0

    def next(self) -> Command:
        """The command of this step."""
        self._tick += 1
        return self._tables[self._tick * TABLES // (2 * HOLD) % TABLES]


class Mixed:
    """A herd under its rider, already in motion."""

    def __init__(self, count: int, settle: int = SETTLE, method: str = "actions") -> None:
        self.herd = Herd(count, method, seed=1)
        self.rider = _Rider(self.herd)
        for _ in range(settle):
            self.step()

    def step(self) -> None:
        """One step of all."""
        self.herd.step(self.rider.next(), DT)


def fk_alone(herd: Herd) -> Callable[[], None]:
    """FK of the herd's present pose, float32, into arrays that are there already."""
    frame = herd.frame()
    parents, offsets = herd.skeleton.parents, herd.skeleton.offsets.astype(np.float32)
    rotations, origins = np.array(frame.rotations), np.zeros((len(herd), 3), np.float32)
    positions, world = np.empty((*rotations.shape[:2], 3), np.float32), np.empty_like(rotations)

    def call() -> None:
        fk_kernel(parents, offsets, rotations, origins, positions, world)

    call()  # compiles
    return call


class Watch:
    """Adds up the time spent in a call that it stands in for."""

    def __init__(self, call: Callable[..., Any], clock: yardstick.Clock) -> None:
        self._call, self._clock = call, clock
        self._spent = 0.0

    def __call__(self, *given: Any) -> Any:
        start = self._clock()
        result = self._call(*given)
        self._spent += self._clock() - start
        return result

    def elapsed(self) -> float:
        """Seconds since the last asking."""
        spent, self._spent = self._spent, 0.0
        return spent


@contextmanager
def watched(herd: Herd, clock: yardstick.Clock) -> Iterator[tuple[Watch, Watch]]:
    """The method's step and the placement under watch, stage by stage."""
    method, place = Watch(herd._stages.method, clock), Watch(herd._stages.place, clock)
    stages = herd._stages._replace(method=method, place=place)
    with mock.patch.object(herd, "_stages", stages), mock.patch.object(herd, "_program", None):
        yield method, place


def stages(mixed: Mixed, steps: int, rounds: int) -> tuple[float, float, float]:
    """Least seconds a step in the method, in the placement and in all the rest, inside whole steps."""
    # Reading the processor time needs a microsecond itself: too much for a kernel of four.
    clock = yardstick.CPU if len(mixed.herd) >= 100 else yardstick.WALL
    with watched(mixed.herd, clock) as (method, place):
        times = []
        for _ in range(rounds):
            start = clock()
            for _ in range(steps):
                mixed.step()
            whole, parts = clock() - start, (method.elapsed(), place.elapsed())
            times.append((*parts, whole - sum(parts)))
    least = [min(part) / steps for part in zip(*times, strict=True)]
    return least[0], least[1], least[2]


def lone_horse(method: str = "actions") -> Callable[[], Any]:
    """One step of one horse that trots in a turn."""
    horse, command = Horse(method, seed=1), Command(speed=4.0, turn=0.3)
    for _ in range(240):
        horse.step(command, DT)
    return lambda: horse.step(command, DT)


def _steps_in_a_round(count: int) -> int:
    """Some milliseconds of work: long against the clock, short against the machine's other business."""
    return max(3, 200 // (count + 9))


def step_and_fk(mixed: Mixed, rounds: int) -> tuple[float, float]:
    """Least microseconds a character of a herd's step and of FK alone, in the same rounds."""
    count = len(mixed.herd)
    steps, times = _steps_in_a_round(count), max(3, 1000 // count)
    calls = {"step": repeated_call(mixed.step, steps), "fk": repeated_call(fk_alone(mixed.herd), times)}
    least = best(calls, rounds)
    return least["step"] / steps / count * 1e6, least["fk"] / times / count * 1e6


def _herd_gate(ratio: float | None) -> Gate:
    """The promise about a herd, as a ratio to FK alone."""
    return Gate(f"Herd({GATE_SIZE}).step over FK alone", ratio, AGAINST_FK, at_least=False)


def run_herd_gate(rounds: int = ROUNDS, settle: int = SETTLE) -> Gate:
    """Only what the herd's gate needs."""
    step, fk = step_and_fk(Mixed(GATE_SIZE, settle), rounds)
    return _herd_gate(step / fk)


def time_horse(rounds: int, method: str = "actions") -> tuple[float, float]:
    """Least microseconds of a step of one horse, and of the Python yardstick in the same rounds."""
    steps = 40
    times = best({"horse": repeated_call(lone_horse(method), steps), "python": yardstick.python_loop}, rounds)
    return times["horse"] / steps * 1e6, times["python"] * 1e6


def horse_gate(one: float, python: float, most: float = HORSE_STEP) -> Gate:
    """The promise about a horse [us]; a machine slower than the reference may be that much slower."""
    slower = max(python * 1e-6 / yardstick.REFERENCE_PYTHON, 1.0)
    return Gate("Horse.step at the reference's speed", one / slower, most, at_least=False, unit="us")


def _herd_figures(count: int, rounds: int, settle: int) -> tuple[list[Figure], float]:
    """Figures of one herd, and its cost over that of FK alone."""
    mixed = Mixed(count, settle)
    step, fk = step_and_fk(mixed, rounds)
    parts = stages(mixed, _steps_in_a_round(count), max(3, rounds // 2))
    method, place, rest = (1e6 * part / count for part in parts)
    name = f"Herd({count})"
    return [
        Figure(f"{name}.step", step, "us/character", f"{step / fk:.1f} times FK alone"),
        Figure(f"{name}: method kernel", method, "us/character"),
        Figure(f"{name}: placement kernel", place, "us/character"),
        Figure(f"{name}: the rest, Python", rest, "us/character"),
        Figure(f"{name}: FK alone, float32", fk, "us/character", "the yardstick of the gate"),
    ], step / fk


def two_threads(count: int, rounds: int, settle: int) -> Figure:
    """Two herds of half the size, stepped by two threads: kernels let go of the interpreter's lock."""
    halves = [Mixed(count // 2, settle) for _ in range(2)]
    steps = _steps_in_a_round(count // 2)
    works = [repeated_call(half.step, steps) for half in halves]
    with ThreadPoolExecutor(2) as pool:
        times = best(
            {
                "together": lambda: list(pool.map(lambda work: work(), works)),
                "in turn": lambda: [work() for work in works],
            },
            rounds,
            yardstick.WALL,
        )
    per = times["together"] / steps / (2 * (count // 2)) * 1e6
    gain = times["in turn"] / times["together"]
    return Figure(f"2 threads, Herd({count // 2}) each", per, "us/character", f"{gain:.2f} times one thread")


def run(sizes: tuple[int, ...] = SIZES, rounds: int = ROUNDS, settle: int = SETTLE) -> Bench:
    """Time one horse and herds of the given sizes; the herd's gate needs one of 1000 among them."""
    one, python = time_horse(2 * rounds)
    figures = [Figure("Horse.step", one, "us", f"{one / python:.3f} of the Python yardstick")]
    ratios: dict[int, float] = {}
    for size in sizes:
        found, ratios[size] = _herd_figures(size, rounds, settle)
        figures += found
    if GATE_SIZE in ratios:
        figures.append(two_threads(GATE_SIZE, rounds, settle))
    return Bench(
        "engine",
        "Steps of the engine: method actions, 55 nodes, 60 Hz, mixed commands",
        figures,
        [_herd_gate(ratios.get(GATE_SIZE)), horse_gate(one, python)],
    )
