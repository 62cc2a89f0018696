"""The studio as its clients meet it: a real server, WebSockets and REST."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed

from hoofbeat.export import load
from hoofbeat.formats.planfile import parse_plan
from hoofbeat.studio.settings import Settings
from hoofbeat.studio.web.server import listen
from hoofbeat.studio.wire.frame import FLAG, block_dtype, decode
from studio_making import PATIENCE, Studio, running


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with running(tmp_path_factory.mktemp("rides")) as one:
        yield one


def test_riding(studio: Studio) -> None:
    with studio.socket() as rider:
        hello = rider.hear("hello")
        assert hello["resumed"] == "new" and len(hello["session"]) == 32
        rider.say("ride", number=1, speed=4.0, turn=0.3)
        rider.until(lambda r: r.frame is not None and r.head("command") == 1)
        rider.until(lambda r: r.head("speed") > 3.5)
        assert hello["gaits"][rider.head("gait")] in ("amble", "trot", "walk")
        assert rider.head("heading") > 0.1
        rows = rider.frames(20)
        numbers = [int(row["head"]["number"]) for row in rows]
        assert numbers == sorted(set(numbers))
        rider.say("ping", number=17)
        assert rider.hear("pong")["number"] == 17


def test_frames_come_at_the_rate_of_the_clock(studio: Studio) -> None:
    with studio.socket() as rider:
        rows = rider.frames(60)
        # Time is the ride's own: whole frames, whatever a busy machine skipped.
        times = np.array([row["head"]["time"] for row in rows])
        numbers = np.array([row["head"]["number"] for row in rows], int)
        assert np.allclose(times, numbers / 60) and (np.diff(numbers) >= 1).all()


def test_another_method_and_size_under_the_rider(studio: Studio) -> None:
    with studio.socket() as rider:
        rider.say("ride", number=1, speed=3.5)
        rider.until(lambda r: r.frame is not None and r.head("speed") > 3.0)
        rider.told.clear()
        rider.say("setup", method="actions", height=1.6)
        hello = rider.hear("hello")
        assert hello["method"] == "actions"
        rider.until(lambda r: r.head("height") > 1.59)
        assert rider.head("speed") == pytest.approx(3.5, abs=0.3)
        assert rider.told["state"]["method"] == "actions" and not rider.told["state"]["switching"]


def test_record_trim_name_and_download(studio: Studio) -> None:
    with studio.socket() as rider:
        session = rider.hear("hello")["session"]
        rider.say("ride", number=1, speed=2.0)
        rider.say("record", on=True, name="morning")
        rider.until(lambda r: r.frame is not None and r.head("flags") & FLAG["recording"])
        rider.frames(40)
        rider.say("record", on=False)
        kept = rider.until(lambda r: [x for x in r.told["recordings"]["recordings"] if x["done"]])[0]
        assert kept["name"] == "morning" and kept["frames"] >= 30 and kept["saved"]
        rider.say("edit", recording=kept["id"], first=5, last=24, name="../..//etc: ride")
        rider.until(lambda r: r.told["recordings"]["recordings"][0]["first"] == 5)
        for format in ("npz", "bvh"):
            rider.told.pop("export", None)
            rider.say("export", recording=kept["id"], format=format)
            done = rider.until(
                lambda r: (e := r.told.get("export")) and e["state"] in ("done", "failed") and e
            )
            assert done["state"] == "done", done
            answer = studio.http.get(done["url"])
            assert answer.headers["content-disposition"] == f'attachment; filename="etc-ride.{format}"'
            if format == "npz":
                check_joints(studio, session, kept["id"], answer.content)


def check_joints(studio: Studio, session: str, recording: str, data: bytes) -> None:
    """The joints in the file are those that the server sent."""
    raw = studio.call("GET", f"/sessions/{session}/recordings/{recording}/frames").content
    joints = decode(raw[: len(raw) // 20])["head"]["joints"]
    rows = np.frombuffer(raw, block_dtype(int(joints)))
    assert len(rows) == 20
    path = Path(studio_file(data))
    clip = load(path)
    path.unlink()
    world = rows["head"]["root"][:, None] + rows["positions"]
    assert np.abs(clip.positions - world).max() < 1e-5


def studio_file(data: bytes) -> str:
    import tempfile

    with tempfile.NamedTemporaryFile(suffix=".npz", delete=False) as file:
        file.write(data)
        return file.name


def test_coming_back_to_a_ride(studio: Studio) -> None:
    with studio.socket() as rider:
        session = rider.hear("hello")["session"]
        rider.say("ride", number=1, speed=3.0)
        rider.until(lambda r: r.frame is not None and r.head("root")[2] > 1.0)
        place = rider.head("root")[2]
    with studio.socket(session) as again:
        hello = again.hear("hello")
        assert hello["resumed"] == "kept" and hello["session"] == session
        again.frames(1)
        assert again.head("root")[2] >= place and again.head("wanted_speed") == 3.0
        # A page that comes back counts its commands from the start.
        again.say("ride", number=1, speed=0.0)
        again.until(lambda r: r.head("wanted_speed") == 0.0)


def test_a_second_tab_takes_the_ride_over(studio: Studio) -> None:
    with studio.socket() as first:
        session = first.hear("hello")["session"]
        with studio.socket(session) as second:
            second.frames(2)
            assert first.hear("bye")["reason"] == "elsewhere"
            with pytest.raises(ConnectionClosed):
                for _ in range(1000):
                    first.listen()


def test_a_token_that_is_none_gets_a_new_ride(studio: Studio) -> None:
    for session in ("../../etc/passwd", "0" * 32, "x" * 2000, "%00"):
        with studio.socket(session) as rider:
            hello = rider.hear("hello")
            assert hello["resumed"] == "new" and hello["session"] != session


def test_nothing_is_lost_when_the_server_stops(tmp_path: Path) -> None:
    with running(tmp_path) as first, first.socket() as rider:
        session = rider.hear("hello")["session"]
        rider.say("setup", coat="grey")
        rider.say("ride", number=1, speed=5.0)
        rider.say("record", on=True, name="cut off")
        rider.until(lambda r: r.frame is not None and r.head("root")[2] > 2.0)
        number = int(rider.head("number"))
    assert str(session) not in "".join(p.read_text("latin-1") for p in tmp_path.rglob("ride.json"))
    with running(tmp_path) as second, second.socket(session) as rider:
        hello = rider.hear("hello")
        assert hello["resumed"] == "restored"
        rider.frames(1)
        assert rider.head("root")[2] > 1.9 and rider.told["state"]["coat"] == "grey"
        (kept,) = rider.told["recordings"]["recordings"]
        assert kept["name"] == "cut off" and kept["done"] and kept["frames"] >= number - 30
        answer = second.call("GET", f"/sessions/{session}/recordings/{kept['id']}/frames")
        rows = np.frombuffer(answer.content, block_dtype(int(rider.head("joints"))))
        assert len(rows) == kept["frames"] and (np.diff(rows["head"]["time"]) > 0).all()


def test_a_reader_that_stalls_gets_the_newest_frame_and_all_events(studio: Studio) -> None:
    with studio.socket() as rider:
        rider.say("ride", number=1, speed=3.0)
        rider.until(lambda r: r.frame is not None and r.head("speed") > 2.5)
        rider.say("acknowledge", frame=int(rider.head("number")))
        # What was sent meanwhile comes, then one now and then: the newest, with all that has happened.
        numbers = [int(row["head"]["number"]) for row in rider.frames(16)]
        gaps = np.diff(numbers)
        assert gaps.max() > 20, "frames go on though none is seen"
        rider.events = 0
        rider.frames(2)
        assert rider.events & 0xF == 0xF, "every foot has landed meanwhile, and it is told"
        rider.say("acknowledge", frame=int(rider.head("number")))
        assert np.diff([int(row["head"]["number"]) for row in rider.frames(5)]).min() < 20, "it goes on"


def test_a_client_that_never_reads_slows_nobody(studio: Studio) -> None:
    raw = socket.create_connection(("127.0.0.1", studio.port))
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    key = "dGhlIHNhbXBsZSBub25jZQ=="
    raw.sendall(
        f"GET /ws HTTP/1.1\r\nHost: {studio.host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    try:
        with studio.socket() as rider:
            rows = rider.frames(120)
            steps = np.diff([int(row["head"]["number"]) for row in rows])
            assert np.median(steps) == 1 and steps.sum() < 240
    finally:
        raw.close()


# --------------------------------------------------------------------------------------------- REST


def test_a_script_rides_without_a_browser(studio: Studio) -> None:
    made = studio.call("POST", "/sessions", 201, json={"method": "timewarp", "height": 1.5, "seed": 3})
    token = made["session"]
    assert made["state"]["height"] == 1.5 and made["frame"]["gait"] == "stand"
    ride = {"speed": 4.5, "turn": 0.2}
    after = studio.call("POST", f"/sessions/{token}/steps", json={"ride": ride, "frames": 240})
    assert after["frame"]["time"] == 4.0 and after["frame"]["speed"] == pytest.approx(4.5, abs=0.2)
    # By hand the same bits come out.
    again = studio.call("POST", "/sessions", 201, json={"height": 1.5, "seed": 3})["session"]
    same = {}
    for _ in range(4):
        same = studio.call("POST", f"/sessions/{again}/steps", json={"ride": ride, "frames": 60})
    assert same["frame"]["root"] == after["frame"]["root"]
    block = studio.call("GET", f"/sessions/{token}/frame").content
    assert decode(block)["head"]["number"] == 240
    changed = studio.call(
        "PATCH", f"/sessions/{token}", json={"setup": {"method": "actions", "coat": "black"}}
    )
    assert changed["state"]["method"] == "actions" and not changed["state"]["switching"]
    plan = studio.call("GET", f"/sessions/{again}/plan").text
    assert parse_plan(plan).segments[0].length == 4.0
    riding = studio.http.put(
        f"/api/sessions/{token}/plan", content=plan, headers={"content-type": "text/plain"}
    )
    assert riding.status_code == 200 and riding.json()["state"]["plan"] == "ride"
    assert studio.call("DELETE", f"/sessions/{token}/plan")["state"]["plan"] is None
    assert studio.call("POST", f"/sessions/{token}/reset")["frame"]["root"] == [0, 0, 0]
    studio.call("DELETE", f"/sessions/{token}", 204)
    studio.call("GET", f"/sessions/{token}", 404)


def test_a_breed_by_script(studio: Studio) -> None:
    made = studio.call("POST", "/sessions", 201, json={"breed": "all"})
    token = made["session"]
    assert made["state"]["breed"] == "all"
    ride = {"ride": {"speed": 5.2}, "frames": 360}
    assert studio.call("POST", f"/sessions/{token}/steps", json=ride)["frame"]["gait"] == "rack"
    changed = studio.call("PATCH", f"/sessions/{token}", json={"setup": {"breed": "three-gaited"}})
    assert changed["state"]["breed"] == "three-gaited" and not changed["state"]["switching"]
    after = studio.call("POST", f"/sessions/{token}/steps", json=ride)["frame"]
    assert after["gait"] != "rack" and after["refused"] == ""
    assert set(after["foot_phase"]) <= {"stance", "striking", "flight"}
    studio.call("POST", "/sessions", 422, json={"breed": "unicorn"})
    studio.call("PATCH", f"/sessions/{token}", 422, json={"setup": {"breed": "unicorn"}})


def test_recordings_and_exports_by_script(studio: Studio) -> None:
    token = studio.call("POST", "/sessions", 201, json={})["session"]
    base = f"/sessions/{token}"
    one = studio.call("POST", f"{base}/recordings", 201, json={"name": "trot"})
    studio.call("POST", f"{base}/recordings", 422, json={})
    studio.call("POST", f"{base}/steps", json={"ride": {"speed": 3.5}, "frames": 90})
    ended = studio.call("PATCH", f"{base}/recordings/{one['id']}", json={"done": True, "first": 30})
    assert (ended["frames"], ended["first"], ended["last"]) == (90, 30, 89)
    made = studio.call("POST", f"{base}/recordings/{one['id']}/exports", 202, json={"format": "glb"})
    end = time.monotonic() + PATIENCE
    while (now := studio.call("GET", f"{base}/exports/{made['id']}"))["state"] not in ("done", "failed"):
        assert time.monotonic() < end
        time.sleep(0.1)
    assert now["state"] == "done", now
    data = studio.http.get(now["url"]).content
    assert data[:4] == b"glTF" and len(data) == now["bytes"]
    assert parse_plan(studio.call("GET", f"{base}/recordings/{one['id']}/plan").text).segments
    studio.call("DELETE", f"{base}/recordings/{one['id']}", 204)
    assert studio.call("GET", f"{base}/recordings")["recordings"] == []
    studio.call("GET", f"{base}/exports/{'0' * 16}", 422)


def test_a_clock_of_the_server_moves_a_scripted_ride_too(studio: Studio) -> None:
    token = studio.call("POST", "/sessions", 201, json={"clock": "server"})["session"]
    studio.call("PUT", f"/sessions/{token}/command", json={"speed": 2.0})
    studio.call("POST", f"/sessions/{token}/steps", 422, json={"frames": 1})
    end = time.monotonic() + PATIENCE
    while studio.call("GET", f"/sessions/{token}")["frame"]["speed"] < 1.0:
        assert time.monotonic() < end
        time.sleep(0.05)


def test_errors_are_answers(studio: Studio) -> None:
    token = studio.call("POST", "/sessions", 201, json={})["session"]
    wrong = studio.call("PUT", f"/sessions/{token}/command", 422, json={"gait": "trott"})
    assert wrong["code"] == "command" and "did you mean" in wrong["text"]
    studio.call("PUT", f"/sessions/{token}/command", 422, json={"sped": 1})
    studio.call("POST", "/sessions", 422, json={"method": "nobody"})
    studio.call("POST", "/sessions", 422, json={"terrain": "hills"})
    studio.call("POST", "/sessions", 422, json={"height": 99})
    studio.call("GET", "/skins/nobody.glb", 404)
    studio.call("GET", "/nothing", 404)


def test_the_interface_is_described(studio: Studio) -> None:
    described: dict[str, Any] = studio.call("GET", "/openapi.json")
    assert "/api/sessions/{token}/steps" in described["paths"]
    assert described["components"]["schemas"]["Ride"]["properties"]["speed"]["maximum"] == 100
    assert studio.call("GET", "/health")["protocol"] == 2


def test_the_skin_is_a_file_that_loads(studio: Studio, tmp_path: Path) -> None:
    answer = studio.call("GET", "/skins/timewarp.glb?coat=black")
    assert answer.headers["content-type"] == "model/gltf-binary"
    (tmp_path / "skin.glb").write_bytes(answer.content)
    skin = load(tmp_path / "skin.glb")
    assert len(skin) == 1 and len(skin.skeleton.joints) >= 49 and len(skin.skeleton.legs) == 4


def test_too_many_rides_and_clients(tmp_path: Path) -> None:
    with running(tmp_path, clients=2, sessions=2) as one, one.socket() as a, one.socket() as b:
        a.hear("hello")
        b.hear("hello")
        with one.socket() as c, pytest.raises(ConnectionClosed) as closed:
            c.listen()
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 4429
        one.call("POST", "/sessions", 429, json={})
    with running(tmp_path, sessions=1) as one:
        first = one.call("POST", "/sessions", 201, json={})["session"]
        one.call("POST", f"/sessions/{first}/steps", json={"ride": {"speed": 2.0}, "frames": 120})
        one.call("POST", "/sessions", 201, json={})  # the one that nobody rides is put away
        back = one.call("GET", f"/sessions/{first}")
        assert back["frame"]["root"][2] > 0.5, "and found again"


def test_frames_do_not_wait_for_acknowledgements() -> None:
    """asyncio switches TCP_NODELAY on only for sockets whose protocol is named; accepted ones inherit it."""
    with listen(Settings(port=0)) as opened:
        opened.listen()
        with socket.create_connection(opened.getsockname()):
            accepted, _ = opened.accept()
            with accepted:
                assert accepted.proto == socket.IPPROTO_TCP
