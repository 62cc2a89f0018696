"""Laws of the made clips: the clean ones are clean, and every fault does what it says and nothing else."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

import made
from hoofbeat.body.clip import Clip
from hoofbeat.body.legs.anatomy import CARPUS, ELBOW, HOCK, STIFLE
from hoofbeat.gaits.footfall import strides_of
from hoofbeat.gaits.gait import GAITS
from hoofbeat.maths import quat
from hoofbeat.maths.physics import GRAVITY
from made_pose import poses
from made_style import STEADY

LEGS = made.horse().legs
TOES = [leg.toe for leg in LEGS]
MOVING = [gait for gait in made.GAITS if gait != "stand"]
WITHERS = made.horse().index("Thoracic01")


@lru_cache(maxsize=64)
def clean(gait: str, fps: float = 120, seconds: float = 4) -> Clip:
    return made.clip(gait, fps=fps, seconds=seconds)


def toes(clip: Clip) -> np.ndarray:
    return clip.positions[:, TOES]


def down(clip: Clip, stances) -> np.ndarray:
    """Frames (T, 4) in a stance."""
    t = np.arange(len(clip)) / clip.fps
    return np.stack(
        [((t[:, None] >= s[:, 0]) & (t[:, None] <= s[:, 1])).any(axis=1) for s in stances], axis=1
    )


def flexions(clip: Clip) -> np.ndarray:
    """Flexion (T, 4, 2) [deg] of elbow and carpus, stifle and hock, and that they turn about x alone."""
    found = []
    for k, leg in enumerate(LEGS):
        sign = -1 if k < 2 else 1
        for joint, way in ((leg.mid, sign), (leg.low, -sign)):
            q = clip.rotations[:, joint]
            assert np.abs(q[:, 1:3]).max() < 1e-12
            found.append(way * np.degrees(2 * np.arctan2(q[:, 0], q[:, 3])))
    return np.stack(found, axis=1).reshape(-1, 4, 2)


def slides(clip: Clip, stances) -> list[float]:
    """How far [m] the toes move while each leg stands, the worst of its stances."""
    worst = []
    for k, held in enumerate(down(clip, stances).T):
        edges = np.flatnonzero(np.diff(np.concatenate([[False], held, [False]]).astype(int)))
        runs = [toes(clip)[a:b, k] for a, b in zip(edges[::2], edges[1::2], strict=True)]
        worst.append(max(float(np.linalg.norm(run - run[0], axis=1).max()) for run in runs))
    return worst


@pytest.mark.parametrize("gait", made.GAITS)
def test_feet_stand_still_on_the_ground_and_nothing_goes_through_it(gait: str) -> None:
    clip = clean(gait)
    stances = made.truth(gait, fps=120, seconds=4)
    held = down(clip, stances)
    assert held.any(axis=0).all()
    assert np.abs(toes(clip)[..., 1][held]).max() < 1e-4
    assert max(slides(clip, stances)) < 1e-4
    assert clip.positions[..., 1].min() > -1e-4
    # The whole hoof lies flat until it rolls over its toe at the end.
    score = made.score_of(gait, None, 4)
    for foot, leg in zip(score.feet, LEGS, strict=True):
        early = foot.at(np.arange(len(clip)) / 120)[1] < 0.54
        flat = clip.positions[early & (toes(clip)[:, TOES.index(leg.toe), 1] < 1e-9), leg.toe - 1, 1]
        assert np.ptp(flat) < 1e-9


@pytest.mark.parametrize("gait", MOVING)
def test_feet_are_off_the_ground_between_stances(gait: str) -> None:
    clip = clean(gait)
    stances = made.truth(gait, fps=120, seconds=4)
    t = np.arange(len(clip)) / 120
    for k, s in enumerate(stances):
        for left, landed in zip(s[:-1, 1], s[1:, 0], strict=True):
            swing = toes(clip)[(t > left + 0.02) & (t < landed - 0.02), k, 1]
            assert swing.min() > 5e-4
            assert swing.max() > 0.035


@pytest.mark.parametrize("gait", sorted(STEADY))
def test_footfalls_are_those_of_the_gait(gait: str) -> None:
    if gait == "stand":
        assert all(np.array_equal(s, [[-np.inf, np.inf]]) for s in made.truth(gait))
        return
    table = STEADY[gait]
    found = strides_of(made.truth(gait, seconds=8))
    assert len(found) >= 5
    assert np.allclose((found.touchdown - table.touchdown + 0.5) % 1, 0.5, atol=1e-9)
    duty = found.duty[np.isfinite(found.duty)]
    assert duty.min() >= table.duty[0] - 1e-9
    assert duty.max() <= table.duty[1] + 1e-9
    assert len(STEADY) == len(GAITS) + 3


def test_flights_are_as_many_as_the_gait_has() -> None:
    for gait, table in STEADY.items():
        if gait == "stand":
            continue
        score = made.score_of(gait, None, 4)
        t = np.linspace(1, 1 + score.body.first.stride, 4001)[:-1]
        feet = [((t[:, None] >= f.down[:, 0]) & (t[:, None] <= f.down[:, 1])).any(axis=1) for f in score.feet]
        air = ~np.any(feet, axis=0)
        assert np.sum(air != np.roll(air, 1)) // 2 == table.suspensions, gait


@pytest.mark.parametrize("gait", made.GAITS)
def test_the_same_motion_at_any_frame_rate(gait: str) -> None:
    fine = clean(gait, 240)
    for fps in (24, 60):
        coarse = made.clip(gait, fps=fps, seconds=4)
        assert len(coarse) == 4 * fps
        assert np.abs(coarse.positions - fine.positions[:: 240 // fps]).max() < 1e-9


@pytest.mark.parametrize("gait", sorted(STEADY))
def test_speed_is_exact(gait: str) -> None:
    speed = STEADY[gait].speed[0] * 1.05
    clip = made.clip(gait, speed or None, seconds=2)
    way = clip.positions[:, WITHERS, 2]
    assert np.allclose(np.diff(way) * 60, speed, atol=1e-9)


@pytest.mark.parametrize("gait", made.GAITS)
def test_loaded_knees_are_straight_and_joints_keep_their_limits(gait: str) -> None:
    clip = clean(gait)
    bends = flexions(clip)
    held = down(clip, made.truth(gait, fps=120, seconds=4))
    assert np.abs(bends[:, :2, 1][held[:, :2]]).max() < 1e-6
    for value, (low, high) in (
        (bends[:, :2, 0], ELBOW),
        (bends[:, :2, 1], CARPUS),
        (bends[:, 2:, 0], STIFLE),
        (bends[:, 2:, 1], HOCK),
    ):
        assert value.min() >= low
        assert value.max() <= high
    assert np.abs(bends[:, 2:, 0] - bends[:, 2:, 1]).max() < 1e-6  # stifle and hock are tied


@pytest.mark.parametrize("gait", made.GAITS)
def test_no_foot_is_out_of_reach(gait: str) -> None:
    score = made.score_of(gait, None, 4)
    assert poses(score.body, score.feet, np.linspace(0, 4, 1777)).shortfall.max() < 1e-6


@pytest.mark.parametrize("gait", made.GAITS)
def test_joints_turn_smoothly(gait: str) -> None:
    """Accelerations change less from frame to frame with twice the frames; at a kink of speed, more."""
    score = made.score_of(gait, None, 4)
    start, stop = (1.5, 3.0) if gait in ("jump", "transition") else (1.0, 1.0 + score.body.first.stride)
    most = []
    for fps in (1000, 2000):
        turns = poses(score.body, score.feet, np.arange(start, stop, 1 / fps)).rotations
        rate = quat.log(quat.mul(quat.inverse(turns[:-1]), turns[1:])) * fps
        gain = np.diff(rate, axis=0) * fps
        assert np.linalg.norm(gain, axis=-1).max() < 6000
        most.append(np.linalg.norm(np.diff(gain, axis=0), axis=-1).max(axis=0))
    assert (most[1] < 1.2 * most[0] + 1).all()


@pytest.mark.parametrize("gait", ["canter-left", "gallop-right", "rotary-gallop-left", "jump"])
def test_bodies_in_the_air_fall(gait: str) -> None:
    score = made.score_of(gait, None, 4)
    clip = clean(gait, 240)
    t = np.arange(len(clip)) / 240
    feet = [((t[:, None] >= f.down[:, 0]) & (t[:, None] <= f.down[:, 1])).any(axis=1) for f in score.feet]
    air = ~np.any(feet, axis=0)
    croup = made.horse().index("SacrumLower")
    body = 0.55 * clip.positions[:, WITHERS, 1] + 0.45 * clip.positions[:, croup, 1]
    fall = np.diff(body, 2) * 240**2
    inside = air[1:-1] & air[:-2] & air[2:]
    assert abs(fall[inside].mean() + GRAVITY) < 3.0


def test_heading_turns_and_scale_enlarges_with_time() -> None:
    straight = made.clip("trot", seconds=2)
    turned = made.clip("trot", seconds=2, heading=0.7)
    turn = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), 0.7)
    assert np.abs(quat.rotate(turn, straight.positions) - turned.positions).max() < 1e-9
    way = turned.positions[-1, WITHERS] - turned.positions[0, WITHERS]
    assert np.arctan2(way[0], way[2]) == pytest.approx(0.7)
    twice = made.clip("trot", 2.76 * np.sqrt(2), fps=60 / np.sqrt(2), seconds=2 * np.sqrt(2), scale=2)
    assert np.abs(twice.positions - 2 * straight.positions).max() < 1e-9
    for small, large in zip(
        made.truth("trot", seconds=2),
        made.truth("trot", 2.76 * 2**0.5, 60 / 2**0.5, 2 * 2**0.5, 2),
        strict=True,
    ):
        assert np.allclose(small * np.sqrt(2), large)


def test_in_place_the_ground_passes_backward() -> None:
    there, here = clean("walk"), made.clip("walk", fps=120, seconds=4, in_place=True)
    gone = there.positions - here.positions
    assert np.abs(gone[..., 2] - 1.55 * np.arange(len(here))[:, None] / 120).max() < 1e-9
    assert np.abs(gone[..., :2]).max() < 1e-12


def test_a_leap_rises_and_a_transition_changes_gait() -> None:
    assert np.ptp(clean("jump").positions[:, WITHERS, 1]) > 0.25
    found = strides_of(made.truth("transition", seconds=8))
    assert np.allclose(found.touchdown[0], STEADY["walk"].touchdown, atol=1e-6)
    assert np.allclose(found.touchdown[-1], STEADY["trot"].touchdown, atol=1e-6)


def test_too_fast_is_refused() -> None:
    with pytest.raises(ValueError, match="too short"):
        made.clip("gallop-right", 18.0)


# Faults of the making: what is wrong, and that the other feet go on as before.


def spoiled(wrong, gait: str = "trot") -> tuple[Clip, tuple]:
    options = {"fps": 120, "seconds": 4, "wrong": wrong}
    return made.clip(gait, **options), made.truth(gait, **options)


def test_swapped_forelegs_land_at_each_others_times() -> None:
    clip, stances = spoiled(made.swapped(), "walk")
    right = made.truth("walk", fps=120, seconds=4)
    assert np.allclose(stances[0], right[1])
    assert np.allclose(stances[1], right[0])
    assert np.abs(toes(clip) - toes(clean("walk")))[:, 2:].max() < 1e-9
    assert max(slides(clip, stances)) < 1e-4


def test_a_late_leg_is_late_alone() -> None:
    clip, stances = spoiled(made.late("RF", 0.1))
    found = strides_of(stances)
    later = (found.touchdown - STEADY["trot"].touchdown + 0.5) % 1 - 0.5
    assert np.allclose(later, [0, 0.1, 0, 0], atol=1e-9)
    assert np.abs(toes(clip) - toes(clean("trot")))[:, [0, 2, 3]].max() < 1e-9
    assert max(slides(clip, stances)) < 1e-4


def test_a_sliding_foot_slides_its_distance_in_every_stance() -> None:
    clip, stances = spoiled(made.sliding("LH", by=0.02), "walk")
    far = slides(clip, stances)
    assert far[2] == pytest.approx(0.02, abs=1e-4)
    assert max(far[0], far[1], far[3]) < 1e-4
    foot = made.score_of("walk", None, 4, made.sliding("LH")).feet[2]
    left = foot.at(foot.down[3, 1] + np.array([-1e-6, 1e-6]))[0]
    assert np.ptp(left, axis=0).max() < 1e-6
    assert np.abs(toes(clip)[..., 1][down(clip, stances)]).max() < 1e-4


def test_bent_knees_are_bent_on_planted_feet() -> None:
    clip, stances = spoiled(made.bent("LF", by=25))
    carpus = flexions(clip)[:, :2, 1]
    held = down(clip, stances)
    assert np.allclose(carpus[:, 0][held[:, 0]], 25)
    assert np.abs(carpus[:, 1][held[:, 1]]).max() < 1e-6
    assert max(slides(clip, stances)) < 1e-4


def test_a_sunk_foot_is_in_the_ground() -> None:
    clip, stances = spoiled(made.sunk("LH", by=0.01), "walk")
    held = down(clip, stances)
    for k, level in enumerate((0, 0, -0.01, 0)):
        assert np.allclose(toes(clip)[held[:, k], k, 1], level, atol=1e-4)


def test_a_stiff_trunk_glides() -> None:
    clip, stances = spoiled(made.stiff(), "walk")
    assert np.ptp(clip.positions[:, WITHERS, 1]) < 1e-9
    assert np.ptp(clean("walk").positions[:, WITHERS, 1]) > 0.015
    assert max(slides(clip, stances)) < 1e-4


def test_a_lame_horse_nods_once_a_stride() -> None:
    clip, stances = spoiled(made.lame("LF"))
    head = made.horse().index("Head")
    phase = np.exp(2j * np.pi * np.arange(312) / 78)  # four strides of 0.65 s
    once = [abs((c.positions[:312, head, 1] * phase).mean()) * 2 for c in (clip, clean("trot"))]
    assert once[0] == pytest.approx(0.04, abs=1e-3)
    assert once[1] < 1e-3
    duty = strides_of(stances).mean_duty()
    assert duty[1] - duty[0] == pytest.approx(0.07)


def test_a_hasty_body_gains_speed_at_once_on_planted_feet() -> None:
    clip, stances = spoiled(made.hasty(0.5, 2.0))
    speed = np.diff(clip.positions[:, WITHERS, 2]) * 120
    assert np.allclose(speed[:239], 2.76)
    assert np.allclose(speed[241:], 3.26)
    assert max(slides(clip, stances)) < 1e-4


def test_the_bad_horse_flies_after_its_hind_legs_slides_and_bends() -> None:
    clip, stances = spoiled(made.BAD, "gallop-right")
    lf, rf, lh, rh = stances
    gap = lf[np.searchsorted(lf[:, 0], rh[1, 1]), 0] - rh[1, 1]
    assert gap > 0.05
    assert min(slides(clip, stances)) == pytest.approx(0.08, abs=0.01)
    assert flexions(clip)[:, :2, 1].min() > 24.9
    assert len(rf) and len(lh)


# Faults of the finished clip.


def test_finished_clips_are_moved_turned_and_scaled() -> None:
    clip = clean("trot", 60)
    assert np.allclose(made.lifted(clip, 0.02).positions - clip.positions, [0, 0.02, 0])
    assert np.allclose(made.backward(clip).positions, clip.positions[::-1])
    assert np.allclose(made.mirrored(clip).positions, clip.positions * [-1, 1, 1])
    assert np.allclose(made.mirrored(made.mirrored(clip)).rotations, clip.rotations)
    assert np.allclose(made.enlarged(clip, 100).positions, 100 * clip.positions)
    assert made.resampled(clip, 24).fps == 24


def test_a_pop_is_one_joint_in_one_frame() -> None:
    clip = clean("trot", 60)
    off = quat.angle(clip.rotations, made.popped(clip, by=20.0, frame=100).rotations)
    where = np.argwhere(off > 1e-9)
    assert where.tolist() == [[100, made.horse().index("Cervical05")]]
    assert off.max() == pytest.approx(np.radians(20))
