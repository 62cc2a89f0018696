"""Method neural: what a network tells is what is seen; time, commands, herds and broken networks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hoofbeat import Command, Herd, Horse
from hoofbeat.body.labelled import Rig, in_root_space
from hoofbeat.body.legs.anatomy import leg_table
from hoofbeat.body.legs.bends import bends_of, bent_nodes
from hoofbeat.errors import UnknownAction
from hoofbeat.gaits.breeds import UnknownBreed
from hoofbeat.maths import quat
from hoofbeat.methods.neural import method as neural
from hoofbeat.methods.neural.control import speed_after
from hoofbeat.methods.neural.decode import decode_output
from hoofbeat.methods.neural.feet import new_scratch
from hoofbeat.methods.neural.network.description import NetworkFileError, read_description
from hoofbeat.methods.neural.network.features import rows_of
from hoofbeat.methods.neural.network.layout import FUTURE, JOINT, JOINT_VELOCITY, POSE
from hoofbeat.methods.neural.pose import limit_bends
from hoofbeat.methods.neural.state import memory_of
from hoofbeat.methods.neural.tables import bends_held
from hoofbeat.records import LANDING, TAKEOFF, Frame
from hoofbeat.world.terrain import Terrain
from neural_making import (
    Linear,
    description_of,
    dog_rig,
    exploding,
    failing,
    follower,
    horse_rig,
    need_onnx,
    stepping,
    wild_clip,
    write_network,
)

RIGS = {"horse": horse_rig, "dog": dog_rig}
rigs = pytest.mark.parametrize("animal", RIGS)


def ridden(horse: Horse, command: Command, steps: int, dt: float = 1 / 60) -> Frame:
    """The last frame of so many steps under one command."""
    frame = horse.frame()
    for _ in range(steps):
        frame = horse.step(command, dt)
    return frame


@cache
def rig_of(animal: str) -> Rig:
    return RIGS[animal]()


@pytest.fixture(autouse=True)
def _needs_onnx() -> None:
    need_onnx()


@pytest.fixture(scope="module")
def networks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Files of made networks by animal and kind."""
    folder = tmp_path_factory.mktemp("networks")
    makers = {"follower": follower, "exploding": exploding, "failing": failing}

    @cache
    def file(animal: str, kind: str = "follower") -> Path:
        rig = rig_of(animal)
        return write_network(folder / f"{animal}-{kind}.onnx", makers[kind](rig), description_of(rig))

    yield file


@rigs
def test_the_trunk_pitches_with_a_slope(animal: str, networks: Any) -> None:
    pitches = []
    for terrain in ("flat", Terrain.slope(grade=0.15, start=0.5, ease=0.5)):
        horse = Horse("neural", scene=networks(animal), terrain=terrain)
        places = ridden(horse, Command(speed=1.5), 300).positions
        tops = [leg.top for leg in horse.skeleton.legs]
        x, y, z = places[tops[:2]].mean(axis=0) - places[tops[2:]].mean(axis=0)
        pitches.append(np.degrees(np.arctan2(y, np.hypot(x, z))))
    assert pitches[1] - pitches[0] == pytest.approx(np.degrees(np.arctan(0.15)), abs=2.0)


def test_who_turns_on_the_spot_does_not_stand() -> None:
    """Else its feet would be set after it out of turn. Legs have no time of their own while it stands."""
    horse = Horse("neural")
    command = Command(turn=0.4)
    ridden(horse, command, 120)
    assert all(horse.step(command).phase.any() for _ in range(600))
    assert not ridden(horse, Command(), 240).phase.any()


