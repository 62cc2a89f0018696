"""Method `froude`: the moving horse against the laws, transitions in stages, presets, other animals (M4
to M11)."""

# pyright: reportPossiblyUnboundVariable=false

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hoofbeat as hb
from hoofbeat.body.legs.find import find_legs
from hoofbeat.body.size import hip_height
from hoofbeat.errors import FileError, HoofbeatError
from hoofbeat.formats.adjusterfile import BONES, Adjuster
from hoofbeat.formats.planfile import read_plan
from hoofbeat.formats.scenefile import read_scene
from hoofbeat.gaits.footfall import strides
from hoofbeat.maths.expressions.program import compile_expression
from hoofbeat.methods.froude.method import FroudeMethod
from hoofbeat.methods.froude.model.cycles import UnusableAdjuster
from hoofbeat.methods.froude.model.inputs import HORSE_INPUTS, Inputs, InputsError, parse_inputs, read_inputs
from hoofbeat.methods.froude.model.similarity import PRESETS, UnknownPreset, predict, speed_of
from hoofbeat.methods.froude.model.stages import stage_table
from hoofbeat.methods.froude.tables import GAITS
from hoofbeat.methods.timewarp.method import make as timewarp
from hoofbeat.records import COMMAND, SENSE, Steps
from hoofbeat.render.plots.froude import TABLE_3, one_base, run_trial
from rigs import FORE, HIND, Tree

SKELETON = read_scene().skeleton
HIP = hip_height(SKELETON)
RATE = 120
LEAD = {"walk": "walk", "trot": "trot", "canter": "canter-left", "gallop": "gallop-right"}


def steady(preset: str) -> tuple[list[tuple[str, float]], np.ndarray, np.ndarray, list[str]]:
    """A herd, each at its own gait and Froude number: what is ridden, contacts (T, N, 4), way (N,), gaits."""
    ridden: list[tuple[str, float]] = []
    for gait, (low, high) in PRESETS[preset].borders.items():
        ridden += [(gait, float(fr)) for fr in np.geomspace(max(low, 0.05), high, 4)]
    herd = hb.Herd(len(ridden), "froude", preset=preset)
    speeds = np.array([float(speed_of(fr, HIP)) for _, fr in ridden])
    command = hb.Command(speed=speeds, gait=[LEAD[gait] for gait, _ in ridden])
    for _ in range(9 * RATE):
        herd.step(command, 1 / RATE)
    start = np.array(herd.frame().root.position[:, 2])
    contacts = [np.array(herd.step(command, 1 / RATE).contacts) for _ in range(6 * RATE)]
    frame = herd.frame()
    return ridden, np.array(contacts), np.array(frame.root.position[:, 2]) - start, list(frame.gait)


@pytest.mark.parametrize("preset", ["natural", "paper"])
def test_the_moving_horse_keeps_the_laws(preset):
    """Duties within 0.03, stride length within 5 % where legs reach, speed within 1 %, feet in order."""
    ridden, contacts, way, gaits = steady(preset)
    for n, (gait, froude) in enumerate(ridden):
        told = predict(froude, gait, HIP)
        seen = strides(contacts[:, n], RATE)
        duty = seen.mean_duty()
        assert gaits[n] == LEAD[gait]
        assert np.abs(duty[:2] - told.duty_fore).max() < 0.03, (gait, froude, duty, told.duty_fore)
        assert np.abs(duty[2:] - told.duty_hind).max() < 0.03, (gait, froude, duty, told.duty_hind)
        speed = way[n] / 6
        assert speed == pytest.approx(float(told.speed), rel=0.01)
        if max(told.stance_fore, told.stance_hind) <= 1.05:
            assert speed * seen.duration.mean() == pytest.approx(float(told.stride), rel=0.05)
        gap = (seen.mean_touchdown() - np.array(PRESETS[preset].touchdown[gait]) + 0.5) % 1 - 0.5
        assert np.abs(gap).max() < 0.03


