"""Trial: a joint's angle as the method gives it, before any leg is solved, over a run (Figure 12)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from hoofbeat.formats.adjusterfile import Adjuster
from hoofbeat.formats.planfile import Plan
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.methods.froude.method import FroudeMethod
from hoofbeat.methods.froude.model.inputs import Inputs
from hoofbeat.records import COMMAND, SENSE, Steps

Floats = NDArray[np.float64]

#: Steps a second, and seconds ridden before the run begins.
RATE, SETTLING = 240, 6.0


@dataclass(frozen=True)
class Trial:
    """Of a run: strides (T,) by the left fore, time (T,) [s], angle (T,) [rad] about the lateral axis,
    and changes:
    where gaits are shown to change and to what."""

    strides: Floats
    time: Floats
    angle: Floats
    changes: tuple[tuple[int, str], ...]


def one_base(inputs: Inputs, gait: str = "trot") -> Inputs:
    """The inputs with one gait's base cycle, and its adjuster, for all gaits: what changes is the
    adjuster's. Ranges end where the paper's gallop does: an adjuster is not made for ten times its speed."""
    base, adjuster = inputs.bases[gait], inputs.adjusters[gait]
    fastest = max(high for _, high in inputs.presets["paper"].borders.values())
    adjusters = {
        name: Adjuster(name, (own.froude[0], min(own.froude[1], fastest)), adjuster.expressions)
        for name, own in inputs.adjusters.items()
    }
    return replace(
        inputs,
        bases=MappingProxyType({name: base for name in inputs.bases}),
        adjusters=MappingProxyType(adjusters),
    )


def run_trial(inputs: Inputs, plan: Plan, leg: str, joint: str) -> Trial:
    """Ride a plan's Froude numbers by cycles of the left fore; leg: LF to RH, joint: "top", "mid" or
    "low"."""
    method = FroudeMethod(inputs, "paper")
    skeleton = method.skeleton
    node = getattr(next(one for one in skeleton.legs if one.name == leg), joint)
    state = np.zeros(1, method.state_dtype)
    method.init(state, np.zeros(1, np.int64), 0)
    command, sense, out = np.zeros(1, COMMAND), np.zeros(1, SENSE), Steps.empty(1, len(skeleton))
    command["gait"] = command["action"] = -1
    strides: list[float] = []
    angle: list[float] = []
    changes: list[tuple[int, str]] = []
    done = -SETTLING * RATE
    until = 0.0
    for segment in plan.segments:
        command["speed"] = np.sqrt((segment.froude or 0.0) * GRAVITY * method.bank.hip)
        until += segment.length
        while done < 0 or float(state["strides"][0]) < until:
            method.step(state, command, sense, 1 / RATE, out)
            done += 1
            if done < 0:
                continue
            if done == 0:
                state["strides"] = 0.0
            name = method.gaits[int(out.rows["gait"][0])]
            if not changes or changes[-1][1] != name:
                changes.append((len(angle), name))
            x, w = out.rotations[0, node, 0], out.rotations[0, node, 3]
            strides.append(float(state["strides"][0]))
            angle.append(2 * float(np.arctan2(x, w)))
    return Trial(np.array(strides), np.arange(len(angle)) / RATE, np.array(angle), tuple(changes))
