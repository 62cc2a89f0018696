"""Session: one rider's ride: what the page asks is done here, and time passes here.

`handle` takes the messages of `hoofbeat.studio.wire.messages`, `tick` is called by the clock of all
sessions; both on the one thread of the event loop. What is slow (making a horse, writing files) is done
elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hoofbeat.course import Course, wrapped
from hoofbeat.errors import HoofbeatError
from hoofbeat.formats.planfile import Plan, format_plan, parse_plan
from hoofbeat.records import Command
from hoofbeat.studio.facts import Facts
from hoofbeat.studio.refusal import Refusal, check_breed, check_coat, check_terrain
from hoofbeat.studio.rides.change import HorseChange
from hoofbeat.studio.rides.clock import TICKS_A_FRAME, RideClock
from hoofbeat.studio.rides.command_log import CommandLog
from hoofbeat.studio.rides.exports import Exports
from hoofbeat.studio.rides.horse import HorseSpec, RiddenHorse, command_of
from hoofbeat.studio.rides.library import Library
from hoofbeat.studio.rides.listener import Listener, Reporter, Resumed
from hoofbeat.studio.rides.recording import MOVING
from hoofbeat.studio.settings import Quotas
from hoofbeat.studio.wire import messages
from hoofbeat.studio.wire.frame import FLAG
from hoofbeat.studio.wire.messages import COATS


class Session:
    """One ride. token: the secret that lets its rider back in; manual: it goes on by `step` alone."""

    def __init__(
        self,
        token: str,
        facts: Facts,
        quotas: Quotas,
        library: Library,
        exports: Exports,
        horse: RiddenHorse,
        coat: str = COATS[0],
        manual: bool = False,
    ) -> None:
        self.token, self.facts, self.manual = token, facts, manual
        self.library, self.exports, self._quotas = library, exports, quotas
        self.horse, self.coat = horse, coat
        self.clock, self.reporter = RideClock(), Reporter()
        self.change = HorseChange(horse.spec)
        self.log = CommandLog(horse.heading)
        self.touched = 0.0
        self.course: Course | None = None
        self._coming: Plan | None = None  # a plan that waits for its horse
        self._landed = False
        self._last_number = 0

    # -------------------------------------------------------------------------------- messages

    def handle(self, message: Any) -> None:
        """Do what a message of the page asks; Refusal says why not, and then nothing was changed."""
        handler: Callable[[Any], None] | None = _HANDLERS.get(type(message))
        if handler is None:
            raise Refusal("message", f"{type(message).__name__} is not for a session")
        handler.__get__(self)(message)
        self.reporter.report(self.state())

    def ride(self, message: messages.Ride) -> None:
        """The rider takes over: the command holds from the next step on, and a plan ends."""
        if message.number and message.number <= self._last_number:
            return  # overtaken by a newer one
        command = command_of(message)
        try:
            self.horse.ride(command, message.number)
        except HoofbeatError as problem:
            raise Refusal("command", str(problem)) from problem
        self._last_number = message.number or self._last_number
        self.course = self._coming = None

    def setup(self, message: messages.Setup) -> None:
        """Another coat at once; another horse as soon as it is ready, see `hoofbeat.handover`."""
        spec = self._spec(message)
        check_coat(message.coat)
        if spec != self.change.wanted and self.library.open is not None and self._differs(spec):
            raise Refusal("setup", "a recording has one body: end it before changing the height or skeleton")
        self.coat = message.coat or self.coat
        if spec != self.change.wanted:
            self.change.begin(spec, self.horse, self._successor_ready, self._successor_failed)

    def _spec(self, message: messages.Setup) -> HorseSpec:
        """The horse that a message asks for, checked."""
        check_terrain(message.terrain)
        check_breed(message.breed)
        now = self.change.wanted
        method = message.method or now.method
        try:
            self.facts.method(method)
        except HoofbeatError as problem:
            raise Refusal("setup", str(problem)) from problem
        return replace(
            now,
            method=method,
            height=now.height if message.height is None else message.height,
            terrain=message.terrain or now.terrain,
            breed=message.breed or now.breed,
        )

    def _differs(self, spec: HorseSpec) -> bool:
        """Whether a horse has another body than the one asked for last."""
        now = self.change.wanted
        old, new = self.facts.method(now.method).skeleton, self.facts.method(spec.method).skeleton
        return spec.height != now.height or old.names != new.names

    def _successor_ready(self) -> None:
        if self.manual or self.clock.paused:
            self._change_horse()

    def _successor_failed(self, reason: str) -> None:
        self.reporter.post(messages.Problem(code="setup", text=reason, about="setup"))

    async def settled(self) -> None:
        """Wait until the horse that was asked for is there."""
        await self.change.settled()
        if self.change.ready:
            self._change_horse()

    def set_clock(self, message: messages.Clock) -> None:
        """Pause, go on, slow motion."""
        self.clock.set(message.paused, message.time_scale)

    def step(self, message: messages.Step) -> None:
        """Single steps, paused."""
        self.clock.ask_steps(message.frames)

    def reset(self, _: messages.Reset) -> None:
        """Back to the start, standing."""
        self.end_recording()
        self.course = self._coming = None
        self.horse.restart()
        self.log.clear(self.horse.heading)

    def record(self, message: messages.RecordSwitch) -> None:
        """Begin or end a recording."""
        if not message.on:
            self.end_recording()
        elif self.library.open is None:
            horse = self.horse
            self.library.begin(
                message.name,
                horse.herd.skeleton,
                method=horse.spec.method,
                height=horse.spec.height,
                terrain=horse.spec.terrain,
                seed=horse.spec.seed,
                breed=horse.spec.breed,
                gaits=self.facts.gaits,
                moving=float(horse.frame.speed) > MOVING,
                heading=horse.heading,
            )
            self.reporter.post(self.library.facts())

    def end_recording(self) -> None:
        """End the recording that is being made, if any."""
        if self.library.open is not None:
            self.library.finish()
            self.reporter.post(self.library.facts())

    def edit(self, message: messages.Edit) -> None:
        """Name, trim or delete a recording."""
        if message.delete:
            self.library.delete(message.recording)
        else:
            self.library.edit(message.recording, message.name, message.first, message.last)
        self.reporter.post(self.library.facts())

    def export(self, message: messages.Export) -> None:
        """Make a file; `export` messages report its progress."""
        self.start_export(message)

    def start_export(self, message: messages.Export) -> messages.ExportFacts:
        """The same, and what it is now."""
        self.facts.check_format(message.format)
        job = self.library.export(
            self.token, message, self.coat, self.exports, lambda job: self.reporter.post(job.facts())
        )
        self.reporter.post(job.facts())
        return job.facts()

    def plan(self, message: messages.PlanText) -> None:
        """Ride a plan from here, or end the one that is ridden."""
        if message.text is None:
            self.course = self._coming = None
            return
        try:
            plan = parse_plan(message.text, "plan")
        except HoofbeatError as problem:
            raise Refusal("plan", str(problem)) from problem
        self.setup(_setup_of(plan))
        self._coming = replace(plan, fps=float(messages.RATE))
        if not self.switching:
            self._start_plan()

    def _start_plan(self) -> None:
        """Ride the plan that waits for its horse."""
        plan, self._coming = self._coming, None
        if plan is None:
            return
        try:
            self.course = Course(plan, self.horse.herd)
        except HoofbeatError as problem:
            raise Refusal("plan", str(problem)) from problem

    # ------------------------------------------------------------------------------------ time

    def tick(self, now: float) -> None:
        """One beat of the server's clock, RATE times a second; now: of that clock [s]."""
        if self.change.ready:
            self._change_horse()
        if self.reporter.listener is None and now - self.touched > self._quotas.alone:
            return
        if not self.manual:  # which goes on by `advance` alone
            for ticks in self.clock.due():
                self._go(ticks)
        self.reporter.beat(self.state)
        self.reporter.show(self.horse.number, self._flags(), self.horse.block)

    def advance(self, frames: int) -> None:
        """Go on by whole frames at once: for rides by script."""
        for _ in range(frames):
            self._go(TICKS_A_FRAME)

    def _go(self, ticks: int) -> None:
        horse = self.horse
        if self.course is not None and self.clock.at_frame:
            self._follow(self.course)
        before = horse.frame
        horse.step(ticks)
        self.reporter.happened(int(horse.frame.events))
        self._landed = wrapped(before, horse.frame) or (self._landed and not self.clock.at_frame)
        self.clock.passed(ticks)
        if self.clock.at_frame:
            self._keep()

    def _follow(self, course: Course) -> None:
        """The plan's next command; at its end the horse halts."""
        try:
            command = course.next(self.horse.frame, self._landed)
        except HoofbeatError as problem:
            command = None
            self._plan_failed(str(problem))
        if command is None:
            self.course, command = None, Command()
        try:
            self.horse.ride(command, self.horse.command_number)
        except HoofbeatError as problem:  # the plan's gait went with the method
            self.course = None
            self._plan_failed(str(problem))

    def _plan_failed(self, reason: str) -> None:
        self.reporter.post(messages.Problem(code="plan", text=reason, about="plan"))

    def _keep(self) -> None:
        """Write a whole frame into the recording and the command into the log."""
        held = self.horse.held()
        self.log.add(held)
        if self.library.open is not None:
            self.library.add(self.block(), held, self.horse.spec.method)
            if self.library.open is None:  # it was full
                self.reporter.post(self.library.facts())

    def _change_horse(self) -> None:
        """The horse that is ready takes over here and now."""
        self.horse.change(self.change.finish())
        self.log.clear(self.horse.heading)
        self.reporter.post(self.hello("kept"))
        try:
            self._start_plan()
        except Refusal as problem:
            self._plan_failed(str(problem))
        self.reporter.report(self.state())

    # ---------------------------------------------------------------------------------- telling

    def join(self, listener: Listener, resumed: Resumed) -> None:
        """A client comes; the one before it leaves."""
        self.reporter.join(listener)
        self._last_number = 0
        self.reporter.post(self.hello(resumed))
        self.reporter.report(self.state())
        self.reporter.post(self.library.facts())

    def leave(self, listener: Listener, now: float) -> None:
        """A client is gone; the ride waits for it."""
        if self.reporter.listener is listener:
            self.reporter.listener, self.touched = None, now

    def block(self) -> bytes:
        """The present frame as bytes."""
        return self.horse.block(self._flags())

    def _flags(self) -> int:
        flags = FLAG["paused"] if self.clock.paused else 0
        flags |= FLAG["recording"] if self.library.open is not None else 0
        flags |= FLAG["plan"] if self.course is not None else 0
        return flags | (FLAG["switching"] if self.switching else 0)

    @property
    def switching(self) -> bool:
        """Whether another horse is being made ready."""
        return self.change.wanted != self.horse.spec

    def state(self) -> messages.State:
        """How the ride stands."""
        course, recording, spec = self.course, self.library.open, self.change.wanted
        count = 0 if recording is None else recording.frames // messages.RATE * messages.RATE
        return messages.State(
            method=spec.method,
            breed=spec.breed,
            height=spec.height or self.facts.height(spec.method),
            coat=self.coat,
            terrain=spec.terrain,
            paused=self.clock.paused,
            time_scale=self.clock.time_scale,
            recording=None if recording is None else recording.id,
            recorded=count,
            plan=None if course is None else course.plan.name,
            segment=0 if course is None else course.index + 1,
            segments=0 if course is None else len(course.plan.segments),
            switching=self.switching,
        )

    def hello(self, resumed: Resumed) -> messages.Hello:
        """Who we are, and what this horse can do."""
        spec = self.horse.spec
        return self.facts.hello(
            self.token, resumed, spec.method, spec.breed, self.horse.herd.height, self._quotas
        )

    @property
    def ridden_yet(self) -> bool:
        """Whether anything was commanded."""
        return len(self.log) > 1 or self.horse.command != Command()

    def ridden(self) -> Plan:
        """What was commanded since the start, the last reset or change of the horse, as a plan."""
        if not len(self.log):
            raise Refusal("plan", "nothing was ridden yet")
        spec = self.horse.spec
        return Plan(
            self.log.segments(),
            spec.method,
            float(messages.RATE),
            spec.seed,
            spec.terrain,
            height=spec.height,
            options=spec.options(),
        )

    def plan_text(self) -> str:
        """The same as a plan file."""
        return format_plan(self.ridden())


def _setup_of(plan: Plan) -> messages.Setup:
    """The horse that a plan names. What the file does not say stays as it is; the clock is the server's."""
    if plan.scene is not None:
        raise Refusal("plan", "scene: the studio reads no files of others; leave it out")
    for name in plan.options:
        if name != "breed":
            raise Refusal("plan", f"options: the studio knows breed alone, given {name}; leave it out")
    breed = plan.options.get("breed")
    return messages.Setup(
        method=plan.method if "method" in plan.lines else None,
        height=plan.height,
        terrain=plan.terrain if "terrain" in plan.lines else None,
        breed=None if breed is None else check_breed(str(breed)),
    )


_HANDLERS: dict[type, Any] = {
    messages.Ride: Session.ride,
    messages.Setup: Session.setup,
    messages.Clock: Session.set_clock,
    messages.Step: Session.step,
    messages.Reset: Session.reset,
    messages.RecordSwitch: Session.record,
    messages.Edit: Session.edit,
    messages.Export: Session.export,
    messages.PlanText: Session.plan,
}
