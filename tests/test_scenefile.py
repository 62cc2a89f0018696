"""Scene files: the shipped one is a horse, a wrong one is an error with its line, a new one a new animal."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hoofbeat.body.contacts import leg_length
from hoofbeat.errors import ActionFileError, FileError, SceneFileError
from hoofbeat.formats import yamlfile
from hoofbeat.formats.scenefile import THESIS_HORSE, Scene, read_scene, turned
from hoofbeat.horse import Herd, Horse
from hoofbeat.records import Command

TEXT = THESIS_HORSE.read_text(encoding="utf-8")
Write = Callable[..., Path]


def line_of(text: str, part: str) -> int:
    """1-based line of the first occurrence of `part`."""
    return text[: text.index(part)].count("\n") + 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the shipped scene with the files it names."""
    shutil.copytree(THESIS_HORSE.parent, tmp_path / "animal")
    return tmp_path / "animal"


@pytest.fixture
def write(folder: Path) -> Write:
    """Writes a scene beside the copied files; returns its path."""

    def _write(text: str | bytes) -> Path:
        target = folder / "new.scene.yaml"
        target.write_bytes(text if isinstance(text, bytes) else text.encode())
        return target

    return _write


def refused(path: Path) -> SceneFileError:
    """The error that reading gives, which names the file."""
    with pytest.raises(SceneFileError) as caught:
        read_scene(path)
    error = caught.value
    assert error.path == str(path) and str(path) in str(error)
    assert f":{error.line}: " in str(error) or error.line == 0
    assert len(str(error)) < 2000
    return error


# --- the shipped scene


def test_the_shipped_scene_is_the_horse_of_the_thesis() -> None:
    scene = read_scene()
    assert len(scene.skeleton) == 55 and len(scene.skeleton.joints) == 49
    assert [gait.name for gait in scene.gaits] == ["walk", "trot", "gallop"]
    assert len({scene.stand.name, *(gait.action.name for gait in scene.gaits)}) == 4
    assert scene.flip and "Romney" in scene.credit
    speeds = [gait.up_to for gait in scene.gaits]
    assert speeds == sorted(speeds)
    for gait in scene.gaits:
        least, most, _ = gait.action.durations
        assert least <= gait.durations[1] <= gait.durations[0] <= most


def test_it_faces_ahead_with_its_left_on_the_left() -> None:
    skeleton = read_scene().skeleton
    rest = skeleton.rest_positions()
    head = rest[[skeleton.index(name) for name in skeleton.names if "Head" in name or "Skull" in name]]
    tail = rest[[skeleton.index(name) for name in skeleton.names if "Tail" in name or "Caud" in name]]
    assert len(head) and len(tail) and head[:, 2].min() > tail[:, 2].max()
    left_fore, right_fore, left_hind, right_hind = (rest[leg.toe] for leg in skeleton.legs)
    assert left_fore[0] > 0 > right_fore[0] and left_hind[0] > 0 > right_hind[0]
    assert min(left_fore[2], right_fore[2]) > max(left_hind[2], right_hind[2])
    np.testing.assert_allclose(left_fore * [-1, 1, 1], right_fore, atol=1e-6)


def test_turned_twice_is_the_skeleton_itself() -> None:
    skeleton = read_scene().skeleton
    twice = turned(turned(skeleton))
    np.testing.assert_array_equal(twice.offsets, skeleton.offsets)
    np.testing.assert_array_equal(turned(skeleton).rest_positions()[:, 2], -skeleton.rest_positions()[:, 2])


@pytest.mark.parametrize(
    "change", [lambda t: "\ufeff" + t, lambda t: t.replace("\n", "\r\n"), lambda t: t + "\n"]
)
def test_marks_and_line_ends_are_free(write: Write, change: Callable[[str], str]) -> None:
    assert read_scene(write(change(TEXT))).gaits == read_scene().gaits


def test_defaults_need_only_a_skeleton_a_stand_and_gaits(write: Write) -> None:
    scene = read_scene(
        write("skeleton: horse.bvh\nstand: idle.action\ngaits: [{name: go, action: trot.action, up_to: 4}]\n")
    )
    assert scene.name == "new.scene" and not scene.flip and scene.credit == ""
    assert scene.gaits[0].durations == (0.9, 0.6)


