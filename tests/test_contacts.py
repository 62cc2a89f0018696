"""Contacts from toe height and speed: against the engine's own, a dog's labels and real horses' strides."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hoofbeat.body.clip import Clip
from hoofbeat.body.contacts import contacts_of, ground_velocity, leg_length, stances_of, with_contacts
from hoofbeat.body.skeleton import LEGS, Leg, Skeleton
from hoofbeat.errors import ClipError
from hoofbeat.export import load
from hoofbeat.gaits.footfall import strides
from hoofbeat.horse import Horse
from hoofbeat.maths import quat
from hoofbeat.record import Recorder
from hoofbeat.records import Command

SPEEDS = {"walk": 1.6, "trot": 4.5, "gallop": 8.0}
FPS = 120
LEG = 1.18


@cache
def ride(gait: str) -> Clip:
    """Six seconds of the engine's steady gait at 120 frames a second, after it has picked up speed."""
    horse = Horse()
    command = Command(speed=SPEEDS[gait])
    for _ in range(4 * 60):
        horse.step(command)
    recorder = Recorder(horse.skeleton, FPS)
    for _ in range(6 * FPS):
        recorder.add(horse.step(command, 1 / FPS))
    return recorder.clip(gait)


def toes_of(clip: Clip) -> np.ndarray:
    return clip.positions[:, [leg.toe for leg in clip.skeleton.legs]]


def known(clip: Clip) -> np.ndarray:
    assert clip.contacts is not None
    return clip.contacts > 0.5


def found(toes: np.ndarray, fps: float = FPS, leg: float = LEG) -> np.ndarray:
    return contacts_of(toes, fps, leg) > 0.5


def on_the_spot(clip: Clip) -> np.ndarray:
    """Toes (T, 4, 3) under a root that stays where it is."""
    toes = toes_of(clip).copy()
    toes[..., [0, 2]] -= clip.origins[:, None][..., [0, 2]]
    return toes


gaits = pytest.mark.parametrize("gait", SPEEDS)
#: Agreement with the engine, measured 0.98, 0.94 and 0.96. Every difference is a foot that the engine calls
#: lifted and that still rests on the ground: a frame or two, at the trot 50 ms of the hind feet.
FLOOR = {"walk": 0.97, "trot": 0.93, "gallop": 0.95}


# --- agreement


@gaits
def test_agrees_with_the_engine(gait: str) -> None:
    clip = ride(gait)
    whole = with_contacts(clip)
    assert whole.contacts is not None and set(np.unique(whole.contacts)) == {0.0, 1.0}
    assert whole.contacts.dtype == np.float64 and list(whole.extras) == list(clip.extras)
    down, engine = whole.contacts > 0.5, known(clip)
    assert (down == engine).mean() > FLOOR[gait]
    # The engine counts a foot as down from the frame in which it lands; it is timed up to one later.
    near = down | np.roll(down, 1, axis=0) | np.roll(down, -1, axis=0)
    assert (near & engine).sum() / engine.sum() > 0.995


@gaits
def test_agrees_with_the_engine_on_the_spot(gait: str) -> None:
    clip = ride(gait)
    toes = on_the_spot(clip)
    assert (found(toes) == known(clip)).mean() > FLOOR[gait] - 0.02
    ground = ground_velocity(toes, FPS, LEG)
    np.testing.assert_allclose(ground.mean(axis=0), [0, -SPEEDS[gait]], atol=0.05 * SPEEDS[gait])
    assert not ground_velocity(toes_of(clip), FPS, LEG).any()


@gaits
def test_strides_read_from_the_toes_are_the_engine_s(gait: str) -> None:
    clip = ride(gait)
    seen, said = strides(found(toes_of(clip)), FPS), strides(known(clip), FPS)
    assert len(seen) == len(said) >= 3
    apart = np.abs((seen.mean_touchdown() - said.mean_touchdown() + 0.5) % 1 - 0.5)
    assert apart.max() < 0.02
    assert np.abs(seen.mean_duty() - said.mean_duty()).max() < 0.1


#: Two clips in which the dog lies: one version of the labels counts its paws as down, the other does not.
DISPUTED = ("D1_005_KAN01_001", "D1_006_KAN01_001")


@pytest.mark.data
@pytest.mark.parametrize("version", ["2020", "2022"])
def test_agrees_with_the_labels_of_a_real_dog(data_dir: Path, version: str) -> None:
    labels = np.load(data_dir / "dog" / "author_labels.npz")
    names = sorted({key.split("/")[0] for key in labels.files if f"_{version}/" in key})
    bones = ["LeftHandSite", "RightHandSite", "LeftFootSite", "RightFootSite"]
    agreement: dict[str, float] = {}
    for key in names:
        name = key.removesuffix(f"_{version}")
        clip = load(data_dir / "dog" / f"{name}.bvh", scale=0.01)
        columns = [list(labels[f"{key}/contact_bones"]).index(bone) for bone in bones]
        truth = labels[f"{key}/contacts"][:, columns] > 0
        used = np.zeros(len(clip), bool)
        for first, last in labels[f"{key}/sequences"]:
            used[first - 1 : last] = True
        agreement[name] = float(
            (found(toes_of(clip), clip.fps, leg_length(clip.skeleton)) == truth)[used].mean()
        )
    fair = {name: value for name, value in agreement.items() if name not in DISPUTED}
    # Measured: mean 0.95, least 0.89 (a dog that spins on the spot, its paws turning where they stand).
    assert len(fair) >= 15 and np.mean(list(fair.values())) > 0.93 and min(fair.values()) > 0.85, agreement


