"""The measures of networks and the command that takes them: laws that do not depend on any network."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from hoofbeat.body.labelled import Dataset, LabelledClip, Rig
from hoofbeat.body.legs.bends import bends_of
from hoofbeat.cli import app
from hoofbeat.formats.datasetfile import read_dataset, write_dataset
from hoofbeat.maths import quat
from hoofbeat.methods.neural.network.layout import FUTURE, RATE
from hoofbeat.offline.neural.data.labels import ACTIONS
from hoofbeat.offline.neural.evaluate.claims import _wholes, claims_of
from hoofbeat.offline.neural.evaluate.evaluation import EvaluationError, network_family, read_networks
from hoofbeat.offline.neural.evaluate.papertables import LEGS, NETWORKS, PATH_NETWORKS, PATHS, SKATING
from hoofbeat.offline.neural.evaluate.processes import ProcessError, in_processes
from hoofbeat.offline.neural.evaluate.tables import TablesError, blocks_of, refreshed, spread
from hoofbeat.offline.neural.training.figures import FiguresError, read_figures
from hoofbeat.offline.neural.trials.endurance import ranges_of
from hoofbeat.offline.neural.trials.experts import ExpertFacts, fails_of
from hoofbeat.offline.neural.trials.measures import (
    HEIGHT,
    leg_joints,
    levels_of,
    motion_of_legs,
    skating_of,
)
from hoofbeat.offline.neural.trials.motions import (
    FEWEST,
    RULES,
    MotionRule,
    Stretch,
    in_world,
    measured,
    stretches_of_dataset,
)
from hoofbeat.offline.neural.trials.path_following import followed, trajectory_ahead
from hoofbeat.offline.neural.trials.paths import POINTS, deviation_of, paths_of
from hoofbeat.offline.neural.trials.recorded_paths import (
    LEAD,
    SPAN,
    _Guide,
    follow_recorded_paths,
    recorded,
    windows_of,
)
from hoofbeat.offline.neural.trials.response import KEYS, poses_of, responses_of
from hoofbeat.offline.neural.trials.runs import herd_of
from hoofbeat.offline.neural.trials.speeds import part_of
from hoofbeat.offline.neural.trials.student import shown_in
from neural_making import (
    FIGURES,
    description_of,
    dog_rig,
    follower,
    horse_rig,
    need_onnx,
    standing,
    wild_clip,
    write_network,
)

runner = CliRunner()
LEVEL = np.zeros(4)


def straight(frames: int, speed: float, height: float = 0.0) -> np.ndarray:
    """Toes (T, 4, 3) that go along z at a speed [m/s], at a height [m]."""
    toes = np.zeros((frames, 4, 3))
    toes[..., 2] = (np.arange(frames) * speed / RATE)[:, None]
    toes[..., 1] = height
    return toes


def test_a_foot_that_stands_does_not_skate() -> None:
    toes = np.zeros((50, 4, 3))
    assert (skating_of(toes, levels_of(toes)) == 0).all()


def test_a_foot_that_lifts_and_lands_where_it_stood_does_not_skate() -> None:
    toes = np.zeros((50, 4, 3))
    toes[..., 1] = np.abs(np.sin(np.arange(50) / 5))[:, None]
    assert (skating_of(toes, LEVEL) == 0).all()


@given(st.floats(0.01, 5.0))
def test_a_slide_skates_as_fast_as_it_slides(speed: float) -> None:
    assert np.allclose(skating_of(straight(20, speed), LEVEL), 100 * speed / RATE)


def test_skating_falls_with_height_and_ends_at_the_limit() -> None:
    heights = np.linspace(0, HEIGHT, 20)
    found = [skating_of(straight(3, 1.0, height), LEVEL).mean() for height in heights]
    assert (np.diff(found) < 0).all()
    assert found[-1] == pytest.approx(0, abs=1e-12)
    assert found[10] == pytest.approx(100 / RATE * (2 - 2 ** (heights[10] / HEIGHT)))
    assert (skating_of(straight(3, 1.0, 2 * HEIGHT), LEVEL) == 0).all()
    assert np.allclose(skating_of(straight(3, 1.0, -0.1), LEVEL), 100 / RATE)


def stretches(rig: Rig, move: Callable[[np.ndarray], np.ndarray] = lambda root: root) -> list[Stretch]:
    """A wild clip as the recordings are measured, its root moved."""
    clip = wild_clip(rig)
    found = stretches_of_dataset(Dataset(rig, (clip,)))[0]
    root = move(found.root)
    back = -found.root[:, None, 2]
    # Seen from its own root, then from the moved one.
    off = found.toes - np.stack([found.root[:, 0], 0 * found.root[:, 0], found.root[:, 1]], 1)[:, None]
    x, z = off[..., 0], off[..., 2]
    inside = np.stack(
        [np.cos(back) * x + np.sin(back) * z, off[..., 1], np.cos(back) * z - np.sin(back) * x], -1
    )
    every = np.ones(len(clip), bool)
    return [Stretch(in_world(inside, root), found.rotations, root, every)]


def test_measures_do_not_depend_on_where_a_motion_is_nor_how_it_faces() -> None:
    rig = dog_rig()
    rule = MotionRule("any", (0.0, 9.0), (0.0, 9.0), (1.0,), (0.0,))

    def moved(root: np.ndarray) -> np.ndarray:
        sine, cosine = np.sin(0.7), np.cos(0.7)
        x, z = root[:, 0], root[:, 1]
        return np.stack([cosine * x + sine * z + 30, cosine * z - sine * x - 20, root[:, 2] + 0.7], axis=1)

    here, there = (measured(stretches(rig, move), rule, rig.skeleton) for move in (lambda r: r, moved))
    assert here.frames == there.frames > 100
    for name in ("speed", "turn", "skating", "skating_hind", "legs", "legs_hind"):
        assert getattr(here, name) == pytest.approx(getattr(there, name), rel=1e-6)
    assert here.skating is not None and here.skating > 0


def test_only_frames_that_show_a_motion_are_measured() -> None:
    rig = dog_rig()
    frames = 4 * RATE
    speed = np.where(np.arange(frames) < frames // 2, 0.8, 3.3)
    root = np.column_stack([np.zeros(frames), np.cumsum(speed) / RATE, np.zeros(frames)])
    toes = in_world(np.zeros((frames, 4, 3)), root)
    still, _ = standing(rig)
    rotations = np.tile(still, (frames, 1, 1))
    stretch = Stretch(toes, rotations, root, np.ones(frames, bool))
    walk, canter, turn = (measured([stretch], rule, rig.skeleton) for rule in RULES)
    assert walk.speed == pytest.approx(0.8, abs=0.1) and canter.speed == pytest.approx(3.3, abs=0.1)
    assert walk.skating == pytest.approx(80 / RATE, rel=0.1)
    assert 0.3 < walk.part < 0.5 and 0.3 < canter.part < 0.5
    assert turn.frames == 0 and turn.skating is None


def test_legs_of_a_rigid_pose_do_not_move_and_a_turning_joint_counts_as_it_turns() -> None:
    rig = dog_rig()
    joints = leg_joints(rig.skeleton)
    still, _ = standing(rig)
    rotations = np.tile(still.astype(np.float64), (10, 1, 1))
    rotations[::2] *= -1  # the same rotations
    assert motion_of_legs(rotations, joints).max() < 1e-9
    turn = quat.from_axis_angle(np.tile([0.0, 0.0, 1.0], (10, 1)), np.radians(3.0) * np.arange(10))
    rotations[:, joints[2, 1]] = quat.mul(rotations[:, joints[2, 1]], turn)
    found = motion_of_legs(rotations, joints)
    assert np.allclose(found[:, 2], 3.0 / joints.shape[1])
    assert found[:, [0, 1, 3]].max() < 1e-9


def test_bends_are_the_angles_between_bones() -> None:
    rig = horse_rig()
    clip = wild_clip(rig)
    found = ranges_of(Dataset(rig, (clip,)))
    assert (found.least <= found.most).all() and found.most.max() <= np.pi
    pose = np.zeros((len(rig.skeleton), 3))
    for j in range(1, len(pose)):  # all bones along one line
        pose[j] = pose[rig.skeleton.parents[j]] - np.array([0, np.linalg.norm(rig.skeleton.offsets[j]), 0])
    assert np.allclose(bends_of(pose, rig.skeleton), 0)


@pytest.mark.parametrize("path", paths_of(), ids=lambda path: path.name)
def test_paths_are_closed_and_gone_at_constant_speed(path: Any) -> None:
    steps = np.linalg.norm(np.diff(path.points, axis=0, append=path.points[:1]), axis=1)
    assert steps.max() < 1.02 * path.length / POINTS
    assert steps.sum() == pytest.approx(path.length)
    at = np.linspace(0, 2 * path.length, 500)
    places, directions = path.at(at)
    assert np.allclose(places[0], path.at(path.length)[0])
    assert np.allclose(np.linalg.norm(directions, axis=1), 1)
    # No farther than the way, and on all but corners as far.
    moved = np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert np.median(moved) == pytest.approx(at[1], rel=0.01) and moved.max() < 1.001 * at[1]


@pytest.mark.parametrize("path", paths_of(), ids=lambda path: path.name)
def test_who_keeps_to_a_path_is_not_off_it(path: Any) -> None:
    places, directions = path.at(np.linspace(0.3, 0.3 + path.length, 600))
    root = np.column_stack([places, np.arctan2(directions[:, 0], directions[:, 1])])
    found = deviation_of(path, root, 0.3)
    assert found.distance < 1e-6
    assert found.angle < 1.0  # a point at a corner is of either side
    assert found.laps == pytest.approx(1, abs=0.01)


@given(st.floats(-0.3, 0.3), st.floats(-3.0, 3.0))
def test_who_is_beside_a_path_is_off_by_that(aside: float, angle: float) -> None:
    path = paths_of()[0]
    places, directions = path.at(np.linspace(0, path.length, 200))
    left = np.stack([directions[:, 1], -directions[:, 0]], axis=1)
    heading = np.unwrap(np.arctan2(directions[:, 0], directions[:, 1])) + angle + 4 * np.pi
    found = deviation_of(path, np.column_stack([places + aside * left, heading]), 0.0)
    assert found.distance == pytest.approx(100 * abs(aside), abs=0.01)
    assert found.angle == pytest.approx(np.degrees(abs(angle)), abs=0.2)


def test_the_trajectory_ahead_starts_at_the_path_and_is_in_root_space() -> None:
    path = paths_of()[1]
    place, direction = path.at(1.0)
    root = np.array([*place, np.arctan2(direction[0], direction[1])])
    way = trajectory_ahead(path, 1.2, 1.0, root)
    assert way.shape == (FUTURE, 7)
    assert np.allclose(way[:, 0], 0, atol=1e-9)
    assert np.allclose(way[:, 1], 0.2 * np.arange(FUTURE)) and np.allclose(way[:, 2:4], [0, 1])
    assert np.allclose(way[:, 4:6], [0, 1.2]) and np.allclose(way[:, 6], 1.2)
    turned = trajectory_ahead(
        path, 1.2, 1.0, root + [0, 0, np.pi / 2]
    )  # faces left: the path goes to its right
    assert np.allclose(turned[1:, 0], -0.2 * np.arange(1, FUTURE))


def test_shares_of_gaits_count_either_lead() -> None:
    taught = Counter({"canter-left": 30, "trot": 1})
    assert set(shown_in(taught)) == {"canter-left", "canter-right"}
    assert part_of(Counter({"canter-right": 3, "walk": 1}), shown_in(taught)) == 0.75
    assert part_of(Counter(), ["walk"]) is None


def test_what_fails_without_an_expert_is_reported_in_words() -> None:
    actions: dict[str, float] = {"sit": 1.0, "stand": 1.0, "lie": 1.0, "jump": 1.0}
    speeds = {"0.5": 0.5, "1.1": 1.1, "1.9": 1.9, "3.3": 3.3}
    whole = ExpertFacts(-1, speeds, 1.5, 1.5, actions, 0.2, 0)
    same = ExpertFacts(0, speeds, 1.4, 1.6, actions, 0.2, 0)
    worse = ExpertFacts(1, {**speeds, "3.3": 1.0}, 0.1, 1.5, {**actions, "jump": 0.0}, 0.5, 0)
    assert fails_of(same, whole) == []
    told = "; ".join(fails_of(worse, whole))
    assert all(word in told for word in ("canter", "left turning", "jump", "skates 2.5"))
    assert "right" not in told and "sit" not in told


def test_the_papers_tables_are_whole() -> None:
    for printed in (SKATING, LEGS):
        assert all(len(row) == len(NETWORKS) for rows in printed.values() for row in rows)
    assert all(len(row) == len(PATH_NETWORKS) for rows in PATHS.values() for row in rows)


def test_spread_and_marks() -> None:
    assert spread([1.0, 3.0]) == "2.00 ± 1.00" and spread([1.0]) == "1.00" and spread([None]) == "–"
    end = "<!-- /evaluate -->\n"
    page = f"a\n<!-- evaluate table2 -->\nold\n{end}b\n<!-- evaluate ride -->\nkept\n{end}"
    new = refreshed(page, {"table2": "| new |\n"})
    assert "old" not in new and "| new |" in new and "kept" in new
    assert refreshed(new, {"table2": "| new |\n"}) == new
    with pytest.raises(TablesError, match="marks no place"):
        refreshed("nothing here", {"table2": ""})


@pytest.fixture
def dogs(tmp_path: Path) -> Path:
    """Two networks of one family, a horse, the dog's clips and a training run's figures."""
    need_onnx()
    rig, horse = dog_rig(ACTIONS), horse_rig()
    for seed in (0, 1):
        made = {"network": "mann8", "seed": seed, "settings": {"rollout": 1}}
        write_network(tmp_path / f"dog{seed}.onnx", follower(rig), description_of(rig, made=made))
    write_network(tmp_path / "horse.onnx", follower(horse), description_of(horse))
    write_dataset(tmp_path / "dog.npz", Dataset(rig, (wild_clip(rig),)))
    for name, other in (("horse", horse), ("other", horse_rig(ACTIONS))):
        write_dataset(tmp_path / f"{name}.npz", Dataset(other, (wild_clip(other),)))
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "mann8.json").write_text(json.dumps(FIGURES))
    return tmp_path


def called(*arguments: str | Path, code: int = 0) -> str:
    done = runner.invoke(app, ["evaluate", *map(str, arguments)])
    assert done.exit_code == code, f"{done.exit_code}: {done.stdout}{done.stderr}{done.exception!r}"
    return done.stdout if code == 0 else done.stderr


def test_a_network_that_goes_as_it_is_shown_keeps_to_a_path(dogs: Path) -> None:
    (found,) = followed(dogs / "dog0.onnx", paths_of()[:1], (0.6,), 1, 3.0)
    assert found.reached == pytest.approx(0.6, rel=0.1)
    # It copies directions and sees no place, so that what it lost while it began to move stays lost.
    assert found.distance < 30 and found.angle < 2


def test_the_command_measures_networks_end_to_end(dogs: Path) -> None:
    page = dogs / "page.md"
    page.write_text("<!-- evaluate table2 -->\n<!-- /evaluate -->\n")
    told = called(
        dogs / "dog0.onnx", dogs / "dog1.onnx", "--data", dogs / "dog.npz", "--figures", dogs / "figures",
        "--quick", "--no-pictures", "--docs", page, "-o", dogs / "out", "--json",
    )  # fmt: skip
    report = json.loads(told)
    assert report["schema"] == "hoofbeat.evaluate/1" and report["families"] == ["mann8"]
    results = json.loads((dogs / "out" / "results.json").read_text())
    first, second = results["networks"]
    # Where an animal went is motion, and no number of an evaluation.
    assert "distance" in first["paths"][0] and "drawn" not in first["paths"][0]
    # A pose that never changes: feet skate as fast as the root goes, legs do not move.
    walk = first["motions"]["walk"]
    assert walk["frames"] > 0 and walk["legs"] == pytest.approx(0, abs=1e-3)
    assert walk["skating"] == pytest.approx(100 * walk["speed"] / RATE, rel=0.1)
    assert first["motions"] == second["motions"]
    assert "actions" in first and "actions" not in second
    assert results["losses"]["mann8"]["train"] == [0.55, 0.55]
    assert set(blocks_of(results)) >= {"table2", "table3", "table4", "speeds", "actions", "claims", "losses"}
    assert "| walk | all |" in page.read_text()
    assert any(claim[2] is False for claim in claims_of(results))


def test_actions_that_no_recording_shows_are_measured_all_the_same(dogs: Path) -> None:
    """A dataset without a frame of lying: there is no pose to compare with, the rest is told."""
    whole = read_dataset(dogs / "dog.npz")
    lie = whole.rig.actions.index("lie")
    poor = replace(whole, clips=tuple(replace(c, used=c.used & (c.actions != lie)) for c in whole.clips))
    assert poses_of(whole, "lie") is not None and poses_of(poor, "lie") is None
    found = responses_of(herd_of(dogs / "dog0.onnx", 2), poor, 1, 0.5)
    assert [one.action for one in found] == list(KEYS)
    assert all(0 <= one.reached <= 1 for one in found)


def roaming_clip(rig: Rig, frames: int = 900) -> LabelledClip:
    """A standing pose carried along a way that turns now and then, as recordings do."""
    still, origin = standing(rig)
    turn = 1.8 * (np.sin(np.arange(frames) / 30) > 0.8)
    heading = np.cumsum(turn) / RATE
    way = np.cumsum(0.7 * np.stack([np.sin(heading), np.cos(heading)], axis=1), axis=0) / RATE
    used = np.ones(frames, bool)
    used[:50] = False
    return LabelledClip(
        "roaming",
        np.tile(still, (frames, 1, 1)).astype(np.float32),
        np.tile(origin, (frames, 1)),
        np.column_stack([way, heading]),
        np.full(frames, rig.actions.index("move"), np.int8),
        used,
        np.ones(frames, np.uint8),
    )


def test_windows_hold_used_frames_once_and_what_they_show() -> None:
    rig = dog_rig(ACTIONS)
    clip = roaming_clip(rig)
    windows = windows_of(Dataset(rig, (clip,)))
    assert len(windows.real) == 1 and windows.frames["turn"][0].sum() > FEWEST
    # The window starts within the used frames, and its measured part is the clip's own.
    first = np.flatnonzero((clip.root == windows.root[0, 0]).all(axis=1))[0]
    assert first >= 50
    lead = round(LEAD * RATE)
    assert np.array_equal(windows.real[0].root, clip.root[first + lead : first + lead + round(SPAN * RATE)])
    nobody = LabelledClip(**{**vars(clip), "actions": np.full(len(clip), rig.actions.index("sit"), np.int8)})
    assert not windows_of(Dataset(rig, (nobody,))).real


@pytest.mark.parametrize("turned", [0.0, 2.0])
def test_a_guide_gives_the_recorded_path_from_wherever_the_animal_is(turned: float) -> None:
    """Seen from a root that is elsewhere and faces elsewhere, and put back into the world, it is the same."""
    root = roaming_clip(dog_rig(ACTIONS)).root[None]
    guide = _Guide(root)
    guide.now = 100
    own = root[:, 100] + np.array([0.3, -0.2, turned])
    given = guide.given(own)[0]
    sine, cosine = np.sin(own[0, 2]), np.cos(own[0, 2])
    back = given[:, :2] @ np.array([[cosine, -sine], [sine, cosine]]) + own[0, :2]
    ahead = 100 + np.arange(0, 60, 10)
    assert back == pytest.approx(root[0, ahead, :2])
    assert np.arctan2(given[:, 2], given[:, 3]) + own[0, 2] == pytest.approx(root[0, ahead, 2])
    assert np.hypot(given[:, 4], given[:, 5]) == pytest.approx(0.7, rel=1e-2)
    assert given[:, 6] == pytest.approx(0.7, rel=1e-2)


def test_a_network_that_goes_as_it_is_shown_retraces_a_recording(dogs: Path) -> None:
    rig = dog_rig(ACTIONS)
    dataset = Dataset(rig, (roaming_clip(rig),))
    windows = windows_of(dataset)
    found, real = follow_recorded_paths(dogs / "dog0.onnx", windows), recorded(dataset, windows)
    assert found is not None and found.distance < 30 and found.angle < 10
    for name, facts in found.motions.items():
        # Both are measured in the same frames; carried stiffly, both skate as fast as they go.
        assert facts.frames == real[name].frames
    assert real["turn"].skating == pytest.approx(found.motions["turn"].skating, rel=0.2)


def test_networks_measured_separately_give_the_same_numbers(dogs: Path) -> None:
    rig = dog_rig(ACTIONS)
    write_dataset(dogs / "roaming.npz", Dataset(rig, (wild_clip(rig), roaming_clip(rig))))
    rows = []
    for workers in ("1", "2"):
        out = dogs / workers
        called(
            dogs / "dog0.onnx", dogs / "dog1.onnx", "--data", dogs / "roaming.npz", "--quick",
            "--no-pictures", "--workers", workers, "-o", out,
        )  # fmt: skip
        rows.append(json.loads((out / "results.json").read_text()))
    assert (
        rows[0]["networks"] == rows[1]["networks"] and rows[0]["recorded_paths"] == rows[1]["recorded_paths"]
    )
    assert rows[0]["networks"][0]["recorded_paths"]["motions"]["turn"]["frames"] > 0
    assert "| skating | turn | all |" in blocks_of(rows[0])["recorded-paths"]
    assert any("turn as recorded" in line for line, *_ in claims_of(rows[0]))


def test_whole_numbers_are_held_against_floats_of_the_same_seed() -> None:
    def row(family: str, seed: int, skating: float) -> dict[str, Any]:
        motions = {motion: {"skating": skating} for motion in SKATING}
        return {"family": family, "seed": seed, "motions": motions, "speeds": [{"reached": 1.0}]}

    rows = [row("mann8", 0, 0.2), row("mann8", 1, 0.1), row("mann8 int8", 0, 0.208)]
    (claim,) = list(_wholes({"networks": rows}))
    assert claim[2] is True and "+4.0 %" in claim[1]
    rows[2] = row("mann8 int8", 1, 0.208)
    assert [one[2] for one in _wholes({"networks": rows})] == [False]
    assert not list(_wholes({"networks": rows[:2]}))


def test_a_measuring_process_that_dies_is_reported() -> None:
    with pytest.raises(ProcessError, match="fewer --workers"):
        in_processes(die, [1, 2], 2, 10, lambda *_: None)


def die(job: Any, progress: Any) -> dict[str, Any]:
    """A job that kills its process."""
    del job, progress
    os._exit(3)


def test_pictures_are_drawn(dogs: Path) -> None:
    pytest.importorskip("matplotlib", reason="plots need matplotlib: pip install 'hoofbeat[plot]'")
    out = dogs / "out"
    called(dogs / "dog0.onnx", "--figures", dogs / "figures", "--quick", "-o", out)
    for name in ("losses.png", "skating.png", "paths.png"):
        assert (out / name).read_bytes().startswith(b"\x89PNG")


def test_a_horse_is_measured_beside_its_teacher(dogs: Path) -> None:
    called(dogs / "horse.onnx", "--horse", "--quick", "-o", dogs / "out")
    rows = json.loads((dogs / "out" / "results.json").read_text())["networks"][0]["student"]
    assert [row["speed"] for row in rows] == list(range(1, 13))
    assert rows[3]["teacher_reached"] == pytest.approx(4, rel=0.05)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("dog0.onnx", "horse.onnx"), "another animal"),
        (("horse.onnx",), "--horse"),
        (("dog0.onnx", "--horse"), "not taught by our horse"),
        (("dog0.onnx", "--data", "horse.npz"), "another animal"),
        (("dog0.onnx", "--data", "other.npz"), "another animal"),
        (("dog0.onnx", "--data", "dog0.onnx"), "dog0.onnx"),
        (("dog.npz",), "no ONNX file"),
        (("absent.onnx",), "absent.onnx"),
        (("dog0.onnx", "--figures", "."), "no figures of a training run"),
        (("dog0.onnx", "--figures", "absent"), "no figures"),
    ],
)
def test_faults_are_reported_in_one_line(
    dogs: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], word: str
) -> None:
    monkeypatch.chdir(dogs)
    (dogs / "broken.json").write_text('{"curve": 3}')
    monkeypatch.setenv("COLUMNS", "500")
    told = called(*arguments, "--quick", "-o", "out", code=2)
    assert told.startswith("error: ") and told.count("\n") == 1 and word in told
    assert not (dogs / "out").exists()


def test_families_are_named_by_training_not_by_seed(dogs: Path) -> None:
    networks = read_networks([dogs / "dog0.onnx", dogs / "dog1.onnx"])
    assert [(one.family, one.seed, one.first) for one in networks] == [
        ("mann8", 0, True),
        ("mann8", 1, False),
    ]
    description = networks[0].description
    assert network_family(description, Path("dog.int8.onnx")) == "mann8 int8"
    with pytest.raises(EvaluationError, match="one network file"):
        read_networks([])


@given(st.binary(max_size=200) | st.from_type(dict).map(lambda d: json.dumps(str(d)).encode()))
def test_any_bytes_are_figures_or_an_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("figures")
    (folder / "run.json").write_bytes(data)
    with pytest.raises(FiguresError):
        read_figures(folder)
