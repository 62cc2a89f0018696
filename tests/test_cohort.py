"""The cohort of real horses: its limits, the faults they detect, markers, mean strides, trials."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoofbeat.body.clip import Clip
from hoofbeat.body.contacts import stances_of
from hoofbeat.body.legs.find import find_legs
from hoofbeat.body.skeleton import Leg, Skeleton
from hoofbeat.check import markers
from hoofbeat.check.markers import MARKERS, Markers, MeanStride, markers_of, mean_stride
from hoofbeat.check.measures import GROUPS, cohort
from hoofbeat.check.measures.cohort import (
    AXES,
    RECORDED,
    REFERENCE,
    cohort_of,
    compare,
    difference_of,
    every_curve,
)
from hoofbeat.errors import ClipError, FileError, UnknownGait
from hoofbeat.formats.bvh.reader import read_bvh
from hoofbeat.formats.gltf.reader.load import read_gltf_all
from hoofbeat.formats.scenefile import DATA as PACKAGED
from hoofbeat.gaits.footfall import Strides, strides, strides_of
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.offline.vienna import reference as vienna
from hoofbeat.offline.vienna.table import FAULTS, detected, passing, tables

WITHERS = 1.3
TRIALS = [f"Horse{horse}_M2_{gait}1_kinematics.txt" for horse in (1, 2, 3) for gait in RECORDED]


def real_stride(gait: str, wrong: str = "", fault: str = "") -> MeanStride:
    """The real horses' mean stride at their mean speed, one marker made wrong on request."""
    real = cohort_of(gait)
    curves = np.zeros((100, 7, 3))
    for (marker, axis), row in real.curves.items():
        made = FAULTS[fault](row.mean) if marker == wrong else row.mean
        curves[:, MARKERS.index(marker), "xyz".index(axis)] = made
    curves[:, markers.WITHERS, 2] += 1.0
    speed = math.sqrt(real.froude[1] * GRAVITY * WITHERS)
    return MeanStride(curves, WITHERS, speed, 1.0, 8, MappingProxyType({}), "a horse")


# The reference and its limits


@pytest.mark.data
def test_the_shipped_reference_is_what_the_builder_makes(data_dir: Path, tmp_path: Path) -> None:
    made, table = tmp_path / "made.json", tmp_path / "table.md"
    vienna.main([str(data_dir / "horse_vienna"), "-o", str(made), "--table", str(table)])
    assert made.read_bytes() == REFERENCE.read_bytes()
    assert "8 of 10 pass" in table.read_text(encoding="utf-8")


def test_the_reference_has_its_own_licence_and_holds_no_recordings() -> None:
    licence = (REFERENCE.parent / "LICENSE.md").read_text(encoding="utf-8")
    for words in ("CC BY-SA 4.0", "Vienna Horse Data Collection", "Changes made", "licenses/by-sa/4.0"):
        assert words in licence
    assert REFERENCE.stat().st_size < 100_000


@pytest.mark.parametrize("gait", RECORDED)
def test_eight_of_ten_real_horses_pass_when_left_out(gait: str) -> None:
    real = cohort_of(gait)
    kept = passing(real)
    assert len(kept) >= 8
    assert set(kept) == set(range(1, 11)) - set(real.set_aside)


def test_the_leave_one_out_tables_are_printed() -> None:
    """Shown by `pytest -s`."""
    text = tables(json.loads(REFERENCE.read_text(encoding="utf-8")))
    print("\n" + text)  # noqa: T201
    assert text.count("8 of 10 pass") == 2 and text.count("| RH z |") == 6 and "none" not in text


@pytest.mark.parametrize("gait", RECORDED)
def test_limits_are_never_tighter_than_their_start(gait: str) -> None:
    for (marker, _), row in cohort_of(gait).curves.items():
        second = sorted(horse.distance for horse in row.horses)[-2]
        low, high = row.bounds.amplitude
        assert row.bounds.distance >= second and low <= 0.65 and high >= 1.6
        assert row.bounds.correlation <= (0.9 if len(marker) == 2 else 0.8)
        # Wide enough for real horses, not for anything.
        assert row.bounds.correlation >= 0.5 and low >= 0.45 and high <= 2.1


@pytest.mark.parametrize("gait", RECORDED)
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("wrong", MARKERS)
def test_a_wrong_marker_fails(gait: str, fault: str, wrong: str) -> None:
    found = compare(real_stride(gait, wrong, fault), gait)
    assert found.passed is False
    assert {score.marker for score in found.curves if not score.passed} == {wrong}


