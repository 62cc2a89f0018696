"""Laws of the hash and of the smooth noise built on it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoofbeat.maths.noise import coherent, hash32, unit

pytestmark = pytest.mark.kernels

WORD = 2**32
whole = st.integers(-(2**40), 2**40)


def plain_hash(*numbers: int) -> int:
    """The same hash in Python's own integers."""
    h = 0
    for number in numbers:
        h = ((h ^ (number % WORD)) + 0x9E3779B9) % WORD
        h ^= h >> 16
        h = h * 0x7FEB352D % WORD
        h ^= h >> 15
        h = h * 0x846CA68B % WORD
        h ^= h >> 16
    return h


def lattice(count: int, seed: int = 0, stream: int = 0) -> np.ndarray:
    return np.array([coherent(float(i), seed, stream) for i in range(count)])


@given(whole, whole, whole)
def test_hash_agrees_with_plain_integers(seed, number, tick):
    assert int(hash32(seed, number, tick)) == plain_hash(seed, number, tick)
    assert unit(seed, number, tick) == plain_hash(seed, number, tick) / WORD


def test_each_input_bit_flips_half_of_the_output():
    rng = np.random.default_rng(1)
    for place in range(3):
        for bit in range(32):
            flips = 0
            for values in rng.integers(0, WORD, (30, 3)):
                other = values.copy()
                other[place] ^= 1 << bit
                flips += (int(hash32(*values)) ^ int(hash32(*other))).bit_count()
            assert 13 < flips / 30 < 19


def test_order_of_inputs_matters():
    assert len({int(hash32(*v)) for v in [(1, 2, 3), (3, 2, 1), (2, 1, 3), (1, 3, 2), (0, 0, 0)]}) == 5


def test_unit_is_evenly_spread():
    values = np.array([unit(7, 3, tick) for tick in range(4000)])
    assert values.min() >= 0 and values.max() < 1
    counts = np.histogram(values, 20, (0, 1))[0]
    assert ((counts - 200) ** 2 / 200).sum() < 45  # chi square, 19 degrees of freedom: 1 in 1000 is 43.8


@given(st.floats(-1e9, 1e9), st.integers(0, WORD - 1))
def test_noise_stays_in_range_and_repeats_exactly(x, seed):
    value = coherent(x, seed)
    assert 0 <= value <= 1
    assert coherent(x, seed) == value == coherent(x, seed, 0)


@pytest.mark.parametrize("place", [-3.0, 0.0, 1.0, 12345.0])
def test_value_slope_and_curvature_are_continuous_across_a_whole_number(place):
    h = 1e-4
    before, at, after = (coherent(place + k * h, 11) for k in (-1, 0, 1))
    assert abs(before - at) < 1e-10 and abs(after - at) < 1e-10  # flat, and 10 h^3 away from it


@given(st.floats(-1000, 1000), st.floats(0, 1e-3))
def test_noise_moves_no_faster_than_its_steepest_slope(x, step):
    assert abs(coherent(x + step, 4) - coherent(x, 4)) <= 1.875 * step + 1e-9


def test_neighbours_seeds_and_streams_are_unrelated():
    base = lattice(3000)
    for other in (np.roll(base, 1), np.roll(base, 2), lattice(3000, seed=1), lattice(3000, stream=1)):
        assert abs(np.corrcoef(base, other)[0, 1]) < 0.08


def test_noise_has_no_visible_period():
    values = lattice(4096)
    spectrum = np.abs(np.fft.rfft(values - values.mean())) ** 2
    repeats = np.fft.irfft(np.abs(np.fft.rfft(values - values.mean(), 8192)) ** 2)[1:2048]
    assert np.abs(repeats).max() < 0.08 * values.var() * len(values)
    assert spectrum.max() < 20 * spectrum.mean()


def test_far_places_and_negative_ones_are_fine():
    for x in (-0.5, -1e12 - 0.25, 1e12 + 0.25, 2.0**52):
        assert 0 <= coherent(x, 3) <= 1
