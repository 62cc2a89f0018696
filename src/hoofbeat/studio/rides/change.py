"""Change of horse: another one is made ready on a thread of its own; the latest wish wins."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from hoofbeat.errors import HoofbeatError
from hoofbeat.studio.rides.horse import HorseSpec, RiddenHorse, Successor, make_successor


class HorseChange:
    """wanted: the horse asked for last; the ridden one until another is."""

    def __init__(self, spec: HorseSpec) -> None:
        self.wanted = spec
        self._number = 0
        self._ready: Successor | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def ready(self) -> bool:
        """Whether the horse asked for can take over now."""
        return self._ready is not None

    def begin(
        self, spec: HorseSpec, horse: RiddenHorse, done: Callable[[], None], failed: Callable[[str], None]
    ) -> None:
        """Make a horse ready to take over from the ridden one; done or failed (why) is called at the end."""
        self._number += 1
        self.wanted = spec
        task = asyncio.ensure_future(self._make(spec, horse, self._number, done, failed))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _make(
        self,
        spec: HorseSpec,
        horse: RiddenHorse,
        number: int,
        done: Callable[[], None],
        failed: Callable[[str], None],
    ) -> None:
        try:
            made = await asyncio.to_thread(make_successor, spec, horse.frame, horse.turn)
        except HoofbeatError as problem:
            if number == self._number:
                self.wanted = horse.spec
                failed(str(problem))
            return
        if number == self._number:
            self._ready = made
            done()

    def finish(self) -> Successor:
        """The horse that is ready; it is handed over once."""
        made, self._ready = self._ready, None
        assert made is not None
        return made

    async def settled(self) -> None:
        """Wait until no horse is being made."""
        await asyncio.gather(*self._tasks)
