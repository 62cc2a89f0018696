"""The wheel brings the page: built from these sources, installed where there is no Node, opened."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import httpx
import pytest

from hoofbeat.studio.web.server import STATIC

BUILD = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
#: What a wheel is made of; the page only where it is built.
PARTS = ("src", "packaging/hatch_hook.py", "pyproject.toml", "README.md", "LICENSE", ".gitignore")


def copied(root: Path, to: Path) -> Path:
    """The sources without what was built."""
    for part in PARTS:
        source, target = root / part, to / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "static"))
        else:
            shutil.copy(source, target)
    return to


def build(sources: Path, out: Path, what: str = "build_wheel") -> subprocess.CompletedProcess[str]:
    out.mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, "-c", BUILD.replace("build_wheel", what), str(out)],
        cwd=sources,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture(scope="module")
def sources(repo_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling", reason="the wheel is built by hatchling")
    return copied(repo_root, tmp_path_factory.mktemp("sources"))


def test_the_lock_file_is_whole(repo_root: Path) -> None:
    """`npm ci` refuses a lock that leaves out what other systems need, even where it is not needed."""
    locked = json.loads((repo_root / "web" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    asked = {name for entry in locked.values() for name in entry.get("optionalDependencies", {})}
    assert [name for name in sorted(asked) if f"node_modules/{name}" not in locked] == []


def test_a_wheel_without_the_page_is_not_made(sources: Path, tmp_path: Path) -> None:
    done = build(sources, tmp_path / "none")
    assert done.returncode != 0 and "make web" in done.stderr
    assert not list((tmp_path / "none").glob("*.whl"))


def test_a_source_archive_without_the_page_is_not_made(sources: Path, tmp_path: Path) -> None:
    """A wheel is built from the archive: one that cannot become a wheel would be left behind."""
    out = tmp_path / "none"
    done = build(sources, out, "build_sdist")
    assert done.returncode != 0 and "make web" in done.stderr
    assert not list(out.iterdir())


def wheel(sources: Path, out: Path) -> Path:
    """A wheel with the page that `make web` has built."""
    if not (STATIC / "index.html").is_file():
        pytest.skip("the page is not built: make web")
    target = sources / "src" / "hoofbeat" / "studio" / "static"
    shutil.copytree(STATIC, target, dirs_exist_ok=True)
    try:
        done = build(sources, out)
    finally:
        shutil.rmtree(target)
    assert done.returncode == 0, done.stderr
    return out / done.stdout.split()[-1]


def test_the_page_is_in_the_wheel(sources: Path, tmp_path: Path) -> None:
    names = zipfile.ZipFile(wheel(sources, tmp_path / "wheel")).namelist()
    assert "hoofbeat/studio/static/index.html" in names
    built = {p.relative_to(STATIC).as_posix() for p in STATIC.rglob("*") if p.is_file()}
    assert built <= {name.removeprefix("hoofbeat/studio/static/") for name in names}
    assert not [name for name in names if "node_modules" in name or name.endswith(".ts")]


@pytest.mark.slow
def test_the_wheel_opens_the_page_without_node(sources: Path, tmp_path: Path) -> None:
    made = wheel(sources, tmp_path / "wheel")
    home = tmp_path / "clean"
    subprocess.run([sys.executable, "-m", "venv", home], check=True, timeout=300)
    python = home / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", f"{made}[studio]"], check=True, timeout=600)
    # No Node in reach: only the environment's own programs.
    environment = {**os.environ, "PATH": str(home / "bin"), "HOOFBEAT_STUDIO_DIR": str(tmp_path / "rides")}
    child = subprocess.Popen(
        [home / "bin" / "hoofbeat", "studio", "--port", "0", "--no-open"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=environment,
    )
    try:
        assert child.stdout is not None
        where = child.stdout.readline().split()[-1]
        page = httpx.get(where)
        assert page.status_code == 200 and "<script" in page.text
        assert httpx.get(f"{where}api/health").json()["protocol"] == 1
    finally:
        child.terminate()
        child.wait(60)
