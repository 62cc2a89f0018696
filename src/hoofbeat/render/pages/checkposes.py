"""Poses of a checked clip: one stride, or the whole clip where it has none, in a row on one ground line."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PIL import Image

from hoofbeat.body.clip import Clip
from hoofbeat.body.skeleton import Leg, Skeleton
from hoofbeat.check.motion import Motion
from hoofbeat.check.recognise import Stride
from hoofbeat.check.report import Report
from hoofbeat.maths import quat
from hoofbeat.render.draw.animal import paint_animal
from hoofbeat.render.draw.canvas import Canvas
from hoofbeat.render.draw.panel import Panel, extent_of
from hoofbeat.render.draw.scene import DrawnScene, Look, scene_of
from hoofbeat.render.draw.shot import Shot
from hoofbeat.render.draw.theme import Theme

#: Poses in a row.
POSES = 8
#: A pose is at most this many times as high as it is wide.
TALLEST = 1.1


def middle_stride(report: Report) -> Stride | None:
    """The middle one of the strides of the gait, which is drawn; None where there is none."""
    shown = report.shown
    return shown[len(shown) // 2] if shown else None


def stride_poses(report: Report, motion: Motion, theme: Theme) -> DrawnScene:
    """Equally spaced in time from one touchdown of the left hind to the next; the ground at height 0."""
    clip = _drawn(motion)
    stride = middle_stride(report)
    start, seconds = (0.0, len(clip) / clip.fps) if stride is None else (stride.start, stride.duration)
    moments = (start + np.arange(POSES) * seconds / POSES) * clip.fps
    return scene_of(clip, np.clip(moments, 0, len(clip) - 1.0), Look(theme))


def panel_of(scene: DrawnScene, width: float) -> Panel:
    """The pixels of one pose: as wide as that, as high as the animal needs."""
    extent, size = extent_of(scene, "side"), scene.figure.size
    left, right, top = extent.left + 0.08 * size, extent.right - 0.08 * size, extent.top - 0.06 * size
    floor = 0.16 * size
    scale = min(width / (right - left), TALLEST * width / (top + floor))
    middle = width / 2 - (left + right) / 2 * scale
    # Strokes and marks follow the animal, not the page.
    unit = scale * size / 150.0
    return Panel("side", 0.0, 0.0, width, round((top + floor) * scale), scale, middle, top * scale, unit)


def pose_picture(shot: Shot, m: int, panel: Panel) -> Image.Image:
    """One pose over plain paper and its ground."""
    theme = shot.scene.look.theme
    canvas = Canvas(round(panel.width), round(panel.height), theme.paper)
    canvas.rectangle(0, panel.centre_y, panel.width, panel.height, theme.ground)
    canvas.line([(0, panel.centre_y), (panel.width, panel.centre_y)], theme.line, 1.4 * panel.unit)
    paint_animal(canvas, shot, m, panel)
    return canvas.finish()


def _drawn(motion: Motion) -> Clip:
    """The clip as it is drawn: with its contacts, its ground at 0, and without nodes below a lone root."""
    clip, skeleton = motion.clip, motion.clip.skeleton
    floor = np.array([0.0, float(motion.level.min()), 0.0])
    stub = _stub(skeleton)
    rotations, origins = np.array(clip.rotations[:, stub:]), clip.positions[:, stub] - floor
    for node in reversed(range(stub)):
        rotations[:, 0] = quat.mul(clip.rotations[:, node], rotations[:, 0])
    contacts = motion.contacts.astype(float)
    return Clip(_cut(skeleton, stub), rotations, origins, clip.fps, contacts, clip.name)


def _stub(skeleton: Skeleton) -> int:
    """How many nodes stand before the body: a root that has one child only, often left on the ground."""
    used = {node for leg in skeleton.legs for node in (leg.top, leg.mid, leg.low, leg.toe)}
    stub = 0
    while stub < len(skeleton) - 1 and len(skeleton.children(stub)) == 1 and stub not in used:
        stub += 1
    return stub


def _cut(skeleton: Skeleton, stub: int) -> Skeleton:
    """The tree below the first nodes, which form a line."""
    if not stub:
        return skeleton

    def moved(leg: Leg) -> Leg:
        places = {name: getattr(leg, name) for name in ("top", "mid", "low", "pastern", "toe")}
        return replace(leg, **{name: node - stub if node >= 0 else -1 for name, node in places.items()})

    return Skeleton(
        skeleton.names[stub:],
        np.maximum(skeleton.parents[stub:] - stub, -1),
        skeleton.offsets[stub:],
        skeleton.ends[stub:],
        [moved(leg) for leg in skeleton.legs],
    )
