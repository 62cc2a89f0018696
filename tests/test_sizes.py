"""Files, functions, kernels and folders stay small enough to read, and a public name has one definition.

Counted by benchmarks/structure.py; what does not hold stands in benchmarks/structure_exceptions.py, and an
entry there that no longer applies fails as well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest
from benchmarks import structure
from benchmarks import structure_exceptions as exceptions
from benchmarks.structure import MOST_LINES, MOST_MODULES, MOST_PARAMETERS, Tree

ROOT = Path(__file__).resolve().parents[1]
#: Folders beside the package that keep the sizes as well.
OTHERS = ("benchmarks", "examples")
FILE_CAP = 450
#: A list of public names with reasons is no longer read when it is longer.
MOST_SHARED_NAMES = 39

PACKAGE_TREE = Tree.read()


def oversized(tree: Tree) -> list[str]:
    """Files over their cap."""
    return [f"{one.name}: {one.lines} lines, cap {FILE_CAP}" for one in tree.modules if one.lines > FILE_CAP]


def tuples(tree: Tree) -> set[str]:
    """Kernel parameters that are tuples told apart by position."""
    return {*structure.numbered_bags(tree), *structure.unpacked_bags(tree)}


#: What is counted, and the lists of what may not hold.
HELD: dict[str, tuple[Callable[[Tree], Collection[str]], tuple[Collection[str], ...]]] = {
    "folders": (structure.full_folders, (exceptions.OPEN_FOLDERS,)),
    "functions": (lambda tree: structure.long_functions(tree, kernels=False), (exceptions.OPEN_FUNCTIONS,)),
    "kernels": (
        lambda tree: structure.long_functions(tree, kernels=True),
        (exceptions.OPEN_KERNELS, exceptions.LONG_KERNELS),
    ),
    "parameters": (structure.wide_kernels, (exceptions.OPEN_PARAMETERS,)),
    "tuples": (tuples, (exceptions.OPEN_TUPLES,)),
    "names": (structure.shared_names, (exceptions.OPEN_NAMES, exceptions.SHARED_NAMES)),
}


@pytest.mark.parametrize("what", HELD)
def test_what_is_too_large_is_on_its_list(what: str) -> None:
    measure, lists = HELD[what]
    found, listed = set(measure(PACKAGE_TREE)), [name for names in lists for name in names]
    assert len(listed) == len(set(listed)), "an entry stands twice"
    new, stale = sorted(found - set(listed)), sorted(set(listed) - found)
    assert (new, stale) == ([], []), f"{what}: too large {new}; on a list of exceptions for nothing {stale}"


def test_files_stay_short() -> None:
    assert oversized(PACKAGE_TREE) == []


@pytest.mark.parametrize("folder", OTHERS)
def test_other_folders_keep_the_sizes(folder: str) -> None:
    tree = Tree.read(ROOT / folder)
    assert oversized(tree) == []
    assert structure.long_functions(tree, kernels=False) == {}


def test_reasons_are_written_and_few() -> None:
    assert len(exceptions.SHARED_NAMES) <= MOST_SHARED_NAMES
    for reasons in (exceptions.SHARED_NAMES, exceptions.LONG_KERNELS):
        assert all(len(reason.split()) > 3 for reason in reasons.values())


def _tree(folder: Path, **modules: str) -> Tree:
    for name, text in modules.items():
        path = folder / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Tree.read(folder)


def _function(lines: int, head: str = "") -> str:
    return f"{head}def f():\n" + "    x = 1\n" * (lines - 1)


def test_caps_are_exact(tmp_path: Path) -> None:
    arguments = ", ".join("abcdefgh")
    tree = _tree(
        tmp_path,
        fits="x = 1\n" * FILE_CAP,
        function=_function(MOST_LINES, "@cached\n"),
        kernels=f"@kernel\ndef k({arguments}): ...\n"
        + _function(MOST_LINES, "@jit.kernel\n").replace("f()", "g()"),
        **{f"full__m{n}": "" for n in range(MOST_MODULES)},
    )
    (tmp_path / "full" / "__init__.py").write_text("")
    assert oversized(tree) == []
    for measure, _ in HELD.values():
        assert not measure(Tree.read(tmp_path))


def test_what_is_over_is_found(tmp_path: Path) -> None:
    nested = "\n".join("    " + line for line in _function(MOST_LINES + 1).splitlines())
    arguments = ", ".join("abcdefghi")
    tree = _tree(
        tmp_path,
        long="x = 1\n" * (FILE_CAP + 1),
        nested=f"class A:\n{nested.replace('def', 'async def')}\n",
        kernel="".join(
            _function(MOST_LINES + 1, f"@{head}\n") for head in ("jit.kernel", "kernel(inline=True)")
        ),
        wide=f"@kernel\ndef k({arguments}): ...\n",
        **{f"full__m{n}": "" for n in range(MOST_MODULES + 1)},
    )
    assert oversized(tree) == [f"long: {FILE_CAP + 1} lines, cap {FILE_CAP}"]
    assert structure.long_functions(tree, kernels=False) == {"nested:f": MOST_LINES + 1}
    assert structure.long_functions(tree, kernels=True) == {"kernel:f": MOST_LINES + 1}
    assert structure.wide_kernels(tree) == {"wide:k": MOST_PARAMETERS + 1}
    assert structure.full_folders(tree) == {"full": MOST_MODULES + 1}


#: Bodies of a kernel with a parameter `p`, and what is counted: places by number, length of an unpacking.
BODIES: dict[str, tuple[str, str, Any, Any]] = {
    "a list of tables": ("p", "return p[0][i] + p[3]", 2, None),
    "a long tuple": ("p: Any", "return p[7]", 1, None),
    "a vector": ("p: Vec3", "return p[0] + p[1]", None, None),
    "an array told as one": ("p: Floats", "return p[5] + p[0][1]", None, None),
    "an array in a loop": ("p", "return p[5] + p[i]", None, None),
    "taken apart": ("p: Any", "a, b, c = p\n    return a", None, 3),
    "a vector taken apart": ("p: Vec3", "a, b, c = p\n    return a", None, None),
    "names": ("p: Tables", "return p.height[i]", None, None),
}


@pytest.mark.parametrize("case", BODIES)
def test_tuples_of_different_things_are_found(case: str, tmp_path: Path) -> None:
    parameter, body, places, length = BODIES[case]
    tree = _tree(tmp_path, one=f"@kernel\ndef k({parameter}, i: Int):\n    {body}\n")
    assert structure.numbered_bags(tree).get("one:k(p)") == places
    assert structure.unpacked_bags(tree).get("one:k(p)") == length


def test_names_and_importers_are_counted(tmp_path: Path) -> None:
    tree = _tree(
        tmp_path,
        a="def f(): ...\ndef _g(): ...\nLIMIT = 1\n",
        b="class f: ...\ndef _g(): ...\nLIMIT: int = 2\nfrom hoofbeat.a import LIMIT\n",
        c="from hoofbeat import b\nTABLE = 'hoofbeat.d'\n",
        d="from .b import f\n",
    )
    assert structure.shared_names(tree) == {"f": ["a", "b"]}
    assert structure.shared_constants(tree) == {"LIMIT": ["a", "b"]}
    assert structure.single_importers(tree) == {"a": "b", "d": "c"}


def test_the_table_has_a_column_for_each_tree(tmp_path: Path) -> None:
    one = structure.measured(_tree(tmp_path, a="x = 1\n"))
    assert "| modules | 1 |" in structure.table(one)
    assert "| modules | 5 | 1 |" in structure.table(one, {"modules": 5})
    assert "| gone | 5 | 0 |" in structure.table(one, {"gone": 5})
