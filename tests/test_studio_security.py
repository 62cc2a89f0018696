"""Who may speak to the studio, and what a hostile client cannot do; docs/security.md has the threat model."""

from __future__ import annotations

import json
import random
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from hoofbeat.studio.settings import Settings, StudioError, is_loopback
from hoofbeat.studio.web.guard import COOKIE, allowed_names
from hoofbeat.studio.web.server import address, listen
from hoofbeat.studio.wire import messages
from studio_making import PATIENCE, Studio, running

TOKEN = "a-secret-of-enough-letters"


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    with running() as one:
        yield one


@pytest.fixture(scope="module")
def locked() -> Iterator[Studio]:
    with running(token=TOKEN) as one:
        yield one


def refused(studio: Studio, path: str = "/ws", **headers: str) -> int:
    """The close code of a WebSocket with these headers; 0 where it is let in."""
    host = headers.pop("Host", studio.host)
    with socket.create_connection(("127.0.0.1", studio.port)) as raw:
        with connect(f"ws://{host}{path}", sock=raw, additional_headers=headers, proxy=None) as ws:
            try:
                ws.recv(timeout=PATIENCE)
            except ConnectionClosed as closed:
                return closed.rcvd.code if closed.rcvd else -1
    return 0


# ------------------------------------------------------------------------------------ where it listens


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.9.9.9"])
def test_loopback_needs_no_token(host: str) -> None:
    assert is_loopback(host) and Settings(host).token is None


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "192.168.1.4", "example.test", "", "127.0.0.1.example.test"]
)
def test_other_hosts_do_not_start_without_a_token(host: str) -> None:
    with pytest.raises(StudioError, match="token"):
        Settings(host)
    assert Settings(host, token=TOKEN).token == TOKEN


@pytest.mark.parametrize(
    "token", ["", "short", "with space in the middle", "ünicode-letters-here", "a;b=c" * 5]
)
def test_weak_or_odd_tokens_are_refused(token: str) -> None:
    with pytest.raises(StudioError, match="token"):
        Settings(token=token)


def test_the_default_is_this_machine_only() -> None:
    assert Settings().host == "127.0.0.1"
    assert address(Settings(), 8123) == "http://localhost:8123/"
    assert address(Settings("0.0.0.0", token=TOKEN), 9) == f"http://localhost:9/?token={TOKEN}"
    assert "0.0.0.0" in allowed_names("0.0.0.0")


def test_a_port_that_is_taken_is_one_sentence() -> None:
    with listen(Settings(port=0)) as first, pytest.raises(StudioError, match="--port 0"):
        first.listen()
        listen(Settings(port=first.getsockname()[1])).close()


