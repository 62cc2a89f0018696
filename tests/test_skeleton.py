"""Skeleton: what it refuses, and that what it accepts cannot be changed."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoofbeat.body.skeleton import LEGS, MAX_JOINTS, Leg, Skeleton
from hoofbeat.errors import HoofbeatError, SkeletonError, UnknownJoint

NAMES = ["hips", "spine", "head", "tail"]
PARENTS = [-1, 0, 1, 0]
OFFSETS = [[0, 0, 0], [0, 0, 1], [0, 0.5, 0.5], [0, 0, -0.5]]


def make(**changes: Any) -> Skeleton:
    given_fields = {"names": NAMES, "parents": PARENTS, "offsets": OFFSETS, **changes}
    return Skeleton(**given_fields)


def legs(names: tuple[str, ...] = LEGS) -> list[Leg]:
    return [Leg(name, 0, 1, 2, -1, 3) for name in names]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"names": [], "parents": [], "offsets": np.zeros((0, 3))},
            f"1 to {MAX_JOINTS} joints, this one has 0",
        ),
        (
            {
                "names": [str(i) for i in range(MAX_JOINTS + 1)],
                "parents": np.arange(MAX_JOINTS + 1) - 1,
                "offsets": np.zeros((MAX_JOINTS + 1, 3)),
            },
            f"this one has {MAX_JOINTS + 1}",
        ),
        ({"parents": [-1, 0, 1]}, "parents: need one row for each of the 4 names"),
        ({"offsets": np.zeros((4, 2))}, "offsets: need one row"),
        ({"parents": [-1], "offsets": np.zeros(3), "ends": [True]}, "parents, offsets, ends: need"),
        ({"ends": [False] * 5}, "ends: need one row"),
        ({"names": ["a", "b", "a", "b"]}, "repeated: a, b"),
        ({"parents": [0, 0, 1, 0]}, "joint 0 must be the root"),
        ({"parents": [-1, 0, 3, 0]}, r"joint 2 \(head\) has parent 3"),
        ({"parents": [-1, 0, 2, 0]}, r"joint 2 \(head\) has parent 2"),
        ({"parents": [-1, 0, -1, 0]}, "there is one root"),
        (
            {"offsets": [[0, 0, 0], [0, 0, 1], [0, np.nan, 0], [0, 0, 0]]},
            "offset of joint head is not finite",
        ),
        ({"offsets": [[0, 0, 0], [0, 0, 1], [0, 0, 0], [0, np.inf, 0]]}, "offset of joint tail"),
        ({"legs": legs(("LF", "RF", "RH", "LH"))}, "LF, RF, LH, RH"),
        ({"legs": legs(("LF",))}, "LF, RF, LH, RH"),
    ],
)
def test_what_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SkeletonError, match=message) as caught:
        make(**changes)
    assert isinstance(caught.value, HoofbeatError)


def test_arrays_are_copied_and_read_only() -> None:
    offsets = np.array(OFFSETS, float)
    skeleton = make(offsets=offsets)
    offsets[1] = 99
    assert skeleton.offsets[1].tolist() == [0, 0, 1]
    for array in (skeleton.parents, skeleton.offsets, skeleton.ends):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        skeleton.names = ("a",)  # pyright: ignore[reportAttributeAccessIssue]


def test_fields() -> None:
    skeleton = make(ends=[False, False, True, True], legs=legs())
    assert len(skeleton) == 4
    assert skeleton.names == tuple(NAMES) and skeleton.joints == ("hips", "spine")
    assert skeleton.parents.dtype == np.int64 and skeleton.offsets.dtype == np.float64
    assert skeleton.children(0).tolist() == [1, 3] and skeleton.children(2).tolist() == []
    assert repr(skeleton) == "Skeleton(2 joints and 2 end sites under 'hips', legs LF, RF, LH, RH)"
    assert make().with_legs(legs()).legs == skeleton.legs and make().legs == ()


def test_unknown_joint_lists_what_there_is() -> None:
    skeleton = make()
    assert [skeleton.index(name) for name in NAMES] == [0, 1, 2, 3]
    with pytest.raises(UnknownJoint) as caught:
        skeleton.index("Haed")
    assert caught.value.given == "Haed" and caught.value.nearest == "head"
    assert caught.value.known == skeleton.names
    assert all(name in str(caught.value) for name in NAMES)
    with pytest.raises(UnknownJoint) as caught:
        skeleton.index("xyzzy")
    assert caught.value.nearest is None


def test_rest_positions_add_up() -> None:
    assert make().rest_positions().tolist() == [[0, 0, 0], [0, 0, 1], [0, 0.5, 1.5], [0, 0, -0.5]]


@given(st.floats(1e-3, 1e3))
def test_scaling_scales_every_bone(factor: float) -> None:
    skeleton = make(ends=[False, False, True, True], legs=legs())
    scaled = skeleton.scaled(factor)
    np.testing.assert_allclose(scaled.rest_positions(), skeleton.rest_positions() * factor)
    np.testing.assert_allclose(scaled.scaled(1 / factor).offsets, skeleton.offsets, rtol=1e-14)
    assert (scaled.names, scaled.legs) == (skeleton.names, skeleton.legs)
    np.testing.assert_array_equal(scaled.ends, skeleton.ends)


@pytest.mark.parametrize("factor", [0, -1, np.nan, np.inf])
def test_scale_must_be_positive(factor: float) -> None:
    with pytest.raises(SkeletonError, match="positive number"):
        make().scaled(factor)
