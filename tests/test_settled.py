"""Programs settled for a Froude number give the values of the programs they come from, in fewer steps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoofbeat.maths.expressions import machine
from hoofbeat.maths.expressions.program import compile_expression, evaluate, pack

pytestmark = pytest.mark.kernels

leaves = st.sampled_from(
    ["fr", "t", "2.5", "-0.3", ".25", "0 fr -", "1 sin2", "fr cos1", ".1 rsin1", ".2 noise3"]
)
ends = {
    1: ("sqrt", "log", "sin1", "cos3", "rcos2", ".3 bias", ".7 gain", "noise2"),
    2: ("+", "-", "*", "/", "bias"),
}


@st.composite
def expressions(draw: st.DrawFn, depth: int = 4) -> str:
    """Postfix words, few enough for the machine."""
    if depth == 0 or draw(st.booleans()):
        return draw(leaves)
    if draw(st.booleans()):
        return f"{draw(expressions(depth - 1))} {draw(st.sampled_from(ends[1]))}"
    first, second = draw(expressions(depth - 1)), draw(expressions(depth - 1))
    return f"{first} {second} {draw(st.sampled_from(ends[2]))}"


def settled(code: np.ndarray, froude: float) -> np.ndarray:
    out = np.zeros_like(code)
    begins, known = np.zeros(machine.MAX_STACK, np.int64), np.zeros(machine.MAX_STACK, np.bool_)
    stop = machine.settled(code, 0, len(code), froude, out, 0, begins, known)
    return out[:stop]


def values(code: np.ndarray, froude: float, phases: np.ndarray) -> list[float]:
    moments = np.stack([phases, phases, np.full(len(phases), froude)], axis=1)
    out = np.empty((len(phases), 1))
    seeds = np.full(len(phases), 3, np.int64)
    starts = np.array([0, len(code)], np.int64)
    machine.run_programs(code, starts, moments, seeds, np.zeros(machine.MAX_STACK), out)
    return out[:, 0].tolist()


@given(expressions(), st.floats(0.01, 30))
def test_the_values_stay_and_the_program_is_no_longer(text: str, froude: float) -> None:
    code = pack([compile_expression(text, froude=True)]).code64
    short = settled(code, froude)
    assert len(short) <= len(code)
    assert machine.FROUDE not in short["op"]
    phases = np.array([0.0, 0.13, 0.5, 0.77])
    assert values(short, froude, phases) == pytest.approx(values(code, froude, phases), rel=1e-9, abs=1e-9)


def test_all_that_needs_no_time_is_one_number() -> None:
    code = pack([compile_expression("fr .3 / log 2 * sqrt 1 + fr fr * -", froude=True)]).code64
    short = settled(code, 0.9)
    assert short["op"].tolist() == [machine.PUSH]
    assert short["value"][0] == pytest.approx(np.sqrt(2 * np.log(3)) + 1 - 0.81)
    wave = settled(pack([compile_expression("fr 2 * 1 + fr .1 * sin2 *", froude=True)]).code64, 1.5)
    assert wave["op"].tolist() == [machine.PUSH, machine.SIN_C, machine.MUL]


def test_known_texts_are_compiled_once() -> None:
    assert compile_expression("t 2 *") is compile_expression("t 2 *")
    assert compile_expression("fr", froude=True) == compile_expression("fr", froude=True)
    assert evaluate(compile_expression("fr 2 *", froude=True), 0.0, froude=3.0) == 6.0
