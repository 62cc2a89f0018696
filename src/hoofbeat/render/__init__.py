"""Pictures of a clip: drawn with Pillow alone, or the skinned animal by OpenGL (`Film`, `save_picture`)."""

from hoofbeat.render.camera import VIEWS, Ground, UnknownView
from hoofbeat.render.film import Film, Setting
from hoofbeat.render.footfall import footfall_picture
from hoofbeat.render.moving import Reel, moving_picture
from hoofbeat.render.picture import Wish, save_picture
from hoofbeat.render.scene import Look
from hoofbeat.render.sheet import contact_sheet
from hoofbeat.render.stick import draw_pose
from hoofbeat.render.theme import THEMES, PictureError, Theme, UnknownTheme

__all__ = [
    "THEMES",
    "VIEWS",
    "Film",
    "Ground",
    "Look",
    "PictureError",
    "Reel",
    "Setting",
    "Theme",
    "UnknownTheme",
    "UnknownView",
    "Wish",
    "contact_sheet",
    "draw_pose",
    "footfall_picture",
    "moving_picture",
    "save_picture",
]
