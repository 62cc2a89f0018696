"""The leap: the shipped record is what its parameters make; it flies as things fall and joins the canter."""

# pyright: reportArgumentType=false

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hoofbeat.body.clip import Clip
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.check import check
from hoofbeat.errors import ClipError, HoofbeatError
from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.gaits.database import DatabaseError
from hoofbeat.gaits.leap import (
    HORSE_LEAP,
    LOW,
    MID,
    SINK,
    Leap,
    format_leap,
    mirrored_leap,
    read_leap,
    write_leap,
)
from hoofbeat.maths import quat
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.offline.author.__main__ import HORSE_STYLES, LEAP_STYLE, canter_of, main
from hoofbeat.offline.author.cycle import leg_at, lowering
from hoofbeat.offline.author.leap import keys_between, leap_clip, make_leap
from hoofbeat.offline.author.leapbody import spline
from hoofbeat.offline.author.leapstyle import for_height, read_leap_style
from hoofbeat.offline.author.limb import about_x
from hoofbeat.offline.author.style import Style, StyleError, bounce_of, read_styles
from hoofbeat.offline.author.trunk import SCAPULAE, scapula, trunk_pose

Floats = NDArray[np.float64]
LF, RF, LH, RH = range(4)


@cache
def horse() -> Skeleton:
    return read_scene(THESIS_HORSE).skeleton


@cache
def leap() -> Leap:
    return read_leap()


@cache
def clip(fps: float = 120.0) -> Clip:
    return leap_clip(leap(), horse(), fps)


@cache
def canter() -> Style:
    return canter_of(read_leap_style(LEAP_STYLE).canter, read_styles(HORSE_STYLES), HORSE_STYLES)


def cantering(phase: Floats) -> Floats:
    """Local rotations (K, J, 4) of the canter at phases (K,)."""
    style, skeleton = canter(), horse()
    bounce = bounce_of(style)
    rotations, _ = trunk_pose(style, skeleton, bounce, phase)
    lowered = lowering(style, skeleton, bounce)
    for leg, joints in enumerate(skeleton.legs):
        path, limb = leg_at(style, skeleton, bounce, leg, (phase - style.touchdown[leg]) % 1.0, lowered)
        for joint, turn in zip(
            (joints.top, joints.mid, joints.low, joints.pastern, joints.pastern + 1),
            (limb.top, limb.mid, limb.low, limb.pastern, limb.hoof),
            strict=True,
        ):
            rotations[:, joint] = turn
        if leg < 2:
            rotations[:, skeleton.index(SCAPULAE[leg])] = about_x(scapula(style, path.ahead))
    return rotations


def bends(rotations: Floats, fps: float) -> Floats:
    """Largest angular acceleration (J,) [rad/s2] of each joint, between frames."""
    turns = quat.log(quat.mul(quat.inverse(rotations[:-1]), quat.normalize(rotations[1:]))) * fps
    return np.linalg.norm(np.diff(turns, axis=0), axis=2).max(axis=0) * fps


def stances_of(made: Leap, leg: int) -> Floats:
    return made.stances[made.stances[:, 0] == leg, 1:]


# --- the file


def test_the_shipped_leap_is_what_the_parameters_make(tmp_path: Path) -> None:
    """To 1e-6 on any machine; the bytes themselves are the same on the one that made it."""
    assert main([str(HORSE_STYLES), "-o", str(tmp_path / "cycles.npz")]) == 0
    made, shipped = read_leap(tmp_path / "leap.npz"), leap()
    assert (made.name, made.gait, made.canter, made.joints) == (
        shipped.name,
        shipped.gait,
        shipped.canter,
        shipped.joints,
    )
    for key in ("root", "mass", "trunk", "toe", "hold", "stances", "takeoff", "landing", "gain"):
        np.testing.assert_allclose(getattr(made, key), getattr(shipped, key), atol=1e-6, rtol=0)


def test_the_same_leap_gives_the_same_bytes(tmp_path: Path) -> None:
    again = read_leap(write_leap(leap(), tmp_path / "copy.npz"))
    assert format_leap(again) == format_leap(leap()) == HORSE_LEAP.read_bytes()


