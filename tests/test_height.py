"""Horses of any height: dynamic similarity, exact where the arithmetic is, and the same doors for all."""

# pyright: reportPossiblyUnboundVariable=false, reportArgumentType=false

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import hoofbeat as hb
from hoofbeat.body.clip import Clip
from hoofbeat.body.size import HEIGHTS, HeightError, size_of, withers_height
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.check import check
from hoofbeat.cli import app
from hoofbeat.errors import HoofbeatError
from hoofbeat.formats.planfile import PlanError, Segment, format_plan, parse_plan
from hoofbeat.horse import MOST, Frame, Herd, Horse
from hoofbeat.record import Recorder
from hoofbeat.records import COMMAND, Command
from hoofbeat.world.terrain import Terrain
from neural_making import description_of, dog_rig, follower, need_onnx, write_network
from riding import METHODS

methods = pytest.mark.parametrize("method", sorted(METHODS))
OWN = 1.295
RIDE = ((1.5, 0.3), (3.5, -0.4), (7.0, 0.2), (10.0, 0.0), (0.0, 0.0))
FPS = 240
WRONG = [float("nan"), float("inf"), -1.6, 0, 0.299, 4.01, True, "1.6", [1.6], 10**5000]


def frames(horse: Horse, pace: float = 1.0, dt: float = 1 / 60, seconds: float = 1.5) -> list[Frame]:
    """The same ride in the time of an animal whose times are `pace` times as long."""
    return [
        horse.step(Command(speed=speed * pace, turn=turn / pace), dt * pace)
        for speed, turn in RIDE
        for _ in range(round(seconds / dt))
    ]


# ---- similarity ---------------------------------------------------------------------------------------


@methods
def test_the_own_height_is_bit_for_bit_the_default(method: str) -> None:
    plain = Horse(method)
    assert plain.height == pytest.approx(OWN, abs=5e-4)
    told = Horse(method, height=plain.height)
    assert told.skeleton is not None and np.array_equal(told.skeleton.offsets, plain.skeleton.offsets)
    for one, other in zip(frames(plain), frames(told), strict=True):
        for key in ("positions", "rotations", "contacts", "phase", "shortfall"):
            assert getattr(one, key).tobytes() == getattr(other, key).tobytes()
        assert (one.speed, one.time, one.gait, one.events) == (
            other.speed,
            other.time,
            other.gait,
            other.events,
        )


@methods
@pytest.mark.parametrize("dt", [1 / 60, 1 / 24])
def test_a_quarter_of_the_height_moves_alike_to_the_bit(method: str, dt: float) -> None:
    """Times are halved exactly, so that nothing is rounded and every bit of the pose is the same."""
    plain = Horse(method)
    small = Horse(method, height=plain.height / 4)
    for one, other in zip(frames(plain, dt=dt), frames(small, 0.5, dt), strict=True):
        for key in ("rotations", "contacts", "phase"):
            assert getattr(one, key).tobytes() == getattr(other, key).tobytes()
        assert (one.gait, one.airborne, one.events) == (other.gait, other.airborne, other.events)
        assert np.array_equal(other.positions, one.positions / 4)
        assert np.array_equal(other.root.position, one.root.position / 4)
        assert np.array_equal(other.shortfall, one.shortfall / 4)
        assert other.speed == one.speed / 2 and other.time == one.time / 2


@methods
@pytest.mark.parametrize("height", [0.5, 1.6, 2.7])
def test_any_height_moves_alike_at_corresponding_times(method: str, height: float) -> None:
    plain, other = Horse(method), Horse(method, height=height)
    factor = height / plain.height
    pace = factor**0.5
    same = 0
    for one, two in zip(frames(plain), frames(other, pace), strict=True):
        same += bool(np.array_equal(one.contacts, two.contacts) and one.gait == two.gait)
        assert np.abs(np.abs(np.sum(one.rotations * two.rotations, axis=1)) - 1).max() < 1e-4
        apart = (one.phase - two.phase + 0.5) % 1 - 0.5
        assert np.abs(apart).max() < 1e-3
        np.testing.assert_allclose(two.positions, factor * one.positions, atol=2e-3 * factor)
        assert two.speed == pytest.approx(pace * one.speed, rel=1e-3, abs=1e-3)
        assert two.time == pytest.approx(pace * one.time)
    # A touchdown on the very edge of a frame may fall on either side of it.
    assert same >= 0.99 * len(frames(Horse(method), seconds=1.5))


