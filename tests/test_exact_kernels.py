"""No kernel of the engine calls a math library: its last digits are another one's on another system."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hoofbeat as hb
from hoofbeat.maths.jit import numba_config
from hoofbeat.maths.spring import fade
from hoofbeat.methods.catalog import installed_methods

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "hoofbeat"
#: Folders whose kernels make data and files, and never step an animal.
NOT_AT_RUN_TIME = ("offline", "formats")
#: Functions of `math` and NumPy that IEEE 754 rounds in one way only, or that are no arithmetic.
ROUNDED_ONE_WAY = {"sqrt", "floor", "ceil", "trunc", "rint", "round", "fabs", "abs", "copysign", "signbit"}
ROUNDED_ONE_WAY |= {"minimum", "maximum", "clip", "isfinite", "isnan", "isinf", "deg2rad", "rad2deg"}
ROUNDED_ONE_WAY |= {"float32", "float64", "int32", "int64", "uint32", "uint64", "intp", "bool_"}
ROUNDED_ONE_WAY |= {"zeros", "empty", "zeros_like", "empty_like", "array", "full"}

#: What compiled kernels may ask of others: operations with one result, memory, and Numba's own run time.
INTRINSIC = re.compile(
    r"llvm\.(sqrt|floor|ceil|trunc|rint|nearbyint|roundeven|fabs|copysign"
    r"|mem(cpy|set|move)(\.inline)?|lifetime\.(start|end)|assume|experimental\.noalias\.scope\.decl|prefetch"
    r"|[su](min|max)|[su](add|sub|mul)\.(with\.overflow|sat)|abs|ct(lz|tz|pop)|fsh[lr]|bswap|is\.fpclass"
    r"|x86\.atomic\.sub\.cc|vector\.reduce\.(or|and|xor|add|[su](min|max))|masked\.(load|store|gather|scatter))\b"
)
OTHERS = re.compile(r"_ZN|\.?numba|NRT_|Py|_Py|mem(cpy|set|move)$|(sqrt|floor|ceil|trunc|rint)f?$")
DECLARED = re.compile(r"^declare .*?@\"?([^\"(\s]+)\"?\(", re.MULTILINE)
#: Leaves to compute otherwise than is written, but for `contract`, which jit.py decides about.
LOOSE = re.compile(r"= (?:tail )?(?:f\w+|call)(?: [a-z]+)* (?:fast|reassoc|afn|arcp|nnan|ninf|nsz) ")


def foreign(text: str) -> set[str]:
    """Names that a module of LLVM declares and that a kernel must not call."""
    return {
        name
        for name in DECLARED.findall(text)
        if not (INTRINSIC.match(name) if name.startswith("llvm.") else OTHERS.match(name))
    }


def inexact(text: str) -> list[str]:
    """Calls and powers in the kernels of a source text that need a math library, with their lines."""
    found = []
    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, ast.FunctionDef) or not any(map(_is_kernel, function.decorator_list)):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
                if not (isinstance(node.right, ast.Constant) and isinstance(node.right.value, int)):
                    found.append(f"{node.lineno}: {ast.unparse(node)}")
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                home = node.func.value
                if isinstance(home, ast.Name) and home.id in ("np", "math", "numpy"):
                    if node.func.attr not in ROUNDED_ONE_WAY:
                        found.append(f"{node.lineno}: {ast.unparse(node.func)}")
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute):
                if ast.unparse(node.value) in ("np.linalg", "np.random", "np.fft"):
                    found.append(f"{node.lineno}: {ast.unparse(node)}")
    return found


def _is_kernel(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Name) and called.id == "kernel"


def run_time_sources() -> Iterator[Path]:
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.relative_to(PACKAGE).parts[0] not in NOT_AT_RUN_TIME:
            yield path


def test_no_kernel_is_written_with_a_math_library():
    found = {
        str(path.relative_to(PACKAGE)): faults
        for path in run_time_sources()
        if (faults := inexact(path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_what_the_two_searches_find():
    kernel = "@kernel(inline=True)\ndef f(x):\n    return {}\n"
    for wrong in ("np.sin(x)", "math.exp(x)", "x ** 0.5", "x ** y", "np.hypot(x, x)", "np.linalg.norm(x)"):
        assert len(inexact(kernel.format(wrong))) == 1, wrong
    for right in ("np.sqrt(x)", "x ** 2", "sin(x)", "math.floor(x)", "np.minimum(x, 1.0)"):
        assert inexact(kernel.format(right)) == [], right
    assert inexact("def f(x):\n    return np.sin(x)\n") == []
    text = "declare double @{}(double)\n"
    for wrong in (
        "sin",
        "llvm.sin.f64",
        "pow",
        "llvm.fma.f64",
        "llvm.fmuladd.f32",
        "llvm.powi.f64.i32",
        "fmod",
    ):
        assert foreign(text.format(wrong)) == {wrong}
    for right in ("llvm.sqrt.f64", "llvm.floor.v4f64", "_ZN8hoofbeat4nextE", "NRT_incref", "memset"):
        assert foreign(text.format(right)) == set()
    assert LOOSE.search("%.5 = fadd nnan double %a, %b") and not LOOSE.search("%.5 = fadd double %a, %b")


def compiled() -> Iterator[tuple[str, Any]]:
    """All kernels called from Python so far: names, and what each was compiled to."""
    for name, module in sorted(sys.modules.items()):
        parts = name.split(".")
        if parts[0] != "hoofbeat" or not parts[1:] or parts[1] in NOT_AT_RUN_TIME:
            continue
        for value in list(vars(module).values()):
            if hasattr(value, "overloads") and value.py_func.__module__ == name:
                for result in value.overloads.values():
                    yield f"{name}.{value.py_func.__name__}", result.library


@pytest.mark.kernels
@pytest.mark.skipif(bool(numba_config.DISABLE_JIT), reason="nothing is compiled")
def test_no_compiled_kernel_calls_a_math_library():
    for method in installed_methods():
        for terrain in ("flat", "hills"):
            herd = hb.Herd(1, method, terrain=terrain, height=1.7)
            herd.step(hb.Command(speed=1.0), 0.2)
    fade(np.ones(3), np.ones(3), 0.1, 0.1)
    found: dict[str, set[str]] = {}
    for name, library in compiled():
        text = str(library._get_module_for_linking())
        assert not LOOSE.search(text), (name, LOOSE.search(text))
        found.setdefault(name, set()).update(foreign(text))
    assert {name: calls for name, calls in found.items() if calls} == {}
    ends = {name.rpartition(".")[2] for name in found}
    entries = {"place", "place_uneven", "fill_frames", "copy_scaled", "clamp_commands", "split_time", "fade"}
    assert entries | {"step_timewarp", "step_froude", "step_actions"} <= ends
