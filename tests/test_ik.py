"""Limb solvers: what they set, forward kinematics confirms; limits and coupling are kept; misses are told."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hoofbeat.body.legs.anatomy import leg_table
from hoofbeat.formats.scenefile import read_scene
from hoofbeat.maths import quat
from hoofbeat.maths.fk import Pose, Tree, forward
from hoofbeat.maths.ik import aim_leg, fold_leg, posed_end, shift_leg, two_bone_angle
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_kernels import twist_angle
from hoofbeat.world.placement import softened

pytestmark = pytest.mark.kernels

angles = st.floats(-1.2, 1.2)
F = np.float32


@cache
def legs() -> NDArray[Any]:
    return leg_table(read_scene().skeleton)


@kernel
def bone_angle(upper: float, lower: float, distance: float) -> Any:
    return two_bone_angle(upper, lower, distance)


@kernel
def twist_about(q: Any, axis: Any) -> Any:
    return twist_angle((q[0], q[1], q[2], q[3]), (axis[0], axis[1], axis[2]))


@kernel
def eased(distance: Any, reach: Any) -> Any:
    return softened(distance, reach, F(0.0))


def end_of(leg: Any, rotations: NDArray[np.float32]) -> NDArray[np.float64]:
    """Where the leg's end is from its top joint, in the space of the top joint's parent."""
    turn = lambda j, v: quat.rotate(rotations[j].astype(float), np.asarray(v, float))  # noqa: E731
    shin = leg["to_low"] + turn(leg["low"], leg["to_end"])
    return turn(leg["top"], leg["to_mid"] + turn(leg["mid"], shin))


def pose(rng: np.random.Generator, spread: float = 0.3) -> NDArray[np.float32]:
    return quat.exp(rng.normal(size=(55, 3)) * [spread, 0.05, 0.05]).astype(np.float32)


@given(st.floats(0.05, 2), st.floats(0.05, 2), st.floats(0, 5))
def test_two_bones_span_the_distance_or_say_how_much_is_missing(
    upper: float, lower: float, far: float
) -> None:
    angle, miss = bone_angle(*map(np.float64, (upper, lower, far)))
    spanned = np.sqrt(max(upper**2 + lower**2 - 2 * upper * lower * np.cos(angle), 0))
    # Near a straight or closed limb the angle's cosine is flat: the error there is a square root.
    assert spanned + miss == pytest.approx(far, abs=1e-5)
    assert (miss > 1e-9) == (far > upper + lower + 1e-9)
    assert (miss < -1e-9) == (far < abs(upper - lower) - 1e-9)


@given(st.integers(0, 3), st.floats(0.6, 0.97), st.floats(0, 1), st.integers(0, 10_000))
def test_fold_then_forward_kinematics_lands_on_the_target(
    k: int, part: float, strut: float, seed: int
) -> None:
    leg, rng = legs()[k], np.random.default_rng(seed)
    rotations = pose(rng)
    target = rng.normal(size=3) * 0.3 + [0, -1, 0]
    target *= part * float(leg["reach"]) / np.linalg.norm(target)
    end, miss = fold_leg(leg, rotations, F(strut), F(np.linalg.norm(target)))
    aim_leg(leg, rotations, values(end), values(target))
    got = end_of(leg, rotations)
    assert np.linalg.norm(got - target) == pytest.approx(abs(miss), abs=3e-5)
    # The direction is met even where the length is not.
    assert np.dot(got, target) == pytest.approx(np.linalg.norm(got) * np.linalg.norm(target), rel=1e-5)
    assert np.abs(np.linalg.norm(rotations, axis=1) - 1).max() < 1e-5


@given(st.integers(0, 3), st.floats(0.3, 1.4), st.integers(0, 10_000))
def test_joint_limits_hold_whatever_is_asked(k: int, part: float, seed: int) -> None:
    leg = legs()[k]
    rotations = np.zeros((55, 4), np.float32)
    rotations[:, 3] = 1
    bends = np.random.default_rng(seed).uniform(-0.1, 0.8, 2)
    for joint, bend, sign in (
        (leg["mid"], bends[0], leg["bend_mid"]),
        (leg["low"], bends[1], leg["bend_low"]),
    ):
        rotations[joint] = quat.from_axis_angle([1.0, 0, 0], bend * float(sign))
    fold_leg(leg, rotations, F(0), F(part * leg["reach"]))
    axis = np.array([1, 0, 0], np.float32)
    for joint, sign, bounds in (
        (leg["mid"], leg["bend_mid"], leg["mid_range"]),
        (leg["low"], leg["bend_low"], leg["low_range"]),
    ):
        bend = float(sign) * twist_about(rotations[joint], axis)
        assert bounds[0] - 1e-3 <= bend <= bounds[1] + 1e-3


@pytest.mark.parametrize("k", [2, 3])
def test_stifle_and_hock_bend_together(k: int) -> None:
    """Reciprocal apparatus: from rest, each radian of stifle comes with one of hock, the other way round."""
    leg = legs()[k]
    axis = np.array([1, 0, 0], np.float32)
    for part in (0.95, 0.9, 0.8, 0.7):
        rotations = np.zeros((55, 4), np.float32)
        rotations[:, 3] = 1
        *_, miss = fold_leg(leg, rotations, F(1), F(part * leg["reach"]))
        stifle, hock = twist_about(rotations[leg["mid"]], axis), twist_about(rotations[leg["low"]], axis)
        assert abs(miss) < 1e-5
        assert stifle > 0.05
        assert hock == pytest.approx(-stifle, abs=1e-4)


@pytest.mark.parametrize("k", [0, 1])
def test_a_loaded_foreleg_keeps_its_carpus_straight(k: int) -> None:
    leg = legs()[k]
    rotations = np.zeros((55, 4), np.float32)
    rotations[:, 3] = 1
    rotations[leg["low"]] = quat.from_axis_angle([1.0, 0, 0], 0.8)
    fold_leg(leg, rotations, F(1), F(0.9 * leg["reach"]))
    assert abs(twist_about(rotations[leg["low"]], np.array([1, 0, 0], np.float32))) < 1e-4


def test_a_pose_that_is_already_right_is_left_alone() -> None:
    rng = np.random.default_rng(4)
    for k in range(4):
        leg = legs()[k]
        rotations = np.zeros((55, 4), np.float32)
        rotations[:, 3] = 1
        for joint in (leg["mid"], leg["low"]):
            bend = rng.uniform(0.1, 0.5) * (leg["bend_mid"] if joint == leg["mid"] else leg["bend_low"])
            rotations[joint] = quat.from_axis_angle([1.0, 0, 0], float(bend))
        before = rotations.copy()
        end = end_of(leg, rotations)
        found, miss = fold_leg(leg, rotations, F(0), F(np.linalg.norm(end)))
        aim_leg(leg, rotations, values(found), values(end))
        assert abs(miss) < 1e-5
        assert np.abs(rotations - before).max() < 1e-3


def test_out_of_reach_is_reported_and_the_leg_is_straight() -> None:
    for leg in legs():
        rotations = np.zeros((55, 4), np.float32)
        rotations[:, 3] = 1
        *_, miss = fold_leg(leg, rotations, F(1), F(leg["reach"] + 0.2))
        assert miss == pytest.approx(0.2, abs=0.002)


@given(angles)
def test_twist_is_the_angle_about_the_axis(angle: float) -> None:
    q = quat.from_axis_angle([1.0, 0, 0], angle)
    assert twist_about(q, np.array([1.0, 0, 0])) == pytest.approx(angle, abs=1e-9)
    assert twist_about(-q, np.array([1.0, 0, 0])) == pytest.approx(angle, abs=1e-9)


@given(st.floats(0, 3))
def test_easing_never_exceeds_the_reach_and_never_turns_back(distance: float) -> None:
    reach = F(0.85)
    near, far = eased(F(distance), reach), eased(F(distance + 0.01), reach)
    assert near <= reach + 1e-6
    assert far >= near
    if distance < 0.9 * 0.85:
        assert near == pytest.approx(distance, abs=1e-6)


def values(vector: Any) -> Any:
    """Three numbers as kernels take a vector."""
    return F(vector[0]), F(vector[1]), F(vector[2])


def tree(skeleton: Any) -> Tree:
    """A skeleton as kernels take it."""
    return Tree(skeleton.parents, skeleton.offsets.astype(F))


def posed(seed: int) -> tuple[Any, NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Skeleton, local rotations, positions and rotations in character space of a bent pose."""
    skeleton = read_scene().skeleton
    rotations = pose(np.random.default_rng(seed))
    return skeleton, rotations, *placed(skeleton, rotations)


