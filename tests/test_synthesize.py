"""Synthesis: a plan becomes the clip that riding it by hand gives, with strides counted by the engine."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import hoofbeat as hb
from hoofbeat.course import LH
from hoofbeat.errors import SkeletonError
from hoofbeat.formats.planfile import Plan, PlanError, Segment, parse_plan, write_plan
from hoofbeat.formats.scenefile import THESIS_HORSE
from hoofbeat.synthesis import all_gaits, hip_height, ride, synthesize


def touchdowns(clip: hb.Clip) -> np.ndarray:
    """Frames in which the phase of the left hind has wrapped."""
    return np.flatnonzero(np.diff(clip.extras["phase"][:, LH]) < -0.5) + 1


def test_a_plan_is_what_riding_by_hand_gives(tmp_path: Path) -> None:
    plan = Plan(
        (Segment(0.5, speed=0), Segment(1.0, speed=1.6), Segment(1.0, speed=4.5, turn=0.4)), fps=50, seed=3
    )
    clip = hb.synthesize(write_plan(plan, tmp_path / "ride.yaml"))
    horse, recorder = hb.Horse(seed=3), hb.Recorder(hb.Horse().skeleton, 50)
    for segment in plan.segments:
        for _ in range(round(segment.length * 50)):
            recorder.add(horse.frame())
            horse.step(hb.Command(speed=segment.speed or 0, turn=segment.turn), 1 / 50)
    mine = recorder.clip("ride")
    assert len(clip) == 125 and clip.fps == 50 and clip.name == "ride"
    np.testing.assert_array_equal(clip.rotations, mine.rotations)
    np.testing.assert_array_equal(clip.positions, mine.positions)
    assert set(clip.extras) == {*mine.extras, "method"}


def test_the_same_plan_gives_the_same_bits_and_the_front_door_is_it() -> None:
    plan = Plan((Segment(2, speed=5),), seed=5)
    np.testing.assert_array_equal(synthesize(plan).positions, synthesize(plan).positions)
    assert hb.synthesize is synthesize and hb.Plan is Plan


def test_a_heading_is_turned_to_and_kept() -> None:
    parts = (Segment(4, speed=1.5, heading=1.0), Segment(4, speed=1.5, heading=-0.5))
    yaw = synthesize(Plan(parts, "timewarp")).extras["yaw"]
    assert yaw[239] == pytest.approx(1.0, abs=0.02) and yaw[-1] == pytest.approx(-0.5, abs=0.02)


def test_strides_are_longer_where_a_plan_extends_them() -> None:
    def strides(extension: float) -> int:
        part = Segment(6, speed=3.8, gait="trot", extension=extension)
        return len(touchdowns(synthesize(Plan((part,), "timewarp", settle=True))))

    assert strides(1.0) < strides(0.0) < strides(-1.0)
    notes = ride(Plan((Segment(1, speed=2, extension=0.5),), "actions")).notes
    assert len(notes) == 1 and "extension 0.5 held to 0" in notes[0]


def test_parts_of_frames_do_not_add_up_to_drift() -> None:
    plan = Plan(tuple(Segment(0.0125, speed=1) for _ in range(160)), fps=60)  # 0.75 frames each
    assert len(synthesize(plan)) == 120
    with pytest.raises(PlanError, match="shorter than one frame"):
        synthesize(Plan((Segment(0.001, speed=1),)))


@pytest.mark.parametrize("gait", ["walk", "trot", "gallop"])
def test_settled_cycles_begin_and_end_at_touchdowns(gait: str) -> None:
    clip = synthesize(Plan((Segment(3, "cycles", gait=gait),), "actions", fps=240, settle=True))
    phase = clip.extras["phase"][:, LH]
    assert phase[0] < 0.02 and phase[-1] > 0.98
    ends = [0, *touchdowns(clip), len(clip)]
    assert len(ends) == 4 and np.ptp(np.diff(ends)) <= 1  # three strides of equal length
    assert set(clip.extras["gait"]) == {gait}
    np.testing.assert_allclose(clip.extras["speed"], clip.extras["speed"][0], rtol=0.01)
    # The ride begins at the origin, facing +Z.
    assert np.abs(clip.extras["root"][0]).max() < 1e-9 and clip.extras["yaw"][0] == 0
    assert abs(clip.extras["root"][-1, 0]) < 1e-6 and clip.extras["root"][-1, 2] > 1


def test_cycles_follow_each_other_without_a_gap() -> None:
    apart = Plan((Segment(1, "cycles", gait="trot"), Segment(2.5, "cycles", gait="trot")), settle=True)
    clip = synthesize(apart)
    assert len(touchdowns(clip)) == 3
    assert 0.4 < clip.extras["phase"][-1, LH] < 0.5
    whole = synthesize(Plan((Segment(3.5, "cycles", gait="trot"),), settle=True))
    np.testing.assert_array_equal(whole.positions, clip.positions)


def test_cycles_from_a_stand_are_whole_strides_after_the_first_touchdown() -> None:
    clip = synthesize(Plan((Segment(0.3, speed=0), Segment(2, "cycles", speed=1.5))))
    assert len(touchdowns(clip)) == 2  # the third one ends the ride
    assert clip.extras["gait"][0] == "stand" and clip.extras["phase"][-1, LH] > 0.9


def test_froude_numbers_are_speeds_of_the_hip() -> None:
    height = hip_height(hb.Horse().skeleton)
    assert 1.0 < height < 1.25  # a horse of 1.5 to 1.6 m at the withers
    clip = synthesize(Plan((Segment(1, froude=0.5),), settle=True))
    assert clip.extras["speed"] == pytest.approx(math.sqrt(0.5 * 9.81 * height), rel=0.01)
    with pytest.raises(SkeletonError, match="named legs"):
        hip_height(hb.Skeleton(["a"], [-1], [(0, 0, 0)]))


def test_a_pinned_gait_without_speed_goes_at_its_middle() -> None:
    clips = {plan.name: synthesize(plan) for plan in all_gaits(Plan((Segment(1, speed=1),), settle=True))}
    assert list(clips) == list(hb.Horse().gaits)
    for name, clip in clips.items():
        assert set(clip.extras["gait"]) == {name} and len(clip) == 60
    bands = hb.Herd(1).method.bands
    for name, (low, high) in zip(clips, bands, strict=True):
        assert clips[name].extras["speed"].mean() == pytest.approx((low + high) / 2, rel=0.01)


def test_all_gaits_in_cycles_give_the_stand_seconds() -> None:
    plans = all_gaits(Plan((Segment(2, "cycles", gait="walk"),), "actions"))
    assert [plan.segments[0].unit for plan in plans] == ["s", "cycles", "cycles", "cycles"]


def test_what_is_out_of_range_is_held_and_reported() -> None:
    done = ride(
        parse_plan("segments:\n - {for: 0.1 s, speed: 50}\n - {for: 0.1 s, gait: walk, turn: 9}\n", "a.yaml")
    )
    assert len(done.notes) == 2
    assert done.notes[0].startswith("a.yaml:2: segment 1: speed 50 m/s held to 16.2")
    assert done.notes[1].startswith("a.yaml:3: segment 2: turn 9 rad/s held to 1.5")
    assert ride(Plan((Segment(0.1, speed=2),))).notes == ()


BROKEN = {
    "gait": ("segments:\n - {for: 1 s, speed: 1}\n - {for: 1 s, gait: trott}", 3, "did you mean 'trot'"),
    "action": ("segments: [{for: 1 s, action: dance}]", 1, "unknown action 'dance'"),
    "method": ("fps: 60\nmethod: action\nsegments: [{for: 1 s, speed: 1}]", 2, "did you mean 'actions'"),
    "terrain": ("terrain: flatt\nsegments: [{for: 1 s, speed: 1}]", 1, "did you mean 'flat'"),
    "scene": ("scene: none.yaml\nsegments: [{for: 1 s, speed: 1}]", 1, "none.yaml: no such file"),
    "a stride that never comes": ("segments: [{for: 1 cycle, speed: 0.001}]", 1, "no stride was finished"),
    "too many frames": ("fps: 1000\nsegments: [{for: 3000 s, speed: 1}]", 1, "3000000 frames"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_plans_that_cannot_be_ridden(case: str) -> None:
    text, line, words = BROKEN[case]
    with pytest.raises(PlanError, match=words) as caught:
        synthesize(parse_plan(text, "ride.yaml"))
    assert (caught.value.path, caught.value.line) == ("ride.yaml", line)


def test_a_scene_lies_beside_its_plan(tmp_path: Path) -> None:
    for file in THESIS_HORSE.parent.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    path = write_plan(
        Plan((Segment(0.2, gait="trot"),), "actions", scene="horse.scene.yaml"), tmp_path / "plan.yaml"
    )
    own = synthesize(Plan((Segment(0.2, gait="trot"),), "actions"))
    np.testing.assert_array_equal(synthesize(path).positions, own.positions)


def test_progress_is_reported() -> None:
    told: list[tuple[int, int]] = []
    plan = Plan((Segment(2, speed=2), Segment(2, "cycles", speed=2)))
    clip = synthesize(plan, lambda done, total: told.append((done, total)))
    assert told[-1] == (len(clip), len(clip)) and 20 < len(told) < 500
    assert all(a[0] <= b[0] and a[0] <= a[1] for a, b in zip(told, told[1:], strict=False))


def test_settling_is_bounded_and_works_at_other_rates() -> None:
    for fps in (10, 30, 240):
        clip = synthesize(replace(Plan((Segment(1, gait="gallop"),), "actions", settle=True), fps=fps))
        assert set(clip.extras["gait"]) == {"gallop"} and len(clip) == fps
    crawling = synthesize(Plan((Segment(1, speed=0.02),), settle=True))
    assert len(crawling) == 60
