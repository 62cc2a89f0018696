"""The kernel cache: it sees every edit, survives a folder it cannot write, and leaves others' alone.

Each case runs a copy of the maths folder in a process of its own, because Numba reads its settings
at import and keeps what it compiled.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hoofbeat.maths.jit import cache, compiler

MATHS = Path(cache.__file__).parents[1]

CALLEE = """from hoofbeat.maths.jit import kernel

@kernel
def callee(x):
    return x + 1.0
"""
CALLER = """from hoofbeat.maths.callee import callee
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.settings import STEP

@kernel
def caller(x):
    return callee(x) + STEP
"""
SETTINGS = "STEP = 10\n"
CALL = "from hoofbeat.maths.caller import caller; print(caller(0.0))"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A small copy of the package with a kernel that calls a kernel of another file."""
    copy = tmp_path / "source" / "hoofbeat"
    (copy / "maths").mkdir(parents=True)
    (copy / "__init__.py").touch()
    (copy / "maths" / "__init__.py").touch()
    shutil.copytree(MATHS / "jit", copy / "maths" / "jit")
    for name in ("types", "vec", "quat_kernels", "fk"):
        shutil.copy(MATHS / f"{name}.py", copy / "maths")
    shutil.copytree(MATHS / "exact", copy / "maths" / "exact", ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in (("callee", CALLEE), ("caller", CALLER), ("settings", SETTINGS)):
        (copy / "maths" / f"{name}.py").write_text(text, encoding="utf-8")
    return copy


def run(package: Path, code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code against the copied package; the cache is in `cache` beside it unless told."""
    folder = package.parent.parent
    kept = {
        k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "COV_", "HOOFBEAT_", "PYTHON"))
    }
    settings = {
        **kept,
        "PYTHONPATH": str(package.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOOFBEAT_CACHE_DIR": str(folder / "cache"),
        **environment,
    }
    command = [sys.executable, "-W", "always", "-c", code]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, env=settings, cwd=folder, check=False
    )
    assert done.returncode == 0, done.stderr
    return done


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def cached(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.nb?"))


def test_an_edited_callee_is_seen(package: Path) -> None:
    assert run(package, CALL).stdout.split() == ["11.0"]
    first = {path.name for path in (package.parents[1] / "cache").iterdir()}
    edit(package / "maths" / "callee.py", "x + 1.0", "x + 2.0")
    assert run(package, CALL).stdout.split() == ["12.0"]
    both = {path.name for path in (package.parents[1] / "cache").iterdir()}
    assert len(first) == 1 and len(both) == 2 and first < both


def test_without_the_hash_the_old_callee_would_run(package: Path) -> None:
    """Proves that the test above can fail: this is what plain cache=True does."""
    cache_file = package / "maths" / "jit" / "cache.py"
    edit(cache_file, "return digest.hexdigest()[:16]", "return 'always-the-same!'")
    assert run(package, CALL).stdout.split() == ["11.0"]
    edit(package / "maths" / "callee.py", "x + 1.0", "x + 2.0")
    assert run(package, CALL).stdout.split() == ["11.0"]


def test_an_edited_constant_of_another_file_is_seen(package: Path) -> None:
    """A kernel freezes the globals it reads, also those of a file that has no kernel in it."""
    assert run(package, CALL).stdout.split() == ["11.0"]
    edit(package / "maths" / "settings.py", "STEP = 10", "STEP = 20")
    assert run(package, CALL).stdout.split() == ["21.0"]


def test_import_compiles_nothing_and_the_second_process_reads_the_cache(package: Path) -> None:
    code = (
        "from hoofbeat.maths import fk\n"
        "from hoofbeat.maths.jit.cache import is_cold\n"
        "from hoofbeat.maths.caller import caller\n"
        "print(len(fk.fk_kernel.signatures), len(caller.signatures), is_cold())\n"
        "caller(0.0)\n"
        "print(len(caller.signatures), is_cold(), sum(caller.stats.cache_hits.values()))\n"
    )
    assert run(package, code).stdout.split() == ["0", "0", "True", "1", "False", "0"]
    assert run(package, code).stdout.split() == ["0", "0", "False", "1", "False", "1"]


def test_unwritable_folder_warns_once_and_works(package: Path) -> None:
    blocked = package.parents[1] / "blocked"
    blocked.write_text("a file where a folder should be")  # root may write to any folder, so no chmod
    code = "import hoofbeat.maths.fk\n" + CALL
    done = run(package, code, HOOFBEAT_CACHE_DIR=str(blocked / "kernels"))
    assert done.stdout.split() == ["11.0"]
    assert done.stderr.count("RuntimeWarning") == 1
    assert "HOOFBEAT_CACHE_DIR" in done.stderr and str(blocked) in done.stderr
    assert cached(package.parents[1]) == []


def test_the_users_numba_cache_is_left_alone(package: Path) -> None:
    """Our kernels stay out of the user's folder, and the user's stay in it."""
    folder = package.parents[1]
    (folder / "users.py").write_text(
        "import numba\n"
        "import hoofbeat.maths.fk\n"
        f"{CALL}\n"
        "@numba.njit(cache=True)\n"
        "def theirs(x):\n"
        "    return x + 1\n"
        "print(theirs(1), numba.config.CACHE_DIR)\n"
    )
    done = run(package, "import runpy; runpy.run_path('users.py')", NUMBA_CACHE_DIR=str(folder / "users"))
    assert done.stdout.split() == ["11.0", "2", str(folder / "users")]
    ours, theirs = cached(folder / "cache"), cached(folder / "users")
    assert ours and theirs
    assert all("caller" in p.name or "callee" in p.name for p in ours)
    assert all("theirs" in p.name for p in theirs)


def test_hash_depends_on_every_kernel_file(monkeypatch: pytest.MonkeyPatch, package: Path) -> None:
    monkeypatch.setattr(cache, "PACKAGE", package)
    found = {cache.source_hash()}
    for name in ("callee", "quat_kernels", "jit/compiler"):
        with (package / "maths" / f"{name}.py").open("a", encoding="utf-8") as file:
            file.write("# edited\n")
        found.add(cache.source_hash())
    assert len(found) == 4
    (package / "maths" / "callee.py").rename(package / "maths" / "renamed.py")
    assert cache.source_hash() not in found
    assert cache.source_hash() == cache.source_hash()


def imports_of(text: str) -> set[str]:
    """What a module imports of hoofbeat, as Python itself reads it: `x.y` and, for names, `x.y.name`."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("hoofbeat."):
            found |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
        elif isinstance(node, ast.Import):
            found |= {one.name for one in node.names if one.name.startswith("hoofbeat.")}
    return {name.removeprefix("hoofbeat.").replace(".", "/") + ".py" for name in found}


@pytest.mark.parametrize("left_out", [None, "offline/"])
def test_the_hash_covers_every_import_of_a_kernel_file(left_out: str | None) -> None:
    """Import lines that follow each other, too; against Python's own parser."""
    covered = dict(cache._kernel_sources(cache.PACKAGE, left_out))
    assert "world/rows.py" in covered, "placement's rows"
    wanted = {name for text in covered.values() for name in imports_of(text.decode())}
    there = {name for name in wanted if (cache.PACKAGE / name).is_file()}
    assert len(there) > 50 and there - cache.NO_CODE <= set(covered)


def test_kernels_that_are_not_compiled_ahead_do_not_count_there() -> None:
    ahead = {path for path, _ in cache._kernel_sources(cache.PACKAGE, left_out="offline/")}
    assert "methods/timewarp/step.py" in ahead
    assert not {path for path in ahead if path.startswith("offline/")} | ahead & {"horse.py"}
    assert cache.runtime_hash() != cache.source_hash()


def test_no_home_is_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(cache, "cache_root", nowhere)
    cache.cache_folder.cache_clear()
    try:
        with pytest.warns(RuntimeWarning, match="HOOFBEAT_CACHE_DIR"):
            assert cache.cache_folder() is None
    finally:
        cache.cache_folder.cache_clear()


def test_only_the_newest_folders_are_kept(tmp_path: Path) -> None:
    folders = [tmp_path / f"{number:016x}" for number in range(cache.KEPT_FOLDERS + 3)]
    for age, folder in enumerate(folders):
        folder.mkdir()
        os.utime(folder, (1000 - age, 1000 - age))
    others = {"something else", "sixteen letters!"}
    for name in others:
        (tmp_path / name).mkdir()
    cache._prune(folders[-1])  # the current one is kept whatever its age
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {f.name for f in folders[: cache.KEPT_FOLDERS]} | {folders[-1].name, *others}


def test_cache_root_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOOFBEAT_CACHE_DIR", str(tmp_path))
    assert cache.cache_root() == tmp_path
    monkeypatch.delenv("HOOFBEAT_CACHE_DIR")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert cache.cache_root() == tmp_path / "x" / "hoofbeat" / "kernels"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache.cache_root() == Path.home() / "Library" / "Caches" / "hoofbeat" / "kernels"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "w"))
    assert cache.cache_root() == tmp_path / "w" / "hoofbeat" / "kernels"


def test_compiling_is_announced_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compiler, "is_cold", lambda _: True)
    monkeypatch.setattr(compiler._Announced, "done", False)
    monkeypatch.setattr(compiler.numba_config, "DISABLE_JIT", False)
    assert compiler.announce_compile() and not compiler.announce_compile()
    said = capsys.readouterr()
    assert said.err.count("compiling kernels, once") == 1 and said.out == ""
    monkeypatch.setattr(compiler._Announced, "done", False)
    monkeypatch.setattr(compiler, "is_cold", lambda _: False)
    assert not compiler.announce_compile()
