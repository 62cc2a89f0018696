"""Cyclic coordinate descent: it arrives where it can, keeps bones and limits, and tells what it misses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hoofbeat.maths import quat
from hoofbeat.maths.ccd import Chain, reach_by_turns
from hoofbeat.maths.fk import Pose, Tree, forward

pytestmark = pytest.mark.kernels

Floats = NDArray[Any]
JOINTS = 6
#: A chain of bones along z and a little up, the base at the origin; its first node hangs from nothing.
OFFSETS = np.array([[0, 0, 0], *[[0, 0.02 * (-1) ** n, 0.2] for n in range(JOINTS - 1)]], np.float32)
PARENTS = np.arange(-1, JOINTS - 1)
FREE = np.tile(np.array([1.0, 4.0], np.float32), (JOINTS, 1))


def posed(seed: int, size: float = 0.4) -> NDArray[np.float32]:
    """Rotations (J, 4) of a chain that is bent here and there."""
    dice = np.random.default_rng(seed)
    return quat.exp(dice.uniform(-size, size, (JOINTS, 3))).astype(np.float32)


def solve(
    rotations: Floats, target: Floats, limits: Floats = FREE, rounds: int = 60, count: int = JOINTS
) -> tuple[float, NDArray[np.float32], Floats]:
    """The miss that is told, the rotations found, and the positions written."""
    found, positions = rotations.copy(), np.zeros((JOINTS, 3), np.float32)
    turns = np.zeros((JOINTS, 4), np.float32)
    goal = np.asarray(target, np.float32)
    nodes = np.arange(JOINTS, dtype=np.int32)
    line = Chain(nodes, count, limits, rotations)
    miss = reach_by_turns(line, Tree(PARENTS, OFFSETS), found, Pose(positions, turns), goal, rounds)
    return float(miss), found, positions


def place(rotations: Floats) -> Floats:
    return forward(PARENTS, OFFSETS.astype(float), rotations[None].astype(float), np.zeros((1, 3)))[0][0]


seeds = st.integers(0, 10_000)


@settings(max_examples=40, deadline=None)
@given(seeds, seeds)
def test_what_can_be_reached_is_reached(start: int, goal: int) -> None:
    """A target that some bent pose of the chain has is met from any other; a straight one takes for ever."""
    target = place(posed(goal, 0.9))[-1]
    miss, found, positions = solve(posed(start), target, rounds=300)
    assert miss < 2e-3
    assert np.allclose(place(found)[-1], target, atol=2e-3)
    assert np.allclose(place(found), positions, atol=1e-5), "the positions are not those of the rotations"


@settings(max_examples=40, deadline=None)
@given(seeds, st.floats(-3, 3), st.floats(-3, 3), st.floats(-3, 3), st.integers(0, 5))
def test_bones_keep_their_length_and_the_miss_is_true(
    start: int, x: float, y: float, z: float, rounds: int
) -> None:
    miss, found, positions = solve(posed(start), np.array([x, y, z]), rounds=rounds)
    bones = np.linalg.norm(np.diff(positions, axis=0), axis=1)
    assert bones == pytest.approx(np.linalg.norm(OFFSETS[1:], axis=1), abs=1e-5)
    assert np.linalg.norm(found, axis=1) == pytest.approx(1, abs=1e-5)
    assert miss == pytest.approx(np.linalg.norm(positions[-1] - [x, y, z]), abs=1e-5)
    if rounds == 0:
        assert np.array_equal(found, posed(start))


@settings(max_examples=40, deadline=None)
@given(seeds, st.floats(0.0, 0.3), st.floats(-1, 1), st.floats(-1, 1))
def test_limits_and_weights_hold(start: int, most: float, y: float, z: float) -> None:
    limits = FREE.copy()
    limits[:, 1] = most
    limits[2, 0] = 0.0
    begin = posed(start)
    _, found, _ = solve(begin, np.array([0.0, y, z]), limits)
    turned = quat.angle(found.astype(float), begin.astype(float))
    assert turned.max() <= most + 2e-3
    assert turned[2] < 1e-3, "a joint of weight 0 turned"
    assert np.array_equal(found[-1], begin[-1]), "the end of the chain turned"


def test_more_rounds_come_nearer_and_a_far_target_is_reported() -> None:
    target = np.array([0.5, 0.4, 0.3])
    misses = [solve(posed(3), target, rounds=n)[0] for n in (0, 1, 3, 60)]
    assert misses == sorted(misses, reverse=True) and misses[-1] < 1e-3
    length = np.linalg.norm(OFFSETS[1:], axis=1).sum()
    far = solve(posed(3), np.array([0.0, 3.0, 0.0]), rounds=200)[0]
    assert far == pytest.approx(3.0 - length, abs=0.01)


def test_a_part_of_the_chain_leaves_the_rest() -> None:
    begin = posed(5)
    _, found, positions = solve(begin, np.array([0.1, 0.2, 0.3]), count=4)
    assert np.array_equal(found[3:], begin[3:])
    assert np.allclose(positions[4:], 0)
