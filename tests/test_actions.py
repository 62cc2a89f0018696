"""Method `actions` against the thesis: speeds of Table 4.1, planted feet, smooth transitions, flight."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import pytest

from hoofbeat import Command, Horse
from hoofbeat.formats.scenefile import Scene, read_scene
from hoofbeat.methods.actions.build import angles_of, make_tables
from hoofbeat.methods.actions.method import MAX_TURN
from hoofbeat.methods.actions.tables import SAMPLES, Tables
from hoofbeat.methods.actions.traction import thesis_slide, thesis_speed
from riding import Ride, ride
from riding import settled as settled_with

#: Table 4.1: what is commanded, and the gait that it must give.
TABLE = ((1.6, "walk"), (3.3, "walk"), (3.6, "trot"), (5.6, "trot"), (5.9, "gallop"), (9.4, "gallop"))
GRAVITY = 9.81


settled = partial(settled_with, method="actions")


@cache
def steady(speed: float) -> Ride:
    return ride(settled(speed), [(Command(speed=speed), 10.0)])


@cache
def thesis() -> tuple[Scene, Tables]:
    scene = read_scene()
    return scene, make_tables(scene, MAX_TURN)


@pytest.mark.parametrize(("speed", "gait"), TABLE)
def test_table_4_1_speeds_and_gaits(speed: float, gait: str) -> None:
    seen = steady(speed)
    assert set(seen.gaits) == {gait}
    assert seen.speed == pytest.approx(speed, rel=0.03)


@pytest.mark.parametrize("speed", [0.05, 0.3, 0.8, *np.arange(1.2, 9.5, 0.7).round(1), 9.4])
def test_every_speed_is_reached_without_a_gap(speed: float) -> None:
    seen = ride(settled(speed), [(Command(speed=speed), 4.0)])
    assert seen.speed == pytest.approx(speed, rel=0.03)


@pytest.mark.parametrize("speed", [0.8, *(speed for speed, _ in TABLE)])
def test_steady_feet_neither_slide_nor_sink(speed: float) -> None:
    seen = steady(speed)
    assert seen.slides().max() < 0.003
    assert seen.toes[..., 1].min() > -0.002
    # The plan stays inside the legs' reach: no planted foot is missed.
    assert (seen.shortfall * (seen.contacts > 0.5)).max() < 1e-3


@pytest.mark.parametrize(
    ("gait", "speed", "order"),
    [("walk", 1.6, (2, 0, 3, 1)), ("trot", 4.5, None), ("gallop", 8.0, (2, 3, 0, 1))],
)
def test_footfalls(gait: str, speed: float, order: tuple[int, ...] | None) -> None:
    """Walk: lateral sequence LH LF RH RF; trot: diagonals together; gallop: LH RH LF RF (right lead)."""
    seen = steady(speed)
    starts = [np.flatnonzero(np.diff(seen.contacts[:, leg]) > 0.5) for leg in range(4)]
    stride = float(np.diff(starts[2]).mean())
    spin = [np.mean(np.exp(2j * np.pi * (s - starts[2][0]) / stride)) for s in starts]
    phase = [float(np.angle(one) / (2 * np.pi) % 1) for one in spin]
    if order is None:
        apart = lambda a, b: abs((phase[a] - phase[b] + 0.5) % 1 - 0.5)  # noqa: E731
        assert max(apart(0, 3), apart(1, 2)) < 0.06
        assert abs(apart(2, 3) - 0.5) < 0.03
    else:
        later = [(phase[k] - phase[order[0]] + 0.01) % 1 for k in order]
        assert later == sorted(later), (gait, phase)


@pytest.mark.parametrize(("speed", "flights"), [(1.6, 0), (4.5, 2), (8.0, 1)])
def test_suspensions_a_stride(speed: float, flights: int) -> None:
    seen = steady(speed)
    launches = int((np.diff(seen.airborne.astype(int)) > 0).sum())
    strides = int((np.diff(seen.contacts[:, 2]) > 0.5).sum())
    assert launches == pytest.approx(flights * strides, abs=2)


@pytest.mark.parametrize("speed", [1.2, 1.6])
def test_two_feet_stand_at_the_slow_walk(speed: float) -> None:
    assert steady(speed).contacts.sum(axis=1).min() >= 2


TRANSITIONS = [
    *[(0.0, 1.6), (1.6, 0.0), (0.0, 0.6), (3.3, 3.6), (3.6, 3.3), (5.6, 5.9), (5.9, 5.6)],
    *[(2.0, 4.5), (4.5, 2.0), (4.5, 7.5), (7.5, 4.5), (0.0, 9.4), (9.4, 0.0)],
]


@pytest.mark.parametrize("start_at", [0.0, 0.13, 0.29, 0.47])
@pytest.mark.parametrize(("before", "after"), TRANSITIONS)
def test_transitions_are_smooth_and_obey_gravity(before: float, after: float, start_at: float) -> None:
    horse = settled(before, seconds=4.5 + start_at)
    seen = ride(horse, [(Command(speed=after, turn=0.3), 6.0)])
    largest = max(steady(before).joint_steps().max(), steady(after).joint_steps().max())
    assert seen.joint_steps().max() < 1.5 * largest
    assert seen.toes[..., 1].min() > -0.002
    assert seen.slides().max() < 0.003
    check_flight(seen)


def check_flight(seen: Ride) -> None:
    """In the air the body falls as g says, goes straight on, and keeps its heading."""
    air = seen.airborne
    inside = air[:-2] & air[1:-1] & air[2:]
    if inside.any():
        fall = np.diff(seen.positions[:, 0, 1], 2)[inside] / seen.dt**2
        assert np.abs(fall / -GRAVITY - 1).max() < 0.01
        across = np.diff(seen.roots[:, [0, 2]], 2, axis=0)[inside] / seen.dt**2
        assert np.abs(across).max() < 0.1
    both = air[1:] & air[:-1]
    turned = np.diff(np.unwrap(seen.yaws))
    assert not both.any() or np.abs(turned[both]).max() < 1e-9


def test_root_speed_has_no_steps() -> None:
    """From a stand to a gallop and back: acceleration stays what the scene allows."""
    seen = ride(Horse("actions"), [(Command(speed=9.4), 6.0), (Command(speed=0.0), 6.0)])
    speed = np.linalg.norm(np.diff(seen.roots, axis=0), axis=1) / seen.dt
    scene, _ = thesis()
    # The frame of a landing is part flight, part push, so that one step may show a quarter more.
    assert np.diff(speed).max() < 1.3 * scene.acceleration * seen.dt
    assert np.diff(speed).min() > -1.3 * scene.braking * seen.dt
    assert speed.max() == pytest.approx(9.4, rel=0.01)
    assert speed[-1] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(("speed", "turn"), [(0.6, 0.4), (1.5, 0.6), (4.5, 0.6), (7.0, 0.5), (9.0, 0.45)])
def test_circles_keep_their_radius_and_their_feet(speed: float, turn: float) -> None:
    horse = settled(speed, turn, seconds=4.0 + speed / 3)
    seen = ride(horse, [(Command(speed=speed, turn=turn), 2 * np.pi / turn)])
    assert np.ptp(seen.roots[:, 0]) / 2 == pytest.approx(speed / turn, rel=0.03)
    assert seen.slides().max() < 0.003


def test_turning_on_the_spot_steps_the_feet() -> None:
    horse = settled(0.0)
    seen = ride(horse, [(Command(turn=0.8), 6.0), (Command(), 3.0)])
    assert np.unwrap(seen.yaws)[-1] > 4
    assert seen.slides().max() < 0.003
    assert seen.contacts.sum(axis=1).min() >= 2
    assert seen.contacts[-1].all()
    stray = np.linalg.norm(np.ptp(seen.roots, axis=0))
    assert stray < 1e-9


def test_a_pinned_gait_holds_its_band() -> None:
    horse = Horse("actions")
    seen = ride(horse, [(Command(speed=9.0, gait="trot"), 8.0)])
    assert seen.gaits[-1] == "trot"
    assert "gallop" not in seen.gaits
    horse = settled(8.0)
    seen = ride(horse, [(Command(speed=8.0, gait="walk"), 8.0)])
    assert seen.gaits[-1] == "walk"


def test_stopping_at_any_moment_ends_square_on_four_feet() -> None:
    for start_at in np.linspace(0, 0.5, 6):
        horse = settled(5.0, seconds=4 + start_at)
        seen = ride(horse, [(Command(), 6.0)])
        assert seen.gaits[-1] == "stand"
        assert seen.contacts[-1].all()
        # The feet stand where the idle Action has them, give or take a step not worth taking.
        rest = Horse("actions").frame().positions
        toes = [leg.toe for leg in horse.skeleton.legs]
        yaw = seen.yaws[-1]
        local = seen.toes[-1] - seen.roots[-1]
        ahead = local[:, 0] * np.sin(yaw) + local[:, 2] * np.cos(yaw)
        assert np.abs(ahead - rest[toes, 2]).max() < 0.07


@pytest.mark.parametrize("speed", [0.8, 1.6, 3.0])
def test_a_horse_that_has_halted_stands_at_once(speed: float) -> None:
    """Though it may still set its last feet down square; and until then it says where it is going."""
    for start_at in np.linspace(0, 0.8, 5):
        horse = settled(speed, seconds=3 + start_at)
        frames = [horse.step(Command()) for _ in range(360)]
        halted = next(n for n, frame in enumerate(frames) if float(frame.speed) < 0.02)
        assert {frame.gait for frame in frames[halted + 30 :]} == {"stand"}
        assert {frame.gait for frame in frames[: halted - 1]} == {"walk"}
        assert {frame.going_to for frame in frames} == {"stand"}


def test_it_says_the_gait_it_makes_and_the_one_it_goes_to() -> None:
    horse = settled(1.5)
    frames = [horse.step(Command(speed=8.0)) for _ in range(480)]
    assert {frame.going_to for frame in frames} == {"gallop"}
    made = [frame.gait for frame in frames]
    assert list(dict.fromkeys(made)) == ["walk", "trot", "gallop"]


def test_without_locks_it_goes_as_the_thesis_did_and_slides() -> None:
    seen = ride(settled(1.6, lock=False), [(Command(speed=1.6), 4.0)])
    assert seen.toes[..., 1].min() > -0.002
    assert seen.slides().max() > 0.01
    assert seen.speed == pytest.approx(1.6, rel=0.03)


THESIS_ROWS = ((1, 1.4, 1.6), (1, 0.6, 3.4), (2, 0.9, 3.52), (2, 0.6, 5.74), (3, 0.8, 5.76), (3, 0.6, 9.4))


@pytest.mark.parametrize(("action", "duration", "printed"), THESIS_ROWS)
def test_the_printed_traction_rule_gives_nearly_the_printed_speeds(
    action: int, duration: float, printed: float
) -> None:
    scene, tables = thesis()
    flights = np.array(scene.gaits[action - 1].action.flights, float).reshape(-1, 2)
    found = thesis_speed(tables.plans.toes[action].astype(float), flights, duration)
    assert found == pytest.approx(printed, rel=0.13)
    assert thesis_slide(tables.plans.toes[action].astype(float), flights, duration) > 0


def test_plan_tables_are_periodic_and_stances_lie_outside_flights() -> None:
    _, tables = thesis()
    for row in tables.plans.actions[1:]:
        begin = row["centre"] - row["duty"] / 2
        for k in range(int(row["flights"])):
            into = (row["start"][k] - begin) % 1
            assert (into >= row["duty"] - 1e-6).all(), "a foot is down when the body takes off"
    steps = np.abs(np.diff(tables.plans.toes, axis=1, append=tables.plans.toes[:, :1]))
    assert steps.max() < 0.2


def test_the_pose_before_placement_is_the_action_itself() -> None:
    """Rotations that reach placement equal the Action file's angles at that phase, in float32."""
    scene, tables = thesis()
    horse = settled(1.6)
    herd = horse._herd  # the pose before placement is not public
    herd.method.step(herd._state, herd._commands, herd._senses, 0.0, herd._steps)
    cycle = float(herd._state["cycle"][0])
    wanted = angles_of(scene.gaits[0].action, scene.skeleton, scene.flip).rotations(np.array([cycle % 1]))[0]
    got = herd._steps.rotations[0].astype(float)
    assert np.abs(np.abs(np.sum(got * wanted, axis=-1)) - 1).max() < 1e-5
    assert tables.plans.toes.shape[1] == SAMPLES
