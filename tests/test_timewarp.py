"""Method `timewarp`: every gait at every speed of its band is itself, on feet that stand."""

# pyright: reportPossiblyUnboundVariable=false

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from hoofbeat.body.clip import Clip
from hoofbeat.body.legs.anatomy import leg_table
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.check import check
from hoofbeat.check.recognise import ADDED
from hoofbeat.gaits.footfall import flights, strides
from hoofbeat.gaits.gait import GAITS, lead_of
from hoofbeat.horse import Herd, Horse
from hoofbeat.maths import quat
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.record import Recorder
from hoofbeat.records import Command, Frame

FPS = 240
#: Bands in which each gait is judged, both leads of canter and gallop by one.
BANDS = {
    "walk": (0.8, 2.0),
    "amble": (2.0, 3.1),
    "trot": (2.6, 5.4),
    "rack": (4.0, 6.4),
    "canter-left": (4.6, 8.0),
    "gallop-right": (7.6, 12.0),
    **{gait.name: gait.speed for gait in ADDED},
}
EVERY_SPEED = [
    (gait, round(float(speed), 1))
    for gait, (low, high) in BANDS.items()
    for speed in np.arange(low, high + 0.01, 0.2)
]
MIDDLES = [(gait, round((low + high) / 2, 2)) for gait, (low, high) in BANDS.items()]
speeds = pytest.mark.parametrize(("gait", "speed"), EVERY_SPEED)
middles = pytest.mark.parametrize(("gait", "speed"), MIDDLES)


@cache
def frames(gait: str, speed: float, lock: bool = True) -> tuple[Skeleton, tuple[Frame, ...]]:
    """Three seconds of a steady gait, after it was picked up from a stand."""
    horse = Horse("timewarp", lock=lock)
    command = Command(speed=speed, gait=gait)
    for _ in range(6 * 60):
        horse.step(command)
    return horse.skeleton, tuple(horse.step(command, 1 / FPS) for _ in range(3 * FPS))


def clip_of(gait: str, speed: float, lock: bool = True) -> Clip:
    skeleton, found = frames(gait, speed, lock)
    recorder = Recorder(skeleton, FPS)
    for frame in found:
        recorder.add(frame)
    return recorder.clip(gait)


def stacked(gait: str, speed: float, key: str, lock: bool = True) -> np.ndarray:
    return np.stack([getattr(frame, key) for frame in frames(gait, speed, lock)[1]])


def toes(gait: str, speed: float, lock: bool = True) -> np.ndarray:
    skeleton = frames(gait, speed, lock)[0]
    return stacked(gait, speed, "positions", lock)[:, [leg.toe for leg in skeleton.legs]]


def whole_stances(gait: str, speed: float, lock: bool = True) -> list[tuple[int, int, int]]:
    """Leg, first frame and end of every stance that begins and ends in the ride."""
    down = stacked(gait, speed, "contacts", lock) > 0.5
    out = []
    for leg in range(4):
        edges = np.flatnonzero(np.diff(down[:, leg].astype(int)))
        first = 0 if len(edges) and not down[edges[0], leg] else 1
        out += [(leg, a + 1, b + 1) for a, b in zip(edges[first::2], edges[first + 1 :: 2], strict=False)]
    return out


@speeds
def test_speed_order_and_duty_are_the_gait_s(gait: str, speed: float) -> None:
    roots = np.stack([frame.root.position for frame in frames(gait, speed)[1]])
    told = strides(stacked(gait, speed, "contacts"), FPS)
    whole = round(float(told.duration.mean()) * FPS)
    count = (len(roots) - 1) // whole * whole
    # Over whole strides, since the body sways.
    assert np.linalg.norm(roots[count] - roots[0]) / (count / FPS) == pytest.approx(speed, rel=0.01)
    apart = (told.mean_touchdown() - GAITS[gait].touchdown + 0.5) % 1 - 0.5
    assert np.abs(apart).max() < 0.03
    low, high = GAITS[gait].duty
    duty = told.mean_duty()
    assert low - 0.05 <= np.nanmin(duty) and np.nanmax(duty) <= high + 0.05
    assert {frame.gait for frame in frames(gait, speed)[1]} == {gait}