@methods
@pytest.mark.parametrize("height", [0.4, 1.6, 3.5])
def test_the_speed_outside_is_the_speed_asked_for(method: str, height: float) -> None:
    horse = Horse(method, height=height)
    pace = (height / Horse(method).height) ** 0.5
    for speed in (1.5 * pace, 4.0 * pace, 9.0 * pace):
        command = Command(speed=speed)
        for _ in range(round(8 * pace * 60)):
            before = horse.step(command)
        count = round(10 * pace * 60)
        for _ in range(count):
            after = horse.step(command)
        way = np.linalg.norm(after.root.position - before.root.position)
        assert way / (after.time - before.time) == pytest.approx(speed, rel=0.01)
        assert after.time - before.time == pytest.approx(count / 60)
        assert after.clamped == ()


@methods
def test_a_frame_is_the_scaled_skeleton_in_its_pose(method: str) -> None:
    horse = Horse(method, height=1.7)
    assert withers_height(horse.skeleton) == pytest.approx(1.7) and horse.height == pytest.approx(1.7)
    recorder = Recorder(horse.skeleton)
    seen = []
    for _ in range(120):
        seen.append(horse.step(Command(speed=5.0, turn=0.3)))
        recorder.add(seen[-1])
    clip = recorder.clip()
    assert np.abs(clip.positions - np.stack([frame.positions for frame in seen])).max() < 2e-5
    for frame in seen:
        assert frame.root.position[[0, 2]] == pytest.approx(frame.positions[0, [0, 2]], abs=1e-6)


# ---- herds, places, ground ----------------------------------------------------------------------------


@methods
def test_a_member_of_a_herd_is_the_same_horse_alone(method: str) -> None:
    herd = Herd(3, method, height=1.6)
    lone = [Horse(method, height=1.6) for _ in range(3)]
    speeds = np.array([2.0, 5.0, 11.0])
    for _ in range(240):
        frame = herd.step(Command(speed=speeds, turn=0.2))
        for k, horse in enumerate(lone):
            one = horse.step(Command(speed=float(speeds[k]), turn=0.2))
            for key in ("positions", "rotations", "contacts", "phase", "shortfall"):
                assert np.array_equal(getattr(one, key), getattr(frame, key)[k]), key
            assert one.speed == pytest.approx(frame.speed[k], rel=1e-12)
            assert np.array_equal(one.root.position, frame.root.position[k]) and one.time == frame.time
    for array in (frame.positions, frame.root.position, frame.shortfall):
        assert not array.flags.writeable


@methods
def test_places_are_metres_outside(method: str) -> None:
    places = [(3.0, -2.0), (100.0, 7.5)]
    herd = Herd(2, method, height=2.5, positions=places, headings=[0.3, -1.0])
    frame = herd.frame()
    assert frame.root.position[:, [0, 2]] == pytest.approx(np.array(places))
    assert frame.root.rotation[:, 1] == pytest.approx(np.sin([0.15, -0.5]))


@methods
def test_ground_keeps_its_height(method: str) -> None:
    horse = Horse(method, height=2.0, terrain=Terrain.flat(3.0))
    toes = [leg.toe for leg in horse.skeleton.legs]
    for _ in range(120):
        frame = horse.step(Command(speed=2.0))
        assert frame.root.position[1] == pytest.approx(3.0)
        assert frame.positions[toes, 1][frame.contacts > 0.5] == pytest.approx(3.0, abs=0.003)


def test_ground_that_is_none_is_refused() -> None:
    with pytest.raises(HoofbeatError, match="kind is 99"):
        Horse(height=1.6, terrain=Terrain(99, np.zeros(8)))


@methods
def test_a_snapshot_holds_at_any_height(method: str) -> None:
    horse = Horse(method, height=0.8)
    frames(horse, 0.8)
    kept = horse.snapshot()
    ahead = horse.step(Command(speed=2.0)).positions
    horse.restore(kept)
    assert np.array_equal(ahead, horse.step(Command(speed=2.0)).positions)


# ---- what is asked for --------------------------------------------------------------------------------


