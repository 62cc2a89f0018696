"""Resampling: another frame rate, the same motion, the same length in time, and no event lost."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoofbeat.body.clip import Clip
from hoofbeat.body.resample import resampled
from hoofbeat.errors import ClipError
from hoofbeat.formats.planfile import Plan, Segment
from hoofbeat.synthesis import synthesize


@cache
def ride(fps: float = 120.0) -> Clip:
    return synthesize(Plan((Segment(2.0, gait="trot", turn=0.3),), fps=fps, settle=True))


def test_a_whole_fraction_of_the_rate_picks_frames() -> None:
    half, fast = resampled(ride(), 60), ride()
    assert len(half) == len(fast) // 2 and half.seconds == fast.seconds
    np.testing.assert_allclose(half.positions, fast.positions[::2], atol=1e-9)
    np.testing.assert_array_equal(half.extras["gait"], fast.extras["gait"][::2])
    np.testing.assert_array_equal(half.contacts, np.asarray(fast.contacts)[::2])
    assert {key: value.dtype for key, value in half.extras.items()} == {
        key: value.dtype for key, value in fast.extras.items()
    }


def test_motion_between_frames_is_near_the_true_one() -> None:
    finer = resampled(ride(), 240)
    np.testing.assert_allclose(finer.positions[::2], ride().positions, atol=1e-9)
    middle = (ride().positions[:-1] + ride().positions[1:]) / 2
    assert np.abs(finer.positions[1:-1:2] - middle).max() < 0.004
    lengths = np.linalg.norm(finer.rotations, axis=-1)
    np.testing.assert_allclose(lengths, 1, atol=1e-9)


@given(st.floats(5, 400))
def test_laws_of_any_rate(fps: float) -> None:
    clip = ride()
    made = resampled(clip, fps)
    assert made.fps == fps and abs(made.seconds - clip.seconds) <= 0.5 / fps + 1e-9
    assert made.name == clip.name and set(made.extras) == set(clip.extras)
    bits = np.bitwise_or.reduce(clip.extras["events"][: int(len(clip) * 0.9)])
    assert np.bitwise_or.reduce(made.extras["events"]) & bits == bits
    phase = made.extras["phase"]
    assert (phase >= 0).all() and (phase < 1).all()
    assert set(made.extras["gait"]) <= set(clip.extras["gait"])
    assert made.contacts is not None and made.contacts.min() >= 0 and made.contacts.max() <= 1


def test_phases_go_round_the_circle() -> None:
    clip = ride()
    phase = np.array([[0.9], [0.1]]) * np.ones((1, 4))
    two = Clip(clip.skeleton, clip.rotations[:2], clip.origins[:2], 1, None, "two", {"phase": phase})
    found = resampled(two, 4).extras["phase"][:, 0]
    np.testing.assert_allclose(
        (found - [0.9, 0.95, 0.0, 0.05, 0.1, 0.1, 0.1, 0.1] + 0.5) % 1, 0.5, atol=1e-12
    )


def test_the_same_rate_and_empty_clips_change_nothing() -> None:
    clip = ride()
    again = resampled(clip, clip.fps)
    np.testing.assert_array_equal(again.rotations, clip.rotations)
    nothing = Clip(clip.skeleton, clip.rotations[:0], clip.origins[:0], 60)
    assert len(resampled(nothing, 30)) == 0
    one = Clip(clip.skeleton, clip.rotations[:1], clip.origins[:1], 60)
    assert len(resampled(one, 30)) == 1 and len(resampled(one, 600)) == 10


@pytest.mark.parametrize("fps", [0, -1, np.nan, np.inf, 1e5])
def test_rates_that_are_none(fps: float) -> None:
    with pytest.raises(ClipError, match="fps"):
        resampled(ride(), fps)


def test_the_number_of_frames_is_bounded() -> None:
    clip = ride()
    slow = Clip(clip.skeleton, clip.rotations, clip.origins, 0.001)
    with pytest.raises(ClipError, match="over 1000000"):
        resampled(slow, 10_000)
