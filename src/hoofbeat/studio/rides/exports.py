"""Exports: files made of recordings, each by a child process, a few at a time."""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hoofbeat.formats.files import write_bytes
from hoofbeat.studio.rides.recording import Recording
from hoofbeat.studio.settings import Quotas
from hoofbeat.studio.wire.messages import ExportFacts

Notify = Callable[["Job"], None]


@dataclass
class Job:
    """One export in progress."""

    id: str
    session: str
    recording: str
    name: str
    format: str
    in_place: bool
    path: Path
    coat: str
    state: Literal["waiting", "running", "done", "failed"] = "waiting"
    progress: float = 0.0
    bytes: int = 0
    error: str | None = None

    def facts(self) -> ExportFacts:
        """The message for the page."""
        done = self.state == "done"
        return ExportFacts(
            id=self.id,
            recording=self.recording,
            format=self.format,
            in_place=self.in_place,
            state=self.state,
            progress=self.progress,
            bytes=self.bytes,
            url=f"/api/sessions/{self.session}/exports/{self.id}/file" if done else None,
            error=self.error,
        )


class Exports:
    """All jobs; files lie in a folder of their own that goes with the server."""

    def __init__(self, quotas: Quotas) -> None:
        self._quotas = quotas
        self._folder = tempfile.TemporaryDirectory(prefix="hoofbeat-studio-")
        self._gate = asyncio.Semaphore(quotas.exports)
        self._tasks: set[asyncio.Task[None]] = set()
        self.waiting = 0

    @property
    def full(self) -> bool:
        """Whether no more jobs are accepted now."""
        return self.waiting >= self._quotas.waiting_exports

    def start(
        self, session: str, recording: Recording, format: str, in_place: bool, coat: str, notify: Notify
    ) -> Job:
        """Begin a job; `notify` is called whenever it has something new."""
        made = secrets.token_hex(8)
        path = Path(self._folder.name) / f"{made}.{format}"
        job = Job(made, session, recording.id, recording.name, format, in_place, path, coat)
        self.waiting += 1
        task = asyncio.create_task(self._run(job, recording, notify))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return job

    def forget(self, job: Job) -> None:
        """Remove the file of a job."""
        job.path.unlink(missing_ok=True)

    async def close(self) -> None:
        """End all children and remove all files."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._folder.cleanup()

    async def _run(self, job: Job, recording: Recording, notify: Notify) -> None:
        try:
            async with self._gate:
                job.state = "running"
                notify(job)
                await asyncio.wait_for(self._child(job, recording, notify), self._quotas.export_seconds)
        except TimeoutError:
            job.error = f"took longer than {self._quotas.export_seconds:g} s; trim the recording"
        except OSError as problem:
            job.error = str(problem)
        finally:
            self.waiting -= 1
            for ending in (".json", ".frames"):
                job.path.with_suffix(ending).unlink(missing_ok=True)
        job.state = "failed" if job.error or not job.bytes else "done"
        if job.state == "failed":
            job.error = job.error or "the export ended without a file"
        job.progress = 1.0
        notify(job)

    async def _child(self, job: Job, recording: Recording, notify: Notify) -> None:
        """Run the child to its end, or end it."""
        task = await asyncio.to_thread(self._task, job, recording)
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "hoofbeat.studio.rides.exporter"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        assert child.stdin is not None and child.stdout is not None
        try:
            child.stdin.write(json.dumps(task).encode() + b"\n")
            child.stdin.close()
            async for line in child.stdout:
                _follow(job, line)
                notify(job)
            await child.wait()
        finally:
            if child.returncode is None:
                with suppress(ProcessLookupError):
                    child.kill()
                await child.wait()

    def _task(self, job: Job, recording: Recording) -> dict[str, object]:
        """Copies of what the child needs, so that the recording may change meanwhile."""
        folder = Path(self._folder.name)
        described, blocks = folder / f"{job.id}.json", folder / f"{job.id}.frames"
        recording.tape.flush()
        write_bytes(blocks, recording.tape.read())
        write_bytes(described, json.dumps(recording.description()).encode())
        return {
            "recording": str(described),
            "blocks": str(blocks),
            "first": recording.first,
            "last": recording.last if recording.done else recording.frames - 1,
            "out": str(job.path),
            "in_place": job.in_place,
            "coat": job.coat,
        }


def _follow(job: Job, line: bytes) -> None:
    """Take one line of the child; anything else than our own is left aside."""
    with suppress(ValueError, AttributeError, TypeError, ZeroDivisionError):
        facts = json.loads(line)
        if "error" in facts:
            job.error = str(facts["error"])
        if "bytes" in facts:
            job.bytes = int(facts["bytes"])
        if "total" in facts:
            job.progress = min(max(int(facts["done"]) / int(facts["total"]), 0.0), 0.99)
