"""Ground that is not level: height and normal agree, feet stand on it, the body goes with it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hoofbeat import Command, Herd, Horse
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.record import Recorder
from hoofbeat.render.gl.context import GraphicsError
from hoofbeat.render.picture import Wish, save_picture
from hoofbeat.studio.refusal import Refusal, check_terrain
from hoofbeat.world.terrain import HILL_GRADE, KINDS, STEEPEST, Terrain, TerrainError, UnknownTerrain
from riding import KERNEL_METHODS, Ride, ride

GROUNDS = {
    "up": Terrain.slope(0.12),
    "down": Terrain.slope(-0.12),
    "hills": Terrain.hills(),
    "larger hills": Terrain.hills(0.5, 12.0, seed=2),
    "flat": Terrain.flat(),
    "level slope": Terrain.slope(0.0),
}
UNEVEN = [name for name in GROUNDS if name not in ("flat", "level slope")]
#: Speeds of a walk, a trot and a canter [m/s].
SPEEDS = (1.6, 3.6, 6.5)
everywhere = pytest.mark.parametrize("ground", UNEVEN)
at_speeds = pytest.mark.parametrize("speed", SPEEDS)
by_all = pytest.mark.parametrize("method", KERNEL_METHODS)
terrains = st.one_of(
    st.builds(Terrain.slope, st.floats(-0.4, 0.4), st.floats(-5, 5), st.floats(0.2, 4), st.floats(-3, 3)),
    st.builds(Terrain.hills, st.floats(0, 0.5), st.floats(8, 30), st.integers(0, 999), st.floats(0, 5)),
)
places = st.floats(-60, 60)


@cache
def ridden(method: str, ground: str, speed: float) -> Ride:
    """Seven seconds with a slight turn, from a stand."""
    horse = Horse(method, terrain=GROUNDS[ground])
    return ride(horse, [(Command(speed=speed, turn=0.05), 7.0)])


def clearance(seen: Ride, ground: Terrain) -> np.ndarray:
    """Height of the toes (T, 4) above the ground below them [m]."""
    return seen.toes[..., 1] - ground.heights(seen.toes[..., 0], seen.toes[..., 2])


def pitch_of(seen: Ride) -> np.ndarray:
    """Pitch (T,) of the line from the hips to the shoulders, nose up [rad]."""
    legs = Horse("timewarp").skeleton.legs
    hips, shoulders = (seen.positions[:, [a.top, b.top]].mean(axis=1) for a, b in (legs[2:], legs[:2]))
    way = shoulders - hips
    return np.arctan2(way[:, 1], np.hypot(way[:, 0], way[:, 2]))


@pytest.mark.kernels
@settings(max_examples=60, deadline=None)
@given(terrains, places, places)
def test_height_and_normal_agree(ground: Terrain, x: float, z: float) -> None:
    eps = 1e-5
    east = (ground.heights(x + eps, z) - ground.heights(x - eps, z)) / (2 * eps)
    north = (ground.heights(x, z + eps) - ground.heights(x, z - eps)) / (2 * eps)
    normal = np.array([-east, 1.0, -north])
    assert np.allclose(ground.normals(x, z), normal / np.linalg.norm(normal), atol=2e-5)
    assert np.hypot(east, north) <= STEEPEST * 1.6  # hills and their beginning together


@pytest.mark.kernels
@settings(max_examples=60, deadline=None)
@given(terrains, st.floats(0.2, 5), places, places)
def test_scaled_ground_is_the_same_ground_larger(ground: Terrain, factor: float, x: float, z: float) -> None:
    larger = ground.scaled(factor)
    assert larger.heights(x * factor, z * factor) == pytest.approx(ground.heights(x, z) * factor, abs=1e-9)
    assert np.allclose(larger.normals(x * factor, z * factor), ground.normals(x, z), atol=1e-9)


@given(terrains, st.floats(-1, 1), st.floats(-1, 1))
def test_hills_begin_level_and_stay_within_their_height(ground: Terrain, x: float, z: float) -> None:
    if ground.name == "hills":
        level, height, radius = ground.parameters[[0, 1, 7]]
        assert ground.heights(x * radius / 2, z * radius / 2) == level
        assert abs(ground.heights(50 * x, 50 * z) - level) <= height + 1e-12
    else:
        assert ground.heights(x, ground.parameters[2] - abs(z)) == ground.parameters[0]


def test_names_and_wrong_parameters() -> None:
    assert [Terrain.named(name).name for name in KINDS] == list(KINDS)
    with pytest.raises(UnknownTerrain, match="did you mean 'hills'"):
        Terrain.named("hils")
    for wrong, word in (
        (lambda: Terrain.slope(0.9), "grade"),
        (lambda: Terrain.slope(float("nan")), "grade"),
        (lambda: Terrain.slope(0.1, ease=0.0), "ease"),
        (lambda: Terrain.hills(2.0, 5.0), "height / length"),
        (lambda: Terrain.hills(seed=-1), "seed"),
        (lambda: Terrain.flat(float("inf")), "height"),
        (lambda: Terrain(7, np.zeros(8)), "kind"),
        (lambda: Terrain(0, np.zeros(3)), "parameters"),
    ):
        with pytest.raises(TerrainError, match=word):
            wrong()
    steepest = Terrain.hills(STEEPEST / HILL_GRADE * 10 - 1e-9, 10.0)
    assert steepest.name == "hills"
    with pytest.raises(ValueError, match="read-only"):
        steepest.parameters[0] = 1.0


@by_all
@everywhere
@at_speeds
def test_planted_feet_stand_on_the_ground_and_stay(method: str, ground: str, speed: float) -> None:
    seen = ridden(method, ground, speed)
    above = clearance(seen, GROUNDS[ground])
    assert np.abs(above[seen.contacts > 0.5]).max() < 0.002
    assert seen.slides().max() < 0.002
    assert above.min() > -0.02, "a foot swings through the ground"
    assert np.isfinite(seen.positions).all()


@by_all
@everywhere
@at_speeds
def test_nothing_moves_faster_than_in_a_gallop_on_level_ground(
    method: str, ground: str, speed: float
) -> None:
    gallop = ridden(method, "flat", 10.0).joint_steps().max()
    assert ridden(method, ground, speed).joint_steps().max() < 1.5 * gallop


@pytest.mark.parametrize("method", ["timewarp", "froude"])
@everywhere
@at_speeds
def test_legs_are_long_enough(method: str, ground: str, speed: float) -> None:
    shortfall = np.abs(ridden(method, ground, speed).shortfall).max(axis=1)
    assert np.percentile(shortfall, 99) < 0.02


@by_all
@everywhere
@at_speeds
def test_as_many_feet_stand_as_on_level_ground(method: str, ground: str, speed: float) -> None:
    """A leg that is too short is let go: then the gait would be another."""
    level, here = (ridden(method, name, speed).contacts.mean() for name in ("flat", ground))
    assert here == pytest.approx(level, abs=0.03)


@by_all
@at_speeds
def test_the_trunk_pitches_with_the_slope(method: str, speed: float) -> None:
    level, up, down = (pitch_of(ridden(method, name, speed))[-150:].mean() for name in ("flat", "up", "down"))
    slope = np.arctan(0.12)
    assert 0.6 * slope < up - level < 1.2 * slope
    assert 0.6 * slope < level - down < 1.2 * slope


@pytest.mark.parametrize("method", ["timewarp", "froude"])
@everywhere
@at_speeds
def test_the_body_does_not_jolt(method: str, ground: str, speed: float) -> None:
    """Beyond what the gait does on level ground, its height changes gently; most of it is the hills' own."""
    level, here = (
        np.abs(np.diff(ridden(method, name, speed).positions[120:, 0, 1], 2)) * 3600
        for name in ("flat", ground)
    )
    assert np.percentile(here, 98) < np.percentile(level, 98) + 1.5 * GRAVITY


