"""Synthesis: a plan becomes a clip. The horse is stepped once a frame and every frame is kept.

Frame k shows the moment k / fps: a segment covers the time from its start up to, not including, its
end. Strides are counted by the engine's own phase of the left hind, whose touchdown is where it wraps.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np

from hoofbeat.body.clip import Clip
from hoofbeat.body.root import Track, in_place, track_of, with_motion
from hoofbeat.body.size import HeightError, hip_height
from hoofbeat.course import Course, course_speed, wrapped
from hoofbeat.errors import FileError, HoofbeatError, SceneFileError, UnknownName
from hoofbeat.formats.planfile import MAX_SECONDS, Plan, PlanError, read_plan
from hoofbeat.horse import Herd
from hoofbeat.maths import quat
from hoofbeat.methods.catalog import DEFAULT, method_info
from hoofbeat.record import MAX_FRAMES, Recorder
from hoofbeat.records import Command

Progress = Callable[[int, int], None]

STAND = "stand"
#: Settling: at most this long, and this long where the horse stands [s].
MOST_SETTLING, STANDING = 20.0, 1.0
#: Two strides whose speeds differ by less than this part are steady.
STEADY = 0.01
#: Near enough to the speed asked for, as a part of it; after this time [s] any steady one will do.
THERE, PATIENCE = 0.03, 6.0
#: Progress is reported about so many times in a ride.
REPORTS = 200


@dataclass(frozen=True)
class Ride:
    """A synthesised plan: its clip, and a line for every speed or turn that had to be clamped."""

    clip: Clip
    notes: tuple[str, ...]


def synthesize(plan: str | PathLike[str] | Plan, progress: Progress | None = None) -> Clip:
    """Ride a plan (a YAML file or a Plan) and return the clip.

    progress(done, total) is called with frames now and then; `total` grows where segments are given in
    cycles. Extras as a Recorder's: root, yaw, phase, speed, gait, airborne, shortfall, events, method.
    """
    return ride(plan, progress).clip


def ride(plan: str | PathLike[str] | Plan, progress: Progress | None = None) -> Ride:
    """As `synthesize`, and returns what was clamped."""
    plan = _plan_of(plan)
    frames = math.ceil(plan.seconds * plan.fps)
    if frames > MAX_FRAMES:
        raise plan.fail(
            f"{frames} frames are over {MAX_FRAMES}; lower fps or ride for a shorter time", key="fps"
        )
    rider = _Rider(plan, progress)
    rider.ride()
    clip = rider.recorder.clip(plan.name)
    return Ride(_from_origin(clip) if plan.settle and plan.terrain == "flat" else clip, rider.notes)


def _plan_of(given: str | PathLike[str] | Plan) -> Plan:
    """A plan, or the one in a file."""
    if isinstance(given, Plan):
        return given
    if not isinstance(given, str | PathLike):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise PlanError(
            f"expected the name of a plan file or an hb.Plan, given {type(given).__name__}; a plan in Python "
            "is hb.Plan((Segment(3.0, speed=2.0),)) with hoofbeat.formats.planfile.Segment"
        )
    return read_plan(given)


def all_gaits(plan: Plan) -> tuple[Plan, ...]:
    """A plan for each gait of the plan's method, slowest first and named by it: the first segment with
    that gait pinned at the middle of its band. Where that is n cycles, the stand lasts n seconds."""
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
        self.course = Course(plan, self.herd)
        self.recorder = Recorder(self.herd.skeleton, plan.fps, method=plan.method)
        self.notes = _notes(plan, self.course.commands, self.herd)
        self.frame = self.herd.alone()
        self.landed = False  # whether the present frame is the first after a touchdown of LH
        self._most = int(MAX_SECONDS * plan.fps)

    def ride(self) -> None:
        """The whole plan."""
        if self.plan.settle:
            self._settle(self.course.commands[0])
        while (command := self.course.next(self.frame, self.landed)) is not None:
            self._record(command)
        if not len(self.recorder):
            raise self.plan.fail(
                "the segments together are shorter than one frame; make them longer", key="segments"
            )
        self._report(done=True)

    def _step(self, command: Command) -> None:
        before = self.frame
        self.herd.advance(command, 1 / self.plan.fps)
        self.frame = self.herd.alone()
        self.landed = wrapped(before, self.frame)

    def _record(self, command: Command) -> None:
        if len(self.recorder) >= self._most:
            segment = self.plan.segments[min(self.course.index, len(self.plan.segments) - 1)]
            raise self.plan.fail(f"the ride is longer than {MAX_SECONDS:g} s; ask for fewer cycles", segment)
        self.recorder.add(self.frame)
        self._step(command)
        self._report()

    def _settle(self, command: Command) -> None:
        """Ride without recording until two strides are alike, or for a while where it stands."""
        last = math.inf
        standing = math.ceil(STANDING * self.plan.fps)
        for k in range(math.ceil(MOST_SETTLING * self.plan.fps)):
            self._step(command)
            speed = float(self.frame.speed)
            if self.landed:
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
    options: dict[str, Any] = dict(plan.options)
    for key in options:
        if key in inspect.signature(Herd).parameters:
            raise plan.fail(f"options: {key!r} is not an option of a method", key=f"options.{key}")
    if plan.breed is not None:
        options |= _breed_of(plan)
    try:
        return Herd(
            1,
            plan.method,
            plan.seed,
            scene=plan.scene_path(),
            terrain=plan.terrain,
            height=plan.height,
            **options,
        )
    except HeightError as problem:
        raise plan.fail(str(problem), key="height") from problem
    except SceneFileError as problem:
        raise plan.fail(f"scene: {problem}", key="scene") from problem
    except HoofbeatError as problem:
        raise plan.fail(str(problem), key=_key_of(problem, plan)) from problem


def _breed_of(plan: Plan) -> dict[str, Any]:
    """The breed as an option of the plan's method; a method that has no choice of breed says so."""
    try:
        options = method_info(plan.method).options()
    except UnknownName as problem:
        raise plan.fail(str(problem), key="method") from problem
    if "breed" not in options:
        raise plan.fail(
            f"breed: the method {plan.method} has no choice of breed; leave it out, or use the method "
            f"{DEFAULT}",
            key="breed",
        )
    return {"breed": plan.breed}