class Bare:
    """The method alone: what it gives before any leg is solved."""

    def __init__(self, **options: object) -> None:
        self.method = FroudeMethod(read_inputs(), **options)  # type: ignore[arg-type]
        self.state = np.zeros(1, self.method.state_dtype)
        self.method.init(self.state, np.zeros(1, np.int64), 0)
        self.out = Steps.empty(1, len(SKELETON))
        self.command, self.sense = np.zeros(1, COMMAND), np.zeros(1, SENSE)
        self.command["gait"] = self.command["action"] = -1

    def ride(self, froude: float, seconds: float, dt: float = 1 / 120) -> list[np.ndarray]:
        """Angles (4, 3) [rad] of top, mid and low joints of the legs, a row a step."""
        self.command["speed"] = float(speed_of(froude, HIP))
        rows = []
        joints = [[leg.top, leg.mid, leg.low] for leg in SKELETON.legs]
        for _ in range(round(seconds / dt)):
            self.method.step(self.state, self.command, self.sense, dt, self.out)
            turn = self.out.rotations[0, joints]
            rows.append(2 * np.arctan2(turn[..., 0], turn[..., 3]))
        return rows


def test_cycles_of_a_run_have_the_stages_of_table_4():
    bare = Bare(preset="paper")
    bare.ride(1.0, 6.0)
    seen: dict[str, dict[str, int]] = {}
    for froude, name in ((2, "walk to trot"), (3, "trot to canter"), (4, "canter to gallop")):
        seen[name] = recorded(bare, float(froude))
    for froude, name in ((3, "gallop to canter"), (2, "canter to trot"), (1, "trot to walk")):
        seen[name] = recorded(bare, float(froude))
    assert seen == stage_table("paper")


def recorded(bare: Bare, froude: float) -> dict[str, int]:
    """Lengths [stages] of the four legs' transition cycles on the way to a Froude number."""
    found: dict[str, int] = {}
    for _ in range(600):
        bare.ride(froude, 1 / 120)
        state = bare.state[0]
        if state["source"] != state["gait"]:
            for name, leg in (("FL", 0), ("HL", 2), ("HR", 3), ("FR", 1)):
                if state["share"][leg, 1] > state["share"][leg, 0]:
                    found[name] = round(100 * float(state["length"][leg]))
    return found


@pytest.mark.parametrize(("preset", "cycles"), [("paper", 1), ("natural", 1), ("natural", 3)])
def test_joints_never_step_through_transitions(preset, cycles):
    """Every step and every change of it, through all gaits and back, is no more than twice that of the steady
    gaits themselves, for the joints as the method gives them; no leg's time runs backward."""
    bare = Bare(preset=preset, cycles=cycles)
    numbers = {"paper": (1.0, 2.0, 3.0, 4.0), "natural": (0.2, 1.0, 3.5, 9.0)}[preset]
    still, moving = [], []
    for froude in (*numbers, *reversed(numbers[:-1])):
        moving.append(np.array(bare.ride(froude, 5.0)))
        still.append(np.array(bare.ride(froude, 1.5)))
    own = np.max([np.abs(np.diff(rows, axis=0)).max() for rows in still])
    bend = np.max([np.abs(np.diff(rows, 2, axis=0)).max() for rows in still])
    whole = np.concatenate([part for pair in zip(moving, still, strict=True) for part in pair])[360:]
    longer = 2.0 if preset == "natural" else 2.6  # a cycle of 56 stages runs 1.8 times as fast
    assert np.abs(np.diff(whole, axis=0)).max() < longer * own
    assert np.abs(np.diff(whole, 2, axis=0)).max() < longer**2 * bend


