"""The command line: files from plans and options, reports that programs can read, errors in one line."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import hoofbeat as hb
from hoofbeat.cli import app, reports
from hoofbeat.cli import vocabulary as words
from hoofbeat.errors import FileError
from hoofbeat.export import READERS, WRITERS, endings
from hoofbeat.methods.catalog import DEFAULT, methods
from hoofbeat.world.terrain import KINDS
from riding import METHODS

ROOT = Path(__file__).resolve().parents[1]
PLAN = (
    "name: short\nfps: 30\nsegments:\n  - {for: 0.5 s, speed: 1.5}\n  - {for: 0.5 s, gait: trot, turn: 0.2}\n"
)
runner = CliRunner()


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every command runs in an empty folder, without colours and on a wide terminal."""
    monkeypatch.chdir(tmp_path)
    for name, value in (("NO_COLOR", "1"), ("COLUMNS", "200"), ("TERM", "dumb")):
        monkeypatch.setenv(name, value)
    return tmp_path


def run(*arguments: str, code: int = 0) -> tuple[str, str]:
    """Stdout and stderr of a command that must leave with `code`."""
    done = runner.invoke(app, list(arguments))
    assert done.exit_code == code, f"{done.exit_code}: {done.stdout}{done.stderr}{done.exception!r}"
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


def report(*arguments: str) -> dict[str, Any]:
    out, _ = run(*arguments, "--json")
    assert out.count("\n") == 1
    return json.loads(out)


def fails(*arguments: str) -> str:
    """The one line of an error."""
    out, err = run(*arguments, code=2)
    assert out == "" and err.startswith("error: ") and err.count("\n") == 1
    return err


# ---- synth --------------------------------------------------------------------------------------------


def test_a_plan_to_several_files(here: Path) -> None:
    (here / "ride.yaml").write_text(PLAN)
    out, _ = run("synth", "ride.yaml", "-o", "a.bvh", "b.npz", "--out", "c.csv", "-o", "c.events.csv")
    assert out.splitlines()[0].startswith("short: 1.00 s; 30 frames at 30 a second")
    assert sorted(path.name for path in here.iterdir()) == [
        "a.bvh",
        "b.npz",
        "c.csv",
        "c.events.csv",
        "ride.yaml",
    ]
    clip = hb.load(here / "b.npz")
    np.testing.assert_array_equal(clip.positions, hb.synthesize(here / "ride.yaml").positions)
    assert len(hb.load(here / "a.bvh")) == 30


def test_options_over_a_plan(here: Path) -> None:
    (here / "ride.yaml").write_text(PLAN)
    found = report("synth", "ride.yaml", "--fps", "60", "--seed", "9", "-o", "a.npz")
    assert found["seed"] == 9 and found["clips"][0]["fps"] == 60 and found["clips"][0]["frames"] == 60
    assert found["files"] == [{"path": "a.npz", "bytes": (here / "a.npz").stat().st_size}]


def test_a_gait_is_ridden_steadily_and_from_a_stand(here: Path) -> None:
    steady = report("synth", "--gait", "trot", "--cycles", "2", "-o", "a.npz")["clips"][0]
    middle = np.mean(hb.Herd(0).bands[hb.Horse().gaits.index("trot")])
    assert list(steady["gaits"]) == ["trot"] and steady["mean_speed"] == pytest.approx(middle, rel=0.01)
    clip = hb.load(here / "a.npz")
    assert clip.name == "trot" and clip.extras["phase"][0, 2] < 0.05
    begun = report("synth", "--speed", "2", "--turn", "0.5", "--seconds", "1", "--from-stand", "-o", "a.npz")
    assert next(iter(begun["clips"][0]["gaits"])) == "stand"
    assert hb.load(here / "a.npz").extras["yaw"][-1] > 0.1
    assert report("synth", "--froude", "0.3", "-o", "a.npz")["clips"][0]["seconds"] == 5


