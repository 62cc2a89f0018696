"""The site of `make docs`: every page is in its navigation, and nothing is fetched when a page is opened.

Building it is left to `make docs`, which is strict about links.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
CONFIG = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
#: Pages that docs/site/hooks.py makes from files outside docs/, and the API.
MADE = {"readme.md", "contributing.md", "changelog.md", "examples.md", "api.md"}


def navigation(entry: Any) -> Iterator[str]:
    """Pages that a part of the navigation names."""
    if isinstance(entry, str):
        yield entry
    for part in entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else ():
        yield from navigation(part)


def test_the_navigation_names_every_page_once() -> None:
    named = list(navigation(CONFIG["nav"]))
    assert len(named) == len(set(named))
    assert set(named) == {page.name for page in (ROOT / "docs").glob("*.md")} | MADE


def test_pages_that_are_made_are_made() -> None:
    hooks = (ROOT / "docs" / "site" / "hooks.py").read_text(encoding="utf-8")
    assert all(f'"{name}"' in hooks for name in MADE)
    modules = re.findall(
        r'^    "([a-z_.]+)",$', hooks.partition("MODULES = (")[2].partition(")")[0], re.MULTILINE
    )
    assert len(modules) > 5
    for module in modules:
        assert (ROOT / "src" / "hoofbeat" / f"{module.replace('.', '/')}.py").is_file(), module


def test_nothing_is_fetched() -> None:
    assert CONFIG["theme"]["font"] is False
    assert CONFIG["strict"] is True
    files = [*CONFIG["extra_css"], *CONFIG.get("extra_javascript", []), CONFIG["theme"]["favicon"]]
    for name in files:
        text = (ROOT / "docs" / name).read_text(encoding="utf-8")
        assert not re.search(r"@import|url\(\s*['\"]?(https?:)?//|src=['\"]https?:", text), name
    for page in [*(ROOT / "docs").glob("*.md"), *ROOT.glob("*.md"), *(ROOT / "examples").glob("*.md")]:
        text = page.read_text(encoding="utf-8")
        # The theme draws such diagrams with a script from a public host.
        assert not re.search(r"!\[[^\]]*\]\(https?:|^```mermaid", text, re.MULTILINE), page.name
