"""Client: one WebSocket. Newest frame wins, messages keep their order, a slow reader slows nobody else."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from hoofbeat.studio.refusal import Refusal
from hoofbeat.studio.rides.session import Session
from hoofbeat.studio.settings import Quotas
from hoofbeat.studio.wire import messages
from hoofbeat.studio.wire.frame import with_events
from hoofbeat.studio.wire.messages import Message

#: Messages that wait for a reader; one that leaves more unread is let go.
MOST_WAITING = 256
#: Over the rate: after so many messages are thrown away, wait so long [s] before reading on.
THROWN, BREATH = 8, 0.004
#: Least time between two problems of one kind [s]: a stream of bad messages is not answered one by one.
QUIET = 0.5
#: A reader that has not acknowledged the last frames gets one every so often [s].
NUDGE = 0.5


class Client:
    """Sends from its own task what the session offers; `run` reads until the connection ends."""

    def __init__(self, socket: WebSocket, session: Session, quotas: Quotas) -> None:
        self._socket, self._session, self._quotas = socket, session, quotas
        self._wake = asyncio.Event()
        self._waiting: dict[str, Message] = {}
        self._count = 0
        self._block: bytes | None = None
        self._events = self._number = 0
        self._newest_acknowledged: int | None = None
        self._sent, self._sent_at = 0, 0.0
        self._leaving = False
        self._allowance, self._read_at = float(quotas.burst), time.monotonic()
        self._thrown = 0
        self._complained: dict[str, float] = {}

    # ------------------------------------------------------------------------------------- sending

    def offer(self, block: bytes, events: int) -> None:
        """A new frame; one that still waits is forgotten, but what happened in it is not."""
        self._block = block
        self._events |= events
        self._number = int.from_bytes(block[4:8], "little")
        if not self._stalled():
            self._wake.set()

    def _stalled(self) -> bool:
        """Whether the reader has not acknowledged the last frames, though it once did.

        It gets one now and then all the same: a reader that waits for a frame before it says so goes on.
        """
        late = (
            self._newest_acknowledged is not None
            and self._sent - self._newest_acknowledged >= self._quotas.window
        )
        return late and time.monotonic() - self._sent_at < NUDGE

    def post(self, message: Message) -> None:
        """A message; a newer one of a kind that reports a state replaces the older."""
        self._count += 1
        key = f"{self._count}"
        if isinstance(message, messages.State | messages.Recordings | messages.Hello):
            key = type(message).__name__
        elif isinstance(message, messages.ExportFacts):
            key = message.id
        self._waiting.pop(key, None)
        self._waiting[key] = message
        self._wake.set()

    def dismiss(self, reason: str) -> None:
        """Say good-bye and close."""
        self.post(messages.Bye.model_validate({"type": "bye", "reason": reason}))
        self._leaving = True

    async def _send(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            if len(self._waiting) > MOST_WAITING:
                await self._socket.close(1008, "too many messages unread")
                return
            while self._waiting:
                key = next(iter(self._waiting))
                await self._socket.send_text(self._waiting.pop(key).model_dump_json())
            if self._leaving:
                await self._socket.close(1000)
                return
            block, events = self._block, self._events
            if block is not None and not self._stalled():
                self._block, self._events, self._sent = None, 0, self._number
                self._sent_at = time.monotonic()
                await self._socket.send_bytes(with_events(block, events))

    # ------------------------------------------------------------------------------------- reading

    async def run(self) -> None:
        """Serve until either side ends it."""
        sender = asyncio.create_task(self._send())
        reader = asyncio.create_task(self._read())
        try:
            await asyncio.wait((sender, reader), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sender, reader):
                task.cancel()
            for task in (sender, reader):
                # A socket that breaks while it is written or read has ended, no more.
                with suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError, OSError):
                    await task

    async def _read(self) -> None:
        while True:
            event = await self._socket.receive()
            if event["type"] == "websocket.disconnect":
                return
            if not await self._allowed():
                continue
            text = event.get("text")
            if text is None:
                self._complain("message", "messages are JSON text, not bytes", "")
            else:
                self._receive(text)

    async def _allowed(self) -> bool:
        """Whether this message may be looked at; a flood is thrown away and read ever more slowly."""
        now = time.monotonic()
        rate = self._quotas.messages_per_second
        self._allowance = min(self._allowance + (now - self._read_at) * rate, self._quotas.burst)
        self._read_at = now
        if self._allowance >= 1:
            self._allowance -= 1
            return True
        self._complain("rate", f"at most {rate} messages a second are read; the rest are thrown away", "")
        self._thrown += 1
        if self._thrown % THROWN == 0:
            await asyncio.sleep(BREATH)
        return False

    def _receive(self, text: str) -> None:
        if len(text) > messages.MAX_MESSAGE:
            self._complain("message", f"a message has at most {messages.MAX_MESSAGE} characters", "")
            return
        try:
            message = messages.read_message(text)
        except (ValidationError, RecursionError) as problem:
            self._complain("message", _first_fault(problem), "")
            return
        if isinstance(message, messages.Acknowledge):
            self._acknowledged(message.frame)
        elif isinstance(message, messages.Ping):
            self.post(messages.Pong(number=message.number))
        else:
            try:
                self._session.handle(message)
            except Refusal as problem:
                self._complain(problem.code, str(problem), message.type)

    def _acknowledged(self, frame: int) -> None:
        if frame <= self._number:
            self._newest_acknowledged = frame
            if self._block is not None:
                self._wake.set()

    def _complain(self, code: str, reason: str, about: str) -> None:
        now, key = time.monotonic(), f"{code} {about}"
        if now - self._complained.get(key, -QUIET) >= QUIET:
            self._complained[key] = now
            facts = {"type": "problem", "code": code, "text": reason[:500], "about": about}
            self.post(messages.Problem.model_validate(facts))


def _first_fault(problem: Exception) -> str:
    """The first fault of a message, for people."""
    if not isinstance(problem, ValidationError):
        return "the message is nested too deeply"
    first = problem.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else str(first["msg"])
