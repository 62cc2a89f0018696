"""Imports run one way: a module imports from its own layer or from those before it in ORDER."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from hoofbeat.export import READERS, WRITERS

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "hoofbeat"

#: First to last; names on one line are one layer.
ORDER = (
    ("errors", "shipped"),
    ("maths",),
    ("body",),
    ("records",),
    ("formats",),
    ("gaits",),
    ("methods",),
    ("layers",),
    ("world",),
    ("horse", "commands", "handover"),
    ("check", "testing"),
    ("render", "export", "record", "course", "synthesis"),
    ("offline",),
    ("studio",),
)
RANK = {name: rank for rank, names in enumerate(ORDER) for name in names}
#: The front door and the entry points may import everything; nothing before them may import them. The
#: command line imports the library inside its functions, so that --help need not load the compiler.
LAST = {"__init__", "__main__", "warm", "cli"}
#: Imported when it is first needed, since it brings Numba, which most processes never need.
LATE = {"hoofbeat.maths.jit.compiler", "hoofbeat.offline.core.codegen.Compiler"}
#: The modules that may speak to Numba.
NUMBA_HOMES = {("maths", "jit", "compiler.py"), ("offline", "core", "codegen.py")}


def violations(package: Path) -> list[str]:
    """Every breach of the layer rules in a package folder, as 'file:line: what is wrong'."""
    found: list[str] = []
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).parts
        tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
        complaints = [*_layer_faults(tree, parts), *_numba_faults(tree, parts)]
        found += [f"{'/'.join(parts)}:{line}: {text}" for line, text in complaints]
    return found


def _layer_faults(tree: ast.Module, parts: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    own = Path(parts[0]).stem if len(parts) == 1 else parts[0]
    if own in LAST:
        return
    if own not in RANK:
        yield 1, f"{own!r} has no layer: add it to ORDER and to docs/architecture.md"
        return
    inside = {id(node) for node in _function_nodes(tree)}
    for node in _located(tree):
        for name in _imported(node, parts):
            target = _layer_of(name)
            if target is None:
                continue
            if id(node) in inside and name not in LATE:
                yield node.lineno, f"imports {name} inside a function; move the code, not the import"
            if target in LAST:
                yield node.lineno, f"imports {name}, the front door, which comes last"
            elif target not in RANK:
                yield node.lineno, f"imports {name}, which has no layer"
            elif RANK[target] > RANK[own]:
                yield node.lineno, f"{own} comes before {target}, so it may not import {name}"


def _located(tree: ast.Module) -> Iterator[ast.stmt | ast.expr]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.stmt | ast.expr))


def _function_nodes(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from ast.walk(node)


def _imported(node: ast.AST, parts: tuple[str, ...]) -> list[str]:
    """Absolute dotted names that a node imports; one for each name of a `from` import."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            above = ("hoofbeat", *parts[:-1])[: len(parts) + 1 - node.level]
            base = ".".join([*above, *([base] if base else [])])
        return [f"{base}.{alias.name}" for alias in node.names]
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in {"import_module", "__import__"}:
            return [str(node.args[0].value)]
    return []


def _layer_of(name: str) -> str | None:
    """Layer of a dotted name; None outside the package; '__init__' for names of the package itself."""
    head, *rest = name.split(".")
    if head != "hoofbeat":
        return None
    if rest and (rest[0] in RANK or rest[0] in LAST or _exists(rest[0])):
        return rest[0]
    return "__init__"


