"""Pictures of a clip: drawn with Pillow alone, or the skinned animal by OpenGL (`Film`, `save_picture`).

Names are imported when they are first used: a drawn page needs nothing of what films a skin.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hoofbeat.render.draw.camera import VIEWS, Ground, UnknownView
    from hoofbeat.render.draw.scene import Look
    from hoofbeat.render.draw.theme import THEMES, PictureError, Theme, UnknownTheme
    from hoofbeat.render.film.film import Film, Setting
    from hoofbeat.render.film.moving import Reel, moving_picture
    from hoofbeat.render.pages.footfall import footfall_picture
    from hoofbeat.render.pages.sheet import contact_sheet, draw_pose, notebook_png
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
    "notebook_png",
    "save_picture",
]

#: Where each public name stands.
_HOMES = {
    "THEMES": "draw.theme",
    "VIEWS": "draw.camera",
    "Film": "film.film",
    "Ground": "draw.camera",
    "Look": "draw.scene",
    "PictureError": "draw.theme",
    "Reel": "film.moving",
    "Setting": "film.film",
    "Theme": "draw.theme",
    "UnknownTheme": "draw.theme",
    "UnknownView": "draw.camera",
    "Wish": "picture",
    "contact_sheet": "pages.sheet",
    "draw_pose": "pages.sheet",
    "footfall_picture": "pages.footfall",
    "moving_picture": "film.moving",
    "notebook_png": "pages.sheet",
    "save_picture": "picture",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'hoofbeat.render' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"hoofbeat.render.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
