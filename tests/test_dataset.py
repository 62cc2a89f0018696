"""hoofbeat dataset: clips and the horse become clips, and what is wrong with a clip is told, never learnt."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from hoofbeat import Command, Herd, Horse, Recorder, load, save
from hoofbeat.body.clip import Clip
from hoofbeat.body.labelled import Dataset, LabelledClip, in_root_space
from hoofbeat.body.resample import resampled
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.check.motion import motion_of
from hoofbeat.cli.app import app
from hoofbeat.errors import HoofbeatError, SkeletonError
from hoofbeat.formats.datasetfile import format_dataset, read_dataset
from hoofbeat.methods.neural.network.layout import RATE, Layout
from hoofbeat.offline.neural.data.breakdown import PAPER, shares_of
from hoofbeat.offline.neural.data.labels import (
    ACTIONS,
    FILE,
    IDLE,
    JUMP,
    LEAD,
    MOVE,
    changes_of,
    set_about,
    steadied,
)
from hoofbeat.offline.neural.data.props import flights_of, on_props
from hoofbeat.offline.neural.data.recordings import COPIES, RecordedMotion, read_recordings
from hoofbeat.offline.neural.data.sides import sides_of
from hoofbeat.offline.neural.data.split import DOG, by_name, read_split, split_for
from hoofbeat.offline.neural.data.teacher import FASTEST, LATERAL, Gaits, horse_dataset, random_commands

DOG_PROPS = {"D1_ex03_KAN02_006", *(f"D1_ex04_KAN02_00{k}" for k in range(1, 5))}


def run(*arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    found = CliRunner().invoke(app, list(arguments))
    return found.exit_code, found.stdout, found.stderr


@cache
def ridden(speed: float, seconds: float = 3.0, turn: float = 0.0) -> Clip:
    """Our own horse, as a clip."""
    horse = Horse(method="timewarp")
    recorder = Recorder(horse.skeleton)
    for _ in range(round(seconds * RATE)):
        recorder.add(horse.step(Command(speed=speed, turn=turn)))
    return recorder.clip()


def changed(clip: Clip, **parts: Any) -> Clip:
    """A clip with other parts."""
    old = {"skeleton": clip.skeleton, "rotations": clip.rotations, "origins": clip.origins, "fps": clip.fps}
    return Clip(**{**old, **parts})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a trot and a stand."""
    where = tmp_path / "clips"
    where.mkdir()
    save(ridden(4.0, turn=0.3), where / "trot.bvh")
    save(ridden(0.0), where / "stand.bvh")
    return where


def refused(folder: Path, *words: str) -> None:
    """The folder is refused by one line with these words, and nothing is written."""
    out = folder.parent / "data.npz"
    code, _, told = run("dataset", str(folder), "-o", str(out))
    assert code == 2, told
    told = " ".join(told.split())
    for word in words:
        assert word in told, told
    assert not out.exists()


# ---- clips --------------------------------------------------------------------------------------------


def in_world(clip: LabelledClip, skeleton: Skeleton) -> np.ndarray:
    """Positions (T, J, 3) of a clip's nodes in the world."""
    places, _ = in_root_space(skeleton, clip.rotations.astype(np.float64), clip.origins.astype(np.float64))
    sine, cosine = np.sin(clip.root[:, 2, None]), np.cos(clip.root[:, 2, None])
    x = cosine * places[..., 0] + sine * places[..., 2] + clip.root[:, 0, None]
    z = cosine * places[..., 2] - sine * places[..., 0] + clip.root[:, 1, None]
    return np.stack([x, places[..., 1], z], axis=-1)


