"""Settings: where the studio listens, who may come in, and every limit, in one frozen record."""

from __future__ import annotations

import ipaddress
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

from hoofbeat.errors import HoofbeatError
from hoofbeat.methods.catalog import DEFAULT

LOOPBACK, PORT = "127.0.0.1", 8123
#: A token shorter than this can be guessed.
SHORTEST_TOKEN = 16


class StudioError(HoofbeatError):
    """The studio cannot start as it was asked to."""


@dataclass(frozen=True)
class Quotas:
    """What clients may use at most. Times in seconds."""

    clients: int = 64
    sessions: int = 128
    messages_per_second: int = 240
    burst: int = 480
    #: Frames that go out before the client says that it saw one.
    window: int = 12
    recordings: int = 32
    #: Bytes of recordings of one session.
    recorded_bytes: int = 1 << 30
    exports: int = 2
    waiting_exports: int = 16
    export_seconds: float = 600.0
    body_bytes: int = 256 * 1024
    #: How long a ride goes on without a client, is kept in memory, and on disk.
    alone: float = 2.0
    kept: float = 600.0
    stored: float = 30 * 86400.0


@dataclass(frozen=True)
class Settings:
    """How to run. token None lets everybody in, which only loopback may; folder None: nothing on disk."""

    host: str = LOOPBACK
    port: int = PORT
    token: str | None = None
    method: str = DEFAULT
    folder: Path | None = None
    quotas: Quotas = field(default_factory=Quotas)

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise StudioError(f"port must be 0 to 65535, given {self.port}")
        if self.token is not None and not (len(self.token) >= SHORTEST_TOKEN and _plain(self.token)):
            raise StudioError(
                f"a token has at least {SHORTEST_TOKEN} letters, digits, - or _; leave it out to get one"
            )
        if self.token is None and not is_loopback(self.host):
            raise StudioError(
                f"host {self.host!r} can be reached from other machines, so a token is needed; "
                "give --token, or leave --host out to stay on this machine"
            )


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server bound to `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def user_folder() -> Path:
    """Where rides and recordings are kept: HOOFBEAT_STUDIO_DIR, or the user's cache folder."""
    given = os.environ.get("HOOFBEAT_STUDIO_DIR")
    if given:
        return Path(given)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "hoofbeat" / "studio"


def _plain(token: str) -> bool:
    return token.isascii() and token.replace("-", "").replace("_", "").isalnum()
