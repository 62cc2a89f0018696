"""Processes: networks measured side by side, each in a process of its own."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from hoofbeat.errors import HoofbeatError

#: How often progress is reported [s].
EVERY = 0.5

#: Works out a job; reports the seconds of motion that are done, of how many, and what is done now.
Work = Callable[[Any, Callable[[int, int, str], None]], dict[str, Any]]


class ProcessError(HoofbeatError):
    """A process that measured has died."""


def in_processes(
    work: Work, jobs: Sequence[Any], workers: int, seconds: int, progress: Callable[[int, int, str], None]
) -> list[dict[str, Any]]:
    """What `work`, a function of a module, makes of each job, in their order; seconds: of all together."""
    # Not forked: a bar's thread, or Numba's, may hold a lock at that moment.
    context = multiprocessing.get_context("spawn")
    done: Any = context.Array("q", len(jobs), lock=False)  # each entry has one writer
    pool = ProcessPoolExecutor(min(workers, len(jobs)), context, _begin, (done,))
    try:
        rows = [pool.submit(_one, work, job, k) for k, job in enumerate(jobs)]
        pending: set[Future[dict[str, Any]]] = set(rows)
        while pending:
            finished, pending = wait(pending, EVERY, FIRST_EXCEPTION)
            for row in finished:
                row.result()
            words = f"measuring, {len(rows) - len(pending)} of {len(rows)} networks done"
            progress(sum(done), seconds, words)
        return [row.result() for row in rows]
    except BrokenProcessPool:
        raise ProcessError(
            "a process that measured has died, perhaps for want of memory; measure with fewer --workers"
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_done: Any = None


def _begin(done: Any) -> None:
    """In each process: where its progress is written; an interrupt is handled by the parent."""
    global _done
    _done = done
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _one(work: Work, job: Any, k: int) -> dict[str, Any]:
    def report(done: int, total: int, words: str) -> None:
        del total, words
        _done[k] = done

    return work(job, report)