@pytest.mark.parametrize(("preset", "cycles"), [("paper", 1), ("natural", 1), ("natural", 3)])
def test_transition_cycles_join_without_a_step(preset, cycles):
    """Where a leg enters and leaves its transition cycle its joints step neither in value nor in slope: seen
    through steps 128 times as short as a frame, what is left is less than the steady gaits' own change from
    frame to frame: a hundredth of it in value, a quarter in slope."""
    bare = Bare(preset=preset, cycles=cycles)
    numbers = {"paper": (1.0, 2.0, 3.0, 4.0), "natural": (0.2, 1.0, 3.5, 9.0)}[preset]
    bare.ride(numbers[0], 5.0)
    found, own, bend = [], 0.0, 0.0
    for froude in (*numbers[1:], *reversed(numbers[:-1])):
        for _ in range(600):
            found += joins(bare, froude)
        rows = np.array(bare.ride(froude, 1.5, 1 / 60))
        own = max(own, float(np.abs(np.diff(rows, axis=0)).max()))
        bend = max(bend, float(np.abs(np.diff(rows, 2, axis=0)).max()))
    assert len(found) > 36  # four legs, two ends, six transitions; some fall on the edge of a step
    assert max(value for value, _ in found) < 0.01 * own
    assert max(slope for _, slope in found) < 0.25 * bend


def changing(bare: Bare) -> np.ndarray:
    """Which legs (4,) are in a transition cycle."""
    state = bare.state[0]
    return (state["share"][:, 1] > state["share"][:, 0]) & (state["source"] != state["gait"])


def joins(bare: Bare, froude: float) -> list[tuple[float, float]]:
    """Ride 1/120 s; for every leg that enters or leaves its transition cycle then, the step of its joints in
    value [rad] and in slope [rad a frame of 1/60 s]."""
    fine, count = 1 / 7680, 64
    before, legs = bare.state.copy(), changing(bare)
    bare.ride(froude, 1 / 120)
    if (legs == changing(bare)).all():
        return []
    after, rows, inside, out = bare.state.copy(), [], [legs], []
    bare.state[:] = before
    for _ in range(count + 8):
        rows += bare.ride(froude, fine, fine)
        inside.append(changing(bare))
    angles, slopes = np.array(rows), np.diff(rows, axis=0) / fine
    for k, leg in np.argwhere(np.diff(np.array(inside, int), axis=0) != 0):
        if 6 < k < count:
            old, new = slopes[k - 5 : k - 2, leg].mean(axis=0), slopes[k + 2 : k + 5, leg].mean(axis=0)
            gone = angles[k + 2, leg] - angles[k - 2, leg] - (old + new) / 2 * 4 * fine
            out.append((float(np.abs(gone).max()), float(np.abs(new - old).max() / 60)))
    bare.state[:] = after
    return out


def test_gaits_that_are_not_neighbours_are_reached_through_those_between():
    horse = hb.Horse("froude")
    seen = ["walk"]
    for gait in ("walk", "gallop-left", "walk"):
        for _ in range(60 * 8):
            frame = horse.step(hb.Command(speed=1.5 if gait == "walk" else 9.0, gait=gait))
            if frame.gait != seen[-1] and frame.gait != "stand":
                seen.append(str(frame.gait))
    assert seen == ["walk", "trot", "canter-left", "gallop-left", "canter-left", "trot", "walk"]