@pytest.mark.parametrize("gait", RECORDED)
def test_curves_that_cannot_tell_a_fault_are_the_documented_ones(gait: str) -> None:
    blind = {
        (fault, *curve)
        for fault in FAULTS
        for curve, told in detected(cohort_of(gait), fault).items()
        if not told
    }
    backward = {
        "walk": {("sacrum", "y"), ("LF", "z"), ("RF", "z")},
        "trot": {("head", "x"), ("sacrum", "x")},
    }
    assert blind == {("time-reversed", *curve) for curve in backward[gait]}


@pytest.mark.data
@pytest.mark.parametrize("gait", RECORDED)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_marker_of_any_real_horse_fails(data_dir: Path, gait: str, fault: str) -> None:
    each, _ = vienna.horses(data_dir / "horse_vienna", gait)
    others = (each.sum(axis=0) - each) / (len(each) - 1)
    bounds = {curve: row.bounds for curve, row in cohort_of(gait).curves.items()}
    for marker, axes in AXES.items():
        for own, mean in zip(each, others, strict=True):
            pairs = [(vienna.curve_of(own, (marker, a)), vienna.curve_of(mean, (marker, a)), a) for a in axes]
            shares = [
                bounds[marker, a].share(difference_of(FAULTS[fault](own), mean)) for own, mean, a in pairs
            ]
            assert max(shares) > 1, (marker, shares)


# Comparing


@pytest.mark.parametrize("gait", RECORDED)
def test_the_mean_horse_passes_and_lies_nearest(gait: str) -> None:
    found = compare(real_stride(gait), gait)
    assert found.passed is True and found.reason == ""
    assert all(s.nearer == 0 and s.share < 1e-6 for s in found.curves)
    assert set(found.places) == {*MARKERS, "all"}
    assert all(place.startswith("farther from the mean than 0 of 10") for place in found.places.values())


def test_the_place_among_the_horses_grows_with_the_distance() -> None:
    real = cohort_of("walk")
    nearer = []
    for times in (1.0, 1.05, 1.2, 1.5, 3.0):
        stride = real_stride("walk")
        grown = replace(stride, curves=(stride.curves - 1) * times + 1)
        score = {(s.marker, s.axis): s for s in compare(grown, "walk").curves}["LH", "z"]
        assert score.found.amplitude == pytest.approx(times)
        assert score.found.distance == pytest.approx(
            (times - 1) * real.curves["LH", "z"].mean.std(), abs=1e-9
        )
        nearer.append(score.nearer)
    assert nearer == sorted(nearer) and nearer[0] == 0 and nearer[-1] == 10


@pytest.mark.parametrize(("times", "passes"), [(0.6, False), (0.7, True)])
def test_too_small_a_motion_fails_by_its_amplitude(times: float, passes: bool) -> None:
    stride = real_stride("walk")
    curves = np.array(stride.curves)
    curves[:, markers.WITHERS, 2] = 1 + times * (curves[:, markers.WITHERS, 2] - 1)
    found = compare(replace(stride, curves=curves), "walk")
    assert found.passed is passes
    wrong = [row.name for row in every_curve(found) if not row.passed]
    assert wrong == ([] if passes else ["walk-withers-z-amplitude"])


@pytest.mark.parametrize("times", [0.9, 1.15])
def test_a_speed_nearby_is_comparable(times: float) -> None:
    stride = real_stride("trot")
    assert compare(replace(stride, speed=stride.speed * times), "trot").passed is True


@pytest.mark.parametrize("times", [0.86, 1.21])
def test_another_speed_is_not_comparable_rather_than_wrong(times: float) -> None:
    stride = real_stride("trot")
    found = compare(replace(stride, speed=stride.speed * times), "trot")
    assert found.passed is None and "not comparable" in found.reason and "m/s" in found.reason
    assert len(found.curves) == 14
    assert all(m.passed is None for m in every_curve(found) + cohort.summary(found))


def test_recorded_speeds_are_comparable_at_any_size() -> None:
    for gait in RECORDED:
        for froude in cohort_of(gait).froude:
            for size in (0.3, 1.3, 1.8):
                speed = math.sqrt(froude * GRAVITY * size)
                assert compare(replace(real_stride(gait), withers=size, speed=speed), gait).passed


def test_what_cannot_be_judged_says_why() -> None:
    stride = real_stride("walk")
    assert "recorded at a canter" in compare(stride, "canter").reason
    lost = replace(stride, missing=MappingProxyType({"withers": "not found"}))
    assert compare(lost, "walk").passed is None and "withers" in compare(lost, "walk").reason
    assert compare(replace(stride, horse=None), "walk").passed is None
    headless = compare(replace(stride, missing=MappingProxyType({"head": "no joint"})), "walk")
    assert headless.passed is True and {s.marker for s in headless.curves} == set(MARKERS) - {"head"}
    with pytest.raises(UnknownGait):
        cohort_of("gallop")


