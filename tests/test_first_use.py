"""What a first user meets: one default, an ordinary horse, plain errors, friendly objects, its package."""

from __future__ import annotations

import csv
import json
import re
import shlex
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import hoofbeat as hb
from hoofbeat.body.clip import METHOD
from hoofbeat.cli import vocabulary
from hoofbeat.cli.app import COMMANDS, app
from hoofbeat.cli.motion.facts import skeleton_facts, unit_hint
from hoofbeat.errors import ClipError, CommandError, GltfError, SeveralClipsWarning, UnknownGait
from hoofbeat.export import save_all
from hoofbeat.formats.planfile import Plan, PlanError, Segment, format_plan, parse_plan
from hoofbeat.gaits.breeds import BREEDS, DEFAULT_BREED
from hoofbeat.gaits.gait import LEADS, lead_of
from hoofbeat.maths import quat
from hoofbeat.methods.catalog import DEFAULT, methods
from hoofbeat.methods.froude.model.fourier import Wave
from hoofbeat.studio.settings import Settings
from hoofbeat.synthesis import ride, synthesize

runner = CliRunner()
ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, code: int = 0) -> tuple[str, str]:
    """Output and notes of the command line."""
    done = runner.invoke(app, list(arguments))
    assert done.exit_code == code, f"{done.stdout}\n{done.stderr}\n{done.exception!r}"
    return done.stdout, done.stderr


def short(method: str = DEFAULT, **changes: Any) -> hb.Clip:
    """Half a second of a walk."""
    return synthesize(Plan((Segment(0.5, gait="walk"),), method, settle=True, **changes))


# ---- one default, an ordinary horse -------------------------------------------------------------------


def test_one_method_is_the_default_everywhere(here: Path) -> None:
    assert DEFAULT == "timewarp" == Settings().method
    assert hb.Horse().method == hb.Herd(1).method.name == Plan((Segment(1, speed=1),)).method == DEFAULT
    for command in (
        ("synth", "--gait", "walk", "--seconds", "0.2", "-o", "a.npz"),
        ("synth", "--speed", "1.5", "--seconds", "0.2", "-o", "a.npz"),
    ):
        out, _ = run(*command)
        assert out.splitlines()[-1] == f"method {DEFAULT}"
        assert set(hb.load(here / "a.npz").extras[METHOD]) == {DEFAULT}
    defaults = [one.__defaults__ for one in COMMANDS if one.__name__ == "studio"]
    assert DEFAULT in (defaults[0] or ())


def test_the_readme_and_the_examples_ride_the_default() -> None:
    """One example is about an Action file, which is of the method `actions`."""
    pages = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob("*.py")}
    pages["README.md"] = (ROOT / "README.md").read_text(encoding="utf-8")
    named = re.compile(rf"""(?:method\s*[=:]\s*|H(?:orse|erd)\([^)]*)["']?({"|".join(methods())})\b""")
    found = {name: set(named.findall(text)) - {DEFAULT} for name, text in pages.items()}
    assert {name: said for name, said in found.items() if said} == {"03_new_action.py": {"actions"}}
    assert all("Horse(" in pages[name] for name in ("README.md", "01_ride.py"))


@pytest.mark.parametrize("ending", [".npz", ".glb", ".gltf"])
def test_a_file_says_which_method_made_it(here: Path, ending: str) -> None:
    run("synth", "--gait", "trot", "--method", "actions", "--seconds", "0.2", "-o", f"a{ending}")
    assert set(hb.load(here / f"a{ending}").extras[METHOD]) == {"actions"}
    assert "method actions" in run("info", f"a{ending}")[0]


@pytest.mark.parametrize("ending", [".csv", ".events.csv"])
def test_a_table_says_which_method_made_it(here: Path, ending: str) -> None:
    run("synth", "--gait", "trot", "--method", "actions", "--seconds", "1", "-o", f"a{ending}")
    with (here / f"a{ending}").open(newline="", encoding="utf-8") as file:
        assert {row[METHOD] for row in csv.DictReader(file)} == {"actions"}