def test_a_speed_on_a_border_does_not_flutter():
    horse = hb.Horse("froude")
    speed = float(speed_of(0.35, HIP))
    changes, last = 0, ""
    for n in range(60 * 20):
        frame = horse.step(hb.Command(speed=speed * (1.02 if n // 60 % 2 else 0.98)))
        changes += frame.gait != last and n > 300
        last = frame.gait
    assert changes <= 1


@pytest.mark.parametrize("preset", ["paper", "natural"])
def test_the_label_follows_the_feet(preset):
    """Through all gaits and back: a label changes when every foot has landed in the transition, and before
    any has made a whole stride of the new gait."""
    bare = Bare(preset=preset)
    numbers = {"paper": (1.0, 2.0, 3.0, 4.0), "natural": (0.2, 1.0, 3.5, 9.0)}[preset]
    bare.ride(numbers[0], 5.0)
    changes, landed, after = 0, np.zeros(4, int), np.zeros(4, int)
    for froude in (*numbers[1:], *reversed(numbers[:-1])):
        for _ in range(500):
            label, last, begun = bare.out.rows["gait"][0], bare.state["clock"][0].copy(), changing(bare)
            steady = bare.state["source"][0] == bare.state["gait"][0]
            bare.ride(froude, 1 / 120)
            state, lands = bare.state[0], bare.state["clock"][0] < last
            if steady and state["source"] != state["gait"]:
                landed[:], after[:] = state["cycles_left"] < state["cycles"], 0
            else:
                landed += lands
            after += lands & ~begun & (state["share"][:, 0] == 1.0)
            if bare.out.rows["gait"][0] != label:
                changes += 1
                assert (landed >= 1).all() and (after <= 1).all(), (froude, landed, after)
    assert changes == 6


def test_going_to_is_the_gait_that_is_asked_for():
    """From the command on, however many gaits are between; where nothing changes it is the gait itself."""
    horse = hb.Horse("froude")
    for command, wanted in (
        (hb.Command(speed=9.0), "gallop-left"),
        (hb.Command(speed=1.2), "walk"),
        (hb.Command(speed=6.0, gait="canter-right"), "canter-right"),
        (hb.Command(), "stand"),
    ):
        frame = horse.frame()
        for _ in range(60 * 9):
            frame = horse.step(command)
            assert frame.going_to == wanted
        assert frame.gait == wanted


@pytest.mark.parametrize("speed", [1.2, 3.5, 6.0, 9.0])
@pytest.mark.parametrize("height", [None, 0.9])
def test_a_standing_horse_says_so_within_half_a_second(speed, height):
    """Halted from every gait; and one that goes never says that it stands."""
    horse = hb.Horse("froude", **({} if height is None else {"height": height}))
    for n in range(60 * 6):
        frame = horse.step(hb.Command(speed=speed))
        assert n == 0 or frame.gait != "stand"
    still, frame = 0, horse.frame()
    for _ in range(60 * 6):
        frame = horse.step(hb.Command())
        still = still + 1 if frame.speed < 0.05 else 0
        assert frame.gait != "stand" or frame.speed < 0.05
        assert still <= 30 or frame.gait == "stand"
    assert frame.gait == "stand" and still > 60


def test_more_cycles_take_longer():
    times = []
    for cycles in (1, 2, 3):
        bare = Bare(cycles=cycles)
        bare.ride(0.2, 5.0)
        taken = 0
        for _ in range(900):
            bare.ride(1.0, 1 / 120)
            taken += bare.state["source"][0] != bare.state["gait"][0]
        times.append(taken)
    assert times[0] < times[1] < times[2]


def test_back_neck_and_tail_move_with_the_stride():
    bare = Bare()
    bare.ride(4.0, 8.0)
    found = []
    for _ in range(120):
        bare.ride(4.0, 1 / 120)
        found.append(np.array(bare.out.rotations[0]))
    turns = np.array(found)
    angles = 2 * np.degrees(np.arctan2(turns[..., 0], turns[..., 3]))
    for name, least in (("RootSacrum", 3), ("Lumbar01", 2), ("Cervical07", 2), ("Head", 2), ("Tail08", 1)):
        assert np.ptp(angles[:, SKELETON.index(name)]) > least, name


def test_the_other_lead_is_the_mirror_image():
    def poses(gait: str) -> tuple[np.ndarray, np.ndarray]:
        bare = Bare()
        bare.command["gait"] = GAITS.index(gait)
        bare.ride(4.0, 12.0)
        clocks, heights = [], []
        for _ in range(400):
            bare.ride(4.0, 1 / 480, 1 / 480)
            clocks.append(bare.state["clock"][0].copy())
            heights.append([bare.out.rows["height"][0], *bare.out.rows["foot"][0, :, 2]])
        return np.array(clocks), np.array(heights)

    left, right = poses("canter-left"), poses("canter-right")
    mirrored = [1, 0, 3, 2]
    for clock, row in zip(*left, strict=True):
        gap = np.abs(right[0][:, mirrored] - clock).max(axis=1)
        if gap.min() < 0.003:
            other = right[1][gap.argmin()]
            assert other[0] == pytest.approx(row[0], abs=0.004)
            assert np.abs(other[1:][mirrored] - row[1:]).max() < 0.05


def test_it_is_not_timewarp_in_another_coat():
    """Joint curves before placement, at the same speeds: not all correlate above 0.98 at any gait."""
    other = timewarp(None)
    for froude in (0.2, 1.0, 3.5, 9.0):
        bare = Bare()
        bare.ride(froude, 10.0)
        own = np.array(bare.ride(froude, 2.0)).reshape(240, -1)
        bare.method, bare.state = other, np.zeros(1, other.state_dtype)  # type: ignore[assignment]
        other.init(bare.state, np.zeros(1, np.int64), 0)
        bare.ride(froude, 10.0)
        theirs = np.array(bare.ride(froude, 2.0)).reshape(240, -1)
        best = 0.0
        for shift in range(0, 120, 2):
            a, b = own[:120] - own[:120].mean(axis=0), theirs[shift : shift + 120]
            b = b - b.mean(axis=0)
            best = max(best, float((a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum() + 1e-12)))
        assert best < 0.98, froude


def test_the_plan_of_table_3_runs_and_exports(tmp_path):
    plan = replace(read_plan(TABLE_3), fps=60)
    clip = hb.synthesize(plan)
    clip.save(tmp_path / "table3.bvh")
    names = [str(name).split("-")[0] for name in clip.extras["gait"]]
    seen = [names[0], *(b for a, b in zip(names, names[1:], strict=False) if a != b)]
    assert seen == ["walk", "trot", "canter", "gallop", "canter", "trot", "walk"]
    assert hb.load(tmp_path / "table3.bvh").positions.shape == clip.positions.shape


def test_figure_12_reads_the_humerus_before_placement():
    plan = read_plan(TABLE_3)
    trial = run_trial(one_base(read_inputs()), replace(plan, segments=plan.segments[:2]), "RF", "top")
    assert [name for _, name in trial.changes] == ["walk", "trot"]
    assert np.abs(np.diff(trial.angle)).max() < 0.12 and np.ptp(trial.angle) > 0.3


@pytest.mark.parametrize("factor", [0.1, 2.0])
def test_animals_of_other_sizes_go_alike(factor):
    """A skeleton of another size at the same Froude number: feet and times in proportion."""
    small = FroudeMethod(read_inputs(), skeleton=SKELETON.scaled(factor))
    large = FroudeMethod(read_inputs())
    assert small.tables.hip == pytest.approx(factor * large.tables.hip)
    assert np.allclose(small.bands[2:], np.sqrt(factor) * large.bands[2:])
    assert np.allclose(small.tables.middle, factor * large.tables.middle)
    assert np.allclose(small.tables.curves[..., :7], large.tables.curves[..., :7], atol=1e-5)


def test_another_animal_walks():
    """Legs of other proportions, no shoulder blades and no named trunk: it walks, and its feet land."""
    tree = Tree("Root", (0.0, 1.0, 0.0))
    tree.add("Chest", "Root", (0.0, 1.0, 0.6))
    for side, x in (("Left", 0.15), ("Right", -0.15)):
        fore = [np.array([x, 0.9, 0.6]) + place for place in FORE[4]]
        hind = [np.array([x, 1.0, -0.1]) + place for place in HIND[4]]
        tree.chain([f"{side}{name}" for name in ("Shoulder", "Elbow", "Wrist", "ForeToe")], "Chest", fore)
        tree.chain([f"{side}{name}" for name in ("Hip", "Knee", "Ankle", "HindToe")], "Root", hind)
    skeleton = tree.skeleton()
    skeleton = skeleton.with_legs(find_legs(skeleton))
    method = FroudeMethod(read_inputs(), skeleton=skeleton)
    state = np.zeros(1, method.state_dtype)
    method.init(state, np.zeros(1, np.int64), 0)
    out = Steps.empty(1, len(skeleton))
    command, sense = np.zeros(1, COMMAND), np.zeros(1, SENSE)
    command["gait"] = command["action"] = -1
    command["speed"] = float(speed_of(0.2, method.tables.hip))
    down = []
    for _ in range(900):
        method.step(state, command, sense, 1 / 120, out)
        down.append(out.rows["contact"][0].copy())
        assert np.isfinite(out.rotations).all()
    duty = strides(np.array(down)[300:], 120).mean_duty()
    assert (np.abs(duty - 0.66) < 0.06).all()


def adjusted(gait: str, text: str) -> Inputs:
    """The inputs with another adjuster for a gait: one expression, for the stifle."""
    inputs = read_inputs()
    texts = [text if bone == ("hind", "stifle") else "0" for bone in BONES]
    expressions = tuple(compile_expression(one, froude=True) for one in texts)
    changed = Adjuster(gait, inputs.adjusters[gait].froude, expressions)
    return replace(inputs, adjusters=MappingProxyType({**inputs.adjusters, gait: changed}))


def test_an_adjuster_without_strides_is_refused():
    with pytest.raises(UnusableAdjuster, match="hind foot stands 0.00"):
        FroudeMethod(adjusted("trot", "60"))


def test_options_that_do_not_exist_are_reported():
    with pytest.raises(UnknownPreset, match="natural"):
        hb.Horse("froude", preset="real")
    for cycles in (0, 4, "2"):
        with pytest.raises(HoofbeatError, match="1 to 3"):
            hb.Horse("froude", cycles=cycles)


TEXT = HORSE_INPUTS.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("format: hoofbeat froude", "format: x", "expected format"),
        ("fore: [0.52, -0.14]", "fore: [-1, 0]", "a in"),
        ("fore: [0.52, -0.14]", "four: [1, 0]", "did you mean 'fore'"),
        ("hysteresis: 0.08", "hysteresis: 2", "0 to 0.5"),
        ("reference: least", "reference: most", "left-fore or least"),
        ("froude: [0.35, 2.0]", "froude: [0.35, 0.2]", "must rise"),
        ("touchdown: [0.25, 0.75, 0.0, 0.5]", "touchdown: [0.25, 0.75, 0.1, 0.5]", "after LH"),
        ("walk: adjuster-walk.yaml", "walk: adjuster-trot.yaml", "adjusts the trot"),
        ("walk: adjuster-walk.yaml", "walk: nowhere.yaml", "nowhere.yaml"),
        ("source: walk-1.2", "sourc: walk-1.2", "did you mean 'source'"),
        ("duty: [0.63, 0.64]", "duty: [0.63, 1.64]", "0.1 to 0.9"),
        ("scapula: [", "scapula: [[", "expected"),
    ],
)
def test_what_is_wrong_in_the_inputs_is_reported(old, new, told):
    assert old in TEXT
    path = HORSE_INPUTS.with_name("changed.yaml")  # never written: adjusters are sought beside it
    with pytest.raises(FileError, match=told):
        parse_inputs(TEXT.replace(old, new, 1).encode(), str(path))


@settings(max_examples=25)
@given(st.integers(0, len(TEXT) - 1), st.text(max_size=8))
def test_no_change_of_the_inputs_crashes_the_reader(at, put):
    try:
        parse_inputs((TEXT[:at] + put + TEXT[at + len(put) :]).encode(), str(HORSE_INPUTS))
    except InputsError:
        pass


@pytest.mark.kernels
def test_a_few_steps_of_everything():
    """Short enough to run uncompiled: standing, setting off, a transition, a turn, a flight, a halt."""
    herd = hb.Herd(2, "froude")
    for speed, turn in ((2.0, 0.0), (6.0, 0.5), (9.0, -0.5), (0.0, 0.0)):
        for _ in range(8):
            frame = herd.step(hb.Command(speed=speed, turn=turn), 0.08)
            assert np.isfinite(frame.positions).all() and np.isfinite(frame.rotations).all()
