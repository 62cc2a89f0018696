"""Stances: when a foot lands and leaves, timed between frames.

Which frames a foot stands is known to a frame. A foot that comes to rest brakes at about a constant rate
a: in the last part of its path, tau before it stands, it covers a tau^2 / 2, and in the time step before
that a ((tau + dt)^2 - tau^2) / 2. The ratio r of the two distances gives tau / dt = r + sqrt(r^2 + r),
however coarse the frames.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hoofbeat.maths.physics import GRAVITY

#: A toe's velocity is measured over about this time, whatever the frame rate [sqrt(L / g)].
SPAN = 0.045

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def velocity_span(fps: float, leg: float) -> int:
    """Frames over which a toe's velocity is measured; leg length [m]."""
    return max(1, round(SPAN * math.sqrt(leg / GRAVITY) * fps))


def runs(mask: Bools) -> list[tuple[int, int]]:
    """Start and stop of every run of True in mask (T,)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def frames_down(stances: Sequence[Floats], count: int, fps: float) -> Bools:
    """Which of `count` frames each foot stands in, (T, legs), from its stances (M, 2) [s]."""
    down = np.zeros((count, len(stances)), bool)
    for leg, found in enumerate(stances):
        for touchdown, liftoff in np.clip(found * fps, 0, count - 1):
            down[math.ceil(touchdown - 1e-9) : math.floor(liftoff + 1e-9) + 1, leg] = True
    return down


def timed(down: Bools, toe: Floats, fps: float, leg: float) -> Floats:
    """Touchdown and lift-off (M, 2) [s] of the stances in down (T,), of a toe (T, 3) [m].

    The toe is relative to the ground; leg: length of a leg [m]. A stance that has begun before the first
    frame begins at -inf, one that lasts beyond the last ends at inf.
    """
    found = runs(down)
    out = np.empty((len(found), 2))
    last = len(down) - 1
    span = velocity_span(fps, leg)
    back = toe[::-1]
    for n, (start, stop) in enumerate(found):
        out[n, 0] = -math.inf if start == 0 else _arrival(toe, start, span) / fps
        # Leaving is arriving, backward in time.
        out[n, 1] = math.inf if stop > last else (last - _arrival(back, last - (stop - 1), span)) / fps
    return out


def _arrival(toe: Floats, start: int, span: int) -> float:
    """Frame, with its fraction, at which a toe arrives whose first frame on the ground is `start`."""
    at = [min(start + k * span, len(toe) - 1) for k in (-2, -1, 0, 1, 2)]
    if at[0] < 0:
        return start - 0.5 * span
    earlier, last, first, later = (math.dist(toe[a], toe[b]) for a, b in zip(at[:-1], at[1:], strict=True))
    # What it still moves one step later is drift, not braking.
    return start - span + span * (_rest(last, earlier) + _rest(max(first - later, 0.0), last))


def _rest(distance: float, before: float) -> float:
    """Part of a time step, at most all of it, that a braking foot moves which covers `distance` in it."""
    if before <= distance:
        return 1.0 if distance > 0 else 0.0
    ratio = distance / before
    return min(1.0, ratio + math.sqrt(ratio * ratio + ratio))
