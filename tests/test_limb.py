"""The limb model: base cycles, adjusters, contact, extent and the score (M4, M5)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hoofbeat.body.size import hip_height
from hoofbeat.formats.adjusterfile import BONES, Adjuster, unadjusted
from hoofbeat.formats.scenefile import read_scene
from hoofbeat.maths.expressions.program import compile_expression
from hoofbeat.methods.froude.model.inputs import limbs_of, read_inputs
from hoofbeat.methods.froude.model.limb import (
    DUTY,
    EXTENT,
    SCUFF,
    STRAIN,
    TOUCHDOWN,
    WORST,
    contact_of,
    measured_limb,
    packed,
    scores,
    toe_at,
    wanted_of,
)
from hoofbeat.methods.froude.model.similarity import NATURAL_GAITS

pytestmark = pytest.mark.kernels
INPUTS = read_inputs()
SKELETON = read_scene().skeleton


def adjusting(gait: str, **texts: str) -> Adjuster:
    given = {tuple(name.split("_")): text for name, text in texts.items()}
    return Adjuster(
        gait,
        (0.1, 1.0),
        tuple(compile_expression(given.get(bone, "0"), froude=True) for bone in BONES),
    )


def test_contact_of_a_triangle_wave():
    heights = np.abs(np.linspace(-1, 1, 100, endpoint=False))
    duty, start, others = contact_of(heights, 0.25)
    assert duty == pytest.approx(0.25, abs=1e-9)
    assert start == pytest.approx(0.375, abs=1e-9)
    assert others == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("shift", [0, 13, 50, 77])
def test_contact_does_not_depend_on_where_the_cycle_begins(shift):
    t = np.arange(100) / 100
    heights = np.sin(2 * np.pi * t) + 0.7 * np.sin(4 * np.pi * t)
    duty, start, others = contact_of(heights, -0.1)
    moved = contact_of(np.roll(heights, shift), -0.1)
    assert moved[0] == pytest.approx(duty)
    assert moved[1] == pytest.approx((start + shift / 100) % 1)
    assert moved[2] == pytest.approx(others)
    assert others > 0.03


def test_contact_always_and_never():
    assert contact_of(np.zeros(10), 0.1) == (1.0, 0.0, 0.0)
    assert contact_of(np.ones(10), 0.1)[0] == 0.0


@pytest.mark.parametrize("gait", NATURAL_GAITS)
def test_a_base_cycle_stands_on_the_ground_for_its_duty(gait):
    """Six harmonics keep the stance toe within 8 mm of the ground, going straight back."""
    limbs = limbs_of(INPUTS.bases[gait], gait, SKELETON)
    authored = {"walk": (0.63, 0.64), "trot": (0.43, 0.43), "canter": (0.345, 0.36), "gallop": (0.28, 0.28)}
    for limb in range(2):
        stages = range(1, int(100 * authored[gait][limb]) - 1)
        path = np.array([toe_at(limbs.cycle(), limb, n, 0.0, limbs.angles[limb, :, n]) for n in stages])
        assert np.abs(path[:, 0]).max() * hip_height(SKELETON) < 0.009
        back = -np.diff(path[:, 1]) * 100
        assert np.allclose(back, limbs.stance[limb] / authored[gait][limb], rtol=0.25)


@pytest.mark.parametrize("gait", NATURAL_GAITS)
def test_an_unadjusted_gait_is_clearly_off_and_does_not_change_with_froude(gait):
    limbs = limbs_of(INPUTS.bases[gait], gait, SKELETON)
    span = INPUTS.adjusters[gait].froude
    wanted = wanted_of(limbs, np.geomspace(*span, 5))
    none = packed([unadjusted(gait, span)])
    assert scores(limbs, none, wanted)[0] > 0.12
    level = replace(wanted, lowered=np.zeros(5))
    found = measured_limb(limbs, none, level)[0]
    assert np.allclose(found, found[:1])
    assert found[..., STRAIN].max() < 0.01


def test_a_longer_swing_of_the_hip_gives_more_extent_and_lower_feet_more_duty():
    limbs = limbs_of(INPUTS.bases["trot"], "trot", SKELETON)
    wanted = replace(wanted_of(limbs, [0.5, 2.0]), lowered=np.zeros(2))
    base, more = (
        measured_limb(limbs, packed([one]), wanted)[0]
        for one in (adjusting("trot"), adjusting("trot", hind_hip="fr 4 * 0.55 sin1 *"))
    )
    assert np.allclose(base[:, 0], more[:, 0])  # the foreleg is not touched
    assert base[0, 1, EXTENT] < more[0, 1, EXTENT] < more[1, 1, EXTENT]
    lower = measured_limb(limbs, packed([adjusting("trot")]), replace(wanted, lowered=np.full(2, 0.02)))[0]
    assert (lower[..., DUTY] > base[..., DUTY] + 0.03).all()


def test_each_member_of_a_population_is_measured_as_it_would_be_alone():
    limbs = limbs_of(INPUTS.bases["walk"], "walk", SKELETON)
    wanted = wanted_of(limbs, [0.1, 0.4])
    each = [adjusting("walk", fore_elbow=f"{k} 0 sin2 *") for k in range(3)]
    together = measured_limb(limbs, packed(each), wanted)
    alone = [measured_limb(limbs, packed([one]), wanted)[0] for one in each]
    assert np.array_equal(together, alone)
    assert scores(limbs, packed(each), wanted).tolist() == [
        scores(limbs, packed([one]), wanted)[0] for one in each
    ]


def test_the_hock_follows_the_stifle():
    limbs = limbs_of(INPUTS.bases["walk"], "walk", SKELETON)
    found = measured_limb(limbs, packed([adjusting("walk", hind_stifle="150")]), wanted_of(limbs, [0.2]))[
        0, 0
    ]
    # Both joints leave their range by about as much: 100 and 110 degrees.
    assert found[1, STRAIN] * 6 == pytest.approx(np.radians(150 + 150 - 210 + 32), abs=0.4)


@pytest.mark.parametrize("text", ["4096 4096 *", "1 t /", "t log 4000 *", "1 fr fr - /"])
def test_an_extreme_adjuster_is_bad_and_finite(text):
    limbs = limbs_of(INPUTS.bases["walk"], "walk", SKELETON)
    wild = packed([adjusting("walk", fore_elbow=text, hind_hip=text)])
    score = scores(limbs, wild, wanted_of(limbs, [0.2, 0.4]))[0]
    assert 0.3 < score <= WORST


def test_the_touchdown_of_a_base_cycle_is_near_its_own():
    for gait in NATURAL_GAITS:
        limbs = limbs_of(INPUTS.bases[gait], gait, SKELETON)
        wanted = replace(wanted_of(limbs, [1.0]), lowered=np.zeros(1))
        found = measured_limb(limbs, packed([adjusting(gait)]), wanted)[0, 0]
        assert (np.abs((found[:, TOUCHDOWN] + 0.5) % 1 - 0.5) < 0.05).all()
        assert found[:, SCUFF].max() == 0
