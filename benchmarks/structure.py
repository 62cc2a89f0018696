"""Structure: the shape of the package's source as a table, for docs/architecture.md and for tests.

    python -m benchmarks.structure                                   # this tree
    python -m benchmarks.structure --before benchmarks/structure_before.json
    python -m benchmarks.structure --before benchmarks/structure_before.json --write docs/architecture.md
    python -m benchmarks.structure OTHER/src/hoofbeat --save FILE.json

It reads source and runs none of it. What is counted stands in the docstring of each function; a file that
is no module of its own (`__init__`, `__main__`) is left out of counts of modules, not of lines.
"""

from __future__ import annotations

import argparse
import ast
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "hoofbeat"
#: Limits that tests/test_sizes.py holds.
MOST_MODULES, MOST_LINES, MOST_PARAMETERS = 12, 60, 8
#: Files that are no modules of their own.
ENTRANCES = ("__init__", "__main__")
#: Annotations of values and arrays: what is indexed by number by its nature.
INDEXED = ("Vec3", "Quat", "Floats", "Ints", "Flags", "Row", "Rows", "NDArray")

#: The lines of a page between which the table stands.
MARKS = ("<!-- structure -->", "<!-- /structure -->")

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One source file: its path below the package without suffix, its text and its syntax tree."""

    name: str
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        """Lines of the file, comments and empty ones included."""
        return len(self.text.splitlines())

    @property
    def folder(self) -> str:
        """Its folder below the package, "" = the package itself."""
        return self.name.rpartition("/")[0]

    @property
    def entrance(self) -> bool:
        """Whether it is an `__init__` or `__main__`."""
        return self.name.rpartition("/")[2] in ENTRANCES

    @property
    def functions(self) -> Iterator[FunctionNode]:
        """Every function and method, nested ones included."""
        return (node for node in ast.walk(self.tree) if isinstance(node, FunctionNode))

    def kernels(self) -> Iterator[FunctionNode]:
        """Functions made by the kernel decorator."""
        return (node for node in self.functions if is_kernel(node))


@dataclass(frozen=True)
class Tree:
    """All modules of a package folder."""

    modules: tuple[Module, ...]

    @classmethod
    def read(cls, package: Path = PACKAGE) -> Tree:
        """Read every Python file below a package folder."""
        found = []
        for path in sorted(package.rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            name = path.relative_to(package).with_suffix("").as_posix()
            found.append(Module(name, text, ast.parse(text, filename=str(path))))
        return cls(tuple(found))

    @cached_property
    def named(self) -> tuple[Module, ...]:
        """Modules that are not entrances."""
        return tuple(module for module in self.modules if not module.entrance)


def is_kernel(node: FunctionNode) -> bool:
    """Whether a function is decorated by `kernel`, `kernel(...)` or `jit.kernel`."""
    for decorator in node.decorator_list:
        bare = decorator.func if isinstance(decorator, ast.Call) else decorator
        if (bare.attr if isinstance(bare, ast.Attribute) else getattr(bare, "id", "")) == "kernel":
            return True
    return False


def function_lines(node: FunctionNode) -> int:
    """Lines from `def` to the last one, decorators left out."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def parameters(node: FunctionNode) -> list[ast.arg]:
    """All named parameters."""
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def full_folders(tree: Tree) -> dict[str, int]:
    """Folders with more than a dozen modules, with their number; "." is the package itself."""
    counts: dict[str, int] = defaultdict(int)
    for module in tree.named:
        counts[module.folder or "."] += 1
    return {folder: count for folder, count in sorted(counts.items()) if count > MOST_MODULES}


def long_functions(tree: Tree, kernels: bool) -> dict[str, int]:
    """Functions of more than 60 lines, either kernels or the others, as 'module:name' with their lines."""
    return {
        f"{module.name}:{node.name}": function_lines(node)
        for module in tree.modules
        for node in module.functions
        if is_kernel(node) == kernels and function_lines(node) > MOST_LINES
    }


def wide_kernels(tree: Tree) -> dict[str, int]:
    """Kernels of more than 8 parameters, as 'module:name' with their number."""
    return {
        f"{module.name}:{node.name}": len(parameters(node))
        for module in tree.modules
        for node in module.kernels()
        if len(parameters(node)) > MOST_PARAMETERS
    }


