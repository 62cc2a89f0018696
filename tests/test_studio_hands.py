"""The page in a real browser by hand: mouse, fingers, gamepad."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import pytest
from PIL import Image

from studio_page import Studio, base, missing, visit, wait

pytestmark = pytest.mark.skipif(missing() is not None, reason=missing() or "")


def test_mouse_slider_wheel_and_camera(studio: Studio, chromium: Any) -> None:
    with visit(chromium, studio.address) as seen:
        page = seen.ready().page
        page.get_by_role("button", name="Canter").click()
        seen.until(
            lambda now: base(now["going_to"]) == "canter" or now["wanted"] > 5, "a gait on the rail is ridden"
        )
        box = page.locator("#speed").bounding_box()
        page.mouse.click(box["x"] + 0.12 * box["width"], box["y"] + box["height"] / 2)
        slow = seen.until(lambda now: 1 < now["wanted"] < 3, "the slider sets the speed")
        helm = page.get_by_role("slider", name="Turn").bounding_box()
        page.mouse.move(helm["x"] + helm["width"] / 2, helm["y"] + helm["height"] / 2)
        page.mouse.down()
        page.mouse.move(helm["x"] + helm["width"] / 2 + 40, helm["y"] + helm["height"] / 2, steps=3)
        seen.until(lambda now: now["heading"] < slow["heading"] - 0.2, "the wheel turns right")
        page.mouse.up()
        seen.until(lambda now: abs(now["turn"]) < 0.05, "let go, the wheel comes back")
        page.get_by_role("radio", name="Side").click()
        assert seen.state()["camera"] == "side"
        before = page.locator("canvas").first.screenshot()
        page.mouse.move(300, 200)
        page.mouse.down()
        page.mouse.move(420, 180, steps=3)
        page.mouse.up()
        assert page.locator("canvas").first.screenshot() != before
        assert seen.complaints == []


def test_what_was_clicked_gives_the_keys_back_to_the_horse(studio: Studio, chromium: Any) -> None:
    with visit(chromium, studio.address) as seen:
        page = seen.ready().page
        box = page.locator("#speed").bounding_box()
        page.mouse.click(box["x"] + 0.12 * box["width"], box["y"] + box["height"] / 2)
        slow = seen.until(lambda now: 1 < now["wanted"] < 3, "the slider sets the speed")
        page.keyboard.down("ArrowLeft")
        turned = seen.until(lambda now: now["turn"] > 0.1, "an arrow steers, after the slider")
        assert turned["wanted"] == slow["wanted"]
        page.keyboard.up("ArrowLeft")
        helm = page.get_by_role("slider", name="Turn").bounding_box()
        page.mouse.click(helm["x"] + helm["width"] / 2, helm["y"] + helm["height"] / 2)
        page.keyboard.down("ArrowUp")
        seen.until(lambda now: now["wanted"] > slow["wanted"] + 0.5, "an arrow rides, after the wheel")
        page.keyboard.up("ArrowUp")
        # By Tab the slider is reached, and then the arrows are its own.
        page.locator("#speed").focus()
        page.keyboard.press("ArrowRight")
        assert page.evaluate("document.activeElement.id") == "speed"
        assert seen.complaints == []


def test_nothing_jumps_about_while_riding(studio: Studio, chromium: Any) -> None:
    with visit(chromium, studio.address) as seen:
        page = seen.ready().page

        def places() -> dict[str, Any]:
            names = ("stage", "rail", "steer", "readout", "footfall", "wheel", "transport", "speed")
            return {name: page.locator(f"#{name}").bounding_box() for name in names}

        still = places()
        page.get_by_role("button", name="Gallop").click()
        seen.until(lambda now: now["speed"] > 9, "it gallops")
        assert places() == still
        page.keyboard.press("p")
        page.keyboard.press("k")
        seen.until(lambda now: now["paused"] and now["recording"], "paused, recording")
        assert places() == still
        assert seen.complaints == []


def test_every_control_is_reached_by_tab_and_shows_it(studio: Studio, chromium: Any) -> None:
    with visit(chromium, studio.address) as seen:
        page = seen.ready().page
        page.keyboard.press("o")
        wanted = set(page.evaluate(REACHABLE))
        assert len(wanted) > 20
        reached: set[str] = set()
        for _ in range(2 * len(wanted)):
            page.keyboard.press("Tab")
            found = page.evaluate(FOCUSED)
            reached.add(found["name"])
            assert found["name"] in ("BODY", "") or found["ring"] not in ("none", "0px"), found
        assert wanted - reached == set()
        assert seen.complaints == []


NAME = """(one) => one.id || one.getAttribute('aria-label') || one.title || one.textContent"""
#: Everything that is seen and can be used; of a group of choices the chosen one.
REACHABLE = f"""[...document.querySelectorAll('button, select, input, [role=slider], canvas[tabindex]')]
  .filter((one) => one.checkVisibility() && !one.disabled && one.tabIndex >= 0).map({NAME})"""
FOCUSED = f"""(() => {{ const one = document.activeElement; const style = getComputedStyle(one);
  return {{name: one === document.body ? 'BODY' : ({NAME})(one),
    ring: style.outlineStyle === 'none' ? 'none' : style.outlineWidth}}; }})()"""


def test_a_tablet_rides_with_two_fingers(studio: Studio, chromium: Any) -> None:
    with visit(chromium, studio.address, touch=True) as seen:
        page = seen.ready().page
        assert page.get_by_text("Tap Gallop below").is_visible()
        page.get_by_role("button", name="Gallop").tap()
        fast = seen.until(lambda now: now["wanted"] > 8 and now["speed"] > 4, "a name that is tapped")
        wait(lambda: not page.get_by_text("Tap Gallop below").is_visible(), "the hint has done its work")
        rail = page.locator("#speed").bounding_box()
        helm = page.get_by_role("slider", name="Turn").bounding_box()
        along, over = (lambda part: rail["x"] + part * rail["width"]), rail["y"] + rail["height"] / 2
        wheel = (helm["x"] + helm["width"] / 2, helm["y"] + helm["height"] / 2)
        fingers = page.context.new_cdp_session(page)

        def touch(kind: str, *points: tuple[float, float]) -> None:
            marks = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]
            fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": marks})

        touch("touchStart", wheel)
        left = (wheel[0] - 35, wheel[1])
        touch("touchMove", left)
        touch("touchStart", left, (along(0.7), over))
        for part in (0.6, 0.5, 0.4, 0.3, 0.2):
            touch("touchMove", left, (along(part), over))
        both = seen.until(lambda now: now["wanted"] < 3.6 and now["turn"] > 0.2, "both hold at once")
        assert 0 < both["wanted"] < fast["wanted"]
        touch("touchEnd")
        seen.until(lambda now: abs(now["turn"]) < 0.05, "let go, the wheel comes back")
        assert seen.state()["wanted"] == both["wanted"]  # and the speed stays
        page.get_by_role("button", name="Record").tap()
        seen.until(lambda now: now["recording"], "it records")
        page.get_by_role("button", name="Stop").tap()
        seen.until(lambda now: not now["recording"], "it has stopped")
        page.get_by_role("tab", name="Horse").tap()
        page.get_by_role("radio", name="Grey").tap()
        session = both["session"]
        wait(lambda: studio.get(f"api/sessions/{session}")["state"]["coat"] == "grey", "a grey one")
        for name in ("Halt", "Pause", "Record", "Gallop", "Walk"):
            box = page.get_by_role("button", name=name).bounding_box()
            assert box["height"] >= 32, name  # a finger hits it
        assert seen.complaints == []


PAD = """
const pad = {connected: true, id: 'mock', index: 0, mapping: 'standard', timestamp: 0, axes: [0, 0, 0, 0],
  buttons: Array.from({length: 17}, () => ({pressed: false, touched: false, value: 0}))};