# --- wrong scenes

WRONG = {
    # name: (text to replace, its replacement, where the error points, words of the message)
    "unknown key": (
        "acceleration:",
        "acelleration:",
        "acelleration",
        ["did you mean 'acceleration'", "braking"],
    ),
    "unknown gait key": ("power: 1.5", "powr: 1.5", "powr", ["did you mean 'power'", "durations"]),
    "missing Action": ("trot.action", "trott.action", "trott", ["trott.action", "no such file"]),
    "missing skeleton": ("horse.bvh", "hors.bvh", "hors.bvh", ["hors.bvh", "no such file"]),
    "skeleton is a folder": ("horse.bvh", ".", "skeleton:", ["folder"]),
    "skeleton is no BVH": ("horse.bvh", "walk.action", "skeleton:", ["walk.action:1", "HIERARCHY"]),
    "Action is no Action": (
        "trot.action",
        "horse.bvh",
        "action: horse.bvh",
        ["horse.bvh:1", "DURATION_DATA"],
    ),
    "durations swapped": ("[0.8, 0.6]", "[0.6, 0.8]", "[0.6, 0.8]", ["slow then fast", "0.6 to 0.9"]),
    "durations beyond the Action": ("[0.8, 0.6]", "[5, 0.6]", "[5, 0.6]", ["0.6 to 0.9 s", "given 5"]),
    "three durations": ("[0.8, 0.6]", "[0.8, 0.7, 0.6]", "[0.8, 0.7", ["list of 2 numbers"]),
    "durations as text": ("[0.8, 0.6]", "[fast, slow]", "[fast", ["list of 2 numbers"]),
    "durations with NaN": ("[0.8, 0.6]", "[.nan, 0.6]", "[.nan", ["finite"]),
    "gaits out of order": ("up_to: 5.75", "up_to: 2.0", "up_to: 2.0", ["slow to fast"]),
    "two gaits alike in speed": (
        "up_to: 5.75",
        "up_to: 3.45",
        "up_to: 3.45\n    durations: [0.8",
        ["slow to fast"],
    ),
    "two gaits of one name": ("name: trot", "name: walk", "gaits:", ["must differ", "walk, walk"]),
    "a gait called stand": ("name: trot", "name: stand", "gaits:", ["'stand' is reserved"]),
    "speed NaN": ("up_to: 5.75", "up_to: .nan", "up_to: .nan", ["finite", "nan"]),
    "speed infinite": ("up_to: 5.75", "up_to: .inf", "up_to: .inf", ["finite"]),
    "speed negative": ("up_to: 5.75", "up_to: -1", "up_to: -1", ["above 0"]),
    "speed in km/h": ("up_to: 9.4", "up_to: 340", "up_to: 340", ["at most 100 m/s"]),
    "zero acceleration": ("acceleration: 3.0", "acceleration: 0", "acceleration", ["above 0"]),
    "number as text": ("acceleration: 3.0", "acceleration: quick", "acceleration", ["a number", "'quick'"]),
    "number as truth": ("acceleration: 3.0", "acceleration: yes", "acceleration", ["a number", "True"]),
    "number as list": ("acceleration: 3.0", "acceleration: [3]", "acceleration", ["a number"]),
    "number as mapping": ("acceleration: 3.0", "acceleration: {a: 3}", "acceleration", ["a mapping"]),
    "number as date": ("acceleration: 3.0", "acceleration: 2001-01-01", "acceleration", ["a number"]),
    "date that is none": ("acceleration: 3.0", "acceleration: 2001-13-45", "acceleration", ["month"]),
    "text as number": ("name: thesis horse", "name: 5", "name: 5", ["a text", "5"]),
    "nothing": ("name: thesis horse", "name:", "name:", ["a text", "None"]),
    "facing elsewhere": ("facing: -z", "facing: north", "facing", ["+z or -z", "'north'"]),
    "key twice": ("braking: 4.0", "braking: 4.0\nbraking: 5.0", "braking: 5", ["'braking' stands twice"]),
    "gait key twice": ("up_to: 5.75", "up_to: 5.75\n    up_to: 6", "up_to: 6", ["'up_to' stands twice"]),
    "alias": ("stand: idle.action", "stand: &a idle.action\nname: *a", "*a", ["aliases"]),
    "merge": ("stand: idle.action", "<<: {stand: idle.action}", "<<", ["unknown key '<<'"]),
    "key that is a list": ("braking: 4.0", "[braking, x]: 4.0", "[braking", ["single word"]),
    "object tag": ("braking: 4.0", "braking: !!python/name:os.system x", "braking", ["tags", "not allowed"]),
    "tab": ("    up_to: 5.75", "\tup_to: 5.75", "action: trot", ["not valid YAML", "\\t"]),
    "open quote": ("name: thesis horse", "name: 'thesis horse", "credit:", ["not valid YAML"]),
    "second document": ("stand: idle.action", "stand: idle.action\n---\na: 1", "---", ["not valid YAML"]),
    "NUL in a path": ("horse.bvh", '"\\0"', "skeleton:", ["cannot be read"]),
    "half a surrogate in a path": ("horse.bvh", '"\\ud800"', "skeleton:", ["cannot be read"]),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_named_with_its_line(write: Write, case: str) -> None:
    old, new, place, words = WRONG[case]
    assert TEXT.count(old) >= 1
    text = TEXT.replace(old, new, 1)
    error = refused(write(text))
    assert all(word in str(error) for word in words), str(error)
    where = line_of(text, place)
    # YAML itself reports some faults at the line after the one that causes them.
    assert where <= error.line <= where + ("not valid YAML" in str(error)), (error.line, where)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "keys and values at the top"),
        ("# only a remark\n", "keys and values at the top"),
        ("- a\n- b\n", "keys and values at the top"),
        ("walk", "keys and values at the top"),
        ("skeleton: horse.bvh\n", "missing key 'stand'"),
        ("stand: idle.action\n", "missing key 'skeleton'"),
        ("skeleton: horse.bvh\nstand: idle.action\n", "gaits: expected a list"),
        ("skeleton: horse.bvh\nstand: idle.action\ngaits: []\n", "gaits: expected a list"),
        ("skeleton: horse.bvh\nstand: idle.action\ngaits: [walk, trot]\n", "gaits: expected a list"),
        ("skeleton: horse.bvh\nstand: idle.action\ngaits: {walk: walk.action}\n", "gaits: expected a list"),
        ("skeleton: horse.bvh\nstand: idle.action\ngaits: [{name: a}]\n", "missing key 'action'"),
        ("a: " + "[" * 40 + "]" * 40, "nested deeper than 20"),
        ("a: " + "{a: " * 40 + "}" * 40, "nested deeper than 20"),
        ("\n".join(" " * i + "a:" for i in range(300)), "nested deeper than 20"),
    ],
    ids=lambda value: value[:24].strip() or "empty",
)
def test_scenes_that_are_none(write: Write, text: str, words: str) -> None:
    assert words in str(refused(write(text)))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (bytes(range(256)) * 8, "not UTF-8"),
        (TEXT.encode("utf-16"), "not UTF-8"),
        (TEXT.encode()[:60] + b"\0" + TEXT.encode()[60:], "NUL"),
        (TEXT.encode()[:60] + b"\x01" + TEXT.encode()[60:], "not valid YAML"),
        (b"# " + b"x" * yamlfile.MAX_BYTES + b"\n" + TEXT.encode(), "bytes"),
    ],
    ids=["binary", "utf-16", "nul", "control", "huge"],
)
def test_files_that_are_no_text(write: Write, data: bytes, words: str) -> None:
    assert words in str(refused(write(data)))