@pytest.mark.parametrize("ending", [".usda", ".usdc"])
def test_a_stage_says_which_method_made_it(here: Path, ending: str) -> None:
    usd = pytest.importorskip("pxr.Usd", reason="usd-core is not installed: pip install 'hoofbeat[usd]'")
    run("synth", "--gait", "trot", "--method", "actions", "--seconds", "0.2", "-o", f"a{ending}")
    stage = usd.Stage.Open(str(here / f"a{ending}"))
    assert stage.GetRootLayer().customLayerData["hoofbeat"]["method"] == "actions"


def gaits_by_speed(**options: Any) -> set[str]:
    herd = hb.Herd(40, **options)
    speeds = np.linspace(0.5, 12, len(herd))
    return {gait for _ in range(900) for gait in herd.step(hb.Command(speed=speeds)).gait}


def test_an_ordinary_horse_ambles_and_racks_by_name_only() -> None:
    assert DEFAULT_BREED == "three-gaited"
    families = {gait.split("-")[0] for gait in gaits_by_speed()}
    assert families == {"stand", "walk", "trot", "canter", "gallop"}
    assert {"amble", "rack"} < gaits_by_speed(breed="all")
    assert {"amble", "rack"} < set(hb.Horse().gaits)
    assert set(synthesize(Plan((Segment(1, gait="rack"),), settle=True)).extras["gait"]) == {"rack"}


def test_a_breed_on_the_command_line_and_in_a_plan(here: Path) -> None:
    for more, gait in (((), "canter"), (("--breed", "all"), "rack")):
        out, _ = run("synth", "--speed", "5.5", "--seconds", "0.3", *more, "-o", "a.npz")
        assert f"; {gait}" in out
    text = "breed: all\nsettle: true\nsegments:\n  - {for: 0.3 s, speed: 2.5}\n"
    plan = parse_plan(text)
    assert parse_plan(format_plan(plan)) == plan
    assert set(synthesize(plan).extras["gait"]) == {"amble"}
    (here / "p.yaml").write_text(text.replace("all", "pony"))
    assert run("synth", "p.yaml", "-o", "a.npz", code=2)[1].startswith(
        "error: p.yaml:1: unknown breed 'pony'"
    )
    (here / "p.yaml").write_text(f"method: froude\n{text}")
    assert (
        "p.yaml:2: breed: the method froude has no choice" in run("synth", "p.yaml", "-o", "a.npz", code=2)[1]
    )
    assert vocabulary.complete_breed("") == list(BREEDS)


def test_canter_and_gallop_without_a_lead_have_the_same_one_in_every_method() -> None:
    assert len({lead_of(name) for name in LEADS.values()}) == 1
    for name, info in methods().items():
        led = [info.resolved(bare) for bare in LEADS]
        herd = hb.Herd(1, name)
        for bare, gait in zip(LEADS, led, strict=True):
            if gait is None:
                with pytest.raises(UnknownGait):
                    herd.held(hb.Command(gait=bare))
                continue
            assert herd.gaits[int(herd.held(hb.Command(gait=bare))["gait"][0])] == gait
        if None not in led:
            assert len({lead_of(str(gait)) for gait in led}) == 1, name


def test_the_catalog_is_the_one_list() -> None:
    assert {name: info.gaits for name, info in methods().items()} == {
        name: hb.Herd(0, name).gaits for name in methods()
    }
    source = Path(vocabulary.__file__).read_text(encoding="utf-8")
    for word in ("timewarp", '"walk"', '"trot"', '"rack"'):
        assert word not in source, "a second table"


# ---- what was broken ----------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [("canter",), ("gallop", "--method", "timewarp"), ("toelt",), ("tolt",)])
def test_a_plate_understands_every_name_of_a_gait(here: Path, words: tuple[str, ...]) -> None:
    out, _ = run("plate", *words, "--poses", "6", "--width", "1200", "--figure", "drawn", "-o", "a.png")
    assert out.splitlines()[-1] == f"method {DEFAULT}" and (here / "a.png").exists()


def test_an_icelandic_gait_without_its_umlaut() -> None:
    assert (
        vocabulary.methods_with("tolt") == vocabulary.methods_with("tölt") == vocabulary.methods_with("amble")
    )
    assert vocabulary.methods_with("tolt")
    with pytest.raises(UnknownGait, match="did you mean 'toelt'"):
        hb.Horse().step(hb.Command(gait="toellt"))