@by_all
@at_speeds
def test_a_slope_of_no_grade_is_nearly_level_ground(method: str, speed: float) -> None:
    """Only legs that are nearly straight are met differently."""
    level, slope = ridden(method, "flat", speed), ridden(method, "level slope", speed)
    assert np.array_equal(level.roots, slope.roots)
    assert np.abs(level.positions - slope.positions)[60:].mean() < (0.02 if method == "actions" else 0.002)


def test_level_ground_uses_nothing_of_uneven_ground() -> None:
    herd = Herd(1, "timewarp")
    for _ in range(120):
        herd.step(Command(speed=6.0, turn=0.2))
    for field in ("base", "crouch", "pitch", "roll", "load", "asks"):
        assert not herd._world[field].any(), field


def test_a_hoof_lies_on_the_slope() -> None:
    """Toe and heel of a planted hoof: the bone between fetlock and toe turns with the ground."""
    skeleton = Horse("timewarp").skeleton
    grade = 0.2
    for ground, sign in ((Terrain.slope(grade, start=-50), 1), (Terrain.slope(-grade, start=-50), -1)):
        level, steep = Horse("timewarp").frame(), Horse("timewarp", terrain=ground).frame()
        for leg in skeleton.legs:
            turns = []
            for frame in (level, steep):
                way = frame.positions[leg.toe] - frame.positions[leg.pastern]
                turns.append(np.arctan2(way[1], way[2]))
            assert sign * (turns[1] - turns[0]) == pytest.approx(np.arctan(grade), abs=0.03)


