"""CONTRIBUTING, "Add a method", followed to the letter, with no file of hoofbeat touched."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from hoofbeat.testing import LAWS

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECTION = re.split(r"^## ", PAGE.partition("\n## Add a method\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
#: What a user of the method does, besides the checks that the page shows.
USE = """
import hoofbeat as hb
from hoofbeat.methods.catalog import method_info, methods

assert list(methods())[-1] == "metronome"
assert method_info("metronome").title == "a walk in a plain cycle"
horse = hb.Horse("metronome")
for _ in range(300):
    frame = horse.step(hb.Command(speed=0.8, turn=0.1))
assert frame.gait == "walk" and 3.0 < (frame.root.position**2).sum() ** 0.5 < 4.5
"""


def block(language: str, number: int = 0) -> str:
    """A fenced block of the section."""
    return re.findall(rf"^```{language}\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)[number]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as `pip install` leaves it: the module, and the entry points of its pyproject.toml."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "metronome.py").write_text(block("python"), encoding="utf-8")
    metadata = folder / "metronome-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: metronome\nVersion: 1.0\n")
    groups = tomllib.loads(block("toml"))["project"]["entry-points"]
    lines = [
        line
        for group, entries in groups.items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()))
    ]
    (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return folder


def run(installed: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python with the method installed."""
    path = os.pathsep.join([str(installed), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": path},
        cwd=installed,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_the_method_on_the_page_keeps_the_laws(installed: Path) -> None:
    run(installed, "-c", block("python", 1))


def test_the_method_on_the_page_is_taken_up(installed: Path) -> None:
    run(installed, "-c", USE)
    run(installed, "-m", "hoofbeat", "synth", "--method", "metronome", "--gait", "walk", "-o", "walk.bvh")
    assert (installed / "walk.bvh").stat().st_size > 10_000


@pytest.mark.slow
def test_the_tests_over_the_catalog_take_it_up(installed: Path) -> None:
    """The laws of methods, and where the page of the studio is told what each is."""
    files = (ROOT / "tests" / name for name in ("test_methods.py", "test_studio_session.py"))
    chosen = "metronome and not thousand or told_what_each"
    options = ("-q", "-p", "no:cacheprovider", "-k", chosen, "--rootdir", str(ROOT))
    said = run(installed, "-m", "pytest", *options, *map(str, files)).stdout
    assert re.search(rf"^{len(LAWS) + 2} passed", said, re.MULTILINE), said


def test_the_page_is_short() -> None:
    assert len(block("python").splitlines()) < 130
    assert "metronome:INFO" in block("toml")
