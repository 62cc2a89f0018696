"""Predictions of dynamic similarity, the paper's Tables 1 and 2 (M1)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoofbeat.check.limits import POWER_LAWS
from hoofbeat.errors import UnknownGait
from hoofbeat.methods.froude.model.inputs import read_inputs
from hoofbeat.methods.froude.model.similarity import (
    LAWS,
    NATURAL_GAITS,
    PAPER_HIP,
    PRESETS,
    SimilarityError,
    UnknownPreset,
    froude_of,
    predict,
    preset_named,
    speed_of,
)

froudes = st.floats(0.01, 100)
hips = st.floats(0.01, 10)


@given(froudes, hips, st.floats(1, 30))
def test_speed_and_froude_number_go_into_each_other(froude, hip, gravity):
    assert froude_of(speed_of(froude, hip, gravity), hip, gravity) == pytest.approx(froude)


@given(froudes, hips, st.sampled_from(NATURAL_GAITS))
def test_animals_of_all_sizes_are_similar(froude, hip, gait):
    """From mouse to elephant: duties and relative strides are equal, lengths go with the hip, times with
    its root."""
    one, other = predict(froude, gait, 1.0), predict(froude, gait, hip)
    assert one.duty_fore == other.duty_fore and one.relative_stride == other.relative_stride
    assert other.stride == pytest.approx(hip * one.stride)
    assert other.frequency == pytest.approx(one.frequency / np.sqrt(hip))
    assert other.speed == pytest.approx(other.stride * other.frequency)  # Eq. 3


def test_table_1():
    borders = PRESETS["paper"].borders
    assert dict(borders) == {
        "walk": (0, 1.5),
        "trot": (1.51, 2.5),
        "canter": (2.51, 3.5),
        "gallop": (3.51, 4.5),
    }
    for froude, gait in (
        (0.1, "walk"),
        (1.5, "walk"),
        (1.505, "trot"),
        (2.5, "trot"),
        (3.0, "canter"),
        (4.0, "gallop"),
    ):
        assert preset_named("paper").gait(froude) == gait


def test_table_2():
    """The printed equations at Fr 1, where every power is 1, and at Fr 2 by logarithms."""
    at_one = {g: predict(1.0, g) for g in NATURAL_GAITS}
    for gait, (fore, hind, stride) in {"walk": (0.52, 0.51, 2.4), "gallop": (0.52, 0.53, 1.9)}.items():
        assert at_one[gait].duty_fore == fore
        assert at_one[gait].duty_hind == hind
        assert at_one[gait].relative_stride == stride
    assert at_one["walk"].duty_fore == at_one["trot"].duty_fore
    two = {g: predict(2.0, g) for g in ("trot", "canter")}
    for gait, (fore, hind, stride) in {"trot": (-0.14, -0.18, 0.34), "canter": (-0.28, -0.28, 0.40)}.items():
        one, other = at_one[gait], two[gait]
        assert np.log2(other.duty_fore / one.duty_fore) == pytest.approx(fore)
        assert np.log2(other.duty_hind / one.duty_hind) == pytest.approx(hind)
        assert np.log2(other.relative_stride / one.relative_stride) == pytest.approx(stride)


def test_the_figures_of_the_paper():
    """Figures 2 and 5 at the paper's hip height: about 7.4 m/s at Fr 4.5; strides quicken with speed."""
    assert speed_of(4.5, PAPER_HIP) == pytest.approx(7.414, abs=1e-3)
    assert speed_of(1.5, PAPER_HIP) == pytest.approx(4.281, abs=1e-3)
    for gait in NATURAL_GAITS:
        low, high = PRESETS["paper"].borders[gait]
        found = predict(np.linspace(max(low, 0.05), high, 20), gait)
        assert (np.diff(found.frequency) > 0).all()
        assert (np.diff(found.duty_fore) < 0).all() and (np.diff(found.relative_stride) > 0).all()


def test_laws_and_presets_of_the_shipped_inputs_are_these():
    inputs = read_inputs()
    assert inputs.laws == LAWS
    assert inputs.presets == PRESETS
    for name, rows in POWER_LAWS.items():
        laws = LAWS[name]
        assert rows == tuple((one.a, one.b) for one in (laws.fore, laws.hind, laws.stride))


def test_a_gait_is_kept_within_hysteresis():
    natural = preset_named("natural")
    assert natural.gait(0.36) == "trot" and natural.gait(0.36, "walk") == "walk"
    assert natural.gait(0.34) == "walk" and natural.gait(0.34, "trot") == "trot"
    assert natural.gait(0.5, "walk") == "trot" and natural.gait(500.0) == "gallop"


def test_what_is_wrong_is_reported():
    with pytest.raises(UnknownGait, match="did you mean 'trot'"):
        predict(1.0, "trott")
    with pytest.raises(UnknownPreset, match="natural"):
        preset_named("real")
    for froude in (-1.0, np.nan, 1e9, "fast"):
        with pytest.raises(SimilarityError):
            predict(froude, "walk")
    for hip in (0.0, -1, np.inf):
        with pytest.raises(SimilarityError):
            predict(1.0, "walk", hip)
    with pytest.raises(SimilarityError):
        froude_of(1.0, 1.0, 0.0)
