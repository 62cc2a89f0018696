"""Horse: the one under a rider: command in, frame out, and the change to another horse.

It knows no network and no wall clock; time is counted in the ticks of `hoofbeat.studio.rides.clock`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hoofbeat.body.size import hip_height
from hoofbeat.errors import HoofbeatError
from hoofbeat.gaits.breeds import DEFAULT_BREED
from hoofbeat.handover import Blend, Moment, corresponding_gait, ride_ahead, take_over
from hoofbeat.horse import Herd, Snapshot
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.methods.catalog import DEFAULT, method_info
from hoofbeat.records import CLAMPS, REFUSALS, Command, Frame
from hoofbeat.studio.rides.clock import TICKS, TICKS_A_FRAME
from hoofbeat.studio.rides.command_log import Held
from hoofbeat.studio.wire import messages
from hoofbeat.studio.wire.frame import FLAG, encode_head

AIRBORNE = FLAG["airborne"]
_CLAMP = {name: 1 << k for k, name in enumerate(CLAMPS)}


@dataclass(frozen=True)
class HorseSpec:
    """Which horse: method, withers height [m] (None = the method's own), terrain, seed, and breed: the gaits
    that it chooses by itself, where the method knows breeds."""

    method: str = DEFAULT
    height: float | None = None
    terrain: str = "flat"
    seed: int = 0
    breed: str = DEFAULT_BREED

    def options(self) -> dict[str, Any]:
        """Options of the method itself, by name, where they are not its default."""
        chosen = self.breed != DEFAULT_BREED and "breed" in method_info(self.method).options()
        return {"breed": self.breed} if chosen else {}

    def make(self, x: float = 0.0, z: float = 0.0, heading: float = 0.0) -> Herd:
        """A horse of this kind, standing at a place [m] with a heading [rad]."""
        return Herd(
            1,
            self.method,
            self.seed,
            height=self.height,
            terrain=self.terrain,
            positions=[(x, z)],
            headings=[heading],
            **self.options(),
        )


@dataclass(frozen=True)
class Successor:
    """A horse made ready to take over: which, itself, its snapshot standing at the origin, and the moments
    that it was ridden through ahead."""

    spec: HorseSpec
    herd: Herd
    start: Snapshot
    moments: list[Moment]


def make_successor(spec: HorseSpec, frame: Frame, turn: float) -> Successor:
    """A horse ready to take over from the one in `frame`. It needs tens of ms: not for the clock's thread."""
    herd = spec.make()
    start = herd.snapshot()
    return Successor(spec, herd, start, ride_ahead(herd, frame, turn))


class RiddenHorse:
    """One horse: `ride` sets what is wanted, `step` lets time pass, `block` is the moment as bytes."""

    def __init__(
        self, spec: HorseSpec, gaits: tuple[str, ...], x: float = 0.0, z: float = 0.0, heading: float = 0.0
    ) -> None:
        self.gaits = {name: k for k, name in enumerate(gaits)}
        self.number = self.ticks = self.command_number = 0
        self.command = Command()
        self.heading, self.turn = heading, 0.0
        herd = spec.make(x, z, heading)
        self._adopt(spec, herd, herd.snapshot())
        self._blend: Blend | None = None
        self.frame = self.before = self.herd.alone()

    def _adopt(self, spec: HorseSpec, herd: Herd, start: Snapshot) -> None:
        self.spec, self.herd, self._start = spec, herd, start
        self._height, self._hip = herd.height, hip_height(herd.skeleton)
        self._held = herd.held(self.command)[0]

    @property
    def time(self) -> float:
        """Of the ride [s]."""
        return self.ticks / TICKS

    @property
    def height(self) -> float:
        """Of the withers now [m]: between two sizes while one takes over from the other."""
        return self._height * (1.0 if self._blend is None else self._blend.ratio)

    def place(self) -> tuple[float, float, float]:
        """x, z [m] and heading [rad]."""
        position = self.frame.root.position
        return float(position[0]), float(position[2]), self.heading

    def ride(self, command: Command, number: int) -> None:
        """Make this the command; an error names what is wrong with it and leaves the old one."""
        held = self.herd.held(command)
        self.command, self.command_number, self._held = command, number, held[0]

    def held(self) -> Held:
        """What the horse is held to."""
        command, held = self.command, self._held
        gait = None if command.gait is None else self.herd.gaits[int(held["gait"])]
        heading = float(held["heading"]) if held["has_heading"] else None
        extension = float(held["extension"])
        return Held(float(held["speed"]), float(held["turn"]), gait, command.action, heading, extension)

    def restart(self) -> None:
        """Back to the start of this horse, with no command; frames go on counting."""
        self.herd.restore(self._start)
        self.ride(Command(), self.command_number)
        self._blend = None
        self.frame = self.before = self.herd.alone()
        q = self.frame.root.rotation
        self.heading, self.turn = 2 * math.atan2(float(q[1]), float(q[3])), 0.0

    def step(self, ticks: int = TICKS_A_FRAME) -> None:
        """Go on by so many ticks in one step."""
        dt = ticks / TICKS
        self.herd.advance(self.command, dt)
        if self.command.jump is not None:  # asked for once
            self.command = replace(self.command, jump=None)
        frame = self.herd.alone()
        self._turned(frame, dt)
        if self._blend is not None:
            self._blend.step(dt)
            frame = self._blend.apply(frame, self.herd.skeleton)
            self._blend = None if self._blend.finished else self._blend
        self.before, self.frame = self.frame, frame
        self.number += 1
        self.ticks += ticks

    def _turned(self, frame: Frame, dt: float) -> None:
        q = frame.root.rotation
        yaw = 2 * math.atan2(float(q[1]), float(q[3]))
        change = (yaw - self.heading + math.pi) % (2 * math.pi) - math.pi
        self.turn = change / dt
        self.heading += change

    def change(self, to: Successor) -> None:
        """Let the other horse take over here and now."""
        old, before, height = self.frame, self.before, self.height
        new, new_before = take_over(to.herd, to.moments, old)
        self.command = _command_for(self.command, to.herd)
        same = to.herd.skeleton.names == self.herd.skeleton.names
        self._adopt(to.spec, to.herd, to.start)
        self._blend = None
        if same:
            self._blend = Blend(old, before, new, new_before, height / self._height)
            new = self._blend.apply(new, to.herd.skeleton)
        self.frame = new

    def block(self, flags: int = 0) -> bytes:
        """The present moment with these FLAGS bits; see `hoofbeat.studio.wire.frame`."""
        frame, root, height = self.frame, self.frame.root, self.height
        speed, hip = float(frame.speed), self._hip * height / self._height
        head = encode_head(
            joints=len(frame.positions),
            number=self.number,
            time=self.time,
            root=root.position.tolist(),
            heading=self.heading,
            command=self.command_number,
            flags=flags | (AIRBORNE if frame.airborne else 0),
            events=frame.events,
            clamps=sum(_CLAMP[name] for name in frame.clamped),
            speed=speed,
            froude=speed * speed / (GRAVITY * hip),
            turn=self.turn,
            wanted_speed=float(self._held["speed"]),
            wanted_turn=float(self._held["turn"]),
            height=height,
            phase=frame.phase.tolist(),
            contacts=frame.contacts.tolist(),
            shortfall=frame.shortfall.tolist(),
            feet=self._feet(),
            foot_phase=frame.foot_phase.tolist(),
            gait=self.gaits[str(frame.gait)],
            going_to=self.gaits[str(frame.going_to)],
            refused=REFUSALS.index(str(frame.refused)),
        )
        near = (frame.positions - root.position).astype("<f4")
        return head + near.tobytes() + frame.rotations.astype("<f4").tobytes()

    def _feet(self) -> list[float]:
        """Targets and corrections of the toes, world axes, one after the other."""
        s, c = math.sin(self.heading), math.cos(self.heading)
        turn = np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])
        targets, corrections = self.herd.feet()
        return [*(targets[0] @ turn).ravel().tolist(), *(corrections[0] @ turn).ravel().tolist()]


def command_of(message: messages.Ride) -> Command:
    """What a rider's message asks for."""
    return Command(
        speed=message.speed,
        turn=message.turn,
        heading=message.heading,
        gait=message.gait,
        action=message.action,
        jump=None if message.jump is None else (message.jump.height, message.jump.distance),
        extension=message.extension,
    )


def _command_for(command: Command, herd: Herd) -> Command:
    """The command for another method: the gait that corresponds, actions only if it has them."""
    gait = None if command.gait is None else corresponding_gait(str(command.gait), herd.gaits)
    action = command.action if command.action in herd.method.actions else None
    changed = replace(command, gait=gait, action=action)
    try:
        herd.held(changed)
    except HoofbeatError:
        return Command()
    return changed
