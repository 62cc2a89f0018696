"""Recorder: a clip is what the frames were, to the hundredth of a millimetre, wherever the horse is."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from hoofbeat import record
from hoofbeat.body.clip import METHOD, Clip, methods_of
from hoofbeat.body.pose import positions_of
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import ClipError, HoofbeatError
from hoofbeat.horse import Herd, Horse
from hoofbeat.record import Recorder
from hoofbeat.records import LIFTOFF, TOUCHDOWN, Command, Frame

#: Through every gait, turning, with a halt at the end: (command, frames at 60 a second).
PLAN = (
    (Command(speed=1.5, turn=0.5), 90),
    (Command(speed=5.0, turn=-0.3), 150),
    (Command(speed=8.5), 150),
    (Command(), 200),
)


@cache
def ridden() -> tuple[Clip, list[Frame]]:
    horse = Horse("actions")
    recorder = Recorder(horse.skeleton, 60)
    frames: list[Frame] = []
    for command, count in PLAN:
        for _ in range(count):
            frames.append(horse.step(command))
            recorder.add(frames[-1])
    return recorder.clip("plan"), frames


def test_the_clip_reproduces_every_position() -> None:
    clip, frames = ridden()
    assert len(clip) == len(frames) and clip.fps == 60 and clip.name == "plan"
    shown = np.array([frame.positions for frame in frames])
    again = positions_of(clip.skeleton, clip.rotations, clip.origins)
    assert np.abs(again - shown).max() < 1e-5
    assert np.abs(clip.positions - shown).max() < 1e-5
    np.testing.assert_allclose(np.linalg.norm(clip.rotations, axis=2), 1, atol=1e-12)


def test_what_else_a_clip_keeps() -> None:
    clip, frames = ridden()
    assert clip.contacts is not None
    np.testing.assert_array_equal(clip.contacts, [frame.contacts for frame in frames])
    assert {"phase", "speed", "gait", "airborne", "shortfall", "events"} <= set(clip.extras)
    for name in ("phase", "speed", "airborne", "shortfall", "events"):
        np.testing.assert_array_equal(clip.extras[name], [getattr(frame, name) for frame in frames])
    assert list(clip.extras["gait"]) == [frame.gait for frame in frames]
    assert {"stand", "walk", "trot", "gallop"} == set(clip.extras["gait"])
    assert clip.extras["airborne"].any() and not clip.extras["airborne"].all()


def test_root_and_yaw_are_the_frame_s() -> None:
    clip, frames = ridden()
    np.testing.assert_array_equal(clip.extras["root"], [frame.root.position for frame in frames])
    yaw = clip.extras["yaw"]
    turns = np.array([frame.root.rotation for frame in frames])
    np.testing.assert_allclose(np.cos(yaw), 1 - 2 * turns[:, 1] ** 2, atol=1e-9)
    assert np.abs(np.diff(yaw)).max() < 0.2


def edges(contacts: np.ndarray) -> np.ndarray:
    """The event bits (T - 1,) that contacts (T, 4) should have."""
    down = contacts > 0.5
    landed, left = down[1:] & ~down[:-1], ~down[1:] & down[:-1]
    return (landed * (TOUCHDOWN << np.arange(4)) + left * (LIFTOFF << np.arange(4))).sum(axis=1)


def test_events_are_the_edges_of_the_contacts() -> None:
    clip, _ = ridden()
    assert clip.contacts is not None
    told = clip.extras["events"][1:] & 0xFF
    moving = clip.extras["gait"][1:] != "stand"
    np.testing.assert_array_equal(told[moving], edges(clip.contacts)[moving])
    assert np.count_nonzero(told[moving]) > 40


def test_events_of_steps_on_the_spot() -> None:
    horse = Horse()
    frames = [horse.frame(), *(horse.step(Command(turn=0.8)) for _ in range(120))]
    told = np.array([frame.events for frame in frames])[1:] & 0xFF
    np.testing.assert_array_equal(told, edges(np.array([frame.contacts for frame in frames])))


def test_a_recording_goes_on_after_a_clip_was_made() -> None:
    horse = Horse("actions")
    recorder = Recorder(horse.skeleton, 120)
    assert len(recorder) == 0
    recorder.add(horse.step(Command(speed=1.0), 1 / 120))
    first = recorder.clip()
    for _ in range(3):
        recorder.add(horse.step(Command(speed=1.0), 1 / 120))
    assert len(first) == 1 and len(recorder) == 4 and len(recorder.clip()) == 4
    assert first.name == "ride" and first.seconds == pytest.approx(1 / 120)
    np.testing.assert_array_equal(recorder.clip().rotations[0], first.rotations[0])


def test_a_character_of_a_herd_is_recorded_alone() -> None:
    herd = Herd(3, positions=[[0, 0], [5, -3], [1e5, -3e5]], headings=[0.0, 1.0, -2.5])
    recorders = [Recorder(herd.skeleton, 60, character=n) for n in range(3)]
    shown: list[np.ndarray] = []
    speeds = [1.5, 4.5, 8.0]
    for _ in range(150):
        frame = herd.step(Command(speed=speeds))
        # The herd's arrays are views: the recorder must have copied them before the next step.
        for recorder in recorders:
            recorder.add(frame)
        shown.append(frame.positions.copy())
    for n, recorder in enumerate(recorders):
        clip = recorder.clip(f"number {n}")
        expected = np.array(shown)[:, n]
        # A hundred kilometres from the origin as well as beside it.
        assert np.abs(clip.positions - expected).max() < 1e-5
        assert set(clip.extras["gait"]) <= set(herd.gaits)
    assert recorders[2].clip().origins[0, 0] == pytest.approx(1e5, abs=3)


def test_a_recorder_keeps_the_method_of_each_frame() -> None:
    clip, frames = ridden()
    recorder = Recorder(clip.skeleton)
    recorder.add(frames[0])
    assert METHOD not in recorder.clip().extras
    recorder.method = "timewarp"
    recorder.add(frames[1])
    assert recorder.clip().extras[METHOD].tolist() == ["", "timewarp"]
    assert methods_of(recorder.clip()) == ("timewarp",)


def test_frames_of_a_horse_stay_what_they_were() -> None:
    horse = Horse()
    first = horse.step(Command(speed=3.0))
    kept = first.positions.copy()
    for _ in range(10):
        horse.step(Command(speed=3.0))
    np.testing.assert_array_equal(first.positions, kept)


def test_nothing_recorded_is_an_error() -> None:
    with pytest.raises(ClipError, match="nothing was recorded; add frames first"):
        Recorder(ridden()[0].skeleton).clip()


def test_a_forgotten_recorder_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "MAX_FRAMES", 2)
    clip, frames = ridden()
    recorder = Recorder(clip.skeleton)
    recorder.add(frames[0])
    recorder.add(frames[1])
    with pytest.raises(ClipError, match="at most 2 frames"):
        recorder.add(frames[2])
    assert len(recorder.clip()) == 2


@pytest.mark.parametrize("fps", [0.0, -1.0, np.nan, np.inf])
def test_frame_rates_that_are_none(fps: float) -> None:
    clip, frames = ridden()
    with pytest.raises(ClipError, match="fps"):
        recorder = Recorder(clip.skeleton, fps)
        recorder.add(frames[0])
        recorder.clip()


def test_frames_of_another_skeleton() -> None:
    recorder = Recorder(Skeleton(["only"], [-1], [[0, 0, 0]]))
    recorder.add(ridden()[1][0])
    with pytest.raises(ClipError, match=r"\(T, 1, 4\)"):
        recorder.clip()


@pytest.mark.parametrize(
    ("what", "character"), [("herd", None), ("herd", 7), ("horse", 0), ("nothing", None)]
)
def test_frames_that_do_not_fit_are_named_errors(what: str, character: int | None) -> None:
    herd = Herd(2)
    given: dict[str, Any] = {"herd": herd.frame(), "horse": ridden()[1][0], "nothing": 5}
    with pytest.raises(HoofbeatError):
        Recorder(herd.skeleton, character=character).add(given[what])
