"""Bone mesh: closed octahedra that point outward, each between its two nodes and on the upper one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoofbeat import Horse, Skeleton
from hoofbeat.body.mesh.bones import bone_mesh


@pytest.fixture(scope="module")
def horse() -> Skeleton:
    return Horse().skeleton


@st.composite
def skeletons(draw: st.DrawFn) -> Skeleton:
    count = draw(st.integers(1, 12))
    parents = [-1] + [draw(st.integers(0, j - 1)) for j in range(1, count)]
    length = st.floats(-2, 2).map(lambda x: 0.0 if abs(x) < 1e-3 else x)
    offsets = [[draw(length) for _ in range(3)] for _ in range(count)]
    return Skeleton([f"j{j}" for j in range(count)], parents, offsets)


def test_every_joint_of_the_horse_has_weight(horse: Skeleton) -> None:
    mesh = bone_mesh(horse)
    assert sorted(set(mesh.nodes.tolist())) == np.flatnonzero(~horse.ends).tolist()
    assert len(mesh.points) == len(mesh.normals) == len(mesh.nodes) == 3 * len(mesh.triangles)


@given(skeletons())
def test_octahedra_are_closed_and_point_outward(skeleton: Skeleton) -> None:
    mesh = bone_mesh(skeleton)
    faces = mesh.points.astype(float)[mesh.triangles].reshape(-1, 8, 3, 3)
    centred = faces - faces.mean(axis=(1, 2), keepdims=True)
    volumes = np.einsum("bfi,bfi->b", centred[:, :, 0], np.cross(centred[:, :, 1], centred[:, :, 2])) / 6
    assert (volumes > 0).all()
    # Every edge is walked once in each direction.
    for bone in faces.round(9):
        edges = [
            (tuple(face[i]), tuple(face[(i + 1) % 3]))  # a face's corners follow one another
            for face in bone.tolist()
            for i in range(3)
        ]
        keys = {(tuple(a), tuple(b)) for a, b in edges}
        assert len(keys) == 24 and all((b, a) in keys for a, b in keys)
    normals = mesh.normals.reshape(-1, 8, 3, 3)[:, :, 0]
    assert np.allclose(np.linalg.norm(normals, axis=-1), 1, atol=1e-5)
    assert (np.einsum("bfi,bfi->bf", normals, centred.mean(axis=2)) > 0).all()


@given(skeletons())
def test_bones_reach_from_node_to_child(skeleton: Skeleton) -> None:
    mesh = bone_mesh(skeleton)
    rest = skeleton.rest_positions()
    drawn = {
        (int(skeleton.parents[j]), j)
        for j in range(1, len(skeleton))
        if np.linalg.norm(skeleton.offsets[j]) > 0
    }
    assert len(mesh.points) == 24 * max(1, len(drawn))
    for parent, child in drawn:
        own = mesh.points[mesh.nodes == parent]
        for node in (parent, child):
            assert np.linalg.norm(own - rest[node], axis=1).min() < 1e-5


def test_a_lone_joint_still_shows() -> None:
    mesh = bone_mesh(Skeleton(["only"], [-1], [[1.0, 2.0, 3.0]]))
    assert len(mesh.points) == 24 and set(mesh.nodes.tolist()) == {0}
    assert np.abs(mesh.points).max() == pytest.approx(0.1)