@methods
@pytest.mark.parametrize("height", [0.3, 0.77, 1.6, 1.93, 4.0])
def test_bands_go_with_the_root_of_the_height(method: str, height: float) -> None:
    plain, herd = Herd(1, method), Herd(1, method, height=height)
    pace = (height / plain.height) ** 0.5
    np.testing.assert_allclose(herd.bands, plain.bands * pace)
    assert not herd.bands.flags.writeable
    for gait, (low, high) in zip(herd.gaits[1:], herd.bands[1:], strict=True):
        for speed, clamped in ((low, ()), (high, ()), (np.nextafter(high, 99), ("speed",))):
            assert herd.step(Command(speed=float(speed), gait=gait), 0.0).clamped == clamped
            rows = np.zeros(1, COMMAND)
            rows["speed"], rows["gait"], rows["action"] = speed, herd.gaits.index(gait), -1
            assert herd.step(rows, 0.0).clamped == clamped
            # Inside, the method never sees a speed out of its band.
            seen = herd._commands["speed"][0]
            least, most = plain.bands[plain.gaits.index(gait)]
            assert least <= seen <= most
    limit = plain.method.max_turn / pace
    assert herd.step(Command(turn=1e3), 0.0).clamped == ("turn",)
    assert abs(herd._commands["turn"][0]) <= plain.method.max_turn
    assert herd.step(Command(turn=limit * (1 - 1e-12)), 0.0).clamped == ()


def test_a_tall_horse_gallops_faster() -> None:
    assert Herd(1, "timewarp", height=1.6).bands.max() == pytest.approx(18.0, abs=0.01)


@methods
@pytest.mark.parametrize("own_time", [0.05, 0.1, 0.25, 0.73])
def test_steps_are_split_in_the_animal_s_own_time(method: str, own_time: float) -> None:
    plain = Horse(method)
    small = Horse(method, height=plain.height / 4)
    for speed in (2.0, 6.0, 9.0, 9.0, 0.0):
        for _ in range(4):
            one = plain.step(Command(speed=speed), own_time)
            two = small.step(Command(speed=speed / 2), own_time / 2)
            assert np.array_equal(one.rotations, two.rotations) and one.events == two.events


@methods
@pytest.mark.parametrize("height", [0.35, 3.0])
def test_the_same_path_at_30_60_and_120_hz(method: str, height: float) -> None:
    speed = 4.5 * (height / OWN) ** 0.5
    ends = []
    for rate in (30, 60, 120):
        horse = Horse(method, height=height)
        for _ in range(10 * rate):
            frame = horse.step(Command(speed=speed), 1 / rate)
        ends.append(frame.root.position[2])
        assert frame.time == pytest.approx(10.0)
    assert np.ptp(ends) < 0.01 * ends[1]


@methods
def test_the_shortest_and_the_longest_step_are_seconds_outside(method: str) -> None:
    horse = Horse(method, height=3.0)
    assert horse.step(Command(), 1e-5).clamped == ("dt",)
    assert horse.frame().time == pytest.approx(0.001)
    assert horse.step(Command(), 0.001).clamped == ()
    with pytest.warns(UserWarning, match="dt is in seconds"):
        assert horse.step(Command(), MOST + 1).clamped == ("dt",)
    assert horse.frame().time == pytest.approx(MOST + 0.002)


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_other_heights_are_refused(number: int) -> None:
    wrong: Any = WRONG[number]
    for make in (lambda: Horse(height=wrong), lambda: Herd(2, "timewarp", height=wrong)):
        with pytest.raises(HeightError, match=r"height must be 0.3 to 4 m at the withers, given"):
            make()


@methods
def test_the_ends_of_the_range_stand_and_go(method: str) -> None:
    for height in (*HEIGHTS, np.float32(1.5), 2):
        horse = Horse(method, height=height)
        for _ in range(60):
            frame = horse.step(Command(speed=3.0, turn=0.1))
        assert np.isfinite(frame.positions).all() and horse.height == pytest.approx(float(height))


# ---- skeletons ----------------------------------------------------------------------------------------


def renamed(skeleton: Skeleton, legs: bool = True) -> Skeleton:
    names = [name.replace("Thoracic", "Rib") for name in skeleton.names]
    named = skeleton.legs if legs else ()
    return Skeleton(names, skeleton.parents, skeleton.offsets, skeleton.ends, named)


