"""Measures: the laws that each keeps, and what it says where there is nothing to measure."""

from __future__ import annotations

import math
import pkgutil
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import made
from hoofbeat.body.clip import Clip
from hoofbeat.body.skeleton import LEGS, Skeleton
from hoofbeat.check import api, check, measures
from hoofbeat.check.limits import DOG_HIP, HORSE_HIP, OTHERS, gait_table, symmetrical
from hoofbeat.check.measure import Family, Limit, Measure, Subject, judged
from hoofbeat.check.measures import (
    FAMILIES,
    GROUPS,
    LIMITS,
    footfall,
    ground,
    intake,
    joints,
    path,
    similarity,
    smooth,
)
from hoofbeat.check.measures.footfall import (
    ONE_BEAT,
    SUSPENSIONS,
    duty_limit,
    phase_limit,
    suspensions_limit,
)
from hoofbeat.check.measures.ground import SKATING_HEIGHT
from hoofbeat.check.midstance import LONGEST, MIDDLE, midstances_of
from hoofbeat.check.motion import motion_of
from hoofbeat.check.recognise import ADDED, Stride, strides_named
from hoofbeat.errors import ClipError
from hoofbeat.gaits.gait import GAITS, family_of
from hoofbeat.gaits.names import NAMES
from hoofbeat.maths import quat
from measuring import rows, value

X = np.array([1.0, 0.0, 0.0])


# --- the table of limits ---------------------------------------------------------------------------------


def test_every_measure_has_a_limit_with_its_source_and_none_is_left_over():
    found = rows(made.clip("walk"), line=np.array([[0.0, 0.0], [0.0, 9.0]]))
    assert set(found) | {"suspension-place"} == set(LIMITS)
    for name, row in found.items():
        assert row.group in GROUPS, name
        assert row.limit.source and LIMITS[name].source, name


def test_every_gait_of_a_stride_has_a_table_and_its_own_touchdowns_keep_it():
    for name in NAMES:
        gait = gait_table(name)
        assert (gait is None) == (name in ("stand", "jump", "transition")), name
        if gait is None:
            continue
        assert family_of(name) in SUSPENSIONS or gait in ADDED
        assert suspensions_limit(gait).keeps(gait.suspensions)
        for leg, touchdown in zip(LEGS, gait.touchdown, strict=True):
            assert phase_limit(gait, leg).keeps(touchdown)
            assert not phase_limit(gait, leg).keeps(touchdown + 0.1), "a leg late by a tenth passes"
    assert {g for g in OTHERS if symmetrical(g)} == {"pacing-walk"}


def test_a_walk_may_stand_longer_the_slower_it_is():
    walk, trot = GAITS["walk"], GAITS["trot"]
    high = [duty_limit(walk, froude).high or 0.0 for froude in (0.3, 0.1, 0.03, 0.01)]
    assert high == sorted(high) and high[0] == pytest.approx(0.75) and high[-1] < 1.1
    assert duty_limit(trot, 0.01) == duty_limit(trot, 1.0)


# --- laws ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gait", ["walk", "canter-left"])
def test_values_do_not_depend_on_place_and_heading(gait: str):
    clip = made.clip(gait)
    turn = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.array(2.4))
    rotations = np.array(clip.rotations)
    rotations[:, 0] = quat.mul(turn, rotations[:, 0])
    moved = Clip(clip.skeleton, rotations, quat.rotate(turn, clip.origins) + [31.0, 0.0, -12.0], clip.fps)
    for name, row in rows(clip).items():
        other = rows(moved)[name].value
        assert (row.value is None) == (other is None)
        assert row.value is None or other == pytest.approx(row.value, rel=1e-4, abs=1e-5), name


@pytest.mark.parametrize("gait", ["trot", "gallop-left"])
def test_values_agree_between_frame_rates_and_sizes(gait: str):
    base = rows(made.clip(gait, fps=60, seconds=5))
    fine = rows(made.clip(gait, fps=120, seconds=5))
    large = rows(made.clip(gait, fps=60 / math.sqrt(2), seconds=5 * math.sqrt(2), scale=2))
    for name, row in base.items():
        if row.value is None or name in ("frames-per-stance", "size", "speed", "skating", "root-speed-steps"):
            continue
        near = 1.5 if name == "symmetry" else 0.02  # a hundredth of a stride is 6 %
        assert fine[name].value == pytest.approx(row.value, rel=0.1, abs=near), name
        if row.unit != "mm":
            assert large[name].value == pytest.approx(row.value, rel=1e-3, abs=1e-3), name
    assert value(large["speed"]) == pytest.approx(math.sqrt(2) * value(base["speed"]), rel=1e-3)
    # The limit of skating falls with size as its value does.
    share = [value(found["skating"]) / (found["skating"].limit.high or 1) for found in (base, large)]
    assert share[1] == pytest.approx(share[0], rel=1e-3)


