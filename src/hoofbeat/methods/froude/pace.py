"""Pace: strides a second and duties at a Froude number, and where the tables are read (kernels)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hoofbeat.maths.curves import smoothstep
from hoofbeat.maths.exact.powers import ln, power
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.maths.types import Floats, Int, Real, Row, Rows
from hoofbeat.methods.froude.model.similarity import LONGEST_STANCE

#: Strides are no slower than this, in sqrt(g / h): steps shorten instead.
SLOWEST = 0.19
#: The laws are not asked below this Froude number.
LEAST_FROUDE = 1e-4
#: Steps are this much quicker, and so shorter, for each radian of lean and each rad/s of turn.
QUICKER_LEAN, QUICKER_TURN = 0.5, 0.15


class PacePlace(NamedTuple):
    """Where a gait's tables are read: its family, a row of the grid of Froude numbers, the weight of the
    next."""

    family: Int
    row: Int
    weight: Real


class Pace(NamedTuple):
    """How a character goes at one moment.

    rate: strides a second; share: part in [0, 1] of a transition that is done, 1 where there is none;
    moving: 0 = it stands, 1 = it goes; to and source: where the tables of `gait` and `source` are read.
    """

    rate: Real
    share: Real
    moving: Real
    to: PacePlace
    source: PacePlace


@kernel(inline=True)
def froude_at(speed: Real, hip: Real) -> Real:
    """Froude number at a speed [m/s], hip [m]."""
    return max(speed * speed / (GRAVITY * hip), LEAST_FROUDE)


@kernel
def place_at(gait: Row, froude: Real) -> PacePlace:
    """Where the tables of a gait (GAIT) are read at a Froude number."""
    x = (ln(froude) - gait["first_row"]) * gait["rows_per_log"]
    x = min(max(x, 0.0), gait["last_row"])
    i = min(int(x), int(gait["last_row"]) - 1)
    return PacePlace(int(np.int64(gait["family"])), i, x - i)


@kernel
def _stride_of(gait: Row, froude: Real) -> Real:
    """Stride length [hip heights] by the law, no longer than legs can reach at the duties it predicts."""
    fore = gait["duty"][0, 0] * power(froude, gait["duty"][0, 1])
    hind = gait["duty"][1, 0] * power(froude, gait["duty"][1, 1])
    stands = min(max(fore, hind), 1.0)
    return min(gait["stride"][0] * power(froude, gait["stride"][1]), LONGEST_STANCE / stands)


@kernel
def _rate_of(gait: Row, speed: Real, froude: Real, hip: Real) -> Real:
    """Strides a second of a gait (GAIT, Eq. 3) at a speed [m/s]."""
    return max(speed / (_stride_of(gait, froude) * hip), SLOWEST * np.sqrt(GRAVITY / hip))


@kernel
def progress_of(state: Row) -> Real:
    """Part in [0, 1] of a transition that the left hind has been through, smooth; 1 where there is none."""
    if state["source"] == state["gait"]:
        return 1.0
    x = min(state["clock"][2] / state["length"][2], 1.0)
    return smoothstep(state["share"][2, 0] + (state["share"][2, 1] - state["share"][2, 0]) * x)


@kernel
def pace_of(gaits: Rows, hip: Real, state: Row) -> Pace:
    """How a character that does not stand goes, by its gait, speed, turn and lean; gaits (G,) GAIT."""
    speed = state["speed"]
    froude, share = froude_at(speed, hip), progress_of(state)
    to, source = gaits[int(state["gait"])], gaits[int(state["source"])]
    rate = _rate_of(to, speed, froude, hip)
    if state["source"] != state["gait"]:
        rate = (1.0 - share) * _rate_of(source, speed, froude, hip) + share * rate
    rate *= 1.0 + QUICKER_LEAN * abs(state["lean"]) + QUICKER_TURN * abs(state["turn"])
    return Pace(rate, share, smoothstep(state["moving"]), place_at(to, froude), place_at(source, froude))


@kernel(inline=True)
def standing_pace() -> Pace:
    """How a character that stands goes."""
    return Pace(0.0, 1.0, 0.0, PacePlace(0, 0, 0.0), PacePlace(0, 0, 0.0))


@kernel(inline=True)
def cycle_share(state: Row, leg: Int) -> Real:
    """Mean share of the gait gone to in the curves of a leg's present cycle."""
    return 0.5 * (state["share"][leg, 0] + state["share"][leg, 1])


@kernel(inline=True)
def _value_at(rows: Floats, limb: Int, place: PacePlace) -> Real:
    """One limb's value in rows (V, F, 2)."""
    family, i = place.family, place.row
    return (1.0 - place.weight) * rows[family, i, limb] + place.weight * rows[family, i + 1, limb]


@kernel
def limb_value(rows: Floats, state: Row, leg: Int, share: Real, pace: Pace) -> Real:
    """Duty of a leg, or z of the middle of its stance [m], whose curves have that share of the gait gone to.

    rows (V, F, 2): `duty` or `middle` of the tables.
    """
    to = _value_at(rows, leg // 2, pace.to)
    if share >= 1.0 or state["source"] == state["gait"]:
        return to
    return (1.0 - share) * _value_at(rows, leg // 2, pace.source) + share * to


@kernel
def trunk_phase(state: Row) -> Real:
    """Phase of the trunk: how far the left hind is in its cycle, at the stride's pace at both ends."""
    n = state["length"][2]
    x = min(state["clock"][2] / n, 1.0)
    y = 1.0 - x
    return smoothstep(x) + n * x * y * (y - x)
