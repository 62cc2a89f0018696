"""Pictures of the studio for docs/studio.md: every state of the page, in Chromium, as small .webp files.

.venv/bin/python -m benchmarks.studio_pictures [--out docs/images/studio] [--only NAME…]
"""

from __future__ import annotations

import argparse
import io
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from tests import studio_page
from tests.studio_page import FLAGS, Studio, Visit, browser, missing, visit, wait

ROOT = Path(__file__).resolve().parents[1]
#: Widest picture that is kept [px].
WIDEST = 1200
#: Mesa draws faster than SwiftShader where it is installed.
QUICKER = [flag for flag in FLAGS if "swiftshader" not in flag] + [
    "--use-angle=gl-egl",
    "--ignore-gpu-blocklist",
]


class Camera:
    """Opens pages of one studio and keeps what they look like."""

    def __init__(self, chromium: Any, studio: Studio, out: Path) -> None:
        self.chromium, self.studio, self.out = chromium, studio, out

    @contextmanager
    def at(
        self, width: int, height: int, look: str = "light", preset: str = "high", **more: Any
    ) -> Iterator[Visit]:
        """A page of this size and look; more: `script` and `touch` as for `visit`, the rest is remembered."""
        studio_page.WINDOW = (width, height)
        how = {"script": more.pop("script", ""), "touch": more.pop("touch", False)}
        kept = {"preset": preset, "theme": look, "hint": "seen", "sound": "off", **more}
        with visit(self.chromium, self.studio.address, stored=kept, **how) as seen:
            yield seen

    def keep(self, seen: Visit, name: str) -> None:
        """Take the picture."""
        picture = Image.open(io.BytesIO(seen.page.screenshot())).convert("RGB")
        if picture.width > WIDEST:
            picture = picture.resize(
                (WIDEST, round(picture.height * WIDEST / picture.width)), Image.Resampling.LANCZOS
            )
        picture.save(self.out / f"{name}.webp", quality=80, method=6)


def first(camera: Camera) -> None:
    """What a newcomer sees."""
    with camera.at(1440, 900, hint="") as seen:
        seen.ready().page.wait_for_timeout(2500)
        camera.keep(seen, "first")


def ride(camera: Camera) -> None:
    """A gallop on a left turn, light and dark."""
    for look in ("light", "dark"):
        with camera.at(1440, 900, look) as seen:
            keyboard = seen.ready().page.keyboard
            keyboard.down("Shift")
            keyboard.down("ArrowUp")
            seen.until(lambda now: now["gait"].startswith("gallop") and now["speed"] > 10, "it gallops")
            keyboard.down("ArrowLeft")
            seen.page.wait_for_timeout(2500)
            camera.keep(seen, f"gallop-{look}")


def side(camera: Camera) -> None:
    """From the side, at 900 x 700, with all that can be shown."""
    with camera.at(900, 700, camera="side") as seen:
        page = seen.ready().page
        for _ in range(3):
            page.keyboard.press("r")
        seen.until(lambda now: now["gait"] == "trot" and now["speed"] > 3.5, "it trots")
        page.wait_for_timeout(2500)
        camera.keep(seen, "side-trot")
        page.keyboard.press("p")
        page.keyboard.press("o")
        page.get_by_role("tab", name="View").click()
        for name in ("Skeleton", "Joint axes", "Foot targets", "Lock corrections", "Path of"):
            page.get_by_role("checkbox", name=name).check()
        page.wait_for_timeout(600)
        camera.keep(seen, "marks")


def take(camera: Camera) -> None:
    """A take to trim and download."""
    with camera.at(1440, 900) as seen:
        page = seen.ready().page
        page.keyboard.press("k")
        for _ in range(5):
            page.keyboard.press("r")
        page.keyboard.down("d")
        seen.until(lambda now: now["gait"].startswith("canter") and now["heading"] < -1.5, "it canters")
        page.keyboard.press("k")
        page.wait_for_timeout(800)
        page.get_by_label("Name", exact=True).fill("canter, right rein")
        page.get_by_label("First frame").fill("60")
        page.wait_for_timeout(600)
        camera.keep(seen, "take")
        with page.expect_download(timeout=120_000):
            page.get_by_role("button", name=".webp").click()
            wait(lambda: page.locator("text=/making it, [2-9]/").is_visible(), "it is being made")
            camera.keep(seen, "exporting")
        page.keyboard.press("p")
        page.wait_for_timeout(600)
        camera.keep(seen, "paused")


def plain(camera: Camera) -> None:
    """The low preset, and where nothing can be drawn; the first moment."""
    with camera.at(900, 700, "dark", "low") as seen:
        seen.ready().page.keyboard.press("r")
        seen.page.keyboard.press("Space")
        seen.page.wait_for_timeout(2500)
        camera.keep(seen, "low")
    with camera.at(900, 700, script="HTMLCanvasElement.prototype.getContext = () => null;") as seen:
        seen.page.wait_for_timeout(800)
        camera.keep(seen, "failed")
    with camera.at(900, 700, script="window.WebSocket = class { close() {} };") as seen:
        seen.page.wait_for_timeout(800)
        camera.keep(seen, "loading")


def sheets(camera: Camera) -> None:
    """The sheet of keys."""
    with camera.at(1440, 900, preset="medium") as seen:
        seen.ready().page.keyboard.press("?")
        seen.page.wait_for_timeout(500)
        camera.keep(seen, "keys")


def tablet(camera: Camera) -> None:
    """A tablet, upright and across."""
    for name, size in (("tablet", (820, 1180)), ("tablet-across", (1180, 820))):
        with camera.at(*size, "light", touch=True) as seen:
            page = seen.ready().page
            page.get_by_role("button", name="Trot").tap()
            seen.until(lambda now: now["gait"] == "trot" and now["speed"] > 3, "it trots")
            page.wait_for_timeout(1500)
            if name == "tablet-across":
                page.locator("#panel-open").tap()
                page.wait_for_timeout(500)
            camera.keep(seen, name)


def lost(camera: Camera) -> None:
    """Loading, server away, in another tab."""
    with camera.at(900, 700) as seen:
        seen.ready().page.keyboard.press("r")
        seen.page.wait_for_timeout(2500)
        session = seen.state()["session"]
        with camera.at(900, 700) as other:
            other.ready().page.evaluate(f"sessionStorage.setItem('hoofbeat.session', '{session}')")
            other.page.reload()
            wait(lambda: seen.page.get_by_text("Off the horse").is_visible(), "it says where the ride is")
            camera.keep(seen, "elsewhere")
            camera.studio.stop()
            wait(lambda: other.page.get_by_text("The server is away").is_visible(), "it says so")
            other.page.wait_for_timeout(400)
            camera.keep(other, "away")
            camera.studio.start()


STATES: dict[str, Callable[[Camera], None]] = {
    one.__name__: one for one in (first, ride, side, take, plain, sheets, tablet, lost)
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images" / "studio")
    parser.add_argument("--only", nargs="*", choices=sorted(STATES), default=sorted(STATES))
    asked = parser.parse_args()
    if reason := missing():
        raise SystemExit(reason)
    from playwright.sync_api import sync_playwright

    asked.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        studio = Studio(Path(folder))
        studio.start()
        chromium = playwright.chromium.launch(executable_path=browser(), args=QUICKER)
        try:
            for name in asked.only:
                print(name)
                STATES[name](Camera(chromium, studio, asked.out))
        finally:
            chromium.close()
            studio.stop()


if __name__ == "__main__":
    main()