def test_the_command_line_makes_a_token_and_prints_the_link(tmp_path: Path) -> None:
    code = "import sys; sys.argv[1:] = sys.argv[1:]; from hoofbeat.cli import main; main()"
    child = subprocess.Popen(
        [sys.executable, "-c", code, "studio", "--host", "0.0.0.0", "--port", "0", "--no-open", "--no-keep"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=tmp_path,
    )
    try:
        assert child.stdout is not None
        line = child.stdout.readline()
        assert "http://localhost:" in line and "/?token=" in line
        assert len(line.strip().partition("token=")[2]) >= 32
    finally:
        child.terminate()
        child.wait(PATIENCE)


# ----------------------------------------------------------------------------------- Host and Origin


@pytest.mark.parametrize(
    "host",
    [
        "evil.test",
        "evil.test:8123",
        "127.0.0.1.evil.test",
        "localhost.evil.test",
        "[::2]",
        "",
        "127.0.0.1@evil",
    ],
)
def test_other_names_are_not_us(studio: Studio, host: str) -> None:
    """DNS rebinding: the name is the attacker's, the address ours."""
    for path in ("/", "/api/health", "/api/sessions"):
        answer = studio.http.get(path, headers={"host": host})
        assert answer.status_code in (400, 403), path
    if host and "@" not in host:
        assert refused(studio, Host=host) == 4403


def test_our_own_names_are(studio: Studio) -> None:
    for host in (f"localhost:{studio.port}", studio.host, f"[::1]:{studio.port}", "LOCALHOST"):
        assert studio.http.get("/api/health", headers={"host": host}).status_code == 200
    assert refused(studio) == 0
    assert refused(studio, Origin=f"http://{studio.host}") == 0


@pytest.mark.parametrize(
    "origin", ["http://evil.test", "null", "http://localhost:1", "https://127.0.0.1", "file://", ""]
)
def test_pages_of_others_may_not_speak(studio: Studio, origin: str) -> None:
    assert refused(studio, Origin=origin) == 4403
    answer = studio.http.post("/api/sessions", json={}, headers={"origin": origin})
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers


def test_requests_that_a_browser_marks_as_cross_site_change_nothing(studio: Studio) -> None:
    for site in ("cross-site", "same-site"):
        head = {"sec-fetch-site": site}
        assert studio.http.post("/api/sessions", json={}, headers=head).status_code == 403
        # A link to the page may stand elsewhere.
        assert studio.http.get("/", headers=head).status_code == 200
    # A form of another page can send text, not JSON.
    answer = studio.http.post("/api/sessions", content="{}", headers={"content-type": "text/plain"})
    assert answer.status_code == 422


def test_every_answer_says_what_the_page_may_do(studio: Studio) -> None:
    for path in ("/", "/api/health", "/nothing"):
        head = studio.http.get(path).headers
        assert "default-src 'self'" in head["content-security-policy"]
        assert "unsafe-eval" not in head["content-security-policy"]
        assert head["x-content-type-options"] == "nosniff" and head["x-frame-options"] == "DENY"
        assert head["referrer-policy"] == "no-referrer" and "server" not in head


# ---------------------------------------------------------------------------------------------- token


def test_without_the_token_nothing_opens(locked: Studio) -> None:
    for head in (
        {},
        {"authorization": "Bearer wrong"},
        {"cookie": f"{COOKIE}=wrong"},
        {"cookie": ";;=,\x01"},
    ):
        for path in ("/", "/api/health", "/api/openapi.json", "/assets/x"):
            bare = {"authorization": "", **head}
            assert locked.http.get(path, headers=bare).status_code == 401
    assert locked.http.get("/?token=wrong", headers={"authorization": ""}).status_code == 401
    assert refused(locked) == 4401 and refused(locked, "/ws?token=wrong") == 4401


def test_the_link_sets_a_cookie_and_hides_the_token(locked: Studio) -> None:
    answer = locked.http.get(f"/?token={TOKEN}&a=1", headers={"authorization": ""}, follow_redirects=False)
    assert answer.status_code == 303 and answer.headers["location"] == "/?a=1"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    away = locked.http.get(
        f"//evil.test/?token={TOKEN}", headers={"authorization": ""}, follow_redirects=False
    )
    assert away.headers.get("location", "/").startswith("/") and "//" not in away.headers.get("location", "/")
    head = {"authorization": "", "cookie": f"{COOKIE}={TOKEN}"}
    assert locked.http.get("/api/health", headers=head).status_code == 200
    assert refused(locked, Cookie=f"{COOKIE}={TOKEN}") == 0
    assert refused(locked, Authorization=f"Bearer {TOKEN}") == 0
    # A token does not open the door to pages of others.
    assert refused(locked, Cookie=f"{COOKIE}={TOKEN}", Origin="http://evil.test") == 4403


# --------------------------------------------------------------------------------------------- limits


def test_bodies_end_at_their_limit(studio: Studio) -> None:
    assert studio.http.post("/api/sessions", content=b"x" * 300_000).status_code == 413

    def endless() -> Iterator[bytes]:
        for _ in range(100):
            yield b" " * 10_000

    assert studio.http.post("/api/sessions", content=endless()).status_code == 413


@pytest.mark.parametrize(
    "path",
    [
        "/../../../../etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/server.py",
        "/assets/..%2f..%2fserver.py",
        "/api/skins/..%2f..%2fx.glb",
        "/api/sessions/..%2f..%2fetc",
        "/api/sessions/%00",
    ],
)
def test_no_address_is_a_path(studio: Studio, path: str) -> None:
    with socket.create_connection(("127.0.0.1", studio.port)) as raw:
        raw.sendall(f"GET {path} HTTP/1.1\r\nHost: {studio.host}\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while part := raw.recv(65536):
            answer += part
    assert answer.split()[1] in (b"404", b"405", b"400", b"422"), answer[:100]
    assert b"root:" not in answer and b"import " not in answer


def garbage(chance: random.Random) -> str | bytes:
    """One message that nobody should send."""
    types = [model.model_fields["type"].default for model in messages.CLIENT]
    numbers = (-1, 0, 1e308, -1e308, 2**70, float("nan"), float("inf"), "3", None, [], {}, True)
    kind = chance.randrange(9)
    if kind == 0:
        return chance.randbytes(chance.randrange(200))
    if kind == 1:
        return "".join(chr(chance.randrange(32, 0xD7FF)) for _ in range(chance.randrange(100)))
    if kind == 2:
        return "[" * chance.randrange(1, 3000)
    if kind == 3:
        return json.dumps(
            {"type": "ride", "number": chance.randrange(2**32), "speed": chance.uniform(-99, 99)}
        )
    if kind == 4:
        return json.dumps({"type": "plan", "text": chance.choice(PLANS)})
    if kind == 5:
        return json.dumps({"type": chance.choice(types), "x" * chance.randrange(50): 1})
    if kind == 6:
        return json.dumps({"type": chance.choice(types), "recording": "../" * 9, "format": "exe", "on": 7})
    if kind == 7:
        fields = (
            "speed",
            "turn",
            "heading",
            "number",
            "frame",
            "frames",
            "time_scale",
            "height",
            "first",
            "gait",
        )
        return json.dumps({"type": chance.choice(types), chance.choice(fields): chance.choice(numbers)})
    return json.dumps({"type": chance.choice(["hello", "bye", "state", "", None, 5, types])})


PLANS = (
    "a: &x [*x, *x]",
    "{" * 500,
    "segments: [{for: 1e99 s, speed: 1}]",
    "!!python/object:os.system x",
    "\t",
)


def test_ten_thousand_bad_messages_harm_no_session() -> None:
    chance = random.Random(1)
    # All of them are looked at: no rate is in their way.
    with running(messages_per_second=10**6, burst=10**6) as one, one.socket() as good:
        good.say("ride", number=1, speed=3.0)
        good.until(lambda r: r.frame is not None and r.head("speed") > 2.5)
        with reading(good):
            session, sent = "", 0
            while sent < 10_000:
                with one.socket(session, max_size=None) as bad:
                    hello = bad.hear("hello")
                    assert not session or hello["session"] == session, "its own ride is still there"
                    session = hello["session"]
                    for _ in range(2500):
                        bad.raw.send(garbage(chance))
                        sent += 1
                    bad.say("ping", number=sent)
                    assert bad.hear("pong")["number"] == sent
                    check_rides(bad)
                    # One that is too large ends the connection, no more.
                    with pytest.raises(ConnectionClosed):
                        bad.raw.send(json.dumps({"type": "plan", "text": "x" * 100_000}))
                        while True:
                            bad.listen()
        assert good.raw.protocol.state.name == "OPEN"
        good.say("ride", number=2, speed=1.0)
        good.until(lambda r: r.head("command") == 2)
        check_rides(good)
        assert one.call("GET", "/health")["clients"] == 1


@contextmanager
def reading(rider: Any) -> Iterator[None]:
    """Somebody looks at what comes meanwhile, as a page does; one who does not is let go after a while."""
    over = threading.Event()

    def read() -> None:
        while not over.is_set():
            rider.listen()

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(PATIENCE)


def check_rides(rider: Any) -> None:
    """The horse still follows its rider, and its frames are numbers."""
    rider.say("reset")
    rider.say("clock", paused=False, time_scale=1)
    rider.say("ride", speed=2.0)  # without a number: those that were made up are as large as can be
    rider.until(lambda r: r.frame is not None and r.head("wanted_speed") == 2.0 and r.head("speed") > 1.0)
    assert np.isfinite(rider.frame["positions"]).all() and np.isfinite(rider.head("root")).all()


def test_a_flood_is_thrown_away_and_the_others_ride_on() -> None:
    with running(messages_per_second=60, burst=60) as one, one.socket() as calm, one.socket() as wild:
        wild.hear("hello")
        for n in range(3000):
            wild.say("ride", number=n + 1, speed=float(n % 5))
        problem = wild.hear("problem")
        assert problem["code"] == "rate" and "60" in problem["text"]
        numbers = [int(row["head"]["number"]) for row in calm.frames(60)]
        assert np.median(np.diff(numbers)) == 1


def test_a_stream_of_problems_is_not_answered_one_by_one(studio: Studio) -> None:
    with studio.socket() as rider:
        for _ in range(200):
            rider.raw.send("{}")
        rider.say("ping", number=1)
        rider.hear("pong")
        assert 1 <= sum(told["type"] == "problem" for told in rider.all) < 20
