"""Hooks of the site: what stands outside docs/ (README, examples, licences) and the API become pages too.

A link of a page to a file of the repository is followed: Markdown becomes a page as it is, other text is
shown, a folder is listed. So the same pages read well in the repository and on the site.
"""

from __future__ import annotations

import posixpath
import re
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
#: Where pages of files outside docs/ stand on the site.
OUTSIDE = "repository"
#: Pages that the navigation names, and what they are made from.
NAMED = {
    "README.md": "readme.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "examples/README.md": "examples.md",
}
#: What else of the package is public, in the order of the page.
MODULES = (
    "records",
    "body.skeleton",
    "methods.catalog",
    "methods.method",
    "methods.layer",
    "testing",
    "world.terrain",
    "errors",
)
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)\s]+)(\))")
FENCED = re.compile(r"^(```+).*?^\1[ ]*$", re.MULTILINE | re.DOTALL)


def anchor(heading: str, separator: str = "-") -> str:
    """The anchor that hosts of Markdown give a heading, so that links work on both."""
    plain = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return plain.replace(" ", separator)


def on_config(config: Any) -> Any:
    """Anchors as in the repository."""
    config.mdx_configs.setdefault("toc", {})["slugify"] = anchor
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add a page for every file of the repository that a page leads to, and the API."""
    waiting = [f"docs/{file.src_uri}" for file in files.documentation_pages()] + list(NAMED)
    found: set[str] = set()
    while waiting:
        origin = waiting.pop()
        if origin in found:
            continue
        found.add(origin)
        waiting += [path for path in _linked(origin) if not path.startswith("docs/")]
    for origin in sorted(found):
        if not origin.startswith("docs/"):
            text = _rewritten(_text(origin), origin)
            files.append(File.generated(config, _page(origin), content=text))
    files.append(File.generated(config, "api.md", content=api_page()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links of a page of docs/ that leave it lead to pages of the site."""
    uri = page.file.src_uri
    return markdown if (ROOT / "docs" / uri).is_file() is False else _rewritten(markdown, f"docs/{uri}")


def api_page() -> str:
    """The public surface as a page of mkdocstrings: the names of `hoofbeat`, then modules to build on."""
    homes = runpy.run_path(str(ROOT / "src" / "hoofbeat" / "__init__.py"))["_HOMES"]
    places = {name: home if home != name else f"{name}.api" for name, home in homes.items()}
    lines = [
        "# API",
        "",
        "What `import hoofbeat as hb` offers, and the modules that others build on.",
        "",
        "## hoofbeat",
        "",
    ]
    for name, home in sorted(places.items()):
        lines += [f"::: hoofbeat.{home}.{name}", ""]
    for module in MODULES:
        shown = [name for name, home in places.items() if home == module]
        lines += [f"## hoofbeat.{module}", "", f"::: hoofbeat.{module}", "    options:"]
        lines += ["      show_root_heading: false", "      show_root_toc_entry: false"]
        lines += [f"      filters: {['!^_', *(f'!^{name}$' for name in shown)]}", ""]
    return "\n".join(lines)


def _linked(origin: str) -> Iterator[str]:
    """Files and folders of the repository that a Markdown file links to."""
    if not origin.endswith(".md"):
        return
    for match in LINK.finditer(FENCED.sub("", _text(origin))):
        target = _resolved(match[2], origin)
        if target:
            yield target


def _resolved(link: str, origin: str) -> str:
    """The path in the repository that a link of `origin` names, "" = it leads elsewhere or nowhere."""
    name = link.partition("#")[0]
    if not name or re.match(r"[a-z]+:", name):
        return ""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(origin), name))
    return path if (ROOT / path).exists() else ""


def _page(path: str) -> str:
    """The page of the site that stands for a path of the repository."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path in NAMED:
        return NAMED[path]
    return f"{OUTSIDE}/{path}" if path.endswith(".md") else f"{OUTSIDE}/{path}.md"


def _rewritten(markdown: str, origin: str) -> str:
    """Markdown of `origin` with links to files of the repository as links to pages."""

    def moved(match: re.Match[str]) -> str:
        target = _resolved(match[2], origin)
        if not target:
            return match[0]
        here = posixpath.dirname(_page(origin))
        part = match[2].partition("#")[2]
        link = posixpath.relpath(_page(target), here or ".") + (f"#{part}" if part else "")
        return f"{match[1]}{link}{match[3]}"

    return _outside_fences(markdown, lambda text: LINK.sub(moved, text))


def _outside_fences(markdown: str, change: Callable[[str], str]) -> str:
    out, last = [], 0
    for block in FENCED.finditer(markdown):
        out += [change(markdown[last : block.start()]), block[0]]
        last = block.end()
    return "".join([*out, change(markdown[last:])])


def _text(path: str) -> str:
    """What a page shows of a path: Markdown as it is, other text in a block, the files of a folder."""
    place = ROOT / path
    if place.is_dir():
        names = sorted(one.name for one in place.iterdir() if not one.name.startswith((".", "__")))
        return f"# {path}\n\n" + "".join(
            f"- [{name}]({place.name}/{name})\n" if name.endswith(".md") else f"- {name}\n" for name in names
        )
    text = place.read_text(encoding="utf-8")
    if path.endswith(".md"):
        return text
    language = {".py": "python", ".yaml": "yaml", ".yml": "yaml"}.get(place.suffix, "text")
    return f"# {place.name}\n\n``````{language}\n{text}``````\n"
