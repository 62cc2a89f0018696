"""The page in a real browser against the real server: ridden by keys, recorded, reconnected."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageSequence

import hoofbeat as hb
from hoofbeat.formats.planfile import parse_plan
from hoofbeat.studio.facts import available_formats
from hoofbeat.studio.wire.frame import block_dtype
from studio_page import Studio, Visit, base, missing, visit, wait

pytestmark = pytest.mark.skipif(missing() is not None, reason=missing() or "")


def test_opens_and_is_ridden_by_keys(studio: Studio, chromium: Any) -> None:
    with visit(chromium, studio.address) as seen:
        seen.ready()
        start = seen.state()
        assert start["gait"] == "stand" and start["speed"] < 0.05 and start["contacts"] == [1, 1, 1, 1]
        assert start["preset"] == "low" and start["method"] == "timewarp"
        keyboard = seen.page.keyboard
        keyboard.down("ArrowUp")
        seen.until(lambda now: base(now["gait"]) == "trot" and now["speed"] > 3, "an arrow key trots")
        keyboard.down("Shift")
        seen.until(lambda now: base(now["gait"]) == "gallop" and now["speed"] > 8, "with shift it gallops")
        keyboard.up("Shift")
        keyboard.down("a")
        turned = seen.state()["heading"]
        seen.until(lambda now: now["heading"] > turned + 0.3, "A turns left")
        keyboard.up("a")
        keyboard.down("e")
        turned = seen.state()["heading"]
        seen.until(lambda now: now["heading"] < turned - 0.1, "E turns right")
        keyboard.up("e")
        keyboard.up("ArrowUp")
        rest = seen.until(lambda now: now["speed"] < 0.05, "without a key it halts")
        assert rest["frame"] > start["frame"] and math.dist(rest["position"], start["position"]) > 5
        assert all(0 <= phase < 1 for phase in rest["phase"]) and 1 < rest["fps"] < 200
        assert seen.complaints == []


def test_gait_keys_keep_on_and_modifiers_order_the_speeds(studio: Studio, chromium: Any) -> None:
    with visit(chromium, studio.address) as seen:
        keyboard = seen.ready().page.keyboard
        keyboard.press("r")
        walk = seen.until(
            lambda now: base(now["gait"]) == "walk" and now["wanted"] > 0, "R walks, and keeps on"
        )
        keyboard.press("r")
        seen.until(lambda now: now["wanted"] > walk["wanted"], "R again is the next gait")
        keyboard.press("s")
        seen.until(lambda now: now["wanted"] == 0, "S halts")
        wanted = []
        for key in ("Alt", None, "Control", "Shift"):
            if key:
                keyboard.down(key)
            keyboard.down("ArrowUp")
            sent = seen.state()["sent"]
            rides = seen.until(lambda now, n=sent: now["command"] >= n and now["wanted"] > 0, f"{key} rides")
            wanted.append(rides["wanted"])
            keyboard.up("ArrowUp")
            if key:
                keyboard.up(key)
            seen.until(lambda now: now["wanted"] == 0, "let go, it halts")
        assert wanted == sorted(wanted) and len(set(wanted)) == 4
        assert seen.complaints == []


def test_no_key_is_dead(studio: Studio, chromium: Any) -> None:
    with visit(chromium, studio.address) as seen:
        page = seen.ready().page
        said = page.locator("#toasts")
        page.keyboard.press("Space")
        wait(lambda: "jump" in said.inner_text(), "it says that it does not jump")
        page.keyboard.press("9")
        wait(lambda: "has no action 9; it has 1 idle" in said.inner_text(), "and what it has instead")
        page.keyboard.press("1")
        page.keyboard.press("o")
        idle = page.get_by_role("button", name="Idle")
        wait(lambda: idle.get_attribute("aria-pressed") == "true", "a number key chooses the action")
        assert page.get_by_role("button", name="Jump").is_disabled()
        assert page.get_by_role("tabpanel").get_by_text("No method jumps yet").is_visible()
        assert page.get_by_label("Ground", exact=True).is_disabled()
        assert page.get_by_text("There is no other ground yet").is_visible()
        assert seen.complaints == []


def test_method_height_and_coat_change_while_riding(studio: Studio, chromium: Any) -> None:
    with visit(chromium, studio.address) as seen:
        page = seen.ready().page
        page.keyboard.press("r")
        seen.until(lambda now: now["speed"] > 0.5, "it walks")
        page.keyboard.press("o")
        page.get_by_label("Method", exact=True).select_option("actions")
        other = seen.until(lambda now: now["method"] == "actions", "another method")
        seen.until(lambda now: now["frame"] > other["frame"] + 10 and now["speed"] > 0.5, "it rides on")
        page.get_by_label("Height", exact=True).fill("1.6")
        session = other["session"]
        wait(
            lambda: abs(studio.get(f"api/sessions/{session}")["state"]["height"] - 1.6) < 0.01,
            "a taller horse",
        )
        page.get_by_role("radio", name="Grey").click()
        wait(lambda: studio.get(f"api/sessions/{session}")["state"]["coat"] == "grey", "a grey one")
        assert seen.complaints == []


def edited(take: dict[str, Any]) -> dict[str, Any] | None:
    return take if take["name"] == "a volte" and take["first"] == 5 else None


def test_a_downloaded_take_is_what_the_server_recorded(studio: Studio, chromium: Any, tmp_path: Path) -> None:
    with visit(chromium, studio.address) as seen:
        page = seen.ready().page
        page.keyboard.press("k")
        seen.until(lambda now: now["recording"], "it records")
        page.keyboard.press("r")
        page.keyboard.down("q")
        seen.until(
            lambda now: now["heading"] > 0.2 and math.hypot(*now["position"]) > 0.5, "it goes and turns"
        )
        page.keyboard.up("q")
        page.keyboard.press("k")
        seen.until(lambda now: not now["recording"], "it has stopped")
        session = seen.state()["session"]
        page.get_by_label("Name", exact=True).fill("a volte")
        page.get_by_label("Name", exact=True).press("Enter")
        page.get_by_label("First frame").fill("5")
        takes = f"api/sessions/{session}/recordings"
        take = wait(lambda: edited(studio.get(takes)["recordings"][0]), "named and trimmed")
        with page.expect_download(timeout=60_000) as coming:
            page.get_by_role("button", name=".npz").click()
        path = tmp_path / coming.value.suggested_filename
        coming.value.save_as(path)
        assert path.name == "a-volte.npz"
        clip = hb.load(path)
        joints = len(clip.skeleton)
        blocks = np.frombuffer(studio.fetch(f"{takes}/{take['id']}/frames"), block_dtype(joints))
        assert len(clip.positions) == len(blocks) == take["frames"] - 5
        recorded = blocks["head"]["root"][:, None, :] + blocks["positions"]
        assert np.abs(clip.positions - recorded).max() < 1e-4
        assert np.ptp(recorded[:, 0], axis=0).max() > 0.2  # it has moved
        with page.expect_download(timeout=30_000) as coming:
            page.get_by_role("button", name="Save as plan").click()
        plan = Path(coming.value.path()).read_text()
        assert "method: timewarp" in plan and "for:" in plan
        assert seen.complaints == []


@pytest.mark.skipif("webp" not in available_formats()[0], reason="nothing here draws moving pictures")
def test_a_moving_picture_is_downloaded(studio: Studio, chromium: Any, tmp_path: Path) -> None:
    with visit(chromium, studio.address) as seen:
        page = seen.ready().page
        page.get_by_role("button", name="Trot").click()
        seen.until(lambda now: now["speed"] > 2, "it trots")
        page.keyboard.press("k")
        seen.until(lambda now: now["recording"], "it records")
        page.wait_for_timeout(500)
        page.keyboard.press("k")
        seen.until(lambda now: not now["recording"], "it has stopped")
        page.get_by_label("Last frame").fill("16")
        length = page.get_by_text("17 of")
        wait(lambda: length.is_visible(), "trimmed")
        with page.expect_download(timeout=120_000) as coming:
            page.get_by_role("button", name=".webp").click()
        path = tmp_path / coming.value.suggested_filename
        coming.value.save_as(path)
        wait(lambda: page.get_by_text("downloaded").is_visible(), "it says so")
        with Image.open(path) as film:
            pictures = [np.asarray(frame.convert("RGB"), int) for frame in ImageSequence.Iterator(film)]
        assert 2 <= len(pictures) <= 17
        spread = [float(np.ptp(picture)) for picture in pictures]
        assert min(spread) > 100  # something is drawn
        assert all(np.abs(b - a).max() > 30 for a, b in pairwise(pictures))  # and it moves
        assert seen.complaints == []


def test_a_plan_saved_from_the_page_knows_the_length_of_stride(studio: Studio, chromium: Any) -> None:
    with visit(chromium, studio.address) as seen:
        page = seen.ready().page
        page.keyboard.press("o")
        page.get_by_label("Stride", exact=True).fill("0.6")
        page.get_by_role("button", name="Trot").click()
        now = seen.until(lambda now: now["speed"] > 2, "it trots")
        plan = parse_plan(studio.fetch(f"api/sessions/{now['session']}/plan"))
        assert plan.segments[-1].extension == pytest.approx(0.6)
        assert seen.complaints == []


PLAN = """method: timewarp
segments:
  - {for: 60 s, speed: 1.5}
