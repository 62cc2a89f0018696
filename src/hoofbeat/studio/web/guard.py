"""Guard: who may speak to the studio, and how much a request may send. It is called before every route,
WebSockets included.

Host: names this server only, so that a page of somebody else cannot reach it through a name of its own
(DNS rebinding). Origin: a browser says which page asks; only our own may. Token: where one is set, every
request carries it, in a cookie, as a bearer, or once in the address. docs/security.md has the reasons.
"""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode

from hoofbeat.studio.settings import Settings, is_loopback

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

COOKIE = "hoofbeat_token"
#: Close codes of a WebSocket that is refused.
NO_TOKEN, NOT_OURS = 4401, 4403
HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; "
    "worker-src 'self' blob:; style-src 'self' 'unsafe-inline'; connect-src 'self'; object-src 'none'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}
#: Methods that change nothing: a link from elsewhere may open the page.
SAFE = ("GET", "HEAD")


class Guard:
    """ASGI middleware that refuses before anything else looks."""

    def __init__(self, app: App, settings: Settings) -> None:
        self._app, self._settings = app, settings
        self._names = allowed_names(settings.host)
        self._any_address = not is_loopback(settings.host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request or connection."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = _headers(scope["headers"])
        fault = self._fault(scope, headers)
        if fault is not None:
            await _refuse(scope, receive, send, *fault)
        elif self._settings.token is not None and scope["type"] == "http" and _asked(scope) is not None:
            await self._welcome(scope, send)
        else:
            await self._app(scope, receive, _with_headers(send))

    def _fault(self, scope: Scope, headers: dict[str, str]) -> tuple[int, int, str] | None:
        """HTTP status, close code and reason, where it is refused."""
        if not self._is_us(headers.get("host", "")):
            return 403, NOT_OURS, "this server is not known by that name (Host)"
        origin = headers.get("origin")
        changes = scope["type"] == "websocket" or scope["method"] not in SAFE
        if changes and origin is not None and not _same(origin, headers["host"]):
            return 403, NOT_OURS, "pages of other sites may not speak to this server (Origin)"
        if changes and headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return 403, NOT_OURS, "pages of other sites may not speak to this server (Sec-Fetch-Site)"
        token = self._settings.token
        if token is not None and not any(_equal(given, token) for given in _tokens(scope, headers)):
            return 401, NO_TOKEN, "a token is needed: open the link that the server printed"
        return None

    def _is_us(self, host: str) -> bool:
        name = _name(host)
        if name in self._names:
            return True
        # Bound to all addresses, we are known by each of them; a name of somebody else's is no address.
        return self._any_address and _is_address(name)

    async def _welcome(self, scope: Scope, send: Send) -> None:
        """Put the token of the address into a cookie and ask again without it."""
        rest = [(k, v) for k, v in _query(scope) if k != "token"]
        target = scope["path"] + (f"?{urlencode(rest)}" if rest else "")
        target = "/" + target.lstrip("/")  # never to another host
        cookie = f"{COOKIE}={self._settings.token}; HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000"
        head = [(b"location", target.encode("latin-1", "replace")), (b"set-cookie", cookie.encode())]
        head += [(k.encode(), v.encode()) for k, v in HEADERS.items()]
        await send({"type": "http.response.start", "status": 303, "headers": head})
        await send({"type": "http.response.body", "body": b""})


def allowed_names(host: str) -> frozenset[str]:
    """Names in a Host header that mean us."""
    names = {"localhost", "127.0.0.1", "::1"}
    if not is_loopback(host):
        names |= {host.lower(), socket.gethostname().lower()}
    else:
        names.add(host.lower().strip("[]"))
    return frozenset(names)


def _headers(pairs: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Lower-case names; one that comes twice is joined, and so equals nothing that is allowed."""
    found: dict[str, str] = {}
    for key, value in pairs:
        name, text = key.decode("latin-1").lower(), value.decode("latin-1")
        found[name] = f"{found[name]}, {text}" if name in found else text
    return found


def _name(host: str) -> str:
    """The host of a Host header without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.rpartition(":")[0].lower() if ":" in host else host.lower()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _same(origin: str, host: str) -> bool:
    """Whether a page of this origin was served by this host."""
    return origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")


def _query(scope: Scope) -> list[tuple[str, str]]:
    return parse_qsl(
        scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True, max_num_fields=20
    )


def _asked(scope: Scope) -> str | None:
    """The token in the address."""
    try:
        return dict(_query(scope)).get("token")
    except ValueError:
        return None


def _tokens(scope: Scope, headers: dict[str, str]) -> Iterable[str]:
    asked = _asked(scope)
    if asked is not None:
        yield asked
    scheme, _, bearer = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        yield bearer.strip()
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        morsel = None
    if morsel is not None:
        yield morsel.value


def _equal(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode(), token.encode())


def _with_headers(send: Send) -> Send:
    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            have = {key.lower() for key, _ in message["headers"]}
            more = [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in have]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return sending


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, code: int, reason: str) -> None:
    if scope["type"] == "websocket":
        await receive()  # the connect
        # Accepted and closed: a refused handshake would give the page nothing but 1006.
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.close", "code": code, "reason": reason})
        return
    body = reason.encode()
    head = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    head += [(k.encode(), v.encode()) for k, v in HEADERS.items()]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": body})


class BodyLimit:
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