@pytest.mark.parametrize("gait", RECORDED)
@pytest.mark.parametrize("wrong", ["", "head", "LF"])
def test_measures_agree_with_the_comparison(gait: str, wrong: str) -> None:
    found = compare(real_stride(gait, wrong, "quarter stride late" if wrong else ""), gait)
    for rows in (every_curve(found), cohort.summary(found)):
        assert len({row.name for row in rows}) == len(rows)
        assert {row.group for row in rows} <= set(GROUPS)
        assert all(row.passed for row in rows) == found.passed
        assert all(row.limit.source for row in rows)
    assert len(every_curve(found)) == 3 * 14 and len(cohort.summary(found)) == 7


# Mean strides


def moved(time: np.ndarray, period: float = 0.9, speed: float = 1.5) -> np.ndarray:
    """Markers (T, 7, 3) that go along +Z while each moves periodically."""
    phase = 2 * np.pi * time / period
    at = np.zeros((len(time), 7, 3))
    for m in range(7):
        at[:, m, 0] = 0.1 * np.sin(phase + m) + (0.0, 0.0, 0.0, 0.2, -0.2, 0.2, -0.2)[m]
        at[:, m, 1] = 0.05 * np.cos(2 * phase + m) + (1.5, 1.3, 1.3, 0.1, 0.1, 0.1, 0.1)[m]
        at[:, m, 2] = 0.3 * np.sin(phase - m) + (1.0, 0.0, -0.7, 0.3, 0.3, -0.7, -0.7)[m] + speed * time
    return at


def travelling(fps: float, seconds: float, speed: float = 1.5) -> Markers:
    at = moved(np.arange(round(seconds * fps) + 1) / fps, speed=speed)
    return Markers(at, fps, MappingProxyType({}), "made")


def averaged(made: Markers, heading: float = 0.0, period: float = 0.9) -> MeanStride:
    start = np.arange(0.2, 10, period)
    yaw = np.full(len(made.positions), heading)
    return mean_stride(made, yaw, start, np.full(len(start), period), 1.5)


def test_a_mean_stride_is_the_period_itself() -> None:
    got = averaged(travelling(120, 5))
    at = moved(0.2 + 0.9 * np.arange(100) / 100)
    x, y, z = np.moveaxis(at - at[:, markers.WITHERS, None] * [1, 0, 1], -1, 0)
    assert got.count == 5 and got.duration == pytest.approx(0.9)
    assert got.withers == pytest.approx(1.3, abs=1e-3)
    assert np.abs(got.curves * got.withers - np.stack([z, x, y], axis=-1)).max() < 1e-4


@pytest.mark.parametrize("fps", [24, 30, 60, 240])
def test_the_frame_rate_does_not_matter(fps: float) -> None:
    assert np.abs(averaged(travelling(fps, 5)).curves - averaged(travelling(120, 5)).curves).max() < 2e-3


@given(st.floats(-7, 7), st.floats(-100, 100), st.floats(0.01, 100), st.booleans(), st.integers(0, 2**32 - 1))
def test_heading_place_size_and_travel_do_not_matter(
    yaw: float, shift: float, size: float, spot: bool, seed: int
) -> None:
    made = travelling(60, 3)
    at = np.array(made.positions)
    if spot:
        at[..., 2] -= 1.5 * np.arange(len(at))[:, None] / 60
    c, s = math.cos(yaw), math.sin(yaw)
    at = at @ np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]])  # +Z turns to (sin, 0, cos)
    at = size * at + np.random.default_rng(seed).normal(size=3) * [shift, 0, shift]
    got = averaged(replace(made, positions=at), yaw)
    assert np.allclose(got.curves, averaged(made).curves, atol=1e-9 * (1 + abs(shift) / size))
    assert got.withers == pytest.approx(1.3 * size, rel=1e-3)


def test_left_and_forward_have_their_signs() -> None:
    curves = averaged(travelling(60, 5)).curves.mean(axis=0)
    assert curves[3, 1] > 0 > curves[4, 1] and curves[0, 0] > 0 > curves[2, 0] and curves[0, 2] > 1


