"""Flight: when the last foot leaves and the first one lands (kernels)."""

from __future__ import annotations

from typing import Any

from hoofbeat.maths.jit import kernel

#: A flight shorter than this is not one [s].
SHORTEST = 0.004


@kernel
def take_off(own: Any, duty: Any, rates: Any, dt: Any) -> Any:
    """Time into the step at which no foot is left on the ground, and how long until one lands [s].

    -1 where that does not come within dt. own (4,): times at the start of the step.
    """
    last = 0.0
    for leg in range(4):
        if own[leg] < duty[leg]:
            last = max(last, (duty[leg] - own[leg]) / rates[leg])
    if last >= dt:
        return -1.0, 0.0
    soonest = 1e9
    for leg in range(4):
        lands = (1.0 - own[leg]) / rates[leg]
        if lands <= last:
            return -1.0, 0.0  # Another foot lands before the last one leaves.
        soonest = min(soonest, lands)
    if soonest - last < SHORTEST:
        return -1.0, 0.0
    return last, soonest - last
