"""Command log: what a horse was commanded, frame after frame, and a plan that rides the same."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from hoofbeat.formats.planfile import Segment
from hoofbeat.studio.wire.messages import RATE

#: Changes of the command that a log of a ride remembers.
MAX_LOG = 9000


class Held(NamedTuple):
    """What a horse was held to: speed [m/s], turn [rad/s], gait and action (None = not asked for), heading
    [rad, of the world; None = by turn], extension."""

    speed: float
    turn: float
    gait: str | None = None
    action: str | None = None
    heading: float | None = None
    extension: float = 0.0


class CommandLog:
    """Commands of a ride since its start, each with the frames that it held; heading: where the horse
    faced as the log began [rad]."""

    def __init__(self, heading: float, most: int = MAX_LOG) -> None:
        self.rows: list[list[Any]] = []
        self._heading, self._most = heading, most

    def __len__(self) -> int:
        return len(self.rows)

    def add(self, held: Held) -> None:
        """One more frame under this command."""
        if self.rows and tuple(self.rows[-1][1:]) == held:
            self.rows[-1][0] += 1
        elif len(self.rows) < self._most:
            self.rows.append([1, *held])

    def clear(self, heading: float) -> None:
        """Begin anew, facing there [rad]."""
        self.rows, self._heading = [], heading

    def segments(self) -> tuple[Segment, ...]:
        """The same as segments of a plan."""
        return segments_of(self.rows, self._heading)


def kept(log: list[list[Any]], first: int, end: int) -> list[list[Any]]:
    """The commands of the frames from `first` up to, not including, `end`."""
    part: list[list[Any]] = []
    start = 0
    for frames, *held in log:
        count = min(start + frames, end) - max(start, first)
        start += frames
        if count > 0:
            part.append([count, *held])
    return part


def segments_of(log: list[list[Any]], facing: float) -> tuple[Segment, ...]:
    """Commands (frames, fields of Held) at RATE frames a second as those of a plan; facing: where the horse
    did as they began [rad]."""
    segments: list[Segment] = []
    for frames, *held in log:
        asked = Held(*held)
        sought = None if asked.heading is None else math.remainder(asked.heading - facing, 2 * math.pi)
        segments.append(
            Segment(
                frames / RATE,
                speed=max(asked.speed, 0.0),
                turn=asked.turn if sought is None else 0.0,
                gait=asked.gait,
                action=asked.action,
                heading=sought,
                extension=asked.extension,
            )
        )
    return tuple(segments)
