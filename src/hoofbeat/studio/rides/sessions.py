"""Sessions: all of them and the one clock that moves them, RATE times a second."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time

from hoofbeat.errors import HoofbeatError
from hoofbeat.studio.facts import Facts
from hoofbeat.studio.refusal import Refusal
from hoofbeat.studio.rides.exports import Exports
from hoofbeat.studio.rides.horse import HorseSpec, RiddenHorse
from hoofbeat.studio.rides.library import Library
from hoofbeat.studio.rides.listener import Resumed
from hoofbeat.studio.rides.session import Session
from hoofbeat.studio.rides.store import SavedRide, Store
from hoofbeat.studio.settings import Settings
from hoofbeat.studio.wire.messages import COATS, RATE

logger = logging.getLogger("hoofbeat.studio")
#: A clock that is later than this [s] (a laptop that slept) goes on from now instead of catching up.
LATE = 0.25
#: Seconds between two rounds of saving and clearing away.
ROUND = 1.0
#: A token is hex of this many letters; anything else is not looked for.
TOKEN = re.compile(r"[0-9a-f]{32}")


class Sessions:
    """Makes, finds, ticks, keeps and forgets sessions. Everything happens on the event loop's thread."""

    def __init__(self, settings: Settings, facts: Facts) -> None:
        self.settings, self.facts, self.quotas = settings, facts, settings.quotas
        self.by_token: dict[str, Session] = {}
        self.store = Store(settings.folder, settings.quotas)
        self.exports = Exports(settings.quotas)
        self.clients = 0
        self.late = 0  # ticks that were skipped, for the curious
        self._tasks: list[asyncio.Task[None]] = []

    # ---------------------------------------------------------------------------------- sessions

    async def new(self, spec: HorseSpec | None = None, coat: str = COATS[0], manual: bool = False) -> Session:
        """A new session with a horse at the origin."""
        self._evict_oldest()
        token = secrets.token_hex(16)
        kept = SavedRide(spec or HorseSpec(self.settings.method), coat, (0.0, 0.0, 0.0), manual)
        return await self._add(token, kept)

    async def find(self, token: str) -> tuple[Session, Resumed] | None:
        """The session of a token, from memory or from disk; None where there is none."""
        if not TOKEN.fullmatch(token):
            return None
        if token in self.by_token:
            return self.by_token[token], "kept"
        kept = self.store.find(token)
        if kept is None:
            return None
        self._evict_oldest()
        try:
            return await self._add(token, kept), "restored"
        except HoofbeatError as problem:  # kept by a version that had other methods
            logger.warning("a ride cannot be restored: %s", problem)
            return None

    async def _add(self, token: str, kept: SavedRide) -> Session:
        """Horse and recordings are made ready on another thread: the clock of the others goes on."""
        library = Library(self.quotas, self.store.folder_of(token))

        def prepare() -> RiddenHorse:
            library.load()
            return RiddenHorse(kept.spec, self.facts.gaits, *kept.place)

        horse = await asyncio.to_thread(prepare)
        if token in self.by_token:  # asked for twice at once
            return self.by_token[token]
        session = Session(
            token, self.facts, self.quotas, library, self.exports, horse, kept.coat, kept.manual
        )
        self.by_token[token] = session
        session.touched = time.monotonic()
        return session

    def _evict_oldest(self) -> None:
        """Put the session that was left longest ago away, where there are too many."""
        if len(self.by_token) < self.quotas.sessions:
            return
        away = [one for one in self.by_token.values() if one.reporter.listener is None]
        if not away:
            raise Refusal("limit", f"{self.quotas.sessions} rides are active; try again later")
        self._put_away(min(away, key=lambda one: one.touched))

    def _put_away(self, session: Session) -> None:
        session.end_recording()
        self.store.save(session)
        self._forget(session)

    def delete(self, session: Session) -> None:
        """End a session for good, with its recordings."""
        if session.reporter.listener is not None:
            session.reporter.listener.dismiss("deleted")
        for id in list(session.library.recordings):
            session.library.delete(id)
        self.store.remove(session.token)
        self._forget(session)

    def _forget(self, session: Session) -> None:
        for job in session.library.jobs.values():
            self.exports.forget(job)
        self.by_token.pop(session.token, None)

    # -------------------------------------------------------------------------------------- time

    def start(self) -> None:
        """Start the clock and the rounds."""
        self._tasks = [asyncio.create_task(self._clock()), asyncio.create_task(self._rounds())]

    async def stop(self) -> None:
        """Stop, and keep what was ridden and recorded."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for session in list(self.by_token.values()):
            if session.reporter.listener is not None:
                session.reporter.listener.dismiss("shutdown")
            session.end_recording()
            self.store.save(session)
        await self.exports.close()

    async def _clock(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            now = loop.time()
            if now - due > LATE:
                self.late += int((now - due) * RATE)
                due = now
            self._tick(time.monotonic())
            due += 1 / RATE
            await asyncio.sleep(max(due - loop.time(), 0))

    def _tick(self, now: float) -> None:
        for session in list(self.by_token.values()):
            try:
                session.tick(now)
            except Exception:  # one ride that fails must not stop the clock of the others
                logger.exception("a session failed and was ended")
                if session.reporter.listener is not None:
                    session.reporter.listener.dismiss("deleted")
                self._forget(session)

    async def _rounds(self) -> None:
        while True:
            await asyncio.sleep(ROUND)
            now = time.monotonic()
            for session in list(self.by_token.values()):
                if session.reporter.listener is None and now - session.touched > self.quotas.kept:
                    self._put_away(session)
                elif self.store.keeps:
                    await asyncio.to_thread(self.store.save, session)