def test_every_gait_in_one_file_or_a_file_each() -> None:
    found = report("synth", "--all-gaits", "--cycles", "1", "-o", "all.glb", "all.bvh", "all.events.csv")
    gaits = list(hb.Horse().gaits)
    assert [clip["name"] for clip in found["clips"]] == gaits
    assert [Path(file["path"]).name for file in found["files"]] == [
        "all.glb",
        *(f"all-{gait}.bvh" for gait in gaits),
        *(f"all-{gait}.events.csv" for gait in gaits),
    ]
    inside = report("info", "all.glb")
    assert [clip["name"] for clip in inside["clips"]] == gaits and inside["skeleton"]["joints"] == 49


@pytest.mark.parametrize("ending", [".bvh", ".npz", ".glb", ".gltf"])
def test_in_place_and_root_motion_of_every_format(here: Path, ending: str) -> None:
    run("synth", "--gait", "trot", "--seconds", "1", "-o", f"far{ending}")
    found = report("synth", "--gait", "trot", "--seconds", "1", "--in-place", "-o", f"spot{ending}")
    assert found["in_place"] and found["clips"][0]["distance"] > 3.5
    far, spot = hb.load(here / f"far{ending}"), hb.load(here / f"spot{ending}")
    assert np.ptp(far.origins[:, 2]) > 3.5 and np.ptp(spot.origins[:, 2]) < 0.2
    np.testing.assert_allclose(far.rotations, spot.rotations, atol=1e-5)


def test_pictures_from_a_ride(here: Path) -> None:
    run("synth", "--gait", "walk", "--seconds", "0.3", "-o", "a.png", "a.webp")
    with Image.open(here / "a.webp") as image:
        assert getattr(image, "n_frames", 1) > 3


def test_what_was_clamped_is_a_note(here: Path) -> None:
    _, err = run("synth", "--gait", "trot", "--speed", "9", "--seconds", "0.1", "-o", "a.npz")
    assert err.startswith("note: speed 9 m/s held to 5.5, the limit of the gait trot in the method timewarp")
    assert (
        len(report("synth", "--speed", "99", "--turn", "9", "--seconds", "0.1", "-o", "a.npz")["notes"]) == 2
    )
    assert (here / "a.npz").exists()


# ---- plate, info, convert, warm -----------------------------------------------------------------------


def test_a_plate(here: Path) -> None:
    found = report("plate", "trot", "--poses", "6", "--width", "1200", "-o", "trot.png")
    assert found["gait"] == "trot" and found["poses"] == 6
    assert found["stride_metres"] == pytest.approx(found["speed"] * found["stride_seconds"], rel=1e-3)
    with Image.open(here / "trot.png") as image:
        assert image.width == 1200
    out, _ = run("plate", "walk", "--speed", "1.4", "--poses", "6", "--width", "1200", "-o", "walk.png")
    assert out.startswith("walk at 1.40 m/s: a stride of ") and out.endswith("walk.png\nmethod timewarp\n")


def test_info_of_motion_and_of_a_plan(here: Path) -> None:
    run("synth", "--gait", "trot", "--seconds", "1", "-o", "a.npz")
    found = report("info", "a.npz")
    assert found["skeleton"]["legs"] == ["LF", "RF", "LH", "RH"] and found["skeleton"]["ends"] == 6
    assert found["bytes"] == (here / "a.npz").stat().st_size and found["format"] == ".npz"
    small = report("info", "a.npz", "--scale", "0.5")
    assert small["clips"][0]["distance"] == pytest.approx(found["clips"][0]["distance"] / 2)
    out, _ = run("info", "a.npz")
    assert "49 joints and 6 end sites" in out and "trot 1.0 s" in out and "contacts: yes" in out
    (here / "ride.yaml").write_text(PLAN)
    plan = report("info", "ride.yaml")
    assert plan["schema"] == "hoofbeat.plan/1" and plan["seconds"] == 1 and len(plan["segments"]) == 2
    out, _ = run("info", "ride.yaml")
    assert "2. 0.5 s: gait trot, turn 0.2 rad/s" in out


def test_converting(here: Path) -> None:
    run("synth", "--gait", "trot", "--seconds", "1", "-o", "a.npz")
    found = report("convert", "a.npz", "b.npz", "--fps", "30", "--in-place", "--scale", "2")
    assert found["clips"][0]["frames"] == 30 and found["in_place"]
    a, b = hb.load(here / "a.npz"), hb.load(here / "b.npz")
    assert len(b) == 30 and "travel" in b.extras
    assert b.extras["travel"][-1, 2] == pytest.approx(2 * a.extras["root"][58, 2])
    np.testing.assert_allclose(b.skeleton.offsets, 2 * a.skeleton.offsets)
    out, _ = run("convert", "a.npz", "c.bvh", "--clip", "0")
    assert out.endswith("c.bvh\n") and len(hb.load(here / "c.bvh")) == 60


