"""Cutout: the skinned animal alone, laid into the flat views of plates and sheets."""

from __future__ import annotations

import numpy as np
from PIL import Image

from hoofbeat.body.mesh.skin import Skin
from hoofbeat.render.draw.canvas import Canvas
from hoofbeat.render.draw.panel import Panel
from hoofbeat.render.draw.scene import DrawnScene
from hoofbeat.render.draw.shot import Shot
from hoofbeat.render.gl.lens import Camera, flat_camera
from hoofbeat.render.gl.light import light_of
from hoofbeat.render.gl.poses import DrawnPoses
from hoofbeat.render.gl.stage import Stage

#: Half the depth of what is drawn, in parts of the animal's reach.
DEPTH = 3.0


class Cutout:
    """Paints a skin into panels; `plain` is the same skin with few triangles. `release` when done."""

    def __init__(self, skin: Skin, plain: Skin, theme: str = "light") -> None:
        self._skin, self._plain, self._light = skin, plain, light_of(theme)
        self._stage: Stage | None = None
        self._scene: DrawnScene | None = None
        self._poses: DrawnPoses | None = None

    def release(self) -> None:
        """Give the graphics card back."""
        if self._stage is not None:
            self._stage.release()
            self._stage = None

    def paint(self, canvas: Canvas, shot: Shot, m: int, panel: Panel) -> None:
        """The animal of moment m over what the canvas holds in a panel."""
        factor = canvas.factor
        size = round(panel.width * factor), round(panel.height * factor)
        stage = self._stage_of(size)
        pixels = stage.cutout(self._poses_of(shot.scene).at(m), _camera(shot, m, panel, stage.reach))
        image = Image.fromarray(np.ascontiguousarray(pixels))
        canvas.paste(image, round(panel.x * factor), round(panel.y * factor))

    def _stage_of(self, size: tuple[int, int]) -> Stage:
        """The canvas is larger than the picture and is shrunk, so its edges need no more samples."""
        if self._stage is None or self._stage.size != size:
            self.release()
            self._stage = Stage(self._skin, self._plain, size, self._light, smooth=False)
        return self._stage

    def _poses_of(self, scene: DrawnScene) -> DrawnPoses:
        if self._poses is None or self._scene is not scene:
            self._poses = DrawnPoses(scene.clip, self._plain, scene.frames, scene.track.centre)
            self._scene = scene
        return self._poses


def _camera(shot: Shot, m: int, panel: Panel, reach: float) -> Camera:
    """The panel's own window, without perspective."""
    left, right = (np.array([panel.x, panel.x + panel.width]) - panel.centre_x) / panel.scale
    top, bottom = (panel.centre_y - np.array([panel.y, panel.y + panel.height])) / panel.scale
    # Poses stand about the ground's height 0, panels about the camera's centre.
    lift = 0.0 if shot.view == "top" else float(shot.scene.track.centre[m, 1])
    box = float(left), float(right), float(bottom) + lift, float(top) + lift
    return flat_camera(shot.scene.track.axes(shot.view)[m], box, DEPTH * reach)