def test_withers_are_found_without_their_name() -> None:
    own = Horse().skeleton
    assert withers_height(renamed(own)) == pytest.approx(withers_height(own))
    assert size_of(renamed(own), 2 * withers_height(own)).factor == pytest.approx(2.0)


def test_withers_that_cannot_be_found_are_refused() -> None:
    own = Horse().skeleton
    with pytest.raises(HeightError, match="withers cannot be found"):
        withers_height(renamed(own, legs=False))
    flat = own.offsets.copy()
    flat[: own.legs[1].top] = 0.0
    flat[[own.parents[leg.top] for leg in own.legs[:2]]] = 0.0
    raised = Skeleton(renamed(own).names, own.parents, np.abs(flat), own.ends, own.legs)
    with pytest.raises(HeightError, match="withers cannot be found"):
        withers_height(raised)
    assert size_of(raised).own  # without a height nobody asks


def test_an_animal_whose_rest_pose_does_not_stand_is_as_high_as_it_stands(tmp_path: Path) -> None:
    """A recorded dog has all bones along one axis at rest: its withers are those of its network's stand."""
    need_onnx()
    rig = dog_rig()
    path = write_network(tmp_path / "dog.onnx", follower(rig), description_of(rig))
    dog = Horse("neural", scene=path)
    with pytest.raises(HeightError):
        withers_height(dog.skeleton)
    top = dog.frame().positions[[leg.top for leg in dog.skeleton.legs[:2]], 1].max()
    assert top - 0.02 <= dog.height <= dog.frame().positions[:, 1].max() + 0.02
    tall = Horse("neural", scene=path, height=1.5 * dog.height)
    assert tall.height == pytest.approx(1.5 * dog.height)
    assert tall.frame().positions[:, 1].max() == pytest.approx(
        1.5 * dog.frame().positions[:, 1].max(), rel=1e-5
    )


# ---- the gallop of a tall horse -----------------------------------------------------------------------


@cache
def gallop(speed: float) -> tuple[Skeleton, tuple[Frame, ...]]:
    horse = Horse("timewarp", height=1.6)
    for _ in range(9 * 60):
        horse.step(Command(speed=speed, gait="gallop-right"))
    return horse.skeleton, tuple(
        horse.step(Command(speed=speed, gait="gallop-right"), 1 / FPS) for _ in range(3 * FPS)
    )


def clip_of(speed: float) -> Clip:
    skeleton, found = gallop(speed)
    recorder = Recorder(skeleton, FPS)
    for frame in found:
        recorder.add(frame)
    return recorder.clip("gallop")


@pytest.mark.parametrize("speed", [12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0])
def test_a_tall_horse_gallops_to_18_metres_a_second(speed: float) -> None:
    found = gallop(speed)[1]
    assert all(frame.clamped == () and frame.gait == "gallop-right" for frame in found)
    way = np.linalg.norm(found[-1].root.position - found[0].root.position)
    assert way / (found[-1].time - found[0].time) == pytest.approx(speed, rel=0.01)
    down = np.stack([frame.contacts for frame in found]) > 0.5
    short = np.stack([frame.shortfall for frame in found])
    assert (short[down] > 1e-3).mean() < 0.005
    report = check(clip_of(speed), "gallop")
    assert report.gait == "gallop-right" and report.failed == ()


def test_the_fastest_gallop_does_not_fly_between_its_forefeet() -> None:
    """As it would if their stances went on getting shorter."""
    horse = Horse("timewarp", height=1.6)
    for _ in range(9 * 60):
        horse.step(Command(speed=18.0, gait="gallop-right"))
    found = [horse.step(Command(speed=18.0, gait="gallop-right"), 0.001) for _ in range(3000)]
    aloft = [frame for frame in found if not frame.contacts.any()]
    assert aloft and max(frame.phase[1] for frame in aloft) < 0.9


# ---- plans and command line ---------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["1.6", "1.6 m", "160 cm"])
def test_a_plan_says_the_height(words: str) -> None:
    plan = parse_plan(f"method: timewarp\nheight: {words}\nsegments:\n  - {{for: 1 s, speed: 3}}\n")
    assert plan.height == pytest.approx(1.6)
    assert parse_plan(format_plan(plan)) == plan
    assert hb.synthesize(plan).skeleton.offsets == pytest.approx(Horse(height=1.6).skeleton.offsets)


