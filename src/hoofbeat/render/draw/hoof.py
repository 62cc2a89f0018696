"""Hoof: the wedge drawn at the end of a leg, built on the last bone; a paw where there is no fetlock."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hoofbeat.render.draw.camera import Ground, heights
from hoofbeat.render.draw.figure import DrawnFigure, body_axes, unit_vector

#: Length and half width of the sole, in parts of the leg's length.
SOLE, HALF_WIDTH = 0.085, 0.034
#: The front wall of a hoof stands at this angle on its sole.
WALL = np.radians(52.0)
#: The band at the top is this much shorter and narrower than the sole.
CORONET = 0.72
#: Length of the front wall, in parts of the leg's length.
HEIGHT = 0.07


def hooves_of(
    figure: DrawnFigure, positions: NDArray[np.float64], ground: Ground | None
) -> NDArray[np.float64]:
    """Corners (M, 4, 8, 3) [m], world, for positions (M, J, 3); (M, 0, 8, 3) without legs.

    The toe is where the skeleton says. The heel is drawn by rule, so it is kept out of the ground:
    what looks like a hoof in the ground is one whose toe is.
    """
    if not figure.has_legs:
        return np.zeros((len(positions), 0, 8, 3))
    left = body_axes(figure, positions)[0]
    return np.stack([_hoof(figure, positions, left, k, ground) for k in range(4)], axis=1)


def _hoof(
    figure: DrawnFigure,
    positions: NDArray[np.float64],
    left: NDArray[np.float64],
    k: int,
    ground: Ground | None,
) -> NDArray[np.float64]:
    leg, length = figure.skeleton.legs[k], float(figure.leg_lengths[k])
    toe, above = positions[:, leg.toe], positions[:, figure.skeleton.parents[leg.toe]]
    bone = toe - above
    down = unit_vector(bone - left * (bone * left).sum(axis=1, keepdims=True), (0.0, -1.0, 0.0))
    sole, width = (SOLE, HALF_WIDTH) if leg.pastern >= 0 else (0.7 * SOLE, 0.8 * HALF_WIDTH)
    back = -down * np.cos(WALL) + np.cross(left, down) * np.sin(WALL)
    heel = toe + back * sole * length
    floor = np.minimum(heights(ground, heel), toe[:, 1])
    heel[:, 1] = np.maximum(heel[:, 1], floor)
    along = unit_vector(heel - toe, (0.0, 0.0, -1.0))
    # The shape is rigid: the front wall stands on the sole wherever the heel was kept.
    wall = along * np.cos(WALL) + np.cross(left, along) * np.sin(WALL)
    high_toe = toe + wall * HEIGHT * length
    side = left * width * length
    high_heel = high_toe + (heel - toe) * CORONET
    corners = [toe + side, toe - side, heel + side, heel - side]
    corners += [p + s * CORONET * side for p in (high_toe, high_heel) for s in (1.0, -1.0)]
    return np.stack(corners, axis=1)