def test_too_many_gaits(write: Write) -> None:
    more = "".join(f"  - {{name: g{n}, action: walk.action, up_to: {20 + n}}}\n" for n in range(20))
    error = refused(write(TEXT + more))
    assert "23 given, at most 16" in str(error) and error.line == line_of(TEXT, "gaits:")


def test_no_scene_and_no_file(tmp_path: Path) -> None:
    assert "no such file" in str(refused(tmp_path / "none.scene.yaml"))
    assert "folder" in str(refused(tmp_path))


def test_an_action_for_another_skeleton_names_the_joint_and_its_line(folder: Path, write: Write) -> None:
    trot = folder / "trot.action"
    text = trot.read_text(encoding="utf-8")
    trot.write_text(text.replace("FemurLeft", "FemurLinks", 1), encoding="utf-8")
    error = refused(write(TEXT))
    assert error.line == line_of(TEXT, "action: trot.action")
    assert f"trot.action:{line_of(text, 'FemurLeft')}" in str(error) and "FemurLinks" in str(error)
    assert isinstance(error.__cause__, ActionFileError)


def test_legs_of_an_unknown_convention_are_reported(folder: Path, write: Write) -> None:
    bvh = folder / "horse.bvh"
    bvh.write_text(bvh.read_text(encoding="utf-8").replace("FemurLeft", "Bone1"), encoding="utf-8")
    assert "legs are not named" in str(refused(write(TEXT)))


