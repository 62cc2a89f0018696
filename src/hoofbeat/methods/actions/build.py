"""Build: the Actions of a scene, analysed and packed into Tables."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.legs.anatomy import leg_table
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.formats.actionfile import Action
from hoofbeat.formats.scenefile import Scene
from hoofbeat.maths import quat
from hoofbeat.maths.expressions.program import Programs, evaluate, pack
from hoofbeat.methods.actions.plan import ActionPlan, PlannedPace, make_plan
from hoofbeat.methods.actions.tables import ACTION, SAMPLES, SLOT, Plans, Poses, Tables

#: Of the speed of its widest stride, what a gait's band may use: the rest crosses the border.
REACHED = 0.95


@dataclass(frozen=True)
class Angles:
    """One Action's angles on one skeleton: slots (P,), their programs, and the fixed part (J, 3) [rad]."""

    slots: NDArray[Any]
    programs: Programs
    base: NDArray[np.float64]

    def euler(self, phase: NDArray[np.float64]) -> NDArray[np.float64]:
        """Angles (K, J, 3) [rad] at phases (K,), noise held still."""
        out = np.repeat(self.base[None], len(phase), axis=0)
        if len(self.slots):
            values = evaluate(self.programs, phase, cycles=np.zeros(len(phase)))
            for p, slot in enumerate(self.slots):
                out[:, slot["joint"], slot["axis"]] = slot["low"] + values[:, p] * slot["span"]
        return out

    def rotations(self, phase: NDArray[np.float64]) -> NDArray[np.float64]:
        """Local rotations (K, J, 4) xyzw at phases (K,)."""
        return quat.from_euler(self.euler(phase), "xyz")


def angles_of(action: Action, skeleton: Skeleton, flip: bool) -> Angles:
    """The varying and the fixed angles of an Action, in radians and in the +Z-forward world."""
    base = np.zeros((len(skeleton), 3))
    signs = (-1.0, 1.0, -1.0) if flip else (1.0, 1.0, 1.0)
    rows, expressions = [], []
    for entry in action.joints:
        joint = skeleton.index(entry.joint)
        for axis in range(3):
            low = signs[axis] * np.radians(entry.low[axis])
            span = signs[axis] * np.radians(entry.high[axis]) - low
            one = pack([entry.expressions[axis]])
            if one.constant[0] or span == 0:
                base[joint, axis] = low + span * float(one.values[0])
            else:
                rows.append((joint, axis, 0, 0, low, span))
                expressions.append(entry.expressions[axis])
    slots = np.array(rows, SLOT)
    programs = pack(expressions)
    slots["start"], slots["stop"] = programs.starts[:-1], programs.starts[1:]
    return Angles(slots, programs, base)


def make_tables(scene: Scene, max_turn: float) -> Tables:
    """Analyse every Action of a scene and pack the result. max_turn: the fastest turn [rad/s]."""
    skeleton, legs = scene.skeleton, leg_table(scene.skeleton)
    phase = np.arange(SAMPLES) / SAMPLES
    actions = [scene.stand, *(gait.action for gait in scene.gaits)]
    low = [0.0, *(gait.up_to for gait in scene.gaits)]
    paces: list[PlannedPace | None] = [None]
    paces += [
        PlannedPace(g.durations, (low[k], g.up_to), g.power, g.widen) for k, g in enumerate(scene.gaits)
    ]
    angles = [angles_of(action, skeleton, scene.flip) for action in actions]
    plans: list[ActionPlan] = []
    for a, action, pace in zip(angles, actions, paces, strict=True):
        flights = np.array(action.flights, float).reshape(-1, 2)
        rest = plans[0].row["place"] if plans else None
        plans.append(make_plan(skeleton, legs, a.rotations(phase), flights, pace, rest, action.durations[2]))
    _narrow_bands(plans)
    packed = _packed(skeleton, angles, plans)
    return Tables(*packed, float(scene.acceleration), float(scene.braking), float(max_turn))


def _narrow_bands(plans: list[ActionPlan]) -> None:
    """End a band where its gait's widest stride ends, and begin the next there: no speed is out of reach."""
    for plan, after in pairwise(plans[1:]):
        row = plan.row
        top = REACHED * float(row["scale_max"] * row["stride"] / row["duration"][1])
        row["speed"][1] = after.row["speed"][0] = min(float(row["speed"][1]), top)


def _packed(skeleton: Skeleton, angles: list[Angles], plans: list[ActionPlan]) -> tuple[Plans, Poses]:
    sizes = [len(a.programs.code) for a in angles]
    offsets = np.cumsum([0, *sizes])
    slots = np.concatenate([a.slots for a in angles])
    first = np.cumsum([0, *(len(a.slots) for a in angles)])
    for k in range(len(angles)):
        for name in ("start", "stop"):
            slots[name][first[k] : first[k + 1]] += offsets[k]
    turned = np.zeros(len(skeleton), bool)
    turned[slots["joint"]] = True
    for a in angles:
        turned |= np.any(a.base != 0, axis=1)
    plan = Plans(
        np.array([p.row for p in plans], ACTION),
        np.stack([p.toes for p in plans]).astype(np.float32),
        np.stack([p.heights for p in plans]).astype(np.float32),
        np.stack([p.bounce for p in plans]).astype(np.float32),
    )
    poses = Poses(
        slots,
        first,
        np.concatenate([a.programs.code for a in angles]),
        np.stack([a.base for a in angles]).astype(np.float32),
        np.flatnonzero(turned),
    )
    return plan, poses
