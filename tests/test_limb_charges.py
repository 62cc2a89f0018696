"""What a limb is charged for: reach, sink, lift and hover are those of its toe's path, and each costs."""

from __future__ import annotations

import numpy as np
import pytest

from hoofbeat.methods.froude.model.limb import (
    CLEAR,
    DUTY,
    HOVER,
    LIFT,
    MEASURES,
    MIDDLE,
    REACH,
    SINK,
    SOFT,
    STAGES,
    TOUCHDOWN,
    errors_of,
    traced,
)
from hoofbeat.offline.evolution.adjusting import Adjusting, adjusting

pytestmark = pytest.mark.kernels
TEXTS = ("", 'fore:\n  elbow: "4"\nhind:\n  hip: "{x} 3 * .2 sin1 *"\n', 'hind:\n  stifle: "-6 {x} 2 * +"\n')


@pytest.fixture(scope="module")
def trot() -> Adjusting:
    return adjusting("trot")


@pytest.mark.parametrize("text", TEXTS)
def test_charges_are_measured_on_the_toe_path(trot: Adjusting, text: str) -> None:
    adjuster = trot.adjuster(text)
    found = trot.measures(adjuster)
    _, toes = traced(trot.limbs, adjuster, trot.wanted)
    stages = np.arange(STAGES + 1) / STAGES
    for f in range(len(trot.wanted.froude)):
        for limb in range(2):
            height, way = toes[f, limb, :, 0], toes[f, limb, :, 1]
            row = found[f, limb]
            ends = np.array([row[TOUCHDOWN], row[TOUCHDOWN] + row[DUTY]]) % 1.0
            lands, leaves = np.interp(ends, stages, np.append(way, way[0]))
            assert row[REACH] == pytest.approx(lands - leaves, abs=1e-9)
            down = height[height <= CLEAR]
            assert row[SINK] == pytest.approx(np.maximum(-down - SOFT, 0).mean(), abs=1e-12)
            assert row[LIFT] == pytest.approx(height.max())
            since = (stages[:-1] - row[TOUCHDOWN]) % 1.0 / row[DUTY]
            middle = height[(MIDDLE[0] < since) & (since < MIDDLE[1])]
            assert row[HOVER] == pytest.approx(max(middle.max(), 0.0), abs=1e-12)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("scuff", 0.1),
        ("effort", 0.5),
        ("strain", 0.1),
        ("reach", 0.3),
        ("sink", 0.1),
        ("lift", 0.0),
        ("hover", 0.004),
        ("touchdown", 0.4),
    ],
)
def test_every_charge_costs(column: str, value: float) -> None:
    perfect = np.zeros((2, 1, 2, len(MEASURES)))
    perfect[..., DUTY], perfect[..., REACH], perfect[..., LIFT], perfect[..., 2] = 0.5, 1.0, 0.1, 1.2
    perfect[1, ..., MEASURES.index(column)] = value
    out = np.empty(2)
    errors_of(perfect, np.full((1, 2), 0.5), np.full((1, 2), 1.2), np.full((1, 2), 1.0), out)
    assert out[0] == 0 and out[1] > 0.002
