"""Postfix expressions: text to words with columns, and many of them packed for the machine.

Words: a number pushes itself; `t` pushes the phase in [0, 1); `rsinK` and `rcosK` pop an offset o
and push (1 + sin 2 pi (K t + o)) / 2, or cos; `noiseK` (`noise` = `noise1`) pops an offset and
pushes smooth noise in [0, 1], K new values a cycle, never repeating and different for every seed;
`bias` and `gain` pop a parameter, then a value; `+`, `-`, `*`, `/`, `min` and `max` pop two values. One
value is left. `sinK` and `cosK` pop an offset o and push sin 2 pi (K t + o), or cos; `sqrt` and `log` pop
a value (a negative one counts as 0, and log takes none below a millionth). Adjusters have one more word,
`fr`, the Froude number. Example: `.25 rcos1 .4 bias`. Values are held inside -4096..4096 throughout; a
number over 0 is that limit, and 0 over 0 is 0, except that a literal 0 under `/` is refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hoofbeat.errors import ExpressionError, nearest
from hoofbeat.maths.curves import PARAMETER_HIGH, PARAMETER_LOW
from hoofbeat.maths.expressions import machine
from hoofbeat.maths.expressions.machine import MAX_STACK

#: Words that one expression may have, and characters.
MAX_WORDS = 128
MAX_CHARACTERS = 4096
#: Waves or noise steps a cycle: more than this aliases at any frame rate.
MAX_WAVES = 999
#: What may be written; K stands for a whole number from 1.
WORDS = (
    *("t", "rsinK", "rcosK", "sinK", "cosK", "noiseK", "noise"),
    *("bias", "gain", "sqrt", "log", "min", "max"),
)
SIGNS = ("+", "-", "*", "/")
#: The word that only adjusters have.
FROUDE = "fr"
#: A decimal number as files and expressions spell it.
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")

_LIMIT = float(machine.LIMIT)
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_WAVES = re.compile(r"(rsin|rcos|sin|cos|noise)([0-9]+)")
_PLAIN = {
    "t": machine.TIME,
    "+": machine.ADD,
    "-": machine.SUB,
    "*": machine.MUL,
    "bias": machine.BIAS,
    "gain": machine.GAIN,
    "/": machine.DIV,
    "sqrt": machine.SQRT,
    "log": machine.LOG,
    "min": machine.MIN,
    "max": machine.MAX,
}
_WAVED = {
    "rsin": machine.SINE,
    "rcos": machine.COSINE,
    "sin": machine.SIN,
    "cos": machine.COS,
    "noise": machine.NOISE,
}
_ROOTS = (machine.SQRT, machine.LOG)
_POPS = {
    machine.PUSH: 0,
    machine.TIME: 0,
    machine.ADD: 2,
    machine.SUB: 2,
    machine.MUL: 2,
    machine.SINE: 1,
    machine.COSINE: 1,
    machine.NOISE: 1,
    machine.BIAS: 2,
    machine.GAIN: 2,
    machine.FROUDE: 0,
    machine.DIV: 2,
    machine.SQRT: 1,
    machine.LOG: 1,
    machine.SIN: 1,
    machine.COS: 1,
    machine.MIN: 2,
    machine.MAX: 2,
}


@dataclass(frozen=True)
class Expression:
    """A checked expression, one entry a word; made by `compile_expression`.

    text as it was written; opcodes of `machine`; operands: the number pushed, or the K of a wave;
    columns (1-based) of the words in `text`. Two expressions are equal when they do the same words
    in the same order, however they are spaced or their numbers are spelled.
    """

    text: str = field(compare=False)
    opcodes: tuple[int, ...]
    operands: tuple[float, ...]
    columns: tuple[int, ...] = field(compare=False)

    def __str__(self) -> str:
        return self.text


def compile_expression(text: str, *, froude: bool = False) -> Expression:
    """Check a postfix expression and turn it into words; an empty one is the number 0.

    froude: whether `fr` is a word here.

    Raises ExpressionError with the column for an unknown word, a number that is not finite or
    beyond the limit, too few or too many values, or an expression that is too long or too deep.
    """
    return _compiled(text, froude)


@lru_cache(maxsize=4096)
def _compiled(text: str, froude: bool) -> Expression:
    """`compile_expression`; evolution asks for the same texts again and again."""
    if len(text) > MAX_CHARACTERS:
        shown = text[:40] + "..."
        raise ExpressionError(f"{len(text)} characters, at most {MAX_CHARACTERS} are allowed", shown)
    found = list(re.finditer(r"\S+", text))
    if not found:
        return Expression(text, (machine.PUSH,), (0.0,), (1,))
    if len(found) > MAX_WORDS:
        column = found[MAX_WORDS].start() + 1
        raise ExpressionError(f"{len(found)} words, at most {MAX_WORDS} are allowed", text, column)
    columns = tuple(match.start() + 1 for match in found)
    words = [_word(match.group(), text, match.start() + 1, froude) for match in found]
    _check_stack(text, [op for op, _ in words], columns, [match.group() for match in found])
    for (op, _), (before, value), column in zip(words[1:], words, columns[1:], strict=False):
        if op == machine.DIV and before == machine.PUSH and value == 0:
            raise ExpressionError("divides by zero; give another number below the line", text, column)
    return Expression(text, tuple(op for op, _ in words), tuple(value for _, value in words), columns)


def _word(word: str, text: str, column: int, froude: bool) -> tuple[int, float]:
    """Opcode and operand of one word."""
    if froude and word == FROUDE:
        return machine.FROUDE, 0.0
    if word in _PLAIN:
        return _PLAIN[word], 0.0
    if word == "noise":
        return machine.NOISE, 1.0
    waved = _WAVES.fullmatch(word)
    if waved:
        # The length is looked at first: Python refuses to convert thousands of digits.
        waves = int(waved[2]) if len(waved[2]) <= 4 else MAX_WAVES + 1
        if not 1 <= waves <= MAX_WAVES:
            raise ExpressionError(f"{word[:40]}: K is a whole number from 1 to {MAX_WAVES}", text, column)
        return _WAVED[waved[1]], float(waves)
    if NUMBER.fullmatch(word):
        value = float(word)
        if abs(value) > _LIMIT:
            raise ExpressionError(f"{word[:40]} is beyond the limit of {_LIMIT:g} either way", text, column)
        return machine.PUSH, value
    if _NOT_FINITE.fullmatch(word):
        raise ExpressionError(f"{word} is not a finite number", text, column)
    raise ExpressionError(_unknown(word, froude), text, column)


def _unknown(word: str, froude: bool) -> str:
    words = [*WORDS, *([FROUDE] if froude else []), *SIGNS]
    near = nearest(word[:40], [name.replace("K", "1") for name in words])
    hint = f"; did you mean {near!r}?" if near else "."
    return f"unknown word {word[:40]!r}{hint} Known: numbers, {', '.join(words)} (K = 1, 2, ...)"


def _check_stack(text: str, opcodes: Sequence[int], columns: Sequence[int], words: Sequence[str]) -> None:
    """Walk the expression once, keeping where each value on the stack came from."""
    made_at: list[int] = []
    for op, column, word in zip(opcodes, columns, words, strict=True):
        pops = _POPS[op]
        if len(made_at) < pops:
            needs = "two values" if pops == 2 else "a value" if op in _ROOTS else "an offset"
            raise ExpressionError(f"{word!r} needs {needs} before it, there is {len(made_at)}", text, column)
        del made_at[len(made_at) - pops :]
        made_at.append(column)
        if len(made_at) > MAX_STACK:
            raise ExpressionError(f"more than {MAX_STACK} values wait; combine them earlier", text, column)
    if len(made_at) > 1:
        reason = f"{len(made_at)} values are left, an expression leaves one; combine them with + - * or /"
        raise ExpressionError(reason, text, made_at[1])


@dataclass(frozen=True, eq=False)
class Programs:
    """P expressions in the machine's form; arrays are read-only, an edit makes new ones.

    code (M,) INSTRUCTION32 for the run-time kernels, code64 (M,) the same for authoring; program p
    is code[starts[p]:starts[p + 1]], starts (P + 1,) int64. constant (P,) bool marks programs that
    never change and values (P,) float32 holds what they give (0 for the others), so that a caller
    can skip them; varying (V,) int64 lists the others.
    """

    code: NDArray[Any]
    code64: NDArray[Any]
    starts: NDArray[np.int64]
    constant: NDArray[np.bool_]
    values: NDArray[np.float32]
    varying: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.constant)


def pack(expressions: Sequence[Expression]) -> Programs:
    """Put expressions into one set of arrays, simplified: literals are folded into instructions."""
    programs = [_simplified(e.opcodes, e.operands) for e in expressions]
    code64 = np.array([step for program in programs for step in program], machine.INSTRUCTION64)
    starts = np.cumsum([0, *(len(program) for program in programs)], dtype=np.int64)
    constant = np.array([p[0][0] == machine.PUSH and len(p) == 1 for p in programs], np.bool_)
    values = np.array([p[0][2] if c else 0.0 for p, c in zip(programs, constant, strict=True)], np.float32)
    code, varying = code64.astype(machine.INSTRUCTION32), np.flatnonzero(~constant)
    arrays = (code, code64, starts, constant, values, varying)
    for array in arrays:
        array.setflags(write=False)
    return Programs(*arrays)


_Step = tuple[int, float, float]  # opcode, waves, value: one row of INSTRUCTION64


@dataclass(frozen=True)
class _Piece:
    """What makes one value on the stack: a literal, or steps; `unit` when surely inside [0, 1]."""

    steps: tuple[_Step, ...]
    literal: float | None = None
    unit: bool = False

    def code(self) -> tuple[_Step, ...]:
        return self.steps if self.literal is None else ((machine.PUSH, 0.0, self.literal),)


@lru_cache(maxsize=4096)
def _simplified(opcodes: tuple[int, ...], operands: tuple[float, ...]) -> tuple[_Step, ...]:
    """The steps of one expression, run symbolically: each stack entry is the code that makes it."""
    stack: list[_Piece] = []
    for op, operand in zip(opcodes, operands, strict=True):
        if op == machine.PUSH:
            stack.append(_Piece((), operand, 0 <= operand <= 1))
        elif op in (machine.TIME, machine.FROUDE):
            stack.append(_Piece(((op, 0.0, 0.0),), unit=op == machine.TIME))
        elif op in _ROOTS:
            stack.append(_rooted(op, stack.pop()))
        elif _POPS[op] == 1:
            stack.append(_waved(op, operand, stack.pop()))
        else:
            second, first = stack.pop(), stack.pop()
            join = _shaped if op in (machine.BIAS, machine.GAIN) else _joined
            stack.append(join(op, first, second))
    return stack[0].code()


def _waved(op: int, waves: float, offset: _Piece) -> _Piece:
    signed = op in (machine.SIN, machine.COS)
    if offset.literal is None:
        return _Piece((*offset.steps, (op, waves, 0.0)), unit=not signed)
    if op == machine.NOISE:
        return _Piece(((machine.NOISE_C, waves, offset.literal),), unit=True)
    turns = offset.literal + (0.25 if op in (machine.COSINE, machine.COS) else 0.0)
    fixed = machine.SIN_C if signed else machine.SINE_C
    return _Piece(((fixed, waves, turns % 1.0),), unit=not signed)


def _rooted(op: int, value: _Piece) -> _Piece:
    if value.literal is None:
        return _Piece((*value.steps, (op, 0.0, 0.0)))
    if op == machine.SQRT:
        return _Piece((), math.sqrt(max(value.literal, 0.0)))
    return _Piece((), math.log(max(value.literal, float(machine.SMALLEST))))


def _joined(op: int, first: _Piece, second: _Piece) -> _Piece:
    if first.literal is None or second.literal is None:
        return _Piece((*first.code(), *second.code(), (op, 0.0, 0.0)))
    a, b = first.literal, second.literal
    if op == machine.DIV:
        value = a / b if b != 0 else math.copysign(_LIMIT, a) if a != 0 else 0.0
    elif op in (machine.MIN, machine.MAX):
        value = min(a, b) if op == machine.MIN else max(a, b)
    else:
        value = a + b if op == machine.ADD else a - b if op == machine.SUB else a * b
    return _Piece((), min(max(value, -_LIMIT), _LIMIT))


def _shaped(op: int, value: _Piece, parameter: _Piece) -> _Piece:
    """bias or gain: a literal parameter becomes an exponent, and an exponent of 1 does nothing."""
    is_gain = op == machine.GAIN
    unit = value.unit or is_gain
    if parameter.literal is None:
        return _Piece((*value.code(), *parameter.steps, (op, 0.0, 0.0)), unit=unit)
    b = 1.0 - parameter.literal if is_gain else parameter.literal
    exponent = -math.log2(min(max(b, float(PARAMETER_LOW)), float(PARAMETER_HIGH)))
    if value.literal is not None:
        fold = _folded_gain if is_gain else _folded_bias
        return _Piece((), fold(value.literal, exponent), unit)
    if exponent == 1.0 and value.unit:
        return value
    return _Piece((*value.steps, (machine.GAIN_C if is_gain else machine.BIAS_C, 0.0, exponent)), unit=unit)


def _folded_bias(value: float, exponent: float) -> float:
    return min(max(value, 0.0) ** exponent, _LIMIT)


def _folded_gain(value: float, exponent: float) -> float:
    value = min(max(value, 0.0), 1.0)
    half = 0.5 * (2.0 * min(value, 1.0 - value)) ** exponent
    return half if value < 0.5 else 1.0 - half


def evaluate(
    program: Expression | Programs,
    phase: ArrayLike,
    cycles: ArrayLike | None = None,
    seed: ArrayLike = 0,
    froude: ArrayLike = 0.0,
) -> NDArray[np.float64]:
    """Values for authoring, in float64: (...) for an Expression, (..., P) for Programs.

    phase (...) in cycles, any finite number, wrapped to [0, 1); cycles (...), the unwrapped count
    that noise runs along, is the phase as given when left out; seed whole numbers; froude: what `fr`
    stands for. They broadcast.
    """
    programs = pack([program]) if isinstance(program, Expression) else program
    given = np.asarray(phase, np.float64)
    along = given if cycles is None else np.asarray(cycles, np.float64)
    fr = np.asarray(froude, np.float64)
    if not (np.isfinite(given).all() and np.isfinite(along).all() and np.isfinite(fr).all()):
        text = program.text if isinstance(program, Expression) else f"{len(programs)} programs"
        reason = "phase, cycles and Froude number must be finite, NaN or infinity was given"
        raise ExpressionError(reason, text)
    given, along, seeds, fr = np.broadcast_arrays(given, along, np.asarray(seed, np.int64), fr)
    moments = np.stack([given % 1.0 % 1.0, along, fr], axis=-1).reshape(-1, 3)  # twice: -1e-20 % 1 is 1
    out = np.empty((len(moments), len(programs)))
    stack = np.empty(MAX_STACK)
    machine.run_programs(programs.code64, programs.starts, moments, seeds.ravel(), stack, out)
    values = out.reshape(*given.shape, len(programs))
    return values[..., 0] if isinstance(program, Expression) else values
