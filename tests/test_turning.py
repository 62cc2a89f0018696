"""Turning of `timewarp`: circles as wide as asked, feet that stay, a lean, the inside fore in the lead."""

# pyright: reportPossiblyUnboundVariable=false

from __future__ import annotations

import numpy as np
import pytest

from hoofbeat.errors import UnknownName, UnknownOption
from hoofbeat.horse import Herd, Horse
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.records import Command

#: Gaits, and the speeds they are judged at on circles [m/s].
BANDS = {"walk": (0.8, 2.0), "trot": (2.6, 5.4), "canter": (4.6, 8.0), "gallop": (7.6, 12.0)}
DT = 1 / 60


def circles() -> list[tuple[str, float, float]]:
    """Gait, speed and radius: the fastest that half of g sideways and the turning rate allow."""
    out = []
    for radius in (3.0, 6.0, 12.0, 30.0):
        for gait, (low, high) in BANDS.items():
            speed = min(high, 0.98 * float(np.sqrt(0.5 * GRAVITY * radius)), 1.45 * radius)
            if speed >= low:
                out.append((gait, speed, radius))
    return out


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize(("gait", "speed", "radius"), circles())
def test_circles_are_as_wide_as_asked_and_feet_stay(
    gait: str, speed: float, radius: float, side: int
) -> None:
    if gait in ("canter", "gallop"):
        gait = f"{gait}-{'left' if side > 0 else 'right'}"
    herd = Herd(1, "timewarp")
    command = Command(speed=speed, turn=side * speed / radius, gait=gait)
    for _ in range(420):
        herd.step(command, DT)
    feet = [leg.toe for leg in herd.skeleton.legs]
    roots, toes, down = [], [], []
    for _ in range(int(min(10.0, max(4.0, 2 * np.pi * radius / speed)) / DT)):
        frame = herd.step(command, DT)
        roots.append(np.array(frame.root.position[0]))
        toes.append(np.array(frame.positions[0, feet]))
        down.append(np.array(frame.contacts[0]) > 0.5)
    at = np.stack(roots)[:, [0, 2]]
    fitted = np.linalg.lstsq(np.c_[2 * at, np.ones(len(at))], (at**2).sum(axis=1), rcond=None)[0]
    found = np.sqrt(fitted[2] + fitted[0] ** 2 + fitted[1] ** 2)
    assert found == pytest.approx(radius, rel=0.03)
    steps = np.linalg.norm(np.diff(np.stack(toes)[..., [0, 2]], axis=0), axis=-1)
    held = np.stack(down)[1:] & np.stack(down)[:-1]
    total = np.zeros(4)
    for step, both in zip(steps, held, strict=True):
        total = np.where(both, total + step, 0.0)
        assert total.max() < 0.006
    assert np.stack(toes)[..., 1].min() > -0.002


@pytest.mark.parametrize("side", [1, -1])
def test_the_body_leans_into_the_turn(side: int) -> None:
    horse = Horse("timewarp")
    for _ in range(240):
        frame = horse.step(Command(speed=6.0, turn=side * 0.6, gait="canter-left"))
    names = horse.skeleton.names
    over = frame.positions[names.index("Lumbar01")] - frame.positions[names.index("FemurLeft")]
    across = frame.positions[names.index("FemurLeft")] - frame.positions[names.index("FemurRight")]
    # The inside hip is the lower one.
    assert -side * across[1] > 0.05 and over[1] > 0


@pytest.mark.parametrize(("gait", "speed"), [("canter", 6.5), ("gallop", 9.5)])
def test_a_figure_of_eight_changes_the_lead_in_the_air(gait: str, speed: float) -> None:
    horse = Horse("timewarp")
    down, seen = [], []
    for turn in (0.45, -0.45, 0.45):
        for _ in range(270):
            frame = horse.step(Command(speed=speed, turn=turn))
            down.append(np.array(frame.contacts) > 0.5)
        seen.append(frame.gait)
    assert seen == [f"{gait}-left", f"{gait}-right", f"{gait}-left"]
    # Of each pair of touchdowns the first is the trailing leg's: it changes with both pairs in one flight.
    lands = [np.flatnonzero(np.diff(np.array(down)[:, leg].astype(int)) > 0) for leg in range(4)]
    flights = np.flatnonzero(np.diff((~np.array(down).any(axis=1)).astype(int)) > 0)
    flights = flights[flights > 180]
    leads = []
    for start, end in zip(flights[:-1], flights[1:], strict=True):
        first = [land[(land >= start) & (land < end)] for land in lands]
        assert all(len(one) == 1 for one in first), "each foot lands once between two flights"
        fore, hind = first[1][0] - first[0][0], first[3][0] - first[2][0]
        assert fore * hind >= 0, "never disunited: fore and hind pairs agree"
        leads.append(1 if fore + hind < 0 else -1)
    changes = np.flatnonzero(np.diff(leads))
    assert len(changes) == 2 and leads[0] == leads[-1] == 1