navigator.getGamepads = () => [pad, null, null, null];
window.pad = pad;
"""


def test_how_far_the_stick_is_pushed_is_the_speed(studio: Studio, chromium: Any) -> None:
    with visit(chromium, studio.address, PAD) as seen:
        page = seen.ready().page
        page.evaluate("window.pad.axes = [0, -0.4, 0, 0]")
        some = seen.until(lambda now: now["wanted"] > 1, "a little push")["wanted"]
        page.evaluate("window.pad.axes = [0, -0.8, 0, 0]")
        seen.until(lambda now: now["wanted"] > 1.5 * some, "a harder push is faster")
        page.evaluate("window.pad.axes = [-0.7, -0.7, 0, 0]")
        seen.until(lambda now: now["turn"] > 0.1, "to the left it turns left")
        page.evaluate("window.pad.axes = [0, 0, 0, 0]")
        seen.until(lambda now: now["wanted"] == 0, "let go, it halts")
        page.evaluate("window.pad.buttons[5].pressed = true")
        seen.until(lambda now: now["wanted"] > 0, "the shoulder is the next gait")
        assert seen.complaints == []


def test_gaits_that_most_horses_have_not_are_dimmed_until_asked_for(studio: Studio, chromium: Any) -> None:
    with visit(chromium, studio.address) as seen:
        page = seen.ready().page
        held = page.locator("#rail .pin")
        amble = page.get_by_role("button", name="Amble")
        assert "dimmed" in amble.get_attribute("class")
        assert "dimmed" not in page.get_by_role("button", name="Walk").get_attribute("class")
        amble.click()
        seen.until(lambda now: now["gait"] == "amble" and now["speed"] > 2, "ridden by its name all the same")
        assert held.inner_text() == "Held: amble"
        page.get_by_role("button", name="Trot").click()
        seen.until(lambda now: now["gait"] == "trot", "a gait of every horse")
        wait(lambda: held.inner_text() == "Gait by speed", "needs no pin")
        switch = page.get_by_role("switch", name="All gaits")
        assert switch.get_attribute("aria-checked") == "false"
        switch.click()
        seen.until(lambda now: now["breed"] == "all", "the horse has all gaits")
        wait(lambda: switch.get_attribute("aria-checked") == "true", "the switch is on")
        wait(lambda: "dimmed" not in amble.get_attribute("class"), "none is dimmed")
        amble.click()
        seen.until(lambda now: now["gait"] == "amble" and now["held"] is None, "its speed alone chooses it")
        switch.click()
        seen.until(lambda now: now["breed"] == "three-gaited", "and back")
        wait(lambda: "dimmed" in amble.get_attribute("class"), "dimmed again")
        assert seen.complaints == []


def test_a_gait_is_not_said_to_be_held_while_a_key_rides_another(studio: Studio, chromium: Any) -> None:
    with visit(chromium, studio.address) as seen:
        page = seen.ready().page
        held = page.locator("#rail .pin")
        page.get_by_role("button", name="Trot").click()
        seen.until(lambda now: now["gait"] == "trot" and now["speed"] > 2, "it trots")
        held.click()
        wait(lambda: held.inner_text() == "Held: trot", "the trot is held")
        page.keyboard.down("Shift")
        page.keyboard.down("ArrowUp")
        seen.until(lambda now: base(now["gait"]) == "gallop", "keys ride a gallop")
        wait(lambda: held.inner_text() == "Gait by speed", "and nothing says that a trot is held")
        page.keyboard.up("ArrowUp")
        page.keyboard.up("Shift")
        wait(lambda: held.inner_text() == "Held: trot", "let go, the trot holds again")
        seen.until(lambda now: now["gait"] == "trot", "and is ridden")
        assert seen.complaints == []


#: What the readout says and the gaits of the frame, in one moment; text follows a frame within CALM [ms].
READOUT = """(() => { const now = window.hoofbeat.state();
  const text = (one) => document.querySelector(one).textContent;
  return [text('.gait-now').toLowerCase(), text('.gait-next'), now.gait, now.going_to, now.speed]; })()"""


def test_the_readout_says_what_the_feet_do_and_what_comes_next(studio: Studio, chromium: Any) -> None:
    with visit(chromium, studio.address) as seen:
        page = seen.ready().page
        page.get_by_role("button", name="Canter").click()
        seen.until(lambda now: base(now["gait"]) == "canter" and now["speed"] > 5, "it canters")
        page.keyboard.press("s")
        said: list[tuple[str, str]] = []
        truth: list[tuple[str, str]] = []

        def stands() -> bool:
            now, coming, gait, next_, speed = page.evaluate(READOUT)
            said.append((now, coming.removeprefix("→ ")))
            truth.append((base(gait), "" if next_ == gait else base(next_)))
            return speed < 0.05 and gait == "stand" and now == "stand"

        wait(stands, "it stands, and says so")
        assert {now for now, _ in said} <= {now for now, _ in truth}, "no gait is named that no foot made"
        assert any(coming for _, coming in said), "where it goes is told beside it"
        assert seen.complaints == []


def test_heights_are_in_hands_and_inches(studio: Studio, chromium: Any) -> None:
    with visit(chromium, studio.address) as seen:
        page = seen.ready().page
        page.keyboard.press("o")
        note = page.locator("output[for=height]")
        wait(lambda: "12.3 hands" in note.inner_text(), "1.295 m are 51 inches: twelve hands and three")
        page.get_by_label("Height", exact=True).fill("1.6")
        wait(lambda: "15.3 hands" in note.inner_text(), "1.6 m are 63 inches")
        page.get_by_label("Height", exact=True).fill("1.65")
        wait(lambda: "16.1 hands" in note.inner_text(), "1.65 m are 65 inches")
        assert seen.complaints == []


#: The server tells of an environment with the `studio` extra alone.
PLAIN = """
const parse = JSON.parse;
JSON.parse = (text) => {
  const told = parse(text);
  if (told.type === 'hello') {
    told.formats = ['glb', 'bvh', 'npz'];
    told.missing_formats = [{format: 'usda', extra: 'usd'}, {format: 'webp', extra: 'render'}];
  }
  return told;
};
"""


def test_formats_that_cannot_be_made_name_their_extra(studio: Studio, chromium: Any) -> None:
    with visit(chromium, studio.address, PLAIN) as seen:
        page = seen.ready().page
        page.keyboard.press("k")
        seen.until(lambda now: now["recording"], "it records")
        page.wait_for_timeout(300)
        page.keyboard.press("k")
        seen.until(lambda now: not now["recording"], "it has stopped")
        offered = page.locator("button.format b")
        wait(lambda: offered.count() == 3, "what can be made is offered")
        assert offered.all_inner_texts() == [".glb", ".bvh", ".npz"]
        usda, webp = page.locator(".format.missing").all_inner_texts()
        assert ".usda" in usda and "hoofbeat[usd]" in usda
        assert ".webp" in webp and "hoofbeat[render]" in webp
        assert seen.complaints == []


def ground_under(picture: bytes) -> tuple[float, float]:
    """Brightness of the ground under a standing horse seen from the side, and beside it in the same rows."""
    with Image.open(BytesIO(picture)) as opened:
        grey = np.asarray(opened.convert("L"), float)
    rows = grey[int(0.66 * len(grey)) : int(0.80 * len(grey))]
    wide = rows.shape[1]
    under, beside = rows[:, int(0.43 * wide) : int(0.57 * wide)], rows[:, : int(0.14 * wide)]
    drop = np.median(beside, axis=1) - np.median(under, axis=1)
    row = int(drop.argmax())
    return float(np.median(under[row])), float(np.median(beside[row]))


@pytest.mark.parametrize("look", ["light", "dark"])
def test_a_horse_never_floats(studio: Studio, chromium: Any, look: str) -> None:
    """Where no shadow is cast a soft spot lies under it, darker than the ground in both lights."""
    with visit(chromium, studio.address, stored={"theme": look, "camera": "side", "hint": "seen"}) as seen:
        page = seen.ready().page
        seen.until(lambda now: now["skin"], "it has its skin")
        canvas = page.locator("canvas").first
        wait(lambda: np.divide(*ground_under(canvas.screenshot())) < 0.8, "the ground is darker under it")
        assert seen.complaints == []
