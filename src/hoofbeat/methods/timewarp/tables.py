"""Tables: the gait database, the body and the rules, as the read-only arrays of the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.legs.anatomy import leg_table
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import HoofbeatError
from hoofbeat.gaits.breeds import FASTEST, borders_by_gait
from hoofbeat.gaits.cycle import FEATURES, LEG_ROWS, TRUNK_ROWS, Cycle
from hoofbeat.gaits.gait import GAITS, lead_of, other_lead
from hoofbeat.maths.types import Floats, Ints, Rows
from hoofbeat.methods.shared.gait_choice import SpeedChange, borders_of
from hoofbeat.methods.timewarp.pattern import common_shift, farthest
from hoofbeat.methods.timewarp.state import MOST_GAITS

#: Gains and brakes at most [m/s2]; turns at most [rad/s].
ACCELERATION, BRAKING, MAX_TURN = 5.0, 6.0, 1.5
#: Turn of joints about the lateral axis at full extension [deg]: the neck lowers and stretches, the nose goes
#: forward; collected, the neck rises and arches and the croup tucks.
CARRIAGE = {"Cervical07": 4.0, "Cervical06": 3.0, "Cervical05": 3.0, "Cervical02": -3.0, "Head": -6.0}
#: Joints that turn one after the other, from the nose on, and how late each is on the one before [s].
CHAIN = ("Head", "Cervical02", "Cervical03", "Cervical04", "Cervical05", "Cervical06", "Cervical07")
CHAIN += ("Thoracic03", "Thoracic05", "Lumbar01")
NECK_LAG, TRUNK_LAG = 0.03, 0.02
#: The paper moves one joint further each frame; its rate is not stated, 30 Hz is assumed.
PAPER_FRAME = 1.0 / 30.0
#: Powers of speed where a gait has one cycle only: stride time and duty fall as in the other gaits.
STRIDE_POWER, DUTY_POWER = -0.25, -0.4
#: Duty may leave the range of the gait's table by this much before it is held.
DUTY_MARGIN = 0.02
#: Gaits that riders collect and extend.
VARIED = ("walk", "trot", "canter")
#: Forelegs that follow each other stand this much longer than the second waits: no flight between them.
OVERLAP = 0.005
#: A change of lead: strides for each stride of the longest move, and the first hind's own time about which
#: the hind legs exchange their order, both in the air.
FLYING, HINDS_SWING = 6.2, 0.8
#: Slowest that a walk can be ridden at [m/s].
SLOWEST = 0.3

#: One gait: the cycles at its slow and fast end, and how its stride changes with speed.
GAIT = np.dtype(
    [
        ("slow", "i4"),
        ("fast", "i4"),
        ("band", "f8", 2),  # speeds it can be ridden at [m/s]
        ("stride_power", "f8"),  # stride time goes as speed to this power
        ("duty_power", "f8", 4),
        ("duty_range", "f8", 2),
        ("touchdown", "f8", 4),
        ("varies", "f8"),  # 1 = it can be collected and extended, 0 = it cannot
        ("lead", "i4"),  # 1 = left, -1 = right, 0 = it has none
        ("other", "i4"),  # the same gait on the other lead
        ("flies", "f8"),  # own time of the first hind at which a change of lead begins
        ("flying", "f8"),  # strides that a leg's move to the other lead lasts
    ],
    align=True,
)


def cycle_row(joints: int) -> np.dtype[Any]:
    """One authored cycle, with the track of a trunk of so many joints.

    Tracks lie within the row: kernels read rows through a pointer, while each array that they pass on costs
    the counting of references.
    """
    return np.dtype(
        [
            ("speed", "f8"),  # [m/s]
            ("stride", "f8"),  # [s]
            ("duty", "f8", 4),
            ("middle", "f8", 4),  # z of the middle of each stance [m], character space
            ("mean_height", "f8"),  # of the root joint over the stride [m]
            ("stance", "f8"),  # length of a stance, mean of the legs [m]
            ("height", "f4", TRUNK_ROWS),  # of the root joint [m]
            ("sway", "f4", TRUNK_ROWS),  # of the root joint to the left [m]
            ("trunk", "f4", (TRUNK_ROWS, joints, 4)),  # local rotations xyzw
            ("legs", "f4", (4, 2, LEG_ROWS, len(FEATURES), 2)),  # of stance and swing, see `Cycle`
        ],
        align=True,
    )


def body_row(joints: int) -> np.dtype[Any]:
    """What the kernels know of the body: joints by index, and places of the standing horse."""
    return np.dtype(
        [
            ("joints", "i8", joints),  # that the trunk's tracks turn
            ("carriage", "f4", joints),  # turn of each about the lateral axis at full extension [rad]
            ("scapulae", "i8", 2),
            ("limbs", "i8", (4, 3)),  # top, mid and low of each leg
            ("bends", "f4", (4, 2)),  # signs of flexion of mid and low
            ("home", "f8", (4, 3)),  # toes of the standing horse, character space [m]
            ("stand", "f8"),  # height of its root joint [m]
        ],
        align=True,
    )


class WarpedMotion(NamedTuple):
    """The gait database: cycles (C,) with their tracks, see `cycle_row`; gaits (G,) GAIT, standing first."""

    cycles: Rows
    gaits: Rows


class Choice(NamedTuple):
    """borders (G, 2): see `borders_of`; halts (G,): the gait by which each comes to a halt."""

    borders: Floats
    halts: Ints
    limits: SpeedChange


class Turning(NamedTuple):
    """chain (K,): places among the joints that a turn runs along, from the nose on; lags (K,): how late each
    turns after the one before it [s]; most: largest turn of the root [rad/s]; paper: at the paper's rates."""

    chain: Ints
    lags: Floats
    most: float
    paper: bool


