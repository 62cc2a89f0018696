"""A gait is added as CONTRIBUTING.md says: one YAML file, one command, and no other file touched."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from hoofbeat.check import recognise
from hoofbeat.gaits.gait import GAIT_TABLE, GAITS, LEADS, Gait
from hoofbeat.offline.author.__main__ import HORSE_STYLES, added_files, all_styles, format_gaits, gaits_from
from hoofbeat.offline.author.style import StyleError, read_gaits

ROOT = Path(__file__).resolve().parents[1]
PRONK = Gait("pronk", 1, (0.0, 0.0, 0.0, 0.0), (0.35, 0.45), 1, (2.5, 4.0))

#: Rides the pronk as any gait is ridden, and prints what a check says of it.
RIDE = """
import json, sys
import numpy as np
import hoofbeat as hb
from hoofbeat.cli.vocabulary import complete_gait
from hoofbeat.gaits.gait import GAITS
from hoofbeat.methods.catalog import method_info
from hoofbeat.record import Recorder

def ride():
    horse = hb.Horse("timewarp", seed=4)
    command = hb.Command(speed=3.2, gait="pronk")
    return horse, [horse.step(command, 1 / 120) for _ in range(8 * 120)]

horse, frames = ride()
again = ride()[1]
late = frames[-3 * 120:]
recorder = Recorder(horse.skeleton, 120)
for frame in late:
    recorder.add(frame)
contacts = np.stack([frame.contacts for frame in late]) > 0.5
toes = np.stack([frame.positions for frame in late])[:, [leg.toe for leg in horse.skeleton.legs]]
both = contacts[1:] & contacts[:-1]
rotations = np.stack([frame.rotations for frame in frames])
halted = [horse.step(hb.Command(), 1 / 120) for _ in range(8 * 120)][-1]
report = hb.check(recorder.clip("pronk"), "pronk")
print(json.dumps({
    "table": list(GAITS), "herd": list(horse.gaits), "catalog": list(method_info("timewarp").gaits),
    "completed": complete_gait("pro"), "file": GAITS["pronk"].__module__ and hb.__file__,
    "feet": frames[-1].gait, "named": report.gait, "failed": list(report.failed),
    "speed": float(np.mean([frame.speed for frame in late])),
    "slide": float(np.abs(np.diff(toes, axis=0))[both].max()),
    "lowest": float(toes[..., 1].min()),
    "unit": float(np.abs(np.linalg.norm(rotations, axis=-1) - 1).max()),
    "same": all(a.positions.tobytes() == b.positions.tobytes() for a, b in zip(frames, again)),
    "together": float((contacts.all(axis=1) | ~contacts.any(axis=1)).mean()),
    "flights": int((np.diff(np.array([frame.airborne for frame in late], int)) > 0).sum()),
    "halted": halted.gait,
}))
"""


def page() -> str:
    """The YAML of the page."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- pronk.yaml -->\n```yaml\n(.*?)```", text, re.DOTALL)
    assert found is not None, "the page has no pronk"
    return found[1]


#: Tests that every gait has to pass: a file, and which of its tests are about one gait at a time ("" = they
#: all run, since they go through the gaits by themselves).
CONTRACTS = (
    ("test_gaits.py", ""),
    ("test_author.py", ""),
    ("test_made.py", ""),
    ("test_measures.py", "every_gait"),
    ("test_check.py", "pronk or limits_on_the_page"),
    ("test_gait_page.py", ""),
    ("test_timewarp.py", "pronk or changing_gait"),
    ("test_transitions.py", ""),
    ("test_methods.py", "timewarp"),
    ("test_first_use.py", "catalog or ordinary_horse"),
    ("test_synthesize.py", "gait"),
    ("test_docs.py", "commands.md"),
    ("test_contributing_gait.py", "shipped_table"),
)
#: What a copy of the repository leaves out.
LEFT_OUT = shutil.ignore_patterns(
    ".*", "__pycache__", "node_modules", "web", "out", "build", "dist", "static"
)


@dataclass(frozen=True)
class Tree:
    """A copy of the repository with the pronk added, and its package's files before and after."""

    root: Path
    before: dict[str, bytes]
    after: dict[str, bytes]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """Steps 1 and 2 of the page."""
    root = tmp_path_factory.mktemp("copy") / "hoofbeat"
    shutil.copytree(ROOT, root, ignore=LEFT_OUT)
    package = root / "src" / "hoofbeat"
    before = contents(package)
    (package / "data" / "gaits" / "pronk.yaml").write_text(page(), encoding="utf-8")
    run(root, "-m", "hoofbeat.offline.author")
    return Tree(root, before, contents(package))


