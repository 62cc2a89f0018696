"""Commands at the border: NaN changes nothing, what is out of range is clamped and told, dt is free."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hoofbeat.commands import Reader
from hoofbeat.errors import CommandError, HoofbeatError, TimeStepError, UnknownAction, UnknownGait
from hoofbeat.gaits.gait import ALIASES
from hoofbeat.horse import Herd, Horse
from hoofbeat.records import CLAMPS, COMMAND, Command, Frame
from hoofbeat.world.limits import LONGEST, MOST, SHORTEST

DT = 1 / 60


@cache
def _trotting() -> tuple[Horse, Any]:
    horse = Horse("actions")
    for _ in range(240):
        horse.step(Command(speed=4.5))
    return horse, horse.snapshot()


@cache
def nobody() -> Herd:
    """A herd of none, to ask its method."""
    return Herd(0, "actions")


@pytest.fixture
def horse() -> Horse:
    """A horse at a trot, the same for every test."""
    found, kept = _trotting()
    found.restore(kept)
    return found


@pytest.fixture
def herd() -> Herd:
    """Three horses that stand."""
    return Herd(3, "actions")


def memory(character: Horse | Herd) -> list[bytes]:
    """All that a character remembers, field by field: the gaps between fields may hold anything."""
    return [data for part in character.snapshot().arrays for data in fields_of(part)]


def fields_of(part: Any) -> list[bytes]:
    """The bytes of every field of an array, those of nested rows too."""
    if not part.dtype.names:
        return [part.tobytes()]
    return [data for name in part.dtype.names for data in fields_of(part[name])]


def same(a: Frame, b: Frame) -> bool:
    """Whether two frames are equal to the bit, what was clamped aside."""
    arrays = ("positions", "rotations", "contacts", "phase", "shortfall")
    return (
        all(getattr(a, name).tobytes() == getattr(b, name).tobytes() for name in arrays)
        and a.root.position.tobytes() == b.root.position.tobytes()
        and a.root.rotation.tobytes() == b.root.rotation.tobytes()
        and (a.gait, a.time, a.airborne, a.events) == (b.gait, b.time, b.airborne, b.events)
        and a.speed == b.speed
    )


def yaw_of(frame: Frame) -> float:
    return 2 * float(np.arctan2(frame.root.rotation[1], frame.root.rotation[3]))


# --- NaN and infinity


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("field", ["speed", "turn", "heading", "look", "push", "jump"])
def test_a_number_that_is_none_raises_and_changes_nothing(horse: Horse, field: str, value: float) -> None:
    size = {"look": 3, "push": 3, "jump": 2}.get(field, 0)
    for place in range(max(size, 1)):
        given_value: Any = value
        if size:
            given_value = [0.0] * size
            given_value[place] = value
        before = memory(horse)
        with pytest.raises(CommandError, match=field):
            horse.step(Command(**{field: given_value}))
        assert memory(horse) == before


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("field", ["speed", "turn", "heading"])
def test_one_such_number_stops_the_whole_herd(herd: Herd, field: str, value: float) -> None:
    before = memory(herd)
    for given_value in (value, [0.0, value, 1.0], np.array([value, value, value])):
        fields: dict[str, Any] = {field: given_value}
        with pytest.raises(CommandError, match=field):
            herd.step(Command(**fields))
    assert memory(herd) == before


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -1e-9, -1])
def test_a_time_step_that_is_none_raises_and_changes_nothing(horse: Horse, value: float) -> None:
    before = memory(horse)
    with pytest.raises(TimeStepError, match="0 or more"):
        horse.step(Command(speed=2.0), value)
    assert memory(horse) == before


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"speed": "fast"}, CommandError),
        ({"speed": None}, CommandError),
        ({"speed": [1.0, 2.0]}, CommandError),
        ({"speed": []}, CommandError),
        ({"speed": np.ones((1, 1))}, CommandError),
        ({"turn": {}}, CommandError),
        ({"turn": 1j}, CommandError),
        ({"heading": "north"}, CommandError),
        ({"look": 5}, CommandError),
        ({"look": [1, 2]}, CommandError),
        ({"push": "hard"}, CommandError),
        ({"jump": [1, 2, 3]}, CommandError),
        ({"gait": ["walk", "trot"]}, CommandError),
        ({"gait": "trott"}, UnknownGait),
        ({"gait": ""}, UnknownGait),
        ({"gait": "rack"}, UnknownGait),
        ({"gait": "pace"}, UnknownGait),
        ({"action": "idel"}, UnknownAction),
        ({"action": "halfpass-left"}, UnknownAction),
    ],
)
def test_a_wrong_command_raises_and_changes_nothing(
    horse: Horse, fields: dict[str, Any], error: type[HoofbeatError]
) -> None:
    before = memory(horse)
    with pytest.raises(error):
        horse.step(Command(**fields))
    assert memory(horse) == before
    # And it goes on as if nothing had been said.
    after = horse.step(Command(speed=4.5))
    _, kept = _trotting()
    horse.restore(kept)
    assert same(horse.step(Command(speed=4.5)), after)


@pytest.mark.parametrize("given_value", [None, 5, {"speed": 1}, "trot", Command, np.zeros(1)])
def test_what_is_no_command(horse: Horse, given_value: Any) -> None:
    before = memory(horse)
    with pytest.raises(CommandError, match="expected"):
        horse.step(given_value)
    assert memory(horse) == before


def test_an_unknown_name_names_the_nearest_and_all_known(horse: Horse) -> None:
    with pytest.raises(UnknownGait) as caught:
        horse.step(Command(gait="galop"))
    assert caught.value.nearest == "gallop" and caught.value.known == horse.gaits
    assert all(name in str(caught.value) for name in ("stand", "walk", "trot", "gallop"))
    with pytest.raises(UnknownAction) as found:
        horse.step(Command(action="idel"))
    assert found.value.nearest == "idle"


# --- clamping


@pytest.mark.parametrize(
    ("fields", "clamped"),
    [
        ({}, ()),
        ({"speed": 5.0, "turn": 0.3}, ()),
        ({"speed": 1e9}, ("speed",)),
        ({"speed": -1.0}, ("speed",)),
        ({"turn": 99.0}, ("turn",)),
        ({"turn": -99.0}, ("turn",)),
        ({"speed": 1e308, "turn": -1e308}, ("speed", "turn")),
        ({"heading": 3.0}, ()),
        ({"heading": 1e300}, ("heading",)),
        ({"gait": "trot", "speed": 9.0}, ("speed",)),
        ({"gait": "trot", "speed": 0.0}, ("speed",)),
        ({"gait": "trot", "speed": 4.5}, ()),
        ({"gait": "stand", "speed": 1.0}, ("speed",)),
        ({"gait": "stand"}, ()),
        ({"action": "idle"}, ()),
        ({"look": [0, 1, 5]}, ("look",)),
        ({"push": [1, 0, 0]}, ("push",)),
        ({"jump": (1.0, 3.0)}, ("jump",)),
        ({"mood": "calm"}, ("mood",)),
        ({"speed": -3, "look": [0, 0, 1], "mood": "calm"}, ("speed", "look", "mood")),
    ],
)
def test_what_is_clamped_is_reported(horse: Horse, fields: dict[str, Any], clamped: tuple[str, ...]) -> None:
    frame = horse.step(Command(**fields))
    assert frame.clamped == clamped
    assert set(clamped) <= set(CLAMPS) and np.isfinite(frame.positions).all()
    assert horse.step(Command(speed=4.5)).clamped == ()


def test_a_clamped_value_is_the_limit_itself() -> None:
    def run(command: Command) -> bytes:
        herd = Herd(1, "actions")
        for _ in range(200):
            herd.step(command)
        return herd.frame().positions.tobytes()

    fastest, turn = float(nobody().method.bands.max()), nobody().method.max_turn
    assert run(Command(speed=1e12)) == run(Command(speed=fastest))
    assert run(Command(speed=-5.0)) == run(Command(speed=0.0))
    assert run(Command(speed=2.0, turn=50.0)) == run(Command(speed=2.0, turn=turn))


@pytest.mark.parametrize("gait", ["walk", "trot", "gallop"])
@pytest.mark.parametrize("asked", [0.0, 1.0, 4.5, 30.0])
def test_a_pinned_gait_holds_the_speed_to_its_band(gait: str, asked: float) -> None:
    horse = Horse("actions")
    for _ in range(60 * 12):
        horse.step(Command(speed=asked, gait=gait))
    herd = nobody()
    low, high = herd.method.bands[herd.gaits.index(gait)]
    wanted = min(max(asked, low), high)
    frame = horse.step(Command(speed=asked, gait=gait))
    assert frame.gait == (gait if wanted > 0 else "stand")
    assert frame.speed == pytest.approx(wanted, rel=0.02, abs=1e-6)
    assert frame.clamped == (() if wanted == asked else ("speed",))


@pytest.mark.parametrize("word", [word for word, name in ALIASES.items() if name == "stand"])
def test_other_words_for_gaits(word: str) -> None:
    horse, named = Horse("actions"), Horse("actions")
    for _ in range(20):
        horse.step(Command(speed=3.0))
        named.step(Command(speed=3.0))
    assert same(horse.step(Command(gait=word)), named.step(Command(gait="stand")))


def test_idle_stops_the_horse(horse: Horse) -> None:
    for _ in range(60 * 4):
        horse.step(Command(speed=4.5, action="idle"))
    frame = horse.frame()
    assert frame.gait == "stand" and frame.speed == pytest.approx(0, abs=1e-6) and frame.contacts.all()


# --- heading


@pytest.mark.parametrize("speed", [0.0, 1.5, 4.5])
@pytest.mark.parametrize("heading", [0.8, -2.0, 3.0, 7.0, -20.0])
def test_a_heading_is_reached_the_shorter_turn(speed: float, heading: float) -> None:
    horse = Horse("actions")
    for _ in range(60 * 2):
        horse.step(Command(speed=speed))
    turned = [yaw_of(horse.frame())]
    for _ in range(60 * 8):
        turned.append(yaw_of(horse.step(Command(speed=speed, heading=heading))))
    off = (heading - turned[-1] + np.pi) % (2 * np.pi) - np.pi
    assert abs(off) < 0.01
    way = np.unwrap(turned)
    short = (heading - way[0] + np.pi) % (2 * np.pi) - np.pi
    assert way[-1] - way[0] == pytest.approx(short, abs=0.02)
    assert abs(way - way[0]).max() < abs(short) + 0.1


def test_a_heading_goes_before_a_turn(horse: Horse) -> None:
    before = horse.snapshot()
    alone = horse.step(Command(speed=4.5, heading=1.0))
    horse.restore(before)
    assert same(horse.step(Command(speed=4.5, heading=1.0, turn=-1.5)), alone)


# --- herds


def test_every_character_has_its_own_values(herd: Herd) -> None:
    speeds, turns = np.array([1.5, 4.5, 8.0]), np.array([0.3, 0.0, -0.2])
    alone = [Horse("actions", seed=0) for _ in range(3)]
    for _ in range(360):
        herd.step(Command(speed=speeds, turn=turns, gait=("walk", None, "gallop")))
        for n, single in enumerate(alone):
            gait = ("walk", None, "gallop")[n]
            single.step(Command(speed=float(speeds[n]), turn=float(turns[n]), gait=gait))
    frame = herd.frame()
    assert frame.gait == ("walk", "trot", "gallop")
    assert frame.speed == pytest.approx(speeds, rel=0.02)
    for n, single in enumerate(alone):
        # The standing horses' noise differs from character to character, their way does not.
        np.testing.assert_allclose(frame.root.position[n], single.frame().root.position, atol=1e-9)
    before = memory(herd)
    for bad in ([1.0, np.nan, 2.0], [1.0, 2.0], np.ones((3, 1)), np.ones(4)):
        with pytest.raises(CommandError, match="speed"):
            herd.step(Command(speed=bad))
    with pytest.raises(CommandError, match="3 of them, given 2"):
        herd.step(Command(gait=["walk", "trot"]))
    with pytest.raises(UnknownGait):
        herd.step(Command(gait=["walk", "trot", "trit"]))
    assert memory(herd) == before


def test_one_clamped_character_is_reported_for_all(herd: Herd) -> None:
    assert herd.step(Command(speed=[1.0, 2.0, 99.0])).clamped == ("speed",)
    assert herd.step(Command(speed=[1.0, 2.0, 3.0])).clamped == ()


@pytest.mark.parametrize("command", [Command(), Command(speed=3.0), Command(speed=[]), np.zeros(0, COMMAND)])
def test_a_herd_of_none_steps(command: Any) -> None:
    herd = Herd(0, "actions")
    frame = herd.step(command, 0.5)
    nodes = len(herd.skeleton)
    assert frame.positions.shape == (0, nodes, 3) and frame.contacts.shape == (0, 4) and frame.gait == ()
    with pytest.raises(CommandError):
        herd.step(Command(speed=[1.0]))
    with pytest.raises(CommandError):
        herd.step(Command(speed=np.nan))


# --- rows for kernels


def rows(**fields: Any) -> np.ndarray:
    made = np.zeros(3, COMMAND)
    made["gait"] = made["action"] = -1
    for name, value in fields.items():
        made[name] = value
    return made


def test_rows_are_the_same_as_a_command() -> None:
    herd, other = Herd(3, "actions"), Herd(3, "actions")
    gait = herd.gaits.index("trot")
    for _ in range(120):
        herd.step(rows(speed=[3.0, 4.5, 1.0], turn=0.2, gait=[gait, -1, -1]))
        other.step(Command(speed=[3.0, 4.5, 1.0], turn=0.2, gait=["trot", None, None]))
    assert memory(herd) == memory(other)
    assert herd.step(rows(speed=99.0)).clamped == ("speed",)


def test_rows_are_not_changed_by_clamping(herd: Herd) -> None:
    given_rows = rows(speed=99.0, turn=-99.0)
    kept = given_rows.copy()
    assert herd.step(given_rows).clamped == ("speed", "turn")
    assert given_rows.tobytes() == kept.tobytes()


@pytest.mark.parametrize(
    ("made", "error"),
    [
        (rows(speed=np.nan), CommandError),
        (rows(turn=[0, np.inf, 0]), CommandError),
        (rows(heading=-np.inf), CommandError),
        (rows(gait=9), UnknownGait),
        (rows(gait=-2), UnknownGait),
        (rows(action=1), UnknownAction),
        (rows()[:2], CommandError),
        (rows()[None], CommandError),
        (np.zeros(3), CommandError),
        (np.zeros(3, [("speed", "f8")]), CommandError),
    ],
)
def test_wrong_rows_raise_and_change_nothing(
    herd: Herd, made: np.ndarray, error: type[HoofbeatError]
) -> None:
    before = memory(herd)
    with pytest.raises(error):
        herd.step(made)
    assert memory(herd) == before


# --- time steps


def test_no_time_repeats_the_frame(horse: Horse) -> None:
    shown = horse.step(Command(speed=4.5, turn=0.2))
    before = memory(horse)
    for command in (Command(speed=4.5, turn=0.2), Command(), Command(speed=9.0, heading=3.0)):
        assert same(horse.step(command, 0.0), shown)
        assert same(horse.step(command, -0.0), shown)
    assert memory(horse) == before
    assert same(horse.frame(), shown)


@pytest.mark.parametrize(("dt", "parts"), [(0.5, 5), (0.15, 2), (0.3, 3), (1.0, 10), (0.1000001, 2)])
def test_a_long_step_is_the_same_as_its_parts(horse: Horse, dt: float, parts: int) -> None:
    command = Command(speed=6.0, turn=0.3)
    before = horse.snapshot()
    long = horse.step(command, dt)
    assert long.clamped == ()
    horse.restore(before)
    events = 0
    for _ in range(parts):
        events |= horse.step(command, dt / parts).events
    assert same(replace(horse.frame(), events=events), long)


def test_steps_out_of_range_are_clamped_and_reported(horse: Horse) -> None:
    before = horse.snapshot()
    tiny = horse.step(Command(speed=4.5), SHORTEST / 1000)
    assert tiny.clamped == ("dt",)
    horse.restore(before)
    assert same(horse.step(Command(speed=4.5), SHORTEST), tiny) and horse.frame().clamped == ()
    start = horse.frame().time
    assert horse.step(Command(speed=4.5), MOST + 1).clamped == ("dt",)
    assert horse.frame().time - start == pytest.approx(MOST)
    assert horse.step(Command(speed=4.5), LONGEST).clamped == ()


def lag(speed: float, steps: list[float], settle: float) -> float:
    """How far [m] a horse is behind one that went at `speed` for 8 s, after `settle` s at 60 Hz."""
    horse = Horse("actions")
    for _ in range(round(60 * settle)):
        horse.step(Command(speed=speed), DT)
    start = horse.frame()
    n = 0
    while horse.frame().time < start.time + 8.0:
        horse.step(Command(speed=speed), steps[n % len(steps)])
        n += 1
    end = horse.frame()
    return speed * (end.time - start.time) - float(end.root.position[2] - start.root.position[2])


@pytest.mark.parametrize("steps", [[1 / 120], [1 / 24], [0.1], [0.001, 0.05, 1 / 60, 0.1, 0.013]])
@pytest.mark.parametrize("speed", [1.6, 4.5, 8.0])
def test_any_time_steps_give_the_same_path(speed: float, steps: list[float]) -> None:
    assert lag(speed, steps, settle=5.0) == pytest.approx(0, abs=0.002)


@pytest.mark.parametrize("steps", [[1 / 120], [1 / 30]])
def test_a_start_gives_nearly_the_same_path(steps: list[float]) -> None:
    # The first step and those that hold a take-off accelerate as a whole or not at all.
    assert lag(4.5, steps, settle=0) == pytest.approx(lag(4.5, [DT], settle=0), abs=0.15)


# --- anything finite

NUMBER = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.floats(-12, 12), st.just(0.0))
ANY = st.builds(
    Command,
    speed=NUMBER,
    turn=NUMBER,
    heading=st.none() | NUMBER,
    gait=st.sampled_from([None, None, "stand", "walk", "trot", "gallop", "halt"]),
    action=st.sampled_from([None, None, None, "idle"]),
    look=st.none() | st.tuples(NUMBER, NUMBER, NUMBER),
    push=st.none() | st.tuples(NUMBER, NUMBER, NUMBER),
    jump=st.none() | st.tuples(NUMBER, NUMBER),
    mood=st.none() | st.text(max_size=5),
)
TIMES = st.one_of(st.sampled_from([0.0, 0.001, DT, 1 / 30, 0.1, 0.5]), st.floats(0, 1.0))


@given(ANY)
def test_plain_numbers_and_arrays_are_read_alike(command: Command) -> None:
    """One horse and plain numbers are read in a quicker way; it must say the same as the general one."""
    reader = Reader(nobody().method)
    plain, general, many = np.zeros(1, COMMAND), np.zeros(1, COMMAND), np.zeros(3, COMMAND)
    listed = {
        name: None if getattr(command, name) is None else [getattr(command, name)]
        for name in ("speed", "turn", "heading", "gait")
    }
    reader.read(command, plain)
    reader.read(replace(command, **listed), general)
    reader.read(command, many)
    for name in COMMAND.names or ():
        assert np.array_equal(plain[name], general[name]), name
        assert np.array_equal(np.repeat(plain[name], 3, axis=0), many[name]), name


@settings(max_examples=60)
@given(st.lists(st.tuples(ANY, TIMES, st.integers(1, 30)), min_size=1, max_size=12))
def test_no_finite_command_raises_or_gives_nan(plan: list[tuple[Command, float, int]]) -> None:
    horse, kept = _trotting()
    horse.restore(kept)
    for command, dt, times in plan:
        for _ in range(times):
            horse.step(command, dt)
        frame = horse.frame()
        for array in (frame.positions, frame.rotations, frame.contacts, frame.phase, frame.root.position):
            assert np.isfinite(array).all()
        assert np.isfinite([frame.speed, frame.time]).all()
        assert ((frame.phase >= 0) & (frame.phase < 1)).all()
        assert ((frame.contacts >= 0) & (frame.contacts <= 1)).all()
        np.testing.assert_allclose(np.linalg.norm(frame.rotations, axis=1), 1, atol=1e-4)


@pytest.mark.parametrize(
    "where",
    [
        {"positions": [[0.0, np.nan]] * 2},
        {"positions": [[0.0, 0.0]]},
        {"positions": [[0.0, 0.0, 0.0]] * 2},
        {"headings": [np.inf, 0.0]},
        {"headings": [1.0, 2.0, 3.0]},
    ],
)
def test_wrong_start_places_are_refused(where: dict[str, Any]) -> None:
    with pytest.raises(HoofbeatError):
        Herd(2, "actions", **where)


@pytest.mark.parametrize(
    ("fields", "dt"),
    [
        ({"speed": 10**400}, DT),
        ({"gait": 5}, DT),
        ({"gait": [["trot"]]}, DT),
        ({"look": np.zeros((7, 3))}, DT),
        ({}, "soon"),
        ({}, None),
        ({}, 10**400),
    ],
    ids=["long number", "number for a gait", "list of lists", "seven looks", "word", "nothing", "long time"],
)
def test_odd_types_are_named_errors(horse: Horse, fields: dict[str, Any], dt: Any) -> None:
    with pytest.raises(HoofbeatError):
        horse.step(Command(**fields), dt)


def test_a_long_step_keeps_all_its_events(horse: Horse) -> None:
    command = Command(speed=4.5)
    before = horse.snapshot()
    seen = 0
    for _ in range(5):
        seen |= horse.step(command, 0.1).events
    horse.restore(before)
    assert horse.step(command, 0.5).events == seen
