"""Refused: what the studio will not do, with the code that clients see."""

from __future__ import annotations

from typing import Literal

from hoofbeat.errors import HoofbeatError
from hoofbeat.studio.wire.messages import TERRAINS

Code = Literal["message", "rate", "command", "setup", "recording", "export", "plan", "limit", "server"]
#: Status of each code where it is answered over HTTP.
STATUS: dict[Code, int] = {"limit": 429, "rate": 429, "server": 500}


class Refused(HoofbeatError):
    """Nothing was changed; `code` tells programs why, the words tell people."""

    def __init__(self, code: Code, words: str) -> None:
        self.code: Code = code
        super().__init__(words)

    @property
    def status(self) -> int:
        """Of an HTTP answer."""
        return STATUS.get(self.code, 422)


def check_terrain(name: str | None) -> None:
    """Refuse ground that the page cannot draw; None is no wish."""
    if name is not None and name not in TERRAINS:
        raise Refused("setup", f"no terrain {name!r} in the studio. Known: {', '.join(TERRAINS)}")