@pytest.mark.data
@pytest.mark.parametrize(
    ("gait", "phases", "duty"),
    [("walk", (0.246, 0.745, 0, 0.502), (0.60, 0.61)), ("trot", (0.475, 0.975, 0, 0.497), (0.48, 0.46))],
)
def test_reads_the_strides_of_real_horses_on_a_treadmill(
    data_dir: Path, gait: str, phases: tuple[float, ...], duty: tuple[float, float]
) -> None:
    """Mean strides of ten horses, on the spot, hooves only; the phases and duties were measured by others."""
    table = np.load(data_dir / "horse_vienna" / "mean_strides.npz")
    speeds, touchdowns, duties = [], [], []
    for n in np.flatnonzero(table["gait"] == gait)[::3]:
        hooves = np.tile(table["cycles"][n], (4, 1, 1))[:, 3:7].astype(float)  # forward, left, up
        toes, fps = hooves[..., [1, 2, 0]], 100 / table["stride_s"][n]
        speeds.append(-ground_velocity(toes, fps, LEG).mean(axis=0)[1] / table["speed_mps"][n])
        seen = strides(contacts_of(toes, fps, LEG), fps)
        touchdowns.append(seen.mean_touchdown())
        duties.append(seen.mean_duty())
    assert abs(np.mean(speeds) - 1) < 0.06
    apart = (np.nanmedian(touchdowns, axis=0) - phases + 0.5) % 1 - 0.5
    assert np.abs(apart).max() < 0.025
    assert np.abs(np.nanmean(duties, axis=0) - np.repeat(duty, 2)).max() < 0.06


# --- laws


@gaits
@pytest.mark.parametrize("spot", [False, True])
def test_where_it_is_and_the_direction_it_faces_do_not_matter(gait: str, spot: bool) -> None:
    toes = on_the_spot(ride(gait)) if spot else toes_of(ride(gait))
    turn = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.array(2.1))
    moved = quat.rotate(turn, toes) + np.array([300.0, -7.0, 40.0])
    assert (found(toes) == found(moved)).mean() > 0.999


@gaits
def test_mirrored_feet_are_mirrored(gait: str) -> None:
    toes = toes_of(ride(gait))
    other = toes[:, [1, 0, 3, 2]] * np.array([-1.0, 1.0, 1.0])
    np.testing.assert_array_equal(found(other), found(toes)[:, [1, 0, 3, 2]])


@gaits
def test_time_run_backward_has_the_same_contacts(gait: str) -> None:
    toes = toes_of(ride(gait))
    np.testing.assert_array_equal(found(toes[::-1]), found(toes)[::-1])


@gaits
@pytest.mark.parametrize("size", [0.1, 0.4, 2.5])
def test_a_larger_animal_moves_alike_in_its_own_time(gait: str, size: float) -> None:
    # Dynamic similarity: lengths times s, times times sqrt(s).
    toes = toes_of(ride(gait))
    np.testing.assert_array_equal(found(toes * size, FPS / np.sqrt(size), LEG * size), found(toes))


@gaits
@pytest.mark.parametrize("step", [2, 4, 5])
def test_touchdowns_do_not_depend_on_the_frame_rate(gait: str, step: int) -> None:
    """At 60, 30 and 24 frames a second; a frame of the last lasts 42 ms."""
    toes = toes_of(ride(gait))
    fine, coarse = stances_of(toes, FPS, LEG), stances_of(toes[::step], FPS / step, LEG)
    errors = []
    for foot in range(4):
        landed = fine[foot][np.isfinite(fine[foot][:, 0]), 0]
        again = coarse[foot][np.isfinite(coarse[foot][:, 0]), 0]
        assert abs(len(landed) - len(again)) <= 1
        errors += [np.abs(landed - time).min() for time in again]
    assert np.mean(errors) < 0.01 and max(errors) < 0.04


def test_short_blips_are_removed_and_open_ends_kept() -> None:
    toes = np.zeros((60, 4, 3))
    toes[20:40, 0, 1] = 0.3
    toes[30, 0, 1] = 0.0  # one frame down in the middle of a swing
    toes[10, 1, 1] = 0.3  # one frame up in the middle of a stance
    toes[59, 2, 1] = 0.3  # lifted in the last frame: who knows
    down = found(toes, 60)
    assert not down[20:40, 0].any() and down[:20, 0].all() and down[40:, 0].all()
    assert down[:, 1].all() and down[:59, 2].all() and not down[59, 2] and down[:, 3].all()