def test_the_trunk_is_not_late() -> None:
    """At a canter over hills it is pitched as the ground below it, not as the ground it has left."""
    ground = GROUNDS["larger hills"]
    herd = Herd(1, "timewarp", terrain=ground)
    late = []
    for n in range(420):
        herd.step(Command(speed=6.5))
        x, _, z = herd._world["position"][0]
        rise = ground.heights(x, z + 0.72) - ground.heights(x, z - 0.23)
        if n > 120:
            late.append(herd._world["pitch"][0] - np.arctan(rise / 0.95))
    assert np.abs(late).mean() < 0.02


def test_a_horse_moved_elsewhere_stands_on_the_ground_there() -> None:
    ground = GROUNDS["hills"]
    herd = Herd(2, "timewarp", terrain=ground)
    for _ in range(100):
        herd.step(Command(speed=2.0))
    herd.move_to([[3.0, 20.0], [-9.0, 11.0]], [0.4, 2.0])
    toes = [leg.toe for leg in herd.skeleton.legs]
    for _ in range(60):
        frame = herd.step(Command(speed=2.0))
        feet = frame.positions[:, toes]
        above = feet[..., 1] - ground.heights(feet[..., 0], feet[..., 2])
        assert np.abs(above[frame.contacts > 0.5]).max() < 0.002


def test_standing_stands_on_a_hillside() -> None:
    ground = Terrain.hills(0.4, 12.0, seed=5, radius=0.0)
    herd = Herd(
        20, "timewarp", terrain=ground, positions=np.arange(40).reshape(20, 2), headings=np.arange(20)
    )
    toes = [leg.toe for leg in herd.skeleton.legs]
    frame = herd.frame()
    first = frame.positions.copy()
    assert np.abs(first[:, toes, 1] - ground.heights(first[:, toes, 0], first[:, toes, 2])).max() < 0.002
    for _ in range(120):
        frame = herd.step(Command())
        assert frame.contacts.all()
    assert np.abs(frame.positions - first).max() < 0.01, "a standing body sinks or climbs"


@by_all
def test_frame_rates_agree_on_hills(method: str) -> None:
    """The body goes as high and is pitched as much whatever the rate, on the way to the same place."""
    means = []
    for rate in (30, 60, 120):
        seen = ride(Horse(method, terrain=GROUNDS["hills"]), [(Command(speed=3.0), 6.0)], dt=1 / rate)
        late = slice(3 * rate, None)
        height = seen.positions[late, 0, 1] - seen.roots[late, 1]
        means.append([height.mean(), pitch_of(seen)[late].mean(), np.abs(seen.shortfall[late]).mean()])
    assert np.ptp(means, axis=0).max() < 0.01


def test_a_herd_and_a_snapshot_hold_on_hills() -> None:
    herd = Herd(3, "timewarp", seed=4, terrain="hills", positions=[[0, 9], [4, 0], [-3, 5]])
    lone = Herd(1, "timewarp", seed=4, terrain="hills", positions=[[0, 9]])
    for n in range(200):
        command = Command(speed=1.5 + n / 50, turn=0.2)
        herd.step(command)
        lone.step(command)
    assert np.array_equal(herd.frame().positions[0], lone.frame().positions[0])
    kept = herd.snapshot()
    after = [herd.step(Command(speed=2.0)).positions.copy() for _ in range(30)]
    herd.restore(kept)
    again = [herd.step(Command(speed=2.0)).positions.copy() for _ in range(30)]
    assert np.array_equal(after, again)


