"""hoofbeat check on the command line: exit codes, tables, JSON, errors in one line, examples for CI."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from PIL import Image
from typer.testing import CliRunner

import hoofbeat as hb
import made
from hoofbeat.check.api import scaled
from hoofbeat.cli import app
from hoofbeat.cli import vocabulary as words
from hoofbeat.cli.reports import CheckReport
from hoofbeat.errors import FileError
from hoofbeat.export import save_all
from hoofbeat.formats.npz import format_npz
from hoofbeat.formats.pathfile import PathFileError, read_path
from hoofbeat.gaits.names import KNOWN

ROOT = Path(__file__).resolve().parents[1]
CI = ROOT / "examples" / "ci"
runner = CliRunner()


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every command runs in an empty folder, without colours and on a wide terminal."""
    monkeypatch.chdir(tmp_path)
    for name, value in (("NO_COLOR", "1"), ("COLUMNS", "200"), ("TERM", "dumb")):
        monkeypatch.setenv(name, value)
    return tmp_path


@cache
def packed(gait: str, bad: bool = False) -> bytes:
    return format_npz(made.clip(gait, wrong=made.sliding(by=0.05) if bad else ()))


def good(path: str = "walk.npz", gait: str = "walk") -> str:
    Path(path).write_bytes(packed(gait))
    return path


def bad(path: str = "bad.npz") -> str:
    Path(path).write_bytes(packed("walk", bad=True))
    return path


def run(*arguments: str, code: int = 0) -> tuple[str, str]:
    done = runner.invoke(app, ["check", *arguments])
    assert done.exit_code == code, f"{done.exit_code}: {done.stdout}{done.stderr}{done.exception!r}"
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


def report(*arguments: str, code: int = 0) -> dict[str, Any]:
    out, _ = run(*arguments, "--json", code=code)
    assert out.count("\n") == 1
    return json.loads(out)


def fails(*arguments: str) -> str:
    """The one line of an error."""
    out, err = run(*arguments, code=2)
    assert out == "" and err.startswith("error: ") and err.count("\n") == 1
    return err


# ---- verdicts and exit codes --------------------------------------------------------------------------


def test_a_good_clip_leaves_with_0_and_a_bad_one_with_1() -> None:
    out, err = run(good())
    assert out.startswith("pass  walk.npz: ") and "walk, 5 strides at 1.6 m/s; all " in out and err == ""
    for word in ("footfall", "phase-LF", "0.17 to 0.33", "table of gaits"):
        assert word in out
    out, _ = run(bad(), code=1)
    assert out.startswith("FAIL  bad.npz: ")
    table, _, list_of_fails = out.partition("\nFAIL  ")
    assert re.search(r"FAIL +slide +\d", table) and "slide: " in list_of_fails
    assert run(bad(), "--ignore", "slide,speed-error", "--ignore", "skating,sym*,real horses")[0].startswith(
        "pass"
    )


def test_a_gait_that_is_asked_for() -> None:
    run(good(), "--gait", "walk")
    run(good(), "--gait", "trot", code=1)
    assert "did you mean 'trot'" in fails(good(), "--gait", "trott")


def test_one_line_for_each_clip() -> None:
    out, _ = run(good(), bad(), "-q", code=1)
    assert [line.split(":")[0] for line in out.splitlines()] == ["pass  walk.npz", "FAIL  bad.npz"]


def test_several_files_are_one_table(here: Path) -> None:
    out, _ = run(good(), good("trot.npz", "trot"), bad(), code=1)
    lines = [
        line.split() for line in out.splitlines() if line.split() and line.split()[0] in ("pass", "FAIL")
    ]
    assert [line[:2] for line in lines] == [["pass", "walk.npz"], ["pass", "trot.npz"], ["FAIL", "bad.npz"]]
    assert "slide" in out and "phase-LF" not in out
    (here / "folder").mkdir()
    out, _ = run(good(), good("folder/walk.npz"))
    assert "folder/walk.npz" in out


def test_every_clip_of_a_file_and_one_of_them(here: Path) -> None:
    clips = [made.clip(gait) for gait in ("walk", "trot")]
    named = [
        hb.Clip(c.skeleton, c.rotations, c.origins, c.fps, name=n) for c, n in zip(clips, "ab", strict=True)
    ]
    save_all(named, here / "two.glb")
    assert [clip["gait"] for clip in report("two.glb")["clips"]] == ["walk", "trot"]
    for which in ("b", "1"):
        assert [clip["name"] for clip in report("two.glb", "--clip", which)["clips"]] == ["b"]
    out, _ = run("two.glb", "--picture", "two.png", "-q")
    assert out.endswith("two-a.png\ntwo-b.png\n") and (here / "two-b.png").exists()
    (here / "folder").mkdir()
    out, _ = run(good(), good("folder/walk.npz"), "--picture", "p.png", "-q")
    assert out.splitlines()[-2:] == ["p-walk-walk.png", "p-walk-walk-1.png"]


