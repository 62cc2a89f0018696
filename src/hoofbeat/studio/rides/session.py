"""Session: one rider's ride: the horse, its clock and plan, and who is told about them.

`handle` takes the messages of `hoofbeat.studio.wire.messages`, `tick` is called by the clock of all
sessions; both on the one thread of the event loop. What takes long (making a horse, writing files) is done
elsewhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hoofbeat.course import Course, wrapped
from hoofbeat.errors import HoofbeatError
from hoofbeat.formats.planfile import Plan, format_plan, parse_plan
from hoofbeat.records import Command
from hoofbeat.studio.facts import Facts
from hoofbeat.studio.refusal import Refused, check_terrain
from hoofbeat.studio.rides.exports import Exports
from hoofbeat.studio.rides.library import Library
from hoofbeat.studio.rides.listener import Listener, Resumed
from hoofbeat.studio.rides.mount import SLOWEST, Kind, Mount, Successor, command_of, make_successor
from hoofbeat.studio.rides.recording import MOVING, segments_of
from hoofbeat.studio.settings import Quotas
from hoofbeat.studio.wire import messages
from hoofbeat.studio.wire.frame import FLAG
from hoofbeat.studio.wire.messages import COATS, Message

#: Single steps that one tick of the clock takes at most.
STEPS_A_TICK = 4
#: Commands of the ride that are remembered, to be saved as a plan.
MAX_LOG = 9000
#: A frame of a horse that is paused is shown again after so many ticks.
REPEAT = 15
#: Ticks between two looks at what the page should be told.
TELL_EVERY = 6


class Session:
    """One ride. token: the secret that lets its rider back in; manual: it goes on by `step` alone."""

    def __init__(
        self,
        token: str,
        facts: Facts,
        quotas: Quotas,
        library: Library,
        exports: Exports,
        mount: Mount,
        coat: str = COATS[0],
        manual: bool = False,
    ) -> None:
        self.token, self.facts, self.manual = token, facts, manual
        self.library, self.exports, self._quotas = library, exports, quotas
        self.kind, self.mount, self.coat = mount.kind, mount, coat
        self._home = mount.herd.snapshot()
        self.listener: Listener | None = None
        self.touched = 0.0
        self.paused, self.pace = False, 1.0
        self._part = 0  # ticks since the last whole frame
        self._steps = self._last_number = self._looked = 0
        self.course: Course | None = None
        self._coming: Plan | None = None  # a plan that waits for its horse
        self._landed = False
        self._switch = 0
        self._ready: Successor | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._log: list[list[Any]] = []
        self._faced = mount.heading  # as the log began [rad]
        self._told: messages.State | None = None
        self._events = 0  # since the last frame that was shown
        self._shown = (-1, 0)

    # -------------------------------------------------------------------------------- messages

    def handle(self, message: Any) -> None:
        """Do what a message of the page asks; Refused says why not, and then nothing was changed."""
        handler: Callable[[Any], None] | None = _HANDLERS.get(type(message))
        if handler is None:
            raise Refused("message", f"{type(message).__name__} is not for a session")
        handler.__get__(self)(message)
        self.tell()

    def ride(self, message: messages.Ride) -> None:
        """The rider takes over: the command holds from the next step on, and a plan ends."""
        if message.number and message.number <= self._last_number:
            return  # overtaken by a newer one
        command = command_of(message)
        try:
            self.mount.ride(command, message.number)
        except HoofbeatError as problem:
            raise Refused("command", str(problem)) from problem
        self._last_number = message.number or self._last_number
        self.course = self._coming = None

    def setup(self, message: messages.Setup) -> None:
        """Another coat at once; another horse as soon as it is ready, see `hoofbeat.handover`."""
        kind = self._kind(message)
        if message.coat is not None and message.coat not in COATS:
            raise Refused("setup", f"unknown coat {message.coat!r}. Known: {', '.join(COATS)}")
        if kind != self.kind and self.library.open is not None and self._unlike(kind):
            raise Refused("setup", "a recording has one body: end it before changing the height or skeleton")
        self.coat = message.coat or self.coat
        if kind != self.kind:
            self._begin_switch(kind)

    def _kind(self, message: messages.Setup) -> Kind:
        check_terrain(message.terrain)
        method = message.method or self.kind.method
        try:
            self.facts.method(method)
        except HoofbeatError as problem:
            raise Refused("setup", str(problem)) from problem
        height = self.kind.height if message.height is None else message.height
        return Kind(method, height, message.terrain or self.kind.terrain, self.kind.seed)

    def _unlike(self, kind: Kind) -> bool:
        old, new = self.facts.method(self.kind.method).skeleton, self.facts.method(kind.method).skeleton
        return kind.height != self.kind.height or old.names != new.names

    def _begin_switch(self, kind: Kind) -> None:
        self._switch += 1
        self.kind = kind
        task = asyncio.ensure_future(self._make_ready(kind, self._switch))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _make_ready(self, kind: Kind, number: int) -> None:
        try:
            made = await asyncio.to_thread(make_successor, kind, self.mount.frame, self.mount.turn)
        except HoofbeatError as problem:
            if number == self._switch:
                self.kind = self.mount.kind
                self.post(messages.Problem(code="setup", text=str(problem), about="setup"))
            return
        if number == self._switch:  # the latest wish wins
            self._ready = made
            if self.manual or self.paused:
                self._change()

    async def settled(self) -> None:
        """Wait until the horse that was asked for is there."""
        await asyncio.gather(*self._tasks)
        if self._ready is not None:
            self._change()

    def clock(self, message: messages.Clock) -> None:
        """Pause, go on, slow motion."""
        self.paused = self.paused if message.paused is None else message.paused
        self.pace = message.pace or self.pace
        self._steps = 0

    def step(self, message: messages.Step) -> None:
        """Single steps, paused."""
        self.paused = True
        self._steps = min(self._steps + message.frames, messages.MAX_STEPS)

    def reset(self, _: messages.Reset) -> None:
        """Back to the start, standing."""
        self.end_recording()
        self.course = self._coming = None
        self.mount.restart(self._home)
        self._forget()

    def record(self, message: messages.RecordSwitch) -> None:
        """Begin or end a recording."""
        if not message.on:
            self.end_recording()
        elif self.library.open is None:
            mount = self.mount
            self.library.begin(
                message.name,
                mount.herd.skeleton,
                method=mount.kind.method,
                height=mount.kind.height,
                terrain=mount.kind.terrain,
                seed=mount.kind.seed,
                gaits=self.facts.gaits,
                moving=float(mount.frame.speed) > MOVING,
                heading=mount.heading,
            )
            self.post(self.library.facts())

    def end_recording(self) -> None:
        """End the recording that is being made, if any."""
        if self.library.open is not None:
            self.library.finish()
            self.post(self.library.facts())

    def edit(self, message: messages.Edit) -> None:
        """Name, trim or take away a recording."""
        if message.delete:
            self.library.delete(message.recording)
        else:
            self.library.edit(message.recording, message.name, message.first, message.last)
        self.post(self.library.facts())

    def export(self, message: messages.Export) -> None:
        """Make a file; `export` messages tell how it goes."""
        self.start_export(message)

    def start_export(self, message: messages.Export) -> messages.ExportFacts:
        """The same, and what it is now."""
        if message.format not in self.facts.formats:
            known = ", ".join(self.facts.formats)
            raise Refused("export", f"{message.format} cannot be written here. Known: {known}")
        job = self.library.export(
            self.token, message, self.coat, self.exports, lambda job: self.post(job.facts())
        )
        self.post(job.facts())
        return job.facts()

    def plan(self, message: messages.PlanText) -> None:
        """Ride a plan from here, or end the one that is ridden."""
        if message.text is None:
            self.course = self._coming = None
            return
        try:
            plan = parse_plan(message.text, "plan")
        except HoofbeatError as problem:
            raise Refused("plan", str(problem)) from problem
        if plan.scene is not None:
            raise Refused("plan", "scene: the studio reads no files of others; leave it out")
        # What the file does not say stays as it is; the clock is the server's.
        method = plan.method if "method" in plan.lines else None
        terrain = plan.terrain if "terrain" in plan.lines else None
        self.setup(messages.Setup(method=method, height=plan.height, terrain=terrain))
        self._coming = replace(plan, fps=float(messages.RATE))
        if not self.switching:
            self._start_plan()

    def _start_plan(self) -> None:
        """Ride the plan that waits for its horse."""
        plan, self._coming = self._coming, None
        if plan is None:
            return
        try:
            self.course = Course(plan, self.mount.herd)
        except HoofbeatError as problem:
            raise Refused("plan", str(problem)) from problem

    # ------------------------------------------------------------------------------------ time

    def tick(self, now: float) -> None:
        """One beat of the server's clock, RATE times a second; now: of that clock [s]."""
        if self._ready is not None:
            self._change()
        if self.listener is None and now - self.touched > self._quotas.alone:
            return
        if self.manual:
            pass  # by `advance` alone
        elif self.paused:
            for _ in range(min(self._steps, STEPS_A_TICK)):
                self._steps -= 1
                self._go(SLOWEST)
        else:
            self._go(round(SLOWEST * self.pace))
        self._looked += 1
        if self._looked % TELL_EVERY == 0:
            self.tell()
        self._offer()

    def _offer(self) -> None:
        """Show the listener where the horse is; one that stands still is shown again only now and then."""
        flags = self._flags()
        shown = (self.mount.number, flags)
        if self.listener is None or (shown == self._shown and self._looked % REPEAT):
            return
        events, self._events, self._shown = self._events, 0, shown
        self.listener.offer(self.mount.block(flags), events)

    def advance(self, frames: int) -> None:
        """Go on by whole frames at once: for rides by script."""
        for _ in range(frames):
            self._go(SLOWEST)

    def _go(self, ticks: int) -> None:
        mount = self.mount
        if self.course is not None and self._part == 0:
            self._follow(self.course)
        before = mount.frame
        mount.step(ticks)
        self._events |= int(mount.frame.events)
        self._landed = wrapped(before, mount.frame) or (self._landed and self._part > 0)
        self._part = (self._part + ticks) % SLOWEST
        if self._part == 0:
            self._keep()

    def _follow(self, course: Course) -> None:
        """The plan's next command; at its end the horse halts."""
        try:
            command = course.next(self.mount.frame, self._landed)
        except HoofbeatError as problem:
            command = None
            self.post(messages.Problem(code="plan", text=str(problem), about="plan"))
        if command is None:
            self.course, command = None, Command()
        try:
            self.mount.ride(command, self.mount.command_number)
        except HoofbeatError as problem:  # the plan's gait went with the method
            self.course = None
            self.post(messages.Problem(code="plan", text=str(problem), about="plan"))

    def _keep(self) -> None:
        """Write a whole frame into the recording and the command into the log."""
        held = self.mount.held()
        if self._log and self._log[-1][1:] == [*held]:
            self._log[-1][0] += 1
        elif len(self._log) < MAX_LOG:
            self._log.append([1, *held])
        if self.library.open is not None:
            self.library.add(self.block(), held)
            if self.library.open is None:  # it was full
                self.post(self.library.facts())

    def _forget(self) -> None:
        """The log begins anew, here."""
        self._log, self._faced = [], self.mount.heading

    def _change(self) -> None:
        made, self._ready = self._ready, None
        assert made is not None
        self.mount.change(made)
        self._home = made.home
        self._forget()
        self.post(self.hello("kept"))
        try:
            self._start_plan()
        except Refused as problem:
            self.post(messages.Problem(code=problem.code, text=str(problem), about="plan"))
        self.tell()

    # ---------------------------------------------------------------------------------- telling

    def block(self) -> bytes:
        """The present frame as bytes."""
        return self.mount.block(self._flags())

    def _flags(self) -> int:
        flags = FLAG["paused"] if self.paused else 0
        flags |= FLAG["recording"] if self.library.open is not None else 0
        flags |= FLAG["plan"] if self.course is not None else 0
        return flags | (FLAG["switching"] if self.switching else 0)

    @property
    def switching(self) -> bool:
        """Whether another horse is being made ready."""
        return self.kind != self.mount.kind

    def join(self, listener: Listener, resumed: Resumed) -> None:
        """A client comes; the one before it leaves."""
        if self.listener is not None:
            self.listener.leave("elsewhere")
        self.listener = listener
        self._last_number, self._told, self._shown, self._events = 0, None, (-1, 0), 0
        self.post(self.hello(resumed))
        self.tell()
        self.post(self.library.facts())

    def part(self, listener: Listener, now: float) -> None:
        """A client is gone; the ride waits for it."""
        if self.listener is listener:
            self.listener, self.touched = None, now

    def post(self, message: Message) -> None:
        """Tell whoever is there."""
        if self.listener is not None:
            self.listener.post(message)

    def tell(self) -> None:
        """Send the state if it has changed."""
        state = self.state()
        if state != self._told:
            self._told = state
            self.post(state)

    def state(self) -> messages.State:
        """How the ride stands."""
        course, recording = self.course, self.library.open
        count = 0 if recording is None else recording.frames // messages.RATE * messages.RATE
        return messages.State(
            method=self.kind.method,
            height=self.kind.height or self.facts.height(self.kind.method),
            coat=self.coat,
            terrain=self.kind.terrain,
            paused=self.paused,
            pace=self.pace,
            recording=None if recording is None else recording.id,
            recorded=count,
            plan=None if course is None else course.plan.name,
            segment=0 if course is None else course.index + 1,
            segments=0 if course is None else len(course.plan.segments),
            switching=self.switching,
        )

    def hello(self, resumed: Resumed) -> messages.Hello:
        """Who we are, and what this horse can do."""
        return self.facts.hello(
            self.token, resumed, self.mount.kind.method, self.mount.herd.height, self._quotas
        )

    @property
    def ridden_yet(self) -> bool:
        """Whether anything was commanded."""
        return len(self._log) > 1 or self.mount.command != Command()

    def ridden(self) -> Plan:
        """What was commanded since the start, the last reset or change of the horse, as a plan."""
        if not self._log:
            raise Refused("plan", "nothing was ridden yet")
        kind = self.mount.kind
        parts = segments_of(self._log, self._faced)
        return Plan(parts, kind.method, float(messages.RATE), kind.seed, kind.terrain, height=kind.height)

    def plan_text(self) -> str:
        """The same as a plan file."""
        return format_plan(self.ridden())


_HANDLERS: dict[type, Any] = {
    messages.Ride: Session.ride,
    messages.Setup: Session.setup,
    messages.Clock: Session.clock,
    messages.Step: Session.step,
    messages.Reset: Session.reset,
    messages.RecordSwitch: Session.record,
    messages.Edit: Session.edit,
    messages.Export: Session.export,
    messages.PlanText: Session.plan,
}
