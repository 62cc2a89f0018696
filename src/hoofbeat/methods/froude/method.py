"""FroudeMethod: dynamic similarity behind the contract of all methods (M4, M7, M8, M11)."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.legs.find import find_legs
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import HoofbeatError
from hoofbeat.formats.adjusterfile import read_adjuster
from hoofbeat.formats.bvh.reader import read_bvh
from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.gaits.gait import other_lead
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.methods.froude.bank import Bank, make_bank, tables_of
from hoofbeat.methods.froude.model.inputs import HORSE_INPUTS, Inputs, read_inputs
from hoofbeat.methods.froude.model.similarity import NATURAL_GAITS, Preset, UnknownPreset, symmetry
from hoofbeat.methods.froude.model.stages import leg_changes
from hoofbeat.methods.froude.rows import GAIT, STATE
from hoofbeat.methods.froude.step import step_froude
from hoofbeat.records import Steps

#: The gaits ridden, standing first.
GAITS = ("stand", "walk", "trot", "canter-left", "canter-right", "gallop-left", "gallop-right")
#: The lead that the tables of a family have.
AS_AUTHORED = {"walk": "walk", "trot": "trot", "canter": "canter-left", "gallop": "gallop-right"}
#: Gains and brakes at most [m/s²]; turns at most [rad/s]; walks no slower than this [m/s].
ACCELERATION, BRAKING, MAX_TURN, SLOWEST_WALK = 5.0, 6.0, 1.5, 0.3
#: Cycles that a transition may take.
MOST_CYCLES = 3
#: A change of a leg's cycle by more than this part is shared among more cycles, except in the paper's own
#: transitions.
MOST_CHANGE = 0.13
#: Exchanges left and right of LF, RF, LH, RH.
MIRROR = [1, 0, 3, 2]


def make(
    inputs: str | PathLike[str] | None,
    *,
    preset: str = "natural",
    cycles: int = 1,
    skeleton: str | PathLike[str] | None = None,
    adjuster: str | PathLike[str] | None = None,
) -> FroudeMethod:
    """The method for a file of inputs, None = the shipped one.

    preset: gait borders and phases, "natural" or "paper" or one of the file's own; cycles: 1 to 3 that
    each leg takes for a transition; skeleton: a BVH file of
    another animal that stands at rest, facing +Z, Y up; adjuster: a file of `hoofbeat evolve` that takes the
    place of the one of its gait.
    """
    found = read_inputs(HORSE_INPUTS if inputs is None else inputs)
    if adjuster is not None:
        evolved = read_adjuster(adjuster)
        found = replace(found, adjusters={**found.adjusters, evolved.gait: evolved})
    animal = None if skeleton is None else read_bvh(skeleton).skeleton
    if animal is not None and not animal.legs:
        animal = animal.with_legs(find_legs(animal))
    return FroudeMethod(found, preset, cycles, animal)


class FroudeMethod:
    """Base cycles and adjusters at the Froude number; gaits change in one cycle of 100 + n stages a leg."""

    name = "froude"
    state_dtype = STATE
    actions: tuple[str, ...] = ("idle",)
    max_turn = MAX_TURN
    extends = False

    def __init__(
        self, inputs: Inputs, preset: str = "natural", cycles: int = 1, skeleton: Skeleton | None = None
    ) -> None:
        if preset not in inputs.presets:
            raise UnknownPreset(preset, inputs.presets)
        if not (isinstance(cycles, int) and 1 <= cycles <= MOST_CYCLES):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise HoofbeatError(
                f"cycles: a transition takes 1 to {MOST_CYCLES} of them, given {cycles!r:.60}"
            )
        self.inputs, self.preset = inputs, inputs.presets[preset]
        model = read_scene(THESIS_HORSE).skeleton
        self.skeleton = skeleton or model
        self.gaits = GAITS
        self.bank: Bank = make_bank(inputs, self.preset, self.skeleton, model)
        self.rows = gait_rows(self.bank, inputs, self.preset)
        self.bands: NDArray[np.float64] = np.sqrt(self.rows["froude"] * GRAVITY * self.bank.hip)
        self.bands[0] = 0.0
        self.bands[1, 0] = SLOWEST_WALK * np.sqrt(self.bank.hip)
        families = np.array([self.preset.borders[gait] for gait in NATURAL_GAITS])
        # Froude numbers between the borders that Table 1 prints belong to the faster gait.
        families[1:, 0] = families[:-1, 1]
        options = np.array([self.preset.hysteresis, float(preset != "paper")])
        ways = changes_between(self.rows, self.preset.reference)
        self._table = (
            families,
            options,
            self.bank.joints,
            _limb_joints(self.skeleton, self.bank),
            ways,
            _cycles(ways, cycles, self.preset.reference),
        )
        self._tables = tables_of(self.bank)
        self._limits = np.array([ACCELERATION, BRAKING, MAX_TURN])

    def init(self, state: NDArray[Any], ids: NDArray[np.int64], seed: int) -> None:
        """Stand. Nothing here is left to chance, so that ids and seed have no say."""
        del ids, seed
        state[:] = np.zeros((), STATE)
        state["length"] = state["lifts"] = state["flight_time"] = 1.0
        state["part"] = 1.0

    def step(
        self, state: NDArray[Any], command: NDArray[Any], sense: NDArray[Any], dt: float, out: Steps
    ) -> None:
        """One step for all characters; see `Method.step`."""
        step_froude(
            self._tables,
            self.rows,
            self._table,
            self._limits,
            state,
            command,
            sense,
            dt,
            out.rotations,
            out.rows,
        )


def gait_rows(bank: Bank, inputs: Inputs, preset: Preset) -> NDArray[Any]:
    """The gaits (7,) of GAIT: both leads of canter and gallop, and their neighbours."""
    rows = np.zeros(len(GAITS), GAIT)
    rows["mirror"] = 1.0
    for n, name in enumerate(GAITS):
        row = rows[n]
        row["other"] = GAITS.index(other_lead(name))
        row["lead"] = 1 if name.endswith("left") else -1 if name.endswith("right") else 0
        row["up"], row["down"] = _neighbours(name, preset.name)
        if n == 0:
            row["family"], row["touchdown"] = -1, 0.0
            continue
        gait = name.removesuffix("-left").removesuffix("-right")
        family = NATURAL_GAITS.index(gait)
        touchdown = np.array(preset.touchdown[gait])
        if name != AS_AUTHORED[gait]:
            row["mirror"], row["shift"] = -1.0, touchdown[3]
            touchdown = (touchdown[MIRROR] - touchdown[3]) % 1.0
        laws, grid = inputs.laws[symmetry(gait)], np.log(bank.froude[family])
        row["family"], row["touchdown"] = family, touchdown
        row["froude"] = preset.borders[gait]
        row["grid"] = grid[0], (len(grid) - 1) / (grid[-1] - grid[0]), len(grid) - 1
        row["stride"] = laws.stride.a, laws.stride.b
        row["duty"] = (laws.fore.a, laws.fore.b), (laws.hind.a, laws.hind.b)
        row["track"] = np.array(inputs.bases[gait].track) * bank.hip
    return rows


def changes_between(rows: NDArray[Any], reference: str) -> NDArray[np.float64]:
    """Changes (G, G, 4) [strides] of the legs' cycles between any two gaits (M7)."""
    out = np.zeros((len(rows), len(rows), 4))
    for a in range(1, len(rows)):
        for b in range(1, len(rows)):
            out[a, b] = leg_changes(rows["touchdown"][a].tolist(), rows["touchdown"][b].tolist(), reference)
    return out