def test_a_bvh_file_has_no_unit_and_a_guess_is_reported(here: Path) -> None:
    scaled(made.clip("walk"), 100).save(here / "cm.bvh")
    found = report("cm.bvh")
    assert found["passed"] and found["clips"][0]["hip"] == pytest.approx(1.1, abs=0.1)
    _, err = run("cm.bvh")
    assert err.startswith("note: cm.bvh has no unit; ") and "0.01 m" in err and err.count("\n") == 1
    assert run("cm.bvh", "--scale", "0.01")[1] == ""
    assert report("cm.bvh", "--scale", "1", code=1)["clips"][0]["failed"] == ["size"]
    scaled(made.clip("walk"), 100).save(here / "cm.npz")  # in metres by definition
    assert report("cm.npz", code=1)["clips"][0]["failed"] == ["size"]


def test_legs_floor_and_path(here: Path) -> None:
    clip = made.clip("walk")
    clip.save(here / "walk.csv")
    assert report(good(), "--path", "walk.csv")["clips"][0]["measures"][-1]["group"] == "path"
    (here / "off.csv").write_text("x,z\n3,0\n3,99\n")
    assert "path-deviation" in report(good(), "--path", "off.csv", code=1)["clips"][0]["failed"]
    assert report(good(), "--floor", "0.1", code=1)["clips"][0]["failed"] == ["penetration"]
    toes = ",".join(f"{leg.name}={clip.skeleton.names[leg.toe]}" for leg in clip.skeleton.legs)
    assert report(good(), "--legs", toes)["clips"][0]["legs_by"] == "given"


# ---- for programs -------------------------------------------------------------------------------------


def test_the_report_is_one_line_of_json(here: Path) -> None:
    found = report(good(), bad(), "--output", "check.json", "--picture", "check.png", code=1)
    fields = {field.name for field in dataclasses.fields(CheckReport)}
    assert set(found) == fields and next(iter(found)) == "schema" and found["schema"] == "hoofbeat.check/1"
    assert [clip["path"] for clip in found["clips"]] == ["walk.npz", "bad.npz"]
    assert [clip["passed"] for clip in found["clips"]] == [True, False] and found["passed"] is False
    assert found["errors"] == [] and len(found["files"]) == 2
    kept = json.loads((here / "check.json").read_text())
    assert kept["clips"][0]["measures"] and {k: kept[k] for k in ("passed", "errors", "files")} == {
        k: found[k] for k in ("passed", "errors", "files")
    }
    for file in found["files"]:
        with Image.open(file["path"]) as image:
            assert image.width == 2000


def test_of_several_files_one_that_is_broken_keeps_none_back() -> None:
    out, err = run(good(), "none.bvh", code=2)
    assert "walk.npz" in out and err == "error: none.bvh: no such file; check the path\n"
    found = report(good(), "none.bvh", code=2)
    assert [clip["passed"] for clip in found["clips"]] == [True] and found["passed"] is False
    assert found["errors"] == [{"path": "none.bvh", "message": "none.bvh: no such file; check the path"}]


# ---- errors -------------------------------------------------------------------------------------------

ANGLES = "CHANNELS 3 Zrotation Xrotation Yrotation\n"
CHAIN = f"HIERARCHY\nROOT a\n{{\nOFFSET 0 0 0\n{ANGLES}End Site\n{{\nOFFSET 0 1 0\n}}\n}}\n"
MOTION = "MOTION\nFrames: 5\nFrame Time: 0.02\n" + "0 0 0\n" * 5


