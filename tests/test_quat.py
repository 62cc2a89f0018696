"""Laws of the rotation functions, with SciPy's Rotation as oracle."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from hoofbeat.maths import quat, quat_kernels

Array = NDArray[Any]
ORDERS = ["".join(letters) for letters in permutations("xyz")]
#: Angles at which formulas break: nothing, next to nothing, a half turn and its neighbours.
EDGES = [0.0, 1e-300, 1e-12, 1e-8, 9.9e-5, 1.01e-4, 1e-3, 0.5, math.pi / 2]
EDGES += [math.pi - 1e-3, math.pi - 1e-8, math.pi - 1e-12, math.pi]
#: Rounding of a handful of operations [rad].
CLOSE = {np.dtype(np.float64): 2e-14, np.dtype(np.float32): 5e-6}

unit_number = st.floats(-1, 1, allow_nan=False)
directions = st.tuples(unit_number, unit_number, unit_number).filter(lambda v: math.hypot(*v) > 1e-3)
angles = st.one_of(st.sampled_from(EDGES), st.floats(0, math.pi))


@st.composite
def rotations(draw: st.DrawFn) -> Array:
    """Unit quaternions of either sign, with the edges often among them."""
    axis = np.array(draw(directions))
    q = quat.from_axis_angle(axis / np.linalg.norm(axis), draw(angles))
    return q * draw(st.sampled_from([1.0, -1.0]))


vectors = st.tuples(*[st.floats(-10, 10)] * 3).map(np.array)


def same(a: Array, b: Array, within: float = 2e-14) -> None:
    """Assert that two arrays hold the same rotations, whichever sign they are written with."""
    assert a.shape == b.shape and a.dtype == b.dtype
    assert np.abs(np.linalg.norm(a, axis=-1) - 1).max() < within
    assert quat.angle(a, b).max() < within


def random_rotations(count: int = 200, dtype: Any = np.float64) -> Array:
    return quat.normalize(np.random.default_rng(7).normal(size=(count, 4))).astype(dtype)


# Group axioms


@given(rotations(), rotations(), rotations())
def test_group_axioms(a: Array, b: Array, c: Array) -> None:
    same(quat.mul(quat.mul(a, b), c), quat.mul(a, quat.mul(b, c)))
    same(quat.mul(a, quat.identity()), a)
    same(quat.mul(quat.identity(), a), a)
    same(quat.mul(a, quat.inverse(a)), quat.identity())
    same(quat.inverse(quat.mul(a, b)), quat.mul(quat.inverse(b), quat.inverse(a)))


@given(rotations(), rotations(), vectors)
def test_rotate_is_an_action(a: Array, b: Array, v: Array) -> None:
    np.testing.assert_allclose(quat.rotate(quat.mul(a, b), v), quat.rotate(a, quat.rotate(b, v)), atol=1e-13)
    assert math.isclose(np.linalg.norm(quat.rotate(a, v)), np.linalg.norm(v), rel_tol=1e-14, abs_tol=1e-14)
    np.testing.assert_array_equal(quat.rotate(quat.identity(), v), v)


def test_products_agree_with_scipy() -> None:
    a, b = random_rotations(), random_rotations()[::-1]
    v = np.random.default_rng(1).normal(size=(200, 3))
    ra, rb = Rotation.from_quat(a), Rotation.from_quat(b)
    same(quat.mul(a, b), (ra * rb).as_quat())
    np.testing.assert_allclose(quat.rotate(a, v), ra.apply(v), atol=1e-14)
    np.testing.assert_allclose(quat.angle(a, b), (ra.inv() * rb).magnitude(), atol=1e-14)


def test_leading_axes_are_free() -> None:
    q, v = random_rotations(24).reshape(2, 3, 4, 4), np.ones((4, 3))
    assert quat.mul(q, quat.identity()).shape == q.shape
    assert quat.rotate(q, v).shape == (2, 3, 4, 3)
    assert quat.to_matrix(q).shape == (2, 3, 4, 3, 3)
    assert quat.from_axis_angle(np.eye(3)[0], np.zeros((5, 1))).shape == (5, 1, 4)
    for order in ORDERS:
        same(quat.from_euler(quat.to_euler(q, order), order), q)
    same(quat.from_matrix(quat.to_matrix(q)), q)
    assert quat.identity((2, 3)).shape == (2, 3, 4)


# Round trips


@given(rotations())
def test_exp_and_log_are_inverse(q: Array) -> None:
    v = quat.log(q)
    assert np.linalg.norm(v) <= math.pi + 1e-15
    same(quat.exp(v), q)
    np.testing.assert_allclose(v, Rotation.from_quat(quat.canonical(q)).as_rotvec(), rtol=1e-12, atol=2e-15)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("angle", EDGES)
def test_exp_and_log_keep_small_and_large_angles(angle: float, dtype: Any) -> None:
    v = (np.array([0.6, -0.48, 0.64]) * angle).astype(dtype)
    back = quat.log(quat.exp(v))
    assert back.dtype == dtype
    # Relative: a rotation of 1e-12 is not the same as none.
    limit = 1e-14 if dtype == np.float64 else 2e-6
    if angle < math.pi - 1e-4:
        np.testing.assert_allclose(back, v, rtol=limit)
    else:  # pi about an axis and about its opposite are one rotation
        same(quat.exp(back), quat.exp(v), 8 * limit)


def test_zero_rotation_is_exact() -> None:
    assert quat.exp(np.zeros(3)).tolist() == [0, 0, 0, 1]
    assert quat.log([0, 0, 0, 1]).tolist() == [0, 0, 0]
    assert quat.log([0, 0, 0, -1]).tolist() == [0, 0, 0]
    assert quat.log(np.zeros(4)).tolist() == [0, 0, 0]


@given(rotations())
def test_matrices_round_trip(q: Array) -> None:
    m = quat.to_matrix(q)
    np.testing.assert_allclose(m, Rotation.from_quat(q).as_matrix(), atol=1e-15)
    np.testing.assert_allclose(m @ m.T, np.eye(3), atol=1e-15)
    same(quat.from_matrix(m), q, 1e-13)


@pytest.mark.parametrize("axis", np.eye(3).tolist() + [[0.6, 0, 0.8], [0, -0.6, 0.8]])
def test_half_turns(axis: list[float]) -> None:
    q = quat.from_axis_angle(axis, math.pi)
    same(quat.from_matrix(quat.to_matrix(q)), q)
    same(quat.exp(quat.log(q)), q)
    assert math.isclose(quat.angle(q, quat.identity()), math.pi, rel_tol=1e-15)
    same(quat.mul(q, q), quat.identity())


@pytest.mark.parametrize("order", ORDERS)
@given(st.tuples(*[st.floats(-math.pi, math.pi)] * 3).map(np.array))
def test_euler_is_intrinsic_and_round_trips(order: str, euler: Array) -> None:
    q = quat.from_euler(euler, order)
    same(q, Rotation.from_euler(order.upper(), euler).as_quat())
    back = quat.to_euler(q, order)
    assert abs(back[1]) <= math.pi / 2
    same(quat.from_euler(back, order), q)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("short", [0.0, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5, 1e-3])
def test_euler_poles_keep_the_rotation(order: str, dtype: Any, short: float) -> None:
    euler = np.random.default_rng(3).uniform(-math.pi, math.pi, (50, 3))
    for side in (1, -1):
        euler[:, 1] = side * (math.pi / 2 - short)
        q = quat.from_euler(euler.astype(dtype), order)
        back = quat.to_euler(q, order)
        assert back.dtype == dtype
        same(quat.from_euler(back, order), q, CLOSE[q.dtype])
        if short == 0:
            assert not back[:, 2].any()


@pytest.mark.parametrize("order", ["x", "zy", "zxy"])
def test_euler_of_fewer_channels(order: str) -> None:
    euler = np.linspace(-2, 2, 4 * len(order)).reshape(4, -1)
    same(quat.from_euler(euler, order), Rotation.from_euler(order.upper(), euler).as_quat())


# Blending


@given(rotations(), rotations(), st.floats(0, 1))
def test_slerp_has_constant_rate(a: Array, b: Array, t: float) -> None:
    whole = quat.angle(a, b)
    same(quat.slerp(a, b, 0.0), a)
    same(quat.slerp(a, b, 1.0), b)
    assert abs(quat.angle(a, quat.slerp(a, b, t)) - t * whole) < 2e-14
    assert abs(quat.angle(quat.slerp(a, b, t), b) - (1 - t) * whole) < 2e-14


def test_slerp_agrees_with_scipy_and_takes_arrays_of_times() -> None:
    from scipy.spatial.transform import Slerp

    a, b = random_rotations(2)
    times = np.linspace(0, 1, 11)
    oracle = Slerp([0, 1], Rotation.from_quat([a, b]))(times).as_quat()
    same(quat.slerp(a, b, times), oracle)
    same(quat.slerp(a, -b, times), oracle)


@given(directions, directions, st.floats(1e-150, 1e150), st.floats(1e-150, 1e150))
def test_between_turns_one_direction_to_the_other(
    a: tuple[float, ...], b: tuple[float, ...], long: float, wide: float
) -> None:
    u, v = np.array(a) / np.linalg.norm(a), np.array(b) / np.linalg.norm(b)
    q = quat.between(u * long, v * wide)
    np.testing.assert_allclose(quat.rotate(q, u), v, atol=4e-8)
    assert abs(quat.angle(q, quat.identity()) - math.acos(np.clip(u @ v, -1, 1))) < 4e-8


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("short", [1e-1, 1e-2, 1e-3, 3e-4, 1e-5, 1e-7, 1e-9, 0.0])
def test_between_nearly_opposite_vectors(short: float, dtype: Any) -> None:
    a = np.array([1, 0, 0], dtype)
    b = np.array([-math.cos(short), 0.6 * math.sin(short), 0.8 * math.sin(short)]).astype(dtype)
    q = quat.between(a, b)
    assert q.dtype == dtype
    # Best possible is the root of the precision: below it the axis cannot be told.
    np.testing.assert_allclose(quat.rotate(q, a), b, atol=4e-8 if dtype == np.float64 else 1e-3)
    if short > 1e-6 and dtype == np.float64:
        np.testing.assert_allclose(quat.rotate(q, a), b, atol=1e-10)


def test_between_opposite_same_and_zero_vectors() -> None:
    vectors = np.concatenate([np.eye(3), -np.eye(3), np.random.default_rng(5).normal(size=(20, 3))])
    opposite = quat.between(vectors, -2 * vectors)
    np.testing.assert_allclose(quat.rotate(opposite, vectors), -vectors, atol=1e-14)
    np.testing.assert_allclose(opposite[:, 3], 0, atol=1e-15)
    same(quat.between(vectors, 3 * vectors), quat.identity((len(vectors),)))
    zero = np.zeros(3)
    for a, b in ((zero, vectors[0]), (vectors[0], zero), (zero, zero)):
        assert quat.between(a, b).tolist() == [0, 0, 0, 1]


# Signs and lengths


@given(st.lists(rotations(), min_size=1, max_size=12))
def test_continuous_keeps_neighbours_together(sequence: list[Array]) -> None:
    q = np.array(sequence)
    smooth = quat.continuous(q)
    assert (np.sum(smooth[1:] * smooth[:-1], axis=-1) >= 0).all()
    np.testing.assert_array_equal(np.abs(smooth), np.abs(q))
    same(smooth, q)
    np.testing.assert_array_equal(smooth[0], q[0])
    np.testing.assert_array_equal(quat.continuous(smooth), smooth)


def test_continuous_treats_joints_separately_and_leaves_its_input() -> None:
    q = np.repeat(random_rotations(3)[None], 5, axis=0) * np.array([1, -1, -1, 1, -1])[:, None, None]
    q[:, 1] = q[0, 1]
    before = q.copy()
    np.testing.assert_array_equal(quat.continuous(q), np.repeat(q[:1], 5, axis=0))
    np.testing.assert_array_equal(q, before)


@given(rotations())
def test_canonical(q: Array) -> None:
    same(quat.canonical(q), q)
    assert quat.canonical(q)[3] >= 0
    if q[3] != 0:
        np.testing.assert_array_equal(quat.canonical(-q), quat.canonical(q))


@given(rotations(), st.floats(1e-300, 1e300))
def test_normalize_takes_any_length(q: Array, length: float) -> None:
    same(quat.normalize(q * length), q, 1e-7 if length < 1e-290 else 2e-14)


def test_normalize_zero() -> None:
    assert quat.normalize(np.zeros((2, 4))).tolist() == [[0, 0, 0, 1]] * 2


# Types


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_dtype_is_kept(dtype: Any) -> None:
    q, v = random_rotations(5, dtype), np.ones((5, 3), dtype)
    results = {
        "identity": quat.identity((5,), dtype),
        "mul": quat.mul(q, q),
        "inverse": quat.inverse(q),
        "rotate": quat.rotate(q, v),
        "normalize": quat.normalize(q),
        "canonical": quat.canonical(q),
        "continuous": quat.continuous(q),
        "from_axis_angle": quat.from_axis_angle(v, 0.5),
        "exp": quat.exp(v),
        "log": quat.log(q),
        "angle": quat.angle(q, q),
        "slerp": quat.slerp(q, q, 0.25),
        "slerp of times": quat.slerp(q, q, np.ones(5, dtype)),
        "between": quat.between(v, -v),
        "from_euler": quat.from_euler(v, "zxy"),
        "to_euler": quat.to_euler(q, "zxy"),
        "to_matrix": quat.to_matrix(q),
        "from_matrix": quat.from_matrix(quat.to_matrix(q)),
    }
    assert {name: r.dtype for name, r in results.items() if r.dtype != dtype} == {}


def test_whole_numbers_become_float64() -> None:
    assert quat.mul([0, 0, 0, 1], [1, 0, 0, 0]).dtype == np.float64
    assert quat.from_axis_angle([0, 1, 0], 1).dtype == np.float64
    assert quat.rotate([0, 0, 0, 1], [1, 2, 3]).tolist() == [1, 2, 3]


# The scalar twins


def run_twin(name: str, *arguments: Array) -> Array:
    """Call a scalar helper row by row, as an inner loop would."""
    twin: Any = getattr(quat_kernels, name)
    rows = zip(*arguments, strict=True)
    found = [twin(*(tuple(value) if np.ndim(value) else value for value in row)) for row in rows]
    return np.array(found, arguments[0].dtype)


@pytest.mark.kernels
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scalar_twins_agree_with_the_array_functions(dtype: Any) -> None:
    a, b = random_rotations(40, dtype), random_rotations(40, dtype)[::-1]
    rng = np.random.default_rng(9)
    v, w = rng.normal(size=(40, 3)).astype(dtype), rng.normal(size=(40, 3)).astype(dtype)
    turn = rng.uniform(-7, 7, 40).astype(dtype)
    axis = v / np.linalg.norm(v, axis=-1, keepdims=True)
    limit = 2e-6 if dtype == np.float32 else 1e-14
    for name, arguments, oracle in (
        ("mul", (a, b), quat.mul(a, b)),
        ("rotate", (a, v), quat.rotate(a, v)),
        ("normalize", (a * dtype(3),), a),
        ("about", (axis, turn), quat.from_axis_angle(axis, turn)),
        ("between", (v, w), quat.between(v, w)),
    ):
        np.testing.assert_allclose(run_twin(name, *arguments), oracle, atol=limit, err_msg=name)


@pytest.mark.kernels
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nlerp_ends_and_middle(dtype: Any) -> None:
    a, b = random_rotations(30, dtype), random_rotations(30, dtype)[::-1]
    limit = 2e-6 if dtype == np.float32 else 1e-13

    def at(t: float) -> Array:
        return run_twin("nlerp", a, b, np.full(30, t, dtype))

    same(at(0), a, limit)
    same(at(1), b, limit)
    # Half way the linear blend and the constant-rate one meet, along the shorter way.
    same(at(0.5), quat.slerp(a, b, 0.5), 5 * limit)
    np.testing.assert_allclose(np.linalg.norm(at(0.3), axis=-1), 1, atol=limit)


@pytest.mark.kernels
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scalar_between_at_its_edges(dtype: Any) -> None:
    v = np.concatenate([np.eye(3), -np.eye(3), [[0.6, 0, 0.8], [0.1, 0.9, -0.3]]]).astype(dtype)
    limit = 2e-6 if dtype == np.float32 else 1e-14
    half = run_twin("between", v, -v)
    np.testing.assert_allclose(quat.rotate(half, v), -v, atol=limit)
    still = quat.identity((len(v),), dtype)
    for a, b in ((v, np.zeros_like(v)), (np.zeros_like(v), v), (np.zeros_like(v),) * 2, (v, v * dtype(2))):
        np.testing.assert_allclose(run_twin("between", a, b), still, atol=limit)
    # Directions only: a bone of a millimetre turns like one of a metre.
    small = run_twin("between", v * dtype(1e-4), v[::-1] * dtype(1e-3))
    np.testing.assert_allclose(small, run_twin("between", v, v[::-1]), atol=limit)


@pytest.mark.kernels
def test_scalar_normalize_of_zero() -> None:
    assert tuple(quat_kernels.normalize((0.0, 0.0, 0.0, 0.0))) == (0, 0, 0, 1)


@pytest.mark.kernels
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_facing_gives_back_the_rotation_of_its_axes(dtype: Any) -> None:
    q = random_rotations(60, dtype)
    ahead, up = quat.rotate(q, np.array([0, 0, 1], dtype)), quat.rotate(q, np.array([0, 1, 0], dtype))
    limit = 5e-6 if dtype == np.float32 else 1e-13
    same(run_twin("facing", ahead, up), q, limit)
    # Neither unit length nor squareness is needed: what up has along ahead does not count.
    same(run_twin("facing", ahead * dtype(3), up * dtype(0.2) + ahead * dtype(0.5)), q, 5 * limit)


@pytest.mark.kernels
def test_facing_without_a_direction_is_still_a_rotation_that_faces_ahead() -> None:
    z = np.array([[0, 0, 0], [0, 0, 2], [0, 3, 0], [1, 0, 0], [0.1, 0, -1]], np.float32)
    for up in (np.zeros_like(z), z):
        q = run_twin("facing", z, up)
        np.testing.assert_allclose(np.linalg.norm(q, axis=-1), 1, atol=1e-6)
        wanted = np.where(np.any(z, axis=1, keepdims=True), z, np.array([0, 0, 1], np.float32))
        wanted = wanted / np.linalg.norm(wanted, axis=-1, keepdims=True)
        np.testing.assert_allclose(quat.rotate(q, np.array([0, 0, 1], np.float32)), wanted, atol=1e-6)


@pytest.mark.kernels
@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_a_part_of_a_turn_done_so_often_is_the_whole(count: int) -> None:
    q = np.concatenate([random_rotations(40, np.float64), quat.identity((1,))])
    part = run_twin("part_turn", q, np.full(len(q), 1 / count))
    whole = quat.identity((len(q),))
    for _ in range(count):
        whole = quat.mul(whole, part)
    same(whole, q, 1e-12)