def test_a_folder_becomes_a_dataset_file(folder: Path, tmp_path: Path) -> None:
    out, picture = tmp_path / "data.npz", tmp_path / "data.svg"
    code, told, wrong = run("dataset", str(folder), "-o", str(out), "--json", "--plot", str(picture))
    assert code == 0, wrong
    report = json.loads(told)
    dataset = read_dataset(out)
    assert [clip.name for clip in dataset.clips] == ["stand", "trot"] and report["clips"] == 2
    assert dataset.rig.actions == ACTIONS == tuple(PAPER)
    for labelled in dataset.clips:
        clip = load(folder / f"{labelled.name}.bvh")
        assert np.abs(in_world(labelled, dataset.rig.skeleton) - clip.positions).max() < 1e-3
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.bvh")}
    assert dict(dataset.sources) == digests
    assert sum(one["percent"] for one in report["actions"]) == pytest.approx(100)
    assert {one["name"]: one["paper"] for one in report["actions"]} == PAPER
    assert sum(one["seconds"] for one in report["speeds"]) == pytest.approx(report["seconds"])
    assert [one["name"] for one in report["gaits"]] == ["trot"] and report["gaits"][0][
        "mean"
    ] == pytest.approx(4, abs=0.3)
    assert picture.read_bytes().startswith(b"<?xml") and len(report["files"]) == 2


def test_the_tables_are_printed(folder: Path, tmp_path: Path) -> None:
    code, told, _ = run("dataset", str(folder), "-o", str(tmp_path / "data.npz"), "--report")
    assert code == 0
    for word in ("idle", "36.42", "speed m/s", "trot", "by the rule", "note: unit 1 m", "2 clips"):
        assert word in told


def test_headings_are_those_of_the_horse(folder: Path) -> None:
    (clip,) = (one for one in read_recordings(folder).dataset.clips if one.name == "trot")
    yaw = np.asarray(ridden(4.0, turn=0.3).extras["yaw"])
    assert np.abs(np.angle(np.exp(1j * (clip.root[:, 2] - yaw)))).max() < 0.12
    assert np.all(clip.origins[:, [0, 2]] == 0) and clip.origins[:, 1].min() > 0.8


def test_actions_and_copies_follow_the_motion(folder: Path) -> None:
    by = {one.labelled.name: one.labelled for one in read_recordings(folder).clips}
    assert (by["stand"].actions == IDLE).all() and (by["stand"].copies == 1).all()
    assert (by["trot"].actions[60:] == MOVE).all() and (by["trot"].copies[90:] == COPIES).all()


