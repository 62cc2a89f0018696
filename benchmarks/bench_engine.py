"""Microseconds a step: one horse, herds of 1, 100 and 1000, and where the time goes.

A herd here stands, walks, trots, gallops and turns all at once, and one character in eight is asked for
another gait every two seconds, so that some are always between two. Forward kinematics alone of as
many characters, float32, in the same rounds, is the yardstick that the gates are ratios of.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np

import hoofbeat.horse
from benchmarks import yardstick
from benchmarks.report import Bench, Figure, Gate
from benchmarks.yardstick import best, repeated
from hoofbeat.horse import Herd, Horse
from hoofbeat.maths.fk import fk_kernel
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


class Rider:
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
    """A herd under its rider, already on its way."""

    def __init__(self, count: int, settle: int = SETTLE) -> None:
        self.herd = Herd(count, "actions", seed=1)
        self.rider = Rider(self.herd)
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

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call
        self.spent = 0.0

    def __call__(self, *given: Any) -> Any:
        start = time.perf_counter()
        result = self._call(*given)
        self.spent += time.perf_counter() - start
        return result

    def taken(self) -> float:
        """Seconds since the last asking."""
        spent, self.spent = self.spent, 0.0
        return spent


@contextmanager
def watched(herd: Herd) -> Iterator[tuple[Watch, Watch]]:
    """The method's step and the placement under watch, as the herd itself calls them."""
    method, place = Watch(herd.method.step), Watch(hoofbeat.horse.place)
    with mock.patch.object(herd.method, "step", method), mock.patch.object(hoofbeat.horse, "place", place):
        yield method, place


def stages(mixed: Mixed, steps: int, rounds: int) -> tuple[float, float]:
    """Least seconds a step in the method and in the placement, inside whole steps."""
    with watched(mixed.herd) as (method, place):
        taken = []
        for _ in range(rounds):
            for _ in range(steps):
                mixed.step()
            taken.append((method.taken() / steps, place.taken() / steps))
    return min(m for m, _ in taken), min(p for _, p in taken)


def lone_horse() -> Callable[[], Any]:
    """One step of one horse that trots in a turn."""
    horse, command = Horse("actions", seed=1), Command(speed=4.0, turn=0.3)
    for _ in range(240):
        horse.step(command, DT)
    return lambda: horse.step(command, DT)


def _steps_in_a_round(count: int) -> int:
    """Some milliseconds of work: long against the clock, short against the machine's other business."""
    return max(4, 200 // (count + 9))


def _herd_figures(count: int, rounds: int, settle: int) -> tuple[list[Figure], float]:
    """Figures of one herd, and its cost over that of FK alone."""
    mixed = Mixed(count, settle)
    steps = _steps_in_a_round(count)
    fk, fks = fk_alone(mixed.herd), max(4, 2000 // count)
    times = best({"step": repeated(mixed.step, steps), "fk": repeated(fk, fks)}, rounds)
    step, alone = times["step"] / steps / count * 1e6, times["fk"] / fks / count * 1e6
    method, place = (1e6 * t / count for t in stages(mixed, steps, max(3, rounds // 2)))
    name = f"Herd({count})"
    return [
        Figure(f"{name}.step", step, "us a character", f"{step / alone:.1f} times FK alone"),
        Figure(f"{name}: method kernel", method, "us a character"),
        Figure(f"{name}: placement kernel", place, "us a character"),
        Figure(f"{name}: the rest, Python", max(step - method - place, 0.0), "us a character"),
        Figure(f"{name}: FK alone, float32", alone, "us a character", "the yardstick of this run"),
    ], step / alone


def two_threads(count: int, rounds: int, settle: int) -> Figure:
    """Two herds of half the size, stepped by two threads: kernels let go of the interpreter's lock."""
    halves = [Mixed(count // 2, settle) for _ in range(2)]
    steps = _steps_in_a_round(count // 2)
    works = [repeated(half.step, steps) for half in halves]
    with ThreadPoolExecutor(2) as pool:
        times = best(
            {
                "together": lambda: list(pool.map(lambda work: work(), works)),
                "in turn": lambda: [work() for work in works],
            },
            rounds,
        )
    per = times["together"] / steps / (2 * (count // 2)) * 1e6
    gain = times["in turn"] / times["together"]
    return Figure(f"2 threads, Herd({count // 2}) each", per, "us a character", f"{gain:.2f} times one thread")


def run(sizes: tuple[int, ...] = SIZES, rounds: int = ROUNDS, settle: int = SETTLE) -> Bench:
    """Time one horse and herds of the given sizes; the gates need the horse and a herd of 1000."""
    horse, steps = lone_horse(), 40
    times = best({"horse": repeated(horse, steps), "python": yardstick.python_loop}, 2 * rounds)
    one = times["horse"] / steps * 1e6
    loops = one / (times["python"] * 1e6)
    figures = [Figure("Horse.step", one, "us", f"{loops:.4f} of the Python yardstick")]
    ratios: dict[int, float] = {}
    for size in sizes:
        found, ratios[size] = _herd_figures(size, rounds, settle)
        figures += found
    if GATE_SIZE in ratios:
        figures.append(two_threads(GATE_SIZE, rounds, settle))
    slower = max(times["python"] / yardstick.REFERENCE_PYTHON, 1.0)
    return Bench(
        "engine",
        "Steps of the engine, method actions, 55 nodes, 60 Hz",
        figures,
        [
            Gate(f"Herd({GATE_SIZE}).step over FK alone", ratios.get(GATE_SIZE), AGAINST_FK, at_least=False),
            Gate("Horse.step at the reference's speed", one / slower, HORSE_STEP, at_least=False, unit="us"),
        ],
        [f"This machine's Python took {slower:.2f} times the reference; faster ones count as 1."],
    )