"""


def test_a_plan_is_ridden_until_the_rider_takes_over(studio: Studio, chromium: Any, tmp_path: Path) -> None:
    (tmp_path / "ride.yaml").write_text(PLAN)
    with visit(chromium, studio.address) as seen:
        page = seen.ready().page
        page.locator("#plan-file").set_input_files(str(tmp_path / "ride.yaml"))
        now = seen.until(lambda now: now["wanted"] == 1.5, "the plan is ridden")
        session = f"api/sessions/{now['session']}"
        assert studio.get(session)["state"]["plan"]
        page.reload()
        seen.ready()
        page.keyboard.press("o")
        page.get_by_label("Height", exact=True).fill("1.5")
        wait(lambda: abs(studio.get(session)["state"]["height"] - 1.5) < 0.01, "a taller horse")
        wait(lambda: not studio.get(session)["state"]["switching"], "it is ready")
        page.wait_for_timeout(600)
        assert studio.get(session)["state"]["plan"]  # neither a reload nor another horse ends it
        page.keyboard.press("s")
        wait(lambda: studio.get(session)["state"]["plan"] is None, "a key of the rider ends it")
        assert seen.complaints == []


SLOW = """
const draw = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = (then) => draw((now) => {
  const end = performance.now() + 90;
  while (performance.now() < end);
  then(now);
});
"""


def test_the_preset_falls_where_pictures_are_slow(studio: Studio, chromium: Any) -> None:
    with visit(chromium, studio.address, SLOW, {"preset": "", "level": "high"}) as seen:
        seen.ready()
        seen.until(lambda now: now["preset"] == "medium", "from high to medium")
        seen.until(lambda now: now["preset"] == "low", "from medium to low")
        assert seen.complaints == []


def test_help_lists_and_rebinds_keys(studio: Studio, chromium: Any) -> None:
    with visit(chromium, studio.address) as seen:
        page = seen.ready().page
        sheet = page.get_by_role("dialog", name="Riding by keys")
        assert not sheet.is_visible()
        page.keyboard.press("?")
        assert sheet.is_visible()
        sheet.get_by_role("button", name="Next faster gait").click()
        page.keyboard.press("g")
        page.keyboard.press("Escape")
        assert not sheet.is_visible()
        page.keyboard.press("r")
        page.keyboard.press("g")
        seen.until(lambda now: now["wanted"] > 0, "the new key rides")
        assert base(seen.state()["going_to"]) in ("stand", "walk")
        assert seen.complaints == []


def test_pause_step_and_slow_motion(studio: Studio, chromium: Any) -> None:
    with visit(chromium, studio.address) as seen:
        page = seen.ready().page
        page.keyboard.press("p")
        paused = seen.until(lambda now: now["paused"], "it is paused")
        # A frame from before may still be on its way: what the server says is where it stopped.
        frozen = studio.get(f"api/sessions/{paused['session']}")["frame"]["number"]
        seen.until(lambda now: now["frame"] == frozen, "the page has come there too")
        page.wait_for_timeout(250)
        assert seen.state()["frame"] == frozen
        page.keyboard.press(".")
        seen.until(lambda now: now["frame"] == frozen + 1, "one frame on")
        page.keyboard.press("p")
        seen.until(lambda now: now["frame"] > frozen + 5, "it goes on")


HEARD = """
window.heard = [];
window.OscillatorNode = class extends OscillatorNode {
  constructor(context, given) { super(context, given); window.heard.push(given.frequency); }
};
"""


def test_every_leg_is_heard_in_its_own_pitch(studio: Studio, chromium: Any) -> None:
    with visit(chromium, studio.address, HEARD) as seen:
        page = seen.ready().page
        page.keyboard.press("r")
        heard = wait(lambda: len(beats := page.evaluate("window.heard")) >= 8 and beats, "hoofbeats")
        first, again = heard[-8:-4], heard[-4:]
        assert len(set(first)) == 4 and first == again  # a walk: four beats, one a leg, always in one order
        page.keyboard.press("m")
        count = len(page.evaluate("window.heard"))
        page.wait_for_timeout(700)
        assert len(page.evaluate("window.heard")) <= count + 1
        assert seen.complaints == []


def test_a_server_that_slept_is_ridden_on(studio: Studio, chromium: Any) -> None:
    with visit(chromium, studio.address) as seen:
        page = seen.ready().page
        page.keyboard.press("r")
        before = seen.until(lambda now: now["speed"] > 0.5, "it walks")
        studio.sleep()
        wait(lambda: page.get_by_text("The server is away").is_visible(), "silence is noticed")
        asleep, woken = seen.state()["frame"], time.monotonic()
        studio.wake()
        again = seen.until(lambda now: now["connected"] and now["frame"] > before["frame"], "it is back")
        assert again["session"] == before["session"]
        seen.until(lambda now: now["frame"] > again["frame"] + 20 and now["speed"] > 0.5, "the ride goes on")
        # Time that was slept through is not ridden in a rush.
        assert seen.state()["frame"] - asleep < 60 * (time.monotonic() - woken) + 30


@pytest.fixture
def riding(studio: Studio, chromium: Any) -> Iterator[Visit]:
    with visit(chromium, studio.address) as seen:
        yield seen.ready()


def test_comes_back_after_a_reload_and_a_restart(studio: Studio, riding: Visit) -> None:
    page = riding.page
    page.keyboard.press("r")
    before = riding.until(lambda now: now["position"][2] > 1, "some way is ridden")
    page.reload()
    again = riding.ready().state()
    assert again["session"] == before["session"]
    assert again["position"][2] >= before["position"][2] - 0.01
    assert again["wanted"] == before["wanted"] > 0  # the ride goes on
    page.keyboard.press("s")
    riding.until(lambda now: now["wanted"] == 0, "and obeys")
    page.keyboard.press("k")
    riding.until(lambda now: now["recording"], "a take is being made")
    studio.stop()
    riding.until(lambda now: not now["connected"], "it has noticed")
    wait(lambda: page.get_by_text("The server is away").is_visible(), "it says so")
    studio.start()
    back = riding.until(lambda now: now["connected"] and now["frame"] > 0, "it is back by itself")
    assert back["session"] == before["session"]
    assert back["position"][2] >= before["position"][2] - 0.01
    wait(lambda: not page.get_by_text("The server is away").is_visible(), "and shows the horse")
    takes = studio.get(f"api/sessions/{back['session']}/recordings")["recordings"]
    assert len(takes) == 1 and takes[0]["done"] and takes[0]["frames"] > 0
    page.keyboard.press("r")
    riding.until(lambda now: now["speed"] > 0.3, "and is ridden on")