def placed(skeleton: Any, rotations: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Positions and rotations in character space of local rotations."""
    root = np.array([[0, 1.2, 0]], F)
    places, turns = forward(skeleton.parents, skeleton.offsets.astype(F), rotations[None], root)
    return places[0], turns[0]


@example(0, 1, (0.0, 0.0, 0.0))
@example(2, 3, (0.0, 0.0, 0.0))
@given(st.integers(0, 3), st.integers(0, 50), st.tuples(*[st.floats(-0.06, 0.06)] * 3))
def test_a_shifted_leg_ends_where_it_is_wanted_with_its_hoof_as_it_was(
    k: int, seed: int, off: tuple[float, float, float]
) -> None:
    skeleton, rotations, places, turns = posed(seed)
    leg = legs()[k]
    target = places[leg["toe"]] + np.array(off, F)
    hoof, end = posed_end(leg, Pose(places, turns), values(target), F(0.0))
    before = rotations.copy()
    miss = shift_leg(leg, tree(skeleton), rotations, Pose(places, turns), hoof, end)
    after, wide = placed(skeleton, rotations)
    far = np.linalg.norm(after[leg["toe"]] - target)
    assert far == pytest.approx(abs(miss), abs=1e-3)
    assert quat.angle(wide[leg["pastern"]], turns[leg["pastern"]]) < 2e-3
    thigh, shin = places[leg["mid"]] - places[leg["top"]], places[leg["pastern"]] - places[leg["mid"]]
    if not any(off) and np.cross(thigh, shin)[0] * leg["bend_mid"] > 0:
        # A leg that bends the way it should, and whose end is already there, is left as it is.
        assert quat.angle(rotations, before).max() < 2e-3


@given(st.integers(0, 3), st.integers(0, 10_000), st.floats(0.01, 0.2))
def test_a_leg_that_was_stretched_straight_bends_to_where_it_is_wanted(k: int, seed: int, up: float) -> None:
    """Straight to the last bit, its plane is rounding's own: bent about that, the foot ends elsewhere."""
    skeleton, rotations, places, turns = posed(seed)
    leg = legs()[k]
    away = F(2.0) * places[leg["toe"]] - places[leg["top"]]
    hoof, end = posed_end(leg, Pose(places, turns), values(away), F(0.0))
    assert shift_leg(leg, tree(skeleton), rotations, Pose(places, turns), hoof, end) > 0
    places, turns = placed(skeleton, rotations)
    target = places[leg["toe"]] + F(up) * (places[leg["top"]] - places[leg["pastern"]])
    hoof, end = posed_end(leg, Pose(places, turns), values(target), F(0.0))
    miss = shift_leg(leg, tree(skeleton), rotations, Pose(places, turns), hoof, end)
    after, _ = placed(skeleton, rotations)
    assert np.linalg.norm(after[leg["toe"]] - target) == pytest.approx(abs(miss), abs=5e-4)