@speeds
def test_flights_are_as_many_as_the_gait_has_and_in_their_place(gait: str, speed: float) -> None:
    contacts = stacked(gait, speed, "contacts")
    told = strides(contacts, FPS)
    found = flights(contacts, FPS)
    found = found[np.isfinite(found).all(axis=1)]
    inside = (found[:, 0] >= told.start[0]) & (found[:, 1] <= told.start[-1] + told.duration[-1])
    each = inside.sum() / len(told)
    if gait == "trot" and speed < 2.8:
        return  # Duty near a half: real horses on a treadmill hardly leave the ground either.
    assert abs(each - GAITS[gait].suspensions) <= 0.5
    if GAITS[gait].suspensions == 1 and lead_of(gait):
        # The last foot to leave is the leading fore.
        leading = 0 if gait.endswith("left") else 1
        for start in found[inside, 0]:
            frame = int(start * FPS)
            assert contacts[frame, leading] > 0.5


@speeds
def test_stance_hooves_stand_before_any_lock_and_legs_reach(gait: str, speed: float) -> None:
    free, locked = toes(gait, speed, lock=False), toes(gait, speed)
    for leg, start, stop in whole_stances(gait, speed, lock=False):
        assert np.linalg.norm(np.ptp(free[start:stop, leg][:, [0, 2]], axis=0)) < 0.01
    for leg, start, stop in whole_stances(gait, speed):
        assert np.linalg.norm(np.ptp(locked[start:stop, leg][:, [0, 2]], axis=0)) < 0.002
    assert free[..., 1].min() > -0.002 and locked[..., 1].min() > -0.002
    down = stacked(gait, speed, "contacts") > 0.5
    assert (stacked(gait, speed, "shortfall")[down] > 1e-3).mean() < 0.005
    correction = np.linalg.norm(free - locked, axis=-1)
    assert np.median(correction) < 0.01


@middles
def test_hooves_land_softly(gait: str, speed: float) -> None:
    """The speed of a toe over the ground falls to nothing as it lands: extrapolated from its last way."""
    horse = Horse("timewarp", lock=False)
    command = Command(speed=speed, gait=gait)
    for _ in range(6 * 60):
        horse.step(command)
    feet = [leg.toe for leg in horse.skeleton.legs]
    found = [horse.step(command, 0.001) for _ in range(900)]
    at = np.stack([frame.positions[feet] for frame in found])
    down = np.stack([frame.contacts for frame in found]) > 0.5
    speed_over_ground = np.linalg.norm(np.diff(at, axis=0), axis=-1) / 0.001
    for leg in range(4):
        for frame in np.flatnonzero(down[4:, leg] & ~down[3:-1, leg]) + 4:
            # It brakes evenly: what is left at the touchdown is what it would have one millisecond on.
            late = speed_over_ground[frame - 4 : frame - 1, leg]
            assert late[-1] - 2 * (late[-2] - late[-1]) < 0.3


@middles
def test_stance_knees_are_straight_and_joints_keep_their_limits(gait: str, speed: float) -> None:
    skeleton = frames(gait, speed)[0]
    turns = stacked(gait, speed, "rotations").astype(float)
    down = stacked(gait, speed, "contacts") > 0.5
    for number, (leg, row) in enumerate(zip(skeleton.legs, leg_table(skeleton), strict=True)):
        mid = row["bend_mid"] * 2 * np.arctan2(turns[:, leg.mid, 0], turns[:, leg.mid, 3])
        low = row["bend_low"] * 2 * np.arctan2(turns[:, leg.low, 0], turns[:, leg.low, 3])
        assert row["mid_range"][0] - 0.01 <= mid.min() and mid.max() <= row["mid_range"][1] + 0.01
        assert row["low_range"][0] - 0.01 <= low.min() and low.max() <= row["low_range"][1] + 0.01
        if number < 2:
            assert np.degrees(np.abs(low[down[:, number]])).max() < 6
        else:
            assert np.degrees(np.abs(mid - low)).max() < 2


