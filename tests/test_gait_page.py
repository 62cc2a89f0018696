"""docs/gaits.md tells of the gaits as they are: every key, every picture, and its measured numbers."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import numpy as np
from benchmarks.gait_figure import BANDS, draw_figure, hip_height
from benchmarks.gait_numbers import fetlock_rows, numbers, own_cycles
from benchmarks.gait_pictures import FOLDER, PLATE_WIDTH, SPEEDS, one_stride, ride

from hoofbeat.gaits.database import read_cycles
from hoofbeat.offline.author.style import Style

PAGE = Path(__file__).resolve().parents[1] / "docs" / "gaits.md"
#: Renew the page with `python -m benchmarks.gait_numbers` where a table has gone stale.
TEXT = PAGE.read_text(encoding="utf-8")
MOST_BYTES = 3_000_000


def test_every_key_of_the_parameters_is_explained() -> None:
    assert [field.name for field in fields(Style) if f"`{field.name}`" not in TEXT] == []


def test_every_cycle_and_gait_is_shown_and_no_picture_is_left_over() -> None:
    shown = set(re.findall(r"images/gaits/([\w.-]+\.webp)", TEXT))
    wanted = {f"{cycle.name}.webp" for cycle in own_cycles()}
    wanted |= {f"{gait}-{part}.webp" for gait in SPEEDS for part in ("speeds", "moving")}
    assert shown == wanted | {"strides.webp", "leap.webp"} == {path.name for path in FOLDER.iterdir()}
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < MOST_BYTES


def test_the_thresholds_are_those_of_the_database() -> None:
    assert "\n".join(fetlock_rows()) in TEXT


def test_a_row_of_the_measured_table_is_still_measured() -> None:
    cycle = next(c for c in read_cycles() if c.name == "trot-3.0")
    found = numbers(cycle.gait, cycle.speed)
    row = next(line for line in TEXT.splitlines() if line.startswith("| `trot-3.0` | 0."))
    told = [float(word) for word in re.findall(r"[\d.]+", row.partition("` |")[2])]
    assert told[:4] == np.round([found.stride, found.length, *found.duty], 2).tolist()
    assert abs(told[9] - 100 * found.withers) <= 0.6 and abs(told[-1] - found.fetlock[1]) <= 0.6


def test_a_stride_is_one_stride() -> None:
    clip = one_stride(ride("trot", 3.0))
    assert abs(clip.seconds - numbers("trot", 3.0).stride) < 2 / clip.fps
    assert 1.0 < hip_height() < 1.2
    assert set(BANDS) == set(SPEEDS) and PLATE_WIDTH <= 2000


def test_the_figure_is_drawn() -> None:
    assert len(np.unique(np.asarray(draw_figure()).reshape(-1, 3), axis=0)) > 50
