"""Cluster: Dask workers on any number of machines.

Dask gives a share of a worker that died to another one by itself. What is added here: shares that
Dask gave up or lost are sent again, workers of another version are refused, and waiting has an end.
"""

from __future__ import annotations

import importlib
import time
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from hoofbeat.maths.jit.compiler import host_processor
from hoofbeat.offline.evolution.workers import (
    DEATHS,
    Scores,
    ScoringProblem,
    WorkerError,
    WorkerWarning,
    answer,
    kernels,
    shares,
)

#: How long the scheduler may need to answer, and how long a cluster may be without workers [s].
ANSWER_SECONDS = 15.0
EMPTY_SECONDS = 60.0
#: How often the cluster is looked at while shares are out [s].
LOOK_SECONDS = 1.0


def _distributed() -> Any:
    """Dask's package, which is large and imported only here."""
    try:
        return importlib.import_module("distributed")
    except ModuleNotFoundError as problem:
        raise WorkerError("--cluster needs Dask: pip install 'hoofbeat[cluster]'") from problem


class Cluster:
    """Workers of the Dask scheduler at an address such as tcp://host:8786 (extra `cluster`)."""

    def __init__(self, problem: ScoringProblem, address: str, empty_seconds: float = EMPTY_SECONDS) -> None:
        self._problem = problem
        self._address = address
        self._empty_seconds = empty_seconds
        self._client: Any = None
        self._warned = False

    def __enter__(self) -> Cluster:
        try:
            self._client = _distributed().Client(self._address, timeout=ANSWER_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError, TypeError) as problem:
            raise WorkerError(
                f"no Dask scheduler answers at {self._address!r} ({problem}); start one with `dask "
                "scheduler`, its workers with `dask worker ADDRESS`, and give the address it prints"
            ) from problem
        return self

    def __exit__(self, *problem: object) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def scores(self, texts: Sequence[str]) -> Scores:
        """Scores of the texts, (N,)."""
        if self._client is None:
            raise WorkerError("the cluster is joined by `with`: with Cluster(...) as workers")
        found = np.empty(len(texts))
        waiting = {self._give(texts, part): (part, 1) for part in shares(len(texts), self._workers())}
        try:
            while waiting:
                for future in self._finished(list(waiting)):
                    part, tries = waiting.pop(future)
                    scores = self._answered(future, tries)
                    if scores is None:
                        waiting[self._give(texts, part)] = (part, tries + 1)
                    else:
                        found[part] = scores
        finally:
            for future in waiting:
                future.cancel()
        return found

    def _give(self, texts: Sequence[str], part: slice) -> Any:
        return self._client.submit(answer, self._problem, list(texts[part]), pure=False)

    def _workers(self) -> int:
        """How many workers there are; waits for the first one."""
        deadline = time.monotonic() + self._empty_seconds
        while not (count := self._count()):
            if time.monotonic() > deadline:
                raise self._empty()
            time.sleep(0.1)
        return count

    def _count(self) -> int:
        if self._client.status != "running":
            raise WorkerError(
                f"the scheduler at {self._address} is gone ({self._client.status}); start it again and go "
                "on with --resume"
            )
        return len(self._client.scheduler_info(n_workers=-1)["workers"])

    def _empty(self) -> WorkerError:
        return WorkerError(
            f"the cluster at {self._address} had no workers for {self._empty_seconds:g} s; start some with "
            f"`dask worker {self._address}` and go on with --resume"
        )

    def _finished(self, futures: list[Any]) -> list[Any]:
        """Futures that are done, at least one; an end where nobody is left to work."""
        distributed = _distributed()
        last_worker = time.monotonic()
        while True:
            try:
                with self._client.as_current():
                    done = distributed.wait(futures, LOOK_SECONDS, "FIRST_COMPLETED").done
            except (TimeoutError, distributed.CancelledError):
                done = set()
            # Futures that the scheduler forgot count as done: they are given out again.
            done = [future for future in futures if future in done or future.status in ("cancelled", "lost")]
            if done:
                return done
            if self._count():
                last_worker = time.monotonic()
            elif time.monotonic() - last_worker > self._empty_seconds:
                raise self._empty()

    def _answered(self, future: Any, tries: int) -> list[float] | None:
        """The scores of a share, or None where it has to be given out again."""
        distributed = _distributed()
        try:
            scores, version, processor = future.result(timeout=ANSWER_SECONDS)
        except (distributed.KilledWorker, distributed.CancelledError, TimeoutError, OSError) as problem:
            if tries >= DEATHS:
                raise WorkerError(
                    f"a share of the work lost its worker {tries} times ({type(problem).__name__}); look at "
                    "the workers' logs, and go on with --resume"
                ) from problem
            return None
        if version != kernels():
            raise WorkerError(
                "a worker runs another version of hoofbeat, Numba or Python than this process; install the "
                "same everywhere, since scores of two versions cannot be compared"
            )
        if processor != host_processor() and not self._warned:
            self._warned = True
            warnings.warn(
                f"a worker's processor is {processor}, this one is {host_processor()}: compiled code "
                "differs, so that results may differ in the last digits from those of one process",
                WorkerWarning,
                stacklevel=2,
            )
        return scores