def test_a_clip_of_several(here: Path) -> None:
    run("synth", "--all-gaits", "--seconds", "0.3", "-o", "all.glb")
    count, listed = len(hb.Horse().gaits), ", ".join(hb.Horse().gaits)
    assert f"holds {count} clips; choose one with --clip. There are {listed}" in fails(
        "convert", "all.glb", "a.bvh"
    )
    assert "did you mean 'trot'" in fails("convert", "all.glb", "a.bvh", "--clip", "trott")
    assert report("convert", "all.glb", "a.bvh", "--clip", "trot")["clips"][0]["name"] == "trot"
    assert len(report("convert", "all.glb", "b.gltf")["clips"]) == count
    assert sorted(path.name for path in here.iterdir()) == ["a.bvh", "all.glb", "b.gltf"]


def test_warming() -> None:
    found = report("warm")
    assert found["seconds"] > 0 and (found["cache"] is None or Path(found["cache"]).is_dir())
    assert run("warm")[0].startswith("kernels ready after ")


# ---- errors -------------------------------------------------------------------------------------------

WRONG = [
    (["synth", "--gait", "trott", "-o", "a.npz"], "unknown gait 'trott'; did you mean 'trot'?"),
    (["synth", "--gait", "trot", "--method", "acton", "-o", "a.npz"], "did you mean 'actions'?"),
    (["synth", "--gait", "trot", "--terrain", "flt", "-o", "a.npz"], "did you mean 'flat'?"),
    (["synth", "--gait", "trot", "-o", "a.bhv"], "did you mean .bvh?"),
    (["synth", "--gait", "trot", "-o", "a"], "a file without an ending"),
    (["synth", "--gait", "trot", "-o", "no/a.npz"], "the folder no does not exist"),
    (["synth", "--gait", "trot", "-o", "a.npz", "a.npz"], "given twice"),
    (["synth", "--gait", "trot"], "no file to write"),
    (["synth", "-o", "a.npz"], "what to ride is missing"),
    (["synth", "none.yaml", "-o", "a.npz"], "none.yaml: no such file"),
    (["synth", "a.yaml", "b.yaml", "-o", "a.npz"], "one plan"),
    (["synth", "a.yaml", "--gait", "trot", "-o", "a.npz"], "a plan says what to ride"),
    (["synth", "--all-gaits", "--gait", "trot", "-o", "a.npz"], "leave out --gait"),
    (["synth", "--gait", "trot", "--seconds", "1", "--cycles", "1", "-o", "a.npz"], "give one of them"),
    (["synth", "--gait", "trot", "--seconds", "nan", "-o", "a.npz"], "above 0"),
    (["synth", "--speed", "1", "--froude", "1", "-o", "a.npz"], "give one of them"),
    (["synth", "--gait", "trot", "--fps", "0", "-o", "a.npz"], "fps: must be 10 to 1000"),
    (["synth", "--gait", "trot", "--seed", "-1", "-o", "a.npz"], "seed: must be 0"),
    (["synth", "--gait", "trot", "--scene", "x.yaml", "-o", "a.npz"], "x.yaml: no such file"),
    (["plate", "stand", "-o", "a.png"], "makes no strides"),
    (["plate", "trott", "-o", "a.png"], "did you mean 'trot'?"),
    (["plate", "trot", "-o", "a.jpg"], "the ending .png"),
    (["plate", "trot", "--theme", "drak", "-o", "a.png"], "did you mean 'dark'?"),
    (["plate", "trot", "--poses", "7", "-o", "a.png"], "6, 8, 12, 24"),
    (["info", "none.bvh"], "none.bvh: no such file"),
    (["info", "none.csv"], "it is written only. Known: .bvh"),
    (["info", "none.bhv"], "did you mean .bvh?"),
    (["info", "none.yaml"], "no such file"),
    (["convert", "none.bvh", "a.npz"], "no such file"),
    (["convert", "none.bvh", "a.xyz"], "cannot write '.xyz'"),
]


