"""CSV: a spreadsheet finds the contacts, phases and way that the clip has, and the events in order."""

from __future__ import annotations

import csv
import locale
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from hoofbeat.body.clip import METHOD, Clip
from hoofbeat.body.skeleton import LEGS, Skeleton
from hoofbeat.export import events_of, load, save, save_all
from hoofbeat.formats.csvfile import EVENT_COLUMNS, EVENTS, FRAME_COLUMNS, CsvError
from hoofbeat.formats.planfile import Plan, Segment
from hoofbeat.synthesis import synthesize


@cache
def trot() -> Clip:
    return synthesize(Plan((Segment(2.0, gait="trot", turn=0.5),), settle=True, name="trot"))


def rows_of(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
    return list(reader.fieldnames or ()), rows


def column(rows: list[dict[str, str]], *names: str) -> np.ndarray:
    return np.array([[float(row[name]) for name in names] for row in rows])


def test_a_row_a_frame(tmp_path: Path) -> None:
    clip = trot()
    columns, rows = rows_of(clip.save(tmp_path / "trot.csv"))
    assert tuple(columns) == FRAME_COLUMNS and len(rows) == len(clip)
    assert np.abs(column(rows, "time")[:, 0] - np.arange(len(clip)) / clip.fps).max() < 1e-6
    np.testing.assert_allclose(
        column(rows, *(f"contact_{leg}" for leg in LEGS)), np.asarray(clip.contacts), atol=1e-6
    )
    for name, kept in (("phase", "phase"),):
        np.testing.assert_allclose(
            column(rows, *(f"{name}_{leg}" for leg in LEGS)), clip.extras[kept], atol=1e-6
        )
    np.testing.assert_allclose(column(rows, "root_x", "root_y", "root_z"), clip.extras["root"], atol=1e-6)
    np.testing.assert_allclose(
        column(rows, "yaw", "speed").T, [clip.extras["yaw"], clip.extras["speed"]], atol=1e-6
    )
    assert [row["gait"] for row in rows] == list(clip.extras["gait"])
    assert [row["airborne"] == "1" for row in rows] == list(clip.extras["airborne"])
    assert {row["airborne"] for row in rows} == {"0", "1"}


def test_a_row_an_event(tmp_path: Path) -> None:
    clip = trot()
    columns, rows = rows_of(clip.save(tmp_path / "trot.events.csv"))
    assert tuple(columns) == EVENT_COLUMNS
    times = column(rows, "time")[:, 0]
    assert (np.diff(times) >= 0).all() and times[0] >= 0 and times[-1] <= clip.seconds
    assert {row["event"] for row in rows} == set(EVENTS)
    assert clip.contacts is not None
    down = clip.contacts > 0.5
    for k, leg in enumerate(LEGS):
        # Events are exactly the changes of a contact, touchdown and lift-off in turn.
        mine = [row for row in rows if row["leg"] == leg]
        changes = np.flatnonzero(down[1:, k] != down[:-1, k])
        assert [float(row["time"]) for row in mine] == pytest.approx((changes + 0.5) / clip.fps, abs=1e-6)
        assert [row["event"] == "touchdown" for row in mine] == down[changes + 1, k].tolist()
    # The body is in the air from a take-off to a landing.
    body = [row for row in rows if not row["leg"]]
    first = body[0]["event"] == "landing"
    for off, on in zip(body[first::2], body[first + 1 :: 2], strict=False):
        assert (off["event"], on["event"]) == ("takeoff", "landing")
        frames = slice(int(float(off["time"]) * 60) + 1, int(float(on["time"]) * 60))
        assert not down[frames].any()


def test_both_files_name_the_method(tmp_path: Path) -> None:
    clip = trot()
    half = len(clip) // 2
    names = np.array(["actions"] * half + ["timewarp"] * (len(clip) - half))
    two = Clip(
        clip.skeleton,
        clip.rotations,
        clip.origins,
        clip.fps,
        clip.contacts,
        "two",
        {**clip.extras, METHOD: names},
    )
    _, rows = rows_of(two.save(tmp_path / "two.csv"))
    assert [row[METHOD] for row in rows] == names.tolist()
    _, events = rows_of(two.save(tmp_path / "two.events.csv"))
    for event in events:
        assert event[METHOD] == ("actions" if float(event["time"]) * clip.fps < half - 0.5 else "timewarp")
    assert {row[METHOD] for row in events} == {"actions", "timewarp"}


def test_an_in_place_clip_stays_where_it_is(tmp_path: Path) -> None:
    _, rows = rows_of(save(trot(), tmp_path / "trot.csv", in_place=True))
    assert not column(rows, "root_x", "root_y", "root_z", "yaw").any()
    assert column(rows, "speed").min() > 4


def test_contacts_that_are_not_known_are_found(tmp_path: Path) -> None:
    again = load(trot().save(tmp_path / "trot.bvh"))
    assert again.contacts is None
    _, rows = rows_of(again.save(tmp_path / "again.csv"))
    found = column(rows, *(f"contact_{leg}" for leg in LEGS)) > 0.5
    assert (found == (np.asarray(trot().contacts) > 0.5)).mean() > 0.85
    assert {(row["gait"], row["speed"], row["phase_LF"], row["airborne"], row[METHOD]) for row in rows} == {
        ("", "", "", "", "")
    }
    assert {event.method for event in events_of(again)} == {""}


def test_a_clip_whose_feet_are_not_known(tmp_path: Path) -> None:
    bone = Skeleton(["a", "b"], [-1, 0], [(0, 0, 0), (0, 1, 0)])
    clip = Clip(bone, np.tile([0.0, 0, 0, 1], (3, 2, 1)), np.zeros((3, 3)), 60)
    for name in ("a.csv", "a.events.csv"):
        with pytest.raises(CsvError, match="neither contacts nor named legs"):
            clip.save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_words_with_commas_and_extras_of_other_shapes(tmp_path: Path) -> None:
    bone = Skeleton(["a"], [-1], [(0, 0, 0)])
    extras = {
        "gait": np.array(['a,"b"\n', "ü", "\ud800"]),
        "phase": np.zeros((3, 2)),
        "speed": np.array(list("abc")),
    }
    clip = Clip(bone, np.tile([0.0, 0, 0, 1], (3, 1, 1)), np.zeros((3, 3)), 60, np.zeros((3, 4)), "a", extras)
    _, rows = rows_of(clip.save(tmp_path / "a.csv"))
    assert [row["gait"] for row in rows] == ['a,"b"\n', "ü", "?"]
    assert {(row["phase_LF"], row["speed"]) for row in rows} == {("", "")}
    empty = Clip(bone, np.zeros((0, 1, 4)), np.zeros((0, 3)), 60, np.zeros((0, 4)))
    assert rows_of(empty.save(tmp_path / "b.csv")) == (list(FRAME_COLUMNS), [])


def test_numbers_do_not_follow_the_locale(tmp_path: Path) -> None:
    before = locale.setlocale(locale.LC_NUMERIC)
    for name in ("de_DE.UTF-8", "fr_FR.UTF-8"):
        try:
            locale.setlocale(locale.LC_NUMERIC, name)
        except locale.Error:
            continue
    try:
        text = trot().save(tmp_path / "a.csv").read_text(encoding="utf-8")
    finally:
        locale.setlocale(locale.LC_NUMERIC, before)
    assert "0.016667" in text and "\r" not in text


def test_several_clips_get_a_file_each(tmp_path: Path) -> None:
    paths = save_all([trot(), trot()], tmp_path / "a.events.csv")
    assert [path.name for path in paths] == ["a-trot.events.csv"] * 2
    assert rows_of(paths[0])[0] == list(EVENT_COLUMNS)
