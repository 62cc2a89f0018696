"""The page in a real browser by hand: mouse, fingers, gamepad."""

from __future__ import annotations

from typing import Any

import pytest

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