def test_hips_of_a_rig_that_lies_at_rest() -> None:
    clip = short()
    names, parents = clip.skeleton.names, clip.skeleton.parents
    # The same animal whose rest pose is upside down: bones turned by half a turn about x, and back in motion.
    flip = np.array([1.0, 0.0, 0.0, 0.0])
    offsets = clip.skeleton.offsets * [1, -1, -1]
    turned = hb.Skeleton(names, parents, offsets, clip.skeleton.ends, clip.skeleton.legs)
    rotations = np.array(clip.rotations)
    rotations[:, 1:, 1:3] *= -1
    x, y, z, w = rotations[:, 0].T
    rotations[:, 0] = np.stack([w * flip[0], z * flip[0], -y * flip[0], -x * flip[0]], axis=-1)
    there = hb.Clip(turned, rotations, clip.origins, clip.fps)
    np.testing.assert_allclose(there.positions, clip.positions, atol=1e-6)
    assert skeleton_facts(there).hip_height == pytest.approx(skeleton_facts(clip).hip_height, abs=1e-6)
    assert (skeleton_facts(clip).hip_height or 0) > 0.9


def test_no_height_of_the_hips_is_given_for_an_animal_on_its_back(here: Path) -> None:
    clip = short()
    half = quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.pi)
    rotations = np.array(clip.rotations)
    rotations[:, 0] = quat.mul(half, rotations[:, 0])
    fallen = hb.Clip(clip.skeleton, rotations, clip.origins, clip.fps)
    assert skeleton_facts(fallen).hip_height is None
    fallen.save(here / "a.npz")
    assert "hips" not in run("info", "a.npz")[0]


def test_several_clips_and_none_chosen_is_reported(here: Path) -> None:
    clip = short()
    names = [f"step {k}" for k in range(20)]
    clips = [hb.Clip(clip.skeleton, clip.rotations, clip.origins, clip.fps, name=name) for name in names]
    save_all(clips, here / "many.glb", level="bones")
    with pytest.warns(
        SeveralClipsWarning, match=r"holds 20 clips; this is the first, 'step 0'.*step 11 and 8"
    ):
        assert hb.load(here / "many.glb").name == "step 0"
    assert hb.load(here / "many.glb", clip="step 3").name == "step 3"
    hb.load_skeleton(here / "many.glb")  # no warning: they share it


@pytest.mark.parametrize("extension", ["KHR_draco_mesh_compression", "EXT_meshopt_compression"])
def test_compression_beside_uncompressed_motion_is_read(here: Path, extension: str) -> None:
    clip = short()
    clip.save(here / "a.gltf")
    document = json.loads((here / "a.gltf").read_text())
    document["extensionsUsed"] = document["extensionsRequired"] = [extension]
    (here / "b.gltf").write_text(json.dumps(document))
    np.testing.assert_allclose(hb.load(here / "b.gltf").rotations, clip.rotations, atol=1e-6)
    if extension == "EXT_meshopt_compression":
        # The same where only the compressed data is there.
        document["buffers"] = [{"byteLength": document["buffers"][0]["byteLength"]}]
        (here / "c.gltf").write_text(json.dumps(document))
        with pytest.raises(GltfError, match="requires 'EXT_meshopt_compression', which is not supported"):
            hb.load(here / "c.gltf")


def test_a_clip_is_wanted_not_its_file() -> None:
    with pytest.raises(ClipError, match=r"hb.check\(hb.load\('x.npz'\)\)"):
        hb.check("x.npz")  # type: ignore[arg-type]
    with pytest.raises(PlanError, match="given dict; a plan in Python"):
        synthesize({"segments": []})  # type: ignore[arg-type]


def test_a_wave_of_whole_numbers() -> None:
    wave = Wave(2, ((1, 1, 0),))
    np.testing.assert_allclose(wave.at([0.0, 0.25]), [2.0, 3.0], atol=1e-12)


def test_milliseconds_by_mistake_are_reported() -> None:
    horse = hb.Horse()
    with pytest.warns(
        UserWarning, match=r"dt is in seconds: 16 is held to 1; for milliseconds give dt=0.016"
    ):
        frame = horse.step(hb.Command(speed=2.0), dt=16)
    assert frame.clamped == ("dt",) and frame.time == pytest.approx(1.0)


