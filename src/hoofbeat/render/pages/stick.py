"""Stick: one pose of a clip as a picture."""

from __future__ import annotations

import numpy as np
from PIL import Image

from hoofbeat.body.clip import Clip
from hoofbeat.render.draw.camera import Ground, panels_of
from hoofbeat.render.draw.canvas import Canvas
from hoofbeat.render.draw.layout import check_frames, layout_of
from hoofbeat.render.draw.scene import Look, need_frames, scene_of
from hoofbeat.render.draw.theme import Theme, theme_of


def draw_pose(
    clip: Clip,
    frame: int = 0,
    view: str = "side",
    width: int = 640,
    *,
    theme: str | Theme = "light",
    hull: bool = True,
    ground: Ground | None = None,
) -> Image.Image:
    """Frame number `frame` (negative from the end) of a clip as a Pillow picture (RGB), `width` pixels wide.

    view: "side", "front", "both" or "top"; hull: whether the pale body is drawn; ground: height [m] over
    world x, z [m], flat at 0 when None. Nothing is written.
    """
    panels_of(view)
    need_frames(clip)
    moment = check_frames([frame], len(clip)).astype(np.float64)
    scene = scene_of(clip, moment, Look(theme_of(theme), hull, ground))
    layout = layout_of(scene, view, width)
    canvas = Canvas(layout.width, layout.height, scene.look.theme.paper)
    layout.paint(canvas, 0)
    return canvas.finish()