@pytest.mark.parametrize(
    ("gait", "speed"), [(g, v) for g, v in MIDDLES if g.startswith(("canter", "gallop"))]
)
def test_canter_and_gallop_rock_and_nod_once(gait: str, speed: float) -> None:
    skeleton = frames(gait, speed)[0]
    at = stacked(gait, speed, "positions")
    trunk = at[:, skeleton.index("Thoracic03")] - at[:, skeleton.index("Lumbar01")]
    pitch = np.degrees(np.arctan2(trunk[:, 1], np.hypot(trunk[:, 0], trunk[:, 2])))
    assert np.ptp(pitch) >= 4
    told = strides(stacked(gait, speed, "contacts"), FPS)
    first, last = (int(v * FPS) for v in (told.start[0], told.start[-1] + told.duration[-1]))
    head = at[first:last, skeleton.index("Head"), 1] - at[first:last, skeleton.index("Thoracic01"), 1]
    waves = np.abs(np.fft.rfft(head - head.mean()))
    assert np.argmax(waves) == len(told)
    if gait.startswith("gallop"):
        turns = stacked(gait, speed, "rotations").astype(float)
        back = [turns[:, skeleton.index(name)] for name in ("Lumbar01", "Thoracic05")]
        bend = sum(2 * np.arctan2(turn[:, 0], turn[:, 3]) for turn in back)
        assert np.degrees(np.ptp(np.asarray(bend))) >= 10


@pytest.mark.parametrize("speed", [9.0, 10.0, 11.0, 12.0])
def test_stances_of_the_gallop_last_as_published(speed: float) -> None:
    """Witte, Hirst and Wilson 2006: fore 131 to 77 ms, hind 143 to 94 ms from 9 to 17 m/s."""
    told = strides(stacked("gallop-right", speed, "contacts"), FPS)
    lasts = 1000 * told.mean_duty() * told.duration.mean()
    assert 77 <= lasts[:2].min() and lasts[:2].max() <= 131
    assert 94 <= lasts[2:].min() and lasts[2:].max() <= 143


@pytest.mark.parametrize(("gait", "speed"), [("walk", 1.55), ("trot", 2.76)])
def test_it_keeps_the_limits_of_the_cohort(gait: str, speed: float) -> None:
    report = check(clip_of(gait, speed), gait)
    assert report.comparison is not None and report.comparison.passed is True
    for place in report.comparison.places.values():
        assert "10 of 10" not in place


@middles
def test_the_check_finds_nothing(gait: str, speed: float) -> None:
    report = check(clip_of(gait, speed), gait)
    assert report.failed == ()


@pytest.mark.parametrize("gait", ["canter-right", "gallop-left"])
def test_the_other_lead_is_its_mirror_image(gait: str) -> None:
    report = check(clip_of(gait, sum(GAITS[gait].speed[:1]) + 1.0), gait)
    assert report.gait == gait and report.failed == ()


def test_flights_obey_gravity() -> None:
    skeleton, found = frames("canter-left", 6.0)
    height = np.array([frame.positions[0, 1] for frame in found])
    aloft = np.array([bool(frame.airborne) for frame in found])
    edges = np.flatnonzero(np.diff(aloft.astype(int)))
    start, stop = next((a + 1, b + 1) for a, b in zip(edges[:-1], edges[1:], strict=True) if aloft[a + 1])
    time = np.arange(start, stop) / FPS
    fall = 2 * np.polyfit(time, height[start:stop], 2)[0]
    assert fall == pytest.approx(-GRAVITY, rel=0.01)
    del skeleton


def test_a_herd_is_many_horses() -> None:
    gaits = ["walk", "trot", "canter-left", None, "gallop-right"]
    speeds = np.array([1.5, 3.5, 6.0, 0.0, 10.0])
    herd = Herd(5, "timewarp")
    lone = [Horse("timewarp") for _ in gaits]
    for _ in range(300):
        all_of_them = herd.step(Command(speed=speeds, gait=gaits))
        each: list[Any] = [
            horse.step(Command(speed=float(speed), gait=gait))
            for horse, speed, gait in zip(lone, speeds, gaits, strict=True)
        ]
    for n, frame in enumerate(each):
        np.testing.assert_array_equal(
            all_of_them.positions[n] - all_of_them.root.position[n], frame.positions - frame.root.position
        )
        np.testing.assert_array_equal(all_of_them.rotations[n], frame.rotations)


def test_gait_follows_speed() -> None:
    horse = Horse("timewarp", breed="all")
    seen = []
    for speed in np.concatenate([np.linspace(0.5, 12, 1500), np.linspace(12, 0, 1500), np.zeros(120)]):
        gait = horse.step(Command(speed=float(speed))).gait
        if not seen or seen[-1] != gait:
            seen.append(gait)
    assert seen == [
        "stand", "walk", "amble", "trot", "rack", "canter-left", "gallop-left",
        "canter-left", "rack", "trot", "amble", "walk", "stand",
    ]  # fmt: skip


