"""Gaits agree with their own beats and flights, and footfall reads back what a gait plans."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import ArrayLike

from hoofbeat.check.recognise import ADDED, RULED
from hoofbeat.errors import ClipError, UnknownGait
from hoofbeat.gaits.footfall import Strides, flights, intervals, planned, strides
from hoofbeat.gaits.gait import ALIASES, GAITS, LEADS, TOGETHER, Gait, family_of, gait_named, mirrored
from hoofbeat.offline.author.__main__ import HORSE_STYLES, gaits_from

MOVING = [gait for gait in GAITS.values() if gait.beats]
LF, RF, LH, RH = range(4)
#: Fine enough that a frame is less than the smallest gap between two feet.
FPS, SAMPLES = 1000.0, 1000


def wave(gait: Gait, count: int = 5, duty: float | None = None, fps: float = FPS) -> np.ndarray:
    """Contacts of `count` strides of one second; samples lie between the frames where feet land."""
    return planned(gait, (np.arange(round(count * fps)) + 0.5) / fps, duty)


def circle(a: ArrayLike, b: ArrayLike) -> np.ndarray:
    """Distance of two phases round the circle."""
    return np.abs((np.asarray(a) - np.asarray(b) + 0.5) % 1.0 - 0.5)


# --- the table


def test_the_gaits_of_the_horse_slow_to_fast() -> None:
    own = gaits_from([HORSE_STYLES])
    assert [gait for gait in GAITS.values() if gait in own] == list(own)
    assert {family_of(gait.name) for gait in own} == set(RULED)
    assert {gait.name for gait in GAITS.values() if gait not in own} == {gait.name for gait in ADDED}
    tops = [gait.speed[1] for gait in GAITS.values()]
    assert tops == sorted(tops)
    for name, gait in GAITS.items():
        assert gait.name == name and gait.touchdown[LH] == 0
        assert all(0 <= t < 1 for t in gait.touchdown)
        assert 0 < gait.duty[0] <= gait.duty[1] <= 1 and gait.speed[0] <= gait.speed[1]
    with pytest.raises(dataclasses.FrozenInstanceError):
        GAITS["trot"].beats = 3  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize("gait", MOVING, ids=lambda g: g.name)
def test_beats_are_the_landings_that_sound_separately(gait: Gait) -> None:
    landings = np.sort(gait.touchdown)
    gaps = np.diff([*landings, landings[0] + 1])
    assert (gaps > TOGETHER).sum() == gait.beats


@pytest.mark.parametrize("gait", MOVING, ids=lambda g: g.name)
def test_the_feet_leave_the_ground_as_often_as_the_gait_says(gait: Gait) -> None:
    contacts = wave(gait, 5)
    assert len(flights(contacts[1000:4000], FPS)) in (3 * gait.suspensions, 3 * gait.suspensions + 1)
    counts = contacts.sum(axis=1)
    assert (counts.min() == 0) == (gait.suspensions > 0)


@pytest.mark.parametrize(("name", "feet"), [("walk", {2, 3}), ("amble", {1, 2})])
def test_how_many_feet_stand_at_either_end_of_the_duty(name: str, feet: set[int]) -> None:
    gait = gait_named(name)
    for duty in gait.duty:
        assert set(wave(gait, 1, duty).sum(axis=1).astype(int)) <= feet


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("walk", [LH, LF, RH, RF]),
        ("amble", [LH, LF, RH, RF]),
        ("gallop-right", [LH, RH, LF, RF]),
        ("gallop-left", [RH, LH, RF, LF]),
    ],
)
def test_order_of_four_beats(name: str, order: list[int]) -> None:
    touchdown = np.array(gait_named(name).touchdown)
    since = (touchdown - touchdown[order[0]]) % 1.0
    assert list(np.argsort(since)) == order


@pytest.mark.parametrize(
    ("name", "pairs"),
    [("trot", [(LH, RF), (RH, LF)]), ("rack", [(LH, LF), (RH, RF)]), ("canter-left", [(LH, RF)])],
)
def test_pairs_land_together(name: str, pairs: list[tuple[int, int]]) -> None:
    touchdown = gait_named(name).touchdown
    for a, b in pairs:
        assert circle(touchdown[a], touchdown[b]) <= TOGETHER


@pytest.mark.parametrize(
    ("name", "leading"),
    [("canter-left", LF), ("canter-right", RF), ("gallop-left", LF), ("gallop-right", RF)],
)
def test_the_flight_comes_after_the_leading_fore(name: str, leading: int) -> None:
    contacts = wave(gait_named(name), 4)
    for start, _ in flights(contacts[1000:3000], FPS):
        if math.isfinite(start):
            last_down = contacts[1000 + math.floor(start * FPS)]
            assert list(np.flatnonzero(last_down)) == [leading]


@pytest.mark.parametrize("gait", MOVING, ids=lambda g: g.name)
def test_mirrored_twice_is_the_gait_itself(gait: Gait) -> None:
    once = mirrored(gait, "other")
    twice = mirrored(once, gait.name)
    assert circle(twice.touchdown, np.array(gait.touchdown)).max() < 1e-8
    assert dataclasses.replace(twice, touchdown=gait.touchdown) == gait
    # Left and right change places: the gaps between the two hinds and between the fores turn round.
    assert circle(once.touchdown[RH], -gait.touchdown[RH]) < 1e-8
    gap = gait.touchdown[RF] - gait.touchdown[LF]
    assert circle(once.touchdown[RF] - once.touchdown[LF], -gap) < 1e-8


def test_names_and_other_words() -> None:
    for name, gait in GAITS.items():
        assert gait_named(name) is gait
    for word, name in {**ALIASES, **LEADS}.items():
        assert gait_named(word) is GAITS[name] and word not in GAITS
    assert gait_named("tölt").name == gait_named("single-foot").name == "amble"
    assert gait_named("pace").name == "rack" and gait_named("halt").name == "stand"
    assert gait_named("canter").name == "canter-left" and gait_named("gallop").name == "gallop-left"


@pytest.mark.parametrize(
    ("word", "near"), [("trott", "trot"), ("Walk", "walk"), ("cantre", "canter"), ("", None)]
)
def test_an_unknown_gait_names_the_nearest(word: str, near: str | None) -> None:
    with pytest.raises(UnknownGait) as caught:
        gait_named(word)
    assert caught.value.nearest == near and "rack" in str(caught.value)


# --- reading feet


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0, 500.0])
@pytest.mark.parametrize("gait", MOVING, ids=lambda g: g.name)
def test_strides_give_back_the_gait(gait: Gait, fps: float) -> None:
    found = strides(wave(gait, 6, fps=fps), fps)
    assert len(found) >= 4
    frame = 1 / fps
    assert np.abs(found.duration - 1).max() < 1e-9 + frame
    assert np.isfinite(found.touchdown).all()
    assert circle(found.touchdown, np.array(gait.touchdown)).max() <= 1.01 * frame
    assert circle(found.mean_touchdown(), np.array(gait.touchdown)).max() <= 1.01 * frame
    assert np.nanmax(np.abs(found.duty - sum(gait.duty) / 2)) <= 1.01 * frame
    assert np.abs(found.mean_duty() - sum(gait.duty) / 2).max() <= 1.01 * frame


@given(
    st.floats(0.05, 0.95),
    st.tuples(*[st.floats(0, 0.999)] * 3),
    st.floats(0.3, 3.0),
    st.floats(0, 1),
)
def test_any_plan_is_read_back(
    duty: float, others: tuple[float, float, float], seconds: float, start: float
) -> None:
    gait = Gait("made up", 4, (others[0], others[1], 0.0, others[2]), (duty, duty), 0, (1, 1))
    fps = 400.0
    cycles = start + np.arange(round(6 * seconds * fps)) / (seconds * fps)
    found = strides(planned(gait, cycles), fps)
    frame = 2.02 / (fps * seconds)  # each of two edges, and the stride itself, to half a frame
    assert len(found) >= 4
    assert ((found.touchdown >= 0) & (found.touchdown < 1)).all()
    assert circle(found.touchdown, np.array(gait.touchdown)).max() <= frame
    assert np.nanmax(np.abs(found.duty - duty)) <= frame
    assert np.abs(found.duration - seconds).max() <= 1.01 / fps


@given(arrays(np.float64, st.tuples(st.integers(0, 40)), elements=st.floats(0, 1)))
def test_intervals_are_ordered_and_cover_the_contacts(contacts: np.ndarray) -> None:
    found = intervals(contacts, 50.0)
    assert found.shape == (len(found), 2) and not np.isnan(found).any()
    assert (np.diff(found.ravel()) >= 0).all()
    times = np.arange(len(contacts)) / 50.0
    inside = np.any((times[:, None] > found[:, 0] - 1e-12) & (times[:, None] < found[:, 1] + 1e-12), axis=1)
    down = contacts > 0.5
    assert inside[down].all() and not (inside & (contacts < 0.5 - 1e-9)).any()


@given(arrays(np.float64, st.tuples(st.integers(0, 60), st.just(4)), elements=st.sampled_from([0.0, 1.0])))
def test_strides_of_anything_are_sound(contacts: np.ndarray) -> None:
    found = strides(contacts, 60.0)
    count = len(found)
    assert found.touchdown.shape == found.duty.shape == (count, 4) and found.duration.shape == (count,)
    assert (found.duration > 0).all() and np.isfinite(found.start).all()
    known = np.isfinite(found.touchdown)
    assert (found.touchdown[known] >= 0).all() and (found.touchdown[known] < 1).all()
    assert (found.touchdown[:, LH] == 0).all() if count else True
    assert (found.duty[np.isfinite(found.duty)] > 0).all()
    assert found.mean_touchdown().shape == found.mean_duty().shape == (4,)


def test_halfway_between_frames_and_open_ends() -> None:
    np.testing.assert_allclose(intervals([0, 1, 1, 0], 10.0), [[0.05, 0.25]])
    np.testing.assert_allclose(intervals([0, 0.8, 1, 0.2], 10.0), [[0.0625, 0.2625]])
    assert intervals([1, 1, 0], 10.0).tolist() == [[-np.inf, 0.15]]
    assert intervals([0, 1], 10.0).tolist() == [[0.05, np.inf]]
    assert intervals([1], 10.0).tolist() == [[-np.inf, np.inf]]
    assert intervals([0], 10.0).shape == intervals([], 10.0).shape == (0, 2)
    assert flights(np.zeros((3, 4)), 10.0).tolist() == [[-np.inf, np.inf]]
    assert flights(np.ones((3, 4)), 10.0).shape == (0, 2)


def test_no_strides_no_noise() -> None:
    for contacts in (
        np.zeros((0, 4)),
        np.ones((1, 4)),
        np.zeros((50, 4)),
        np.ones((50, 4)),
        wave(GAITS["stand"]),
    ):
        found = strides(contacts, 60.0)
        assert (
            len(found) == 0 and np.isnan(found.mean_touchdown()).all() and np.isnan(found.mean_duty()).all()
        )


def test_a_leg_that_never_lands_is_nan_and_the_others_are_not() -> None:
    contacts = wave(GAITS["trot"], 6)
    contacts[:, RF] = 0
    found = strides(contacts, FPS)
    assert np.isnan(found.touchdown[:, RF]).all() and np.isnan(found.duty[:, RF]).all()
    rest = [LF, LH, RH]
    assert np.isfinite(found.touchdown[:, rest]).all()
    assert np.isnan(found.mean_touchdown()[RF]) and np.isfinite(found.mean_touchdown()[rest]).all()


def test_a_foot_that_lands_just_before_or_after_the_left_hind_has_one_phase() -> None:
    contacts = np.zeros((600, 4))
    for n in range(6):
        contacts[100 * n + 20 : 100 * n + 60] = 1
        # The right fore lands one frame early, then one late, in turn.
        early = 100 * n + 20 + (-1 if n % 2 else 1)
        contacts[100 * n + 10 : 100 * n + 70, RF] = 0
        contacts[early : early + 40, RF] = 1
    found = strides(contacts, 100.0)
    assert len(found) == 5 and np.isfinite(found.touchdown).all()
    assert circle(found.touchdown[:, RF], 0.0).max() < 0.011
    assert circle(found.mean_touchdown()[RF], 0.0) < 0.01


def test_mean_touchdown_goes_round_the_circle() -> None:
    touchdown = np.array([[0.99, 0.4, 0, 0.5], [0.03, 0.5, 0, np.nan]])
    found = Strides(np.arange(2.0), np.ones(2), touchdown, np.full((2, 4), np.nan))
    np.testing.assert_allclose(found.mean_touchdown(), [0.01, 0.45, 0, 0.5], atol=1e-12)
    assert np.isnan(found.mean_duty()).all()


@pytest.mark.parametrize(
    ("contacts", "fps", "message"),
    [
        (np.zeros((5, 3)), 60.0, r"must be \(T, 4\) here, given \(5, 3\)"),
        (np.zeros(5), 60.0, r"must be \(T, 4\)"),
        (np.full((5, 4), np.nan), 60.0, "NaN"),
        (np.zeros((5, 4)), 0.0, "fps"),
        (np.zeros((5, 4)), np.nan, "fps"),
    ],
)
def test_what_strides_and_flights_refuse(contacts: np.ndarray, fps: float, message: str) -> None:
    for function in (strides, flights):
        with pytest.raises(ClipError, match=message):
            function(contacts, fps)
    with pytest.raises(ClipError, match=r"must be \(T,\)"):
        intervals(np.zeros((5, 4)), 60.0)