@pytest.mark.parametrize("terrain", ["flat", "slope", "hills"])
@pytest.mark.parametrize("speed", [1.6, 3.6, 7.0, 10.0])
def test_held_feet_stay_where_they_are_and_do_not_pull_the_body_down(terrain: str, speed: float) -> None:
    """A foot that is about to leave is let go before the whole horse dips for a frame."""
    horse = Horse("neural", terrain=terrain)
    ground = Terrain.named(terrain)
    toes = [leg.toe for leg in horse.skeleton.legs]
    heights, last = [], horse.frame()
    for _ in range(420):
        frame = horse.step(Command(speed=speed))
        feet, down = frame.positions[toes], frame.contacts > 0.5
        above = feet[:, 1] - ground.heights(feet[:, 0], feet[:, 2])
        assert np.abs(above[down]).max(initial=0) < 5e-4
        both = down & (last.contacts > 0.5)
        assert np.abs(feet - last.positions[toes])[both].max(initial=0) < 5e-4
        heights.append(frame.positions[0, 1])
        last = frame
    if terrain == "flat":
        jolts = np.abs(np.diff(heights[120:], 2)) * 60**2
        assert np.percentile(jolts, 98) < 30 and np.mean(jolts > 40) < 0.01


class _Replay:
    """A runner that tells a recording, row by row, whatever it is asked."""

    def __init__(self, runner: Any, outputs: NDArray[np.float32]) -> None:
        self.x, self.y, self.gate = runner.x, runner.y, runner.gate
        self._rows = iter(outputs)

    def run(self) -> None:
        self.y[:] = next(self._rows)


@rigs
@pytest.mark.parametrize("speed", [0.0, 3.0])
def test_a_toe_that_stands_does_not_slide_after_the_predicted_place(
    animal: str, speed: float, networks: Any
) -> None:
    """Told to stand 1 cm ahead of where it is, it hardly moves; told to swing, it comes there."""
    made = neural.make(networks(animal))
    state = np.zeros(1, made.state_dtype)
    made.init(state, np.zeros(1, np.int64), 0)
    description = made.model.description
    y = np.zeros((1, description.layout.outputs.size), np.float32)
    for block, told in zip(POSE, state["pose"][0], strict=True):
        y[0, description.layout.outputs.part(block)] = told.ravel()
    columns, feet = np.arange(y.shape[1]), list(description.rig.feet)
    y[0, description.layout.outputs.part(JOINT_VELOCITY)] = 0
    y[0, description.layout.outputs.view(columns, JOINT)[feet, 2]] += 0.01
    y[0, description.layout.outputs.view(columns, JOINT_VELOCITY)[feet, 1]] = speed
    before = state["core"]["toe"][0].copy()
    tables, scratch = made.tables, new_scratch(len(made.skeleton))
    decode_output(tables.outputs, tables.body, tables.limits, tables.stand, y, memory_of(state), scratch)
    ahead = (state["core"]["toe"][0] - before)[:, 2]
    if speed == 0:
        assert (np.abs(ahead) < 0.0006).all()
    else:
        assert (ahead > 0.0015).all()