def _cycles(ways: NDArray[np.float64], cycles: int, reference: str) -> NDArray[np.int64]:
    """Cycles (G, G) that transitions take: more than asked where a leg would have to run."""
    if reference == "left-fore":
        return np.full(ways.shape[:2], cycles, np.int64)
    most = np.abs(ways).max(axis=2)
    return np.minimum(np.maximum(cycles, np.ceil(most / MOST_CHANGE)), MOST_CYCLES).astype(np.int64)


def _neighbours(name: str, preset: str) -> tuple[list[int], list[int]]:
    """The next faster and the next slower gait, for the left lead and for the right one."""
    # The paper's canter leads left and its gallop right; elsewhere the lead is kept.
    same = preset != "paper"
    index = GAITS.index
    canters = [index("canter-left"), index("canter-right" if same else "canter-left")]
    gallops = [index("gallop-left" if same else "gallop-right"), index("gallop-right")]
    if name == "stand":
        return [1, 1], [0, 0]
    if name == "walk":
        return [2, 2], [1, 1]
    if name == "trot":
        return canters, [1, 1]
    left = name.endswith("left")
    if name.startswith("canter"):
        up = gallops[0] if left else gallops[1]
        return [up, up], [2, 2]
    down = canters[0] if left else canters[1]
    return [index(name)] * 2, [down, down]


def _limb_joints(skeleton: Skeleton, bank: Bank) -> NDArray[np.int64]:
    """Joints (4, 6) of the legs in the order of a limb's curves, -1 where there is none."""
    out = np.full((4, 6), -1, np.int64)
    for n, leg in enumerate(skeleton.legs):
        first = bank.first[n]
        above = int(skeleton.parents[leg.toe])
        hoof = above if leg.pastern >= 0 and above > leg.pastern else -1
        out[n] = first if first != leg.top else -1, leg.top, leg.mid, leg.low, leg.pastern, hoof
    return out
