"""What must not stand in the repository, and what every module must have."""

from __future__ import annotations

import ast
import filecmp
import importlib
import re
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "hoofbeat"
#: Left out where there is no git to ask (an unpacked source archive).
GENERATED = {".git", ".venv", ".stamps", ".hypothesis", ".pytest_cache", ".ruff_cache", "__pycache__"}
GENERATED |= {"node_modules", "build", "dist", "out", "static"}
LARGEST_FILE = 2 * 1024 * 1024
#: The shipped network is the one file that is larger.
LARGEST_NETWORK = 8_000_000

#: Written in parts, so that this file does not contain what it looks for.
HOSTS = tuple(
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("yarnpkg", "com"),
        ("npmmirror", "com"),
        ("download.pytorch", "org"),
    )
)
MACHINE_PATH = re.compile(r"(?:^|[^\w.:/-])/(?:work|farm|root|home|opt|Users)(?=[/\s\"'`)]|$)", re.MULTILINE)
RUNS_CODE = {"eval", "exec", "compile", "__import__"}
STORES_CODE = {"pickle", "cPickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}
FETCHES = {"aiohttp", "ftplib", "httpx", "requests", "socket", "urllib3"}
FETCHES |= {"http.client", "urllib.request", "xmlrpc.client"}
#: Where a network is the point, and the user asked for it.
MAY_FETCH = {"studio"}


def repository_files() -> list[Path]:
    """Files that are or would be committed."""
    command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    if (ROOT / ".git").exists():
        listed = subprocess.run(command, check=True, capture_output=True, timeout=60).stdout.decode()
        paths = [ROOT / name for name in listed.split("\0") if name]
    else:
        paths = [p for p in ROOT.rglob("*") if not GENERATED & set(p.relative_to(ROOT).parts)]
    return [path for path in paths if path.is_file()]


def text_files() -> Iterator[tuple[str, str]]:
    for path in repository_files():
        try:
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def imported_modules(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.lineno, node.module or ""
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def dangerous(text: str) -> list[str]:
    """Lines that run text as code or read files that do."""
    tree = ast.parse(text)
    found = [
        f"{line}: imports {name}"
        for line, name in imported_modules(tree)
        if name.split(".")[0] in STORES_CODE
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in RUNS_CODE:
            found.append(f"{node.lineno}: uses {node.id}")
        if isinstance(node, ast.keyword) and isinstance(node.value, ast.Constant):
            if (node.arg, node.value.value) in {("allow_pickle", True), ("weights_only", False)}:
                found.append(f"{node.value.lineno}: {node.arg}={node.value.value}")
    return found


def fetching(text: str) -> list[str]:
    """Imports that open a network connection."""
    return sorted({f"{line}: {name}" for line, name in imported_modules(ast.parse(text)) if name in FETCHES})


def machine_traces(text: str) -> list[str]:
    """Registry hosts and absolute paths of somebody's machine."""
    return [host for host in HOSTS if host in text.lower()] + [
        m.group().strip() for m in MACHINE_PATH.finditer(text)
    ]


def python_files() -> list[Path]:
    return [path for path in repository_files() if path.suffix == ".py"]


def test_nothing_runs_text_as_code() -> None:
    found = {str(p.relative_to(ROOT)): dangerous(p.read_text(encoding="utf-8")) for p in python_files()}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_nothing_fetches() -> None:
    sources = [p for p in SOURCE.rglob("*.py") if p.relative_to(SOURCE).parts[0] not in MAY_FETCH]
    found = {str(p.relative_to(ROOT)): fetching(p.read_text(encoding="utf-8")) for p in sources}
    assert {name: lines for name, lines in found.items() if lines} == {}
    for name in ("Makefile", ".ci/run"):
        assert not re.search(r"\b(curl|wget)\b|https?://", (ROOT / name).read_text(encoding="utf-8")), name


def test_no_registry_host_and_no_machine_path() -> None:
    found = {name: machine_traces(text) for name, text in text_files()}
    assert {name: traces for name, traces in found.items() if traces} == {}


@pytest.mark.parametrize(
    "text",
    [
        "ev" + "al('1')",
        "f = ex" + "ec",
        "import pick" + "le",
        "from dill import loads",
        "import numpy\nnumpy.load('a.npy', allow_pick" + "le=True)",
        "torch.load('a', weights_only=" + "False)",
    ],
)
def test_dangerous_lines_are_found(text: str) -> None:
    assert dangerous(text)


def test_harmless_lines_are_left_alone() -> None:
    assert dangerous("import re\nre.compile('a')\nmodel.eval()\nnumpy.load('a', allow_pickle=False)") == []
    assert fetching("import urllib.parse\nfrom http import HTTPStatus") == []
    fine = "src/work/a.py ../shared/data https://example.test/home/page s/root/x /homework x:/opt.y a/opt/b"
    assert machine_traces(fine) == []


@pytest.mark.parametrize(
    "text",
    ["import urllib.request", "from urllib import request", "import requests", "from http.client import X"],
)
def test_fetching_lines_are_found(text: str) -> None:
    assert fetching(text)


@pytest.mark.parametrize("folder", ["work", "root", "home", "opt", "Users"])
def test_machine_traces_are_found(folder: str) -> None:
    for text in (f"open('/{folder}/x.bvh')", f"/{folder}/a", f"see `/{folder}`", f"PATH=/{folder}/bin"):
        assert machine_traces(text), text
    assert machine_traces(f"https://{HOSTS[0].title()}/simple")


def test_every_module_has_a_docstring() -> None:
    bare = []
    for path in [
        p for folder in ("src", "benchmarks", "examples", "tests") for p in (ROOT / folder).rglob("*.py")
    ]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if tree.body and not ast.get_docstring(tree):
            bare.append(str(path.relative_to(ROOT)))
    assert bare == []


def module_names() -> list[str]:
    parts = [path.relative_to(SOURCE.parent).with_suffix("").parts for path in sorted(SOURCE.rglob("*.py"))]
    names = [".".join(p[:-1] if p[-1] == "__init__" else p) for p in parts]
    return [name for name in names if not name.endswith("__main__")]


@pytest.mark.parametrize("name", module_names())
def test_every_name_in_all_exists(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("hoofbeat"):
            raise
        pytest.skip(f"{name} needs {error.name}, which is not installed")
    exported = getattr(module, "__all__", ())
    assert len(set(exported)) == len(exported)
    assert [entry for entry in exported if not hasattr(module, entry)] == []


DATA_NAMES = re.compile(
    r"D1_\w+_KAN\d+_\d+|author_labels|clip_summary|mean_strides|stride_summary|Horse\d+_M\d+_|^Fox\.|^Horse\.(gltf|bin)",
    re.IGNORECASE,
)


def test_no_reference_data_by_name() -> None:
    assert DATA_NAMES.search("D1_010_KAN01_002.bvh") and DATA_NAMES.search("Fox.glb")
    assert not DATA_NAMES.search("foxhound.py") and not DATA_NAMES.search("horse.bvh")
    assert [str(p.relative_to(ROOT)) for p in repository_files() if DATA_NAMES.search(p.name)] == []


@pytest.mark.data
def test_no_reference_data_by_content(data_dir: Path) -> None:
    # The thesis files are facts of a publication and may be shipped, with credit.
    reference = [
        p for p in data_dir.rglob("*") if p.is_file() and "thesis" not in p.relative_to(data_dir).parts
    ]
    by_size: dict[int, list[Path]] = {}
    for path in reference:
        by_size.setdefault(path.stat().st_size, []).append(path)
    assert reference
    same = [
        (str(path.relative_to(ROOT)), other.name)
        for path in repository_files()
        for other in by_size.get(path.stat().st_size, [])
        if filecmp.cmp(path, other, shallow=False)
    ]
    assert same == []


def test_no_large_files() -> None:
    sizes = {str(p.relative_to(ROOT)): p.stat().st_size for p in repository_files()}
    network = sizes.pop("src/hoofbeat/data/neural/horse.onnx")
    assert network < LARGEST_NETWORK
    assert {name: size for name, size in sizes.items() if size > LARGEST_FILE} == {}


def test_npmrc_keeps_the_registry_out_of_the_lock_file() -> None:
    lines = (ROOT / ".npmrc").read_text(encoding="utf-8").split()
    assert lines == ["omit-lockfile-registry-resolved=true"]
    for lock in ROOT.glob("**/package-lock.json"):
        if "node_modules" not in lock.parts:
            assert '"resolved"' not in lock.read_text(encoding="utf-8"), lock


def test_licence_is_mit() -> None:
    text = " ".join((ROOT / "LICENSE").read_text(encoding="utf-8").split())
    assert text.startswith("MIT License Copyright (c) 2026 hoofbeat contributors")
    assert "without restriction, including without limitation the rights to use, copy, modify" in text
    assert 'THE SOFTWARE IS PROVIDED "AS IS"' in text


def test_our_own_warnings_are_errors() -> None:
    with pytest.raises(UserWarning):
        warnings.warn_explicit("ours", UserWarning, "fk.py", 1, module="hoofbeat.maths.fk")
    with pytest.warns(UserWarning, match="theirs"):
        warnings.warn_explicit("theirs", UserWarning, "a.py", 1, module="scipy.a")
