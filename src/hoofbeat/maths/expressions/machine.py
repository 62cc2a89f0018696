"""The machine that runs packed expressions: opcodes, the record of one instruction, the kernels.

A program is a slice of an array of instructions, so editing an expression swaps data and never
compiles. The top of the stack stays in a register and the rest in a scratch array given by the
caller. `program` writes the instructions; nothing is checked here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.curves import HALF, ONE, TWO, ZERO, bias, gain, power_bias, power_gain, wrap
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.noise import coherent

Scalar = Any  # a NumPy or Numba floating scalar, float32 or float64

#: Values that a program may hold at once.
MAX_STACK = 16
#: Every value is held inside -LIMIT..LIMIT, so that no product overflows and nothing becomes NaN.
#: (4096 to the largest power that bias uses is still a float32.)
LIMIT = np.float32(4096.0)
QUARTER = np.float32(0.25)
DEGREES = np.float32(360.0)

# Opcodes. Those ending in C carry what the expression gave as a literal in the instruction itself.
PUSH = 0
TIME = 1
ADD = 2
SUB = 3
MUL = 4
SINE = 5
COSINE = 6
NOISE = 7
BIAS = 8
GAIN = 9
SINE_C = 10
NOISE_C = 11
BIAS_C = 12
GAIN_C = 13
FROUDE = 14
DIV = 15
SQRT = 16
LOG = 17
SIN = 18
COS = 19
SIN_C = 20
MIN = 21
MAX = 22
#: Logarithms are taken of nothing smaller: -13.8 at the least.
SMALLEST = np.float32(1e-6)


def instruction_dtype(real: Any) -> np.dtype[Any]:
    """One instruction: opcode, whole number of waves (or noise steps) a cycle, literal."""
    return np.dtype([("op", np.int32), ("waves", real), ("value", real)], align=True)


#: What the run-time kernels take, and what authoring takes.
INSTRUCTION32 = instruction_dtype(np.float32)
INSTRUCTION64 = instruction_dtype(np.float64)


@kernel(inline=True)
def wave(turns: Scalar) -> Any:
    """(1 + sin(2 pi turns)) / 2, in [0, 1].

    Folded first to a quarter turn either way, where sin has the same values: that keeps float32
    accurate however many turns there are, and the result inside its range.
    """
    w = turns - QUARTER
    folded = np.abs(w - np.floor(w) - HALF) - QUARTER
    # deg2rad multiplies by pi in the argument's own precision; a named constant could fit only one.
    return HALF + HALF * np.sin(np.deg2rad(folded * DEGREES))


@kernel(inline=True)
def held(value: Scalar) -> Any:
    """A value inside -LIMIT..LIMIT."""
    return np.minimum(np.maximum(value, -LIMIT), LIMIT)


@kernel(inline=True)
def quotient(a: Scalar, b: Scalar) -> Any:
    """a / b held inside the limits: something over nothing is the limit, nothing over nothing is 0."""
    return held(a / b) if b != ZERO else (LIMIT if a > ZERO else (-LIMIT if a < ZERO else ZERO))


@kernel(inline=True)
def run_program(
    code: Any, start: Any, stop: Any, phase: Scalar, cycles: Scalar, seed: Any, stack: Any, froude: Scalar
) -> Any:
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
        value = code[at]["value"]
        if op == SINE_C:
            stack[depth] = top
            depth += 1
            top = wave(code[at]["waves"] * phase + value)
        elif op == BIAS_C:
            top = np.minimum(power_bias(top, value), LIMIT)
        elif op == PUSH:
            stack[depth] = top
            depth += 1
            top = value
        elif op == ADD:
            depth -= 1
            top = held(stack[depth] + top)
        elif op == SUB:
            depth -= 1
            top = held(stack[depth] - top)
        elif op == MUL:
            depth -= 1
            top = held(stack[depth] * top)
        elif op == GAIN_C:
            top = power_gain(top, value)
        elif op == SINE:
            top = wave(code[at]["waves"] * phase + top)
        elif op == COSINE:
            top = wave(code[at]["waves"] * phase + top + QUARTER)
        elif op == NOISE:
            # Through the spare slot, which turns the float64 into the program's own precision.
            stack[0] = _noise(code[at]["waves"], cycles + top, seed)
            top = stack[0]
        elif op == NOISE_C:
            stack[depth] = top
            depth += 1
            stack[0] = _noise(code[at]["waves"], cycles + value, seed)
            top = stack[0]
        elif op == BIAS:
            depth -= 1
            top = np.minimum(bias(stack[depth], top), LIMIT)
        elif op == GAIN:
            depth -= 1
            top = gain(stack[depth], top)
        elif op == SIN_C:
            stack[depth] = top
            depth += 1
            top = TWO * wave(code[at]["waves"] * phase + value) - ONE
        elif op == FROUDE:
            stack[depth] = top
            depth += 1
            top = froude
        elif op == DIV:
            depth -= 1
            stack[0] = quotient(stack[depth], top)  # through the spare slot, which keeps the precision
            top = stack[0]
        elif op == MIN:
            depth -= 1
            top = np.minimum(stack[depth], top)
        elif op == MAX:
            depth -= 1
            top = np.maximum(stack[depth], top)
        elif op == SQRT:
            top = np.sqrt(np.maximum(top, ZERO))
        elif op == LOG:
            top = np.log(np.maximum(top, SMALLEST))
        elif op == SIN:
            top = TWO * wave(code[at]["waves"] * phase + top) - ONE
        elif op == COS:
            top = TWO * wave(code[at]["waves"] * phase + top + QUARTER) - ONE
        else:
            stack[depth] = top
            depth += 1
            top = phase
    return top


@kernel
def settled(
    code: Any, start: Any, stop: Any, froude: Scalar, out: Any, at: Any, begins: Any, known: Any
) -> Any:
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
        if op == PUSH or op == FROUDE or op == TIME or op == SINE_C or op == NOISE_C or op == SIN_C:
            if op == FROUDE:
                out[at]["op"], out[at]["value"] = PUSH, froude
            begins[depth], known[depth] = at, op == PUSH or op == FROUDE
            depth += 1
            at += 1
        elif (op >= ADD and op <= MUL) or op == DIV or op == MIN or op == MAX or op == BIAS or op == GAIN:
            depth -= 1
            first = begins[depth - 1]
            if known[depth - 1] and known[depth] and op != BIAS and op != GAIN:
                a, b = out[first]["value"], out[first + 1]["value"]
                if op == ADD:
                    a = held(a + b)
                elif op == SUB:
                    a = held(a - b)
                elif op == MUL:
                    a = held(a * b)
                elif op == MIN:
                    a = np.minimum(a, b)
                elif op == MAX:
                    a = np.maximum(a, b)
                else:
                    a = quotient(a, b)
                out[first]["value"] = a
                at = first + 1
            else:
                known[depth - 1] = False
                at += 1
        else:
            first = begins[depth - 1]
            value = out[first]["value"]
            if known[depth - 1] and op == SQRT:
                out[first]["value"] = np.sqrt(np.maximum(value, ZERO))
            elif known[depth - 1] and op == LOG:
                out[first]["value"] = np.log(np.maximum(value, SMALLEST))
            elif known[depth - 1] and op == BIAS_C:
                out[first]["value"] = np.minimum(power_bias(value, code[k]["value"]), LIMIT)
            elif known[depth - 1] and op == GAIN_C:
                out[first]["value"] = power_gain(value, code[k]["value"])
            elif known[depth - 1] and (op == SIN or op == COS):
                turns = value if op == SIN else value + QUARTER
                out[first]["op"], out[first]["waves"], out[first]["value"] = SIN_C, code[k]["waves"], turns
                known[depth - 1] = False
            else:
                known[depth - 1] = False
                at += 1
    return at


@kernel(inline=True)
def _noise(steps: Scalar, cycles: Scalar, seed: Any) -> Any:
    # Each number of steps has its own stream: noise2 is not noise1 played faster.
    return coherent(np.float64(steps) * cycles, seed, np.int64(steps))


@kernel
def run_programs(code: Any, starts: Any, moments: Any, seeds: Any, stack: Any, out: Any) -> None:
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
