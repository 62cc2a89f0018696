"""The trunk that placement takes: ways to the legs, neck and places to stand, from the tree alone."""

from __future__ import annotations

import numpy as np
import pytest

from hoofbeat import Horse
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.body.trunk import Upright, bent_by_ground, neck_of, trunk_table
from hoofbeat.errors import SkeletonError
from hoofbeat.maths import quat
from neural_making import dog_rig, standing

HORSE = Horse("timewarp").skeleton


def test_each_chain_runs_from_below_the_root_to_the_top_of_its_leg() -> None:
    row = trunk_table(HORSE)[0]
    for k, leg in enumerate(HORSE.legs):
        way = row["chain"][k, : row["chain_count"][k]]
        assert way[-1] == leg.top and HORSE.parents[way[0]] == 0
        assert np.array_equal(HORSE.parents[way[1:]], way[:-1])


def test_only_what_bends_in_a_horse_gives() -> None:
    row = trunk_table(HORSE)[0]
    names = {HORSE.names[j]: row["limits"][k, n] for k in range(4) for n, j in enumerate(row["chain"][k])}
    assert np.all(names["HipLeft"] == 0) and np.all(names["HipRight"] == 0), "a pelvis is one bone"
    assert np.all(names["FemurLeft"] == 0) and np.all(names["HumerusRight"] == 0), "legs are solved elsewhere"
    assert names["Thoracic03"][1] > 0 and names["SacrumLower"][1] > 0 and names["ScapulaLeft"][1] > 0
    assert row["limits"][..., 1].max() < np.radians(10)


def test_the_neck_is_the_neck() -> None:
    neck = [HORSE.names[j] for j in neck_of(HORSE)]
    assert neck[-1] == "Head" and "Cervical04" in neck
    assert not any(word in name for name in neck for word in ("Tail", "Scapula", "Humerus"))


def test_names_play_no_part_and_a_body_without_a_head_has_no_neck() -> None:
    other = Skeleton(
        [f"b{n}" for n in range(len(HORSE))], HORSE.parents, HORSE.offsets, HORSE.ends, HORSE.legs
    )
    assert trunk_table(other).tobytes() == trunk_table(HORSE).tobytes()
    drop = set(range(HORSE.index("Thoracic01"), HORSE.index("Head_end") + 1))
    offsets = HORSE.offsets.copy()
    offsets[sorted(drop), 2] = -0.05
    assert neck_of(Skeleton(HORSE.names, HORSE.parents, offsets, HORSE.ends, HORSE.legs)) == []


def test_all_that_ground_may_bend_is_listed() -> None:
    row = trunk_table(HORSE)[0]
    bent = set(bent_by_ground(trunk_table(HORSE)).tolist())
    turning = {
        int(row["chain"][k, n])
        for k in range(4)
        for n in range(row["chain_count"][k])
        if row["limits"][k, n, 1] > 0
    }
    assert {0, *neck_of(HORSE), *turning} <= bent
    assert bent.isdisjoint({leg.top for leg in HORSE.legs})


def test_an_animal_whose_rest_pose_does_not_stand_is_given_one_that_does() -> None:
    """All bones of a recorded dog lie along one axis at rest: feet, head and left are those of the stand."""
    rig = dog_rig()
    rotations, _ = standing(rig)
    upright = Upright.of(rig.skeleton, rotations)
    row = trunk_table(rig.skeleton, upright)[0]
    assert row["home"][:2, 1].min() > row["home"][2:, 1].max() + 0.2  # fore feet before hind feet
    assert (row["home"][[0, 2], 0] > 0).all() and (row["home"][[1, 3], 0] < 0).all()
    neck = row["neck"][: row["neck_count"]]
    assert [rig.skeleton.names[j] for j in neck] == ["Neck"]
    left = quat.rotate(upright.turns[rig.skeleton.parents[neck]], row["neck_left"][: len(neck)])
    assert left == pytest.approx(np.array([[1.0, 0.0, 0.0]]), abs=1e-6)


def test_a_skeleton_without_legs_is_refused() -> None:
    with pytest.raises(SkeletonError, match="four legs"):
        trunk_table(Skeleton(["a"], [-1], [[0, 0, 0]]))
