"""Anatomy: legs found by name, tables that fit the skeleton, and errors that teach."""

from __future__ import annotations

import numpy as np
import pytest

from hoofbeat.body.legs.anatomy import leg_table
from hoofbeat.body.legs.find import find_legs
from hoofbeat.body.skeleton import LEGS, Leg, Skeleton
from hoofbeat.errors import SkeletonError
from hoofbeat.formats.scenefile import read_scene


def test_the_thesis_horse_has_its_four_legs_on_the_right_sides() -> None:
    skeleton = read_scene().skeleton
    assert tuple(leg.name for leg in skeleton.legs) == LEGS
    rest = skeleton.rest_positions()
    for leg in skeleton.legs:
        assert (rest[leg.toe, 0] > 0) == leg.name.startswith("L")
        assert (rest[leg.toe, 2] > 0) == leg.name.endswith("F")
        assert (
            rest[leg.toe, 1] < rest[leg.pastern, 1] < rest[leg.low, 1] < rest[leg.mid, 1] < rest[leg.top, 1]
        )
    assert rest[skeleton.index("Head"), 2] > 0 > rest[skeleton.index("Tail01"), 2]


def test_reach_is_a_little_more_than_standing_and_less_than_all_bones() -> None:
    skeleton = read_scene().skeleton
    rest = skeleton.rest_positions()
    for row, leg in zip(leg_table(skeleton), skeleton.legs, strict=True):
        standing = np.linalg.norm(rest[leg.pastern] - rest[leg.top])
        bones = sum(np.linalg.norm(row[name]) for name in ("to_mid", "to_low", "to_end"))
        assert standing < row["reach"] <= bones + 1e-6
        assert row["last"] == leg.toe


def test_scaling_the_skeleton_scales_the_legs() -> None:
    skeleton = read_scene().skeleton
    small = leg_table(skeleton.scaled(0.5))
    assert np.allclose(small["reach"], leg_table(skeleton)["reach"] / 2)
    assert np.allclose(small["mid_range"], leg_table(skeleton)["mid_range"])


def test_a_skeleton_without_legs_says_what_to_do() -> None:
    plain = Skeleton(["a", "b"], [-1, 0], [[0, 0, 0], [0, 1, 0]])
    assert find_legs(plain) == ()
    with pytest.raises(SkeletonError, match="with_legs"):
        leg_table(plain)


def test_nodes_of_a_leg_must_follow_each_other() -> None:
    names = ["root", "top", "other", "mid", "low", "toe"]
    skeleton = Skeleton(names, [-1, 0, 0, 1, 3, 4], np.tile([0, -0.3, 0.01], (6, 1)))
    legs = [Leg(name, 1, 3, 4, -1, 5) for name in LEGS]
    with pytest.raises(SkeletonError, match="follow each other"):
        leg_table(skeleton.with_legs(legs))


def test_a_paw_without_fetlock_is_solved_to_the_toe() -> None:
    names = ["root", "top", "mid", "low", "toe"]
    skeleton = Skeleton(
        names,
        [-1, 0, 1, 2, 3],
        [[0, 0, 0], [0.1, 0, 0.2], [0, -0.2, 0.05], [0, -0.2, -0.05], [0, -0.1, 0.02]],
    )
    table = leg_table(skeleton.with_legs([Leg(name, 1, 2, 3, -1, 4) for name in LEGS]))
    assert (table["pastern"] == -1).all()
    assert np.allclose(table["to_toe"], 0)
    assert np.allclose(table["to_end"][0], [0, -0.1, 0.02])