def test_a_turning_animal_draws_the_same_stride() -> None:
    made = travelling(120, 5, speed=0.0)
    yaw = 0.3 + 0.5 * np.arange(len(made.positions)) / 120
    c, s = np.cos(yaw)[:, None], np.sin(yaw)[:, None]
    x, y, z = np.moveaxis(made.positions, -1, 0)
    turned = replace(made, positions=np.stack([c * x + s * z, y, c * z - s * x], axis=-1))
    start = np.arange(0.2, 4, 0.9)
    # The body's own sway about its course is not taken for a turn.
    swaying = yaw + 0.05 * np.sin(2 * np.pi * np.arange(len(yaw)) / 120 / 0.9)
    got = mean_stride(turned, swaying, start, np.full(len(start), 0.9), 0.0)
    assert np.abs(got.curves - averaged(made).curves).max() < 2e-3


def test_one_stride_is_enough_and_none_is_an_error() -> None:
    made = travelling(60, 1)
    flat = np.zeros(len(made.positions))
    assert mean_stride(made, flat, [0.05], [0.9], 1.5).count == 1
    for start in ([], [0.2], [-0.1]):
        with pytest.raises(ClipError, match="strides"):
            mean_stride(made, flat, start, [0.9] * len(start), 1.5)
    with pytest.raises(ClipError, match="headings"):
        mean_stride(made, flat[1:], [0.05], [0.9], 1.5)
    with pytest.raises(ClipError, match="ground"):
        mean_stride(made, flat, [0.05], [0.9], 1.5, ground=2.0)


# Markers on skeletons


def thesis_clip() -> Clip:
    clip = read_bvh(PACKAGED / "thesis" / "horse.bvh")
    return Clip(clip.skeleton.with_legs(find_legs(clip.skeleton)), clip.rotations, clip.origins, clip.fps)


def test_markers_of_the_thesis_horse() -> None:
    found = markers_of(thesis_clip())
    assert found.horse == "thesis horse" and not found.missing
    head, withers, sacrum, *hooves = found.positions[0]
    ground = thesis_clip().positions[0, :, 1].min()
    height = withers[1] - ground
    assert height == pytest.approx(1.295, abs=0.002)
    # The real horses: sacrum 0.58 withers heights behind the withers and as high.
    assert np.linalg.norm(sacrum - withers) / height == pytest.approx(0.58, abs=0.01)
    assert head[1] > withers[1] and max(h[1] - ground for h in hooves) < 0.08


def test_another_skeleton_is_reported_but_not_judged() -> None:
    names = ["Hips", "Croup", "Chest", "Neck", "Skull"]
    parents, offsets = (
        [-1, 0, 0, 2, 3],
        [[0, 1, 0], [0, 0.1, -0.1], [0, 0.05, 0.6], [0, 0.2, 0.1], [0, 0.3, 0.3]],
    )
    legs = []
    for leg, (base, side) in zip(("LF", "RF", "LH", "RH"), ((2, 1), (2, -1), (0, 1), (0, -1)), strict=True):
        first = len(names)
        names += [f"{leg}{part}" for part in ("top", "mid", "low", "toe")]
        parents += [base, first, first + 1, first + 2]
        offsets += [[0.1 * side, -0.1, 0], [0, -0.3, 0], [0, -0.3, 0], [0, -0.3, 0]]
        legs.append(leg_at(leg, first))
    skeleton = Skeleton(names, parents, offsets, legs=legs)
    clip = Clip(skeleton, np.tile([0.0, 0, 0, 1], (3, len(names), 1)), np.zeros((3, 3)), 30.0)
    found = markers_of(clip)
    assert found.horse is None and set(found.missing) == {"head"}
    assert np.isnan(found.positions[:, 0]).all()
    assert np.array_equal(found.positions[:, 1], clip.positions[:, names.index("Chest")])
    assert np.array_equal(found.positions[:, 2], clip.positions[:, names.index("Croup")])
    assert np.array_equal(
        found.positions[:, 3:], clip.positions[:, [n for n, x in enumerate(names) if "toe" in x]]
    )
    assert markers_of(clip, horse="mine").horse == "mine"
    with pytest.raises(ClipError, match="no named legs"):
        markers_of(Clip(skeleton.with_legs([]), clip.rotations, clip.origins, 30.0))


def leg_at(name: str, first: int) -> Leg:
    return Leg(name, first, first + 1, first + 2, -1, first + 3)


# Raw trials


def by_belt(trial: Markers) -> Strides:
    """By the rule that the summary was made with."""
    return strides(vienna.on_belt(trial)[2], trial.fps)


def by_toes(trial: Markers) -> Strides:
    """As `hoofbeat check` finds stances in any clip; legs of 0.86 withers heights, the thesis horse's."""
    withers = trial.positions[:, markers.WITHERS, 1].mean()
    return strides_of(stances_of(trial.positions[:, 3:], trial.fps, 0.86 * withers))