# --- anything at all


def _mutated(text: str, draw: Callable[..., Any]) -> str:
    """Delete, repeat, exchange or insert at random places."""
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        upto = min(at + draw(st.integers(0, 30)), len(text))
        what = draw(st.sampled_from(["cut", "drop", "twice", "insert"]))
        if what == "cut":
            text = text[:at]
        elif what == "drop":
            text = text[:at] + text[upto:]
        elif what == "twice":
            text = text[:upto] + text[at:upto] + text[upto:]
        else:
            odd = st.sampled_from(
                list(" \t\n:-[]{},&*!|>'\"%@`#?0.1e~=<") + [".nan", "1e999", "\u00e9", "\x85"]
            )
            text = text[:at] + "".join(draw(st.lists(odd, max_size=6))) + text[at:]
    return text


@settings(max_examples=150)
@given(st.data())
def test_a_damaged_scene_is_a_scene_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.getbasetemp() / "damaged"
    if not folder.exists():
        shutil.copytree(THESIS_HORSE.parent, folder)
    path = folder / "damaged.scene.yaml"
    path.write_bytes(_mutated(TEXT, data.draw).encode("utf-8", "surrogatepass"))
    try:
        assert isinstance(read_scene(path), Scene)
    except FileError as error:
        assert isinstance(error, SceneFileError) and error.path == str(path)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_mapping_or_an_error(data: bytes) -> None:
    try:
        found = yamlfile.parse_mapping(data, "any", SceneFileError)
        assert set(found.values) == set(found.lines)
    except SceneFileError as error:
        assert error.path == "any"