@rigs
@pytest.mark.parametrize("rate", [60, 120, 30])
def test_a_recording_that_is_read_comes_out_as_it_was(animal: str, rate: int, networks: Any) -> None:
    """Root, trunk and toes; told nodes all, so that nothing is shared."""
    rig = rig_of(animal) if animal == "dog" else horse_rig(told=None)
    clip = wild_clip(rig, 120)
    _, outputs = rows_of(clip, rig)
    path = networks(animal)
    if animal == "horse":
        path = write_network(path.with_name("all.onnx"), follower(rig), description_of(rig))
    made = neural.make(path)
    stepper = made.stepper(1)
    stepper.runner = _Replay(stepper.runner, outputs)  # type: ignore[assignment]
    horse = Horse(made, lock=False)
    places, _ = in_root_space(rig.skeleton, clip.rotations, clip.origins)
    legs = {j for leg in leg_table(rig.skeleton) for j in range(leg["top"], leg["last"] + 1)}
    outer = [j for j in range(len(rig.skeleton)) if j not in legs and not rig.skeleton.ends[j]]
    for n in range(1, 100 * rate // 60):
        frame = horse.step(Command(speed=1.0), 1 / rate)
        if n * 60 % rate:
            continue
        f = n * 60 // rate
        if f < 40:
            continue  # a toe that is told elsewhere comes there within some frames
        turned = quat.angle(frame.rotations, clip.rotations[f])
        assert turned[outer].max() < 1e-4
        gone = clip.root[f] - clip.root[0]
        s, c = np.sin(clip.root[0, 2]), np.cos(clip.root[0, 2])
        inward = (c * gone[0] - s * gone[1], s * gone[0] + c * gone[1])
        assert np.allclose(frame.root.position[[0, 2]], inward, atol=2e-4)
        heading = 2 * np.arctan2(frame.root.rotation[1], frame.root.rotation[3])
        assert abs((heading - gone[2] + np.pi) % (2 * np.pi) - np.pi) < 1e-4
        own = quat.rotate(quat.inverse(frame.root.rotation), frame.positions - frame.root.position)
        # Legs are brought to the toes told; one that is bent the wrong way may be turned to the right one.
        assert np.abs(own - places[f])[[*outer, *rig.toes]].max() < 1e-3


@rigs
def test_a_locked_foot_of_a_posed_leg_stays_and_bones_keep_their_length(animal: str, networks: Any) -> None:
    herd = Herd(1, "neural", scene=networks(animal))
    toes = [leg.toe for leg in herd.skeleton.legs]
    before, held = None, None
    for n in range(120):
        frame = herd.step(Command(speed=0.15 if n > 20 else 0.0, turn=0.1))
        bones = frame.positions[0, 1:] - frame.positions[0, herd.skeleton.parents[1:]]
        lengths = np.linalg.norm(herd.skeleton.offsets[1:], axis=1)
        assert np.allclose(np.linalg.norm(bones, axis=1), lengths, atol=1e-5)
        now, down = frame.positions[0, toes].copy(), frame.contacts[0] > 0.5
        if before is not None:
            stays = down & held
            assert np.abs(now - before)[stays].max(initial=0) < 1e-3
        before, held = now, down


@rigs
def test_a_pose_is_left_as_it_is_where_its_feet_are_free(animal: str, networks: Any) -> None:
    """With locks on and no foot standing, placement gives the network's own pose."""
    held, free = (Horse("neural", scene=networks(animal), lock=lock) for lock in (True, False))
    a, b = (ridden(horse, Command(speed=4.0), 150) for horse in (held, free))
    assert not a.contacts.any()
    assert quat.angle(a.rotations, b.rotations).max() < np.radians(1.0)
    assert np.abs(a.positions - b.positions).max() < 1e-3


@rigs
def test_the_same_path_at_30_60_and_120_hz(animal: str, networks: Any) -> None:
    ends = []
    for rate in (30, 60, 120, 90):
        horse = Horse("neural", scene=networks(animal))
        ridden(horse, Command(speed=2.0, turn=0.4), 2 * rate, 1 / rate)
        frame = ridden(horse, Command(speed=0.7, turn=0.4), 2 * rate, 1 / rate)
        ends.append(np.append(frame.root.position, frame.root.rotation))
    assert np.ptp(ends, axis=0).max() < 0.02


@rigs
def test_standing_stands_and_a_frame_is_repeated_in_no_time(animal: str, networks: Any) -> None:
    horse = Horse("neural", scene=networks(animal))
    first = horse.frame()
    assert horse.step(Command(), 0.0).positions.tobytes() == first.positions.tobytes()
    last = ridden(horse, Command(), 200)
    assert np.abs(last.positions - first.positions).max() < 0.01
    assert last.contacts.all() and last.gait == "stand"
    assert horse.step(Command(speed=3.0), 0.0).positions.tobytes() == last.positions.tobytes()


@rigs
@pytest.mark.parametrize("speed", [0.5, 1.5, 4.0])
def test_the_wanted_speed_and_heading_are_met(animal: str, speed: float, networks: Any) -> None:
    horse = Horse("neural", scene=networks(animal))
    frame = ridden(horse, Command(speed=speed, heading=2.0), 900)
    assert frame.speed == pytest.approx(speed, rel=0.05)
    assert 2 * np.arctan2(frame.root.rotation[1], frame.root.rotation[3]) == pytest.approx(2.0, abs=0.05)


@rigs
def test_a_member_of_a_herd_is_the_same_alone_and_beside_wild_ones(animal: str, networks: Any) -> None:
    rng = np.random.default_rng(1)
    alone, herd = Horse("neural", scene=networks(animal)), Herd(7, "neural", scene=networks(animal))
    for _ in range(120):
        speed, turn = rng.uniform(0, 9, 7), rng.uniform(-2, 2, 7)
        speed[3], turn[3] = 2.0, 0.3
        many = herd.step(Command(speed=speed, turn=turn))
        one = alone.step(Command(speed=2.0, turn=0.3))
        assert one.positions.tobytes() == many.positions[3].tobytes()
        assert one.rotations.tobytes() == many.rotations[3].tobytes()


@rigs
@pytest.mark.parametrize("kind", ["exploding", "failing"])
def test_a_broken_network_does_not_break_the_animal(animal: str, kind: str, networks: Any) -> None:
    horse = Horse("neural", scene=networks(animal, kind))
    frame = horse.frame()
    for n in range(400):
        frame = horse.step(Command(speed=3.0 * (n % 90 > 20), turn=1.0))
        assert np.isfinite(frame.positions).all()
        assert np.abs(np.linalg.norm(frame.rotations, axis=-1) - 1).max() < 1e-5
        assert np.abs(frame.positions - frame.root.position).max() < 6.0
    assert np.linalg.norm(frame.root.position) < 400 / 60 * 60


@rigs
def test_a_pose_out_of_range_comes_back(animal: str, networks: Any) -> None:
    """Memory torn far out of the data is drawn to standing, not kept."""
    horse = Horse("neural", scene=networks(animal))
    still = horse.step(Command()).rotations
    torn = horse.snapshot()
    torn.arrays[0]["pose"] *= 50.0
    horse.restore(torn)
    frame = ridden(horse, Command(), 600)
    assert np.isfinite(frame.positions).all()
    # What the guard holds to the range's edge comes nearer to standing.
    assert horse.snapshot().arrays[0]["core"]["strain"][0] < 0.2
    assert quat.angle(frame.rotations, still).max() < np.pi


def test_a_restored_snapshot_goes_on_the_same(networks: Any) -> None:
    horse = Horse("neural", scene=networks("dog"))
    for _ in range(50):
        horse.step(Command(speed=1.0), 1 / 50)
    kept = horse.snapshot()
    first = [horse.step(Command(speed=2.0, turn=-0.4)).positions.tobytes() for _ in range(60)]
    horse.restore(kept)
    assert first == [horse.step(Command(speed=2.0, turn=-0.4)).positions.tobytes() for _ in range(60)]


def act_of(horse: Horse, rig: Rig) -> str:
    """The action at the present."""
    return rig.actions[horse.snapshot().arrays[0]["core"][0]["action"]]


def test_actions_come_to_the_present_in_half_a_second(networks: Any) -> None:
    horse = Horse("neural", scene=networks("dog"))
    rig = rig_of("dog")
    for action in ("sit", None, "jump", "idle"):
        # A jump is begun at once by an animal that is fast enough for it.
        ridden(horse, Command(action=action, speed=1.2), 180 if action is None else 30)
        assert act_of(horse, rig) == (action or "move")
    with pytest.raises(UnknownAction):
        horse.step(Command(action="move"))


def test_a_jump_is_over_though_its_key_is_held_and_a_fast_animal_slows_down_to_sit(networks: Any) -> None:
    horse = Horse("neural", scene=networks("dog"))
    rig = rig_of("dog")
    horse.step(Command(action="jump"))
    assert act_of(horse, rig) != "jump"  # it runs up to it first
    run_up = [ridden(horse, Command(action="jump"), 5).speed for _ in range(12)]
    assert max(run_up) > 0.8
    ridden(horse, Command(action="jump"), 120)
    assert act_of(horse, rig) != "jump"
    ridden(horse, Command(speed=6.0), 300)
    fast = horse.step(Command(action="sit"))
    assert act_of(horse, rig) == "move" and fast.speed > 1.5
    slow = ridden(horse, Command(action="sit"), 200)
    assert act_of(horse, rig) == "sit" and slow.speed < 0.2


@pytest.mark.parametrize("asked", [0.0, 1.0, 4.0])
def test_a_trajectory_comes_to_its_speed_as_fast_as_the_animal_can(asked: float, networks: Any) -> None:
    method = neural.make(networks("dog"))
    core = np.zeros(1, method.state_dtype)["core"][0]
    core["speed"], core["wanted_speed"] = 2.0, asked
    rules = method.tables.rules
    gains, brakes = rules.change
    times = np.linspace(0, 2, 41)
    speeds = np.array([speed_after(rules, core, t) for t in times])
    assert speeds[0] == 2.0 and speeds[-1] == asked
    change = np.diff(speeds) / np.diff(times)
    assert change.min() >= -brakes - 1e-9 and change.max() <= gains + 1e-9
    assert (change * np.sign(asked - 2.0) >= -1e-9).all()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_legs_are_never_bent_more_than_in_the_data(seed: int) -> None:
    rig, rng = rig_of("dog"), np.random.default_rng(seed)
    skeleton = rig.skeleton
    nodes = bent_nodes(skeleton)
    low, more = rng.uniform(0.1, 1.2, len(nodes)), rng.uniform(0.0, 0.4)
    bends = np.stack([low, low + rng.uniform(0.1, 1.5, len(nodes))], axis=1)
    description = read_description(json.dumps(description_of(rig, bends=bends.tolist())))
    held = rng.normal(size=(len(skeleton), 4)).astype(np.float32)
    held /= np.linalg.norm(held, axis=1, keepdims=True)
    given_ = held.copy()
    limit_bends(bends_held(description, more), skeleton.offsets.astype(np.float32), held)
    places, _ = in_root_space(skeleton, held[None], np.zeros((1, 3), np.float32))
    found = bends_of(places[0], skeleton)
    room = more + 2e-3
    assert (found >= bends[:, 0] - room).all() and (found <= bends[:, 1] + room).all()
    # Joints that are within their range, and all that bend nothing, are left as they were.
    before, _ = in_root_space(skeleton, given_[None], np.zeros((1, 3), np.float32))
    was = bends_of(before[0], skeleton)
    fine = (was > bends[:, 0] - more + 1e-3) & (was < bends[:, 1] + more - 1e-3)
    same = np.setdiff1d(np.arange(len(skeleton)), skeleton.parents[nodes[~fine]])
    assert (held[same] == given_[same]).all()


def test_bends_of_a_card_are_checked_and_may_be_missing() -> None:
    rig = rig_of("dog")
    count = len(bent_nodes(rig.skeleton))
    open_ = read_description(json.dumps(description_of(rig))).bends
    assert open_.shape == (count, 2) and (open_ == np.array([0, np.pi], np.float32)).all()
    for wrong in ([[0.0, 1.0]], [[1.0, 0.5]] * count, [[0.0, 4.0]] * count, "none"):
        with pytest.raises(NetworkFileError, match="bends"):
            read_description(json.dumps(description_of(rig, bends=wrong)))


def test_a_pfnn_goes_by_the_phase_that_it_predicts(tmp_path: Path) -> None:
    rig = rig_of("dog")
    linear = stepping(rig, 1.5)
    made = neural.make(
        write_network(tmp_path / "p.onnx", linear, description_of(rig, kind="pfnn"), phase=True)
    )
    herd = Herd(2, made)
    for n in range(1, 91):
        herd.step(Command(speed=1.0))
        off = herd.snapshot().arrays[0]["core"]["phase"] - n / 60 * 1.5
        assert np.abs((off + 0.5) % 1.0 - 0.5).max() < 1e-3


def test_a_horse_takes_the_gait_of_its_speed_and_the_pinned_one(networks: Any) -> None:
    horse = Horse("neural", scene=networks("horse"))
    assert horse.gaits == ("stand", "walk", "trot", "canter-left", "canter-right")
    for command, gait in (
        (Command(speed=1.5), "walk"),
        (Command(speed=3.5), "trot"),
        (Command(speed=6.0, turn=-0.5), "canter-right"),
        (Command(speed=6.0, turn=0.5), "canter-left"),
        (Command(speed=3.0, gait="walk"), "walk"),
        (Command(), "stand"),
    ):
        assert ridden(horse, command, 240).gait == gait


def test_amble_and_rack_are_ridden_by_name_or_breed() -> None:
    """At 2.5 m/s an ordinary horse trots."""
    for breed, gait in (("three-gaited", "trot"), ("all", "amble")):
        horse = Horse("neural", breed=breed)
        assert {"amble", "rack"} <= set(horse.gaits)
        assert ridden(horse, Command(speed=2.5), 60).going_to == gait
        assert ridden(horse, Command(speed=2.5, gait="amble"), 60).going_to == "amble"
    with pytest.raises(UnknownBreed):
        neural.make(None, breed="none")


def test_a_galloping_horse_flies_and_says_so() -> None:
    """In the air is who has no foot down; take-offs and landings come in turn."""
    horse, flights, events = Horse("neural"), 0, []
    for n in range(360):
        frame = horse.step(Command(speed=11.0))
        assert frame.airborne == (not frame.contacts.any())
        flights += bool(frame.airborne) and n > 120
        events += [bit for bit in (TAKEOFF, LANDING) if frame.events & bit]
    assert flights > 20
    assert events[0] == TAKEOFF and all(a != b for a, b in pairwise(events))
    assert not ridden(horse, Command(), 300).airborne


def test_a_halting_horse_is_called_what_its_feet_make() -> None:
    """Not a walk at 5 m/s; and a standing one is said to stand within half a second."""
    horse = Horse("neural")
    band = dict(zip(horse.gaits, neural.make(None).bands[:, 1], strict=True))
    assert str(ridden(horse, Command(speed=6.0), 240).gait).startswith("canter")
    still, frame = 0, horse.frame()
    for _ in range(300):
        frame = horse.step(Command())
        if frame.gait != "stand":
            assert frame.speed < 1.3 * band[str(frame.gait)]
        still = still + 1 if frame.speed < 0.1 and frame.contacts.all() else 0
        assert still < 30 or frame.gait == "stand"
    assert frame.gait == frame.going_to == "stand"


def test_a_given_path_is_followed(networks: Any) -> None:
    made = neural.make(networks("dog"), tau=1.0)
    horse = Horse(made)
    times = np.arange(FUTURE) / 6
    way = np.zeros((1, FUTURE, 7))
    way[0, :, 0], way[0, :, 3], way[0, :, 4], way[0, :, 6] = 0.5 * times, 1.0, 0.5, 0.5
    made.steer(way)
    frame = ridden(horse, Command(), 60)
    assert frame.root.position[0] == pytest.approx(0.5, abs=0.02)
    made.steer(None)


@settings(max_examples=10)
@given(
    st.lists(
        st.tuples(
            st.floats(-1e9, 1e9), st.floats(-1e9, 1e9), st.sampled_from([0.0, 0.001, 1 / 60, 0.1, 0.37])
        ),
        min_size=1,
        max_size=25,
    )
)
def test_no_finite_command_breaks_it(networks: Any, commands: list[tuple[float, float, float]]) -> None:
    horse = Horse("neural", scene=networks("dog"))
    for speed, turn, dt in commands:
        frame = horse.step(Command(speed=speed, turn=turn), dt)
        assert np.isfinite(frame.positions).all() and np.isfinite(frame.rotations).all()
        assert ((frame.phase >= 0) & (frame.phase < 1)).all()


def test_wrong_options_and_files_are_reported(networks: Any, tmp_path: Path) -> None:
    with pytest.raises(neural.OptionError):
        neural.make(networks("dog"), tau=2.0)
    with pytest.raises(neural.OptionError):
        neural.make(networks("dog"), experts_off=(9,))
    rig = dog_rig(("sit", "idle"))
    linear: Linear = follower(rig)
    with pytest.raises(NetworkFileError, match="sit, idle"):
        neural.make(write_network(tmp_path / "x.onnx", linear, description_of(rig)))
