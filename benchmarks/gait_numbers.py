"""What the gaits of method `timewarp` measure, ridden and recorded, for docs/gaits.md and its figure.

`python -m benchmarks.gait_numbers` writes the tables of that page anew. A ride is a steady gait on the
horse of 1.295 m, after six seconds from a stand.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import hoofbeat as hb
from hoofbeat.body.legs.anatomy import leg_table
from hoofbeat.gaits.cycle import Cycle
from hoofbeat.gaits.database import read_cycles
from hoofbeat.gaits.footfall import flights, strides
from hoofbeat.offline.author.__main__ import HORSE_STYLES
from hoofbeat.offline.author.style import read_styles

PAGE = Path(__file__).resolve().parents[1] / "docs" / "gaits.md"
#: A steady gait is reached after so many seconds; the clip then has this rate [1/s] and length [s].
SETTLE, FPS, SECONDS = 6.0, 240, 3.0
#: Joints whose heights are reported as withers and croup, and those that bend in the lumbosacral region.
WITHERS, CROUP, BACK = "Thoracic03", "RootSacrum", ("Lumbar01", "Thoracic05")


@cache
def ride(gait: str, speed: float) -> hb.Clip:
    """A steady gait at a speed [m/s], three seconds of it."""
    horse = hb.Horse("timewarp")
    command = hb.Command(speed=speed, gait=gait)
    for _ in range(round(SETTLE * 60)):
        horse.step(command)
    recorder = hb.Recorder(horse.skeleton, FPS)
    for _ in range(round(SECONDS * FPS)):
        recorder.add(horse.step(command, 1 / FPS))
    return recorder.clip(f"{gait} {speed:g} m/s")


@dataclass(frozen=True)
class Numbers:
    """One ride. Pairs are fore, hind, means of left and right where not said otherwise."""

    stride: float  # [s]
    length: float  # [m]
    duty: tuple[float, float]
    stance: tuple[float, float]  # [ms]
    air: float  # of one flight, [ms]; 0 = none
    lift: tuple[float, float]  # of the toe [m], larger of left and right
    withers: float  # moves up and down [m], peak to peak
    croup: float
    head: float  # of the head against the withers [m], peak to peak
    pitch: float  # of the line from croup to withers [deg], peak to peak
    lumbosacral: float  # [deg], peak to peak
    lowered: float  # mean height of the croup below the rest pose [m]
    carpus: float  # fold, largest [deg]
    hock: float
    elbow: float  # fold of the loaded foreleg's elbow, largest [deg]
    fetlock: tuple[float, float]  # extension, largest [deg]


def numbers(gait: str, speed: float) -> Numbers:
    """Measure a ride."""
    clip = ride(gait, speed)
    assert clip.contacts is not None
    skeleton, down = clip.skeleton, clip.contacts > 0.5
    measured = strides(clip.contacts, FPS)
    time = float(measured.duration.mean())
    duty = measured.mean_duty()
    at, turns = clip.positions, clip.rotations.astype(np.float64)
    withers, croup = (at[:, skeleton.index(name)] for name in (WITHERS, CROUP))
    line = withers - croup
    pitch = np.degrees(np.arctan2(line[:, 1], np.hypot(line[:, 0], line[:, 2])))
    head = at[:, skeleton.index("Head"), 1] - withers[:, 1]
    back = sum(_about_x(turns[:, skeleton.index(name)]) for name in BACK)
    aloft = flights(clip.contacts, FPS)
    aloft = aloft[np.isfinite(aloft).all(axis=1)]
    folds = [_folds(clip, leg) for leg in range(4)]
    lifts = [float(at[:, leg.toe, 1].max()) for leg in skeleton.legs]
    rest = skeleton.rest_positions()
    return Numbers(
        time,
        speed * time,
        _pair(duty),
        _pair(1000 * duty * time),
        1000 * float(np.diff(aloft, axis=1).mean()) if len(aloft) else 0.0,
        (max(lifts[:2]), max(lifts[2:])),
        float(np.ptp(withers[:, 1])),
        float(np.ptp(croup[:, 1])),
        float(np.ptp(head)),
        float(np.ptp(pitch)),
        float(np.degrees(np.ptp(back))),
        float(-rest[:, 1].min() - croup[:, 1].mean()),
        float(max(low.max() for _, low, _ in folds[:2])),
        float(max(low.max() for _, low, _ in folds[2:])),
        float(max(folds[leg][0][down[:, leg]].max() for leg in range(2))),
        (
            max(float(folds[leg][2][down[:, leg]].max()) for leg in (0, 1)),
            max(float(folds[leg][2][down[:, leg]].max()) for leg in (2, 3)),
        ),
    )


def _pair(values: np.ndarray) -> tuple[float, float]:
    return float(np.nanmean(values[:2])), float(np.nanmean(values[2:]))


def _about_x(turns: np.ndarray) -> np.ndarray:
    """Angle [rad] of rotations (T, 4) about the lateral axis."""
    return 2 * np.arctan2(turns[:, 0], turns[:, 3])


def _folds(clip: hb.Clip, leg: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Fold of elbow or stifle and of carpus or hock, and extension of the fetlock (T,) [deg]."""
    joints, row = clip.skeleton.legs[leg], leg_table(clip.skeleton)[leg]
    turns = clip.rotations.astype(np.float64)
    mid = np.degrees(row["bend_mid"] * _about_x(turns[:, joints.mid]))
    low = np.degrees(row["bend_low"] * _about_x(turns[:, joints.low]))
    at = clip.positions
    cannon = at[:, joints.pastern] - at[:, joints.low]
    pastern = at[:, joints.pastern + 1] - at[:, joints.pastern]
    swung = np.arctan2(pastern[:, 2], -pastern[:, 1]) - np.arctan2(cannon[:, 2], -cannon[:, 1])
    return mid, low, 180 + np.degrees((swung + np.pi) % (2 * np.pi) - np.pi)