def test_gaits_change_while_the_horse_turns() -> None:
    count = 12
    herd = Herd(count, "timewarp")
    feet = [leg.toe for leg in herd.skeleton.legs]
    rng = np.random.default_rng(4)
    held, last, slide, lowest = np.zeros((count, 4)), None, 0.0, 0.0
    for k in range(900):
        if k % 50 == 0:
            speed, turn = rng.uniform(0, 9, count), rng.choice([-0.5, 0.5], count)
        frame = herd.step(Command(speed=speed, turn=turn))
        toes, down = np.array(frame.positions[:, feet]), np.array(frame.contacts) > 0.5
        if last is not None:
            moved = np.linalg.norm((toes - last[0])[..., [0, 2]], axis=-1)
            held = np.where(down & last[1], held + moved, 0.0)
            slide = max(slide, float(held.max()))
        last, lowest = (toes, down), min(lowest, float(toes[..., 1].min()))
    assert slide < 0.006 and lowest > -0.002


def unwrapped(angles: list[float]) -> np.ndarray:
    return np.unwrap(np.array(angles))


def yaw_of(rotation: np.ndarray) -> float:
    return float(2 * np.arctan2(rotation[1], rotation[3]))


@pytest.mark.parametrize("speed", [0.0, 1.5, 3.8, 6.5])
def test_a_turn_begins_at_the_nose_and_runs_to_the_root(speed: float) -> None:
    horse = Horse("timewarp")
    for _ in range(240):
        before = horse.step(Command(speed=speed))
    names = horse.skeleton.names
    along = ("Head_end", "Cervical02", "Cervical05", "Thoracic01", "FemurLeft")
    places = [names.index(name) for name in along]
    straight, bent = [], []
    twin = Horse("timewarp")
    twin.restore(horse.snapshot())
    changed = 0
    for n in range(40):
        one, other = horse.step(Command(speed=speed)), twin.step(Command(speed=speed, turn=0.6))
        if n == 0:
            changed = np.abs(one.rotations - other.rotations).max()
        straight.append(one.positions[places])
        bent.append(other.positions[places])
    assert changed > 1e-4, "the very next pose shows the command"
    # How far each joint has gone to the left of where it would be: each starts after the one before it.
    left = (np.array(bent) - np.array(straight))[..., 0] - (np.array(bent) - np.array(straight))[:, -1:, 0]
    starts = [int(np.argmax(left[:, k] > 0.002)) for k in range(len(places) - 1)]
    assert starts == sorted(starts) and starts[0] < 12
    assert before.gait is not None


def test_a_heading_is_reached_without_overshoot() -> None:
    for speed in (0.0, 1.5, 5.0):
        horse = Horse("timewarp")
        yaws = []
        for _ in range(480):
            frame = horse.step(Command(speed=speed, heading=1.2))
            yaws.append(yaw_of(frame.root.rotation))
        assert yaws[-1] == pytest.approx(1.2, abs=0.05)
        assert max(unwrapped(yaws)) < 1.2 + 0.06


def test_square_corners_at_a_walk() -> None:
    horse = Horse("timewarp")
    feet = [leg.toe for leg in horse.skeleton.legs]
    for corner in range(1, 5):
        start = horse.frame().root.position
        for _ in range(300):
            frame = horse.step(Command(speed=1.4, heading=corner * np.pi / 2))
            assert frame.positions[feet, 1].min() > -0.002
        side = frame.root.position - start
        # Most of the side is straight along the new heading.
        along = side[0] * np.sin(corner * np.pi / 2) + side[2] * np.cos(corner * np.pi / 2)
        assert along > 5.0
        off = (yaw_of(frame.root.rotation) - corner * np.pi / 2 + np.pi) % (2 * np.pi) - np.pi
        assert abs(off) < 0.03