@given(st.floats(0.05, 3.0), st.sampled_from([1.0, 100.0, 1000.0, 0.01]))
def test_the_guessed_unit_makes_any_animal_plausible(hip: float, times: float):
    factor = intake.unit_of(hip * times)
    assert LIMITS["size"].keeps(hip * times * factor)
    assert factor == 1.0 or not LIMITS["size"].keeps(hip * times)


def test_units_of_a_horse_and_a_dog_are_known():
    for hip in (HORSE_HIP, DOG_HIP):
        assert intake.unit_of(hip * 100) == 0.01 and intake.unit_of(hip * 1000) == 0.001
    assert intake.unit_of(HORSE_HIP * 0.01) == 100.0
    assert intake.unit_of(0.0) == intake.unit_of(math.nan) == 1.0


def _strides(touchdown: tuple[float, ...], gait: str = "walk", count: int = 3) -> list[Stride]:
    return [Stride(float(n), 1.0, gait, 1.5, touchdown, (0.6,) * 4) for n in range(count)]


def test_of_all_orders_of_a_walk_only_one_is_right_and_a_hurried_foot_keeps_it():
    motion = motion_of(made.clip("walk", seconds=2))
    times = (0.25, 0.75, 0.0, 0.5)
    good = set()
    for order in permutations(range(4)):
        touchdown = tuple(times[k] - times[order[2]] for k in order)
        touchdown = tuple(t % 1.0 for t in touchdown)
        row = {m.name: m for m in footfall.measures(Subject(motion, _strides(touchdown), "walk"))}["order"]
        if row.passed:
            good.add(tuple(np.argsort(touchdown)))
    assert good == {(2, 0, 3, 1)}
    hurried = {
        m.name: m for m in footfall.measures(Subject(motion, _strides((0.47, 0.72, 0.0, 0.45)), "walk"))
    }
    assert hurried["order"].value == 1.0 and hurried["phase-LF"].passed is False


@given(st.floats(0, 0.99), st.floats(0.01, ONE_BEAT - 0.01))
def test_beats_count_feet_that_land_separately(turn: float, near: float):
    gait = GAITS["trot"]
    for extra, beats in ((near, 2), (ONE_BEAT + 0.02, 4)):
        mean = (np.array([0.5 + extra, extra, 0.0, 0.5]) + turn) % 1.0
        assert footfall._beats(mean, gait).value == beats


def test_flights_are_where_no_foot_stands():
    motion = motion_of(made.clip("trot", seconds=2))
    stances = [
        np.array([[0.0, 0.4]]),
        np.array([[0.3, 0.6]]),
        np.array([[0.7, 0.9], [0.95, np.inf]]),
        np.zeros((0, 2)),
    ]
    begin, end = footfall.measured_flights(replace(motion, stances=tuple(stances)))
    assert begin.tolist() == [0.6, 0.9] and end.tolist() == [0.7, 0.95]
    begin, end = footfall.measured_flights(motion_of(made.clip("gallop-right")))
    truth = made.truth("gallop-right")
    assert len(begin) == pytest.approx(6 / 0.442, abs=1.5)
    landings = np.concatenate([np.concatenate(truth[2:])[:, 0]])
    assert all(np.abs(landings - t).min() < 0.02 for t in end), "a gallop lands on its hind feet"


def test_skating_is_the_speed_of_a_low_foot_and_nothing_of_a_high_one():
    motion = motion_of(made.clip("stand", fps=60, seconds=2))
    scale, reach = motion.hip / DOG_HIP, SKATING_HEIGHT * motion.hip
    footing = np.array(motion.footing)
    footing[:, 0, 1] += 0.01 * np.arange(len(motion))  # 1 cm a frame
    for height, weight in ((0.0, 1.0), (0.5, 2 - math.sqrt(2)), (1.0, 0.0), (3.0, 0.0), (-1.0, 1.0)):
        toes = np.array(motion.toes)
        toes[:, 0, 1] = motion.level[0] + height * reach
        row = ground._skating(replace(motion, toes=toes), footing, hoof=True)
        assert row.value == pytest.approx(weight / 4 / scale, abs=2e-3)


def test_slide_is_what_the_core_of_a_stance_shows():
    eased = [x**3 * (10 - 15 * x + 6 * x * x) for x in (0.5 - MIDDLE / 2, 0.5 + MIDDLE / 2)]
    for by in (0.004, 0.02, 0.05):
        row = rows(made.clip("walk", fps=120, wrong=made.sliding(*LEGS, by=by)))["slide"]
        assert row.value == pytest.approx(1000 * by * (eased[1] - eased[0]), rel=0.08)
        assert row.passed == (by < 0.01)


