"""Pictures of a clip, drawn with Pillow alone: one pose, a contact sheet, a moving picture, footfall bars."""

from hoofbeat.render.camera import VIEWS, Ground, UnknownView
from hoofbeat.render.footfall import footfall_picture
from hoofbeat.render.moving import Reel, moving_picture
from hoofbeat.render.scene import Look
from hoofbeat.render.sheet import contact_sheet
from hoofbeat.render.stick import draw_pose
from hoofbeat.render.theme import THEMES, PictureError, Theme, UnknownTheme

__all__ = [
    "THEMES",
    "VIEWS",
    "Ground",
    "Look",
    "PictureError",
    "Reel",
    "Theme",
    "UnknownTheme",
    "UnknownView",
    "contact_sheet",
    "draw_pose",
    "footfall_picture",
    "moving_picture",
]