def test_changing_gait_at_any_moment_never_turns_a_joint_faster_than_a_gallop_does() -> None:
    steady = Horse("timewarp")
    for _ in range(400):
        before = steady.step(Command(speed=12, gait="gallop-right"))
    fastest = 0.0
    for _ in range(60):
        after = steady.step(Command(speed=12, gait="gallop-right"))
        fastest = max(fastest, float(quat.angle(before.rotations, after.rotations).max()))
        before = after
    names = [name for name in GAITS if name != "stand"]
    rng = np.random.default_rng(4)
    for first in names:
        horse = Horse("timewarp")
        for _ in range(240 + int(rng.integers(60))):
            before = horse.step(Command(speed=sum(GAITS[first].speed) / 2, gait=first))
        for second in rng.permutation(names)[:3]:
            for _ in range(120):
                after = horse.step(Command(speed=min(sum(GAITS[second].speed) / 2, 12), gait=str(second)))
                assert float(quat.angle(before.rotations, after.rotations).max()) < 1.5 * fastest
                before = after


@pytest.mark.parametrize(("gait", "speed"), [("walk", 1.5), ("trot", 3.4), ("canter-left", 5.5)])
def test_collected_strides_are_shorter_and_higher_at_the_same_speed(gait: str, speed: float) -> None:
    lengths, lifts = [], []
    for extension in (-1.0, 0.0, 1.0):
        horse = Horse("timewarp")
        command = Command(speed=speed, gait=gait, extension=extension)
        for _ in range(360):
            horse.step(command)
        found = [horse.step(command, 1 / FPS) for _ in range(4 * FPS)]
        told = strides(np.stack([frame.contacts for frame in found]), FPS)
        assert found[-1].clamped == ()
        travelled = np.linalg.norm(found[-1].root.position - found[0].root.position)
        assert travelled / (4 - 1 / FPS) == pytest.approx(speed, rel=0.01)
        lengths.append(speed * told.duration.mean())
        toe = horse.skeleton.legs[0].toe
        lifts.append(max(frame.positions[toe, 1] for frame in found))
        recorder = Recorder(horse.skeleton, FPS)
        for frame in found:
            recorder.add(frame)
        report = check(recorder.clip(gait), gait)
        assert report.gait == gait
        # Beside real horses it is neither: they were at their working trot and walk.
        assert [name for name in report.failed if not name.startswith(gait)] == []
    assert lengths[0] < 0.93 * lengths[1] and lengths[1] < 0.93 * lengths[2]
    assert lifts[0] > 1.1 * lifts[1] and lifts[1] > 1.02 * lifts[2]


@middles
def test_locks_hardly_touch_a_steady_gait(gait: str, speed: float) -> None:
    """Corrections of the lock stay small, and no joint is jerked where feet land and leave."""
    free, locked = toes(gait, speed, lock=False), toes(gait, speed)
    correction = np.linalg.norm(free - locked, axis=-1)
    assert np.median(correction) < 0.01 and correction.max() < 0.04
    peaks = []
    for lock in (False, True):
        turns = stacked(gait, speed, "rotations", lock).astype(float)
        rate = quat.log(quat.canonical(quat.mul(turns[1:], quat.inverse(turns[:-1])))) * FPS
        peaks.append(np.linalg.norm(np.diff(rate, axis=0), axis=-1).max() * FPS)
    assert peaks[1] <= 1.3 * peaks[0]


@pytest.mark.kernels
def test_a_few_steps_of_everything() -> None:
    """Short enough to run uncompiled: every branch of the kernels is passed with bounds checked."""
    herd = Herd(3, "timewarp")
    gaits: list[str | None] = ["walk", "canter-right", None]
    for speed, turn, extension in ((2.0, 0.0, 0.0), (6.0, 0.5, 1.0), (9.0, -0.5, -1.0), (0.0, 0.0, 0.0)):
        for _ in range(10):
            frame = herd.step(Command(speed=speed, turn=turn, gait=gaits, extension=extension), 0.05)
            assert np.isfinite(frame.positions).all() and np.isfinite(frame.rotations).all()
        gaits = [*gaits[1:], gaits[0]]
