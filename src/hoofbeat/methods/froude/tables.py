"""Tables: all that the kernels of `froude` read and never write, made once from the inputs and an animal."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.size import hip_height
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.gaits.gait import family_of, lead_of, other_lead
from hoofbeat.maths.types import Floats, Ints, Rows
from hoofbeat.methods.froude.model.cycles import FROUDE_ROWS, GaitCycle
from hoofbeat.methods.froude.model.inputs import Inputs, first_joints
from hoofbeat.methods.froude.model.similarity import NATURAL_GAITS, Preset, symmetry
from hoofbeat.methods.froude.model.stages import leg_changes

#: The gaits ridden, standing first.
GAITS = ("stand", "walk", "trot", "canter-left", "canter-right", "gallop-left", "gallop-right")
#: The lead that the tables of a family have.
AS_AUTHORED = {"walk": "walk", "trot": "trot", "canter": "canter-left", "gallop": "gallop-right"}
#: Gains and brakes at most [m/s²]; turns at most [rad/s].
ACCELERATION, BRAKING, MAX_TURN = 5.0, 6.0, 1.5
#: Cycles that a transition may have.
MOST_CYCLES = 3
#: A change of a leg's cycle by more than this part is shared among more cycles, except in the paper's own
#: transitions.
MOST_CHANGE = 0.13
#: Exchanges left and right of LF, RF, LH, RH.
MIRROR = [1, 0, 3, 2]

#: One gait: standing, walk, trot, and both leads of canter and gallop.
GAIT = np.dtype(
    [
        ("family", "i4"),  # row of the tables, -1 = it stands
        ("touchdown", "f8", 4),  # of LF, RF, LH, RH after the left hind, in strides
        ("mirror", "f8"),  # 1 = as the tables have it, -1 = left and right exchanged
        ("shift", "f8"),  # how much later in the tables a stride of this gait begins
        ("froude", "f8", 2),  # least and most Froude number it is chosen at
        ("first_row", "f8"),  # of the grid: log of its first Froude number
        ("rows_per_log", "f8"),  # of the grid, for each unit of log
        ("last_row", "f8"),  # of the grid: its number of rows less one
        ("stride", "f8", 2),  # relative stride length a Fr^b: a, b
        ("duty", "f8", (2, 2)),  # predicted duty a Fr^b of fore and hind: a, b
        ("lead", "i4"),  # 1 = left, -1 = right, 0 = it has none
        ("other", "i4"),  # the same gait on the other lead
        ("up", "i4", 2),  # the next faster gait: where the lead is left, where it is right
        ("down", "i4", 2),  # the next slower one
        ("track", "f8", 2),  # of fore and hind feet from the middle line [m]
    ],
    align=True,
)


class Tables(NamedTuple):
    """Tables of V = 4 families of gaits on F Froude numbers, and of G = 7 gaits; angles in radians.

    curves (V, F, 2, 2, R + 2, 9) float32: of fore and hind, in stance and swing, `cycles.CHANNELS` at R even
    places from the part's begin to its end, and one place more on either side; joins (V, F, 2, 2, 7)
    float32: values and slopes, for a cycle, of the first seven channels at touchdown; duty and middle (V,
    F, 2): duty, and z of the middle of the stance [m]; height (V, F, 64) of the root joint [m]; sway (V,
    64) [m]; trunk (V, 64, J, 3) float32: rotation vectors of trunk_joints (J,); leg_joints (4, 6): joints of
    the legs, -1 = it has none; home (4, 3): toes of the standing animal, and stand: height of its root joint
    [m]; hip: height of its hip [m].

    gaits (G,) GAIT; on_lead (V, 2): gait of a family on the left and on the right lead; borders (V, 2): least
    and most Froude number of a family, crossed the part `hysteresis` beyond; turns_choose_lead: whether
    they do; changes (G, G, 4): by how much the legs' cycles change between two gaits [strides], over as many
    cycles (G, G). acceleration and braking: at most [m/s²]; max_turn [rad/s].
    """

    curves: Floats
    joins: Floats
    duty: Floats
    middle: Floats
    height: Floats
    sway: Floats
    trunk: Floats
    trunk_joints: Ints
    leg_joints: Ints
    home: Floats
    stand: float
    hip: float
    gaits: Rows
    on_lead: Ints
    borders: Floats
    hysteresis: float
    turns_choose_lead: bool
    changes: Floats
    cycles: Ints
    acceleration: float
    braking: float
    max_turn: float


def make_tables(
    inputs: Inputs,
    preset: Preset,
    cycles: int,
    skeleton: Skeleton,
    model: Skeleton | None = None,
    rows: int = FROUDE_ROWS,
) -> Tables:
    """The tables of a skeleton; UnusableAdjuster where an adjuster gives no stride.

    cycles: that a transition has at least; model: the skeleton that base cycles and adjusters were made
    for, if it is another one. Its hoof paths are scaled by the height of the hip and laid below the shoulders
    and hips of this one, whose joints turn as its joints do; rows: Froude numbers of the tables.
    """
    model = model or skeleton
    hip, laws = hip_height(skeleton), inputs.laws
    families = [GaitCycle(g, inputs.bases[g], inputs.adjusters[g], model, laws, rows) for g in NATURAL_GAITS]
    rest = skeleton.rest_positions()
    low = rest[:, 1].min()
    moved = {joint for base in inputs.bases.values() for joint, _ in base.trunk}
    names = [name for name in skeleton.names if name in moved]
    curves, joins, middles = zip(*(family.curves(hip) for family in families), strict=True)
    gaits = gait_rows(inputs, preset, [family.wanted.froude for family in families], hip)
    changes = changes_between(gaits, preset.reference)
    borders = np.array([preset.borders[gait] for gait in NATURAL_GAITS])
    # Froude numbers between the borders that Table 1 prints belong to the faster gait.
    borders[1:, 0] = borders[:-1, 1]
    heights = [family.height(preset.touchdown[family.gait], laws, hip) - low for family in families]
    return Tables(
        curves=np.stack(curves).astype(np.float32),
        joins=np.stack(joins).astype(np.float32),
        duty=np.stack([family.duty for family in families]),
        middle=np.stack(middles) + _tops(skeleton) - _tops(model) * hip / hip_height(model),
        height=np.stack(heights),
        sway=np.stack([family.sway(hip) for family in families]),
        trunk=np.stack([family.trunk(names) for family in families]).astype(np.float32),
        trunk_joints=np.array([skeleton.index(name) for name in names], np.int64),
        leg_joints=_leg_joints(skeleton),
        home=rest[[leg.toe for leg in skeleton.legs]] - np.array([0.0, low, 0.0]),
        stand=float(-low),
        hip=hip,
        gaits=gaits,
        on_lead=np.array(_on_lead(preset.name), np.int64),
        borders=borders,
        hysteresis=float(preset.hysteresis),
        turns_choose_lead=preset.name != "paper",
        changes=changes,
        cycles=_cycles(changes, cycles, preset.reference),
        acceleration=ACCELERATION,
        braking=BRAKING,
        max_turn=MAX_TURN,
    )


def _tops(skeleton: Skeleton) -> Floats:
    """How far ahead of the root joint (2,) shoulders and hips are at rest [m]."""
    ahead = skeleton.rest_positions()[[leg.top for leg in skeleton.legs], 2]
    return np.array([ahead[:2].mean(), ahead[2:].mean()])


def _leg_joints(skeleton: Skeleton) -> NDArray[np.int64]:
    """Joints (4, 6) of the legs in the order of a limb's curves, -1 where there is none."""
    out = np.full((4, 6), -1, np.int64)
    for n, (leg, first) in enumerate(zip(skeleton.legs, first_joints(skeleton), strict=True)):
        above = int(skeleton.parents[leg.toe])
        hoof = above if leg.pastern >= 0 and above > leg.pastern else -1
        out[n] = first if first != leg.top else -1, leg.top, leg.mid, leg.low, leg.pastern, hoof
    return out


