"""Marks: what the ground shows of the feet, in two lanes below the ground line, far feet above near ones.

A filled disc in the leg's colour lies under a hoof that the clip says is down; it is a ring where the
toe is clearly in the air all the same. Every stance leaves a print as long as the hoof slid. A toe
below the ground gets a wedge in the alarm colour and its depth in millimetres.
"""

from __future__ import annotations

import numpy as np

from hoofbeat.render.draw.camera import heights
from hoofbeat.render.draw.canvas import Canvas, capsules
from hoofbeat.render.draw.panel import Panel
from hoofbeat.render.draw.shot import Shot
from hoofbeat.render.draw.theme import mix

#: A toe deeper than this [m] below the ground is marked.
DEPTH = 0.002
#: A hoof said to be down whose toe is higher than this part of its leg's length gets a ring, not a disc.
FLOATING = 0.03
#: Lanes below the ground line of far and near feet, and where the wedge of a deep toe begins, in units.
LANES, WEDGE = (5.0, 13.0), 19.0
#: Half length of a disc in parts of the leg's length, and its half height at most, in units.
DISC, DISC_HEIGHT = 0.055, 4.4
#: Half thickness of a print in units, and how far its colour fades into the ground.
PRINT, FADE = 2.0, 0.45


def spot_of(shot: Shot, m: int, panel: Panel, k: int) -> tuple[float, float]:
    """Pixel of leg k's disc at moment m: below its toe in the lane of its side, or at the toe from above."""
    toe = shot.scene.figure.toes[k]
    x, y = panel.pixels(shot.joints[m, toe])
    if shot.view == "top":
        return float(x), float(y)
    world = shot.scene.positions[m, toe]
    up = float(heights(shot.scene.look.ground, world[None])[0] - shot.scene.track.centre[m, 1])
    return float(x), panel.centre_y - up * panel.scale + LANES[int(shot.near[m, k])] * panel.unit


def paint_disc(canvas: Canvas, shot: Shot, m: int, panel: Panel, k: int) -> None:
    """The disc (or ring) of leg k, if the clip says it is down."""
    scene = shot.scene
    if scene.contacts is None or not scene.contacts[m, k]:
        return
    x, y = spot_of(shot, m, panel, k)
    length = float(scene.figure.leg_lengths[k])
    rx = max(DISC * length * panel.scale, 3 * panel.unit)
    ry = rx if shot.view == "top" else min(0.5 * rx, DISC_HEIGHT * panel.unit)
    if scene.height[m, k] > FLOATING * length:
        canvas.ring(x, y, rx, ry, scene.look.theme.legs[k], 1.6 * panel.unit)
    else:
        canvas.ellipse(x, y, rx, ry, scene.look.theme.legs[k])


def paint_prints(canvas: Canvas, shot: Shot, m: int, panel: Panel) -> None:
    """A pale bar for each stance up to now, from where the toe was to where it went."""
    legs, frames, paths = shot.scene.prints
    past = frames <= shot.scene.frames[m] + 1e-9  # (R, P)
    started = past[:, 0]
    if not started.any():
        return
    legs, paths, past = legs[started], paths[started], past[started]
    track, theme = shot.scene.track, shot.scene.look.theme
    pixels = panel.pixels((paths - track.centre[m]) @ track.axes(shot.view)[m].T)
    # Points still to come are put where the print begins, so that they do not lengthen it.
    pixels = np.where(past[..., None], pixels, pixels[:, :1])
    low, high = pixels[..., 0].min(axis=1), pixels[..., 0].max(axis=1)
    shown = np.flatnonzero((high > panel.x + 2) & (low < panel.x + panel.width - 2))
    if shot.view == "top":
        start, end = pixels[shown, 0], pixels[shown, past[shown].sum(axis=1) - 1]
    else:
        up = heights(shot.scene.look.ground, paths[shown, 0]) - track.centre[m, 1]
        lanes = np.array(LANES)[shot.near[m, legs[shown]].astype(np.int64)]
        y = panel.centre_y - up * panel.scale + lanes * panel.unit
        start, end = np.stack([low[shown], y], axis=1), np.stack([high[shown], y], axis=1)
    radius = np.full(len(shown), PRINT * panel.unit)
    for shape, k in zip(capsules(start, end, radius, radius), legs[shown], strict=True):
        canvas.polygon(shape, mix(theme.legs[k], theme.ground, FADE))


def paint_depths(canvas: Canvas, shot: Shot, m: int, panel: Panel) -> None:
    """For each toe below the ground a line down from the ground to a wedge, and how deep it is."""
    if shot.view == "top":
        return
    colour, unit = shot.scene.look.theme.alarm, panel.unit
    for k in range(len(shot.scene.figure.toes)):
        depth = -float(shot.scene.height[m, k])
        if depth <= DEPTH:
            continue
        x, lane = spot_of(shot, m, panel, k)
        ground = lane - LANES[int(shot.near[m, k])] * unit
        top = ground + WEDGE * unit
        canvas.line([(x, ground), (x, top)], colour, 1.2 * unit)
        foot, half = top + 7 * unit, 4.5 * unit
        canvas.polygon([(x, top - unit), (x - half, foot), (x + half, foot)], colour)
        canvas.text(x + 6 * unit, foot, f"{depth * 1000:.0f} mm", max(9, round(11 * unit)), colour)