def numbered_bags(tree: Tree) -> dict[str, int]:
    """Kernel parameters that are tuples of different things read by number, as 'module:kernel(parameter)'.

    The value is the number of places. A parameter counts when it is indexed by constant whole numbers and by
    nothing else, and either one such element is indexed again (`bank[6][leg]`) or a number of 4 or more
    stands in it (`tables[9]`). What is annotated as a vector, a quaternion, an array or a row does not
    count. A tuple whose few elements are plain numbers looks like a vector and is not found.
    """
    found: dict[str, int] = {}
    for module in tree.modules:
        for node in module.kernels():
            for parameter in parameters(node):
                if any(word in _annotation(parameter) for word in INDEXED):
                    continue
                places = _numbered_places(node, parameter.arg)
                if places:
                    found[f"{module.name}:{node.name}({parameter.arg})"] = places
    return found


def _numbered_places(node: FunctionNode, name: str) -> int:
    """How often a tuple is read by number in a function, 0 where the name looks like an array."""
    numbers: list[int] = []
    again = False
    for one in ast.walk(node):
        if not isinstance(one, ast.Subscript):
            continue
        if isinstance(one.value, ast.Subscript) and _is_name(one.value.value, name):
            again = True
        if _is_name(one.value, name):
            if not (isinstance(one.slice, ast.Constant) and isinstance(one.slice.value, int)):
                return 0
            numbers.append(one.slice.value)
    return len(numbers) if numbers and (again or max(numbers) >= 4) else 0


def unpacked_bags(tree: Tree) -> dict[str, int]:
    """Kernel parameters taken apart by position (`parents, offsets, legs = body`), with their length.

    What is annotated as a vector or a quaternion does not count.
    """
    found: dict[str, int] = {}
    for module in tree.modules:
        for node in module.kernels():
            named = {p.arg: _annotation(p) for p in parameters(node)}
            for one in ast.walk(node):
                if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Tuple):
                    value = one.value
                    if isinstance(value, ast.Name) and named.get(value.id) not in (None, "Vec3", "Quat"):
                        key = f"{module.name}:{node.name}({value.id})"
                        found[key] = len(one.targets[0].elts)
    return found


def bare_parameters(tree: Tree) -> tuple[int, int]:
    """Kernel parameters whose type is `Any` or is missing, and all of them."""
    every = [p for module in tree.modules for node in module.kernels() for p in parameters(node)]
    return sum(_annotation(p) in ("", "Any") for p in every), len(every)


def shared_names(tree: Tree) -> dict[str, list[str]]:
    """Public classes and functions at the top of more than one module: name and modules."""
    return _shared(tree, _definitions)


def shared_constants(tree: Tree) -> dict[str, list[str]]:
    """The same for constants and names of types: what is assigned at the top of a module."""
    return _shared(tree, _assignments)


def _shared(tree: Tree, names_of: Callable[[ast.Module], set[str]]) -> dict[str, list[str]]:
    homes: dict[str, list[str]] = defaultdict(list)
    for module in tree.modules:
        for name in names_of(module.tree):
            if not name.startswith("_"):
                homes[name].append(module.name)
    return {name: found for name, found in sorted(homes.items()) if len(found) > 1}


def _definitions(tree: ast.Module) -> set[str]:
    return {node.name for node in tree.body if isinstance(node, ast.ClassDef | FunctionNode)}


