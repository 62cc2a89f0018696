"""Key press to changed pose: how long until a picture follows a key, in Chromium, against the real server.

The clock starts with the key event's own time stamp and stops when the first picture is drawn that blends in
a frame following the new command. The compositor and the display come after that: up to one refresh each.

    .venv/bin/python -m benchmarks.studio_latency [--presses 60] [--json]
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from pathlib import Path
from typing import Any

from tests.studio_page import FLAGS, Studio, browser, missing, visit

WATCH = """
window.pressed = {at: 0, wants: 0, ms: []};
addEventListener('keydown', (event) => {
  if (event.key !== 'ArrowLeft' || event.repeat) return;
  window.pressed.at = event.timeStamp;
  window.pressed.wants = window.hoofbeat.state().sent + 1;
}, {capture: true});
const watch = () => {
  const waiting = window.pressed;
  if (waiting.at && window.hoofbeat.onScreen().command >= waiting.wants) {
    waiting.ms.push(performance.now() - waiting.at);
    waiting.at = 0;
  }
  requestAnimationFrame(watch);
};
const start = () => (window.hoofbeat ? requestAnimationFrame(watch) : setTimeout(start, 50));
start();
"""


def measure(presses: int) -> dict[str, Any]:
    """Milliseconds of so many presses of a steering key while trotting."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        studio = Studio(Path(folder))
        studio.start()
        chromium = playwright.chromium.launch(executable_path=browser(), args=FLAGS)
        try:
            with visit(chromium, studio.address, WATCH) as seen:
                keyboard = seen.ready().page.keyboard
                keyboard.press("r")
                seen.until(lambda now: now["speed"] > 0.5, "it walks")
                for k in range(presses):
                    keyboard.down("ArrowLeft")
                    seen.page.wait_for_timeout(110 + 7 * (k % 5))
                    keyboard.up("ArrowLeft")
                    seen.page.wait_for_timeout(60)
                times = seen.page.evaluate("window.pressed.ms")
                fps = seen.state()["fps"]
        finally:
            chromium.close()
            studio.stop()
    times.sort()
    return {
        "presses": presses,
        "seen": len(times),
        "median_ms": statistics.median(times),
        "p90_ms": times[int(0.9 * (len(times) - 1))],
        "fps": fps,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--presses", type=int, default=60)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if reason := missing():
        raise SystemExit(reason)
    found = measure(asked.presses)
    if asked.json:
        print(json.dumps(found))
    else:
        print(
            f"key press to changed pose: median {found['median_ms']:.1f} ms, p90 {found['p90_ms']:.1f} ms "
            f"({found['seen']} of {found['presses']} presses; {found['fps']:.0f} pictures a second)"
        )


if __name__ == "__main__":
    main()
