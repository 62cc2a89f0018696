"""A session without a network: commands, clock, plans, recordings, and what is told of them."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hoofbeat.body.clip import METHOD, methods_of
from hoofbeat.export import load
from hoofbeat.formats.planfile import parse_plan
from hoofbeat.gaits.breeds import BREEDS
from hoofbeat.horse import Herd
from hoofbeat.methods.catalog import DEFAULT, OWN, installed_methods, method_info
from hoofbeat.record import Recorder
from hoofbeat.records import LAYOUT_VERSION, Command
from hoofbeat.studio.facts import available_formats, chosen_speeds, shipped_speeds
from hoofbeat.studio.refusal import Refusal
from hoofbeat.studio.rides.exporter import clip_of, export
from hoofbeat.studio.rides.exports import Exports
from hoofbeat.studio.rides.horse import HorseSpec, RiddenHorse
from hoofbeat.studio.rides.library import Library
from hoofbeat.studio.rides.recording import RecordingError, read
from hoofbeat.studio.rides.session import Session
from hoofbeat.studio.rides.store import Store
from hoofbeat.studio.settings import Quotas
from hoofbeat.studio.wire import messages as m
from hoofbeat.studio.wire.frame import FLAG, block_dtype, decode
from hoofbeat.synthesis import synthesize
from studio_making import facts


class Ear:
    """A listener that keeps everything."""

    def __init__(self) -> None:
        self.blocks: list[bytes] = []
        self.events: list[int] = []
        self.told: list[Any] = []
        self.left = ""

    def offer(self, block: bytes, events: int) -> None:
        self.blocks.append(block)
        self.events.append(events)

    def post(self, message: Any) -> None:
        self.told.append(message)

    def dismiss(self, reason: str) -> None:
        self.left = reason

    def last(self, kind: type) -> Any:
        return [one for one in self.told if isinstance(one, kind)][-1]


def session(folder: Path | None = None, manual: bool = False, **quotas: Any) -> Session:
    limits = Quotas(**quotas)
    horse = RiddenHorse(HorseSpec(), facts().gaits)
    return Session("0" * 32, facts(), limits, Library(limits, folder), Exports(limits), horse, manual=manual)


def ride(one: Session, ticks: int) -> None:
    for _ in range(ticks):
        one.tick(0.0)


@pytest.fixture
def ridden() -> tuple[Session, Ear]:
    one, ear = session(), Ear()
    one.join(ear, "new")
    return one, ear


def test_a_client_gets_everything_first(ridden: tuple[Session, Ear]) -> None:
    _, ear = ridden
    assert [type(t) for t in ear.told] == [m.Hello, m.State, m.Recordings]
    hello = ear.told[0]
    assert hello.method == "timewarp" and hello.skeleton.names and set(hello.formats) >= {"glb", "bvh", "npz"}
    assert len(hello.skeleton.legs) == 4 and hello.skeleton.height == pytest.approx(1.295, abs=0.01)


def test_the_latest_command_wins_and_older_ones_are_left_aside(ridden: tuple[Session, Ear]) -> None:
    one, ear = ridden
    one.handle(m.Ride(number=5, speed=3.0))
    one.handle(m.Ride(number=4, speed=9.0))
    ride(one, 1)
    assert decode(ear.blocks[-1])["head"]["command"] == 5
    assert decode(ear.blocks[-1])["head"]["wanted_speed"] == 3.0
    one.handle(m.Ride(number=6, speed=50.0))
    ride(one, 1)
    head = decode(ear.blocks[-1])["head"]
    assert head["wanted_speed"] == pytest.approx(16.2) and head["clamps"] & 1


@pytest.mark.parametrize("wrong", [m.Ride(number=9, gait="cantre"), m.Ride(number=9, action="fly")])
def test_a_wrong_command_changes_nothing(ridden: tuple[Session, Ear], wrong: m.Ride) -> None:
    one, _ = ridden
    one.handle(m.Ride(number=1, speed=2.0))
    with pytest.raises(Refusal, match="Known") as caught:
        one.handle(wrong)
    assert caught.value.code == "command"
    assert one.horse.command == Command(speed=2.0) and one.horse.command_number == 1


def test_pause_single_steps_and_slow_motion(ridden: tuple[Session, Ear]) -> None:
    one, ear = ridden
    one.handle(m.Ride(speed=3.0))
    one.handle(m.Clock(paused=True))
    ride(one, 5)
    assert one.horse.number == 0 and decode(ear.blocks[-1])["head"]["flags"] & FLAG["paused"]
    one.handle(m.Step(frames=3))
    ride(one, 5)
    assert one.horse.number == 3 and one.horse.time == pytest.approx(3 / 60)
    one.handle(m.Clock(paused=False, time_scale=0.25))
    ride(one, 60)
    assert one.horse.time == pytest.approx(3 / 60 + 0.25)
    assert ear.last(m.State).time_scale == 0.25


@pytest.mark.parametrize("scale", m.TIME_SCALES)
def test_recordings_are_at_60_hz_at_any_time_scale(scale: float) -> None:
    one = session()
    one.join(Ear(), "new")
    one.handle(m.Ride(speed=4.0))
    one.handle(m.Clock(time_scale=scale))
    one.handle(m.RecordSwitch(on=True))
    ride(one, round(40 / scale))
    one.handle(m.RecordSwitch(on=False))
    (kept,) = one.library.recordings.values()
    rows = np.frombuffer(kept.tape.read(), block_dtype(len(kept.skeleton)))
    assert kept.frames == 40
    assert np.allclose(np.diff(rows["head"]["time"]), 1 / 60)


def test_a_recording_is_what_a_recorder_would_have_made(tmp_path: Path) -> None:
    one = session(tmp_path, manual=True)
    one.handle(m.Ride(speed=4.0, turn=0.3))
    one.advance(100)
    one.handle(m.RecordSwitch(on=True, name="a/b\\..\x07c"))
    recorder = Recorder(one.horse.herd.skeleton, 60)
    for _ in range(50):
        one.advance(1)
        recorder.add(one.horse.frame)
    one.handle(m.RecordSwitch(on=False))
    one.library.save()
    (kept,) = one.library.recordings.values()
    clip, direct = clip_of(kept, kept.tape.read(), 0, 49), recorder.clip()
    assert np.abs(clip.positions - direct.positions).max() < 1e-6
    assert list(clip.extras["gait"]) == list(direct.extras["gait"])
    assert np.allclose(clip.extras["yaw"], direct.extras["yaw"])
    assert np.array_equal(clip.extras["events"], direct.extras["events"])
    # No name that a client gives is a path; what is on disk reads back the same.
    assert sorted(p.suffix for p in tmp_path.iterdir()) == [".frames", ".json"]
    back = read(tmp_path / f"{kept.id}.json")
    assert back.facts() == kept.facts() and back.tape.read() == kept.tape.read()


def test_files_of_a_recording_name_the_method_of_every_frame(tmp_path: Path) -> None:
    async def story() -> None:
        one = session(tmp_path / "rides", manual=True)
        one.handle(m.RecordSwitch(on=True))
        one.advance(10)
        one.handle(m.Setup(method="actions"))
        await one.settled()
        one.advance(15)
        one.handle(m.RecordSwitch(on=False))
        one.library.save()

    asyncio.run(story())
    (described,) = (tmp_path / "rides").glob("*.json")
    job = {"recording": described, "blocks": described.with_suffix(".frames"), "in_place": False, "coat": ""}
    export({**job, "first": 4, "last": 24, "out": tmp_path / "both.npz"})
    assert load(tmp_path / "both.npz").extras[METHOD].tolist() == ["timewarp"] * 6 + ["actions"] * 15
    export({**job, "first": 12, "last": 24, "out": tmp_path / "late.glb"})
    assert methods_of(load(tmp_path / "late.glb")) == ("actions",)


def test_trimmed_exports(tmp_path: Path) -> None:
    one = session(tmp_path, manual=True)
    one.handle(m.Ride(speed=3.0))
    one.handle(m.RecordSwitch(on=True))
    one.advance(30)
    (kept,) = one.library.recordings.values()
    with pytest.raises(Refusal, match="still being made"):
        one.handle(m.Edit(recording=kept.id, first=2))
    one.handle(m.RecordSwitch(on=False))
    one.handle(m.Edit(recording=kept.id, first=10, last=19, name="middle"))
    with pytest.raises(Refusal, match="frames to keep"):
        one.handle(m.Edit(recording=kept.id, first=25))
    one.library.save()
    out = tmp_path / "out.npz"
    job = {"recording": tmp_path / f"{kept.id}.json", "blocks": tmp_path / f"{kept.id}.frames"}
    export({**job, "first": kept.first, "last": kept.last, "out": out, "in_place": False})
    with np.load(out) as arrays:
        assert len(arrays["rotations"]) == 10
    assert methods_of(load(out)) == (DEFAULT,)
    one.handle(m.Edit(recording=kept.id, delete=True))
    assert not one.library.recordings and not list(tmp_path.glob("*.frames"))
    with pytest.raises(Refusal, match="no such recording"):
        one.handle(m.Edit(recording=kept.id, name="gone"))


def test_a_recording_cut_off_in_a_block_ends_at_the_last_whole_one(tmp_path: Path) -> None:
    one = session(tmp_path, manual=True)
    one.handle(m.RecordSwitch(on=True))
    one.advance(20)
    one.library.save()  # what the rounds of the server do; then it dies
    (kept,) = one.library.recordings.values()
    frames = tmp_path / f"{kept.id}.frames"
    frames.write_bytes(frames.read_bytes()[:-100])
    back = Library(Quotas(), tmp_path)
    back.load()
    (found,) = back.recordings.values()
    assert found.frames == 19 and found.done and found.last == 18
    found.log.clear()  # commands are written when a take ends; of this one they are gone
    with pytest.raises(RecordingError, match="commanded"):
        found.plan()
    (tmp_path / f"{kept.id}.json").write_text('{"schema": "hoofbeat.recording/1"}')
    with pytest.raises(RecordingError):
        read(tmp_path / f"{kept.id}.json")
    again = Library(Quotas(), tmp_path)
    again.load()
    assert not again.recordings, "damage is left aside"


def test_limits_of_recordings(ridden: tuple[Session, Ear]) -> None:
    one = session(recordings=2)
    for _ in range(2):
        one.handle(m.RecordSwitch(on=True))
        one.advance(1)
        one.handle(m.RecordSwitch(on=False))
    with pytest.raises(Refusal) as caught:
        one.handle(m.RecordSwitch(on=True))
    assert caught.value.code == "limit" and caught.value.status == 429
    del ridden


RIDES = {
    "by turns": ((m.Ride(speed=1.5), 120), (m.Ride(speed=4.0, turn=0.4), 150), (m.Ride(), 60)),
    "by headings": ((m.Ride(speed=4.0, heading=2.5), 150), (m.Ride(speed=1.5, heading=-3.0), 120)),
    "by length of stride": ((m.Ride(speed=4.0, extension=0.7), 120), (m.Ride(speed=3.5, extension=-1), 90)),
}


@pytest.mark.parametrize("how", RIDES)
def test_a_ride_saved_as_a_plan_is_ridden_the_same(how: str) -> None:
    one = session(manual=True)
    for command, frames in RIDES[how]:
        one.handle(command)
        one.advance(frames)
    plan = parse_plan(one.plan_text())
    assert [round(60 * s.length) for s in plan.segments] == [frames for _, frames in RIDES[how]]
    clip = synthesize(plan)
    # Frame k of a clip shows the moment before step k.
    again = session(manual=True)
    again.handle(m.PlanText(text=one.plan_text()))
    places: list[Any] = []
    for _ in range(len(clip)):
        places.append(again.horse.frame.root.position.copy())
        again.advance(1)
    assert np.abs(np.array(places) - clip.extras["root"]).max() < 1e-9
    assert np.abs(again.horse.frame.root.position - one.horse.frame.root.position).max() < 1e-9


def test_headings_of_a_plan_count_from_where_the_horse_faces(tmp_path: Path) -> None:
    one = session(tmp_path, manual=True)
    one.handle(m.Ride(speed=1.5, heading=2.0))
    one.advance(300)
    faced = one.horse.heading
    assert faced == pytest.approx(2.0, abs=0.02)
    one.handle(m.RecordSwitch(on=True))
    one.handle(m.PlanText(text="segments: [{for: 5 s, speed: 1.5, heading: 60 deg}]"))
    one.advance(290)
    assert one.horse.heading - faced == pytest.approx(np.pi / 3, abs=0.02)
    one.handle(m.RecordSwitch(on=False))
    (kept,) = one.library.recordings.values()
    (segment,) = kept.plan().segments  # told as it was asked for, wherever the take began
    assert segment.heading == pytest.approx(np.pi / 3, abs=1e-6) and segment.turn == 0


@pytest.mark.parametrize("written", [False, True])
def test_the_plan_of_a_trimmed_take_is_of_what_is_kept(tmp_path: Path, written: bool) -> None:
    one = session(tmp_path, manual=True)
    one.handle(m.RecordSwitch(on=True))
    for command, frames in ((m.Ride(speed=1.5, heading=1.0), 120), (m.Ride(speed=3.0, heading=1.5), 60)):
        one.handle(command)
        one.advance(frames)
    one.end_recording()
    (take,) = one.library.recordings.values()
    if written:
        one.library.save()
    whole = take.plan()
    assert [s.speed for s in whole.segments] == [1.5, 3.0] and not whole.settle
    one.handle(m.Edit(recording=take.id, first=100, last=149))
    part = take.plan()
    assert [round(60 * s.length) for s in part.segments] == [20, 30] and part.settle
    before = decode(take.tape.block(99))["head"]
    assert before["number"] == 100
    assert part.segments[0].heading == pytest.approx(1.0 - float(before["heading"]), abs=1e-6)
    one.handle(m.Edit(recording=take.id, first=0, last=179))
    assert take.plan() == whole


def test_recordings_of_before_headings_are_still_read(tmp_path: Path) -> None:
    one = session(tmp_path, manual=True)
    one.handle(m.RecordSwitch(on=True))
    one.handle(m.Ride(speed=2.0))
    one.advance(30)
    one.end_recording()
    one.library.save()
    (path,) = tmp_path.glob("*.json")
    facts = json.loads(path.read_text())
    facts["log"] = [row[:5] for row in facts["log"]]
    del facts["heading"]
    path.write_text(json.dumps(facts))
    assert [part.speed for part in read(path).plan().segments] == [2.0]


def test_plans_in_cycles_end_and_the_rider_takes_over() -> None:
    one = session(manual=True)
    one.handle(m.PlanText(text="segments:\n  - {for: 2 cycles, gait: walk}\n  - {for: 1 s, speed: 3}\n"))
    assert one.state().plan == "ride" and one.state().segments == 2
    seen: set[int] = set()
    for _ in range(600):
        one.advance(1)
        seen.add(one.state().segment)
    assert seen == {1, 2, 0} and one.state().plan is None
    one.handle(m.PlanText(text="segments: [{for: 10 s, speed: 2}]"))
    one.handle(m.Ride(speed=1.0))
    assert one.course is None and one.horse.command.speed == 1.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("segments: [{for: 3 s, gait: cantre}]", "cantre"),
        ("segments: [{for: 3, speed: 1}]", "unit"),
        ("scene: ../../etc/passwd\nsegments: [{for: 3 s, speed: 1}]", "scene"),
        ("method: nobody\nsegments: [{for: 3 s, speed: 1}]", "nobody"),
        ("a: &x [*x]", "plan"),
        ("\x00", "plan"),
    ],
)
def test_wrong_plans_say_what_is_wrong(text: str, words: str) -> None:
    one = session(manual=True)
    with pytest.raises(Refusal, match=words):
        one.handle(m.PlanText(text=text))
    assert one.course is None


def test_another_horse_takes_over_and_the_page_is_reported() -> None:
    async def story() -> None:
        one, ear = session(), Ear()
        one.join(ear, "new")
        one.handle(m.Ride(speed=4.0, gait="trot"))
        ride(one, 240)
        one.handle(m.Setup(method="actions", height=1.6, coat="black"))
        assert ear.last(m.State).switching and ear.last(m.State).coat == "black"
        before = len(ear.blocks)
        for _ in range(2000):
            one.tick(0.0)
            await asyncio.sleep(0.001)
            if not one.switching:
                break
        ride(one, 60)
        assert ear.last(m.Hello).method == "actions" and not ear.last(m.State).switching
        rows = np.array([decode(b) for b in ear.blocks[before - 30 :]])
        ways = np.diff(rows["head"]["root"][:, 2])
        assert ways.min() > 0.5 * ways.max() > 0, "it keeps its speed"
        near = np.linalg.norm(np.diff(rows["positions"], axis=0), axis=-1).max(axis=1)
        assert near.max() < 1.7 * np.median(near), "no node jumps"
        assert one.horse.command.gait == "trot" and one.horse.frame.gait == "trot"

    asyncio.run(story())


def test_the_latest_of_two_wishes_wins_and_a_recording_keeps_its_body() -> None:
    async def story() -> None:
        one = session()
        one.handle(m.Setup(height=1.5))
        one.handle(m.Setup(height=1.7))
        await one.settled()
        assert one.horse.herd.height == pytest.approx(1.7) and not one.switching
        one.handle(m.RecordSwitch(on=True))
        with pytest.raises(Refusal, match="one body"):
            one.handle(m.Setup(height=1.5))
        one.handle(m.Setup(method="actions"))
        await one.settled()
        one.advance(10)
        assert one.library.open is not None and one.library.open.frames == 10
        for wrong in (m.Setup(coat="zebra"), m.Setup(method="nobody"), m.Setup(terrain="hills")):
            with pytest.raises(Refusal, match="Known"):
                one.handle(wrong)

    asyncio.run(story())


def test_reset_stands_at_the_origin(ridden: tuple[Session, Ear]) -> None:
    one, _ = ridden
    one.handle(m.Ride(speed=6.0, turn=0.5))
    ride(one, 200)
    one.handle(m.Reset())
    assert one.horse.place() == (0.0, 0.0, 0.0) and one.horse.frame.speed == 0
    ride(one, 30)
    assert np.abs(one.horse.frame.root.position).max() < 1e-6 and one.horse.number == 230


def test_every_event_is_shown_once(ridden: tuple[Session, Ear]) -> None:
    one, ear = ridden
    one.handle(m.Ride(speed=3.0))
    one.manual = True
    happened = 0
    for _ in range(60):
        one.advance(1)
        happened |= int(one.horse.frame.events)
    ride(one, 40)
    assert happened & 0xF and ear.events[0] == happened and not any(ear.events[1:])
    assert len(ear.blocks) < 6, "a horse that stands still is not shown 60 times a second"


def test_a_second_client_takes_over_and_a_ride_waits_for_its_rider() -> None:
    one, first, second = session(alone=2.0), Ear(), Ear()
    one.join(first, "new")
    one.join(second, "kept")
    assert first.left == "elsewhere" and second.told[0].resumed == "kept"
    one.leave(first, 0.0)
    assert one.reporter.listener is second
    one.leave(second, 10.0)
    one.tick(11.0)
    assert one.horse.number == 1
    one.tick(13.0)
    assert one.horse.number == 1, "nobody looks: it waits"


def test_a_breed_decides_which_gaits_a_speed_chooses() -> None:
    async def story() -> None:
        one, ear = session(manual=True), Ear()
        one.join(ear, "new")
        one.handle(m.Ride(speed=5.2))
        one.advance(360)
        assert gait_of(one) in ("trot", "canter"), "most horses have no rack"
        one.handle(m.Setup(breed="all"))
        await one.settled()
        assert ear.last(m.Hello).breed == "all" == ear.last(m.State).breed
        one.advance(360)
        assert gait_of(one) == "rack"
        plan = parse_plan(one.plan_text())
        assert plan.options == {"breed": "all"}
        other = session(manual=True)
        other.handle(m.PlanText(text=one.plan_text()))
        await other.settled()
        other.advance(300)
        assert other.horse.spec.breed == "all" and gait_of(other) == "rack"
        with pytest.raises(Refusal, match="three-gaited"):
            one.handle(m.Setup(breed="unicorn"))

    asyncio.run(story())


def gait_of(one: Session) -> str:
    return str(one.horse.frame.gait).partition("-")[0]


SPEEDS = [
    pytest.param(info.name, breed, marks=pytest.mark.slow if info.package else ())
    for info in OWN
    for breed in (BREEDS if "breed" in info.options() else ("",))
]


@pytest.mark.parametrize(("method", "breed"), SPEEDS)
def test_shipped_speeds_are_those_that_are_ridden(method: str, breed: str) -> None:
    options: dict[str, Any] = {"breed": breed} if breed else {}
    ridden = chosen_speeds(method, float(Herd(1, method, **options).bands.max()), **options)
    shipped = {gait: tuple(span) for gait, span in shipped_speeds()[method][breed].items()}
    assert ridden == shipped, "python -m hoofbeat.studio.facts"


def test_a_gait_that_is_not_chosen_is_ridden_by_name() -> None:
    one = session(manual=True)
    one.handle(m.Ride(speed=2.5, gait="amble"))
    one.advance(240)
    assert one.horse.spec.breed == "three-gaited" and gait_of(one) == "amble"


def test_the_page_gets_what_each_method_is_from_the_catalog() -> None:
    known = facts()
    for breed in BREEDS:
        told = {one.name: one for one in known.hello("0" * 32, "new", DEFAULT, breed, 1.4, Quotas()).methods}
        assert list(told) == list(installed_methods())
        for name, one in told.items():
            info = method_info(name)
            assert (one.title, one.jumps, one.terrain) == (info.title, info.jumps, info.terrain)
            chosen = {band.gait.partition("-")[0] for band in one.gaits if band.chosen_from is not None}
            if one.breeds:
                assert chosen == {gait.partition("-")[0] for gait in BREEDS[breed]}


def test_a_ride_on_disk_keeps_its_breed(tmp_path: Path) -> None:
    store = Store(tmp_path, Quotas())
    one = session(tmp_path, manual=True)
    one.handle(m.Ride(speed=3.0))
    one.advance(2)
    one.change.wanted = replace(one.horse.spec, breed="all")
    store.save(one)
    found = Store(tmp_path, Quotas()).find(one.token)
    assert found is not None and found.spec.breed == "all"


def test_a_plan_with_options_that_the_studio_does_not_know_is_refused() -> None:
    text = "method: timewarp\noptions: {turning: paper}\nsegments: [{for: 2 s, speed: 1}]"
    with pytest.raises(Refusal, match="turning"):
        session(manual=True).handle(m.PlanText(text=text))


def test_a_recording_of_another_layout_is_refused(tmp_path: Path) -> None:
    one = session(tmp_path, manual=True)
    one.handle(m.RecordSwitch(on=True))
    one.advance(3)
    one.end_recording()
    one.library.save()
    (path,) = tmp_path.glob("*.json")
    described = json.loads(path.read_text())
    assert described["layout"] == LAYOUT_VERSION
    path.write_text(json.dumps({**described, "layout": LAYOUT_VERSION - 1}))
    with pytest.raises(RecordingError, match="another version"):
        read(path)


def test_a_format_that_cannot_be_written_says_which_extra_gives_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment with the `studio` extra alone draws no pictures, makes no films and writes no USD."""
    absent = ("moderngl", "imageio_ffmpeg", "pxr")
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in absent else find(name))
    ready, missing = available_formats()
    assert ready == ("glb", "bvh", "npz")
    assert missing == {"usda": "usd", "webp": "render", "mp4": "render"}
    known = replace(facts(), formats=ready, missing=missing)
    told = known.hello("0" * 32, "new", DEFAULT, "three-gaited", 1.4, Quotas())
    assert told.formats == list(ready) and {one.format: one.extra for one in told.missing_formats} == missing
    with pytest.raises(Refusal, match=r"hoofbeat\[render\]"):
        known.check_format("webp")


def test_a_standing_horse_says_so_within_half_a_second() -> None:
    one = session(manual=True)
    for speed in (1.5, 6.0):
        one.handle(m.Ride(speed=speed))
        one.advance(300)
        one.handle(m.Ride())
        stood = 0
        for _ in range(600):
            one.advance(1)
            stood = stood + 1 if float(one.horse.frame.speed) < 0.05 else 0
            if stood > 30:
                break
        assert stood > 30 and gait_of(one) == "stand"
