"""Shot: a scene in one view, ready to be painted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.render.draw.figure import OTHER, SPINE, DrawnFigure
from hoofbeat.render.draw.scene import DrawnScene

#: Stroke radii in parts of the leg's length (top, toe) or of the hip-to-shoulder distance (thick, thin).
LEG_STROKE, BODY_STROKE, TAIL_STROKE, PLAIN_STROKE = (0.019, 0.008), (0.014, 0.012), (0.011, 0.004), 0.011


@dataclass(frozen=True)
class Strokes:
    """Bones to stroke: child nodes (B,), their parents (B,), radii (B, 2) [m] at both ends, parts (B,)."""

    child: NDArray[np.int64]
    parent: NDArray[np.int64]
    radius: NDArray[np.float64]
    part: NDArray[np.int64]


@dataclass(frozen=True)
class Shot:
    """A scene in one view, as right, up and depth [m] about the camera's centre.

    joints (M, J, 3), balls (M, B, 3) of the hull, hooves (M, 4, 8, 3) corners. near (M, 4) bool: the
    legs on the side that faces the camera (the right ones from the side, the fore ones from the front).
    """

    scene: DrawnScene
    view: str
    joints: NDArray[np.float64]
    balls: NDArray[np.float64]
    hooves: NDArray[np.float64]
    near: NDArray[np.bool_]
    strokes: Strokes


def shot_of(scene: DrawnScene, view: str) -> Shot:
    """Project a scene for one view ("side", "front" or "top")."""
    count = len(scene.figure.legs)
    joints = scene.track.project(scene.positions, view)
    balls = scene.track.project(scene.balls, view)
    hooves = scene.track.project(scene.hooves.reshape(len(scene), count * 8, 3), view)
    near = np.ones((len(scene), count), bool)
    if view != "top" and scene.figure.has_legs:
        depth = joints[:, [leg.top for leg in scene.figure.skeleton.legs], 2]
        near = depth >= depth.mean(axis=1, keepdims=True)
    corners = hooves.reshape(len(scene), count, 8, 3)
    return Shot(scene, view, joints, balls, corners, near, strokes_of(scene.figure))


def strokes_of(figure: DrawnFigure) -> Strokes:
    """Which bones are stroked and how thick; bones without length and those inside a hoof are left out."""
    hooves = {leg.toe for leg in figure.skeleton.legs if leg.pastern >= 0}
    lengths = np.linalg.norm(figure.skeleton.offsets, axis=1)
    bones = [j for j in range(1, len(figure.skeleton)) if lengths[j] > 1e-6 and j not in hooves]
    child = np.array(bones, np.int64)
    parent = figure.skeleton.parents[child]
    thickness = _thickness(figure)
    # Where a leg or the tail leaves the trunk its stroke begins with its own thickness.
    upper = np.where(figure.part[parent] == figure.part[child], thickness[parent], thickness[child])
    return Strokes(child, parent, np.stack([upper, thickness[child]], axis=1), figure.part[child])


def _thickness(figure: DrawnFigure) -> NDArray[np.float64]:
    """Stroke radius (J,) [m] at every node, thinning towards the tips of legs and tail."""
    if not figure.has_legs:
        return np.full(len(figure.skeleton), PLAIN_STROKE * figure.size)
    found = np.full(len(figure.skeleton), BODY_STROKE[1] * figure.size)
    found[figure.part == SPINE] = BODY_STROKE[0] * figure.size
    found[figure.part == OTHER] = TAIL_STROKE[0] * figure.size
    chains = [*zip(figure.legs, [LEG_STROKE] * 4, figure.leg_lengths.tolist(), strict=True)]
    chains.append((figure.tail, TAIL_STROKE, figure.size))
    for chain, (thick, thin), length in chains:
        nodes = list(chain[1:])
        along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(figure.skeleton.offsets[nodes[1:]], axis=1))])
        if nodes:
            found[nodes] = (thick + (thin - thick) * along / max(float(along[-1]), 1e-9)) * length
    return found
