"""Context: a place to draw with OpenGL where there is no screen, or an error that says what to install."""

from __future__ import annotations

import importlib
import sys
from functools import cache
from typing import Any

from hoofbeat.errors import HoofbeatError

#: The version of OpenGL that the shaders are written for.
VERSION = 330
#: What a Debian or Ubuntu system needs for drawing without a screen, with or without a graphics card.
PACKAGES = "apt-get install libegl1 libegl-mesa0 libgl1-mesa-dri"


class GraphicsError(HoofbeatError):
    """The skinned animal cannot be drawn: a package is missing, OpenGL is, or the skin does not fit."""


def open_context() -> Any:
    """A new moderngl context without a window; the caller releases it."""
    try:
        moderngl = importlib.import_module("moderngl")
    except ImportError as problem:
        raise GraphicsError(
            f"drawing the skinned animal needs the package moderngl ({problem}): "
            "pip install 'hoofbeat[render]'; or ask for the drawn figure"
        ) from problem
    backend = {"backend": "egl"} if sys.platform.startswith("linux") else {}
    try:
        return moderngl.create_context(standalone=True, require=VERSION, **backend)
    # moderngl raises plain Exception where a library or a driver is missing.
    except Exception as problem:
        raise GraphicsError(
            f"OpenGL {VERSION // 100}.{VERSION % 100 // 10} cannot be had without a screen here ({problem}). "
            f"Debian: {PACKAGES}; or ask for the drawn figure"
        ) from problem


@cache
def missing() -> str:
    """Why the skinned animal cannot be drawn on this machine; "" where it can. Found out once a process."""
    try:
        open_context().release()
    except GraphicsError as problem:
        return str(problem)
    return ""
