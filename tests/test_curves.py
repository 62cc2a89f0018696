"""Laws of the shaping curves, of periodic tables and of the filters round a cycle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoofbeat.maths import curves
from hoofbeat.maths.curves import bias, circular_min, gain, low_pass, quintic, sample_cubic, sample_linear

pytestmark = pytest.mark.kernels

# NumPy scalars, so that the kernels stay in float64 also when they are not compiled.
fractions = st.floats(0, 1).map(np.float64)
inner = st.floats(0.01, 0.99).map(np.float64)
tables = st.lists(st.floats(-10, 10), min_size=1, max_size=12).map(np.array)
turns = st.floats(-20, 20).map(np.float64)


@given(fractions, inner)
def test_bias_fixes_the_ends_and_carries_one_half_to_its_parameter(t, b):
    assert (bias(0.0, b), bias(1.0, b)) == (0, 1)
    assert bias(0.5, b) == pytest.approx(b, abs=1e-12)
    assert bias(t, 0.5) == t
    assert 0 <= bias(t, b) <= 1
    assert bias(t, b) == pytest.approx(t ** (np.log(b) / np.log(0.5)), abs=1e-12)


@given(fractions, inner)
def test_gain_is_symmetric_about_its_middle(t, g):
    rest = 1 - t
    assert gain(1 - rest, g) + gain(rest, g) == pytest.approx(1, abs=1e-12)  # 1 - rest is exact
    assert (gain(0.0, g), gain(0.5, g), gain(1.0, g)) == (0, 0.5, 1)
    assert gain(t, 0.5) == pytest.approx(t, abs=1e-15)
    assert gain(0.25, g) == pytest.approx((1 - g) / 2, abs=1e-12)


@given(fractions, fractions, inner)
def test_shapes_rise(a, b, parameter):
    low, high = sorted((a, b))
    for shape in (lambda t: bias(t, parameter), lambda t: gain(t, parameter), quintic):
        assert shape(low) <= shape(high) + 1e-12


@given(st.floats(-1e3, 1e3), st.floats(-10, 10))
def test_extreme_arguments_are_held_and_never_nan(t, parameter):
    assert bias(t, parameter) >= 0
    assert 0 <= gain(t, parameter) <= 1
    assert 0 <= quintic(t) <= 1


def test_quintic_has_flat_curved_free_ends():
    h = 1e-4
    assert quintic(h) < 2e-11 and 1 - quintic(1 - h) < 2e-11  # 10 h^3: no slope, no curvature
    assert quintic(0.5) == 0.5


def test_shapes_take_arrays_and_keep_float32():
    t = np.linspace(-0.5, 1.5, 21)
    for shape in (quintic, curves.wrap, curves.smoothstep):
        assert shape(t) == pytest.approx([shape(one) for one in t])
    for shape in (quintic, curves.wrap):
        assert shape(t.astype(np.float32)).dtype == np.float32


@given(turns)
def test_wrap(x):
    assert 0 <= curves.wrap(x) < 1
    assert curves.wrap(np.float32(-1e-12)) == 0
    assert abs((curves.wrap(x) - x) - round(curves.wrap(x) - x)) < 1e-9


@given(tables)
def test_tables_pass_through_their_rows(table):
    n = len(table)
    for i in range(-n, 2 * n):
        assert sample_linear(table, i / n) == pytest.approx(table[i % n], abs=1e-9)
        assert sample_cubic(table, i / n) == pytest.approx(table[i % n], abs=1e-9)


@given(tables, turns)
def test_tables_are_periodic_and_kernels_agree_with_arrays(table, phase):
    for sample, at in ((sample_linear, curves.linear_at), (sample_cubic, curves.cubic_at)):
        assert at(table, phase) == pytest.approx(float(sample(table, phase)), abs=1e-9)
        assert sample(table, phase + 1) == pytest.approx(float(sample(table, phase)), abs=1e-6)


@given(st.integers(1, 40), turns)
def test_weights_sum_to_one_and_rows_exist(n, phase):
    for value in (phase, np.float32(phase)):
        i, j, u, v = curves.linear_weights(n, value)
        assert u + v == pytest.approx(1) and 0 <= i < n and 0 <= j < n
        found = curves.cubic_weights(n, value)
        assert sum(found[4:]) == pytest.approx(1, abs=1e-6) and all(0 <= k < n for k in found[:4])


def test_cubic_has_a_continuous_slope_and_follows_a_sine():
    table = np.sin(2 * np.pi * np.arange(32) / 32)
    phase = np.linspace(0, 1, 1001)
    assert np.abs(sample_cubic(table, phase) - np.sin(2 * np.pi * phase)).max() < 1e-3
    h, knot = 1e-6, 5 / 32
    left = (sample_cubic(table, knot) - sample_cubic(table, knot - h)) / h
    right = (sample_cubic(table, knot + h) - sample_cubic(table, knot)) / h
    assert left == pytest.approx(right, abs=1e-2)
    assert left == pytest.approx((table[6] - table[4]) * 16, abs=1e-2)


def test_rows_may_have_channels():
    table = np.random.default_rng(0).normal(size=(10, 3, 4))
    phase = np.array([[0.1, 0.93], [0.5, -0.2]])
    for sample in (sample_linear, sample_cubic):
        got = sample(table, phase)
        assert got.shape == (2, 2, 3, 4)
        assert got[0, 1, 2, 3] == pytest.approx(sample(table[:, 2, 3], 0.93))


@given(tables, st.floats(0, 2), st.integers(-5, 5))
def test_filters_do_not_care_where_the_cycle_starts(table, width, shift):
    for act in (low_pass, circular_min):
        assert act(np.roll(table, shift), width) == pytest.approx(np.roll(act(table, width), shift), abs=1e-9)


@given(tables, st.floats(0, 2))
def test_low_pass_keeps_the_mean_and_calms(table, width):
    smooth = low_pass(table, width)
    assert smooth.mean() == pytest.approx(table.mean(), abs=1e-9)
    assert smooth.var() <= table.var() + 1e-9
    assert low_pass(table, 0) == pytest.approx(table, abs=1e-9)


def test_low_pass_spreads_a_spike_into_a_bell_of_the_given_width():
    spike = np.zeros(1000)
    spike[500] = 1
    bell = low_pass(spike, 0.1)
    assert np.count_nonzero(bell > bell.max() / 2) == pytest.approx(100, abs=2)
    assert bell.min() > -1e-12  # no ringing


@given(tables, st.floats(0, 2))
def test_circular_min_is_the_least_neighbour(table, width):
    n = len(table)
    reach = int(width * n / 2 + 1e-9)
    expected = [min(table[(i + k) % n] for k in range(-min(reach, n), min(reach, n) + 1)) for i in range(n)]
    assert circular_min(table, width).tolist() == expected


@pytest.mark.parametrize("width", [-0.1, np.nan, np.inf])
def test_filters_refuse_a_senseless_width(width):
    for act in (low_pass, circular_min):
        with pytest.raises(ValueError, match="width"):
            act([1.0, 2.0], width)
