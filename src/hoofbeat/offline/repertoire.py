"""Repertoire: everything a game needs of a horse as short clips: strides that loop, changes, idle, leaps.

Loops begin where the left hind lands; a change begins with the first pose of one loop and ends with
the first pose of another, so that clips can be played one after the other without a seam. The last frame of
a loop is its first one again, a stride further on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import METHOD, Clip
from hoofbeat.body.root import ROOT, YAW, Track, in_place, track_of, with_motion
from hoofbeat.body.size import size_of
from hoofbeat.course import LH, WRAP
from hoofbeat.errors import ClipError
from hoofbeat.formats.planfile import Plan, Segment
from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.gaits.leap import mirrored_leap, read_leap
from hoofbeat.maths import quat
from hoofbeat.offline.author.leap import leap_clip
from hoofbeat.synthesis import STAND, synthesize

Floats = NDArray[np.float64]
Progress = Callable[[int, int], None]

#: The method that rides loops and changes, and what stands in its place in the leaps, which no method makes.
RIDER, AUTHORED = "timewarp", "authored"
#: What a clip keeps of the ride that it is cut from.
KEPT = ("gait", "phase", "speed", METHOD)
#: Frames a second at which rides are cut into clips; those of the clips are the caller's.
RATE = 240.0
#: Rates [1/s] that clips may have.
RATES = (10.0, 240.0)
#: Strides ridden for a loop; most strides that a change may last.
STRIDES, MOST_STRIDES = 3.0, 9
#: A change is over when every joint is within this of the new loop's first pose [m], and the speed within
#: this part of its own.
ARRIVED, AS_FAST = 0.04, 0.03
#: Time in which a change leaves one loop's pose and to reach the other's, where the ride differs [s].
MENDING = 0.25
#: Seconds of a halt that are looked through for the end of it.
HALT = 7.0
#: What is added to the name of a clip without its path over the ground.
IN_PLACE = "-in-place"


@dataclass(frozen=True)
class Loop:
    """One stride that repeats: name, gait, speed [m/s] and turn [rad/s] of a horse of the common size."""

    name: str
    gait: str
    speed: float
    turn: float = 0.0


LOOPS = (
    Loop("walk-slow", "walk", 0.9),
    Loop("walk", "walk", 1.5),
    Loop("walk-fast", "walk", 1.9),
    Loop("walk-turn-left", "walk", 1.4, 0.45),
    Loop("walk-turn-right", "walk", 1.4, -0.45),
    Loop("amble", "amble", 2.6),
    Loop("trot-slow", "trot", 2.8),
    Loop("trot", "trot", 3.6),
    Loop("trot-fast", "trot", 5.0),
    Loop("trot-turn-left", "trot", 3.4, 0.45),
    Loop("trot-turn-right", "trot", 3.4, -0.45),
    Loop("rack", "rack", 5.2),
    Loop("canter-left", "canter-left", 5.6),
    Loop("canter-right", "canter-right", 5.6),
    Loop("canter-left-turn", "canter-left", 5.4, 0.4),
    Loop("canter-right-turn", "canter-right", 5.4, -0.4),
    Loop("gallop-left", "gallop-left", 9.5),
    Loop("gallop-right", "gallop-right", 9.5),
    Loop("gallop-left-fast", "gallop-left", 13.5),
    Loop("gallop-right-fast", "gallop-right", 13.5),
)
#: Changes between loops, each in both directions; STAND is the horse at rest.
CHANGES = (
    (STAND, "walk"),
    (STAND, "trot"),
    ("walk", "trot"),
    ("walk", "amble"),
    ("trot", "rack"),
    ("walk", "canter-left"),
    ("trot", "canter-left"),
    ("trot", "canter-right"),
    ("canter-left", "canter-right"),
    ("canter-left", "gallop-left"),
    ("canter-right", "gallop-right"),
)
#: The idle horse: seconds of its loop, and of each joint the turns [deg] about the lateral and the upright
#: axis, how often in the loop, and how much later than the one before [cycles]. Its feet stay where they are.
IDLE_SECONDS = 6.0
IDLE: tuple[tuple[str, float, float, int, float], ...] = (
    ("Cervical07", 1.1, 0.6, 1, 0.00),
    ("Cervical05", 0.8, 1.0, 1, 0.03),
    ("Cervical03", -0.5, 1.6, 1, 0.06),
    ("Cervical01", -0.7, 2.2, 1, 0.10),
    ("Head", 1.6, 1.4, 2, 0.16),
    ("Tail08", 0.4, 1.6, 2, 0.00),
    ("Tail06", 0.4, 2.8, 2, 0.07),
    ("Tail04", 0.3, 3.6, 2, 0.14),
    ("Tail02", 0.2, 3.8, 2, 0.21),
)


def repertoire(
    fps: float = 60.0, height: float | None = None, seed: int = 0, progress: Progress | None = None
) -> list[Clip]:
    """All clips: the idle horse, the loops, the changes and the leaps, each with its path over the ground.

    height [m] of the withers (None = the method's own). A stride is made a whole number of frames long,
    so at a low rate speeds differ a little from those of LOOPS.
    """
    if not RATES[0] <= fps <= RATES[1]:
        raise ClipError(f"fps must be {RATES[0]:g} to {RATES[1]:g} for a repertoire, given {fps}")
    pairs = [pair for a, b in CHANGES for pair in ((a, b), (b, a))]
    total = len(LOOPS) + len(pairs) + 2
    maker = _Maker(fps, height, seed)
    loops: dict[str, Clip] = {}
    for loop in LOOPS:
        loops[loop.name] = maker.loop(loop)
        _report(progress, len(loops), total)
    rest = maker.rest()
    starts = {name: _first(clip) for name, clip in {**loops, STAND: rest}.items()}
    changes: list[Clip] = []
    for before, after in pairs:
        changes.append(maker.change(before, after, starts))
        _report(progress, len(loops) + len(changes), total)
    found = [maker.idle(rest), *loops.values(), *changes, *maker.leaps()]
    _report(progress, total, total)
    return found


def with_in_place(clips: list[Clip]) -> list[Clip]:
    """Every clip and, where it goes anywhere, after it the same on the spot, named so."""
    found: list[Clip] = []
    for clip in clips:
        found.append(clip)
        if np.ptp(track_of(clip).positions, axis=0).max() > 0:
            still = in_place(clip)
            found.append(_renamed(still, clip.name + IN_PLACE))
    return found


def loops(clip: Clip, near: float = 1e-4) -> bool:
    """Whether the last pose of a clip is its first one, in root space [m]."""
    local = in_place(clip).positions
    return len(clip) > 1 and bool(np.abs(local[-1] - local[0]).max() <= near)


class _Maker:
    """Rides and cuts."""

    def __init__(self, fps: float, height: float | None, seed: int) -> None:
        self.fps, self.seed = fps, seed
        self.skeleton = read_scene(THESIS_HORSE).skeleton
        self.size, self.height = size_of(self.skeleton, height), height

    def ride(self, *segments: Segment, settle: bool = True) -> Clip:
        plan = Plan(segments, RIDER, RATE, self.seed, height=self.height, settle=settle, name="ride")
        return synthesize(plan)

    def segment(self, loop: Loop, cycles: float) -> Segment:
        """Strides of a loop, at the speed and turn that are alike for this size."""
        pace = self.size.pace
        return Segment(cycles, "cycles", loop.speed * pace, gait=loop.gait, turn=loop.turn / pace)

    def loop(self, loop: Loop) -> Clip:
        ride = self.ride(self.segment(loop, STRIDES))
        first, last = _touchdowns(ride)[:2]
        return _closed(self.cut(ride, first, last, loop.name), straight=loop.turn == 0)

    def rest(self) -> Clip:
        return self.cut(self.ride(Segment(0.5, gait=STAND)), 0.0, 1.0, STAND)

    def change(self, before: str, after: str, starts: dict[str, Clip]) -> Clip:
        """From the first pose of a loop to the first pose of another, or of the stand."""
        known = {loop.name: loop for loop in LOOPS}
        begin = Segment(0.5, gait=STAND) if before == STAND else self.segment(known[before], 1)
        end = Segment(HALT, gait=STAND) if after == STAND else self.segment(known[after], MOST_STRIDES)
        ride = self.ride(begin, end)
        start = 0.5 * RATE if before == STAND else _touchdowns(ride)[0]
        stop = _arrival(ride, start, starts[after], after == STAND)
        clip = self.cut(ride, start, stop, f"{before}-to-{after}")
        return _joined(clip, starts[before], starts[after])

    def cut(self, ride: Clip, start: float, stop: float, name: str) -> Clip:
        """The ride between two moments, in frames of it, as whole frames of the clip, both ends included."""
        count = max(1, round((stop - start) / RATE * self.fps))
        moments = np.clip(np.linspace(start, stop, count + 1), 0, len(ride) - 1.0)
        return _sampled(ride, moments, self.fps, name)

    def idle(self, rest: Clip) -> Clip:
        count = round(IDLE_SECONDS * self.fps) + 1
        turned = np.repeat(rest.rotations[:1], count, axis=0)
        cycles = np.arange(count) / (count - 1)
        for name, nod, look, often, late in IDLE:
            joint = self.skeleton.index(name)
            wave = 2 * np.pi * (often * cycles - late)
            # A second, slower wave keeps it from looking like a machine; both fit into the loop.
            nods = nod * (np.sin(wave) + 0.5 * np.sin(3 * wave + 1.0))
            looks = look * (np.sin(wave + 0.7) + 0.4 * np.sin(2 * wave + 2.0))
            turn = quat.mul(_about((0.0, 1.0, 0.0), looks), _about((1.0, 0.0, 0.0), nods))
            turned[:, joint] = quat.mul(turned[:, joint], turn)
        still = {key: np.repeat(rows[:1], count, axis=0) for key, rows in rest.extras.items()}
        contacts = None if rest.contacts is None else np.repeat(rest.contacts[:1], count, axis=0)
        origins = np.repeat(rest.origins[:1], count, axis=0)
        return Clip(rest.skeleton, turned, origins, self.fps, contacts, "idle", still)

    def leaps(self) -> list[Clip]:
        """The authored leap on both leads; one of another size is as much slower as it is larger."""
        found: list[Clip] = []
        for leap, name in ((read_leap(), "leap-left"), (mirrored_leap(read_leap()), "leap-right")):
            made = leap_clip(leap, self.skeleton, self.fps * self.size.pace)
            factor = self.size.factor
            grown = Clip(
                self.skeleton.scaled(factor), made.rotations, made.origins * factor, self.fps, made.contacts
            )
            track = track_of(grown)
            start = Track(track.positions - track.positions[0], track.yaw)
            words = {"gait": np.full(len(grown), "jump"), METHOD: np.full(len(grown), AUTHORED)}
            whole = Clip(
                grown.skeleton, grown.rotations, grown.origins, self.fps, grown.contacts, name, words
            )
            found.append(_renamed(with_motion(in_place(whole), start), name))
        return found


def _about(axis: tuple[float, float, float], degrees: Floats) -> Floats:
    return quat.from_axis_angle(np.array(axis), np.radians(degrees))


def _report(progress: Progress | None, done: int, total: int) -> None:
    if progress is not None:
        progress(done, total)


def _renamed(clip: Clip, name: str) -> Clip:
    return Clip(clip.skeleton, clip.rotations, clip.origins, clip.fps, clip.contacts, name, {**clip.extras})


def _first(clip: Clip) -> Clip:
    """The first pose of a clip, in root space."""
    still = in_place(clip)
    speed = {"speed": np.asarray(clip.extras["speed"])[:1]}
    return Clip(still.skeleton, still.rotations[:1], still.origins[:1], still.fps, None, clip.name, speed)


def _touchdowns(ride: Clip) -> list[float]:
    """When the left hind lands, in frames, between them too."""
    phase = np.asarray(ride.extras["phase"], np.float64)[:, LH]
    wraps = np.flatnonzero(phase[:-1] - phase[1:] > WRAP)
    found = [float(k + (1 - phase[k]) / (1 - phase[k] + phase[k + 1])) for k in wraps]
    return [0.0, *found] if phase[0] < 0.05 else found


def _arrival(ride: Clip, start: float, goal: Clip, halt: bool) -> float:
    """The first moment after `start` at which the ride is in the goal's pose: a touchdown of the left hind,
    or any moment where it halts."""
    still = in_place(ride)
    last = float(len(ride) - 1)
    moments = (
        np.arange(start + 1, last) if halt else np.array([t for t in _touchdowns(ride) if t > start + 1])
    )
    local = _sampled(still, moments, RATE, "seen").positions
    distance = np.linalg.norm(local - goal.positions, axis=-1).max(axis=-1)
    speed, wanted = np.asarray(ride.extras["speed"], np.float64)[moments.astype(np.int64)], _speed(goal)
    good = np.flatnonzero((distance <= ARRIVED) & (np.abs(speed - wanted) <= AS_FAST * wanted))
    return float(moments[good[0] if len(good) else int(np.argmin(distance + np.abs(speed - wanted)))])


def _speed(clip: Clip) -> float:
    """Speed at the first frame [m/s], as the engine says."""
    return float(clip.extras["speed"][0])


def _sampled(ride: Clip, moments: Floats, fps: float, name: str) -> Clip:
    """The ride at fractional frames (M,), its path beginning at the origin and facing +Z."""
    low = np.floor(moments).astype(np.int64)
    high, share = np.minimum(low + 1, len(ride) - 1), moments - low
    placed = in_place(ride)
    rotations = quat.slerp(placed.rotations[low], placed.rotations[high], share[:, None])
    origins = _between(placed.origins, low, high, share)
    contacts = None if ride.contacts is None else ride.contacts[low]
    kept = {key: np.asarray(ride.extras[key])[low] for key in KEPT if key in ride.extras}
    still = Clip(ride.skeleton, rotations, origins, fps, contacts, name, kept)
    if ROOT not in ride.extras:
        return still
    track = track_of(ride)
    yaw, places = _between(track.yaw, low, high, share), _between(track.positions, low, high, share)
    back = quat.inverse(_about((0.0, 1.0, 0.0), np.degrees(yaw[:1])))
    start = places[0] * np.array([1.0, 0.0, 1.0])
    return with_motion(still, Track(quat.rotate(back, places - start), yaw - yaw[0]))


def _between(values: NDArray[Any], low: NDArray[Any], high: NDArray[Any], share: Floats) -> Floats:
    share = share.reshape(-1, *[1] * (values.ndim - 1))
    return values[low] * (1 - share) + values[high] * share


def _closed(clip: Clip, straight: bool) -> Clip:
    """The loop whose last pose is its first one: what is left between them is spread over the stride."""
    part = np.linspace(0.0, 1.0, len(clip))
    still, track = in_place(clip), track_of(clip)
    turned = _mended(still.rotations, still.rotations[0], part, at_end=True)
    origins = still.origins + part[:, None] * (still.origins[0] - still.origins[-1])
    places, yaw = np.array(track.positions), np.array(track.yaw)
    places[:, 1] -= part * (places[-1, 1] - places[0, 1])
    if straight:
        yaw -= part * yaw[-1]
        places[:, 0] -= part * places[-1, 0]
    contacts = None if clip.contacts is None else np.array(clip.contacts)
    if contacts is not None:
        contacts[-1] = contacts[0]
    extras = {key: np.array(rows) for key, rows in clip.extras.items() if key not in (ROOT, YAW)}
    closed = Clip(clip.skeleton, turned, origins, clip.fps, contacts, clip.name, extras)
    return with_motion(closed, Track(places, yaw))


def _joined(clip: Clip, before: Clip, after: Clip) -> Clip:
    """The change with exactly the poses of both loops at its ends."""
    still, track = in_place(clip), track_of(clip)
    seconds = np.arange(len(clip)) / clip.fps
    ends = (1 - _eased(seconds / MENDING), 1 - _eased((seconds[-1] - seconds) / MENDING))
    turned, origins = np.array(still.rotations), np.array(still.origins)
    for part, goal, row in zip(ends, (before, after), (0, -1), strict=True):
        origins = origins + part[:, None] * (goal.origins[0] - origins[row])
        turned = _mended(turned, goal.rotations[0], part, at_end=row == -1)
    extras = {key: rows for key, rows in clip.extras.items() if key not in (ROOT, YAW)}
    return with_motion(
        Clip(clip.skeleton, turned, origins, clip.fps, clip.contacts, clip.name, extras), track
    )


def _mended(rotations: Floats, goal: Floats, part: Floats, at_end: bool) -> Floats:
    """Rotations (T, J, 4) turned so that the first or last is the goal (J, 4), each row by its part."""
    off = quat.mul(goal, quat.inverse(rotations[-1 if at_end else 0]))
    share = np.broadcast_to(part[:, None], rotations.shape[:2])
    whole = np.broadcast_to(off, rotations.shape)
    turn = quat.slerp(quat.identity(rotations.shape[:2]), np.ascontiguousarray(whole), np.array(share))
    return quat.normalize(quat.mul(turn, rotations))


def _eased(part: Floats) -> Floats:
    part = np.clip(part, 0.0, 1.0)
    return part * part * (3 - 2 * part)


__all__ = ["CHANGES", "IN_PLACE", "LOOPS", "Loop", "loops", "repertoire", "with_in_place"]