def own_cycles() -> tuple[Cycle, ...]:
    """The cycles of horse.yaml, which the page explains; the file of an added gait explains itself."""
    names = {style.name for style in read_styles(HORSE_STYLES)}
    return tuple(cycle for cycle in read_cycles() if cycle.name in names)


def measured_rows() -> list[str]:
    """The table of every cycle of the page, ridden at the speed it is authored for."""
    heads = (
        "cycle", "stride", "length", "duty", "stance", "air", "lift", "withers, croup", "pitch", "back",
        "head", "lowered", "carpus, hock", "fetlock",
    )  # fmt: skip
    rows = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for cycle in own_cycles():
        n = numbers(cycle.gait, cycle.speed)
        words = (
            f"{n.stride:.2f} s", f"{n.length:.2f} m", f"{n.duty[0]:.2f}, {n.duty[1]:.2f}",
            f"{n.stance[0]:.0f}, {n.stance[1]:.0f} ms", f"{n.air:.0f} ms" if n.air else "none",
            f"{100 * n.lift[0]:.0f}, {100 * n.lift[1]:.0f} cm",
            f"{100 * n.withers:.0f}, {100 * n.croup:.0f} cm", f"{n.pitch:.1f}°", f"{n.lumbosacral:.0f}°",
            f"{100 * n.head:.0f} cm", f"{100 * n.lowered:.0f} cm", f"{n.carpus:.0f}°, {n.hock:.0f}°",
            f"{n.fetlock[0]:.0f}°, {n.fetlock[1]:.0f}°",
        )  # fmt: skip
        rows.append(f"| `{cycle.name}` | {' | '.join(words)} |")
    return rows


def fetlock_rows() -> list[str]:
    """The table of fetlock thresholds: landed and left, of each foot."""
    rows = ["| cycle | LF | RF | LH | RH |", "|---|---|---|---|---|"]
    for cycle in own_cycles():
        words = (f"{landed:.0f}, {left:.0f}" for landed, left in np.degrees(cycle.fetlock))
        rows.append(f"| `{cycle.name}` | {' | '.join(words)} |")
    return rows


def renewed(text: str) -> str:
    """docs/gaits.md with its tables of measured numbers as they are now."""
    for mark, rows in (("measured", measured_rows()), ("fetlocks", fetlock_rows())):
        start, end = f"<!-- {mark} -->\n", f"<!-- end of {mark} -->"
        head, _, rest = text.partition(start)
        text = head + start + "\n".join(rows) + "\n" + end + rest.partition(end)[2]
    return text


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