@pytest.mark.parametrize("damage", ["cut", "empty", "other", "shape", "nan", "gait", "text"])
def test_a_broken_leap_is_refused_by_name(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "bad.npz"
    data = HORSE_LEAP.read_bytes()
    if damage in ("cut", "empty"):
        path.write_bytes(data[: len(data) // 2] if damage == "cut" else b"")
    else:
        with np.load(HORSE_LEAP) as archive:
            arrays = {name: archive[name] for name in archive.files}
        if damage == "other":
            arrays = {"a": np.zeros(3)}
        elif damage == "gait":
            arrays["gait"] = np.array("canters")
        elif damage == "text":
            arrays["rate"] = np.array("fast")
        else:
            arrays["toe"] = arrays["toe"][:, :3] if damage == "shape" else arrays["toe"] * np.nan
        np.savez(path, **arrays)
    with pytest.raises(DatabaseError, match="bad.npz"):
        read_leap(path)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (("height: 1.0", "height: 0.1"), "height"),
        (("height: 1.0", "heights: 1.0"), "height"),
        (("height: 1.0", "height: high"), "number"),
        (("length: 3.1", ""), "needs length"),
        (("pitch: [[", "pitch: [[9, 9, 9], ["), "pitch"),
        (("neck: [[", "neck: [[5, 0], ["), "grow"),
        (("push_left: [-0.165, 0.0]", "push_left: [-0.165, -0.05]"), "leaves at 0"),
    ],
)
def test_a_mistake_in_the_parameters_is_reported(tmp_path: Path, change: tuple[str, str], word: str) -> None:
    text = LEAP_STYLE.read_text(encoding="utf-8")
    assert change[0] in text
    path = tmp_path / "bad.yaml"
    path.write_text(text.replace(*change), encoding="utf-8")
    with pytest.raises(StyleError, match=word) as caught:
        read_leap_style(path)
    assert "bad.yaml" in str(caught.value)


def test_an_unknown_canter_is_reported() -> None:
    with pytest.raises(StyleError, match="canter-left-5.5"):
        canter_of("canter-9", read_styles(HORSE_STYLES), LEAP_STYLE)


@given(st.binary(max_size=200))
def test_any_bytes_are_parameters_or_refused(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "any.yaml"
        path.write_bytes(b"name: a\ncanter: b\nheight: 1\nlength: 3\ncarried: 0.6\nneck: " + data)
        try:
            read_leap_style(path)
        except StyleError:
            pass


# --- the flight


def test_the_centre_of_mass_falls_freely_and_keeps_its_speed_in_the_air() -> None:
    made = leap()
    times = np.arange(len(made.mass)) / made.rate
    inside = (times > made.takeoff + 1.5 / made.rate) & (times < made.landing - 1.5 / made.rate)
    fall = np.diff(made.mass[:, 1], 2) * made.rate**2
    np.testing.assert_allclose(fall[inside[1:-1]], -GRAVITY, rtol=0.01)
    pace = np.diff(made.mass[:, 2])[inside[1:] & inside[:-1]] * made.rate
    np.testing.assert_allclose(pace, made.length / (made.landing - made.takeoff), rtol=1e-6)
    apex = made.mass[:, 1].max() - np.interp(made.takeoff, times, made.mass[:, 1])
    assert made.gain == pytest.approx(apex, abs=2e-3)


def test_the_centre_of_mass_is_a_point_of_the_trunk_that_moves_without_a_jolt() -> None:
    made = leap()
    distance = np.linalg.norm(made.mass - made.root, axis=1)
    assert np.ptp(distance) < 1e-3
    # No row is pushed by more than seven times the weight, nor pulled down.
    push = np.diff(made.mass[:, 1], 2) * made.rate**2 / GRAVITY + 1
    assert -0.6 < push.min() and push.max() < 7


def test_numbers_of_a_leap_over_a_metre() -> None:
    made = leap()
    assert 0.45 <= made.landing - made.takeoff <= 0.56
    assert 3.0 <= made.length <= 3.6 and made.height == 1.0
    assert made.speed_in == made.speed_out == canter().speed
    steps = np.diff(made.mass[:, 2]) * made.rate
    assert abs(steps[0] - made.speed_in) < 0.01 and abs(steps[-1] - made.speed_out) < 0.01
    gained = np.diff(steps) * made.rate
    assert -6 < gained.min() and gained.max() < 5


def test_every_part_of_the_legs_passes_over_the_obstacle() -> None:
    """Somewhere under the flight a bar of the asked height is not touched."""
    positions = clip().positions
    parts = [j for joints in horse().legs for j in range(joints.mid, joints.toe + 1)]
    clear = 0.0
    for z in np.linspace(0.5, 3.0, 126):
        heights: list[float] = []
        for j in parts:
            past = positions[:, j, 2] - z
            for k in np.flatnonzero(np.sign(past[1:]) != np.sign(past[:-1])):
                part = past[k] / (past[k] - past[k + 1])
                heights.append(float(positions[k, j, 1] * (1 - part) + positions[k + 1, j, 1] * part))
        clear = max(clear, min(heights))
    assert leap().height <= clear < leap().height + 0.1


# --- the feet


def test_feet_leave_and_land_in_the_order_of_a_leap() -> None:
    made = leap()
    takeoff, landing = made.takeoff, made.landing
    fore = max(stances_of(made, leg)[:, 1][stances_of(made, leg)[:, 1] < takeoff].max() for leg in (LF, RF))
    hind = [stances_of(made, leg) for leg in (LH, RH)]
    push = [stances[np.abs(stances[:, 1] - takeoff) < 0.05][0] for stances in hind]
    assert fore < min(p[0] for p in push) + 1e-9, "the forelegs leave before the hind legs push"
    assert abs(push[0][0] - push[1][0]) < 0.03 and abs(push[0][1] - push[1][1]) < 0.03
    landings = [stances_of(made, leg)[:, 0] for leg in range(4)]
    first = [float(times[times > takeoff].min()) for times in landings]
    assert first[RF] == pytest.approx(landing)
    assert first[RF] + 0.03 < first[LF] < first[RH] < first[LH]
    times = np.linspace(takeoff + 1e-6, landing - 1e-6, 500)
    assert all((made.stance_at(leg, times) < 0).all() for leg in range(4))


@pytest.mark.parametrize("fps", [120.0, 60.0, 50.0])
def test_standing_toes_stay_on_the_ground_and_no_toe_is_under_it(fps: float) -> None:
    shown = clip(fps)
    assert shown.contacts is not None
    toes = shown.positions[:, [joints.toe for joints in horse().legs]]
    times = np.arange(len(shown)) / fps
    for leg in range(4):
        stance = leap().stance_at(leg, times)
        np.testing.assert_array_equal(shown.contacts[:, leg] > 0.5, stance >= 0)
        for n in np.unique(stance[stance >= 0]):
            stood = toes[stance == n, leg]
            assert np.abs(stood[:, 1]).max() < 1e-5
            assert np.ptp(stood, axis=0).max() < 1e-5
    assert toes[..., 1].min() > -1e-3
    hooves = shown.positions[:, [joints.toe - 1 for joints in horse().legs], 1]
    assert hooves.min() > -1e-3


@pytest.mark.parametrize("leg", range(4))
def test_legs_keep_their_limits(leg: int) -> None:
    hold = leap().hold[:, leg]
    mid, low = np.degrees(hold[:, MID]), np.degrees(hold[:, LOW])
    down = leap().stance_at(leg, np.arange(len(hold)) / leap().rate) >= 0
    if leg < 2:
        assert -16.01 <= mid.min() and mid.max() <= 115
        # The canter itself stretches a carpus that is about to land a little more than a leap does.
        assert -10 <= low.min() and 100 <= low.max() <= 130, "folded tightly in the air"
        aloft = np.arange(len(low)) / leap().rate < leap().landing
        assert low[aloft].min() >= -8.01
        assert np.abs(low[down]).max() < 6, "a loaded carpus is straight"
    else:
        assert -12.01 <= mid.min() and 80 <= mid.max() <= 100
        np.testing.assert_allclose(low, mid, atol=1e-3)


def test_fetlocks_sink_deeper_on_landing_than_at_a_gallop() -> None:
    gallop = max(style.sink[0] for style in read_styles(HORSE_STYLES) if style.gait == "gallop-right")
    times = np.arange(len(leap().hold)) / leap().rate
    for leg in (LF, RF):
        after = (times > leap().landing) & (times < leap().landing + 0.3)
        assert np.degrees(leap().hold[after, leg, SINK].max()) > gallop + 5


def test_fetlocks_fold_no_further_than_a_horses_do() -> None:
    """About 110 degrees from standing: beyond that the hoof would touch the cannon."""
    for joints in horse().legs:
        turns = clip().rotations[:, joints.pastern].astype(np.float64)
        assert np.degrees(quat.angle(turns, quat.identity((len(turns),)))).max() < 112


# --- the body


def test_the_trunk_rises_for_the_take_off_and_is_level_over_the_obstacle() -> None:
    forward = leap().mass - leap().root
    pitch = np.degrees(np.arctan2(forward[:, 1], forward[:, 2]))
    times = np.arange(len(pitch)) / leap().rate
    middle = 0.5 * (leap().takeoff + leap().landing)
    assert 20 <= np.interp(leap().takeoff, times, pitch) <= 30
    assert abs(np.interp(middle, times, pitch)) < 6
    assert -25 <= np.interp(leap().landing, times, pitch) <= -14


def test_the_head_goes_down_over_the_obstacle_and_up_on_landing() -> None:
    neck = clip().positions[:, horse().index("Head")] - clip().positions[:, horse().index("Thoracic01")]
    slope = np.degrees(np.arctan2(neck[:, 1], neck[:, 2]))
    times = np.arange(len(slope)) / 120
    takeoff, landing = leap().takeoff, leap().landing
    over_it = takeoff + 0.75 * (landing - takeoff)
    up, over, down = (np.interp(t, times, slope) for t in (takeoff, over_it, landing + 0.2))
    assert over < up - 20 and over < down - 10


@pytest.mark.parametrize("end", [0, -1])
def test_the_ends_join_the_canter(end: int) -> None:
    phase = leap().phase_in if end == 0 else leap().phase_out
    there = cantering(np.array([phase]))[0]
    apart = np.degrees(quat.angle(clip().rotations[end], there))
    assert apart.max() < 2.0, dict(zip(horse().names, apart.round(1), strict=True))
    bounce = bounce_of(canter())
    _, origin = trunk_pose(canter(), horse(), bounce, np.array([phase]))
    assert leap().root[end, 1] == pytest.approx(origin[0, 1] - lowering(canter(), horse(), bounce), abs=5e-3)


def test_no_joint_is_jerked_much_more_than_in_canter() -> None:
    rate = 120.0
    own = bends(cantering(np.arange(250) / (rate * canter().stride)), rate)
    made = bends(np.array(clip(rate).rotations), rate)
    assert made.max() < 1.3 * own.max()


def test_a_check_calls_it_a_jump() -> None:
    spans = check(clip(60.0)).states
    assert [span.state for span in spans] == ["move", "jump", "move"]
    assert spans[1].start == pytest.approx(leap().takeoff, abs=0.04)
    assert spans[1].stop == pytest.approx(leap().landing, abs=0.04)


# --- the other lead, other heights


def test_mirroring_exchanges_the_sides_and_twice_is_nothing() -> None:
    other = mirrored_leap(leap())
    assert other.gait == "canter-right" and other.name != leap().name
    assert other.phase_in == pytest.approx((leap().phase_in - canter().touchdown[RH]) % 1.0, abs=0.011)
    sides = {"Left": "Right", "Right": "Left"}
    other_side = [re.sub("Left|Right", lambda side: sides[side[0]], name) for name in horse().names]
    order = [horse().index(name) for name in other_side]
    flipped = leap_clip(other, horse(), 60.0).positions[:, order] * np.array([-1.0, 1.0, 1.0])
    np.testing.assert_allclose(flipped, clip(60.0).positions, atol=2e-3)
    again = mirrored_leap(other)
    assert (again.name, again.gait, again.canter) == (leap().name, leap().gait, leap().canter)
    assert again.phase_out == pytest.approx(leap().phase_out)
    for key in ("root", "mass", "trunk", "toe", "hold", "stances"):
        np.testing.assert_array_equal(getattr(again, key), getattr(leap(), key))


@pytest.mark.parametrize("height", [0.8, 0.9, 1.1, 1.2])
def test_another_height_needs_another_flight_only(height: float) -> None:
    style = for_height(read_leap_style(LEAP_STYLE), height)
    assert style.length / style.flight == pytest.approx(leap().length / (leap().landing - leap().takeoff))
    made = make_leap(style, canter(), horse())
    assert (made.landing - made.takeoff) ** 2 == pytest.approx(8 * (height - style.carried) / GRAVITY)
    shown = leap_clip(made, horse())
    toes = shown.positions[:, [joints.toe for joints in horse().legs]]
    for leg in range(4):
        stance = made.stance_at(leg, np.arange(len(shown)) / 60)
        for n in np.unique(stance[stance >= 0]):
            assert np.ptp(toes[stance == n, leg], axis=0).max() < 1e-5
    assert toes[..., 1].min() > -1e-3


def test_a_leap_under_its_own_hooves_is_refused() -> None:
    with pytest.raises(HoofbeatError, match="0.67 to"):
        for_height(read_leap_style(LEAP_STYLE), 0.4)


# --- tools


def test_a_spline_passes_its_points_with_its_slopes_and_bends_smoothly() -> None:
    at, values = np.array([0.0, 0.3, 0.5, 1.0]), np.array([1.0, -1.0, 2.0, 0.0])
    np.testing.assert_allclose(spline(at, values, (2.0, -3.0), at), values, atol=1e-12)
    t = np.linspace(0, 1, 20001)
    curve = spline(at, values, (2.0, -3.0), t)
    slope = np.gradient(curve, t)
    assert slope[0] == pytest.approx(2.0, abs=0.02) and slope[-1] == pytest.approx(-3.0, abs=0.02)
    bend = np.gradient(slope, t)[2:-2]
    assert np.abs(np.diff(bend)).max() < 1e-3 * np.ptp(bend)


def test_rows_read_between_are_rows_at_their_own_times() -> None:
    rows = leap().root
    np.testing.assert_array_equal(keys_between(rows, leap().rate, np.arange(len(rows)) / leap().rate), rows)
    with pytest.raises(ClipError, match="fps"):
        leap_clip(leap(), horse(), 0.0)
