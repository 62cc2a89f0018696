"""glTF 2.0 out: clips as .glb, as .gltf with everything inside, or as .gltf with a .bin beside it.

What the file holds is in `gltf_scene` and docs/gltf.md. Writing is atomic: the old file or the new one.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import struct
from collections.abc import Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from hoofbeat.body.clip import Clip
from hoofbeat.body.mesh.skin import Skin, size_beside
from hoofbeat.errors import GltfError, SkeletonError
from hoofbeat.formats.bvh.reader import MAX_LENGTH
from hoofbeat.formats.files import write_bytes
from hoofbeat.formats.gltf.container import BINARY_CHUNK, JSON_CHUNK, MAGIC, open_gltf
from hoofbeat.formats.gltf.writer.scene import Content, make_scene

#: File endings and whether they are binary.
ENDINGS = {".glb": True, ".gltf": False}
#: Frames of one clip: 19 hours at 60 a second, and float32 can still distinguish their times.
MAX_FRAMES = 2**22
#: Bytes of motion in one file: a .glb counts in 32 bits.
MAX_DATA = 2**31
#: Largest difference of offsets [m] between clips of one skeleton.
SAME_OFFSET = 1e-6


def write_gltf(
    clips: Clip | Sequence[Clip],
    path: str | PathLike[str],
    *,
    in_place: bool = False,
    mesh: bool = True,
    skin: Skin | None = None,
    binary: bool | None = None,
    embed: bool = True,
) -> Path:
    """Write a clip, or several of one skeleton, as glTF 2.0, atomically; returns the path.

    in_place: without the path over the ground; the animal steps on the spot facing +Z. mesh: with a body to
    look at: the skin, which must be in the skeleton's size (`hoofbeat.body.mesh.shipped`), or octahedral
    bones where none is given. binary: .glb or .gltf whatever the path ends with (None = by ending).
    embed: a .gltf holds its numbers as text (False = in a file `<name>-<digest>.bin` beside it).
    Contacts and gait go into the animation's extras; other extras of a clip are not written.
    """
    ending = Path(path).suffix.lower()
    if binary is None and ending not in ENDINGS:
        raise GltfError(f"the ending is {ending!r}; glTF is written as {' or '.join(ENDINGS)}", path)
    given = _checked(clips, path)
    if skin is not None:
        _check_skin(skin, given[0], path)
    scene, data = make_scene(given, Content(in_place, mesh, skin))
    if ENDINGS[ending] if binary is None else binary:
        return write_bytes(path, _glb(scene, data), GltfError)
    if embed:
        return write_bytes(path, _gltf(scene, data, _data_uri(data)), GltfError)
    return _write_pair(Path(path), scene, data)


def format_glb(
    clips: Clip | Sequence[Clip], *, in_place: bool = False, mesh: bool = True, skin: Skin | None = None
) -> bytes:
    """The bytes that `write_gltf` writes as .glb."""
    given = _checked(clips, "<memory>")
    if skin is not None:
        _check_skin(skin, given[0], "<memory>")
    return _glb(*make_scene(given, Content(in_place, mesh, skin)))


def _checked(clips: Clip | Sequence[Clip], path: str | PathLike[str]) -> list[Clip]:
    """The clips as a list, all fit to stand in one file."""
    given = [clips] if isinstance(clips, Clip) else list(clips)
    if not given:
        raise GltfError("no clip was given; give at least one", path)
    first = given[0].skeleton
    for clip in given:
        if not len(clip):
            raise GltfError(f"clip {clip.name!r} has no frames; give at least one", path)
        other = clip.skeleton
        same = other.names == first.names and np.array_equal(other.parents, first.parents)
        if not (same and np.allclose(other.offsets, first.offsets, rtol=0, atol=SAME_OFFSET)):
            message = f"clip {clip.name!r} has another skeleton than {given[0].name!r}; write a file for each"
            raise GltfError(message, path)
        if max(np.abs(other.offsets).max(), np.abs(clip.origins).max()) > MAX_LENGTH:
            raise GltfError(f"clip {clip.name!r} has a position beyond {MAX_LENGTH:g} m", path)
        if len(clip) > MAX_FRAMES:
            raise GltfError(f"clip {clip.name!r} has {len(clip)} frames, {MAX_FRAMES} can be written", path)
    frames = sum(len(clip) for clip in given)
    if frames * (len(first) * 16 + 60) > MAX_DATA:
        raise GltfError(f"{frames} frames of {len(first)} nodes do not fit one file; write several", path)
    return given


def _check_skin(skin: Skin, clip: Clip, path: str | PathLike[str]) -> None:
    try:
        size = size_beside(skin.skeleton, clip.skeleton)
    except SkeletonError as problem:
        raise GltfError(f"clip {clip.name!r}: {problem}", path) from problem
    if abs(size - 1) > SAME_OFFSET:
        raise GltfError(f"the skin is for a skeleton {size:.3f} times as small; fetch it with dress_of", path)


def _json(scene: dict[str, Any]) -> bytes:
    text = json.dumps(scene, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def _glb(scene: dict[str, Any], data: bytes) -> bytes:
    text = _json(scene | {"buffers": [{"byteLength": len(data)}]})
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    head = MAGIC + struct.pack("<II", 2, 28 + len(text) + len(data))
    chunk_heads = struct.pack("<II", len(text), JSON_CHUNK), struct.pack("<II", len(data), BINARY_CHUNK)
    return b"".join((head, chunk_heads[0], text, chunk_heads[1], data))


def _gltf(scene: dict[str, Any], data: bytes, uri: str) -> bytes:
    return _json(scene | {"buffers": [{"byteLength": len(data), "uri": uri}]})


def _data_uri(data: bytes) -> str:
    return "data:application/octet-stream;base64," + base64.b64encode(data).decode("ascii")


def _write_pair(path: Path, scene: dict[str, Any], data: bytes) -> Path:
    """The .bin first, under a name of its own content, then the .gltf that points to it.

    Whenever this is interrupted, the old .gltf still has its old .bin. That one is removed at the end.
    """
    digest = hashlib.sha256(data).hexdigest()[:16]
    stem = re.sub(r"[^\w.-]", "_", path.stem)[:100]
    name = f"{stem}-{digest}.bin"
    old = _bin_of(path, stem)
    write_bytes(path.with_name(name), data, GltfError)
    write_bytes(path, _gltf(scene, data, quote(name)), GltfError)
    if old not in (None, name, _bin_of(path, stem)):
        with suppress(OSError):
            path.with_name(str(old)).unlink()
    return path


def _bin_of(path: Path, stem: str) -> str | None:
    """The .bin that the .gltf at this path points to, if it is one of ours."""
    with suppress(GltfError):
        for buffer in open_gltf(path).root.items("buffers"):
            uri = buffer.text("uri", "")
            if re.fullmatch(re.escape(quote(stem)) + r"-[0-9a-f]{16}\.bin", uri):
                return f"{stem}{uri[-21:]}"
    return None
