"""Halts and starts of `timewarp`: square, within a few strides, at a horse's accelerations."""

# pyright: reportPossiblyUnboundVariable=false

from __future__ import annotations

import numpy as np
import pytest

from hoofbeat.horse import Herd, Horse
from hoofbeat.methods.shared.gait_choice import SpeedChange
from hoofbeat.methods.timewarp.choose import stopping_distance
from hoofbeat.methods.timewarp.tables import ACCELERATION, BRAKING
from hoofbeat.records import Command
from test_transitions import DT, PHASES, SPEEDS, settled, stride_of

#: Strides of the gait within which a horse stands square; from gallop as braking allows.
STRIDES = {"walk": 2.0, "amble": 2.5, "trot": 2.0, "rack": 4.0, "canter-left": 4.0, "gallop-right": 6.0}
#: Fore and hind pairs stand level within this [m].
SQUARE = 0.04


@pytest.mark.parametrize("gait", STRIDES)
def test_a_halt_is_square_within_its_strides(gait: str) -> None:
    herd = settled(gait)
    feet = [leg.toe for leg in herd.skeleton.legs]
    ways, down = [], []
    for _ in range(240):
        frame = herd.step(Command(), DT)
        ways.append(np.array(frame.root.position)[:, 2])
        down.append(np.array(frame.contacts) > 0.5)
    stands = np.array(down).all(axis=2)
    # From here on no foot leaves the ground any more.
    since = len(down) - np.argmin(np.flip(stands, axis=0), axis=0)
    assert since.max() * DT <= STRIDES[gait] * stride_of(gait)
    ahead = np.array(frame.positions)[:, feet, 2]  # it has gone straight along +Z
    assert np.abs(ahead[:, 0] - ahead[:, 1]).max() < SQUARE
    assert np.abs(ahead[:, 2] - ahead[:, 3]).max() < SQUARE
    assert set(frame.gait) == {"stand"} and np.array(frame.speed).max() == 0.0
    # Over a fifth of a second: a landing inside a step shows its braking in the next one.
    speeds = np.diff(np.array(ways, float), axis=0) / DT
    changes = (speeds[12:] - speeds[:-12]) / (12 * DT)
    assert changes.min() > -1.03 * BRAKING and changes.max() < 0.2


@pytest.mark.parametrize("gait", STRIDES)
def test_a_horse_at_rest_says_stand_within_half_a_second(gait: str) -> None:
    herd = settled(gait)
    kept: list[tuple[np.ndarray, np.ndarray]] = []
    shown: list[list[tuple[str, str]]] = []
    for _ in range(240):
        frame = herd.step(Command(), DT)
        kept.append((np.array(frame.speed), np.array(frame.contacts) > 0.5))
        shown.append(list(zip(frame.gait, frame.going_to, strict=True)))
    speeds, down = np.array([row[0] for row in kept]), np.array([row[1] for row in kept])
    for n in range(PHASES):
        labels = [row[n][0] for row in shown]
        # From here on the speed reads 0.0, or 0.1 where the body sways.
        rests = len(shown) - int(np.argmin(speeds[::-1, n] < 0.1))
        stands = labels.index("stand")
        assert (stands - rests) * DT <= 0.5 and speeds[stands, n] < 0.25
        assert {row[n] for row in shown[stands:]} == {("stand", "stand")}
        # A foot may still step to its place, once.
        lifts = (np.diff(down[stands:, n].astype(int), axis=0) < 0).sum(axis=0)
        assert lifts.max() <= 1


def test_feet_that_turn_on_the_spot_walk() -> None:
    horse = Horse("timewarp")
    for _ in range(150):
        frame = horse.step(Command(turn=0.8), DT)
    assert frame.gait == frame.going_to == "walk"


@pytest.mark.parametrize("gait", [name for name in SPEEDS if SPEEDS[name]])
def test_every_gait_is_reached_from_a_stand(gait: str) -> None:
    herd = Herd(1, "timewarp")
    speeds = []
    for _ in range(330):
        frame = herd.step(Command(speed=SPEEDS[gait], gait=gait), DT)
        speeds.append(float(frame.speed[0]))
    assert frame.gait == (gait,) and speeds[-1] == pytest.approx(SPEEDS[gait], rel=0.01)
    # The change begins within 0.15 s and keeps to what a horse can gain.
    assert speeds[round(0.15 / DT)] > 0.02
    assert max(np.diff(speeds)) / DT <= 1.03 * ACCELERATION


@pytest.mark.parametrize("gait", ["walk", "trot", "canter-left", "gallop-right"])
def test_speed_begins_to_change_within_its_time_and_without_a_jerk(gait: str) -> None:
    herd = settled(gait)
    before = np.array(herd.frame().speed)
    steady = [np.array(herd.step(Command(speed=SPEEDS[gait], gait=gait), DT).speed) for _ in range(60)]
    for wanted in (0.6 * SPEEDS[gait], 1.2 * SPEEDS[gait]):
        kept = herd.snapshot()
        speeds = [np.array(herd.frame().speed)]
        speeds += [np.array(herd.step(Command(speed=wanted), DT).speed) for _ in range(90)]
        herd.restore(kept)
        moved = np.abs(np.stack(speeds) - speeds[0])
        assert (moved[round(0.15 / DT)] > 0.02).all()
        changes = np.diff(np.stack(speeds), axis=0) / DT
        assert changes.min() > -1.03 * BRAKING and changes.max() < 1.03 * ACCELERATION
    assert np.ptp(np.stack(steady), axis=0).max() < 0.02 * before.max()


def test_the_path_to_a_halt_is_known_ahead() -> None:
    for speed in (0.5, 1.5, 2.5):
        horse = Horse("timewarp")
        for _ in range(300):
            frame = horse.step(Command(speed=speed, gait="walk"), DT)
        start = frame.root.position[2]
        told = stopping_distance(float(frame.speed), SpeedChange(ACCELERATION, BRAKING))
        for _ in range(120):
            frame = horse.step(Command(), DT)
        assert frame.root.position[2] - start == pytest.approx(told, abs=0.06)


def test_a_halt_may_be_given_up_at_any_moment() -> None:
    herd = settled("walk")
    rng = np.random.default_rng(2)
    feet = [leg.toe for leg in herd.skeleton.legs]
    last = np.array(herd.frame().positions)
    for _ in range(20):
        for command in (Command(), Command(speed=rng.uniform(0.5, 4.0, PHASES))):
            for _ in range(int(rng.integers(5, 70))):
                frame = herd.step(command, DT)
                assert frame.positions[:, feet, 1].min() > -0.002
                # No foot is faster than in a gallop.
                assert np.linalg.norm(frame.positions - last, axis=-1).max() < 20 * DT
                last = np.array(frame.positions)
