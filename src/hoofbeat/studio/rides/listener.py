"""Listener: who is told about a ride, a client that is connected now; and the reporter that tells it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

from hoofbeat.studio.wire import messages
from hoofbeat.studio.wire.messages import Message

#: How a client finds its ride: new, as it was left, or from disk.
Resumed = Literal["new", "kept", "restored"]
#: A frame of a horse that stands still in time is shown again after so many beats of the clock.
REPEAT = 15
#: Beats of the clock between two looks at what the page should be told.
TELL_EVERY = 6


class Listener(Protocol):
    """Who is told: a client that is connected now."""

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
        self._told: messages.State | None = None
        self._events = self._beats = 0
        self._shown = (-1, 0)

    def join(self, listener: Listener) -> None:
        """Another listener; the one before it is dismissed."""
        if self.listener is not None:
            self.listener.dismiss("elsewhere")
        self.listener = listener
        self._told, self._shown, self._events = None, (-1, 0), 0

    def post(self, message: Message) -> None:
        """Tell whoever is there."""
        if self.listener is not None:
            self.listener.post(message)

    def tell(self, state: messages.State) -> None:
        """Send the state if it has changed."""
        if state != self._told:
            self._told = state
            self.post(state)

    def happened(self, events: int) -> None:
        """Keep event bits until the next frame is shown."""
        self._events |= events

    def beat(self, state: Callable[[], messages.State]) -> None:
        """A beat of the clock: now and then look whether the state has changed."""
        self._beats += 1
        if self._beats % TELL_EVERY == 0:
            self.tell(state())

    def show(self, number: int, flags: int, block: Callable[[int], bytes]) -> None:
        """Show the frame of this number; one that was shown already is shown again only now and then."""
        shown = (number, flags)
        if self.listener is None or (shown == self._shown and self._beats % REPEAT):
            return
        events, self._events, self._shown = self._events, 0, shown
        self.listener.offer(block(flags), events)