@pytest.mark.data
@pytest.mark.parametrize("found_by", [by_belt, by_toes])
@pytest.mark.parametrize("name", TRIALS)
def test_raw_trials_agree_with_the_summary(
    data_dir: Path, name: str, found_by: Callable[[Markers], Strides]
) -> None:
    horse, session, gait = re.match(r"Horse(\d+)_M(\d+)_([a-z]+)", name).groups()  # type: ignore[union-attr]
    trial = vienna.read_trial(data_dir / "horse_vienna" / "trials" / name, 120.0)
    found = found_by(trial)
    with (data_dir / "horse_vienna" / "stride_summary.csv").open(encoding="utf-8") as file:
        rows = [
            r for r in csv.DictReader(file) if (r["horse"], r["session"], r["gait"]) == (horse, session, gait)
        ]
    row = {key: float(value) for key, value in rows[0].items() if key != "gait"}
    lf, rf, _, rh = found.mean_touchdown()
    duty = found.mean_duty()
    phases = {"td_phase_LF_after_LH": lf, "td_phase_RF": rf, "td_phase_RH": rh}
    for key, value in phases.items():
        assert abs((value - row[key] + 0.5) % 1 - 0.5) < 0.02, key
    assert float(np.median(found.duration)) == pytest.approx(row["stride_s"], abs=0.02)
    assert duty[:2].mean() == pytest.approx(row["duty_fore"], abs=0.02)
    assert duty[2:].mean() == pytest.approx(row["duty_hind"], abs=0.02)
    assert vienna.on_belt(trial)[1] == pytest.approx(row["speed_mps"], abs=0.05)


@pytest.mark.data
@pytest.mark.parametrize("name", TRIALS)
def test_raw_trials_draw_the_mean_strides_of_the_collection(data_dir: Path, name: str) -> None:
    horse, session, gait = re.match(r"Horse(\d+)_M(\d+)_([a-z]+)", name).groups()  # type: ignore[union-attr]
    spot, belt, contacts = vienna.on_belt(
        vienna.read_trial(data_dir / "horse_vienna" / "trials" / name, 120.0)
    )
    found = strides(contacts, 120.0)
    got = mean_stride(spot, np.zeros(len(contacts)), found.start, found.duration, belt)
    with np.load(data_dir / "horse_vienna" / "mean_strides.npz") as data:
        same = (data["horse"] == int(horse)) & (data["session"] == int(session)) & (data["gait"] == gait)
        kept = data["cycles"][np.flatnonzero(same)[0]]
    # Others chose among the strides and time a touchdown on the frame, not between two.
    rms = np.sqrt(((got.curves * got.withers - kept) ** 2).mean(axis=(0, 1)))
    assert rms.max() < 0.02
    assert compare(got, gait).reason == ""


@pytest.mark.parametrize(
    ("text", "line"),
    [("1,2,3\n", 1), ("0," * 20 + "0\n" + "0," * 20 + "x\n", 2), ("0," * 20 + "nan\n", 1), ("", 0)],
)
def test_bad_trials_are_named(tmp_path: Path, text: str, line: int) -> None:
    path = tmp_path / "trial.txt"
    path.write_text(text)
    with pytest.raises(FileError) as error:
        vienna.read_trial(path, 120.0)
    assert error.value.line == line


def test_a_folder_without_mean_strides_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="horse_vienna"):
        vienna.build(tmp_path)


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::hoofbeat.errors.GltfWarning")
def test_markers_of_the_horse_of_three_js(data_dir: Path) -> None:
    for clip in read_gltf_all(data_dir / "gltf" / "threejs-horse" / "Horse.gltf"):
        if clip.name == "Walk":
            names = clip.skeleton.names
            feet = [names.index(f"{end}Foot.{side}") for end in ("Front", "Back") for side in "LR"]
            legs = [leg_at(leg, 0) for leg in ("LF", "RF", "LH", "RH")]
            legs = [replace(leg, toe=foot) for leg, foot in zip(legs, feet, strict=True)]
            found = markers_of(replace_skeleton(clip, clip.skeleton.with_legs(legs)))
            assert found.horse == "three.js horse" and not found.missing
            head, withers, sacrum, *hooves = found.positions.mean(axis=0)
            assert head[1] > withers[1] > 4 * max(hoof[1] for hoof in hooves)
            assert head[2] > withers[2] > sacrum[2]


def replace_skeleton(clip: Clip, skeleton: Skeleton) -> Clip:
    return Clip(skeleton, clip.rotations, clip.origins, clip.fps, clip.contacts, clip.name)
