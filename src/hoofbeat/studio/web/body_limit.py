"""Bodies: request bodies end at a limit, whatever their headers say."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from hoofbeat.studio.web.guard import App, Receive, Scope, Send


class Bodies:
    """ASGI middleware: a body over `most` bytes is answered 413 and not read on."""

    def __init__(self, app: App, most: int) -> None:
        self._app, self._most = app, most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        read, parts, more = 0, [], True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return  # gone before it was read
            read += len(message.get("body", b""))
            if read > self._most:
                await _too_large(send, self._most)
                return
            parts.append(message.get("body", b""))
            more = bool(message.get("more_body"))
        await self._app(scope, _replay(b"".join(parts), receive), send)


def _replay(body: bytes, receive: Receive) -> Receive:
    """The whole body once, then whatever comes."""
    given = False

    async def again() -> MutableMapping[str, Any]:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


async def _too_large(send: Send, most: int) -> None:
    body = f"a request has at most {most} bytes".encode()
    head = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": head})
    await send({"type": "http.response.body", "body": body})
