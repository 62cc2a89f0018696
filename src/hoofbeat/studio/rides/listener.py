"""Listener: who is told about a ride, a client that is connected now."""

from __future__ import annotations

from typing import Literal, Protocol

from hoofbeat.studio.wire.messages import Message

#: How a client finds its ride: new, as it was left, or from disk.
Resumed = Literal["new", "kept", "restored"]


class Listener(Protocol):
    """Who is told: a client that is connected now."""

    def offer(self, block: bytes, events: int) -> None:
        """A new frame; an older one that is still waiting is forgotten."""
        ...

    def post(self, message: Message) -> None:
        """A message."""
        ...

    def leave(self, reason: str) -> None:
        """Say good-bye and go."""
        ...
