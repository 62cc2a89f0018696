"""Rules: what a compiled kernel may do, looked for in its LLVM code, as it is before it becomes object code.

Whatever a kernel calls, its code shows: a function of the C library, an allocation, an intrinsic of LLVM that
the processor or its C library rounds in its own way. CONTRIBUTING.md has the rules in words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

#: Functions of the C library that a kernel may call, all of exactly rounded or bytewise results.
FOREIGN = frozenset({"memcpy", "memset", "memmove", "floor", "floorf", "ceil", "ceilf", "trunc", "truncf"})
FOREIGN |= {"rint", "rintf", "round", "roundf", "fmod", "fmodf", "sqrt", "sqrtf"}
#: LLVM's own functions that are exact on every processor: of numbers, of whole numbers, of memory.
INTRINSICS = frozenset({"floor", "ceil", "trunc", "rint", "nearbyint", "round", "roundeven"})
INTRINSICS |= {"sqrt", "fabs", "copysign", "is.fpclass", "fptosi.sat", "fptoui.sat"}
INTRINSICS |= {"abs", "smax", "smin", "umax", "umin", "ctlz", "cttz", "ctpop", "bswap", "fshl", "fshr"}
INTRINSICS |= {f"{sign}{name}.with.overflow" for sign in "su" for name in ("add", "sub", "mul")}
INTRINSICS |= {f"{sign}{name}.sat" for sign in "su" for name in ("add", "sub")}
INTRINSICS |= {f"vector.reduce.{name}" for name in ("add", "mul", "and", "or", "xor")}
INTRINSICS |= {"vector.reduce.fadd", "vector.reduce.fmul"}  # in their order, unless marked otherwise: LOOSE
INTRINSICS |= {f"vector.reduce.{sign}{name}" for sign in "su" for name in ("max", "min")}
INTRINSICS |= {"memcpy", "memset", "memmove", "lifetime.start", "lifetime.end", "assume", "expect"}
INTRINSICS |= {"masked.load", "masked.store", "experimental.noalias.scope.decl", "get.active.lane.mask"}
INTRINSICS |= {"vector.insert", "vector.extract", "stepvector"}
#: Leave to rearrange or contract arithmetic, on an instruction.
LOOSE = re.compile(
    r"\b(?:fadd|fsub|fmul|fdiv|frem|fneg|call|select|phi)\s(?:[a-z]+\s)*?(fast|contract|reassoc|arcp|afn|nsz)\s"
)

_DECLARED = re.compile(r"^declare [^@]*@\"?([\w.$]+)", re.MULTILINE)
_FUNCTION = re.compile(r"^define [^@]*@(\"[^\"]*\"|[\w.$]+)\([^\n]*\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_NAMED = re.compile(r"@(\"[^\"]*\"|[\w.$]+)")
_RETURN = re.compile(r"^  ret i32 (?!0$)", re.MULTILINE)
_TYPE = re.compile(r"\.(?:[fip]\d+|v\d+\w+|nxv\w+)(?:\.|$)")


def faults(symbol: str, code: str) -> Iterator[str]:
    """What is wrong with an entry, given all its LLVM code; sentences."""
    for name in sorted(set(_DECLARED.findall(code))):
        if name.startswith("llvm."):
            base = _TYPE.split(name.removeprefix("llvm."))[0]
            if base not in INTRINSICS:
                yield f"{symbol} calls {base}, which is not the same everywhere; use maths/exact"
        elif name.startswith("NRT_"):
            yield f"{symbol} allocates memory; give it an array, as scratch of its caller"
        elif name not in FOREIGN:
            yield f"{symbol} calls {name}, which is not the same everywhere; use maths/exact"
    loose = LOOSE.search(code)
    if loose:
        yield f"{symbol} has arithmetic marked {loose[1]}, which rounds as the processor likes; no fastmath"
    functions = {name.strip('"'): body for name, body in _FUNCTION.findall(code)}
    if _circular(functions):
        yield f"{symbol} calls itself, at once or by way of others; use a loop"
    if _RETURN.search(functions.get(symbol, "")):
        yield f"{symbol} may raise an error, which nobody outside Python can catch; check before it is called"


def _circular(functions: dict[str, str]) -> bool:
    """Whether a function calls itself, at once or by way of others."""
    calls: dict[str, set[str]] = {}
    for name, body in functions.items():
        calls[name] = {other.strip('"') for other in _NAMED.findall(body)} & set(functions)
    while calls:  # those that call nobody who is left go
        done = {name for name, called in calls.items() if not called & set(calls)}
        if not done:
            return True
        calls = {name: called for name, called in calls.items() if name not in done}
    return False