def _key_of(problem: HoofbeatError, plan: Plan) -> str:
    """The key of a plan that an error is about."""
    if isinstance(problem, FileError):
        given = (key for key, value in plan.options.items() if str(value) == problem.path)
        option = next(given, None)
        return "scene" if option is None else f"options.{option}"
    if isinstance(problem, UnknownName):
        if problem.kind in plan.lines:
            return problem.kind
        if problem.kind == "option":
            return f"options.{problem.given}"
    named = (key for key in plan.options if str(problem).startswith(key) or f" {key} " in str(problem))
    inside = next(named, None) or (problem.kind if isinstance(problem, UnknownName) else "")
    if f"options.{inside}" in plan.lines:
        return f"options.{inside}"
    return "options" if plan.options else "method"


def _notes(plan: Plan, commands: list[Command], herd: Herd) -> tuple[str, ...]:
    """A line for everything that had to be held to the range of the gait or of the method."""
    height = hip_height(herd.skeleton)
    found: list[str] = []
    for segment, command in zip(plan.segments, commands, strict=True):
        asked = {
            "speed": (course_speed(segment, height), " m/s"),
            "turn": (segment.turn, " rad/s"),
            "extension": (segment.extension, ""),
        }
        for key, (value, unit) in asked.items():
            held = float(getattr(command, key))
            if value is not None and value != held:
                whose = f"of the method {plan.method}"
                if key == "speed" and command.gait is not None:
                    whose = f"of the gait {command.gait} in the method {plan.method}"
                words = f"{key} {value:g}{unit} held to {held:g}, the limit {whose}"
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
