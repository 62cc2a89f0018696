"""Waves, piecewise curves and transition stages (M2, M3, M7)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoofbeat.errors import UnknownGait
from hoofbeat.methods.froude.model.fourier import CurveError, Wave, fourier, listed, wave_of
from hoofbeat.methods.froude.model.inputs import read_inputs
from hoofbeat.methods.froude.model.piecewise import (
    KINDS,
    CurveSegment,
    Piecewise,
    joined,
    mean_of,
    parse_piecewise,
    piecewise_of,
)
from hoofbeat.methods.froude.model.similarity import NATURAL_GAITS
from hoofbeat.methods.froude.model.stages import (
    adjacent,
    leg_changes,
    stage_table,
    stages_between,
    transition_stages,
)

sizes = st.floats(-100, 100)
parts = st.lists(st.tuples(st.integers(1, 6), sizes, st.floats(0, 1)), max_size=6).map(tuple)
waves = st.builds(Wave, sizes, parts)


@given(waves)
def test_fourier_gives_a_wave_back(wave):
    t = np.arange(64) / 64
    found, error = fourier(wave.at(t), 6)
    assert error < 1e-9
    assert np.allclose(found.at(t + 0.013), wave.at(t + 0.013), atol=1e-9)


@given(waves, st.floats(0, 1))
def test_slopes_are_those_of_finite_differences(wave, t):
    assert wave.slope(t) == pytest.approx((wave.at(t + 1e-5) - wave.at(t - 1e-5)) / 2e-5, abs=1e-2)


@given(waves, st.floats(-1, 1), st.floats(-2, 2))
def test_a_shifted_wave_is_later(wave, later, t):
    assert wave.shifted(later).at(t + later) == pytest.approx(wave.at(t), abs=1e-9)


@given(waves)
def test_a_listed_wave_is_read_back(wave):
    t = np.linspace(0, 1, 9)
    assert np.allclose(wave_of(listed(wave, 9)).at(t), wave.at(t), atol=1)
    assert wave_of(listed(wave_of(listed(wave)))) == wave_of(listed(wave))


def test_more_harmonics_miss_less_and_a_step_is_never_met():
    step = np.where(np.arange(200) < 80, 1.0, 0.0)
    errors = [fourier(step, k)[1] for k in (0, 1, 3, 6, 12)]
    assert errors == sorted(errors, reverse=True) and errors[-1] > 0.05


@pytest.mark.parametrize(
    "wrong", [None, [], "1", [1, 2], [1, [1, 2]], [1, [0, 1, 0]], [1, [1.5, 1, 0]], [1e30]]
)
def test_a_wrong_wave_is_reported(wrong):
    with pytest.raises(CurveError):
        wave_of(wrong)


@pytest.mark.parametrize("wrong", [[], [1.0, 2.0], [[1.0] * 4] * 4, [1.0, np.nan, 2.0]])
def test_wrong_samples_are_reported(wrong):
    with pytest.raises(CurveError):
        fourier(wrong)


numbers = st.floats(-1e4, 1e4)
steps = st.tuples(st.sampled_from(KINDS[1:]), st.floats(0.01, 100), numbers, st.none() | numbers)


@st.composite
def curves(draw):
    position = draw(numbers)
    found = [CurveSegment("m", position, draw(numbers), draw(st.none() | numbers))]
    for kind, way, value, slope in draw(st.lists(steps, max_size=6)):
        position += way
        found.append(CurveSegment(kind, position, value, slope))
    return Piecewise(tuple(found))


@given(curves())
def test_a_piecewise_curve_is_read_back_from_its_text(curve):
    assert parse_piecewise(str(curve)) == curve
    assert str(parse_piecewise(f"\n {curve}\t")) == str(curve)


@given(curves())
def test_a_piecewise_curve_passes_through_its_points(curve):
    for one in curve.segments:
        assert curve.at(one.position) == pytest.approx(one.value, abs=1e-6)


@given(st.text(max_size=60) | st.text("mlch 0123456789./-e", max_size=60))
def test_no_text_crashes_the_parser(text):
    try:
        curve = parse_piecewise(text)
    except CurveError:
        return
    assert parse_piecewise(str(curve)) == curve


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "begins with"),
        ("l 0 1", "begins with"),
        ("m 0 1 c 5", "column 6"),
        ("m 0 1 x 5 1", "unknown kind 'x'"),
        ("m 0 1 c 0 2", "must rise"),
        ("m 0 1 m 2 2", "kinds after the first"),
        ("m 0 1e999", "must be finite"),
        ("m 0 1" + " c 1 1" * 1001, "must rise|more than"),
    ],
)
def test_what_is_wrong_in_a_text_is_reported(text, told):
    with pytest.raises(CurveError, match=told):
        parse_piecewise(text)


def test_kinds_do_what_they_say():
    line = parse_piecewise("m 0 0 l 10 10 h 20 4 c 40 8/0")
    assert line.at([5, 15, 19.99, 20]).tolist() == [5, 10, 10, 4]
    assert line.at([-5, 99]).tolist() == [0, 8]
    assert line.slopes()[-1] == 0


@given(waves, st.integers(24, 60))
def test_a_wave_as_a_piecewise_curve_is_the_same_curve(wave, points):
    stage = np.linspace(0, 100, 201)
    scale = sum(k**4 * abs(a) for k, a, _ in wave.parts)
    missed = np.abs(piecewise_of(wave, points).at(stage) - wave.at(stage / 100)).max()
    assert missed <= 1e-9 + scale * (2 * np.pi / points) ** 4 / 384 * 1.01


@given(waves, waves, st.floats(56, 144))
def test_a_transition_joins_both_cycles_in_value_and_slope(before, after, stages):
    curve = joined(before, after, stages, 24)
    eps = 1e-6
    assert curve.start == 0 and curve.end == pytest.approx(stages)
    assert curve.at(0) == pytest.approx(before.at(0), abs=1e-6)
    assert curve.at(stages) == pytest.approx(after.at(0), abs=1e-6)
    assert curve.slopes()[0] * 100 == pytest.approx(before.slope(0), abs=1e-6)
    assert curve.slopes()[-1] * 100 == pytest.approx(after.slope(0), abs=1e-6)
    assert (curve.at(eps) - curve.at(0)) / eps * 100 == pytest.approx(before.slope(0), abs=0.5)


@pytest.mark.parametrize(("source", "to"), adjacent())
def test_joins_of_the_horse_step_less_than_its_cycles_do_in_a_frame(source, to):
    """At 60 frames a second: value and slope at both ends, for every bone of both limbs (M7)."""
    bases = read_inputs().bases
    stages = stages_between(source, to)
    for limb, name in (("fore", "FL"), ("hind", "HL")):
        for bone, before in getattr(bases[source], limb).items():
            after = getattr(bases[to], limb)[bone]
            curve = joined(before, after, stages[name])
            frame = 100 / (60 * 0.7)  # stages a frame at a stride of 0.7 s
            own = np.abs(np.diff(before.at(np.arange(0, 1, frame / 100)))).max()
            middle = mean_of(before, after)
            assert abs(curve.at(0) - before.at(0)) <= 1e-9 + 0.01 * own
            assert abs(curve.at(curve.end) - after.at(0)) <= 1e-9 + 0.01 * own
            assert np.ptp(curve.at(np.linspace(0, curve.end, 99))) < 1.5 * (
                np.ptp(middle.at(np.linspace(0, 1, 99))) + abs(before.at(0) - after.at(0))
            )


def test_the_recorded_stages_are_those_of_table_4():
    assert stage_table("paper") == {
        "walk to trot": {"FL": 100, "HL": 80, "HR": 81, "FR": 99},
        "trot to canter": {"FL": 100, "HL": 125, "HR": 144, "FR": 131},
        "canter to gallop": {"FL": 100, "HL": 70, "HR": 110, "FR": 130},
        "gallop to canter": {"FL": 100, "HL": 130, "HR": 90, "FR": 70},
        "canter to trot": {"FL": 100, "HL": 75, "HR": 56, "FR": 69},
        "trot to walk": {"FL": 100, "HL": 120, "HR": 119, "FR": 101},
    }


@given(st.lists(st.integers(0, 99), min_size=8, max_size=8))
def test_changes_of_least_size_arrive_too_and_are_no_greater(phases):
    before, after = [v / 100 for v in phases[:4]], [v / 100 for v in phases[4:]]
    own, least = leg_changes(before, after, "left-fore"), leg_changes(before, after, "least")
    assert max(map(abs, least)) <= max(map(abs, own)) + 1e-9
    arrived = [a + way for a, way in zip(before, least, strict=True)]
    for leg in range(4):
        gap = (arrived[leg] - arrived[0] - after[leg] + after[0]) % 1.0
        assert min(gap, 1 - gap) < 1e-6
    assert max(least) == pytest.approx(-min(least), abs=1e-9)


@given(st.integers(0, 99), st.integers(0, 99))
def test_a_limb_arrives_at_its_new_phase_and_never_far(before, after):
    stages = transition_stages(before, after)
    assert (before + stages - after) % 100 == 0
    assert 50 <= stages <= 150


@pytest.mark.parametrize("preset", ["paper", "natural"])
def test_there_and_back_again_is_two_cycles(preset):
    for a, b in adjacent():
        there, back = stages_between(a, b, preset), stages_between(b, a, preset)
        assert all(there[limb] + back[limb] == 200 for limb in there)


def test_an_unknown_gait_is_reported():
    with pytest.raises(UnknownGait):
        stages_between("walk", "amble")
    assert all(g in NATURAL_GAITS for pair in adjacent() for g in pair)
