"""Refusal: what the studio will not do, with the code that clients see."""

from __future__ import annotations

from typing import Literal

from hoofbeat.errors import HoofbeatError
from hoofbeat.gaits.breeds import UnknownBreed, borders_by_gait
from hoofbeat.studio.wire.messages import COATS, TERRAINS

Code = Literal["message", "rate", "command", "setup", "recording", "export", "plan", "limit", "server"]
#: Status of each code where it is answered over HTTP.
STATUS: dict[Code, int] = {"limit": 429, "rate": 429, "server": 500}


class Refusal(HoofbeatError):
    """Nothing was changed; `code` is the cause for programs, the reason for people."""

    def __init__(self, code: Code, reason: str) -> None:
        self.code: Code = code
        super().__init__(reason)

    @property
    def status(self) -> int:
        """Of an HTTP answer."""
        return STATUS.get(self.code, 422)


def check_terrain(name: str | None) -> None:
    """Refuse ground that the page cannot draw; None is no wish."""
    if name is not None and name not in TERRAINS:
        raise Refusal("setup", f"no terrain {name!r} in the studio. Known: {', '.join(TERRAINS)}")


def check_coat(name: str | None) -> None:
    """Refuse a coat that no body has; None is no wish."""
    if name is not None and name not in COATS:
        raise Refusal("setup", f"unknown coat {name!r}. Known: {', '.join(COATS)}")


def check_breed(name: str | None) -> str | None:
    """The breed, refused where there is none of this name; None is no wish."""
    if name is not None:
        try:
            borders_by_gait(name)
        except UnknownBreed as problem:
            raise Refusal("setup", str(problem)) from problem
    return name
