"""Messages and frame blocks: one declaration for both languages, and nothing else gets through."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from hoofbeat.records import LAYOUT_VERSION, REFUSALS, Command
from hoofbeat.studio.rides.horse import HorseSpec, RiddenHorse
from hoofbeat.studio.wire import frame, messages, typescript
from studio_making import facts

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
TYPES = [model.model_fields["type"].default for model in messages.CLIENT]


def test_the_page_has_the_messages_that_are_declared(repo_root: Path) -> None:
    written = (repo_root / typescript.TARGET).read_text(encoding="utf-8")
    assert written == typescript.typescript(), f"run python -m {typescript.__name__} {typescript.TARGET}"


def test_typescript_reads_each_header_field_where_python_writes_it() -> None:
    text = typescript.typescript()
    for field in frame.FIELDS:
        at = frame.HEADER.fields[field.name][1]  # type: ignore[index]
        assert re.search(rf"    {field.name}: [^\n]*[( ]{at}[,)]", text), field.name
        assert at % int(field.code[1]) == 0, f"{field.name} is not on a multiple of its size"
    assert f"HEADER_BYTES = {frame.HEADER_BYTES}" in text


def test_a_type_that_has_no_typescript_is_refused() -> None:
    with pytest.raises(TypeError, match="teach"):
        typescript._type(set[int])


@given(
    speed=st.floats(-100, 100),
    turn=st.floats(-100, 100),
    gait=st.none() | st.from_regex(r"[A-Za-z0-9_-]{1,40}", fullmatch=True),
    number=st.integers(0, 2**32 - 1),
)
def test_a_ride_comes_back_as_it_was_sent(speed: float, turn: float, gait: str | None, number: int) -> None:
    sent = messages.Ride(number=number, speed=speed, turn=turn, gait=gait)
    assert messages.read_message(sent.model_dump_json()) == sent


@given(
    type=st.sampled_from([*TYPES, "hello", ""]),
    fields=st.dictionaries(st.text(max_size=12), JSON, max_size=5),
)
def test_garbage_is_refused_and_never_more(type: str, fields: dict[str, Any]) -> None:
    try:
        message = messages.read_message(json.dumps({**fields, "type": type}))
    except ValidationError:
        return
    assert isinstance(message, messages.CLIENT)
    # What gets through is within its bounds.
    messages.read_message(message.model_dump_json())


@given(st.text(max_size=200) | st.binary(max_size=200))
def test_text_and_bytes_that_are_no_messages(text: str | bytes) -> None:
    try:
        messages.read_message(text)
    except ValidationError:
        pass


@pytest.mark.parametrize(
    "text",
    [
        '{"type": "ride", "speed": NaN}',
        '{"type": "ride", "speed": 1e999}',
        '{"type": "ride", "speed": "3"}',
        '{"type": "ride", "speed": true}',
        '{"type": "ride", "sped": 3}',
        '{"type": "ride", "gait": "../../etc"}',
        '{"type": "ride", "number": -1}',
        '{"type": "ride", "jump": [1, 2]}',
        '{"type": "clock", "time_scale": 0.3}',
        '{"type": "step", "frames": 601}',
        '{"type": "edit", "recording": "../a"}',
        '{"type": "export", "recording": "0011223344556677", "format": "exe"}',
        '{"type": "setup", "height": 0.2}',
        '{"type": "fly"}',
        "[]",
        "null",
        "",
        "{" * 5000,
        "[" * 50000,
    ],
)
def test_what_is_out_of_bounds_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        messages.read_message(text)


def test_a_block_holds_the_frame() -> None:
    horse = RiddenHorse(HorseSpec(), facts().gaits)
    horse.ride(Command(speed=3.0, turn=0.4), 7)
    for _ in range(60):
        horse.step()
    data = horse.block(frame.FLAG["recording"])
    assert len(data) == frame.block_bytes(len(horse.herd.skeleton))
    row = frame.decode(data)
    head, now = row["head"], horse.frame
    assert (head["number"], head["command"], head["joints"]) == (60, 7, len(now.positions))
    assert head["flags"] & frame.FLAG["recording"]
    assert head["time"] == pytest.approx(1.0) and head["speed"] == pytest.approx(now.speed)
    assert np.array_equal(head["root"], now.root.position)
    # Float32 relative to the root: a millionth of a metre, wherever the horse is.
    assert np.abs(row["positions"] + head["root"] - now.positions).max() < 1e-6
    assert np.array_equal(row["rotations"], now.rotations)
    assert head["version"] == LAYOUT_VERSION
    assert facts().gaits[head["gait"]] == now.gait and facts().gaits[head["going_to"]] == now.going_to
    assert np.array_equal(head["foot_phase"], now.foot_phase) and REFUSALS[head["refused"]] == now.refused
    half = head["heading"] / 2
    assert np.allclose([np.sin(half), np.cos(half)], now.root.rotation[[1, 3]], atol=1e-12)
    assert np.array_equal(head["phase"], now.phase) and np.array_equal(head["contacts"], now.contacts)


def test_toe_targets_and_corrections_lead_to_the_toes() -> None:
    horse = RiddenHorse(HorseSpec(), facts().gaits)
    horse.ride(Command(speed=2.0, turn=0.8), 1)
    for _ in range(200):
        horse.step()
    row = frame.decode(horse.block())
    head = row["head"]
    toes = row["positions"][[leg.toe for leg in horse.herd.skeleton.legs]]
    meant = head["targets"].reshape(4, 3) + head["corrections"].reshape(4, 3)
    near = np.linalg.norm(meant - toes, axis=1)
    assert (near < 0.01 + head["shortfall"]).all(), near


@given(st.binary(max_size=300))
def test_bytes_that_are_no_block(data: bytes) -> None:
    with pytest.raises(frame.FrameError):
        frame.decode(data)


def test_blocks_of_other_sizes_and_versions_are_refused() -> None:
    data = RiddenHorse(HorseSpec(), facts().gaits).block()
    for wrong in (data[:-1], data + b"\0", b"\x02" + data[1:], data[:1] + b"\x09" + data[2:]):
        with pytest.raises(frame.FrameError):
            frame.decode(wrong)
    assert frame.decode(frame.with_events(data, 5))["head"]["events"] == 5
    events = int(frame.decode(data)["head"]["events"])
    assert frame.with_events(frame.with_events(data, 5), events) == data