def _assignments(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            targets = [node.target]
        found |= {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
    return found


def single_importers(tree: Tree) -> dict[str, str]:
    """Modules that one other module alone imports, with that one.

    A module named in a string, as tables of formats and methods do it, is imported there.
    """
    known = {module.name.replace("/", "."): module.name for module in tree.named}
    importers: dict[str, set[str]] = defaultdict(set)
    for module in tree.modules:
        for name in _imported(module, known):
            if known[name] != module.name:
                importers[known[name]].add(module.name)
    return {name: next(iter(by)) for name, by in sorted(importers.items()) if len(by) == 1}


def _imported(module: Module, known: dict[str, str]) -> Iterator[str]:
    """Modules of the package that a module names in imports and in strings, dotted, without 'hoofbeat.'."""
    for node in ast.walk(module.tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = ["hoofbeat", *module.name.split("/")[: -node.level]]
                base = ".".join([*above, *([base] if base else [])])
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names = [node.value, f"hoofbeat.{node.value}"] if node.value.isascii() else []
        for name in names:
            if name.startswith("hoofbeat.") and name.removeprefix("hoofbeat.") in known:
                yield name.removeprefix("hoofbeat.")


def _annotation(parameter: ast.arg) -> str:
    return "" if parameter.annotation is None else ast.unparse(parameter.annotation)


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def measured(tree: Tree) -> dict[str, Any]:
    """Every row of the table by name."""
    lines: dict[str, int] = defaultdict(int)
    for module in tree.modules:
        top, _, rest = module.name.partition("/")
        lines[f"{top}/" if rest else "."] += module.lines
    bare, every = bare_parameters(tree)
    return {
        "modules": len(tree.named),
        "lines": sum(lines.values()),
        **{f"lines in {folder}": count for folder, count in sorted(lines.items())},
        f"folders over {MOST_MODULES} modules": len(full_folders(tree)),
        f"functions over {MOST_LINES} lines, kernels apart": len(long_functions(tree, kernels=False)),
        f"kernels over {MOST_LINES} lines": len(long_functions(tree, kernels=True)),
        "lines of the longest kernel": max(
            (function_lines(node) for module in tree.modules for node in module.kernels()), default=0
        ),
        f"kernels over {MOST_PARAMETERS} parameters": len(wide_kernels(tree)),
        "places where a tuple is read by number": sum(numbered_bags(tree).values()),
        "kernel parameters unpacked by position": len(unpacked_bags(tree)),
        "kernel parameters": every,
        "of these typed `Any` or not at all": bare,
        "public classes and functions defined more than once": len(shared_names(tree)),
        "public constants defined more than once": len(shared_constants(tree)),
        "modules with one importer": len(single_importers(tree)),
    }


def table(after: dict[str, Any], before: dict[str, Any] | None = None) -> str:
    """The measures as Markdown, beside those of another tree; rows of either."""
    head = ["what", *(["before"] if before else []), "after" if before else "count"]
    lines = [f"| {' | '.join(head)} |", f"|---|{'---:|' * (len(head) - 1)}"]
    for name in [*after, *(name for name in before or {} if name not in after)]:
        columns = [column.get(name, 0) for column in ((before, after) if before else (after,))]
        lines.append(f"| {name} | {' | '.join(f'{count:,}' for count in columns)} |")
    return "\n".join(lines)


def offenders(tree: Tree) -> str:
    """What lies behind the counts, by name, to be worked on."""
    parts: dict[str, dict[str, Any]] = {
        "folders": full_folders(tree),
        "functions": long_functions(tree, kernels=False),
        "kernels": long_functions(tree, kernels=True),
        "parameters": wide_kernels(tree),
        "tuples by number": numbered_bags(tree),
        "tuples unpacked": unpacked_bags(tree),
        "public names": {name: ", ".join(homes) for name, homes in shared_names(tree).items()},
        "constants": {name: ", ".join(homes) for name, homes in shared_constants(tree).items()},
        "one importer": single_importers(tree),
    }
    return "\n".join(
        f"{part}: {name}: {value}" for part, rows in parts.items() for name, value in rows.items()
    )


def placed(page: str, made: str) -> str:
    """A page with a table between its marks."""
    start, end = MARKS
    head, _, rest = page.partition(start)
    _, _, tail = rest.partition(end)
    return f"{head}{start}\n{made}\n{end}{tail}"


def main() -> None:
    """The command line."""
    reader = argparse.ArgumentParser(description="the shape of the source as a Markdown table")
    reader.add_argument("package", nargs="?", type=Path, default=PACKAGE, help="a package folder")
    reader.add_argument("--before", type=Path, help="measures of another tree, as --save wrote them")
    reader.add_argument("--save", type=Path, help="write the measures as JSON")
    reader.add_argument("--write", type=Path, help="put the table between the marks of a Markdown page")
    reader.add_argument("--list", action="store_true", help="name what lies behind the counts")
    given = reader.parse_args()
    tree = Tree.read(given.package)
    found = measured(tree)
    if given.save:
        given.save.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    before = json.loads(given.before.read_text(encoding="utf-8")) if given.before else None
    if given.write:
        page = given.write.read_text(encoding="utf-8")
        given.write.write_text(placed(page, table(found, before)), encoding="utf-8")
    else:
        print(offenders(tree) if given.list else table(found, before))


if __name__ == "__main__":
    main()
