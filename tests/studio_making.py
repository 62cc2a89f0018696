"""A real studio for tests: uvicorn in a thread, with real horses, on a port of its own."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect

from hoofbeat.studio.facts import Facts
from hoofbeat.studio.settings import Quotas, Settings
from hoofbeat.studio.web.server import make_server, warm
from hoofbeat.studio.wire.frame import decode

#: Longest wait for anything that should come [s]; generous, since machines are busy.
PATIENCE = 60.0


@lru_cache(maxsize=1)
def facts() -> Facts:
    """Warmed once a process."""
    return warm()


class Studio:
    """A server that runs: its address, and REST and WebSocket clients for it."""

    def __init__(self, port: int, token: str | None) -> None:
        self.port, self.token = port, token
        self.host = f"127.0.0.1:{port}"
        head = {"authorization": f"Bearer {token}"} if token else {}
        self.http = httpx.Client(base_url=f"http://{self.host}", headers=head, timeout=PATIENCE)

    def call(self, method: str, path: str, expect: int = 200, **given: Any) -> Any:
        """REST; the answer as JSON where it is JSON."""
        answer = self.http.request(method, f"/api{path}", **given)
        assert answer.status_code == expect, answer.text
        is_json = answer.content and "json" in answer.headers.get("content-type", "")
        return answer.json() if is_json else answer

    @contextmanager
    def socket(self, session: str = "", **given: Any) -> Iterator[Rider]:
        query = f"?session={session}" if session else ""
        head = dict(given.pop("additional_headers", {}))
        if self.token:
            head["Authorization"] = f"Bearer {self.token}"
        waits = {"open_timeout": PATIENCE, "close_timeout": 1.0}
        with connect(f"ws://{self.host}/ws{query}", additional_headers=head, **waits, **given) as raw:
            yield Rider(raw)


class Rider:
    """A WebSocket client that keeps what it was told."""

    def __init__(self, raw: ClientConnection) -> None:
        self.raw = raw
        self.frame: Any = None
        self.events = 0
        self.told: dict[str, Any] = {}
        self.all: list[Any] = []

    def say(self, type: str, **fields: Any) -> None:
        self.raw.send(json.dumps({"type": type, **fields}))

    def listen(self, seconds: float = PATIENCE) -> Any:
        """The next thing that comes: a message as a dict, or a frame as a row."""
        got = self.raw.recv(timeout=seconds)
        if isinstance(got, bytes):
            self.frame = decode(got)
            self.events |= int(self.frame["head"]["events"])
            return self.frame
        message = json.loads(got)
        self.told[message["type"]] = message
        self.all.append(message)
        return message

    def until(self, wanted: Any, seconds: float = PATIENCE) -> Any:
        """Listen until wanted(self) is true and return that."""
        end = time.monotonic() + seconds
        while True:
            if self.told or self.frame is not None:
                found = wanted(self)
                if found:
                    return found
            assert time.monotonic() < end, f"nothing came; last told {list(self.told)}"
            self.listen(max(end - time.monotonic(), 0.1))

    def hear(self, type: str) -> Any:
        """The next message of a type, older ones forgotten."""
        self.told.pop(type, None)
        return self.until(lambda me: me.told.get(type))

    def frames(self, count: int) -> list[Any]:
        """The next frames."""
        found: list[Any] = []
        while len(found) < count:
            got = self.listen()
            if not isinstance(got, dict):
                found.append(got.copy())
        return found

    def head(self, name: str) -> Any:
        return self.frame["head"][name]


@contextmanager
def running(
    folder: Path | None = None, token: str | None = None, host: str = "127.0.0.1", **quotas: Any
) -> Iterator[Studio]:
    """A studio while the block runs."""
    settings = Settings(host, 0, token, folder=folder, quotas=Quotas(**quotas))
    server = make_server(settings, facts())
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
    thread.start()
    end = time.monotonic() + PATIENCE
    while not server.started:
        assert thread.is_alive() and time.monotonic() < end, "the studio did not start"
        time.sleep(0.01)
    studio = Studio(server.servers[0].sockets[0].getsockname()[1], token)
    try:
        yield studio
    finally:
        studio.http.close()
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive(), "the studio did not stop"
