"""Transitions of `timewarp`: from any gait to any other, begun at any moment, and begun anew within one."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from hoofbeat.check.recognise import ADDED, gait_of
from hoofbeat.gaits.footfall import strides
from hoofbeat.gaits.gait import GAITS, other_lead
from hoofbeat.horse import Herd
from hoofbeat.maths import quat
from hoofbeat.methods.timewarp.clock import LONGEST, leg_rate
from hoofbeat.methods.timewarp.pattern import common_shift, farthest
from hoofbeat.records import Command

#: A speed of each gait [m/s].
SPEEDS = {
    "stand": 0.0,
    "walk": 1.5,
    "amble": 2.6,
    "trot": 3.8,
    "rack": 5.2,
    "canter-left": 6.2,
    "canter-right": 6.2,
    "gallop-left": 9.5,
    "gallop-right": 9.5,
    **{gait.name: sum(gait.speed) / 2 for gait in ADDED},
}
#: About how long a stride of it lasts there [s].
STRIDES = {"walk": 1.01, "amble": 0.65, "trot": 0.62, "rack": 0.5, "canter": 0.51, "gallop": 0.44}
PHASES, DT = 8, 1 / 60
first_gaits = pytest.mark.parametrize("first", SPEEDS)


class Ride:
    """What a herd did: rotations (T, N, J, 4), toes (T, N, 4, 3), contacts (T, N, 4), rates (T, 4 N): how
    fast each leg's own time runs, as a multiple of the stride's, and spans (T, 4 N) of the transitions
    that they run in [strides]."""

    def __init__(self, herd: Herd) -> None:
        self.herd = herd
        self.feet = [leg.toe for leg in herd.skeleton.legs]
        self.rotations: list[np.ndarray] = []
        self.toes: list[np.ndarray] = []
        self.contacts: list[np.ndarray] = []
        self.rates: list[list[float]] = []
        self.spans: list[list[float]] = []

    def go(self, speed: object, gait: object, steps: int) -> Ride:
        for _ in range(steps):
            frame = self.herd.step(Command(speed=speed, gait=gait), DT)  # type: ignore[arg-type]
            self.rotations.append(np.array(frame.rotations))
            self.toes.append(np.array(frame.positions[:, self.feet]))
            self.contacts.append(np.array(frame.contacts) > 0.5)
            self.rates.append([float(leg_rate(row, leg)) for row in self.herd._state for leg in range(4)])
            self.spans.append([float(row["span"]) for row in self.herd._state for _ in range(4)])
        return self

    def peak(self) -> float:
        """Largest angular acceleration of any joint [rad/s2]."""
        turns = np.stack(self.rotations).astype(float)
        rate = quat.log(quat.canonical(quat.mul(turns[1:], quat.inverse(turns[:-1])))) / DT
        return float(np.linalg.norm(np.diff(rate, axis=0), axis=-1).max() / DT)

    def slide(self) -> float:
        """Farthest that a planted toe moved over the ground [m]."""
        toes, down = np.stack(self.toes), np.stack(self.contacts)
        steps = np.linalg.norm(np.diff(toes[..., [0, 2]], axis=0), axis=-1)
        both = down[1:] & down[:-1]
        # Summed over each stance: a running total that a lifted foot sets back.
        total, worst = np.zeros(down.shape[1:]), 0.0
        for step, held in zip(steps, both, strict=True):
            total = np.where(held, total + step, 0.0)
            worst = max(worst, float(total.max()))
        return worst

    def lowest(self) -> float:
        return float(np.stack(self.toes)[..., 1].min())


def stride_of(gait: str) -> float:
    return STRIDES.get(gait.partition("-")[0], 0.5)


def settled(gait: str) -> Herd:
    """Eight horses in a gait, set off one after the other so that their moments spread over its stride."""
    herd = Herd(PHASES, "timewarp")
    late = np.round(np.arange(PHASES) * stride_of(gait) / PHASES / DT)
    for k in range(360):
        on = k >= late
        pinned = [gait if one and SPEEDS[gait] else None for one in on]
        herd.step(Command(speed=np.where(on, SPEEDS[gait], 0.0), gait=pinned), DT)
    return herd


def test_the_eight_horses_are_at_eight_moments() -> None:
    for gait in SPEEDS:
        if SPEEDS[gait]:
            phases = np.sort(np.array(settled(gait).frame().phase)[:, 2])
            gaps = np.diff(np.append(phases, phases[0] + 1))
            assert gaps.min() > 0.5 / PHASES and gaps.max() < 2 / PHASES, gait


@cache
def steady(gait: str) -> float:
    """Largest angular acceleration of a joint in a steady gait; both leads count as one."""
    if SPEEDS[gait] == 0:
        return 0.0
    other = gait.replace("left", "right") if "left" in gait else gait.replace("right", "left")
    return max(Ride(settled(name)).go(SPEEDS[name], name, 120).peak() for name in {gait, other})


@first_gaits
def test_any_gait_becomes_any_other(first: str) -> None:
    for second, speed in SPEEDS.items():
        if second == first:
            continue
        # A change of lead waits up to a stride for its flight.
        cycles = 3.5 if second == other_lead(first) else 2.5
        changed = round(cycles * stride_of(second) / DT)
        ride = Ride(settled(first)).go(speed, second if speed else None, changed + 150)
        assert ride.peak() <= 1.75 * max(steady(first), steady(second)), second
        assert ride.slide() < 0.006, second
        assert ride.lowest() > -0.002, second
        assert np.min(ride.rates) > 0.5 and np.max(ride.rates) <= 1.25, second
        if speed == 0:
            assert np.stack(ride.contacts)[-1].all()
            continue
        # After two and a half strides of the new gait its feet land as they should.
        late = ride.contacts[changed:]
        for member in range(PHASES):
            told = strides(np.stack(late)[:, member], 1 / DT)
            apart = (told.mean_touchdown() - GAITS[second].touchdown + 0.5) % 1 - 0.5
            assert np.abs(apart).max() < 0.035, (second, member)
            assert gait_of(told.mean_touchdown(), np.mean(told.duty, axis=0)) == second, member


@first_gaits
def test_a_change_of_mind_within_a_transition_keeps_the_same_bounds(first: str) -> None:
    rng = np.random.default_rng(list(SPEEDS).index(first))
    names = [name for name in SPEEDS if name != "stand"]
    for _ in range(2):
        ride = Ride(settled(first))
        for second in rng.choice(names, 3):
            ride.go(SPEEDS[str(second)], str(second), int(rng.integers(8, 45)))
        ride.go(SPEEDS["trot"], "trot", 60)
        assert ride.peak() <= 1.75 * max(steady(name) for name in names)
        assert ride.slide() < 0.006 and ride.lowest() > -0.002
        # No leg's time runs backward, nor faster than 1.25 times the stride's. A gait that was added may have
        # feet farther from all others than the longest transition can bring them at that rate.
        assert np.min(ride.rates) > 0.5
        rates, stretched = np.array(ride.rates), np.array(ride.spans) >= LONGEST
        assert rates[~stretched if ADDED else ...].max() <= 1.25 and rates.max() <= 1.35


def test_the_common_shift_makes_the_longest_way_least() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        offset, touchdown = rng.random(4), rng.random(4)
        c = common_shift(offset, touchdown)
        ways = [
            np.abs((touchdown + shift - offset + 0.5) % 1 - 0.5).max() for shift in np.arange(2000) / 2000
        ]
        found = np.abs((touchdown + c - offset + 0.5) % 1 - 0.5).max()
        assert found <= min(ways) + 1e-3


def from_pattern(phase: np.ndarray, gait: str) -> float:
    """How far the leg that is farthest from its place in a gait's pattern is from it [strides]."""
    offset, touchdown = (phase[2] - phase) % 1, np.array(GAITS[gait].touchdown)
    return float(farthest(offset, touchdown, common_shift(offset, touchdown)))


