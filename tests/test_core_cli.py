"""hoofbeat core: table files from the command line, and what is installed."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from core_making import needs_core
from hoofbeat.cli import app
from hoofbeat.cli.reports import CoreReport, TablesReport
from hoofbeat.cli.system.core import core
from hoofbeat.horse import Herd
from hoofbeat.offline.core.tables import describe_tables, tables_of
from hoofbeat.world.terrain import Terrain

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = {str(one.name): one.callback for one in core.registered_commands}
runner = CliRunner()


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, value in (("NO_COLOR", "1"), ("COLUMNS", "200"), ("TERM", "dumb")):
        monkeypatch.setenv(name, value)
    return tmp_path


def run(*arguments: str, code: int = 0) -> tuple[str, str]:
    done = runner.invoke(app, ["core", *arguments])
    assert done.exit_code == code, f"{done.exit_code}: {done.stdout}{done.stderr}{done.exception!r}"
    return done.stdout, done.stderr


def report(*arguments: str) -> dict[str, Any]:
    return json.loads(run(*arguments, "--json")[0])


def fails(*arguments: str) -> str:
    out, err = run(*arguments, code=2)
    assert out == "" and err.startswith("error: ") and err.count("\n") == 1
    return err


def examples(name: str) -> list[list[str]]:
    found = re.findall(r"^\s+hoofbeat core (.*)$", COMMANDS[name].__doc__ or "", re.MULTILINE)
    return [shlex.split(line) for line in found]


@needs_core
@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_of_help_run(name: str) -> None:
    shown = " ".join(re.sub(r"[│╭╮╰╯─]", " ", run(name, "--help")[0]).split())
    assert examples(name)
    for words in examples(name):
        assert " ".join(["hoofbeat core", *words]) in shown
        run(*words)


@needs_core
def test_exporting_says_what_was_written(here: Path) -> None:
    found = report("export", "horse.hbt", "--skin", "medium", "--coat", "grey")
    assert set(found) == {field.name for field in dataclasses.fields(TablesReport)}
    assert found["fits"] and found["skin"]["coat"] == "grey" and found["method"] == "timewarp"
    assert found["files"] == [{"path": "horse.hbt", "bytes": (here / "horse.hbt").stat().st_size}]
    again = report("info", "horse.hbt")
    assert again == found
    out, _ = run("info", "horse.hbt")
    assert "these are installed" in out and "gallop-left" in out


@needs_core
def test_options_are_those_of_a_horse(here: Path) -> None:
    words = "--method timewarp --breed all --turning paper --height 1.2 --terrain hills --no-lock --skin none"
    run("export", "a.hbt", *words.split())
    ground = Terrain.named("hills")
    herd = Herd(1, breed="all", turning="paper", height=1.2, terrain=ground, lock=False)
    assert (here / "a.hbt").read_bytes() == tables_of(herd)
    run("export", "b.hbt", *"--method froude --preset paper --cycles 2".split())
    assert describe_tables(here / "b.hbt").facts["method"] == "froude"


@needs_core
def test_what_is_wrong_is_said_in_a_line(here: Path) -> None:
    assert "ends in .hbt" in fails("export", "horse.bin")
    assert "froude" in fails("export", "a.hbt", "--method", "fruode")
    assert "unknown option 'breed'" in fails("export", "a.hbt", "--method", "froude", "--breed", "all")
    assert "unknown level 'huge'" in fails("export", "a.hbt", "--skin", "huge")
    assert "folder" in fails("export", "nowhere/a.hbt")
    (here / "a.hbt").write_bytes(b"something else")
    assert "no table file" in fails("info", "a.hbt")
    assert "no such file" in fails("info", "b.hbt")


@needs_core
def test_what_is_installed() -> None:
    found = report("info")
    assert set(found) == {field.name for field in dataclasses.fields(CoreReport)}
    assert found["library"]["bytes"] < 1_000_000 and found["kernels"] > 20 and len(found["stamp"]) == 16
    assert found["stamp"] in run("info")[0]


def test_without_a_library(monkeypatch: pytest.MonkeyPatch, here: Path) -> None:
    for module in ("hoofbeat.maths.jit.library", "hoofbeat.offline.core.tables.write"):
        monkeypatch.setattr(f"{module}.core_library", lambda: None)
    assert report("info")["library"] is None and "Numba" in run("info")[0]
    assert "make core" in fails("export", "horse.hbt")
    assert not (here / "horse.hbt").exists()


def test_options_are_documented() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        section = page.split(f"## core {name}", 1)[1].split("\n## ", 1)[0]
        for option in set(re.findall(r"--[a-z][a-z-]+", run(name, "--help")[0])) - {"--help"}:
            assert f"`{option}`" in section, f"{name} {option}"