def test_a_clip_in_another_unit_gives_the_same_dataset(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "centimetres"
    other.mkdir()
    for path in folder.glob("*.bvh"):
        clip = load(path)
        save(changed(clip, skeleton=clip.skeleton.scaled(100), origins=clip.origins * 100), other / path.name)
    here, there = read_recordings(folder).dataset, read_recordings(other).dataset
    assert "unit 0.01 m" in there.notes
    for one, two in zip(here.clips, there.clips, strict=True):
        assert np.abs(one.root - two.root).max() < 1e-3 and np.abs(one.origins - two.origins).max() < 1e-3
        assert np.array_equal(one.actions, two.actions)


def test_a_slow_frame_rate_is_brought_to_ours_and_reported(folder: Path) -> None:
    save(resampled(ridden(4.0, turn=0.3), 30), folder / "slow.bvh")
    found = read_recordings(folder)
    by = {one.labelled.name: one for one in found.clips}
    assert by["slow"].notes == ("resampled from 30 to 60 frames a second",)
    assert "slow: resampled" in found.dataset.notes and not by["trot"].notes
    assert len(by["slow"].labelled) == len(by["trot"].labelled)
    assert np.abs(by["slow"].labelled.root - by["trot"].labelled.root)[:-2].max() < 0.05


def test_a_floor_elsewhere_is_brought_to_0_and_reported(folder: Path) -> None:
    clip = ridden(4.0, turn=0.3)
    save(changed(clip, origins=clip.origins + [0, 2.5, 0]), folder / "up.bvh")
    by = {one.labelled.name: one for one in read_recordings(folder).clips}
    assert by["up"].notes and by["up"].notes[0].startswith("its floor was at 2.5")
    assert np.abs(by["up"].labelled.origins - by["trot"].labelled.origins).max() < 0.03


# ---- labels -------------------------------------------------------------------------------------------


def labelled(folder: Path, name: str, words: Sequence[str], values: np.ndarray, **more: Any) -> None:
    arrays = {"styles": np.array(words), "style_values": values, **more}
    np.savez(folder / FILE, **{f"{name}/{key}": value for key, value in arrays.items()})


SIX = ("Idle", "Move", "Sit", "Rest", "Stand", "Jump", "Speed")


def test_what_the_authors_say_counts(folder: Path) -> None:
    values = np.zeros((len(ridden(0.0)), 7), np.float32)
    values[:, 0] = 1
    values[50:, 3] = np.clip((np.arange(len(values) - 50)) / 20, 0, 1)  # lies down
    values[20, 5] = 1  # one frame of a jump is noise
    labelled(folder, "stand_2020", SIX, values)
    found = {one.labelled.name: one for one in read_recordings(folder).clips}
    actions = found["stand"].labelled.actions
    assert found["stand"].labels.origin == "authors" and found["trot"].labels.origin == "rule"
    assert [ACTIONS[code] for code in np.unique(actions)] == ["idle", "lie"]
    assert np.flatnonzero(np.diff(found["stand"].labels.actions)).tolist() == [60]
    assert np.flatnonzero(np.diff(actions)).tolist() == [60 - round(LEAD * 60)]  # where it sets about it
    assert 0 < found["stand"].labels.agreed < found["stand"].labels.compared == len(actions)


def test_two_words_tell_idle_from_move_only(folder: Path) -> None:
    values = np.zeros((len(ridden(0.0)), 3), np.float32)
    values[:90, 0], values[90:, 1] = 1, 1
    labelled(folder, "stand_2022", ("Idle", "Move", "Speed"), values)
    found = {one.labelled.name: one for one in read_recordings(folder).clips}["stand"]
    assert found.labels.origin == "authors, two words"
    assert (found.labelled.actions[:90] == IDLE).all() and (found.labelled.actions[90:] == MOVE).all()


def test_labels_of_another_clip_are_refused(folder: Path) -> None:
    labelled(folder, "stand_2020", SIX, np.zeros((17, 7)))
    refused(folder, FILE, "stand_2020", "17", "another clip")
    labelled(folder, "stand_2020", SIX, np.full((len(ridden(0.0)), 7), np.nan))
    refused(folder, FILE, "stand_2020")
    labelled(folder, "stand_2020", SIX, np.zeros((0, 7)), sequences=np.array([[1, 9999]]))
    refused(folder, FILE, "9999")
    (folder / FILE).write_bytes(b"PK\x03\x04 nothing")
    refused(folder, FILE, "zip")


def test_short_actions_are_noise() -> None:
    actions = np.array([0] * 20 + [2] * 2 + [0] * 20 + [1] * 9, np.int8)
    assert steadied(actions, 60).tolist() == [0] * 42 + [1] * 9
    assert steadied(actions[20:], 60).tolist() == [0] * 22 + [1] * 9
    assert steadied(np.array([3, 3], np.int8), 60).tolist() == [3, 3]


@given(st.lists(st.tuples(st.integers(0, len(ACTIONS) - 1), st.integers(1, 60)), min_size=1, max_size=8))
def test_a_posture_is_set_about_before_it_shows(parts: list[tuple[int, int]]) -> None:
    actions = np.concatenate([np.full(length, code, np.int8) for code, length in parts])
    led = set_about(actions, 60)
    early = led != actions
    # A frame says the next action at the earliest LEAD before it, and none is left out or put in.
    runs = [key for key, _ in itertools.groupby(actions.tolist())]
    assert [key for key, _ in itertools.groupby(led.tolist())] == runs
    edges = changes_of(actions)
    ahead = np.array([(edges[edges > k].min(initial=10**6) - k) for k in np.flatnonzero(early)])
    assert (ahead <= round(LEAD * 60)).all()
    # Standing up to go is no posture: idle and move change where they were.
    plain = np.where(actions > MOVE, MOVE, actions)
    assert (set_about(plain, 60) == plain).all()


# ---- props --------------------------------------------------------------------------------------------


def lifted(height: np.ndarray) -> Clip:
    """A standing horse carried to heights (T,) above the floor."""
    clip = ridden(0.0)
    return changed(clip, origins=clip.origins + np.stack([0 * height, height, 0 * height], axis=1))


def on_a_box() -> np.ndarray:
    time = np.arange(len(ridden(0.0))) / RATE
    return 0.5 * np.clip((time - 1.0) / 0.2, 0, 1) * np.clip((2.2 - time) / 0.2, 0, 1)


def in_a_jump() -> np.ndarray:
    time = np.arange(len(ridden(0.0))) / RATE
    return np.clip(0.5 * 9.81 * (time - 1.2) * (1.8 - time), 0, None)


def test_who_stands_on_something_is_found_and_who_jumps_is_not() -> None:
    box, jump = motion_of(lifted(on_a_box())), motion_of(lifted(in_a_jump()))
    found = on_props(box)
    assert found[on_a_box() > 0.15].all() and not found[:30].any() and not found[-15:].any()
    assert len(flights_of(jump)[0]) == 1 and not on_props(jump).any()
    assert not on_props(motion_of(ridden(4.0, turn=0.3))).any()


def test_of_a_clip_on_props_only_the_authors_ranges_are_used(folder: Path) -> None:
    save(lifted(on_a_box()), folder / "box.bvh")
    by = {one.labelled.name: one for one in read_recordings(folder).clips}
    assert not by["box"].labelled.used.any() and by["trot"].labelled.used.all()
    assert sum(by["box"].left_out.values()) == len(by["box"].labelled)
    count = len(by["box"].labelled)
    labelled(folder, "box_2020", SIX, np.zeros((count, 7)), sequences=np.array([[1, 20], [70, 120]]))
    used = {one.labelled.name: one for one in read_recordings(folder).clips}["box"].labelled.used
    assert used[:20].all() and not used[20:].any()


# ---- faults -------------------------------------------------------------------------------------------


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "clips").mkdir()
    refused(tmp_path / "clips", "no .bvh")
    refused(tmp_path / "nowhere", "no folder")


