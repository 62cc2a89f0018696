"""Pictures of a clip: drawn with Pillow alone, or the skinned animal by OpenGL (`Film`, `save_picture`)."""

from hoofbeat.render.draw.camera import VIEWS, Ground, UnknownView
from hoofbeat.render.draw.scene import Look
from hoofbeat.render.draw.theme import THEMES, PictureError, Theme, UnknownTheme
from hoofbeat.render.film.film import Film, Setting
from hoofbeat.render.film.moving import Reel, moving_picture
from hoofbeat.render.pages.footfall import footfall_picture
from hoofbeat.render.pages.sheet import contact_sheet
from hoofbeat.render.pages.stick import draw_pose
from hoofbeat.render.picture import Wish, save_picture

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