def test_a_note_says_whose_limit_it_is() -> None:
    (own,) = ride(Plan((Segment(0.2, gait="canter", speed=12),))).notes
    assert f"the limit of the gait canter-left in the method {DEFAULT}" in own
    (whole,) = ride(Plan((Segment(0.2, speed=90),))).notes
    assert whole.endswith(f"the limit of the method {DEFAULT}")


def test_a_file_in_centimetres_suggests_its_scale(here: Path) -> None:
    clip = short()
    large = hb.Clip(clip.skeleton.scaled(100), clip.rotations, clip.origins * 100, clip.fps)
    large.save(here / "large.bvh")
    assert "add --scale 0.01" in run("info", "large.bvh")[1]
    assert "--scale" not in run("info", "large.bvh", "--scale", "0.01")[1]
    facts = skeleton_facts(clip)
    assert unit_hint(facts) is None
    assert "millimetres" in (unit_hint(replace(facts, size=[1000 * v for v in facts.size])) or "")


@pytest.mark.usefixtures("here")
def test_an_evolved_adjuster_is_ridden_as_it_says() -> None:
    out, _ = run("evolve", "--gait", "walk", "--population", "4", "--generations", "1")
    call = re.search(r"ride it: (hb\.Horse\(.*?\)),", out)
    options = re.search(r"options: (\{.*\})", out)
    assert call and options
    assert call[1] == 'hb.Horse("froude", adjuster="adjuster-walk.yaml")'
    horse = hb.Horse("froude", adjuster="adjuster-walk.yaml")
    for _ in range(60):
        horse.step(hb.Command(speed=1.5))
    text = f"method: froude\noptions: {options[1]}\nsegments:\n  - {{for: 0.5 s, gait: walk}}\n"
    assert len(synthesize(parse_plan(text))) == 30


# ---- errors -------------------------------------------------------------------------------------------


WRONG_PLANS = {
    "an option's value": ("options:\n  turning: paper\n  breed: pony\n{}", 3, "unknown breed 'pony'"),
    "an option's name": ("seed: 1\noptions:\n  turnin: paper\n{}", 3, "unknown option 'turnin'"),
    "a scene": ("seed: 1\nscene: none.npz\n{}", 2, "none.npz"),
    "a method": ("seed: 1\nmethod: timewrap\n{}", 2, "unknown method 'timewrap'"),
    "a terrain": ("seed: 1\nterrain: hill\n{}", 2, "unknown terrain"),
    "too many frames": (
        "seed: 1\nfps: 1000\nsegments:\n  - {{for: 50 min, speed: 1}}\n",
        2,
        "frames are over",
    ),
    "too short": ("fps: 10\nsegments:\n  - {{for: 1 ms, speed: 1}}\n", 2, "shorter than one frame"),
}


@pytest.mark.parametrize("name", WRONG_PLANS)
def test_errors_of_a_plan_name_file_and_line(here: Path, name: str) -> None:
    text, line, said = WRONG_PLANS[name]
    (here / "p.yaml").write_text(text.format("segments:\n  - {for: 1 s, speed: 1}\n"))
    err = run("synth", "p.yaml", "-o", "a.npz", code=2)[1]
    assert err.startswith(f"error: p.yaml:{line}: ") and said in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("synth", "--gate", "trot"), "No such option: --gate"),
        (("sinth",), "No such command 'sinth'. Did you mean 'synth'?"),
        (("--bogus",), "No such option: --bogus"),
        (("plate",), "Missing argument 'GAIT'"),
        (("synth", "--speed", "fast", "-o", "a.npz"), "Invalid value for '--speed'"),
        (("synth", "--gait", "trott", "-o", "a.npz"), "unknown gait 'trott'"),
    ],
)
@pytest.mark.usefixtures("here")
def test_every_error_looks_alike(words: tuple[str, ...], said: str) -> None:
    out, err = run(*words, code=2)
    assert out == "" and err.startswith("error: ") and said in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("speed", "metres a second"),
        ("turn", "radians a second"),
        ("heading", "radians"),
        ("extension", "collected"),
    ],
)
def test_a_word_for_a_number_says_what_is_meant(field: str, said: str) -> None:
    with pytest.raises(CommandError, match=rf"{field} is a number .*{said}.*; given 'fast'"):
        hb.Horse().step(hb.Command(**{field: "fast"}))  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["actions", "froude", "timewarp"])
