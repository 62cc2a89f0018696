"""Bank: the gait database as the arrays that the kernels of `timewarp` read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import HoofbeatError
from hoofbeat.gaits.breeds import FASTEST
from hoofbeat.gaits.cycle import Cycle
from hoofbeat.gaits.gait import GAITS, other_lead
from hoofbeat.methods.timewarp.rows import CYCLE, GAIT, MOST_GAITS
from hoofbeat.methods.timewarp.transition import common_shift

#: Powers of speed where a gait has one cycle only: stride time and duty fall as in the other gaits.
STRIDE_POWER, DUTY_POWER = -0.25, -0.4
#: Duty may leave the range of the gait's table by this much before it is held.
DUTY_ROOM = 0.02
#: Gaits that riders collect and extend.
VARIED = ("walk", "trot", "canter")
#: Forelegs that follow each other stand this much longer than the second waits: no flight between them.
OVERLAP = 0.005
#: A change of lead: strides for each stride of the longest way, and the first hind's own time about which the
#: hind legs exchange their order, both in the air.
FLYING, HINDS_SWING = 6.2, 0.8
#: Slowest that a walk can be ridden at [m/s].
SLOWEST = 0.3


@dataclass(frozen=True)
class Bank:
    """Cycles (C,) with float32 tables height and sway (C, R), trunk (C, R, J, 4), legs (C, 4, 2, L, 8, 2).

    gaits (G,) GAIT, standing first; joints (J,): the nodes that the trunk's tracks turn; home (4, 3): toes
    of the standing horse [m]; stand: height of its root joint [m].
    """

    cycles: NDArray[Any]
    height: NDArray[np.float32]
    sway: NDArray[np.float32]
    trunk: NDArray[np.float32]
    legs: NDArray[np.float32]
    gaits: NDArray[Any]
    joints: NDArray[np.int64]
    scapulae: NDArray[np.int64]
    home: NDArray[np.float64]
    stand: float
    names: tuple[str, ...]


def make_bank(cycles: Sequence[Cycle], skeleton: Skeleton) -> Bank:
    """The bank of cycles, both leads of those that lead among them."""
    rows = np.zeros(len(cycles), CYCLE)
    for row, cycle in zip(rows, cycles, strict=True):
        row["speed"], row["stride"] = cycle.speed, cycle.stride
        row["duty"], row["middle"] = cycle.duty, cycle.middle
        row["height"] = cycle.height.mean()
        row["stance"] = cycle.speed * cycle.stride * cycle.duty.mean()
    present = [name for name in GAITS if name == "stand" or any(c.gait == name for c in cycles)]
    if len(present) > MOST_GAITS:
        raise HoofbeatError(f"{len(present)} gaits are over {MOST_GAITS}")
    gaits = np.zeros(len(present), GAIT)
    for row, name in zip(gaits[1:], present[1:], strict=True):
        _fill(row, name, cycles)
    for n, name in enumerate(present):
        gaits[n]["other"] = present.index(other_lead(name)) if other_lead(name) in present else n
        gaits[n]["lead"] = 1 if name.endswith("left") else -1 if name.endswith("right") else 0
    for row in gaits[1:]:
        _fill_flying(row, gaits[row["other"]]["touchdown"])
    rest = skeleton.rest_positions()
    low = rest[:, 1].min()
    home = rest[[leg.toe for leg in skeleton.legs]] - np.array([0.0, low, 0.0])
    return Bank(
        cycles=rows,
        height=_stacked(cycles, "height"),
        sway=_stacked(cycles, "sway"),
        trunk=_stacked(cycles, "trunk"),
        legs=_stacked(cycles, "legs"),
        gaits=gaits,
        joints=np.array([skeleton.index(name) for name in cycles[0].joints]),
        scapulae=np.array([skeleton.parents[leg.top] for leg in skeleton.legs[:2]]),
        home=home,
        stand=float(-low),
        names=tuple(present),
    )


def _fill_flying(row: Any, touchdown: NDArray[np.float64]) -> None:
    """When and how fast a gait changes to the one on the other lead, which lands at `touchdown` (4,)."""
    own = np.array(row["touchdown"])
    ways = touchdown + common_shift(own, touchdown) - own
    longest = np.abs((ways + 0.5) % 1.0 - 0.5).max()
    row["flying"] = max(FLYING * longest, 1.0)
    row["flies"] = (HINDS_SWING - 0.5 * row["flying"]) % 1.0


def _stacked(cycles: Sequence[Cycle], key: str) -> NDArray[np.float32]:
    return np.stack([getattr(cycle, key) for cycle in cycles]).astype(np.float32)


def _fill(row: Any, name: str, cycles: Sequence[Cycle]) -> None:
    own = sorted((c.speed, n) for n, c in enumerate(cycles) if c.gait == name)
    slow, fast = cycles[own[0][1]], cycles[own[-1][1]]
    row["slow"], row["fast"] = own[0][1], own[-1][1]
    row["touchdown"] = slow.touchdown
    low, high = GAITS[name].duty
    least = low - DUTY_ROOM
    if GAITS[name].suspensions == 1:
        left, right = GAITS[name].touchdown[:2]
        least = max(least, min((right - left) % 1.0, (left - right) % 1.0) + OVERLAP)
    row["duty_range"] = least, high + DUTY_ROOM
    row["stride_power"], row["duty_power"] = STRIDE_POWER, DUTY_POWER
    if fast.speed > slow.speed:
        faster = np.log(fast.speed / slow.speed)
        row["stride_power"] = np.log(fast.stride / slow.stride) / faster
        row["duty_power"] = np.log(fast.duty / slow.duty) / faster
    row["varies"] = 1.0 if name.startswith(VARIED) else 0.0
    least, most = GAITS[name].speed
    row["band"] = (SLOWEST if name == "walk" else least), min(most, FASTEST)