def _exists(name: str) -> bool:
    return (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file()


def _numba_faults(tree: ast.Module, parts: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    if parts in NUMBA_HOMES:
        return
    for node in _located(tree):
        for name in _imported(node, parts):
            if name.split(".")[0] == "numba":
                yield node.lineno, f"imports {name}; only maths/jit/compiler may: use the kernel decorator"
        called = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
        if called in {"njit", "vectorize", "guvectorize", "cfunc"}:
            yield node.lineno, f"uses {called}; every kernel is made by maths.jit.kernel"


def test_package_keeps_the_order() -> None:
    assert violations(PACKAGE) == []


def lazily_imported() -> list[tuple[str, str]]:
    """(module, function) of every entry in the tables of `export`, whose modules are imported when needed."""
    return [(e.module, name) for e in (*WRITERS, *READERS) for name in (e.function, e.several) if name]


@pytest.mark.parametrize(("module", "function"), lazily_imported())
def test_formats_named_in_tables_exist_and_keep_the_order(module: str, function: str) -> None:
    assert callable(getattr(importlib.import_module(module), function))
    layer = _layer_of(module)
    assert layer is not None and layer not in LAST and RANK[layer] <= RANK["export"]


def test_every_layer_is_listed_once() -> None:
    names = [name for layer in ORDER for name in layer]
    assert len(names) == len(set(names))
    assert not LAST & set(names)


GOOD = {
    "errors.py": "import sys\n",
    "maths/jit/compiler.py": "import numba\nkernel = numba.njit\n",
    "maths/fk.py": "from hoofbeat.maths.jit import kernel\nfrom . import jit\nfrom ..errors import X\n",
    "body/clip.py": "from hoofbeat.maths import fk\nfrom .. import errors\n\ndef f():\n    import scipy\n",
    "export.py": "from hoofbeat.render import video\nfrom hoofbeat.record import Recorder\n",
    "__init__.py": "def __getattr__(name):\n    from hoofbeat.horse import Horse\n    return Horse\n",
    "warm.py": "from hoofbeat import horse\n",
    "cli/app.py": "from hoofbeat import __version__\n\ndef f():\n    import hoofbeat.warm\n",
}

BAD = {
    "upward": ("maths/fk.py", "from hoofbeat.body.skeleton import Skeleton\n", "maths comes before body"),
    "upward, plain import": ("gaits/gait.py", "import hoofbeat.world.root\n", "gaits comes before world"),
    "upward, relative": ("body/clip.py", "from ..formats import bvh\n", "body comes before formats"),
    "upward, relative to a file": ("errors.py", "from .maths import quat\n", "errors comes before maths"),
    "only for types": (
        "methods/method.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from hoofbeat.horse import Horse\n",
        "methods comes before horse",
    ),
    "in a function": (
        "horse.py",
        "def f():\n    from hoofbeat.maths import quat\n    return quat\n",
        "inside a function",
    ),
    "in a method": (
        "world/root.py",
        "class A:\n    async def f(self):\n        import hoofbeat.errors\n",
        "inside a function",
    ),
    "by name": (
        "body/clip.py",
        "import importlib\nx = importlib.import_module('hoofbeat.formats.bvh.reader')\n",
        "body comes before formats",
    ),
    "front door": ("horse.py", "from hoofbeat import Command\n", "the front door"),
    "front door, whole": ("check/gait.py", "import hoofbeat as hb\n", "the front door"),
    "entry point": ("export.py", "from hoofbeat import warm\n", "the front door"),
    "command line": ("studio/web/server.py", "from hoofbeat.cli.app import app\n", "the front door"),
    "unlisted": ("utilities.py", "import os\n", "has no layer"),
    "numba": ("maths/fk.py", "import numba\n", "imports numba"),
    "numba, from": ("maths/fk.py", "from numba.core import config\n", "imports numba.core.config"),
    "numba in a function": ("warm.py", "def f():\n    import numba\n", "imports numba"),
    "njit by another way": ("maths/fk.py", "from .jit import nb\n@nb.njit\ndef f(): ...\n", "uses njit"),
}


def _write(package: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        target = package / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return package


def test_a_sound_package_passes(tmp_path: Path) -> None:
    assert violations(_write(tmp_path, GOOD)) == []


@pytest.mark.parametrize("case", BAD)
def test_a_bad_module_is_found(tmp_path: Path, case: str) -> None:
    name, text, complaint = BAD[case]
    found = violations(_write(tmp_path, {**GOOD, name: text}))
    assert len(found) == 1, found
    assert found[0].startswith(f"{name}:") and complaint in found[0]
