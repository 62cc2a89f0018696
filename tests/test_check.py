"""The check as a whole: the right verdict for the right reason, reports that programs can read, pages."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.check_page import PAGE, renewed
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import hoofbeat as hb
import made
from hoofbeat.body.clip import Clip
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.check import Report, assert_gait, check
from hoofbeat.check.api import in_metres, scaled
from hoofbeat.check.loop import cycle_of, repeated_clip
from hoofbeat.check.measure import Limit, Measure, judged
from hoofbeat.check.measures import GROUPS, LIMITS
from hoofbeat.check.recognise import Stride, dominant
from hoofbeat.check.report import SCHEMA, Span, UnknownMeasure, strain, value_text, worst_first
from hoofbeat.errors import ClipError, HoofbeatError, SkeletonError, UnknownGait
from hoofbeat.gaits.names import KNOWN, NAMES, expected_gaits
from hoofbeat.maths import quat
from hoofbeat.offline.bench.cases import check as bench_check
from hoofbeat.offline.bench.report import Gate
from hoofbeat.render.draw.theme import LIGHT, PictureError
from hoofbeat.render.pages.checksheet import check_sheet

ROOT = Path(__file__).resolve().parents[1]
made_clip = cache(made.clip)


@cache
def report_of(gait: str) -> Report:
    return check(made_clip(gait))


def part_of(clip: Clip, frames: slice) -> Clip:
    return Clip(clip.skeleton, clip.rotations[frames], clip.origins[frames], clip.fps, None, clip.name)


# ---- verdicts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("gait", [g for g in made.GAITS if g not in ("stand", "jump", "transition")])
def test_a_good_horse_shows_its_gait(gait: str) -> None:
    found = report_of(gait)
    assert found.gait == gait and found.expected is None
    assert found.passed, found
    assert len(found.shown) >= 3 and found.speed == pytest.approx(made.usual_speed(gait), rel=0.03)
    assert found.unit == 1 and found.repeats == 1 and found.hip == pytest.approx(1.1, abs=0.1)


def test_a_wrong_gait_is_named() -> None:
    found = check(made_clip("trot"), "rack")
    assert {"gait", "phase-LF", "phase-RF"} <= set(found.failed)
    assert found.gait == "trot" and found.expected == "rack" and "asked for rack" in found.headline
    assert check(made_clip("rack"), "pace").passed


@pytest.mark.parametrize(("gait", "name"), [("canter-left", "canter"), ("gallop-right", "gallop")])
def test_a_gait_without_a_lead_takes_either(gait: str, name: str) -> None:
    assert check(made_clip(gait), name).passed
    other = gait.replace("left", "x").replace("right", "left").replace("x", "right")
    assert "gait" in check(made_clip(gait), other).failed


def test_standing_and_jumping_can_be_asked_for() -> None:
    assert check(made_clip("stand"), "stand").measure("gait").passed
    assert "gait" in check(made_clip("walk"), "stand").failed
    assert check(made_clip("jump"), "jump").measure("gait").passed
    assert "gait" in check(made_clip("walk"), "jump").failed
    still = check(made_clip("stand"), "trot")
    assert still.failed == ("gait",) and still.gait is None and "no stride" in still.headline


def test_a_unit_is_guessed_and_only_size_fails() -> None:
    clip = made_clip("walk")
    large = scaled(clip, 100)
    found = check(large)
    assert found.failed == ("size",) and found.unit == 0.01
    assert found.speed == pytest.approx(report_of("walk").speed)
    back, unit = in_metres(large)
    assert unit == 0.01
    np.testing.assert_allclose(back.positions, clip.positions, atol=1e-9)
    assert in_metres(clip) == (clip, 1.0)


def test_a_path_and_a_floor_can_be_given() -> None:
    clip = made_clip("walk")
    way = clip.origins[::10, [0, 2]]
    near, far = check(clip, path=way), check(clip, path=way + [1.0, 0.0])
    assert near.measure("path-deviation").passed and "path-deviation" in far.failed
    assert {"path-deviation", "heading-deviation"} & {m.name for m in report_of("walk").measures} == set()
    assert "penetration" in check(clip, floor=0.05).failed and "hover" in check(clip, floor=-0.05).failed
    with pytest.raises(ClipError, match="floor"):
        check(clip, floor=math.nan)


def test_legs_can_be_given() -> None:
    clip = made_clip("walk")
    names, legs = clip.skeleton.names, clip.skeleton.legs
    text = ",".join(f"{leg.name}={names[leg.toe]}" for leg in legs)
    found = check(clip, legs=text)
    assert found.legs_by == "given" and found.gait == "walk"
    crossed = ",".join(f"{leg.name}={names[legs[k ^ 1].toe]}" for k, leg in enumerate(legs))
    assert "sides" in check(clip, legs=crossed).failed
    with pytest.raises(SkeletonError, match="nearest"):
        check(clip, legs=text.replace("EFForeHoofLeft_end", "EFForeHofLeft"))


def test_contacts_that_a_clip_says_do_not_count() -> None:
    clip = made_clip("trot")
    liar = Clip(clip.skeleton, clip.rotations, clip.origins, clip.fps, np.ones((len(clip), 4)), clip.name)
    assert check(liar).measures == report_of("trot").measures


def test_an_animal_that_shifts_its_feet_shows_no_gait() -> None:
    walk = made_clip("walk")
    whole = check(part_of(walk, slice(0, 150)))
    assert whole.gait == "walk" and len(whole.strides) <= 2
    held = np.concatenate([np.arange(150), np.full(3000, 149)])
    rested = Clip(walk.skeleton, walk.rotations[held], walk.origins[held], walk.fps)
    assert check(rested).gait is None


# ---- what cannot be checked ---------------------------------------------------------------------------


def chain(nodes: int = 8, frames: int = 30) -> Clip:
    names = [f"bone{k}" for k in range(nodes)]
    skeleton = Skeleton(names, range(-1, nodes - 1), np.full((nodes, 3), 0.1))
    return Clip(skeleton, quat.identity((frames, nodes)), np.zeros((frames, 3)), 30, name="snake")


def test_what_has_no_legs_or_no_motion_is_a_clear_error() -> None:
    with pytest.raises(SkeletonError, match="snake.*no four legs.*--legs"):
        check(chain())
    clip = made_clip("walk")
    for count in (0, 1, 3):
        with pytest.raises(ClipError, match=f"{count} frames; a movement needs 4"):
            check(part_of(clip, slice(0, count)))
    with pytest.raises(UnknownGait, match="did you mean 'trot'"):
        check(clip, "trott")
    with pytest.raises(ClipError, match="path"):
        check(clip, path=np.zeros((5, 3)))


@pytest.mark.parametrize("count", [4, 7, 20, 60])
def test_short_clips_are_judged_by_what_they_show(count: int) -> None:
    found = check(part_of(made_clip("walk"), slice(30, 30 + count)))
    assert found.frames == count and math.isfinite(found.hip)
    json.dumps(found.to_dict(), allow_nan=False)


@given(
    seed=st.integers(0, 2**32 - 1),
    frames=st.integers(4, 90),
    rough=st.sampled_from([0.0, 0.02, 0.3, 3.0]),
    size=st.sampled_from([1e-6, 0.3, 1.0, 1e5]),
    fps=st.sampled_from([5.0, 30.0, 1000.0]),
)
def test_any_motion_is_judged_or_refused_by_name(
    seed: int, frames: int, rough: float, size: float, fps: float
) -> None:
    walk, chance = made_clip("walk"), np.random.default_rng(seed)
    turns = chance.normal(0, rough, (frames, len(walk.skeleton), 3))
    rotations = quat.mul(walk.rotations[:frames], quat.exp(turns))
    origins = walk.origins[:frames] + chance.normal(0, rough, (frames, 3))
    clip = scaled(Clip(walk.skeleton, rotations, origins, fps), size)
    try:
        found = check(clip, (None, "trot", "stand", "gallop")[seed % 4])
    except HoofbeatError as problem:
        assert str(problem)
        return
    json.dumps(found.to_dict(), allow_nan=False)
    assert str(found)


# ---- gaits that are asked for -------------------------------------------------------------------------


def test_every_name_stands_for_gaits_that_a_stride_can_have() -> None:
    for name in KNOWN:
        assert expected_gaits(name) and set(expected_gaits(name)) <= set(NAMES)
    for name in NAMES:
        assert expected_gaits(name) == (name,)
    assert expected_gaits("gallop") == tuple(n for n in NAMES if "gallop" in n)
    with pytest.raises(UnknownGait, match="did you mean 'canter'"):
        expected_gaits("cantre")


def stride(gait: str, start: float = 0.0, duration: float = 1.0) -> Stride:
    return Stride(start, duration, gait, 1.0, (0.25, 0.75, 0.0, 0.5), (0.6, 0.6, math.nan, 0.6))


def test_the_longest_gait_is_the_one_shown() -> None:
    found = [stride("walk"), stride("walk"), stride("trot", duration=2.5), stride("transition", duration=9)]
    assert dominant(found) == "trot" and dominant(found, ("walk", "amble")) == "walk"
    assert dominant(found[3:]) is None and dominant(found, ("rack",)) is None


# ---- loops --------------------------------------------------------------------------------------------


@cache
def period(gait: str) -> tuple[Clip, int]:
    """A clip on the spot whose stride is a whole number of frames, and that number."""
    speed = made.usual_speed(gait)
    seconds = float(report_of(gait).shown[0].duration)
    frames = round(seconds * 60)
    return made.clip(gait, speed, fps=frames / seconds, in_place=True), frames


@pytest.mark.parametrize("closed", [True, False], ids=["last pose is the first", "one before it"])
@pytest.mark.parametrize("gait", ["walk", "trot", "canter-left"])
def test_one_cycle_is_as_good_as_many(gait: str, closed: bool) -> None:
    clip, frames = period(gait)
    once = part_of(clip, slice(20, 20 + frames + closed))
    assert cycle_of(once) == frames
    found = check(once)
    assert found.repeats == 4 and found.gait == gait and found.frames == frames + closed
    assert found.passed, found
    np.testing.assert_allclose(found.shown[0].touchdown, report_of(gait).shown[0].touchdown, atol=0.02)


def test_a_loop_that_travels_and_turns_goes_on_where_it_ended() -> None:
    clip, frames = period("trot")
    seconds = np.arange(len(clip)) / clip.fps
    yaw = 0.5 * seconds
    turn = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), yaw)
    rotations = np.array(clip.rotations)
    rotations[:, 0] = quat.mul(turn, rotations[:, 0])
    circle = 5.0 * np.stack([1 - np.cos(yaw), 0 * yaw, np.sin(yaw)], axis=1)
    long = Clip(clip.skeleton, rotations, quat.rotate(turn, clip.origins) + circle, clip.fps)
    for extra in (1, 0):
        once = part_of(long, slice(0, frames + extra))
        assert cycle_of(once) == frames
        again = repeated_clip(once, frames, 3)
        assert len(again) == 3 * frames
        np.testing.assert_allclose(again.positions, long.positions[: 3 * frames], atol=2e-3)


@pytest.mark.parametrize("part", [slice(0, 30), slice(0, 45), slice(3, 70)])
def test_what_does_not_close_is_no_loop(part: slice) -> None:
    assert cycle_of(part_of(made_clip("walk", in_place=True), part)) is None
    assert cycle_of(part_of(made_clip("walk"), slice(0, 3))) is None


# ---- reports ------------------------------------------------------------------------------------------

numbers = st.floats(allow_nan=True, allow_infinity=True)
finite = st.floats(-1e6, 1e6)
limits = st.builds(
    lambda pair, low, high: Limit(min(pair) if low else None, max(pair) if high else None, "somebody"),
    st.tuples(finite, finite),
    st.booleans(),
    st.booleans(),
)
names = st.text("abcdefgh-", min_size=1, max_size=12)
measures = st.builds(
    judged,
    names,
    st.sampled_from(GROUPS),
    st.none() | numbers,
    st.sampled_from(["", "mm"]),
    limits,
    st.text(),
)
strides_made = st.builds(
    Stride,
    finite,
    st.floats(0.01, 10),
    st.sampled_from(NAMES),
    finite | st.just(math.nan),
    st.tuples(numbers, numbers, numbers, numbers),
    st.tuples(numbers, numbers, numbers, numbers),
)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    rows = draw(st.lists(measures, max_size=8, unique_by=lambda m: m.name))
    strides = tuple(draw(st.lists(strides_made, max_size=4)))
    shown = draw(st.sampled_from([None, *(s.gait for s in strides)]))
    spans = (Span("idle", 0.0, 1.5), Span("move", 1.5, 2.0))
    return Report("a", 4, 30.0, 4 / 30, 1.0, 1.1, "names", shown, None, spans, strides, tuple(rows))


@given(reports())
def test_a_report_is_plain_finite_data(report: Report) -> None:
    found = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert found["schema"] == SCHEMA and found["passed"] is report.passed
    assert found["failed"] == [m["name"] for m in found["measures"] if m["passed"] is False]
    for row in found["measures"]:
        assert row["value"] is None or math.isfinite(row["value"])
        if row["value"] is not None and row["passed"] is not None:
            inside = (row["low"] is None or row["value"] >= row["low"]) and (
                row["high"] is None or row["value"] <= row["high"]
            )
            assert row["passed"] is inside
    assert len(found["strides"]) == len(report.strides)
    assert report.headline in str(report)
    for one in report.measures:
        assert one.name in str(report)


@given(reports(), st.sets(names, max_size=3))
def test_what_is_ignored_does_not_count(report: Report, more: set[str]) -> None:
    every = report.ignoring([m.name for m in report.measures])
    assert every.passed and every.measures == report.measures and every.judged == 0
    assert report.ignoring([m.group for m in report.measures]).passed
    assert report.ignoring(["*"]).passed
    assert report.ignoring(()) == report
    for name in more - {m.name for m in report.measures} - set(LIMITS):
        with pytest.raises(UnknownMeasure):
            report.ignoring([name])
    assert report.ignoring(["slide", "phase-*", "real horses"]).measures == report.measures  # known elsewhere


@given(measures)
def test_the_strain_agrees_with_the_verdict(one: Measure) -> None:
    used = strain(one)
    if one.passed is None:
        assert used == -1
    else:
        assert used >= 0 and (used <= 1) is one.passed
    assert value_text(one)


@pytest.mark.parametrize(
    ("low", "high", "value", "used"),
    [
        (None, 10.0, 5.0, 0.5),
        (None, 10.0, -3.0, 0.0),
        (0.0, 2.0, 0.0, 0.0),  # as good as it gets, not at an edge
        (0.0, 2.0, 1.0, 0.5),
        (2.0, 4.0, 3.5, 0.5),
        (4.0, 4.0, 4.0, 0.0),
        (0.9, None, 0.95, 0.5),
        (0.9, None, 1.0, 0.0),
        (0.8, None, -0.2, 6.0),
        (3.0, None, 6.0, 0.5),
        (3.0, None, 1.5, 2.0),
    ],
)
def test_how_much_of_a_limit_is_used(
    low: float | None, high: float | None, value: float, used: float
) -> None:
    assert strain(judged("a", "clip", value, "", Limit(low, high, ""))) == pytest.approx(used)


def test_the_worst_comes_first() -> None:
    top = Limit(None, 10.0, "s")
    rows = [judged(name, "ground", value, "mm", top) for name, value in (("a", 2), ("b", 30), ("c", 9))]
    rows.append(judged("d", "ground", 0.2, "", Limit(0.5, None, "s")))
    rows.append(judged("e", "ground", None, "", top))
    assert [m.name for m in worst_first(rows)] == ["b", "d", "c", "a", "e"]
    texts = [value_text(replace(rows[0], value=v)) for v in (0.0, -0.0001, 0.0123, 12.345, 12345.6)]
    assert texts == ["0 mm", "0 mm", "0.012 mm", "12.3 mm", "12346 mm"]


def test_a_report_of_a_clip_has_every_measure_in_order() -> None:
    found = report_of("walk")
    order = [GROUPS.index(m.group) for m in found.measures]
    assert order == sorted(order)
    plain = {m.name for m in found.measures if m.group not in ("real horses", "path")}
    assert plain == {name for name in LIMITS if not name.endswith("-deviation")} - {"suspension-place"}
    assert sum(span.stop - span.start for span in found.states) == pytest.approx(found.seconds)
    assert found.measure("slide").group == "ground"
    with pytest.raises(UnknownMeasure, match="did you mean 'slide'"):
        found.measure("slid")


def test_the_schema_is_documented() -> None:
    page = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    section = page.split("## Report as JSON", 1)[1].split("\n## ", 1)[0]
    found = report_of("trot").to_dict()
    rows = {row.split("|")[1].strip(" `"): row for row in section.splitlines() if row.startswith("| `")}
    assert set(rows) == set(found) and f'"{SCHEMA}"' in section
    for key in ("states", "strides", "measures"):
        assert all(f"`{name}`" in rows[key] for name in found[key][0]), key
    inner = {*found["comparison"], *found["comparison"]["curves"][0]}
    assert all(f"`{name}`" in rows["comparison"] for name in inner)


def test_the_limits_on_the_page_are_those_of_the_code() -> None:
    """Renew the page with `python -m benchmarks.check_page` where this fails, and say there why."""
    text = PAGE.read_text(encoding="utf-8")
    assert renewed(text) == text
    for name in LIMITS:
        assert f"| `{name}` |" in text, name
    assert renewed(text.replace(">= 0.9", ">= 0.5")) == text


# ---- for tests, and the front door --------------------------------------------------------------------


def test_an_assertion_says_what_is_wrong() -> None:
    assert_gait(made_clip("walk"), "walk")
    bad = made_clip("walk", wrong=made.sliding(by=0.03))
    with pytest.raises(AssertionError) as caught:
        assert_gait(bad, "walk")
    first, *lines = str(caught.value).splitlines()
    assert "asked for walk: " in first and "slide" in first
    slide = next(line for line in lines if line.startswith("  slide: "))
    assert "limit <= " in slide and LIMITS["slide"].source in slide and "LF" in slide
    assert_gait(bad, "walk", ignore=("slide", "speed-error", "skating", "real horses", "symmetry*"))
    with pytest.raises(UnknownMeasure, match="did you mean 'slide'"):
        assert_gait(bad, "walk", ignore=("slyde",))


def test_the_front_door_is_a_function_and_a_package() -> None:
    assert hb.check(made_clip("trot"), gait="trot").passed
    assert hb.check.assert_gait is assert_gait and hb.check.check is check
    assert "check" in hb.__all__ and "check" in dir(hb)


@pytest.mark.parametrize(
    "first",
    ["import hoofbeat.check", "hb.check", "from hoofbeat.check import check", "import hoofbeat.check.motion"],
)
def test_it_stays_one_whatever_was_imported_first(first: str) -> None:
    code = (
        f"import hoofbeat as hb\n{first}\nimport hoofbeat.check as module\nimport hoofbeat\n"
        "assert hb.check is module is hoofbeat.check\n"
        "assert callable(hb.check) and callable(hb.check.assert_gait) and callable(module.check)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


# ---- pages --------------------------------------------------------------------------------------------


def page(report: Report, path: Path, **options: Any) -> np.ndarray:
    assert check_sheet(report, path, **options) == path
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"))


def share_of(pixels: np.ndarray, colour: tuple[int, ...]) -> float:
    return float((np.abs(pixels.astype(int) - colour).max(axis=-1) < 6).mean())


def test_a_page_shows_the_four_legs_and_the_verdict(tmp_path: Path) -> None:
    pixels = page(report_of("walk"), tmp_path / "walk.png", width=1000)
    assert pixels.shape[1] == 1000 and 600 < pixels.shape[0] < 1000
    for colour in LIGHT.legs:
        assert share_of(pixels, colour) > 1e-3
    bad = check(made_clip("walk", wrong=made.BAD))
    failed = page(bad, tmp_path / "bad.png", width=1000)
    badge = (slice(25, 47), slice(905, 965))
    assert share_of(pixels[badge], LIGHT.legs[0]) > 0.4 and share_of(failed[badge], LIGHT.legs[1]) > 0.4
    np.testing.assert_array_equal(pixels, page(report_of("walk"), tmp_path / "again.png", width=1000))


def test_real_horses_stand_beside_a_walk_only(tmp_path: Path) -> None:
    band = tuple(round(q + (r - q) * 0.62) for q, r in zip(LIGHT.quiet, LIGHT.row, strict=True))
    walk = page(report_of("walk"), tmp_path / "walk.png", width=1000)
    canter = page(report_of("canter-left"), tmp_path / "canter.png", width=1000)
    assert share_of(walk, band) > 5 * share_of(canter, band)


@pytest.mark.parametrize(
    ("gait", "frames"),
    [("stand", slice(None)), ("jump", slice(None)), ("walk", slice(0, 90)), ("trot", slice(0, 4))],
)
def test_odd_clips_are_drawn(gait: str, frames: slice, tmp_path: Path) -> None:
    report = check(part_of(made_clip(gait), frames))
    assert page(report, tmp_path / "a.png", width=1000, theme="dark").std() > 5


def test_a_root_on_the_ground_is_left_out_of_the_picture(tmp_path: Path) -> None:
    clip = made_clip("walk")
    skeleton = clip.skeleton
    names = ["stub", *skeleton.names]
    parents = [-1, *(int(p) + 1 for p in skeleton.parents)]
    under = np.array([0.0, 1.0, 0.0])
    rooted = Skeleton(
        names, parents, np.vstack([np.zeros(3), under, skeleton.offsets[1:]]), [False, *skeleton.ends]
    )
    rotations = np.concatenate([quat.identity((len(clip), 1)), clip.rotations], axis=1)
    found = check(Clip(rooted, rotations, clip.origins - under, clip.fps, name="walk"))
    assert found.gait == "walk"
    drawn = page(found, tmp_path / "a.png", width=1000)
    plain = page(report_of("walk"), tmp_path / "b.png", width=1000)
    poses = slice(230, 330)
    assert (np.abs(drawn[poses].astype(int) - plain[poses]).max(axis=-1) > 40).mean() < 2e-4


def test_pages_that_cannot_be_drawn(tmp_path: Path) -> None:
    report = report_of("walk")
    with pytest.raises(PictureError, match="width must be"):
        check_sheet(report, tmp_path / "a.png", width=99)
    with pytest.raises(ClipError, match="the ending .png"):
        check_sheet(report, tmp_path / "a.jpg")
    with pytest.raises(PictureError, match="keeps no motion"):
        check_sheet(replace(report, motion=None), tmp_path / "a.png")
    assert list(tmp_path.iterdir()) == []


# ---- speed --------------------------------------------------------------------------------------------


def test_ten_thousand_frames_take_less_than_a_second() -> None:
    found: list[Gate] = []
    while len(found) < 3 and not (found and found[-1].passed):
        found.append(bench_check.run(frames=3000, rounds=2).gates[0])
    assert found[-1].passed, [gate.text() for gate in found]
