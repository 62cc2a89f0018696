"""three.js in Chromium: GLTFLoader and BVHLoader read our files in a real browser.

A server on the loopback address hands out the page, three.js and the files; the page posts its report
back. No driver is needed: Chromium is started headless, and ended when the report is there.
"""

from __future__ import annotations

import base64
import io
import json
import queue
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
from findings import ClientFailed, ClientMissing, Finding, compare, compare_shadows
from PIL import Image

HERE = Path(__file__).resolve().parent
THREE = HERE / "node_modules" / "three"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",  # as root, in a container, there is no sandbox to be had; only our own page is opened
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
)
LIMIT = 120.0  # seconds


def check(folder: Path) -> list[Finding]:
    """What three.js finds in the .glb, .gltf and .bvh files of `folder`."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        raise ClientMissing("Chromium is not installed: apt-get install chromium")
    if not THREE.is_dir():
        raise ClientMissing("three.js is not installed: npm ci in tests/clients (Node and npm are needed)")
    with _serving(folder) as (address, reports), tempfile.TemporaryDirectory() as profile:
        report = _visit(browser, address, Path(profile), reports)
    if "files" not in report:
        raise ClientFailed(f"the page failed: {report.get('problem', report)}")
    found = compare(report["version"], folder, report["files"], {"bvh", "gltf"})
    for file in report["files"]:
        if file.get("shadows") is not None:
            seen = {name: _mask(picture) for name, picture in file["shadows"].items()}
            found.append(compare_shadows(report["version"], folder, file["file"], seen, file["seconds"]))
    return found


def _mask(address: str) -> np.ndarray:
    """What is white in a picture that came as a data address."""
    with Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2]))) as picture:
        return np.asarray(picture.convert("L")) > 127


def _visit(browser: str, address: str, profile: Path, reports: queue.Queue[Any]) -> dict[str, Any]:
    """Open the page and wait for its report; the browser is ended in any case."""
    command = [browser, *FLAGS, f"--user-data-dir={profile / 'data'}", address]
    with (profile / "log").open("w+b") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            return reports.get(timeout=LIMIT)
        except queue.Empty:
            log.seek(0)
            said = log.read()[-500:].decode(errors="replace")
            raise ClientFailed(f"no report within {LIMIT:.0f} s; Chromium said: {said}") from None
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(10)


@contextmanager
def _serving(folder: Path) -> Generator[tuple[str, queue.Queue[Any]]]:
    """A server of the page, three.js and `folder`; gives the page's address and the reports."""
    reports: queue.Queue[Any] = queue.Queue()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(folder, reports.put))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/three_page.html", reports
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def _handler(folder: Path, put: Callable[[Any], None]) -> type[SimpleHTTPRequestHandler]:
    class Handler(SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            # The parent class has made its path free of "..", below the folder it was given.
            for prefix, place in (("/files/", folder), ("/three/", THREE)):
                if path.startswith(prefix):
                    self.directory = str(place)
                    return super().translate_path(path.removeprefix(prefix.rstrip("/")))
            self.directory = str(HERE)
            return super().translate_path(path)

        def do_POST(self) -> None:  # noqa: N802 - the name is the parent class's
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(204)
            self.end_headers()
            put(json.loads(body))

        def log_message(self, format: str, *args: Any) -> None:  # noqa: ARG002
            """Say nothing."""

    return Handler