def test_an_unknown_gait_lists_those_of_the_method(method: str) -> None:
    horse = hb.Horse(method)
    with pytest.raises(UnknownGait) as caught:
        horse.step(hb.Command(gait="pronk"))
    assert set(horse.gaits) <= set(caught.value.known) <= {*horse.gaits, *LEADS}


def test_the_first_block_of_the_page_checks_what_it_made(here: Path) -> None:
    block = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8").split("```sh\n")[1].split("```")[0]
    lines = [shlex.split(line.partition("#")[0])[1:] for line in block.splitlines()]
    motion = [words for words in lines if words[0] in ("check", "info", "convert") or "trot.npz" in words]
    assert [words[0] for words in motion] == ["synth", "check", "info", "convert"]
    for words in motion:
        run(*words)
    assert (here / "trot.bvh").exists()


# ---- friendly objects ---------------------------------------------------------------------------------


def test_objects_say_what_matters() -> None:
    horse = hb.Horse()
    now = "Frame(0.00 s: stand at 0.00 m/s, root at x 0.00 z 0.00 m, LF RF LH RH down)"
    assert repr(horse) == f"Horse(method {DEFAULT}, now {now})"
    frame = horse.step(hb.Command(speed=99.0))
    assert "clamped speed" in repr(frame) and len(repr(frame)) < 120
    herd = hb.Herd(3)
    assert repr(herd).startswith(f"Herd(3 of method {DEFAULT}, gaits stand, walk")
    assert repr(herd.frame()) == "Frame(0.00 s: 3 characters: 3 stand)"
    assert repr(hb.Herd(0).frame()) == "Frame(0.00 s: 0 characters: none)"
    assert repr(horse.skeleton) == (
        "Skeleton(49 joints and 6 end sites under 'RootSacrum', legs LF, RF, LH, RH)"
    )
    clip = short()
    assert repr(clip).startswith(
        f"Clip('ride': 0.50 s, 30 frames at 60 fps, walk, method {DEFAULT}, contacts known, Skel"
    )


def test_a_clip_shows_itself_in_a_notebook(here: Path) -> None:
    clip = short()
    page = clip._repr_png_()
    assert page is not None
    (here / "a.png").write_bytes(page)
    with Image.open(here / "a.png") as image:
        assert image.width > 400
    shown = clip._repr_html_()
    assert shown is not None and "data:image/png;base64," in shown and "walk" in shown
    empty = hb.Clip(clip.skeleton, np.zeros((0, len(clip.skeleton), 4)), np.zeros((0, 3)), 60)
    assert empty._repr_html_() is None and "0 frames" in repr(empty)


# ---- the package --------------------------------------------------------------------------------------


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_package_is_typed_and_can_be_cited() -> None:
    assert (ROOT / "src" / "hoofbeat" / "py.typed").is_file()
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {project()['project']['version']}" in cited and "cff-version: 1.2.0" in cited


def test_the_licence_names_every_licence_file() -> None:
    about = project()["project"]
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "src").rglob("LICENSE*")} | {"LICENSE"}
    assert set(about["license-files"]) == files
    named = {"MIT License": "MIT", "CC BY-SA 4.0": "CC-BY-SA-4.0"}
    heads = {name: (ROOT / name).read_text(encoding="utf-8").splitlines()[0] for name in files}
    found = {short for head in heads.values() for words, short in named.items() if words in head}
    assert set(about["license"].split(" AND ")) == found and len(found) == len(files)


def test_what_is_imported_is_declared_where_it_is_used() -> None:
    about = project()["project"]
    extras = {key: " ".join(rows) for key, rows in about["optional-dependencies"].items()}
    importing = {name: set[str]() for name in ("pydantic", "scipy")}
    for path in (ROOT / "src" / "hoofbeat").rglob("*.py"):
        for name, places in importing.items():
            if re.search(rf"^\s*(from|import) {name}\b", path.read_text(encoding="utf-8"), re.MULTILINE):
                places.add("/".join(path.relative_to(ROOT / "src" / "hoofbeat").parts[:2]))
    assert {place.split("/")[0] for place in importing["pydantic"]} == {"studio"}
    assert importing["scipy"] == {"offline/body"}
    assert "pydantic" in extras["studio"] and "scipy" in extras["body"]
    assert not re.search("pydantic|scipy", " ".join(about["dependencies"]))
    assert "numpy>=1.26" in about["dependencies"]