@pytest.mark.parametrize(
    ("first", "second", "speed"),
    [
        ("canter-left", "walk", 1.0),
        ("gallop-right", "walk", 1.2),
        ("trot", "walk", 1.4),
        ("trot", "canter-left", 6.2),
        ("canter-left", "trot", 3.5),
    ],
)
def test_the_gait_shown_is_the_one_the_feet_make(first: str, second: str, speed: float) -> None:
    herd = settled(first)
    changed: set[int] = set()
    for _ in range(120):
        frame = herd.step(Command(speed=speed, gait=second), DT)
        for n, (gait, to) in enumerate(zip(frame.gait, frame.going_to, strict=True)):
            assert gait == second if n in changed else gait in (first, to)
            if gait == second and n not in changed:
                changed.add(n)
                assert to == second
                assert from_pattern(np.array(frame.phase[n]), second) < 0.035
    assert len(changed) == PHASES


def test_a_gait_that_was_left_is_not_shown_though_no_other_is_reached() -> None:
    herd = settled("canter-left")
    for _ in range(6):
        for gait in ("trot", "rack"):
            for _ in range(14):
                frame = herd.step(Command(speed=4.5, gait=gait), DT)
    assert "canter-left" not in frame.gait  # pyright: ignore[reportPossiblyUnboundVariable]
