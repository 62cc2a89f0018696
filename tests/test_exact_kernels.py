"""No kernel of the engine is written with a math library: its last digits differ between systems.

What compiled kernels call is looked at as they are compiled ahead, see offline/core/rules.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "hoofbeat"
#: Folders whose kernels make data and files, and never step an animal.
NOT_AT_RUN_TIME = ("offline", "formats")
#: Functions of `math` and NumPy that IEEE 754 rounds in one way only, or that are no arithmetic.
ROUNDED_ONE_WAY = {"sqrt", "floor", "ceil", "trunc", "rint", "round", "fabs", "abs", "copysign", "signbit"}
ROUNDED_ONE_WAY |= {"minimum", "maximum", "clip", "isfinite", "isnan", "isinf", "deg2rad", "rad2deg"}
ROUNDED_ONE_WAY |= {"float32", "float64", "int32", "int64", "uint32", "uint64", "intp", "bool_"}
ROUNDED_ONE_WAY |= {"zeros", "empty", "zeros_like", "empty_like", "array", "full"}

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


def test_what_the_search_finds():
    kernel = "@kernel(inline=True)\ndef f(x):\n    return {}\n"
    for wrong in ("np.sin(x)", "math.exp(x)", "x ** 0.5", "x ** y", "np.hypot(x, x)", "np.linalg.norm(x)"):
        assert len(inexact(kernel.format(wrong))) == 1, wrong
    for right in ("np.sqrt(x)", "x ** 2", "sin(x)", "math.floor(x)", "np.minimum(x, 1.0)"):
        assert inexact(kernel.format(right)) == [], right
    assert inexact("def f(x):\n    return np.sin(x)\n") == []
