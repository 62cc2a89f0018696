"""The laws that every method keeps: one file, all methods."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hoofbeat import Command, Herd, Horse
from hoofbeat.maths import quat
from riding import METHODS, ride, settled

methods = pytest.mark.parametrize("method", sorted(METHODS))

PLAN = ((2.5, 0.3), (4.8, -0.2), (8.0, 0.1), (1.0, 0.6), (0.0, 0.0))


def run(herd: Herd, seconds_each: float = 2.0, dt: float = 1 / 60) -> list[bytes]:
    """Bytes of the positions along a fixed plan."""
    seen = []
    for speed, turn in PLAN:
        for _ in range(round(seconds_each / dt)):
            seen.append(herd.step(Command(speed=speed, turn=turn), dt).positions.tobytes())
    return seen


@methods
def test_same_seed_and_commands_give_the_same_bits(method: str) -> None:
    assert run(Herd(3, method, seed=7), 1.0) == run(Herd(3, method, seed=7), 1.0)


@methods
def test_a_member_of_a_herd_is_the_same_horse_alone(method: str) -> None:
    herd, lone = Herd(4, method, seed=3), Herd(4, method, seed=3)
    speeds = np.array([1.0, 3.0, 5.0, 9.0])
    alone = [Horse(method, seed=3) for _ in speeds]
    for n in range(360):
        speed = np.roll(speeds, n // 90)
        frame = herd.step(Command(speed=speed, turn=0.2))
        same = lone.step(Command(speed=speed, turn=0.2))
        assert np.array_equal(frame.positions, same.positions)
        # Without noise in the Actions the character id changes nothing, so any member equals a horse.
        for k, horse in enumerate(alone):
            one = horse.step(Command(speed=float(speed[k]), turn=0.2))
            assert np.array_equal(one.positions, frame.positions[k])
            assert np.array_equal(one.rotations, frame.rotations[k])


@methods
def test_rotations_stay_unit_and_numbers_finite(method: str) -> None:
    herd = Herd(2, method)
    for speed, turn in PLAN:
        for _ in range(90):
            frame = herd.step(Command(speed=speed, turn=turn))
            assert np.isfinite(frame.positions).all()
            assert np.abs(np.linalg.norm(frame.rotations, axis=-1) - 1).max() < 1e-5


@methods
@pytest.mark.parametrize("speed", [1.6, 4.5, 8.0])
def test_the_same_way_at_30_60_and_120_hz(method: str, speed: float) -> None:
    ends = []
    for rate in (30, 60, 120):
        horse = Horse(method)
        frame = horse.frame()
        for _ in range(10 * rate):
            frame = horse.step(Command(speed=speed), 1 / rate)
        ends.append(frame.root.position[2])
    assert np.ptp(ends) < 0.01 * ends[1]


@methods
def test_bones_keep_their_length(method: str) -> None:
    horse = settled(5.0, method=method)
    frame = horse.step(Command(speed=5.0))
    skeleton = horse.skeleton
    bones = frame.positions[1:] - frame.positions[skeleton.parents[1:]]
    assert np.allclose(np.linalg.norm(bones, axis=1), np.linalg.norm(skeleton.offsets[1:], axis=1), atol=1e-5)


@methods
def test_standing_stands(method: str) -> None:
    horse = Horse(method)
    first = last = horse.frame()
    for _ in range(300):
        last = horse.step(Command())
    assert np.abs(last.positions - first.positions).max() < 0.02
    assert last.contacts.all()
    assert last.gait == "stand"
    assert not last.airborne


@methods
@pytest.mark.parametrize(("speed", "turn"), [(0.0, 0.5), (1.0, 0.9), (1.6, 0.6)])
def test_what_is_set_down_stays_down(method: str, speed: float, turn: float) -> None:
    """No foot touches the ground for a blink, be it on the spot or in a turn tighter than the legs reach."""
    herd = Herd(4, method, seed=2)
    down = []
    for n in range(900):
        command = Command(
            speed=np.array([speed, speed, 0.8 * speed, speed]), turn=np.array([1, -1, 1, 0.7]) * turn
        )
        frame = herd.step(command)
        if n >= 240:
            down.append(frame.contacts > 0.5)
    lengths = []
    for foot in np.array(down).reshape(len(down), -1).T:
        edges = np.flatnonzero(np.diff(foot.astype(int)))
        runs = np.diff(edges)
        lengths += runs[(0 if foot[edges[0] + 1] else 1) :: 2].tolist() if len(edges) > 1 else []
    assert len(lengths) > 20
    assert np.mean(np.array(lengths) <= 3) < 0.02


@methods
def test_contacts_agree_with_the_heights_of_the_feet(method: str) -> None:
    for speed in (1.6, 4.5, 8.0):
        seen = ride(settled(speed, method=method), [(Command(speed=speed), 3.0)])
        down = seen.contacts > 0.5
        assert np.abs(seen.toes[..., 1][down]).max() < 0.002
        assert seen.toes[..., 1].min() > -0.002
        assert not (down.any(axis=1) & seen.airborne).any()


@methods
@settings(max_examples=12)
@given(
    st.lists(
        st.tuples(
            st.floats(-1e9, 1e9),
            st.floats(-1e9, 1e9),
            st.sampled_from([0.0, 0.001, 1 / 120, 1 / 60, 1 / 24, 0.1, 0.37]),
        ),
        min_size=1,
        max_size=40,
    )
)
def test_no_finite_command_breaks_it(method: str, commands: list[tuple[float, float, float]]) -> None:
    horse = Horse(method)
    for speed, turn, dt in commands:
        frame = horse.step(Command(speed=speed, turn=turn), dt)
        assert np.isfinite(frame.positions).all()
        assert np.isfinite(frame.rotations).all()
        assert frame.positions[:, 1].min() > -0.2
        assert ((frame.phase >= 0) & (frame.phase < 1)).all()


@methods
def test_a_restored_snapshot_goes_on_the_same_way(method: str) -> None:
    horse = settled(6.0, 0.3, method=method)
    kept = horse.snapshot()
    first = [horse.step(Command(speed=2.0, turn=-0.4)).positions.tobytes() for _ in range(120)]
    horse.restore(kept)
    assert first == [horse.step(Command(speed=2.0, turn=-0.4)).positions.tobytes() for _ in range(120)]


@methods
@pytest.mark.parametrize(
    ("count", "seconds", "seed"), [(60, 30, 5), pytest.param(1000, 60, 6, marks=pytest.mark.slow)]
)
def test_a_random_herd_never_pops_sinks_or_breaks(method: str, count: int, seconds: int, seed: int) -> None:
    """Random speeds and turns for all: numbers stay finite, feet above the ground, joints turn no faster
    than one and a half times what a steady gallop needs."""
    fastest = ride(settled(9.4, method=method), [(Command(speed=9.4), 3.0)]).joint_steps().max()
    herd = Herd(count, method, seed=seed)
    toes = [leg.toe for leg in herd.skeleton.legs]
    rng = np.random.default_rng(seed)
    before, pose = np.array(herd.frame().positions), np.array(herd.frame().rotations)
    speed = turn = np.zeros(count)
    for n in range(60 * seconds):
        if n % 45 == 0:
            speed, turn = rng.uniform(0, 10, count) * (rng.random(count) > 0.2), rng.uniform(-1, 1, count)
        frame = herd.step(Command(speed=speed, turn=turn))
        assert frame.positions[:, toes, 1].min() > -0.002
        # No node moves faster than a galloping hoof: anything more is a jump.
        assert np.linalg.norm(frame.positions - before, axis=-1).max() < 40 / 60
        assert quat.angle(pose, frame.rotations).max() < 1.5 * fastest
        before, pose = np.array(frame.positions), np.array(frame.rotations)