class Tables(NamedTuple):
    """All that the kernels of `timewarp` read and never write; bodies (1,): see `body_row`."""

    motion: WarpedMotion
    bodies: Rows
    choice: Choice
    turning: Turning


def gaits_of(cycles: Sequence[Cycle]) -> tuple[str, ...]:
    """Names of the gaits that a database has, standing first, slow to fast."""
    present = tuple(name for name in GAITS if name == "stand" or any(c.gait == name for c in cycles))
    if len(present) > MOST_GAITS:
        raise HoofbeatError(f"{len(present)} gaits are over {MOST_GAITS}")
    return present


def make_tables(cycles: Sequence[Cycle], skeleton: Skeleton, paper: bool, breed: str) -> Tables:
    """The tables of a database, both leads of cycles that lead in it; paper: turns at the paper's rates."""
    gaits = gaits_of(cycles)
    names = list(cycles[0].joints)
    chain = [name for name in CHAIN if name in names]
    choice = Choice(
        _fixed(borders_of(gaits, borders_by_gait(breed))),
        _fixed(_halts(gaits)),
        SpeedChange(ACCELERATION, BRAKING),
    )
    turning = Turning(
        _fixed(np.array([names.index(name) for name in chain], np.int64)),
        _fixed(_lags(chain, paper)),
        MAX_TURN,
        paper,
    )
    motion = WarpedMotion(_cycle_rows(cycles), _gait_rows(gaits, cycles))
    return Tables(motion, _body_rows(names, skeleton), choice, turning)