def test_a_hoof_beside_its_partner_is_found_on_any_skeleton():
    clip = made.clip("trot", wrong=made.sunk("RH"))
    names = [f"bone{k}" for k in range(len(clip.skeleton))]
    s = clip.skeleton
    other = Clip(
        Skeleton(names, s.parents, s.offsets, s.ends, s.legs), clip.rotations, clip.origins + [0, 7, 0], 60
    )
    motion = motion_of(other)
    row = {m.name: m for m in ground.measures(Subject(motion, strides_named(motion), "trot"))}["penetration"]
    assert row.value == pytest.approx(10.0, abs=0.1) and "RH" in row.detail
    known = {m.name: m for m in ground.measures(Subject(motion, strides_named(motion), "trot", floor=7.0))}
    assert known["hover"].value == pytest.approx(0, abs=0.1) and known["penetration"].value == pytest.approx(
        10, abs=0.1
    )


def test_midstances_lie_in_stances_and_long_ones_are_cut():
    motion = motion_of(made.clip("trot"))
    midstances = midstances_of(motion, strides_named(motion))
    assert motion.contacts[midstances.frame, midstances.foot].all() and set(midstances.leg) == {0, 1, 2, 3}
    assert midstances.count.sum() == len(midstances.frame)
    assert np.array_equal(midstances.lowest(midstances.frame.astype(float)), midstances.first)
    assert np.array_equal(
        midstances.highest(midstances.frame.astype(float)), midstances.first + midstances.count - 1
    )
    first = strides_named(motion)[:2]
    some = midstances_of(motion, first)
    middle = (some.first + some.count / 2) / motion.fps
    assert 8 <= len(some) < len(midstances) <= len(midstances_of(motion))
    assert ((middle > first[0].start - 0.05) & (middle < first[1].stop + 0.05)).all()
    standing = motion_of(made.clip("stand", seconds=20))
    longest = LONGEST * math.sqrt(standing.leg / 9.81) * standing.fps
    assert 4 <= len(midstances_of(standing)) and midstances_of(standing).count.max() <= longest + 1


def test_the_standing_horse_is_not_flexed_and_a_turned_joint_is_by_its_angle():
    horse = made.horse()
    for leg, joint, sign in (
        (0, "RadiusLeft", -1),
        (1, "CannonRight", 1),
        (2, "TibiaLeft", 1),
        (3, "MTarsusRight", -1),
    ):
        rotations = quat.identity((4, len(horse)))
        turned = np.radians([0.0, 10.0, 30.0, 60.0])
        rotations[:, horse.index(joint)] = quat.from_axis_angle(X, sign * turned)
        rotations[:, 0] = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0, -2.0, 3.0]))
        motion = motion_of(Clip(horse, rotations, np.tile([3.0, 1.3, 5.0], (4, 1)), 60))
        motion.__dict__["heading"] = np.array([0.0, 1.0, -2.0, 3.0])
        flexed = joints._flexions(motion, leg)
        column = 0 if joint[:2] in ("Ra", "Ti") else 1
        assert np.allclose(flexed[:, column], [0, 10, 30, 60], atol=0.5), (joint, flexed)
        assert np.allclose(flexed[:, 1 - column], 0.0, atol=0.5)


def test_stifle_and_hock_that_bend_differently_are_named():
    clip = made.clip("trot")
    rotations = np.array(clip.rotations)
    j = clip.skeleton.index("MTarsusLeft")
    rotations[:, j] = quat.inverse(rotations[:, j])
    row = rows(Clip(clip.skeleton, rotations, clip.origins, 60))["stifle-hock"]
    assert value(row) < 0 and row.passed is False and row.detail == "LH"