@pytest.mark.parametrize(
    ("arguments", "said"), WRONG, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_errors_are_one_line_and_leave_nothing(here: Path, arguments: list[str], said: str) -> None:
    line = fails(*arguments)
    assert said in line and "<memory>" not in line
    assert list(here.iterdir()) == []


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("gait", ["cantre", "canter", "amble", "zzz"])
def test_an_unknown_gait_lists_those_of_the_method_and_who_has_more(method: str, gait: str) -> None:
    if method in words.methods_with(gait):
        return
    line = fails("synth", "--gait", gait, "--method", method, "-o", "a.npz")
    assert ", ".join(methods()[method].gaits) in line
    for other, info in methods().items():
        has_it = other in words.methods_with(gait)
        has_more = not words.methods_with(gait) and any(
            method not in words.methods_with(one) for one in info.gaits
        )
        assert not (has_it or has_more) or other in line.partition("Known:")[2]
    assert ("did you mean 'canter'?" in line) == (gait == "cantre" and method in words.methods_with("canter"))


@pytest.mark.usefixtures("here")
def test_a_misspelt_gait_without_a_method_is_looked_up_in_all() -> None:
    line = fails("synth", "--gait", "cantre", "-o", "a.npz")
    assert "did you mean 'canter'?" in line and ", ".join(methods()[DEFAULT].gaits) in line


def test_wrong_lines_of_a_plan_are_named(here: Path) -> None:
    (here / "ride.yaml").write_text("segments:\n  - {for: 1 s, sped: 1}\n")
    assert fails("synth", "ride.yaml", "-o", "a.npz").startswith(
        "error: ride.yaml:2: unknown key 'sped'; did you mean"
    )
    (here / "ride.yaml").write_text("segments:\n  - {for: 1 s, gait: trot}\n  - {for: 1 s, gait: wlak}\n")
    assert fails("synth", "ride.yaml", "-o", "a.npz").startswith(
        "error: ride.yaml:3: segment 2: unknown gait 'wlak'"
    )
    assert not (here / "a.npz").exists()


def test_words_that_the_shell_mistook() -> None:
    _, err = run("sinth", code=2)
    assert "synth" in err
    _, err = run("synth", "--gate", "trot", code=2)
    assert "--gait" in err


def test_debug_shows_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments, value in ((["--debug"], None), ([], "1")):
        if value:
            monkeypatch.setenv("HOOFBEAT_DEBUG", value)
        done = runner.invoke(app, [*arguments, "info", "none.bvh"])
        assert done.exit_code == 1 and isinstance(done.exception, FileError)
        assert "no such file" in str(done.exception)


def test_faults_of_ours_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr("hoofbeat.export.load_all", broken)
    done = runner.invoke(app, ["info", "a.bvh"])
    assert isinstance(done.exception, ZeroDivisionError)

    def hungry(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr("hoofbeat.export.load_all", hungry)
    assert "memory" in fails("info", "a.bvh")

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("hoofbeat.export.load_all", interrupted)
    assert "interrupted" in run("info", "a.bvh", code=130)[1]


# ---- what is documented -------------------------------------------------------------------------------


def test_words_for_completion_are_the_engines() -> None:
    assert words.TERRAINS == KINDS and words.complete_method("") == list(methods())
    assert words.complete_gait("t") == ["trot"] and words.complete_method("x") == []
    assert words.complete_terrain("") == list(KINDS)


def test_every_schema_is_documented() -> None:
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    for record in vars(reports).values():
        if not (isinstance(record, type) and dataclasses.is_dataclass(record)):
            continue
        pattern = rf"^## [^\n]*`{record.__name__}`.*?(?=^## |\Z)"
        (section,) = re.findall(pattern, page, re.MULTILINE | re.DOTALL) or [""]
        listed = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
        assert sorted(listed) == sorted(field.name for field in dataclasses.fields(record)), record.__name__
        schema = getattr(record, "schema", None)
        assert schema is None or f'"{schema}"' in section


def test_every_command_and_option_is_documented() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for command in ("synth", "plate", "info", "convert", "bench", "warm"):
        out, _ = run(command, "--help")
        section = page.split(f"## {command}", 1)[1].split("\n## ", 1)[0]
        for option in set(re.findall(r"--[a-z][a-z-]+", out)) - {"--help"}:
            assert f"`{option}" in section, f"{command} {option}"
    for ending in {*endings(WRITERS), *endings(READERS)}:
        assert f"`{ending}`" in page, ending
    assert run("--help")[0].count("─ Commands") == 1


# ---- real processes -----------------------------------------------------------------------------------


def process(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env=environment,
        check=False,
        **more,
    )


def test_help_and_completion_load_no_compiler() -> None:
    code = (
        "import sys\nfrom hoofbeat.cli import app\nfrom typer.main import get_command\nget_command(app)\n"
        "print(sorted({'numba', 'numpy', 'PIL', 'yaml'} & set(sys.modules)))"
    )
    assert process("-c", code).stdout == "[]\n"
    done = process("-m", "hoofbeat", "--help")
    assert done.returncode == 0 and "synth" in done.stdout and done.stderr == ""


def test_the_shell_completes_commands_and_gaits() -> None:
    def completed(line: str) -> str:
        ask = {"_HOOFBEAT_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
        code = "import sys; sys.argv = ['hoofbeat']; from hoofbeat.cli import main; main()"
        environment = os.environ | {"PYTHONPATH": str(ROOT / "src")} | ask
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            timeout=60,
            env=environment,
            check=False,
        )
        return done.stdout

    assert "synth" in completed("hoofbeat s")
    assert "trot" in completed("hoofbeat plate t")


def test_python_m_hoofbeat(here: Path) -> None:
    done = process(
        "-m", "hoofbeat", "synth", "--gait", "walk", "--seconds", "0.5", "-o", "a.npz", "--json", cwd=here
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["clips"][0]["frames"] == 30
    done = process("-m", "hoofbeat", "info", "none.bvh", cwd=here)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1
    assert process("-m", "hoofbeat", "--version").stdout == f"hoofbeat {hb.__version__}\n"


def test_the_front_door_is_light_and_whole() -> None:
    code = (
        "import sys, time\nimport numpy, numba\nstart = time.perf_counter()\nimport hoofbeat\n"
        "[getattr(hoofbeat, name) for name in hoofbeat.__all__]\n"
        "print(time.perf_counter() - start, 'PIL' in sys.modules, 'typer' in sys.modules)"
    )
    seconds, *loaded = min(
        (process("-c", code).stdout.split() for _ in range(3)), key=lambda words: float(words[0])
    )
    assert loaded == ["False", "False"] and float(seconds) < 1.0  # 0.2 s on an idle machine
    assert set(hb.__all__) <= set(dir(hb))
    with pytest.raises(AttributeError, match="no attribute 'Hors'"):
        hb.Hors  # type: ignore[attr-defined]  # noqa: B018


posix_only = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX processes")

#: Runs in a process of its own, because it forks: writes `old`, then lets a child write `new` over it and
#: kills that child where the data is on the disk and the name is not yet its.
KILLED = """
import json, os, signal, sys, time
from pathlib import Path
from hoofbeat.errors import UsdError
from hoofbeat.export import endings, save, wishes_of
from hoofbeat.formats.planfile import Plan, Segment
from hoofbeat.synthesis import synthesize

def clip(gait):
    return synthesize(Plan((Segment(0.1, gait=gait),), settle=True, name=gait))

old, new = clip("walk"), clip("trot")
found = {}
for ending in endings():
    target = Path(f"ride{ending}")
    # OpenGL does not outlive a fork: pictures are drawn.
    wish = {"figure": "drawn"} if "figure" in wishes_of(target) else {}
    try:
        save(old, target, **wish)
    except UsdError:  # usd-core is not installed
        continue
    before = target.read_bytes()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        real = os.fsync
        def stopped(handle):
            real(handle)
            os.write(writing, b"x")
            time.sleep(60)
        os.fsync = stopped
        try:
            save(new, target, **wish)
        finally:
            os._exit(0)
    os.close(writing)
    reached = os.read(reading, 1)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(reading)
    whole = target.read_bytes() == before
    save(new, target, **wish)
    found[ending] = [reached == b"x", whole, target.read_bytes() != before]
print(json.dumps(found))
"""


@posix_only
def test_a_killed_export_leaves_the_old_file_whole(here: Path) -> None:
    done = process("-c", KILLED, cwd=here)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(endings()) - set(found) <= {".usda", ".usdc"}
    assert {ending: result for ending, result in found.items() if result != [True, True, True]} == {}


#: Two children write one name as often as they can; the parent reads meanwhile, kills both in the middle,
#: and starts again.
MIXED = """
import json, os, random, signal, sys, time
from pathlib import Path
from hoofbeat.export import save
from hoofbeat.formats.planfile import Plan, Segment
from hoofbeat.synthesis import synthesize

def clip(gait):
    return synthesize(Plan((Segment(1.0, gait=gait),), settle=True, name="ride"))

clips = clip("walk"), clip("trot")
chance, found = random.Random(1), {}
for ending in (".npz", ".bvh", ".glb"):
    target = Path(f"ride{ending}")
    whole = {save(one, target).read_bytes() for one in clips}
    seen, wrong = set(), 0
    for _ in range(6):
        children = []
        for one in clips:
            child = os.fork()
            if child == 0:
                while True:
                    save(one, target)
            children.append(child)
        stop = time.monotonic() + chance.uniform(0.05, 0.3)
        while time.monotonic() < stop:
            data = target.read_bytes()
            seen.add(hash(data))
            wrong += data not in whole
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        wrong += target.read_bytes() not in whole
    found[ending] = [len(whole), len(seen), wrong]
print(json.dumps(found))
"""


@posix_only
def test_exports_to_one_name_at_once_do_not_mix(here: Path) -> None:
    done = process("-c", MIXED, cwd=here)
    assert done.returncode == 0, done.stderr
    for files, seen, wrong in json.loads(done.stdout).values():
        assert files == 2 and seen <= 2 and wrong == 0


def test_words_of_looks_are_those_of_the_library() -> None:
    from hoofbeat.body.mesh.skin import LEVELS, load_skin
    from hoofbeat.cli.motion import looks
    from hoofbeat.render.gl.lens import CAMERAS
    from hoofbeat.render.picture import FIGURES

    assert looks.FIGURES == FIGURES and set(looks.CAMERAS) == set(CAMERAS)
    assert set(looks.COATS) == set(load_skin("horse", "low").coats) and looks.LEVELS == (*LEVELS, "bones")


def test_looks_of_files_and_levels_of_detail(here: Path) -> None:
    walk = ("synth", "--gait", "walk", "--seconds", "0.2")
    found = report(*walk, "--lods", "--coat", "grey", "-o", "a.glb")
    names = [Path(file["path"]).name for file in found["files"]]
    assert names == ["a-low.glb", "a-medium.glb", "a-high.glb"]
    sizes = [(here / name).stat().st_size for name in names]
    assert sizes == sorted(sizes) and sizes[0] < sizes[2]
    run(*walk, "--figure", "drawn", "--size", "200x100", "-o", "b.gif", "b.bvh")
    with Image.open(here / "b.gif") as image:
        assert image.width == 200
    assert "shows none" in fails(*walk, "--coat", "grey", "-o", "b.bvh")
    assert "as 1280x720" in fails(*walk, "--size", "big", "-o", "b.gif")
    assert "leave out --level" in fails(*walk, "--lods", "--level", "low", "-o", "b.glb")
    assert "files with a body" in fails(*walk, "--lods", "-o", "b.webp")
    assert "unknown camera 'sidee'; did you mean 'side'?" in fails(*walk, "--camera", "sidee", "-o", "b.gif")
    assert "method timewarp" in fails("synth", "--all-gaits", "--method", "actions", "-o", "b.glb")


def test_a_repertoire_in_one_file(here: Path) -> None:
    found = report("synth", "--all-gaits", "--fps", "30", "-o", "horse.glb", "--coat", "black")
    names = [clip["name"] for clip in found["clips"]]
    assert found["method"] == "timewarp" and {"idle", "walk", "canter-left", "leap-right"} <= set(names)
    inside = [clip["name"] for clip in report("info", "horse.glb")["clips"]]
    assert "walk-in-place" in inside and set(names) <= set(inside)
    assert (here / "horse.glb").stat().st_size < 5e6