def test_files_that_cannot_be_checked_are_one_clear_line(here: Path) -> None:
    (here / "pole.bvh").write_text(CHAIN + MOTION)
    assert "no four legs found" in fails("pole.bvh") and "--legs" in fails("pole.bvh")
    (here / "two.bvh").write_text(CHAIN + CHAIN.removeprefix("HIERARCHY\n") + MOTION)
    assert "two.bvh:11" in fails("two.bvh")
    (here / "nan.bvh").write_text(CHAIN + MOTION.replace("0 0 0\n", "nan 0 0\n", 1))
    assert "nan.bvh:14" in fails("nan.bvh")
    clip = made.clip("walk")
    hb.Clip(clip.skeleton, clip.rotations[:1], clip.origins[:1], 60, name="pose").save(here / "pose.npz")
    assert "'pose' has 1 frames; a movement needs 4" in fails("pose.npz")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--picture", "a.jpg"], "the ending .png"),
        (["--picture", "no/a.png"], "the folder no does not exist"),
        (["-o", "no/a.json"], "the folder no does not exist"),
        (["--path", "none.csv"], "none.csv: no such file"),
        (["--legs", "LF=a"], "legs: "),
        (["--ignore", "slyde"], "did you mean 'slide'"),
        (["--floor", "nan"], "floor must be"),
        (["--clip", "gallop"], "there is no 'gallop'"),
        (["--up", "z"], "for .glb and .gltf"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_options_are_one_line_and_leave_nothing(here: Path, options: list[str], said: str) -> None:
    assert said in fails(good(), *options)
    assert [path.name for path in here.iterdir()] == ["walk.npz"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "names the columns"),
        ("a,b\n1,2\n", "a.csv:1: the first line names the columns"),
        ("x,z\n1,2\n", "2 points or more"),
        ("x,z\n1,2\n3,?\n", "a.csv:3: x and z must be numbers"),
        ("x,z\n1,2\n3\n", "a.csv:3: x and z must be numbers"),
        ("x,z\n1,2\n3,inf\n", "a.csv:3: x and z must be finite"),
        ("x,z\n1,\x002\n", "a.csv"),
    ],
)
def test_a_wrong_path_names_its_line(here: Path, text: str, said: str) -> None:
    (here / "a.csv").write_text(text)
    with pytest.raises(PathFileError, match=re.escape(said)):
        read_path(here / "a.csv")
    (here / "b.csv").write_bytes(b"x,z\n\xff\xfe,1\n")
    with pytest.raises(FileError):
        read_path(here / "b.csv")


def test_a_path_is_read_whatever_else_stands_beside_it(here: Path) -> None:
    (here / "a.csv").write_text("\ufefftime, x ,y,z\n0,1,9,2\n\n1,3,9,4\n", encoding="utf-8")
    np.testing.assert_array_equal(read_path(here / "a.csv"), [[1, 2], [3, 4]])


# ---- what is documented, and what is to be copied -----------------------------------------------------


def test_options_and_words_are_documented() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    out, _ = run("--help")
    section = page.split("## check", 1)[1].split("\n## ", 1)[0]
    for option in set(re.findall(r"--[a-z][a-z-]+", out)) - {"--help"}:
        assert f"`{option}" in section, option
    assert words.CHECKED_GAITS == KNOWN
    assert words.complete_checked_gait("canter-") == ["canter-left", "canter-right"]


def test_the_hook_checks_what_a_commit_changes() -> None:
    (hook,) = yaml.safe_load((CI / "pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    assert re.search(hook["files"], "clips/horse.glb") and not re.search(hook["files"], "README.md")
    command = hook["entry"].split()
    assert command[:2] == ["hoofbeat", "check"]
    assert run(*command[2:], good())[0].startswith("pass")
    assert run(*command[2:], good(), bad(), code=1)[0].count("\n") == 2


def test_the_step_of_a_workflow_runs(here: Path) -> None:
    steps = yaml.safe_load((CI / "workflow.yaml").read_text())["jobs"]["check"]["steps"]
    (line,) = [step["run"] for step in steps if step.get("run", "").startswith("hoofbeat check")]
    (here / "clips").mkdir()
    files = [good("clips/walk.npz"), bad("clips/bad.npz")]
    arguments = [word for part in line.split()[2:] for word in (files if part == "clips/*" else [part])]
    run(*arguments, code=1)
    assert sorted(path.name for path in here.glob("check*")) == [
        "check-bad-walk.png",
        "check-walk-walk.png",
        "check.json",
    ]


def test_the_test_file_passes_and_fails_as_it_should(here: Path) -> None:
    (here / "clips").mkdir()
    good("clips/walk-slow.npz")
    bad("clips/walk-bad.npz")
    environment = os.environ | {"CLIPS": str(here / "clips"), "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(CI / "test_clips.py")]
    done = subprocess.run(
        command, cwd=here, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert "1 failed, 1 passed" in done.stdout and "slide: " in done.stdout, done.stdout + done.stderr