def test_a_clip_of_another_skeleton_is_refused(folder: Path) -> None:
    clip = ridden(4.0)
    bones = clip.skeleton
    longer = bones.offsets.copy()
    longer[5] *= 1.1
    save(changed(clip, skeleton=Skeleton(bones.names, bones.parents, longer, bones.ends)), folder / "z.bvh")
    refused(folder, "z.bvh", "other bones", bones.names[5])
    renamed = [name.replace("Head", "Skull") for name in bones.names]
    save(
        changed(clip, skeleton=Skeleton(renamed, bones.parents, bones.offsets, bones.ends)), folder / "z.bvh"
    )
    refused(folder, "z.bvh", "another skeleton", "stand.bvh")


def test_frames_that_are_no_numbers_are_refused(folder: Path) -> None:
    path = folder / "trot.bvh"
    lines = path.read_text().splitlines()
    broken = lines[-5].split()
    broken[7] = "nan"
    lines[-5] = " ".join(broken)
    path.write_text("\n".join(lines))
    refused(folder, "trot.bvh", "nan")
    path.write_text("\n".join(lines[:-20]))
    refused(folder, "trot.bvh")


def test_clips_too_short_or_too_slow_are_refused(folder: Path) -> None:
    clip = ridden(4.0)
    short = changed(clip, rotations=clip.rotations[:29], origins=clip.origins[:29])
    save(short, folder / "z.bvh")
    refused(folder, "z.bvh", "0.48 s", "0.5")
    save(resampled(clip, 10), folder / "z.bvh")
    refused(folder, "z.bvh", "10 frames a second")


def test_an_animal_that_differs_left_from_right_is_refused(tmp_path: Path) -> None:
    (tmp_path / "clips").mkdir()
    clip = ridden(4.0)
    bones = clip.skeleton
    offsets = bones.offsets.copy()
    offsets[bones.index("FemurLeft")] += [0.0, 0.004, 0.0]
    skewed = Skeleton(bones.names, bones.parents, offsets, bones.ends)
    save(changed(clip, skeleton=skewed), tmp_path / "clips" / "skewed.bvh")
    refused(tmp_path / "clips", "skewed.bvh", "Femur", "mm, at most 2")


def test_sides_are_found_whatever_they_are_called() -> None:
    bones = ridden(4.0).skeleton
    mirror, axis = sides_of(bones)
    assert axis == 0 and np.array_equal(mirror[mirror], np.arange(len(bones)))
    for word, other in (("Left", "Right"), (".L", ".R"), ("_l", "_r")):
        names = [name.replace("Left", word).replace("Right", other) for name in bones.names]
        found, _ = sides_of(Skeleton(names, bones.parents, bones.offsets, bones.ends))
        assert np.array_equal(found, mirror)
    with pytest.raises(SkeletonError, match="named left or right"):
        nameless = [f"joint {k}" for k in range(len(bones))]
        sides_of(Skeleton(nameless, bones.parents, bones.offsets, bones.ends))


