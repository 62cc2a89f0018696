"""Listener: a client that is connected to a ride now; and the reporter that sends it what has changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

from hoofbeat.studio.wire import messages
from hoofbeat.studio.wire.messages import Message

#: How a client finds its ride: new, as it was left, or from disk.
Resumed = Literal["new", "kept", "restored"]
#: A frame of a horse that stands still in time is shown again after so many beats of the clock.
REPEAT = 15
#: Beats of the clock between two reports of the state.
REPORT_EVERY = 6


class Listener(Protocol):
    """A client that is connected now."""

    def offer(self, block: bytes, events: int) -> None:
        """A new frame; an older one that is still waiting is forgotten."""
        ...

    def post(self, message: Message) -> None:
        """A message."""
        ...

    def dismiss(self, reason: str) -> None:
        """Say good-bye and close."""
        ...


class Reporter:
    """Tells the listener, if there is one: each event once, the state when it changes, frames as they are."""

    def __init__(self) -> None:
        self.listener: Listener | None = None
        self._reported: messages.State | None = None
        self._events = self._beats = 0
        self._shown = (-1, 0)

    def join(self, listener: Listener) -> None:
        """Another listener; the one before it is dismissed."""
        if self.listener is not None:
            self.listener.dismiss("elsewhere")
        self.listener = listener
        self._reported, self._shown, self._events = None, (-1, 0), 0

    def post(self, message: Message) -> None:
        """Send to whoever is there."""
        if self.listener is not None:
            self.listener.post(message)

    def report(self, state: messages.State) -> None:
        """Send the state if it has changed."""
        if state != self._reported:
            self._reported = state
            self.post(state)

    def happened(self, events: int) -> None:
        """Keep event bits until the next frame is shown."""
        self._events |= events

    def beat(self, state: Callable[[], messages.State]) -> None:
        """A beat of the clock: now and then look whether the state has changed."""
        self._beats += 1
        if self._beats % REPORT_EVERY == 0:
            self.report(state())

    def show(self, number: int, flags: int, block: Callable[[int], bytes]) -> None:
        """Show the frame of this number; one that was shown already is shown again only now and then."""
        shown = (number, flags)
        if self.listener is None or (shown == self._shown and self._beats % REPEAT):
            return
        events, self._events, self._shown = self._events, 0, shown
        self.listener.offer(block(flags), events)