def test_a_smooth_turn_is_smooth_at_any_rate_and_a_pop_names_joint_and_time():
    for fps in (30, 60, 144, 240):
        clip = made.clip("stand", fps=fps, seconds=6)
        t = np.arange(len(clip)) / fps
        rotations = np.array(clip.rotations)
        neck = clip.skeleton.index("Cervical05")
        rotations[:, neck] = quat.from_axis_angle(X, 0.6 * np.sin(2 * np.pi * 1.5 * t))
        turning, jerk, _ = smooth.measures(Subject(motion_of(_turned(clip, rotations))))
        assert value(turning) < 1.2 and value(jerk) < 1.5
        rotations[len(clip) // 3 :] *= -1  # the same turns
        assert value(smooth._turning(motion_of(_turned(clip, rotations)))) == pytest.approx(value(turning))
        popped = made.popped(_turned(clip, rotations), by=30, frame=int(4 * fps))
        found = smooth._turning(motion_of(popped))
        assert found.passed is (False if fps >= 60 else found.passed) and "Cervical05 at 4.0" in found.detail


def _turned(clip: Clip, rotations: np.ndarray) -> Clip:
    return Clip(clip.skeleton, rotations, clip.origins, clip.fps)


def test_who_begins_to_move_does_not_jump():
    clip = made.clip("stand", seconds=10)
    t = np.arange(len(clip)) / clip.fps
    neck = clip.skeleton.index("Cervical05")
    for begin in np.linspace(1.5, 8.5, 36):
        rotations = np.array(clip.rotations)
        nod = 1.2 * np.clip((t - begin) / 0.1, 0, 1) ** 2 * np.sin(2 * np.pi * 3 * (t - begin))
        for turned in (nod, nod[::-1]):
            rotations[:, neck] = quat.from_axis_angle(X, turned)
            assert value(smooth._turning(motion_of(_turned(clip, rotations)))) < 5, begin


def test_stiffness_is_the_mean_turn_of_the_legs():
    motion = motion_of(made.clip("walk", fps=60, seconds=3))
    stride = Stride(0.5, 1.0, "walk", 1.5, (0.25, 0.75, 0.0, 0.5), (0.6,) * 4)
    t = np.arange(len(motion)) / 60
    rotations = quat.identity((len(motion), len(motion.clip.skeleton)))
    rotations[:] = quat.from_axis_angle(X, np.radians(90) * t)[:, None]  # 1.5 degrees a frame
    turning = replace(motion, clip=Clip(motion.clip.skeleton, rotations, motion.clip.origins, 60))
    row = similarity._stiffness(turning, [stride], froude=0.2)
    assert row.value == pytest.approx(1.5 * math.sqrt(motion.hip / DOG_HIP), rel=1e-6)


def test_a_path_is_kept_missed_or_refused():
    motion = motion_of(made.clip("walk", heading=0.7))
    ahead = np.array([math.sin(0.7), math.cos(0.7)])
    aside = np.array([ahead[1], -ahead[0]])
    way = motion.path[0] + np.outer([-2.0, 1.0, 1.0, 30.0], ahead)
    on, angle = path.measures(Subject(motion, path=way))
    assert value(on) < 1.0 and value(angle) < 2.0 and on.passed and angle.passed
    off, angle = path.measures(Subject(motion, path=way + 0.5 * aside))
    assert value(off) == pytest.approx(50 * DOG_HIP / motion.hip, rel=0.03)
    assert off.passed is False and angle.passed
    _, turned = path.measures(Subject(motion, path=way[::-1]))
    assert turned.value == pytest.approx(180, abs=2)
    assert path.measures(Subject(motion, path=None)) == []
    for bad in (np.zeros((1, 2)), np.zeros((3, 2)), np.zeros((3, 3)), np.full((2, 2), np.nan)):
        with pytest.raises(ClipError, match="path"):
            path.measures(Subject(motion, path=bad))


@pytest.mark.parametrize("frames", [4, 5, 9, 20, 45])
@pytest.mark.parametrize("gait", ["stand", "trot", "gallop-left"])
def test_what_a_short_clip_does_not_tell_is_reported(gait: str, frames: int):
    clip = made.clip(gait, seconds=frames / 60)
    for asked in (None, "trot"):
        for name, row in rows(clip, asked).items():
            assert row.value is not None or row.detail, name
            assert row.value is None or math.isfinite(row.value), name
            assert (row.passed is None) == (
                row.value is None or row.limit.open or name == "suspension-place"
            ), name


# --- the registry of families -------------------------------------------------------------------------


def test_every_file_of_measures_is_a_family_with_its_own_place_and_names():
    files = {found.name for found in pkgutil.iter_modules(measures.__path__)}
    assert len(files) == len(FAMILIES) == len({family.place for family in FAMILIES}) == len(set(GROUPS))
    assert sum(len(family.limits) for family in FAMILIES) == len(LIMITS)
    assert [family.place for family in FAMILIES] == sorted(family.place for family in FAMILIES)


def test_a_family_that_is_added_is_in_the_report(monkeypatch: pytest.MonkeyPatch):
    limit = Limit(None, 1.0, "nobody")

    def read(subject: Subject) -> list[Measure]:
        return [judged("frames", "counts", float(len(subject.motion)), "", limit)]

    family = Family(5, "counts", {"frames": limit}, read)
    monkeypatch.setattr(api, "FAMILIES", (family, *FAMILIES))
    clip = made.clip("walk")
    assert check(clip).measures[0] == judged("frames", "counts", float(len(clip)), "", limit)
