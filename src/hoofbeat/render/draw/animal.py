"""Animal: one pose painted in a panel: pale hull, tapered bones, near limbs dark, far limbs pale, and marks
at the feet.

Marks are in two lanes below the ground line, far feet above near ones. A filled disc in the leg's colour is
under a hoof that is in contact by the clip; it is a ring where the toe is clearly in the air all the same.
Every stance leaves a print as long as the hoof slid. A toe below the ground gets a wedge in the alarm colour
and its depth in millimetres.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hoofbeat.render.draw.camera import heights
from hoofbeat.render.draw.canvas import Canvas, capsules, outline_of
from hoofbeat.render.draw.figure import HEAD, NECK, OTHER, SPINE, TAIL
from hoofbeat.render.draw.panel import Panel, paint_ground
from hoofbeat.render.draw.shot import Shot
from hoofbeat.render.draw.theme import mix

#: Everything but the legs.
BODY = (TAIL, SPINE, NECK, HEAD, OTHER)
#: What is painted first and what last in views along the animal's length.
ENDS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "front": ((TAIL,), (NECK, HEAD)),
    "rear": ((HEAD, NECK), (TAIL,)),
}
#: Far limbs are stroked this much thinner.
FAR = 0.68
#: A toe deeper than this [m] below the ground is marked.
DEPTH = 0.002
#: A hoof said to be down whose toe is higher than this part of its leg's length gets a ring, not a disc.
FLOATING = 0.03
#: Lanes below the ground line of far and near feet, and where the wedge of a deep toe begins, in units.
LANES, WEDGE = (5.0, 13.0), 19.0
#: Half length of a disc in parts of the leg's length, and its half height at most, in units.
DISC, DISC_HEIGHT = 0.055, 4.4
#: Half thickness of a print in units.
PRINT = 2.0
#: How far the colour of a print fades into the ground, and that of a far hoof into the body.
FADE = 0.45


def paint_pose(canvas: Canvas, shot: Shot, m: int, panel: Panel) -> None:
    """Everything of moment m in a panel: backdrop, prints, far side, body, near side, marks."""
    paint_ground(canvas, shot.scene, m, panel)
    if shot.scene.figure.has_legs:
        paint_prints(canvas, shot, m, panel)
    paint_animal(canvas, shot, m, panel)


def paint_animal(canvas: Canvas, shot: Shot, m: int, panel: Panel) -> None:
    """The animal of moment m and the marks at its feet, over whatever backdrop is there."""
    dress = shot.scene.look.dress
    if dress is not None:
        for k in range(len(shot.scene.figure.legs)):
            paint_disc(canvas, shot, m, panel, k)
        dress.paint(canvas, shot, m, panel)
    elif not shot.scene.figure.has_legs:
        _paint_bones(canvas, shot, m, panel, (OTHER,))
    elif shot.view == "top":
        _paint_from_above(canvas, shot, m, panel)
    else:
        _paint_upright(canvas, shot, m, panel)
        paint_depths(canvas, shot, m, panel)


def _paint_upright(canvas: Canvas, shot: Shot, m: int, panel: Panel) -> None:
    """Side, front and rear: from the farthest part to the nearest."""
    far = [k for k in range(4) if not shot.near[m, k]]
    near = [k for k in range(4) if shot.near[m, k]]
    behind, before = ENDS.get(shot.view, ((), ()))
    body = tuple(part for part in BODY if part not in behind + before)
    for part in behind:
        _paint_flesh(canvas, shot, m, panel, (part,), near=False)
    for k in far:
        paint_disc(canvas, shot, m, panel, k)
        _paint_flesh(canvas, shot, m, panel, (k,), near=False)
    _paint_flesh(canvas, shot, m, panel, body)
    for k in far:
        _paint_bones(canvas, shot, m, panel, (k,), near=False)
        _paint_hoof(canvas, shot, m, panel, k, near=False)
    _paint_bones(canvas, shot, m, panel, body)
    for k in near:
        paint_disc(canvas, shot, m, panel, k)
        _paint_flesh(canvas, shot, m, panel, (k,))
    for k in near:
        _paint_bones(canvas, shot, m, panel, (k,))
        _paint_hoof(canvas, shot, m, panel, k)
    for part in before:
        _paint_flesh(canvas, shot, m, panel, (part,))
    _paint_bones(canvas, shot, m, panel, before)


def _paint_from_above(canvas: Canvas, shot: Shot, m: int, panel: Panel) -> None:
    """Top: the legs show through the body; discs and hooves lie over everything."""
    for k in range(4):
        _paint_flesh(canvas, shot, m, panel, (k,), near=False)
    _paint_flesh(canvas, shot, m, panel, BODY)
    for k in range(4):
        _paint_bones(canvas, shot, m, panel, (k,), near=False)
    _paint_bones(canvas, shot, m, panel, BODY)
    down = shot.scene.contacts
    for k in range(4):
        paint_disc(canvas, shot, m, panel, k)
        _paint_hoof(canvas, shot, m, panel, k, near=down is not None and bool(down[m, k]))


def _paint_flesh(
    canvas: Canvas, shot: Shot, m: int, panel: Panel, parts: tuple[int, ...], near: bool = True
) -> None:
    """The hull of some parts: first all outlines, then all fills, so that only the rim of the union shows."""
    hull, theme = shot.scene.hull, shot.scene.look.theme
    picked = np.isin(hull.part, parts)
    if not shot.scene.look.hull or not picked.any():
        return
    a, b = hull.capsules[picked, 0], hull.capsules[picked, 1]
    fill, edge = (theme.flesh, theme.edge) if near else (theme.flesh_far, theme.edge_far)
    for grow, colour in ((1.1 * panel.unit, edge), (0.0, fill)):
        for outline in _outlines(shot, m, panel, a, b, grow):
            canvas.polygon(outline, colour)


def _outlines(
    shot: Shot, m: int, panel: Panel, a: NDArray[np.int64], b: NDArray[np.int64], grow: float
) -> NDArray[np.float64]:
    """Capsules between balls a and b in pixels, squashed sideways in the views that see the width."""
    hull = shot.scene.hull
    pixels = panel.pixels(shot.balls[m])
    squash = np.ones((len(a), 2))
    if shot.view != "side":
        squash[:, 1 if shot.view == "top" else 0] = (hull.width[a] + hull.width[b]) / 2
    radius = hull.radius * panel.scale + grow
    return capsules(pixels[a] / squash, pixels[b] / squash, radius[a], radius[b]) * squash[:, None]


def _paint_bones(
    canvas: Canvas, shot: Shot, m: int, panel: Panel, parts: tuple[int, ...], near: bool = True
) -> None:
    """Strokes of some parts, with a dot at each joint."""
    theme, strokes = shot.scene.look.theme, shot.strokes
    picked = np.isin(strokes.part, parts)
    child, parent = strokes.child[picked], strokes.parent[picked]
    pixels = panel.pixels(shot.joints[m])
    radius = strokes.radius[picked] * panel.scale * (1.0 if near else FAR)
    radius = np.maximum(radius, 0.6 * panel.unit)
    for shape in capsules(pixels[parent], pixels[child], radius[:, 0], radius[:, 1]):
        canvas.polygon(shape, theme.ink if near else theme.faint)
    toes = shot.scene.figure.toes
    for node, r in zip(child, radius[:, 1], strict=True):
        if r > 1.2 * panel.unit and node not in toes:
            x, y = pixels[node]
            canvas.ellipse(x, y, 0.5 * r, 0.5 * r, theme.joint)


def _paint_hoof(canvas: Canvas, shot: Shot, m: int, panel: Panel, k: int, near: bool = True) -> None:
    """The hoof (or paw) in its leg's colour, paler on the far side."""
    theme = shot.scene.look.theme
    colour = theme.legs[k] if near else mix(theme.legs[k], theme.flesh_far, FADE)
    canvas.polygon(outline_of(panel.pixels(shot.hooves[m, k])), colour)


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
