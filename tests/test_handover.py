"""Handover: another horse takes over in the middle of a stride, and nobody sees a jump."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hoofbeat.handover import Blend, corresponding_gait, ride_ahead, take_over
from hoofbeat.horse import Herd
from hoofbeat.maths.spring import fade
from hoofbeat.records import Command, Frame
from riding import METHODS

DT = 1 / 60


def ridden(method: str, command: Command, steps: int = 300) -> tuple[Herd, list[Frame]]:
    herd = Herd(1, method)
    frames: list[Frame] = []
    for _ in range(steps):
        herd.advance(command, DT)
        frames.append(herd.alone())
    return herd, frames


def moves(frames: list[Frame]) -> float:
    """The farthest that any node moves about the root from one frame to the next [m]."""
    near = np.array([f.positions - f.root.position for f in frames])
    return float(np.linalg.norm(np.diff(near, axis=0), axis=-1).max())


def test_offsets_die_away_by_half_lives() -> None:
    x, v = np.array([1.0, -2.0, 0.0]), np.zeros(3)
    fade(x, v, 0.1, 0.1)
    assert np.allclose(x, [0.5, -1.0, 0.0], atol=1e-5)  # half of it after one half-life, from rest
    parts, rates = np.array([1.0, -2.0, 0.0]), np.zeros(3)
    for _ in range(10):
        fade(parts, rates, 0.1, 0.01)
    assert np.allclose(parts, x, atol=1e-9) and np.allclose(rates, v, atol=1e-9)


@pytest.mark.parametrize("old", sorted(METHODS))
@pytest.mark.parametrize("new", sorted(METHODS))
@pytest.mark.parametrize("speed", [0.0, 1.5, 4.5, 8.0])
def test_no_jump_between_methods(old: str, new: str, speed: float) -> None:
    command = Command(speed=speed, turn=0.3 if speed else 0.0)
    first, frames = ridden(old, command)
    last = frames[-1]
    second = Herd(1, new)
    now, before = take_over(second, ride_ahead(second, last, 0.3 if speed else 0.0), last)
    blend = Blend(last, frames[-2], now, before, 1.0)
    joined = blend.apply(now, second.skeleton)
    assert np.abs(joined.positions - last.positions).max() < 1e-4, "the pose jumps"
    assert np.allclose(now.root.position, last.root.position, atol=1e-9)
    assert np.allclose(now.root.rotation, last.root.rotation, atol=1e-9)
    wanted = float(second.held(command)["speed"][0])
    assert now.speed == pytest.approx(min(float(last.speed), wanted), abs=0.05 * wanted + 0.02)
    after = [joined]
    for _ in range(120):
        second.advance(command, DT)
        blend.step(DT)
        after.append(blend.apply(second.alone(), second.skeleton))
    # On the way over nothing moves much faster than it does in the strides before and after.
    steady = max(moves(frames[-90:]), moves(after[-60:]))
    # Two stands differ by some centimetres, which take half a second.
    assert moves(after[:40]) < 1.6 * steady + (0.005 if speed else 0.04)
    del first


def test_the_frame_before_is_one_step_before() -> None:
    """Also where the first moment of those ridden ahead is the one most alike: velocities come from both."""
    _, frames = ridden("timewarp", Command(speed=8.0))
    second = Herd(1, "timewarp")
    moments = ride_ahead(second, frames[-1], 0.0)
    for k in (0, 1, len(moments) - 1):
        now, before = take_over(second, moments, moments[k].frame)
        assert now.time - before.time == pytest.approx(DT)


def test_size_changes_smoothly_and_stays_on_the_ground() -> None:
    small, frames = ridden("timewarp", Command(speed=2.0))
    tall = Herd(1, "timewarp", height=1.8)
    now, before = take_over(tall, ride_ahead(tall, frames[-1], 0.0), frames[-1])
    blend = Blend(frames[-1], frames[-2], now, before, small.height / tall.height)
    heights, lowest = [blend.ratio * tall.height], []
    for _ in range(240):
        tall.advance(Command(speed=2.0), DT)
        blend.step(DT)
        heights.append(blend.ratio * tall.height)
        lowest.append(blend.apply(tall.alone(), tall.skeleton).positions[:, 1].min())
    assert heights[0] == pytest.approx(small.height, abs=1e-9)
    assert heights[-1] == pytest.approx(1.8, abs=1e-3)
    assert (np.diff(heights) >= -1e-9).all() and np.diff(heights).max() < 0.03
    assert min(lowest) > -0.02 and blend.finished


def test_moved_horses_do_not_know_that_they_were() -> None:
    """Riding, then carrying, is the same as carrying, then riding."""
    place, heading = np.array([[30.0, -7.0]]), 2.0
    command = Command(speed=3.0, turn=0.5)
    here, there = Herd(1, "timewarp"), Herd(1, "timewarp", positions=place, headings=[heading])
    for _ in range(30):
        here.advance(command, DT)
        there.advance(command, DT)
    s, c = math.sin(heading), math.cos(heading)
    start = here.alone()
    x, z = start.root.position[0], start.root.position[2]
    yaw = 2 * math.atan2(start.root.rotation[1], start.root.rotation[3])
    here.move_to(place + [[c * x + s * z, c * z - s * x]], [yaw + heading])
    for _ in range(20):
        assert np.abs(here.alone().positions - there.alone().positions).max() < 1e-5
        here.advance(command, DT)
        there.advance(command, DT)


def test_gaits_alike() -> None:
    many = ("stand", "walk", "trot", "canter-left", "canter-right", "gallop-left", "gallop-right")
    assert corresponding_gait("gallop", many) == "gallop-left"
    assert corresponding_gait("gallop-left", many) == "gallop-left"
    assert corresponding_gait("gallop-left", ("stand", "gallop")) == "gallop"
    assert corresponding_gait("canter-right", ("canter-left",)) == "canter-left"
    assert corresponding_gait("rack", ("stand", "walk")) is None


def test_wanted_is_the_gait_to_come() -> None:
    herd = Herd(2, "timewarp")
    for _ in range(240):
        herd.advance(Command(speed=1.5), DT)
    assert herd.frame().going_to == herd.frame().gait == ("walk", "walk")
    herd.advance(Command(speed=[1.5, 4.0]), DT)
    ahead = 0
    while herd.frame().gait[1] != "trot":
        ahead += herd.frame().going_to[1] != herd.frame().gait[1]
        herd.advance(Command(speed=[1.5, 4.0]), DT)
        assert ahead < 600
    assert ahead > 3 and herd.frame().going_to[0] == "walk"
