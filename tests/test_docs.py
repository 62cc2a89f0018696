"""The docs are true: their Python runs, links lead somewhere, and constants are those of the code."""

from __future__ import annotations

import dataclasses
import importlib
import re
import runpy
import shutil
from pathlib import Path

import pytest

from hoofbeat import Clip, Command, Frame, export
from hoofbeat.formats import scenefile
from hoofbeat.maths.expressions.program import WORDS
from hoofbeat.methods.method import Method
from hoofbeat.records import COMMAND, OBSTACLE, SENSE, STEP
from hoofbeat.testing import LAWS

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
EVERY_PAGE = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.md")]
    + list((ROOT / "src").rglob("*.md"))
)
FENCE = re.compile(r"^(```+)(\w*)\s*$")
#: First line of a block that is shown and not run.
NOT_RUN = "# not run"
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
#: A row of a table of constants: | `module.NAME` | value | ...
CONSTANT = re.compile(r"^\| `([a-z_.]+)\.([A-Z_]+)` \| ([^|]+) \|", re.MULTILINE)


def blocks(text: str, language: str) -> list[tuple[int, list[str]]]:
    """Fenced blocks of a language: the (0-based) line of their first line, and their lines."""
    found: list[tuple[int, list[str]]] = []
    inside: str | None = None
    mark = ""
    for number, line in enumerate(text.splitlines()):
        fence = FENCE.match(line)
        if fence and inside is None:
            mark, inside = fence[1], fence[2]
            if inside == language:
                found.append((number + 1, []))
        elif fence and fence[1] == mark:
            inside = None
        elif inside == language:
            found[-1][1].append(line)
    assert inside is None, "a block is never closed"
    return found


def script(text: str) -> str:
    """The page as a script: everything but its Python blanked, so that errors name the page's lines."""
    lines = [""] * len(text.splitlines())
    for first, block in blocks(text, "python"):
        if block and block[0].strip() != NOT_RUN:
            lines[first : first + len(block)] = block
    return "\n".join(lines) + "\n"


WITH_PYTHON = [page for page in PAGES if blocks(page.read_text(encoding="utf-8"), "python")]


@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda path: path.name)
def test_python_on_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / page.with_suffix(".py").name
    path.write_text(script(page.read_text(encoding="utf-8")), encoding="utf-8")
    runpy.run_path(str(path), run_name="page")


def test_a_wrong_block_is_noticed(tmp_path: Path) -> None:
    parts = ("x = 1", "# not run\nraise SystemExit", "x / 0")
    page = "words\n\n" + "\n".join(f"```python\n{part}\n```\n" for part in parts)
    path = tmp_path / "page.py"
    path.write_text(script(page), encoding="utf-8")
    with pytest.raises(ZeroDivisionError) as caught:
        runpy.run_path(str(path))
    assert caught.traceback[-1].lineno + 1 == 13  # the line of the page


def test_few_blocks_are_left_out() -> None:
    found = [block for page in PAGES for _, block in blocks(page.read_text(encoding="utf-8"), "python")]
    left_out = sum(block[0].strip() == NOT_RUN for block in found)
    assert len(found) > 20
    assert left_out <= 2


def anchor(heading: str) -> str:
    """The anchor that a heading gets on common hosts of Markdown."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


def headings(path: Path) -> set[str]:
    text = re.sub(r"^(```+).*?^\1", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return {anchor(line.lstrip("#")) for line in text.splitlines() if line.startswith("#")}


def broken_links(path: Path) -> list[str]:
    """Relative links to files or headings that are not there."""
    text = re.sub(r"^(```+).*?^\1", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    broken = []
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, part = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        if not file.exists() or (part and part not in headings(file)):
            broken.append(target)
    return broken


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    assert broken_links(page) == []


def test_a_broken_link_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A `b` c!\n[x](page.md#a-b-c) [y](#a-b) [z](absent.md) ![w](https://example.test/w.png)\n"
    )
    assert broken_links(page) == ["#a-b", "absent.md"]


def test_every_page_is_reached_from_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    missing = [page.name for page in (ROOT / "docs").glob("*.md") if f"({page.name})" not in index]
    assert set(missing) <= {"index.md"}


def test_stated_constants_are_those_of_the_code() -> None:
    seen = 0
    for page in PAGES:
        for module, name, stated in CONSTANT.findall(page.read_text(encoding="utf-8")):
            value = getattr(importlib.import_module(f"hoofbeat.{module}"), name)
            values = value if isinstance(value, tuple) else (value,)
            numbers = [float(word) for word in stated.replace(",", " ").split()]
            assert numbers == pytest.approx([float(v) for v in values], rel=1e-6), f"{page.name}: {name}"
            seen += 1
    assert seen > 25


def test_make_targets_and_files_in_shell_blocks_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for page in EVERY_PAGE:
        text = page.read_text(encoding="utf-8")
        lines = [line.partition("#")[0] for _, block in blocks(text, "sh") for line in block]
        for line in lines:
            for word in re.findall(r"\b[\w/]+\.py\b", line):
                assert (ROOT / word).is_file(), f"{page.name}: {word}"
            if line.startswith("make "):
                for target in (word for word in line.split()[1:] if "=" not in word):
                    assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"{page.name}: {line}"


def test_the_scene_shown_can_be_read(tmp_path: Path) -> None:
    shown = blocks((ROOT / "docs" / "actions.md").read_text(encoding="utf-8"), "yaml")
    folder = Path(shutil.copytree(scenefile.THESIS_HORSE.parent, tmp_path / "horse"))
    for _, block in shown:
        (folder / "shown.scene.yaml").write_text("\n".join(block), encoding="utf-8")
        assert scenefile.read_scene(folder / "shown.scene.yaml").gaits
    assert shown


#: Names that a page must speak of, each in backticks.
SPOKEN = {
    "actions.md": {*WORDS, *scenefile._KEYS, *scenefile._GAIT_KEYS},
    "commands.md": {field.name for record in (Command, Frame) for field in dataclasses.fields(record)},
    "recording.md": {ending for entry in (*export.WRITERS, *export.READERS) for ending in entry.endings},
    "methods.md": {
        *(name for rows in (COMMAND, SENSE, OBSTACLE, STEP) for name in rows.names or ()),
        *LAWS,
        *Method.__annotations__,
    },
    "skeletons.md": {field.name for field in dataclasses.fields(Clip)},
}


@pytest.mark.parametrize("name", sorted(SPOKEN))
def test_a_page_leaves_nothing_out(name: str) -> None:
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert sorted(word for word in SPOKEN[name] if f"`{word}`" not in text) == []
