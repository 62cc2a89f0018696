"""The machine that runs packed expressions: opcodes, the record of one instruction, the kernels.

A program is a slice of an array of instructions, so editing an expression swaps data and never
compiles. The top of the stack stays in a register and the rest in a scratch array given by the
caller. `program` writes the instructions; nothing is checked here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.curves import HALF, ONE, TWO, ZERO, bias, gain, power_bias, power_gain, wrap
from hoofbeat.maths.exact.circular import sin
from hoofbeat.maths.exact.powers import ln
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.noise import coherent
from hoofbeat.maths.types import Flags, Floats, Int, Ints, Real, Row, Rows

#: Values that a program may hold at once.
MAX_STACK = 16
#: Every value is held inside -LIMIT..LIMIT, so that no product overflows and nothing becomes NaN.
#: (4096 to the largest power that bias uses is still a float32.)
LIMIT = np.float32(4096.0)
QUARTER = np.float32(0.25)
DEGREES = np.float32(360.0)

# Opcodes, in three groups: those that push a value, those that combine two, and those that change one.
# Those ending in C have what the expression gave as a literal in the instruction itself.
PUSH = 0
TIME = 1
FROUDE = 2
SINE_C = 3
SIN_C = 4
NOISE_C = 5
LAST_PUSH = NOISE_C
ADD = 6
SUB = 7
MUL = 8
DIV = 9
MIN = 10
MAX = 11
LAST_ARITHMETIC = MAX
BIAS = 12
GAIN = 13
LAST_PAIR = GAIN
SINE = 14
COSINE = 15
SIN = 16
COS = 17
NOISE = 18
BIAS_C = 19
GAIN_C = 20
SQRT = 21
LOG = 22
#: Logarithms are taken of nothing smaller: -13.8 at the least.
SMALLEST = np.float32(1e-6)


def instruction_dtype(real: Any) -> np.dtype[Any]:
    """One instruction: opcode, whole number of waves (or noise steps) a cycle, literal; real: their type."""
    return np.dtype([("op", np.int32), ("waves", real), ("value", real)], align=True)


#: What the run-time kernels take, and what authoring takes.
INSTRUCTION32 = instruction_dtype(np.float32)
INSTRUCTION64 = instruction_dtype(np.float64)


@kernel(inline=True)
def _wave(turns: Real) -> Real:
    """(1 + sin(2 pi turns)) / 2, in [0, 1].

    Folded first to a quarter turn either way, where sin has the same values: that keeps float32
    accurate however many turns there are, and the result inside its range.
    """
    w = turns - QUARTER
    folded = np.abs(w - np.floor(w) - HALF) - QUARTER
    # deg2rad multiplies by pi in the argument's own precision; a named constant could fit only one.
    return HALF + HALF * sin(np.deg2rad(folded * DEGREES))


@kernel(inline=True)
def _held(value: Real) -> Real:
    """A value inside -LIMIT..LIMIT."""
    return np.minimum(np.maximum(value, -LIMIT), LIMIT)


@kernel(inline=True)
def quotient(a: Real, b: Real) -> Real:
    """a / b held inside the limits: something over nothing is the limit, nothing over nothing is 0."""
    return _held(a / b) if b != ZERO else (LIMIT if a > ZERO else (-LIMIT if a < ZERO else ZERO))


@kernel(inline=True)
def run_program(
    code: Rows, start: Int, stop: Int, phase: Real, cycles: Real, seed: Int, stack: Floats, froude: Real
) -> Real:
    """Value of the program code[start:stop] at one moment of one character.

    code (M,) of INSTRUCTION32 with phase, stack and froude float32, or of INSTRUCTION64 with float64;
    phase in [0, 1), the place in the cycle; cycles float64, the unwrapped cycle count, which noise
    runs along; seed a whole number, the character's own; stack (MAX_STACK,) scratch, any content; froude:
    the value of the word `fr`, 0 where expressions have no such word.
    """
    # The first value to be pushed spills what is no value yet into slot 0, which is therefore spare.
    top = phase
    depth = 0
    for at in range(start, stop):
        op = code[at]["op"]
        if op <= LAST_PUSH:
            stack[depth] = top
            depth += 1
            if op == FROUDE:
                top = froude
            elif op == NOISE_C:
                # Through the spare slot, which turns the float64 into the program's own precision.
                stack[0] = _noise(code[at]["waves"], cycles + code[at]["value"], seed)
                top = stack[0]
            else:
                top = pushed(code[at], phase)
        elif op <= LAST_PAIR:
            depth -= 1
            stack[0] = combined(op, stack[depth], top)
            top = stack[0]
        elif op == NOISE:
            stack[0] = _noise(code[at]["waves"], cycles + top, seed)
            top = stack[0]
        else:
            top = changed(code[at], phase, top)
    return top


@kernel(inline=True)
def pushed(instruction: Row, phase: Real) -> Real:
    """The value that PUSH, TIME, SINE_C or SIN_C pushes."""
    op, value = instruction["op"], instruction["value"]
    if op == SINE_C:
        return _wave(instruction["waves"] * phase + value)
    if op == PUSH:
        return value
    if op == SIN_C:
        return TWO * _wave(instruction["waves"] * phase + value) - ONE
    return phase


@kernel(inline=True)
def combined(op: Int, a: Real, b: Real) -> Real:
    """One value of two."""
    if op == ADD:
        return _held(a + b)
    if op == SUB:
        return _held(a - b)
    if op == MUL:
        return _held(a * b)
    if op == BIAS:
        return np.minimum(bias(a, b), LIMIT)
    if op == GAIN:
        return gain(a, b)
    if op == DIV:
        return quotient(a, b)
    return np.minimum(a, b) if op == MIN else np.maximum(a, b)


@kernel(inline=True)
def changed(instruction: Row, phase: Real, top: Real) -> Real:
    """What a value becomes by an instruction that changes one, but for NOISE."""
    op, waves, value = instruction["op"], instruction["waves"], instruction["value"]
    if op == BIAS_C:
        return np.minimum(power_bias(top, value), LIMIT)
    if op == GAIN_C:
        return power_gain(top, value)
    if op == SINE:
        return _wave(waves * phase + top)
    if op == COSINE:
        return _wave(waves * phase + top + QUARTER)
    if op == SIN:
        return TWO * _wave(waves * phase + top) - ONE
    if op == COS:
        return TWO * _wave(waves * phase + top + QUARTER) - ONE
    return np.sqrt(np.maximum(top, ZERO)) if op == SQRT else ln(np.maximum(top, SMALLEST))


@kernel
def settled(
    code: Rows, start: Int, stop: Int, froude: Real, out: Rows, at: Int, begins: Ints, known: Flags
) -> Int:
    """Write the program code[start:stop] for one Froude number to out[at:]; where it ends there.

    What depends on nothing but the Froude number becomes a literal, so that a kernel that runs a program
    at many moments works it out once. out: as code, with room for as many instructions; begins and known
    (MAX_STACK,) int64 and bool: scratch. The values are those of `run_program`.
    """
    # depth: values that wait; begins: where in out the code of each begins; known: whether it is a literal.
    depth = 0
    for k in range(start, stop):
        op = code[k]["op"]
        out[at]["op"], out[at]["waves"], out[at]["value"] = op, code[k]["waves"], code[k]["value"]
        if op <= LAST_PUSH:
            if op == FROUDE:
                out[at]["op"], out[at]["value"] = PUSH, froude
            begins[depth], known[depth] = at, op == PUSH or op == FROUDE
            depth += 1
            at += 1
            continue
        if op <= LAST_PAIR:
            depth -= 1
        first: Int = begins[depth - 1]
        if op <= LAST_PAIR and known[depth - 1] and known[depth] and op <= LAST_ARITHMETIC:
            out[first]["value"] = combined(op, out[first]["value"], out[first + 1]["value"])
            at = first + 1
        elif known[depth - 1] and (op == SIN or op == COS):
            value = out[first]["value"]
            turns = value if op == SIN else value + QUARTER
            out[first]["op"], out[first]["waves"], out[first]["value"] = SIN_C, code[k]["waves"], turns
            known[depth - 1] = False
        elif known[depth - 1] and op >= BIAS_C:
            out[first]["value"] = changed(code[k], ZERO, out[first]["value"])
        else:
            known[depth - 1] = False
            at += 1
    return at


@kernel(inline=True)
def _noise(steps: Real, cycles: Real, seed: Int) -> Real:
    # Each number of steps has its own stream: noise2 is not noise1 played faster.
    return coherent(np.float64(steps) * cycles, seed, np.int64(steps))


@kernel
def run_programs(code: Rows, starts: Ints, moments: Floats, seeds: Ints, stack: Floats, out: Floats) -> None:
    """All programs for all moments: out[i, p].

    code as in `run_program`; starts (P + 1,) int; moments (N, 3) float64: phase, cycles and Froude number;
    seeds (N,) int; stack (MAX_STACK,) scratch and out (N, P) in the code's precision.
    """
    for i in range(moments.shape[0]):
        stack[0] = moments[i, 2]
        froude = stack[0]
        stack[0] = moments[i, 0]
        phase = wrap(stack[0])  # in the program's own precision, where 0.99999999 rounds to 1
        for p in range(starts.shape[0] - 1):
            out[i, p] = run_program(
                code, starts[p], starts[p + 1], phase, moments[i, 1], seeds[i], stack, froude
            )