def test_wrong_options_are_reported(tmp_path: Path) -> None:
    for options in (
        [],
        ["--horse", str(tmp_path)],
        ["--horse", "--scale", "1"],
        [str(tmp_path), "--hours", "1"],
        ["--horse", "--hours", "0"],
        ["--horse", "--hours", "nan"],
    ):
        code, _, told = run("dataset", *options, "-o", str(tmp_path / "data.npz"))
        assert code == 2 and told.startswith("error:"), options


# ---- splits -------------------------------------------------------------------------------------------


def split_file(folder: Path, parts: dict[str, str]) -> Path:
    path = folder.parent / "split.json"
    clips = {
        name: {"sha256": hashlib.sha256((folder / f"{name}.bvh").read_bytes()).hexdigest(), "part": part}
        for name, part in parts.items()
    }
    path.write_text(json.dumps({"name": "ours", "clips": clips}))
    return path


def test_a_split_file_decides_and_guards_the_clips(folder: Path, tmp_path: Path) -> None:
    path = split_file(folder, {"stand": "test", "trot": "train"})
    found = read_recordings(folder, split=path)
    assert {one.labelled.name: one.labelled.test for one in found.clips} == {"stand": True, "trot": False}
    save(ridden(4.0), folder / "trot.bvh")
    out = str(tmp_path / "data.npz")
    code, _, told = run("dataset", str(folder), "-o", out, "--split", str(path))
    assert code == 2 and "'trot'" in told and "SHA-256" in told
    (folder / "trot.bvh").unlink()
    assert "missing: trot" in read_recordings(folder, split=path).dataset.notes


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"clips": {"a": {"sha256": "0" * 64, "part": "both"}}}),
        "",
        "[]",
        "{}",
        '{"clips": {}}',
        '{"clips": {"a": 1}}',
        '{"clips": {"a": {"sha256": "0", "part": "train"}}}',
    ],
)
def test_a_broken_split_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "split.json"
    path.write_text(text)
    with pytest.raises(HoofbeatError, match=r"split\.json"):
        read_split(path)


def test_other_folders_are_split_by_name() -> None:
    names = [f"clip {k}" for k in range(2000)]
    split = split_for(names)
    test = [name for name in names if split.is_test(name, "")]
    assert test == [name for name in names if by_name(name)] and 140 < len(test) < 260
    assert split_for(["D1_001_KAN01_001"]).name == read_split(DOG).name


# ---- the horse ----------------------------------------------------------------------------------------


@cache
def taught(seed: int = 5) -> Dataset:
    return horse_dataset(0.06, seed)


def test_the_same_seed_gives_the_same_dataset() -> None:
    first = format_dataset(taught())
    assert first == format_dataset(horse_dataset(0.06, 5))
    one, other = taught().clips[0], taught(6).clips[0]
    assert not np.array_equal(one.root, other.root) and not np.array_equal(one.actions, other.actions)


def test_clips_of_the_horse_are_where_the_herd_is() -> None:
    dataset = taught()
    herd = Herd(len(dataset.clips), "timewarp", 5, breed="all")
    gaits = Gaits(herd.gaits, herd.bands, herd.method.max_turn)
    rows = np.stack([random_commands(gaits, (5, k), 900, RATE) for k in range(len(herd))], axis=1)
    found = [in_world(clip, dataset.rig.skeleton) for clip in dataset.clips]
    for t in range(900):
        frame = herd.step(rows[t], 1 / RATE)
        for k, places in enumerate(found):
            assert np.abs(places[t] - frame.positions[k]).max() < 1e-4
        assert [dataset.rig.actions[clip.actions[t]] for clip in dataset.clips] == list(frame.going_to)


def test_clips_of_the_horse_are_whole() -> None:
    dataset = taught()
    assert sum(len(clip) for clip in dataset.clips) / RATE >= 0.06 * 3600
    assert [clip.test for clip in dataset.clips].count(True) == 1
    for clip in dataset.clips:
        speed = np.hypot(*np.diff(clip.root[:, :2], axis=0).T) * RATE
        assert speed.max() < 16 and np.abs(np.diff(clip.root[:, 2])).max() * RATE < 3
        toes = in_root_space(dataset.rig.skeleton, clip.rotations, clip.origins)[0][:, list(dataset.rig.toes)]
        assert -0.02 < toes[..., 1].min() < 0.03
    assert Layout.of(dataset.rig).inputs.size == 12 * (7 + 9) + 30 * 12


