"""Course: a plan as the command of every step, for whoever rides it: into a clip or under a rider's eyes.

Seconds run on whole frames without drift. Strides are counted by the engine's own phase of the left hind,
whose touchdown is where it wraps.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from hoofbeat.body.size import hip_height
from hoofbeat.body.skeleton import LEGS
from hoofbeat.errors import HoofbeatError
from hoofbeat.formats.planfile import Plan, Segment
from hoofbeat.horse import Herd
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.records import Command, Frame

LH = LEGS.index("LH")
#: A segment in cycles whose next stride lasts longer than this [s] will never end.
LONGEST_STRIDE = 10.0
#: A phase that falls by more than this has wrapped.
WRAP = 0.5


def wrapped(before: Frame, after: Frame) -> bool:
    """Whether the left hind has landed between two frames of a lone horse."""
    return float(before.phase[LH]) - float(after.phase[LH]) > WRAP


class Course:
    """The course of a plan: `next` gives the command for the coming step, None at the end.

    herd: the one that will be ridden; every name is checked against it before anything is. Headings of the
    plan count from where it faces now.
    """

    def __init__(self, plan: Plan, herd: Herd) -> None:
        self.plan = plan
        self.commands = [_command_of(plan, segment, herd) for segment in plan.segments]
        self.index = 0  # of the present segment
        self._owed = 0.0  # parts of a frame
        self._left = -1  # frames of a segment in seconds, -1 = not begun
        self._counted = 0  # strides of a segment in cycles, -1 = the first has not begun
        self._waited = 0

    def next(self, frame: Frame, landed: bool) -> Command | None:
        """The command of the step after `frame`; landed: the left hind did so in the step before it."""
        while self.index < len(self.plan.segments):
            segment = self.plan.segments[self.index]
            going = self._seconds(segment) if segment.unit == "s" else self._cycles(segment, frame, landed)
            if going:
                return self.commands[self.index]
            self.index, self._left = self.index + 1, -1
        return None

    def _seconds(self, segment: Segment) -> bool:
        if self._left < 0:
            self._owed += segment.length * self.plan.fps
            self._left = round(self._owed)
            self._owed -= self._left
        self._left -= 1
        return self._left >= 0

    def _cycles(self, segment: Segment, frame: Frame, landed: bool) -> bool:
        """Whole strides from a touchdown of LH on, then the part of one that is left."""
        limit = math.ceil(LONGEST_STRIDE * self.plan.fps)
        if self._left < 0:
            self._left, self._counted, self._waited = 0, 0 if landed else -1, limit
        elif landed:
            self._counted, self._waited = self._counted + 1, limit
        else:
            self._waited -= 1
        whole, part = divmod(segment.length, 1.0)
        going = self._counted < whole or (self._counted == whole and float(frame.phase[LH]) < part)
        if going and self._waited == 0:
            raise self.plan.fail(
                f"for: no stride was finished in {LONGEST_STRIDE:g} s (the gait is "
                f"{frame.gait}); ask for more speed, or give the time in seconds",
                segment,
            )
        return going


def _command_of(plan: Plan, segment: Segment, herd: Herd) -> Command:
    """The command of a segment, held to what the method can do; a wrong name is found here, before
    anything is ridden."""
    speed = course_speed(segment, hip_height(herd.skeleton))
    command = Command(
        speed=speed or 0.0,
        turn=segment.turn,
        heading=None if segment.heading is None else _facing(herd) + segment.heading,
        gait=segment.gait,
        action=segment.action,
        extension=segment.extension,
    )
    try:
        rows = herd.held(command)
    except HoofbeatError as problem:
        raise plan.fail(str(problem), segment) from problem
    pinned = int(rows["gait"][0])
    if pinned >= 0 and speed is None:
        rows["speed"] = np.mean(herd.bands[pinned])
    name = herd.gaits[pinned] if pinned >= 0 else None
    held = {key: float(rows[key][0]) for key in ("speed", "turn", "extension")}
    return replace(command, gait=name, **held)


def _facing(herd: Herd) -> float:
    """Where a lone horse faces [rad], 0 = +Z, left positive."""
    q = herd.alone().root.rotation
    return 2 * math.atan2(float(q[1]), float(q[3]))


def course_speed(segment: Segment, height: float) -> float | None:
    """The speed that a segment asks for [m/s]; height: of the hip [m]."""
    if segment.froude is None:
        return segment.speed
    return math.sqrt(segment.froude * GRAVITY * height)
