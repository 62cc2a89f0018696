"""Ride the studio from a script, without a browser: halt, walk, trot, a canter circle each way, halt.

Speaks to the studio by REST with Python's own library, as a program in any language could. Starts a studio of
its own, or uses the one whose address is given: `python 06_ride_by_script.py http://localhost:8123`. Leaves
the recorded ride as glTF and as a plan file in `out`. docs/studio.md describes the interface; what is left
out here is the WebSocket, which brings sixty frames a second to whoever wants to look.
HOOFBEAT_QUICK=1 rides each part for a shorter time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

QUICK = bool(os.environ.get("HOOFBEAT_QUICK"))
OUT = Path("out")
#: What is ridden: seconds, and a command of the studio.
PARTS = (
    ("halt", 1, {"speed": 0}),
    ("walk", 4, {"speed": 1.6}),
    ("trot", 4, {"speed": 3.6, "gait": "trot"}),
    ("canter left", 8, {"speed": 5.5, "gait": "canter-left", "turn": 0.6}),
    ("canter right", 8, {"speed": 5.5, "gait": "canter-right", "turn": -0.6}),
    ("halt", 4, {"speed": 0}),
)


class Studio:
    """The REST interface: JSON there and back."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """A request with a JSON body; its answer."""
        data = self.fetch(method, path, None if body is None else json.dumps(body).encode())
        return json.loads(data) if data else None

    def fetch(self, method: str, path: str, body: bytes | None = None) -> bytes:
        """The same, as bytes."""
        head = {"content-type": "application/json"}
        with urlopen(Request(self.address + path, body, head, method=method), timeout=120) as answer:
            return answer.read()


def ride(studio: Studio) -> None:
    """Make a horse, ride and record it, and fetch what was recorded."""
    # A manual clock: time passes by /steps alone, as fast as the server can.
    token = studio.call("POST", "/api/sessions", {"method": "timewarp", "clock": "manual"})["session"]
    base = f"/api/sessions/{token}"
    recording = studio.call("POST", f"{base}/recordings", {"name": "scripted"})["id"]
    for name, seconds, command in PARTS:
        frames = round(60 * seconds * (0.25 if QUICK else 1))
        now = studio.call("POST", f"{base}/steps", {"ride": command, "frames": frames})["frame"]
        x, _, z = now["root"]
        print(
            f"{now['time']:5.1f} s  {name:13} {now['gait']:13} {now['speed']:4.1f} m/s at {x:6.1f} {z:6.1f} m"
        )
    kept = studio.call("PATCH", f"{base}/recordings/{recording}", {"done": True})
    export = studio.call("POST", f"{base}/recordings/{recording}/exports", {"format": "glb"})
    while export["state"] in ("waiting", "running"):
        time.sleep(0.1)
        export = studio.call("GET", f"{base}/exports/{export['id']}")
    if export["state"] == "failed":
        raise SystemExit(f"the export failed: {export['error']}")
    OUT.mkdir(exist_ok=True)
    (OUT / "scripted.glb").write_bytes(studio.fetch("GET", export["url"]))
    (OUT / "scripted.yaml").write_bytes(studio.fetch("GET", f"{base}/recordings/{recording}/plan"))
    studio.call("DELETE", base)
    print(f"{kept['frames']} frames in {OUT / 'scripted.glb'}")
    print(f"hoofbeat synth {OUT / 'scripted.yaml'} -o again.bvh rides the same again")


def main() -> None:
    if len(sys.argv) > 1:
        ride(Studio(sys.argv[1]))
        return
    command = [sys.executable, "-m", "hoofbeat", "studio", "--port", "0", "--no-open", "--no-keep"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        ride(Studio(server.stdout.readline().split()[-1]))  # "hoofbeat studio at http://…"
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
