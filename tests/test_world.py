"""The world: root and flight by the laws of motion, locks that hold, terrain, the engine uncompiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hoofbeat import Command, Herd, Horse
from hoofbeat.gaits.gait import family_of
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.records import LANDING, STEP, TAKEOFF
from hoofbeat.world.feet import place_foot, to_character, to_world
from hoofbeat.world.root import move_root
from hoofbeat.world.rows import WORLD
from hoofbeat.world.terrain import Terrain, UnknownTerrain, ground_at
from riding import ride

pytestmark = pytest.mark.kernels

LEVEL = Terrain.flat().ground


def character() -> tuple[NDArray[Any], NDArray[Any]]:
    world, step = np.zeros(1, WORLD), np.zeros(1, STEP)
    step["takeoff"] = step["landing"] = -1
    step["height"] = step["launch_height"] = step["landing_height"] = 1.2
    return world, step


@given(st.floats(0, 10), st.floats(-2, 2), st.integers(1, 12))
def test_a_turn_over_the_ground_is_an_arc(forward: float, rate: float, parts: int) -> None:
    """However it is cut into steps, the end lies on the circle of radius forward / rate, nearly."""
    world, step = character()
    step["forward"], step["yaw_rate"] = forward, rate
    for _ in range(parts):
        move_root(world[0], step[0], LEVEL, None, 0.1 / parts)
    angle = 0.1 * rate
    assert world["yaw"][0] == pytest.approx(angle, abs=1e-12)
    chord = forward * 0.1 * np.sinc(angle / (2 * np.pi))
    end = world["position"][0]
    assert end[0] == pytest.approx(chord * np.sin(angle / 2), abs=0.002 * forward * abs(rate) + 1e-12)
    assert end[2] == pytest.approx(chord * np.cos(angle / 2), abs=0.002 * forward * abs(rate) + 1e-12)


@pytest.mark.parametrize("wanted", [True, False])
def test_a_foot_that_steps_out_of_turn_is_set_down_only_where_it_is_to_stand(wanted: bool) -> None:
    """Its own swing may have begun meanwhile: it goes on in that, and does not touch down for a blink."""
    world, step = character()
    world["cosine"], world["stepping"] = 1.0, -1
    world["stepping"][0, 2], world["offset"][0, 2] = 0.0, (0.1, 0.0, 0.2)
    step["foot"][0, 2] = (0.1, 0.0 if wanted else 0.12, -0.3)
    step["contact"][0, 2] = 1.0 if wanted else 0.0
    heights, down, out = [], [], None
    for _ in range(60):
        planted, out = place_foot(world[0], step[0], 2, 1.2, LEVEL, 1 / 60)
        down.append(bool(planted))
        heights.append(float(out[1]))
    assert world["stepping"][0, 2] == -1
    assert down[-1] is wanted and any(down) is wanted
    assert out == pytest.approx(step["foot"][0, 2], abs=1e-3)
    assert np.abs(np.diff(heights)).max() < 0.03  # neither lands nor lifts in a leap


@settings(max_examples=30)
@given(st.floats(0.1, 0.4), st.floats(0.9, 1.3), st.floats(0.9, 1.3), st.sampled_from([30, 60, 120, 250]))
def test_flight_is_a_parabola_whatever_the_frame_rate(time: float, up: float, down: float, rate: int) -> None:
    world, step = character()
    step["forward"], step["flight_time"] = 5.0, time
    step["launch_height"], step["landing_height"] = up, down
    dt, start = 1 / rate, 0.4 / rate
    heights = []
    for n in range(int(time * rate) + 2):
        step["takeoff"] = start if n == 0 else -1
        step["yaw_rate"] = 1.0
        move_root(world[0], step[0], LEVEL, None, dt)
        if not world["airborne"][0]:
            break
        t = (n + 1) * dt - start
        rise = (down - up) / time + GRAVITY * time / 2
        assert world["height"][0] == pytest.approx(up + rise * t - GRAVITY * t * t / 2, abs=1e-9)
        assert world["yaw"][0] == pytest.approx(start, abs=1e-12), "heading changed in the air"
        heights.append(world["height"][0])
    assert not world["airborne"][0], "it never landed"
    if len(heights) > 2:
        assert np.allclose(np.diff(heights, 2) / dt**2, -GRAVITY, rtol=1e-6)


def test_a_body_above_its_landing_height_flies_on() -> None:
    """Planned time over, but the feet have not met the ground: it falls until they do."""
    world, step = character()
    step["flight_time"], step["takeoff"] = 0.2, 0.0
    move_root(world[0], step[0], LEVEL, None, 0.05)
    step["takeoff"] = -1
    step["landing_height"] = 0.9
    flown = 1
    while world["airborne"][0] and flown < 100:
        move_root(world[0], step[0], LEVEL, None, 0.05)
        flown += 1
    assert 5 < flown < 10


@given(st.floats(-1e5, 1e5), st.floats(-1e5, 1e5), st.floats(-7, 7), st.floats(-2, 2), st.floats(-2, 2))
def test_character_space_and_back(x: float, z: float, yaw: float, a: float, b: float) -> None:
    world, _ = character()
    world["position"][0] = x, 0.3, z
    world["yaw"], world["sine"], world["cosine"] = yaw, np.sin(yaw), np.cos(yaw)
    there = to_world(world[0], (a, 0.5, b))
    assert to_character(world[0], there) == pytest.approx((a, 0.5, b), abs=1e-9)


def test_flat_ground_is_flat_and_other_names_are_reported() -> None:
    height, normal = ground_at(Terrain.flat(0.7).ground, 3.0, -4.0)
    assert height == 0.7
    assert tuple(normal) == (0.0, 1.0, 0.0)
    with pytest.raises(UnknownTerrain, match="flat"):
        Terrain.named("flatt")


def test_ground_at_another_height_only_lifts_everything() -> None:
    low, high = Horse(), Horse(terrain=Terrain.flat(2.5))
    a, b = low.frame(), high.frame()
    for _ in range(60):
        a, b = low.step(Command(speed=4.0)), high.step(Command(speed=4.0))
    assert np.allclose(a.positions + [0, 2.5, 0], b.positions, atol=1e-6)
    assert np.array_equal(a.contacts, b.contacts)


@pytest.mark.parametrize(("method", "fastest"), [("timewarp", "canter"), ("actions", "gallop")])
def test_a_whole_ride_compiled_or_not(method: str, fastest: str) -> None:
    """Every branch of the engine in one coarse ride: start, gaits, turns, flight, halt, steps out of turn."""
    horse = Horse(method)
    plan = [
        (2.0, 0.5, 1.0),
        (5.0, 0.3, 1.8),
        (8.0, 0.2, 2.2),
        (0.0, 0.0, 3.5),
        (0.0, 0.9, 2.5),
        (1.0, -0.5, 1.0),
    ]
    seen = ride(horse, [(Command(speed=v, turn=w), seconds) for v, w, seconds in plan], dt=0.05)
    assert {"stand", "walk", "trot", fastest} <= {family_of(gait) for gait in seen.gaits}
    assert seen.airborne.any()
    assert seen.toes[..., 1].min() > -0.002
    assert seen.slides().max() < 0.003
    assert np.isfinite(seen.positions).all()


def test_events_tell_take_off_and_landing() -> None:
    horse = Horse()
    takeoffs = landings = touches = 0
    for _ in range(240):
        events = horse.step(Command(speed=4.5), 1 / 30).events
        takeoffs += bool(events & TAKEOFF)
        landings += bool(events & LANDING)
        touches += bin(events & 0xF).count("1")
    assert takeoffs > 10
    assert abs(takeoffs - landings) <= 1
    # Each flight of a trot ends on a pair of feet.
    assert touches > 1.7 * landings


def test_a_herd_of_none_and_of_many_start_where_they_are_put() -> None:
    assert Herd(0).step(Command(speed=3.0)).positions.shape[0] == 0
    places = np.array([[0.0, 0.0], [5.0, -3.0], [100000.0, 7.0]])
    herd = Herd(3, positions=places, headings=[0.0, 1.0, -2.0])
    frame = herd.frame()
    for _ in range(20):
        frame = herd.step(Command(speed=1.0), 0.05)
    way = frame.root.position[:, [0, 2]] - places
    off = np.arctan2(way[:, 0], way[:, 1]) - [0.0, 1.0, -2.0]  # it sways, all three alike
    assert np.allclose(off, off[0], atol=1e-6) and abs(off[0]) < 0.05
    assert np.allclose(np.linalg.norm(way, axis=1), np.linalg.norm(way[0]), rtol=1e-6)
    assert frame.contacts.sum() > 0
