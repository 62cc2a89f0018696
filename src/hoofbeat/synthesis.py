"""Synthesis: a plan becomes a clip. The horse is stepped once a frame and every frame is kept.

Frame k shows the moment k / fps: a segment covers the time from its start up to, not including, its
end. Strides are counted by the engine's own phase of the left hind, whose touchdown is where it wraps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from os import PathLike

import numpy as np

from hoofbeat.body.clip import Clip
from hoofbeat.body.root import Track, in_place, track_of, with_motion
from hoofbeat.body.size import HeightError, hip_height
from hoofbeat.body.skeleton import LEGS
from hoofbeat.errors import HoofbeatError, SceneFileError, UnknownName
from hoofbeat.formats.planfile import MAX_SECONDS, Plan, PlanError, Segment, read_plan
from hoofbeat.horse import Herd
from hoofbeat.maths import quat
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.record import MAX_FRAMES, Recorder
from hoofbeat.records import Command

Progress = Callable[[int, int], None]

STAND = "stand"
LH = LEGS.index("LH")
#: A segment in cycles whose next stride takes longer than this [s] will never end.
LONGEST_STRIDE = 10.0
#: Settling: at most this long, and this long where the horse stands [s].
MOST_SETTLING, STANDING = 20.0, 1.0
#: Two strides whose speeds differ by less than this part are steady.
STEADY = 0.01
#: Near enough to the speed asked for, as a part of it; after this time [s] any steady one will do.
THERE, PATIENCE = 0.03, 6.0
#: A phase that falls by more than this has wrapped.
WRAP = 0.5
#: Progress is told about so many times in a ride.
REPORTS = 200


@dataclass(frozen=True)
class Ride:
    """A synthesised plan: its clip, and a line for every speed or turn that had to be clamped."""

    clip: Clip
    notes: tuple[str, ...]


def synthesize(plan: str | PathLike[str] | Plan, progress: Progress | None = None) -> Clip:
    """Ride a plan (a YAML file or a Plan) and return the clip.

    progress(done, total) is called with frames now and then; `total` grows where segments are given in
    cycles. Extras as a Recorder's: root, yaw, phase, speed, gait, airborne, shortfall, events.
    """
    return ride(plan, progress).clip


def ride(plan: str | PathLike[str] | Plan, progress: Progress | None = None) -> Ride:
    """As `synthesize`, and tells what was clamped."""
    plan = plan if isinstance(plan, Plan) else read_plan(plan)
    frames = math.ceil(plan.seconds * plan.fps)
    if frames > MAX_FRAMES:
        raise plan.fail(f"{frames} frames are over {MAX_FRAMES}; lower fps or ride for a shorter time")
    rider = _Rider(plan, progress)
    rider.ride()
    clip = rider.recorder.clip(plan.name)
    return Ride(_from_origin(clip) if plan.settle and plan.terrain == "flat" else clip, rider.notes)


def all_gaits(plan: Plan) -> tuple[Plan, ...]:
    """A plan for each gait of the plan's method, slowest first and named by it: the first segment with
    that gait pinned at the middle of its band. Where that is n cycles, the stand takes n seconds."""
    first = plan.segments[0]
    plans: list[Plan] = []
    for gait in _herd_of(plan).gaits:
        unit = "s" if gait == STAND else first.unit
        pinned = replace(first, unit=unit, speed=None, froude=None, action=None, gait=gait)
        plans.append(replace(plan, name=gait, segments=(pinned,)))
    return tuple(plans)


class _Rider:
    """A horse under a plan: steps, counts strides, records."""

    def __init__(self, plan: Plan, progress: Progress | None) -> None:
        self.plan, self.progress = plan, progress
        self.herd = _herd_of(plan)
        self.commands = [_command(plan, segment, self.herd) for segment in plan.segments]
        self.recorder = Recorder(self.herd.skeleton, plan.fps)
        self.notes = _notes(plan, self.commands, hip_height(self.herd.skeleton))
        self.frame = self.herd.alone()
        self.wrapped = False  # whether the present frame is the first after a touchdown of LH
        self._most = int(MAX_SECONDS * plan.fps)

    def ride(self) -> None:
        """The whole plan; the clock of the segments in seconds runs on whole frames without drift."""
        if self.plan.settle:
            self._settle(self.commands[0])
        owed = 0.0  # parts of a frame
        for segment, command in zip(self.plan.segments, self.commands, strict=True):
            if segment.unit == "s":
                owed += segment.length * self.plan.fps
                count = round(owed)
                owed -= count
                for _ in range(count):
                    self._record(command)
            else:
                self._ride_cycles(segment, command)
        if not len(self.recorder):
            raise self.plan.fail("the segments together are shorter than one frame; make them longer")
        self._report(done=True)

    def _step(self, command: Command) -> None:
        before = float(self.frame.phase[LH])
        self.herd.advance(command, 1 / self.plan.fps)
        self.frame = self.herd.alone()
        self.wrapped = before - float(self.frame.phase[LH]) > WRAP

    def _record(self, command: Command) -> None:
        if len(self.recorder) >= self._most:
            raise self.plan.fail(f"the ride is longer than {MAX_SECONDS:g} s; ask for fewer cycles")
        self.recorder.add(self.frame)
        self._step(command)
        self._report()

    def _ride_cycles(self, segment: Segment, command: Command) -> None:
        """Whole strides from a touchdown of LH on, then the part of one that is left."""
        whole, part = divmod(segment.length, 1.0)
        counted = 0 if self.wrapped else -1
        limit = waited = math.ceil(LONGEST_STRIDE * self.plan.fps)
        while counted < whole or (counted == whole and float(self.frame.phase[LH]) < part):
            if waited == 0:
                raise self.plan.fail(
                    f"for: no stride was finished in {LONGEST_STRIDE:g} s (the gait is "
                    f"{self.frame.gait}); ask for more speed, or give the time in seconds",
                    segment,
                )
            self._record(command)
            counted += self.wrapped
            waited = limit if self.wrapped else waited - 1

    def _settle(self, command: Command) -> None:
        """Ride without recording until two strides are alike, or for a while where it stands."""
        last = math.inf
        standing = math.ceil(STANDING * self.plan.fps)
        for k in range(math.ceil(MOST_SETTLING * self.plan.fps)):
            self._step(command)
            speed = float(self.frame.speed)
            if self.wrapped:
                # A speed that waits at a border between gaits is steady for a stride or two.
                there = abs(speed - float(command.speed)) <= THERE * speed  # type: ignore[arg-type]
                waited = there or k >= PATIENCE * self.plan.fps
                if waited and abs(speed - last) <= STEADY * speed and command.gait in (None, self.frame.gait):
                    return
                last = speed
            if k >= standing and self.frame.gait == STAND and speed == 0:
                return

    def _report(self, done: bool = False) -> None:
        if self.progress is None:
            return
        count = len(self.recorder)
        total = max(count, round(self.plan.seconds * self.plan.fps))
        if done or count % max(1, total // REPORTS) == 0:
            self.progress(count, count if done else total)


def _herd_of(plan: Plan) -> Herd:
    try:
        return Herd(
            1,
            plan.method,
            plan.seed,
            scene=plan.scene_path(),
            terrain=plan.terrain,
            height=plan.height,
            **plan.options,
        )
    except HeightError as problem:
        raise plan.fail(str(problem), key="height") from problem
    except UnknownName as problem:
        key = "options" if problem.kind not in plan.lines and plan.options else problem.kind
        raise plan.fail(str(problem), key=key) from problem
    except SceneFileError as problem:
        raise plan.fail(f"scene: {problem}", key="scene") from problem


def _command(plan: Plan, segment: Segment, herd: Herd) -> Command:
    """The command of a segment, held to what the method can do; a wrong name is found here, before
    anything is ridden."""
    speed = _speed(segment, hip_height(herd.skeleton))
    command = Command(speed=speed or 0.0, turn=segment.turn, gait=segment.gait, action=segment.action)
    try:
        rows = herd.held(command)
    except HoofbeatError as problem:
        raise plan.fail(str(problem), segment) from problem
    pinned = int(rows["gait"][0])
    if pinned >= 0 and speed is None:
        rows["speed"] = np.mean(herd.bands[pinned])
    name = herd.gaits[pinned] if pinned >= 0 else None
    return replace(command, speed=float(rows["speed"][0]), turn=float(rows["turn"][0]), gait=name)


def _speed(segment: Segment, height: float) -> float | None:
    """The speed that a segment asks for [m/s]; height: of the hip [m]."""
    if segment.froude is None:
        return segment.speed
    return math.sqrt(segment.froude * GRAVITY * height)


def _notes(plan: Plan, commands: list[Command], height: float) -> tuple[str, ...]:
    """A line for every speed or turn that had to be held to the method's range; height: of the hip [m]."""
    found: list[str] = []
    for segment, command in zip(plan.segments, commands, strict=True):
        asked = {"speed": (_speed(segment, height), "m/s"), "turn": (segment.turn, "rad/s")}
        for key, (value, unit) in asked.items():
            held = float(getattr(command, key))
            if value is not None and value != held:
                words = f"{key} {value:g} {unit} held to {held:g}, the limit of the method {plan.method}"
                found.append(str(plan.fail(words, segment)))
    return tuple(found)


def _from_origin(clip: Clip) -> Clip:
    """The clip moved so that its root begins at the origin, facing +Z."""
    track = track_of(clip)
    back = quat.inverse(track.rotations[0])
    start = track.positions[0] * np.array([1.0, 0.0, 1.0])
    moved = Track(quat.rotate(back, track.positions - start), track.yaw - track.yaw[0])
    return with_motion(in_place(clip), moved)


__all__ = ["PlanError", "Ride", "all_gaits", "hip_height", "ride", "synthesize"]
