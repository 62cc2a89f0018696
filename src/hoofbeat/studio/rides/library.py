"""Library: the recordings of one session, in memory and on disk, and the files made of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hoofbeat.body.skeleton import Skeleton
from hoofbeat.studio.refusal import Refusal
from hoofbeat.studio.rides import recording
from hoofbeat.studio.rides.command_log import Held
from hoofbeat.studio.rides.exports import Exports, Job
from hoofbeat.studio.rides.recording import Recording, RecordingError
from hoofbeat.studio.settings import Quotas
from hoofbeat.studio.wire import messages

#: Files of one session that wait to be fetched; the oldest go first.
MAX_JOBS = 32


class Library:
    """Recordings by id, oldest first; `open` is the one being made. folder None: in memory only."""

    def __init__(self, quotas: Quotas, folder: Path | None) -> None:
        self._quotas, self.folder = quotas, folder
        self.recordings: dict[str, Recording] = {}
        self.jobs: dict[str, Job] = {}
        self.open: Recording | None = None
        self._changed: dict[str, Recording] = {}

    def load(self) -> None:
        """Find what is on disk; what cannot be read is left there and aside."""
        if self.folder is None or not self.folder.is_dir():
            return
        for path in sorted(self.folder.glob("*.json"), key=lambda p: p.stat().st_mtime):
            if path.with_suffix(".frames").exists():
                try:
                    found = recording.read(path)
                except RecordingError:
                    continue
                self.recordings[found.id] = found

    @property
    def bytes(self) -> int:
        """Of all recordings."""
        return sum(one.frames * one.tape.size for one in self.recordings.values())

    def find(self, id: str) -> Recording:
        """A recording by its id."""
        if id not in self.recordings:
            raise Refusal("recording", "there is no such recording; it may have been deleted")
        return self.recordings[id]

    def begin(self, name: str | None, skeleton: Skeleton, **known: Any) -> Recording:
        """Open a new recording; known: see `Recording`."""
        if len(self.recordings) >= self._quotas.recordings:
            raise Refusal("limit", f"{self._quotas.recordings} recordings are kept; delete one first")
        if self.bytes >= self._quotas.recorded_bytes:
            raise Refusal("limit", "the recordings are too large together; delete one first")
        made = recording.start_recording(
            self.folder, name or f"ride {len(self.recordings) + 1}", skeleton, **known
        )
        self.recordings[made.id] = self.open = made
        self._changed[made.id] = made
        return made

    def add(self, block: bytes, command: Held, method: str) -> None:
        """One more frame of the open recording; a full one is finished."""
        assert self.open is not None
        self.open.add(block, command, method)
        if self.open.full:
            self.finish()

    def finish(self) -> None:
        """Close the open recording; an empty one is forgotten."""
        done, self.open = self.open, None
        if done is None:
            return
        done.finish()
        self._changed[done.id] = done
        if not done.frames:
            self.delete(done.id)

    def edit(self, id: str, name: str | None, first: int | None, last: int | None) -> Recording:
        """Name and trim."""
        found = self.find(id)
        try:
            if first is not None or last is not None:
                found.trim(first, last)
        except RecordingError as problem:
            raise Refusal("recording", str(problem)) from problem
        found.name = found.name if name is None else _printable(name)
        self._changed[id] = found
        return found

    def delete(self, id: str) -> None:
        """Delete a recording."""
        found = self.find(id)
        if found is self.open:
            self.open = None
        del self.recordings[id]
        self._changed.pop(id, None)
        found.remove()

    def export(
        self, token: str, asked: messages.Export, coat: str, exports: Exports, notify: Callable[[Job], None]
    ) -> Job:
        """Begin to make a file."""
        found = self.find(asked.recording)
        if not found.frames:
            raise Refusal("export", "the recording has no frames yet")
        if exports.full:
            raise Refusal("limit", "too many exports are waiting; try again when one is done")
        while len(self.jobs) >= MAX_JOBS:
            exports.forget(self.jobs.pop(next(iter(self.jobs))))
        job = exports.start(token, found, asked.format, asked.in_place, coat, notify)
        self.jobs[job.id] = job
        return job

    def job(self, id: str) -> Job:
        """An export by its id."""
        if id not in self.jobs:
            raise Refusal("export", "there is no such export; it may have been cleared away")
        return self.jobs[id]

    def save(self) -> None:
        """Put on disk what is new; may be called from another thread."""
        if self.folder is None:
            return
        while self._changed:
            _, found = self._changed.popitem()
            found.save()
        now = self.open
        if now is not None:
            now.tape.flush()

    def facts(self) -> messages.Recordings:
        """The message for the page."""
        return messages.Recordings(recordings=[one.facts() for one in self.recordings.values()])


def _printable(name: str) -> str:
    return "".join(letter for letter in name if letter.isprintable()).strip() or "ride"
