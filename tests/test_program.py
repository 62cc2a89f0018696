"""Laws of the expression machine, against plain evaluation of the same words with error bounds."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hoofbeat.errors import ExpressionError
from hoofbeat.maths.curves import PARAMETER_HIGH, PARAMETER_LOW
from hoofbeat.maths.expressions import machine
from hoofbeat.maths.expressions.program import MAX_WORDS, Expression, compile_expression, evaluate, pack
from hoofbeat.maths.noise import coherent

pytestmark = pytest.mark.kernels

Span = tuple[float, float]  # a value known to lie between two numbers
LIMIT = float(machine.LIMIT)


def spans(function, a: Span, b: Span, eps: float) -> Span:
    """Ends of a function that is monotone in each argument, widened by one rounding."""
    values = [function(x, y) for x, y in product(a, b)]
    return widened(min(values), max(values), eps)


def widened(low: float, high: float, eps: float) -> Span:
    slack = eps * (1 + max(abs(low), abs(high)))
    return clipped(low - slack), clipped(high + slack)


def clipped(value: float) -> float:
    return min(max(value, -LIMIT), LIMIT)


def plain_bias(t: float, b: float) -> float:
    b = min(max(b, float(PARAMETER_LOW)), float(PARAMETER_HIGH))
    return min(max(t, 0.0) ** (math.log(b) / math.log(0.5)), LIMIT)


def plain_gain(t: float, g: float) -> float:
    t = min(max(t, 0.0), 1.0)
    return plain_bias(2 * t, 1 - g) / 2 if t < 0.5 else 1 - plain_bias(2 - 2 * t, 1 - g) / 2


def plain_wave(word: str, offset: Span, phase: float, eps: float) -> Span:
    waves = int(word[4:])
    middle = waves * phase + (offset[0] + offset[1]) / 2 + (0.25 if word.startswith("rcos") else 0.0)
    reach = math.pi * ((offset[1] - offset[0]) / 2 + eps * (waves + abs(middle))) + eps
    value = (1 + math.sin(2 * math.pi * (middle % 1))) / 2
    return max(value - reach, 0.0), min(value + reach, 1.0)


def plain_noise(word: str, offset: Span, cycles: float, seed: int, eps: float) -> Span:
    steps = int(word[5:] or 1)
    value = coherent(steps * (cycles + (offset[0] + offset[1]) / 2), seed, steps)
    reach = 1.875 * steps * ((offset[1] - offset[0]) / 2 + eps * abs(cycles)) + eps
    return max(value - reach, 0.0), min(value + reach, 1.0)


def plain(text: str, phase: float, cycles: float, seed: int, eps: float) -> Span:
    """The oracle: word after word, each with the error that `eps` a rounding allows."""
    joins = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "bias": plain_bias,
        "gain": plain_gain,
    }
    stack: list[Span] = []
    for word in text.split():
        if word == "t":
            stack.append((phase, phase))
        elif word in joins:
            b, a = stack.pop(), stack.pop()
            stack.append(spans(joins[word], a, b, eps))
        elif word.startswith("noise"):
            stack.append(plain_noise(word, stack.pop(), cycles, seed, eps))
        elif word.startswith("r"):
            stack.append(plain_wave(word, stack.pop(), phase, eps))
        else:
            stack.append(widened(float(word), float(word), 0.0 if eps < 1e-9 else eps))
    (result,) = stack
    return result


numbers = st.one_of(
    st.sampled_from([".5", "-.25", "0", "1", "1e-3", "+2", "7.", "-100.75", "4096"]),
    st.floats(-2, 2).map(repr),
    st.floats(0, 1).map(lambda x: f"{x:.3f}"),
)
waves = st.sampled_from(["rsin1", "rcos1", "rsin2", "rcos3", "rsin17", "noise", "noise1", "noise4"])
joins = st.sampled_from(["+", "-", "*", "bias", "gain"])
texts = st.recursive(
    numbers | st.just("t"),
    lambda inner: st.one_of(
        st.tuples(inner, waves).map(" ".join),
        st.tuples(inner, inner, joins).map(" ".join),
    ),
    max_leaves=8,
)
phases = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 0.75]), st.floats(0, 1, exclude_max=True, width=32))


def run32(expressions: list[Expression], phase: float, cycles: float, seed: int) -> np.ndarray:
    programs = pack(expressions)
    out = np.empty((1, len(programs)), np.float32)
    moments, seeds = np.array([[phase, cycles, 0.0]]), np.array([seed])
    stack = np.full(machine.MAX_STACK, np.nan, np.float32)
    machine.run_programs(programs.code, programs.starts, moments, seeds, stack, out)
    return out[0]


@given(texts, phases, st.floats(-1e4, 1e4), st.integers(0, 2**32 - 1))
def test_agrees_with_plain_evaluation_in_both_precisions(text, phase, cycles, seed):
    expression = compile_expression(text)
    low, high = plain(text, phase, cycles, seed, 1e-13)
    assert low <= evaluate(expression, phase, cycles, seed) <= high
    low, high = plain(text, phase, cycles, seed, 2e-6)
    assert low <= run32([expression], phase, cycles, seed)[0] <= high


@given(texts, phases)
def test_never_nan_and_held_inside_the_limit(text, phase):
    value = evaluate(compile_expression(text), phase)
    assert abs(value) <= LIMIT


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("t 4096 * 4096 * 4096 *", LIMIT),
        ("t -4096 * 4096 * 4096 *", -LIMIT),
        ("t 4096 + 4096 +", LIMIT),
        ("t 4096 - 4096 -", -LIMIT),
        ("t 4096 + .001 bias", LIMIT),
        ("t 4096 + t .5 - bias", LIMIT),
    ],
)
def test_large_values_stop_at_the_limit(text, value):
    expression = compile_expression(text)
    assert evaluate(expression, 0.5) == value == run32([expression], 0.5, 0, 0)[0]


@given(st.lists(texts, max_size=6), phases)
def test_a_program_gives_the_same_alone_and_packed(written, phase):
    expressions = [compile_expression(text) for text in written]
    together = evaluate(pack(expressions), phase, 12.5, 3)
    alone = [evaluate(e, phase, 12.5, 3) for e in expressions]
    assert together.tolist() == [float(v) for v in alone]


@given(texts)
def test_constant_programs_are_marked_with_their_value(text):
    programs = pack([compile_expression(text)])
    moving = any(word == "t" or word[0] in "rn" for word in text.split())
    assert bool(programs.constant[0]) == (not moving) == (len(programs.varying) == 0)
    if not moving:
        low, high = plain(text, 0.3, 0.3, 0, 1e-6)
        assert low <= programs.values[0] <= high


def test_worked_examples():
    t = np.linspace(0, 1, 9)[:-1]
    assert np.allclose(evaluate(compile_expression("0 rsin1"), t), (1 + np.sin(2 * np.pi * t)) / 2)
    double = (1 + np.cos(2 * np.pi * (2 * t + 0.25))) / 2
    assert np.allclose(evaluate(compile_expression(".25 rcos2"), t), double)
    assert evaluate(compile_expression(".5 .3 bias"), 0) == pytest.approx(0.3, abs=1e-15)
    assert evaluate(compile_expression("t .3 bias"), 0.5) == pytest.approx(0.3, abs=1e-15)
    assert evaluate(compile_expression("t .3 gain"), 0.25) == pytest.approx(0.35, abs=1e-15)
    assert evaluate(compile_expression("5 3 -"), 0) == 2
    assert evaluate(compile_expression("-1 .5 bias"), 0) == 0
    assert evaluate(compile_expression("t 1 - .5 bias"), 0.2) == 0  # an exponent of 1 still clamps


@pytest.mark.parametrize("text", ["", "  \t ", "0"])
def test_nothing_is_zero(text):
    assert compile_expression(text) == compile_expression("0")
    assert evaluate(compile_expression(text), [0.1, 0.9]).tolist() == [0, 0]


def test_literals_are_folded_into_instructions():
    def opcodes(text):
        return pack([compile_expression(text)]).code["op"].tolist()

    assert opcodes(".25 rcos1 .35 bias") == [machine.SINE_C, machine.BIAS_C]
    assert opcodes(".25 rcos1 .5 bias") == [machine.SINE_C]
    assert opcodes(".25 rcos1 .5 gain .3 gain") == [machine.SINE_C, machine.GAIN_C]
    assert opcodes("1 2 + 3 * .2 bias .1 gain") == [machine.PUSH]
    assert opcodes("t 2 - .5 bias") == [machine.TIME, machine.PUSH, machine.SUB, machine.BIAS_C]


@given(texts, st.floats(0, 1), phases, st.sampled_from(["bias", "gain"]))
@settings(max_examples=50)
def test_a_literal_parameter_and_a_computed_one_agree(text, parameter, phase, word):
    literal = compile_expression(f"{text} {parameter:.4f} {word}")
    computed = compile_expression(f"{text} {parameter:.4f} t t - + {word}")
    assert evaluate(literal, phase) == pytest.approx(evaluate(computed, phase), rel=1e-12, abs=1e-12)


def test_noise_does_not_repeat_each_cycle_and_differs_between_characters():
    noise = compile_expression("0 noise")
    first = evaluate(noise, 0.5, np.arange(50) + 0.5, 1)
    assert first.min() >= 0 and first.max() <= 1 and len(np.unique(first)) == 50
    other = evaluate(noise, 0.5, np.arange(50) + 0.5, 2)
    assert np.abs(np.corrcoef(first, other)[0, 1]) < 0.5
    assert evaluate(noise, 0.2) != evaluate(noise, 1.2)  # without cycles, the phase as given counts them
    assert evaluate(compile_expression("3 noise2"), 0.1, 7.3, 5) == coherent(2 * 10.3, 5, 2)


@given(texts.filter(lambda text: "noise" not in text), st.floats(-50, 50), st.integers(-5, 5))
def test_without_noise_every_expression_is_periodic(text, phase, cycles):
    expression = compile_expression(text)
    wrapped = (phase + cycles) % 1.0 % 1.0
    assert evaluate(expression, phase + cycles) == evaluate(expression, wrapped)


def test_shapes_and_broadcasting():
    programs = pack([compile_expression(text) for text in ("t", "1", "0 noise")])
    assert evaluate(programs, np.zeros((2, 5))).shape == (2, 5, 3)
    assert evaluate(programs, 0.5, np.zeros(4), np.arange(4)).shape == (4, 3)
    assert evaluate(compile_expression("t"), 0.25).shape == ()
    assert evaluate(pack([]), [0.1, 0.2]).shape == (2, 0)
    assert evaluate(compile_expression("t"), [-1e-20, -0.25, 3.75]).tolist() == [0, 0.75, 0.75]


def test_float32_waves_stay_accurate_with_large_offsets():
    phase = 0.123
    for offset in (".25", "100.25", "4095.25"):
        got = run32([compile_expression(f"{offset} rsin3")], phase, 0, 0)[0]
        assert got == pytest.approx((1 + math.sin(2 * math.pi * (3 * phase + 0.25))) / 2, abs=1e-6)


def test_an_edit_swaps_arrays_and_compiles_nothing():
    run32([compile_expression("t")], 0.5, 0, 0)
    before = len(getattr(machine.run_programs, "signatures", ()))
    assert run32([compile_expression("0 noise t bias 3 +"), compile_expression("2")], 0.5, 0, 0)[1] == 2
    assert len(getattr(machine.run_programs, "signatures", ())) == before


def test_packed_arrays_are_read_only():
    programs = pack([compile_expression("t"), compile_expression("2")])
    for array in (programs.code, programs.code64, programs.starts, programs.constant, programs.values):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[0]
    assert (len(programs), programs.varying.tolist(), programs.values.tolist()) == (2, [0], [0, 2])


def test_the_deepest_stack_runs():
    deepest = "0 noise " * machine.MAX_STACK + "+ " * (machine.MAX_STACK - 1)
    total = evaluate(compile_expression(deepest), 0.3)
    assert total == pytest.approx(machine.MAX_STACK * coherent(0.3, 0, 1))


def test_equal_when_the_words_are_the_same_and_columns_are_kept():
    a, b = compile_expression(" .50  rsin1\t"), compile_expression("0.5 rsin1")
    assert a == b and hash(a) == hash(b) and a != compile_expression("0.5 rcos1")
    assert a.columns == (2, 7) and str(a) == " .50  rsin1\t"


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("1 rsn1", 3, "did you mean 'rsin1'"),
        ("1 rsin1 .5 biass", 12, "did you mean 'bias'"),
        ("xyzzy", 1, "Known: numbers, t, rsinK"),
        ("1 rsin", 3, "rsin1"),
        ("1 rsin0", 3, "from 1 to"),
        ("1 rcos1000", 3, "from 1 to"),
        ("1 noise" + "9" * 3000, 3, "from 1 to"),
        ("1 rsin-1", 3, "unknown word"),
        ("1 rsin1.5", 3, "unknown word"),
        ("rsin1", 1, "needs an offset before it"),
        (".5 bias", 4, "two values before it, there is 1"),
        ("1 + 2", 3, "two values"),
        ("1 2 3", 3, "3 values are left"),
        ("1 rsin1 .5", 9, "2 values are left"),
        ("nan", 1, "not a finite"),
        ("1 -inf +", 3, "not a finite"),
        ("1e999", 1, "limit"),
        ("4097", 1, "limit"),
        ("1_0", 1, "unknown word"),
        ("\u0661", 1, "unknown word"),
        ("1 " * 17 + "+ " * 16, 33, "more than 16 values"),
        ("1 " + "1 + " * 64, 2 + 63 * 4 + 3, "at most 128"),
        ("1" * 5000, 1, "characters"),
    ],
)
def test_errors_say_what_and_where(text, column, says):
    with pytest.raises(ExpressionError) as caught:
        compile_expression(text)
    assert says in caught.value.reason and caught.value.column == column


def test_as_many_words_as_allowed():
    assert evaluate(compile_expression("1 " + "1 + " * ((MAX_WORDS - 1) // 2)), 0) == MAX_WORDS // 2


near_words = st.text(st.sampled_from("rsincobaegt 0123456789.+-*e\t\n\u00a0x{},"), max_size=60)


@given(near_words | st.text(max_size=40))
def test_any_text_compiles_or_is_an_expression_error(text):
    try:
        compile_expression(text)
    except ExpressionError as error:
        assert 1 <= error.column <= len(text) + 1


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_phases_must_be_finite(bad):
    with pytest.raises(ExpressionError, match="finite"):
        evaluate(compile_expression("t"), [0.0, bad])
    with pytest.raises(ExpressionError, match="finite"):
        evaluate(pack([compile_expression("t")]), 0.0, bad)


def test_a_phase_that_rounds_to_one_is_the_start_of_the_cycle():
    assert run32([compile_expression("t")], 1 - 1e-12, 0, 0)[0] == 0