@given(
    st.dictionaries(
        st.from_regex(r"[a-z]{1,8}", fullmatch=True),
        st.one_of(
            st.integers(-(10**9), 10**9),
            st.floats(-1e6, 1e6).map(lambda x: round(x, 3)),
            st.booleans(),
            st.from_regex(r"[A-Za-z][a-z ]{0,10}[a-z]", fullmatch=True),
            st.lists(st.integers(-99, 99), max_size=4),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_plain_values_come_back_with_their_lines(values: dict[str, object]) -> None:
    lines = [f"{key}: {_as_yaml(value)}" for key, value in values.items()]
    found = yamlfile.parse_mapping("\n".join(lines).encode(), "made", SceneFileError)
    # Plain words such as yes and null mean something else in YAML; quoted ones are themselves.
    assert found.values == values
    assert found.lines == {key: n for n, key in enumerate(values, 1)}


def _as_yaml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and "e" in repr(value):
        return f"{value:.3f}"
    return f'"{value}"' if isinstance(value, str) else repr(value)


def test_values_are_asked_for_by_kind() -> None:
    found = yamlfile.parse_mapping(b"a: 1\nb: 2.5\nc: [1, 2]\nd: x\n", "made", SceneFileError)
    assert found.get("a", int) == 1 and found.get("a", float) == 1.0 and found.get("b", float) == 2.5
    assert found.numbers("c", 2) == (1.0, 2.0) and found.numbers("z", 1, (7.0,)) == (7.0,)
    assert found.get("z", str, "default") == "default"
    for ask, line in (
        (lambda: found.get("b", int), 2),
        (lambda: found.get("d", float), 4),
        (lambda: found.get("a", bool), 1),
        (lambda: found.numbers("c", 3), 3),
        (lambda: found.numbers("a", 1), 1),
        (lambda: found.mappings("c"), 3),
    ):
        with pytest.raises(SceneFileError) as caught:
            ask()
        assert caught.value.line == line


# --- a new animal without code

PONY = """
name: pony
skeleton: horse.bvh
facing: -z
scale: 0.6
acceleration: 2.0
braking: 3.0
stand: idle.action
gaits:
  - {name: amble, action: trot.action, up_to: 1.6, durations: [0.9, 0.7]}
  - {name: tripple, action: walk.action, up_to: 2.1, durations: [0.9, 0.6]}
  - {name: rush, action: transverse-gallop.action, up_to: 5.0}
"""


def test_a_new_scene_is_a_new_animal(write: Write) -> None:
    path = write(PONY)
    pony = Horse("actions", scene=path)
    assert pony.gaits == ("stand", "amble", "tripple", "rush")
    assert leg_length(pony.skeleton) == pytest.approx(0.6 * leg_length(read_scene().skeleton))
    seen: list[str] = []
    toes = [leg.toe for leg in pony.skeleton.legs]
    for speed, gait in ((1.2, "amble"), (1.9, "tripple"), (4.0, "rush"), (0.0, "stand")):
        for _ in range(60 * 5):
            frame = pony.step(Command(speed=speed))
            assert np.isfinite(frame.positions).all() and frame.positions[toes, 1].min() > -0.005
            seen.append(str(frame.gait))
        assert pony.frame().gait == gait
        assert pony.frame().speed == pytest.approx(speed, abs=0.02)
    assert pony.frame().positions[0, 2] > 25
    assert set(seen) == {"stand", "amble", "tripple", "rush"}


def test_a_herd_of_it_answers_to_its_own_names(write: Write) -> None:
    herd = Herd(2, "actions", scene=write(PONY))
    for _ in range(200):
        herd.step(Command(speed=[1.2, 3.0], gait=["amble", None]))
    assert herd.frame().gait == ("amble", "rush")


# --- known gaps: each turns green when it is closed, and then belongs to the tests above

GAPS = {
    "tag that does not fit, truth": ("acceleration: 3.0", "acceleration: !!bool maybe", "acceleration"),
    "tag that does not fit, number": ("acceleration: 3.0", 'acceleration: !!float ""', "acceleration"),
    "tag that does not fit, time": ("acceleration: 3.0", "acceleration: !!timestamp x", "acceleration"),
    "whole number beyond float": ("acceleration: 3.0", "acceleration: 1" + "0" * 400, "acceleration"),
    "whole number beyond float, listed": ("[0.8, 0.6]", "[1" + "0" * 400 + ", 0.6]", "[1000"),
    "escape beyond Unicode": ("name: thesis horse", 'name: "\\UFFFFFFFF"', ""),
    "scale has its own line": ("facing: -z", "facing: -z\nscale: 0", "scale"),
    "scale that leaves nothing": ("facing: -z", "facing: -z\nscale: 1.0e-200", "scale"),
}


@pytest.mark.parametrize("case", GAPS)
def test_gaps_in_what_is_refused(write: Write, case: str) -> None:
    old, new, place = GAPS[case]
    text = TEXT.replace(old, new, 1)
    error = refused(write(text))
    assert not place or error.line == line_of(text, place)


def test_depth_is_refused_before_the_rest_is_read(write: Write) -> None:
    assert "nested deeper" in str(refused(write("a: " + "[" * 1500)))


def test_an_animal_reaches_its_gaits_or_the_scene_is_refused(write: Write) -> None:
    try:
        pony = Horse("actions", scene=write(TEXT.replace("facing: -z", "facing: -z\nscale: 0.7", 1)))
    except SceneFileError:
        return
    for _ in range(600):
        pony.step(Command(speed=7.0))
    assert pony.frame().gait == "gallop"
