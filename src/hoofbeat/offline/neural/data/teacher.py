"""Teacher: hours of our own horse under random commands, as clips for a network to learn from (N10).

A ride is cut into parts of a few seconds: every gait, change, turn, start and halt. Each part asks for a
gait, then for a speed within its band, so that every gait gets its share of the time whatever the width of
its band; half of the parts pin the gait.

The horse is that of the method `timewarp`, so that what is learnt from it can be shipped under our licence.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.labelled import Dataset, LabelledClip, Rig
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import HoofbeatError
from hoofbeat.gaits.gait import other_lead
from hoofbeat.horse import Herd
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.methods.neural.network.layout import RATE
from hoofbeat.offline.neural.data.sides import sides_of
from hoofbeat.records import COMMAND

#: The method that teaches.
METHOD = "timewarp"
#: It has all the gaits, so that a network learns them all.
BREED = "all"
#: Length of a clip [s], and how many horses ride at once.
SECONDS, TOGETHER = 80.0, 100
#: One clip in so many tests.
TEST_EACH = 25
#: No horse is faster [m/s] nor turns faster [rad/s]; one that seems to was moved elsewhere at once.
MOST_SPEED, MOST_TURN = 18.0, 6.0
#: Most hours of one set: what a dataset file can hold.
MOST_HOURS = 8.0
#: Modelled nodes of trunk, head and tail; scapulae and legs are added.
TRUNK = ("RootSacrum", "Lumbar01", "Thoracic03", "Cervical05", "Cervical02", "Head", "Tail06", "Tail01")
SCAPULAE = ("ScapulaLeft", "ScapulaRight")

Progress = Callable[[int, int], None]
#: How likely a part is to stand, to be a long steady one, to pin its gait, to go to its speed slowly.
STAND, STEADY, PINNED, RAMPED = 0.22, 0.1, 0.5, 0.5
#: How likely a part goes straight on; a standing one turns on the spot; a lead is that of the turn.
STRAIGHT, SPOT, INSIDE = 0.6, 0.2, 0.8
#: How long a part lasts [s], and a steady one.
SHORT, LONG = (1.0, 6.0), (10.0, 20.0)
#: Fastest speed that is asked for [m/s], and fastest turn on the spot [rad/s].
FASTEST, SLOW_TURN = 13.0, 0.6
#: Sideways acceleration of the sharpest turn [m/s2].
LATERAL = 0.5 * GRAVITY


class TeacherError(HoofbeatError):
    """Hours that cannot be synthesised."""


@dataclass(frozen=True, eq=False)
class _Frames:
    """What is kept of a herd of N over T frames: see LabelledClip."""

    rotations: NDArray[np.float32]  # (N, T, J, 4)
    origins: NDArray[np.float32]  # (N, T, 3)
    root: NDArray[np.float64]  # (N, T, 3)
    actions: NDArray[np.int8]  # (N, T)


def horse_dataset(hours: float, seed: int, progress: Progress | None = None) -> Dataset:
    """At least so many hours of the horse under random commands; the same seed gives the same clips.

    progress(done, total) counts seconds of the clips.
    """
    if not (math.isfinite(hours) and 0 < hours <= MOST_HOURS):
        raise TeacherError(f"hours must be above 0 and at most {MOST_HOURS:g}, given {hours}")
    count = math.ceil(hours * 3600 / SECONDS)
    frames = round(SECONDS * RATE) if count > 1 else max(2, round(hours * 3600 * RATE))
    total = count * frames // RATE
    clips: list[LabelledClip] = []
    lost = 0
    rig: Rig | None = None
    for first in range(0, count, TOGETHER):
        numbers = range(first, min(first + TOGETHER, count))
        herd = Herd(len(numbers), METHOD, seed, breed=BREED)
        rig = rig or horse_rig(herd.skeleton, herd.gaits)

        def report(frame: int, first: int = first, size: int = len(numbers)) -> None:
            if progress is not None:
                progress((first * frames + frame * size) // RATE, total)

        kept = _ride_herd(herd, numbers, seed, frames, report)
        for k, number in enumerate(numbers):
            test = count > 1 and number % TEST_EACH == min(TEST_EACH, count) // 2
            clip = _clip(kept, k, f"ride {number:04d}", test)
            clips += [clip] if clip else []
            lost += clip is None
    assert rig is not None
    notes = f"{METHOD}, seed {seed}, {len(clips)} clips of {frames / RATE:g} s" + (
        f"; {lost} left out: not finite, or moved elsewhere at once" if lost else ""
    )
    return Dataset(rig, tuple(clips), notes=notes)


def horse_rig(skeleton: Skeleton, gaits: tuple[str, ...]) -> Rig:
    """The rig of the horse's clips: its actions are the gaits, which swap leads in a mirror."""
    mirror, axis = sides_of(skeleton)
    nodes = [skeleton.index(name) for name in (*TRUNK, *SCAPULAE)]
    for leg in skeleton.legs:
        nodes += [leg.top, leg.mid, leg.low, leg.pastern, leg.toe]
    swaps = [
        gaits.index(other_lead(name)) if other_lead(name) in gaits else k for k, name in enumerate(gaits)
    ]
    return Rig(skeleton, np.array(nodes), mirror, axis, gaits, np.array(swaps))


