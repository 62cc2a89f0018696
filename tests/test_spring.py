"""Laws of the dampers and springs: half-lives, steps that add up, the differential equation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from hoofbeat.maths.spring import critical, damp, decay, decay_critical, stiffness

pytestmark = pytest.mark.kernels

# NumPy scalars, so that the helpers stay in float64 also when they are not compiled.
values = st.floats(-100, 100).map(np.float64)
halflives = st.floats(0.01, 5).map(np.float64)
steps = st.floats(0, 0.5).map(np.float64)


@given(values, halflives)
def test_a_half_life_halves(x, halflife):
    assert decay(x, halflife, halflife) == pytest.approx(x / 2, abs=1e-12)
    assert decay(x, halflife, 3 * halflife) == pytest.approx(x / 8, abs=1e-12)
    assert damp(x, 10.0, halflife, halflife) == pytest.approx((x + 10) / 2, abs=1e-12)
    assert critical(x, 0.0, 10.0, halflife, halflife)[0] == pytest.approx((x + 10) / 2, abs=1e-5)


@given(values, values, values, halflives, steps, steps)
def test_two_steps_equal_one(x, v, target, halflife, first, second):
    both = first + second
    twice = decay(decay(x, halflife, first), halflife, second)
    assert twice == pytest.approx(decay(x, halflife, both), abs=1e-9)
    once = damp(damp(x, target, halflife, first), target, halflife, second)
    assert once == pytest.approx(damp(x, target, halflife, both), abs=1e-9)
    middle, speed = critical(x, v, target, halflife, first)
    halves = critical(middle, speed, target, halflife, second)
    assert halves == pytest.approx(critical(x, v, target, halflife, both), rel=1e-9, abs=1e-7)


@given(values, values, values, halflives)
def test_no_time_changes_nothing_and_long_time_arrives(x, v, target, halflife):
    assert decay(x, halflife, 0.0) == x
    assert damp(x, target, halflife, 0.0) == pytest.approx(x, abs=1e-12)
    assert decay_critical(x, v, halflife, 0.0) == (x, v)
    assert damp(x, target, halflife, 1e4) == pytest.approx(target, abs=1e-9)
    assert critical(x, v, target, halflife, 1e4) == pytest.approx((target, 0.0), abs=1e-9)


@given(values, values, halflives, st.floats(0, 100))
def test_from_rest_it_never_overshoots(x, target, halflife, dt):
    reached, speed = critical(x, 0.0, target, halflife, dt)
    assert min(x, target) - 1e-9 <= reached <= max(x, target) + 1e-9
    assert speed * (target - x) >= -1e-9


@given(values, values, halflives, steps)
def test_the_spring_to_a_target_is_the_decay_of_the_offset(x, v, halflife, dt):
    offset, speed = decay_critical(x - 7.0, v, halflife, dt)
    assert critical(x, v, 7.0, halflife, dt) == pytest.approx((7.0 + offset, speed), abs=1e-9)


@pytest.mark.parametrize(
    ("x", "v", "target", "halflife"), [(1, 0, 0, 0.2), (0, 5, 2, 0.1), (-3, -40, 1, 0.7)]
)
def test_matches_the_integrated_equation(x, v, target, halflife):
    y = stiffness(np.float64(halflife))
    run = solve_ivp(
        lambda _, s: (s[1], -2 * y * s[1] - y * y * (s[0] - target)), (0, 1), (x, v), rtol=1e-10, atol=1e-12
    )
    got = critical(float(x), float(v), float(target), np.float64(halflife), 1.0)
    assert got == pytest.approx(tuple(run.y[:, -1]), rel=1e-6, abs=1e-8)


def test_a_half_life_of_zero_arrives_in_one_step_but_not_before():
    assert decay(5.0, 0.0, 0.001) == pytest.approx(0, abs=1e-12)
    assert critical(5.0, 3.0, 1.0, 0.0, 0.001) == pytest.approx((1.0, 0.0), abs=1e-12)
    assert critical(5.0, 3.0, 1.0, 0.0, 0.0) == (5.0, 3.0)


def test_float32_stays_float32_close_to_float64_and_arrays_pass():
    x, v, h, dt = (np.float32(value) for value in (2.0, -3.0, 0.3, 1 / 60))
    assert critical(x, v, x, h, dt) == pytest.approx(critical(2.0, -3.0, 2.0, 0.3, 1 / 60), rel=1e-5)
    many = np.linspace(-1, 1, 5)
    assert decay(many, 0.3, 0.1) == pytest.approx([decay(one, 0.3, 0.1) for one in many])
    place, speed = critical(many, np.zeros(5), 0.5, 0.3, 0.1)
    assert place == pytest.approx([critical(one, 0.0, 0.5, 0.3, 0.1)[0] for one in many])
    assert speed.shape == (5,)
    assert decay(many.astype(np.float32), h, dt).dtype == np.float32
