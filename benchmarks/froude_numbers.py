"""Measure the moving horse of method `froude` against what dynamic similarity predicts (docs/froude.md).

python -m benchmarks.froude_numbers [--preset natural|paper] [--json]
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass

import numpy as np

import hoofbeat as hb
from hoofbeat.body.size import hip_height
from hoofbeat.gaits.footfall import strides
from hoofbeat.gaits.gait import LEADS
from hoofbeat.methods.froude.model.similarity import NATURAL_GAITS, predict, preset_named, speed_of

#: Steps a second, seconds of settling and of measuring.
RATE, SETTLING, MEASURED = 240, 8.0, 5.0
#: Stances that legs can reach [hip heights].
REACHED = 1.05


@dataclass(frozen=True)
class Row:
    """One Froude number: predicted and measured duty, stride [hip heights] and speed [m/s]; longest: travel
    of a foot under the body that the laws ask for [hip heights]; order: whether feet land in the gait's
    order."""

    gait: str
    froude: float
    longest: float
    duty_fore: float
    fore: float
    duty_hind: float
    hind: float
    relative: float
    stride: float
    speed: float
    measured: float
    order: bool


def measure(gait: str, froude: float, preset: str = "natural") -> Row:
    """Ride a gait at a Froude number and read it off the feet."""
    horse = hb.Horse("froude", preset=preset)
    hip = hip_height(horse.skeleton)
    speed = float(speed_of(froude, hip))
    command = hb.Command(speed=speed, gait=LEADS.get(gait, gait))
    for _ in range(round(SETTLING * RATE)):
        horse.step(command, 1 / RATE)
    contacts, roots = [], []
    frame = horse.frame()
    for _ in range(round(MEASURED * RATE)):
        frame = horse.step(command, 1 / RATE)
        contacts.append(frame.contacts)
        roots.append(frame.root.position[2])
    seen = strides(np.array(contacts), RATE)
    duty = seen.mean_duty()
    real = (roots[-1] - roots[0]) * RATE / (len(roots) - 1)
    predicted = predict(froude, gait, hip)
    touchdown = preset_named(preset).touchdown[gait]
    found = seen.mean_touchdown()
    gap = np.abs((found - np.array(touchdown) + 0.5) % 1.0 - 0.5)
    return Row(
        gait,
        froude,
        float(max(predicted.stance_fore, predicted.stance_hind)),
        float(predicted.duty_fore),
        float(duty[:2].mean()),
        float(predicted.duty_hind),
        float(duty[2:].mean()),
        float(predicted.relative_stride),
        float(real * seen.duration.mean() / hip),
        speed,
        float(real),
        bool(gap.max() < 0.03) and str(frame.gait).split("-")[0] == gait,
    )


def main(arguments: list[str] | None = None) -> int:
    """Print a table over each gait's range, from Fr 0.05."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--preset", default="natural")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    rows: list[Row] = []
    for gait in NATURAL_GAITS:
        low, high = preset_named(given.preset).borders[gait]
        rows += [measure(gait, float(fr), given.preset) for fr in np.geomspace(max(low, 0.05), high, 5)]
    if given.json:
        sys.stdout.write(json.dumps([asdict(row) for row in rows]) + "\n")
        return 0
    sys.stdout.write("\n".join(table(rows)) + "\n")
    return 0


def table(rows: list[Row]) -> list[str]:
    """The lines of the table, and a last one with the worst of each."""
    head = "gait, Fr, stance asked, duty fore, law, duty hind, law, stride, law, speed, asked, feet".split(
        ", "
    )
    out = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for r in rows:
        figures = (r.froude, r.longest)
        duties = (r.fore, r.duty_fore, r.hind, r.duty_hind)
        cells = [r.gait, *(f"{v:.2f}" for v in figures), *(f"{v:.3f}" for v in duties)]
        cells += [f"{r.stride:.2f}", f"{r.relative:.2f}", f"{r.measured:.3f}", f"{r.speed:.3f}"]
        out.append(f"| {' | '.join([*cells, 'right' if r.order else 'wrong'])} |")
    worst = max(max(abs(r.fore - r.duty_fore), abs(r.hind - r.duty_hind)) for r in rows)
    within = max((abs(r.stride / r.relative - 1) for r in rows if r.longest <= REACHED), default=0.0)
    speed = max(abs(r.measured / r.speed - 1) for r in rows)
    verdict = f"worst duty error {worst:.3f}; worst stride error where legs reach {within:.3f}"
    return [*out, "", f"{verdict}; worst speed error {speed:.4f}"]


if __name__ == "__main__":
    sys.exit(main())