def run(tree: Path, *arguments: str) -> str:
    """What Python says in the copied repository."""
    done = subprocess.run(
        [sys.executable, *arguments],
        env=os.environ
        | {"PYTHONPATH": str(tree / "src"), "HOOFBEAT_CACHE_DIR": str(tree.parent / "kernels")},
        cwd=tree,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def contents(tree: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(tree)): path.read_bytes()
        for path in tree.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.mark.slow
def test_a_pronk_is_added_by_one_file_and_one_command(tree: Tree) -> None:
    written = {Path(name).name for name in tree.after if tree.after[name] != tree.before.get(name)}
    assert written - {"leap.npz"} == {"pronk.yaml", "gaits.json", "horse.npz"}

    found = json.loads(run(tree.root, "-c", RIDE).splitlines()[-1])
    assert found["file"].startswith(str(tree.root))
    for listed in ("table", "herd", "catalog", "completed"):
        assert "pronk" in found[listed], listed
    assert found["feet"] == found["named"] == "pronk"
    assert found["failed"] == []
    assert found["halted"] == "stand"
    assert found["speed"] == pytest.approx(3.2, rel=0.03)
    assert found["slide"] < 0.003 and found["lowest"] > -0.002 and found["unit"] < 1e-5
    assert found["same"]
    assert found["together"] > 0.9
    assert 5 <= found["flights"] <= 7  # six strides of half a second


@pytest.mark.slow
@pytest.mark.parametrize(("file", "chosen"), CONTRACTS, ids=lambda value: value.partition(".")[0])
def test_the_copy_s_own_tests_take_the_pronk_up(tree: Tree, file: str, chosen: str) -> None:
    """pytest ends with 5, and `run` fails, where nothing was chosen."""
    said = run(
        tree.root,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-m",
        "not slow",
        "-k",
        chosen,
        f"tests/{file}",
    )
    assert re.search(r"^\d+ passed", said, re.MULTILINE), said


def test_the_page_is_a_pronk(tmp_path: Path) -> None:
    added = tmp_path / "pronk.yaml"
    added.write_text(page(), encoding="utf-8")
    assert read_gaits(added) == (PRONK,)
    sources = (HORSE_STYLES, added)
    assert [style.name for style in all_styles(sources)][-1] == "pronk-3.2"
    found = gaits_from(sources)
    assert set(found) == {*GAITS.values(), PRONK}
    assert [gait.speed[1] for gait in found] == sorted(gait.speed[1] for gait in found)


def test_the_shipped_table_is_what_the_parameters_make() -> None:
    assert format_gaits(gaits_from([HORSE_STYLES, *added_files(HORSE_STYLES)])) == GAIT_TABLE.read_bytes()
    assert set(LEADS) == {"canter", "gallop"}


def test_an_added_gait_is_recognised_and_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    duty = np.full(4, 0.4)
    monkeypatch.setattr(recognise, "ADDED", (PRONK,))
    assert recognise.gait_of(np.array([0.02, 0.98, 0.0, 0.01]), duty) == "pronk"
    for name, gait in GAITS.items():
        if gait.beats:
            mean = np.full(4, sum(gait.duty) / 2)
            assert recognise.gait_of(np.array(gait.touchdown), mean) == name


@pytest.mark.parametrize(
    ("definition", "word"),
    [
        ("[1]", "mapping"),
        ("{beats: 1}", "suspensions"),
        ("{beats: 9, touchdown: [0, 0, 0, 0], duty: [0.3, 0.4], suspensions: 1, speed: [1, 2]}", "beats"),
        ("{beats: 1, touchdown: [0, 0, 0.1, 0], duty: [0.3, 0.4], suspensions: 1, speed: [1, 2]}", "LH"),
        ("{beats: 1, touchdown: [0, 0, 0, 0], duty: [0.5, 0.4], suspensions: 1, speed: [1, 2]}", "duty"),
        ("{beats: 1, touchdown: [0, 0, 0, 0], dutys: [0.3, 0.4], suspensions: 1, speed: [1, 2]}", "duty"),
    ],
)
def test_a_mistake_in_a_definition_is_reported(tmp_path: Path, definition: str, word: str) -> None:
    path = tmp_path / "pronk.yaml"
    path.write_text(f"gaits: {{pronk: {{definition: {definition}}}}}\ncycles: []\n", encoding="utf-8")
    with pytest.raises(StyleError, match=word):
        read_gaits(path)


def test_a_name_that_is_taken_is_refused(tmp_path: Path) -> None:
    for name in ("trot", "pace"):
        path = tmp_path / f"{name}.yaml"
        path.write_text(page().replace("pronk", name), encoding="utf-8")
        with pytest.raises(StyleError, match=f"{name}.*already"):
            gaits_from((HORSE_STYLES, path))
