"""Adjuster files: what is written is read back, and what is wrong is told with its line."""

from __future__ import annotations

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hoofbeat.errors import ExpressionError
from hoofbeat.formats.adjusterfile import (
    BONES,
    FORMAT,
    Adjuster,
    AdjusterError,
    format_adjuster,
    parse_adjuster,
    read_adjuster,
    unadjusted,
    write_adjuster,
)
from hoofbeat.maths.expressions.program import Expression, compile_expression, evaluate

numbers = st.floats(-50, 50).map(lambda x: f"{x:.3f}")
leaves = numbers | st.sampled_from(["fr", "t"])
amplitudes = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["sqrt", "log"])).map(" ".join),
        st.tuples(inner, inner, st.sampled_from(["+", "-", "*", "/", "min", "max"])).map(" ".join),
    ),
    max_leaves=5,
)
terms = st.tuples(amplitudes, numbers, st.sampled_from(["sin1", "cos2", "rsin3", "cos17"])).map(
    lambda x: f"{x[0]} {x[1]} {x[2]} *"
)
sums = st.lists(terms, min_size=1, max_size=3).map(lambda x: " ".join([*x, *["+"] * (len(x) - 1)]))


def compiled(text: str) -> Expression:
    """The expression, or 0 where it divides by a literal 0."""
    try:
        return compile_expression(text, froude=True)
    except ExpressionError:
        return compile_expression("0", froude=True)


adjusters = st.builds(
    Adjuster,
    st.sampled_from(["walk", "trot"]),
    st.tuples(st.floats(0, 1), st.floats(1.5, 100)),
    st.tuples(*[sums.map(compiled)] * len(BONES)),
    st.dictionaries(st.text("abc", min_size=1), st.integers() | st.text("xyz "), max_size=3),
)


@given(adjusters)
def test_what_is_written_is_read_back(adjuster):
    text = format_adjuster(adjuster)
    again = parse_adjuster(text)
    assert again == adjuster
    assert again.made == adjuster.made
    assert format_adjuster(again) == text


def test_a_file_is_read_back(tmp_path):
    given = unadjusted("walk", (0.1, 0.5))
    write_adjuster(given, tmp_path / "a.yaml")
    assert read_adjuster(tmp_path / "a.yaml") == given


@given(sums, st.floats(0, 1, exclude_max=True), st.floats(0, 200))
@pytest.mark.kernels
def test_every_expression_gives_a_held_number(text, t, fr):
    value = evaluate(compiled(text), t, froude=fr)
    assert abs(value) <= 4096


@pytest.mark.kernels
def test_the_words_of_adjusters_mean_what_they_say():
    t, fr = np.linspace(0, 0.9, 7)[:, None], np.array([0.05, 1.0, 4.0])
    for text, wanted in {
        "fr 2 * 0.1 sin3 *": 2 * fr * np.sin(2 * np.pi * (3 * t + 0.1)),
        "0.1 t + cos1": np.cos(2 * np.pi * (2 * t + 0.1)),
        "0.2 cos1 fr *": fr * np.cos(2 * np.pi * (t + 0.2)),
        "t 0 * 0.2 + sin2": np.sin(2 * np.pi * (2 * t + 0.2)) + 0 * fr,
        "fr sqrt fr log +": np.sqrt(fr) + np.log(fr) + 0 * t,
        "1 fr /": 1 / fr + 0 * t,
        "9 sqrt 1 log + 3 /": 1 + 0 * t * fr,
        "fr 1 min 2 fr max *": np.minimum(fr, 1) * np.maximum(2, fr) + 0 * t,
        "1 2 min 4 3 max *": 4 + 0 * t * fr,
    }.items():
        found = evaluate(compile_expression(text, froude=True), t, froude=fr)
        assert np.allclose(found, np.broadcast_to(wanted, found.shape), atol=1e-12), text


@pytest.mark.kernels
def test_a_division_by_nothing_is_held_and_never_nan():
    for text, value in {
        "1 t /": 4096,
        "-1 t /": -4096,
        "t t /": 0,
        "1 fr /": 4096,
        "fr log": np.log(1e-6),
    }.items():
        assert evaluate(compile_expression(text, froude=True), 0.0, froude=0.0) == pytest.approx(
            value, rel=1e-6
        )
    assert evaluate(compile_expression("-4 sqrt"), 0.0) == 0


def test_a_literal_division_by_zero_is_refused():
    with pytest.raises(ExpressionError, match="divides by zero"):
        compile_expression("fr 0 /", froude=True)


def test_actions_have_no_froude_number():
    with pytest.raises(ExpressionError, match="unknown word 'fr'"):
        compile_expression("fr")


GOOD = {"format": FORMAT, "version": 1, "gait": "walk", "froude": [0.1, 0.5], "fore": {"elbow": "1 0 sin1 *"}}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": "else"}, "expected format"),
        ({"version": 2}, "expected format"),
        ({"froude": [0.5, 0.1]}, "the smaller first"),
        ({"froude": [0.5]}, "list of 2 numbers"),
        ({"froude": [float("nan"), 1]}, "finite"),
        ({"gait": ""}, "name of 1 to"),
        ({"fore": {"hip": "1"}}, "unknown key 'hip'"),
        ({"hind": {"hock": "1"}}, "unknown key 'hock'"),
        ({"fore": "elbow"}, "expected bones"),
        ({"fore": {"elbow": ["1"]}}, "expected an expression"),
        ({"fore": {"elbow": "1 sin1 +"}}, "elbow: column 8"),
        ({"fore": {"elbow": "1 0 /"}}, "divides by zero"),
        ({"fore": {"elbow": "fr fr"}}, "2 values are left"),
        ({"fore": {"elbow": "0 siin1"}}, "did you mean 'sin1'"),
        ({"made": [1]}, "names and values"),
        ({"mad": {}}, "did you mean 'made'"),
    ],
)
def test_what_is_wrong_is_reported(change, told):
    text = yaml.safe_dump({**GOOD, **change})
    with pytest.raises(AdjusterError, match=told):
        parse_adjuster(text, "x.yaml")


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_bytes_crash_the_parser(data):
    with pytest.raises(AdjusterError):
        parse_adjuster(data)
