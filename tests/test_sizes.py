"""Files and functions stay small enough to read: hard caps of 450 and 60 lines."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("src", "benchmarks", "examples")
FILE_CAP = 450
FUNCTION_CAP = 60


def oversized(folder: Path) -> list[str]:
    """Files and functions over their cap, as 'file: lines' or 'file:line: name, lines'."""
    found: list[str] = []
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(folder).as_posix()
        lines = len(text.splitlines())
        if lines > FILE_CAP:
            found.append(f"{name}: {lines} lines, cap {FILE_CAP}")
        for node in ast.walk(ast.parse(text, filename=str(path))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not _is_kernel(node):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > FUNCTION_CAP:
                    found.append(f"{name}:{node.lineno}: {node.name}, {length} lines, cap {FUNCTION_CAP}")
    return found


def _is_kernel(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Kernels are exempt: cutting one up costs copies of structured rows."""
    for decorator in node.decorator_list:
        bare = decorator.func if isinstance(decorator, ast.Call) else decorator
        if (bare.attr if isinstance(bare, ast.Attribute) else getattr(bare, "id", "")) == "kernel":
            return True
    return False


def test_sizes_of_the_project() -> None:
    assert [line for folder in FOLDERS for line in oversized(ROOT / folder)] == []


def _function(lines: int, head: str = "") -> str:
    return f"{head}def f():\n" + "    x = 1\n" * (lines - 1)


def test_caps_are_exact(tmp_path: Path) -> None:
    (tmp_path / "fits.py").write_text("x = 1\n" * FILE_CAP)
    (tmp_path / "function.py").write_text(_function(FUNCTION_CAP, "@cached\n"))
    assert oversized(tmp_path) == []


def test_long_files_and_functions_are_found(tmp_path: Path) -> None:
    (tmp_path / "long.py").write_text("x = 1\n" * (FILE_CAP + 1))
    (tmp_path / "function.py").write_text(_function(FUNCTION_CAP + 1))
    nested = "\n".join("    " + line for line in _function(FUNCTION_CAP + 1).splitlines())
    (tmp_path / "nested.py").write_text(f"class A:\n{nested.replace('def', 'async def')}\n")
    assert oversized(tmp_path) == [
        f"function.py:1: f, {FUNCTION_CAP + 1} lines, cap {FUNCTION_CAP}",
        f"long.py: {FILE_CAP + 1} lines, cap {FILE_CAP}",
        f"nested.py:2: f, {FUNCTION_CAP + 1} lines, cap {FUNCTION_CAP}",
    ]


def test_kernels_are_exempt(tmp_path: Path) -> None:
    for number, head in enumerate(("@kernel\n", "@kernel(inline=True)\n", "@jit.kernel\n")):
        (tmp_path / f"kernel{number}.py").write_text(_function(3 * FUNCTION_CAP, head))
    assert oversized(tmp_path) == []