def test_a_plan_without_a_height_is_the_method_s_own() -> None:
    assert parse_plan("segments:\n  - {for: 1 s, speed: 3}\n").height is None


@pytest.mark.parametrize(
    "words", [".nan", ".inf", "5", "0.2", "-1", "tall", "true", "1.6 km", "[1.6]", "1e400"]
)
def test_a_wrong_height_in_a_plan_is_an_error_of_its_line(words: str) -> None:
    with pytest.raises(PlanError, match=r":2: height: "):
        parse_plan(f"fps: 60\nheight: {words}\nsegments:\n  - {{for: 1 s, speed: 3}}\n")


def test_a_plan_made_in_python_is_checked_too() -> None:
    segments = (Segment(1.0, speed=2.0),)
    with pytest.raises(PlanError, match="height: must be 0.3 to 4 m"):
        hb.Plan(segments, height=40.0)
    assert parse_plan(format_plan(hb.Plan(segments, height=np.float64(1.5)))).height == 1.5


def test_strides_and_froude_numbers_are_those_of_the_height() -> None:
    """The same Froude number in a plan is the same stride, longer and slower with the height."""
    made = [
        hb.synthesize(
            hb.Plan((Segment(4, "cycles", froude=1.5),), "timewarp", 240, height=height, settle=True)
        )
        for height in (None, 2 * Horse().height)
    ]
    one, two = ((clip.seconds, np.linalg.norm(np.ptp(clip.extras["root"], axis=0))) for clip in made)
    assert two[0] / one[0] == pytest.approx(2**0.5, rel=0.01)
    assert two[1] / one[1] == pytest.approx(2, rel=0.01)


def test_a_gait_without_a_speed_is_ridden_in_the_middle_of_its_band() -> None:
    clip = hb.synthesize(hb.Plan((Segment(1.0, gait="trot"),), height=3.0, settle=True))
    herd = Herd(1, height=3.0)
    assert clip.extras["speed"].mean() == pytest.approx(herd.bands[herd.gaits.index("trot")].mean(), rel=0.01)


def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *words: str, code: int = 0) -> str:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == code, f"{done.stdout}{done.stderr}{done.exception!r}"
    return done.stderr if code else done.stdout


def test_synth_takes_a_height(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--gait", "gallop", "--method", "timewarp", "--speed", "17", "--cycles", "2", "-o", "a.npz"]
    told = json.loads(run(tmp_path, monkeypatch, "synth", *words, "--height", "1.6", "--json"))
    assert told["height"] == 1.6 and told["notes"] == []
    assert told["clips"][0]["mean_speed"] == pytest.approx(17, rel=0.01)
    assert withers_height(hb.load(tmp_path / "a.npz").skeleton) == pytest.approx(1.6)
    told = json.loads(run(tmp_path, monkeypatch, "synth", *words, "--json"))
    assert told["height"] is None and "held to 16.2" in told["notes"][0]


def test_synth_puts_its_height_for_the_plan_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "p.yaml").write_text("height: 1.6\nsegments:\n  - {for: 1 s, speed: 3}\n")
    told = json.loads(run(tmp_path, monkeypatch, "info", "p.yaml", "--json"))
    assert told["height"] == 1.6
    run(tmp_path, monkeypatch, "synth", "p.yaml", "--height", "0.9", "-o", "p.npz")
    assert withers_height(hb.load(tmp_path / "p.npz").skeleton) == pytest.approx(0.9)


@pytest.mark.parametrize("words", [("synth", "--gait", "walk"), ("plate", "walk")])
def test_a_wrong_height_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    for wrong in ("9", "nan"):
        told = run(tmp_path, monkeypatch, *words, "--height", wrong, "-o", "a.png", code=2)
        assert told.startswith("error: height: must be 0.3 to 4 m") and told.count("\n") == 1


def test_plate_takes_a_height(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["plate", "trot", "--poses", "6", "--width", "1200", "--height", "2.0", "-o", "p.png", "--json"]
    told = json.loads(run(tmp_path, monkeypatch, *words))
    assert told["height"] == 2.0 and told["stride_metres"] > 3.0