def test_one_frame_is_judged_by_height() -> None:
    toes = np.zeros((1, 4, 3))
    toes[0, 1, 1] = 0.4
    assert contacts_of(toes, 60, LEG).tolist() == [[1, 0, 1, 1]]
    assert contacts_of(np.zeros((0, 4, 3)), 60, LEG).shape == (0, 4)
    assert ground_velocity(np.zeros((0, 4, 3)), 60, LEG).shape == (0, 2)
    assert not ground_velocity(toes, 60, LEG).any()


def test_a_foot_held_up_all_the_time_never_stands() -> None:
    toes = toes_of(ride("walk")).copy()
    toes[:, 0, 1] = 0.3
    assert not found(toes)[:, 0].any() and found(toes)[:, 1:].any(axis=0).all()


def test_on_a_slope_the_ground_is_given() -> None:
    toes = toes_of(ride("walk")).copy()
    slope = 0.4 * toes[..., 2]
    level = found(toes)
    toes[..., 1] += slope
    np.testing.assert_array_equal(contacts_of(toes, FPS, LEG, slope) > 0.5, level)
    assert (found(toes) != level).mean() > 0.1


@given(
    arrays(
        np.float64,
        st.tuples(st.integers(0, 30), st.just(4), st.just(3)),
        elements=st.floats(-1e6, 1e6, width=32),
    ),
    st.floats(1, 1000),
    st.floats(0.05, 5),
)
def test_any_toes_give_zeros_and_ones(toes: np.ndarray, fps: float, leg: float) -> None:
    contacts = contacts_of(toes, fps, leg)
    assert contacts.shape == (len(toes), 4) and np.isin(contacts, (0.0, 1.0)).all()
    assert np.isfinite(ground_velocity(toes, fps, leg)).all()


# --- borders


@pytest.mark.parametrize(
    ("toes", "fps", "leg", "message"),
    [
        (np.zeros((5, 3, 3)), 60, LEG, r"\(T, 4, 3\), given \(5, 3, 3\)"),
        (np.zeros((5, 4)), 60, LEG, r"\(T, 4, 3\)"),
        (np.full((5, 4, 3), np.nan), 60, LEG, "NaN"),
        (np.full((5, 4, 3), np.inf), 60, LEG, "infinity"),
        (np.zeros((5, 4, 3)), 0, LEG, "fps"),
        (np.zeros((5, 4, 3)), np.nan, LEG, "fps"),
        (np.zeros((5, 4, 3)), 60, 0, "leg length"),
        (np.zeros((5, 4, 3)), 60, np.inf, "leg length"),
    ],
)
def test_what_is_refused(toes: np.ndarray, fps: float, leg: float, message: str) -> None:
    for function in (contacts_of, ground_velocity):
        with pytest.raises(ClipError, match=message):
            function(toes, fps, leg)


def test_ground_of_the_wrong_shape_is_refused() -> None:
    for ground in (np.zeros(5), np.full((5, 4), np.nan)):
        with pytest.raises(ClipError, match="ground must be finite and of shape"):
            contacts_of(np.zeros((5, 4, 3)), 60, LEG, ground)


def test_a_clip_without_legs_is_refused() -> None:
    skeleton = Skeleton(["hips", "head"], [-1, 0], [[0, 0, 0], [0, 0, 1]])
    clip = Clip(skeleton, quat.identity((3, 2)), np.zeros((3, 3)), 60)
    with pytest.raises(ClipError, match="no named legs"):
        with_contacts(clip)
    with pytest.raises(ClipError, match="hind legs"):
        leg_length(skeleton)


def test_leg_length_is_that_of_the_bones() -> None:
    skeleton = ride("walk").skeleton
    assert 1.1 < leg_length(skeleton) < 1.25
    assert leg_length(skeleton.scaled(0.5)) == pytest.approx(leg_length(skeleton) / 2)


@pytest.mark.parametrize("toe_from", ["leg", "root"])
def test_leg_length_of_short_legs_and_loose_toes(toe_from: str) -> None:
    """Legs of three nodes, whose toe is `low` too; toes that hang from the root say nothing of the leg."""
    names, parents, offsets, legs = ["root"], [-1], [[0.0, 9, 0]], []
    for name, length in zip(LEGS, (0.5, 0.5, 1.0, 2.0), strict=True):
        top = len(names)
        names += [f"{name}{part}" for part in ("top", "mid", "toe")]
        parents += [0, top, top + 1 if toe_from == "leg" else 0]
        offsets += [[5.0, 0, 0], [0, -length, 0], [0, 0, length if toe_from == "leg" else 7.0]]
        legs.append(Leg(name, top, top + 1, top + 2, -1, top + 2))
    assert leg_length(Skeleton(names, parents, offsets, legs=legs)) == pytest.approx(3.0)