def _fixed(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array


def _lags(chain: list[str], paper: bool) -> NDArray[np.float64]:
    """How late (K,) each joint of the chain turns after the one before it [s]."""
    if paper:
        return np.full(len(chain), PAPER_FRAME)
    return np.array([NECK_LAG if name.startswith(("Head", "Cervical")) else TRUNK_LAG for name in chain])


def _halts(gaits: tuple[str, ...]) -> NDArray[np.int64]:
    """The gait (G,) by which each comes to a halt: walk, amble and trot as they are, others by a trot."""
    trot = gaits.index("trot") if "trot" in gaits else -1
    own = ("stand", "walk", "amble", "trot")
    return np.array([n if name in own or trot < 0 else trot for n, name in enumerate(gaits)])


def _body_rows(joints: Sequence[str], skeleton: Skeleton) -> NDArray[np.void]:
    legs = leg_table(skeleton)
    rest = skeleton.rest_positions()
    low = rest[:, 1].min()
    rows = np.zeros(1, body_row(len(joints)))
    rows["joints"] = [skeleton.index(name) for name in joints]
    rows["carriage"] = np.radians([CARRIAGE.get(name, 0.0) for name in joints])
    rows["scapulae"] = [skeleton.parents[leg.top] for leg in skeleton.legs[:2]]
    rows["limbs"] = [[leg.top, leg.mid, leg.low] for leg in skeleton.legs]
    rows["bends"] = np.stack([legs["bend_mid"], legs["bend_low"]], axis=1)
    rows["home"] = rest[[leg.toe for leg in skeleton.legs]] - np.array([0.0, low, 0.0])
    rows["stand"] = -low
    return _fixed(rows)


def _cycle_rows(cycles: Sequence[Cycle]) -> NDArray[np.void]:
    rows = np.zeros(len(cycles), cycle_row(len(cycles[0].joints)))
    for row, cycle in zip(rows, cycles, strict=True):
        for key in ("speed", "stride", "duty", "middle", "height", "sway", "trunk", "legs"):
            row[key] = getattr(cycle, key)
        row["mean_height"] = cycle.height.mean()
        row["stance"] = cycle.speed * cycle.stride * cycle.duty.mean()
    return _fixed(rows)


def _gait_rows(names: Sequence[str], cycles: Sequence[Cycle]) -> NDArray[np.void]:
    rows = np.zeros(len(names), GAIT)
    for row, name in zip(rows[1:], names[1:], strict=True):
        _fill(row, name, cycles)
    for n, name in enumerate(names):
        rows[n]["other"] = names.index(other_lead(name)) if other_lead(name) in names else n
        rows[n]["lead"] = lead_of(name)
    for row in rows[1:]:
        _fill_flying(row, rows[row["other"]]["touchdown"])
    return _fixed(rows)


def _fill(row: Any, name: str, cycles: Sequence[Cycle]) -> None:
    own = sorted((c.speed, n) for n, c in enumerate(cycles) if c.gait == name)
    slow, fast = cycles[own[0][1]], cycles[own[-1][1]]
    row["slow"], row["fast"] = own[0][1], own[-1][1]
    row["touchdown"] = slow.touchdown
    low, high = GAITS[name].duty
    least = low - DUTY_MARGIN
    if GAITS[name].suspensions == 1:
        left, right = GAITS[name].touchdown[:2]
        least = max(least, min((right - left) % 1.0, (left - right) % 1.0) + OVERLAP)
    row["duty_range"] = least, high + DUTY_MARGIN
    row["stride_power"], row["duty_power"] = STRIDE_POWER, DUTY_POWER
    if fast.speed > slow.speed:
        faster = np.log(fast.speed / slow.speed)
        row["stride_power"] = np.log(fast.stride / slow.stride) / faster
        row["duty_power"] = np.log(fast.duty / slow.duty) / faster
    row["varies"] = 1.0 if name.startswith(VARIED) else 0.0
    least, most = GAITS[name].speed
    row["band"] = (SLOWEST if name == "walk" else least), min(most, FASTEST)


def _fill_flying(row: Any, touchdown: NDArray[np.float64]) -> None:
    """When and how fast a gait changes to the one on the other lead, which lands at `touchdown` (4,)."""
    own = np.array(row["touchdown"])
    longest = farthest(own, touchdown, common_shift(own, touchdown))
    row["flying"] = max(FLYING * longest, 1.0)
    row["flies"] = (HINDS_SWING - 0.5 * row["flying"]) % 1.0