@by_all
def test_the_sense_has_the_ground(method: str) -> None:
    ground = Terrain.hills(0.4, 9.0, seed=3)
    herd = Herd(1, method, terrain=ground, positions=[[3.0, 8.0]], headings=[0.7])
    for _ in range(90):
        herd.step(Command(speed=2.5))
    sense, world, foot = herd._senses[0], herd._world[0], herd._steps.rows[0]["foot"]
    x, height, z = world["position"]
    s, c = world["sine"], world["cosine"]
    assert sense["ground_height"] == height == ground.heights(x, z)
    eps = 1e-4
    rise = (ground.heights(x + s * eps, z + c * eps) - ground.heights(x - s * eps, z - c * eps)) / (2 * eps)
    assert np.tan(sense["path_pitch"]) == pytest.approx(rise, abs=1e-4)
    for k in range(4):
        wx, wz = x + c * foot[k, 0] + s * foot[k, 2], z - s * foot[k, 0] + c * foot[k, 2]
        assert sense["landing_height"][k] == pytest.approx(ground.heights(wx, wz) - height, abs=1e-5)
        nx, ny, nz = ground.normals(wx, wz)
        wanted = [c * nx - s * nz, ny, s * nx + c * nz]
        assert sense["landing_normal"][k] == pytest.approx(wanted, abs=1e-5)


@by_all
@pytest.mark.parametrize("height", [0.8, 2.0])
def test_other_sizes_stand_on_the_same_ground(method: str, height: float) -> None:
    ground = Terrain.hills(0.2 * height, 10.0, seed=1)
    horse = Horse(method, height=height, terrain=ground)
    seen = ride(horse, [(Command(speed=2.0), 5.0)])
    above = clearance(seen, ground)
    assert np.abs(above[seen.contacts > 0.5]).max() < 0.003
    assert np.ptp(ground.heights(seen.roots[:, 0], seen.roots[:, 2])) > 0.02, "it never left the level"


@by_all
def test_unheld_feet_stay_out_of_the_ground(method: str) -> None:
    horse = Horse(method, terrain=GROUNDS["hills"], lock=False)
    seen = ride(horse, [(Command(speed=3.0), 5.0)])
    assert clearance(seen, GROUNDS["hills"]).min() > -0.02


@pytest.mark.kernels
def test_a_ride_over_hills_compiled_or_not() -> None:
    horse = Horse("timewarp", terrain=Terrain.hills(0.5, 9.0, radius=0.5))
    seen = ride(horse, [(Command(speed=2.0, turn=0.2), 1.5), (Command(speed=6.0), 1.5)], dt=0.05)
    assert np.abs(clearance(seen, horse._herd.terrain)[seen.contacts > 0.5]).max() < 0.003


def test_pictures_show_the_ground(tmp_path: Path) -> None:
    """A page and a moving picture are others than over level ground; the film of the skin is refused."""
    ground = GROUNDS["up"]
    horse = Horse("timewarp", terrain=ground)
    recorder = Recorder(horse.skeleton, 10)
    for _ in range(30):
        recorder.add(horse.step(Command(speed=3.0), 0.1))
    clip = recorder.clip("up")
    for name, wish in (("a.png", Wish("drawn", poses=2)), ("b.gif", Wish(fps=2.0, size=(160, 90)))):
        hilly = save_picture(clip, tmp_path / name, replace(wish, ground=ground.heights)).read_bytes()
        level = save_picture(clip, tmp_path / name, replace(wish, figure="drawn")).read_bytes()
        assert hilly != level
    for wish in (Wish("skin", ground=ground.heights), Wish(coat="grey", ground=ground.heights)):
        with pytest.raises(GraphicsError):
            save_picture(clip, tmp_path / "c.gif", wish)


def test_the_studio_refuses_ground_that_its_page_cannot_draw() -> None:
    check_terrain("flat")
    check_terrain(None)
    for name in ("hills", "slope", "moon"):
        with pytest.raises(Refusal, match="Known: flat"):
            check_terrain(name)
