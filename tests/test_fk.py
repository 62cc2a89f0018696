"""Forward kinematics against matrices and SciPy, on random trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from hoofbeat.body.pose import local_of, positions_of, world_of
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.maths import fk, quat

pytestmark = pytest.mark.kernels

Array = NDArray[Any]
LIMIT = {np.float64: 1e-12, np.float32: 2e-5}


def random_tree(rng: np.random.Generator, joints: int) -> Skeleton:
    """A tree whose every joint hangs on some earlier one; offsets of about a metre."""
    parents = [-1, *(int(rng.integers(0, j)) for j in range(1, joints))]
    return Skeleton([f"j{j}" for j in range(joints)], parents, rng.normal(size=(joints, 3)))


def random_pose(rng: np.random.Generator, frames: int, joints: int) -> tuple[Array, Array]:
    return quat.normalize(rng.normal(size=(frames, joints, 4))), rng.normal(size=(frames, 3))


def by_matrices(skeleton: Skeleton, rotations: Array, origins: Array) -> Array:
    """World transforms (T, J, 4, 4) as a plain product of 4x4 matrices up the tree."""
    frames, joints = rotations.shape[:2]
    local = np.tile(np.eye(4), (frames, joints, 1, 1))
    local[..., :3, :3] = (
        Rotation.from_quat(rotations.reshape(-1, 4)).as_matrix().reshape(frames, joints, 3, 3)
    )
    local[..., :3, 3] = skeleton.offsets
    local[:, 0, :3, 3] = origins
    world = local.copy()
    for j in range(1, joints):
        world[:, j] = world[:, skeleton.parents[j]] @ local[:, j]
    return world


seeds = st.integers(0, 2**31)
sizes = st.integers(1, 30)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@given(seeds, sizes, st.integers(1, 4))
def test_agrees_with_matrices_and_scipy(dtype: Any, seed: int, joints: int, frames: int) -> None:
    rng = np.random.default_rng(seed)
    skeleton = random_tree(rng, joints)
    rotations, origins = random_pose(rng, frames, joints)
    positions, world = world_of(skeleton, rotations.astype(dtype), origins.astype(dtype))
    assert positions.shape == (frames, joints, 3) and world.shape == (frames, joints, 4)
    assert positions.dtype == world.dtype == dtype
    oracle = by_matrices(skeleton, rotations, origins)
    np.testing.assert_allclose(positions, oracle[..., :3, 3], atol=LIMIT[dtype])
    np.testing.assert_allclose(quat.to_matrix(world), oracle[..., :3, :3], atol=LIMIT[dtype])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@given(seeds, sizes)
def test_local_of_is_the_inverse(dtype: Any, seed: int, joints: int) -> None:
    rng = np.random.default_rng(seed)
    skeleton = random_tree(rng, joints)
    rotations, origins = random_pose(rng, 3, joints)
    back = local_of(skeleton, world_of(skeleton, rotations.astype(dtype), origins)[1])
    assert back.dtype == dtype
    assert quat.angle(back, rotations.astype(dtype)).max() < LIMIT[dtype]


@given(seeds, sizes)
def test_bones_keep_their_length(seed: int, joints: int) -> None:
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, joints)
    units = tree.offsets / np.linalg.norm(tree.offsets, axis=1, keepdims=True)
    skeleton = Skeleton(tree.names, tree.parents, units)
    positions = positions_of(skeleton, *random_pose(rng, 4, joints))
    bones = positions[:, 1:] - positions[:, skeleton.parents[1:]]
    np.testing.assert_allclose(np.linalg.norm(bones, axis=-1), 1, atol=1e-13)


def test_turning_the_root_turns_everything_about_it() -> None:
    rng = np.random.default_rng(4)
    skeleton = random_tree(rng, 12)
    rotations, origins = random_pose(rng, 5, 12)
    turn = quat.from_axis_angle([0, 1, 0], 0.7)
    turned = rotations.copy()
    turned[:, 0] = quat.mul(turn, rotations[:, 0])
    before = positions_of(skeleton, rotations, origins) - origins[:, None]
    after = positions_of(skeleton, turned, origins) - origins[:, None]
    np.testing.assert_allclose(after, quat.rotate(turn, before), atol=1e-13)


def test_rest_pose() -> None:
    skeleton = random_tree(np.random.default_rng(2), 9)
    still = quat.identity((1, 9))
    np.testing.assert_allclose(positions_of(skeleton, still, np.zeros((1, 3)))[0], skeleton.rest_positions())


def test_no_frames() -> None:
    skeleton = random_tree(np.random.default_rng(2), 3)
    positions, world = world_of(skeleton, np.zeros((0, 3, 4)), np.zeros((0, 3)))
    assert positions.shape == (0, 3, 3) and world.shape == (0, 3, 4)


def test_the_roots_own_offset_is_not_added() -> None:
    skeleton = Skeleton(["root", "tip"], [-1, 0], [[5, 5, 5], [0, 0, 1]])
    positions = positions_of(skeleton, quat.identity((1, 2)), [[1, 2, 3]])
    assert positions.tolist() == [[[1, 2, 3], [1, 2, 4]]]


def test_awkward_inputs_are_converted() -> None:
    """Views and whole numbers are taken; the inputs stay as they were."""
    rng = np.random.default_rng(6)
    skeleton = random_tree(rng, 5)
    rotations, origins = random_pose(rng, 6, 5)
    whole = positions_of(skeleton, rotations, origins)
    copy = rotations.copy()
    np.testing.assert_array_equal(positions_of(skeleton, rotations[::-1], origins[::-1]), whole[::-1])
    np.testing.assert_array_equal(rotations, copy)
    identity = np.tile([0, 0, 0, 1], (2, 5, 1))
    assert fk.forward(skeleton.parents, skeleton.offsets, identity, np.zeros((2, 3)))[0].dtype == np.float64