def _ride_herd(herd: Herd, numbers: range, seed: int, frames: int, report: Callable[[int], None]) -> _Frames:
    """Frames of a herd, each horse by its own commands."""
    gaits = Gaits(herd.gaits, herd.bands, herd.method.max_turn)
    rides = np.stack(
        [random_commands(gaits, (seed, number), frames, RATE) for number in numbers], axis=1
    )  # (T, N)
    size, nodes = len(numbers), len(herd.skeleton)
    kept = _Frames(
        np.empty((size, frames, nodes, 4), np.float32),
        np.empty((size, frames, 3), np.float32),
        np.empty((size, frames, 3)),
        np.empty((size, frames), np.int8),
    )
    codes = {name: k for k, name in enumerate(herd.gaits)}
    for t in range(frames):
        frame = herd.step(rides[t], 1 / RATE)
        kept.rotations[:, t] = frame.rotations
        turn = frame.root.rotation
        yaw = 2 * np.arctan2(turn[:, 1], turn[:, 3])
        sine, cosine = np.sin(yaw), np.cos(yaw)
        x, y, z = (frame.positions[:, 0] - frame.root.position).T
        kept.origins[:, t] = np.stack([cosine * x - sine * z, y, sine * x + cosine * z], axis=1)
        kept.root[:, t] = np.column_stack([frame.root.position[:, [0, 2]], yaw])
        kept.actions[:, t] = [codes[name] for name in herd.frame().going_to]
        if t % RATE == RATE - 1:
            report(t + 1)
    kept.root[..., 2] = np.unwrap(kept.root[..., 2], axis=1)
    return kept


def _clip(kept: _Frames, k: int, name: str, test: bool) -> LabelledClip | None:
    """The clip of one horse of a herd; None where it is of no use."""
    rotations, origins, root = kept.rotations[k], kept.origins[k], kept.root[k]
    if not all(np.isfinite(part).all() for part in (rotations, origins, root)):
        return None
    steps = np.abs(np.diff(root, axis=0)) * RATE
    if np.hypot(steps[:, 0], steps[:, 1]).max() > MOST_SPEED or steps[:, 2].max() > MOST_TURN:
        return None
    frames = len(root)
    used, copies = np.ones(frames, np.bool_), np.ones(frames, np.uint8)
    return LabelledClip(name, rotations, origins, root, kept.actions[k], used, copies, test)


@dataclass(frozen=True)
class Gaits:
    """What can be asked for: names, the first is to stand; bands (G, 2) [m/s]; fastest turn [rad/s]."""

    names: tuple[str, ...]
    bands: NDArray[np.float64]
    turn: float


def random_commands(gaits: Gaits, seed: tuple[int, ...], frames: int, fps: float) -> NDArray[Any]:
    """Commands (T,) of records.COMMAND for one ride; the same seed gives the same ride."""
    rng = np.random.default_rng(seed)
    rows = np.zeros(frames, COMMAND)
    rows["gait"] = rows["action"] = -1
    start, speed = 0, 0.0
    while start < frames:
        part = rows[start : start + round(_seconds(rng) * fps)]
        before, speed = speed, _ask(gaits, rng, part)
        if rng.random() < RAMPED:
            ramp = max(1, round(len(part) * rng.uniform(0.3, 1.0)))
            part["speed"][:ramp] = np.linspace(before, speed, ramp)
        start += len(part)
    return rows


def _seconds(rng: np.random.Generator) -> float:
    return float(rng.uniform(*(LONG if rng.random() < STEADY else SHORT)))


def _ask(gaits: Gaits, rng: np.random.Generator, part: NDArray[Any]) -> float:
    """Fill a part of a ride; returns its speed [m/s]."""
    if rng.random() < STAND:
        if rng.random() < SPOT:
            part["turn"] = rng.uniform(-SLOW_TURN, SLOW_TURN)
        return 0.0
    gait = int(rng.integers(1, len(gaits.names)))
    low, high = gaits.bands[gait]
    speed = float(rng.uniform(low, min(high, FASTEST)))
    part["speed"] = speed
    if rng.random() < PINNED:
        part["gait"] = gait
    if rng.random() >= STRAIGHT:
        part["turn"] = _turn(gaits, rng, gait, speed)
    return speed


def _turn(gaits: Gaits, rng: np.random.Generator, gait: int, speed: float) -> float:
    """A turning rate [rad/s] within what grip allows; a gait with a lead mostly turns to it."""
    most = min(gaits.turn, LATERAL / max(speed, 0.1))
    turn = float(rng.uniform(0.05, 1.0)) * most
    side = 1.0 if rng.random() < 0.5 else -1.0
    if gaits.names[gait].endswith(("-left", "-right")) and rng.random() < INSIDE:
        side = 1.0 if gaits.names[gait].endswith("-left") else -1.0
    return side * turn
