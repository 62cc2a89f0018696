"""The studio as a visitor has it: the real server in a process of its own, the page in real Chromium."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "src" / "hoofbeat" / "studio" / "static" / "index.html"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",  # as root, in a container, there is none to be had; only our own page is opened
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--autoplay-policy=no-user-gesture-required",
]
#: Small and at the low preset: the processor draws.
WINDOW = (640, 520)
LIMIT = 40.0  # seconds, for anything that is waited for


def missing() -> str | None:
    """Why the page cannot be opened here; None: it can."""
    if find_spec("playwright") is None:
        return "playwright is not installed"
    if browser() is None:
        return "Chromium is not installed: apt-get install chromium"
    if not PAGE.is_file():
        return "the page is not built: make web"
    return None


def browser() -> str | None:
    """The installed browser."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


class Studio:
    """A server on its own port and folder; `stop` and `start` again keep both."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.address = f"http://localhost:{self.port}/"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Open the port."""
        command = [sys.executable, "-m", "hoofbeat", "studio", "--port", str(self.port), "--no-open"]
        environment = {**os.environ, "HOOFBEAT_STUDIO_DIR": str(self.folder)}
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        wait(self._answers, "the server answers", 120)

    def _answers(self) -> bool:
        assert self._process is not None and self._process.poll() is None, (self.folder / "log").read_text()
        try:
            return self.get("api/health") is not None
        except OSError:
            return False

    def stop(self) -> None:
        """Ask it to end, as Ctrl-C does."""
        if self._process is None:
            return
        self.wake()
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(5)
        self._process = None

    def sleep(self) -> None:
        """Let no time pass for it, as a laptop that is shut."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def wake(self) -> None:
        """Go on."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def fetch(self, path: str) -> bytes:
        """What a GET of this address gives."""
        with urllib.request.urlopen(self.address + path, timeout=20) as answer:
            return answer.read()

    def get(self, path: str) -> Any:
        """The same, read as JSON."""
        return json.loads(self.fetch(path))


def wait(true: Callable[[], Any], what: str, limit: float = LIMIT) -> Any:
    """The first true answer; fails after `limit` seconds. The page forbids eval, so it is asked from here."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if answer := true():
            return answer
        time.sleep(0.05)
    raise AssertionError(f"never within {limit:.0f} s: {what}")


@contextmanager
def serving(folder: Path) -> Iterator[Studio]:
    """A studio that runs."""
    one = Studio(folder)
    one.start()
    try:
        yield one
    finally:
        one.stop()


@contextmanager
def browsing() -> Iterator[Any]:
    """The browser, open."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser(), args=FLAGS)
        yield opened
        opened.close()


def base(gait: str) -> str:
    """A gait without its lead."""
    return gait.removesuffix("-left").removesuffix("-right")


@dataclass
class Visit:
    """One open page and what its console said."""

    page: Any
    complaints: list[str] = field(default_factory=list)

    def state(self) -> dict[str, Any]:
        """window.hoofbeat.state()"""
        return self.page.evaluate("window.hoofbeat ? window.hoofbeat.state() : {frame: -1}")

    def until(self, true: Callable[[dict[str, Any]], Any], what: str, limit: float = LIMIT) -> dict[str, Any]:
        """The first state for which it is true."""
        try:
            return wait(lambda: (now := self.state()) and true(now) and now, what, limit)
        except AssertionError as never:
            raise AssertionError(f"{never}; now {self.state()}") from None

    def ready(self) -> Visit:
        """The horse is drawn."""
        self.until(lambda now: now["frame"] > 3 and now["connected"], "frames come")
        return self


@contextmanager
def visit(
    chromium: Any, address: str, script: str = "", stored: dict[str, str] | None = None, touch: bool = False
) -> Iterator[Visit]:
    """Open the page in a fresh profile; `script` runs before its own, `stored` are remembered choices; touch:
    on a tablet."""
    width, height = WINDOW
    context = chromium.new_context(
        viewport={"width": width, "height": height}, accept_downloads=True, has_touch=touch
    )
    kept = {"preset": "low", **(stored or {})}
    lines = [f"localStorage.setItem('hoofbeat.{key}', {json.dumps(value)});" for key, value in kept.items()]
    context.add_init_script("".join(lines) + script)
    page = context.new_page()
    seen = Visit(page)
    page.on("console", lambda said: seen.complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda problem: seen.complaints.append(str(problem)))
    try:
        page.goto(address)
        yield seen
    finally:
        context.close()