def gait_rows(inputs: Inputs, preset: Preset, froude: list[Floats], hip: float) -> NDArray[Any]:
    """The gaits (7,) of GAIT: both leads of canter and gallop, and their neighbours.

    froude: of each family the Froude numbers (F,) of the grid, in a geometric row; hip [m].
    """
    rows = np.zeros(len(GAITS), GAIT)
    rows["mirror"] = 1.0
    for n, name in enumerate(GAITS):
        row = rows[n]
        row["other"], row["lead"] = GAITS.index(other_lead(name)), lead_of(name)
        row["up"], row["down"] = _neighbours(name, preset.name)
        if n == 0:
            row["family"], row["touchdown"] = -1, 0.0
            continue
        gait = family_of(name)
        family = NATURAL_GAITS.index(gait)
        touchdown = np.array(preset.touchdown[gait])
        if name != AS_AUTHORED[gait]:
            row["mirror"], row["shift"] = -1.0, touchdown[3]
            touchdown = (touchdown[MIRROR] - touchdown[3]) % 1.0
        laws, grid = inputs.laws[symmetry(gait)], np.log(froude[family])
        row["family"], row["touchdown"] = family, touchdown
        row["froude"] = preset.borders[gait]
        row["first_row"], row["last_row"] = grid[0], len(grid) - 1
        row["rows_per_log"] = (len(grid) - 1) / (grid[-1] - grid[0])
        row["stride"] = laws.stride.a, laws.stride.b
        row["duty"] = (laws.fore.a, laws.fore.b), (laws.hind.a, laws.hind.b)
        row["track"] = np.array(inputs.bases[gait].track) * hip
    return rows


