"""Turning of `timewarp`: circles as wide as asked, feet that stay, a lean, the inside fore in the lead."""

# pyright: reportPossiblyUnboundVariable=false

from __future__ import annotations

import numpy as np
import pytest

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


def test_the_lead_follows_the_turn() -> None:
    horse = Horse("timewarp")
    seen = []
    for turn in (0.5, -0.5, 0.5):
        for _ in range(240):
            frame = horse.step(Command(speed=7.0, turn=turn))
        seen.append(frame.gait)
    assert seen == ["canter-left", "canter-right", "canter-left"]


def test_frame_rates_go_the_same_way() -> None:
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
