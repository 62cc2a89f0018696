"""Plan files: what is written is read back, units are honoured, and a wrong line is named."""

from __future__ import annotations

import math
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoofbeat.formats.planfile import (
    MAX_SECONDS,
    Plan,
    PlanError,
    Segment,
    format_plan,
    parse_plan,
    read_plan,
    write_plan,
)

RIDE = """\
method: actions
fps: 50
seed: 7
terrain: flat
scene: pony.scene.yaml
settle: true
name: Ride 1
segments:
  - {for: 2 s, speed: 1.5}
  - for: 2.5 cycles
    gait: trot
    turn: 90 deg/s
  - {for: 1 min, froude: 0.5, action: idle, turn: -0.25}
"""


def test_every_key_is_read() -> None:
    plan = parse_plan(RIDE, "folder/ride.yaml")
    assert (plan.method, plan.fps, plan.seed, plan.terrain, plan.settle) == ("actions", 50, 7, "flat", True)
    assert plan.name == "Ride 1" and plan.scene_path() == Path("folder/pony.scene.yaml")
    assert plan.segments == (
        Segment(2.0, "s", 1.5),
        Segment(2.5, "cycles", gait="trot", turn=math.pi / 2),
        Segment(60.0, "s", froude=0.5, turn=-0.25, action="idle"),
    )
    assert [segment.line for segment in plan.segments] == [9, 10, 13]
    assert plan.seconds == 62


def test_most_keys_may_be_left_out() -> None:
    plan = parse_plan("segments: [{for: 3 s, speed: 2}]")
    assert plan == Plan((Segment(3, speed=2),)) and plan.scene_path() is None


@pytest.mark.parametrize(
    ("text", "length", "unit"),
    [
        ("3 s", 3, "s"),
        ("3s", 3, "s"),
        ("250 ms", 0.25, "s"),
        ("1.5min", 90, "s"),
        ("1 cycle", 1, "cycles"),
        ("2 strides", 2, "cycles"),
        ("1e1 s", 10, "s"),
        (" .5  s ", 0.5, "s"),
    ],
)
def test_lengths_have_units(text: str, length: float, unit: str) -> None:
    (segment,) = parse_plan(f"segments: [{{for: '{text}', speed: 2}}]").segments
    assert (segment.length, segment.unit) == (pytest.approx(length), unit)


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("speed", "2", 2),
        ("speed", "2.5 m/s", 2.5),
        ("speed", "36 km/h", 10),
        ("speed", "1e0", 1),
        ("froude", "0.4", 0.4),
        ("turn", "-1.5", -1.5),
        ("turn", "0.1 rad/s", 0.1),
        ("turn", "180 deg/s", math.pi),
        ("heading", "-1.5", -1.5),
        ("heading", "2 rad", 2),
        ("heading", "90 deg", math.pi / 2),
        ("extension", "-0.5", -0.5),
    ],
)
def test_quantities_may_have_units(key: str, text: str, value: float) -> None:
    (segment,) = parse_plan(f"segments: [{{for: 1 s, gait: trot, {key}: {text}}}]").segments
    assert getattr(segment, key) == pytest.approx(value)


