"""Server: the application (routes, page, WebSocket behind the guard) and running it."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import uvicorn
from fastapi import FastAPI, Request, WebSocket
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles

from hoofbeat.records import Command
from hoofbeat.studio.facts import Facts, gather_facts
from hoofbeat.studio.refusal import Refusal
from hoofbeat.studio.rides.horse import HorseSpec, RiddenHorse, make_successor
from hoofbeat.studio.rides.sessions import Sessions
from hoofbeat.studio.settings import Settings, StudioError
from hoofbeat.studio.web import rest
from hoofbeat.studio.web.client import Client
from hoofbeat.studio.web.guard import App, BodyLimit, Guard
from hoofbeat.studio.wire import messages

#: The built front end; `make web` fills it.
STATIC = Path(__file__).resolve().parents[1] / "static"
MISSING = """<!doctype html><html lang="en"><meta charset="utf-8"><title>hoofbeat studio</title>
<h1>The page is not built</h1><p>The server runs, and scripts can ride through <code>/api</code>. For the
page, run <code>make web</code> in the source folder and reload.</p></html>"""
#: Close code of a WebSocket where all places are used.
FULL = 4429


def warm() -> Facts:
    """Compile everything that riding needs, so that nobody waits once the port is open."""
    facts = gather_facts()
    for name in facts.methods:
        horse = RiddenHorse(HorseSpec(name), facts.gaits)
        horse.ride(Command(speed=1.0), 1)
        horse.step()
        horse.change(make_successor(HorseSpec(name, 1.5), horse.frame, 0.0))
        horse.step()
        horse.block()
    # The compiler's objects stay for good: looking through them again and again would stop the clock.
    gc.collect()
    gc.freeze()
    return facts


def make_app(settings: Settings, facts: Facts) -> App:
    """The whole application for these settings, behind its guard."""

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncGenerator[None]:
        app.state.sessions = Sessions(settings, facts)
        app.state.sessions.start()
        try:
            yield
        finally:
            await app.state.sessions.stop()

    api = FastAPI(
        title="hoofbeat studio",
        version="1",
        docs_url=None,  # its page would be fetched from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=life,
    )
    api.include_router(rest.router)
    api.add_exception_handler(Refusal, _refused)
    api.add_api_websocket_route("/ws", _ride)
    if (STATIC / "index.html").is_file():
        api.mount("/", StaticFiles(directory=STATIC, html=True))
    else:
        api.add_api_route("/", _missing, include_in_schema=False)
    return Guard(BodyLimit(api, settings.quotas.body_bytes), settings)


async def _ride(wire: WebSocket) -> None:
    """One client: `?session=` brings it back to its ride, else it gets a new one."""
    sessions: Sessions = wire.app.state.sessions
    await wire.accept()
    if sessions.clients >= sessions.quotas.clients:
        await wire.close(FULL, "the studio is full")
        return
    sessions.clients += 1
    try:
        found = await sessions.find(wire.query_params.get("session", ""))
        session, resumed = found if found is not None else (await sessions.new(), "new")
        client = Client(wire, session, sessions.quotas)
        session.join(client, resumed)
        try:
            await client.run()
        finally:
            session.leave(client, asyncio.get_running_loop().time())
    except Refusal as problem:
        await wire.close(FULL, str(problem))
    finally:
        sessions.clients -= 1


async def _refused(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, Refusal)
    facts = messages.Problem(code=problem.code, text=str(problem), about="")
    return JSONResponse(facts.model_dump(), problem.status)


async def _missing() -> HTMLResponse:
    return HTMLResponse(MISSING)


def make_server(settings: Settings, facts: Facts) -> uvicorn.Server:
    """A server that has not started; facts: of `warm`."""
    config = uvicorn.Config(
        make_app(settings, facts),
        host=settings.host,
        port=settings.port,
        log_level="warning",
        access_log=False,  # addresses hold tokens
        server_header=False,
        ws_max_size=messages.MAX_MESSAGE,
        ws_per_message_deflate=False,
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        timeout_graceful_shutdown=3,
        h11_max_incomplete_event_size=32 * 1024,
    )
    return uvicorn.Server(config)


def run(settings: Settings, facts: Facts, ready: Callable[[str], None]) -> None:
    """Serve until interrupted; ready(address) is called once the port is open."""
    # A thread that makes a horse lets the clock in after a millisecond, not after five.
    sys.setswitchinterval(0.001)
    asyncio.run(_serve(make_server(settings, facts), listen(settings), settings, ready))


def listen(settings: Settings) -> socket.socket:
    """The open port; a StudioError says why it cannot be had."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # asyncio sends at once (TCP_NODELAY) only where the protocol is named; else a frame waits for the last
    # one's acknowledgement, up to 40 ms.
    opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((settings.host.strip("[]"), settings.port))
    except OSError as problem:
        opened.close()
        where = f"{settings.host}, port {settings.port}"
        raise StudioError(
            f"cannot listen on {where}: {problem.strerror or problem}; --port 0 chooses any free port"
        ) from problem
    return opened


async def _serve(
    server: uvicorn.Server, opened: socket.socket, settings: Settings, ready: Callable[[str], None]
) -> None:
    serving = asyncio.create_task(server.serve([opened]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.02)
    if server.started:
        ready(address(settings, opened.getsockname()[1]))
    await serving


def address(settings: Settings, port: int) -> str:
    """Where the page is, with the token that opens it."""
    host = "localhost" if settings.host in ("0.0.0.0", "::", "127.0.0.1", "localhost") else settings.host
    host = f"[{host}]" if ":" in host else host
    token = f"/?token={settings.token}" if settings.token else "/"
    return f"http://{host}:{port}{token}"
