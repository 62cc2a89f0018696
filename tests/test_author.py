"""The author: the shipped database is what its parameters make; every cycle keeps the laws of a stride."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoofbeat.body.skeleton import Skeleton
from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.gaits.cycle import LIFT, PITCH, SINK, STANCE, SWING, WAY, Cycle, mirrored_cycle
from hoofbeat.gaits.database import (
    HORSE_CYCLES,
    DatabaseError,
    both_leads,
    format_cycles,
    read_cycles,
    write_cycles,
)
from hoofbeat.gaits.gait import GAITS, family_of
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.methods.froude.model.load import POINTS
from hoofbeat.offline.author.__main__ import HORSE_STYLES, added_files, all_styles, main
from hoofbeat.offline.author.cycle import leg_at, lowering, make_cycle
from hoofbeat.offline.author.style import Style, StyleError, bounce_of, read_styles, wave

STYLES = all_styles((HORSE_STYLES, *added_files(HORSE_STYLES)))
styles = pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)


@cache
def horse() -> Skeleton:
    return read_scene(THESIS_HORSE).skeleton


@cache
def cycle(name: str) -> Cycle:
    return next(c for c in read_cycles() if c.name == name)


# --- the file


def test_the_shipped_database_is_what_the_parameters_make(tmp_path: Path) -> None:
    """To 1e-6 on any machine; the bytes themselves are the same on the one that made it."""
    target = tmp_path / "again.npz"
    assert main([str(HORSE_STYLES), "-o", str(target)]) == 0
    for made, shipped in zip(read_cycles(target), read_cycles(), strict=True):
        assert (made.name, made.gait, made.joints) == (shipped.name, shipped.gait, shipped.joints)
        for key in ("touchdown", "duty", "middle", "height", "sway", "trunk", "legs", "fetlock"):
            np.testing.assert_allclose(getattr(made, key), getattr(shipped, key), atol=1e-6, rtol=0)


def test_the_same_cycles_give_the_same_bytes(tmp_path: Path) -> None:
    cycles = read_cycles()
    assert format_cycles(cycles) == format_cycles(cycles)
    again = read_cycles(write_cycles(cycles, tmp_path / "copy.npz"))
    assert format_cycles(again) == format_cycles(cycles)


def test_every_gait_has_a_cycle() -> None:
    cycles = read_cycles()
    assert [c.name for c in cycles] == [style.name for style in STYLES]
    assert len(read_styles(HORSE_STYLES)) == 11
    assert {c.family for c in cycles} == {family_of(name) for name in GAITS} - {"stand"}
    assert {c.gait for c in both_leads(cycles)} == set(GAITS) - {"stand"}


@pytest.mark.parametrize("damage", ["cut", "empty", "other", "shape", "nan"])
def test_a_broken_database_is_refused_by_name(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "bad.npz"
    data = HORSE_CYCLES.read_bytes()
    if damage == "cut":
        path.write_bytes(data[: len(data) // 2])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "other":
        np.savez(path, a=np.zeros(3))
    else:
        with np.load(HORSE_CYCLES) as archive:
            arrays = {name: archive[name] for name in archive.files}
        arrays["legs"] = arrays["legs"][:, :3] if damage == "shape" else arrays["legs"] * np.nan
        np.savez(path, **arrays)
    with pytest.raises(DatabaseError, match="bad.npz"):
        read_cycles(path)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("gaits: {}\ncycles: []\n", "cycles"),
        ("gaits: {}\ncycles: [{name: a, gait: walk, speed: 1}]\n", "needs stride"),
        ("gaits: {}\ncycles: [{name: a, gait: walks, speed: 1}]\n", "walk"),
        ("gaits: {walk: {lifts: [1, 2]}}\ncycles: [{name: a, gait: walk, speed: 1}]\n", "lift"),
        ("gaits: {}\ncycles: [{name: a, gait: walk, nod: [[2, 1]]}]\n", "nod"),
        ("gaits: {}\ncycles: [{name: a, gait: walk, nod: [[0.5, 1, 0]]}]\n", "times a stride"),
        ("gaits: []\ncycles: [{name: a, gait: walk}]\n", "gaits"),
        ("cycles: [", "YAML"),
    ],
)
def test_a_mistake_in_the_parameters_is_reported(tmp_path: Path, text: str, word: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Exception, match=word) as caught:
        read_styles(path)
    assert "bad.yaml" in str(caught.value) or "walk" in str(caught.value)


@given(st.binary(max_size=300))
def test_any_bytes_are_parameters_or_refused(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "any.yaml"
        path.write_bytes(b"gaits: {}\ncycles: " + data)
        try:
            read_styles(path)
        except StyleError:
            pass


# --- the load


@styles
def test_the_ground_bears_the_weight_and_flights_fall_freely(style: Style) -> None:
    bounce = bounce_of(style)
    assert abs(bounce.loads.sum(axis=1).mean() - 1) < 1e-9
    assert (bounce.loads >= -0.05).all()
    dt = style.stride / POINTS
    # The height is that of the root joint; free fall is that of the centre of mass, ahead of it.
    centre = style.fore_share * 0.66 - (1 - style.fore_share) * 0.40
    mass = bounce.height + centre * bounce.pitch
    fall = (np.roll(mass, 1) + np.roll(mass, -1) - 2 * mass) / dt**2
    aloft = bounce.loads.sum(axis=1) == 0
    inside = aloft & np.roll(aloft, 3) & np.roll(aloft, -3)
    if inside.any():
        assert np.abs(np.median(fall[inside]) + GRAVITY) < 0.05 * GRAVITY


def test_a_wave_is_largest_where_it_says() -> None:
    phase = np.arange(1000) / 1000
    assert phase[np.argmax(wave(((1, 2.0, 0.3),), phase))] == pytest.approx(0.3)


# --- the cycles


@styles
def test_feet_land_and_stand_as_the_gait_has_it(style: Style) -> None:
    gait = GAITS[style.gait]
    apart = (np.array(style.touchdown) - gait.touchdown + 0.5) % 1 - 0.5
    assert np.abs(apart).max() <= 0.03
    low, high = gait.duty
    assert low - 0.05 <= min(style.duty) and max(style.duty) <= high + 0.05


@styles
@pytest.mark.parametrize("leg", range(4))
def test_loaded_legs_reach_and_keep_their_limits(style: Style, leg: int) -> None:
    bounce = bounce_of(style)
    own = np.arange(480) / 480
    path, limb = leg_at(style, horse(), bounce, leg, own, lowering(style, horse(), bounce))
    assert np.abs(limb.miss[path.down]).max() < 1e-6
    assert np.abs(limb.toe[path.down] - path.toe[path.down]).max() < 1e-6
    assert limb.miss[~path.down].max() < 0.12
    low, high = (np.radians(-16), np.radians(115)) if leg < 2 else (np.radians(-12), np.radians(100))
    assert low - 1e-6 <= limb.mid_flexion.min() and limb.mid_flexion.max() <= high + 1e-6
    if leg < 2:
        # A loaded carpus is straight.
        assert np.abs(limb.low_flexion[path.down]).max() < np.radians(6)
        assert limb.low_flexion.max() > np.radians(40)
    else:
        np.testing.assert_allclose(limb.low_flexion, limb.mid_flexion)
    assert limb.toe[:, 1].min() > -1e-6


@styles
def test_a_cycle_closes_in_value_and_slope(style: Style) -> None:
    made = make_cycle(style, horse())
    for rows in (made.height, made.trunk.reshape(len(made.trunk), -1)):
        # Bends at the seam are those of the rows around it: a jump or a kink would stand out.
        bends = np.abs(np.roll(rows, 1, axis=0) + np.roll(rows, -1, axis=0) - 2 * rows)
        seam = np.maximum(bends[0], bends[-1])
        around = np.maximum(bends[1:8].max(axis=0), bends[-8:-1].max(axis=0))
        assert (seam <= 3 * around + 1e-3).all()
    for leg in range(4):
        stance, swing = made.legs[leg, STANCE], made.legs[leg, SWING]
        duty = made.duty[leg]
        for here, there in ((-1, 0), (0, -1)):  # lift-off, touchdown
            np.testing.assert_allclose(stance[here, :, 0], swing[there, :, 0], atol=4e-3)
            # Slopes are for the whole part: in time they agree where stance and swing meet.
            apart = stance[here, :, 1] / duty - swing[there, :, 1] / (1 - duty)
            assert np.abs(apart[[WAY, LIFT]]).max() < 1e-9
            assert np.abs(apart[[PITCH, SINK]]).max() < 0.1


@styles
def test_fetlock_thresholds_lie_between_landing_and_full_load(style: Style) -> None:
    fetlock = np.degrees(make_cycle(style, horse()).fetlock)
    assert (fetlock > 180).all() and (fetlock < 250).all()


def test_mirroring_twice_is_nothing() -> None:
    for made in read_cycles():
        again = mirrored_cycle(mirrored_cycle(made))
        assert again.gait == made.gait
        np.testing.assert_allclose(again.touchdown, made.touchdown, atol=1e-9)
        np.testing.assert_allclose(again.legs, made.legs, atol=1e-9)
        np.testing.assert_allclose(again.height, made.height, atol=1e-5)
        np.testing.assert_allclose(np.abs(again.trunk), np.abs(made.trunk), atol=1e-4)


def test_a_mirrored_lead_is_the_other_lead() -> None:
    for made in read_cycles():
        if "canter" in made.gait or "gallop" in made.gait:
            other = mirrored_cycle(made)
            apart = (other.touchdown - GAITS[other.gait].touchdown + 0.5) % 1 - 0.5
            assert other.gait != made.gait and np.abs(apart).max() <= 0.03


def test_a_longer_stance_lowers_the_body() -> None:
    style = next(style for style in STYLES if style.name == "trot-4.2")
    longer = replace(style, speed=style.speed * 1.15)
    assert lowering(longer, horse(), bounce_of(longer)) > lowering(style, horse(), bounce_of(style))