#: text, line of the error, words that it must have.
BROKEN = {
    "unknown key": ("sped: 1\nsegments: [{for: 1 s, speed: 1}]", 1, ["'sped'", "Allowed: name, method"]),
    "unknown key in a segment": (
        "segments:\n  - for: 1 s\n    spede: 2\n",
        3,
        [
            "'spede'",
            "did you mean 'speed'?",
            "Allowed: for, speed, froude, gait, turn, heading, extension, action",
        ],
    ),
    "no segments": ("fps: 60\n", 1, ["segments", "expected a list"]),
    "segments of another kind": ("segments: trot", 1, ["expected a list of entries"]),
    "an empty list": ("segments: []", 1, ["expected a list"]),
    "for is missing": ("segments:\n  - {speed: 1}\n  - {for: 1 s}", 2, ["'for'", "for: 3 cycles"]),
    "for without a unit": (
        "segments:\n\n  - {for: 3, speed: 1}",
        3,
        ["no unit", "Known: s, ms, min, cycles"],
    ),
    "for in another unit": ("segments: [{for: 3 cyclse, speed: 1}]", 1, ["'cyclse'", "did you mean cycle"]),
    "for in words": ("segments: [{for: three s, speed: 1}]", 1, ["'three s'", "as in 3 s"]),
    "for is negative": ("segments: [{for: -1 s, speed: 1}]", 1, ["above 0", "-1"]),
    "too long": ("segments: [{for: 2 min, speed: 1}, {for: 3599 s, speed: 1}]", 1, ["3719 s", "3600"]),
    "too long alone": ("segments: [{for: 1e9 s, speed: 1}]", 1, ["at most 3600"]),
    "too many cycles": ("segments: [{for: 1e99 cycles, speed: 1}]", 1, ["at most 10000"]),
    "cycles of a stand": ("segments: [{for: 3 cycles, speed: 0}]", 1, ["makes no strides"]),
    "how is missing": ("segments: [{for: 1 s, turn: 1}]", 1, ["give speed, froude, gait or action"]),
    "speed twice": ("segments: [{for: 1 s, speed: 1, froude: 1}]", 1, ["give one of them"]),
    "speed not a number": ("segments: [{for: 1 s, speed: [1, 2]}]", 1, ["speed", "expected a number"]),
    "speed is infinite": ("segments: [{for: 1 s, speed: .inf}]", 1, ["finite"]),
    "speed is NaN": ("segments: [{for: 1 s, speed: .nan}]", 1, ["finite"]),
    "speed is endless": (f"segments: [{{for: 1 s, speed: {'9' * 4000}}}]", 1, ["finite"]),
    "speed of a comet": ("segments: [{for: 1 s, speed: 5000 km/h}]", 1, ["0 to 100 m/s"]),
    "speed is negative": ("segments: [{for: 1 s, speed: -1}]", 1, ["0 to 100 m/s, given -1"]),
    "turn in degrees": ("segments: [{for: 1 s, speed: 1, turn: 5 deg}]", 1, ["did you mean deg/s?"]),
    "heading and turn": ("segments: [{for: 1 s, speed: 1, turn: 1, heading: 1}]", 1, ["turn or heading"]),
    "heading as a rate": ("segments: [{for: 1 s, speed: 1, heading: 5 deg/s}]", 1, ["did you mean deg?"]),
    "extension too long": ("segments: [{for: 1 s, speed: 1, extension: 1.5}]", 1, ["-1 to 1, given 1.5"]),
    "gait is a number": ("segments: [{for: 1 s, gait: 3}]", 1, ["gait", "expected a text"]),
    "fps too low": ("fps: 1\nsegments: [{for: 1 s, speed: 1}]", 1, ["fps", "10 to 1000"]),
    "seed is not whole": (
        "name: a\nseed: 1.5\nsegments: [{for: 1 s, speed: 1}]",
        2,
        ["seed", "whole number"],
    ),
    "seed too large": ("seed: 4294967296\nsegments: [{for: 1 s, speed: 1}]", 1, ["seed", "4294967295"]),
    "settle is a word": ("settle: maybe\nsegments: [{for: 1 s, speed: 1}]", 1, ["true or false"]),
    "name is empty": ("name: ''\nsegments: [{for: 1 s, speed: 1}]", 1, ["name", "printable"]),
    "not a mapping": ("- for: 1 s", 1, ["key: value"]),
    "a key twice": ("fps: 60\nfps: 50\nsegments: [{for: 1 s, speed: 1}]", 2, ["twice"]),
    "not YAML": ("segments: [{for: 1 s", 1, ["not valid YAML"]),
    "an alias": ("a: &x {for: 1 s, speed: 1}\nsegments: [*x]", 2, ["aliases"]),
    "a tag": ("segments: !!python/object:os.system [{for: 1 s}]", 1, []),
    "nested without end": ("segments: " + "[" * 3000 + "]" * 3000, 0, ["nested"]),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_plans_name_their_line(case: str) -> None:
    text, line, words = BROKEN[case]
    start = time.perf_counter()
    with pytest.raises(PlanError) as caught:
        parse_plan(text, "ride.yaml")
    assert caught.value.path == "ride.yaml" and time.perf_counter() - start < 2
    assert line in (0, caught.value.line), str(caught.value)
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert len(str(caught.value)) < 400


def test_bytes_that_are_no_text() -> None:
    for data in (b"\xff\xfe\x00s", b"segments: [\x00]", b"\x93NUMPY", bytes(range(256)), b"a: 1\n" * 300_000):
        with pytest.raises(PlanError):
            parse_plan(data, "ride.yaml")


def test_files_are_read_and_written(tmp_path: Path) -> None:
    plan = parse_plan(RIDE)
    path = write_plan(plan, tmp_path / "ride.yaml")
    again = read_plan(path)
    assert again == plan and again.path == str(path)
    with pytest.raises(PlanError, match=r"none\.yaml: no such file"):
        read_plan(tmp_path / "none.yaml")
    with pytest.raises(PlanError, match="does not exist"):
        write_plan(plan, tmp_path / "none" / "ride.yaml")


def test_plans_made_in_python_are_checked_too() -> None:
    with pytest.raises(PlanError, match="above 0"):
        Segment(0, speed=1)
    with pytest.raises(PlanError, match="s or cycles"):
        Segment(1, "h", speed=1)
    with pytest.raises(PlanError, match="1 to 10000"):
        Plan(())
    with pytest.raises(PlanError, match="together"):
        Plan((Segment(MAX_SECONDS, speed=1), Segment(1, speed=1)))


words = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=20)
reals = st.floats(0, 100, allow_subnormal=True)


