"""Files: finished pictures to bytes, and bytes to a file in one step."""

from __future__ import annotations

import io
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from PIL import Image

from hoofbeat.errors import ClipError
from hoofbeat.formats.files import write_bytes


def target_of(path: str | PathLike[str], endings: Sequence[str]) -> str:
    """The ending of `path`, lower case, if it is one of `endings`; else an error that lists them."""
    ending = Path(path).suffix.lower()
    if ending not in endings:
        given = repr(ending) if ending else "a file without an ending"
        wanted = " or ".join(endings)
        raise ClipError(f"cannot write {given} here; give {Path(path).name!r} the ending {wanted}")
    return ending


def save_png(image: Image.Image, path: str | PathLike[str]) -> Path:
    """Write one picture as PNG; the old file stays until the new one is whole."""
    target_of(path, (".png",))
    return write_bytes(path, png_bytes(image))


def png_bytes(image: Image.Image) -> bytes:
    """One picture as PNG."""
    data = io.BytesIO()
    image.save(data, "PNG", optimize=False, compress_level=6)
    return data.getvalue()
