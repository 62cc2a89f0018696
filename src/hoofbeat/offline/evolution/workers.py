"""Workers: they score a generation's texts: this process, several, or a Dask cluster.

A text's score depends on the text alone, so that workers of one kind of processor give the same bits,
however the texts are shared out. A share whose worker died is given out again; the others are kept.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hoofbeat.errors import HoofbeatError
from hoofbeat.maths.jit.cache import source_hash
from hoofbeat.maths.jit.compiler import host_processor

#: Shares a worker: more of them balance slow ones, each costs a message.
SHARES = 2
#: Times that one share may lose its worker before it is held to be the reason.
DEATHS = 4
#: Texts that this process scores before a second one is worth its start.
WORTH_A_PROCESS = 8

Scores = NDArray[np.float64]
#: What comes back for a share: its scores, the hash of the worker's kernels, its processor.
Answer = tuple[list[float], str, str]


class WorkerError(HoofbeatError):
    """Workers that cannot be had, that die again and again, or that run another version."""


class WorkerWarning(UserWarning):
    """The results may differ from those of one process."""


class ScoringProblem(Protocol):
    """What texts are judged by: a small record that can be sent to other processes."""

    def scores(self, texts: Sequence[str]) -> Scores:
        """How far each text is from what is wanted, (N,), 0 at best; infinity for what cannot be judged."""
        ...


class Workers(Protocol):
    """Works out scores; used as a context, which ends its workers."""

    def scores(self, texts: Sequence[str]) -> Scores:
        """Scores of the texts, (N,)."""
        ...

    def __enter__(self) -> Workers: ...
    def __exit__(self, *problem: object) -> None: ...


@cache
def kernels() -> str:
    """The hash of this process's kernels, which all workers have to share."""
    return source_hash()


def answer(problem: ScoringProblem, texts: Sequence[str]) -> Answer:
    """One share, as every worker does it."""
    return problem.scores(texts).tolist(), kernels(), host_processor()


def shares(count: int, workers: int) -> list[slice]:
    """Parts of `count` texts for so many workers, even to one text."""
    parts = max(1, min(count, SHARES * workers))
    edges = [count * k // parts for k in range(parts + 1)]
    return [slice(a, b) for a, b in zip(edges, edges[1:], strict=False) if b > a]


class OneProcess:
    """This process."""

    def __init__(self, problem: ScoringProblem) -> None:
        self._problem = problem

    def __enter__(self) -> OneProcess:
        return self

    def __exit__(self, *problem: object) -> None:
        pass

    def scores(self, texts: Sequence[str]) -> Scores:
        """Scores of the texts, (N,)."""
        return self._problem.scores(texts)


class Processes:
    """Several processes of this machine."""

    def __init__(self, problem: ScoringProblem, workers: int) -> None:
        if workers < 1:
            raise WorkerError(f"workers: expected a whole number from 1, given {workers}")
        self._problem = problem
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Processes:
        self._pool = self._started()
        return self

    def __exit__(self, *problem: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def _started(self) -> ProcessPoolExecutor:
        # Not forked: a bar's thread, or Numba's, may hold a lock at that moment.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self._workers, context, initializer=_leave_interrupts)

    def scores(self, texts: Sequence[str]) -> Scores:
        """Scores of the texts, (N,)."""
        if self._pool is None:
            raise WorkerError("the processes are started by `with`: with Processes(...) as workers")
        found = np.empty(len(texts))
        missing = shares(len(texts), self._workers)
        for _ in range(DEATHS):
            missing = self._attempt(texts, missing, found)
            if not missing:
                return found
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = self._started()
        raise WorkerError(
            f"worker processes died {DEATHS} times; look for a lack of memory, use fewer --workers, "
            "and go on with --resume"
        )

    def _attempt(self, texts: Sequence[str], missing: list[slice], found: Scores) -> list[slice]:
        """Give shares out and fill in what comes back; the shares that did not."""
        assert self._pool is not None
        given: list[tuple[slice, Future[Answer] | None]] = []
        for part in missing:
            try:
                given.append((part, self._pool.submit(answer, self._problem, list(texts[part]))))
            except BrokenProcessPool:
                given.append((part, None))
        lost: list[slice] = []
        for part, future in given:
            try:
                if future is None:
                    raise BrokenProcessPool
                found[part] = future.result()[0]
            except BrokenProcessPool:
                lost.append(part)
        return lost


def _leave_interrupts() -> None:
    """Ctrl-C reaches every process of a terminal; only the first one answers it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