def _on_lead(preset: str) -> list[list[int]]:
    """Gaits (4, 2): of each family the one on the left lead and the one on the right."""
    # The paper's canter leads left and its gallop right; elsewhere the lead is kept.
    same = preset != "paper"
    index = GAITS.index
    canters = [index("canter-left"), index("canter-right" if same else "canter-left")]
    gallops = [index("gallop-left" if same else "gallop-right"), index("gallop-right")]
    return [[index("walk")] * 2, [index("trot")] * 2, canters, gallops]


def _neighbours(name: str, preset: str) -> tuple[list[int], list[int]]:
    """The next faster and the next slower gait, for the left lead and for the right one."""
    walks, trots, canters, gallops = _on_lead(preset)
    if name == "stand":
        return walks, [0, 0]
    if name == "walk":
        return trots, walks
    if name == "trot":
        return canters, walks
    side = 0 if lead_of(name) > 0 else 1
    if family_of(name) == "canter":
        return [gallops[side]] * 2, trots
    return [GAITS.index(name)] * 2, [canters[side]] * 2


def changes_between(gaits: NDArray[Any], reference: str) -> NDArray[np.float64]:
    """Changes (G, G, 4) [strides] of the legs' cycles between any two gaits (M7)."""
    out = np.zeros((len(gaits), len(gaits), 4))
    for a in range(1, len(gaits)):
        for b in range(1, len(gaits)):
            before, after = gaits["touchdown"][a].tolist(), gaits["touchdown"][b].tolist()
            out[a, b] = leg_changes(before, after, reference)
    return out


def _cycles(changes: NDArray[np.float64], cycles: int, reference: str) -> NDArray[np.int64]:
    """Cycles (G, G) of transitions: more than asked where a leg would have to run."""
    if reference == "left-fore":
        return np.full(changes.shape[:2], cycles, np.int64)
    most = np.abs(changes).max(axis=2)
    return np.minimum(np.maximum(cycles, np.ceil(most / MOST_CHANGE)), MOST_CYCLES).astype(np.int64)
