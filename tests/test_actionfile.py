"""Action files: round trips, the four published files, and what every kind of damage is answered with."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoofbeat.errors import ActionFileError
from hoofbeat.formats import actionfile
from hoofbeat.formats.actionfile import (
    Action,
    ActionJoint,
    JointAliasWarning,
    format_action,
    parse_action,
    read_action,
    write_action,
)
from hoofbeat.maths.expressions.program import compile_expression, evaluate, pack

GOOD = """DURATION_DATA 0.6 .9 .9
FLIGHT_DATA .21 .36 .21 .86
{
{30,0,0} {-30,0,0} {-.5 rcos1 .45 bias,0,0} Femur
{0,-5,10} {0,5,-10} {0,1 rsin1 .65 bias,0 noise} Tail
} Trot
"""
THESIS = ("idle", "walk", "trot", "transverse-gallop")

words = st.sampled_from(
    ["0", "", ".5 rcos1 .45 bias", "1 .75 rcos1 .3 bias -", " 0\tnoise2 ", "t t *", "-1e-3", "7\n"]
)
angles = st.tuples(*[st.floats(-3600, 3600)] * 3)
names = st.text(st.characters(codec="utf-8", exclude_characters="{}"), min_size=1, max_size=12).filter(
    lambda name: name.isprintable() and " " not in name
)
joints = st.builds(ActionJoint, names, angles, angles, st.tuples(*[words.map(compile_expression)] * 3))
actions = st.builds(
    Action,
    names,
    st.lists(st.floats(0.01, 3600), min_size=3, max_size=3).map(sorted).map(lambda d: (d[0], d[2], d[1])),
    st.lists(st.tuples(st.floats(1e-9, 1), st.floats(0, 1)), max_size=3),
    st.lists(joints, max_size=5, unique_by=lambda j: j.joint),
)


@given(actions)
def test_what_is_written_reads_back_equal_and_writes_the_same_text(action):
    text = format_action(action)
    again = parse_action(text)
    assert again == action
    assert format_action(again) == text


def test_a_file_is_read_as_it_says():
    action = parse_action(GOOD)
    assert (action.name, action.durations) == ("Trot", (0.6, 0.9, 0.9))
    assert action.flights == ((0.21, 0.36), (0.21, 0.86))
    femur, tail = action.joints
    assert (femur.joint, femur.low, femur.high) == ("Femur", (30, 0, 0), (-30, 0, 0))
    assert [str(e) for e in tail.expressions] == ["0", "1 rsin1 .65 bias", "0 noise"]


def test_the_text_is_one_an_animator_can_edit():
    assert format_action(parse_action(GOOD)) == GOOD.replace(" .", " 0.").replace("0.45", ".45").replace(
        "0.65", ".65"
    )


def test_expressions_are_written_on_one_line_and_never_empty():
    odd = tuple(compile_expression(text) for text in ("", "1\n rsin1", " t"))
    action = Action("A", (1, 1, 1), (), (ActionJoint("Hip", (0, 0, -0.0), (1, 2.5, 1e-7), odd),))  # type: ignore
    assert "{0,0,0} {1,2.5,1e-07} {0,1 rsin1,t} Hip\n" in format_action(action)


def test_blanks_tabs_line_endings_and_comments_are_free():
    loose = "\ufeff# a trot\r\n\r\n" + GOOD.replace("\n", "\r\n  # note\r\n\t")
    loose = loose.replace(",", " ,\t").replace("} {", "}{").replace("{30", "{ +30.0")
    assert parse_action(loose) == parse_action(GOOD)
    assert parse_action(GOOD.replace("\n", "\r")) == parse_action(GOOD)


def test_no_flight_is_written_as_two_zeros_or_left_out():
    none = GOOD.replace(".21 .36 .21 .86", "0 0")
    assert parse_action(none).flights == ()
    assert parse_action(re.sub("FLIGHT_DATA.*\n", "", GOOD)) == parse_action(none)
    assert "FLIGHT_DATA 0 0\n" in format_action(parse_action(none))


BAD = {
    "empty": ("", 1, "without DURATION_DATA"),
    "no durations": (GOOD.replace("DURATION_DATA 0.6 .9 .9\n", ""), 2, "DURATION_DATA"),
    "durations twice": ("DURATION_DATA 1 1 1\n" + GOOD, 2, "twice"),
    "flights twice": ("FLIGHT_DATA 0 0\n" + GOOD, 3, "twice"),
    "two durations": (GOOD.replace("0.6 .9 .9", "0.6 .9"), 1, "2 numbers"),
    "shortest above longest": (GOOD.replace("0.6 .9 .9", "1 .5 .7"), 1, "shortest, is above the second"),
    "default outside": (GOOD.replace("0.6 .9 .9", ".6 .9 1"), 1, "the default, lies outside"),
    "zero duration": (GOOD.replace("0.6", "0"), 1, "between 0.01 and 3600"),
    "NaN duration": (GOOD.replace("0.6", "nan"), 1, "column 15: 'nan' is not a finite number"),
    "huge duration": (GOOD.replace("0.6", "1e999"), 1, "finite"),
    "odd flights": (GOOD.replace(" .86", ""), 2, "pairs"),
    "no flight numbers": (GOOD.replace(".21 .36 .21 .86", ""), 2, "pairs"),
    "flight too long": (GOOD.replace(".21 .36", "1.2 .36"), 2, "from 0 to 1"),
    "flight starts late": (GOOD.replace(".36", "1.36"), 2, "from 0 to 1"),
    "negative flight": (GOOD.replace(".36", "-.36"), 2, "from 0 to 1"),
    "no length": (GOOD.replace(".21 .36", "0 .36"), 2, "0 0 for no flight"),
    "many flights": (GOOD.replace(".21 .36", ".1 .1 " * 9), 2, "at most 8"),
    "unknown header": (GOOD.replace("FLIGHT_DATA", "FLIGHTDATA"), 2, "expected DURATION_DATA"),
    "two braces": (GOOD.replace("{-30,0,0} ", ""), 4, "2 opening and 2 closing"),
    "brace lost": (GOOD.replace("{-30,0,0}", "{-30,0,0"), 4, "3 opening and 2 closing"),
    "brace extra": (GOOD.replace("{-30,0,0}", "{{-30,0,0}"), 4, "4 opening"),
    "joint lost": (GOOD.replace(" Femur", ""), 4, "one joint name"),
    "two joints": (GOOD.replace(" Femur", " Femur Left"), 4, "one joint name"),
    "two angles": (GOOD.replace("{30,0,0}", "{30,0}"), 4, "2 angles"),
    "four expressions": (GOOD.replace("bias,0,0}", "bias,0,0,0}"), 4, "column 21: 4 expressions"),
    "angle missing": (GOOD.replace("{30,0,0}", "{30,,0}"), 4, "not a finite number"),
    "angle no number": (GOOD.replace("{30,0,0}", "{30, x,0}"), 4, "column 6: 'x'"),
    "angle infinite": (GOOD.replace("{30,0,0}", "{inf,0,0}"), 4, "column 2"),
    "angle too large": (GOOD.replace("{30,0,0}", "{30,0,-3601}"), 4, "column 7"),
    "unknown word": (GOOD.replace(".45 bias", ".45 bais"), 4, "column 35: unknown word 'bais'; did you mean"),
    "underflow": (GOOD.replace("1 rsin1", " rsin1"), 5, "column 25: 'rsin1' needs an offset"),
    "two values": (GOOD.replace(".45 bias", ".45"), 4, "column 31: 2 values are left"),
    "joint twice": (GOOD.replace("Tail", "Femur"), 5, "Femur is given twice"),
    "no name": (GOOD.replace("} Trot", "}"), 6, "cannot name an Action"),
    "name with brace": (GOOD.replace("} Trot", "} Tr{ot"), 6, "cannot name an Action"),
    "after the end": (GOOD + "DURATION_DATA 1 1 1", 7, "after the closing line"),
    "cut short": (GOOD[: GOOD.index("} Trot")], 6, "without the closing line"),
    "cut in a line": (GOOD[: GOOD.index("bias")], 4, "braces"),
    "binary": (GOOD.replace("Tail", "Ta\0il"), 5, "column 52: byte 0;"),
}


@pytest.mark.parametrize("case", BAD)
def test_damage_is_named_with_its_line(case):
    text, line, says = BAD[case]
    with pytest.raises(ActionFileError) as caught:
        parse_action(text, "a.action")
    assert (caught.value.path, caught.value.line) == ("a.action", line)
    assert says in caught.value.reason, caught.value.reason


def test_size_is_bounded():
    with pytest.raises(ActionFileError, match="at most"):
        parse_action("#" * (actionfile.MAX_BYTES + 1))
    head = "DURATION_DATA 1 1 1\n{\n"
    rows = "".join(f"{{0,0,0}}{{0,0,0}}{{0,0,0}}J{i}\n" for i in range(actionfile.MAX_JOINTS + 1))
    with pytest.raises(ActionFileError, match="more than 4096 joints"):
        parse_action(head + rows + "} X")


@pytest.mark.parametrize("character", "1.{}, #-e")
def test_a_million_of_anything_is_answered_at_once(character):
    many = character * 10**6
    for text in (many, GOOD.replace("30", many), GOOD.replace("Femur", many)):
        with pytest.raises(ActionFileError):
            parse_action(text, joints=["Hip", "Tail"])


damage = st.tuples(st.integers(0, len(GOOD)), st.integers(0, 20), st.text(max_size=8))


@given(st.lists(damage, min_size=1, max_size=3))
def test_any_damage_is_read_or_is_an_action_file_error(cuts):
    text = GOOD
    for at, length, put in cuts:
        text = text[:at] + put + text[at + length :]
    try:
        action = parse_action(text)
    except ActionFileError as error:
        assert error.line >= 1
    else:
        assert parse_action(format_action(action)) == action


def test_an_unknown_joint_lists_the_joints_nearest_first():
    with pytest.raises(ActionFileError) as caught:
        parse_action(GOOD, joints=["Tail", "Hip", "FemurLeft", "Hoof"])
    assert caught.value.line == 4
    assert "unknown joint 'Femur'" in caught.value.reason
    assert caught.value.reason.endswith("nearest first: FemurLeft, Hoof, Tail, Hip")
    with pytest.raises(ActionFileError, match="and 36 more"):
        parse_action(GOOD, joints=[f"J{i}" for i in range(100)])


def test_the_short_name_of_a_rear_hoof_is_taken_with_a_warning():
    text = GOOD.replace("Femur", "EFHoofLeft")
    with pytest.warns(JointAliasWarning, match="line 4: joint EFHoofLeft read as EFRearHoofLeft") as seen:
        action = parse_action(text, joints=["Tail", "EFRearHoofLeft"])
    assert action.joints[0].joint == "EFRearHoofLeft"
    assert [entry.filename for entry in seen] == [__file__]  # the caller's line is blamed
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse_action(text).joints[0].joint == "EFHoofLeft"  # no skeleton, no alias
        assert parse_action(text, joints=["Tail", "EFHoofLeft"]).joints[0].joint == "EFHoofLeft"
    with pytest.raises(ActionFileError, match="unknown joint"):
        parse_action(text, joints=["Tail", "EFRearHoofRight"])
    both = text.replace("Tail", "EFRearHoofLeft")
    with pytest.raises(ActionFileError, match="EFRearHoofLeft is given twice"):
        parse_action(both, joints=["EFRearHoofLeft"])


def test_actions_made_in_code_are_checked_too():
    zero = compile_expression("0")
    good = ActionJoint("Hip", (0, 0, 0), (1, 2, 3), (zero, zero, zero))
    assert good.high == (1.0, 2.0, 3.0)
    wrong = [
        lambda: ActionJoint("Hip left", (0, 0, 0), (1, 2, 3), (zero, zero, zero)),
        lambda: ActionJoint("Hip", (0, 0, float("nan")), (1, 2, 3), (zero, zero, zero)),
        lambda: ActionJoint("Hip", (0, 0), (1, 2, 3), (zero, zero, zero)),  # type: ignore[arg-type]
        lambda: ActionJoint("Hip", (0, 0, 0), (1, 2, 3), (zero, zero)),  # type: ignore[arg-type]
        lambda: Action("A", (1, 1, 2), (), (good,)),
        lambda: Action("A", (1, 1, 1), ((0, 0),), (good,)),
        lambda: Action("A", (1, 1, 1), (), (good, good)),
        lambda: Action("", (1, 1, 1), (), (good,)),
        lambda: Action("a\nb", (1, 1, 1), (), (good,)),
    ]
    for make in wrong:
        with pytest.raises(ActionFileError):
            make()


def test_files_are_written_and_read(tmp_path: Path):
    path = tmp_path / "trot.action"
    action = parse_action(GOOD)
    assert write_action(action, path) == path
    assert read_action(path) == action
    assert [p.name for p in tmp_path.iterdir()] == ["trot.action"]
    path.write_bytes(b"DURATION_DATA 1 1 1\n\xff\xfe\0")
    with pytest.raises(ActionFileError, match=r"trot\.action:2: .*UTF-8"):
        read_action(path)
    path.write_bytes(b" " * (actionfile.MAX_BYTES + 1))
    with pytest.raises(ActionFileError, match="bytes"):
        read_action(path)
    with pytest.raises(ActionFileError, match="no such file"):
        read_action(tmp_path / "none.action")


def skeleton_joints(data_dir: Path) -> list[str]:
    return re.findall(r"(?:ROOT|JOINT) (\S+)", (data_dir / "thesis" / "horse.bvh").read_text())


@pytest.mark.data
@pytest.mark.parametrize("name", THESIS)
def test_the_published_files_fit_the_published_skeleton(data_dir: Path, name: str):
    known = skeleton_joints(data_dir)
    path = data_dir / "thesis" / f"{name}.action"
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        action = read_action(path, known)
    assert bool(seen) == (name in ("idle", "trot"))
    assert len(known) == 49 and [j.joint for j in action.joints] == known
    assert parse_action(format_action(action)) == action


@pytest.mark.data
@pytest.mark.parametrize("name", THESIS)
def test_the_published_curves_stay_in_range_and_are_periodic(data_dir: Path, name: str):
    action = read_action(data_dir / "thesis" / f"{name}.action")
    programs = pack([e for j in action.joints for e in j.expressions])
    phase = np.arange(1000) / 1000
    values = evaluate(programs, phase)
    assert values.shape == (1000, 147)
    assert values.min() >= 0 and values.max() <= 1
    assert np.abs(values - evaluate(programs, phase + 3)).max() < 1e-5
    assert (programs.constant == (np.ptp(values, axis=0) == 0)).all()
    low, high = np.array([(j.low, j.high) for j in action.joints]).swapaxes(0, 1).reshape(2, -1)
    moving = int(((np.ptp(values, axis=0) > 0) & (low != high)).sum())
    assert moving == {"idle": 0, "walk": 22, "trot": 19, "transverse-gallop": 21}[name]
