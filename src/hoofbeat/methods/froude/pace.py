"""Pace: strides a second and duties at a Froude number, and where the tables are read (kernels)."""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.methods.froude.model.similarity import LONGEST_STANCE

#: Strides are no slower than this, in sqrt(g / h): steps shorten instead.
SLOWEST = 0.19
#: The laws are not asked below this Froude number.
LEAST_FROUDE = 1e-4


@kernel(inline=True)
def froude_at(speed: Any, hip: Any) -> Any:
    """Froude number at a speed [m/s], hip [m]."""
    return max(speed * speed / (GRAVITY * hip), LEAST_FROUDE)


@kernel
def row_at(gait: Any, froude: Any) -> Any:
    """Row of a gait's tables at a Froude number, and the weight of the next."""
    x = (np.log(froude) - gait["grid"][0]) * gait["grid"][1]
    x = min(max(x, 0.0), gait["grid"][2])
    i = min(int(x), int(gait["grid"][2]) - 1)
    return i, x - i


@kernel
def stride_of(gait: Any, froude: Any) -> Any:
    """Stride length [hip heights] by the law, no longer than legs can reach at the duties it predicts."""
    fore = gait["duty"][0, 0] * froude ** gait["duty"][0, 1]
    hind = gait["duty"][1, 0] * froude ** gait["duty"][1, 1]
    stands = min(max(fore, hind), 1.0)
    return min(gait["stride"][0] * froude ** gait["stride"][1], LONGEST_STANCE / stands)


@kernel
def rate_of(gait: Any, speed: Any, froude: Any, hip: Any) -> Any:
    """Strides a second of a gait (Eq. 3)."""
    return max(speed / (stride_of(gait, froude) * hip), SLOWEST * np.sqrt(GRAVITY / hip))


@kernel
def rate_between(gaits: Any, state: Any, share: Any, froude: Any, hip: Any) -> Any:
    """Strides a second of a transition that has come so far; standing takes no part."""
    to = rate_of(gaits[state["gait"]], state["speed"], froude, hip)
    if state["source"] == state["gait"]:
        return to
    return (1.0 - share) * rate_of(gaits[state["source"]], state["speed"], froude, hip) + share * to


@kernel
def duty_at(tables: Any, gaits: Any, gait: Any, limb: Any, froude: Any) -> Any:
    """Duty of a limb as its adjusted curves have it."""
    i, w = row_at(gaits[gait], froude)
    rows = tables[2][gaits[gait]["family"]]
    return (1.0 - w) * rows[i, limb] + w * rows[i + 1, limb]


@kernel
def middle_at(tables: Any, gaits: Any, gait: Any, limb: Any, froude: Any) -> Any:
    """z of the middle of a limb's stance [m]."""
    i, w = row_at(gaits[gait], froude)
    rows = tables[3][gaits[gait]["family"]]
    return (1.0 - w) * rows[i, limb] + w * rows[i + 1, limb]


@kernel
def duty_between(tables: Any, gaits: Any, state: Any, share: Any, leg: Any, froude: Any) -> Any:
    """Duty of a leg whose curves have that share of the gait gone to."""
    to = duty_at(tables, gaits, state["gait"], leg // 2, froude)
    if share >= 1.0 or state["source"] == state["gait"]:
        return to
    return (1.0 - share) * duty_at(tables, gaits, state["source"], leg // 2, froude) + share * to


@kernel
def middle_between(tables: Any, gaits: Any, state: Any, share: Any, leg: Any, froude: Any) -> Any:
    """z of the middle of its stance [m], the same way."""
    to = middle_at(tables, gaits, state["gait"], leg // 2, froude)
    if share >= 1.0 or state["source"] == state["gait"]:
        return to
    return (1.0 - share) * middle_at(tables, gaits, state["source"], leg // 2, froude) + share * to
