"""A ride filmed from the page: halt, walk, trot, a canter circle each way, halt; frame by frame.

The page is paused and stepped, and every picture is a screenshot of what a rider sees, as slowly as it takes.

    .venv/bin/python -m benchmarks.studio_film [--out docs/images/studio/ride.webp] [--width 520] [--fps 10]
"""

from __future__ import annotations

import argparse
import io
import json
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image
from tests import studio_page
from tests.studio_page import Studio, Visit, browser, missing, visit, wait

from benchmarks.studio_pictures import QUICKER

ROOT = Path(__file__).resolve().parents[1]
PLAN = """name: schooling
method: timewarp
segments:
  - {for: 1 s, speed: 0}
  - {for: 3.5 s, speed: 1.5}
  - {for: 3.5 s, speed: 3.8}
  - {for: 1 s, speed: 6}
  - {for: 7.5 s, speed: 6, turn: 48 deg/s}
  - {for: 1 s, speed: 6}
  - {for: 7.5 s, speed: 6, turn: -48 deg/s}
  - {for: 3.5 s, speed: 0}
"""
SECONDS = 28.5
RATE = 60
SIZE = (840, 680)


def filmed(chromium: Any, studio: Studio, fps: int) -> Iterator[Image.Image]:
    """The pictures of the ride."""
    studio_page.WINDOW = SIZE
    kept = {"preset": "medium", "theme": "light", "hint": "seen", "sound": "off"}
    with visit(chromium, studio.address, "", kept) as seen, tempfile.TemporaryDirectory() as folder:
        page = seen.ready().page
        page.wait_for_timeout(1500)
        page.keyboard.press("p")
        seen.until(lambda now: now["paused"], "it is paused")
        plan = Path(folder) / "schooling.yaml"
        plan.write_text(PLAN)
        page.locator("#plan-file").set_input_files(str(plan))
        page.wait_for_timeout(500)
        for _ in range(round(SECONDS * fps)):
            step(studio, seen, RATE // fps)
            page.evaluate(
                "() => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)))"
            )
            yield Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def step(studio: Studio, seen: Visit, frames: int) -> None:
    """Go on by so many frames and wait until the page draws them."""
    now = seen.state()
    asked = urllib.request.Request(
        f"{studio.address}api/sessions/{now['session']}/steps",
        json.dumps({"frames": frames}).encode(),
        {"content-type": "application/json"},
    )
    urllib.request.urlopen(asked, timeout=20).close()
    wait(
        lambda: seen.page.evaluate("window.hoofbeat.onScreen().frame") >= now["frame"] + frames,
        "the frame is drawn",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images" / "studio" / "ride.webp")
    parser.add_argument("--width", type=int, default=520)
    parser.add_argument("--fps", type=int, default=10)
    parser.add_argument("--quality", type=int, default=34)
    asked = parser.parse_args()
    if reason := missing():
        raise SystemExit(reason)
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        studio = Studio(Path(folder))
        studio.start()
        chromium = playwright.chromium.launch(executable_path=browser(), args=QUICKER)
        size = (asked.width, round(asked.width * SIZE[1] / SIZE[0]))
        try:
            pictures = []
            for picture in filmed(chromium, studio, asked.fps):
                pictures.append(picture.resize(size, Image.Resampling.LANCZOS))
                if len(pictures) % 30 == 0:
                    print(f"{len(pictures) / asked.fps:.0f} of {SECONDS:.0f} s", flush=True)
        finally:
            chromium.close()
            studio.stop()
    pictures[0].save(
        asked.out,
        save_all=True,
        append_images=pictures[1:],
        duration=round(1000 / asked.fps),
        loop=0,
        quality=asked.quality,
        method=4,
    )
    print(f"{asked.out}: {asked.out.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
