"""Looks: the options that say how the animal looks in pictures and files, shared by commands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from hoofbeat.errors import HoofbeatError

#: Help panel.
LOOKS = "How it looks"
#: Words that shells complete; a test keeps them in step with the library.
FIGURES = ("auto", "skin", "drawn")
CAMERAS = ("three-quarter", "side", "chase", "front", "rear", "top")
COATS = ("bay", "chestnut", "grey", "black", "pinto")
LEVELS = ("low", "medium", "high", "bones")


def _completing(words: tuple[str, ...]) -> Any:
    def complete(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return complete


Figure = Annotated[
    str | None,
    typer.Option(
        help="skin, drawn, or auto: the skin where it can be shown.",
        autocompletion=_completing(FIGURES),
        rich_help_panel=LOOKS,
    ),
]
Camera = Annotated[
    str | None,
    typer.Option(
        help=f"Camera of a picture: {', '.join(CAMERAS)}.",
        autocompletion=_completing(CAMERAS),
        rich_help_panel=LOOKS,
    ),
]
Coat = Annotated[
    str | None,
    typer.Option(
        help=f"Coat of the skin: {', '.join(COATS)}.",
        autocompletion=_completing(COATS),
        rich_help_panel=LOOKS,
    ),
]
Level = Annotated[
    str | None,
    typer.Option(
        help="Detail of the skin: low, medium, high; or bones, in .glb and .usda.",
        autocompletion=_completing(LEVELS),
        rich_help_panel=LOOKS,
    ),
]
Size = Annotated[
    str | None, typer.Option(help="Size of a picture in pixels, as 1280x720.", rich_help_panel=LOOKS)
]
Theme = Annotated[str | None, typer.Option(help="light or dark.", rich_help_panel=LOOKS)]
Slow = Annotated[
    float | None, typer.Option(help="Moving pictures so many times slower than life.", rich_help_panel=LOOKS)
]
Poses = Annotated[
    int | None, typer.Option(help="Poses of a .png; 1 is one large picture.", rich_help_panel=LOOKS)
]
Lods = Annotated[
    bool,
    typer.Option(
        "--lods", help="Three files of .glb or .usda, one for each level of detail.", rich_help_panel=LOOKS
    ),
]


def _size_of(text: str) -> tuple[int, int]:
    """Width and height out of 1280x720."""
    found = re.fullmatch(r"(\d{1,5})[xX×](\d{1,5})", text.strip())
    if found is None:
        raise HoofbeatError(f"--size is width x height in pixels, as 1280x720; given {text!r}")
    return int(found[1]), int(found[2])


def wishes_by_path(
    paths: list[Path], given: Mapping[str, Any], known: Mapping[Path, tuple[str, ...]]
) -> dict[Path, dict[str, Any]]:
    """What is wished of each file, of the options that were given; `known`: what can be.

    One that none of the files can follow is refused: it would be lost without a word.
    """
    wishes = {key: value for key, value in given.items() if value is not None}
    if "size" in wishes:
        wishes["size"] = _size_of(wishes["size"])
    for word in wishes:
        if not any(word in known[path] for path in paths):
            listed = ", ".join(path.name for path in paths)
            raise HoofbeatError(f"--{word} says how a picture or a body looks; {listed} shows none")
    return {path: {word: value for word, value in wishes.items() if word in known[path]} for path in paths}