@pytest.mark.parametrize("side", [1, -1])
def test_on_the_spot_the_forelegs_cross(side: int) -> None:
    horse = Horse("timewarp")
    feet = [leg.toe for leg in horse.skeleton.legs[:2]]
    crossed, held, last, slide = 0, np.zeros(2), None, 0.0
    for _ in range(420):
        frame = horse.step(Command(turn=side * 0.8))
        yaw = yaw_of(frame.root.rotation)
        toes = frame.positions[feet]
        across = (toes[0, 0] - toes[1, 0]) * np.cos(yaw) - (toes[0, 2] - toes[1, 2]) * np.sin(yaw)
        down = frame.contacts[:2] > 0.5
        crossed += bool(down.all() and across < -0.03)
        if last is not None:
            held = np.where(down & last[1], held + np.linalg.norm(toes - last[0], axis=1), 0.0)
            slide = max(slide, float(held.max()))
        last = toes, down
    assert crossed > 20 and slide < 0.006
    assert np.linalg.norm(frame.root.position[[0, 2]]) < 0.25, "it stays where it is"
    # Then it stands square again.
    for _ in range(200):
        frame = horse.step(Command())
    assert frame.gait == "stand" and (frame.contacts > 0.5).all()


@pytest.mark.parametrize(("speed", "gait", "rate"), [(1.5, None, 0.3), (5.0, None, 3.0), (12.0, None, 6.0)])
def test_the_papers_rates(speed: float, gait: str | None, rate: float) -> None:
    horse = Horse("timewarp", turning="paper")
    for _ in range(300):
        horse.step(Command(speed=speed, gait=gait))
    yaws = [yaw_of(horse.step(Command(speed=speed, turn=1.0)).root.rotation) for _ in range(400)]
    turned = np.degrees(unwrapped(yaws)[-1] - unwrapped(yaws)[100]) / (299 * DT)
    assert turned == pytest.approx(rate, rel=0.1)


def test_a_breed_without_amble_and_rack() -> None:
    seen: dict[str, list[str]] = {}
    for breed in ("all", "three-gaited"):
        horse = Horse("timewarp", breed=breed)
        names: list[str] = []
        for n in range(1500):
            frame = horse.step(Command(speed=n / 1500 * 10.0))
            if not names or names[-1] != frame.gait:
                names.append(str(frame.gait))
        seen[breed] = names
    assert seen["all"] == ["stand", "walk", "amble", "trot", "rack", "canter-left", "gallop-left"]
    assert seen["three-gaited"] == ["stand", "walk", "trot", "canter-left", "gallop-left"]
    # They can still be asked for.
    for _ in range(240):
        frame = horse.step(Command(speed=2.5, gait="amble"))
    assert frame.gait == "amble"


def test_wrong_options_are_named() -> None:
    with pytest.raises(UnknownOption, match="known option|unknown option"):
        Horse("timewarp", turnings="paper")
    with pytest.raises(UnknownName, match="natural, paper"):
        Horse("timewarp", turning="papers")
    with pytest.raises(UnknownName, match="three-gaited"):
        Horse("timewarp", breed="arab")
    with pytest.raises(UnknownOption, match="none"):
        Horse("actions", turning="paper")


def test_frame_rates_give_the_same_path() -> None:
    plan = [(1.5, 0.3), (3.8, -0.2), (6.5, 0.4), (9.5, 0.0), (2.5, 0.5), (0.0, 0.0)]
    rng = np.random.default_rng(3)
    ends, sequences = [], []
    for rate in (30.0, 60.0, 120.0, 0.0):
        horse = Horse("timewarp")
        seen: list[str] = []
        way, last = 0.0, horse.frame().root.position
        for speed, turn in plan:
            left = 4.0
            while left > 1e-9:
                dt = min(1 / rate if rate else float(rng.uniform(0.008, 0.033)), left)
                frame = horse.step(Command(speed=speed, turn=turn), dt)
                way += float(np.linalg.norm(frame.root.position - last))
                last = frame.root.position
                left -= dt
                if not seen or seen[-1] != frame.gait:
                    seen.append(str(frame.gait))
        ends.append((last, way))
        sequences.append(seen)
    assert all(seen == sequences[1] for seen in sequences), sequences
    for end, way in ends:
        assert np.linalg.norm(end - ends[1][0]) < 0.02 * ends[1][1]
        assert way == pytest.approx(ends[1][1], rel=0.02)