@st.composite
def segments(draw: st.DrawFn) -> Segment:
    cycles = draw(st.booleans())
    how = draw(st.sampled_from(["speed", "froude", "gait", "action"]))
    value = draw(words) if how in ("gait", "action") else draw(st.floats(0.01, 100))
    length = draw(st.floats(1e-6, 100, exclude_min=True))
    fields = {how: value if value != "stand" else "walk", "extension": draw(st.floats(-1, 1))}
    way = draw(st.sampled_from(["turn", "heading"]))
    return Segment(length, "cycles" if cycles else "s", **fields, **{way: draw(st.floats(-100, 100))})  # pyright: ignore[reportArgumentType]


@given(
    st.lists(segments(), min_size=1, max_size=5),
    words,
    st.floats(10, 1000),
    st.integers(0, 2**32 - 1),
    st.none() | words,
    st.booleans(),
)
def test_plans_round_trip(parts, name, fps, seed, scene, settle) -> None:  # type: ignore[no-untyped-def]
    plan = Plan(tuple(parts), name, fps, seed, name[::-1], scene, settle, name)
    again = parse_plan(format_plan(plan))
    assert again == plan
    assert format_plan(again) == format_plan(plan)


@given(st.text(max_size=60) | st.binary(max_size=60))
def test_no_text_crashes_the_parser(text: str | bytes) -> None:
    for made in (
        text,
        f"segments: [{{for: 1 s, speed: {text!r}}}]",
        f"segments:\n - for: {text}\n   speed: 1\n",
    ):
        try:
            parse_plan(made)
        except PlanError as problem:
            assert problem.reason


@pytest.mark.parametrize("value", ["0" * 20_000 + "-", "1." + "0" * 20_000 + "x1", " " * 20_000 + "x"])
def test_a_long_quantity_is_refused_at_once(value: str) -> None:
    start = time.process_time()
    with pytest.raises(PlanError, match="turn: expected a number"):
        parse_plan(f'segments:\n  - {{for: 1 s, speed: 1, turn: "{value}"}}\n')
    assert time.process_time() - start < 2


def test_options_of_the_method_round_trip_and_wrong_ones_are_named() -> None:
    text = "method: timewarp\noptions: {turning: paper, breed: all}\nsegments:\n  - {for: 1 s, speed: 1}\n"
    plan = parse_plan(text)
    assert plan.options == {"turning": "paper", "breed": "all"}
    assert parse_plan(format_plan(plan)) == plan
    with pytest.raises(PlanError, match="options: expected names"):
        parse_plan(text.replace("{turning: paper, breed: all}", "paper"))
    with pytest.raises(PlanError, match="a word or a number"):
        parse_plan(text.replace("paper", "[1, 2]"))
