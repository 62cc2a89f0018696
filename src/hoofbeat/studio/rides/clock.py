"""Clock of a ride: paused, in slow motion or by single steps, counted in whole ticks.

A tick is 1 / (RATE x TICKS_A_FRAME) s, so that slow motion adds up to whole frames.
"""

from __future__ import annotations

from hoofbeat.studio.wire.messages import MAX_STEPS, RATE

#: The slowest motion is one over this.
TICKS_A_FRAME = 8
#: Ticks in a second of the ride.
TICKS = RATE * TICKS_A_FRAME
#: Single steps that one beat of the server's clock lets pass at most.
STEPS_A_BEAT = 4


class RideClock:
    """How much time passes at a beat of the server's clock, RATE times a second."""

    def __init__(self) -> None:
        self.paused, self.time_scale = False, 1.0
        self._steps = 0  # single steps asked for and not yet made
        self._part = 0  # ticks since the last whole frame

    @property
    def at_frame(self) -> bool:
        """Whether the ride stands at a whole frame."""
        return self._part == 0

    def set(self, paused: bool | None, time_scale: float | None) -> None:
        """Pause or go on, and how fast time runs; None leaves it as it is."""
        self.paused = self.paused if paused is None else paused
        self.time_scale = time_scale or self.time_scale
        self._steps = 0

    def ask_steps(self, frames: int) -> None:
        """Pause, and go on by so many frames."""
        self.paused = True
        self._steps = min(self._steps + frames, MAX_STEPS)

    def due(self) -> list[int]:
        """The steps of this beat, each in ticks."""
        if not self.paused:
            return [round(TICKS_A_FRAME * self.time_scale)]
        count = min(self._steps, STEPS_A_BEAT)
        self._steps -= count
        return [TICKS_A_FRAME] * count

    def passed(self, ticks: int) -> None:
        """Count a step that was made."""
        self._part = (self._part + ticks) % TICKS_A_FRAME