def test_actions_of_the_horse_are_its_gaits_and_swap_their_leads() -> None:
    rig = taught().rig
    for name, swap in zip(rig.actions, rig.swaps, strict=True):
        kind, _, lead = name.partition("-")
        assert rig.actions[swap] == (f"{kind}-{'right' if lead == 'left' else 'left'}" if lead else kind)
    shares = {one.name: one.percent for one in shares_of(taught())}
    assert min(shares.values()) > 0.5 and all(one.paper is None for one in shares_of(taught()))


def test_rides_ask_for_every_gait_within_its_band() -> None:
    names = ("stand", "walk", "gallop-left", "gallop-right")
    gaits = Gaits(names, np.array([[0, 0], [0.3, 2.0], [7.5, 16.0], [7.5, 16.0]]), 1.5)
    rows = np.concatenate([random_commands(gaits, (1, k), 4800, 60) for k in range(20)])
    assert rows["speed"].max() <= FASTEST and rows["speed"].min() >= 0
    assert set(rows["gait"]) == {-1, 1, 2, 3}
    still = np.diff(rows["speed"]) == 0
    steady = rows[1:-1][still[:-1] & still[1:]]
    assert np.abs(steady["turn"] * steady["speed"]).max() <= LATERAL + 1e-9
    assert np.abs(rows["turn"]).max() <= gaits.turn
    assert 0.5 < (rows["turn"] == 0).mean() < 0.85
    assert np.array_equal(random_commands(gaits, (1, 0), 999, 60), rows[:999])


def test_the_horse_by_command(tmp_path: Path) -> None:
    out = tmp_path / "horse.npz"
    code, told, wrong = run("dataset", "--horse", "--hours", "0.01", "--seed", "3", "-o", str(out), "--json")
    assert code == 0, wrong
    report = json.loads(told)
    assert report["labels"] is None and report["seconds"] == pytest.approx(36)
    assert sum(len(clip) for clip in read_dataset(out).clips) == 36 * RATE
    run("dataset", "--horse", "--hours", "0.01", "--seed", "3", "-o", str(tmp_path / "again.npz"), "--report")
    assert (tmp_path / "again.npz").read_bytes() == out.read_bytes()


# ---- the dog ------------------------------------------------------------------------------------------


@cache
def dog(folder: Path) -> RecordedMotion:
    return read_recordings(folder / "dog")


@pytest.mark.data
def test_columns_of_the_dog_are_those_of_the_paper(data_dir: Path) -> None:
    layout = Layout.of(dog(data_dir).dataset.rig)
    assert (layout.inputs.size, layout.outputs.size, len(layout.gating)) == (480, 363, 19)


@pytest.mark.data
def test_props_of_the_dog_are_found_by_rule(data_dir: Path) -> None:
    assert {one.labelled.name for one in dog(data_dir).clips if one.left_out} == DOG_PROPS


@pytest.mark.data
def test_training_and_test_of_the_dog_both_show_every_action(data_dir: Path) -> None:
    for test in (False, True):
        clips = [one for one in dog(data_dir).clips if one.labelled.test == test]
        shown = np.concatenate([one.labelled.actions[one.labelled.used] for one in clips])
        assert set(shown.tolist()) == set(range(len(ACTIONS)))
        gaits = {gait for one in clips for gait, _ in one.strides}
        assert {"walk", "pace", "trot", "canter"} <= gaits


@pytest.mark.data
def test_the_rule_says_what_the_authors_of_the_dog_say(data_dir: Path) -> None:
    labels = [one.labels for one in dog(data_dir).clips if one.labels.compared]
    assert len(labels) == 25
    assert sum(one.agreed for one in labels) / sum(one.compared for one in labels) > 0.95


@pytest.mark.data
def test_jumps_of_the_dog_are_flights(data_dir: Path) -> None:
    jumps = [one for one in dog(data_dir).clips if (one.labelled.actions[one.labelled.used] == JUMP).any()]
    assert len(jumps) == 5
